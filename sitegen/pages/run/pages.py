"""The pages of runs, each made from the facts of its run and from its file: any process can make any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from sitegen.bounds import Bounds
from sitegen.cache.memory import Kind, Memory
from sitegen.errors import ReadError
from sitegen.html import markdown
from sitegen.html.render import Renderer
from sitegen.inputs import patch
from sitegen.inputs.patched import read_patch
from sitegen.inputs.survey import read_again
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import Redactor, number_masks
from sitegen.model import Caveat, Entry, Texts
from sitegen.numbers.pricing import PriceCheck
from sitegen.pages import search
from sitegen.pages.run.patch_view import PatchView, patch_view
from sitegen.pages.run.view import run_page
from sitegen.pages.views import neighbour_link
from sitegen.publish import Stage
from sitegen.publish.output import KeptFile

FOLDER = PurePosixPath("runs")
"""Where all of them lie."""
_LASTING = frozenset({"W_MD_LIMIT", "W_WITHHELD"})
"""Doubts that come from what the files hold."""


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page that was put into the stage."""

    file: KeptFile
    document: search.Document
    """The run, as the search takes it."""
    late: tuple[Caveat, ...]
    """What showed only when the page was made, so that no figure and no other page but that of problems says it."""


PAGE = Kind[MadePage]("page", MadePage, lambda page: page.document.is_whole)
"""What a memory keeps of them."""


def are_transient(late: Iterable[Caveat]) -> bool:
    """Whether the next build may show what this one could not, because a file could not be read again."""
    return any(doubt.code not in _LASTING for doubt in late)


@dataclass(frozen=True, slots=True)
class RunPages:
    """Makes the pages of the runs at some positions: a job of `workers`."""

    entries: Sequence[Entry]
    checks: Mapping[str, PriceCheck]
    """By page id."""
    renderer: Renderer
    redactor: Redactor
    final: FinalScan
    bounds: Bounds
    stage: Stage
    is_packing: bool = False
    """Whether pages are to be kept by a memory."""

    def __call__(self, positions: Sequence[int]) -> list[MadePage]:
        """The pages at these positions. Raises: PublishError, ConfigError."""
        return [self._made(position, *self._texts(self.entries[position])) for position in positions]

    def stamp(self, position: int, memory: Memory, digest: bytes) -> bytes:
        """A digest over all that the page at a position shows, besides settings: its run with its patch, whose digest
        is given, and links to its neighbours; and whether it is packed."""
        entry = self.entries[position]
        around = self.entries[max(position - 1, 0) : position + 2]
        neighbours = [neighbour_link(entry, each) for each in around if each is not entry]
        return memory.stamp(digest, neighbours, bool(position), self.is_packing)

    def without_texts(self, position: int) -> MadePage:
        """The page of a run whose texts end the process that reads them."""
        text = (
            "Its texts are missing from its page: they ended the process that made it, for instance for want of memory."
        )
        return self._made(position, Texts(), None, (Caveat("W_LOST", text),))

    def _made(
        self, position: int, texts: Texts, account: markdown.Rendered | None, late: tuple[Caveat, ...]
    ) -> MadePage:
        entry = self.entries[position]
        page = run_page(self.entries, position, self.checks[entry.id])
        patched = read_patch(entry.patch)
        if (patched and patch.digest(patched[1])) != entry.patch_digest:
            late += (Caveat("W_CHANGED", "The patch beside it changed while the site was built; build again."),)
        shown = {"texts": texts, "account": account, "late": late, "patch": self._patch(entry, patched)}
        data, withheld = self.final.finish(page.path, self.renderer.render(page, shown))
        self.stage.put(page.path, data)
        return MadePage(
            KeptFile.of(data, is_packing=self.is_packing),
            search.document(entry, texts, account.html if account else "", self._searchable),
            late + tuple(Caveat("W_WITHHELD", _withheld(kind)) for kind in withheld),
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


def _withheld(kind: str) -> str:
    return f"A part of its page is withheld: put together, it looks like {kind}. Please report it, without the value."
