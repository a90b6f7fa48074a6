"""Finds the run that each row is about, and says of runs what their rows say.

Every key is looked up in a table that is made once, so ten thousand rows and ten thousand runs take as long as both
together. Rows that name their run come first: what they say of its task is then a key for the rows that name a task.
"""

import os
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, partial
from itertools import chain

from sitegen.figures import count, plural, sentence_list
from sitegen.inputs.discover import Neighbours, unpacked
from sitegen.inputs.survey import Naming
from sitegen.model import Entry, Problem, Score, Source, T, Verdict, by_key, frozen
from sitegen.outcomes.outcome_rows import MAX_LABELS, NAMES, OutcomeTable, Row, is_commit, listed
from sitegen.readers.common.values import names_model
from sitegen.text.names import short_model

MAX_NAMED = 3  # tasks that a line names; the rest are counted


def _problems_of_reports(
    missed: Sequence[tuple[Row, Problem]], verdicts: Mapping[tuple[str, int], int]
) -> Iterator[Problem]:
    """Yield one line for the verdicts of a report, or of all reports in a folder, that count for nothing, with the
    reason of the first: a report is about a whole benchmark, so hundreds may miss. `verdicts` counts all verdicts of
    each file and item of the settings."""

    def about(each: tuple[Row, Problem]) -> tuple[int, str, str]:
        return each[0].given, posixpath.dirname(each[0].file).partition("/")[0], each[1].code

    for found in by_key(missed, about).values():
        row, first = found[0]
        files = dict.fromkeys(each.file for each, _ in found)
        tasks = list(dict.fromkeys(str(each.task or each.commit) for each, _ in found))
        named = [
            *tasks[:MAX_NAMED],
            *([f"{count(len(tasks) - MAX_NAMED)} more"] if len(tasks) > MAX_NAMED else []),
        ]
        of = plural(
            sum(verdicts[file, row.given] for file in files),
            "measurement" if row.commit else "verdict",
        )
        told = f"{count(len(found))} of {of} count for nothing, on {sentence_list(named)}. The first: {first.reason}"
        if len(files) > 1:
            folder = posixpath.commonpath([posixpath.dirname(file) for file in files])
            yield replace(
                first,
                path=f"{folder or '.'}/",
                reason=f"In {count(len(files))} files, {told}",
                place=None,
            )
        else:
            yield replace(first, reason=told) if found[1:] else first


Key = tuple[str, str, int | None, str | None]
"""Task, kind and name of a model, attempt, and campaign; "" and None mean any."""
Name = tuple[str, str]
"""The name of one run: "id", "path", "location", "uuid" or "session", and the value."""
Ranked = list[tuple[int, Row]]
"""Rows about one run with their ranks: the lowest counts."""
Doubt = tuple[Row, str, Entry | None]
"""A measurement that says other than one that ranks before it: what both say, and the run that it is of, if any."""


@frozen
class JoinedOutcomes:
    """The result of joining."""

    entries: list[Entry]
    problems: list[Problem]
    used: frozenset[str] = frozenset()
    """Reports that nobody named, and that know the task of a run."""
    unmatched: tuple[tuple[str, int | None], ...] = ()
    """The task and the attempt, as far as stated, of each row of a table that matches no run."""


def join(
    entries: Sequence[Entry],
    table: OutcomeTable,
    naming: Naming,
    left_patch: Callable[[Entry], bool] = lambda _: False,
    unread: Set[str] = frozenset(),
) -> JoinedOutcomes:
    """Return the entries with what is stated of them.

    Sidecars rank before files, files before each other in the order of the settings, and all of them before what a
    path says. The model that a run's own file reports is never replaced. `started_at` of an entry that nothing
    states is that of its run. `left_patch` tells which of several runs a measurement can be of; `unread` are the files
    that should have been runs.
    """
    problems = list(table.problems)
    said: defaultdict[int, Ranked] = defaultdict(list)  # by the position of the run
    # Labels of rows that fit several runs, by the list of these runs, of which there is one: such rows may be many.
    shared: dict[int, set[str]] = {}

    unmatched: list[tuple[str, int | None]] = []

    def assign(rank: int, row: Row, found: Sequence[int], why_none: Callable[[Row], str]) -> None:
        if found and (len(found) == 1 or row.is_labels_only):
            if len(found) > 1 and not row.runs:
                labels = shared.setdefault(id(found), set())
                if labels.issuperset(row.labels):
                    return
                if len(labels) >= MAX_LABELS:
                    problems.append(row.problem("W_OUTCOME_ROW", _TOO_MANY_LABELS))
                    return
                labels.update(row.labels)
            for position in found:
                said[position].append((rank, row))
        else:
            problems.append(_misfit(row, entries, found, why_none))
            if row.task and not found:
                unmatched.append((naming.task(row.task).casefold(), row.attempt))

    by_name = _ByName(entries, table.rows, unread)
    for rank, row in enumerate(table.rows):
        if row.names_run and not row.reference:
            assign(rank, row, by_name.find(row), by_name.why_none)
    path_models = [entry.stated_model for entry in entries]
    models = _Models(naming)
    entries = [_placed(entry, said.get(at, []), naming, models) for at, entry in enumerate(entries)]
    by_task = _ByTask(entries, table.rows, naming, left_patch)
    references = _References()
    missed = list(references.join((row for row in table.rows if row.reference), by_name, by_task))
    used: set[str] = set()
    for rank, row in enumerate(table.rows):
        if row.names_run or row.reference or (row.is_found and not by_task.has_task(row)):
            continue
        found = by_task.find(row)
        used |= {row.file} if row.is_found else set()
        if row.is_summed_up and len(found) != 1:
            missed.append((row, _misfit(row, entries, found, by_task.why_none)))
        else:
            assign(rank, row, found, by_task.why_none)
    for ranked in said.values():
        ranked.sort(key=lambda pair: pair[0])
    problems += _problems_of_reports(missed, Counter((row.file, row.given) for row in table.rows))
    joined = []
    for at, (entry, path_model) in enumerate(zip(entries, path_models, strict=True)):
        rows = [row for _, row in said.get(at, ())]
        told = references.of(at, entry, rows)
        problems += _doubtful_models(entry, path_model, rows, by_task)
        joined.append(_joined(told, rows, naming, problems, doubts=references.doubts))
    problems += (*_disagreements(references.doubts), *references.unlike())
    return JoinedOutcomes(joined, list(listed(problems)), frozenset(used), tuple(unmatched))


def other_models(entries: Sequence[Entry], naming: Naming) -> tuple[list[Entry], list[str]]:
    """Return the runs, with the name that a path has for their model as a label where the file names another model,
    which counts; and a sentence about them."""
    found = []
    differ: list[Entry] = []
    may_be = cache(_Models(naming).may_be)  # the same few names, in many runs
    for entry in entries:
        stated = entry.stated_model
        own = [line.model for line in entry.run.ledger if line.model]
        if stated and own and names_model(stated) and not any(may_be(stated, each) for each in own):
            differ.append(entry)
            entry = replace(entry, labels=tuple(dict.fromkeys((*entry.labels, stated))))
        found.append(entry)
    if not differ:
        return found, []
    first = differ[0]
    whose = "its" if len(differ) == 1 else "their"
    such = f"such as '{first.stated_model}' of {first.source.path}, which names {first.model}"
    differs = f"Paths say another model than the files of {plural(len(differ), 'run')}, {such}"
    return found, [f"{differs}: the file counts, and the name in the path is {whose} label."]


class _References:
    """The references that runs are compared with, as measured: by position of the run."""

    def __init__(self) -> None:
        self._found: defaultdict[int, dict[str, tuple[float, Row]]] = defaultdict(dict)
        self.doubts: list[Doubt] = []
        self._others: list[tuple[Row, Entry, str]] = []

    def join(
        self, rows: Iterable[Row], by_name: "_ByName", by_task: "_ByTask"
    ) -> Iterator[tuple[Row, Problem]]:
        """Keep what these rows say; yield those whose task no run has, and why."""
        for row in rows:
            found = by_name.find(row) if row.names_run else by_task.find(row.of_task())
            self._add(row, found)
            if not found:
                why_none = by_name.why_none if row.names_run else by_task.why_none
                yield row, _misfit(row.of_task(), (), found, why_none)

    def _add(self, row: Row, positions: Sequence[int]) -> None:
        """Keep the scores of a row for the runs of its task, unless an earlier row has them."""
        for score in row.scores:
            for position in positions:
                value, _ = self._found[position].setdefault(
                    f"{row.reference} {score.name}", (score.value, row)
                )
            if positions and value != score.value:
                self.doubts.append(
                    (row, f"{row.reference} {score.name} {value} and {score.value}", None)
                )

    def of(self, position: int, entry: Entry, rows: Sequence[Row]) -> Entry:
        """Return the run with what it is compared with, as factors; `rows` are about it."""
        found = self._found.get(position)
        if not found:
            return entry
        own = {score.name: row for row in reversed(rows) for score in row.scores}
        pairs = (
            (own.get(key[len(row.reference or "") + 1 :]), row) for key, (_, row) in found.items()
        )
        others = [
            (one, row)
            for one, row in pairs
            if one and one.served and row.served not in ("", one.served)
        ]
        self._others += [
            (one, entry, f"{one.served}, and {row.reference} of {row.served}")
            for one, row in others[:1]
        ]
        measured = ((name, repr(value)) for name, (value, _) in found.items())
        return replace(entry, factors=(*entry.factors, *measured))

    def unlike(self) -> Iterator[Problem]:
        """Yield one line for the runs that are compared with measurements of another model that was served."""
        if self._others:
            row, entry, served = self._others[0]
            runs = plural(len(self._others), "run is", "runs are")
            reason = f"{runs} compared with what was measured with another model, such as this one of {served}."
            yield row.problem(_CONFLICT, reason, entry)


def _disagreements(doubts: Sequence[Doubt]) -> Iterator[Problem]:
    """Yield one line for the measurements of each item of the settings that say other than those of an earlier one."""
    for found in by_key(doubts, lambda each: (each[0].given, each[0].reference)).values():
        row, said, entry = found[0]
        tasks = len({each.commit or each.task for each, _, _ in found})
        differ = f"{plural(len(found), 'figure')} of {plural(tasks, 'task')} {'differ' if found[1:] else 'differs'}"
        such = f"such as {said} of {row.commit or row.task}"
        where = "With the files beside it, " if found[1:] else ""
        reason = f"{where}{differ} from what ranks before it and counts, {such}."
        yield replace(row.problem(_CONFLICT, reason, entry), verdict=Verdict.ACCEPT)


class _ByName:
    """The positions of runs by what these rows name one run by: id, path, uuid, session."""

    def __init__(self, entries: Sequence[Entry], rows: Sequence[Row], unread: Set[str]) -> None:
        self._unread = unread
        self._found = _positions(entries, chain.from_iterable(map(_names_in, rows)), _names_of)
        missed = [row for row in rows if row.path and not self._find_exactly(row)]
        paths = list(chain.from_iterable(map(_paths_in, missed)))
        folders = {(kind, posixpath.dirname(path)) for kind, path in paths}
        files = {posixpath.basename(path) for _, path in paths}
        self._near = _positions(
            entries, paths, partial(_near_names_of, folders, files, Neighbours(), unread)
        )

    def find(self, row: Row) -> list[int]:
        """Return the runs that the first name with any run means, else those in the folder that its path names or its
        file is in; of a sidecar all that it lies beside."""
        return self._find_exactly(row) or next(
            filter(None, map(self._near.get, _paths_in(row))), []
        )

    def why_none(self, row: Row) -> str:
        """Return why a row is about no run."""
        path = posixpath.normpath(row.path) if row.path else ""
        if path and any(path == file or path.endswith(f"/{file}") for file in self._unread):
            return f"The file '{row.path}' could not be read, so this counts for no run."
        what = next((name for name in NAMES if getattr(row, name)), "id")
        return f"No run has the {what} '{getattr(row, what)}'."

    def _find_exactly(self, row: Row) -> list[int]:
        named = map(self._found.__getitem__, _names_in(row))
        return list(chain.from_iterable(named)) if row.runs else next(filter(None, named), [])


def _positions(
    entries: Sequence[Entry], wanted: Iterable[Name], names_of: Callable[[Entry], Iterable[Name]]
) -> dict[Name, list[int]]:
    """Return the positions of the runs that have each of some names."""
    found: dict[Name, list[int]] = {name: [] for name in wanted}
    for position, entry in enumerate(entries if found else ()):
        for name in found.keys() & names_of(entry):
            found[name].append(position)
    return found


def _names_in(row: Row) -> Iterator[Name]:
    """Yield what a row names its run by, or each of its runs, the first before the others."""
    if row.runs:
        yield from (("id", page_id) for page_id in row.runs)
        return
    if row.id:
        yield "id", row.id
    yield from _paths_in(row)
    kinds = {"uuid": row.uuid, "session": row.session}
    yield from ((kind, value) for kind, value in kinds.items() if value)


def _paths_in(row: Row) -> Iterator[Name]:
    """Yield the path of a row, as the site shows it and from the folder of its file; also as Windows writes it."""
    if row.path and row.location:
        for kind, path in (("path", row.path), ("location", row.location)):
            yield kind, posixpath.normpath(path)
            yield kind, posixpath.normpath(path.replace("\\", "/"))


def _names_of(entry: Entry) -> Iterator[Name]:
    yield "id", entry.id
    yield from chain.from_iterable(map(_paths_of, entry.places))
    for uuid in (entry.run.uuid, *(each.uuid for each in entry.run.results)):
        if uuid:
            yield "uuid", uuid
    if entry.run.session_id:
        yield "session", entry.run.session_id


def _paths_of(place: Source) -> Iterator[Name]:
    for path in dict.fromkeys(
        (place.path, place.within, unpacked(place.path), unpacked(place.within))
    ):
        yield "path", path
    if place.member is None:
        location = os.path.abspath(place.location)  # noqa: PTH100  keeps links, as `path` of a row does
        yield from (("location", path) for path in dict.fromkeys((location, unpacked(location))))


def _near_names_of(
    folders: Set[Name], files: Set[str], neighbours: Neighbours, unread: Set[str], entry: Entry
) -> Iterator[Name]:
    """Yield the folders that a run is in, and those of the files in these folders that lie beside it. One that could
    not be read may have been another run, and so may all that lie beside a file that was named alone."""
    for place in entry.places:
        if place.named and place.member is None and _has_others_like_it(place, neighbours):
            continue
        for kind, path in _paths_of(place):
            parent = posixpath.dirname(path.replace(os.sep, "/"))
            for file in files & neighbours.names(place) if (kind, parent) in folders else ():
                if posixpath.join(posixpath.dirname(place.path), file) not in unread:
                    yield kind, posixpath.join(parent, file)
            while parent not in ("", "/"):
                yield kind, parent
                parent = posixpath.dirname(parent)


def _has_others_like_it(place: Source, neighbours: Neighbours) -> bool:
    own = posixpath.split(place.path)[1]
    ending = posixpath.splitext(place.path)[1]
    return any(file != own and file.endswith(ending) for file in neighbours.names(place))


class _Models:
    """The names that models have in files and settings."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._variants: dict[str, tuple[str, ...]] = {}

    def may_be(self, stated: str, model: str) -> bool:
        """Return whether two names may be of one model: as ids, as display names, or as a shorter form of either."""
        ours = self.names(stated)
        theirs = self.names(model)
        return any(name == other or _may_be(name, other) for name in ours for other in theirs)

    def names(self, model: str) -> tuple[str, ...]:
        """Return what a model may also be called, the most exact first: without the provider before it, its display
        name, as pages shorten it too, and without what parts words and numbers, which is often written otherwise."""
        if model not in self._variants:
            without = model.replace("__", "/").rpartition("/")[2]
            shown = self._naming.model(without)
            short = short_model(shown)
            joined = _SEPARATORS.sub("", short.casefold().removeprefix("claude"))
            known = (model, without, self._naming.model(model), shown, short, joined)
            self._variants[model] = tuple(dict.fromkeys(name.casefold() for name in known if name))
        return self._variants[model]


_SEPARATORS = re.compile(r"[\s._-]+")


class _ByTask:
    """The positions of runs by task, model, attempt and campaign, as far as a row states them.

    Tasks and campaigns are compared without regard to case, and where no task fits, without `.1-of-5` and `__run1`,
    which benchmarks append for attempts. Models are compared as the path or a sidecar calls them, then as the run's
    file does, each as raw id and as display name. Campaigns are looked up only where some row states one: every key
    for them is a second one.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        rows: Sequence[Row],
        naming: Naming,
        left_patch: Callable[[Entry], bool],
    ) -> None:
        entries = entries if any(not row.names_run for row in rows) else ()
        by_campaign = any(row.campaign for row in rows)
        self._entries, self._left_patch, self.naming, self.models = (
            entries,
            left_patch,
            naming,
            _Models(naming),
        )
        self._kept: dict[tuple[int, ...], list[int]] = {}
        self._exact: dict[Key, list[int]] = {}
        self._bare: dict[Key, list[int]] = {}
        self._known: set[str] = set()
        self._agents = {agent.casefold() for entry in entries if (agent := entry.factor("agent"))}
        self._places = [
            tuple(os.path.abspath(place.place) for place in entry.places)  # noqa: PTH100  keeps links
            for entry in entries
        ]
        for position, entry in enumerate(entries):
            models = list(dict.fromkeys(self._models_of(entry)))
            self._known.update(model.partition(" ")[2] for model in models)
            bare, numbered = _bare(entry.task or "")
            attempt = numbered if entry.attempt is None else entry.attempt
            campaigns = (
                {None, entry.campaign.casefold()} if by_campaign and entry.campaign else {None}
            )
            names = [(self._exact, _of_commit(commit), attempt) for commit in commits_of(entry)]
            if entry.task is not None:
                names += [
                    (self._exact, entry.task.casefold(), entry.attempt),
                    (self._bare, bare.casefold(), attempt),
                ]
            for table, task, number in names:
                for model in ("", *models):
                    for key in {
                        (task, model, each, campaign)
                        for each in (number, None)
                        for campaign in campaigns
                    }:
                        table.setdefault(key, []).append(position)

    def find(self, row: Row) -> Sequence[int]:
        """Return the runs that a row fits."""
        table, tasks, attempt = self._read(row)
        campaign = _campaign_of(row)
        keys = (
            (each, model, attempt, campaign) for each in tasks for model in self._models_meant(row)
        )
        return next(
            (kept for key in keys if (kept := self._apt(row, self._near(row, table.get(key, ()))))),
            (),
        )

    def _apt(self, row: Row, found: Sequence[int]) -> Sequence[int]:
        """Return those of the runs whose factors are not others than the row states; of a measurement, which is of a
        patch, those with its commit, and the one that left a patch where only one did. A verdict tells no such
        thing."""
        if not row.stated and not row.commit:
            return found
        stated = dict(row.stated)
        apt = [at for at in found if self._has_factors(self._entries[at], stated)]
        if row.commit and not row.task:
            commits = {
                at: commits_of(self._entries[at]) for at in apt
            }  # of two forms of one, one begins the other
            own = row.commit
            apt = [
                at
                for at in apt
                if any(each.startswith(own) or own.startswith(each) for each in commits[at])
            ]
        if row.commit and row.outcome is None and len(apt) > 1 and not row.reference:
            patched = [at for at in apt if self._left_patch(self._entries[at])]
            apt = patched if len(patched) == 1 else apt
        return found if len(apt) == len(found) else self._kept.setdefault(tuple(apt), apt)

    def _has_factors(self, entry: Entry, stated: Mapping[str, str]) -> bool:
        agent = stated.get("agent")
        if agent and not self._is_by_agent(entry, agent):
            return False
        others = ((entry.factor(name), text) for name, text in stated.items() if name != "agent")
        return all((own or text).casefold() == text.casefold() for own, text in others)

    def _is_by_agent(self, entry: Entry, agent: str) -> bool:
        """Return whether a run is by the agent of a row: where paths name one so, by no other that is only called like
        it, as `codex` and `codex_cli` are."""
        own = entry.factor("agent")
        if own and agent.casefold() in self._agents:
            return own.casefold() == agent.casefold()
        return self.naming.agent(agent).casefold() == self.naming.agent(entry.agent).casefold()

    def _near(self, row: Row, found: Sequence[int]) -> Sequence[int]:
        """Return those of the runs that lie where a report that nobody named speaks of; all of them for any other
        row."""
        places = (
            [at for at in found if any(place.startswith(folder) for place in self._places[at])]
            for folder in row.below
        )
        return next(filter(None, places), ()) if row.below else found

    def has_task(self, row: Row) -> bool:
        """Return whether any run has the task of a row."""
        return bool(self._read(row)[1])

    def _read(self, row: Row) -> tuple[dict[Key, list[int]], list[str], int | None]:
        """Return the table to look in, the tasks of runs that a row may mean, and its attempt; no task when none has
        it."""
        task = row.task or ""
        bare, numbered = _bare(task)
        attempt = numbered if row.attempt is None else row.attempt
        for table, name, number in ((self._exact, task, row.attempt), (self._bare, bare, attempt)):
            names = dict.fromkeys((name.casefold(), self.naming.task(name).casefold()))
            if known := [
                each for each in names if self._near(row, table.get((each, "", None, None), ()))
            ]:
                return table, known, number
        commit = _of_commit(row.commit or "")
        return (
            self._exact,
            [commit] if row.commit and (commit, "", None, None) in self._exact else [],
            row.attempt,
        )

    def why_none(self, row: Row) -> str:
        """Return why no run fits a row, as a sentence."""
        table, tasks, attempt = self._read(row)
        what = f"task '{row.task}'" if row.task else f"commit '{row.commit}'"
        if not tasks:
            remedy = "if runs call it otherwise, name both under `tasks`; if runs have no task, add a pattern"
            return f"No run has the {what}{f': {remedy}' if row.task else ''}."
        campaign = _campaign_of(row)
        runs = f"No run of the {what}"
        if not any((each, "", None, campaign) in table for each in tasks):
            return f"{runs} is in the campaign '{row.campaign}'."
        runs += f" in {row.campaign}" if row.campaign else ""
        if not any(
            (each, model, None, campaign) in table
            for each in tasks
            for model in self._models_meant(row)
        ):
            own = [
                self._entries[at]
                for task in tasks
                for at in table.get((task, "", None, campaign), ())
            ]
            known = sorted({entry.model for entry in own if entry.model})
            listed = ", ".join(f"'{model}'" for model in known[:3])
            return f"{runs} has the model '{self._model_of(row)}'" + (
                f"; they have {listed}." if listed else "."
            )
        if any(
            (each, model, attempt, campaign) in table
            for each in tasks
            for model in self._models_meant(row)
        ):
            return f"{runs} has the agent, or another factor, that the row names."
        return f"{runs}{f' with {row.model}' if row.model else ''} is attempt {attempt}."

    def _model_of(self, row: Row) -> str | None:
        """Return the model of a row: as it states it, or the name in its path that any run has as a model."""
        hints = (hint for hint in row.model_hints if self._known & {*self.models.names(hint)})
        return row.model or next(hints, None)

    def _models_meant(self, row: Row) -> tuple[str, ...]:
        """Return keys for the model of a row, the most exact first; one that fits any model when it has none."""
        names = self.models.names(stated) if (stated := self._model_of(row)) else ()
        return tuple(f"{kind} {name}" for name in names for kind in ("path", "file")) or ("",)

    def _models_of(self, entry: Entry) -> Iterator[str]:
        """Yield every name of the main model of a run, with where it stands."""
        if entry.stated_model:
            yield from (f"path {name}" for name in self.models.names(entry.stated_model))
        for model in (entry.run.model, entry.model):
            if model:
                yield from (f"file {name}" for name in self.models.names(model))


def commits_of(entry: Entry) -> list[str]:
    """Return the commits that a run may be about, in full or their first digits: a factor of it, or the end of its
    task."""
    tasks = (
        found[0]
        for task in (entry.task, entry.run.task)
        if task and (found := _COMMIT.search(task.lower()))
    )
    stated = (text.lower() for name, text in entry.factors if name == "commit" and is_commit(text))
    return list(dict.fromkeys((*stated, *tasks)))


_COMMIT = re.compile(r"(?<![0-9a-z])[0-9a-f]{7,40}\Z")


def _of_commit(commit: str) -> str:
    """Return what stands in a key for the task of a commit."""
    return f"\0{commit[:7]}"


def _campaign_of(row: Row) -> str | None:
    """Return what stands in the key of a row for its campaign."""
    return row.campaign.casefold() if row.campaign else None


_ATTEMPT = re.compile(
    r"(.+?)(?:\.([0-9]{1,9})-of-[0-9]{1,9}(?:\.[^\n]*)?|(?:__|[._-])run[_-]?([0-9]{1,9}))",
    re.IGNORECASE,
)


def _bare(task: str) -> tuple[str, int | None]:
    """Return a task without the attempt that a benchmark appends, and that attempt."""
    found = _ATTEMPT.fullmatch(task)
    return (found[1], int(found[2] or found[3])) if found else (task, None)


def _placed(entry: Entry, ranked: Ranked, naming: Naming, models: "_Models") -> Entry:
    """Return the entry with the campaign, task, model and attempt that its rows state; else with those of its path."""
    if not ranked:
        return entry
    rows = [row for _, row in ranked]
    campaign, task = (_first(getattr(row, name) for row in rows) for name in ("campaign", "task"))
    # A sidecar may give the model a name of its own.
    counted = (
        row.model
        for row in rows
        if row.model and (row.runs or _may_have_model(entry, row.model, models))
    )
    model = _first((*counted, entry.stated_model))
    return replace(
        entry,
        campaign=campaign or entry.campaign,
        task=naming.task(task) if task else entry.task,
        model=entry.model if entry.models or not model else naming.model(model),
        attempt=_first((*(row.attempt for row in rows), entry.attempt)),
        stated_model=model,
    )


def _may_have_model(entry: Entry, stated: str, models: "_Models") -> bool:
    """Return whether a row about the run can be right about its model: what the file names counts before it."""
    known = [*(line.model for line in entry.run.ledger if line.model), *entry.models]
    return (
        not entry.models
        or stated == entry.stated_model
        or any(models.may_be(stated, each) for each in known)
    )


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)


def _joined(
    entry: Entry,
    rows: Sequence[Row],
    naming: Naming,
    problems: list[Problem],
    *,
    doubts: list[Doubt],
) -> Entry:
    """Return the entry with everything that its rows state; adds to `problems` where they contradict each other."""
    rows, disputed = _undisputed(rows, entry)
    problems += disputed
    chosen: dict[str, tuple[object, Row]] = {}
    for row in rows:
        for what, value in _statements(row, naming):
            counts, first = chosen.setdefault(what, (value, row))
            if value != counts and row.commit:
                doubts.append((row, f"{what} {counts} and {value}", entry))
            elif value != counts:
                reason = f"It says {what} {value} of {entry.source.path}; {_place(first)} says {counts}, which counts."
                problems.append(row.problem(_CONFLICT, reason, entry))
            elif what == "outcome" and row is not first and row.file == first.file:
                reason = f"It says outcome {value} of {entry.source.path}; line {first.line} says so already."
                problems.append(row.problem("W_OUTCOME_TWICE", reason, entry))
    labels = dict.fromkeys(entry.labels)
    for row in rows:
        labels |= dict.fromkeys(row.labels)
        if len(labels) > MAX_LABELS:  # each has a page
            labels = dict.fromkeys(list(labels)[:MAX_LABELS])
            problems.append(row.problem("W_OUTCOME_ROW", _TOO_MANY_LABELS, entry))
            break
    scores: dict[str, Score] = {}
    for score in (*(score for row in rows for score in row.scores), *entry.scores):
        scores.setdefault(score.name, score)
    stated: dict[str, str] = {}
    for name, text in (each for row in rows for each in row.stated):
        stated.setdefault(name, text)
    started_at = _first((*(row.started_at for row in rows), entry.started_at, entry.run.started_at))
    if not rows and started_at == entry.started_at and len(scores) == len(entry.scores):
        return entry  # itself, since of many runs copies take memory
    return replace(
        entry,
        outcome=_first((*(row.outcome for row in rows), entry.outcome)),
        stated_claim=_first((*(row.claimed for row in rows), entry.stated_claim)),
        note=_first((*(row.note for row in rows), entry.note)),
        scores=tuple(scores.values()),
        stated=tuple(stated.items()),
        untested=tuple({name for row in rows for name in row.untested}.difference(stated, scores)),
        labels=tuple(labels),
        started_at=started_at,
    )


def _undisputed(rows: Sequence[Row], entry: Entry) -> tuple[Sequence[Row], list[Problem]]:
    """Return the rows without those of reports that nobody named, where something else states an outcome, or these
    contradict each other: they may be about other runs of the task, which are not here."""
    found = [row for row in rows if row.is_found and row.outcome]
    kept = [row for row in rows if not row.is_found]
    if found and any(row.outcome for row in kept):
        return kept, []
    if len({row.outcome for row in found}) < 2:
        return rows, []
    reason = (
        f"Reports that no setting names contradict each other about {entry.source.path}: {found[0].file} says "
        f"{found[0].outcome}, {next(row.file for row in found if row.outcome is not found[0].outcome)} does not. None "
        "counts; name the one that is about this run under `outcomes`."
    )
    return kept, [found[0].problem("W_OUTCOME_AMBIGUOUS", reason, entry)]


_CONFLICT = "W_OUTCOME_CONFLICT"
_TOO_MANY_LABELS = f"A run may have {MAX_LABELS} labels; the others are ignored."


def _doubtful_models(
    entry: Entry, path_model: str | None, rows: Sequence[Row], by_task: _ByTask
) -> Iterator[Problem]:
    """Yield the rows that state a model which is none of those that the run's file names; else not that of the first
    row.

    A row may repeat what the path calls the model, whatever that is.
    """
    stating = [(row, row.model) for row in rows if row.names_run and row.model]
    if not stating:
        return
    first, model = stating[0]
    known: tuple[str, ...] = (model,)
    says = f"{_place(first)} says {model}"
    if entry.models:
        known = (*(line.model for line in entry.run.ledger if line.model), *entry.models)
        says = f"the run itself names {', '.join(entry.models)}"
    for row, stated in stating:
        if stated != path_model and not any(by_task.models.may_be(stated, each) for each in known):
            yield row.problem(
                _CONFLICT,
                f"It says model {stated} of {entry.source.path}; {says}, which counts.",
                entry,
            )


def _place(row: Row) -> str:
    """Return where a row stands, as the subject of a sentence."""
    return row.file if row.line is None else f"{row.file}, line {row.line},"


def _statements(row: Row, naming: Naming) -> list[tuple[str, object]]:
    """Return what a row says of its run, where another row could say otherwise."""
    said: list[tuple[str, object]] = [("outcome", row.outcome), ("started_at", row.started_at)]
    said += [(f"score {score.name}", score.value) for score in row.scores]
    if row.names_run:
        task = naming.task(row.task) if row.task else None
        said += [("campaign", row.campaign), ("task", task), ("attempt", row.attempt)]
    return [(what, value) for what, value in said if value is not None]


def _misfit(
    row: Row, entries: Sequence[Entry], found: Sequence[int], why_none: Callable[[Row], str]
) -> Problem:
    """Return why a row counts for nothing: it fits no run, or these."""
    if not found:
        return row.problem("W_OUTCOME_UNMATCHED", why_none(row))
    first = ", ".join(entries[position].source.path for position in found[:3])
    more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
    reason = f"It fits {len(found):,} runs ({first}{more}), so it counts for none: add what distinguishes them."
    return row.problem("W_OUTCOME_AMBIGUOUS", reason)


# What people call a model: only what cannot be the same is worth a doubt, another family or another version.

_VERSION = re.compile(r"(?<![0-9])([0-9]{1,2})(?:[.-]([0-9]{1,2})(?![0-9]))?(?![0-9])")
_WORD = re.compile(r"[a-z]+")
_LONG_CONTEXT = re.compile(r"[\[(]1m[\])]")


def _may_be(stated: str, model: str) -> bool:
    """Return whether one of two names may be a longer or shorter form of the other, in any case."""
    words, version = _parts(stated)
    own_words, own_version = _parts(model)
    family = own_words - {"claude"} or own_words
    if version and own_version and _written(version) != _written(own_version):
        return False
    return words <= own_words or family <= words


def _written(version: tuple[int, int]) -> str:
    """Return a version without its dot: 4.5 is also written 45."""
    return "".join(map(str, version)).rstrip("0")


def _parts(name: str) -> tuple[frozenset[str], tuple[int, int] | None]:
    """Return the words of a name, without what provider it comes through, and its version."""
    name = _LONG_CONTEXT.sub("", name.casefold().replace("__", "/")).rpartition("/")[2]
    found = _VERSION.search(name)
    version = (int(found[1]), int(found[2] or 0)) if found else None
    return frozenset(_WORD.findall(name)) - {"anthropic"}, version
