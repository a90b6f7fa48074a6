"""What a run's page and its transcript show of its steps, and what they must not."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sitegen.config import Config, Input
from sitegen.inputs.steps_again import published, steps_of
from sitegen.masking.redact import Redactor
from sitegen.model import Level, Run, Status, Tokens, Unmasked
from sitegen.numbers.waste import cost_without_change_usd, idle_parts
from sitegen.pages.steps.section import table
from sitegen.pages.steps.story import STEPS_PER_PAGE, Story
from sitegen.pages.steps.strip import IDLE_MS, MAX_OF_NAME, strip_data, strips
from sitegen.pages.steps.transcript import MAX_BYTES
from sitegen.pages.views import RowView
from sitegen.readers.common.tool_names import program
from sitegen.steps import Step, StepKind, ToolCall, ToolKind
from sitegen.system.bounds import DEFAULT, Bounds
from tests.support import campaigns, site_checks
from tests.support.browsers import as_file
from tests.support.command import sitegen
from tests.support.transcripts import Teller, lines

pytestmark = pytest.mark.blank_charts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WORDS_OF = ("prompt", "thought", "said", "given", "answer", "path")
PROMPT, THOUGHT, SAID, GIVEN, ANSWER, PATH = (f"zibel{word}" for word in WORDS_OF)


RUN = Run("Claude Code stream", Status.OK)


def transcript() -> bytes:
    """A prompt, a thought, a text, calls of which one fails, and an edit."""
    told = Teller()
    thought = told.says("x", "m1")
    thought["message"]["content"] = [{"type": "thinking", "thinking": THOUGHT, "signature": "x"}]
    return lines(
        told.prompt(PROMPT),
        thought,
        told.says(SAID, "m2"),
        told.calls("r", "Read", "m2", file_path=f"/srv/{PATH}.py"),
        told.answers("r", ANSWER),
        told.calls("b", "Bash", "m3", command=f"make {PATH}\n{GIVEN}", description="Build it"),
        told.answers("b", f"Exit code 2\n{ANSWER}", is_error=True),
        told.calls(
            "e",
            "Edit",
            "m4",
            file_path=f"/srv/{PATH}.py",
            old_string=GIVEN,
            new_string=f"{GIVEN} 2",
        ),
        told.answers("e", "File edited"),
    )


def built(folder: Path, *options: str, **files: bytes | str) -> Path:
    """The site of a folder with these files, and with the transcript above where there are none."""
    named = {f"{name}.jsonl": content for name, content in files.items()} or {
        "a.jsonl": transcript()
    }
    campaigns.write(folder / "runs", named)
    done = sitegen("build", "runs", "--no-config", "-o", "site", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def texts(site: Path) -> str:
    """All that is published of runs."""
    kinds = (".html", ".js", ".json", ".csv")
    return "\n".join(path.read_text("utf-8") for path in site.rglob("*") if path.suffix in kinds)


WORDS = {
    Level.NONE: set[str](),
    Level.OUTLINE: {SAID, PATH},
    Level.TEXTS: {SAID, PATH, PROMPT, THOUGHT},
    Level.FULL: {SAID, PATH, PROMPT, THOUGHT, GIVEN, ANSWER},
}


@pytest.mark.parametrize("level", Level)
def test_a_level_publishes_what_it_says_and_nothing_else(tmp_path: Path, level: Level) -> None:
    site = built(tmp_path, "--steps", level.value)
    published = texts(site)
    shown = {word for word in (PROMPT, THOUGHT, SAID, GIVEN, ANSWER, PATH) if word in published}
    # The last text is the account of the run, which every level shows.
    assert shown - {SAID} == WORDS[level] - {SAID}
    assert bool(list(site.glob("runs/*/steps-1.html"))) == (level is not Level.NONE)


def test_the_settings_choose_and_the_option_wins(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"config.yaml": "inputs: [runs]\nsteps: full\n"})
    campaigns.write(tmp_path / "runs", {"a.jsonl": transcript()})
    done = sitegen("build", cwd=tmp_path)
    assert "steps: full" in done.stdout and GIVEN in texts(tmp_path / "site")
    done = sitegen("build", "--steps", "outline", cwd=tmp_path)
    assert "steps: outline" in done.stdout and GIVEN not in texts(tmp_path / "site")


def test_the_section_leads_to_the_failure_and_every_link_to_a_step_has_its_end(
    tmp_path: Path,
) -> None:
    site = built(tmp_path)
    (run,) = site.glob("runs/*.html")
    page = run.read_text("utf-8")
    assert "1 of 3 tool calls failed" in page
    (failed,) = re.findall(r'href="([^"]+)">1 failed', page)
    target, _, anchor = failed.partition("#")
    line = re.search(
        f'<li id="{anchor}"[^>]*>.*?</li>',
        (run.parent / target).resolve().read_text("utf-8"),
        re.DOTALL,
    )
    assert line and "exit 2" in line[0] and "Build it" in line[0]
    assert site_checks.findings(site) == []


def test_search_finds_what_the_agent_said_on_its_way(tmp_path: Path) -> None:
    words = "".join(path.read_text("utf-8") for path in built(tmp_path).glob("search/words-*.js"))
    assert SAID in words and PROMPT not in words and ANSWER not in words


def test_search_finds_prompts_and_results_where_that_is_wanted(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"config.yaml": "inputs: [runs]\nsteps: full\nsearch: all\n"})
    campaigns.write(tmp_path / "runs", {"a.jsonl": transcript()})
    assert sitegen("build", cwd=tmp_path).returncode == 0
    words = "".join(
        path.read_text("utf-8") for path in (tmp_path / "site").glob("search/words-*.js")
    )
    assert SAID in words and PROMPT in words and ANSWER in words


def many(calls: int, answer: str) -> bytes:
    told = Teller()
    records = [told.prompt("Go.")]
    for number in range(calls):
        records.append(
            told.calls(f"c{number}", "Bash", f"m{number}", command=f"make step-{number}")
        )
        records.append(told.answers(f"c{number}", answer, is_error=number % 50 == 0))
    return lines(*records)


def test_every_step_stands_on_one_page_and_no_page_is_heavy(tmp_path: Path) -> None:
    site = built(
        tmp_path, "--steps", "full", a=many(400, "a line of an answer & more <of> it\n" * 200)
    )
    pages = sorted(
        site.glob("runs/*/steps-*.html"), key=lambda path: int(path.stem.rpartition("-")[2])
    )
    found = [re.findall(r'<li id="s(\d+)"', page.read_text("utf-8")) for page in pages]
    numbers = [int(number) for each in found for number in each]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) == 401
    assert [len(each) for each in found] == [STEPS_PER_PAGE] * 3 + [401 - 3 * STEPS_PER_PAGE]
    assert max(page.stat().st_size for page in pages) < 400_000
    assert site_checks.findings(site) == []


def test_calls_of_one_message_are_drawn_together(tmp_path: Path) -> None:
    told = Teller()
    asked = [("a", "Read", "m1"), ("b", "Bash", "m1"), ("c", "Bash", "m2"), ("d", "Bash", "m3")]
    asked += [(f"r{number}", "Read", "m4") for number in range(3)] + [("e", "Bash", "m4")]
    asked += [(f"s{number}", "Read", "m5") for number in range(3)] + [("f", "Bash", "m6")]
    asked += [(f"t{number}", "Read", f"m{number}") for number in (7, 8, 9)]
    records = [told.prompt("Go.")]
    for id_, name, message in asked:
        records += (
            told.calls(id_, name, message, **{"command" if name == "Bash" else "file_path": id_}),
        )
    records += [told.answers(id_) for id_, _, _ in asked]
    (steps,) = built(tmp_path, a=lines(*records)).glob("runs/*/steps-1.html")
    text = steps.read_text("utf-8")
    assert re.findall(r'class="together"><span>([^<]+)', text) == [
        "2 calls at once",
        "4 calls at once",
    ]
    assert re.findall(r'<li id="(\w+)" class="[^"]*joined"', text) == ["s2", "s3", "g6", "s9"]
    assert re.findall(r"</b> (\d calls[^<]*?) <", text) == [
        "3 calls at once",
        "3 calls at once",
        "3 calls",
    ]


def test_texts_of_the_agent_are_markdown_and_nothing_else_is(tmp_path: Path, page: Page) -> None:
    told = Teller()
    marked = "## Tides\n\n- **High** at `six`, see [above](#tides) <b>x</b>\n"
    records = (
        told.prompt(marked),
        told.says(marked, "m1"),
        told.calls("c", "Bash", "m2", command="make **all**"),
        told.answers("c", marked),
        told.says(marked + "\n[^1]\n\n[^1]: A note.", "m3"),
        told.says("2 < 3, so\nit fits", "m4"),
    )
    site = built(tmp_path, "--steps", "full", a=lines(*records))
    (steps,) = site.glob("runs/*/steps-1.html")
    page.goto(as_file(steps))
    said = page.locator(".steps > .say > .prose")
    assert (
        said.locator("strong").all_inner_texts()
        == ["High"] * 2
        == page.locator("strong").all_inner_texts()
    )
    assert said.nth(2).inner_text() == "2 < 3, so\nit fits"
    ids = page.locator("[id^=u-]").evaluate_all("all => all.map((each) => each.id)")
    assert ids == ["u-s2-tides", "u-s4-tides", "u-s4-fnref:1", "u-s4-fn:1"]
    assert page.locator(".prompt .prose").inner_text() == marked.strip()
    assert "**High**" in page.locator("pre[aria-label=Result]").text_content() or ""
    assert page.locator(".steps b", has_text="x").count() == 0, "HTML in a text is text"
    assert site_checks.findings(site) == [] and site_checks.accessibility(page) == []


def test_markdown_makes_no_page_of_a_transcript_heavy(tmp_path: Path) -> None:
    told = Teller()
    table = "|" * 150 + "\n" + "|-" * 150 + "|\n" + "|\n" * 100  # 15,000 cells of 750 characters
    records = [told.prompt("Go."), *(told.says(table, f"m{number}") for number in range(20))]
    (steps,) = built(tmp_path, a=lines(*records)).glob("runs/*/steps-1.html")
    text = steps.read_text("utf-8")
    assert text.count("<table") < 20 and text.count('class="say"') == 20
    assert len(text) < MAX_BYTES + 50_000


def test_a_record_that_breaks_off_shows_what_it_holds(tmp_path: Path) -> None:
    whole = transcript()
    site = built(tmp_path, a=whole[: len(whole) - 700])
    (page,) = site.glob("runs/*/steps-1.html")
    assert PATH in page.read_text("utf-8")


def test_pages_of_steps_are_taken_from_the_cache(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first = built(tmp_path, "--cache-dir", cache, "--steps", "full")
    before = {str(path.relative_to(first)): path.read_bytes() for path in first.rglob("*.html")}
    shutil.rmtree(first)
    again = built(tmp_path, "--cache-dir", cache, "--steps", "full")
    assert {
        str(path.relative_to(again)): path.read_bytes() for path in again.rglob("*.html")
    } == before


def test_secrets_in_steps_are_masked(tmp_path: Path) -> None:
    token = "ghp_" + "b7Kq2ZsW9xT4nYv1LmC8dRf3HgJ6pUoEaXcN"
    told = Teller()
    records = (
        told.prompt(f"use {token}"),
        told.says(f"I use {token} now", "m1"),
        told.calls(
            "b",
            "Bash",
            "m2",
            command=f"curl -H 'Authorization: Bearer {token}'",
            description=f"a {token}",
        ),
        told.answers("b", f"GITHUB_TOKEN={token}"),
        told.calls("w", "Write", "m3", file_path="/srv/.env", content=f"TOKEN={token}"),
        told.answers("w", "ok"),
        told.calls(token, token, "m4", **{token: token}),
        told.answers(token, token),
    )
    assert token not in texts(built(tmp_path, "--steps", "full", a=lines(*records)))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("cd /srv && timeout 60 make check", "make check"),
        ("source ~/.env 2>/dev/null || true; python3 -m pytest -q", "python3 -m pytest"),
        ("for f in *.py; do ruff check $f; done", "ruff"),
        ("A=1 B=2 ./run.sh --fast", "run.sh"),
        ("git log --oneline | head -3", "git log"),
        ("ls -la", "ls"),
        ("cd x\nCUDA=1 python3 -u src/train.py --lr 1", "python3 train.py"),
        ("0.5 1.2", ""),
        ("cat x 2>&1 | grep y", "grep"),
        (
            "# look first\ncd /srv\nTOTAL=0\nfor f in a b; do\n  cargo test $f\n  TOTAL=$((TOTAL+1))\ndone",
            "cargo test",
        ),
        (
            "cat > notes.md <<'EOF'\nwhere lines (like this) | stand\nEOF\npython3 count.py",
            "python3 count.py",
        ),
        ("count=$(grep -c x 'a (b).txt' | tr -d ' ') && echo $count", "grep"),
        ("git -C /srv/demo log -3", "git log"),
        ("if [ -f x ]; then make -j 4; fi", "make"),
        ("timeout -k 5 90s ./check --all", "check"),
        ("grep -n 'a && b; rm c' src # and more; ls", "grep"),
        ("", ""),
        ("&&&;;|||", ""),
        ("'\"$((`<<(", ""),
    ],
)
def test_the_program_of_a_command_is_what_ran(command: str, name: str) -> None:
    assert program(command) == name


def call(number: int, begin: int, end: int, kind: ToolKind = ToolKind.RUN) -> Step:
    asked = ToolCall(str(number), "Bash", kind, "make", failed=False, answered_ms=end)
    return Step(number, StepKind.TOOL_CALL, number, call=asked, at_ms=begin)


def story_of(steps: Iterable[Step]) -> Story:
    story = Story(lambda *_: 1.0)
    for step in steps:
        story.add(step)
    return story


def test_idle_time_is_shortened_and_said() -> None:
    story = story_of([call(0, 0, 60_000), call(1, 60_000 + 10 * IDLE_MS, 120_000 + 10 * IDLE_MS)])
    time = next(strip for strip in strips(story, RUN, "s/steps-") if strip.axis == "time")
    (gap,) = time.gaps
    assert gap == "50\u202fmin pause"
    words = [text for _, text, _, y, _ in time.words if y == 54]
    assert words == ["0 min", "1"], "the pause begins there, and says how long it is"
    (place,) = (x for x, css in time.lines if css == "gap")
    assert 0.49 < place < 0.51


def test_no_mask_is_cut_in_the_data_of_the_strip() -> None:
    masked = Redactor()(
        f"{'make ' * 11}ada@oak-lantern.com and more than has room in it, as commands often have"
    )
    asked = ToolCall("1", "Bash", ToolKind.RUN, masked, failed=False)
    data = strip_data(story_of([Step(0, StepKind.TOOL_CALL, 0, call=asked)]), RUN)
    (row,) = data["rows"]  # type: ignore[attr-defined]
    assert row[3].startswith("make make") and len(row[3]) <= MAX_OF_NAME + 1
    assert row[3].count("[") == row[3].count("]")


def test_crosses_of_failed_calls_are_in_the_one_file(tmp_path: Path) -> None:
    told = Teller()
    calls = [
        told.prompt("Go."),
        told.calls("b", "Bash", "m2", command="make"),
        told.answers("b", "no", is_error=True),
    ]
    campaigns.write(tmp_path, {"runs/a.jsonl": lines(*calls, told.says("Done."))})
    done = sitegen("build", "runs", "-o", "site.html", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "site.html").read_text("utf-8")
    (name,) = set(re.findall('<use class="cross" href="#([^"]+)"', text))
    assert text.count(f'id="{name}"') == 1


def test_calls_that_overlap_are_said_to() -> None:
    assert story_of([call(0, 0, 9000), call(1, 5000, 12_000)]).has_overlap
    assert not story_of([call(0, 0, 9000), call(1, 9000, 12_000)]).has_overlap


def in_lane(number: int, lane: str, kind: ToolKind = ToolKind.READ) -> Step:
    return replace(call(number, 0, 0, kind), lane=lane)


def test_subagents_are_called_by_what_they_were_started_for() -> None:
    task = ToolCall("t", "Task", ToolKind.TASK, "Look for tides")
    begins = Step(0, StepKind.SUBAGENT, 0, call=task, starts="a1")
    story = story_of([begins, in_lane(1, "a1"), in_lane(2, "a2")])
    assert [story.name_of(lane) for lane in ("a1", "a2")] == [
        "Subagent 1: Look for tides",
        "Subagent 2",
    ]
    assert {lane: each.calls for lane, each in story.by_lane.items()} == {"a1": 1, "a2": 1}
    many = story_of(in_lane(number, f"a{number}") for number in range(20))
    (drawn,) = strips(many, RUN, "s/steps-")
    assert [lane.label for lane in drawn.lanes][-2:] == ["Subagent 7", "8 to 20"]


def test_a_context_that_the_cache_had_let_go_is_found() -> None:
    def message(number: int, minute: int, write: int, read: int, hour: int = 0) -> Step:
        tokens = Tokens(5, write, read, 10, hour)
        at = minute * 60_000
        return Step(
            number, StepKind.TEXT, number, "x", at_ms=at, tokens=tokens, context_tokens=tokens.sent
        )

    first = message(0, 0, 50_000, 0)
    assert story_of([first, message(1, 6, 51_000, 0)]).rewrites == [1]
    assert not story_of([first, message(1, 4, 51_000, 0)]).rewrites, "it was still there"
    assert not story_of([first, message(1, 6, 1_000, 50_000)]).rewrites, "it was read"
    assert not story_of([first, message(1, 6, 51_000, 0, hour=51_000)]).rewrites, (
        "it lasted an hour"
    )
    assert story_of([first, message(1, 6, 51_000, 0, hour=1_000)]).rewrites == [1], (
        "only a part of it lasted an hour"
    )


def test_a_table_leaves_out_columns_without_a_value() -> None:
    rows = [(RowView("a", ()), cells) for cells in (("1", "–", "–"), ("2", "–", "3"))]
    columns = {head: itemgetter(at) for at, head in enumerate(("Calls", "Failed", "Time"))}
    made = table("x", ("X", "", "Kind"), columns, rows, total=("3", "–", "3"))
    assert made.columns == ("Calls", "Time") and made.foot == ("All", "3", "3")
    assert [row.cells for row in made.rows] == [("1", "–"), ("2", "3")]


def test_a_secret_over_several_lines_is_masked_before_they_are_one() -> None:
    key = "\n".join(
        ["-----BEGIN " + "PRIVATE KEY-----", *["Mq7LxV2d9TzR4nYbWc8KfJ3hGsP6uQeA" * 2] * 8]
    )
    key += "\n-----END " + "PRIVATE KEY-----"
    asked = ToolCall("c", "Grep", ToolKind.SEARCH, f"look\nfor {key}", f"find\n{key}")
    step = Unmasked(Step(0, StepKind.TOOL_CALL, 0, call=asked))
    shown = published(step, 0, Redactor(), Level.OUTLINE, bounds=DEFAULT).call
    assert shown is not None and "Mq7Lx" not in repr(shown)
    assert shown.target.startswith("look for [redacted") and shown.purpose.startswith(
        "find [redacted"
    )


@pytest.mark.parametrize("basis", ["reported", "list"])
def test_shares_of_parts_have_the_basis_of_their_run(tmp_path: Path, basis: str) -> None:
    """A stream whose second part edits nothing and costs two thirds as reported, and three quarters at list price."""
    told = Teller("s")
    records: list[dict[str, object]] = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "tools": []}
    ]
    for number, (name, output) in enumerate((("Edit", 20_000), ("Read", 60_000)), 1):
        call = told.calls(
            f"c{number}",
            name,
            f"m{number}",
            output,
            file_path="/srv/a.py",
            old_string="a",
            new_string="b",
        )
        result = campaigns.result(
            500, session_id="s", uuid=f"u{number}", total_cost_usd=3.0 * number
        )
        of_part = (call, told.answers(f"c{number}"))
        records += [
            {"type": each["type"], "session_id": "s", "message": each["message"]}
            for each in of_part
        ] + [result]
    site = built(tmp_path, a=lines(*records))
    if basis == "list":
        (tmp_path / "config.yaml").write_text("inputs:\n- runs\ncost_basis: list\n")
        assert sitegen("build", cwd=tmp_path).returncode == 0
    (page,) = site.glob("runs/*.html")
    (said,) = re.findall(r"<h3>(.*?) was spent after the last edit", page.read_text("utf-8"))
    wasted, whole = (float(each.strip("$")) for each in said.split(" of "))
    parts = re.findall(r'<td class="n">([0-9.]+)</td><td>', page.read_text("utf-8"))
    assert float(parts[1]) == wasted and sum(map(float, parts)) == pytest.approx(whole, abs=0.011)
    assert wasted / whole == pytest.approx({"reported": 2 / 3, "list": 0.75}[basis], abs=0.01)


def test_the_largest_real_stream_is_told_with_its_waste(shared: Path) -> None:
    """18 of its 23 parts changed no file after "Session complete", for $5.21 of $35.49."""
    from sitegen import load_runs

    (path,) = (shared / "runs/claude-stream").rglob("agent4_*.jsonl")
    (entry,) = load_runs(str(path))
    assert (entry.run.status.value, entry.run.status_detail) == (
        "failed",
        "turn limit, then resumed 22 times",
    )
    assert len(entry.run.parts) == 23 and len(idle_parts(entry.run.parts)) == 18
    assert cost_without_change_usd(entry.run) == pytest.approx(5.21, abs=0.005)
    story = story_of(steps_of(entry, Redactor()))
    assert (story.calls, len(story.failures), story.context.peak) == (273, 18, 320_744)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with closing(browser.new_page()) as opened:
        yield opened


def test_filters_and_axes_need_no_script(tmp_path: Path, page: Page) -> None:
    site = built(tmp_path)
    page.route("**/*.js", lambda route: route.abort())
    (steps,) = site.glob("runs/*/steps-1.html")
    page.goto(as_file(steps))
    shown = page.locator(".steps > li:visible")
    everything = shown.count()
    page.get_by_text("failures", exact=False).first.click()
    assert 0 < shown.count() < everything
    (run,) = site.glob("runs/*.html")
    page.goto(as_file(run))
    page.get_by_text("steps", exact=True).first.click()
    assert (
        page.locator(".strip > .x-steps").is_visible()
        and not page.locator(".strip > .x-time").is_visible()
    )


HOSTILE = "echo '</script><img src=x onerror=alert(1)>' && make"


def long_run() -> bytes:
    """200 calls of 1,010 tokens each; calls 10 and 150 fail, and all others are edits. Step 1 is the prompt."""
    told = Teller()
    records = [told.prompt("Go.")]
    for number in range(2, 202):
        bad = number in (10, 150)
        given = (
            {"command": HOSTILE}
            if bad
            else {"file_path": f"/srv/{number}.py", "old_string": "a", "new_string": "b"}
        )
        records.append(told.calls(f"c{number}", "Bash" if bad else "Edit", f"m{number}", **given))
        records.append(
            told.answers(f"c{number}", "Exit code 2" if bad else "y" * 10 * number, is_error=bad)
        )
    return lines(*records)


def test_the_strip_names_steps_and_sums_up_a_part(tmp_path: Path, page: Page) -> None:
    site = built(tmp_path, a=long_run())
    (run,) = site.glob("runs/*.html")
    page.goto(as_file(run))
    said = page.locator(".picked")
    said.wait_for()
    page.get_by_text("steps", exact=True).first.click()
    plot = page.locator(".x-steps svg.plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    at = {number: box["x"] + box["width"] * (number - 0.5) / 201 for number in (10, 51, 100)}
    beside = box["y"] + box["height"] - 40
    page.mouse.move(at[10], box["y"] + 46)
    said.get_by_text("failed").wait_for()
    assert (
        said.inner_text().startswith(f"Step 10 Run {HOSTILE} failed")
        and not said.locator("img").count()
    )
    assert "Context 1,000 tokens" in said.inner_text()
    page.mouse.move(at[10], beside)
    page.mouse.down()
    page.mouse.move(at[100], beside, steps=5)
    page.mouse.up()
    drawn = said.inner_text()
    found = re.fullmatch(
        r"Minutes 0:19 to 3:18: (\d+) calls, 0 failed, 90 Edit, ([\d,]+)\+? tokens, ≈ \$([\d.]+)\+?\. "
        r"Steps 11 to 100 in the transcript\. Context at its end 1,000 tokens",
        drawn,
    )
    assert found and found[1] == "90" and found[2] == "90,900", drawn
    page.mouse.click(at[10], beside)
    page.mouse.click(at[100], beside)
    assert said.inner_text() == drawn
    begin, end = page.get_by_label("From minute"), page.get_by_label("to minute", exact=True)
    assert (begin.input_value(), end.input_value()) == ("0:19", "3:18")
    begin.fill("1")
    end.fill("3")
    end.press("Enter")
    said.get_by_text("Minutes 1 to 3: 60 calls, 0 failed, 60 Edit").wait_for()
    shared = page.url
    assert shared.endswith("#minutes=1-3")
    begin.fill("4")
    begin.press("Enter")
    said.get_by_text("the earlier first").wait_for()
    page.goto("about:blank")
    page.goto(shared)
    said.get_by_text("Minutes 1 to 3: 60 calls").wait_for()
    page.get_by_text("steps", exact=True).first.click()
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    page.locator(".x-steps").focus()
    page.mouse.click(at[51], box["y"] + 26)
    page.wait_for_url("**/steps-1.html#s51")
    assert page.locator(".steps > #s51").is_visible()
    said.get_by_text("51.py").wait_for()
    assert "largest results" not in said.inner_text()  # none of them has 1,000 bytes
    page.goto(as_file(run.with_suffix("") / "steps-2.html") + "#s201")
    said.get_by_text("200.py 2 kB").wait_for()
    page.keyboard.press("Escape")
    page.locator(".map").focus()
    for key in ("ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft"):
        page.keyboard.press(key)
    said.get_by_text("Steps 198 to 200 in the transcript").wait_for()


def test_all_minutes_of_a_run_of_which_only_results_have_times_hold_all_its_calls(
    tmp_path: Path, page: Page
) -> None:
    """As in the streams that `claude -p` prints."""
    records = [json.loads(line) for line in many(20, "done").splitlines()]
    untimed = [
        {
            key: value
            for key, value in each.items()
            if key != "timestamp" or each.get("message", {}).get("role") == "user"
        }
        for each in records[1:]
    ]
    (run,) = built(tmp_path, a=lines({**records[0], "timestamp": None}, *untimed)).glob(
        "runs/*.html"
    )
    page.goto(as_file(run) + "#minutes=0-99")
    page.locator(".picked").get_by_text("Minutes 0 to 99: 20 calls").wait_for()


def test_marks_are_links_and_a_filter_lasts_over_the_pages_of_a_run(
    tmp_path: Path, page: Page
) -> None:
    site = built(tmp_path, a=long_run())
    (run,) = site.glob("runs/*.html")
    page.goto(as_file(run.with_suffix("") / "steps-2.html"))
    page.get_by_text("failures 2").click()
    assert page.get_by_text("failures 2").is_visible()
    page.get_by_text("Page 1").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.steps > li')].filter((e) => e.checkVisibility()).length === 1"
    )
    page.route("**/*.js", lambda route: route.abort())
    page.goto(as_file(run))
    page.locator(".x-time a").last.scroll_into_view_if_needed()
    mark = page.locator(".x-time a").last.evaluate(
        "(link) => link.getBoundingClientRect().toJSON()"
    )
    page.mouse.click(mark["x"] + mark["width"] / 2, mark["y"])
    page.wait_for_url("**/steps-2.html#s150")
    assert not list(built(tmp_path, "--steps", "none").rglob("steps-*"))


def test_one_turn_at_a_time(tmp_path: Path, page: Page) -> None:
    (steps,) = built(tmp_path).glob("runs/*/steps-1.html")
    page.goto(as_file(steps))
    shown = page.locator(".steps > li:visible")
    page.locator("kbd", has_text="Esc").wait_for()
    everything = shown.count()
    counts = []
    for key in ("t", "t", "T", "Escape"):
        page.keyboard.press(key)
        counts.append(shown.count())
    assert counts[0] == counts[2] == 2 and counts[1] == everything - 2 and counts[3] == everything


def test_accessibility_of_steps_and_of_a_session_with_several_results(
    tmp_path: Path, page: Page
) -> None:
    other = Teller("several")
    of_several = lines(
        other.prompt("Go."), other.calls("x", "Task", description="Look"), other.answers("x")
    )
    results = {
        f"r{number}": json.dumps(campaigns.result(number, session_id="several"))
        for number in (1, 2)
    }
    site = built(tmp_path, "--steps", "full", a=transcript(), b=of_several, **results)
    pages = [*site.glob("runs/[ab]-*.html"), *site.glob("runs/*/*.html")]
    assert len(pages) == 4
    for path in pages:
        page.goto(as_file(path))
        assert site_checks.accessibility(page) == [], path


def test_bounds_of_results_can_be_set() -> None:
    assert Bounds(result_lines=5, result_kb=1).result_lines == 5
    assert Config(inputs=(Input(path="x"),)).steps is Level.OUTLINE


def test_paths_of_steps_are_named_within_the_folder_of_the_run(tmp_path: Path) -> None:
    folder = "/srv/wt-1"
    told = Teller("1", cwd=folder)
    records = [
        told.prompt("Go."),
        told.calls("a", "Read", "m1", file_path=f"{folder}/src/a.py"),
        told.answers("a"),
        told.calls("b", "Bash", "m2", command=f"cd {folder} && ls /srv/wt-2/src"),
        told.answers("b"),
    ]
    site = built(tmp_path, a=lines(*records, told.says("Done.")))
    (data,) = (site / "runs").glob("*/steps-data.js")
    text = data.read_text("utf-8")
    assert '\\"src/a.py\\"' in text and "cd . " in text


def test_any_two_runs_stand_side_by_side(tmp_path: Path, page: Page) -> None:
    told = Teller("other")
    records = [told.prompt("Go.")]
    for number, command in enumerate(("ls", HOSTILE, "make")):
        records += (
            told.calls(f"c{number}", "Bash", f"m{number}", command=command),
            told.answers(f"c{number}"),
        )
    site = built(tmp_path, a=long_run(), b=lines(*records), c=json.dumps(campaigns.result(1)))
    ids = {path.name[0]: path.stem for path in site.glob("runs/*.html")}
    page.goto(as_file(site / f"runs/{ids['a']}.html"))
    field = page.get_by_label("Call by call beside")
    for name, said in (("nobody", "0 runs have"), (ids["c"], "name and published steps")):
        field.fill(name)
        field.press("Enter")
        page.get_by_text(said).wait_for()
    field.fill(ids["b"][2:])
    field.press("Enter")
    page.get_by_text("They part at call 1; 200 of 200 rows differ.").wait_for()
    cells = (
        page.locator(".side tbody tr").nth(8).locator("td").all_inner_texts()
    )  # one has failed, the other has not
    assert (
        cells == [f"Run {HOSTILE} failed", f"Run {HOSTILE}"]
        and not page.locator(".side img").count()
    )
    assert site_checks.accessibility(page) == []
    shared = page.url
    assert shared.endswith(f"#beside={ids['b']}")
    page.goto("about:blank")
    page.goto(shared)
    page.get_by_text("They part at call 1").wait_for()
    page.locator(".side tbody tr").nth(9).locator("td").nth(1).get_by_role("link").click()
    page.wait_for_url(f"**/{ids['b']}/steps-1.html#s4")
