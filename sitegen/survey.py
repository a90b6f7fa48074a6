"""Reads every source once and leaves only facts behind: about a kilobyte a run, so that a large campaign fits.

The texts of a run are let go here and read again when its page is rendered, because reading costs a hundredth of
rendering. What cannot be read becomes a `Problem`; nothing a source holds can stop a build.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from sitegen import discover, markdown, names, readers
from sitegen.errors import PublishError, ReadError
from sitegen.model import Caveat, Entry, Problem, Run, Source, Verdict
from sitegen.redact import Redactor

T = TypeVar("T")


class Progress(Protocol):
    """Passes on what it is given, in order, and may show how far it is."""

    def __call__(self, doing: str, items: Sequence[T]) -> Iterable[T]:
        """`doing` is one word for a person: "Reading"."""


@dataclass(frozen=True, slots=True)
class Naming:
    """How the settings name what runs belong to."""

    patterns: Sequence[names.PathPattern | None]
    """One for each input."""
    tasks: Mapping[str, str]
    models: Mapping[str, str]

    def model(self, raw: str | None) -> str:
        """Display name of a model id, or of a model as a path names it."""
        return self.models.get(raw or "") or names.display_name(raw)


@dataclass(frozen=True, slots=True)
class Survey:
    """All that is known of the inputs."""

    entries: tuple[Entry, ...]
    """By path."""
    problems: tuple[Problem, ...]
    """By path, then code."""
    ignored: tuple[str, ...]
    """Files that no reader claims and nobody named, by path."""

    @property
    def files(self) -> int:
        """Sources that are runs or claim to be."""
        skipped_or_merged = [p for p in self.problems if p.verdict is not Verdict.ACCEPT]
        return len({e.source.path for e in self.entries} | {p.path for p in skipped_or_merged})


def survey(found: discover.Discovery, naming: Naming, redactor: Redactor, progress: Progress) -> Survey:
    """Read every source and place its runs."""
    entries: list[Entry] = []
    problems = [redactor.problem(problem) for problem in found.problems]
    ignored = list(found.ignored)
    for source in progress("Reading", found.sources):
        if not readers.worth_reading(source.path, named=source.named, head=partial(discover.read_head, source)):
            ignored.append(source.path)
            continue
        try:
            data = discover.read_bytes(source)
            runs = readers.read_source(source.path, data, named=source.named)
        except ReadError as error:
            problem = Problem(source.path, error.code, Verdict.SKIP, _sentence(error.reason), error.place)
            problems.append(redactor.problem(problem))
            continue
        if runs is None:
            ignored.append(source.path)
            continue
        digest = hashlib.sha256(data).hexdigest()
        for number, run in enumerate(runs):
            entries.append(_entry(source, number, digest, redactor.run(run), naming, redactor))
    entries, merged = _merge(entries)
    _refuse_same_ids(entries)
    problems += merged
    problems += [
        Problem(entry.source.path, caveat.code, Verdict.ACCEPT, caveat.text, page_id=entry.id)
        for entry in entries
        for caveat in entry.run.caveats
    ]
    return Survey(
        tuple(entries),
        tuple(sorted(problems, key=in_order)),
        tuple(sorted(ignored)),
    )


def in_order(problem: Problem) -> tuple[str, str, str]:
    """The order of problems: by path, then code."""
    return problem.path, problem.code, problem.reason


def read_again(entry: Entry, redactor: Redactor) -> Run:
    """The run with its texts.

    Raises: ReadError when the file has changed or vanished since the survey.
    """
    data = discover.read_bytes(entry.source)
    if hashlib.sha256(data).hexdigest() != entry.digest:
        raise ReadError("E_CHANGED", "the file changed while the site was built; build again")
    runs = readers.read_source(entry.source.path, data, named=entry.source.named) or ()
    return redactor.run(runs[entry.number])


def _entry(source: Source, number: int, digest: str, run: Run, naming: Naming, redactor: Redactor) -> Entry:
    summary = run.texts.summary or ""
    if reason := markdown.limit_exceeded(summary):
        caveat = Caveat("W_MD_LIMIT", f"The summary is shown as plain text: {reason}.")
        run = replace(run, caveats=(*run.caveats, caveat))
    pattern = naming.patterns[source.input]
    found = (pattern.match(source.within) if pattern else None) or {}
    parts = {field: redactor(text) for field, text in found.items()}
    task, attempt = parts.get("task"), parts.get("attempt")
    models = tuple(dict.fromkeys(naming.model(line.model) for line in run.ledger if line.model is not None))
    stated = parts.get("model")
    return Entry(
        id=names.page_id(source.path if number == 0 else f"{source.path}#{number}"),
        source=replace(source, path=redactor(source.path)),
        number=number,
        digest=digest,
        run=run.without_texts(),
        title=names.heading_of(summary) or names.stem(redactor(source.path)),
        campaign=parts.get("campaign"),
        task=task and naming.tasks.get(task, task),
        model=models[0] if models else naming.model(stated) if stated else None,
        models=models,
        attempt=int(attempt) if attempt else None,
    )


def _merge(entries: Sequence[Entry]) -> tuple[list[Entry], list[Problem]]:
    """One entry for each run: one uuid in two files is one run, read from the file that says more.

    A stream says more than one of its results in a file of its own; then the larger file does, then the first by
    path. Files that share a uuid and contradict each other about tokens or cost are not one record of one run: both
    are shown, and say so.
    """
    ranked = sorted(entries, key=lambda e: (-len(e.run.result_uuids), -e.source.size, e.source.path))
    owner: dict[str, Entry] = {}
    kept: list[Entry] = []
    problems: list[Problem] = []
    for entry in ranked:
        first = next((owner[uuid] for uuid in entry.run.result_uuids if uuid in owner), None)
        if first is None:
            owner.update(dict.fromkeys(entry.run.result_uuids, entry))
            kept.append(entry)
        elif entry.run.uuid != first.run.uuid or _same_figures(entry.run, first.run):
            reason = f"The same run as {first.source.path}, which is shown; its cost is counted once."
            problems.append(Problem(entry.source.path, "W_DUPLICATE", Verdict.MERGE, reason, page_id=first.id))
        else:
            text = f"{first.source.path} has the same uuid and other figures; both are counted."
            caveat = Caveat("W_UUID", text)
            kept.append(replace(entry, run=replace(entry.run, caveats=(*entry.run.caveats, caveat))))
    return sorted(kept, key=_place), problems


def _same_figures(a: Run, b: Run) -> bool:
    """Whether two records agree on what a whole run comes to; a stream adds up times and turns, a result does not."""
    return (a.cost_usd, a.ledger) == (b.cost_usd, b.ledger)


def _place(entry: Entry) -> tuple[str, int]:
    return entry.source.path, entry.number


def _sentence(reason: str) -> str:
    """A reason as a sentence of its own."""
    return f"{reason[:1].upper()}{reason[1:]}" + ("" if reason.endswith((".", "!", "?")) else ".")


def _refuse_same_ids(entries: Sequence[Entry]) -> None:
    """Two runs with one page id would overwrite each other's page.

    Raises: PublishError, naming both.
    """
    seen: dict[str, Entry] = {}
    for entry in entries:
        other = seen.setdefault(entry.id, entry)
        if other is not entry:
            raise PublishError(f"{other.source.path} and {entry.source.path} would share one page; rename one of them")
