"""Reads what ISO-Bench says of a run: `run_summary.json` and `journal.json`, each alone; both are one run.

The task is the repository and the first eight digits of the commit that a human made, since the item is a number in one
plan. The model of the summary is that of the plan, so it counts only where the agent's own record names none. The time
is that of the agent's process;
it ended when the journal was written, about. Its status says mostly whether there is a patch, so the agent's own record
counts before it, unless the process was killed.
"""

import re

from sitegen.model import Status
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.records import (
    milliseconds_of,
    object_of,
    seconds_of,
    text_of,
    text_or_empty,
    value_at,
)
from sitegen.readers.common.trace import Record, Trace
from sitegen.readers.common.values import agent_name, names_model

_COMMIT = re.compile(r"[0-9a-f]{8,64}")


class IsoBenchRun(Trace):
    """The content of one of the two files."""

    title = "ISO-Bench run"
    folder = "iso-bench"
    kinds_of_fields = field_kinds(machine="meta.run_path agent.cli", content="error")

    def take(self, record: Record) -> None:
        commits = object_of(record, "commits")
        meta = object_of(record, "meta") or object_of(record, "run_metadata")
        is_summary = "_sources" in record and "meta" in record
        is_journal = "agent_branch" in record
        if self.is_known or "human" not in commits or not (is_summary or is_journal):
            return
        self.is_known = True
        plan = text_of(record, "task_id") or text_or_empty(meta, "task_id")
        process, agent = _process(record) if is_journal else (object_of(record, "agent"), None)
        if agent := text_of(meta, "agent") or agent:
            self.title = f"{agent_name(agent)} run"
        self.model = _planned_model(meta, agent)
        human = text_or_empty(commits, "human")
        if repository := _repository(text_of(meta, "repo"), plan):
            self.task = f"{repository}-{human[:8]}" if _COMMIT.match(human) else None
        self._time(process, value_at(record, "timestamps.written"))
        self._end(process, text_of(record if is_journal else process, "status"))
        if said := text_of(record, "error"):
            self.failed_with(said)
        self.list_fields(record, "meta commits metrics experiment preflight error")
        self.fields |= {f"agent.{name}": value for name, value in process.items()}
        rest = {name: value for name, value in record.items() if name != agent}
        self.hold_against(rest, "iso-bench summary" if is_summary else "iso-bench journal")

    def _time(self, process: Record, written: object) -> None:
        self.wall_ms = seconds_of(process, "duration_s") or None
        if isinstance(written, int | float) and self.wall_ms is not None:
            ended = milliseconds_of(written * 1000)
            self.started_ms = None if ended is None else ended - self.wall_ms

    def _end(self, process: Record, status: str | None) -> None:
        code = process.get("returncode")
        minutes = process.get("time_budget_minutes")
        if type(minutes) is int and self.wall_ms is not None and self.wall_ms >= minutes * 60_000:
            self.set_status(Status.FAILED, "time limit")
        elif type(code) is int and code < 0:
            self.set_status(Status.STOPPED, "killed")
        elif status == "success":
            self.set_status(Status.OK)
        elif status:
            self.set_status(Status.FAILED, status[:40])


def _process(journal: Record) -> tuple[Record, str | None]:
    """Return what the journal says of the agent's process, under the name of the agent."""
    named = (name for name in journal if "returncode" in object_of(journal, name))
    agent = next(named, None)
    return (object_of(journal, agent), agent) if agent else ({}, None)


def _planned_model(meta: Record, agent: str | None) -> str | None:
    """Return the model of the plan. Claude Code runs models of Claude, whatever the plan says."""
    model = text_of(meta, "model_full") or text_or_empty(meta, "model")
    is_other = agent_name(agent or "") == "Claude Code" and "claude" not in model.casefold()
    return None if is_other or not names_model(model) else model


def _repository(stated: str | None, plan: str) -> str | None:
    """Return the repository: `sglang` of the plan `sglang_core`, also where its name was cut to `sglan`."""
    first = plan.partition("_")[0]
    return first if first.startswith(stated or "") and first else stated
