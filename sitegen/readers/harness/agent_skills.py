"""Reads a workspace of an evaluation of skills: what its graders and its runner wrote about each run.

A run is a folder `iteration-N/EVAL/ARM` or `iteration-N/EVAL/ARM/run-K`; all that its files say of it is joined there.

| File | What is read |
|--|--|
| `grading.json` | `expectations` or `assertion_results`: checks, of which all have to be true |
| `timing.json` | `duration_ms`, `total_tokens`; of some programs also kinds of tokens, the cost and how it ended |
| `run_meta.json` | `agent`, `with_skill` |
| `eval_metadata.json` | `eval_name`: the task of all runs below |
| `meta.json`, `benchmark.json` | the model and the skill of all runs below, unless they are placeholders |
| `outputs/response.txt` | only an error that stands in the place of the answer |

`total_tokens` does not say what it sums, so no kind is known. Its zeros, and costs of zero, are those of a program that
knows no figure. Totals of `benchmark.json` are not read: it may count characters in place of tokens.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sitegen.model import Outcome, Score, Status, Tokens
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ended_by
from sitegen.readers.common.fields import field_kinds, prompt_digest
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    is_true,
    lasted,
    ms_of,
    object_of,
    objects_of,
    seconds_of,
    text_of,
)
from sitegen.readers.common.stated import Counts
from sitegen.readers.common.values import Caveats, agent_name
from sitegen.readers.run_file import RunFile

_FOLDER = "agent-skills"
_LISTS = ("expectations", "assertion_results")
_RUN = re.compile(r"run-([0-9]{1,9})")
_ITERATION = re.compile(r"iteration-([0-9]{1,9})")
_EVAL = re.compile(r"eval-(?:[0-9]+-)?(.+)")
_OWN_WORDS = frozenset({"old_skill", "new_skill"})
_ARMS = {
    "with_skill": "with",
    "skilled": "with",
    "isolated": "with",
    "without_skill": "without",
    "baseline": "without",
}
_PLACEHOLDER = re.compile(r"\s*<.*>\s*")
_ERROR = "ERROR: "
_MAX_ERROR = 4_000
_ANSWERS = ("outputs/response.txt", "outputs/response.md")


def arm_of(word: str) -> str:
    """Return the value of the factor `skill` for the word of a folder or a variant: `with`, `without`, or that word."""
    return _ARMS.get(word.casefold().replace("-", "_"), word)


class RunPlace(NamedTuple):
    """The statements that the folders of a run make."""

    task: str | None = None
    arm: str | None = None
    iteration: str | None = None
    attempt: int | None = None
    agent: str | None = None


def place_of(path: str) -> RunPlace:
    """Return what the folders of a file say of its run."""
    folders = path.replace("\\", "/").split("/")[:-1]
    if folders and folders[-1] == "outputs":
        folders.pop()
    numbered = _RUN.fullmatch(folders[-1]) if folders else None
    if numbered:
        folders.pop()
    iterations = (_ITERATION.fullmatch(folder) for folder in reversed(folders[-5:]))
    iteration = next(filter(None, iterations), None)
    place = RunPlace(
        iteration=iteration[1] if iteration else None,
        attempt=int(numbered[1]) if numbered else None,
    )
    above, arm = ("", "", *folders)[-2:]
    if not _is_arm(arm, above, is_numbered=numbered is not None, is_iterated=iteration is not None):
        return place
    agent = None
    if agent_name(above) != above and len(folders) > 2:
        above, agent = folders[-3], above
    named = _EVAL.fullmatch(above)
    task = None if _ITERATION.fullmatch(above) else named[1] if named else above
    return place._replace(task=task or None, arm=arm_of(arm), agent=agent)


def _is_arm(word: str, above: str, *, is_numbered: bool, is_iterated: bool) -> bool:
    """Return whether a folder is that of an arm: by its name, or as only a workspace has folders around it."""
    known = word.casefold().replace("-", "_")
    if known in _ARMS or known in _OWN_WORDS:
        return True
    is_other = not word or word.startswith("eval-") or _ITERATION.fullmatch(word) is not None
    is_below_eval = above.startswith("eval-")
    is_below_iteration = is_iterated and _ITERATION.fullmatch(above) is None
    return not is_other and (is_numbered or is_below_eval or is_below_iteration)


def read_file(record: Record, run: RunBuilder) -> bool:
    """Read one of the files of a workspace, by what is in it."""
    place = place_of(run.file.path)
    if any(_is_check(check) for name in _LISTS for check in objects_of(record, name)):
        _read_grading(record, run, place)
    elif run.file.name == "timing" and _is_timing(record):
        _read_timing(record, run, place)
    elif isinstance(record.get("with_skill"), bool) and "eval_id" in record:
        _read_meta_of_run(record, run, place)
    else:
        return _read_shared(record, run)
    run.task, run.attempt = place.task, place.attempt
    if place.agent:
        run.title = f"{agent_name(place.agent)} run"
    if place.arm:
        run.factors["skill"] = place.arm
    if place.iteration:
        run.factors["iteration"] = place.iteration
    return True


def _is_check(check: Record) -> bool:
    return isinstance(check.get("text"), str) and "passed" in check


def _is_timing(record: Record) -> bool:
    return "total_tokens" in record and bool({"duration_ms", "total_duration_seconds"} & {*record})


def _read_grading(record: Record, run: RunBuilder, place: RunPlace) -> None:
    checks = [check for name in _LISTS for check in objects_of(record, name) if _is_check(check)]
    decided = [check for check in checks if not is_true(check, "skipped")]
    unclear = [check for check in decided if not isinstance(check["passed"], bool)]
    passed = sum(is_true(check, "passed") for check in decided)
    failed = len(decided) - len(unclear) - passed
    if unclear:
        text = f"{len(unclear)} of its {len(decided)} checks are neither true nor false."
        run.caveats.add("W_CONTRADICTION", text)
    elif decided:
        rate = passed / len(decided)
        run.scores = [Score("pass_rate", rate, None, higher_is_better=True)]
    if failed:
        run.outcome = Outcome.FAIL
    elif decided and not unclear:
        run.outcome = Outcome.PASS
    digest = prompt_digest("\n".join(sorted(check["text"] for check in checks)))
    run.checks = f"{len(checks)} ({digest[:6]})"
    if (arm := text_of(record, "config")) and not place.arm:
        run.factors["skill"] = arm_of(arm)
    run.fields["checks"] = {"true": passed, "false": failed, "skipped": len(checks) - len(decided)}
    run.list_fields(record, " ".join(_LISTS))
    run.list_fields(record, "claims user_notes_summary eval_feedback execution_metrics")
    run.check_fields(record, "agent-skills grading")


def _read_timing(record: Record, run: RunBuilder, place: RunPlace) -> None:
    took = count_of(record, "duration_ms") or seconds_of(record, "total_duration_seconds")
    run.wall_ms = took or lasted(record, "executor_start", "executor_end")
    run.started_ms = ms_of(record, "executor_start")
    run.cost_usd = run.amount_of(record, "cost_usd") or None
    total = count_of(record, "total_tokens")
    agent = agent_name(place.agent or "")
    sent, cached, output = (
        count_of(record, name) for name in ("input_tokens", "cached_tokens", "output_tokens")
    )
    if sent and output and agent == "Codex":
        run.add_usage(Counts(sent, cached, 0, output), is_request=False)
    elif sent and output and agent == "Claude Code":
        run.add_tokens(Tokens(sent, None, cached, output), is_request=False)
    elif total:
        run.add_tokens(Tokens(unsplit=total), is_request=False)
    code = record.get("exit_code")
    if is_true(record, "timed_out"):
        run.end(Status.FAILED, "time limit")
    elif type(code) is int:
        run.end(*((Status.FAILED, f"exit code {code}") if code else (Status.OK, None)))
    run.list_fields(record, "source retries nested_agents nested_tokens")
    run.check_fields(record, "agent-skills timing")


def _read_meta_of_run(record: Record, run: RunBuilder, place: RunPlace) -> None:
    if agent := text_of(record, "agent"):
        run.title = f"{agent_name(agent)} run"
    if not place.arm:
        run.factors["skill"] = "with" if record["with_skill"] else "without"


def _read_shared(record: Record, run: RunBuilder) -> bool:
    """Take what a file says of all runs below its folder."""
    metadata = object_of(record, "metadata")
    if "eval_name" in record and "prompt" in record:
        run.task = text_of(record, "eval_name")
    elif "target" in record and "modes" in record:
        run.model, run.evaluation = text_of(record, "target"), text_of(record, "name")
    elif "run_summary" in record or "executor_model" in metadata:
        run.model = _stated(metadata, "executor_model")
        run.evaluation = _stated(metadata, "skill_name")
    else:
        return False
    run.is_shared = True
    return True


def _stated(record: Record, name: str) -> str | None:
    """Return a text, unless it is the placeholder of a template."""
    text = text_of(record, name)
    return None if text is None or _PLACEHOLDER.fullmatch(text) else text


def read_error(record: Record, run: RunBuilder) -> bool:
    """Read an error that stands in the place of an answer: the run never reached its model."""
    place = place_of(run.file.path)
    run.add_error(record["error"])
    _, why = ended_by(record["error"])
    run.end(Status.STOPPED, why)
    run.task, run.attempt = place.task, place.attempt
    return True


def errors_in(file: RunFile, caveats: Caveats) -> Iterator[list[Any]]:  # noqa: ARG001
    """Yield the error that the answer of a run is."""
    if file.name.endswith(_ANSWERS):
        text = file.open().read(_MAX_ERROR).decode("utf-8", "replace")
        yield [{"error": text.removeprefix(_ERROR)}]


AGENT_SKILLS = WholeFormat(
    Format(
        "Agent Skills run",
        folder=_FOLDER,
        field_kinds=field_kinds(
            fact="checks source", content="expectations assertion_results claims eval_feedback"
        ),
    ),
    read_file,
)
ANSWER_ERROR = WholeFormat(Format("Agent Skills run", folder=_FOLDER), read_error, split=errors_in)
