"""Folders in which a program that runs agents left a run: its result and the agent's own record are one run.

The records are read and merged as everywhere. Then each result takes its place in the record of its folder that says
most, or is a run of its own where there is none. A folder whose record is that of another folder is a copy.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain

from sitegen.inputs.discover import unpacked
from sitegen.inputs.identity.listed_runs import find_listed
from sitegen.inputs.reconciling import fill_gaps, is_cut
from sitegen.inputs.reported import report_merged
from sitegen.inputs.run_reader import Refresh
from sitegen.model import Entry, Problem, Run, Status, Verdict, by_key
from sitegen.readers.folders import RunFolder
from sitegen.text.names import natural_order


@dataclass(slots=True)
class _Place:
    """A folder with what was found in it."""

    path: str
    kind: RunFolder
    # The results of one run, or of several that one file lists.
    results: list[Entry] = field(default_factory=list)
    shared: list[Entry] = field(default_factory=list)
    records: list[Entry] = field(default_factory=list)
    # Records of other files that have the same run as one in this folder.
    elsewhere: list[Entry] = field(default_factory=list)
    # The same run in a list of a folder above.
    listed: list[Entry] = field(default_factory=list)

    @property
    def is_of_one_run(self) -> bool:
        paths = {self.within(entry.source.path) for entry in self.results}
        return 0 < len(self.results) == len(paths) and all(map(self.kind.is_result, paths))

    def has(self, path: str) -> bool:
        """Return whether a file is one of those that are usual in it, or in the folder above."""
        if not self.path or path.startswith(f"{self.path}/"):
            return self.kind.is_known(self.within(path))
        return re.fullmatch(self.kind.above, posixpath.basename(path)) is not None

    @property
    def lists(self) -> list[Entry]:
        """The runs that a file of it lists, whose records may be in folders below."""
        if not self.kind.has_lists:
            return []
        return [
            run for run in self.results if not self.kind.is_result(self.within(run.source.path))
        ]

    def settle_errors(self) -> None:
        """Take an error in place of an answer for what it is: of a run that used nothing, the checks of its grader say
        nothing; of one that used something, it is an answer that begins like an error."""
        answers = self.kind.answers
        if answers is None:
            return
        others = [
            entry for entry in self.results if not answers.fullmatch(self.within(entry.source.path))
        ]
        if len(others) == len(self.results):
            return
        errors = [entry for entry in self.results if entry not in others]
        if any(entry.run.tokens.total or entry.run.wall_ms for entry in (*others, *self.records)):
            self.results = [*others, *map(without_end, errors)]
        else:
            self.results = [*map(without_verdict, others), *errors]

    def within(self, path: str) -> str:
        return unpacked(path[len(self.path) + 1 :] if self.path else path)


@dataclass(frozen=True, slots=True)
class Joined:
    """The runs of some files, with what one folder says of a run in one."""

    entries: list[Entry]
    problems: list[Problem]
    """Those of all files, without what is usual in such folders."""
    companions: frozenset[str] = frozenset()
    """The files that no reader knows and that are usual there."""
    summaries: frozenset[str] = frozenset()
    """The files that only say something of runs that are not here."""


def without_verdict(entry: Entry) -> Entry:
    """Return a run without what its grader says of it."""
    run = replace(entry.run, outcome=None, scores=())
    return replace(entry, run=run, outcome=None, scores=())


def without_end(entry: Entry) -> Entry:
    """Return a run without what its file says of how it ended."""
    return replace(entry, run=replace(entry.run, status=Status.UNKNOWN, status_detail=None))


def joined(
    entries: Sequence[Entry],
    kinds: Mapping[str, RunFolder],
    problems: Sequence[Problem],
    ignored: Iterable[str],
    *,
    refresh: Refresh,
) -> Joined:
    """Return the entries with all that one folder says of a run in one, and the problems and files without what is
    usual there."""
    stating = [entry for entry in entries if entry.run.folder in kinds]
    if not stating:
        return Joined(list(entries), list(problems))
    places = _places(stating, kinds, problems)
    owners = {entry.id: entry for entry in entries}
    _add_records(places, entries, kinds)
    _add_records_elsewhere(places, problems, owners)
    _add_listed(places, entries)
    runs = _Runs(places, refresh)
    usual = _Usual(places)
    reported = [
        replace(problem, page_id=runs.within.get(problem.page_id or "", problem.page_id))
        for problem in problems
        if not usual.explains(problem, owners.get(problem.page_id or ""))
    ]
    companions = frozenset(path for path in ignored if usual.around(path))
    kept = [runs.told.get(entry.id, entry) for entry in entries if entry.id not in runs.within]
    summaries = {entry.source.path for place in places.values() for entry in place.shared}
    return Joined(
        _numbered(kept, runs.counted),
        [*reported, *runs.copies],
        companions,
        frozenset(summaries - runs.used),
    )


def _places(
    stating: Iterable[Entry], kinds: Mapping[str, RunFolder], problems: Iterable[Problem]
) -> dict[str, _Place]:
    """Return the folders by their paths. A run that a file lists may have a folder of its own, with the same result."""
    places: dict[str, _Place] = {}

    def at(path: str, entry: Entry) -> _Place:
        folder = posixpath.dirname(path)
        kind = kinds[entry.run.folder or ""]
        if kind.inner and posixpath.basename(folder) == kind.inner:
            folder = posixpath.dirname(folder)
        return places.setdefault(folder, _Place(folder, kind))

    by_id = {entry.id: entry for entry in stating}
    for entry in stating:
        place = at(entry.source.path, entry)
        (place.shared if entry.run.is_shared else place.results).append(entry)
    for problem in problems:
        if problem.verdict is Verdict.MERGE and (own := by_id.get(problem.page_id or "")):
            place = at(problem.path, own)
            place.results += [] if place.results else [own]
    for place in places.values():
        place.results.sort(key=lambda entry: natural_order(entry.source.path))
    return places


def _add_records(
    places: Mapping[str, _Place], entries: Iterable[Entry], kinds: Mapping[str, RunFolder]
) -> None:
    """Give each record of an agent to the nearest folder of a run that it is in."""
    for entry in entries:
        place = next(_around(entry.source.path, places), None)
        is_other = entry.run.folder not in kinds
        if is_other and place and place.kind.is_record(place.within(entry.source.path)):
            place.records.append(entry)


def _add_records_elsewhere(
    places: Mapping[str, _Place], problems: Iterable[Problem], owners: Mapping[str, Entry]
) -> None:
    """Give the records of other files that have the same run to the folders that have a copy."""
    for problem in problems:
        other = owners.get(problem.page_id or "")
        place = next(_around(problem.path, places), None)
        if place and other and other.run.folder is None and problem.verdict is Verdict.MERGE:
            is_new = place.kind.is_record(place.within(problem.path)) and other not in place.records
            place.elsewhere += [other] if is_new else []


def _add_listed(places: dict[str, _Place], entries: Sequence[Entry]) -> None:
    """Give the runs that a file lists to the folders of their sessions."""
    by_folder = by_key(entries, lambda entry: posixpath.dirname(entry.source.path) or ".")
    for place in list(places.values()):
        place.settle_errors()
        for folder, run in find_listed(place.path, place.lists, entries):
            of_run = places.setdefault(folder, _Place(folder, place.kind))
            of_run.listed.append(run)
            records = (entry for entry in by_folder[folder] if entry.run.folder is None)
            of_run.records += [entry for entry in records if entry not in of_run.records]


def _around(path: str, places: Mapping[str, _Place]) -> Iterator[_Place]:
    """Yield the known folders that a file is in, the nearest first."""
    while path:
        path = posixpath.dirname(path)
        if path in places:
            yield places[path]


class _Usual:
    """The usual contents of folders of runs, and of those above them."""

    def __init__(self, places: Mapping[str, _Place]) -> None:
        self._places = places
        self._above = {
            posixpath.dirname(place.path): place for place in places.values() if place.kind.above
        }

    def around(self, path: str) -> list[_Place]:
        """Return the known folders in which, or beside which, such a file is usual."""
        near = [
            *_around(path, self._places),
            *filter(None, [self._above.get(posixpath.dirname(path))]),
        ]
        return [place for place in near if place.has(path)]

    def explains(self, problem: Problem, other: Entry | None) -> bool:
        """Return whether a problem is what such folders always have: an empty file, the same run in two files of one
        folder, or a record of which the folder is a copy; `other` is the run that it concerns."""
        around = self.around(problem.path)
        if not around:
            return False
        if problem.verdict is Verdict.SKIP:
            place = around[0]
            return problem.code == "E_EMPTY" or not place.kind.is_record(place.within(problem.path))
        if problem.code != "W_DUPLICATE" or problem.verdict is not Verdict.MERGE or other is None:
            return False
        return other.run.folder is not None or any(
            other in (*place.records, *place.elsewhere) for place in around
        )


class _Runs:
    """The run of each folder."""

    def __init__(self, places: Mapping[str, _Place], refresh: Refresh) -> None:
        self.told: dict[str, Entry] = {}  # the entries by the id of what is shown
        # The ids of parts and copies, each with that of the other run; empty where it is of all runs.
        self.within: dict[str, str] = {}
        self.copies: list[Problem] = []
        self.counted: set[str] = set()  # the ids of runs that may be attempts
        self.used: set[str] = (
            set()
        )  # the files that say something of all runs, of those that are here
        self._places = places
        self._refresh = refresh
        self._homes = {record.id: place for place in places.values() for record in place.records}
        self._seen: dict[object, Entry] = {}
        for place in sorted(
            places.values(), key=lambda place: (not place.records, natural_order(place.path))
        ):
            self.within |= {entry.id: "" for entry in place.shared}
            if place.is_of_one_run or (place.listed and not place.results):
                self._take(place)
        for place in places.values():
            if place.is_of_one_run:
                continue
            for entry in (entry for entry in place.results if entry.id not in self.within):
                self.told.setdefault(entry.id, self._with(entry, (), entry, place.kind))

    def _take(self, place: _Place) -> None:
        results = [*place.results, *place.listed]
        first = results[0]
        keys = self._keys(place, results)
        homes = [
            (self._homes.get(entry.id), entry) for entry in place.elsewhere
        ]  # what a record is a copy of
        copied = (
            entry for home, entry in homes if home and home.kind is place.kind and home is not place
        )
        original = (
            None
            if place.records
            else next(copied, None)
            or next((self._seen[key] for key in keys if key in self._seen), None)
        )
        records = place.records or place.elsewhere
        whole = [
            entry for entry in records if not any(is_cut(entry.run, other.run) for other in records)
        ]
        shown = original or max(whole, key=_says, default=first)
        shown = self.told.get(shown.id, shown)
        for key in keys:
            self._seen.setdefault(key, shown)
        parts = [entry for entry in (*place.records, *results) if entry.id != shown.id]
        self.within |= {entry.id: shown.id for entry in parts}
        if original is not None and shown.id != first.id:
            reason = f"Its folder is a copy of that of {shown.source.path}, which is shown; it is counted once."
            path = posixpath.join(place.path, posixpath.basename(first.source.path))
            self.copies.append(report_merged(path, reason, shown.id))
            return
        self.told[shown.id] = self._with(shown, parts, first, place.kind)
        if place.kind.counts_attempts:
            self.counted.add(shown.id)

    def _keys(self, place: _Place, results: Sequence[Entry]) -> list[object]:
        """Return what folders of the same run have in common: the bytes of its results; or within a workspace that has
        it in two layouts, its task, arm, attempt and figures. Of runs that used nothing the bytes may be alike."""
        keys: list[object] = [(place.kind.key, *sorted(entry.digest for entry in results))]
        if place.kind.tells_copies:
            entry = self._with(results[0], results[1:], results[0], place.kind)
            figures = entry.run.wall_ms, entry.run.tokens.total, entry.outcome, entry.scores
            keys = keys if any(figures[:2]) else []
            run = entry.task, entry.factors, entry.attempt or 1
            keys.append((_WORKSPACE.sub("", place.path), *run, *figures))
        return keys

    def _with(self, shown: Entry, others: Sequence[Entry], first: Entry, kind: RunFolder) -> Entry:
        """Return what is shown of a run, with what the others in its folder say of it, and what is said of all runs."""
        around = (place for place in _around(first.source.path, self._places) if place.kind is kind)
        shared = [entry for place in around for entry in place.shared]
        self.used |= {entry.source.path for entry in shared}
        if not others and not shared:
            return shown
        stated = [entry for entry in (shown, *others) if entry.run.folder == kind.key]
        stated.sort(key=lambda entry: posixpath.basename(entry.source.path) != kind.names_task)
        run = fill_gaps(shown.run, [entry.run for entry in (*others, *shared)], kind.decides)
        run = replace(run, given=_merged(run.given, [other.run.given for other in others]))
        entry = self._refresh(shown, _with_calls(run, others))
        named = [each for each in stated if each.task]
        # The name of a folder is only a task where nothing states one; a pattern of the settings does.
        if all(each.task == each.run.task for each in named):
            named = [each for each in (*shared, *named) if each.task]
        return replace(
            entry,
            model=entry.model or next((each.model for each in others if each.model), None),
            task=named[0].task if named else shown.task,
            factors=_merged(shown.factors, [each.factors for each in others]),
            attempt=run.attempt if shown.attempt is None else shown.attempt,
            outcome=run.outcome,
            scores=run.scores,
            campaign=shown.campaign
            or next((each.campaign for each in stated if each.campaign), None),
            stated_in=(*shown.stated_in, *(each.source for each in stated if each.id != shown.id)),
        )


_WORKSPACE = re.compile(r"(?:\A|/)[^/]+/[^/]+(?:/run-[0-9]+)?\Z")
_Pairs = tuple[tuple[str, str], ...]


def _merged(own: _Pairs, others: Iterable[_Pairs]) -> _Pairs:
    """Return names and values, those of others where a name has none of its own."""
    values = dict(own)
    for pairs in others:
        values = {**dict(pairs), **values}
    return tuple(values.items())


def _with_calls(run: Run, others: Sequence[Entry]) -> Run:
    """Return a run that called what any of its records says: skills may stand in the summary of a trial alone."""
    called = run.steps.called if run.steps else None
    if run.steps is None or called is None:
        return run
    told = [entry.run.steps.called or () for entry in others if entry.run.steps]
    every = tuple(sorted({*called, *chain.from_iterable(told)}))
    return replace(run, steps=replace(run.steps, called=every))


def _says(entry: Entry) -> tuple[bool, bool, int, str]:
    """Return how much a record says of its run: that of the agent more than one that was converted from it."""
    run = entry.run
    return (
        not run.is_converted,
        run.root is None,
        run.steps.steps if run.steps else 0,
        entry.source.path,
    )


def _numbered(entries: Sequence[Entry], counted: Set[str]) -> list[Entry]:
    """Return the entries; those that are counted are attempts, in their order, where they are of one task by one agent
    and model."""
    unnumbered = [
        entry for entry in entries if entry.id in counted and entry.task and entry.attempt is None
    ]
    unnumbered.sort(key=lambda entry: natural_order(entry.source.path))
    groups = by_key(unnumbered, lambda run: (run.campaign, run.task, run.run.agent, run.model))
    numbers = {
        entry.id: at
        for group in groups.values()
        if len(group) > 1
        for at, entry in enumerate(group, 1)
    }
    return [
        replace(entry, attempt=numbers[entry.id]) if entry.id in numbers else entry
        for entry in entries
    ]
