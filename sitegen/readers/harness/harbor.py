"""Reads results of Terminal-Bench 1, of Harbor, which went on from it, and trajectories in Harbor's format."""

import re
from collections.abc import Iterator
from typing import Any

from sitegen.model import Outcome, ResultKey, Score, Status, Tokens, sum_complete
from sitegen.readers.common.chat import call_of
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.records import (
    count_of,
    is_true,
    lasted,
    ms_of,
    number_in,
    object_of,
    objects_in,
    objects_of,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.stated import Counts, Stated
from sitegen.readers.common.trace import Record, Trace, ends_of
from sitegen.readers.common.values import Caveats, agent_name
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind
from sitegen.system.bounds import known_number
from sitegen.text.times import milliseconds_of

# Reads `results.json` of terminal-bench 1: of a trial, and of a run, which lists its trials; and `run_metadata.json`.
#
# A trial says what the tests found, hardly what the agent did: which agent and model it was stands in the metadata of
# its run alone, in the same folder or above. Token counts of 0 are those of an agent that states none. A trial that was
# solved is solved, even if the agent's time was up. The time is the agent's; that of setting up and testing does not
# count.

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


class Trial(Trace):
    """One trial of one task."""

    title = "Terminal-Bench trial"
    parts = staticmethod(parts)
    is_whole = True
    folder = "terminal-bench"
    kinds_of_fields = field_kinds(
        fact="trial_name failure_mode parser_results", prompt="instruction"
    )

    def take(self, record: Record) -> None:
        if not is_trial(record):
            self._take_metadata(record)
            return
        self.is_known = True
        self.task, self.attempt, self.outcome = (
            record["task_id"],
            attempt_of(record),
            outcome_of(record),
        )
        mode = text_of(record, "failure_mode") or "unset"
        self.status, self.detail = _ENDS.get(mode, (Status.OK, None))
        began = ms_of(record, "agent_started_at")
        self.started_ms = ms_of(record, "trial_started_at") or began
        self.wall_ms = lasted(record, "agent_started_at", "agent_ended_at")
        sent, output = (count_of(record, f"total_{kind}_tokens") for kind in ("input", "output"))
        if sent or output:
            self.used(Tokens(sent or None, None, None, output or None), context=False)
        if key := text_of(record, "uuid") or text_of(record, "id"):
            self.results = [ResultKey(key, None, self.wall_ms, None)]
        self.list_fields(record, "trial_name failure_mode instruction parser_results")
        self.hold_against(record, "terminal-bench")

    def _take_metadata(self, record: Record) -> None:
        """Take what the file of a whole run says of each of its trials."""
        if "agent_name" not in record or "run_id" not in record or "dataset_name" not in record:
            return
        self.is_known = self.is_shared = True
        if agent := text_of(record, "agent_name"):
            self.title = f"{agent_name(agent)} trial"
        self.model = text_of(record, "model_name")
        self.used(Tokens(), context=False)


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


# Reads `result.json` of a trial of Harbor: which agent tried which task, what it used, and what the verifier said.
#
# What was sent has what came from the cache in it. The verifier's rewards are scores; a trial passed where they are all
# 1 (or `reward` alone is, where it stands beside others), failed where that is 0, and did a part where it lies between.
# The time is that of the agent; where it is not stated, that of the trial. What an agent wrote itself lies in `agent/`
# beside it; the two are one run, see `inputs.run_folders`. Where more came from the cache than was sent, what was sent
# excludes it.

_WHY = ends_of("harbor")


class HarborTrial(Trace):
    """One trial of one task."""

    title = "Harbor trial"
    is_whole = True
    folder = "harbor"
    kinds_of_fields = field_kinds(fact="trial_name source task_checksum")

    def take(self, record: Record) -> None:
        info = object_of(record, "agent_info")
        if (
            self.is_known
            or not text_of(record, "trial_name")
            or not info
            or "task_name" not in record
        ):
            return
        self.is_known = True
        self.title = f"{agent_name(text_of(info, 'name') or 'Harbor')} trial"
        self.version = text_of(info, "version")
        model = object_of(info, "model_info")
        self.model = text_of(model, "name") or text_of(model, "model_name")
        self.see_effort(record, "config.agent.kwargs.reasoning_effort config.agent.kwargs.effort")
        self.task = text_of(record, "task_name")
        steps = objects_of(record, "step_results")
        self._use(
            [
                object_of(each, "agent_result")
                for each in ([record] if record.get("agent_result") else steps)
            ]
        )
        self.started_ms = ms_of(record, "started_at")
        timed = (
            object_of(record, "agent_execution") if "agent_execution" in record else record
        )  # null: it never ran
        self.wall_ms = lasted(timed, "started_at", "finished_at")
        failures = [object_of(each, "exception_info") for each in (record, *steps)]
        failure = next((each for each in failures if each), {})
        self._end(failure)
        verdict = object_of(record, "verifier_result")
        self._judge(
            object_of(verdict, "rewards")
            or {name: verdict[name] for name in verdict.keys() & {"reward"}}
        )
        if key := text_of(record, "id"):
            self.results = [ResultKey(key, self.cost_usd, self.wall_ms, None)]
        self.list_fields(record, "trial_name source task_checksum config")
        if said := text_of(
            failure, "exception_message"
        ):  # it may quote the prompt and what a tool returned
            self.fields["exception_message"] = said
        self.hold_against(record, "harbor")

    def _use(self, results: list[Record]) -> None:
        """Add the agent's usage, over the steps of a trial that has several."""
        never_writes = "claude" not in (self.model or "").lower()
        lacks = False
        for result in results:
            sent, cached, output = (
                count_of(result, f"n_{kind}_tokens") for kind in ("input", "cache", "output")
            )
            if sent or output:  # counts of 0 are those of an agent that states none
                self.counted(
                    Counts(sent, cached, 0 if never_writes else None, output), context=False
                )
            lacks |= sent is None and output is None
        if lacks and self.ledger:
            self.is_lower_bound = True
            self.caveats.add("W_MISSING", "A step reports no tokens, so usage is a lower bound.")
        self.cost_usd = sum_complete(self.usd(result, "cost_usd") for result in results) or None
        if not self.ledger:
            self.uncounted()

    def _end(self, exception: Record) -> None:
        kind = text_of(exception, "exception_type")
        said = text_or_empty(exception, "exception_message")
        if kind is None:
            self.set_status(Status.OK)
            return
        self.errors[kind] = None
        found = next((end for word, end in _WHY.items() if word in kind), None)
        self.status, self.detail = found or self.failure(f"{kind}: {said}")

    def _judge(self, rewards: Record) -> None:
        stated = (
            (name, float(each) if isinstance(each, bool) else number_in(each))
            for name, each in rewards.items()
        )
        known = {
            name: number
            for name, value in sorted(stated)
            if (number := known_number(value)) is not None
        }
        self.scores = [
            Score(name, value, None, higher_is_better=True) for name, value in known.items()
        ]
        deciding = [known["reward"]] if "reward" in known else list(known.values())
        if not deciding:
            self.outcome = Outcome.ERROR if self.errors else None
        elif all(value == 1 for value in deciding):
            self.outcome = Outcome.PASS
        else:
            self.outcome = (
                Outcome.FAIL if all(value <= 0 for value in deciding) else Outcome.PARTIAL
            )


# Reads trajectories in ATIF, the Agent Trajectory Interchange Format of Harbor, of versions 1.0 to 1.8.
#
# Agents that nobody reads yet can be converted to it. What was sent has what came from the cache in it, unless that is
# more; what was written to the cache stands, if anywhere, beside. Steps that were copied from an earlier trajectory
# count there. Trajectories of subagents within the file count with it, as far as its final metrics do not. The final
# metrics are the run's figures where they are there, else its steps add up. `turns` are steps of the agent, without
# those that only hold results. Whether it did its task is not stated, and an agent that stopped early says so in no
# field: how it ended is unknown.


class Atif(Trace):
    """A trajectory, step by step."""

    title = "ATIF trajectory"
    is_whole = True
    is_converted = True
    kinds_of_fields = field_kinds(content="notes extra")

    def begin(self) -> None:
        self._costs: list[float | None] = []
        self._sums: dict[str | None, Tokens] = {}
        self._metrics = Stated(self.reads)

    def take(self, record: Record) -> None:
        version = text_or_empty(record, "schema_version")
        agent = object_of(record, "agent")
        if (
            self.is_known
            or not version.startswith("ATIF")
            or not isinstance(record.get("steps"), list)
        ):
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
            self.say(StepKind.SUBAGENT, text_or_empty(object_of(each, "agent"), "name"))
        self.list_fields(record, "schema_version notes extra")
        self.hold_against(record, "atif")

    def _take_step(self, step: Record, number: int) -> None:
        if is_true(step, "is_copied_context"):
            self.caveats.add(
                "W_COPY", "It begins with steps of an earlier trajectory, which do not count here."
            )
            return
        self.hold_against(step, "atif step", "steps.")
        at = self.at(milliseconds_of(step.get("timestamp"), naive=True))
        source = step.get("source")
        text = texts_in(step, "message")
        id_ = str(step.get("step_id", number))
        calls = objects_of(step, "tool_calls")
        results = objects_of(object_of(step, "observation"), "results")
        if results and not calls and not step.get("metrics"):
            self._answer(results, object_of(step, "extra"), at)
            return
        if source == "agent":
            self.count_turn()
            self.model = text_of(step, "model_name") or self.model
            self.see_effort(step, "reasoning_effort")
            if thought := text_of(step, "reasoning_content"):
                self.say(StepKind.THINKING, thought, at, id_)
        if text.strip() and source in ("agent", "user"):
            self.say(StepKind.TEXT if source == "agent" else StepKind.PROMPT, text, at, id_)
        asked = [
            text_of(call, "tool_call_id") or f"{id_}#{place}" for place, call in enumerate(calls)
        ]
        for call_id, call in zip(asked, calls, strict=True):
            self.ask(call_id, *call_of({**call, "name": call.get("function_name")}), at, id_)
        for place, result in enumerate(results):
            one = asked[place] if place < len(asked) else ""
            self.answer(text_of(result, "source_call_id") or one, texts_in(result, "content"))
        if metrics := object_of(step, "metrics"):
            tokens = self._metrics.take(self.model, _counts(metrics, "", self.model))
            self._sums[self.model] = self._sums.get(self.model, Tokens()) + tokens
            self._costs.append(self.usd(metrics, "cost_usd"))

    def _answer(self, results: list[dict[str, Any]], extra: Record, at: int | None) -> None:
        """Add the results of calls of earlier steps, in a step of its own, as some converters write it: the call that
        is named, else the first that waits."""
        for result in results:
            asked = (
                text_of(result, "source_call_id")
                or text_of(extra, "tool_call_id")
                or next(iter(self._open), "")
            )
            self.answer(
                asked, texts_in(result, "content"), at, exit_code=extra.get("exec_exit_code")
            )

    def _end(self, final: Record) -> None:
        total = self._metrics.take(_FINAL, _counts(final, "total_", self.model))
        revised = dict(self._metrics.revised())
        total = revised.pop(_FINAL, total)
        self._sums |= revised
        self.is_lower_bound = self._metrics.contradict(self.caveats)
        if count_of(final, "total_prompt_tokens") is not None and len(self._sums) < 2:
            self.used(total, context=False)
        else:
            for model, tokens in self._sums.items():
                self.used(tokens, context=False, model=model)
        if not self.ledger:
            self.uncounted()
        stated = self.usd(final, "total_cost_usd")
        self.cost_usd = (sum_complete(self._costs) if stated is None else stated) or None
        self.detail = "not stated"


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
