"""The settings: one model, and errors that name file, line and column."""

from sitegen.config.building import BuildSettings
from sitegen.config.gates import Gate, Gates, RateGate, ScoreLimits
from sitegen.config.inputs import Campaign, History, Input, OneOfCampaigns, Outcomes
from sitegen.config.reading import foreign_keys, load, parse
from sitegen.config.redact import Redact
from sitegen.config.runs import RunSettings
from sitegen.config.settings import Config, schema
from sitegen.config.study import Leaderboard, Pair, Role, ScoreMeaning, VerdictRule
from sitegen.config.values import GROUPS
from sitegen.errors import ConfigError

__all__ = [
    "GROUPS",
    "BuildSettings",
    "Campaign",
    "Config",
    "ConfigError",
    "Gate",
    "Gates",
    "History",
    "Input",
    "Leaderboard",
    "OneOfCampaigns",
    "Outcomes",
    "Pair",
    "RateGate",
    "Redact",
    "Role",
    "RunSettings",
    "ScoreLimits",
    "ScoreMeaning",
    "VerdictRule",
    "foreign_keys",
    "load",
    "parse",
    "schema",
]
