"""Pages that the site's author writes in Markdown, and figures of the runs by name, for them and for LaTeX.

`{{ figure("success", agent="trae", codebase="vllm") }}` is replaced by a figure with its interval. Nothing in a page is
run.
"""

import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations, islice, permutations, product
from pathlib import Path

from sitegen import figures
from sitegen.charts.findings import clipped, label
from sitegen.config import GROUPS, Config
from sitegen.errors import ConfigError
from sitegen.html import markdown
from sitegen.html.render import Page, View
from sitegen.model import Entry
from sitegen.numbers.estimates import Estimate, GroupFigures, estimates, group_figures
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import ScoreMeasure, score_measures
from sitegen.outcomes.study import Study
from sitegen.pages.citations import CALL, Citations, dead_links, unknown
from sitegen.pages.text_tables import latex_text
from sitegen.pages.views import score_writer
from sitegen.text.names import as_spelled, natural_order, plain_heading, slug

MAX_MACROS = 25_000  # names of figures in a file of LaTeX macros

_CALL = re.compile(r"\{\{(.*?)\}\}")
_FIGURE = re.compile(
    r"""figure\(\s*["']([^"']+)["']((?:\s*,\s*[\w.-]+\s*=\s*["'][^"']*["'])*)\s*\)"""
)
_WHERE = re.compile(r"""([\w.-]+)\s*=\s*["']([^"']*)["']""")
_TITLE = re.compile(
    r"^ {0,3}(?P<fence>```+(?!.*`)|~~~+).*(?:\n(?! {0,3}(?P=fence)).*)*(?:\n {0,3}(?P=fence).*)?"
    r"|^# +(?P<title>.+?)[ #]*$",
    re.MULTILINE,
)
"""A heading of the first level; blocks of code, in which `#` begins a comment, are passed over."""
_EXAMPLE = '`{{ figure("success", agent="trae") }}`'


@dataclass(frozen=True, slots=True)
class OwnPage:
    """A page that the author wrote."""

    path: str
    title: str  # its first heading, else the name of its file
    file: str
    text: str


class Figures:
    """The figures of all runs and of groups of them, as text."""

    def __init__(self, config: Config, study: Study) -> None:
        self._study = study
        self._question = config.intervals
        self._measures = {f"score.{each.name}": each for each in score_measures(study.entries)}
        self._estimates = cache(self._estimates_of)

    @cached_property
    def names(self) -> list[str]:
        """The names that runs can be grouped by."""
        return list(dict.fromkeys([*self._factors, *self._study.categories]))

    @property
    def _factors(self) -> list[str]:
        """The names of pairs of groups that have figures too."""
        return list(dict.fromkeys([*GROUPS, *(each.name for each in self._study.factors)]))

    def groups(self, name: str) -> list[str]:
        """Return the values of one of `names`, in natural order."""
        values = {
            value for entry in self._study.entries if (value := self._study.part(entry, name))
        }
        return sorted(values, key=natural_order)

    def figure(self, measure: str, where: Mapping[str, str]) -> str:
        """Return a figure with its interval: `62 % (95% interval 48 to 75 %)`. Raises: LookupError, with a sentence."""
        chosen: dict[str, str] = {}
        for name, value in where.items():
            if name not in self.names:
                raise LookupError(f"runs have no '{name}'; they have {', '.join(self.names)}")
            known = self.groups(name)
            labelled = {label(each): each for each in reversed(known)}
            at = as_spelled(value, known) or labelled.get(as_spelled(value, labelled) or "")
            if at is None:
                if not known:
                    raise LookupError(f"no run has a {name}")
                raise LookupError(
                    f"no run has the {name} '{value}'; there are {clipped(', '.join(known), 300)}"
                )
            chosen[name] = at
        found = self._estimates(tuple(sorted(chosen.items())))
        if not found:
            raise LookupError(f"no run is in {' and '.join(where.values())}")
        if measure not in found:
            raise LookupError(
                f"there is no figure '{measure}' of these runs; there are {', '.join(found)}"
            )
        return self._text(measure, found[measure])

    def all(self) -> Iterator[tuple[str, Mapping[str, str], str]]:
        """Yield every figure of all runs, of each group and of each pair of groups, with its name."""
        ways: list[tuple[str, ...]] = [
            (),
            *((name,) for name in self.names),
            *combinations(self._factors, 2),
        ]
        for names in ways:
            parts = {
                tuple(self._study.part(entry, name) for name in names)
                for entry in self._study.entries
            }
            known = [tuple(map(str, values)) for values in parts if None not in values]
            for values in sorted(known, key=lambda each: natural_order(" ".join(each))):
                where = dict(zip(names, values, strict=True))
                for measure, found in self._estimates(tuple(sorted(where.items()))).items():
                    yield measure, where, self._text(measure, found)

    def _estimates_of(self, where: tuple[tuple[str, str], ...]) -> dict[str, Estimate]:
        runs: Sequence[Entry] = [
            entry
            for entry in self._study.entries
            if all(self._study.part(entry, name) == at for name, at in where)
        ]
        if not runs:
            return {}
        group = group_figures(runs, self._question, self._measures.values())
        return dict(estimates(group)) | dict(_counts(group))

    def _text(self, measure: str, found: Estimate) -> str:
        low = -math.inf if found.low is None else found.low
        interval = Interval(low, math.inf if found.high is None else found.high)
        has_interval = found.low is not None or found.high is not None
        write = _WRITERS.get(found.unit or "")
        if write is None:
            score = self._measures.get(measure.removeprefix("median_")) or ScoreMeasure(
                measure, found.unit
            )
            write = score_writer(score, found.estimate or 0.0, interval if has_interval else None)
        text = figures.marked(write(found.estimate), found.bound == "lower")
        text = f"≈ {text}" if "computed" in measure and found.estimate is not None else text
        return (
            f"{text} (95% interval {figures.from_to(low, interval.high, write)})"
            if has_interval
            else text
        )


def _counts(group: GroupFigures) -> Iterator[tuple[str, Estimate]]:
    """Yield how many runs a group has, how many of them are judged, and how many passed."""
    success, runs = group.success, group.summary.runs
    counts = {"runs": runs, "judged_runs": success.judged, "passed_runs": success.passed}
    for name, count in counts.items():
        yield name, Estimate(count, None, None, runs, 0, "exact", "runs")


_WRITERS: dict[str, figures.Write] = {
    "USD": figures.money,
    "tokens": figures.count_short,
    "ms": figures.duration,
    "turns": figures.count,
    "runs": figures.count,
    "share": figures.share,
}


def read(config: Config, templates: Container[str]) -> tuple[OwnPage, ...]:
    """Return the pages that the settings name; those of `templates` have their names already. Raises: ConfigError."""
    found: dict[str, OwnPage] = {}
    for file in config.pages:
        try:
            text = Path(file).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeError) as error:
            raise ConfigError(f"pages: {file} cannot be read as UTF-8 text: {error}.") from None
        path = f"{slug(Path(file).stem)}.html"
        if path in found or f"{path}.jinja" in templates:
            raise ConfigError(
                f"pages: {file} would be {path}, which is another page; rename the file."
            )
        title = _title(text)
        found[path] = OwnPage(
            path, plain_heading(title["title"]) if title else Path(file).stem, file, text
        )
    return tuple(found.values())


class WrittenPages:
    """The author's pages with their figures, citations, charts and tables."""

    def __init__(
        self,
        pages: Sequence[OwnPage],
        of_runs: Figures,
        cited: Citations,
        charts: Mapping[str, str],
    ) -> None:
        """`charts` are those of the site as HTML, by name."""
        self._pages = pages
        self._figures = of_runs
        self._cited = cited
        self._charts = charts
        self._bodies: dict[str, str] = {}
        self._faults: list[str] = []  # what pages name and nothing has, each with file and line

    def pages(self) -> Iterator[Page]:
        """Yield the pages. What they name and nothing has stays as it is; `refuse_faults` reports it."""
        for page in self._pages:
            parts = _CALL.split(page.text)  # what is between two calls, then a call, and so on
            parts[1::2] = [self._replacement(page, call) for call in _CALL.finditer(page.text)]
            text = "".join(parts)
            if title := _title(text):  # it stands above it
                text = text[: title.start()] + text[title.end() :]
            body = markdown.render(text, is_own=True)
            content = self._cited.without_dead_ends(body.html)
            for name, chart in self._charts.items():
                content = content.replace(f"<p>{_place_of(name)}</p>", chart)
            self._bodies[page.path] = content
            view = View(body=replace(body, html=content))
            yield Page(page.path, "own.html.jinja", page.title, page.title, page.path, view)

    def refuse_faults(self, paths: Iterable[str]) -> None:
        """Check the links of all pages against the `paths` of the site. Raises: ConfigError, with a line for each name
        and link that leads nowhere, with its file and line."""
        known = frozenset(paths)
        for page in self._pages:
            end: dict[str, int] = {}  # of the last link to each address
            for address in dead_links(self._bodies[page.path], known):
                link = re.compile(
                    rf"(?:\]\(<?|\]:\s*<?|[\"'<]){re.escape(address)}(?=[\s)>\"'#?]|$)"
                )
                found = link.search(page.text, end.get(address, 0))
                end[address] = found.end() if found else end.get(address, 0)
                text = f"the site has no page {clipped(address, 200)}"
                self._faults.append(str(error_at(page, end[address], text)))
        if self._faults:
            raise ConfigError("\n".join(self._faults))

    def remarks(self) -> list[str]:
        """Return what was cited that a filter left out."""
        names = ", ".join(self._cited.unlinked)
        return [f"pages: no link leads to {names}: left out by a filter."] if names else []

    def _replacement(self, page: OwnPage, call: re.Match[str]) -> str:
        """Return what takes the place of a call: the call itself where it names what nothing has."""
        try:
            return self._made(page, call)
        except ConfigError as fault:
            self._faults.append(str(fault))
            return call[0]

    def _made(self, page: OwnPage, call: re.Match[str]) -> str:
        """Return what takes the place of a call. Raises: ConfigError."""
        if not (cites := CALL.fullmatch(call[1].strip())):
            return figure_of(page, call, self._figures)[1]
        try:
            if cites[1] != "chart":
                return self._cited.markdown(*cites.groups())
            if cites[2] in self._charts:
                return f"\n\n{_place_of(cites[2])}\n\n"
            raise unknown("chart", cites[2], list(self._charts))
        except LookupError as error:
            raise error_at(page, call.start(), error.args[0]) from None


def _place_of(chart: str) -> str:
    """Return the text in whose place a chart comes once the page is HTML."""
    return f"sitegen chart {chart.encode().hex()}"


def error_at(page: OwnPage, at: int, text: str) -> ConfigError:
    """Return an error with the file and the line of a place in a page."""
    line = page.text.count("\n", 0, at) + 1
    return ConfigError(f"{page.file}:{line}: {text}.")


def numbers_by_hand(page: OwnPage, of_runs: Figures) -> Iterator[str]:
    """Yield the numbers in a page that no `figure()` made, each with a figure that has this value, if one has."""
    text = _CODE.sub(_blank, page.text)
    names = {value for name in of_runs.names for value in of_runs.groups(name)}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, _SPACE * len(name))
    made: dict[str, str] = {}
    for measure, where, shown in of_runs.all():
        groups = "".join(f', {name}="{value}"' for name, value in where.items())
        value = _BLANK.sub("", shown.partition(" (")[0]).strip("≈+")
        made.setdefault(value, f'{{{{ figure("{measure}"{groups}) }}}}')
    for number in _NUMBER.finditer(text):
        value = _BLANK.sub("", number[0])
        line = text.count("\n", 0, number.start()) + 1
        has = f"{made[value]} has this value" if value in made else "no figure has this value"
        yield f"{page.file}:{line}: {number[0]} is typed by hand; {has}."


_SPACE = " "
_BLANK = re.compile(r"\s")
_CODE = re.compile(
    r"\{\{.*?\}\}|^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)|`[^`\n]*`|\]\([^)\n]*\)|https?://\S+|^\s*[0-9]+[.)] |^#+ [^\n]*$",
    re.MULTILINE | re.DOTALL,
)
_NUMBER = re.compile(
    r"(?<![\w.,/-])\$?[0-9](?:[0-9.,]*[0-9])?(?:\s?%|\s?(?:k|M|s|ms|min|points)\b)?(?![\w/-])"
)


def _blank(part: re.Match[str]) -> str:
    """Return as many lines as a part of a page has."""
    return re.sub(r"[^\n]", _SPACE, part[0])


def _title(text: str) -> re.Match[str] | None:
    return next((found for found in _TITLE.finditer(text) if found["title"]), None)


def quoted(page: OwnPage, of_runs: Figures) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each figure that a page quotes. Raises: ConfigError."""
    for call in _CALL.finditer(page.text):
        if not CALL.fullmatch(call[1].strip()):
            yield figure_of(page, call, of_runs)


def figure_of(page: OwnPage, call: re.Match[str], of_runs: Figures) -> tuple[str, str]:
    """Return the name and the text of a figure that a page quotes. Raises: ConfigError."""
    named = _FIGURE.fullmatch(call[1].strip())
    if named is None:
        text = f"`{clipped(call[0], 84)}` is not a figure, write it like {_EXAMPLE}"
        raise error_at(page, call.start(), text)
    where = dict(_WHERE.findall(named[2]))
    try:
        figure = of_runs.figure(named[1], where)
    except LookupError as error:
        raise error_at(page, call.start(), error.args[0]) from None
    return ", ".join((named[1], *map("=".join, where.items()))), figure


def latex_macros(of_runs: Figures, of_pages: Iterable[tuple[str, str]] = ()) -> str:
    """Return `\\sitegenfigure{success, agent=trae}` as LaTeX: the figures that pages quote, then those of all runs, of
    each group and of each pair of groups, by the same names."""
    lines = [
        r"% \sitegenfigure{success} is a figure with its interval; one that is not here is an error.",
        r"\newcommand\sitegenfigure[1]{\ifcsname sitegen@#1\endcsname\csname sitegen@#1\endcsname"
        r"\else\GenericError{}{sitegen has no figure `#1'}{}{}\fi}",
    ]
    texts: dict[str, set[str]] = {}
    all_ = list(islice(of_runs.all(), MAX_MACROS + 1))
    groups = {group for _, where, _ in all_ for group in where.items()}
    found = [([name], text) for name, text in of_pages]
    found += [(list(_macro_names(measure, where, groups)), text) for measure, where, text in all_]
    for part in (slice(1), slice(1, None)):  # all figures come before further names of one
        for names, text in found:
            for name in names[part]:
                texts.setdefault(_IN_NAME.sub("-", name), set()).add(text)
    for name, different in islice(texts.items(), MAX_MACROS):
        if len(different) > 1:  # a%b and a-b: which is meant cannot be told
            lines.append(f"% {name}: left out, because several figures have this name in LaTeX.")
        else:
            lines.append(
                rf"\expandafter\def\csname sitegen@{name}\endcsname{{{latex_text(different.pop())}}}"
            )
    if len(texts) > MAX_MACROS:
        lines.append(f"% {MAX_MACROS} names of figures are here, more are left out.")
    return "\n".join(lines) + "\n"


def _macro_names(
    measure: str, where: Mapping[str, str], groups: Container[tuple[str, str]]
) -> Iterator[str]:
    """Yield the names that a page accepts for a figure: groups in any order, each in full or as charts label it where
    no other of the `groups` is called so."""
    written = [
        [
            f"{name}={value}",
            *(f"{name}={each}" for each in (label(value),) if (name, each) not in groups),
        ]
        for name, value in where.items()
    ]
    for order in permutations(written):
        yield from (", ".join((measure, *groups)) for groups in product(*order))


_IN_NAME = re.compile(r"[\\{}%#^~$&\x00-\x1f]")
"""The characters that the name of a macro cannot have; a hyphen takes its place."""
