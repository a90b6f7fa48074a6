"""All places that say something of a difference say the same: the first sentence, ranks, titles, leads and cells."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from sitegen.config import Config
from sitegen.model import Entry, Outcome, Score
from sitegen.numbers.intervals import Question
from sitegen.numbers.statistics import Measure, summarize
from sitegen.numbers.success import success
from sitegen.numbers.wording import CLEAR
from sitegen.outcomes.study import Study
from sitegen.pages.compare import Comparisons, comparisons
from sitegen.pages.headline import headline, text_of
from sitegen.pages.leaderboard import Board, board, leaderboard_view
from sitegen.pages.overall import _chosen, _compared
from tests.conftest import commit
from tests.support.chart_runs import OPUS, SONNET, entry

MODELS = (OPUS, SONNET, "Claude Haiku 4.5", "GPT-5")
_NAMES = ("Opus 4.5", "Sonnet 4.5", "Haiku 4.5", "GPT-5")

Change = Callable[[Entry], Entry]


def campaign(
    models: Sequence[str],
    tasks: int,
    attempts: int = 2,
    *,
    seed: int = 1,
    better: float = 0.3,
    change: Change | None = None,
) -> list[Entry]:
    """Attempts of each model at each task; the first one passes more often, with higher scores and lower costs."""
    chance = random.Random(seed)  # noqa: S311
    found: list[Entry] = []
    for place, model in enumerate(models):
        for task in range(tasks):
            for _ in range(attempts):
                passes = chance.random() < 0.4 + (better if not place else 0)
                cost = (1 + task / 5) * chance.uniform(0.8, 1.2) * (1 + better * (place > 0))
                run = entry(
                    len(found),
                    model=model,
                    name=f"task {task}",
                    cost=cost,
                    outcome=Outcome.PASS if passes else Outcome.FAIL,
                )
                gain = chance.uniform(1, 2) * (1 + better * 3 * (not place))
                run = replace(
                    run,
                    scores=(
                        Score("speedup", gain, "x", True, True),
                        Score("style", chance.random()),
                    ),
                )
                found.append(change(run) if change else run)
    return found


def told(entries: Sequence[Entry]) -> tuple[str, Board | None, Comparisons]:
    found = board(entries, Question.TASKS_LIKE_THESE, "speedup")
    study = Study(Config(), entries)
    breakdowns = study.breakdowns()
    highest = {name: study.highest(name) for name in breakdowns}
    compared = _compared(
        entries, (), (), replace(_chosen(study, found), breakdowns=breakdowns, highest=highest)
    )
    found = found and found.compared(compared.known)
    said = headline(
        summarize(entries), success(entries), found, compared, over_time=None, entries=entries
    )
    return text_of(said), found, compared


def _without(**changes: object) -> Change:
    return lambda run: replace(run, **changes)  # type: ignore[arg-type]


def _cheaper(run: Entry, model: str, by: float) -> Entry:
    cost = (run.run.cost_usd or 0) / (by if run.model == model else 1)
    return replace(run, run=replace(run.run, cost_usd=cost))


def _failing(run: Entry, model: str) -> Entry:
    return replace(run, scores=(), outcome=Outcome.FAIL if run.model == model else run.outcome)


def _no_cost(run: Entry) -> Entry:
    return replace(run, run=replace(run.run, cost_usd=None, computed_cost_usd=None))


def _named(score: str) -> Change:
    return lambda run: replace(run, scores=(replace(run.scores[0], name=score),))


SHAPES: dict[str, tuple[list[Entry], str]] = {
    "one run": (campaign(MODELS[:1], 1, 1), r"One run cost \$\d\.\d\d; it passed\."),
    "one run, at least": (
        campaign(
            MODELS[:1],
            1,
            1,
            change=lambda run: replace(run, run=replace(run.run, cost_is_lower_bound=True)),
        ),
        r"One run cost \$\d\.\d\d\+; it passed\.",
    ),
    "one model": (
        campaign(MODELS[:1], 6),
        r"(\d of 6 tasks had failures: .*; )?12 runs cost .* judged runs passed\.",
    ),
    "one task": (
        campaign(MODELS[:2], 1, 3),
        r"Opus 4\.5 reached a mean speedup of .*; too few shared tasks to compare\.",
    ),
    "no tasks": (
        campaign(MODELS[:2], 6, change=_without(task=None)),
        r".*; their tasks are unknown, so .*\.",
    ),
    "no tasks of four": (
        campaign(MODELS, 6, change=_without(task=None)),
        r"48 runs cost .* judged runs passed\.",
    ),
    "forty": (
        campaign([f"m{n}" for n in range(40)], 5, 1, better=0),
        r"No clear leader among 40 models by .*",
    ),
    "all failed": (
        campaign(MODELS[:2], 6, change=_without(outcome=Outcome.FAIL, scores=())),
        r"None of 24 judged runs passed; .*equal success on each of six tasks.*",
    ),
    "no cost": (campaign(MODELS[:2], 9, change=_no_cost), r"(?!.*(cost|\$)).*speedup.*"),
    "no difference": (
        campaign(MODELS[:2], 9, better=0, change=_without(scores=())),
        r"No clear difference in .*",
    ),
    "a clear one": (
        campaign(MODELS[:2], 20),
        r"Opus 4\.5 has a speedup \d\.\d+ times that of Sonnet 4\.5 .*",
    ),
    "a leader of four": (
        campaign(MODELS, 20, better=0.9),
        r"Opus 4\.5 leads by speedup among four models; Opus 4\.5 has .*",
    ),
    "no leader of four": (
        campaign(MODELS, 9, better=0),
        r"No clear leader among four models by speedup: .*",
    ),
    "no leader of four, one cheaper": (
        campaign(MODELS, 9, better=0, change=lambda run: _cheaper(run, MODELS[2], by=2)),
        r"No clear leader among four models by speedup: any of them may lead; Haiku 4\.5 costs 0\.\d+ times as much as "
        r"(Opus 4\.5|Sonnet 4\.5|GPT-5) on the same nine tasks \(0\.\d+ to 0\.\d+\)\.",
    ),
    "the cheaper one may not lead": (
        campaign(
            MODELS[:3],
            20,
            better=0,
            change=lambda run: _cheaper(_failing(run, MODELS[2]), MODELS[2], by=2),
        ),
        r"No clear leader .*: (Opus 4\.5 and Sonnet 4\.5|Sonnet 4\.5 and Opus 4\.5) may lead\.",
    ),
    "a subset of tasks": (
        [
            run
            for run in campaign(MODELS[:2], 12)
            if run.model == OPUS or run.task in {f"task {n}" for n in range(7)}
        ],
        r".*seven tasks.*",
    ),
    "markup": (
        campaign(
            ("<b>x</b>", "*y*"),
            9,
            change=lambda run: replace(run, scores=(replace(run.scores[0], name="<i>s"),)),
        ),
        r".*<i>s.*",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_first_sentence_of_each_shape(shape: str) -> None:
    entries, expected = SHAPES[shape]
    text, _, _ = told(entries)
    assert re.fullmatch(expected, text), text
    assert not re.search(r"chance|decided|corrected|open|, ;|\( |  ", text)


EASY_AND_HARD = (((7, 8), (0, 2)), ((2, 2), (4, 8)), ((0, 2), (0, 2)), ((0, 2), (0, 2)))
"""Passed attempts of each model at an easy and at a hard task: the first passes more of its runs, the second more often
on each task."""


@pytest.mark.parametrize("models", [2, 3, 4])
def test_a_row_that_is_clearly_beaten_stands_below_though_its_mean_is_better(models: int) -> None:
    entries: list[Entry] = []
    for model, each in zip(MODELS[:models], EASY_AND_HARD, strict=False):
        for task in range(20):
            passed, attempts = each[task % 2]
            for attempt in range(attempts):
                run = entry(len(entries), model=model, name=f"task {task}")
                entries.append(
                    replace(run, outcome=Outcome.PASS if attempt < passed else Outcome.FAIL)
                )
    text, found, _ = told(entries)
    assert found and found.leads and found.contenders[0].name == SONNET
    assert found.contenders[0].judged.rate < found.contenders[1].judged.rate  # type: ignore[operator]
    view = leaderboard_view(found)
    assert [row.mark for row in view.rows[:2]] == ["leads", ""]
    assert view.note.startswith("by share passed, those that may lead first")
    assert text.startswith("Sonnet 4.5 leads" if models > 2 else "Sonnet 4.5 has a pass rate"), text


@pytest.mark.parametrize("seed", range(3))
def test_of_many_models_the_first_two_have_a_page_with_all_measures(seed: int) -> None:
    models = [f"model {number:02}" for number in range(9)]
    entries = campaign(models, 6, seed=seed, better=0, change=_without(scores=()))
    _, found, compared = told(entries)
    assert found and not found.leads
    first, second = (each.name for each in found.contenders[:2])
    assert any(
        {first, second} == set(pair[1:]) and page.plots
        for page, (pair, _) in zip(compared.views, compared.pairs, strict=True)
    )


@pytest.mark.parametrize("models", [2, 4])
def test_an_order_that_depends_on_a_property_is_said_first_with_a_link_to_the_study(
    models: int,
) -> None:
    """The first passes in one codebase alone, the others in the other one."""
    of_task = {f"task {n}": ("engine", "server")[n % 2] for n in range(20)}

    def entries(*passing: str) -> list[Entry]:
        return [
            replace(
                run,
                factors=(("codebase", codebase),),
                outcome=Outcome.PASS if codebase == passing[run.model != OPUS] else Outcome.FAIL,
                scores=(),
            )
            for run in campaign(MODELS[:models], 20)
            for codebase in (of_task[run.task or ""],)
        ]

    text, found, compared = told(split := entries("engine", "server"))
    first, *others = headline(summarize(split), success(split), found, compared, None, split)
    of_server = r"Sonnet 4\.5" if models == 2 else r"Haiku 4\.5, Sonnet 4\.5 and GPT-5"
    seen = rf"the highest is on engine Opus 4\.5 \(100%\) and on server {of_server} \(100%\); "
    assert re.match(
        rf"The order of configurations depends on codebase \(p [<=] 0\.\d+\): {seen}", text
    ), text
    assert first.href == "study.html" and "study.html" not in {each.href for each in others}
    assert not re.search("; No ", text)
    assert "depends" not in told(entries("engine", "engine"))[0]


@pytest.mark.parametrize("seed", range(12))
def test_sentences_ranks_titles_and_cells_agree(seed: int) -> None:
    chance = random.Random(commit() + str(seed))  # noqa: S311
    models, better = MODELS[: chance.randint(2, 4)], chance.choice((0.0, 0.1, 0.3, 0.9))
    entries = campaign(
        models,
        chance.randint(3, 14),
        chance.randint(1, 3),
        seed=chance.randrange(999),
        better=better,
    )
    text, found, compared = told(entries)
    assert found is not None
    view = leaderboard_view(found)
    of, first = found.contenders[0].name, found.may_lead.get(found.contenders[0].name)
    places = [found.may_lead[each.name] for each in found.contenders if each.name in found.may_lead]
    assert places == sorted(places, reverse=True)
    leads = bool(first) and places.count(True) == 1
    assert [row.leads for row in view.rows] == [leads, *[False] * (len(models) - 1)]
    if leads:
        assert text.startswith(of.removeprefix("Claude "))
        assert "No clear" not in text
    elif first is not None and len(models) > 2:
        assert text.startswith("No clear leader")
    for page, (_, comparison) in zip(compared.views, compared.pairs, strict=True):
        clear = {each.measure.key for each in comparison.contrasts.values() if each.effect in CLEAR}
        clear |= {
            f"score.{name}" for name, each in comparison.scores.items() if each.effect in CLEAR
        }
        words = {
            Measure.COST: "costs",
            Measure.SUCCESS: "passes",
            Measure.TOKENS: "tokens",
            Measure.WALL: "time",
        }
        in_words = {
            **{key.key: word for key, word in words.items()},
            "score.speedup": "speedup",
            "score.style": "style",
        }
        before, _, after = page.heading.partition("no clear difference")
        for key, word in in_words.items():
            assert (word in before) == (key in clear), page.heading
            assert word not in after or key not in clear
            if key in clear:
                assert ("pass rate" if word == "passes" else word) in page.lead
        row = next(
            row for _, rows in compared.overview.groups for row in rows if row.href == page.path
        )
        for head, cell in zip(compared.overview.heads, row.cells[1:], strict=True):
            keys = {
                "Cost": "cost_usd",
                "Success": "success",
                "Tokens": "tokens",
                "Wall time": "wall_ms",
            }
            is_clear = keys.get(head, f"score.{head.lower()}") in clear
            assert is_clear == (cell.startswith(page.b.short)), cell
        drawn = [row.mark.css for plot in page.plots for row in plot.rows]
        assert drawn.count("t") == len(clear)


def test_the_order_of_runs_and_of_the_sides_changes_nothing() -> None:
    entries = campaign(MODELS[:3], 12, seed=5)
    text, _, _ = told(entries)
    random.Random(1).shuffle(entries)  # noqa: S311
    assert told(entries)[0] == text
    one, other = (
        comparisons(entries, [("model", *pair)]).views[0]
        for pair in ((OPUS, SONNET), (SONNET, OPUS))
    )
    opposite = {
        "more": "less",
        "less": "more",
        "higher": "lower",
        "lower": "higher",
        "fewer": "more",
    }
    turned = re.sub(
        r"\b(more|less|higher|lower|fewer)\b", lambda found: opposite[found[1]], one.heading
    )
    swapped = (
        turned.replace("Opus 4.5", "#").replace("Sonnet 4.5", "Opus 4.5").replace("#", "Sonnet 4.5")
    )
    assert sorted(re.findall(r"\w+", swapped)) == sorted(re.findall(r"\w+", other.heading))
