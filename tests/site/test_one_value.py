"""On one page, and across the first page, its charts and the pages of groups, a label has one value in one format;
counts in sentences are those of what they lead to. Over generated shapes, the demo, and folders of real runs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urldefrag

import pytest

from tests.support import site_checks
from tests.support.command import sitegen
from tests.support.labelled import Labelled, agree, labelled, short, text
from tests.support.shapes import SHAPES, campaign, many

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

pytestmark = pytest.mark.blank_charts

ABOUT_ONE = ("models/", "configurations/", "campaigns/")
"""Pages about a group that has a row in tables of the first page."""


def contradictions(found: Iterable[Labelled]) -> list[str]:
    """Labels of which two figures do not agree."""
    by_label = defaultdict(list)
    for each in found:
        by_label[each.label, each.of].append(each)
    return [
        f"{label}, {of}: {one.value} in {one.where}, {other.value} in {other.where}"
        for (label, of), (one, *others) in by_label.items()
        for other in others
        if not agree(one.value, other.value)
    ]


def of_site(site: Path) -> list[str]:
    """All that contradicts on its pages, but for those of single runs."""
    found, across = [], []
    for page in site_checks.pages(site):
        name = page.relative_to(site).as_posix()
        if name.startswith(("runs/", "sessions/", "search")):
            continue
        own = list(labelled(page))
        found += [f"{name}: {each}" for each in contradictions(own)]
        if name == "index.html":
            across += own
        elif name.startswith(ABOUT_ONE):
            about = short(text(next(site_checks.parsed(page).root.iter("h1"))))
            across += [
                Labelled(each.label, about, each.value, name)
                for each in own
                if each.where == "figures"
            ]
    return found + contradictions(across) + counts_of(site)


def counts_of(site: Path) -> list[str]:
    """Links of the first page that begin with another number than what they lead to."""
    root = site_checks.parsed(site / "index.html").root
    facets = {
        (box.get("data-facet"), button.get("value")): text(button.find("small"))  # type: ignore[arg-type]
        for box in root.iter("div")
        if box.get("data-facet")
        for button in box.iter("button")
    }
    problems = site_checks.parsed(site / "problems.html").root
    heads = {
        head.get("id"): "".join(text(each) for each in head.iter("span"))
        for head in problems.iter("h2")
    }
    found = []
    for link in root.iter("a"):
        number = re.match(r"([\d,]+) ", text(link))
        page, anchor = urldefrag(link.get("href") or "")
        if not number or not anchor:
            continue
        told = [facets.get(each, number[1]) for each in parse_qsl(anchor)[:1]] if not page else []
        told += [heads[anchor].partition(", ")[0]] if page == "problems.html" else []
        found += [f"{text(link)!r} leads to {each}" for each in told if each != number[1]]
    return found


def titles_of(site: Path) -> list[str]:
    """Figures in titles of charts that are not in the table below, on the index."""
    found = []
    for figure in site_checks.parsed(site / "index.html").root.iter("figure"):
        title = text(next(figure.iter("h3")))
        rows = [row for part in figure.iter("tbody") for row in part]
        heads = [text(head) for head in next(figure.iter("thead")).iter("th")]
        cells = {
            f"${text(cell).rstrip('+')}"
            for row in rows
            for head, cell in zip(heads, row, strict=False)
            if head.endswith("$")
        }
        found += [
            f"{title!r}: {money}"
            for money in re.findall(r"\$[\d.,]+\d", title)
            if money not in cells
        ]
    return found


def built(settings: Path, *more: str) -> Path:
    """The site of these settings, or of a folder."""
    given = ("-c", settings) if settings.is_file() else (settings,)
    site = settings.parent / "site" if settings.is_file() else Path(more[1])
    made = sitegen("build", "-q", *given, *more)
    assert made.returncode == 0, made.stderr
    return site


@pytest.mark.parametrize("shape", SHAPES)
def test_a_label_has_one_value_in_each_shape(
    shape: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    given = many(shape) if request.config.getoption("--all") else SHAPES[shape]
    site = built(campaign(tmp_path, **given))
    assert of_site(site) == []
    assert titles_of(site) == []
    dollars = [
        text(title)
        for figure in site_checks.parsed(site / "index.html").root.iter("figure")
        for title in figure.iter("h3")
        if "$" in text(title)
    ]
    assert dollars or shape in ("one-run", "all-failed")
    assert all(title.count("≈ $") == title.count("$") * (shape == "no-cost") for title in dollars)
    names = [text(row) for row in _names(site)]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def _names(site: Path) -> list[Element]:
    table = next(
        each
        for each in site_checks.parsed(site / "index.html").root.iter("table")
        if each.get("id")
    )
    return [
        head
        for head in table.iter("th")
        if head.get("scope") == "row" and head.find("a") is not None
    ]


def test_a_label_has_one_value_in_the_demo(demo_site: Path) -> None:
    assert of_site(demo_site) == []
    assert titles_of(demo_site) == []


def test_a_label_has_one_value_in_real_folders(
    shared: Path, sample: Callable[[Sequence[Path], int], list[Path]], tmp_path: Path
) -> None:
    folders = [
        each
        for kind in ("runs", "more-runs")
        for each in sorted((shared / kind).iterdir())
        if each.is_dir()
    ]
    found = {}
    for folder in sample(folders, 16):
        site = tmp_path / folder.name
        if sitegen("build", "-q", folder, "-o", site).returncode == 0:
            found[folder.name] = of_site(site) + titles_of(site)
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_the_collector_finds_two_values_and_two_formats(tmp_path: Path) -> None:
    head = "<table><thead><tr><th>Model</th><th>{}</th></tr></thead>"
    row = "<tbody><tr><th>A</th><td class=n>{}</td></tr></tbody>"
    for one, other, is_same in [
        (("Cost, $", "0.50"), ("Cost", "$0.50"), True),
        (("Cost, $", "0.50"), ("Cost", "$0.5"), False),
        (("Speedup, x", "1.0"), ("Speedup", "1x"), False),
        (("Tokens, k", "1,969"), ("Tokens", "1.97 M"), True),
        (("Tokens, k", "1,969"), ("Tokens", "1.96 M"), False),
        (("Time, min:s", "4:48"), ("Time", "4 min 48 s"), True),
        (("Time, min:s", "4:48"), ("Time", "4 min 50 s"), False),
    ]:
        tables = "".join(
            head.format(label) + row.format(value) + "</table>" for label, value in (one, other)
        )
        page = tmp_path / f"{len(list(tmp_path.iterdir()))}.html"
        page.write_text(f"<!doctype html><title>x</title>{tables}", "utf-8")
        assert (contradictions(labelled(page)) == []) is is_same, (one, other)
