"""People are masked where systems and people name them, and what only looks like it comes through."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from sitegen.cli.commands import cli
from sitegen.masking.automaton import automaton
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.personal_data import FIRST_LOOK, KINDS, OPTIONAL, find_people
from sitegen.masking.reading import as_read
from sitegen.masking.redact import Redactor, clean_text, number_masks
from tests.support import people_samples
from tests.support.campaigns import result, write
from tests.support.clock import seconds_since
from tests.support.people_grammar import PERSONAL, Grammar, Sample

REDACTOR = Redactor()
EVERY_KIND = Redactor(also=frozenset(OPTIONAL))
SEED = int(os.environ.get("SITEGEN_SEED", "1"))
COUNT = int(os.environ.get("SITEGEN_SAMPLES", "800"))
"""Of each, people and look-alikes. By night another seed and thousands."""
VALUE = re.compile(r"\[\[([^\[\]\n]+)\]\]")


def shown(text: str, redactor: Redactor = REDACTOR) -> str:
    return number_masks(redactor(text))


def is_left(sample: Sample) -> bool:
    """Whether somebody can still be read."""
    read = as_read(shown(sample.text))
    return any(value in read for value in sample.values)


def test_of_each_kind_nearly_all_are_masked() -> None:
    made, left, examples = Counter[str](), Counter[str](), dict[str, str]()
    for sample in Grammar(SEED).personal(COUNT):
        for name in (sample.kind, f"{sample.kind}, {sample.context}"):
            made[name] += 1
            if is_left(sample):
                left[name] += 1
                examples[name] = sample.text
    table = "\n".join(
        f"{1 - left[name] / made[name]:7.1%} of {made[name]:5} {name}" for name in sorted(made)
    )
    assert set(PERSONAL) <= set(made)
    assert all(left[kind] <= 0.05 * made[kind] for kind in PERSONAL), f"{table}\n{examples}"


def test_hardly_any_look_alike_is_masked() -> None:
    samples = list(Grammar(SEED).look_alikes(COUNT))
    masked = [
        (sample.text, shown(sample.text)) for sample in samples if shown(sample.text) != sample.text
    ]
    assert len(masked) <= 0.01 * len(samples), masked


def test_the_same_holds_for_a_set_written_by_hand() -> None:
    people = [
        line.partition(": ")[2].replace("\\n", "\n")
        for line in people_samples.PEOPLE.strip("\n").split("\n")
    ]
    values = [value for line in people for value in VALUE.findall(line)]
    left = [
        line
        for line in people
        for value in VALUE.findall(line)
        if value in as_read(shown(VALUE.sub(r"\1", line)))
    ]
    assert len(values) >= 95 and len(left) <= 0.05 * len(values), left
    look_alikes = people_samples.LOOK_ALIKES.strip("\n").split("\n")
    masked = [line for line in look_alikes if shown(line) != line]
    assert len(look_alikes) >= 100 and len(masked) <= 0.01 * len(look_alikes), masked


def test_masking_people_twice_changes_nothing_more_and_leaves_nothing_to_find() -> None:
    for sample in Grammar(SEED + 1).personal(COUNT // 2):
        for redactor in (REDACTOR, EVERY_KIND):
            once = redactor(sample.text)
            assert redactor(once) == once, sample
            numbered = number_masks(once)
            assert redactor(numbered) == numbered, sample


def test_the_last_scan_finds_nothing_more_in_a_page_of_masked_text() -> None:
    scan = FinalScan(EVERY_KIND)
    for sample in Grammar(SEED + 2).personal(COUNT // 4):
        text = (
            EVERY_KIND(sample.text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        )
        page = (
            f"<!doctype html>\n<article data-untrusted><pre><code>{text}</code></pre></article>\n"
        )
        assert scan.finish("runs/x.html", page.encode())[1] == (), sample


def test_the_last_scan_finds_people_that_only_a_page_puts_together() -> None:
    page = b"<!doctype html>\n<article data-untrusted><pre>export USER=<em>ma</em>rta\n</pre></article>\n"
    finished, kinds = FinalScan(REDACTOR).finish("runs/x.html", page)
    assert kinds == ("user name",) and b"rta" not in finished


def test_the_first_look_misses_nobody() -> None:
    for sample in Grammar(SEED + 3).personal(COUNT):
        text = as_read(sample.text)
        found = {
            person for person in find_people(text) if "@" not in text[person.start : person.end]
        }
        looked_at = f"{text}\nHOST ip-10-2-3-4\n"  # with a sign of its own every rule is asked
        again = {
            person
            for person in find_people(looked_at)
            if "@" not in text[person.start : person.end]
        }
        assert found == {person for person in again if person.end <= len(text)}, sample
        assert not found or sample.kind == "name of a person" or automaton(FIRST_LOOK)(text), sample


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (
            "-rw-r--r-- 1 marta marta 12 Jan 3 10:00 x",
            "-rw-r--r-- 1 [redacted: user name #1] [redacted: user name #1] 12 Jan 3 10:00 x",
        ),
        (
            "-rw-r--r-- 1 marta staff 12 Jan 3 10:00 x",
            "-rw-r--r-- 1 [redacted: user name #1] staff 12 Jan 3 10:00 x",
        ),
        ("-rw-r--r-- 1 root root 12 Jan 3 10:00 x", "-rw-r--r-- 1 root root 12 Jan 3 10:00 x"),
        (
            "USER=marta LOGNAME=marta",
            "USER=[redacted: user name #1] LOGNAME=[redacted: user name #1]",
        ),
        ('{"USERNAME": "Marta Kowalska"}', '{"USERNAME": "[redacted: user name #1]"}'),
        ("ls ~marta/src ~/x HEAD~2", "ls ~[user]/src ~/x HEAD~2"),
        ("marta@Martas-MBP src % make", "[redacted: user and host #1] src % make"),
        ("marta@localhost:~$ ls", "[redacted: user and host #1]:~$ ls"),
        ("root@3f2a:/# ls", "root@3f2a:/# ls"),
        ("marta [at] north [dot] io", "[redacted: e-mail address #1]"),
        ("+49 30 1234567", "[redacted: phone number #1]"),
        (
            "+493514956614711",
            "[redacted: phone number #1]",
        ),  # of 15 digits, the most that a number has
        ("+49 351 495661 4711", "[redacted: phone number #1]"),
        ("+44 7911 123456 (14 May)", "[redacted: phone number #1] (14 May)"),
        ("(+49 30 1234567) 12", "([redacted: phone number #1]) 12"),
        ("+49 351 4956610 3.5 km", "[redacted: phone number #1] 3.5 km"),
        ("+49.351.4956610 3.5 km", "[redacted: phone number #1] 3.5 km"),
        ("+12.5 345.6 789.1", "+12.5 345.6 789.1"),
        ("+1 (415) 555-0132", "+1 (415) 555-0132"),
        ("@@ -1 +1 @@\n+49 30 1234567\n", "@@ -1 +1 @@\n+49 30 1234567\n"),
        ("DE89 3704 0044 0532 0130 00 EUR", "[redacted: bank account #1] EUR"),
        ("DE88 3704 0044 0532 0130 00 EUR", "DE88 3704 0044 0532 0130 00 EUR"),
        ("card 4539 1488 0343 6467", "card [redacted: payment card #1]"),
        ("id 4539148803436467", "id 4539148803436467"),
        ("card 4111 1111 1111 1111", "card 4111 1111 1111 1111"),
        (
            "Author: Marta K <marta@north.io>",
            "Author: [redacted: name of a person #1] <[redacted: e-mail address #1]>",
        ),
        (
            "Co-authored-by: Copilot <1+copilot@corp.io>",
            "Co-authored-by: Copilot <[redacted: e-mail address #1]>",
        ),
        (
            "card 3530 1113 3330 0000, 5555 5555 5555 4444",
            "card 3530 1113 3330 0000, 5555 5555 5555 4444",
        ),
        ("Author: Marta K <marta@example.com>", "Author: Marta K <marta@example.com>"),
        ("of/marta@north.io.json", "of/[redacted: e-mail address #1].json"),
        (
            "of/marta@example.com.json icon@2x.png a@b.spec.ts",
            "of/marta@example.com.json icon@2x.png a@b.spec.ts",
        ),
        (
            "uid=1000(marta) gid=1000(marta) groups=27(sudo)",
            "uid=1000([redacted: user name #1]) gid=1000([redacted: user name #1]) groups=27(sudo)",
        ),
    ],
)
def test_what_is_masked_of_people(text: str, masked: str) -> None:
    assert shown(text) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("from 10.1.2.3:80", "from [redacted: ip address #1]:80"),
        ("http://84.23.11.9/x", "http://[redacted: ip address #1]/x"),
        (
            "[2a01:4f8:c17::5]:80 fe80::1c2d:3ff:fe4a:1",
            "[[redacted: ip address #1]]:80 [redacted: ip address #2]",
        ),
        ("link/ether 3c:22:fb:0a:91:7e brd", "link/ether [redacted: mac address #1] brd"),
        ("3C-22-FB-0A-91-7E", "[redacted: mac address #1]"),
    ],
)
def test_addresses_of_machines_are_masked_where_the_settings_ask_for_it(
    text: str, masked: str
) -> None:
    assert shown(text) == text
    assert shown(text, EVERY_KIND) == masked


@pytest.mark.parametrize(
    "text",
    [
        "v1.2.3.4",
        "version 1.2.3.4",
        "pkg==1.2.3.4",
        "pkg@1.2.3.4",
        "Chrome/120.0.0.0",
        "127.0.0.1 0.0.0.0 255.255.255.0",
        "192.0.2.7 198.51.100.1 203.0.113.9 2001:db8::1 ::1 ::",
        "std::vector<a::b>",
        "12:30:45",
        "1.2.3.4.5",
        "300.1.2.3",
        "SHA1 Fingerprint=3c:22:fb:0a:91:7e:11:22",
        "ff:ff:ff:ff:ff:ff 00:00:00:00:00:00",
        "8.8.8.8",
        "dead::beef::1",
        "00:00:5e:00:53:af",
    ],
)
def test_what_only_looks_like_an_address_of_a_machine_comes_through(text: str) -> None:
    assert shown(text, EVERY_KIND) == text


@pytest.mark.parametrize("kind", [kind for kind in PERSONAL if kind != "home folder"])
def test_each_kind_can_be_switched_off(kind: str) -> None:
    assert kind in KINDS
    off = Redactor(off=frozenset({kind}))
    samples = [sample for sample in Grammar(5).personal(80) if sample.kind == kind]
    assert samples and not any(f"[redacted: {kind} " in off(sample.text) for sample in samples)


def test_the_about_page_says_what_is_also_masked(tmp_path: Path) -> None:
    write(
        tmp_path / "runs", {"1.json": result(result="Built on 10.1.2.3 by marta@build-7:~$ here")}
    )
    (tmp_path / "config.yaml").write_text("inputs: [runs]\nredact: {also: [ip address]}\n")
    with contextlib.chdir(tmp_path):
        assert CliRunner().invoke(cli, ["build"]).exit_code == 0
    page = next((tmp_path / "site/runs").glob("*.html")).read_text("utf-8")
    assert (
        "10.1.2.3" not in page
        and "[redacted: ip address #1] by [redacted: user and host #1]" in page
    )
    assert "Also masked: <strong>ip address</strong>." in (tmp_path / "site/about.html").read_text(
        "utf-8"
    )


PARTS = (
    "-rw-r--r-- 1 ",
    "USER=",
    "+49 ",
    "4539 ",
    "DE89",
    "(at)",
    "a (at) b.",
    "~a",
    "ls ~",
    "uid=",
    "a 1 0.0 0.0 ",
    "pts/0 ",
    "Author: a ",
    "a@b ",
    " in a in ",
    "> whoami\n",
    "aa:",
    "1.2.3.",
    "::",
    "card ",
    " at a dot ",
    "a:x:1000:1:",
    "[dot]",
    "➜ ",
    "x\n",
    "4",
    "A0",
    "+1",
    "Uid: (",
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", PARTS)
def test_no_text_about_people_takes_long(part: str) -> None:
    text = clean_text(
        f"USER=a -rw-r--r-- uid=1( +49 301234567 card 4539148803436467 ~a/ {part * 30_000}"
    )
    start = time.process_time()
    EVERY_KIND(text)
    first = seconds_since(start)
    assert first < 4, first
