"""Reads `.aider.results.json` of aider's benchmark: one exercise, with the tests of each try.

It passed when the tests of the last try did; `pass at first` says whether those of the first did. `turns` are tries. No
format states when it was. Tokens stand in newer files only, which were never seen, and have cached ones in them.
"""

from __future__ import annotations

from sitegen.bounds import known_seconds
from sitegen.model import Outcome, Score, Status, Tokens
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.records import count_of, text_of, usd_of
from sitegen.readers.common.trace import Record, Trace


class AiderResult(Trace):
    """The result of one exercise."""

    title = "Aider result"
    folder = "aider"
    is_whole = True
    kinds_of_fields = field_kinds(content="exception")

    def take(self, record: Record) -> None:
        tries = record.get("tests_outcomes")
        if self.is_known or not text_of(record, "testcase") or not ("edit_format" in record or "exception" in record):
            return
        self.is_known = True
        self.task, self.model = text_of(record, "testcase"), text_of(record, "model")
        self.cost_usd = usd_of(record, "cost")
        self.wall_ms = known_seconds(record.get("duration"))
        self.known_as = text_of(record, "testdir") or self.task
        self.key(self.task, self.wall_ms, self.cost_usd)
        sent, output = count_of(record, "prompt_tokens"), count_of(record, "completion_tokens")
        if sent or output:
            self.used(Tokens(sent, None, None, output), context=False)
        self.uncounted()
        self.status = Status.OK
        if isinstance(tries, list) and tries and all(isinstance(each, bool) for each in tries):
            self.turns = len(tries)
            self.outcome = Outcome.PASS if tries[-1] else Outcome.FAIL
            self.scores = [Score("pass at first", float(tries[0]), None, higher_is_better=True)]
        elif said := text_of(record, "exception"):
            self.status, self.detail = self.failed_with(said)
            self.outcome = Outcome.ERROR
        if count_of(record, "num_exhausted_context_windows"):
            self.status, self.detail = Status.FAILED, "context limit"
        left_out = ("testdir", "testcase", "model", "cost", "duration", "chat_hashes")
        self.fields = {name: value for name, value in record.items() if name not in left_out}
        self.hold_against(record, "aider")
