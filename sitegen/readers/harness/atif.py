"""Reads trajectories in ATIF, the Agent Trajectory Interchange Format of Harbor, of versions 1.0 to 1.8.

Agents that nobody reads yet can be converted to it. What was sent has what came from the cache in it, unless that is
more; what was written to the cache stands, if anywhere, beside. Steps that were copied from an earlier trajectory count
there. Trajectories of subagents within the file count with it, as far as its final metrics do not. The final metrics
are the run's figures where they are there, else its steps add up. `turns` are steps of the agent, without those that
only hold results. Whether it did its task is not stated, and an agent that stopped early says so in no field: how it
ended is unknown.
"""

from __future__ import annotations

from typing import Any

from sitegen.model import Tokens
from sitegen.readers.common.chat import call_of
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.records import count_of, object_of, objects_of, text_of, texts_of, usd_of
from sitegen.readers.common.stated import Counts, Stated
from sitegen.readers.common.trace import Record, Trace
from sitegen.readers.common.values import agent_name
from sitegen.steps import StepKind
from sitegen.times import milliseconds_of


class Atif(Trace):
    """A trajectory, step by step."""

    title = "ATIF trajectory"
    is_whole = True
    is_converted = True
    kinds_of_fields = field_kinds(content="notes extra")

    def __init__(self) -> None:
        super().__init__()
        self._costs: list[float | None] = []
        self._sums: dict[str | None, Tokens] = {}
        self._metrics = Stated(self.reads)

    def take(self, record: Record) -> None:
        version, agent = text_of(record, "schema_version") or "", object_of(record, "agent")
        if self.is_known or not version.startswith("ATIF") or not isinstance(record.get("steps"), list):
            return
        self.is_known = True
        self.title = f"{agent_name(text_of(agent, 'name') or 'ATIF')} trajectory"
        self.version, self.model = text_of(agent, "version"), text_of(agent, "model_name")
        self.session_id = text_of(record, "session_id") or text_of(record, "trajectory_id")
        self.turns = 0
        for number, step in enumerate(objects_of(record, "steps")):
            self._take_step(step, number)
        self._end(object_of(record, "final_metrics"))
        for each in objects_of(record, "subagent_trajectories"):
            self.say(StepKind.SUBAGENT, text_of(object_of(each, "agent"), "name") or "")
        self.list_fields(record, "schema_version notes extra")
        self.hold_against(record, "atif")

    def _take_step(self, step: Record, number: int) -> None:
        if step.get("is_copied_context") is True:
            self.caveats.add("W_COPY", "It begins with steps of an earlier trajectory, which do not count here.")
            return
        self.hold_against(step, "atif step", "steps.")
        at, source = self.at(milliseconds_of(step.get("timestamp"), naive=True)), step.get("source")
        text, id_ = texts_of(step.get("message")), str(step.get("step_id", number))
        calls, results = objects_of(step, "tool_calls"), objects_of(object_of(step, "observation"), "results")
        if results and not calls and not step.get("metrics"):
            self._answer(results, object_of(step, "extra"), at)
            return
        if source == "agent":
            self.turns = (self.turns or 0) + 1
            self.model = text_of(step, "model_name") or self.model
            if thought := text_of(step, "reasoning_content"):
                self.say(StepKind.THINKING, thought, at, id_)
        if text.strip() and source in ("agent", "user"):
            self.say(StepKind.TEXT if source == "agent" else StepKind.PROMPT, text, at, id_)
        asked = [text_of(call, "tool_call_id") or f"{id_}#{place}" for place, call in enumerate(calls)]
        for call_id, call in zip(asked, calls, strict=True):
            self.ask(call_id, *call_of({**call, "name": call.get("function_name")}), at, id_)
        for place, result in enumerate(results):
            one = asked[place] if place < len(asked) else ""
            self.answer(text_of(result, "source_call_id") or one, texts_of(result.get("content")))
        if metrics := object_of(step, "metrics"):
            tokens = self._metrics.take(self.model, _counts(metrics, "", self.model))
            self._sums[self.model] = self._sums.get(self.model, Tokens()) + tokens
            self._costs.append(usd_of(metrics, "cost_usd"))

    def _answer(self, results: list[dict[str, Any]], extra: Record, at: int | None) -> None:
        """Add the results of calls of earlier steps, in a step of its own, as some converters write it: the call that
        is named, else the first that waits."""
        for result in results:
            asked = text_of(result, "source_call_id") or text_of(extra, "tool_call_id") or next(iter(self._open), "")
            self.answer(asked, texts_of(result.get("content")), at, exit_code=extra.get("exec_exit_code"))

    def _end(self, final: Record) -> None:
        total = self._metrics.take(_FINAL, _counts(final, "total_", self.model))
        self._sums |= {model: tokens for model, tokens in self._metrics.revised() if model in self._sums}
        self.is_lower_bound = self._metrics.contradict(self.caveats)
        if count_of(final, "total_prompt_tokens") is not None and len(self._sums) < 2:
            self.used(total, context=False)
        else:
            main = self.model
            for model, tokens in self._sums.items():
                self.model = model
                self.used(tokens, context=False)
            self.model = main
        if not self.ledger:
            self.uncounted()
        known = [cost for cost in self._costs if cost is not None]
        summed = sum(known) if known and len(known) == len(self._costs) else None
        stated = usd_of(final, "total_cost_usd")
        self.cost_usd = (summed if stated is None else stated) or None
        self.detail = "not stated"


def _counts(metrics: Record, prefix: str, model: str | None) -> Counts:
    """Return counts of tokens; what models of Claude wrote to the cache is unknown where it does not stand beside."""
    extra = object_of(metrics, "extra")
    written = count_of(extra, "cache_creation_input_tokens")
    written = count_of(extra, "total_cache_creation_input_tokens") if written is None else written
    if written is None and "claude" not in (model or "").lower():
        written = 0
    sent, read, output = (count_of(metrics, f"{prefix}{kind}_tokens") for kind in ("prompt", "cached", "completion"))
    return Counts(sent, read, written, output)


_FINAL = "final metrics"
