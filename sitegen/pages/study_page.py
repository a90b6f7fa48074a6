"""The page of a study and its tables: configurations by property of tasks, verdict, observation and reference.

Each table is one `Counted`: the page shows it with a column for each key, a file has a row for each key. That the order
of configurations changes between groups of tasks is said only if a test of the interaction finds it.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, product
from statistics import fmean

from sitegen import figures
from sitegen.charts.findings import label
from sitegen.config import Config, ScoreMeaning
from sitegen.config.study import Quadrants
from sitegen.fields import Cell
from sitegen.html.page_names import is_readable, page_id
from sitegen.html.render import Page, View
from sitegen.masking.redact import Numbers, number_masks
from sitegen.model import Entry, Outcome, by_key
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
    colour_class,
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
_COLOURS = ("fetch", "edit", "search", "run", "read", "task", "wait", "other")
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
    head: str = ""  # the name of the column of keys in a file; without one it has the last key only
    rate: Callable[[Sequence[Entry], str], Success] | None = None
    """The success of the runs of a key; None where the table counts runs."""
    further: Mapping[str, Callable[[Sequence[Entry]], CellView]] = field(default_factory=dict)
    """Columns that the page alone has."""
    part_head: str = ""  # the property of tasks by whose groups it is split; empty where it is not
    parts: Mapping[str, Filter] = field(default_factory=lambda: {"": {}})
    """The groups, and the filter that leaves the runs of each."""

    @property
    def shown(self) -> Sequence[str]:
        """The keys that have a column on the page."""
        return () if self.name == CONFIGURATIONS else tuple(self.chosen)

    @property
    def has_bars(self) -> bool:
        """Whether a bar shows the counts of a row."""
        return self.rate is None and len(self.chosen) > 1

    def runs_of(self, study: Study, runs: Sequence[Entry]) -> dict[str, list[Entry]]:
        """Return those of some runs that each key is about."""
        return {key: list(study.matching(runs, chosen)) for key, chosen in self.chosen.items()}

    def table(self, study: Study) -> TextTable:
        """Return the table as a file has it: what a configuration consists of are the first columns."""
        numbers: Numbers = {}  # before cells are escaped, which would take masks apart
        rows: list[list[Cell]] = []
        for part, values, runs in self.rows(study):
            runs_by_key = list(self.runs_of(study, runs).items())
            for key, runs_of_key in runs_by_key if self.head else runs_by_key[-1:]:
                texts = [*values, *filter(None, (part, self.head and key))]
                row: list[Cell] = [number_masks(text, numbers) for text in texts]
                if self.rate is None:
                    row.append(len(runs_of_key))
                else:
                    judged = self.rate(runs_of_key, key)
                    row += (judged.passed, judged.judged)
                rows.append(row)
        heads = [*study.named("configuration"), *filter(None, (self.part_head, self.head))]
        figures_heads = ["runs"] if self.rate is None else ["passed", "judged"]
        return TextTable([*heads, *figures_heads], rows)

    def rows(self, study: Study) -> Iterator[tuple[str, Values, list[Entry]]]:
        """Yield the runs of each configuration, part by part; without those that have no run in a part."""
        for part, within in self.parts.items():
            for values, runs in study.covered.items():
                runs_of_part = list(study.matching(runs, within))
                if runs_of_part:
                    yield part, values, runs_of_part

    def split(self, name: str, parts: Mapping[str, Filter]) -> "Counted":
        """Return the same table by the groups of a property of tasks."""
        heading = f"{self.heading} by {figures.in_words(name)}"
        name_of_table = f"{self.name}-by-{name}"
        return replace(self, name=name_of_table, heading=heading, part_head=name, parts=parts)

    def row(self, study: Study, name: str, runs: Sequence[Entry], within: Filter) -> DrawnRowView:
        """Return a row as the page has it, cells with links to their runs; `within` is the filter that leaves the runs
        of the row."""
        runs_by_key = self.runs_of(study, runs)
        total = sum(map(len, runs_by_key.values()))
        cells = []
        for key in self.shown:
            chosen = {**within, **self.chosen[key]}
            size = len(runs_by_key[key])
            cell = CellView(figures.count(size), figures.percent(size, total))
            if self.rate is not None:
                judged = self.rate(runs_by_key[key], key)
                cell, size = _rate(judged, _name_of(runs)), judged.judged
                if self.head != "verdict":
                    chosen["outcome"] = [Outcome.PASS, Outcome.PARTIAL, Outcome.FAIL]
            cells.append(replace(cell, href=runs_with(chosen)) if size and within else cell)
        bar = _bar(list(map(len, runs_by_key.values()))) if self.has_bars else ()
        return DrawnRowView(name, tuple(cells), bar=bar)


def _bar(counts: Sequence[int]) -> tuple[tuple[str, float, float], ...]:
    """Return counts as colours, places and shares of a bar; empty without runs."""
    total = sum(counts)
    ends = accumulate(counts, initial=0)
    bar = zip(map(_colour, range(len(counts))), ends, counts, strict=False)
    return tuple((css, end / total, count / total) for css, end, count in bar if count)


def _colour(place: int) -> str:
    """Return the class of the colour of a key."""
    return f"s-{_COLOURS[min(place, len(_COLOURS) - 1)]}"


def _name_of(runs: Sequence[Entry]) -> str | None:
    """Return what all these runs are compared as, if it is one."""
    names = {entry.compared_as for entry in runs}
    return names.pop() if len(names) == 1 else None


def _filter_of_configuration(runs: Sequence[Entry]) -> Filter:
    """Return the filter that leaves the runs of a configuration; empty if no name is theirs alone."""
    name = _name_of(runs)
    return {dimension_of(runs).value: [name]} if name else {}


def _rate(judged: Success, name: str | None) -> CellView:
    if judged.rate is None:
        return CellView(figures.UNKNOWN, "not judged")
    note = counts(judged)
    if judged.interval:
        note += f", {figures.from_to(judged.interval.low, judged.interval.high, figures.share)}"
    mark = mark_of(judged.rate, judged.interval, 1.0, colour_class(name))
    return CellView(figures.share(judged.rate), note, mark=mark)


def tables(study: Study, question: Question = Question.TASKS_LIKE_THESE) -> dict[str, Counted]:
    """Return the tables that these runs have, by name."""
    by_name: dict[str, Counted] = {}
    split_by = study.config.leaderboard.split_by
    parts = _parts(study, split_by) if split_by else {}
    for table in _tables(study, question):
        by_name[table.name] = table
        if split_by and len(parts) > 1 and table.name.startswith(_SPLIT):
            split = table.split(split_by, parts)
            by_name[split.name] = split
    return by_name


def _parts(study: Study, name: str) -> dict[str, Filter]:
    """Return the filter that leaves the runs of each group by a property of tasks."""
    key = f"group.{name}" if name in study.config.properties else f"factor.{name}"
    groups = {study.group(entry, name) for entry in study.covered_runs}
    ordered = sorted(filter(None, groups), key=natural_order)
    return {group: {key: [group]} for group in ordered[:MAX_GROUPS]}


def _tables(study: Study, question: Question) -> Iterator[Counted]:
    config = study.config
    yield _configurations(study, question)
    yield from _by_property(study, question)
    if config.verdicts:
        yield _verdicts(study, question)
    if config.quadrants:
        yield _quadrants(config.quadrants)
    if config.judges:
        yield _judges(study, *config.judges)
    for name in study.observations:
        yield _observed(study, name)
    for score, meaning in study.scores.items():
        if meaning.reference:
            yield _reference(study, score, meaning)
    if config.excluded:
        yield _excluded(study, question)


def _configurations(study: Study, question: Question) -> Counted:
    note = "A configuration is what was chosen for a run: agent, model, and each factor below with that role."
    if mixed := study.mixed_versions():
        note += f" Several versions of the agent: {'; '.join(mixed)}. As `factors: {{agent_version: configuration}}` "
        note += "in the settings they are configurations of their own."
    adopted = [run for run in study.entries if study.adopted.get(study.known_values(run))]
    if adopted:
        verb = "counts" if len(adopted) == 1 else "count"
        note += f" {figures.plural(len(adopted), 'run')} that ended before a model was reached "
        note += f"{verb} for the only one with that agent."
    further: Mapping[str, Callable[[Sequence[Entry]], CellView]] = {
        "Success": lambda runs: _rate(success(runs, question), _name_of(runs)),
        "Same verdict": _consistency,
        "Cost per run": lambda runs: CellView(_mean_cost(runs)),
        "Runs": lambda runs: CellView(
            figures.count(len(runs)), href=runs_with(_filter_of_configuration(runs)) or None
        ),
    }
    return Counted(CONFIGURATIONS, "Configurations", note, {"Runs": {}}, further=further)


def _consistency(runs: Sequence[Entry]) -> CellView:
    """Return the share of pairs of attempts of one task with the same verdict, and the rest of it."""
    consistent = consistency(runs)
    if consistent is None:
        return CellView(figures.UNKNOWN, "single attempts")
    tasks = figures.plural(consistent.tasks, "task")
    vary = "varies" if consistent.both == 1 else "vary"
    note = f"{figures.count(consistent.both)} of {tasks} {vary}"
    return CellView(figures.share(consistent.same_share), note)


def _mean_cost(runs: Sequence[Entry]) -> str:
    """Return the mean of reported costs; where none reports one, at list price; each with its mark."""
    reported = spread(runs, Measure.COST)
    shown = reported if reported.known else spread(map(by_list_price, runs), Measure.COST)
    if not shown.known:
        return figures.UNKNOWN
    mean = figures.marked(figures.money(shown.mean), shown.is_lower_bound)
    return mean if reported.known else f"≈ {mean}"


def _by_property(study: Study, question: Question) -> Iterator[Counted]:
    """Yield success by each property of tasks that has few groups, or cuts."""
    note = "Share of judged runs that passed, with 95% intervals."
    for name in study.named("property"):
        groups = {study.group(entry, name) for entry in study.covered_runs} - {None}
        if name in study.config.properties or len(groups) <= MAX_GROUPS:
            heading = f"Success by {figures.in_words(name)}"
            parts = _parts(study, name)
            rate = partial(_success_of, question)
            yield Counted(f"success-by-{name}", heading, note, parts, name, rate)


def _success_of(question: Question, runs: Sequence[Entry], _: str) -> Success:
    return success(runs, question)


def _verdicts(study: Study, question: Question) -> Counted:
    verdicts = {name: {f"{VERDICT}{name}": ["pass", "fail"]} for name in study.config.verdicts}
    gaps = {
        f"{first} minus {second}": partial(_gap, study, second, first)
        for first, second in _gaps(study.config)
    }
    note = "All verdicts of the same runs. A run without a verdict is not counted in it."
    if gaps:
        note += " In a difference each task weighs the same."

    def judged(runs: Sequence[Entry], verdict: str) -> Success:
        return success(judged_by(runs, f"{VERDICT}{verdict}"), question)

    return Counted("verdicts", "Verdicts", note, verdicts, "verdict", judged, gaps)


def _quadrants(quadrants: Quadrants) -> Counted:
    first, second = quadrants.of
    note = (
        f"{quadrants.both}: {first} and {second} pass. {quadrants.first}: only {first}. "
        f"{quadrants.second}: only {second}. {quadrants.none}: neither."
    )
    chosen = {name: {"quadrant": [name]} for name in quadrants.names}
    return Counted("quadrants", "What two verdicts say together", note, chosen, "quadrant")


def _reference(study: Study, score: str, meaning: ScoreMeaning) -> Counted:
    """Return the table of how a score compares with its reference."""
    against = f"the {meaning.reference} of the task"
    if meaning.of:
        against = f"{meaning.reference}, by the first of {', '.join(meaning.of)} that both have"
    note = (
        f"Level: within {figures.share(meaning.band)} of {against}. Relative: geometric mean over "
    )
    note += "tasks (computed); below 1 is worse."
    heading = f"{figures.as_title(score)} relative to {meaning.reference}"
    bands = {band: {f"band.{score}": [band]} for band in _BANDS}
    bands["no score"] = {f"band.{score}": [""]}
    further = {"Relative": partial(_relative, study, score)}
    return Counted(f"reference-{score}", heading, note, bands, "band", further=further)


def _excluded(study: Study, question: Question) -> Counted:
    """Return the table of success with and without the excluded runs."""
    listed = [f"{reason}: {count}" for reason, count in study.reasons.most_common(MAX_GROUPS)]
    note = f"Excluded runs count everywhere else. Reasons: {'; '.join(listed) or 'none'}."
    both: dict[str, Filter] = {"All runs": {}, "Without excluded runs": {"excluded": [""]}}
    rate = partial(_success_of, question)
    return Counted("excluded", "Without excluded runs", note, both, rate=rate)


def describe_judges(study: Study, first: str, second: str) -> tuple[int, str]:
    """Return how many runs two judges of one question disagree on, and their agreement in sentences."""
    agreed = agreement(list(_by_both(study, first, second, study.entries).values()))
    if not agreed:
        return 0, "No run has both verdicts."
    runs = figures.plural(agreed.runs, "run")
    note = (
        f"{first} and {second} agree on {figures.share(agreed.share)} of the {runs} that have both verdicts; "
        f"by chance it would be {figures.share(agreed.by_chance)}."
    )
    if agreed.kappa is not None:
        ends = agreed.interval
        between = f", 95% interval {ends.low:.2f} to {ends.high:.2f}" if ends else ""
        note += f" Cohen’s kappa: {agreed.kappa:.2f}{between}.".replace("-", "\u2212")
    return round(agreed.runs * (1 - agreed.share)), note


def _judges(study: Study, first: str, second: str) -> Counted:
    """Return the table of what two judges of one question say, with their agreement as its note."""
    _, note = describe_judges(study, first, second)
    words = {
        "both pass": ("pass", "pass"),
        f"only {first} passes": ("pass", "fail"),
        f"only {second} passes": ("fail", "pass"),
        "neither passes": ("fail", "fail"),
    }
    chosen = {
        key: {f"{VERDICT}{first}": [word], f"{VERDICT}{second}": [other]}
        for key, (word, other) in words.items()
    }
    return Counted("judges", "Do two judges agree?", note, chosen, "judges")


def _by_both(
    study: Study, first: str, second: str, runs: Iterable[Entry]
) -> dict[str, list[tuple[bool, bool]]]:
    """Return by task whether each of two verdicts lets a run pass, of the runs that have both."""
    by_task: dict[str, list[tuple[bool, bool]]] = {}
    for run in runs:
        stated = study.stated[run.id]
        word, other = stated.get(f"{VERDICT}{first}"), stated.get(f"{VERDICT}{second}")
        if word and other:
            verdicts = by_task.setdefault(run.task or run.id, [])
            verdicts.append((word == "pass", other == "pass"))
    return by_task


def _observed(study: Study, name: str) -> Counted:
    key = f"observed.{name}"
    counts = Counter(str(stated[key]) for stated in study.stated.values() if key in stated)
    names = sorted(counts, key=lambda value: (-counts[value], natural_order(value)))
    chosen = {value: {key: [value]} for value in names[:MAX_OBSERVED]}
    note = "For information; not tested."
    if rare := names[MAX_OBSERVED:]:
        chosen[_OTHERS] = {key: rare}
        note = f"The {MAX_OBSERVED} most frequent values."
    elif missing := len(study.entries) - counts.total():
        note += f" {figures.plural(missing, 'run')} without one."
    return Counted(f"observations-{name}", figures.as_title(name), note, chosen, "value")


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
    """Return the claim that configurations compare differently by a property of tasks: who is highest in each group.
    Where that is the same one, not the order differs but how far they are apart."""
    leaders = set()
    parts = []
    for group, (rate, names) in highest.items():
        listed = figures.sentence_list(list(map(label, names)))
        leaders.add(listed)
        parts.append(f"on {group} {listed} ({figures.share(rate)})")
    claim = "Success of configurations compares differently depending"
    if len(leaders) > 1:
        claim = "The order of configurations depends"
    return (
        f"{claim} on {cut(name, 40)} ({p_value(p)}): "
        f"the highest is {figures.sentence_list(parts)}{_without(left_out)}"
    )


def _without(left_out: Sequence[str]) -> str:
    names = figures.sentence_list(list(left_out))
    return f" (without {names}, judged on too few tasks)" if left_out else ""


def _range_of_success(study: Study, question: Question) -> str:
    """Return the highest and the lowest share passed, with whose it is, of how many runs; empty where fewer than two
    configurations are judged on enough tasks, or all are alike."""
    judged = []
    for values, runs in study.covered.items():
        name = study.names[values]
        figures_of_runs = success(runs, question)
        if figures_of_runs.rate is not None and name not in study.not_covered:
            judged.append((figures_of_runs.rate, label(name), figures_of_runs))
    if len({rate for rate, _, _ in judged}) < 2:
        return ""
    judged.sort(key=lambda row: row[0])
    (_, worst, least), (_, best, most) = judged[0], judged[-1]
    return (
        f": {best} passed {most.passed} of {figures.plural(most.judged, 'run')}, "
        f"{worst} {least.passed} of {least.judged}"
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
        f"on {figures.plural(len(tasks), 'task')}{_range_of_success(study, question)}."
    )
    blocks: list[BlockView] = []
    for table in tables(study, question).values():
        blocks.append(block_of(study, table, corrected or {}))
        if table.name.startswith("reference-") and not table.part_head:
            blocks.append(_reference_block(study, table))
        if table.name == "excluded":
            blocks.append(_excluded_block(study))
    if split_by := study.config.leaderboard.split_by:
        blocks.insert(1, _tasks_block(study, split_by))
    factors = tuple((factor.name, factor.role, factor.reason) for factor in study.factors)
    view = View(lead=lead, factors=factors, blocks=tuple(blocks), effects=effects)
    about = "Configurations by property of tasks, verdict and observation."
    return Page(PATH, "study.html.jinja", "Study", about, "study", view)


def _tasks_block(study: Study, name: str) -> BlockView:
    """Return the table of the tasks and runs of each group by a property of tasks."""
    rows = []
    for group, within in _parts(study, name).items():
        runs = list(study.matching(study.covered_runs, within))
        tasks = {run.task for run in runs if run.task}
        cells = (
            CellView(figures.count(len(tasks))),
            CellView(figures.count(len(runs)), href=runs_with(within)),
            CellView(figures.count(sum(map(is_judged, runs)))),
        )
        rows.append(DrawnRowView(group, cells))
    heads = tuple(map(HeadView, (figures.as_title(name), "Tasks", "Runs", "Judged runs")))
    heading = f"Tasks by {figures.in_words(name)}"
    return BlockView(f"tasks-by-{slug(name)}", heading, "", heads, tuple(rows))


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
    note = counted.note
    kind, _, by = counted.name.partition("-by-")
    if kind in ("success", "verdicts") and by:
        note = f"{_order(study, by, corrected.get(by))}{note}"
    rows = []
    for part, values, runs in counted.rows(study):
        within = {**_filter_of_configuration(runs), **counted.parts[part]}
        row = counted.row(study, study.names[values], runs, within)
        cells = (*row.cells, *(write(runs) for write in counted.further.values()))
        row = replace(row, cells=cells, part=part)
        rows.append(_lead_to_page(row, runs))
    if counted.name.startswith("observations-"):
        rows += _rows_of_quadrants(study, counted)
        rows.sort(key=lambda row: list(counted.parts).index(row.part))
    name = _id(counted.name)
    heads = (HeadView("Configuration"), *_heads(counted))
    block = BlockView(name, counted.heading, note, heads, tuple(rows), links_of(name))
    return replace(block, folded=_left_out(study)) if counted.name == CONFIGURATIONS else block


def _heads(counted: Counted) -> Iterator[HeadView]:
    """Yield the heads of the figures of a table."""
    is_drawn = not counted.has_bars and len(counted.shown) <= MAX_DRAWN
    for place, key in enumerate(counted.shown):
        text = figures.as_title(key) if counted.head == "verdict" else key
        yield HeadView(text, _colour(place) if counted.has_bars else "", is_drawn)
    for key in counted.further:
        yield HeadView(figures.as_title(key), is_drawn=key == "Success")


def _rows_of_quadrants(study: Study, counted: Counted) -> Iterator[DrawnRowView]:
    """Yield the counts of all runs of each quadrant."""
    quadrants = study.config.quadrants.names if study.config.quadrants else ()
    for (part, chosen), quadrant in product(counted.parts.items(), quadrants):
        within: Filter = {"quadrant": [quadrant], **chosen}
        row = counted.row(study, quadrant, list(study.matching(study.covered_runs, within)), within)
        if row.bar:
            yield replace(row, part=part)


def _left_out(study: Study) -> tuple[LinkView, ...]:
    """Return the configurations without a judged or lost run, with links to their runs, behind a text that counts them."""
    if not study.left_out:
        return ()
    links = [LinkView("", study.left_out)]
    for values, runs in study.configurations.items():
        if values not in study.covered:
            text = f"{study.names[values]}: {figures.plural(len(runs), 'run')}"
            links.append(LinkView(runs_with(_filter_of_configuration(runs)), text))
    return tuple(links)


def _lead_to_page(row: DrawnRowView, runs: Sequence[Entry]) -> DrawnRowView:
    """Return the row of a configuration with a link to its page, where it has a name."""
    name = _name_of(runs)
    if name is None:
        return row
    return replace(row, href=group_path(dimension_of(runs).value, name), slug=model_class(name))


def _reference_block(study: Study, counted: Counted) -> BlockView:
    """Return how the runs of each task compare with their reference, by configuration."""
    score = counted.name.removeprefix("reference-")
    scored = [
        run for run in study.covered_runs if run.task and study.relative(run, score) is not None
    ]
    runs = by_key(scored, lambda run: (run.task, study.configuration(run)))
    configured = {values for _, values in runs}
    known = [values for values in study.covered if values in configured]
    tasks = sorted({run.task or "" for run in scored}, key=natural_order)
    rows = []
    for task in tasks:
        cells = (_bands_of_task(study, score, runs.get((task, values), ())) for values in known)
        rows.append(DrawnRowView(task, tuple(cells), group_path("task", task)))
    heads = tuple(map(HeadView, ("Task", *(study.names[values] for values in known))))
    note = "Relative to the reference (computed), with the bands of the runs. "
    note += f"{figures.plural(len(tasks), 'task')} with a score."
    name = _id(f"{counted.name}-tasks")
    return BlockView(name, f"{counted.heading} by task", note, heads, tuple(rows))


def _excluded_block(study: Study) -> BlockView:
    rows = []
    for run in study.entries:
        reason = study.excluded(run)
        if reason is not None:
            rows.append(DrawnRowView(run.name, (CellView(reason),), run_path(run.id)))
    heads = (HeadView("Run"), HeadView("Reason"))
    return BlockView("excluded-runs", "Excluded runs", "", heads, tuple(rows))


def _gaps(config: Config) -> list[tuple[str, str]]:
    """Return the pairs of verdicts whose difference is shown: those of the quadrants, each minus a verdict that needs
    both; else the second minus the first."""
    if not config.quadrants:
        return []
    first, second = config.quadrants.of
    for name, rule in config.verdicts.items():
        if {first, second} == {*rule.all}:
            return [(first, name), (second, name)]
    return [(second, first)]


def _gap(study: Study, first: str, second: str, runs: Iterable[Entry]) -> CellView:
    """Return the difference of two verdicts in points, over the runs that have both; each task weighs the same."""
    by_task = _by_both(study, first, second, runs)
    if not by_task:
        return CellView(figures.UNKNOWN, "no run with both")
    rates = []
    for verdicts in by_task.values():
        passed, other_passed = zip(*verdicts, strict=True)
        rates.append((fmean(passed), fmean(other_passed)))
    note = f"{sum(map(len, by_task.values()))} with both"
    if between := paired_shares(rates).difference:
        note += f", {figures.points(between.low)} to {figures.points(between.high)}"
    gap = fmean(other - rate for rate, other in rates)
    return CellView(f"{figures.points(gap)} points", note)


def _times_better(study: Study, score: str, runs: Iterable[Entry]) -> tuple[str, int]:
    """Return how many times better than their reference runs are, as the geometric mean of tasks; and the number of
    tasks that it rests on."""
    by_task: dict[str, list[float]] = {}
    for run in runs:
        times = study.relative(run, score)
        if times is not None:
            by_task.setdefault(run.task or run.id, []).append(math.log(times))
    if not by_task:
        return figures.UNKNOWN, 0
    return figures.score(math.exp(fmean(map(fmean, by_task.values()))), "x"), len(by_task)


def _relative(study: Study, score: str, runs: Sequence[Entry]) -> CellView:
    """Return how the runs of a configuration compare with their references."""
    times, tasks = _times_better(study, score, runs)
    return CellView(times, figures.plural(tasks, "task") if tasks else "no score with a reference")


def _bands_of_task(study: Study, score: str, runs: Sequence[Entry]) -> CellView:
    """Return how runs of one task compare with its reference, with their bands."""
    times, _ = _times_better(study, score, runs)
    bands = Counter(study.band(run, score) for run in runs)
    if len(runs) == 1:
        return CellView(times, next(iter(bands)))
    listed = [f"{bands[band]} {band}" for band in _BANDS if bands[band]]
    return CellView(times, ", ".join(listed))
