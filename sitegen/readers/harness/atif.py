"""Reads trajectories in ATIF, the Agent Trajectory Interchange Format of Harbor, of versions 1.0 to 1.8.

Agents that nobody reads yet can be converted to it. What was sent has what came from the cache in it, unless that is
more; what was written to the cache stands, if anywhere, beside. Steps that were copied from an earlier trajectory
count there. Trajectories of subagents within the file count with it, as far as its final metrics do not. The final
metrics are the run's figures where they are there, else its steps add up. `turns` are steps of the agent, without
those that only hold results. Whether it did its task is not stated, and an agent that stopped early says so in no
field: how it ended is unknown.
"""

from typing import Any

from sitegen.model import Tokens, sum_complete
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.chat import call_of
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    is_true,
    object_of,
    objects_of,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.stated import Counts, Stated
from sitegen.readers.common.tool_log import ToolResult
from sitegen.readers.common.values import agent_name
from sitegen.steps import StepKind
from sitegen.text.times import milliseconds_of


class _Trajectory:
    """The steps of a trajectory."""

    def __init__(self, run: RunBuilder) -> None:
        self._run = run
        self._costs: list[float | None] = []
        self._sums: dict[str | None, Tokens] = {}
        self._metrics = Stated(run.format.counts)

    def read_step(self, step: Record, number: int) -> None:
        """Say what a step means, the one with this number in its file."""
        run = self._run
        if is_true(step, "is_copied_context"):
            run.caveats.add(
                "W_COPY", "It begins with steps of an earlier trajectory, which do not count here."
            )
            return
        run.check_fields(step, "atif step", "steps.")
        ms = run.see_time(milliseconds_of(step.get("timestamp"), naive=True))
        id_ = str(step.get("step_id", number))
        calls = objects_of(step, "tool_calls")
        results = objects_of(object_of(step, "observation"), "results")
        if results and not calls and not step.get("metrics"):
            self._add_late_results(results, object_of(step, "extra"), ms)
            return
        self._add_texts(step, ms, id_)
        ids = self._add_calls(calls, ms, id_)
        for place, result in enumerate(results):
            own_id = ids[place] if place < len(ids) else ""
            call_id = text_of(result, "source_call_id") or own_id
            run.add_result(ToolResult(call_id, texts_in(result, "content")))
        if metrics := object_of(step, "metrics"):
            tokens = self._metrics.take(run.model, _counts(metrics, "", run.model))
            self._sums[run.model] = self._sums.get(run.model, Tokens()) + tokens
            self._costs.append(run.amount_of(metrics, "cost_usd"))

    def end(self, final: Record) -> None:
        """Add up what the steps used, unless the final metrics say it."""
        run = self._run
        total = self._metrics.take(_FINAL, _counts(final, "total_", run.model))
        revised = dict(self._metrics.revised())
        total = revised.pop(_FINAL, total)
        self._sums |= revised
        run.tokens.is_lower_bound = self._metrics.contradict(run.caveats)
        if count_of(final, "total_prompt_tokens") is not None and len(self._sums) < 2:
            run.add_tokens(total, is_request=False)
        else:
            for model, tokens in self._sums.items():
                run.add_tokens(tokens, is_request=False, model=model)
        if not run.tokens.by_model:
            run.note_no_usage()
        cost = run.amount_of(final, "total_cost_usd")
        run.cost_usd = (sum_complete(self._costs) if cost is None else cost) or None
        run.detail = "not stated"

    def _add_texts(self, step: Record, ms: int | None, id_: str) -> None:
        run = self._run
        source = step.get("source")
        text = texts_in(step, "message")
        if source == "agent":
            run.count_turn()
            run.model = text_of(step, "model_name") or run.model
            run.see_effort(step, "reasoning_effort")
            if thought := text_of(step, "reasoning_content"):
                run.add_text(StepKind.THINKING, thought, ms, id_)
        if text.strip() and source in ("agent", "user"):
            kind = StepKind.TEXT if source == "agent" else StepKind.PROMPT
            run.add_text(kind, text, ms, id_)

    def _add_calls(self, calls: list[dict[str, Any]], ms: int | None, message_id: str) -> list[str]:
        """Return the ids of the calls of a step."""
        ids: list[str] = []
        for place, call in enumerate(calls):
            id_ = text_of(call, "tool_call_id") or f"{message_id}#{place}"
            name, arguments = call_of({**call, "name": call.get("function_name")})
            self._run.add_call(id_, name, arguments, ms, message_id)
            ids.append(id_)
        return ids

    def _add_late_results(
        self, results: list[dict[str, Any]], extra: Record, ms: int | None
    ) -> None:
        """Add the results of calls of earlier steps, in a step of its own, as some converters write it: the call that
        is named, else the first that waits."""
        named = text_of(extra, "tool_call_id")
        for result in results:
            first = next(iter(self._run.steps.open), "")
            call_id = text_of(result, "source_call_id") or named or first
            text = texts_in(result, "content")
            code = extra.get("exec_exit_code")
            self._run.add_result(ToolResult(call_id, text, ms, exit_code=code))


def read_atif(record: Record, run: RunBuilder) -> bool:
    """Say what a trajectory means, step by step; return whether it is one."""
    version = text_or_empty(record, "schema_version")
    agent = object_of(record, "agent")
    if not version.startswith("ATIF") or not isinstance(record.get("steps"), list):
        return False
    run.title = f"{agent_name(text_of(agent, 'name') or 'ATIF')} trajectory"
    run.version, run.model = text_of(agent, "version"), text_of(agent, "model_name")
    run.identity.session_id = text_of(record, "session_id") or text_of(record, "trajectory_id")
    run.turns = 0
    trajectory = _Trajectory(run)
    for number, step in enumerate(objects_of(record, "steps")):
        trajectory.read_step(step, number)
    trajectory.end(object_of(record, "final_metrics"))
    for each in objects_of(record, "subagent_trajectories"):
        run.add_text(StepKind.SUBAGENT, text_or_empty(object_of(each, "agent"), "name"))
    run.list_fields(record, "schema_version notes extra")
    run.check_fields(record, "atif")
    return True


ATIF = WholeFormat(
    Format(
        "ATIF trajectory",
        is_whole=True,
        is_converted=True,
        field_kinds=field_kinds(content="notes extra"),
    ),
    read_atif,
)


def _counts(metrics: Record, prefix: str, model: str | None) -> Counts:
    """Return counts of tokens; what models of Claude wrote to the cache is unknown where it does not stand beside."""
    extra = object_of(metrics, "extra")
    written = count_of(extra, "cache_creation_input_tokens")
    written = count_of(extra, "total_cache_creation_input_tokens") if written is None else written
    if written is None and "claude" not in (model or "").lower():
        written = 0
    sent, read, output = (
        count_of(metrics, f"{prefix}{kind}_tokens") for kind in ("prompt", "cached", "completion")
    )
    return Counts(sent, read, written, output)


_FINAL = "final metrics"
