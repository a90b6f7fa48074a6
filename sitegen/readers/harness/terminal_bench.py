"""Reads `results.json` of terminal-bench 1: of a trial, and of a run, which lists its trials; and `run_metadata.json`.

A trial says what the tests found, hardly what the agent did: which agent and model it was stands in the metadata of
its run alone, in the same folder or above. Token counts of 0 are those of an agent that states none. A trial that was
solved is solved, even if the agent's time was up. The time is the agent's; that of setting up and testing does not
count.
"""

import re
from collections.abc import Iterator
from typing import Any

from sitegen.model import Outcome, Status, Tokens
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ends_of
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    lasted,
    ms_of,
    objects_in,
    objects_of,
    text_of,
)
from sitegen.readers.common.values import Caveats, agent_name
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.run_file import RunFile

_ATTEMPT = re.compile(r"\.([0-9]{1,9})-of-([0-9]{1,9})(?:\.|$)")
# The failure modes that kept an agent from its own end; other failure modes are those of the tests.
_ENDS = ends_of("terminal-bench")


def parts(file: RunFile, caveats: Caveats) -> Iterator[list[Any]]:
    """Yield each trial. Raises: ReadError."""
    for value in objects_in(JsonText(file, caveats)):
        trials = objects_of(value, "results") if isinstance(value.get("results"), list) else [value]
        if not trials and "n_resolved" in value:
            raise EmptyResultsError("it is the result of a run of terminal-bench without a trial")
        yield from ([trial] for trial in trials)


def read_trial(record: Record, run: RunBuilder) -> bool:
    if not is_trial(record):
        return _read_metadata(run, record)
    run.task = record["task_id"]
    run.attempt = attempt_of(record)
    run.outcome = outcome_of(record)
    mode = text_of(record, "failure_mode") or "unset"
    run.end(*_ENDS.get(mode, (Status.OK, None)))
    began = ms_of(record, "agent_started_at")
    run.started_ms = ms_of(record, "trial_started_at") or began
    run.wall_ms = lasted(record, "agent_started_at", "agent_ended_at")
    sent = count_of(record, "total_input_tokens")
    output = count_of(record, "total_output_tokens")
    if sent or output:
        run.add_tokens(Tokens(sent or None, None, None, output or None), is_request=False)
    run.use_key(text_of(record, "uuid") or text_of(record, "id"))
    run.list_fields(record, "trial_name failure_mode instruction parser_results")
    run.check_fields(record, "terminal-bench")
    return True


def _read_metadata(run: RunBuilder, record: Record) -> bool:
    """Take what the file of a whole run says of each of its trials."""
    if "agent_name" not in record or "run_id" not in record or "dataset_name" not in record:
        return False
    run.is_shared = True
    if agent := text_of(record, "agent_name"):
        run.title = f"{agent_name(agent)} trial"
    run.model = text_of(record, "model_name")
    run.add_tokens(Tokens(), is_request=False)
    return True


TRIAL = WholeFormat(
    Format(
        "Terminal-Bench trial",
        is_whole=True,
        folder="terminal-bench",
        field_kinds=field_kinds(
            fact="trial_name failure_mode parser_results", prompt="instruction"
        ),
    ),
    read_trial,
    split=parts,
)


def is_trial(record: Record) -> bool:
    """Return whether this is one."""
    named = isinstance(record.get("task_id"), str) and isinstance(record.get("trial_name"), str)
    return named and bool(record.keys() & {"is_resolved", "failure_mode", "parser_results"})


def outcome_of(trial: Record) -> Outcome | None:
    """Return what the tests found; nobody's fault where they, or the installation of the agent, failed."""
    resolved = trial.get("is_resolved")
    if "is_resolved" not in trial:
        return None
    if trial.get("failure_mode") == "agent_installation_failed" or not isinstance(resolved, bool):
        return Outcome.ERROR
    return Outcome.PASS if resolved else Outcome.FAIL


def attempt_of(trial: Record) -> int | None:
    """Return the number of a trial whose task has several: 2 of `x.2-of-5`."""
    numbered = _ATTEMPT.search(str(trial["trial_name"]))
    return int(numbered[1]) if numbered and int(numbered[2]) > 1 else None
