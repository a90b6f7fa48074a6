"""All that is known of the inputs: runs, what is stated of them from outside, and the patches beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path

from sitegen import figures, names, outcomes
from sitegen.address import Address
from sitegen.cache.memory import NO_MEMORY, Memory
from sitegen.config import Config, Input
from sitegen.config.parts import Campaign
from sitegen.errors import ConfigError
from sitegen.inputs import discover, patch
from sitegen.inputs.alike import unpriced_in_words
from sitegen.inputs.campaigns import packs
from sitegen.inputs.campaigns.packed import of_pack, placed, together
from sitegen.inputs.campaigns.past import is_site
from sitegen.inputs.merging import named_by_paths, tasks_apart
from sitegen.inputs.patched import with_patch
from sitegen.inputs.survey import Naming, Progress, Survey, misfits, survey
from sitegen.masking.redact import Redactor, count_masks
from sitegen.model import Entry, Masked, Source
from sitegen.names import PathPattern
from sitegen.numbers.pricing import PriceTable
from sitegen.readers.kinds import JUDGED, REPORTS, in_words
from sitegen.remote import clients
from sitegen.remote.files import ahead
from sitegen.workers import ALONE, Workers


def collect(
    config: Config, redactor: Redactor, progress: Progress, workers: Workers = ALONE, memory: Memory = NO_MEMORY
) -> Survey:
    """Read the inputs without writing anything: what `sitegen check` reports. Raises: ConfigError."""
    if config.campaigns:
        return together(_each_campaign(config, redactor, progress, workers, memory))
    found = discover.discover(
        [given.path for given in config.inputs],
        exclude=[config.output],
        ignore=config.ignore,
        levels=[given.steps or config.steps for given in config.inputs],
    )
    packed = [source for source in found.sources if packs.holds_pack(source)]
    files = replace(found, sources=tuple(source for source in found.sources if source not in packed))
    if not packed:
        return _files(config, found, redactor, progress, workers, memory)
    bounds = config.limits.bounds()
    surveys = [of_pack(source, redactor, bounds) for source in packed]
    if len(packed) == 1 and not files.sources and not files.problems:
        return surveys[0]
    named = [placed(each, names.stem(source.path)) for each, source in zip(surveys, packed, strict=True)]
    return together([*named, _files(config, files, redactor, progress, workers, memory)])


def _each_campaign(
    config: Config, redactor: Redactor, progress: Progress, workers: Workers, memory: Memory
) -> Iterator[Survey]:
    """The runs of each campaign that has any, under its name."""
    for campaign in config.campaigns:
        if is_site(Path(campaign.path)):
            continue
        inputs = (Input(path=campaign.path, pattern=campaign.pattern, steps=campaign.steps),)
        own = {"outcomes": campaign.outcomes} if campaign.outcomes else {}
        alone = config.model_copy(update={"campaigns": (), "inputs": inputs, **own})
        surveyed = collect(alone, redactor, progress, workers, memory)
        yield placed(surveyed, *campaign_of(campaign, surveyed))


def campaign_of(stated: Campaign, surveyed: Survey) -> tuple[str, str]:
    """Name and day of the campaign of these runs. Raises: ConfigError where nothing tells its day."""
    packed = surveyed.pack.settings.get("campaign") if surveyed.pack else None
    own = packed if isinstance(packed, dict) else {}
    began = max((entry.started_at for entry in surveyed.entries if entry.started_at), default="")
    day = stated.date or str(own.get("date") or "") or began[:10]
    if not day:
        raise ConfigError(
            f"{stated.name or 'campaign'}: no run says when it began, so the day of this campaign is not known. "
            "Write `date: 2026-11-18` beside its name."
        )
    return stated.name or str(own.get("name") or "") or day, day


def _files(
    config: Config, found: discover.Discovery, redactor: Redactor, progress: Progress, workers: Workers, memory: Memory
) -> Survey:
    """What the files of the inputs come to that are no packs."""
    named = outcomes.named_by(config.outcomes)
    stating = {source.location for source in named.sources}
    found = replace(found, sources=tuple(each for each in found.sources if each.location not in stating))
    naming = naming_of(config)
    clients.rest()  # what was asked until here was little
    surveyed = survey(found, naming, redactor, progress, config.limits.bounds(), workers, memory)
    surveyed = replace(surveyed, entries=tuple(tasks_apart(surveyed.entries)))
    prices = PriceTable.load({name: price.model_dump() for name, price in config.prices.items()})
    reports = _of_kinds(REPORTS, config, surveyed, found.sources, redactor)
    judged = _of_kinds({JUDGED}, config, surveyed, found.sources, redactor)
    stated = outcomes.load(config.outcomes, surveyed.entries, redactor, found.sources, named, reports, judged)
    joined = outcomes.join(surveyed.entries, stated, naming.model, naming.task)
    patches = patch.find(joined.entries, config.patch)
    patched = [
        with_patch(entry, patches.get(entry.id), redactor, memory)
        for entry in ahead(joined.entries, partial(_patch_address, patches))
    ]
    entries = [_priced(entry, prices) for entry, _ in patched]
    beside = {redactor(source.path) for source in patches.values()} | {row.file for row in stated.rows}
    beside |= {problem.path for problem in stated.problems}
    beside -= {redactor(source.path) for source in reports} - joined.used
    entries = list(named_by_paths(entries))
    masked = _masked_beside(patched)
    unpriced = unpriced_in_words(entries, lambda model: prices.price_for(model) is not None)
    advice = [*map(redactor, misfits(naming, entries)), *joined.advice, *unpriced]
    clients.rest()
    return surveyed.judged(entries, joined.problems, beside, advice, masked)


def _priced(entry: Entry, prices: PriceTable) -> Entry:
    """The run with its list price where it reports no cost; itself where it does, since copies take memory."""
    run = prices.computed(entry.run, entry.stated_model)
    return entry if run is entry.run else replace(entry, run=run)


def _patch_address(patches: Mapping[str, Source], entry: Entry) -> Iterator[Address | None]:
    if source := patches.get(entry.id):
        yield source.address


def naming_of(config: Config) -> Naming:
    """How the settings name what runs belong to."""
    patterns = [PathPattern(given.pattern) if given.pattern else None for given in config.inputs]
    return Naming(patterns, config.tasks, config.models)


def _of_kinds(
    kinds: Set[str], config: Config, surveyed: Survey, sources: Sequence[Source], redactor: Redactor
) -> list[Source]:
    """The files of some kinds among the inputs that nobody named; none where the settings say `outcomes: []`."""
    if "outcomes" in config.model_fields_set and not config.outcomes:
        return []
    paths = {path for path, kind in surveyed.kinds if kind in kinds}
    return [source for source in sources if paths and redactor(source.path) in paths]


def why_empty(surveyed: Survey) -> str:
    """Why there is no run, in one sentence."""
    skipped = [problem for problem in surveyed.problems if problem.is_skipped_file]
    if len(skipped) == 1:
        return f"no runs found: {skipped[0].path}: {skipped[0].reason}"
    ignored = len(surveyed.ignored)
    why = []
    if skipped:
        (reason, count), *others = Counter(problem.reason for problem in skipped).most_common()
        of_them = f"{figures.count(count)} of them: " if others else ""
        why.append(f"{figures.count(len(skipped))} files could not be read ({of_them}{reason.rstrip('.')})")
    if ignored:
        kinds = [" ".join(sentence.split()).rstrip(".") for sentence in in_words(surveyed.kinds)]
        why.append(f"{figures.plural(ignored, 'file')} {'was' if ignored == 1 else 'were'} ignored: {'; '.join(kinds)}")
    if not why:
        return "no runs found: there are no files in the inputs"
    them = "it" if len(skipped) + ignored == 1 else "them"
    return f"no runs found: {' and '.join(why)}; `sitegen check -v` lists {them}"


def _masked_beside(patched: Iterable[tuple[Entry, Mapping[str, int]]]) -> Iterator[Masked]:
    """What is masked in patches, which are counted already, and in what is stated of runs from outside."""
    for entry, in_patch in patched:
        stated = [*entry.labels, *(score.name for score in entry.scores), entry.task, entry.stated_model, entry.note]
        for place, counts in (("patch", in_patch), ("outcomes", sum(map(count_masks, stated), Counter[str]()))):
            for kind, count in sorted(counts.items()):
                yield Masked(entry.source.path, place, kind, count, entry.id)
