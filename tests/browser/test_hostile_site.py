"""A site of hostile texts, each payload in the field it was written for, opened and poked in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.inputs.campaigns.test_packs import same
from tests.site.test_build import rows
from tests.support import browsers, campaigns, site_checks
from tests.support.campaigns import SONNET
from tests.support.command import sitegen

pytestmark = pytest.mark.slow

RUNS = 26
"""Enough for the fields of which a run has only one, and for what must stand last in its summary."""


@dataclass(frozen=True)
class Payload:
    """A line of the list."""

    id: str
    field: str
    text: str


@dataclass
class Summary:
    """Payloads that share one page without touching each other."""

    parts: list[Payload] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    is_open_ended: bool = False

    @property
    def text(self) -> str:
        """Each payload below a heading of its own."""
        return "".join(f"## {part.id}\n\n{part.text}\n\n" for part in self.parts)


SWALLOWS = re.compile(
    r"<(?:!--(?![^>]*-->)|plaintext|textarea|xmp)|^(?:`{3,}|~{3,})(?!(?:.*\n)*?(?:`{3,}|~{3,})$)",
    re.M,
)
"""May take what follows for its own, whatever reads it: so nothing follows."""
LABEL = re.compile(r"^ {0,3}\[([^\]]+)\]:", re.MULTILINE)
"""A definition, of which the first in a text counts."""


def summaries(payloads: list[Payload]) -> list[Summary]:
    """RUNS summaries that hold all payloads."""
    found = [Summary() for _ in range(RUNS)]
    last = [payload for payload in payloads if SWALLOWS.search(payload.text)]
    for payload in [payload for payload in payloads if payload not in last] + last:
        labels = set(LABEL.findall(payload.text))
        free = [s for s in found if not s.is_open_ended and not labels & s.labels]
        summary = min(free, key=lambda summary: len(summary.parts))
        summary.parts.append(payload)
        summary.labels |= labels
        summary.is_open_ended = payload in last
    return found


def file_name(text: str) -> str | None:
    """The payload as the path of a file; None where the disk cannot have it, or where it would not be looked at."""
    parts = f"{text}.jsonl".split("/")
    possible = "\0" not in text and all(
        part not in ("", ".", "..") and not part.startswith(".") and len(part.encode()) < 250
        for part in parts
    )
    return text + ".jsonl" if possible else None


class Fields:
    """Deals out the payloads: run after run takes those of a field in turn."""

    def __init__(self, payloads: list[Payload]) -> None:
        self._by_field: dict[str, list[str]] = defaultdict(list)
        for payload in payloads:
            self._by_field[payload.field].append(payload.text)
        self.placed: set[tuple[str, str]] = set()

    def of(self, number: int, *names: str) -> list[str]:
        """The payloads of these fields that are this run's; together all runs have all."""
        found = [(name, text) for name in names for text in self._by_field[name][number::RUNS]]
        self.placed.update(found)
        return [text for _, text in found]

    def one(self, number: int, name: str, otherwise: str) -> str:
        """The only payload of a field that has no more than one for each run."""
        return next(iter(self.of(number, name)), otherwise)


def hostile_run(number: int, fields: Fields, summary: str) -> str:
    """A stream in which whatever can be a text is hostile."""
    session = fields.one(number, "session_id", f"session {number}")
    charts, values, cells = (fields.of(number, name) for name in ("vega", "json_value", "csv_cell"))
    feed, paths, tools = (
        fields.of(number, name) for name in ("atom", "path", "permission_denials.tool_name")
    )
    models = [*fields.of(number, "model"), *charts] or [SONNET]
    first = campaigns.usage(SONNET, number + 1)
    ledger = {
        model: {**first, "costUSD": first["costUSD"] / (place + 1)}
        for place, model in enumerate(models)
    }
    title = fields.of(number, "title") + cells + feed
    init = {
        "type": "system",
        "subtype": "init",
        "session_id": session,
        "model": models[0],
        "cwd": fields.one(number, "cwd", "/work"),
        "gitBranch": fields.one(number, "git_branch", "main"),
        "tools": fields.of(number, "tool_name"),
        "claude_code_version": fields.one(number, "agent_version", "2.1.81"),
    }
    denials = [
        {
            "tool_name": tool,
            "tool_use_id": f"t{place}",
            "tool_input": {"file_path": text, text: [text]},
        }
        for place, (tool, text) in enumerate(
            (tool, text) for tool in tools or ["Read"] for text in paths + values
        )
    ]
    record = campaigns.result(
        number + 1,
        modelUsage=ledger,
        total_cost_usd=sum(line["costUSD"] for line in ledger.values()),
        session_id=session,
        uuid=fields.one(number, "uuid", str(uuid.UUID(int=number))),
        subtype=fields.one(number, "subtype", "success"),
        stop_reason=fields.one(number, "stop_reason", "end_turn"),
        errors=fields.of(number, "error"),
        permission_denials=denials,
        structured_output={"values": values, **{text: text for text in [*values, *cells]}},
        result="".join(f"# {' '.join(text.split())}\n\n" for text in title) + summary,
        **{text: {text: charts} for text in values},
    )
    return f"{json.dumps(init)}\n{json.dumps(record)}\n"


@dataclass(frozen=True)
class Hostile:
    """The site, and what it must be full of."""

    site: Path
    payloads: list[Payload]
    placed: set[tuple[str, str]]
    summaries: list[Summary]


@pytest.fixture(scope="module")
def hostile(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    """With all payloads."""
    return fill(tmp_path_factory.mktemp("hostile"), shared)


def fill(folder: Path, shared: Path) -> Hostile:
    """Build a site, by the command, with each payload in the field it was written for."""
    listed = (shared / "hostile" / "markup.jsonl").read_text(encoding="utf-8").split("\n")
    lines = [json.loads(line) for line in listed if line]
    payloads = [Payload(line["id"], line["field"], line["payload"]) for line in lines]
    joined = summaries([payload for payload in payloads if payload.field == "result"])
    fields = Fields(payloads)
    names = [
        name
        for kind in ("filename", "path")
        for p in payloads
        if p.field == kind and (name := file_name(p.text))
    ]
    runs = {
        f"runs/{names[number]}": hostile_run(number, fields, joined[number].text)
        for number in range(RUNS)
    }
    names_only = names[RUNS:]
    for number, name in enumerate(names_only, RUNS):
        runs.setdefault(f"runs/{name}", json.dumps(campaigns.result(number + 1)))
    titles = [
        text
        for number in range(RUNS)
        for text in fields.of(number, "config.site_title", "filename")
    ]
    fields.placed.update(("result", part.text) for summary in joined for part in summary.parts)
    settings = {
        "title": " ".join(titles),
        "description": joined[0].text,
        "inputs": ["runs"],
        "output": "site",
        "models": {SONNET: titles[0]},
    }
    campaigns.write(folder, {**runs, "config.yaml": json.dumps(settings)})
    done = sitegen("build", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert len(rows(folder / "site")) == len(runs)
    return Hostile(folder / "site", payloads, fields.placed, joined)


def test_every_payload_is_in_its_field(hostile: Hostile) -> None:
    assert len(hostile.payloads) > 600
    assert {(payload.field, payload.text) for payload in hostile.payloads} - hostile.placed == set()


def test_no_payload_of_a_summary_hides_another(hostile: Hostile) -> None:
    headings = {
        "".join(element.itertext())
        for page in hostile.site.glob("runs/*.html")
        for element in site_checks.parsed(page).elements
        if re.fullmatch("h[1-6]", str(element.tag))
    }
    assert {part.id for summary in hostile.summaries for part in summary.parts} - headings == set()


def test_pages_of_hostile_texts_are_strict_html_and_link_to_nothing_else(hostile: Hostile) -> None:
    assert site_checks.findings(hostile.site) == []


def test_a_pack_of_hostile_runs_gives_the_same_site(hostile: Hostile) -> None:
    folder = hostile.site.parent
    for command in (
        ("pack", "-o", "hostile.zip"),
        ("build", "hostile.zip", "--no-config", "-o", "again"),
    ):
        done = sitegen(*command, "-q", cwd=folder)
        assert done.returncode == 0, done.stderr
    assert same(hostile.site, folder / "again")


@pytest.mark.usefixtures("browser")
def test_a_browser_finds_nothing_that_runs_loads_or_leads_away(
    hostile: Hostile, shared: Path, sample: Callable[[list[Path], int], list[Path]], tmp_path: Path
) -> None:
    site = shutil.copytree(hostile.site, tmp_path / "site")
    pages = [page for page in site_checks.pages(site) if page.parent != site]
    for page in set(pages) - set(sample(pages, 16)):
        page.unlink()
    command = [sys.executable, shared / "hostile" / "browser_check.py", site, "--strict-dom"]
    command += ["--need-box", "runs/*.html", "--chromium", str(browsers.executable())]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    said = json.loads(done.stdout.splitlines()[-1])
    assert (said["bad"], said["kinds"]) == (0, {}), done.stdout
    assert said["pages"] == len(site_checks.pages(site)) > 10
    assert done.returncode == 0
