"""Records of Every Eval Ever, one a line: of each configuration its success rate and its mean scores, with intervals.

The time of a record is when its last run began, so that the same runs give the same bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from sitegen import __version__, times
from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.model import Entry
from sitegen.numbers.estimates import group_figures
from sitegen.numbers.intervals import CONFIDENCE, Interval
from sitegen.numbers.statistics import dimension_of, group_by, score_measures

SCHEMA = "0.2.2"
_UNKNOWN = "unknown"


def records(entries: Sequence[Entry], config: Config) -> bytes:
    """Return the records. Raises: ConfigError where no run has a verdict or a score."""
    measures = score_measures(entries)
    lines = []
    for name, runs in group_by(entries, dimension_of(entries)).items():
        figures = group_figures(runs, config.intervals, measures)
        told = figures.success
        found = []
        if told.rate is not None:
            found.append(_result("success", config, told.rate, told.interval, told.judged, (0.0, 1.0)))
        for measure, spread in figures.scores.items():
            if spread.mean is not None and spread.least is not None and spread.most is not None:
                ends = (0.0, 1.0) if measure.is_share else (spread.least, spread.most)
                result = _result(measure.name, config, spread.mean, spread.interval, spread.known, ends)
                result["metric_config"] |= {"lower_is_better": measure.lower_is_better}
                found.append(result)
        if found:
            lines.append(json.dumps(_record(name, runs, config) | {"evaluation_results": found}, ensure_ascii=False))
    if not lines:
        raise ConfigError("--format every-eval-ever: no run has a verdict or a score; name files of `outcomes`.")
    return "".join(f"{line}\n" for line in lines).encode()


def _record(name: str, runs: Sequence[Entry], config: Config) -> dict[str, object]:
    moments = [moment for entry in runs if (moment := times.moment_of(entry.run.started_at)) is not None]
    stamp = str(int(max(moments).timestamp())) if moments else _UNKNOWN
    stated = {"configuration": name, "agent": runs[0].agent, "runs": str(len(runs))}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{config.title}/{name}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": config.title,
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "sitegen", "version": __version__},
        "model_info": {
            "name": runs[0].model or _UNKNOWN,
            "id": runs[0].run.model or runs[0].model or _UNKNOWN,
            "additional_details": {key: value for key, value in stated.items() if value},
        },
    }


def _result(
    name: str, config: Config, value: float, interval: Interval | None, n: int, ends: tuple[float, float]
) -> dict[str, Any]:
    score: dict[str, object] = {"score": value}
    if interval is not None and math.isfinite(interval.low) and math.isfinite(interval.high):
        told = {"lower": interval.low, "upper": interval.high, "confidence_level": CONFIDENCE}
        score["uncertainty"] = {"confidence_interval": told | {"method": config.intervals.value}, "num_samples": n}
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": config.title, "source_type": "other"},
        "metric_config": {
            "evaluation_description": f"{name}, over {n} runs",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": ends[0],
            "max_score": ends[1],
        },
        "score_details": score,
    }
