"""Outcomes on the pages: groups, the matrix, sessions, patches, and silence where nobody judged."""

from __future__ import annotations

import csv
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sitegen.model import ModelUsage, Outcome, Tokens
from sitegen.numbers.statistics import Dimension
from sitegen.pages.group import _lead, _who_passed
from sitegen.pages.matrix import _ticks, matrix_view
from tests.site.test_build import digest, problems, rows
from tests.support import campaigns, chart_runs, site_checks
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]

SETTINGS = """\
inputs:
  - path: runs
    pattern: "{task}/{model}/{attempt}.json"
outcomes: [outcomes.csv]
"""
HAIKU = "claude-haiku-4-5-20251001"
OUTCOMES = "task,model,attempt,outcome,speedup,labels\n"


def campaign(folder: Path, *, judged: bool = True) -> Path:
    """Two tasks, two models, two attempts each, with outcomes for all but one run; the first run has a patch."""
    settings = SETTINGS if judged else SETTINGS.replace("outcomes: [outcomes.csv]\n", "")
    files: dict[str, object] = {"config.yaml": settings}
    lines, number = [OUTCOMES], 0
    for task in ("join", "split"):
        for name, model in (("opus", OPUS), ("sonnet", SONNET)):
            for attempt in (1, 2):
                number += 1
                session = "00000000-0000-4000-8000-00000000beef" if number in (1, 4) else None
                shared = {"session_id": session} if session else {}
                files[f"runs/{task}/{name}/{attempt}.json"] = result(number, model, **shared)
                if number != 8:
                    verdict = "pass" if number % 3 else "fail"
                    lines.append(
                        f"{task},{name},{attempt},{verdict},{number / 2},{'quick' if number < 3 else ''}\n"
                    )
    files["outcomes.csv"] = "".join(lines)
    files["runs/join/opus/1.diff"] = "--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-old\n+new\n+more\n"
    return campaigns.write(folder, files)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campaign with outcomes, built."""
    folder = campaign(tmp_path_factory.mktemp("groups"))
    done = sitegen("build", "-q", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "site"


def text(page: Path) -> str:
    """A page as it is."""
    return page.read_text(encoding="utf-8")


def page_of(site: Path, folder: str, start: str) -> str:
    """The page of a group."""
    (found,) = (site / folder).glob(f"{start}-*.html")
    return text(found)


def test_every_group_has_a_page_and_every_link_resolves(site: Path) -> None:
    assert {
        folder.name: len(list(folder.glob("*.html")))
        for folder in site.iterdir()
        if folder.is_dir()
    } | {
        "assets": 0,
        "charts": 0,
        "search": 0,
        "data": 0,
        "compare": 0,
    } == {
        "assets": 0,
        "charts": 0,
        "search": 0,
        "data": 0,
        "compare": 0,
        "runs": 8,
        "tasks": 2,
        "models": 2,
        "labels": 1,
        "sessions": 7,
    }
    assert site_checks.findings(site) == []


def test_outcomes_scores_labels_and_patches_are_in_the_data(site: Path) -> None:
    first, *_, last = rows(site)
    assert (first["outcome"], first["scores"], first["labels"]) == (
        "pass",
        {"speedup": 0.5},
        ["quick"],
    )
    assert (first["patch_added_lines"], first["patch_removed_lines"]) == (2, 1)
    assert (last["outcome"], last["scores"], last["labels"]) == (None, {}, [])
    assert first["list_price_usd"] == pytest.approx(first["cost_usd"])
    kinds = [first[f"{kind}_usd"] for kind in ("cache_read", "cache_write", "input", "output")]
    assert sum(kinds) == pytest.approx(first["cost_usd"])
    cells = next(
        csv.DictReader((site / "data" / "runs.csv").read_text(encoding="utf-8").splitlines())
    )
    assert (cells["outcome"], cells["scores"], cells["labels"]) == ("pass", "speedup=0.5", "quick")


def test_success_is_shown_with_its_base_and_what_is_left_out(site: Path) -> None:
    page = text(site / "index.html")
    assert "5 of 7 judged runs" in page
    assert "1 not judged, so at least 62%" in page
    assert "Lowest pass rate: split (2 of 3); highest: join (3 of 4)" in page


def test_groups_add_up_to_the_whole(site: Path) -> None:
    whole = sum(row["cost_usd"] for row in rows(site))
    for folder in ("tasks", "models"):
        costs = []
        for page in (site / folder).glob("*.html"):
            (bare,) = re.findall(
                r'<dt[^>]*>Cost</dt><dd class="big"><data value="([^"]+)"', text(page)
            )
            costs.append(float(bare))
        assert sum(costs) == pytest.approx(whole)


def test_a_run_links_to_its_groups_and_its_session(site: Path) -> None:
    first, fourth = rows(site)[0], rows(site)[3]
    session = next(path for path in (site / "sessions").iterdir() if "2 runs" in text(path))
    resumed = [
        path for path in (site / "sessions").iterdir() if "A session that was resumed" in text(path)
    ]
    assert resumed == [session]
    for row in (first, fourth):
        page = text(site / row["page"])
        for folder in ("tasks/join-", "models/claude-", f"sessions/{session.name}#s-"):
            assert f'href="../{folder}' in page
    assert "labels/quick-" in text(site / first["page"])


def test_the_index_leads_to_sessions_that_several_runs_share(site: Path) -> None:
    groups = text(site / "index.html").partition('id="groups"')[2]
    assert re.search(r"<dt>Resumed sessions</dt>\s*<dd>.*beef</a> <small[^>]*>2</small>", groups)
    assert groups.count("sessions/") == 1, "a session of one run was not resumed"


def of_two_campaigns(folder: Path) -> Path:
    """The same two tasks and attempts in two campaigns, by two models; the site."""
    pattern = "{campaign}/{task}/{model}/{attempt}.json"
    files: dict[str, object] = {
        "config.yaml": {"inputs": [{"path": "runs", "pattern": pattern}], "output": "site"}
    }
    number = 0
    for name in ("early", "later"):
        for task in ("join", "split"):
            for model in (OPUS, SONNET):
                for attempt in (1, 2):
                    number += 1
                    files[f"runs/{name}/{task}/{model}/{attempt}.json"] = result(
                        number, model, session_id="00000000-0000-4000-8000-00000000beef"
                    )
    campaigns.write(folder, files)  # type: ignore[arg-type]
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    return folder / "site"


def test_runs_of_several_campaigns_are_told_apart_where_they_are_listed_together(
    tmp_path: Path,
) -> None:
    site = of_two_campaigns(tmp_path)
    index = text(site / "index.html")
    matrix = index.partition("Campaign by campaign; position shows cost")[2].partition(
        "</section>"
    )[0]
    for name in ("early", "later"):
        assert f"split · Opus 4.5 · 2 · {name}: " in matrix
    (session,) = (site / "sessions").iterdir()
    assert ">join · Opus 4.5 · 1 · early</a>" in text(session)
    assert ">join · Opus 4.5 · 1 · later</a>" in page_of(site, "tasks", "join")
    pages = [text(site / row["page"]) for row in rows(site)]
    neighbours = [re.findall(r'rel="(?:prev|next)">(.*?)</a>', page) for page in pages]
    assert all(
        any(row["name"] in said for row in rows(site)) for both in neighbours for said in both
    )


VERDICTS = [
    ({}, ""),
    ({"a": "ff", "b": "ff"}, " 0 of 4 judged runs passed."),
    ({"a": "pp", "b": "p"}, " 3 of 3 judged runs passed."),
    ({"a": "pf", "b": "ff"}, " Highest pass rate: a (1 of 2)."),
    ({"a": "pf", "b": "pf", "c": "ff"}, " Highest pass rate: a (1 of 2) and b (1 of 2)."),
    (
        dict.fromkeys("abcd", "pf") | {"e": "ff"},
        " Highest pass rate: a (1 of 2), b (1 of 2), c (1 of 2) and one more.",
    ),
    ({"a": "pff"}, " 1 of 3 judged runs passed."),
    ({"a": "p"}, " 1 of 1 judged run passed."),
    ({"a": "f"}, " 0 of 1 judged run passed."),
    ({"a": "pf", "b": "pf"}, " 2 of 4 judged runs passed."),
]


@pytest.mark.parametrize(("verdicts", "said"), VERDICTS)
def test_the_page_of_a_task_says_who_passed_it(verdicts: dict[str, str], said: str) -> None:
    runs = [
        chart_runs.entry(n, model=model, outcome=Outcome.PASS if verdict == "p" else Outcome.FAIL)
        for model, outcomes in verdicts.items()
        for n, verdict in enumerate(outcomes)
    ] or [chart_runs.entry(1)]
    assert _who_passed(runs) == said


def test_no_share_is_told_of_models_whose_costs_are_not_all_known() -> None:
    first, second = (chart_runs.entry(n, model=OPUS) for n in (1, 2))

    def lead(*costs: float | None) -> str:
        lines = [
            ModelUsage(model, Tokens(), cost)
            for model, cost in zip((OPUS, SONNET), costs, strict=True)
        ]
        told = replace(
            first, run=replace(first.run, ledger=tuple(lines)), ledger_names=(OPUS, SONNET)
        )
        return _lead(Dimension.MODEL, OPUS, [told, second])

    assert "It accounts for" in lead(3.0, 1.0)
    assert "It accounts for" not in lead(3.0, None)


def test_few_runs_are_dots_and_a_single_one_is_shown_beside_others(tmp_path: Path) -> None:
    """Quartiles of two values would be made of what lies between them."""
    files = {f"runs/join/opus/{n}.json": result(n, OPUS) for n in range(1, 7)}
    files |= {f"runs/join/sonnet/{n}.json": result(n, SONNET) for n in (7, 8)}
    files["runs/join/haiku/1.json"] = result(9, modelUsage={HAIKU: campaigns.usage(OPUS, 9)})
    settings = {
        "inputs": [{"path": "runs", "pattern": "{task}/{model}/{attempt}.json"}],
        "output": "site",
    }
    campaigns.write(tmp_path, {**files, "config.yaml": settings})
    assert sitegen("build", "-q", cwd=tmp_path).returncode == 0
    page = page_of(tmp_path / "site", "tasks", "join")
    costs = re.findall(
        r'aria-label="Cost of (.*?): (.*?)">(.*?)</svg>\s*<p class="sub">(.*?)</p>', page, re.DOTALL
    )
    drawn = {name: (svg.count("<circle"), svg.count("<rect")) for name, _, svg, _ in costs}
    assert drawn == {
        "Claude Haiku 4.5": (1, 0),
        "Claude Opus 4.5": (6, 1),
        "Claude Sonnet 4.5": (2, 0),
    }
    said = {name: note for name, _, _, note in costs}
    assert re.fullmatch(r"<strong>\$\d\.\d\d</strong>; 1 run", said["Claude Haiku 4.5"])
    assert re.match(r"<strong>median \$\d\.\d\d</strong>; 2 runs", said["Claude Sonnet 4.5"])


def test_attempts_that_failed_for_other_reasons_are_told_apart(tmp_path: Path) -> None:
    folder = campaign(tmp_path)
    outcomes = folder / "outcomes.csv"
    outcomes.write_text(
        text(outcomes).replace("join,opus,2,pass", "join,opus,2,error"), encoding="utf-8"
    )
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    assert "counting 1 error" in (folder / "site" / "index.html").read_text(encoding="utf-8")
    assert "pass@k" not in page_of(folder / "site", "labels", "quick")  # one judged attempt is left


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        # of 100,000 tokens that the model wrote to the cache, all those of the main loop were for an hour
        (
            {
                "cache_creation_input_tokens": 50_000,
                "cache_creation": {
                    "ephemeral_1h_input_tokens": 50_000,
                    "ephemeral_5m_input_tokens": 0,
                },
            },
            "is its list price with the cache writes for an hour that its main loop reports",
        ),
        (
            {
                "cache_creation_input_tokens": 10,
                "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 10},
            },
            "at list price; the file does not say why",
        ),
    ],
)
def test_a_cost_between_the_rates_of_cache_writes_is_explained_by_what_the_file_states_or_not_at_all(
    tmp_path: Path, usage: dict[str, Any], said: str
) -> None:
    line = campaigns.usage(SONNET, 100)
    line["costUSD"] += 100 * 500 * 0.75 * 3 / 1e6
    file = result(1, modelUsage={SONNET: line}, total_cost_usd=line["costUSD"], usage=usage)
    campaigns.write(tmp_path / "runs", {"a.json": file})
    assert sitegen("build", "-q", "runs", cwd=tmp_path).returncode == 0
    assert said in text(tmp_path / "site" / rows(tmp_path / "site")[0]["page"])
    assert (said in text(tmp_path / "site" / "problems.html")) is (
        "does not say why" in said
    )  # the explained is none


def test_the_settings_say_what_intervals_are_about_and_all_pages_follow(
    site: Path, tmp_path: Path
) -> None:
    folder = campaign(tmp_path)
    settings = folder / "config.yaml"
    settings.write_text(f"{text(settings)}intervals: these tasks\n", encoding="utf-8")
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    again = folder / "site"
    assert "too few tasks for an interval" in text(site / "index.html")  # two of them
    assert "5 of 7 judged runs, 95% interval " in text(again / "index.html")  # seven runs
    for pages, question in ((site, "tasks like these"), (again, "these tasks")):
        assert f"<strong>{question}</strong> would give" in text(pages / "about.html")
    assert "too few tasks for an interval" in page_of(site, "models", "claude-opus")
    assert "95% interval" in page_of(again, "models", "claude-opus")


def test_several_attempts_are_told_of_one_model_only(site: Path) -> None:
    assert "pass@k" in page_of(site, "models", "claude-opus")
    assert "pass@k" not in page_of(site, "tasks", "join")
    assert "pass@k" in page_of(site, "labels", "quick")


def test_a_patch_is_shown_with_its_files_and_lines(site: Path) -> None:
    page = text(site / rows(site)[0]["page"])
    assert "1 file, 2 lines added, 1 removed" in page
    assert '<span class="gi">+new</span>' in page
    assert "1.diff" not in json.dumps(problems(site))


def test_a_run_that_goes_changes_its_own_groups_only(tmp_path: Path) -> None:
    folder = campaign(tmp_path)
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    before = digest(folder / "site")
    (folder / "runs" / "split" / "sonnet" / "2.json").unlink()
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    after = digest(folder / "site")
    changed = {
        path.split("-")[0]
        for path in before
        if path.split("/")[0] in ("tasks", "models", "labels") and before[path] != after.get(path)
    }
    assert changed == {"tasks/split", "models/claude"}
    unchanged = [path for path in before if path.startswith("models/claude-opus")]
    assert unchanged
    assert all(before[path] == after[path] for path in unchanged)


def test_without_outcomes_no_page_speaks_of_success(tmp_path: Path) -> None:
    folder = campaign(tmp_path, judged=False)
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    for page in (folder / "site").rglob("*.html"):
        if page.name not in (
            "about.html",
            "search.html",
            "behaviour.html",
        ):  # which explain words, or speak of tests
            ours = text(page).partition('id="source"')[
                0
            ]  # below stand the file's own words, such as its subtype
            shown = re.sub(r"<[^>]+>", " ", ours).lower()
            assert not re.search(
                r"\bsuccess|\bpass(ed|es|@)?\b|\bverdict|\bjudged|\boutcome", shown
            ), page.name


def test_a_row_that_joins_nothing_is_a_problem_with_its_line(tmp_path: Path) -> None:
    folder = campaign(tmp_path)
    with (folder / "outcomes.csv").open("a", encoding="utf-8") as file:
        file.write("nowhere,opus,1,pass,1,\njoin,opus,1,perhaps,1,\n")
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    found = {(problem["code"], problem["place"]) for problem in problems(folder / "site")}
    assert {("W_OUTCOME_UNMATCHED", "line 9"), ("W_OUTCOME_ROW", "line 10")} <= found
    page = text(folder / "site" / "problems.html")  # a row is not a file, and was read
    assert "Every file that claims to be a run could be read." in page
    assert '<h2 id="outcomes">' in page


def test_problems_of_outcomes_stand_in_the_order_of_their_lines(tmp_path: Path) -> None:
    settings = 'inputs:\n  - {path: runs, pattern: "{task}.json"}\noutcomes: ["*.csv", r.json]\n'
    table = "task,outcome\ngone,pass\none,perhaps\none\ntwo,pass\ntwo,fail\ngone,pass\n"
    report = '{"resolved_ids": ["full__name"]}'
    campaigns.write(
        tmp_path, {"config.yaml": settings, "10.csv": table, "9.csv": table, "r.json": report}
    )
    sidecars = {"runs/gone.meta.yaml": "outcome: pass\n", "runs/other.yaml": "outcome: pass\n"}
    campaigns.write(tmp_path, {"runs/one.json": result(1), "runs/two.json": result(2), **sidecars})
    assert sitegen("build", "-q", cwd=tmp_path).returncode == 0
    lines = [
        ("W_OUTCOME_UNMATCHED", "line 2"),
        ("W_OUTCOME_ROW", "line 3"),
        ("W_OUTCOME_ROW", "line 4"),
        ("W_OUTCOME_CONFLICT", "line 6"),
        ("W_OUTCOME_UNMATCHED", "line 7"),
    ]
    found = [
        (problem["file"], problem["code"], problem["place"])
        for problem in problems(tmp_path / "site")
    ]
    assert found == [
        *(("9.csv", code, place) for code, place in lines),
        *(("10.csv", code, place) for code, place in lines),
        ("gone.meta.yaml", "W_OUTCOME_UNMATCHED", None),
        ("r.json", "W_OUTCOME_UNMATCHED", "line 1"),
    ]
    page = text(tmp_path / "site" / "problems.html")
    assert (
        "No run has the task &#39;full__name&#39;: if runs call it otherwise, add <code>names: "
        in page
    )
    assert re.search(
        r"Ignored</dt>\s*<dd[^>]*>1 file or folder", page
    )  # other.yaml; gone.meta.yaml is a problem
    assert site_checks.findings(tmp_path / "site") == []


def test_a_long_group_goes_on_over_pages_that_lead_back(tmp_path: Path) -> None:
    settings = 'inputs:\n  - path: runs\n    pattern: "{task}/{attempt}.json"\n'
    runs = {f"runs/one/{number}.json": result(number) for number in range(1, 103)}
    campaigns.write(tmp_path, {"config.yaml": settings, **runs})
    assert sitegen("build", "-q", cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "site" / "tasks").glob("*.html"))) == 2
    assert site_checks.findings(tmp_path / "site") == []


def test_an_attempt_that_nobody_judged_cannot_be_taken_for_a_verdict_in_the_matrix(
    site: Path,
) -> None:
    matrix = (
        (site / "index.html")
        .read_text(encoding="utf-8")
        .partition('class="matrix"')[2]
        .partition("</table>")[0]
    )
    assert ": not judged, $" in matrix
    assert ": completed, $" not in matrix


def test_a_cell_of_many_attempts_says_them_in_words(tmp_path: Path) -> None:
    folder = crowded(tmp_path, 3)
    page = text(folder / "index.html")
    assert '<span class="muted">7 attempts, $' in page


def test_tasks_that_no_model_of_the_matrix_attempted_are_left_to_their_pages() -> None:
    often = [chart_runs.entry(n, model=f"Model {n % 12}", name=f"task {n % 2}") for n in range(24)]
    view = matrix_view([*often, chart_runs.entry(24, model="Model 12", name="rare")])
    assert view
    assert [row.task for row in view.rows] == ["task 0", "task 1"]
    assert view.title == "3 tasks by 13 models"
    assert view.more == "And 1 more task and 1 more model."


@pytest.mark.parametrize("models", [2, 3, 4, 13])
@pytest.mark.parametrize("in_words", [[], [1], [0, 1]])
def test_the_note_the_legend_and_the_scale_are_of_marks_that_are_drawn(
    models: int, in_words: list[int]
) -> None:
    """All fails are in cells of seven attempts, at ten times the cost, or of a model that the matrix leaves out."""
    runs = []
    for model, task in itertools.product(range(models), range(2)):
        many = task in in_words
        outcome = Outcome.FAIL if many or model == 12 else Outcome.PASS
        for _ in range(7 if many else 2):
            own = {
                "model": f"Model {model:02}",
                "name": f"task {task}",
                "cost": 50.0 if many else 5.0,
            }
            runs.append(chart_runs.entry(len(runs), **own, outcome=outcome))  # type: ignore[arg-type]
    view = matrix_view(runs)
    assert view
    marks = [mark for row in view.rows for cell in row.cells if cell for mark in cell.marks]
    assert {item.sign for item in view.legend} == {mark.sign.sign for mark in marks}
    assert ("osition shows cost" in view.note or "ach mark" in view.note) == bool(marks), view.note
    assert bool(view.ticks) == (bool(marks) and models <= 3)
    assert "$50" not in str(view.ticks)


@pytest.mark.parametrize("models", [2, 3, 4, 12])
def test_the_columns_of_the_matrix_are_those_of_the_leaderboard_in_its_order(models: int) -> None:
    runs = [
        chart_runs.entry(n, model=f"Model {n % models}", name=f"task {n // models}")
        for n in range(3 * models)
    ]
    leaders = [f"Model {n}" for n in reversed(range(models))]
    view = matrix_view(runs, leaders)
    assert view
    assert [full for *_, full in view.models] == leaders
    assert view.is_dense == (models > 3)
    marks = [mark for row in view.rows for cell in row.cells if cell for mark in cell.marks]
    assert len(marks) == len(runs)


def test_signs_in_a_row_lie_beside_each_other_and_can_be_pressed_alone(
    tmp_path: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto((crowded(tmp_path, 4) / "index.html").as_uri())
    boxes = page.evaluate(
        "[...document.querySelectorAll('.dense .hit')].map(hit => hit.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) == 2 * (3 + 2 + 1)
    rows = [[box for box in boxes if box["y"] == y] for y in sorted({box["y"] for box in boxes})]
    assert all(
        one["right"] <= other["left"] + 0.5
        for row in rows
        for one, other in itertools.pairwise(row)
    )
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    labels = page.evaluate(
        "[...document.querySelectorAll('.dense .say')].map(cell => cell.dataset.label)"
    )
    assert len(labels) == 3 * 4
    page.close()


def test_on_a_phone_the_figures_of_each_model_stand_under_its_name(
    tmp_path: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 320, "height": 800})
    page.goto((crowded(tmp_path, 3) / "index.html").as_uri())
    left = "which => [...document.querySelectorAll(which)].map(cell => Math.round(cell.getBoundingClientRect().x))"
    heads, figures, strips = (
        page.evaluate(left, f".matrix {which}")
        for which in (
            "thead th:not(.first)",
            "tbody tr:first-child .say",
            "tbody tr:first-child .strip",
        )
    )
    assert heads == figures == strips == sorted(set(heads))
    assert len(heads) == 3
    page.close()


def crowded(folder: Path, models: int) -> Path:
    """A site of two tasks, up to four models and seven attempts."""
    settings = 'inputs:\n  - path: runs\n    pattern: "{task}/{model}/{attempt}.json"\n'
    counts = {"opus": 7, "sonnet": 3, "haiku": 2, "other": 1}
    paths = [
        f"runs/{task}/{model}/{attempt}.json"
        for task in ("join", "split")
        for model, count in list(counts.items())[:models]
        for attempt in range(1, count + 1)
    ]
    runs = {path: result(number, modelUsage={}) for number, path in enumerate(paths, 1)}
    campaigns.write(folder, {"config.yaml": settings, **runs})
    assert sitegen("build", "-q", cwd=folder).returncode == 0
    return folder / "site"


def test_every_page_leads_to_the_comparisons(site: Path) -> None:
    pages = [
        page
        for page in site.rglob("*.html")
        if 'aria-label="Site"' in page.read_text(encoding="utf-8")
    ]
    assert len(pages) > 10
    assert all('compare.html"' in page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (1.2, ["$0", "$0.50", "$1.00"]),
        (1.5, ["$0", "$1"]),
        (35.49, ["$0", "$10", "$20", "$30"]),
        (4_000, ["$0", "$2,000", "$4,000"]),
        (0.004, ["$0", "$0.002", "$0.004"]),
        (0, []),
    ],
)
def test_the_scale_of_the_matrix_has_room_for_its_labels(most: float, labels: list[str]) -> None:
    assert [label for _, label in _ticks(most * 1.06)] == labels


def test_several_results_in_one_file_are_a_note_and_no_doubt(tmp_path: Path) -> None:
    talk = [result(number, OPUS, uuid=f"talk-{number}", session_id="talk") for number in (1, 2)]
    lines = "".join(f"{json.dumps(record)}\n" for record in talk)
    campaigns.write(tmp_path / "runs", {"talk.jsonl": lines, "plain.json": result(3, OPUS)})
    assert sitegen("build", "-q", "runs", cwd=tmp_path).returncode == 0
    assert "doubtful" not in text(tmp_path / "site" / "index.html")
    told = text(tmp_path / "site" / "problems.html")
    assert "Doubtful runs" not in told
    assert "Read correctly" in told


def test_what_was_read_anyway_stands_below_what_needs_a_hand(tmp_path: Path) -> None:
    files: dict[str, Any] = {f"runs/{n}.json": result(n) for n in range(1, 7)}
    files |= {f"runs/copy/{n}.json": result(n) for n in range(1, 7)}
    stopped = {"subtype": "error_max_turns", "is_error": True, "result": None}
    files |= {f"runs/{n}.json": result(n, **stopped) for n in range(7, 13)}
    campaigns.write(tmp_path, {**files, "config.yaml": "inputs: [runs]\n"})
    assert sitegen("build", "-q", cwd=tmp_path).returncode == 0
    page = text(tmp_path / "site" / "problems.html")
    assert '<details class="body">' not in page, "one row is not folded"
    assert re.search(
        r"<summary>6 runs</summary>.*<td>Failed, turn limit\..*<summary>6 files</summary>.*The same run as",
        page,
        re.DOTALL,
    )
