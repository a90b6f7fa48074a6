"""Collects all that is known of the inputs: runs, what is stated of them from outside, and the patches beside them.

`inputs.survey` says what the files hold. Here outcomes, patches and prices are added, campaigns are put together, and
what comes of it are the `Facts` of a site, which nothing changes afterwards.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sitegen import figures, names, outcomes
from sitegen.bounds import Bounds
from sitegen.cache.memory import NO_MEMORY, Memory
from sitegen.cache.seal import seal
from sitegen.config import Config, Input
from sitegen.errors import ReadError
from sitegen.html.page_names import page_id
from sitegen.inputs import archives, discover, merging, patch
from sitegen.inputs.alike import unpriced_in_words
from sitegen.inputs.campaigns import packs
from sitegen.inputs.campaigns.packs import changed_since
from sitegen.inputs.campaigns.past import is_site
from sitegen.inputs.patched import with_patch
from sitegen.inputs.survey import Facts, Naming, ProgressReporter, idle, misfits, survey
from sitegen.masking.redact import Redactor, masked_in
from sitegen.model import Entry, Masked, Problem, Run, Source, Verdict
from sitegen.names import PathPattern
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.success import with_limits
from sitegen.outcomes.over_time import campaign_of
from sitegen.outcomes.study import Study, with_factors, with_tasks
from sitegen.readers.kinds import JUDGED, KINDS, REPORTS, in_words
from sitegen.remote import clients
from sitegen.remote.stored_files import ahead
from sitegen.workers import ALONE, Workers

__all__ = ["Facts", "collect", "of_pack", "why_empty"]
P = TypeVar("P", Problem, Masked)
_BEYOND = (
    "{} of outcomes fit none of the files that are named here; the settings are about others too."
)


def collect(
    config: Config,
    redactor: Redactor,
    progress: ProgressReporter,
    workers: Workers = ALONE,
    *,
    memory: Memory = NO_MEMORY,
) -> Facts:
    """Read the inputs without writing anything: what `sitegen check` reports. Raises: ConfigError."""
    found = _Collector(redactor, progress, workers, memory).collect(config)
    entries, said = merging.in_one_case(found.entries, with_campaigns=not found.days)
    found = replace(found, entries=tuple(entries), remarks=(*found.remarks, *said))
    facts = _of_days(found, *config.days)
    entries = tuple(merging.told_apart(list(Study(config, facts.entries).configured())))
    return replace(
        facts, entries=entries, missing=tuple(Study(config, found.entries).missing(found.planned))
    )


@dataclass(frozen=True, slots=True)
class _Collector:
    """Reads inputs, whichever settings they have."""

    redactor: Redactor
    progress: ProgressReporter
    workers: Workers
    memory: Memory

    def collect(self, config: Config) -> Facts:
        if config.campaigns:
            return _together(self._each_campaign(config))
        found = discover.discover(
            [given.path for given in config.inputs],
            exclude=[config.output],
            ignore=config.ignore,
            levels=[given.steps or config.steps for given in config.inputs],
            bounds=config.limits,
        )
        packed = [source for source in found.sources if packs.holds_pack(source)]
        if not packed:
            return self._files(config, found)
        files = replace(
            found, sources=tuple(source for source in found.sources if source not in packed)
        )
        campaigns = [
            _left_in(of_pack(source, self.redactor, found.bounds), config, person=None)
            for source in packed
        ]
        if config.cost_basis == "list":  # else their costs are those of the build that made them
            prices = config.price_table
            campaigns = [
                replace(each, entries=_priced(each.entries, prices, config.cost_basis))
                for each in campaigns
            ]
        if len(packed) == 1 and not files.sources and not files.problems:
            return campaigns[0]
        named = [_named(each, source.path) for each, source in zip(campaigns, packed, strict=True)]
        return _once(_together([*named, self._files(config, files)]))

    def _each_campaign(self, config: Config) -> Iterator[Facts]:
        """Yield the runs of each campaign that has any, under its name."""
        for campaign in config.each_campaign:
            if is_site(Path(campaign.path)):
                continue
            inputs = (Input(path=campaign.path, pattern=campaign.pattern, steps=campaign.steps),)
            own = {"outcomes": campaign.outcomes} if campaign.outcomes else {}
            facts = self.collect(
                config.model_copy(update={"campaigns": (), "inputs": inputs, **own})
            )
            yield _placed(facts, *campaign_of(campaign, facts))

    def _files(self, config: Config, found: discover.Discovery) -> Facts:
        """Return what the files of the inputs come to that are not packs."""
        patterns = [
            PathPattern(given.pattern) if given.pattern else None for given in config.inputs
        ]
        redactor, naming = (
            self.redactor,
            Naming(patterns, config.tasks, config.models, config.agents),
        )
        named = outcomes.named_by(config.outcomes)
        stating = {source.location for source in named.sources}
        found = replace(
            found, sources=tuple(each for each in found.sources if each.location not in stating)
        )
        clients.rest()  # what was asked until here was little
        read = survey(
            found, naming, redactor, self.progress, workers=self.workers, memory=self.memory
        )
        entries, others = outcomes.other_models(list(merging.tasks_apart(read.entries)), naming)
        prices = config.price_table
        reports = list(_reports(config, read, found, redactor))
        stated = outcomes.load(config, entries, redactor, found.sources, named, reports=reports)
        unread = read.unreadable | {path for path, kind in read.kinds if KINDS[kind].holds_run}
        joined = outcomes.join(entries, stated, naming, partial(_left_patch, config), unread)
        entries, of_tasks, planned = (
            with_factors(joined.entries, config, naming),
            list[Problem](),
            tuple[str, ...](),
        )
        if config.task_table:
            table = discover.discover([config.task_table]).sources[0]
            entries, of_tasks, planned = with_tasks(entries, table, config, redactor)
        study = Study(config, entries)
        entries = with_limits(study.judged())
        patches = patch.find(entries, config.patch)
        in_turn = ahead(
            entries, lambda entry: (patches[entry.id].address,) if entry.id in patches else ()
        )
        patched = [
            with_patch(entry, patches.get(entry.id), redactor, self.memory) for entry in in_turn
        ]
        entries = list(
            merging.named_by_paths(
                _priced((entry for entry, _ in patched), prices, config.cost_basis)
            )
        )
        beyond = [
            each
            for each in joined.problems
            if config.is_part and each.code == "W_OUTCOME_UNMATCHED"
        ]
        problems = [each for each in joined.problems if each not in beyond]
        beside = {redactor(source.path) for source in patches.values()} | {
            row.file for row in stated.rows
        }
        beside |= {problem.path for problem in stated.problems}
        beside -= {
            redactor(source.path) for source, kind in reports if kind != JUDGED
        } - joined.used
        clients.rest()
        facts = replace(
            read,
            entries=tuple(entries),
            problems=tuple(sorted([*read.problems, *problems, *of_tasks], key=merging.in_order)),
            kinds=tuple(each for each in read.kinds if each[0] not in beside),
            masked=tuple(sorted([*read.masked, *_masked_beside(patched)])),
            planned=planned,
            unmatched=() if config.is_part else joined.unmatched,
        )
        facts = _left_in(
            facts, config, config.person or _pseudonym()
        )  # the sentences below are about what is left
        remarks = [*map(redactor, (*idle(naming, read.entries), *misfits(naming, facts.entries)))]
        remarks += (*others, *study.remarks(stated.columns))
        if config.is_part:
            remarks = [_BEYOND.format(figures.plural(len(beyond), "line"))] if beyond else []
        remarks += unpriced_in_words(
            facts.entries, lambda model: prices.price_for(model) is not None
        )
        return replace(facts, remarks=(*facts.remarks, *remarks))


def _pseudonym() -> str | None:
    """Return a name for whoever runs this that is always the same, and that others cannot guess; None without a key."""
    with suppress(ValueError):
        return f"person {seal(b'person')[:3].hex()}"
    return None


def _left_in(facts: Facts, config: Config, person: str | None) -> Facts:
    """Return the runs in their groups, without those of projects that are left out and the files beside these. A run
    whose group is stated keeps that."""

    def project_of(entry: Entry) -> str | None:  # of a pack: only the group that it states
        return None if isinstance(entry.source.member, packs.PackMember) else entry.run.project

    def grouped(entry: Entry) -> Entry:
        found = {"project": project_of(entry), "person": person}
        own = {name: value for name in config.groups if (value := found[name])}
        return replace(entry, factors=tuple({**own, **dict(entry.factors)}.items()))

    def is_left_out(entry: Entry) -> bool:
        project = (entry.factor("project") or project_of(entry) or "").casefold()
        return not project or any(
            fnmatchcase(project, each.casefold()) for each in config.leave_out
        )

    if config.groups:
        facts = replace(facts, entries=tuple(map(grouped, facts.entries)))
    why = "of projects that `leave_out` names, or of unknown project"
    return _without(facts, is_left_out, why, with_folders=True) if config.leave_out else facts


def _without(
    facts: Facts, goes: Callable[[Entry], bool], why: str = "", *, with_folders: bool = False
) -> Facts:
    """Return the facts without the runs that go, and what is said of them; also of files in their folders, if no run
    is left there."""
    parts = {
        is_gone: [entry for entry in facts.runs if goes(entry) == is_gone]
        for is_gone in (True, False)
    }
    ids = {entry.id for entry in parts[True]}
    gone, kept = ({entry.source.path for entry in own} for own in parts.values())
    gone |= {
        each.path
        for each in facts.problems
        if each.verdict is Verdict.MERGE and each.page_id in ids
    }
    lost, held = (
        {path.rpartition("/")[0] for path in paths if with_folders} for paths in (gone - kept, kept)
    )

    def stays(path: str, page_id: str | None = None) -> bool:
        if page_id in ids or path in gone - kept:
            return False
        while lost and "/" in path:  # the nearest folder that has runs decides
            path = path.rpartition("/")[0]
            if path in lost or path in held:
                return path in held
        return True

    entries = tuple(entry for entry in facts.entries if entry.id not in ids)
    left = len(facts.entries) - len(entries)
    said = f"{figures.plural(left, 'run')} {'is' if left == 1 else 'are'} left out: {why}."
    return replace(
        facts,
        entries=entries,
        unplaced=tuple(entry for entry in facts.unplaced if entry.id not in ids),
        problems=tuple(each for each in facts.problems if stays(each.path, each.page_id)),
        masked=tuple(each for each in facts.masked if stays(each.path, each.page_id)),
        kinds=tuple(each for each in facts.kinds if stays(each[0])),
        remarks=(*facts.remarks, *([said] if left and why else ())),
        files=facts.files - len(gone - kept),
        left_out_tasks=facts.left_out_tasks | {entry.task for entry in parts[True] if entry.task},
    )


def _of_days(facts: Facts, first: str, last: str) -> Facts:
    """Return the runs that were under way between two days. One of unknown time is left out, unless all days count."""

    def is_outside(entry: Entry) -> bool:
        return (entry.run.ended_at or entry.day or "")[:10] < first or (entry.day or "") > last

    if (first, last) == ("", "9999"):
        return facts
    limits = (f"--since {first}" * bool(first) + f" --until {last}" * (last != "9999")).strip()
    dated = _without(facts, lambda entry: entry.day is None, f"of unknown time, with {limits}")
    kept = _without(dated, is_outside, f"outside {limits}", with_folders=True)
    return replace(kept, since=max(first, facts.since))


def _once(facts: Facts) -> Facts:
    """Return the runs of several packs, each once: of a session that arrives twice, the one that holds all of the
    other's answers and costs no less, or has no fewer tokens where no cost is reported. Without answers their figures
    have to be the same, so that a file cannot make a run disappear."""
    found, same = dict[object, list[tuple[Entry, frozenset[int]]]](), dict[str, Problem]()
    for entry in sorted(
        facts.entries, key=lambda each: (-len(each.run.answers), -(each.run.spent_usd or 0))
    ):
        run, answers = entry.run, frozenset(entry.run.answers)
        own = found.setdefault(run.uuid or (run.session_id, run.root or entry.started_at), [])
        of_session = own if run.session_id else []
        if other := next(
            (each for each, all_ in of_session if answers <= all_ and _is_part(run, each.run)), None
        ):
            same[entry.id] = merging.told_same(entry, other)
        else:
            own.append((entry, answers))
    kept = replace(
        _without(facts, lambda entry: entry.id in same), files=facts.files
    )  # as of files that are the same
    return replace(
        kept, problems=tuple(sorted([*kept.problems, *same.values()], key=merging.in_order))
    )


def _is_part(run: Run, other: Run) -> bool:
    """Return whether a run is the beginning of another one, which has all its answers, or the same."""
    if run.answers:
        own, others = run.cost_usd, other.cost_usd
        if own is None or others is None:  # list prices differ from build to build, tokens do not
            own, others = run.tokens.total or 0, other.tokens.total or 0
        return run.is_stated == other.is_stated and own <= others
    return (run.ledger, run.cost_usd, run.turns) == (other.ledger, other.cost_usd, other.turns)


def _priced(entries: Iterable[Entry], prices: PriceTable, basis: str) -> tuple[Entry, ...]:
    """Return the runs with their list prices where they report no cost, or costs are at list price, then without what
    they report of their parts; others are themselves, since copies take memory."""

    def priced(entry: Entry) -> Entry:
        reported = entry.run
        if basis == "list" and reported.cost_usd is not None:
            parts = tuple(replace(part, cost_usd=None) for part in reported.parts)
            reported = replace(
                reported, cost_usd=None, reported_cost_usd=reported.cost_usd, parts=parts
            )
        run = prices.computed(reported, entry.stated_model)
        return entry if run is entry.run else replace(entry, run=run)

    return tuple(map(priced, entries))


def _left_patch(config: Config, entry: Entry) -> bool:
    with suppress(ReadError):
        return any(
            discover.read_bytes(source).strip()
            for source in patch.find([entry], config.patch).values()
        )
    return True


def _reports(
    config: Config, read: Facts, found: discover.Discovery, redactor: Redactor
) -> Iterator[tuple[Source, str]]:
    """Yield the tables of outcomes among the inputs that nobody named, with their kinds, also those in archives; none
    where the settings say `outcomes: []`."""
    kinds = {path: kind for path, kind in read.kinds if kind in REPORTS or kind == JUDGED}
    if kinds and (config.outcomes or "outcomes" not in config.model_fields_set):
        for source in found.sources:
            path, members = redactor(source.path), [source]
            if archives.kind_of(source.location) and any(
                each.startswith(f"{path}/") for each in kinds
            ):
                members = [
                    member for member, _ in archives.contents(source, found.bounds, found.ignoring)
                ]
            yield from (
                (each, kind) for each in members if (kind := kinds.get(redactor(each.path)))
            )


def _masked_beside(patched: Iterable[tuple[Entry, Mapping[str, int]]]) -> Iterator[Masked]:
    """Yield what is masked in patches, which are counted already, and in what is stated of runs from outside."""
    for entry, in_patch in patched:
        stated = (
            entry.labels,
            tuple(score.name for score in entry.scores),
            entry.task,
            entry.stated_model,
            entry.note,
        )
        yield from masked_in(entry.source.path, {"patch": in_patch, "outcomes": stated}, entry.id)


def of_pack(source: Source, redactor: Redactor, bounds: Bounds) -> Facts:
    """Return what was known of the inputs when they were packed."""
    try:
        pack = packs.read(source, redactor, bounds)
    except ReadError as error:
        return Facts(problems=(redactor.skipped(source.path, error),), files=1)
    head = pack.head
    changed = changed_since(head.version)
    remarks = (
        f"{source.path} holds the figures of its runs as sitegen {head.version[:20]} computed them. "
        f"Newer versions compute differently: {' '.join(changed)}",
    )
    texts = {key: text for key in packs.TEXTS if isinstance(text := head.settings.get(key), str)}
    masked = (*head.masked, *masked_in(source.path, texts))
    problems, remarks = (
        (*head.problems, *pack.faults),
        (*head.remarks, *(remarks if changed else ())),
    )
    own: dict[str, Any] = {
        name: getattr(head, name) for name in ("kinds", "files", "planned", "since")
    }
    facts = Facts(
        pack.entries,
        problems,
        remarks=remarks,
        masked=masked,
        unplaced=pack.unplaced,
        pack=head,
        **own,
    )
    return _at_pages(facts, {entry.id: entry.id for entry in facts.runs})


def _placed(facts: Facts, name: str, day: str | None = None) -> Facts:
    """Return the same under the name of its campaign, by which the paths of its runs begin: so their pages stay as they
    are, whatever other campaigns there are."""
    folder = names.folder_of_campaign(name)
    moved = {entry.id: _moved(entry, folder, name) for entry in facts.runs}
    entries, unplaced = (
        tuple(moved[each.id] for each in own) for own in (facts.entries, facts.unplaced)
    )
    kinds = tuple((f"{folder}/{path}", kind) for path, kind in facts.kinds)
    placed = _at_pages(facts, {old: entry.id for old, entry in moved.items()}, f"{folder}/")
    days = ((name, day),) if day else ()
    rules = ((name, facts.pack.rules),) if facts.pack else ()
    return replace(
        placed, entries=entries, unplaced=unplaced, kinds=kinds, pack=None, days=days, rules=rules
    )


def _at_pages(facts: Facts, page_ids: Mapping[str, str], folder: str = "") -> Facts:
    """Return the facts with problems and masks of runs at their pages, if they have any, and below a folder."""

    def placed(each: P) -> P:
        return replace(each, path=f"{folder}{each.path}", page_id=page_ids.get(each.page_id or ""))

    problems = tuple(sorted(map(placed, facts.problems), key=merging.in_order))
    return replace(facts, problems=problems, masked=tuple(map(placed, facts.masked)))


def _named(facts: Facts, path: str) -> Facts:
    """Return the facts of one pack of several, under its name, and its remarks as those of it alone."""
    remarks = tuple(each if each.startswith(path) else f"{path}: {each}" for each in facts.remarks)
    return _placed(replace(facts, remarks=remarks), names.stem(path.removesuffix(packs.ENDING)))


def _moved(entry: Entry, folder: str, name: str) -> Entry:
    path = f"{folder}/{entry.source.path}"
    slug, _, digest = entry.id.rpartition("-")
    return replace(
        entry,
        id=page_id(f"{folder}-{slug}", f"{folder}/{digest}"),
        source=replace(entry.source, path=path),
        campaign=name,
    )


def _together(campaigns: Iterable[Facts]) -> Facts:
    """Several as one, in their order. Raises: PublishError where two runs would share a page."""
    campaigns = list(campaigns)
    entries = [entry for each in campaigns for entry in each.entries]
    merging.refuse_same_ids(entries)
    return Facts(
        tuple(entries),
        tuple(
            sorted(
                (problem for each in campaigns for problem in each.problems), key=merging.in_order
            )
        ),
        tuple(sorted(kind for each in campaigns for kind in each.kinds)),
        tuple(dict.fromkeys(remark for each in campaigns for remark in each.remarks)),
        sum(each.files for each in campaigns),
        tuple(masked for each in campaigns for masked in each.masked),
        tuple(entry for each in campaigns for entry in each.unplaced),
        days=tuple(day for each in campaigns for day in each.days),
        planned=tuple(dict.fromkeys(task for each in campaigns for task in each.planned)),
        since=max(
            (each.since for each in campaigns), default=""
        ),  # what one of them leaves out is not known
        left_out_tasks=frozenset(task for facts in campaigns for task in facts.left_out_tasks),
        rules=tuple(rule for facts in campaigns for rule in facts.rules),
        unmatched=tuple(row for facts in campaigns for row in facts.unmatched),
    )


def why_empty(facts: Facts) -> str:
    """Return why there is no run, in one sentence."""
    skipped = [problem for problem in facts.problems if problem.is_skipped_file]
    if len(skipped) == 1:
        return f"no runs found: {skipped[0].path}: {skipped[0].reason}"
    ignored = len(facts.kinds)
    why = []
    if skipped:
        (reason, count), *others = Counter(problem.reason for problem in skipped).most_common()
        of_them = f"{figures.count(count)} of them: " if others else ""
        why.append(
            f"{figures.count(len(skipped))} files could not be read ({of_them}{reason.rstrip('.')})"
        )
    if ignored:
        kinds = [" ".join(sentence.split()).rstrip(".") for sentence in in_words(facts.kinds)]
        why.append(
            f"{figures.plural(ignored, 'file')} {'was' if ignored == 1 else 'were'} ignored: {'; '.join(kinds)}"
        )
    if not why:
        return " ".join(
            ["no runs found:", *(facts.remarks or ["there are no files in the inputs"])]
        ).rstrip(".")
    them = "it" if len(skipped) + ignored == 1 else "them"
    left_out = "".join(f"; {each.rstrip('.')}" for each in facts.remarks if " left out: " in each)
    return f"no runs found: {' and '.join(why)}{left_out}; `sitegen check -v` lists {them}"
