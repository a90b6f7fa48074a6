"""Secrets and personal data reach no byte of a site, no message and no file beside it; look-alikes come through."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from sitegen.cli import cli
from sitegen.errors import PublishError
from sitegen.final_scan import FinalScan
from sitegen.redact import KINDS, Redactor, clean_text, mask, number_masks
from sitegen.secret_rules import TOKENS
from sitegen.secret_scan import as_read
from tests.campaigns import SONNET, result, usage, write
from tests.secret_samples import ALNUM, BASE64URL, Maker, Sample, fitting, samples

ROOT = Path(__file__).resolve().parent.parent
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
    return any(sample.value[at : at + length] in read for at in range(len(sample.value) - length + 1))


def test_most_secrets_are_masked_and_most_look_alikes_are_not() -> None:
    made, left = Counter[str](), Counter[str]()
    for sample in samples(77):
        made[sample.label] += 1
        left[sample.label] += leaks(sample)
    assert made["secret"] > 4000 and made["lookalike"] > 1500 and made["personal"] > 300
    assert left["secret"] / made["secret"] <= 0.01
    assert left["personal"] / made["personal"] <= 0.05
    assert left["lookalike"] / made["lookalike"] <= 0.01


def test_the_same_holds_for_a_set_of_other_authors(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "hostile/secrets.jsonl").read_text("utf-8").splitlines()]
    left: dict[str, list[str]] = {"secret": [], "pii": [], "lookalike": []}
    for row in rows:
        value = "".join(row["parts"])
        text = clean_text(row["wrap"].replace("{}", value))
        shown = number_masks(REDACTOR(text))
        if (shown != text) if row["label"] == "lookalike" else (value in shown or as_read(value) in as_read(shown)):
            left[row["label"]].append(row["kind"])
    assert {label: kinds for label, kinds in left.items() if kinds} == {}


@pytest.mark.parametrize("rule", TOKENS, ids=lambda rule: f"{rule.kind} {rule.anchors[0]}")
def test_every_rule_masks_what_it_describes(rule) -> None:  # type: ignore[no-untyped-def]
    maker = Maker(3)
    for anchor in rule.anchors:
        token = anchor + fitting(rule.body, maker)
        assert REDACTOR(f"It used {token} there.") == f"It used {mask(rule.kind, token)} there.", token


def test_masks_are_numbered_by_page() -> None:
    page = REDACTOR(f"{GITHUB} {GITLAB} {GITHUB} {'gh' + 'o_' + MAKER.of(ALNUM, 36)}")
    assert number_masks(page) == (
        "[redacted: github token #1] [redacted: gitlab token #1] "
        "[redacted: github token #1] [redacted: github token #2]"
    )
    assert number_masks(page[page.index("[redacted: gitlab") :]).startswith("[redacted: gitlab token #1]")


def test_masks_in_highlighted_code_are_numbered() -> None:
    shown = mask("private key", "x").replace("private", '<span class="k">private</span>').replace("#", "<i>#")
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
    kinds = ("github token", "gitlab token", "aws key id", "slack token", "stripe key", "npm token", "google key",
             "sendgrid key", "databricks token", "hugging face token", "linear key", "shopify token", "pulumi token",
             "grafana token", "doppler token", "supabase key", "figma token", "postman key", "sonar token")  # fmt: skip
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
        permission_denials=[{"tool_name": plant(), "tool_input": {"command": f"curl -H 'X: {plant()}'"}}],
        further={plant(): {"deep": plant()}},
        api_key=MAKER.of(ALNUM, 32),
        errors=[f"failed with {plant()}"],
    )
    used += [run["api_key"], person, password]
    folder, name = plant(), plant()
    sidecar = {"outcome": "pass", "labels": [plant()], "task": plant(), "scores": {plant(): 1}, "note": "x"}
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
    command = [sys.executable, "-m", "sitegen", "build", "-v", "-c", "config.yaml", "--summary", str(summary)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)}
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", env=environment)
    assert built.returncode == 0, built.stderr
    checked = subprocess.run(
        [*command[:3], "check", "-v", "-c", "config.yaml"], cwd=tmp_path, capture_output=True, encoding="utf-8",
        env=environment,
    )  # fmt: skip
    assert next(remaining, None) is None, "a planted secret is in no field"
    texts = {str(path): path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
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
        {"1.json": result(result="# Falcon met ann@corp.io\n\nbob@other.io, JOB-123456, 'Blue Heron'")},
    )
    (tmp_path / "config.yaml").write_text(
        "inputs: [runs]\ndescription: Ask me@acme-site.io\nredact:\n  literals: [Blue Heron]\n"
        "  patterns: {ticket: 'JOB-[0-9]+'}\n  allowed_domains: [corp.io]\n"
    )
    assert build(tmp_path, "build")[0] == 0
    page = next((tmp_path / "site/runs").glob("*.html")).read_text("utf-8")
    assert "ann@corp.io" in page
    assert "[redacted: e-mail address #1], [redacted: ticket #1], '[redacted: own literal #1]'" in page
    assert "me@acme-site.io" in (tmp_path / "site/index.html").read_text("utf-8")
    code, said = build(tmp_path, "build", "--strict")
    assert code == 1 and "1 × ticket" in said and "Heron" not in said

    (tmp_path / "config.yaml").write_text("inputs: [runs]\nredact: {off: {e-mail address: All of them are public.}}\n")
    assert build(tmp_path, "build", "--strict")[0] == 0
    assert "bob@other.io" in next((tmp_path / "site/runs").glob("*.html")).read_text("utf-8")
    about = (tmp_path / "site/about.html").read_text("utf-8")
    assert "Not masked: <strong>e-mail address</strong>. All of them are public." in about


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        ("{off: {e-mail: why}}", "did you mean 'e-mail address'?"),
        ("{off: {e-mail address: ''}}", "at least 1 character"),
        ("{patterns: {x: '('}}", "no regular expression"),
        ("{patterns: {x: 'a*'}}", "fits an empty text"),
        ("{patterns: {'[x': 'abc'}}", "is to stand in the mask"),
        ("{literals: [ab]}", "at least 4 characters"),
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
    shown = number_masks(Redactor.for_this_machine()("It printed quiet-harbour-lamp, quiet and quiet-blue-colour."))
    assert shown == "It printed [redacted: environment secret #1], quiet and quiet-blue-colour."


def test_a_block_that_becomes_a_secret_is_withheld() -> None:
    scan = FinalScan(REDACTOR)
    half, rest = GITHUB[:20], GITHUB[20:]
    page = (
        f'<main><div class="a"><article class="x" data-untrusted><p>{half}<em>{rest}</em></p></article><p>b</p></div>'
    )
    content, withheld = scan.finish("runs/x.html", page.encode())
    assert withheld == ("github token",)
    assert content.decode() == (
        '<main><div class="a"><article class="x" data-untrusted>'
        "<p>Withheld: what stood here looks like a github token.</p></article><p>b</p></div>"
    )
    with pytest.raises(PublishError, match="github token") as stopped:
        scan.finish("index.html", page.encode())
    assert GITHUB not in str(stopped.value)
    with pytest.raises(PublishError):
        scan.finish("runs/x.html", f"<h1>{GITHUB}</h1>".encode())
    with pytest.raises(PublishError):
        FinalScan(REDACTOR, is_strict=True).finish("runs/x.html", page.encode())
    with pytest.raises(PublishError):
        scan.finish("data/runs.csv", f"a,{GITHUB}\n".encode())
    rows = f"<table><tbody data-untrusted><tr><td>{GITHUB}</td></tr></tbody></table>"
    assert b'<tbody data-untrusted><tr><td colspan="9">Withheld' in scan.finish("runs/x.html", rows.encode())[0]
    assert scan.finish("runs/x.html", page.replace(GITHUB[:20], "x").encode()) == (
        page.replace(GITHUB[:20], "x").encode(), (),
    )  # fmt: skip


def test_scan_says_where_and_never_what(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x/1.txt": f"one\ntwo {GITHUB}\n", "2.txt": "clean"})
    code, said = build(tmp_path, "scan", "a")
    assert code == 1
    assert "a/x/1.txt:2: 1 × github token" in said and "2 files, 1 find" in said
    assert GITHUB not in said
    assert build(tmp_path, "scan", "a/2.txt") == (0, "1 file, 0 finds\n")
    assert build(tmp_path, "scan", "missing")[0] == 2


def test_the_repository_holds_nothing_that_a_scanner_finds() -> None:
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8")
    tokens = {rule.kind for rule in TOKENS}
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            text = clean_text((ROOT / name).read_bytes().decode("utf-8", "replace"))
            assert [found for found in REDACTOR.find(text) if found.kind in tokens] == [], name


def test_every_rule_is_in_the_documentation() -> None:
    text = (ROOT / "docs/redaction.md").read_text("utf-8")
    for rule in TOKENS:
        for anchor in rule.anchors:
            assert f"`{anchor}`" in text, anchor
    for kind in KINDS:
        assert f"| {kind} |" in text, kind


SLOW = [
    "-----BEGIN PRIVATE " + "KEY-----\n", "----", "password=", "api_key: ", "token token ", "key-", "sk-", "eyJ", "://a:",
    "curl -u ", "Cookie: a=b; ", "cookie=a", "bearer ", "@", "a@", "a.", "mysql ", "\\", "\\n", "&#", "%2", "**",
    "ssh a@", "mnemonic: word ", "word ", "[redacted: ", "ip-1-", "A-", "\\\\a", "<em>", "x-key\"", "pass(s)", "1/",
    "secret:\n", "authorization: ", "eyJa.", "=", "\u200b", "://", "Private-Lines: 1\n",
]  # fmt: skip


@pytest.mark.parametrize("part", SLOW, ids=repr)
def test_no_text_takes_long(part: str) -> None:
    text = part * (100_000 // len(part))
    start = time.process_time()
    REDACTOR(text)
    REDACTOR.find(text, page=True)
    assert time.process_time() - start < 4
