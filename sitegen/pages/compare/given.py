"""In what two sides differ that was given to them, not made by them: the agent's version, its tools, its prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from sitegen import figures
from sitegen.model import Entry
from sitegen.numbers.comparison import Comparison, Side
from sitegen.readers.common.given import tools_in

_MOST = 3
"""Values of one side that are listed."""


def given_rows(comparison: Comparison) -> tuple[tuple[str, str, str], ...]:
    """What, on side A, on side B: of what the files of both sides state, only what is not the same."""
    stated = [[_stated(run) for runs in side.runs.values() for run in runs] for side in (comparison.a, comparison.b)]
    names = dict.fromkeys(name for side in stated for run in side for name in run)
    rows: list[tuple[str, str, str]] = []
    for name in names:
        a, b = (Counter(run[name] for run in side if name in run) for side in stated)
        if a.keys() == b.keys() or not a or not b:
            continue
        if name == "Tools":
            rows += _tools(a, b)
        elif name != "Prompt":
            rows.append((name, _listed(a), _listed(b)))
    return (*rows, *_prompts(comparison.a, comparison.b))


def same_given(comparison: Comparison) -> tuple[str, ...]:
    """Of what the files of both sides state, what is the same."""
    stated = [[_stated(run) for runs in side.runs.values() for run in runs] for side in (comparison.a, comparison.b)]
    names = dict.fromkeys(name for side in stated for run in side for name in run if name not in ("Agent", "Prompt"))
    values = {name: [{run[name] for run in side if name in run} for side in stated] for name in names}
    return tuple(name.lower() for name, (a, b) in values.items() if a and a == b)


def _stated(run: Entry) -> Mapping[str, str]:
    version = {"Agent version": run.run.agent_version} if run.run.agent_version else {}
    agent = run.run.reader.rsplit(" ", 1)[0] or run.run.reader
    return {"Agent": agent, **version, **dict(run.run.given)}


def _listed(values: Counter[str]) -> str:
    """`2.1.81`, or `2.1.81 (3 runs), 2.1.80 (1 run)`."""
    if len(values) == 1:
        return next(iter(values))
    ordered = sorted(values.items(), key=lambda each: (-each[1], each[0]))
    shown = [f"{value} ({figures.plural(runs, 'run')})" for value, runs in ordered[:_MOST]]
    more = [f"{figures.count(len(ordered) - _MOST)} more"] if len(ordered) > _MOST else []
    return ", ".join([*shown, *more])


def _tools(a: Counter[str], b: Counter[str]) -> Iterator[tuple[str, str, str]]:
    """The tools that runs of one side alone had; of so many that not all are named, how many a run had."""
    lists = [[tools_in(listed) for listed in side] for side in (a, b)]
    if any(more for side in lists for _, more in side):
        most_a, most_b = (figures.count(max(len(names) + more for names, more in side)) for side in lists)
        yield "Tools, not the same ones", most_a, most_b
        return
    of_a, of_b = ({tool for names, _ in side for tool in names} for side in lists)
    if of_a != of_b:
        only_a, only_b = (", ".join(sorted(each)) or "–" for each in (of_a - of_b, of_b - of_a))
        yield "Tools of one side only", only_a, only_b


def _prompts(a: Side, b: Side) -> Iterator[tuple[str, str, str]]:
    """On how many tasks the prompts differ, with the first of them."""
    both, other = 0, []
    for task in a.runs.keys() & b.runs.keys():
        one, two = ({_stated(run).get("Prompt", "") for run in side.runs[task]} - {""} for side in (a, b))
        both += bool(one and two)
        if one and two and one != two:
            other.append((task, ", ".join(sorted(one)[:_MOST]), ", ".join(sorted(two)[:_MOST])))
    if other:
        task, one_text, two_text = min(other)
        yield f"Prompts of {len(other)} of {figures.plural(both, 'task')}, such as {task}", one_text, two_text
