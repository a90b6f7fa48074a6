"""What the agent adds, what the model adds: sentences, drawings, tables, and when there is such a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sitegen.config import Config
from sitegen.html import theme
from sitegen.html.render import Renderer, View
from sitegen.model import Entry, Outcome
from sitegen.pages.compare import Chosen, Comparisons, comparisons
from sitegen.pages.effects import NAME, effects_page, effects_tables
from sitegen.pages.site import _site_view
from tests.pages.compare.test_compare import attempt

TASKS = 8


def runs(
    passed: Mapping[tuple[str, str], Sequence[int]],
    costs: Mapping[tuple[str, str], float] | None = None,
) -> list[Entry]:
    """One attempt of each agent with each model at each task: the tasks it passed."""
    found = []
    for (agent, model), own in passed.items():
        for task in range(TASKS):
            outcome = Outcome.PASS if task in own else Outcome.FAIL
            cost = (costs or {}).get((agent, model), 1.0) * (1 + task / 10)
            entry = attempt(model, f"t{task}", cost, outcome)
            found.append(
                replace(entry, id=f"{agent}-{entry.id}", configuration=f"{agent} · {model}")
            )
    return found


def compared(entries: Sequence[Entry]) -> Comparisons:
    names = sorted({entry.configuration or "" for entry in entries})
    return comparisons(
        entries,
        [],
        chosen=Chosen(
            {n: dict(zip(("agent", "model"), n.split(" · "), strict=True)) for n in names}
        ),
    )


def view(entries: Sequence[Entry]) -> View:
    found = effects_page(compared(entries)).view
    assert isinstance(found, View)
    return found


ALL, NONE = range(TASKS), ()


def test_a_sentence_is_written_only_about_a_clear_difference() -> None:
    found = view(runs({("P", "x"): NONE, ("Q", "x"): ALL, ("Q", "y"): range(1, TASKS)}))
    assert (
        found.lead
        == "With x, Q has a pass rate 100 points higher than P on the same eight tasks (+42 to +100)."
    )
    assert [(block.id, [row.name for row in block.rows]) for block in found.blocks] == [
        ("agent", ["Q over P"]),
        ("model", ["y over x"]),
    ]
    chance = view(runs({("P", "x"): (0, 1, 2, 3), ("Q", "x"): (2, 3, 4, 5)}))
    assert chance.lead == "No clear difference in success or cost in this pair."


def test_of_many_decided_pairs_the_number_is_said_and_they_come_first() -> None:
    passed = {(agent, model): ALL if agent == "A" else NONE for agent in "ABC" for model in "xyz"}
    found = view(runs(passed))
    assert found.lead == "6 of 18 pairs differ clearly in success or cost."
    agents, models = (block.rows for block in found.blocks)
    assert [row.name for row in agents].index("C over B") == 6
    assert (len(agents), len(models)) == (9, 9)


def test_a_pair_that_changes_both_is_not_put_down_to_either() -> None:
    assert not compared(runs({("P", "x"): ALL, ("Q", "y"): NONE})).held


def test_nothing_is_put_down_to_an_agent_or_a_model_that_nobody_knows() -> None:
    """It may be that of the other side."""
    assert not compared(runs({("P", "unknown"): ALL, ("P", "x"): NONE, ("unknown", "x"): ALL})).held


def test_too_few_shared_tasks_are_said() -> None:
    few = [
        each
        for each in runs({("P", "x"): ALL, ("Q", "x"): NONE})
        if each.task in ("t0", "t1", "t2")
    ]
    assert view(few).lead == "Too few shared tasks with known success or cost."


def test_costs_are_set_against_each_other_on_one_basis_only() -> None:
    entries = runs({("P", "x"): ALL, ("Q", "x"): ALL}, {("P", "x"): 1.0, ("Q", "x"): 3.0})
    assert "costs 3.00 times as much" in view(entries).lead
    listed = [
        replace(each, run=replace(each.run, computed_cost_usd=each.run.cost_usd))
        if each.id.startswith("Q")
        else each
        for each in entries
    ]
    found = view(listed)
    assert "costs" not in found.lead
    (row,) = found.blocks[0].rows
    assert [cell.text for cell in row.cells][2:] == ["–", "8"]
    (line,) = csv.DictReader(
        io.StringIO(b"".join(effects_tables(compared(listed))[NAME]().to_csv()).decode())
    )
    assert (line["cost_difference_usd"], line["success_difference"]) == ("", "0.0")
    both = [
        replace(each, run=replace(each.run, computed_cost_usd=each.run.cost_usd))
        for each in entries
    ]
    assert "costs 3.00 times" in view(both).lead


def test_the_table_reads_from_a_to_b_and_the_page_is_escaped() -> None:
    hostile = "<b>x</b>"
    entries = runs({("P", hostile): (0, 1), ("=Q", hostile): ALL})
    (line,) = csv.DictReader(
        io.StringIO(b"".join(effects_tables(compared(entries))[NAME]().to_csv()).decode())
    )
    assert (line["a"], line["b"], line["tasks"]) == ("'=Q", "P", "8")
    assert (
        float(line["success_b"]) - float(line["success_a"])
        == float(line["success_difference"])
        == -0.75
    )
    site = _site_view(Config(), theme.load(), ())
    page = Renderer(theme.load(), site).render(effects_page(compared(entries))).decode()
    assert hostile not in page
    assert "&lt;b&gt;x" in page


def test_where_models_alone_tell_runs_apart_there_is_no_such_page() -> None:
    entries = [
        replace(each, configuration=None) for each in runs({("P", "x"): ALL, ("P", "y"): NONE})
    ]
    factors = {model: {"agent": "P", "model": model} for model in ("x", "y")}
    assert not comparisons(entries, [], chosen=Chosen(factors)).held
