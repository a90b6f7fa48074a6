"""`sitegen diff`: every figure that changed, with both values, and no difference that damaged data could hide."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen


def built(folder: Path, **changes: Any) -> Path:
    models = {
        f"runs/t{n // 2}/{n % 2}.json": result(n, (OPUS, SONNET)[n % 2], **changes)
        for n in range(2, 12)
    }
    settings = 'inputs: [{path: runs, pattern: "{task}/{attempt}.json"}]\n'
    campaigns.write(folder, {**models, "config.yaml": settings})
    for command, name in (("build", "site"), ("pack", "pack.zip")):
        done = sitegen(command, "-o", name, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("diff")
    return built(folder / "old"), built(folder / "new", total_cost_usd=9.5)


def test_sites_and_packs_alike(both: tuple[Path, Path]) -> None:
    old, new = both
    told = {
        sitegen("diff", old / one, new / two).stdout
        for one in ("site", "pack.zip")
        for two in ("site", "pack.zip")
    }
    (text,) = told
    assert "all: total_cost_usd" in text and "-> 95 USD" in text and "tokens" not in text
    assert re.search(
        r"model Claude Sonnet 4.5 against Claude Opus 4.5: cost_usd ratio .* -> 1 ratio", text
    )
    assert sitegen("diff", old / "site", new / "site").returncode == 1
    backwards = sitegen("diff", new / "site", old / "site").stdout
    assert len(backwards.splitlines()) == len(text.splitlines()) and "95 USD ->" in backwards
    same = sitegen("diff", old / "site", old / "pack.zip")
    assert same.returncode == 0 and same.stdout.startswith("0 of ")


def test_a_small_change_of_a_large_figure_is_seen(tmp_path: Path) -> None:
    for name, tokens in (("a", 12_345_678), ("b", 12_345_679)):
        stated = {"estimate": tokens, "low": None, "high": None, "bound": "exact", "unit": "tokens"}
        groups = [{"by": "all", "name": None, "figures": {"total_tokens": stated}}]
        text = json.dumps({"schema": 1, "groups": groups, "comparisons": []})
        campaigns.write(tmp_path, {f"{name}/data/figures.json": text})
    assert "12345678 tokens -> 12345679 tokens" in " ".join(
        sitegen("diff", tmp_path / "a", tmp_path / "b").stdout.split()
    )


def test_a_group_that_came_or_went(both: tuple[Path, Path], tmp_path: Path) -> None:
    old, _ = both
    stated = json.loads((old / "site/data/figures.json").read_text("utf-8"))
    stated["groups"] = stated["groups"][:1]
    campaigns.write(tmp_path, {"data/figures.json": json.dumps(stated)})
    done = sitegen("diff", old / "site", tmp_path)
    assert (
        done.returncode == 1
        and "-> none" in done.stdout
        and "none ->" in sitegen("diff", tmp_path, old / "site").stdout
    )


GROUP = {
    "by": "all",
    "name": None,
    "figures": {"n": {"estimate": 1, "low": None, "high": None, "bound": "exact", "unit": ""}},
}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"schema": 1}',
        '{"schema": 1, "groups": [], "comparisons": []}',
        '{"schema": 99, "groups": []}',
        json.dumps({"schema": 1, "groups": [GROUP, GROUP], "comparisons": []}),
        json.dumps({"schema": 1, "groups": {"a": GROUP}, "comparisons": []}),
        json.dumps({"schema": 1, "groups": [GROUP], "comparisons": []})
        .replace(": 1,", ': "1",', 2)
        .replace('"1"', "1", 1),
        json.dumps({"schema": 1, "groups": [GROUP], "comparisons": []}).replace(
            '"exact"', '"sure"'
        ),
        json.dumps({"schema": 1, "groups": [GROUP], "comparisons": []}).replace(
            '"estimate": 1', '"estimate": 1e999'
        ),
        '{"schema": 1, "groups": ' + "[" * 100_000,
    ],
)
def test_damaged_figures_are_never_equal(text: str, tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"a/data/figures.json": text})
    done = sitegen("diff", tmp_path / "a", tmp_path / "a")
    assert (done.returncode, done.stdout) == (2, "") and "figures.json: " in done.stderr


def test_a_figure_that_both_do_not_know_has_not_changed(tmp_path: Path) -> None:
    """Whether it is there as unknown or not at all."""
    unknown = {"estimate": None, "low": None, "high": None, "bound": "none", "unit": "USD"}
    known = {**unknown, "estimate": 2, "bound": "lower"}
    for name, figure in (
        ("absent", {}),
        ("unknown", {"x": unknown}),
        ("other", {"x": {**unknown, "unit": "%"}}),
    ):
        figures = {"runs": {**known, "unit": "runs"}, **figure}
        groups = [{"by": "all", "name": None, "figures": figures}]
        campaigns.write(
            tmp_path / name, {"data/figures.json": json.dumps({"schema": 1, "groups": groups})}
        )
    campaigns.write(
        tmp_path / "known",
        {
            "data/figures.json": json.dumps(
                {"schema": 1, "groups": [{**groups[0], "figures": {**figures, "x": known}}]}
            )
        },
    )
    for old, new in product(("absent", "unknown", "other"), repeat=2):
        done = sitegen("diff", tmp_path / old, tmp_path / new)
        assert done.returncode == 0 and done.stdout.startswith("0 of "), done.stdout
    for old, word in (("absent", "none"), ("unknown", "unknown")):
        assert f"x {word} -> 2+ USD" in sitegen("diff", tmp_path / old, tmp_path / "known").stdout
