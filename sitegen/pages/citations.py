"""Citations of runs, comparisons and tasks in pages that the author wrote, charts and tables by name, and their links.

`{{ run("export · Opus 4.5 · 2") }}` becomes the name of that run, as a link to its page. What a filter left out is named
without a link, and a remark says so. What leads nowhere is an error.
"""

import difflib
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from urllib.parse import unquote

from sitegen.charts.findings import clipped
from sitegen.model import Entry
from sitegen.outcomes.study import Study
from sitegen.pages.compare import Comparisons, pair_path
from sitegen.pages.study_page import tables
from sitegen.pages.text_tables import markdown_text
from sitegen.pages.views import group_path
from sitegen.text.names import natural_order

CALL = re.compile(
    r"""(run|compare|task|chart|table)\(\s*["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?\s*\)"""
)
_LINK = re.compile(r"""<a\b[^>]*?href="([^"]*)"[^>]*>(.*?)</a>""", re.DOTALL)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|mailto:", re.IGNORECASE)
MAX_NAMED = 3


class Citations:
    """The runs, tasks and comparisons that pages may cite."""

    def __init__(self, study: Study, compared: Comparisons, left_out: Sequence[Entry]) -> None:
        self._study = study
        self._compared = compared
        self._left_out = {name: run for run in left_out for name in names_of(run)}
        self.left_out_pages = {page_of(run) for run in left_out}
        self.unlinked: dict[str, None] = {}
        """The names that were cited and have no page, since a filter left their runs out."""

    @cached_property
    def _runs(self) -> Mapping[str, Entry]:
        return {name: run for run in self._study.entries for name in names_of(run)}

    def markdown(self, kind: str, first: str, second: str | None) -> str:
        """Return a citation as Markdown. Raises: LookupError, with a sentence."""
        if (kind == "compare") != (second is not None):
            raise LookupError(f"{kind} takes {'two names' if kind == 'compare' else 'one name'}")
        kinds: Mapping[str, Callable[[str], str]] = {
            "run": self._run,
            "task": self._task,
            "table": self._table,
        }
        return kinds[kind](first) if second is None else self._pair(first, second)

    def _run(self, name: str) -> str:
        key = name.casefold()
        if run := self._runs.get(key):
            return link_to(run.name, page_of(run))
        if run := self._left_out.get(key):
            self.unlinked[run.name] = None
            return markdown_text(run.name)
        raise unknown("run", name, (run.name for run in self._study.entries))

    def _task(self, name: str) -> str:
        tasks = {run.task.casefold(): run.task for run in self._study.entries if run.task}
        if task := tasks.get(name.casefold()):
            return link_to(task, group_path("task", task))
        if any(name.casefold() == (run.task or "").casefold() for run in self._left_out.values()):
            self.unlinked[name] = None
            return markdown_text(name)
        raise unknown("task", name, tasks.values())

    def _pair(self, a: str, b: str) -> str:
        wanted = {a.casefold(), b.casefold()}
        for (dimension, one, two), _ in self._compared.pairs:
            if {one.casefold(), two.casefold()} == wanted:
                return link_to(f"{one} and {two}", pair_path(dimension, one, two))
        names = (f"{one} and {two}" for (_, one, two), _ in self._compared.pairs)
        raise unknown("comparison", f"{a} and {b}", names)

    def _table(self, name: str) -> str:
        known = tables(self._study)
        if name not in known:
            raise unknown("table", name, known)
        return f"\n\n{known[name].table(self._study).to_markdown()}\n\n"

    def without_dead_ends(self, body: str) -> str:
        """Return HTML with the links to runs that a filter left out as plain text."""

        def plain(link: re.Match[str]) -> str:
            if unquote(html.unescape(link[1])).partition("#")[0] not in self.left_out_pages:
                return link[0]
            self.unlinked[html.unescape(link[1])] = None
            return link[2]

        return _LINK.sub(plain, body)


def names_of(run: Entry) -> Iterator[str]:
    """Yield the names by which a run is cited: its own, its path, and that of its page."""
    yield from (run.name.casefold(), run.source.path.casefold(), run.id)


def page_of(run: Entry) -> str:
    """Return the path of the page of a run."""
    return f"runs/{run.id}.html"


def link_to(name: str, path: str) -> str:
    """Return a link in Markdown."""
    return f"[{markdown_text(name)}]({path})"


def unknown(kind: str, name: str, known: Iterable[str]) -> LookupError:
    """Return an error about a name that nothing has, with the nearest ones."""
    names = sorted(known, key=natural_order)
    near = difflib.get_close_matches(name, names, MAX_NAMED, 0.4) or names[:MAX_NAMED]
    there = f"; there are {clipped(', '.join(near), 200)}" if near else ""
    return LookupError(f"there is no {kind} '{name}'{there}")


def dead_links(body: str, paths: Set[str]) -> Iterator[str]:
    """Yield the links of a page that lead to no file of the site."""
    for link in _LINK.finditer(body):
        address = html.unescape(link[1])
        path = unquote(re.split("[#?]", address)[0])
        if _ELSEWHERE.match(address) or path.removeprefix("./") in paths:
            continue
        if not path or (path.endswith("/") and f"{path}index.html" in paths):
            continue
        yield address
