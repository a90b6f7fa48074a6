"""The pages of runs, each made from the facts of its run and from its file: any process can make any of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from sitegen.bounds import Bounds
from sitegen.errors import ReadError
from sitegen.html import markdown
from sitegen.html.render import Renderer
from sitegen.inputs import patch
from sitegen.inputs.patched import read_patch
from sitegen.inputs.steps import steps_of
from sitegen.inputs.survey import read_again
from sitegen.masking.redact import Redactor, number_masks
from sitegen.model import Caveat, Entry, Texts, Tokens
from sitegen.names import run_path
from sitegen.numbers.pricing import PriceCheck, PriceTable
from sitegen.pages import search
from sitegen.pages.run.patch_view import PatchView, patch_view
from sitegen.pages.run.view import run_page
from sitegen.pages.steps.section import steps_view
from sitegen.pages.steps.story import Story
from sitegen.pages.steps.transcript import transcript_pages, transcript_paths, unread_transcript
from sitegen.pages.views import neighbour_link
from sitegen.publish.files import File, Finished, Made
from sitegen.steps import Level, Step, ToolCall

_LASTING = frozenset({"W_MD_LIMIT", "W_WITHHELD"})
"""Doubts that come from what the files hold. Others may be gone in the next build."""


def late_caveats(finished: Finished) -> tuple[Caveat, ...]:
    """What showed only when the page of a run was made."""
    return finished.late + tuple(Caveat("W_WITHHELD", _withheld(kind)) for kind in finished.withheld)


@dataclass(frozen=True, slots=True, eq=False)
class RunPages:
    """Makes the pages of runs and of their transcripts."""

    entries: Sequence[Entry]
    checks: Mapping[str, PriceCheck]
    """By page id."""
    renderer: Renderer
    redactor: Redactor
    bounds: Bounds
    prices: PriceTable
    level: Level
    """How much of the steps is published."""

    def files(self, digests: Mapping[str, bytes], key: Callable[..., bytes | None]) -> Iterator[File]:
        """The page of each run, and behind it its transcript. `digests` are of all that is known of a run with its
        patch, by page id; `key` makes the key of a file of what it shows."""
        for position, entry in enumerate(self.entries):
            around = self.entries[max(position - 1, 0) : position + 2]
            neighbours = [neighbour_link(entry, each) for each in around if each is not entry]
            of_run = key(digests[entry.id], neighbours, bool(position))
            yield File(
                run_path(entry.id),
                of_run,
                partial(self.page, position),
                run_id=entry.id,
                make_after_loss=partial(self.page_without_texts, position),
            )
            if self.level is not Level.NONE and (paths := transcript_paths(entry)):
                first, *further = paths
                lost = partial(self.transcript_after_loss, position)
                yield File(first, of_run, partial(self.transcript, position), tuple(further), make_after_loss=lost)

    def page(self, position: int) -> Made:
        """The page of the run at this position. Raises: ConfigError."""
        return self._made(position, *self._texts(self.entries[position]))

    def transcript(self, position: int) -> Made:
        """The transcript of the run at this position: its first page, which brings the others. Raises: ConfigError."""
        pages = self._transcript(position)
        _, first = next(pages)
        return Made(first, pages)

    def _transcript(self, position: int) -> Iterator[tuple[str, bytes]]:
        """Path and content of each page; those of a file that changes meanwhile say that they are missing."""
        entry = self.entries[position]
        left, reason = deque(transcript_paths(entry)), "the file holds fewer steps than before"
        try:
            story, kept = _story(self, position)
            steps = steps_of(entry, self.redactor, self.bounds, self.level) if kept is None else iter(kept)
            for page in transcript_pages(entry, steps, story, self.level):
                if not left:
                    return
                left.popleft()
                yield page.path, self.renderer.render(page)
        except ReadError as error:
            reason = self.redactor(error.reason)
        yield from self._missing(entry, left, reason)

    def transcript_after_loss(self, position: int) -> Made:
        """The transcript of a run whose steps end the process that reads them."""
        entry = self.entries[position]
        reason = "reading it ended the process that did, for instance for want of memory"
        (_, first), *others = self._missing(entry, transcript_paths(entry), reason)
        return Made(first, others, is_lasting=False)

    def _missing(self, entry: Entry, paths: Iterable[str], reason: str) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            yield path, self.renderer.render(unread_transcript(entry, path, reason))

    def page_without_texts(self, position: int) -> Made:
        """The page of a run whose texts end the process that reads them."""
        text = (
            "Its texts are missing from its page: they ended the process that made it, for instance for want of memory."
        )
        return self._made(position, Texts(), None, (Caveat("W_LOST", text),))

    def _made(self, position: int, texts: Texts, account: markdown.Rendered | None, late: tuple[Caveat, ...]) -> Made:
        entry = self.entries[position]
        page = run_page(self.entries, position, self.checks[entry.id])
        patched = read_patch(entry.patch)
        if (patched and patch.digest(patched[1])) != entry.patch_digest:
            late += (Caveat("W_CHANGED", "The patch beside it changed while the site was built; build again."),)
        steps, said = None, ""
        if self.level is not Level.NONE and entry.run.steps and (texts.summary is not None or not late):
            try:
                story, _ = _story(self, position)
                steps, said = steps_view(entry, story), "\n".join(story.said)
            except ReadError as error:
                late += (Caveat(error.code, self.redactor(f"Its steps are missing from its page: {error.reason}.")),)
        patch_shown = self._patch(entry, patched)
        shown = {"texts": texts, "account": account, "late": late, "patch": patch_shown, "steps": steps}
        return Made(
            self.renderer.render(page, shown),
            words=search.document(entry, texts, account.html if account else "", self._searchable, said),
            late=late,
            is_lasting=all(doubt.code in _LASTING for doubt in late),
        )

    def _searchable(self, text: str) -> str:
        return number_masks(self.redactor(text))

    def _texts(self, entry: Entry) -> tuple[Texts, markdown.Rendered | None, tuple[Caveat, ...]]:
        """What the run says, read again, its summary as HTML, and what is doubtful about either."""
        try:
            texts = read_again(entry, self.redactor, self.bounds).texts
        except ReadError as error:
            missing = self.redactor(f"Its texts are missing from its page: {error.reason}.")
            return Texts(), None, (Caveat(error.code, missing),)
        if not texts.summary:
            return texts, None, ()
        most = self.bounds.summary_characters
        account = markdown.render(texts.summary, clean=self.redactor, max_characters=most)
        known = {caveat.text for caveat in entry.run.caveats}
        return texts, account, tuple(Caveat("W_MD_LIMIT", note) for note in account.notes if note not in known)

    def _patch(self, entry: Entry, read: tuple[patch.Patch, str] | None) -> PatchView | None:
        """The patch beside the run, to be shown."""
        if read is None or entry.patch is None:
            return None
        changes, text = read
        most = self.bounds.patch_characters
        shown = self.redactor(text[:most])
        cut_at = most if len(text) > most else None
        return patch_view(self.redactor(entry.patch.path), changes, shown, cut_at=cut_at, clean=self.redactor)


@lru_cache(maxsize=1)
def _story(pages: RunPages, position: int) -> tuple[Story, list[Step] | None]:
    """All steps of a run, looked at once: for its page, and for its transcript, which is made next. With the steps
    themselves where they are few. Raises: ReadError."""
    entry = pages.entries[position]
    story, kept, size = Story(partial(_list_price, pages.prices)), list[Step](), 0
    for step in steps_of(entry, pages.redactor, pages.bounds, pages.level):
        story.add(step)
        size += len(step.text) + (sum(map(len, _texts_of(step.call))) if step.call else 0)
        if size > MOST_KEPT_CHARACTERS or step.number >= MOST_KEPT_STEPS:
            kept.clear()
        elif len(kept) == step.number:
            kept.append(step)
    return story, kept if len(kept) == story.steps else None


def _texts_of(call: ToolCall) -> tuple[str, ...]:
    return call.target, call.purpose, call.input, call.result or "", call.changes


MOST_KEPT_STEPS, MOST_KEPT_CHARACTERS = 2_000, 4_000_000
"""Of a run with more, the steps are read once more for its transcript."""


def _list_price(prices: PriceTable, model: str | None, tokens: Tokens) -> float | None:
    """What a message used, as far as it says it, at list price, USD; by this the cost of the run is spread."""
    price = prices.price_for(model)
    if price is None:
        return None
    rates = (price.input, price.cache_write or 0, price.cache_read or 0, price.output)
    counts = (tokens.input, tokens.cache_write, tokens.cache_read, tokens.output)
    return sum((count or 0) * rate for count, rate in zip(counts, rates, strict=True)) / 1e6


def _withheld(kind: str) -> str:
    return f"A part of its page is withheld: put together, it looks like {kind}. Please report it, without the value."
