"""What `--json` prints: one object on standard output, whatever comes of the command; see docs/json.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen import __version__
from sitegen.cli.terminal import terminal
from sitegen.places import is_address

if TYPE_CHECKING:
    from sitegen.build import Built
    from sitegen.collect import Facts
    from sitegen.inputs.scan import Scan
    from sitegen.model import Entry, Problem
    from sitegen.numbers.statistics import CampaignSummary

SCHEMA = 1
"""Goes up only when a key changes its meaning or goes; new keys do not raise it."""

Values = dict[str, object]


@dataclass(slots=True)
class Answer:
    """The object that a command prints when it ends."""

    command: str
    values: Values = field(default_factory=dict)
    """What the command has found so far; empty where it has failed before."""
    output: str | None = None
    """Where the site is published; None where nothing is."""

    def text(self, exit_code: int, errors: Sequence[str]) -> str:
        """The object on one line of ASCII, which steers no terminal and no service of CI."""
        values: Values = {
            "schema": SCHEMA,
            "version": __version__,
            "command": self.command,
            "exit_code": exit_code,
            "errors": list(errors),
            **_masked(self.values),
        }
        if self.command == "build":
            is_path = self.output is not None and not is_address(self.output)
            values["output"] = str(Path(self.output or "").resolve()) if is_path else self.output
        return json.dumps(values, allow_nan=False).replace("##", "#\\u0023")


def of_build(built: Built) -> Values:
    """What a build came to."""
    return {
        **of_facts(built.report.facts, built.report.problems, built.report.summary),
        "warnings": list(built.warnings),
        "gates": [{key: str(getattr(gate, key)) for key in _OF_GATES} for gate in built.report.gates],
        "files": built.published.files,
        "bytes": built.published.size,
        "kept": list(built.published.carried),
        "left": list(built.published.left),
    }


_OF_GATES = ("name", "limit", "figure", "verdict", "why")


def of_facts(facts: Facts, problems: Sequence[Problem], summary: CampaignSummary) -> Values:
    """What a build would read."""
    from sitegen.inputs.alike import unknown_in_words
    from sitegen.pages.data import masked_row, problem_row
    from sitegen.readers.kinds import KINDS

    return {
        "runs": [_run(entry) for entry in facts.entries],
        "totals": _totals(facts.entries, summary),
        "problems": list(map(problem_row, problems)),
        "masked": list(map(masked_row, facts.masked)),
        "ignored": list(facts.ignored),
        "ignored_kinds": [{"file": path, "kind": KINDS.get(key, KINDS[""]).one} for path, key in facts.kinds],
        "unknown": unknown_in_words(facts.entries),
        "missing": [{"task": task, "configuration": name, "attempt": attempt} for task, name, attempt in facts.missing],
        "warnings": list(facts.remarks),
    }


def of_scan(scan: Scan) -> Values:
    """Where secrets stand in files."""
    places = [(*place.rpartition(":"), kind, count) for place, kind, count in scan.findings]
    return {
        "findings": [
            {"file": file, "line": int(line), "kind": kind, "count": count} for file, _, line, kind, count in places
        ],
        "files": scan.files,
        "warnings": list(scan.remarks),
    }


def _run(entry: Entry) -> Values:
    from sitegen.names import run_path

    run = entry.run
    return {
        "id": entry.id,
        "file": entry.source.path,
        "page": run_path(entry.id),
        "campaign": entry.campaign,
        "task": entry.task,
        "model": entry.model,
        "reader": run.reader,
        "attempt": entry.attempt,
        "status": run.status.value,
        "outcome": None if entry.outcome is None else entry.outcome.value,
        "cost_usd": run.cost_usd,
        "computed_cost_usd": run.computed_cost_usd,
    }


def _totals(entries: Sequence[Entry], summary: CampaignSummary) -> Values:
    from sitegen.numbers.success import success

    judged = success(entries)
    return {
        "runs": summary.runs,
        "by_status": {status.value: count for status, count in summary.by_status.items()},
        "cost_usd": asdict(summary.cost),
        "computed_cost_usd": asdict(summary.computed),
        "median_cost_usd": summary.median_cost_usd,
        "tokens": asdict(summary.total_tokens),
        "wall_ms": asdict(summary.wall),
        "turns": asdict(summary.turns),
        "judged": judged.judged,
        "passed": judged.passed,
    }


def _masked(value: Values) -> Values:
    """The same, with every text masked as a message is."""
    known: dict[str, str] = {}

    def shown(part: object) -> object:
        if isinstance(part, str):
            if part not in known:
                known[part] = terminal.masked(part)
            return known[part]
        if isinstance(part, list):
            return [shown(each) for each in part]
        if isinstance(part, dict):
            return {key: shown(each) for key, each in part.items()}
        return part

    return {key: shown(each) for key, each in value.items()}
