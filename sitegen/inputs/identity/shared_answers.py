"""Each answer of a model counts once: sessions that were resumed or forked hold copies of earlier answers.

Of files that share some, a result has them, or the session whose result has sent them all, or the main agent's with
most steps; the others have the rest. The last one is a session whose result sent less: it was resumed, and the result
is that of the later process.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from sitegen import figures
from sitegen.inputs.reconciling import is_more
from sitegen.inputs.reported import report_merged
from sitegen.inputs.run_reader import RunReader
from sitegen.model import Caveat, Entry, Problem, Run, by_key

SentTokens = Mapping[str | None, int | None]
"""The tokens that the results of sessions say that they sent, by session."""


def sent_by_session(entries: Sequence[Entry]) -> SentTokens:
    """Return the tokens that each session with a result sent."""
    results = [entry.run for entry in entries if entry.run.is_stated and entry.run.session_id]
    return {run.session_id: run.tokens.sent for run in results}


def count_once(
    entries: Sequence[Entry], reader: RunReader, sent: SentTokens
) -> tuple[list[Entry], list[Problem]]:
    """Return the entries in their order, without answers that count in another one, and what is reported of copies."""
    records = [entry for entry in entries if not entry.run.is_stated]
    records, problems = drop_copies(records, reader, sent)
    # A transcript goes into the result of its session, whole.
    whole = [entry for entry in records if is_transcript_of_result(entry.run, sent)]
    others = [entry for entry in records if not is_transcript_of_result(entry.run, sent)]
    results = [entry for entry in entries if entry.run.is_stated]
    others, further = drop_copies([*results, *others], reader, sent)
    kept = {entry.id: entry for entry in (*whole, *others)}
    in_order = [kept[entry.id] for entry in entries if entry.id in kept]
    return in_order, [*problems, *further]


def is_transcript_of_result(run: Run, sent: SentTokens) -> bool:
    """Return whether a run is the transcript of a session that has a result."""
    return run.root is not None and run.session_id in sent


def drop_copies(
    entries: Sequence[Entry], reader: RunReader, sent: SentTokens
) -> tuple[list[Entry], list[Problem]]:
    """Return the entries without copied answers: those that have no others are gone and reported."""
    kept = {entry.id: entry for entry in entries}
    problems: list[Problem] = []
    for group in group_by_answers(entries):
        group.sort(key=partial(owner_first, sent))
        before = _FilesBefore(reader)
        shown: list[Entry] = []  # the first run of each file that has answers of its own
        for of_file in by_key(group, lambda entry: entry.source.path).values():
            new_runs = before.new_runs(of_file, is_first=not shown)
            if new_runs is None:
                continue  # its reader does not tell copies apart: what it read stays
            records = [entry for entry in of_file if not entry.run.is_stated]
            for entry in records if shown else ():
                new = new_runs.get(entry.run.locator)
                if new is None or is_empty_beside(new.run, entry.run):
                    del kept[entry.id]
                    problems.append(report_copy(entry, shown[0]))
                else:
                    kept[entry.id] = without_copies(entry, new, shown)
            if any(entry.id in kept for entry in of_file):
                shown.append(of_file[0])
    return list(kept.values()), problems


class _FilesBefore:
    """The files of a group until now. They are read again when one comes of which they have a part: most are copies
    from beginning to end."""

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader
        self._answers: set[int] = set()
        self._known: set[str | int] = set()  # the keys of the records of those that were read
        self._unread: list[Entry] = []

    def new_runs(
        self, of_file: Sequence[Entry], *, is_first: bool
    ) -> dict[str | None, Entry] | None:
        """Return what is new in a file with these runs, by locator, and count it to the files before; of the first one
        nobody asks. None where its reader does not tell copies apart."""
        first = of_file[0]
        is_transcript = all(entry.run.root is not None for entry in of_file)
        if is_transcript and (is_first or all(map(self._has_all_of, of_file))):
            new_runs: dict[str | None, Entry] = {}
            self._unread.append(first)
        else:
            new_runs = self._read(first)
            if not new_runs and not is_transcript and not self._reader.read_new(first, set()):
                return None
        for entry in of_file:
            self._answers.update(entry.run.answers)
        return new_runs

    def _has_all_of(self, entry: Entry) -> bool:
        return bool(entry.run.answers) and self._answers.issuperset(entry.run.answers)

    def _read(self, entry: Entry) -> dict[str | None, Entry]:
        for earlier in self._unread:
            self._reader.read_new(earlier, self._known)
        self._unread.clear()
        new_runs = self._reader.read_new(entry, self._known)
        return {new.run.locator: new for new in new_runs}


def owner_first(sent: SentTokens, entry: Entry) -> tuple[object, ...]:
    """Return the sort key by which the file comes first to which shared answers belong."""
    counted = sent.get(entry.run.session_id)
    if counted is None:
        belonging = 1
    else:
        belonging = 2 if is_more(entry.run.tokens.sent, counted) else 0
    is_subagent = entry.run.agent_id is not None
    return not entry.run.is_stated, is_subagent, belonging, -count_steps(entry), entry.source.path


def is_empty_beside(new: Run, whole: Run) -> bool:
    """Return whether nothing is left of a run without the records that are known."""
    if whole.answers:
        return not new.answers
    return new.steps is None


def report_copy(entry: Entry, first: Entry) -> Problem:
    """Return what is reported of a file that holds nothing of its own."""
    reason = f"All its lines are in {first.source.path} or in other copies of it, which are shown."
    return report_merged(entry.source.path, reason, first.id)


def without_copies(entry: Entry, new: Entry, shown: Sequence[Entry]) -> Entry:
    """Return a run with the rest of its answers, in its place, and a note of what it continues."""
    copied = count_steps(entry) - count_steps(new)
    if copied > 0:
        steps = figures.plural(copied, "step")
        text = f"It continues a copy of {shown[0].source.path}: {steps} count there."
        caveats = (*new.run.caveats, Caveat("W_COPY", text))
        new = replace(new, run=replace(new.run, caveats=caveats))
    sources = tuple(owner.source for owner in shown)
    return replace(new, id=entry.id, source=entry.source, copied_from=sources)


def count_steps(entry: Entry) -> int:
    """Return the number of steps of a run; 0 where they are unknown."""
    return entry.run.steps.steps if entry.run.steps else 0


def group_by_answers(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the entries in several files that share answers of models, or the first line of a transcript."""
    groups = _Groups(len(entries))
    first_with: dict[object, int] = {}
    for position, entry in enumerate(entries):
        for key in answer_keys(entry.run):
            groups.join(position, first_with.setdefault(key, position))
    grouped = by_key(range(len(entries)), groups.root).values()
    runs = [[entries[position] for position in positions] for positions in grouped]
    return [group for group in runs if len({entry.source.path for entry in group}) > 1]


def answer_keys(run: Run) -> Iterator[object]:
    """Yield what copies of a run share: its answers, and the first line of a session."""
    yield from run.answers
    if run.root is not None and run.agent_id is None:
        yield run.root, run.started_at, run.given


class _Groups:
    """Positions in groups that grow together (a union-find)."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))  # of each position, one of its group; of a root, itself

    def root(self, position: int) -> int:
        """Return the position by which its group is known."""
        while self._parents[position] != position:
            parent = self._parents[position]
            self._parents[position] = self._parents[parent]
            position = self._parents[parent]
        return position

    def join(self, position: int, other: int) -> None:
        """Make one group of two."""
        self._parents[self.root(position)] = self.root(other)
