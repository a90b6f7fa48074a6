"""Reads `result.json` of a trial of Harbor: which agent tried which task, what it used, and what the verifier said.

What was sent has what came from the cache in it. The verifier's rewards are scores; a trial passed where they are all 1
(or `reward` alone is, where it stands beside others), failed where that is 0, and did a part where it lies between. The
time is that of the agent; where it is not stated, that of the trial. What an agent wrote itself lies in `agent/` beside
it; the two are one run, see `inputs.run_folders`. Where more came from the cache than was sent, what was sent excludes
it.
"""

from __future__ import annotations

from sitegen.bounds import known_number
from sitegen.model import Outcome, ResultKey, Score, Status, sum_complete
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.records import count_of, lasted, object_of, objects_of, text_of, usd_of
from sitegen.readers.common.stated import Counts
from sitegen.readers.common.trace import Record, Trace, ends_of
from sitegen.readers.common.values import agent_name
from sitegen.times import milliseconds_of

_WHY = ends_of("harbor")


class HarborTrial(Trace):
    """One trial of one task."""

    title = "Harbor trial"
    is_whole = True
    folder = "harbor"
    kinds_of_fields = field_kinds(fact="trial_name source task_checksum")

    def take(self, record: Record) -> None:
        info = object_of(record, "agent_info")
        if self.is_known or not text_of(record, "trial_name") or not info or "task_name" not in record:
            return
        self.is_known = True
        self.title = f"{agent_name(text_of(info, 'name') or 'Harbor')} trial"
        self.version = text_of(info, "version")
        model = object_of(info, "model_info")
        self.model = text_of(model, "name") or text_of(model, "model_name")
        self.task = text_of(record, "task_name")
        steps = objects_of(record, "step_results")
        self._use(
            [object_of(record, "agent_result")]
            if record.get("agent_result")
            else [object_of(s, "agent_result") for s in steps]
        )
        self.started_ms = milliseconds_of(record.get("started_at"))
        timed = object_of(record, "agent_execution") if "agent_execution" in record else record  # null: it never ran
        self.wall_ms = lasted(timed, "started_at", "finished_at")
        failures = [object_of(each, "exception_info") for each in (record, *steps)]
        failure = next((each for each in failures if each), {})
        self._end(failure)
        self._judge(object_of(object_of(record, "verifier_result"), "rewards"))
        if key := text_of(record, "id"):
            self.results = [ResultKey(key, self.cost_usd, self.wall_ms, None)]
        self.list_fields(record, "trial_name source task_checksum config")
        if said := text_of(failure, "exception_message"):  # it may quote the prompt and what a tool returned
            self.fields["exception_message"] = said
        self.hold_against(record, "harbor")

    def _use(self, results: list[Record]) -> None:
        """Add the agent's usage, over the steps of a trial that has several."""
        never_writes = "claude" not in (self.model or "").lower()
        lacks = False
        for result in results:
            sent, cached, output = (count_of(result, f"n_{kind}_tokens") for kind in ("input", "cache", "output"))
            if sent or output:  # counts of 0 are those of an agent that states none
                self.counted(Counts(sent, cached, 0 if never_writes else None, output), context=False)
            lacks |= sent is None and output is None
        if lacks and self.ledger:
            self.is_lower_bound = True
            self.caveats.add("W_MISSING", "A step reports no tokens, so usage is a lower bound.")
        self.cost_usd = sum_complete(usd_of(result, "cost_usd") for result in results) or None
        if not self.ledger:
            self.uncounted()

    def _end(self, exception: Record) -> None:
        kind, said = text_of(exception, "exception_type"), text_of(exception, "exception_message") or ""
        if kind is None:
            self.status, self.detail = Status.OK, None
            return
        self.errors[kind] = None
        found = next((end for word, end in _WHY.items() if word in kind), None)
        self.status, self.detail = found or self.failure(f"{kind}: {said}")

    def _judge(self, rewards: Record) -> None:
        known = {name: number for name, value in sorted(rewards.items()) if (number := known_number(value)) is not None}
        self.scores = [Score(name, value, None, higher_is_better=True) for name, value in known.items()]
        deciding = [known["reward"]] if "reward" in known else list(known.values())
        if not deciding:
            self.outcome = Outcome.ERROR if self.errors else None
        elif all(value == 1 for value in deciding):
            self.outcome = Outcome.PASS
        else:
            self.outcome = Outcome.FAIL if all(value <= 0 for value in deciding) else Outcome.PARTIAL
