"""On a page with a table, a masked value has one number: in its HTML, in all scripts of its rows and in live charts."""

from __future__ import annotations

import json
import re
import runpy
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sitegen import build as builder
from sitegen.config import Config, Input
from sitegen.masking.redact import Redactor, mask
from sitegen.model import Entry
from sitegen.numbers.statistics import summarize
from sitegen.pages.site import Site
from sitegen.pages.table import rows
from sitegen.pages.table.run_table import RunTable
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import SONNET, bare, result, usage

ENTRY: Callable[[int, int], Entry] = runpy.run_path(str(ROOT / "benchmarks" / "table.py"))["entry"]
KIND = "e-mail address"
MAILS = sorted(
    (f"ann{n}@harbour-post" + ".org" for n in range(9)), key=lambda mail: mask(KIND, mail)
)
"""In the order in which their masks are listed."""
ROWS = 10
"""Of a block."""


@dataclass
class Shown:
    """What a page and its scripts say, each with its own numbers of masks."""

    offered: dict[str, int]
    """Labels that the page offers, and how many runs have each."""
    labels: dict[str, int]
    """The same of all labels, as the scripts have them."""
    names: set[tuple[str, str]]
    """Page id and name of each run, as the page and the scripts have it."""


def block_of(script: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(script.read_text().partition("=")[2].rstrip(";\n"))
    return found


def head_of(script: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(block_of(script)["head"])
    return found


def shown(page: Path, scripts: list[Path]) -> Shown:
    html = page.read_text()
    box = re.search(r'data-facet="labels".*?</div>', html, re.DOTALL)
    offered = re.findall(
        r'<button[^>]* value="([^"]*)".*?<small>(\d+)</small>', box[0] if box else ""
    )
    names = set(
        re.findall(r'<th scope="row"[^>]*><a href="[./]*runs/([^"]+)\.html"[^>]*>([^<]+)</a>', html)
    )
    blocks = list(map(block_of, scripts))
    columns = {each["key"]: each for each in head_of(scripts[0])["columns"]}
    codes: Counter[int] = Counter()
    for block in blocks:
        ids = [
            stem + each for stem, *rest in map(str.split, json.loads(block["ids"])) for each in rest
        ]
        names |= set(zip(ids, json.loads(block["name"]), strict=True))
        codes.update(json.loads(block["labels"]))
    labels = columns["labels"]
    of_labels = {
        labels["names"][at]: codes[code] for code, own in enumerate(labels["sets"]) for at in own
    }
    return Shown({label: int(runs) for label, runs in offered}, of_labels, names)


def built(runs: Path, pattern: str, output: Path) -> None:
    """Nothing is masked late."""
    config = Config(inputs=(Input(path=str(runs), pattern=pattern),), output=str(output))
    redactor = Redactor.for_this_machine()
    builder.build_site(
        Site.of(config, redactor, is_strict=True), lambda _, items: items, lambda _: None
    )


@pytest.fixture(params=[ROWS, 10_000])
def site(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of the first label one run, of the next two, and on up to eight: more labels than a page offers."""
    monkeypatch.setattr(rows, "ROWS_PER_BLOCK", request.param)
    names = [f"{mail}/{n}.json" for at, mail in enumerate(MAILS) for n in range(min(at + 1, 8))]
    runs = campaigns.write(
        tmp_path / "runs", {name: bare(number) for number, name in enumerate(names, 1)}
    )
    built(runs, "{label}/{attempt}.json", tmp_path / "site")
    return tmp_path / "site"


def test_a_page_and_its_scripts_number_masks_alike(site: Path) -> None:
    """Else a filter would show the runs of another name than the one that was chosen."""
    scripts = sorted(
        site.glob("data/rows*.js"), key=lambda path: int((re.findall(r"\d+", path.stem) or [1])[0])
    )
    found = shown(site / "index.html", [path for path in scripts if "further" not in path.stem])
    assert len(found.labels) == len(MAILS)
    assert len(found.offered) == 8
    assert found.offered == {label: found.labels[label] for label in found.offered}
    assert len(dict(found.names)) == len(found.names) == sum(found.labels.values()), (
        "one name for each run"
    )
    assert Counter(name.partition("/")[0] for _, name in found.names) == found.labels


def test_live_charts_name_models_as_the_filters_of_the_table_do(tmp_path: Path) -> None:
    models = {mail: usage(SONNET, 9 - at) for at, mail in enumerate(MAILS[:4])}
    runs = {
        f"t{n}/{at}.json": result(9 * n + at + 1, modelUsage={mail: models[mail]})
        for n in (0, 1)
        for at, mail in enumerate(models)
    }
    built(campaigns.write(tmp_path / "runs", runs), "{task}/{attempt}.json", tmp_path / "site")
    (model,) = (
        each
        for each in head_of(tmp_path / "site" / "data" / "rows.js")["columns"]
        if each["key"] == "model"
    )
    named = {(slug, name) for (slug,), name in zip(model["looks"], model["names"], strict=True)}
    data = (tmp_path / "site" / "assets" / "charts-data.js").read_text()
    spec = json.loads(json.loads(data[data.index("(") + 1 : data.rindex(")")]))["cost-by-turns"][
        "spec"
    ]
    encodings = [each["encoding"] for each in (spec, *spec.get("layer", ())) if "encoding" in each]
    colors = next(
        each["color"]["scale"] for each in encodings if "scale" in (each.get("color") or {})
    )
    slugs = [color.removeprefix("var(--m-").removesuffix(")") for color in colors["range"]]
    assert set(zip(slugs, colors["domain"], strict=True)) == named
    assert len(named) == len(models)


def test_a_version_tells_nothing_of_what_a_mask_stands_for() -> None:
    """It is published: of an address, others could try which one leads to it."""

    def versions(*mails: str) -> list[str]:
        runs = [
            replace(ENTRY(n, len(mails)), labels=(mask(KIND, mail),))
            for n, mail in enumerate(mails)
        ]
        return [
            each.version for each in RunTable(runs, summarize(runs), "index", "data/rows").scripts()
        ]

    assert versions("a", "a") == versions("b", "b")
    assert versions("a", "a") != versions("a", "b")
