"""Reads the trajectories of TRAE-Agent, `trajectory.json`.

Each answer of the model stands twice: with all its tokens among the `llm_interactions`, and with the calls that were
made of it and their results among the `agent_steps`, which also have what failed. Calls of a run that was killed while
they were running were not made, as far as it says. `turns` are answers of the model. Only OpenAI's route states what
was cached; on others that is 0 throughout, so it is unknown. Times have no zone: their differences are known, and when
the run was is not.
"""

from typing import Any

from sitegen.model import Run, Status, Tokens, replace
from sitegen.readers.common.records import (
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
from sitegen.readers.common.stated import CountRule, Counts, Stated, counts_of
from sitegen.readers.common.trace import Record, Trace, limit_in
from sitegen.steps import StepKind
from sitegen.text.times import utc_text

_COUNTS = "input_tokens cache_read_input_tokens cache_creation_input_tokens output_tokens"


class Trae(Trace):
    """A trajectory, answer by answer."""

    title = "TRAE trajectory"
    is_whole = True
    usage_follows = True

    def take(self, record: Record) -> None:
        if self.is_known or not all(
            isinstance(record.get(name), list) for name in ("llm_interactions", "agent_steps")
        ):
            return
        self.is_known = True
        self.model = text_of(record, "model")
        self.at(self.time(record, "start_time"))
        answers = objects_of(record, "llm_interactions")
        steps = objects_of(record, "agent_steps")
        answered = [step for step in steps if isinstance(step.get("llm_response"), dict)]
        counts = self._counts_of(answers, text_of(record, "provider"))
        if not answers:
            self.say(StepKind.PROMPT, text_or_empty(record, "task"))
            self.used(Tokens(0, 0, 0, 0), context=False)
        for number, answer in enumerate(answers):
            step = answered[number] if number < len(answered) else {}
            self._take_answer(answer, step, str(number))
            self.counted(counts[number])
            self._take_results(step)
        for step in steps:
            self.hold_against(step, "trae step", "agent_steps.")
            if error := text_of(step, "error"):
                self.error(error, self.at(self.time(step)))
        self.turns = len(answers)
        self.at(self.time(record, "end_time"))
        self.wall_ms = seconds_of(record, "execution_time") or None
        self._decide(record, steps)
        self.fields = {name: record.get(name) for name in ("provider", "max_steps", "success")}
        self.hold_against(record, "trae")

    def _counts_of(self, answers: list[dict[str, Any]], provider: str | None) -> list[Counts]:
        usages = [object_at(answer, "response.usage") for answer in answers]
        counts = [counts_of(usage, _COUNTS) for usage in usages]
        if provider == "openai":
            return counts
        # Anthropic's counts of what was sent leave out what was cached.
        self._stated = Stated(CountRule(sent_includes_read=False, sent_includes_written=False))
        self.excludes_cache = provider in ("anthropic", "bedrock")
        if any(usage.read or usage.written for usage in counts):
            return counts
        return [usage._replace(read=None, written=None) for usage in counts]

    def _take_answer(self, answer: Record, step: Record, id_: str) -> None:
        response = object_of(answer, "response")
        at = self.at(self.time(answer))
        for message in objects_of(answer, "input_messages"):
            if message.get("role") == "user" and (text := texts_in(message, "content")).strip():
                self.say(StepKind.PROMPT, text, at)
        if (said := texts_in(response, "content")).strip():
            self.say(StepKind.TEXT, said, at, id_)
        for call in objects_of(step, "tool_calls"):
            given = object_of(call, "arguments")
            self.ask(text_or_empty(call, "call_id"), text_or_empty(call, "name"), given, at, id_)

    def _take_results(self, step: Record) -> None:
        at = self.at(self.time(step))
        for result in objects_of(step, "tool_results"):
            said = "\n".join(filter(None, (text_of(result, "result"), text_of(result, "error"))))
            self.answer(
                text_or_empty(result, "call_id"), said, at, failed=result.get("success") is False
            )

    def _decide(self, record: Record, steps: list[dict[str, Any]]) -> None:
        final = text_of(record, "final_result")
        failed = text_of(steps[-1], "error") if steps else None
        if is_true(record, "success"):
            self.status = Status.OK
            if final and final != self.summary:
                self.say(StepKind.TEXT, final, self.last_ms)
        elif final != self.summary and (
            limit := limit_in(final or "")
        ):  # what the agent itself says is no end
            self.set_status(Status.FAILED, limit)
        elif failed:
            self.status, self.detail = self.failure(failed)
        elif text_of(record, "end_time"):
            most = count_of(record, "max_steps")
            self.status, self.detail = (
                Status.FAILED,
                "turn limit" if most and len(steps) >= most else None,
            )
        else:
            self.status = Status.INTERRUPTED

    def run(self) -> Run:
        """Return the run; the day on which it ended is about right in any zone."""
        return replace(super().run(), ended_at=utc_text(self.last_ms))
