"""References: what was measured for a task is a factor of its runs, and the first measurement counts."""

from __future__ import annotations

from sitegen.model import Score
from sitegen.outcomes.reasons import Why
from sitegen.outcomes.references import References
from sitegen.outcomes.run_names import RunNames
from sitegen.outcomes.run_tasks import RunTasks
from tests.collect.facts import entry
from tests.outcomes.sources import NO_NAMES, row

RUNS = [entry("1.json", task="a"), entry("2.json", task="b")]


def score(value: float) -> tuple[Score, ...]:
    return (Score("speed", value),)


def test_the_first_measurement_of_a_task_counts_and_others_are_doubted() -> None:
    rows = [
        row(1, task="a", reference="human", scores=score(2.0), attempt=7, model="other"),
        row(2, task="a", reference="human", scores=score(3.0)),
        row(3, task="a", reference="human", scores=score(2.0)),
        row(4, task="c", reference="human", scores=score(1.0)),
        row(5, id="2.json", reference="base", scores=score(5.0)),
        row(6, task="a", scores=score(9.0)),
    ]
    names = RunNames(RUNS, rows, frozenset())
    tasks = RunTasks(RUNS, rows, NO_NAMES, lambda _: False)
    references = References()
    lost = list(references.add_rows(rows, names, tasks))
    assert [(row.line, reason.why) for row, reason in lost] == [(4, Why.NO_SUCH_TASK)]
    runs = [references.add_to_run(position, run, []) for position, run in enumerate(RUNS)]
    assert [run.factors for run in runs] == [(("human speed", "2.0"),), (("base speed", "5.0"),)]
    assert [(doubt.row.line, doubt.text, doubt.entry) for doubt in references.doubts] == [
        (2, "human speed 2.0 and 3.0", None)
    ]
    assert references.add_to_run(9, RUNS[0], []) is RUNS[0]


def test_a_run_that_was_measured_with_another_model_than_its_reference_is_named() -> None:
    reference = row(1, task="a", reference="human", scores=score(2.0), served="big")
    names = RunNames(RUNS, [reference], frozenset())
    tasks = RunTasks(RUNS, [reference], NO_NAMES, lambda _: False)
    for served, text in (("small", "small, and human of big"), ("big", None), ("", None)):
        references = References()
        list(references.add_rows([reference], names, tasks))
        references.add_to_run(0, RUNS[0], [row(2, scores=score(1.0), served=served)])
        assert [doubt.text for doubt in references.of_other_models] == ([text] if text else [])


def test_a_row_that_names_a_run_measures_a_reference_of_that_run_alone() -> None:
    runs = [entry("1.json", task="a"), entry("2.json", task="a")]
    rows = [row(1, id="2.json", task="a", reference="human", scores=score(2.0))]
    references = References()
    names = RunNames(runs, rows, frozenset())
    tasks = RunTasks(runs, rows, NO_NAMES, lambda _: False)
    assert list(references.add_rows(rows, names, tasks)) == []
    made = [references.add_to_run(position, run, []) for position, run in enumerate(runs)]
    assert [run.factors for run in made] == [(), (("human speed", "2.0"),)]
    of_all = [row(1, task="a", reference="human", scores=score(2.0), attempt=9)]
    references = References()
    tasks = RunTasks(runs, of_all, NO_NAMES, lambda _: False)
    assert list(references.add_rows(of_all, RunNames(runs, of_all, frozenset()), tasks)) == []
    made = [references.add_to_run(position, run, []) for position, run in enumerate(runs)]
    assert [run.factors for run in made] == [(("human speed", "2.0"),)] * 2


def test_the_run_is_named_that_was_measured_with_another_model() -> None:
    reference = row(1, task="a", reference="human", scores=score(2.0), served="big")
    tasks = RunTasks(RUNS, [reference], NO_NAMES, lambda _: False)
    references = References()
    list(references.add_rows([reference], RunNames(RUNS, [reference], frozenset()), tasks))
    rows = [row(2, scores=score(1.0), served="small"), row(3, scores=score(1.0), served="big")]
    references.add_to_run(0, RUNS[0], rows)
    (doubt,) = references.of_other_models
    assert (doubt.row.line, doubt.entry) == (2, RUNS[0])
    references.add_to_run(0, RUNS[0], rows[::-1])
    assert len(references.of_other_models) == 1, "the first row that has the score decides"
