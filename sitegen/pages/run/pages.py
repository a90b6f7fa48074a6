"""The pages of runs, each made from the facts of its run and from its file: any process can make any of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from sitegen.errors import ReadError
from sitegen.html import markdown
from sitegen.html.data_scripts import script
from sitegen.html.render import Renderer, View
from sitegen.inputs.evidence import read_end
from sitegen.inputs.patched import read_patch
from sitegen.inputs.steps_again import steps_of
from sitegen.inputs.survey import ProgressReporter, reread_run
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import Redactor
from sitegen.model import Caveat, Entry, Run, Texts, Tokens
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.signal_rules import SHOWN
from sitegen.pages import data, search
from sitegen.pages.run.view import patch_view, run_page
from sitegen.pages.steps.section import steps_view
from sitegen.pages.steps.story import Story
from sitegen.pages.steps.strip import strip_data
from sitegen.pages.steps.transcript import (
    data_path,
    transcript_pages,
    transcript_paths,
    unread_transcript,
)
from sitegen.pages.steps.worth import worth_view
from sitegen.pages.views import run_link
from sitegen.publish.files import File, FileStream, Made
from sitegen.readers.common.patches import Patch
from sitegen.steps import Step
from sitegen.system.address import Address
from sitegen.system.bounds import Bounds
from sitegen.text.names import run_path

if TYPE_CHECKING:
    from sitegen.pages.site import Site

_LASTING = frozenset({"W_MD_LIMIT", "W_WITHHELD"})
"""Doubts that come from what the files hold. Others may be gone in the next build."""


Around = tuple[Entry | None, Entry | None]  # the runs before and behind a run; None at either end


@dataclass(frozen=True, slots=True, eq=False)
class RunPages:
    """Makes the pages of runs and of their transcripts. It holds no run: what is sent to a process to make some pages
    has the facts of these alone."""

    renderer: Renderer
    redactor: Redactor
    scan: FinalScan
    bounds: Bounds
    prices: PriceTable
    searches_results: bool
    """Whether results of tools, as far as they are published, are found by the search."""
    is_apart: bool

    @classmethod
    def of(cls, site: Site) -> RunPages:
        """Return those of a site."""
        config = site.config
        return cls(
            site.renderer,
            site.redactor,
            site.scan,
            config.limits,
            site.prices,
            searches_results=config.search == "all",
            is_apart=bool(config.campaigns),
        )

    def write(
        self,
        stream: FileStream,
        entries: Sequence[Entry],
        digests: Mapping[str, bytes],
        progress: ProgressReporter,
    ) -> tuple[search.SearchIndex, dict[str, tuple[Caveat, ...]]]:
        """Publish the page of each run and what the search shows of it. Returns the index of their words, and what
        showed only when their pages were made, by page id: it can be that a file has changed. For `digests` see
        `files`. Raises: PublishError, ConfigError.
        """
        index = search.SearchIndex(stream.key)
        late: dict[str, tuple[Caveat, ...]] = {}
        rendered = iter(progress("Rendering", entries))
        with closing(stream.write(self.files(entries, digests, stream.key))) as written:
            for file, finished in written:
                if file.run_id is None:  # a transcript
                    continue
                next(rendered)
                for texts in index.add(finished.words) if finished.words else ():
                    stream.put(texts)
                withheld = (
                    Caveat("W_WITHHELD", f"{_WITHHELD} {kind}. {_REPORT}")
                    for kind in finished.withheld
                )
                if doubts := (*finished.late, *withheld):
                    late[file.run_id] = doubts
        next(rendered, None)
        for texts in index.close_texts():
            stream.put(texts)
        return index, late

    def files(
        self,
        entries: Sequence[Entry],
        digests: Mapping[str, bytes],
        key: Callable[..., bytes | None],
    ) -> Iterator[File]:
        """Yield the page of each run, in their order, and behind it its transcript. `digests` are of all that is known
        of a run with its patch, by page id; `key` makes the key of a file of what it shows."""
        behind = chain(islice(entries, 1, None), (None,))
        for previous, entry, following in zip(
            chain((None,), entries), entries, behind, strict=False
        ):
            # With campaigns apart, a page leads to no run of another, which a new campaign would change.
            def near(each: Entry | None, own: str | None = entry.campaign) -> Entry | None:
                return None if self.is_apart and each and each.campaign != own else each

            around = near(previous), near(following)
            neighbours = [run_link(each) for each in around if each]
            of_run = key(digests[entry.id], neighbours, around[0] is not None)
            make = partial(self.page, entry, around)
            lost = partial(self.page_without_texts, entry, around)
            reads = _reads(entry)
            yield File(
                run_path(entry.id), of_run, make, run_id=entry.id, make_after_loss=lost, reads=reads
            )
            yield from self.transcripts(entry, of_run)

    def transcripts(self, entry: Entry, key: bytes | None) -> Iterator[File]:
        """Yield the transcript of a run, where its file has steps."""
        if paths := transcript_paths(entry):
            first, *further = paths
            make = partial(self.transcript, entry)
            lost = partial(self.transcript_after_loss, entry)
            companions = (*further, data_path(entry.id))
            yield File(first, key, make, companions, make_after_loss=lost, reads=_reads(entry))

    def story(self, entry: Entry) -> Story:
        """Return all steps of a run, looked at. Raises: ReadError."""
        return _told(self, entry).story

    def page(self, entry: Entry, around: Around) -> Made:
        """Return the page of a run. Raises: ConfigError."""
        told = None
        missing: tuple[Caveat, ...] = ()
        if entry.has_published_steps:
            try:
                told = _told(self, entry)
            except ReadError as error:
                missing = (
                    Caveat(
                        error.code,
                        self.redactor(f"Its steps are missing from its page: {error.reason}."),
                    ),
                )
        texts, account, late = self._texts(entry, told)
        return self._made(
            entry, around, texts, account, late or missing, told.story if told else None
        )

    def transcript(self, entry: Entry) -> Made:
        """Return the transcript of a run: its first page, which brings the others. Raises: ConfigError."""
        pages = self._transcript(entry)
        _, first = next(pages)
        return Made(first, pages)

    def _transcript(self, entry: Entry) -> Iterator[tuple[str, bytes]]:
        """Path and content of each page; those of a file that changes meanwhile say that they are missing."""
        left = deque(transcript_paths(entry))
        reason = "the file holds fewer steps than before"
        try:
            told = _told(self, entry)
            steps = told.steps or steps_of(entry, self.redactor, self.bounds)
            for page in transcript_pages(entry, steps, told.story, self.redactor):
                if not left:
                    return
                left.popleft()
                yield page.path, self.renderer.render(page)
            yield data_path(entry.id), script("sitegenSteps", strip_data(told.story, entry.run))
        except ReadError as error:
            reason = self.redactor(error.reason)
        yield from self._missing(entry, left, reason)

    def transcript_after_loss(self, entry: Entry) -> Made:
        """Return the transcript of a run whose steps end the process that reads them."""
        reason = "the process that read it was killed, for example because memory ran out"
        (_, first), *others = self._missing(entry, transcript_paths(entry), reason)
        return Made(first, others, is_lasting=False)

    def _missing(
        self, entry: Entry, paths: Iterable[str], reason: str
    ) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            yield path, self.renderer.render(unread_transcript(entry, path, reason))

    def page_without_texts(self, entry: Entry, around: Around) -> Made:
        """Return the page of a run whose texts end the process that reads them."""
        killed = "the process that made it was killed, perhaps because memory ran out"
        lost = Caveat("W_LOST", f"Its texts are missing from its page: {killed}.")
        return self._made(entry, around, Texts(), None, (lost,))

    def _made(
        self,
        entry: Entry,
        around: Around,
        texts: Texts,
        account: markdown.Rendered | None,
        late: tuple[Caveat, ...],
        story: Story | None = None,
    ) -> Made:
        check = self.prices.check(entry.run)
        page = run_page(entry, check, *around)
        patched = read_patch(entry.patch, self.redactor, self.bounds)
        if (patched and patched.digest) != entry.patch_digest:
            late += (_changed("patch"),)
        evidence = [read_end(source, self.redactor) for source in entry.evidence]
        if tuple(end.digest for end in evidence) != entry.evidence_digests:
            late += (_changed("evidence"),)
        steps, said = (steps_view(entry, story), _said(story)) if story else (None, "")
        patch_shown = self._patch(entry, patched)
        worth = worth_view(entry, story) if story else None
        shown = {
            "worth": worth,
            "texts": texts,
            "account": account,
            "late": late,
            "patch": patch_shown,
            "evidence": evidence,
            "steps": steps,
        }
        rendered = account.html if account else ""
        acts = _acts(story) if story else {}
        words = search.document(entry, texts, rendered, self.redactor, said, acts)
        cells = [*filter(None, words.shown), *data.texts_of(data.row(entry, check))]
        late += tuple(
            Caveat("W_WITHHELD", f"{_IN_CELL} {kind}. {_REPORT}")
            for kind in self.scan.kinds_in(cells)
        )
        is_lasting = all(doubt.code in _LASTING for doubt in late)
        return Made(
            self.renderer.render(page, shown), words=words, late=late, is_lasting=is_lasting
        )

    def _texts(
        self, entry: Entry, told: _Told | None
    ) -> tuple[Texts, markdown.Rendered | None, tuple[Caveat, ...]]:
        """Return what the run says, read again where its steps did not bring it, its summary as HTML, and what is
        doubtful about either."""
        try:
            run = (told.run if told else None) or reread_run(entry, self.redactor, self.bounds)
        except ReadError as error:
            missing = self.redactor(f"Its texts are missing from its page: {error.reason}.")
            return Texts(), None, (Caveat(error.code, missing),)
        texts = run.texts
        if not texts.summary:
            return texts, None, ()
        most = self.bounds.summary_characters
        account = markdown.render(texts.summary, clean=self.redactor, max_characters=most)
        known = {caveat.text for caveat in entry.run.caveats}
        return (
            texts,
            account,
            tuple(Caveat("W_MD_LIMIT", note) for note in account.notes if note not in known),
        )

    def _patch(self, entry: Entry, read: Patch | None) -> View | None:
        """Return the patch beside the run, to be shown."""
        if read is None or entry.patch is None:
            return None
        most = self.bounds.patch_characters
        return patch_view(entry.patch.path, read, cut_at=most if read.characters > most else None)


@dataclass(frozen=True, slots=True)
class _Told:
    """The result of reading the steps of a run."""

    story: Story
    steps: Sequence[Step]  # all of them, where they are few; else none
    run: Run | None  # the run with its texts, where they are in the same file


@lru_cache(maxsize=1)
def _told(pages: RunPages, entry: Entry) -> _Told:
    """Return all steps of a run, read once: for its page, and for its transcript, which is made next. Raises:
    ReadError."""
    models = {line.model for line in entry.run.ledger}
    usual = (
        models.pop() if len(models) == 1 else None
    )  # another file may name it than the one with the steps
    story = Story(partial(_list_price, pages.prices, usual), pages.searches_results)
    kept: list[Step] = []
    size = 0
    runs: list[Run] = []
    for step in steps_of(entry, pages.redactor, pages.bounds, runs.append):
        story.add(step)
        size += len(step.text)
        if call := step.call:
            size += len(
                call.target + call.purpose + call.input + (call.result or "") + call.changes
            )
        if size > MAX_KEPT_CHARACTERS or step.number >= MAX_KEPT_STEPS:
            kept.clear()
        elif len(kept) == step.number:
            kept.append(step)
    return _Told(story, kept if len(kept) == story.steps else (), next(iter(runs), None))


def _acts(story: Story) -> dict[str, dict[str, int]]:
    """Return what the search finds of calls, with the state of tests at the last edit, and where signals begin."""
    state = story.signals.state_of_tests
    last = story.signals.last_edit
    tests = {"tests": {state: last}} if state and last is not None else {}
    found = story.signals.found().items()
    signals = {SHOWN[rule].short: spans[0].first for rule, spans in found if rule in SHOWN}
    return {**tests, "signals": signals, **story.acts}


def _said(story: Story) -> str:
    """Return what the agent said on the way, as the search takes it."""
    return "\n".join(
        f"{search.STEP}{number} {text.replace(search.STEP, '')}" for number, text in story.said
    )


def _changed(what: str) -> Caveat:
    """Return the doubt about a file beside a run that is not as it was when its facts were read."""
    sentence = f"The {what} beside it changed while the site was built; build again."
    return Caveat("W_CHANGED", sentence)


def _reads(entry: Entry) -> tuple[Address, ...]:
    """Return what making the page of a run reads of a store."""
    sources = (entry.source, entry.patch, *entry.evidence, *(lane.source for lane in entry.lanes))
    return tuple(each.address for each in sources if each and each.address and not each.member)


MAX_KEPT_STEPS, MAX_KEPT_CHARACTERS = 2_000, 4_000_000
"""The limits above which the steps of a run are read once more for its transcript."""


def _list_price(
    prices: PriceTable, usual: str | None, model: str | None, tokens: Tokens
) -> float | None:
    """Return what a message used, as far as it says it, at list price, USD; by this the cost of the run is spread. The
    `usual` model is that of a message that names none."""
    price = prices.price_for(model or usual)
    if price is None:
        return None
    rates = (price.input, price.cache_write or 0, price.cache_read or 0, price.output)
    counts = (tokens.input, tokens.cache_write, tokens.cache_read, tokens.output)
    return sum((count or 0) * rate for count, rate in zip(counts, rates, strict=True)) / 1e6


_WITHHELD = "A part of its page is withheld: put together, it looks like"
_IN_CELL = "A cell about it in tables and data files is masked: put together, it looks like"
_REPORT = "Please report it, without the value."
