"""Secrets and personal data reach no byte of a site, no message and no file beside it; look-alikes come through."""

from __future__ import annotations

import contextlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.cli.commands import cli
from sitegen.errors import PublishError
from sitegen.inputs.scan import scan_files
from sitegen.masking import final_scan, reading, secret_places, secret_scan
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.reading import as_read
from sitegen.masking.redact import KINDS, Redactor, clean_text, mask, number_masks
from sitegen.masking.secret_looks import Found
from sitegen.masking.secret_places import WORDS
from sitegen.masking.secret_rules import SHAPES, TOKENS
from tests.conftest import ROOT
from tests.support import secret_grammar, unseen_samples
from tests.support.campaigns import SONNET, result, usage, write
from tests.support.clock import seconds_since
from tests.support.secret_samples import ALNUM, BASE64URL, Maker, Sample, fitting, samples

REDACTOR = Redactor(("/home/me",))
MAKER = Maker(20)
GITHUB = "gh" + "p_" + MAKER.of(ALNUM, 36)
GITLAB = "gl" + "pat-" + MAKER.of(BASE64URL, 20)


def leaks(sample: Sample) -> bool:
    """Whether a piece of the value can still be read, or, of a look-alike, whether anything has changed."""
    text = clean_text(sample.text)
    shown = number_masks(REDACTOR(text))
    if sample.label == "lookalike":
        return shown != text
    read, length = as_read(shown), max(6, min(12, len(sample.value) // 2))
    if sample.label == "personal" or len(sample.value) < 16:
        return sample.value in read
    return any(
        sample.value[at : at + length] in read for at in range(len(sample.value) - length + 1)
    )


def test_most_secrets_are_masked_and_most_look_alikes_are_not() -> None:
    made, left = Counter[str](), Counter[str]()
    for sample in samples(77):
        made[sample.label] += 1
        left[sample.label] += leaks(sample)
    assert made["secret"] > 4000 and made["lookalike"] > 1500 and made["personal"] > 300
    assert left["secret"] / made["secret"] <= 0.01
    assert left["personal"] / made["personal"] <= 0.05
    assert left["lookalike"] / made["lookalike"] <= 0.01


def test_the_same_holds_for_a_set_that_is_older_than_its_rules() -> None:
    made, left = Counter[str](), Counter[str]()
    for sample in (sample for seed in (1, 2, 3) for sample in unseen_samples.samples(seed)):
        made[sample.label] += 1
        left[sample.label] += leaks(sample)
    assert made == {"secret": 510, "personal": 300, "lookalike": 900}
    assert left["secret"] <= 0.01 * made["secret"]
    assert left["personal"] <= 0.05 * made["personal"]
    assert left["lookalike"] <= 0.01 * made["lookalike"]


def test_the_same_holds_for_a_set_of_other_authors(shared: Path) -> None:
    rows = [
        json.loads(line)
        for line in (shared / "hostile/secrets.jsonl").read_text("utf-8").splitlines()
    ]
    left: dict[str, list[str]] = {"secret": [], "pii": [], "lookalike": []}
    for row in rows:
        value = "".join(row["parts"])
        text = clean_text(row["wrap"].replace("{}", value))
        shown = number_masks(REDACTOR(text))
        if (
            (shown != text)
            if row["label"] == "lookalike"
            else (value in shown or as_read(value) in as_read(shown))
        ):
            left[row["label"]].append(row["kind"])
    assert {label: kinds for label, kinds in left.items() if kinds} == {}


@pytest.mark.parametrize("rule", TOKENS, ids=lambda rule: f"{rule.kind} {rule.anchors[0]}")
def test_every_rule_masks_what_it_describes(rule) -> None:  # type: ignore[no-untyped-def]
    maker = Maker(3)
    for anchor in rule.anchors:
        token = anchor + fitting(rule.body, maker)
        assert REDACTOR(f"It used {token} there.") == f"It used {mask(rule.kind, token)} there.", (
            token
        )


def test_masks_are_numbered_by_page() -> None:
    page = REDACTOR(f"{GITHUB} {GITLAB} {GITHUB} {'gh' + 'o_' + MAKER.of(ALNUM, 36)}")
    assert number_masks(page) == (
        "[redacted: github token #1] [redacted: gitlab token #1] "
        "[redacted: github token #1] [redacted: github token #2]"
    )
    assert number_masks(page[page.index("[redacted: gitlab") :]).startswith(
        "[redacted: gitlab token #1]"
    )


def test_masks_in_highlighted_code_are_numbered() -> None:
    shown = (
        mask("private key", "x")
        .replace("private", '<span class="k">private</span>')
        .replace("#", "<i>#")
    )
    assert number_masks(shown + mask("private key", "y")) == (
        '[redacted: <span class="k">private</span> key <i>#1][redacted: private key #2]'
    )


def test_masking_twice_changes_nothing_more() -> None:
    for sample in samples(5)[::4]:
        once = REDACTOR(sample.text)
        assert REDACTOR(once) == once, sample
        shown = number_masks(once)
        assert number_masks(REDACTOR(shown)) == shown, sample


def secrets_of_many_kinds() -> dict[str, str]:
    maker = Maker(9)
    kinds = (
        "github token",
        "gitlab token",
        "aws key id",
        "slack token",
        "stripe key",
        "npm token",
        "google key",
        "sendgrid key",
        "databricks token",
        "hugging face token",
        "linear key",
        "shopify token",
        "pulumi token",
        "grafana token",
        "doppler token",
        "supabase key",
        "figma token",
        "postman key",
        "sonar token",
    )
    rules = {kind: next(rule for rule in TOKENS if rule.kind == kind) for kind in kinds}
    return {kind: rule.anchors[0] + fitting(rule.body, maker) for kind, rule in rules.items()}


def test_no_sink_shows_a_secret(tmp_path: Path) -> None:
    """Plants a secret in every field and looks at every byte that a build leaves anywhere."""
    planted = secrets_of_many_kinds()
    used: list[str] = []
    remaining = iter(planted.values())

    def plant() -> str:
        used.append(next(remaining))
        return used[-1]

    person = f"{MAKER.word()}.{MAKER.word()}@{MAKER.word()}-{MAKER.of(ALNUM, 4).lower()}.io"
    password = MAKER.of(ALNUM, 18) + "4z"
    model = f"claude-{plant()}"
    run = result(
        1,
        modelUsage={model: usage(SONNET, 1)},
        result=f"# Used {plant()} today\n\nWrote to {person}, PASSWORD={password}.\n\n```sh\nexport X={plant()}\n```\n",
        session_id=plant(),
        uuid=plant(),
        service_tier=plant(),
        stop_reason=plant(),
        subtype="success",
        claude_code_version=plant(),
        structured_output={"answer": plant()},
        permission_denials=[
            {"tool_name": plant(), "tool_input": {"command": f"curl -H 'X: {plant()}'"}}
        ],
        further={plant(): {"deep": plant()}},
        api_key=MAKER.of(ALNUM, 32),
        errors=[f"failed with {plant()}"],
    )
    used += [run["api_key"], person, password]
    folder, name = plant(), plant()
    sidecar = {
        "outcome": "pass",
        "labels": [plant()],
        "task": plant(),
        "scores": {plant(): 1},
        "note": "x",
    }
    patch = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+TOKEN = '{used[0]}'\n"
    broken = f'{{"type": "result", "session_id": "{used[1]}", '
    write(
        tmp_path / "runs",
        {
            f"{folder}/{name}.json": run,
            f"{folder}/{name}.meta.json": sidecar,
            f"{folder}/{name}.diff": patch,
            f"{folder}/2.json": result(2),
            f"broken-{used[2]}.json": broken,
            f"ignored-{used[3]}.bin": b"\x00",
        },
    )
    (tmp_path / "o.csv").write_text(f"path,outcome,labels\nnone-{used[4]},pass,{used[5]}\n")
    (tmp_path / "config.yaml").write_text("inputs: [runs]\noutcomes: [o.csv]\noutput: out/site\n")
    summary = tmp_path / "out/summary.md"
    (tmp_path / "out").mkdir()
    command = [
        sys.executable,
        "-m",
        "sitegen",
        "build",
        "-v",
        "-c",
        "config.yaml",
        "--summary",
        str(summary),
    ]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)}
    built = subprocess.run(
        command, cwd=tmp_path, capture_output=True, encoding="utf-8", env=environment
    )
    assert built.returncode == 0, built.stderr
    checked = subprocess.run(
        [*command[:3], "check", "-v", "-c", "config.yaml"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env=environment,
    )
    assert next(remaining, None) is None, "a planted secret is in no field"
    texts = {
        str(path): path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()
    }
    texts |= {"names": "\n".join(texts).encode(), "build": f"{built.stdout}{built.stderr}".encode()}
    texts["check"] = f"{checked.stdout}{checked.stderr}".encode()
    assert len(texts) > 20
    for place, content in texts.items():
        text = content.decode("utf-8")
        for shown in (text, unquote(text), as_read(text)):
            for secret in used:
                assert secret not in shown and secret.lower() not in shown.lower(), (place, secret)
        # The private characters that stand for a value until a page is finished.
        assert not re.search("[\U00100000-\U0010ffff]", text), place
        assert not re.search(r"%f4%8[0-9a-f]|\\udb[c-f][0-9a-f]\\u", text, re.IGNORECASE), place
    problems = json.loads(texts[str(tmp_path / "out/site/data/problems.json")])
    assert {"summary", "patch", "file name", "facts", "errors", "refused tools", "outcomes"} <= {
        each["place"] for each in problems["masked"]
    }
    page = texts[str(tmp_path / "out/site/problems.html")].decode()
    assert 'id="masked"' in page and "1 × password" in page


def build(folder: Path, *arguments: str) -> tuple[int, str]:
    with contextlib.chdir(folder):
        ran = CliRunner().invoke(cli, arguments)
    return ran.exit_code, ran.output


def test_settings_mask_more_and_less(tmp_path: Path) -> None:
    write(
        tmp_path / "runs",
        {
            "1.json": result(
                result="# Falcon met ann@corp.io\n\nbob@other.io, JOB-123456, 'Blue Heron'"
            )
        },
    )
    (tmp_path / "config.yaml").write_text(
        "inputs: [runs]\ndescription: Ask me@acme-site.io\nredact:\n  literals: [Blue Heron]\n"
        "  patterns: {ticket: 'JOB-[0-9]+'}\n  allowed_domains: [corp.io]\n"
    )
    assert build(tmp_path, "build")[0] == 0
    page = next((tmp_path / "site/runs").glob("*.html")).read_text("utf-8")
    assert "ann@corp.io" in page
    assert (
        "[redacted: e-mail address #1], [redacted: ticket #1], '[redacted: own literal #1]'" in page
    )
    assert "me@acme-site.io" in (tmp_path / "site/index.html").read_text("utf-8")
    code, said = build(tmp_path, "build", "--strict")
    assert code == 1 and "1.json, summary: ticket" in said and "Heron" not in said

    (tmp_path / "config.yaml").write_text(
        "inputs: [runs]\nredact: {off: {e-mail address: All of them are public.}}\n"
    )
    assert build(tmp_path, "build", "--strict")[0] == 0
    assert "bob@other.io" in next((tmp_path / "site/runs").glob("*.html")).read_text("utf-8")
    about = (tmp_path / "site/about.html").read_text("utf-8")
    assert "Not masked: <strong>e-mail address</strong>. All of them are public." in about


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        ("{off: {e-mail: why}}", "did you mean 'e-mail address'?"),
        ("{off: {e-mail address: ''}}", "needs 1 or more characters"),
        ("{patterns: {x: '('}}", "not a regular expression"),
        ("{patterns: {x: 'a*'}}", "matches an empty text"),
        ("{patterns: {'[x': 'abc'}}", "becomes part of the mask"),
        ("{literals: [ab]}", "needs 4 or more characters"),
        ("{literal: [abcd]}", "did you mean 'literals'?"),
    ],
)
def test_faults_in_the_settings_are_named(tmp_path: Path, section: str, fault: str) -> None:
    (tmp_path / "config.yaml").write_text(f"inputs: [.]\nredact: {section}\n")
    code, said = build(tmp_path, "build")
    assert code == 2 and fault in said, said


def test_secrets_of_the_environment_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_DEPLOY_TOKEN", "quiet-harbour-lamp")
    monkeypatch.setenv("SHORT_TOKEN", "quiet")
    monkeypatch.setenv("ACME_THEME", "quiet-blue-colour")
    shown = number_masks(
        Redactor.for_this_machine()("It printed quiet-harbour-lamp, quiet and quiet-blue-colour.")
    )
    assert shown == "It printed [redacted: environment secret #1], quiet and quiet-blue-colour."


def test_a_block_that_becomes_a_secret_is_withheld() -> None:
    scan = FinalScan(REDACTOR)
    half, rest = GITHUB[:20], GITHUB[20:]
    page = f'<main><div class="a"><article class="x" data-untrusted><p>{half}<em>{rest}</em></p></article><p>b</p></div>'
    content, withheld = scan.finish("runs/x.html", page.encode())
    assert withheld == ("github token",)
    assert content.decode() == (
        '<main><div class="a"><article class="x" data-untrusted>'
        "<p>Withheld: this text looks like a github token.</p></article><p>b</p></div>"
    )
    with pytest.raises(PublishError, match="github token") as stopped:
        FinalScan(REDACTOR, is_strict=True).finish("runs/x.html", page.encode())
    assert GITHUB not in str(stopped.value)
    rows = f"<table><tbody data-untrusted><tr><td>{GITHUB}</td></tr></tbody></table>"
    assert (
        b'<tbody data-untrusted><tr><td colspan="9">Withheld'
        in scan.finish("runs/x.html", rows.encode())[0]
    )
    assert scan.finish("runs/x.html", page.replace(GITHUB[:20], "x").encode()) == (
        page.replace(GITHUB[:20], "x").encode(),
        (),
    )


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "runs/x.html",
            "<h1>{0}<em>{1}</em>!</h1>",
            "<h1>[redacted: github token #1]<em></em>!</h1>",
        ),
        (
            "index.html",
            '<a title="{0}{1}" href="x">y</a>',
            '<a title="[redacted: github token #1]" href="x">y</a>',
        ),
        ("data/runs.csv", "a,{0}{1},b\n", "a,[redacted: github token #1],b\n"),
        ("data/runs.json", '{{"a\\\\n{0}{1}":["{0}{1}",1]}}', '{{"a\\\\n{2}":["{2}",1]}}'),
        ("data/runs.json", '["{0}\\u005f{1}"]', '["{0}\\u005f{1}"]'),
        (
            "data/rows.js",
            'window.a=JSON.parse("[\\"{0}{1}\\"]");\n',
            'window.a=JSON.parse("[\\"{2}\\"]");\n',
        ),
        (
            "data/rows.js",
            'window.a={{"b":"[\\"{0}{1}\\",0]"}};\n',
            'window.a={{"b":"[\\"{2}\\",0]"}};\n',
        ),
        (
            "data/rows.js",
            'window.a=JSON.parse("[\\"\\\\\\\\{0}{1}\\"]");\n',
            'window.a=JSON.parse("[\\"\\\\\\\\{2}\\"]");\n',
        ),
    ],
)
def test_a_find_elsewhere_is_masked_where_it_stands(path: str, before: str, after: str) -> None:
    parts = (GITHUB[:20], GITHUB[20:], "[redacted: github token #1]")
    content, kinds = FinalScan(REDACTOR).finish(path, before.format(*parts).encode())
    assert content.decode() == after.format(*parts)
    assert kinds == (
        ("github token",) if GITHUB[4:] not in content.decode().replace("\\u005f", "") else ()
    )


def test_home_folders_in_parts_are_found_on_pages() -> None:
    """The redactor reads a path as it is written; only a page joins the pieces."""
    scan = FinalScan(REDACTOR)
    for split in (
        "/ho<strong>me/amberx</strong>/x",
        "/home/<strong>amberx</strong>/x",
        "<em>/Users</em>/amberx/x",
    ):
        page = f"<title>a</title><article data-untrusted><p>In {split}</p></article><h2>b</h2>"
        content, kinds = scan.finish("runs/x.html", page.encode())
        assert b"amberx" not in content and kinds == ("home folder",), split
        assert b"<h2>b</h2>" in content
        assert b"amberx" not in scan.finish("index.html", page.encode())[0]
    clean = b"<p>In /home/[user]/x and <code>src</code>/home/pages/x</p>"
    assert scan.finish("runs/x.html", clean) == (clean, ())


def test_numbers_are_ours() -> None:
    scan = FinalScan(Redactor(patterns=((re.compile("12345"), "own"),)))
    assert scan.finish("data/runs.json", b'{"a": 12345}') == (b'{"a": 12345}', ())


def test_no_run_stops_the_others_or_shows_a_secret_in_parts(tmp_path: Path) -> None:
    """Secrets that only come together on a page, in a file or in a name; each run is published, and none of them."""
    half, rest, name = GITHUB[:18], GITHUB[18:], MAKER.word() + "xq"
    own, end = GITLAB[:6], "Z9" + MAKER.of(ALNUM, 20)
    said = {
        "emphasis": f"# A\n\n{half}**{rest}** {half}*{rest[:5]}*{rest[5:]} {half}`{rest}` {half}~~{rest}~~",
        "link": f"# A\n\n{half}[{rest}](https://x.dev) [{half}](https://y.dev){rest}\n\n{half}\\\n{rest}",
        "sign": f"# A\n\n{half}&ZeroWidthSpace;{rest} {half}&#x200B;{rest} {half}![]({rest})",
        "cells": f"# A\n\n| {half} | {rest} |\n|---|---|\n| password | {rest} |\n| x | {half}|{rest}|",
        "title": f"# Made {half}**{rest}** today\n\nx",
        "home": f"# At /ho**me/{name}**/x\n\n/home/**{name}**/y and /ho**me/{name}**/z",
    }
    files = {
        f"runs/{task}/1.json": result(n, result=text)
        for n, (task, text) in enumerate(said.items(), 1)
    }
    split = {
        "session_id": half,
        "uuid": rest,
        "errors": [half, rest],
        "structured_output": {half: [half, rest]},
    }
    files["runs/fields/1.json"] = result(
        20, **split, service_tier=half, claude_code_version=rest, x={half: rest}
    )
    files["runs/models/1.json"] = result(
        21, modelUsage={half: usage(SONNET, 1), rest: usage(SONNET, 2)}
    )
    files["runs/labels/1.json"] = result(22)
    files["runs/labels/1.meta.json"] = {
        "outcome": "pass",
        "labels": [half, rest, own, end],
        "scores": {half: 1, rest: 2},
    }
    files[f"runs/{own}/{end}.json"] = result(23)
    files[f"runs/{half}/{rest}.json"] = result(24)
    write(tmp_path, files)
    settings = "inputs: [{path: runs, pattern: '{task}/{_}'}]\noutput: site\nsite_url: https://reports.acme.io/\n"
    (tmp_path / "config.yaml").write_text(settings)
    code, said_by_build = build(tmp_path, "build")
    assert code == 0, said_by_build
    site = tmp_path / "site"
    assert len(list(site.glob("runs/*.html"))) == len(files) - 1
    for path in site.rglob("*"):
        content = path.read_text("utf-8") if path.is_file() and path.suffix != ".png" else ""
        joined = re.sub("<(?:/?(?:em|strong|code|del|s|a)|a [^>]*)>", "", content)
        for shown in (
            str(path),
            content,
            joined,
            unquote(content),
            as_read(content),
            as_read(joined),
        ):
            for secret in (GITHUB, own + end, own + end.lower(), f"/home/{name}"):
                assert secret not in shown, path
    assert "W_WITHHELD" in (site / "problems.html").read_text("utf-8")


def test_scan_says_where_and_never_what(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x/1.txt": f"one\ntwo {GITHUB}\n", "2.txt": "clean"})
    code, said = build(tmp_path, "scan", "a")
    assert code == 1
    assert "a/x/1.txt:2: 1 × github token" in said and "1 finding in 2 files" in said
    assert GITHUB not in said
    assert build(tmp_path, "scan", "a/2.txt") == (0, "settings: none\n0 findings in 1 file\n")
    assert build(tmp_path, "scan", "missing")[0] == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_scan_passes_pipes_in_folders_by(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    write(tmp_path, {"a.txt": "fine"})
    (tmp_path / "link").symlink_to("a.txt")
    scan = scan_files([tmp_path], Redactor.for_this_machine())
    assert (scan.findings, scan.files) == ((), 1)
    assert scan.remarks == (
        "1 link and 1 pipe, socket or device in the inputs were not read. To read a link's target, name that target.",
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_scan_refuses_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for special in ("pipe", "/dev/zero"):
        code, said = build(tmp_path, "scan", special)
        assert code == 2 and "It cannot be read: it is not a regular file." in said


def test_scan_reads_hidden_files_and_sites_and_expands_patterns(tmp_path: Path) -> None:
    write(tmp_path, {f"{place}/x.txt": GITHUB for place in (".git", "node_modules", "a", "b/site")})
    write(tmp_path, {"b/site/.sitegen.json": "{}", ".env": GITHUB})
    scan = scan_files([tmp_path], Redactor.for_this_machine())
    assert (len(scan.findings), scan.files) == (5, 6)
    code, said = build(tmp_path, "scan", "[ab]/**/*.txt")
    assert code == 1 and said.endswith("2 findings in 2 files\n")


def test_scan_says_that_archives_are_not_opened(tmp_path: Path) -> None:
    write(tmp_path, {"a.tar.gz": "x", "b.zip": "y"})
    assert (
        "1 archive was not opened. Unpack it to scan what it holds.\n"
        in build(tmp_path, "scan", "a.tar.gz")[1]
    )
    assert "2 archives were not opened." in build(tmp_path, "scan", ".", "--no-config")[1]


def test_scan_reads_a_folder_that_is_named_within_another(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.txt": "fine"})
    assert scan_files([tmp_path, tmp_path / "a"], Redactor.for_this_machine()).files == 1


def test_the_repository_holds_nothing_that_a_scanner_finds() -> None:
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8"
    )
    tokens = {rule.kind for rule in TOKENS}
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            text = clean_text((ROOT / name).read_bytes().decode("utf-8", "replace"))
            found = [each for each in REDACTOR.find(text) if each.kind in tokens]
            assert [each for each in found if each.value in text] == [], name  # parts may be joined


def test_every_rule_is_in_the_documentation() -> None:
    text = "\n".join(
        (ROOT / "docs" / name).read_text("utf-8")
        for name in ("contributing/secrets.md", "redaction.md")
    )
    rows = dict(re.findall(r"^([^|\n]+?) ?\| ?(.*)$", text, re.MULTILINE))
    assert set(KINDS) <= set(rows)
    for rule in TOKENS:
        for anchor in rule.anchors:
            assert f"`{anchor}`" in rows[rule.kind], anchor


SIGNS = [
    "=",
    ": ",
    "\n",
    " ",
    "`",
    '"',
    "|",
    "**",
    "password",
    "API_KEY",
    "--token ",
    "Bearer ",
    "a1",
    "x" * 20,
    "é",
    "@",
]


def places(found: Iterable[Found]) -> set[int]:
    """The characters that are masked."""
    return {place for each in found for place in range(each.start, each.end)}


def every_rule(text: str) -> set[int]:
    """What any rule finds in a text as it is read, as if every first look fitted."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (secret_scan, secret_places):
            patch.setattr(module, "automaton", lambda _: lambda _: True)
        patch.setattr(secret_scan, "fitting_lines", all_lines)
        return places(secret_scan._found(text))


def all_lines(_: str, text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def test_the_first_look_misses_nothing(
    shared: Path, sample: Callable[[list[str], int], list[str]]
) -> None:
    """Every rule on every text finds what the rules find that are asked after a first look."""
    texts = [clean_text(each.text) for seed in (31, 32) for each in samples(seed)]
    texts += [clean_text(each.text) for each in unseen_samples.samples(31)]
    texts += [clean_text(case.text) for case in secret_grammar.cases(31, 4_000)]
    for name, key in (("secrets", "wrap"), ("markup", "payload")):
        for line in (shared / f"hostile/{name}.jsonl").read_text("utf-8").split("\n"):
            row = json.loads(line) if line else {key: ""}
            texts.append(clean_text(row[key].replace("{}", "".join(row.get("parts", [])))))
    texts = sample(texts, 3)
    chance = MAKER.random
    for _ in range(len(texts) // 5):
        one, other = chance.choice(texts), chance.choice(texts)
        joint = chance.choice(["", " ", "\n", "**", "|", "=", ": ", "\u200b", "é"])
        texts.append(
            one[: chance.randrange(len(one) + 1)]
            + joint
            + other[chance.randrange(len(other) + 1) :]
        )
    hits = 0
    for text in texts:
        read = as_read(text)
        found = every_rule(read)
        hits += bool(found)
        assert places(secret_scan._found(read)) == found, text
    assert hits > len(texts) // 2


def test_the_first_look_misses_nothing_in_real_runs(
    shared: Path, sample: Callable[[list[Path], int], list[Path]]
) -> None:
    for path in sample(sorted((shared / "runs").rglob("*.json")), 9):
        read = as_read(clean_text(path.read_bytes()[:100_000].decode("utf-8", "replace")))
        assert places(secret_scan._found(read)) == every_rule(read), path


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from([*(s.text for s in samples(33)[::40]), *SIGNS]), max_size=6).map(
        "".join
    )
)
def test_the_first_look_misses_nothing_in_mixtures(text: str) -> None:
    read = as_read(clean_text(text))
    assert places(secret_scan._found(read)) == every_rule(read)


def test_a_long_data_file_is_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        json.dumps({"title": f"run {number}", "seen": GITHUB if number % 3 == 0 else ""})
        for number in range(9)
    ]
    content = ("[\n" + ",\n".join(lines) + "\n]\n").encode()
    whole = FinalScan(REDACTOR).finish("data/runs.json", content)
    assert whole[0].count(b"[redacted: github token #1]") == 3
    for characters in (1, 40, 150):
        monkeypatch.setattr(final_scan, "_MAX_OF_PART", characters)
        assert FinalScan(REDACTOR).finish("data/runs.json", content) == whole


def test_a_page_hides_nothing_between_its_elements() -> None:
    """Whatever splits a token on a page, a quick look finds what a whole reading finds."""
    tags = [
        "<em>{}</em>",
        "<code>{}</code>",
        '<span class="k">{}</span>',
        "<b></b>{}",
        "<s><i>{}</i></s>",
        "&#8203;{}",
        "{}",
    ]
    split_up = [
        sample
        for sample in samples(34)
        if sample.label == "secret" and sample.form in ("sentence", "env")
    ]
    hits = 0
    for sample in split_up:
        at = MAKER.random.randrange(1, len(sample.value))
        for tag in tags:
            split = html.escape(sample.value[:at]) + tag.format(html.escape(sample.value[at:]))
            for page in (
                f"<p>It used {split}.</p>",
                f'<dl><dt>a</dt><dd>{split}</dd><dd class="n">b</dd></dl>',
            ):
                whole = reading.Reading(page, reading.PAGE_SIGNS)
                found = bool(every_rule(whole.text))
                hits += found
                assert bool(REDACTOR.find(page, page=True)) >= found, page
    assert hits > len(split_up) * 7


SLOW = [
    "-----BEGIN PRIVATE " + "KEY-----\n",
    "-----END PRIVATE " + "KEY-----\n",
    "A" * 64 + "\n-----END PRIVATE " + "KEY",
    "-----BEGIN PRIVATE " + "KEY-----\n" + "Ab1 " * 4,
    "password:\n\n```\nabcde\n```\n",
    "password\n`",
    "[U+200E]",
    "----",
    "password=",
    "api_key: ",
    "token token ",
    "key-",
    "sk-",
    "eyJ",
    "://a:",
    "curl -u ",
    "Cookie: a=b; ",
    "cookie=a",
    "bearer ",
    "@",
    "a@",
    "a.",
    "mysql ",
    "\\",
    "\\n",
    "&#",
    "%2",
    "**",
    "ssh a@",
    "mnemonic: word ",
    "word ",
    "[redacted: ",
    "ip-1-",
    "A-",
    "\\\\a",
    "<em>",
    'x-key"',
    "pass(s)",
    "1/",
    "secret:\n",
    "login('a', 'b', ",
    'Client("a',
    "auth=(",
    "password is a ",
    " as the key",
    "login ann / ",
    "YWJjZGVm",
    "YWJjZGVm" * 8 + "\n",
    "$6$a",
    "echo a | sudo ",
    "server=a;",
    "name: token\n",
    "authorization: ",
    "eyJa.",
    "=",
    "\u200b",
    "://",
    "Private-Lines: 1\n",
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", SLOW, ids=repr)
def test_no_text_takes_long(part: str) -> None:
    text = part * (100_000 // len(part))
    start = time.process_time()
    REDACTOR(text)
    REDACTOR.find(text, page=True)
    assert seconds_since(start) < 4


BEGINNINGS = sorted(
    {*WORDS, *chain(*(each.anchors for each in TOKENS), *(each.signs for each in SHAPES))}
)
"""What every rule looks for first."""


@pytest.mark.sampled(100)
@pytest.mark.parametrize("form", ["{}", "name  {}\n"])
@pytest.mark.parametrize("beginning", BEGINNINGS, ids=repr)
def test_beginnings_without_secrets_do_not_take_long(beginning: str, form: str) -> None:
    part = form.format(beginning)
    start = time.process_time()
    REDACTOR(part * (200_000 // len(part)))
    assert (
        seconds_since(start) < 6
    )  # on a busy machine; alone it is a third, and grows as the text does
