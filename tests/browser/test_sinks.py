"""Every payload through every sink: whatever can be a text of a run is each of them once, opened in a real browser."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

import pytest

from tests.charts.test_chart_set import COLUMNS, walk
from tests.site.test_build import rows
from tests.support import browsers, campaigns, site_checks
from tests.support.campaigns import OPUS, SONNET
from tests.support.command import sitegen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

ROOM = 180
"""Characters of a name that are shown whole; each run's payloads share them."""


def groups(payloads: list[str]) -> list[list[str]]:
    """The payloads, as many together as fit into one name."""
    found: list[list[str]] = [[]]
    for text in sorted(payloads, key=lambda text: (len(text), text)):
        if sum(len(each) + 1 for each in found[-1]) + len(text) > ROOM and found[-1]:
            found.append([])
        found[-1].append(text)
    return found


def part_of_path(text: str) -> str:
    """The payload as far as it can be the name of a folder: a slash becomes another sign that nobody escapes."""
    name = (
        text.replace("/", "\u2215")
        .replace("\0", "")
        .encode("utf-8", "replace")[:200]
        .decode("utf-8", "ignore")
    )
    return name.lstrip(".").strip() or "empty"


def run_of(number: int, texts: list[str], model: str | None = None) -> dict[str, str | bytes]:
    """Files of one run in which each text is the payloads, also the model unless it is given."""
    joined = " ".join(texts)
    model = model or joined
    first = campaigns.usage(SONNET, number + 1)
    init = {
        "type": "system",
        "subtype": "init",
        "session_id": joined,
        "model": model,
        "cwd": joined,
    }
    init |= {"tools": texts, "claude_code_version": joined, "gitBranch": joined, joined: joined}
    wanted = [{"command": text, text: text} for text in texts]
    record = campaigns.result(
        number + 1,
        modelUsage={
            model: first,
            SONNET: {**first, "costUSD": first["costUSD"] / 2, joined: joined},
        },
        usage={"service_tier": joined, "input_tokens": joined, joined: joined},
        session_id=joined,
        uuid=f"{number}{joined}",
        subtype=joined if number % 3 == 1 else "success",
        stop_reason=joined,
        terminal_reason=joined,
        is_error=number % 3 == 2,
        errors=texts,
        permission_denials=[
            {"tool_name": text, "tool_input": w} for text, w in zip(texts, wanted, strict=True)
        ],
        structured_output={text: [text, {text: text}] for text in texts},
        result="\n\n".join(
            [f"# {' '.join(joined.split())}", f"```{joined}\n{joined}\n```", *texts]
        ),
        **{f"{number}{text}": [{text: text}] for text in texts},
    )
    stem = f"runs/{part_of_path(joined)}/{number}{part_of_path(joined)}"[:230]
    diff = "".join(f"--- a/{text}\n+++ b/{text}\n@@ -1 +1 @@\n-{text}\n+{text}\n" for text in texts)
    labels = {"labels": [joined, f"a{number}"], "outcome": joined, "scores": {joined: number}}
    labels |= {} if number % 2 else {"outcome": "pass"}
    return {
        f"{stem}.jsonl": "".join(
            f"{json.dumps(line)}\n" for line in (init, *steps_of(texts), record)
        ),
        f"{stem}.diff": diff.encode("utf-8", "replace"),
        f"{stem}.meta.json": json.dumps(labels),
        f"{stem}-broken.json": joined.encode("utf-8", "replace"),
    }


def steps_of(texts: list[str]) -> Iterator[dict[str, Any]]:
    """What an agent did: in each place of each step a payload."""
    for number, text in enumerate(texts):
        given = {
            "command": f"{text}\n{text}",
            "description": text,
            "file_path": text,
            "pattern": text,
            text: text,
        }
        edit = {"file_path": text, "old_string": text, "new_string": f"{text}\n{text}"}
        calls = [
            ("Bash", given),
            ("Edit", edit),
            ("Task", given | {"prompt": text}),
            (text, {text: [text]}),
            ("Read", given),
        ]
        blocks = [
            {"type": "text", "text": text},
            {"type": "thinking", "thinking": text, "signature": text},
        ]
        blocks += [
            {"type": "tool_use", "id": f"{number}-{at}{text}", "name": name, "input": input_}
            for at, (name, input_) in enumerate(calls)
        ]
        told = {
            "id": f"m{number}{text}",
            "model": text,
            "content": blocks,
            "usage": {"input_tokens": 9, "output_tokens": 9},
        }
        yield {
            "type": "user",
            "message": {"role": "user", "content": text},
            "uuid": f"u{number}{text}",
        }
        yield {
            "type": "assistant",
            "message": told,
            "uuid": f"a{number}{text}",
            "parent_tool_use_id": None,
        }
        answers = [
            {
                "type": "tool_result",
                "tool_use_id": block["id"],
                "content": [{"type": "text", "text": text}],
                "is_error": True,
            }
            for block in blocks[2:]
        ]
        yield {
            "type": "user",
            "message": {"role": "user", "content": answers},
            "uuid": f"r{number}{text}",
        }
        within = {
            "type": "assistant",
            "uuid": f"s{number}{text}",
            "parent_tool_use_id": f"{number}-2{text}",
        }
        yield within | {
            "message": told
            | {"id": f"n{number}{text}", "content": [{"type": "text", "text": text}]}
        }
        yield {"type": "system", "subtype": "compact_boundary", "content": text, text: text}


def transcript_of(number: int, texts: list[str]) -> dict[str, str | bytes]:
    """The transcript of the session of a run, and so of each run of the same texts."""
    common = {"sessionId": " ".join(texts), "parentUuid": None}
    told = "".join(
        f"{json.dumps(line | common | {'uuid': str(line)})}\n" for line in steps_of(texts)
    )
    return {f"runs/transcripts/{number}.jsonl": told}


@dataclass(frozen=True)
class Filled:
    """The site, and what it is full of."""

    site: Path
    payloads: list[str]
    groups: list[list[str]]


def every_payload(shared: Path) -> list[str]:
    """What stands in the list, each once."""
    lines = (shared / "hostile" / "markup.jsonl").read_text(encoding="utf-8").split("\n")
    return list(dict.fromkeys(json.loads(line)["payload"] for line in lines if line))


def fill(folder: Path, payloads: list[str]) -> Filled:
    """Build a site, by the command, whose runs are full of the payloads."""
    parts = groups(payloads)
    for number, texts in enumerate(parts):
        campaigns.write(folder, run_of(number, texts))
    # Some tasks and sessions have a second run, by another model: so there are comparisons and a page of sessions.
    again = list(enumerate(parts, len(parts)))[::30]
    for number, texts in again:
        campaigns.write(folder, run_of(number, texts, OPUS) | transcript_of(number, texts))
    text = json.dumps(
        {"inputs": [{"path": "runs", "pattern": "{task}/{_}"}], "output": "site", "steps": "full"}
    )
    campaigns.write(folder, {"config.yaml": text})
    done = sitegen("build", cwd=folder)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert len(rows(folder / "site")) == len(parts) + len(again)
    assert len(list((folder / "site/runs").glob("transcripts-*.html"))) == len(again)
    return Filled(folder / "site", payloads, parts)


@pytest.fixture(scope="module")
def filled(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """With all payloads."""
    return fill(tmp_path_factory.mktemp("sinks"), every_payload(shared))


def test_every_sink_is_filled(filled: Filled) -> None:
    """Each plain payload stands whole in the data, but for what a disk or a clean name cannot hold. (Titles are cut at
    120 characters.)"""
    found = rows(filled.site)
    for name in ("task", "model", "session_id", "uuid", "labels", "scores"):
        text = " ".join(json.dumps(row[name], ensure_ascii=False) for row in found)
        plain = [
            p
            for p in filled.payloads
            if re.fullmatch(r"[\w<>=() .-]+", p, re.ASCII) and "  " not in p
        ]
        missing = [payload for payload in plain if payload.strip() not in text]
        assert len(plain) > 40
        assert len(missing) < 4, (name, missing)


def test_what_a_run_says_stands_where_it_is_marked(tmp_path: Path) -> None:
    """Within `data-untrusted`, which is what the checks in the browser look at; drawings and titles cannot have it."""
    texts = ["hostilemark"]
    campaigns.write(
        tmp_path, {**run_of(0, texts), **run_of(1, texts, OPUS), **transcript_of(2, texts)}
    )
    done = sitegen("build", "runs", "-o", "site", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    marked = 0
    for page in site_checks.pages(tmp_path / "site"):
        for element, is_marked in _marked(site_checks.parsed(page).root, is_marked=False):
            texts = [element.text or "", *(child.tail or "" for child in element)]
            marked += is_marked and "hostilemark" in "".join(texts)
            assert is_marked or "hostilemark" not in "".join(texts), (page.name, element.tag, texts)
    assert marked > 100


def _marked(element: Element, *, is_marked: bool) -> Iterator[tuple[Element, bool]]:
    """The elements of the body outside drawings, each with whether it or one around it is marked."""
    is_marked = is_marked or "data-untrusted" in element.attrib
    yield element, is_marked
    for child in element:
        if isinstance(child.tag, str) and child.tag not in (
            "head",
            "{http://www.w3.org/2000/svg}svg",
            "svg",
        ):
            yield from _marked(child, is_marked=is_marked)


def specs(site: Path) -> Iterator[tuple[Path, Any]]:
    """Every spec that scripts of the site hold."""
    for script in sorted(site.rglob("*.js")):
        if found := re.match(
            r"window\.sitegenCharts=JSON\.parse\((.*)\)", script.read_text("utf-8"), re.DOTALL
        ):
            yield script, json.loads(json.loads(found[1]))


def test_no_spec_of_the_site_holds_what_a_run_must_not_reach(filled: Filled) -> None:
    texts = [payload for payload in filled.payloads if len(payload) > 8]
    seen = 0
    for script, charts in specs(filled.site):
        for name, parts in charts.items():
            assert re.fullmatch("[a-z0-9-]+", name), script
            spec = parts["spec"]
            for rows_of_data in spec["datasets"].values():
                for row in rows_of_data:
                    assert re.fullmatch(
                        r"((\.\./)?[a-z]+/[a-z0-9-]+\.html)?", row.get("page", "")
                    ), row
                    assert set(row) <= COLUMNS
            for path, key, value in walk({**spec, "datasets": {}}):
                seen += 1
                assert key not in FORBIDDEN, (script, path)
                # A domain and a title are values: Vega does not evaluate them.
                is_value = key in {"domain", "text", "subtitle"} and not isinstance(value, dict)
                assert (
                    is_value
                    or not any(text in str(value) for text in texts)
                    or isinstance(value, dict | list)
                ), path
                assert key != "href" or value == {"field": "page", "type": "nominal"}, path
                assert key != "field" or value in COLUMNS, path
    assert seen > 450


FORBIDDEN = {*["usermeta", "url", "signal", "params", "$schema", "embedOptions"]}


def test_a_browser_finds_nothing_on_any_page(
    filled: Filled, browser: Browser, shared: Path, sample: Callable[[list[Path], int], list[Path]]
) -> None:
    spec = importlib.util.spec_from_file_location(
        "browser_check", shared / "hostile" / "browser_check.py"
    )
    assert spec and spec.loader
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    found: dict[str, Any] = {}
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.add_init_script(check.HOOK)
        watch = site_checks.Watch(filled.site.resolve().as_uri()).over(context)
        page = context.new_page()
        pages = list(opened(filled.site))
        assert len(pages) > 1.9 * len(filled.groups)
        pages = [filled.site / "index.html", *sample(pages, 24)]
        for path in pages:
            page.goto(browsers.as_file(path))
            if path == filled.site / "index.html":
                look_at_tooltips(page)
            if path.parent.name in ("runs", "site") or path.name.startswith(
                "steps-"
            ):  # others have no texts of their own
                page.evaluate(check.POKE)
            seen = page.evaluate(f"{check.AUDIT}('[data-untrusted]', true)")
            wrong = [*seen["out"], *seen["findings"], *watch.findings]
            watch.findings.clear()
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wrong.append("wider than the window")
            if (
                wrong
                or seen["pwned"] != "undefined"
                or page.url.partition("#")[0] != browsers.as_file(path)
            ):
                found[path.name] = (wrong[:3], seen["pwned"], page.url)
    assert found == {}


def opened(site: Path) -> Iterator[Path]:
    """All pages of runs and at the top; of the groups, which have one template, each payload's task, model or label."""
    for page in site_checks.pages(site):
        kinds = ("tasks", "models", "labels")
        rank = sorted(page.parent.glob("*.html")).index(page)
        if page.parent.name not in kinds or rank % 3 == kinds.index(page.parent.name):
            yield page


def look_at_tooltips(page: Page) -> None:
    """Bring each chart to life, and the pointer onto its marks."""
    for number in range(page.locator(".chart-box").count()):
        box = page.locator(".chart-box").nth(number)
        if not box.is_visible():
            continue
        box.scroll_into_view_if_needed()
        box.hover()
        box.locator(".live svg").wait_for()
        marks = box.locator(".live .mark-rect path, .live .mark-symbol path")
        for mark in range(min(3, marks.count())):
            marks.nth(mark).hover(force=True)
            tip = page.locator(".tip")
            if tip.count():
                assert tip.locator("*").count() == 0, "a tooltip is text"
