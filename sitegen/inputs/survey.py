"""Reads every source once and leaves only facts behind: about two kilobytes a run, so that a large campaign fits.

The texts of a run are let go here and read again when its page is rendered, because reading costs a hundredth of
rendering. What cannot be read becomes a `Problem`; nothing a source holds can stop a build.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

from sitegen import figures, readers
from sitegen.cache.memory import NO_MEMORY, Memory, ValueKind
from sitegen.errors import ReadError
from sitegen.html import markdown
from sitegen.html.page_names import page_id
from sitegen.inputs import discover, rotated_logs, source_files
from sitegen.inputs.campaigns import packs
from sitegen.inputs.identity import deduplicate
from sitegen.inputs.source_files import Content
from sitegen.masking.redact import Redactor, masked_in
from sitegen.model import (
    Caveat,
    Entry,
    Masked,
    Problem,
    Run,
    Source,
    T,
    Unmasked,
    Verdict,
    by_key,
    replace,
)
from sitegen.numbers.campaigns import Rules
from sitegen.readers import kinds
from sitegen.readers.common.values import agent_name
from sitegen.readers.folders import FOLDERS
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile
from sitegen.remote.stored_files import prefetch
from sitegen.system.address import Address
from sitegen.system.bounds import DEFAULT, Bounds
from sitegen.system.places import MANIFEST
from sitegen.system.workers import ALONE, Workers
from sitegen.text import names

TRANSIENT_CODES = frozenset({"E_LOST", "E_OUTCOMES_READ", "E_READ"})
"""Problems that the next build may not have, though the file is the same."""


class ProgressReporter(Protocol):
    """Passes on what it is given, in order, and may show how far it is."""

    def __call__(self, doing: str, items: Sequence[T]) -> Iterable[T]:
        """Return the items and show progress. `doing` is one word for a person: "Reading"."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The rules in the settings for naming what runs belong to."""

    patterns: Sequence[names.PathPattern | None]
    """One for each input."""
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Names on pages by the names in files, paths and tables, by field."""

    def model(self, raw: str | None) -> str:
        """Display name of a model id, or of a model as a path names it."""
        return names.spelled_out(self._renamed("model", raw or "") or names.display_name(raw))

    def agent(self, stated: str) -> str:
        """Display name of an agent."""
        return self._renamed("agent", stated) or agent_name(stated)

    def task(self, stated: str) -> str:
        """Display name of a task."""
        return names.spelled_out(self._renamed("task", stated) or stated)

    def value(self, field: str, text: str) -> str:
        """Display name of a value of another field."""
        if field == "agent":
            return self.agent(text)
        return self._renamed(field, text) or text

    def _renamed(self, field: str, text: str) -> str | None:
        return self.names.get(field, {}).get(text)


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of the inputs: at first what their files hold, then with outcomes, patches and prices."""

    entries: tuple[Entry, ...] = ()  # by path
    problems: tuple[Problem, ...] = ()  # by path, then line, then code
    ignored_files: tuple[tuple[str, str], ...] = ()
    """The files that no reader claims and nobody named, by path: the path, and a key of `readers.kinds.KINDS`."""
    remarks: tuple[str, ...] = ()
    """Sentences about settings and inputs that came to nothing, and what to do about it."""
    files: int = 0  # sources that are runs or claim to be
    masked: tuple[Masked, ...] = ()
    shared_transcripts: tuple[Entry, ...] = ()
    """Transcripts whose steps belong to several runs, by path: they are shown, and count in no run."""
    pack: packs.Head | None = None  # of the pack that the inputs are, where they are one
    days: tuple[tuple[str, str], ...] = ()  # of several campaigns, name and day of each
    planned: tuple[str, ...] = ()  # tasks of the task table
    missing: tuple[tuple[str, str, int], ...] = ()
    """Planned runs that are not there: task, configuration and attempt of each."""
    unmatched: tuple[tuple[str, int | None], ...] = ()
    """The task and the attempt of rows of outcomes that match no run; none of rows about other inputs."""
    without_verdict: tuple[Entry, ...] = ()
    """The runs that `only: judged` left out."""
    left_out_tasks: frozenset[str] = frozenset()
    """Tasks of runs that a filter or a day left out; others of their runs may be here."""
    left_out: tuple[Entry, ...] = ()
    """The runs that a filter or a day left out: pages may name them, without a link."""
    rules: tuple[tuple[str, Rules], ...] = ()
    """The versions of the rules by which figures of packed campaigns were counted, by name of the campaign."""
    settings_remarks: tuple[str, ...] = ()
    """Remarks about settings, while it is open whether these are about the runs that are read."""
    part_remarks: tuple[str, ...] = ()
    """Remarks in place of `settings_remarks` where the settings are about other runs too."""

    @property
    def unreadable(self) -> frozenset[str]:
        """Paths of the files that may hold runs and could not be read."""
        return frozenset(problem.path for problem in self.problems if problem.is_skipped_file)

    @property
    def lost(self) -> int:
        """The number of runs that are known to exist and could not be read: files, or planned runs that are not there
        and that a row states a verdict of, whichever are more, since a row may be about one of the files."""
        planned = {(task.casefold(), attempt) for task, _, attempt in self.missing}
        tasks = {task for task, _ in planned}
        stated = [
            row for row in self.unmatched if row in planned or (row[1] is None and row[0] in tasks)
        ]
        return max(len(self.unreadable), len(stated))

    def unreadable_in(self, folder: str) -> frozenset[str]:
        """Return those of the same that are in a folder of the site's paths, as each campaign has one."""
        return frozenset(path for path in self.unreadable if path.startswith(f"{folder}/"))

    @property
    def runs(self) -> tuple[Entry, ...]:
        """The runs, and transcripts that are none."""
        return *self.entries, *self.shared_transcripts

    @property
    def ignored(self) -> tuple[str, ...]:
        """Paths of the files that no reader claims and nobody named."""
        return tuple(path for path, _ in self.ignored_files)


def forget_ignored(facts: Facts, paths: Set[str]) -> Facts:
    """Take out of the ignored files those that turned out to be of use."""
    return replace(
        facts, ignored_files=tuple(pair for pair in facts.ignored_files if pair[0] not in paths)
    )


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """The result of reading a file, or all files of an archive."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()
    ignored: tuple[tuple[str, str], ...] = ()
    masked: tuple[Masked, ...] = ()

    def kept(self, file: Source, redactor: Redactor) -> "_ReadFile | None":
        """Return what a memory keeps of it, also that it is not a run: no path of this machine, nothing that may
        pass, no name that is masked. A file that is nothing but a problem is read again: it is what people look at
        and fix."""
        is_problem = self.problems and not self.entries
        if is_problem or any(problem.code in TRANSIENT_CODES for problem in self.problems):
            return None
        paths = [file.within, *(entry.source.within for entry in self.entries)]
        return self.at("", None) if list(map(redactor, paths)) == paths else None

    def at(self, location: str, address: Address | None) -> "_ReadFile":
        """Return the same of a file that lies there."""
        placed = (
            # Times can lie: that redaction changed nothing is found out again.
            replace(
                entry,
                source=replace(entry.source, location=location, address=address),
                is_untouched=False,
            )
            for entry in self.entries
        )
        return replace(self, entries=tuple(placed))


@dataclass(frozen=True, slots=True)
class _KeptFile:
    """The values that a memory stores of a file."""

    known_by: bytes  # the stamp of its name and size, without times
    read: _ReadFile


_FILE = ValueKind[_KeptFile]("file", _KeptFile, most_bytes=32_000_000)


def _database_of(path: str) -> str | None:
    """Return the path of the database whose log this is; None of any other file."""
    return path.removesuffix("-wal") if path.endswith(".db-wal") else None


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads some files: a job of `workers`."""

    naming: Naming
    redactor: Redactor
    bounds: Bounds
    ignoring: tuple[re.Pattern[str], ...]

    def __call__(self, files: Sequence[Source]) -> list[_ReadFile]:
        """Return what each came to."""
        return [self._read(file) for file in prefetch(files, lambda file: (file.address,))]

    def lost(self, file: Source) -> _ReadFile:
        """Return a file that ends the process that reads it."""
        error = ReadError(
            "E_LOST", "the process that read it was killed, for example because memory ran out"
        )
        return _ReadFile(problems=(self.redactor.skipped(file.path, error),))

    def _read(self, file: Source) -> _ReadFile:
        redactor = self.redactor
        entries: list[Entry] = []
        problems: list[Problem] = []
        ignored: list[tuple[str, str]] = []
        masked: list[Masked] = []
        for source, content in source_files.contents(file, self.bounds, self.ignoring):
            try:
                runs = _parsed(source, content)
                digest = content.digest() if runs and isinstance(content, RunFile) else ""
            except ReadError as error:
                problems.append(redactor.skipped(source.path, error))
                continue
            if isinstance(runs, NotARun):
                ignored.append((redactor(source.path), runs.kind))
                continue
            for entry, shown in self.entries(source, digest, runs):
                entries.append(entry)
                masked += _masked(entry, shown)
        known = {each.source.path for each in entries} | {problem.path for problem in problems}
        # The log of a database in an archive matters where the database has runs, not beside that of a browser.
        problems = [each for each in problems if _database_of(each.path) in (known | {None})]
        if file.named and not entries and not problems:
            reason = "no reader knows any of the files in this archive as a run"
            if any(kind == "site" for _, kind in ignored):
                reason = "this is the archive of a site that sitegen wrote, not of runs; unpack it to compare with it"
            problems.append(redactor.skipped(file.path, ReadError("E_NOT_A_RUN", reason)))
        return _ReadFile(tuple(entries), tuple(problems), tuple(ignored), tuple(masked))

    def entries(
        self, source: Source, digest: str, runs: Iterable[Unmasked[Run]]
    ) -> Iterator[tuple[Entry, Run]]:
        """Yield the runs in a file in their places, each also with its texts, masked."""
        for number, run in enumerate(
            unmasked.as_written.at_level(source.level) for unmasked in runs
        ):
            shown = self.redactor.run(run)
            entry = _entry(
                source, number, digest, _judged(shown, self.bounds), self.naming, self.redactor
            )
            yield replace(entry, is_untouched=shown == run), shown

    def read_new(self, entry: Entry, known: set[str | int]) -> list[Entry]:
        """Return the runs in the file of a transcript, without records that are known; as it was where it changes
        now."""
        with suppress(ReadError), source_files.opened(entry.source, self.bounds) as file:
            runs = readers.read_new(file, known)
            if file.digest() == entry.digest:
                return [placed for placed, _ in self.entries(entry.source, entry.digest, runs)]
        return [entry]

    def refresh(self, entry: Entry, run: Run) -> Entry:
        """Return the entry with another run of the same file."""
        ledger_names = tuple(self.naming.model(line.model) for line in run.ledger)
        main = ledger_names[0] if run.model is not None else entry.model
        return replace(entry, run=run, model=main, ledger_names=ledger_names)


def survey(
    found: discover.Discovery,
    naming: Naming,
    redactor: Redactor,
    progress: ProgressReporter,
    *,
    workers: Workers = ALONE,
    memory: Memory = NO_MEMORY,
) -> Facts:
    """Read every source and place its runs; what `memory` knows of an unchanged file is not read again."""
    found = rotated_logs.join_logs(found)
    reading = _Reading(naming, redactor, found.bounds, found.ignoring)
    files = _FileFacts()
    with closing(_read_files(found.sources, reading, progress, workers, memory)) as read_files:
        for source, read in read_files:
            files.add(source, read)
    ignored = [*((redactor(path), "left out") for path in found.ignored), *files.ignored]
    problems = [*map(redactor.each, found.problems), *files.problems]
    identified = deduplicate(files.entries, problems, [path for path, _ in ignored], reading)
    entries, shared_transcripts, problems = (
        identified.entries,
        identified.shared_transcripts,
        identified.problems,
    )
    for entry in entries:
        problems += problems_of(entry, entry.run.caveats)
    ignored = [
        (path, kinds.COMPANION if path in identified.companions else kind) for path, kind in ignored
    ]
    ignored += [(path, kinds.SUMMARY) for path in identified.summaries]
    facts = Facts(
        entries=tuple(entries),
        problems=tuple(problems),
        ignored_files=tuple(sorted(ignored)),
        remarks=tuple(_passed_over(found)),
        files=_count_files(entries, problems),
        masked=(
            *_move_to_pages(files.masked, entries, shared_transcripts),
            *_masked_in_problems(problems),
        ),
        shared_transcripts=tuple(shared_transcripts),
    )
    belonging = chain.from_iterable(map(source_files.belonging, found.sources))
    return forget_ignored(facts, {redactor(source.path) for source in belonging})


class _FileFacts:
    """All that was read of the files."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.ignored: list[tuple[str, str]] = []
        self.masked: list[Masked] = []
        self._ledger_names: dict[tuple[str, ...], tuple[str, ...]] = {}

    def add(self, source: Source, read: _ReadFile) -> None:
        """Add a file, with values that this process holds already in place of equal ones that came from another."""
        for entry in read.entries:
            names_of_ledger = self._ledger_names.setdefault(entry.ledger_names, entry.ledger_names)
            own_source = source if entry.source == source else entry.source
            self.entries.append(replace(entry, source=own_source, ledger_names=names_of_ledger))
        self.problems += read.problems
        self.ignored += read.ignored
        self.masked += read.masked


def _read_files(
    sources: Sequence[Source],
    reading: _Reading,
    progress: ProgressReporter,
    workers: Workers,
    memory: Memory,
) -> Generator[tuple[Source, _ReadFile]]:
    """Yield each file with what it came to, from the memory where it is as it was."""
    keys = [memory.stamp(source.location).hex() for source in sources]  # a name may hold a secret
    stamps = [_stamp(source, memory) for source in sources]
    kept = [
        _recalled(source, key, stamp, reading.bounds, memory)
        for source, key, stamp in zip(sources, keys, stamps, strict=True)
    ]
    unknown = [source for source, read in zip(sources, kept, strict=True) if read is None]
    with closing(workers.map(reading, unknown, reading.lost)) as results:
        shown = progress("Reading", sources)
        for source, key, stamp, recalled in zip(shown, keys, stamps, kept, strict=True):
            if recalled:
                yield source, recalled.at(source.location, source.address)
                continue
            read = next(results)
            if keepable := read.kept(source, reading.redactor):
                memory.keep(_FILE, key, stamp, _KeptFile(memory.stamp(source), keepable))
            yield source, read


def _stamp(source: Source, memory: Memory) -> bytes | None:
    """Return the stamp by which a file is known to be as it was; None where nothing is kept."""
    return memory.stamp_of_source(source, source, *source_files.changes_beside(source))


def _move_to_pages(
    masked: Iterable[Masked], entries: Iterable[Entry], shared_transcripts: Iterable[Entry]
) -> Iterator[Masked]:
    """Yield what is masked in runs and in their parts, at the pages of these runs; without a page in transcripts of
    several runs."""
    by_part = by_key(masked, lambda mask: mask.page_id)
    pages = [(entry, entry.id) for entry in entries] + [
        (entry, None) for entry in shared_transcripts
    ]
    for entry, page in pages:
        for part in (entry, *entry.lanes):
            for mask in by_part.get(part.id, ()):
                yield replace(mask, page_id=page)


def _masked_in_problems(problems: Iterable[Problem]) -> Iterator[Masked]:
    """Yield what is masked in what is reported of files that are skipped."""
    for problem in problems:
        if problem.verdict is Verdict.SKIP:
            places = {"file name": problem.path, "reason": problem.reason}
            yield from masked_in(problem.path, places)


def _count_files(entries: Iterable[Entry], problems: Iterable[Problem]) -> int:
    """Return the number of files that are runs, parts of them, or claim to be."""
    paths = {entry.source.path for entry in entries}
    paths |= {problem.path for problem in problems if problem.verdict is not Verdict.ACCEPT}
    return len(paths)


def _recalled(
    source: Source, key: str, stamp: bytes | None, bounds: Bounds, memory: Memory
) -> _ReadFile | None:
    """Return what was kept of a file that is as it was: by its times, or, since a checkout sets them anew, by its
    bytes."""
    if kept := memory.recall(_FILE, key, stamp):
        return kept.read
    kept = memory.recall_last(_FILE, key)
    if kept is None or kept.known_by != memory.stamp(source):
        return None
    digests = {entry.digest for entry in kept.read.entries if entry.source.member is None}
    if len(digests) != 1:
        return None
    with suppress(ReadError), source_files.opened(source, bounds) as file:
        if file.digest() in digests:
            memory.keep(_FILE, key, stamp, kept)
            return kept.read
    return None


def _parsed(
    source: Source, content: Content, locator: str | None = None
) -> tuple[Unmasked[Run], ...] | NotARun:
    """Return the runs in a file, or the one at a place in it. Raises: ReadError."""
    if isinstance(content, ReadError):
        raise content
    if isinstance(content, NotARun):
        return content
    return readers.parse_file(
        content, named=source.named and source.member is None, locator=locator
    )


def _masked(entry: Entry, run: Run) -> Iterator[Masked]:
    """Yield what is masked in a run and in its name."""
    path = entry.source.path
    texts = run.texts
    places: dict[str, object] = {"file name": path}
    if not entry.is_untouched:
        places |= {
            "summary": texts.summary,
            "errors": texts.errors,
            "refused tools": texts.denials,
            "structured output": texts.structured_output,
            "further fields": texts.fields,
            "facts": run.without_texts(),
        }
    return masked_in(path, places, entry.id)


def _passed_over(found: discover.Discovery) -> Iterator[str]:
    """Yield what is not a regular file, and what to do: a link may have been meant to be followed. And folders that
    count as sites: a run could hide itself so."""
    if found.sites:
        folders = figures.plural(found.sites, "folder")
        hold, were = ("holds", "was") if found.sites == 1 else ("hold", "were")
        yield (
            f"{folders} in the inputs {hold} {MANIFEST}, as a published site does, and {were} not read. "
            "Add a site to `ignore`; where there is none, remove that file."
        )
    if passed := discover.passed_over(found):
        them = "it" if found.links + found.special_files == 1 else "them"
        yield f"{passed} To hide this line, add {them} to `ignore`."


def unused_names(
    naming: Naming, entries: Sequence[Entry], agents_of_rows: Set[str]
) -> Iterator[str]:
    """Yield names for tasks, models and agents that do not occur: mostly slips of the pen. `agents_of_rows` are those
    that outcomes files name."""
    models = {entry.stated_model for entry in entries} | {entry.model for entry in entries}
    for entry in entries:
        models.update(line.model for line in entry.run.ledger)
        models.update(entry.ledger_names)
    for model in naming.names.get("model", ()):
        # A table may call a model so.
        if model not in models and naming.model(model) not in models:
            yield f"names: no run has a model {model}{names.did_you_mean(model, models)}"
    tasks = {entry.task for entry in entries}
    for task in naming.names.get("task", ()):
        if naming.task(task) not in tasks:
            yield f"names: no run has a task {task}{names.did_you_mean(task, tasks)}"
    agents = {entry.agent for entry in entries} | agents_of_rows
    for agent in naming.names.get("agent", ()):
        if agent not in agents:
            yield f"names: no run has an agent {agent}{names.did_you_mean(agent, agents)}"


def unmatched_patterns(naming: Naming, entries: Sequence[Entry]) -> Iterator[str]:
    """Patterns that fit no run, or leave some without the task that nothing else states: mostly slips of the pen."""
    for number, pattern in enumerate(naming.patterns):
        own = [entry for entry in entries if entry.source.input == number] if pattern else []
        unlike = [entry for entry in own if pattern and not pattern.match(entry.source.within)]
        if pattern and len(unlike) < len(own) and "{task}" in pattern.text and not pattern.factors:
            unlike = [entry for entry in unlike if entry.task is None]
        if pattern and unlike:
            yield _misfit(pattern.text, [entry.source.within for entry in unlike], len(own))


def _misfit(pattern: str, unlike: Sequence[str], runs: int) -> str:
    """Return what is said of a pattern that does not fit these of so many runs."""
    such = ("such as " if unlike[1:] else "") + unlike[0]
    of = figures.plural(runs, "run")
    if len(unlike) == runs:
        whole = " {attempt} matches whole numbers only." if "{attempt}" in pattern else ""
        return f"The pattern {pattern} matches none of {of}, {such}.{whole}"
    lack = "no task and no label" if "{task}" in pattern else "nothing"
    so = f"so {'it has' if len(unlike) == 1 else 'they have'} {lack} from it"
    return (
        f"The pattern {pattern} does not match {figures.count(len(unlike))} of {of}, {such}, {so}."
    )


def _judged(run: Run, bounds: Bounds) -> Run:
    """Return the run, with a caveat where its summary is beyond a limit and is shown as plain text."""
    summary = run.texts.summary or ""
    reason = markdown.limit_exceeded(summary, bounds.summary_characters)
    if reason is None:
        return run
    caveat = Caveat("W_MD_LIMIT", markdown.note_on(reason))
    return replace(run, caveats=(*run.caveats, caveat))


def problems_of(entry: Entry, caveats: Iterable[Caveat]) -> list[Problem]:
    """Caveats of a run as problems of its file."""
    return [
        Problem(entry.source.path, c.code, Verdict.ACCEPT, c.text, page_id=entry.id)
        for c in caveats
    ]


def reread_run(entry: Entry, redactor: Redactor, bounds: Bounds = DEFAULT) -> Run:
    """Return the run with its texts; what is counted of its steps may be missing.

    Raises: ReadError `W_CHANGED` when the file has changed or vanished since the survey, whatever it holds now.
    """
    if isinstance(entry.source.member, packs.PackMember):
        return packs.run_of(entry, entry.source.member, redactor, bounds)
    locator = entry.run.locator
    with source_files.reopened(entry.source, bounds, entry.digest) as file:
        found = _parsed(entry.source, file, locator)
    runs = () if isinstance(found, NotARun) else found
    own = (
        [run for run in runs if run.as_written.locator == locator]
        if locator is not None
        else runs[entry.number :]
    )
    if not own:  # a reader that does not say the same twice
        raise ReadError.changed()
    run = own[0].as_written.at_level(entry.source.level)
    return run if entry.is_untouched else redactor.run(run)


def _entry(
    source: Source, number: int, digest: str, run: Run, naming: Naming, redactor: Redactor
) -> Entry:
    """Return a run in its place, with what its path states."""
    parts = _read_path(source, run, naming, redactor)
    if "agent" in parts:  # then not only the format shows it
        caveats = tuple(caveat for caveat in run.caveats if caveat.code != "W_AGENT")
        run = replace(run, caveats=caveats)
    task = parts.get("task") or (run.task and names.spelled_out(run.task))
    begin_summary = names.heading_of if task else names.begins_with
    about = begin_summary(run.texts.summary or "")
    ledger_names = tuple(naming.model(line.model) for line in run.ledger)
    stated_model = parts.get("model")
    model = naming.model(stated_model) if stated_model else None
    if run.model is not None:
        model = ledger_names[0]
    attempt = parts.get("attempt")
    label = parts.get("label")
    factors = dict(run.factors)
    factors |= {field: text for field, text in parts.items() if field not in names.FIELDS}
    path = redactor(source.path)
    place = source.path if number == 0 else f"{source.path}#{number}"
    return Entry(
        id=page_id(path, place, redactor),
        source=replace(source, path=path),
        number=number,
        digest=digest,
        run=run.without_texts(),
        title=names.spelled_out(run.session_title or names.stem(path)),
        # Marks within words may have hidden something.
        about=about and names.spelled_out(redactor(about)),
        campaign=parts.get("campaign"),
        task=task and naming.task(task),
        model=model,
        stated_model=stated_model,
        ledger_names=ledger_names,
        attempt=int(attempt) if attempt else run.attempt,
        outcome=run.outcome,
        scores=run.scores,
        factors=tuple(factors.items()),
        labels=(label,) if label else (),
    )


def _read_path(source: Source, run: Run, naming: Naming, redactor: Redactor) -> dict[str, str]:
    """Return what the path of a run states by field, masked: by the layout of the program that ran it, and by the
    pattern of the settings, which counts before that."""
    fields: dict[str, str] = {}
    folder = FOLDERS.get(run.folder or "")
    if folder and folder.read_path:
        fields |= folder.read_path(source.path, run.task)
    pattern = naming.patterns[source.input]
    if pattern:
        fields |= pattern.match(source.within) or {}
    return {field: names.spelled_out(redactor(text)) for field, text in fields.items()}
