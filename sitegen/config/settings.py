"""All settings as one, and what follows from several of them."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeVar

from pydantic import ModelWrapValidatorHandler, PrivateAttr, ValidationError, model_validator

from sitegen.config.building import BuildSettings
from sitegen.config.inputs import PREVIOUS, Campaign, Input, OneOfCampaigns, Outcomes
from sitegen.config.runs import RunSettings
from sitegen.config.study import ScoreMeaning
from sitegen.config.values import FaultBelow, check_day
from sitegen.errors import ConfigError
from sitegen.masking.redact import number_masks
from sitegen.model import Level
from sitegen.numbers.pricing import PriceTable
from sitegen.system.places import absolute, is_address

OLD_NAMES = {"models": "model", "agents": "agent", "tasks": "task"}
"""Settings that `names` replaced, with the field that each gave names to."""
_InputType = TypeVar("_InputType", Input, OneOfCampaigns)


class Config(BuildSettings, RunSettings):
    """Everything that can be set. Each key is explained in docs/settings.md."""

    _is_of_pack: bool = PrivateAttr(default=False)
    _is_part: bool = PrivateAttr(default=False)
    _old_names: tuple[str, ...] = PrivateAttr(default=())
    _days: tuple[str, str] = PrivateAttr(default=("", "9999"))

    @model_validator(mode="wrap")
    @classmethod
    def _read_old_names(cls, settings: Any, validate: ModelWrapValidatorHandler[Config]) -> Config:
        """Read `models`, `agents` and `tasks` as parts of `names`, which replaced them."""
        names = settings.get("names", {}) if isinstance(settings, dict) else None
        old: list[str] = []
        if isinstance(names, dict):
            old = [key for key in OLD_NAMES if key in settings]
            stated = {OLD_NAMES[key]: settings[key] for key in old}
            others = {key: value for key, value in settings.items() if key not in old}
            settings = {**others, "names": {**stated, **names}}
        config = validate(settings)
        config._old_names = tuple(old)
        return config

    @model_validator(mode="after")
    def _check_together(self) -> Config:
        self._check_verdicts()
        scores = self.all_scores
        for name, meaning in scores.items():
            for part in meaning.of:
                if part not in scores or scores[part].direction is None:
                    raise FaultBelow(
                        ("scores", name),
                        f"give '{part}' a `direction`, higher or lower, under `scores`",
                    )
        if self.gates.changes and self.baseline is None:
            measure, _, kind = next(iter(self.gates.changes)).rpartition(".")
            raise FaultBelow(
                ("gates", measure, kind),
                "this compares with a baseline: name it, as in `baseline: last.zip`",
            )
        return self

    def _check_verdicts(self) -> None:
        """Raise ValueError for a verdict that is not there, that needs itself, or for several main ones."""
        needed: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
            (("verdicts", name, "all"), rule.all) for name, rule in self.verdicts.items()
        ]
        for name in self.gates.verdicts:
            needed.append((("gates", "verdicts", name), (name,)))
        if self.quadrants:
            needed.append((("quadrants", "of"), self.quadrants.of))
        if self.judges:
            needed.append((("judges",), self.judges))
        for place, verdicts in needed:
            for verdict in verdicts:
                if verdict not in self.verdicts:
                    raise FaultBelow(
                        place, f"there is no verdict '{verdict}'; name one of `verdicts`"
                    )
        if self.judges and self.judges[0] == self.judges[1]:
            raise FaultBelow(("judges",), "name two different verdicts")
        try:
            TopologicalSorter({name: rule.all for name, rule in self.verdicts.items()}).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]
            raise FaultBelow(
                ("verdicts", circle[0]), f"this verdict needs itself: {' → '.join(circle)}"
            ) from None
        main = [name for name, rule in self.verdicts.items() if rule.main]
        if len(main) > 1:
            raise FaultBelow(
                ("verdicts", main[1], "main"),
                f"only one verdict can be `main`, not {' and '.join(main)}",
            )

    def own_texts(self) -> Iterator[str]:
        """Yield what the settings themselves publish, on pages and in exports; nothing of those in a pack, which
        somebody else may have written."""
        if self.is_of_pack:
            return
        yield from (self.title, self.description, self.site_url or "", *self.redact.off.values())
        for names in self.names.values():
            yield from (*names, *names.values())
        for stated in (self.setup, *self.setup.configurations.values()):
            yield from stated.model_dump(exclude={"configurations"}, exclude_none=True).values()

    @property
    def old_names(self) -> tuple[str, ...]:
        """The keys of the file that `names` replaced."""
        return self._old_names

    @property
    def price_table(self) -> PriceTable:
        """The list prices of the package, with those of the settings."""
        return PriceTable.load({name: price.model_dump() for name, price in self.prices.items()})

    @property
    def groups(self) -> tuple[str, ...]:
        """Further properties by which runs are grouped."""
        return ("project", "person") if self.view else self.group_by

    @property
    def only_judged(self) -> frozenset[int]:
        """The positions of the inputs of which only runs with a verdict count."""
        only = (number for number, given in enumerate(self.inputs) if given.only == "judged")
        return frozenset(only)

    @property
    def days(self) -> tuple[str, str]:
        """The first and the last day of the runs that count, as ISO 8601 has them."""
        return self._days

    @property
    def all_scores(self) -> dict[str, ScoreMeaning]:
        """The meaning of scores by name: of the settings, else of the first files that have one."""
        scores = {**self.scores}
        for outcomes in self.all_outcomes:
            scores = {**outcomes.scores, **scores}
        return scores

    @property
    def all_outcomes(self) -> list[Outcomes]:
        """The outcomes of all runs, then those of each campaign."""
        all_outcomes = list(self.outcomes)
        for campaign in self.campaigns:
            all_outcomes += campaign.outcomes
        return all_outcomes

    @property
    def each_campaign(self) -> tuple[OneOfCampaigns, ...]:
        """The campaigns, with each path that a pattern matches being one."""
        campaigns: list[OneOfCampaigns] = []
        for campaign in self.campaigns:
            is_pattern = not is_address(campaign.path) and not os.path.lexists(campaign.path)
            paths = sorted(glob.glob(campaign.path)) if is_pattern else []  # noqa: PTH207  that of Path knows no absolute one
            if campaign.keep:
                paths = paths[-campaign.keep :]
            for path in paths or [campaign.path]:
                campaigns.append(campaign.model_copy(update={"path": path}))
        return tuple(campaigns)

    @property
    def compares_with_previous(self) -> bool:
        """Whether the baseline is the campaign before."""
        return self.baseline is not None and self.baseline.path == PREVIOUS

    @property
    def follows(self) -> bool:
        """Whether the site has a page of several campaigns."""
        return bool(self.campaigns or self.history or (self.baseline and self.campaign.date))

    @property
    def paths_of_runs(self) -> list[str]:
        """Files, folders and patterns in which runs are looked for."""
        return [named.path for named in (*self.inputs, *self.campaigns)]

    @property
    def paths_of_looks(self) -> list[str]:
        """Folders and files that are published as they are, or that pages are made with."""
        return [*filter(None, (self.static, self.theme)), *self.pages, *self.charts]

    @property
    def paths_of_outcomes(self) -> list[str]:
        """Files and patterns that state how runs turned out."""
        return [outcomes.path for outcomes in self.all_outcomes]

    @property
    def is_part(self) -> bool:
        """Whether inputs stand in place of those that the settings name, and so are about other files too."""
        return self._is_part

    @property
    def is_of_pack(self) -> bool:
        """Whether these are the settings in the pack that is built, and no others."""
        return self._is_of_pack

    def with_inputs(self, paths: Iterable[str]) -> Config:
        """Return the same settings with other inputs, also in place of `campaigns`.

        A path that these settings name as well keeps its pattern; one campaign alone keeps all that they say of it. A
        path in an input that has a level, or above one, has the lower one of this level and its own.
        """
        all_named: tuple[Input, ...] = (*self.inputs, *self.campaigns)
        by_path = {absolute(named.path): named for named in reversed(all_named)}
        inputs: list[Input] = []
        named_inputs: list[Input | None] = []
        for path in paths:
            named = by_path.get(absolute(path))
            kept = named.model_dump(include={"pattern", "only"}) if named else {}
            inputs.append(Input(path=path, steps=self._level_at(path, all_named), **kept))
            named_inputs.append(named)
        update: dict[str, Any] = {"inputs": tuple(inputs), "campaigns": ()}
        first = named_inputs[0] if named_inputs else None
        if len(named_inputs) == 1 and isinstance(first, OneOfCampaigns):
            update["campaign"] = Campaign(name=first.name, date=first.date)
            update["outcomes"] = first.outcomes or self.outcomes
        config = self.model_copy(update=update)
        config._is_part = bool(by_path) and None in named_inputs
        return config

    def _level_at(self, path: str, all_named: Iterable[Input]) -> Level | None:
        """Return the level of a path, if any of the inputs that are in it, or that it is in, has one."""
        place = absolute(path).rstrip("/") + "/"
        levels: list[Level] = []
        is_stated = False
        for named in all_named:
            other = absolute(named.path).rstrip("/") + "/"
            if place.startswith(other) or other.startswith(place):
                levels.append(named.steps or self.steps)
                is_stated = is_stated or named.steps is not None
        return Level.lowest(*levels) if is_stated else None

    def with_days(self, since: str | None, until: str | None) -> Config:
        """Return the same settings for runs of these days, each as `check_day` takes it or `7d`. Raises: ConfigError."""
        config = self.model_copy()
        config._days = (_read_day("--since", since) or "", _read_day("--until", until) or "9999")
        if config._days[0] > config._days[1]:
            raise ConfigError(f"--since {since} is after --until {until}, so no run is left.")
        return config

    def with_campaign(self, name: str | None, day: str | None) -> Config:
        """Return the same settings with this name and day of the campaign. Raises: ConfigError."""
        if name is None and day is None:
            return self
        if self.campaigns:
            raise ConfigError(
                "--campaign and --date are about one campaign, and these settings have several."
            )
        campaign = self.campaign
        for option, key, value in (("--campaign", "name", name), ("--date", "date", day)):
            if value is None:
                continue
            try:
                campaign = Campaign.model_validate({**campaign.model_dump(), key: value})
            except ValidationError as invalid:
                reason = invalid.errors()[0]["msg"].removeprefix("Value error, ")
                raise ConfigError(f"{option} {value}: {reason}.") from None
        return self.model_copy(update={"campaign": campaign})

    def with_level(self, level: Level) -> Config:
        """Return the same settings with this level, which no input exceeds."""

        def limit_level(named: _InputType) -> _InputType:
            steps = named.steps and Level.lowest(named.steps, level)
            return named.model_copy(update={"steps": steps})

        inputs = tuple(map(limit_level, self.inputs))
        campaigns = tuple(map(limit_level, self.campaigns))
        return self.model_copy(update={"steps": level, "inputs": inputs, "campaigns": campaigns})

    def for_pack(self) -> dict[str, Any]:
        """Return the settings that a pack holds."""
        of_runs = set(RunSettings.model_fields)
        config = self.model_copy(update={"scores": self.all_scores})
        return config.model_dump(mode="json", by_alias=True, exclude_defaults=True, include=of_runs)

    @classmethod
    def of_pack(cls, path: str, settings: Mapping[str, Any]) -> Config:
        """Return the settings in a pack, which may be from anywhere: what to do is never one of them.

        Raises: ConfigError.
        """
        of_runs = {name: settings[name] for name in RunSettings.model_fields if name in settings}
        try:
            config = cls.model_validate_json(number_masks(json.dumps(of_runs)))
        except (ValidationError, ValueError, TypeError):
            raise ConfigError(
                f"{path}: the settings in this pack are damaged, or of another version; "
                "pack its runs again, or name settings of your own with `-c`."
            ) from None
        config._is_of_pack = True
        return config


def _read_day(option: str, text: str | None) -> str | None:
    """Return the day that an option names, or that was so many days ago. Raises: ConfigError."""
    if text is None:
        return None
    if re.fullmatch("[0-9]{1,4}d", text):
        return (datetime.now(UTC).date() - timedelta(int(text[:-1]))).isoformat()
    try:
        return check_day(text)
    except ValueError:
        raise ConfigError(
            f"{option} {text}: write a day as in 2026-11-18, or 7d for seven days ago."
        ) from None


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the settings: what the docstrings below their keys say, for editors."""
    settings = Config.model_json_schema()
    settings["$defs"]["Gates"]["patternProperties"] = {
        r"^score\.": {"$ref": "#/$defs/ScoreGate"},
        r"^verdict\.": {"$ref": "#/$defs/RateGate"},
        r"^pass\^[0-9]+$": {"$ref": "#/$defs/RateGate"},
    }
    names = {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "deprecated": True,
        "description": "Names, which `names` has now.",
    }
    settings["properties"] |= dict.fromkeys(OLD_NAMES, names)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **settings,
        "title": "Settings of sitegen",
    }
