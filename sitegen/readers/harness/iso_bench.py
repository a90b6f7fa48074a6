"""Reads what ISO-Bench says of a run: `run_summary.json` and `journal.json`, each alone; both are one run.

The task is the repository and the first eight digits of the commit that a human made, since the item is a number in one
plan. The model of the summary is that of the plan, so it counts only where the agent's own record names none. The time
is that of the agent's process;
it ended when the journal was written, about. Its status says mostly whether there is a patch, so the agent's own record
counts before it, unless the process was killed.
"""

import re

from sitegen.model import Status
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    milliseconds_of,
    object_of,
    seconds_of,
    text_of,
    text_or_empty,
    value_at,
)
from sitegen.readers.common.values import agent_name, names_model

_COMMIT = re.compile(r"[0-9a-f]{8,64}")


def read_run(record: Record, run: RunBuilder) -> bool:
    commits = object_of(record, "commits")
    meta = object_of(record, "meta") or object_of(record, "run_metadata")
    is_summary = "_sources" in record and "meta" in record
    is_journal = "agent_branch" in record
    if "human" not in commits or not (is_summary or is_journal):
        return False
    plan = text_of(record, "task_id") or text_or_empty(meta, "task_id")
    process, agent = _process(record) if is_journal else (object_of(record, "agent"), None)
    if agent := text_of(meta, "agent") or agent:
        run.title = f"{agent_name(agent)} run"
    run.model = _planned_model(meta, agent)
    human = text_or_empty(commits, "human")
    if repository := _repository(text_of(meta, "repo"), plan):
        run.task = f"{repository}-{human[:8]}" if _COMMIT.match(human) else None
    _time(run, process, value_at(record, "timestamps.written"))
    _end(run, process, text_of(record if is_journal else process, "status"))
    if said := text_of(record, "error"):
        run.note_exception(said)
    run.list_fields(record, "meta commits metrics experiment preflight error")
    run.fields |= {f"agent.{name}": value for name, value in process.items()}
    rest = {name: value for name, value in record.items() if name != agent}
    run.check_fields(rest, "iso-bench summary" if is_summary else "iso-bench journal")
    return True


def _time(run: RunBuilder, process: Record, written: object) -> None:
    run.wall_ms = seconds_of(process, "duration_s") or None
    if isinstance(written, int | float) and run.wall_ms is not None:
        ended = milliseconds_of(written * 1000)
        run.started_ms = None if ended is None else ended - run.wall_ms


def _end(run: RunBuilder, process: Record, status: str | None) -> None:
    code = process.get("returncode")
    minutes = process.get("time_budget_minutes")
    if type(minutes) is int and run.wall_ms is not None and run.wall_ms >= minutes * 60_000:
        run.end(Status.FAILED, "time limit")
    elif type(code) is int and code < 0:
        run.end(Status.STOPPED, "killed")
    elif status == "success":
        run.end(Status.OK)
    elif status:
        run.end(Status.FAILED, status[:40])


ISO_BENCH_RUN = WholeFormat(
    Format(
        "ISO-Bench run",
        folder="iso-bench",
        field_kinds=field_kinds(machine="meta.run_path agent.cli", content="error"),
    ),
    read_run,
)


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
