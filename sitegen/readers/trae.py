"""Reads the trajectories of TRAE-Agent, `trajectory.json`.

Each answer of the model stands twice: with all its tokens among the `llm_interactions`, and with the calls that were
made of it and their results among the `agent_steps`, which also have what failed. Calls of a run that was killed while
they were running were not made, as far as it says. `turns` are answers of the model. Only OpenAI's route states what
was cached; on others that is 0 throughout, so it is unknown. Times have no zone: their differences are known, and when
the run was is not.
"""

from typing import Any

from sitegen.model import Status, Tokens
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ended_by, limit_in
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    is_true,
    object_at,
    object_of,
    objects_of,
    seconds_of,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.stated import CountRule, Counts, counts_of
from sitegen.readers.common.tool_log import ToolResult
from sitegen.steps import StepKind

_COUNTS = "input_tokens cache_read_input_tokens cache_creation_input_tokens output_tokens"


def read_trajectory(record: Record, run: RunBuilder) -> bool:
    """Say what a trajectory means, answer by answer; return whether it is one."""
    lists = (record.get("llm_interactions"), record.get("agent_steps"))
    if not all(isinstance(value, list) for value in lists):
        return False
    run.model = text_of(record, "model")
    run.see_time(run.time_of(record, "start_time"))
    answers = objects_of(record, "llm_interactions")
    steps = objects_of(record, "agent_steps")
    answered = [step for step in steps if isinstance(step.get("llm_response"), dict)]
    counts = _counts_of(run, answers, text_of(record, "provider"))
    if not answers:
        run.add_text(StepKind.PROMPT, text_or_empty(record, "task"))
        run.add_tokens(Tokens(0, 0, 0, 0), is_request=False)
    for number, answer in enumerate(answers):
        step = answered[number] if number < len(answered) else {}
        _read_answer(run, answer, step, str(number))
        run.add_usage(counts[number])
        _read_results(run, step)
    for step in steps:
        run.check_fields(step, "trae step", "agent_steps.")
        if error := text_of(step, "error"):
            run.add_error(error, run.see_time(run.time_of(step)))
    run.turns = len(answers)
    run.see_time(run.time_of(record, "end_time"))
    run.wall_ms = seconds_of(record, "execution_time") or None
    _decide(run, record, steps)
    run.ended_ms = run.clock.last_ms  # the day is about right in any zone
    run.fields = {name: record.get(name) for name in ("provider", "max_steps", "success")}
    run.check_fields(record, "trae")
    return True


def _counts_of(
    run: RunBuilder, answers: list[dict[str, Any]], provider: str | None
) -> list[Counts]:
    usages = [object_at(answer, "response.usage") for answer in answers]
    counts = [counts_of(usage, _COUNTS) for usage in usages]
    if provider == "openai":
        return counts
    # Anthropic's counts of what was sent leave out what was cached.
    run.tokens.count_by(CountRule(sent_includes_read=False, sent_includes_written=False))
    run.tokens.excludes_cache = provider in ("anthropic", "bedrock")
    if any(usage.read or usage.written for usage in counts):
        return counts
    return [usage._replace(read=None, written=None) for usage in counts]


def _read_answer(run: RunBuilder, answer: Record, step: Record, id_: str) -> None:
    response = object_of(answer, "response")
    ms = run.see_time(run.time_of(answer))
    for message in objects_of(answer, "input_messages"):
        if message.get("role") == "user" and (text := texts_in(message, "content")).strip():
            run.add_text(StepKind.PROMPT, text, ms)
    if (said := texts_in(response, "content")).strip():
        run.add_text(StepKind.TEXT, said, ms, id_)
    for call in objects_of(step, "tool_calls"):
        given = object_of(call, "arguments")
        run.add_call(text_or_empty(call, "call_id"), text_or_empty(call, "name"), given, ms, id_)


def _read_results(run: RunBuilder, step: Record) -> None:
    ms = run.see_time(run.time_of(step))
    for result in objects_of(step, "tool_results"):
        said = "\n".join(filter(None, (text_of(result, "result"), text_of(result, "error"))))
        run.add_result(
            ToolResult(
                text_or_empty(result, "call_id"), said, ms, failed=result.get("success") is False
            )
        )


def _decide(run: RunBuilder, record: Record, steps: list[dict[str, Any]]) -> None:
    final = text_of(record, "final_result")
    failed = text_of(steps[-1], "error") if steps else None
    if is_true(record, "success"):
        run.status = Status.OK
        if final and final != run.summary:
            run.add_text(StepKind.TEXT, final, run.clock.last_ms)
    elif final != run.summary and (
        limit := limit_in(final or "")
    ):  # what the agent itself says is no end
        run.end(Status.FAILED, limit)
    elif failed:
        run.end(*ended_by(failed))
    elif text_of(record, "end_time"):
        most = count_of(record, "max_steps")
        is_at_limit = bool(most) and len(steps) >= (most or 0)
        run.end(Status.FAILED, "turn limit" if is_at_limit else None)
    else:
        run.status = Status.INTERRUPTED


TRAE = WholeFormat(Format("TRAE trajectory", is_whole=True, usage_follows=True), read_trajectory)
