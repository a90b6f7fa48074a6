"""Reads trials of Vally: the lines of `results.jsonl`, and `metadata.json` beside the session of a trial.

| Record | What is read |
|--|--|
| `trial-result` | one run: `status` is that of its execution, `gradeResult.passed` the verdict |
| `trajectory` in it | `events` as steps; `metrics`: tokens, time and turns of the agent, without the judge |
| `metadata.json` | which trial the session beside it is of |

Other lines, such as `run-summary`, are no trials. What was sent includes what came from the cache and what was written
to it. Usage of 0 in 0 calls is that of an executor that counts none. A trial that ended in an error and was not graded
has no verdict, also where its time was up. What GitHub charges is a unit of its own, no money, and is listed.
"""

import posixpath
import re

from sitegen.model import Outcome, Score, Status
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ended_by
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    number_in,
    object_of,
    objects_of,
    text_at,
    text_of,
    text_or_empty,
    texts_of,
)
from sitegen.readers.common.stated import counts_of
from sitegen.readers.common.tool_log import ToolResult
from sitegen.readers.harness.agent_skills import arm_of
from sitegen.steps import StepKind
from sitegen.system.bounds import known_number

_COUNTS = "inputTokens cacheReadTokens cacheWriteTokens outputTokens - - totalTokens"
_MAIN = "main"
_TIMEOUT = re.compile(r"time(?:d )?out", re.IGNORECASE)


def read_trial(record: Record, run: RunBuilder) -> bool:
    if record.get("type") == "trial-result":
        _read_result(record, run)
    elif "stimulusName" in record and "trialIndex" in record and "evalName" in record:
        _read_place(record, run, text_of(record, "stimulusName"))
    else:
        return False
    return True


def _read_place(record: Record, run: RunBuilder, stimulus: str | None) -> None:
    """Take which trial of which arm it is."""
    run.task = stimulus
    run.evaluation = text_of(record, "evalName")
    run.attempt = count_of(record, "trialIndex")
    run.model = text_of(record, "model")
    variant = text_of(record, "variant")
    if variant == _MAIN:  # the arm may be the folder then
        variant = posixpath.basename(posixpath.dirname(run.file.path))
        variant = variant if arm_of(variant) in ("with", "without") else None
    if variant:
        run.factors["skill"] = arm_of(variant)


def _read_result(record: Record, run: RunBuilder) -> None:
    grade = object_of(record, "gradeResult")
    trajectory = object_of(record, "trajectory")
    metrics = object_of(trajectory, "metrics")
    stimulus = (
        text_of(record, "stimulus")
        or text_of(grade, "stimulusName")
        or text_at(trajectory, "stimulus.name")
    )
    _read_place(record, run, stimulus)
    run.model = run.model or text_at(trajectory, "metadata.model")
    run.identity.session_id = text_at(trajectory, "metadata.sessionID")
    if prompt := text_at(trajectory, "stimulus.prompt"):
        run.add_text(StepKind.PROMPT, prompt)
    events = objects_of(trajectory, "events")
    for event in events:
        _read_event(event, run)
    if output := text_of(trajectory, "output"):
        run.summary = output
    _use(run, metrics)
    run.wall_ms = count_of(metrics, "wallTimeMs") or count_of(record, "durationMs")
    run.turns = count_of(metrics, "turnCount")
    activated = {text_at(event, "data.name") or "" for event in events if _activates(event)}
    _note_skills(run, metrics, activated)
    _judge(run, grade)
    _end(run, record, text_of(trajectory, "endReason"))
    if trajectory_id := text_of(trajectory, "id"):
        places = ("experiment.runId", "variant", "evalName", "stimulus", "shardKey")
        place = [text_at(record, path) if "." in path else record.get(path) for path in places]
        run.use_key("/".join(map(str, (*place, trajectory_id))))
    run.list_fields(metrics, "skillActivationCount errorCount", "metrics.")
    run.list_fields(object_of(metrics, "tokenUsage"), "cost", "metrics.tokenUsage.")
    run.list_fields(object_of(trajectory, "metadata"), "skillsLoaded", "metadata.")
    run.list_fields(record, "evalFilePath shardKey durationMs executorRetry repair gradeResult")
    run.check_fields(record, "vally trial")


def _activates(event: Record) -> bool:
    return event.get("type") == "skill_activation"


def _read_event(event: Record, run: RunBuilder) -> None:
    kind, data = event.get("type"), object_of(event, "data")
    ms = run.see_time(run.time_of(event))
    text = text_or_empty(data, "content")
    if kind == "tool_call":
        id_, name = text_or_empty(data, "toolCallId"), text_or_empty(data, "toolName")
        run.add_call(id_, name, object_of(data, "arguments"), ms)
    elif kind == "tool_result":
        result = data.get("result")
        content = result.get("content") if isinstance(result, dict) else result
        failed = data.get("success") is False
        id_ = text_or_empty(data, "toolCallId")
        run.add_result(ToolResult(id_, texts_of(content), ms, failed=failed))
    elif kind == "assistant_message" and text.strip():
        run.add_text(StepKind.TEXT, text, ms)
    elif _activates(event):
        _add_skill(run, text_or_empty(data, "name"), ms)


def _use(run: RunBuilder, metrics: Record) -> None:
    usage = object_of(metrics, "tokenUsage")
    models = object_of(usage, "byModel")
    by_model = {name: counts_of(object_of(models, name), _COUNTS) for name in models}
    counts = counts_of(usage, _COUNTS)
    sums = [sum(filter(None, column)) for column in zip(*by_model.values(), strict=True)][:4]
    if len(by_model) > 1 and sums == [count or 0 for count in counts[:4]]:
        run.leading_model = run.model
        for name, part in by_model.items():
            run.add_usage(part, is_request=False, model=name)
    elif counts.sent or counts.output:
        run.add_usage(counts, is_request=False)
    else:
        run.note_no_usage()


def _add_skill(run: RunBuilder, name: str, ms: int | None = None) -> None:
    run.tools.counts.named(["skill", name])
    run.add_text(StepKind.NOTICE, f"Skill {name}".strip(), ms)


def _note_skills(run: RunBuilder, metrics: Record, events: set[str]) -> None:
    """Take which skills were used; those that no event names stand in the metrics alone."""
    skills = object_of(metrics, "skillActivationBreakdown")
    activations = count_of(metrics, "skillActivationCount")
    counts = run.tools.counts
    for name in sorted(skills.keys() - events):
        _add_skill(run, name)
    if activations and not skills and not events:
        _add_skill(run, "")
    calls = sum(kind["calls"] for kind in counts.kinds.values())
    if activations is None and (count_of(metrics, "toolCallCount") or 0) > calls:
        counts.lacks_calls = True


def _end(run: RunBuilder, record: Record, reason: str | None) -> None:
    error = text_or_empty(record, "error")
    said = f"{reason or ''} {error}"
    if error:
        run.add_error(error)
    if _TIMEOUT.search(said):
        is_graded = run.outcome is not None
        run.end(*((Status.FAILED, "time limit") if is_graded else (Status.STOPPED, "timeout")))
    elif record.get("status") == "error":
        run.end(*ended_by(error))
    elif record.get("status") == "success":
        run.end(Status.OK)


def _judge(run: RunBuilder, grade: Record) -> None:
    if isinstance(passed := grade.get("passed"), bool):
        run.outcome = Outcome.PASS if passed else Outcome.FAIL
    score = known_number(number_in(grade.get("score")))
    if score is not None:
        run.scores.append(Score("score", score, None, higher_is_better=True))
    checks = objects_of(grade, "details")
    if checks:
        names = sorted(text_or_empty(check, "name") for check in checks)
        run.checks = f"{len(checks)} ({', '.join(filter(None, names))})"


VALLY_TRIAL = WholeFormat(
    Format(
        "Vally trial",
        is_whole=True,
        folder="vally",
        field_kinds=field_kinds(
            fact="shardKey metadata.skillsLoaded metrics",
            content="gradeResult",
            machine="evalFilePath",
        ),
    ),
    read_trial,
)
