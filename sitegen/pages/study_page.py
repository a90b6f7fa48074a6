"""The page of a study and its tables: configurations by property of tasks, verdict, observation and reference.

Each table is one `Counted`: the page shows it with a column for each key, a file has a row for each key. That the order
of configurations changes between groups of tasks is said only if a test of the interaction finds it.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, islice, product
from statistics import fmean

from sitegen import figures
from sitegen.charts.findings import label
from sitegen.config import Config
from sitegen.fields import Cell
from sitegen.html.page_names import is_readable, page_id
from sitegen.html.render import Page, View
from sitegen.masking.redact import Numbers, number_masks
from sitegen.model import Entry, Outcome
from sitegen.numbers.comparison import by_list_price
from sitegen.numbers.intervals import Question, paired_shares
from sitegen.numbers.statistics import Measure, dimension_of, spread
from sitegen.numbers.success import VERDICT, Success, consistency, is_judged, judged_by, success
from sitegen.numbers.verdicts import agreement
from sitegen.numbers.wording import counts, cut, p_value
from sitegen.outcomes.configurations import Values
from sitegen.outcomes.study import MAX_OBSERVED, Study
from sitegen.pages.latex_table import block_to_latex
from sitegen.pages.text_tables import TextTable, files_of, links_of
from sitegen.pages.views import (
    BlockView,
    CellView,
    DrawnRowView,
    Filter,
    HeadView,
    LinkView,
    group_path,
    mark_of,
    model_class,
    runs_with,
)
from sitegen.publish.files import File
from sitegen.text.names import natural_order, run_path, slug

PATH = "study.html"
CONFIGURATIONS = "configurations"  # the table of which the page shows further columns alone
MAX_GROUPS = 12  # groups of a property that a table shows without cuts
LEVEL = (
    0.05  # the largest corrected p-value of which it is said that an order depends on a property
)
_OTHERS = "others"
_SPLIT = ("verdicts", "quadrants", "judges", "observations-", "reference-")
"""The beginnings of the names of tables that are also shown by the property that the settings split by."""
MAX_DRAWN = 3  # columns of rates that have a drawing beside them
_KINDS = ("fetch", "edit", "search", "run", "read", "task", "wait", "other")
"""Colours of the page, in the order in which keys take them."""
_BANDS = ("better", "level", "worse", "no score")


@dataclass(frozen=True, slots=True)
class Counted:
    """A table of counts of runs, or of successes, of each configuration by key."""

    name: str
    heading: str
    note: str
    chosen: Mapping[str, Filter]
    """The filter that leaves the runs of each key."""
    of: Callable[[Sequence[Entry], str], int | Success]  # the figure of the runs of a key
    head: str = (
        ""  # the name of the column of keys in a file; empty where a file has the last key only
    )
    further: Mapping[str, Callable[[Sequence[Entry]], CellView]] = field(default_factory=dict)
    """Columns that the page alone has."""
    part_head: str = ""  # the property of tasks by whose groups it is split; empty where it is not
    parts: Mapping[str, Filter] = field(default_factory=lambda: {"": {}})
    """The groups, and the filter that leaves the runs of each."""

    @property
    def keys(self) -> Sequence[str]:
        """The columns of the page, in their order."""
        return tuple(self.chosen)

    @property
    def is_count(self) -> bool:
        """Whether its figures are numbers of runs."""
        return all(isinstance(self.of((), key), int) for key in self.keys)

    def figures(self, study: Study, runs: Sequence[Entry]) -> dict[str, int | Success]:
        """Return the figure of each key."""
        return {
            key: self.of(list(study.matching(runs, chosen)), key)
            for key, chosen in self.chosen.items()
        }

    def table(self, study: Study) -> TextTable:
        """Return the table as a file has it: what a configuration consists of are the first columns."""
        numbers: Numbers = {}  # before cells are escaped, which would take masks apart
        rows: list[list[Cell]] = []
        chosen = study.named("configuration")
        for part, values, runs in self.rows(study):
            counted = list(self.figures(study, runs).items())
            for key, figure in counted if self.head else counted[-1:]:
                texts = [*values, *filter(None, (part, self.head and key))]
                counts = [figure] if isinstance(figure, int) else [figure.passed, figure.judged]
                rows.append([*(number_masks(text, numbers) for text in texts), *counts])
        heads = [*chosen, *filter(None, (self.part_head, self.head))]
        counts_heads = ["runs"] if self.is_count else ["passed", "judged"]
        return TextTable([*heads, *counts_heads], rows)

    def rows(self, study: Study) -> Iterator[tuple[str, Values, list[Entry]]]:
        """Yield the runs of each configuration, part by part; without those that have no run in a part."""
        for part, within in self.parts.items():
            for values, runs in study.covered.items():
                if own := list(study.matching(runs, within)):
                    yield part, values, own

    def split(self, name: str, parts: Mapping[str, Filter]) -> "Counted":
        """Return the same table by the groups of a property of tasks."""
        heading = f"{self.heading} by {figures.in_words(name)}"
        return replace(
            self, name=f"{self.name}-by-{name}", heading=heading, part_head=name, parts=parts
        )

    def cells(self, study: Study, runs: Sequence[Entry], within: Filter) -> Iterator[CellView]:
        """Yield a row as the page has it, cells with links to their runs; `within` is the filter that leaves the runs
        of the row."""
        counted = self.figures(study, runs)
        total = sum(count for count in counted.values() if isinstance(count, int))
        for key, count in counted.items():
            chosen = {**within, **self.chosen[key]}
            if isinstance(count, int):
                cell, is_empty = (
                    CellView(figures.count(count), figures.percent(count, total)),
                    not count,
                )
            else:
                cell, is_empty = _rate(count, _css(runs)), not count.judged
                if self.head != "verdict":
                    chosen["outcome"] = [Outcome.PASS, Outcome.PARTIAL, Outcome.FAIL]
            yield cell if is_empty or not within else replace(cell, href=runs_with(chosen))


def _who(runs: Sequence[Entry]) -> str | None:
    """Return what all these runs are compared as, if it is one."""
    own = {entry.compared_as for entry in runs}
    return own.pop() if len(own) == 1 else None


def _css(runs: Sequence[Entry]) -> str:
    """Return the class of the colour of a configuration."""
    return f"m-{model_class(who)}" if (who := _who(runs)) else "soft"


def _filter_of_configuration(runs: Sequence[Entry]) -> Filter:
    """Return the filter that leaves the runs of a configuration; empty if no name is theirs alone."""
    who = _who(runs)
    return {dimension_of(runs).value: [who]} if who else {}


def _rate(found: Success, css: str) -> CellView:
    if found.rate is None:
        return CellView(figures.UNKNOWN, "not judged")
    between = found.interval
    ends = f", {figures.from_to(between.low, between.high, figures.share)}" if between else ""
    mark = mark_of(found.rate, between, 1.0, css)
    return CellView(figures.share(found.rate), f"{counts(found)}{ends}", mark=mark)


def _consistency(runs: Sequence[Entry]) -> CellView:
    """Return the share of pairs of attempts of one task with the same verdict, and the rest of it."""
    if (consistent := consistency(runs)) is None:
        return CellView(figures.UNKNOWN, "single attempts")
    note = (
        f"{figures.count(consistent.both)} of {figures.plural(consistent.tasks, 'task')} with both"
    )
    return CellView(figures.percent(consistent.same_share, 1), note)


def tables(study: Study, question: Question = Question.TASKS_LIKE_THESE) -> dict[str, Counted]:
    """Return the tables that these runs have, by name."""
    found: dict[str, Counted] = {}
    split_by = study.config.leaderboard.split_by
    parts = _parts(study, split_by) if split_by else {}
    for table in _tables(study, question):
        found[table.name] = table
        if split_by and len(parts) > 1 and table.name.startswith(_SPLIT):
            split = table.split(split_by, parts)
            found[split.name] = split
    return found


def _parts(study: Study, name: str) -> dict[str, Filter]:
    """Return the filter that leaves the runs of each group by a property of tasks."""
    key = f"group.{name}" if name in study.config.properties else f"factor.{name}"
    groups = _values(study.group(entry, name) for entry in study.covered_runs)
    return {group: {key: [group]} for group in groups[:MAX_GROUPS]}


def _tables(study: Study, question: Question) -> Iterator[Counted]:
    config = study.config
    chosen = "A configuration is what was chosen for a run: agent, model, and each factor below with that role."
    if mixed := study.mixed_versions():
        chosen += f" Several versions of the agent: {'; '.join(mixed)}. As `factors: {{agent_version: configuration}}` "
        chosen += "in the settings they are configurations of their own."
    if adopted := sum(
        study.adopted.get(study.known_values(entry)) is not None for entry in study.entries
    ):
        chosen += f" {figures.plural(adopted, 'run')} that ended before a model was reached "
        chosen += f"{'counts' if adopted == 1 else 'count'} for the only one with that agent."
    figures_of: Mapping[str, Callable[[Sequence[Entry]], CellView]] = {
        "Success": lambda runs: _rate(success(runs, question), _css(runs)),
        "Same verdict": _consistency,
        "Cost per run": lambda runs: CellView(_mean_cost(runs)),
        "Runs": lambda runs: CellView(
            figures.count(len(runs)), href=runs_with(_filter_of_configuration(runs)) or None
        ),
    }
    yield Counted(
        CONFIGURATIONS, "Configurations", chosen, {"Runs": {}}, _count, further=figures_of
    )

    def rate(runs: Sequence[Entry], _: str) -> Success:
        return success(runs, question)

    for name in study.named("property"):
        groups = {study.group(entry, name) for entry in study.covered_runs} - {None}
        if name in config.properties or len(groups) <= MAX_GROUPS:
            note = "Share of judged runs that passed, with 95% intervals."
            parts = _parts(study, name)
            yield Counted(
                f"success-by-{name}",
                f"Success by {figures.in_words(name)}",
                note,
                parts,
                rate,
                name,
            )
    if config.verdicts:
        note = "All verdicts of the same runs. Runs without a verdict are left out of it."

        def judged(runs: Sequence[Entry], verdict: str) -> Success:
            return success(judged_by(runs, f"{VERDICT}{verdict}"), question)

        gaps = {
            f"{one} minus {other}": partial(_gap, study, other, one)
            for one, other in _gaps(study.config)
        }
        verdicts = {name: {f"{VERDICT}{name}": ["pass", "fail"]} for name in config.verdicts}
        yield Counted("verdicts", "Verdicts", note, verdicts, judged, "verdict", gaps)
    if named := config.quadrants:
        first, second = named.of
        note = f"{named.both}: {first} and {second} pass. {named.first}: only {first}. {named.second}: only {second}. "
        note = f"{note}{named.none}: neither."
        quadrants = {name: {"quadrant": [name]} for name in named.names}
        heading = "What two verdicts say together"
        yield Counted("quadrants", heading, note, quadrants, _count, "quadrant")
    if config.judges:
        yield _judges(study, *config.judges)
    for name in study.observations:
        yield _observed(study, name)
    yield from _references(study)
    if config.excluded:
        yield _excluded(study, rate)


def _references(study: Study) -> Iterator[Counted]:
    """Yield the tables of scores that have a reference."""
    for score, meaning in study.scores.items():
        if meaning.reference:
            by_first = (
                f"{meaning.reference}, by the first of {', '.join(meaning.of)} that both have"
            )
            against = by_first if meaning.of else f"the {meaning.reference} of the task"
            note = f"Level: within {figures.percent(meaning.band, 1)} of {against}. Relative: geometric mean over "
            note += "tasks (computed); below 1 is worse."
            name = f"reference-{score}"
            heading = f"{figures.as_title(score)} relative to {meaning.reference}"
            bands = {band: {f"band.{score}": [band]} for band in _BANDS}
            bands["no score"] = {f"band.{score}": [""]}
            further = {"Relative": partial(_relative, study, score)}
            yield Counted(name, heading, note, bands, _count, "band", further)


def _excluded(study: Study, rate: Callable[[Sequence[Entry], str], Success]) -> Counted:
    """Return the table of success with and without the excluded runs."""
    reasons = study.reasons
    listed = (
        "; ".join(f"{reason}: {count}" for reason, count in reasons.most_common(MAX_GROUPS))
        or "none"
    )
    note = f"Excluded runs count everywhere else. Reasons: {listed}."

    both: dict[str, Filter] = {"All runs": {}, "Without excluded runs": {"excluded": [""]}}
    return Counted("excluded", "Without excluded runs", note, both, rate)


def _count(runs: Sequence[Entry], _: str) -> int:
    return len(runs)


def describe_judges(study: Study, first: str, second: str) -> tuple[int, str]:
    """Return how many runs two judges of one question disagree on, and their agreement in sentences."""
    note = "No run has both verdicts."
    disagreed = 0
    found = agreement(list(_by_both(study, first, second, study.entries).values()))
    if found:
        disagreed = round(found.runs * (1 - found.share))
        runs = figures.plural(found.runs, "run")
        chance = figures.percent(found.by_chance, 1)
        agreed = f"{first} and {second} agree on {figures.percent(found.share, 1)}"
        note = f"{agreed} of the {runs} that have both verdicts; by chance it would be {chance}."
    if found and found.kappa is not None:
        ends = found.interval
        between = f", 95% interval {ends.low:.2f} to {ends.high:.2f}" if ends else ""
        note += f" Cohen’s kappa: {found.kappa:.2f}{between}.".replace("-", "\u2212")
    return disagreed, note


def _judges(study: Study, first: str, second: str) -> Counted:
    """Return the table of what two judges of one question say, with their agreement as its note."""
    _, note = describe_judges(study, first, second)
    said = {
        "both pass": ("pass", "pass"),
        f"only {first} passes": ("pass", "fail"),
        f"only {second} passes": ("fail", "pass"),
        "neither passes": ("fail", "fail"),
    }
    chosen = {
        key: {f"{VERDICT}{first}": [one], f"{VERDICT}{second}": [other]}
        for key, (one, other) in said.items()
    }
    return Counted("judges", "Do two judges agree?", note, chosen, _count, "judges")


def _by_both(
    study: Study, first: str, second: str, runs: Iterable[Entry]
) -> dict[str, list[tuple[bool, bool]]]:
    """Return by task whether each of two verdicts lets a run pass, of the runs that have both."""
    by_task: dict[str, list[tuple[bool, bool]]] = {}
    for run in runs:
        verdicts = [study.stated[run.id].get(f"{VERDICT}{name}") for name in (first, second)]
        if all(verdicts):
            one, other = (verdict == "pass" for verdict in verdicts)
            by_task.setdefault(run.task or run.id, []).append((one, other))
    return by_task


def _observed(study: Study, name: str) -> Counted:
    key = f"observed.{name}"
    counts = Counter(str(stated[key]) for stated in study.stated.values() if key in stated)
    missing = len(study.entries) - counts.total()
    left = f" {figures.plural(missing, 'run')} without one." if missing else ""
    names = sorted(counts, key=lambda value: (-counts[value], natural_order(value)))
    note = f"For information; not tested.{left}"
    chosen = {value: {key: [value]} for value in names[:MAX_OBSERVED]}
    if rare := names[MAX_OBSERVED:]:
        chosen[_OTHERS] = {key: rare}
        note = f"The {MAX_OBSERVED} most frequent values."
    heading = figures.as_title(name)
    return Counted(f"observations-{name}", heading, note, chosen, _count, "value")


def _values(found: Iterable[str | None]) -> list[str]:
    return sorted({each for each in found if each is not None}, key=natural_order)


def _order(study: Study, name: str, p: float | None) -> str:
    """Return a sentence about whether the order of configurations depends on a property, by its corrected p-value."""
    if p is None:
        return ""
    if p <= LEVEL:
        return f"{depends(name, p, study.highest(name), study.not_covered)}. "
    return f"No clear difference in their order by {name} ({p_value(p)}){_without(study.not_covered)}. "


def depends(
    name: str, p: float, highest: Mapping[str, tuple[float, Sequence[str]]], left_out: Sequence[str]
) -> str:
    """Return claim is seen where configurations compare differently by a property of tasks: who is highest in each
    group. Where that is the same one, not the order differs but how far they are apart."""
    names_of = {
        group: figures.sentence_list(list(map(label, names)))
        for group, (_, names) in highest.items()
    }
    seen = "; ".join(
        f"on {group} {names_of[group]}, {figures.percent(rate, 1)}"
        for group, (rate, _) in highest.items()
    )
    is_order = len(set(names_of.values())) > 1
    claim = (
        "Order depends" if is_order else "Success of configurations compares differently depending"
    )
    return f"{claim} on {cut(name, 40)} ({p_value(p)}): highest {seen}{_without(left_out)}"


def _without(left_out: Sequence[str]) -> str:
    return (
        f" (without {figures.sentence_list(list(left_out))}, judged on too few tasks)"
        if left_out
        else ""
    )


def study_page(
    study: Study,
    question: Question,
    effects: LinkView | None = None,
    corrected: Mapping[str, float] | None = None,
) -> Page:
    """Return the page of a study; `corrected` are the p-values of its `breakdowns` among all comparisons."""
    entries = study.covered_runs
    tasks = {entry.task for entry in entries if entry.task}
    lead = (
        f"{figures.plural(len(entries), 'run')} of {figures.plural(len(study.covered), 'configuration')} "
        f"on {figures.plural(len(tasks), 'task')}."
    )
    blocks: list[BlockView] = []
    for table in tables(study, question).values():
        blocks += (block_of(study, table, corrected or {}), *_rows(study, table))
    if split_by := study.config.leaderboard.split_by:
        blocks.insert(1, _tasks_block(study, split_by))
    factors = tuple((each.name, each.role, each.reason) for each in study.factors)
    view = View(lead=lead, factors=factors, blocks=tuple(blocks), effects=effects)
    about = "Configurations by property of tasks, verdict and observation."
    return Page(PATH, "study.html.jinja", "Study", about, "study", view)


def _tasks_block(study: Study, name: str) -> BlockView:
    """Return the table of the tasks and runs of each group by a property of tasks."""
    rows = []
    for group, within in _parts(study, name).items():
        runs = list(study.matching(study.covered_runs, within))
        tasks = {run.task for run in runs if run.task}
        judged = sum(map(is_judged, runs))
        cells = (
            CellView(figures.count(len(tasks))),
            CellView(figures.count(len(runs)), href=runs_with(within)),
            CellView(figures.count(judged)),
        )
        rows.append(DrawnRowView(group, cells))
    heads = tuple(map(HeadView, (figures.as_title(name), "Tasks", "Runs", "Judged runs")))
    return BlockView(
        f"tasks-by-{slug(name)}", f"Tasks by {figures.in_words(name)}", "", heads, tuple(rows)
    )


def table_files(study: Study) -> Iterator[File]:
    """Yield the tables as CSV and LaTeX."""
    for table in tables(study).values():
        latex = partial(study_latex, study, table)
        yield from files_of(_id(table.name), partial(table.table, study), latex)


def study_latex(study: Study, table: Counted) -> str:
    """Return a table as the page has it in LaTeX."""
    return block_to_latex(block_of(study, table, {}))


def _id(name: str) -> str:
    """Return a name as part of an address; one that an address cannot show has digits at its end."""
    return name if slug(name) == name and is_readable(name) else page_id(name, name)


def block_of(study: Study, counted: Counted, corrected: Mapping[str, float]) -> BlockView:
    """Return a table of the page, the quadrants of observations below the configurations."""
    kind, _, by = counted.name.partition("-by-")
    is_success = kind in ("success", "verdicts") and by
    note = f"{_order(study, by, corrected.get(by))}{counted.note}" if is_success else counted.note
    shown = () if counted.name == CONFIGURATIONS else counted.keys
    is_shares = counted.is_count and len(counted.keys) > 1
    heads = [
        HeadView(
            figures.as_title(key) if counted.head == "verdict" else key,
            _kind(at) if is_shares else "",
            is_drawn=not is_shares and len(shown) <= MAX_DRAWN,
        )
        for at, key in enumerate(shown)
    ]
    heads += (HeadView(figures.as_title(key), is_drawn=key == "Success") for key in counted.further)
    rows = []
    for part, values, runs in counted.rows(study):
        within = {**_filter_of_configuration(runs), **counted.parts[part]}
        cells = (
            *islice(counted.cells(study, runs, within), len(shown)),
            *(write(runs) for write in counted.further.values()),
        )
        bar = _bar(counted.figures(study, runs)) if is_shares else ()
        rows.append(replace(_row_of(study.names[values], runs, cells), bar=bar, part=part))
    if counted.name.startswith("observations-"):
        rows += _rows_of_quadrants(study, counted)
        rows.sort(key=lambda row: list(counted.parts).index(row.part))
    heads = [HeadView("Configuration"), *heads]
    name = _id(counted.name)
    block = BlockView(name, counted.heading, note, tuple(heads), tuple(rows), links_of(name))
    return replace(block, folded=_left_out(study)) if counted.name == CONFIGURATIONS else block


def _rows_of_quadrants(study: Study, counted: Counted) -> Iterator[DrawnRowView]:
    """Yield the counts of all runs of each quadrant."""
    quadrants = study.config.quadrants.names if study.config.quadrants else ()
    for (part, chosen), quadrant in product(counted.parts.items(), quadrants):
        within: Filter = {"quadrant": [quadrant], **chosen}
        runs = list(study.matching(study.covered_runs, within))
        if bar := _bar(counted.figures(study, runs)):
            cells = tuple(counted.cells(study, runs, within))
            yield DrawnRowView(quadrant, cells, bar=bar, part=part)


def _left_out(study: Study) -> tuple[LinkView, ...]:
    """Return the configurations without a judged or lost run, with links to their runs, behind a text that counts them."""
    links = []
    for values, runs in study.configurations.items():
        if values not in study.covered:
            text = f"{study.names[values]}: {figures.plural(len(runs), 'run')}"
            links.append(LinkView(runs_with(_filter_of_configuration(runs)), text))
    return (LinkView("", study.left_out), *links) if study.left_out else ()


def _row_of(name: str, runs: Sequence[Entry], cells: tuple[CellView, ...]) -> DrawnRowView:
    """Return the row of a configuration, which leads to its page."""
    if (who := _who(runs)) is None:
        return DrawnRowView(name, cells)
    return DrawnRowView(name, cells, group_path(dimension_of(runs).value, who), model_class(who))


def _kind(at: int) -> str:
    """Return the class of the colour of a key."""
    return f"s-{_KINDS[min(at, len(_KINDS) - 1)]}"


def _bar(counted: Mapping[str, int | Success]) -> tuple[tuple[str, float, float], ...]:
    """Return the counts of a row as shares of a bar."""
    counts = [count for count in counted.values() if isinstance(count, int)]
    ends = list(accumulate(counts, initial=0))
    return tuple(
        (_kind(at), ends[at] / ends[-1], count / ends[-1])
        for at, count in enumerate(counts)
        if count
    )


def _rows(study: Study, counted: Counted) -> Iterator[BlockView]:
    """Yield what stands behind a table in detail: tasks behind references, and the excluded runs."""
    if counted.name.startswith("reference-") and not counted.part_head:
        score = counted.name.removeprefix("reference-")
        of_task: dict[str, dict[tuple[str, ...], list[Entry]]] = {}
        for run in study.covered_runs:
            if run.task and study.relative(run, score) is not None:
                values = study.configuration(run) or ()
                of_task.setdefault(run.task, {}).setdefault(values, []).append(run)
        known = [
            values for values in study.covered if any(values in runs for runs in of_task.values())
        ]
        rows = []
        for task in sorted(of_task, key=natural_order):
            own = (
                _relative(study, score, of_task[task].get(each, ()), is_task=True) for each in known
            )
            rows.append(DrawnRowView(task, tuple(own), group_path("task", task)))
        heads = tuple(map(HeadView, ("Task", *(study.names[each] for each in known))))
        told = figures.plural(len(rows), "task")
        note = f"Relative to the reference (computed), with the bands of the runs. {told} with a score."
        yield BlockView(
            _id(f"{counted.name}-tasks"), f"{counted.heading} by task", note, heads, tuple(rows), ()
        )
    if counted.name == "excluded":
        left = [
            (run, reason) for run in study.entries if (reason := study.excluded(run)) is not None
        ]
        rows = [
            DrawnRowView(run.name, (CellView(reason),), run_path(run.id)) for run, reason in left
        ]
        heads = HeadView("Run"), HeadView("Reason")
        yield BlockView("excluded-runs", "Excluded runs", "", heads, tuple(rows), ())


def _gaps(config: Config) -> list[tuple[str, str]]:
    """Return the pairs of verdicts whose difference is shown: those of the quadrants, each minus a verdict that needs
    both; else the second minus the first."""
    if not config.quadrants:
        return []
    first, second = config.quadrants.of
    both = [name for name, rule in config.verdicts.items() if {first, second} == {*rule.all}]
    return [(first, both[0]), (second, both[0])] if both else [(second, first)]


def _gap(study: Study, first: str, second: str, runs: Iterable[Entry]) -> CellView:
    """Return the difference of two verdicts in points, over the runs that have both; each task weighs the same."""
    by_task = _by_both(study, first, second, runs)
    if not by_task:
        return CellView(figures.UNKNOWN, "no run with both")
    rates = [
        (fmean(one for one, _ in told), fmean(other for _, other in told))
        for told in by_task.values()
    ]
    between = paired_shares(rates).difference
    ends = f", {figures.points(between.low)} to {figures.points(between.high)}" if between else ""
    gap = fmean(other - one for one, other in rates)
    return CellView(
        f"{figures.points(gap)} points", f"{sum(map(len, by_task.values()))} with both{ends}"
    )


def _relative(
    study: Study, score: str, runs: Iterable[Entry], *, is_task: bool = False
) -> CellView:
    """Return how many times better than their reference runs are: the geometric mean of tasks; of one, their bands."""
    runs = list(runs)
    of_task: dict[str, list[float]] = {}
    for run in runs:
        if (times := study.relative(run, score)) is not None:
            of_task.setdefault(run.task or run.id, []).append(math.log(times))
    if not of_task:
        return CellView(figures.UNKNOWN, "" if is_task else "no score with a reference")
    mean = math.exp(
        math.fsum(math.fsum(each) / len(each) for each in of_task.values()) / len(of_task)
    )
    bands = Counter(study.band(run, score) for run in runs)
    listed = ", ".join(
        f"{count} {band}" if len(runs) > 1 else band for band in _BANDS if (count := bands[band])
    )
    return CellView(
        figures.score(mean, "x"), listed if is_task else figures.plural(len(of_task), "task")
    )


def _mean_cost(runs: Sequence[Entry]) -> str:
    """Return the mean of reported costs; where none reports one, at list price; each with its mark."""
    reported = spread(runs, Measure.COST)
    shown = reported if reported.known else spread(map(by_list_price, runs), Measure.COST)
    if not shown.known:
        return figures.UNKNOWN
    return ("" if reported.known else "≈ ") + figures.marked(
        figures.money(shown.mean), shown.is_lower_bound
    )
