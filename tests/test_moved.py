"""Addresses of earlier versions: each leads to its subject."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sitegen.names import page_id
from tests.support import campaigns, site_checks
from tests.support.campaigns import SONNET, result
from tests.support.command import sitegen

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]


def of_model(number: int, model: str) -> object:
    """A result of a model under an id of a route."""
    return json.loads(json.dumps(result(number, SONNET)).replace(SONNET, model))


def target(page: Path) -> str:
    """Where a page leads at once."""
    found = re.search(r'<a href="([^"]*)" data-moved>', page.read_text(encoding="utf-8"))
    assert found, page
    return str((page.parent / found[1]).resolve().name)


def test_every_address_of_an_earlier_version_leads_to_its_subject(tmp_path: Path) -> None:
    routes = ("openai/gpt-4o", "gemma3")
    files: dict[str, object] = {"config.yaml": 'inputs: [{path: runs, pattern: "{label}/{task}/*_{attempt}.json"}]\n'}
    for number in range(12):
        label, task = ("True Success", "Failure")[number % 2], f"t{number // 4}"
        files[f"runs/{label}/{task}/x_{number}.json"] = of_model(number + 1, routes[number // 2 % 2])
    copy = "runs/Failure/t0/again_1.json"
    files[copy] = files["runs/Failure/t0/x_1.json"]
    folder = campaigns.write(tmp_path, files)  # type: ignore[arg-type]
    done = sitegen("build", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    site = folder / "site"
    (now,) = (site / "models").glob("gpt-4o-*.html")
    assert target(site / "models" / f"{page_id(routes[0], routes[0])}.html") == now.name
    name = "\0".join(("model", "gemma3", routes[0]))
    (pair,) = (site / "compare").glob("gemma3-and-gpt-4o-*.html")
    assert target(site / "compare" / f"{page_id(f'gemma3 and {routes[0]}', name)}.html") == pair.name
    name = "\0".join(("label", "Failure", "True Success"))
    assert target(site / "compare" / f"{page_id('Failure and True Success', name)}.html") == "compare.html"
    runs = {path.stem for path in (site / "runs").glob("*.html")}
    shown = {page_id(path[5:], path[5:]) for path in (copy, "runs/Failure/t0/x_1.json")} & runs
    (moved,) = [run for run in shown if " data-moved>" in (site / "runs" / f"{run}.html").read_text()]
    assert target(site / "runs" / f"{moved}.html") == f"{(shown - {moved}).pop()}.html"
    assert site_checks.findings(site) == []
