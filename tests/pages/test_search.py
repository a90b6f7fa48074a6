"""Full-text search: the index against a plain count of words, and in a browser what a reader sees of it."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from sitegen import load_runs
from sitegen.masking.redact import Redactor
from sitegen.model import Texts
from sitegen.pages import search
from sitegen.pages.steps.story import STEPS_PER_PAGE, Story
from sitegen.publish.files import Document
from tests.conftest import ROOT
from tests.support import browsers, campaigns
from tests.support.browsers import as_file
from tests.support.campaigns import OPUS, result
from tests.support.command import sitegen
from tests.support.site_checks import Watch, accessibility
from tests.support.transcripts import Teller, lines

pytestmark = pytest.mark.blank_charts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FILLER = " ".join(f"word{number}" for number in range(400))

RUNS = {
    "names/1.json": result(
        1, OPUS, result="Replaced `max_seq_len_k` in `src/io/normalize_path.py`."
    ),
    "accents/1.json": result(
        2, result="Ærø is naïve, the café is in the STRASSE, 検索結果。 Straße"
    ),
    "titled/1.json": result(3, result="## The kettle whistles\n\nAll is **quiet** else."),
    "told/1.json": result(4, result=f"## Something else\n\nOne kettle. {FILLER}"),
    "deep/1.json": result(5, result=f"{FILLER}\n\nThen the lighthouse blinks. {FILLER}"),
    "failed/1.json": result(
        6, result=None, subtype="error_max_turns", errors=["Reached maximum number of turns (24)"]
    ),
    "markup/1.json": result(
        7, result="A zebra: `<b class=x>bold</b>` & <img src=x onerror=alert(1)>"
    ),
    "joined/1.json": result(8, result="In /ho**me/mary**/secret lies the walrus."),
    **{f"buffers/{number}.json": result(number) for number in range(10, 24)},
    **{
        f"herons/{number}.json": result(number, result=f"A heron. {FILLER}")
        for number in range(30, 38)
    },
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of the runs above, built by the command."""
    folder = tmp_path_factory.mktemp("search")
    settings = {"inputs": [{"path": "runs", "pattern": "{task}/{attempt}.json"}], "output": "site"}
    campaigns.write(
        folder, {**{f"runs/{name}": run for name, run in RUNS.items()}, "config.yaml": settings}
    )
    built = sitegen("build", "-q", "-c", folder / "config.yaml")
    assert built.returncode == 0, built.stderr
    return folder / "site"


@pytest.fixture
def page(browser: Browser, site: Path) -> Iterator[Page]:
    """A page in a fresh context that must stay free of complaints and inside the site."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        watch = Watch(f"{as_file(site.parent)}/").over(context)
        yield context.new_page()
        assert watch.findings == []


def page_of(site: Path, task: str) -> Path:
    """The page of the first run of a task."""
    runs = json.loads((site / "data" / "runs.json").read_text(encoding="utf-8"))["runs"]
    return site / next(str(run["page"]) for run in runs if run["task"] == task)


def settle(page: Page) -> None:
    """Wait until the results of what was typed are there."""
    page.locator(".hits:not([aria-busy])").wait_for(state="attached")


def names(page: Page) -> list[str]:
    """The runs found, as they stand in the list."""
    return page.locator(".hits > li > a").all_inner_texts()


def ask(page: Page, query: str) -> list[str]:
    """Type a query into the field and read the runs found."""
    page.get_by_role("searchbox", name="Search all runs").fill(query)
    settle(page)
    return names(page)


def count(page: Page) -> str:
    """What is said of the results."""
    return page.get_by_role("search").get_by_role("status").inner_text()


# --- words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max_seq_len_k = src/io.py:12", ["max", "seq", "len", "k", "src", "io", "py", "12"]),
        ("Straße STRASSE ναύς ΝΑΎΣ", ["strasse", "strasse", "ναυσ", "ναυσ"]),
        ("Ærø naïve e\u0301te\u0301 ﬁle ﬁ", ["ærø", "naive", "ete", "file", "fi"]),
        ("検索、abc결과 ガ", ["検", "索", "abc" + unicodedata.normalize("NFKD", "결과"), "カ"]),
        ("✅ — “done”…", ["done"]),
        ("x" * 50 + " y", ["x" * search.WORD_CHARACTERS, "y"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert search.words(text) == words


def test_python_and_the_browser_take_the_same_words(page: Page, site: Path, shared: Path) -> None:
    lines = (shared / "hostile" / "markup.jsonl").read_text(encoding="utf-8").split("\n")
    texts = [json.loads(line)["payload"] for line in lines if line]
    assert len(texts) > 600
    known = [
        sign
        for sign in map(chr, range(0x40000))
        if unicodedata.ucd_3_2_0.category(sign) not in ("Cn", "Cs")
    ]
    texts += [
        " ".join(f"a{sign}b {sign}" for sign in known[start : start + 500])
        for start in range(0, len(known), 500)
    ]
    texts += ["x" * 100_000, "ΑΣ Σ ΣΑ ς", "İstanbul ıI", "a\u0301\u0323 q\u0308", FILLER]
    page.goto(as_file(site / "search.html"))
    taken = page.evaluate("texts => texts.map((text) => window.sitegenSearch.words(text))", texts)
    differing = [
        text[:80] for text, there in zip(texts, taken, strict=True) if search.words(text) != there
    ]
    assert differing == []


# --- the index against a plain count


def weights(text: str, title: str) -> dict[str, float]:
    """How often each word counts: eight times in the title, in powers of two."""
    found: dict[str, int] = {}
    for word in search.words(text):
        found[word] = found.get(word, 0) + 1
    for word in search.words(title):
        found[word] = found.get(word, 0) + 8
    return {word: 2 ** min(int(math.log2(n)), 3) for word, n in found.items()}


def expected(runs: dict[str, tuple[str, str]], query: str, wide: set[str]) -> list[str]:
    """The runs found, best first, by the formula of search.py; `wide` are beginnings with a list of their own."""
    lengths = {name: len(search.words(f"{title} {text}")) for name, (title, text) in runs.items()}
    mean = round(sum(lengths.values()) / len(runs), 1)
    found = {name: weights(text, title) for name, (title, text) in runs.items()}
    asked = list(dict.fromkeys(search.words(query)))
    scores = dict.fromkeys(runs, 0.0)
    for word in asked:
        goes_on = word == asked[-1]
        f: dict[str, float] = {}
        for name, words in found.items():
            longer = [n for w, n in words.items() if goes_on and w != word and w.startswith(word)]
            half = 0.5 * (min(1, len(longer)) if word in wide else max(longer, default=0))
            if words.get(word, 0) + half:
                f[name] = words.get(word, 0) + half
        rarity = math.log(1 + (len(runs) - len(f) + 0.5) / (len(f) + 0.5))
        scores = {name: score for name, score in scores.items() if name in f}
        for name in scores:
            length = 2 ** (round(4 * math.log2(lengths[name])) / 4)
            scores[name] += rarity * 3 * f[name] / (f[name] + 2 * (0.5 + 0.5 * length / mean))
    return sorted(scores, key=lambda name: (-round(scores[name], 9), name))


@pytest.mark.parametrize(
    "is_divided", [False, True], ids=["", "divided as those of very many runs are"]
)
def test_results_and_their_order_are_those_of_a_plain_count(
    page: Page, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_divided: bool
) -> None:
    monkeypatch.setattr(
        search, "SHARD_CHARACTERS", 400
    )  # many small files, and beginnings that take too many of them
    if is_divided:
        monkeypatch.setattr(search, "RUNS_PER_PART", 10)
    rng = random.Random(4)  # noqa: S311
    syllables = ["ko", "ka", "ta", "te", "ri", "ro", "mu", "_ne", "é"]
    vocabulary = ["".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(400)]
    runs = {}
    for number in range(120):
        text = " ".join(rng.choices(vocabulary, k=rng.randint(3, 90)))
        runs[f"run {number:03}"] = (f"run {number:03}", text)
    [entry] = load_runs(str(campaigns.write(tmp_path / "runs", {"a.json": result(1)})))
    bare = replace(entry, model=None, campaign=None, labels=(), task=None)
    copy = shutil.copytree(site, site.parent / f"counted-{is_divided}")
    shutil.rmtree(copy / "search")
    files = files_of(
        search.document(
            replace(bare, id=f"run-{number}", title=title, about=None),
            Texts(),
            f"<p>{text}</p>\n",
            Redactor(),
        )
        for number, (title, text) in runs.items()
    )
    campaigns.write(copy, dict(files))
    assert "search/beginnings-0.js" in files
    firsts = content_of(files["search/index.js"])["words"]
    assert ("search/runs-4.js" in files) is is_divided
    wide = set(search._wide(firsts))
    asked = [
        "k",
        "ka",
        "kar",
        *rng.sample(vocabulary, 12),
        *(" ".join(rng.sample(vocabulary, 2)) for _ in range(12)),
    ]
    asked += [" ".join(rng.sample(syllables, 3)) for _ in range(3)]
    page.goto(as_file(copy / "search.html"))
    for query in asked:
        best = expected(
            {name: (title, f"{text} a") for name, (title, text) in runs.items()}, query, wide
        )  # its path
        assert ask(page, query) == best[:6], query
        assert count(page).split()[0] == (str(len(best)) if best else "No"), query


@pytest.mark.parametrize("command", ["gh auth token", "pass show mail"])
@pytest.mark.parametrize(
    "written", ["<p>I ran <code>{}</code></p>\n<p>{}</p>", "<pre>$ {}\n{}</pre>"]
)
def test_a_secret_on_the_line_below_its_command_is_not_searched(
    tmp_path: Path, command: str, written: str
) -> None:
    """Rules see the lines of a summary: in the one line that a hit shows, what follows the command may be anything."""
    [entry] = load_runs(str(campaigns.write(tmp_path, {"a.json": result(1)})))
    found = search.document(entry, Texts(), written.format(command, "xK9vQ2mLp8Zt44aa"), Redactor())
    assert "[redacted: password" in str(found.shown)
    assert "xk9v" not in f"{found.words} {found.shown}".lower()


def content_of(script: bytes) -> Any:
    """What a script of the index sets."""
    return json.loads(json.loads(script.decode().partition("parse(")[2].rpartition(")")[0]))


def test_a_beginning_goes_on_with_letters_of_every_plane() -> None:
    """As in a browser, where these letters are two units, both before U+FFFF."""
    index, shown = search.SearchIndex(lambda *_: None), (*"in", *[None] * 8)
    words = ["go", "goa", "go\U00010330", "gp"]
    for word in words:
        assert not list(index.add(Document(word, b"\0", 1, shown)))
    assert [each // search.LEVELS for each in index._runs_of_beginning("go", sorted(words))] == [
        1,
        2,
    ]
    assert search._wide(["g", "go", *(f"go{chr(0x10330 + n)}" for n in range(search.MAX_FILES))])[
        :2
    ] == ["g", "go"]


def test_no_file_of_an_index_passes_200_kb() -> None:
    runs = 100_000
    common, letters = "common other", [chr(0x10400 + number) for number in range(40)]
    documents = (
        Document(
            f"{common} {''.join(letters[int(each)] for each in f'{number:032}')}",
            b"\0\1\2",
            3,
            (
                f"run-{number:08}",
                "a",
                None,
                "pass",
                "ok",
                "<" * (number % 900 if number % 99 else 24_000),
                *[None] * 4,
            ),
        )
        for number in range(runs)
    )
    largest = dict[str, int]()
    index = search.SearchIndex(lambda _: None)
    files = chain(
        (file for each in documents for file in index.add(each)),
        index.close_texts(),
        index.finish(),
    )
    for file in files:
        kind = re.sub(r"-[0-9]+", "", file.path)
        largest[kind] = max(largest.get(kind, 0), len(file.make().data))
    assert {"search/words.js", "search/runs.js", "search/texts.js"} <= largest.keys()
    assert max(largest.values()) < 200_000, largest
    assert largest["search/words.js"] > 80_000, "of a word that all runs hold"


def index_of(tmp_path: Path, texts: list[str]) -> dict[str, bytes]:
    """The files of an index of these summaries."""
    [entry] = load_runs(str(campaigns.write(tmp_path / "runs", {"a.json": result(1)})))
    return files_of(search.document(entry, Texts(), text, Redactor()) for text in texts)


def files_of(documents: Iterable[search.Document]) -> dict[str, bytes]:
    """The files of an index of these runs."""
    index = search.SearchIndex(lambda _: None)
    texts = [each for document in documents for each in index.add(document)] + list(
        index.close_texts()
    )
    return {file.path: file.make().data for file in (*texts, *index.finish())}


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"w{number}" for number in range(1_000_000)),
        "x" * 1_000_000,
        "検" * 1_000_000,
        "<b>" * 300_000,
        "&lt;" * 300_000,
    ],
    ids=["words", "one word", "singles", "tags", "references"],
)
def test_the_share_of_a_hostile_summary_is_bounded(text: str, tmp_path: Path) -> None:
    files = index_of(tmp_path, [text])
    assert sum(len(content) for path, content in files.items() if "words" in path) < 40_000
    assert sum(map(len, files.values())) < 7 * search.TEXT_CHARACTERS


def test_a_summary_of_too_many_words_leaves_its_title_its_place(tmp_path: Path) -> None:
    files = index_of(tmp_path, [" ".join(f"w{number}" for number in range(10_000))])
    words = b"".join(content for path, content in files.items() if "words" in path)
    assert b" sonnet " in words


def test_text_that_tags_kept_apart_is_cleaned_once_joined(site: Path) -> None:
    shards = "".join(path.read_text(encoding="utf-8") for path in site.glob("search/texts-*.js"))
    assert "/home/[user]/secret lies the walrus" in shards
    assert "mary" not in shards


def test_a_model_behind_a_verdict_is_no_password(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests/corpus/reader/codex-rollout.jsonl", tmp_path / "1.jsonl")
    (tmp_path / "1.meta.json").write_text('{"outcome": "pass"}', encoding="utf-8")
    built = sitegen("build", tmp_path, "-o", tmp_path / "site", "--no-config")
    assert "masked" not in built.stderr + built.stdout
    shown = (tmp_path / "site/search/texts-0.js").read_text(encoding="utf-8")
    assert '"pass\\",' in shown and '"gpt-5.2-codex\\",' in shown and "≈ $" in shown


# --- in the browser


@pytest.mark.parametrize(
    ("query", "run"),
    [
        ("seq_len", "names · Opus 4.5"),
        ("normalize path", "names · Opus 4.5"),
        ("src/io/normalize_path.py", "names · Opus 4.5"),
        ("NAIVE CAFE", "accents · Sonnet 4.5"),
        ("café", "accents · Sonnet 4.5"),
        ("索", "accents · Sonnet 4.5"),
        ("strasse", "accents · Sonnet 4.5"),
        ("lightho", "deep · Sonnet 4.5"),
        ("maximum turns", "failed · Sonnet 4.5"),
        ("names opus", "names · Opus 4.5"),
        ("accents", "accents · Sonnet 4.5"),
    ],
)
def test_a_query_finds_the_run(page: Page, site: Path, query: str, run: str) -> None:
    page.goto(f"{as_file(site / 'search.html')}#q={quote(query)}")
    settle(page)
    assert names(page) == [f"{run} · 1"]
    assert count(page) == "1 run"


def test_only_the_last_word_may_go_on_and_all_words_must_be_there(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    assert ask(page, "") == []
    assert count(page) == ""
    assert ask(page, "kettl") == ["titled · Sonnet 4.5 · 1", "told · Sonnet 4.5 · 1"]
    assert ask(page, "kettl ") == []
    assert count(page).startswith("No run has this word in its name, ")
    assert ask(page, "kettl whistles") == []
    assert count(page).startswith("No run has all these words in ")
    assert ask(page, "whistles kettl") == ["titled · Sonnet 4.5 · 1"]


def test_a_whole_word_counts_more_than_many_that_go_on(
    page: Page, site: Path, tmp_path: Path
) -> None:
    [entry] = load_runs(str(campaigns.write(tmp_path / "runs", {"a.json": result(1)})))
    files = files_of(
        search.document(
            replace(entry, id=f"r{number}", task="tide", attempt=number, about=None),
            Texts(),
            text,
            Redactor(),
        )
        for number, text in ((3, "12 13 14 15 16 17 18 19 " * 9), (1, "quiet " * 72))
    )
    copy = shutil.copytree(site, site.parent / "exact")
    shutil.rmtree(copy / "search")
    campaigns.write(copy, dict(files))
    page.goto(as_file(copy / "search.html"))
    assert ask(page, "tide 1") == ["tide · Sonnet 4.5 · 1", "tide · Sonnet 4.5 · 3"]


def test_how_a_run_ended_is_found(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    assert ask(page, "failed") == ["failed · Sonnet 4.5 · 1"]
    assert len(ask(page, "status:completed")) > 1
    assert ask(page, "status:completed failed") == []
    assert ask(page, '(("') == []
    assert count(page) == "Enter at least a letter or a digit"


def test_a_run_is_found_by_its_path(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    assert ask(page, "titled/1") == ["titled · Sonnet 4.5 · 1"]
    assert page.locator(".hits mark").all_inner_texts() == ["titled", "1", "titled", "1"]


def test_a_title_counts_more_than_a_text_and_words_are_marked_in_both(
    page: Page, site: Path
) -> None:
    page.goto(as_file(site / "search.html"))
    ask(page, "kettle")
    first, second = (page.locator(".hits > li").nth(place) for place in (0, 1))
    assert first.inner_text().startswith("titled · Sonnet 4.5 · 1\n\nThe kettle whistles\n")
    assert first.locator("mark").all_inner_texts() == ["kettle"]
    assert (
        first.locator(".excerpt").inner_text() == "titled/1.json · All is quiet else."
    )  # and not the title again
    assert "One kettle. word0" in second.locator(".excerpt").inner_text()
    assert second.locator("mark").all_inner_texts() == ["kettle"]


def test_the_excerpt_shows_the_match_in_its_context(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    ask(page, "lighthouse")
    excerpt = page.locator(".excerpt").inner_text()
    assert "word399 Then the lighthouse blinks. word0 word1" in excerpt
    assert excerpt.startswith("… word")
    assert excerpt.endswith(" …")
    assert len(excerpt) < 260


def test_a_hit_shows_status_model_and_cost_and_leads_to_its_run(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    ask(page, "maximum number")
    assert page.locator(".hits .meta").inner_text().split() == [
        "failed",
        "·",
        "Claude",
        "Sonnet",
        "4.5",
        "·",
        "$0.09",
    ]
    page.locator(".hits a").click()
    browsers.comes_to(page, as_file(page_of(site, "failed")))


def test_outcome_and_status_narrow_a_search_and_stand_in_its_address(
    browser: Browser, demo_site: Path
) -> None:
    page = browser.new_page()
    page.goto(as_file(demo_site / "search.html"))
    runs = json.loads((demo_site / "data" / "runs.json").read_text(encoding="utf-8"))["runs"]
    failed = [run["name"] for run in runs if run["outcome"] == "fail"]
    ask(page, "decode")
    before = count(page)
    page.get_by_role("group", name="outcome").get_by_role("button", name="fail").click()
    settle(page)
    found = names(page)
    assert found and set(found) < set(failed)
    assert count(page) != before
    assert page.url.endswith("#q=decode&outcome=fail")
    ask(page, "")
    assert sorted(names(page)) == sorted(failed), "without words, all runs of the kind"
    page.goto(f"{as_file(demo_site / 'search.html')}#q=&status=stopped&status=interrupted")
    page.reload()
    settle(page)
    assert sorted(names(page)) == sorted(
        run["name"] for run in runs if run["status"] in ("stopped", "interrupted")
    )
    page.goto(f"{as_file(demo_site / 'search.html')}#outcome=won")
    page.reload()
    settle(page)
    assert count(page) == "No run: nothing here has the outcome won"
    page.get_by_role("button", name="won").click()
    settle(page)
    assert "#" not in page.url
    page.context.close()


def test_a_hit_names_its_campaign(page: Page, site: Path) -> None:
    folder = site.parent / "campaigns"
    settings = {"inputs": [{"path": "runs", "pattern": "{campaign}/{task}.json"}], "output": "site"}
    runs = {
        f"runs/{name}/tide.json": result(number) for number, name in enumerate(("early", "later"))
    }
    campaigns.write(folder, {**runs, "config.yaml": settings})  # type: ignore[dict-item]
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    page.goto(as_file(folder / "site" / "search.html"))
    assert sorted(ask(page, "tide")) == ["tide · Sonnet 4.5 · early", "tide · Sonnet 4.5 · later"]
    facts = page.locator(".hits .meta").all_inner_texts()
    assert sorted(fact.split(" · ")[2] for fact in facts) == ["early", "later"]


def test_hostile_text_stays_text(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    ask(page, "zebra")
    assert (
        "A zebra: <b class=x>bold</b> & <img src=x onerror=alert(1)>"
        in page.locator(".excerpt").inner_text()
    )
    assert page.locator(".hits b, .hits img").count() == 0
    ask(page, "<img src=x onerror=alert(1)>")
    assert page.locator("#search img").count() == 0


def test_more_results_come_when_asked_for_and_take_the_focus(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    assert len(ask(page, "buffer")) == 6
    assert count(page) == "14 runs"
    page.get_by_role("button", name="Show more").click()
    page.locator(".hits > li:nth-child(12)").wait_for()
    assert page.evaluate(
        "document.activeElement.closest('li') === document.querySelectorAll('.hits > li')[6]"
    )
    page.get_by_role("button", name="Show more").click()
    page.locator(".hits > li:nth-child(14)").wait_for()
    assert page.get_by_role("button", name="Show more").count() == 0
    assert len(set(names(page))) == 14


def test_next_results_that_do_not_come_are_said_and_come_when_asked_again(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(site, tmp_path / "site")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(as_file(copy / "search.html"))
        assert len(ask(page, "heron")) == 6
        texts = list(copy.glob("search/texts-*.js"))
        for path in texts:
            path.rename(path.with_suffix(".away"))
        more, said = (
            page.get_by_role("button", name="Show more"),
            page.get_by_role("search").get_by_role("status"),
        )
        more.click()
        said.filter(has_text="The next results could not be loaded; try again").wait_for()
        assert len(names(page)) == 6
        for path in texts:
            path.with_suffix(".away").rename(path)
        more.click()
        page.locator(".hits > li:nth-child(8)").wait_for()
        said.filter(has_text="8 runs").wait_for()
        assert more.is_hidden()


def test_enter_that_ends_the_input_of_a_word_opens_no_run(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    assert ask(page, "索") == ["accents · Sonnet 4.5 · 1"]
    page.get_by_role("searchbox").dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    page.get_by_role("searchbox").dispatch_event(
        "keydown", {"key": "ArrowDown", "isComposing": True}
    )
    assert page.evaluate("document.activeElement.value") == "索"
    page.keyboard.press("Enter")
    browsers.comes_to(page, as_file(page_of(site, "accents")))


def test_the_page_keeps_the_query_in_its_fragment(page: Page, site: Path) -> None:
    page.goto(as_file(site / "search.html"))
    ask(page, "kettle & co")
    browsers.comes_to(page, "search.html#q=kettle+%26+co")
    ask(page, "whistles")
    page.reload()
    settle(page)
    assert page.get_by_role("searchbox").input_value() == "whistles"
    assert names(page) == ["titled · Sonnet 4.5 · 1"]
    page.evaluate(
        "location.hash = '#main'; new Promise(requestAnimationFrame)"
    )  # a place on the page
    assert page.get_by_role("searchbox").input_value() == "whistles"
    page.evaluate("location.hash = '#q=walrus'")
    page.locator(".hits a", has_text="joined · Sonnet 4.5 · 1").wait_for()


def test_slash_opens_a_dialog_and_keys_lead_through_it(page: Page, site: Path) -> None:
    page.goto(as_file(page_of(site, "deep")))
    page.keyboard.press("/")
    dialog = page.get_by_role("dialog", name="Search")
    dialog.get_by_role("searchbox").wait_for()
    settle(page)
    page.keyboard.type("kettle")
    settle(page)
    assert count(page) == "2 runs"
    focused = "document.activeElement.textContent"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "told · Sonnet 4.5 · 1"
    page.keyboard.press("j")  # leads to the next run outside of the dialog
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused) == "titled · Sonnet 4.5 · 1"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.value") == "kettle"
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.keyboard.press("/")
    dialog.locator(".hits a").first.wait_for()
    page.wait_for_function("() => document.activeElement.value === 'kettle'")
    page.keyboard.press("Enter")
    page.wait_for_url(as_file(page_of(site, "titled")), wait_until="commit")


def test_the_entry_of_the_header_opens_the_dialog_which_leads_to_the_page(
    page: Page, site: Path
) -> None:
    page.goto(as_file(site / "index.html"))
    page.keyboard.press("/")  # belongs to the table of runs where there is one
    page.get_by_role("link", name="Search").click()
    dialog = page.get_by_role("dialog", name="Search")
    dialog.wait_for()
    settle(page)
    ask(page, "lighthouse")
    dialog.get_by_role("link", name="Open as a page").click()
    settle(page)
    browsers.comes_to(page, "search.html#q=lighthouse")
    assert names(page) == ["deep · Sonnet 4.5 · 1"]
    page.get_by_role("link", name="Search", exact=True).click()
    assert page.evaluate("document.activeElement.type") == "search"


def test_back_from_a_result_opens_the_dialog_again_until_it_is_closed(
    page: Page, site: Path
) -> None:
    page.goto(f"{as_file(site / 'index.html')}#sort=-cost_usd")
    page.get_by_role("link", name="Search").click()
    dialog = page.get_by_role("dialog", name="Search")
    dialog.wait_for()
    settle(page)
    assert ask(page, "kettle") == ["titled · Sonnet 4.5 · 1", "told · Sonnet 4.5 · 1"]
    dialog.get_by_role("link", name="told · Sonnet 4.5 · 1").click()
    page.wait_for_url(as_file(page_of(site, "told")))
    page.go_back()
    dialog.locator(".hits a", has_text="told · Sonnet 4.5 · 1").wait_for()
    assert page.get_by_role("searchbox", name="Search all runs").input_value() == "kettle"
    browsers.comes_to(page, "index.html#sort=-cost_usd")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    kept = page.evaluate("history.state")
    assert "top" in kept and kept.get("search") is None  # what the table keeps there stays


def test_the_dialog_closes_by_its_button_and_by_a_click_beside_it(page: Page, site: Path) -> None:
    page.goto(as_file(site / "about.html"))
    link, dialog = (
        page.get_by_role("link", name="Search"),
        page.get_by_role("dialog", name="Search"),
    )
    link.click()
    dialog.get_by_role("button", name="Close").click()
    assert not dialog.is_visible()
    link.click()
    page.mouse.click(5, 700)
    assert not dialog.is_visible()


@pytest.mark.parametrize("left", [False, True])
def test_a_page_that_is_left_while_the_script_loads_is_not_led_to_the_search(
    page: Page, site: Path, left: bool
) -> None:
    """Firefox says that a script has failed as well when its page is left meanwhile."""
    page.goto(as_file(site / "about.html"))
    page.evaluate(
        """async (left) => {
            document.querySelector("[data-search]").click();
            const script = document.querySelector("head script[src*='search-']");
            if (left) dispatchEvent(new Event("beforeunload"));
            script.onload = null;
            script.onerror();
            if (left) await new Promise((done) => setTimeout(done));
        }""",
        left,
    )
    if not left:
        page.wait_for_url(as_file(site / "search.html"), wait_until="commit")
    assert page.url == as_file(site / ("about.html" if left else "search.html"))


def test_two_clicks_before_the_script_has_come_make_one_dialog_which_paper_leaves_out(
    page: Page, site: Path
) -> None:
    page.goto(as_file(site / "about.html"))
    page.evaluate("for (const _ of [1, 2]) document.querySelector('[data-search]').click()")
    dialog = page.get_by_role("dialog", name="Search")
    dialog.wait_for()
    assert page.locator("dialog").count() == 1
    assert dialog.evaluate("e => e.offsetWidth") == 704, "44rem, where there is room"
    page.emulate_media(media="print")
    assert not dialog.is_visible()


@pytest.mark.nightly  # test_site.py looks at each kind of page on every push
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_results_are_accessible_and_fit_a_phone(browser: Browser, site: Path, scheme: Any) -> None:
    with browser.new_context(
        viewport={"width": 320, "height": 640}, color_scheme=scheme
    ) as context:
        page = context.new_page()
        for path in (site / "search.html", page_of(site, "names")):
            page.goto(as_file(path))
            page.keyboard.press("/")
            settle(page)
            ask(page, "buffer")
            assert accessibility(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") == 320
            assert (
                page.evaluate("(document.querySelector('dialog') ?? document.body).scrollWidth")
                <= 320
            )


def test_without_script_the_link_leads_to_a_page_that_says_so(browser: Browser, site: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(as_file(page_of(site, "names")))
        page.get_by_role("link", name="Search").click()
        assert "needs JavaScript" in page.locator("main").inner_text()
        page.get_by_role("link", name="the table of runs").click()
        browsers.comes_to(page, as_file(site / "index.html"))


def test_search_works_where_storage_is_refused(page: Page, site: Path) -> None:
    refuse = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    page.add_init_script(refuse)
    page.goto(as_file(page_of(site, "names")))
    page.keyboard.press("/")
    settle(page)
    assert ask(page, "walrus") == ["joined · Sonnet 4.5 · 1"]


def test_missing_files_are_said_and_a_missing_script_falls_back_to_the_page(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(site, tmp_path / "site")
    shutil.rmtree(copy / "search")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(as_file(copy / "search.html"))
        settle(page)
        assert count(page) == "The search index could not be loaded"
        for script in copy.glob("assets/search-*.js"):
            script.unlink()
        page.goto(as_file(copy / "about.html"))
        page.get_by_role("link", name="Search").click()
        page.wait_for_url(as_file(copy / "search.html"))
        assert "needs JavaScript" in page.locator("main").inner_text()


def test_files_commands_and_failures_are_found_and_lead_to_their_steps(
    browser: Browser, tmp_path: Path
) -> None:
    teller = Teller()
    calls = [
        (
            "Edit",
            {"file_path": "/srv/demo/blackboard.md", "old_string": "a", "new_string": "b"},
            False,
        )
    ] * 6
    calls += [
        ("Read", {"file_path": "/srv/demo/lantern.py"}, False),
        ("Bash", {"command": "make harbour"}, True),
    ]
    told = [teller.prompt("Go")]
    for number, (name, given, failed) in enumerate(calls):
        told += [
            teller.calls(f"t{number}", name, f"m{number}", **given),
            teller.answers(f"t{number}", is_error=failed),
        ]
    told.append(teller.says("All done", "m99"))
    settings: dict[str, Any] = {"inputs": [{"path": "runs"}], "output": "site", "steps": "outline"}
    runs = {
        "runs/a.jsonl": lines(*told),
        "runs/b.json": result(2, result="Nothing of a blackboard"),
    }
    campaigns.write(tmp_path, {"config.yaml": settings, **runs})
    assert sitegen("build", "-q", cwd=tmp_path).returncode == 0
    page = browser.new_page()
    page.goto(as_file(tmp_path / "site/search.html"))

    def steps(query: str) -> list[list[str]]:
        ask(page, query)
        return [
            each.locator(".excerpt > a").all_inner_texts()
            for each in page.locator(".hits > li").all()
        ]

    assert [len(each) for each in steps("blackboard")] in ([1, 0], [0, 1])
    (edited,) = steps("edited:blackboard.md")
    assert len(edited) == 1
    assert edited[0].startswith("edited: ")
    assert steps("file:blackboard") == [edited]
    assert steps("edited:lantern") == []
    assert len(steps("file:lantern done")) == 1, "words of its texts beside it"
    assert steps("command:lantern") == []
    assert [[each.partition(":")[0] for each in found] for found in steps("failed:harbour")] == [
        ["failed", "command"]
    ]
    page.locator(".excerpt > a").first.click()
    assert re.search(r"/steps-1\.html#s\d+$", page.url)
    page.goto(f"{as_file(tmp_path / 'site/index.html')}#q=lantern")
    page.locator("#count", has_text="1 of 2 runs").wait_for()
    page.goto(f"{as_file(tmp_path / 'site/index.html')}#q=lantern&cost_usd=900..")
    page.get_by_role("link", name="Search all runs for it").click()
    settle(page)
    assert len(names(page)) == 1
    page.close()


def test_filter_and_search_find_the_same_runs_and_lead_to_steps(
    browser: Browser, tmp_path: Path
) -> None:
    def run(session: str, *calls: tuple[str, dict[str, str], bool]) -> str:
        teller = Teller(session)
        told = [teller.prompt("Go")]
        for number, (name, given, failed) in enumerate(calls):
            told += [teller.calls(f"{session}-t{number}", name, f"{session}-m{number}", **given)]
            told += [teller.answers(f"{session}-t{number}", is_error=failed)]
        return lines(
            *told,
            teller.says("The kingfisher dives", f"{session}-m98"),
            teller.says("Done", f"{session}-m99"),
        )

    def edit(path: str) -> tuple[str, dict[str, str], bool]:
        return "Edit", {"file_path": f"/srv/{path}", "old_string": "a", "new_string": "b"}, False

    make = ("Bash", {"command": "make harbour"}, True)
    runs = {
        "board": run("board", *[edit("blackboard.md")] * 6),
        "apart": run("apart", edit("src/io.rs"), edit("lib/a.py")),
        "exact": run("exact", edit("src/io.py"), make),
        "again": run("again", make, ("Bash", {"command": "harbour make"}, False), make, make),
        "bare": json.dumps(campaigns.result(1)),
        "other": run(
            "other", *[("Bash", {"command": f"python3 -c '\nprint({at})'"}, True) for at in (1, 2)]
        ),
    }
    settings: dict[str, Any] = {"inputs": [{"path": "runs"}], "output": "site", "steps": "full"}
    campaigns.write(
        tmp_path,
        {"config.yaml": settings, **{f"runs/{name}.jsonl": text for name, text in runs.items()}},
    )
    assert sitegen("build", "-q", cwd=tmp_path).returncode == 0
    table, page = browser.new_page(), browser.new_page()
    table.goto(as_file(tmp_path / "site/index.html"))
    page.goto(as_file(tmp_path / "site/search.html"))
    rows = table.locator("#run-table tbody tr:not(.widest) th a")
    for query, wanted in {
        "edited:blackboard.md": {"board"},
        "blackboard.md": {"board"},
        "edited:io.py": {"exact"},
        "EDITED:src/io.": {"apart", "exact"},
        "edited:": {"board", "apart", "exact"},
        "repeated:": {"again"},
        'failed:"make harbour"': {"exact", "again"},
        'command:"harbour make"': {"again"},
        "signals:failed": set(),
        "tests:none make": {"exact", "again"},
        "tests:passed": set(),
        "tests:unknown": {"bare"},
        "signals:unknown": {"bare"},
        "kingfisher": {"board", "apart", "exact", "again", "other"},
    }.items():
        ask(page, query)
        found = page.locator(".hits > li > a").evaluate_all(
            "links => links.map((link) => link.pathname).sort()"
        )
        table.locator("#filter").fill(query)
        table.locator(".scroll.awake:not([aria-busy])").wait_for(state="attached")
        assert sorted(rows.evaluate_all("links => links.map((link) => link.pathname)")) == found, (
            query
        )
        assert {name for name in runs if any(f"/{name}" in path for path in found)} == wanted, query
    ask(page, "kingfisher")
    page.locator(".excerpt > a").first.click()
    page.locator(".steps :target, .steps li:target").first.wait_for()
    assert "kingfisher" in page.locator(":target").inner_text()
    page.close()
    table.close()


def test_words_of_fields_are_those_that_the_script_looks_for() -> None:
    language, script = (
        (ROOT / "templates/static/src" / name).read_text(encoding="utf-8")
        for name in ("query.js", "search-results.js")
    )
    assert re.findall(
        r'"(\w+)"', language.partition("const FIELDS = ")[2].partition(";")[0]
    ) == list(search.FIELDS)
    assert f"0x{ord(search.MARKS['edited']):x}" in language
    assert f"STEPS_PER_PAGE = {STEPS_PER_PAGE};" in script


def test_an_edit_is_found_however_many_commands_stand_before_it(tmp_path: Path) -> None:
    [entry] = load_runs(str(campaigns.write(tmp_path / "runs", {"a.json": result(1)})))
    acts = Story(lambda *_: None).acts
    acts["command"] = {f"pytest tests/test_{n}_{n * n}.py -k case{n}": n for n in range(500)}
    acts["edited"] = {"/srv/blackboard.md": 1000}
    long = f"<p>{' '.join(f'word{n}' for n in range(5000))}</p>"
    found = search.document(entry, Texts(), long, Redactor(), acts=acts)
    assert search.MARKS["edited"] + "blackboard" in found.words.split()
    assert "1000 edited /srv/blackboard.md" in (found.shown[-2] or "")
    cut = search.document(
        entry, Texts(), "", Redactor(), acts={"command": {f"{'x' * 110}[redacted: password #1]": 3}}
    )
    assert "redacted" not in (cut.shown[-2] or ""), "a mask is shown whole or not at all"


def test_notes_are_found(browser: Browser, tmp_path: Path) -> None:
    meta = {"outcome": "fail", "note": "Dropped the anchor chain"}
    campaigns.write(
        tmp_path / "runs", {"a.json": result(1), "a.meta.json": meta, "b.json": result(2)}
    )
    assert (
        sitegen("build", "-q", "--no-config", tmp_path / "runs", "-o", tmp_path / "site").returncode
        == 0
    )
    page = browser.new_page()
    page.goto(as_file(tmp_path / "site/search.html"))
    assert len(ask(page, "anchor chain")) == 1
    page.close()
