"""The words of the trends page about figures and days."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sitegen import figures
from sitegen.figures import sentence_list
from sitegen.numbers.comparison import Effect
from sitegen.numbers.statistics import Measure, ScoreMeasure
from sitegen.numbers.trends import (
    RECENT,
    Alert,
    Count,
    MeasureTrend,
    TaskTrend,
    TaskVerdict,
    Trends,
    recounted_at,
)
from sitegen.numbers.wording import Claim, in_letters, say, value

_LISTED = 3


def day(iso: str, *, with_year: bool = False) -> str:
    """Return a day as in 18 Nov."""
    on = date.fromisoformat(iso)
    return f"{on.day} {figures.MONTHS[on.month - 1][:3]}" + (f" {on.year}" if with_year else "")


def apart(measure: str, *two: float) -> list[str]:
    """Return two figures that differ as text that differs."""
    said = [value(measure, number) for number in two]
    if said[0] != said[1]:
        return said
    exact: Callable[[float], str] = figures.money_exact if measure == "cost" else "{:,.6g}".format
    return [f"{100 * each:,.6g}%" if measure == "success" else exact(each) for each in two]


def measure_name(measure: str) -> str:
    """Return what a measure is called in a sentence."""
    return measure.removeprefix("score.")


def heading(trends: Trends) -> str:
    """Return the finding of the page."""
    campaigns = trends.campaigns
    several = len(trends.campaigns) != 1
    counted = f"{in_letters(len(campaigns)).capitalize()} campaign{'s' if several else ''}"
    if not several:
        return f"{counted}: nothing to compare with yet"
    since = f"{counted} since {day(campaigns[0].day, with_year=True)}"
    if trends.are_apart:
        return f"{since}, and nothing in them to compare"
    found = [_moved(each, each.last) for each in trends.measures if each.last]
    for verdict in (TaskVerdict.NEWLY_FAILS, TaskVerdict.NEWLY_PASSES):
        own = [each for each in trends.tasks if each.verdict is verdict]
        if own:
            verb = verdict.value if len(own) == 1 else verdict.value.removesuffix("s")
            found.append(
                f"{own[0].task if len(own) == 1 else f'{in_letters(len(own))} tasks'} {verb}"
            )
    other = sum(each.is_new for each in trends.tasks) - sum(
        each.verdict in _NEWLY for each in trends.tasks
    )
    if other:
        found.append(f"{in_letters(other)} task{'s' if other > 1 else ''} changed")
    new = "a new" if any(each.last for each in trends.tasks) else "an"
    return (
        f"{since}: {sentence_list(found[:_LISTED])}" if found else f"{since}, without {new} alert"
    )


_NEWLY = (TaskVerdict.NEWLY_FAILS, TaskVerdict.NEWLY_PASSES)


def _moved(each: MeasureTrend, alert: Alert) -> str:
    measures = {"success": Measure.SUCCESS, "cost": Measure.COST}
    measure = measures.get(each.measure, ScoreMeasure(measure_name(each.measure)))
    effect = Effect.HIGHER if alert.means[1] > alert.means[0] else Effect.LOWER
    return say(
        [Claim(measure, "before", each.model, each.tasks, None, None, effect, is_ratio=False)]
    )


def lead(trends: Trends, until: str = "") -> str:
    """Return what the last campaigns announce, and what is not clear yet; `until` says up to which these go."""
    until = until and f" {until}"
    if len(trends.campaigns) == 1:
        return "This is the first campaign. The next one will be compared with it."
    if trends.are_apart:
        return "No two campaigns have runs of the same task and model. Runs without a task or a model are not compared."
    said = [
        f"{measured(each, each.last)} {_since(trends, each.last)}"
        for each in trends.measures
        if each.is_new
    ]
    tasks = [(each, f"({each.model}): {counts(trends, each)}") for each in trends.tasks]
    said += [f"{each.task} {each.verdict} {rest}" for each, rest in tasks if each.is_new]
    open_ = [f"{each.task} {rest}" for each, rest in tasks if each.may_be_new and not each.is_new]
    of = f"Alerts of the last {in_letters(RECENT)} campaigns{until}"
    alerts = f"{of}: {_listed(said)}." if said else f"No new alert{until}."
    old = [
        f"{each.task} {rest}"
        for each, rest in tasks
        if each.verdict is TaskVerdict.FAILS and each.last and not each.may_be_new
    ]
    alerts += f" Still failing: {_listed(old)}." if old else ""
    return f"{alerts} Not clear yet: {_listed(open_)}." if open_ else alerts


@dataclass(frozen=True, slots=True)
class AlertLine:
    """An alert that holds with the newest campaign, for the terminal, summaries and programs."""

    measure: str
    """"success" of a task, or the measure of all shared tasks: "success", "cost" or "score.<name>"."""
    task: str | None
    model: str
    verdict: str
    """A `TaskVerdict` of a task, else "rose" or "fell"."""
    since: str
    """The name of the first campaign after the change."""
    clear_since: str
    """The name of the campaign with which the change was clear."""
    text: str


def alert_lines(trends: Trends) -> Iterator[AlertLine]:
    """Yield the alerts that hold with the newest campaign: new ones, and of tasks that have failed since."""
    names = [campaign.name for campaign in trends.campaigns]
    for task in trends.tasks:
        alert = task.last
        if alert and (task.is_failing or (task.is_new and task.split is None)):
            when = f"clear since {named(trends, alert.detected)}"
            text = f"{task.task} ({task.model}) {task.verdict}: {counts(trends, task)}, {when}"
            since = names[alert.since]
            clear_since = names[alert.detected]
            yield AlertLine(
                "success", task.task, task.model, task.verdict.value, since, clear_since, text
            )
    for measure in trends.measures:
        alert = measure.last
        if alert and measure.is_new:
            before, after = alert.means
            verdict = "rose" if after > before else "fell"
            text = f"{measured(measure, alert)} {_since(trends, alert)}"
            since = names[alert.since]
            clear_since = names[alert.detected]
            yield AlertLine(measure.measure, None, measure.model, verdict, since, clear_since, text)


def recounted(trends: Trends) -> str:
    """Return which measures are counted by other rules since one of the campaigns; empty where none is."""
    positions = {measure: recounted_at(trends.campaigns, measure) for measure in _RULED}
    changed = {measure: at[-1] for measure, at in positions.items() if at}
    if not changed:
        return ""
    names = sentence_list([_RULED[measure] for measure in changed])
    verb, them = ("is", "it is") if len(changed) == 1 else ("are", "they are")
    since = named(trends, max(changed.values()))
    return (
        f"{figures.capitalized(names)} {verb} counted by other rules since {since}, so {them} not compared with earlier campaigns; "
        "CHANGELOG.md says what changed."
    )


_RULED = {"success": "success", "cost": "cost", "score": "scores"}


def _listed(said: Sequence[str]) -> str:
    return "; ".join([*said[:8], f"{in_letters(len(said) - 8)} more"] if len(said) > 8 else said)


def _since(trends: Trends, alert: Alert | None) -> str:
    """Since when, and when that was clear."""
    if alert is None:
        return ""
    since, clear = (named(trends, at) for at in (alert.since, alert.detected))
    return f"since {since}, clear since {clear}" if since != clear else f"since {since}"


def named(trends: Trends, at: int) -> str:
    """Return a campaign in a sentence: its day where that is its name."""
    each = trends.campaigns[at]
    return day(each.day) if each.name == each.day else each.name


def dated(trends: Trends, at: int) -> str:
    """Return a campaign with its day."""
    name = named(trends, at)
    on = day(trends.campaigns[at].day)
    return name if name == on else f"{name} ({on})"


def measured(each: MeasureTrend, alert: Alert | None) -> str:
    """Return how a measure moved with an alert."""
    before, after = (
        (each.about + mean for mean in apart(each.measure, *alert.means)) if alert else ("", "")
    )
    what = {"success": "success", "cost": "mean cost"}.get(each.measure, measure_name(each.measure))
    return f"{what} of {each.model} went from {before} to {after}"


def counts(trends: Trends, each: TaskTrend) -> str:
    """Return what happened to a task: "0 of 9 since 4 Dec, 8 of 9 before"."""
    now = each.now
    before = each.before
    if each.since is None or before is None:
        return _count(now)
    return f"{_count(now)} since {named(trends, each.since)}, {_count(before)} before"


def _count(each: Count) -> str:
    return f"{figures.count(each.passed)} of {figures.count(each.judged)}"


def chart_heading(trends: Trends, measure: str, lines: Sequence[MeasureTrend]) -> str:
    """Return the finding of a chart."""
    moved = [each for each in lines if each.last]
    if moved:
        return figures.capitalized(
            sentence_list(
                [f"{measured(each, each.last)} {_since(trends, each.last)}" for each in moved]
            )
        )
    return figures.capitalized(measure_name(measure))


def chart_note(measure: str, lines: Sequence[MeasureTrend]) -> str:
    """Return what a chart shows."""
    known = {"success": "Share of judged runs that passed"}
    known["cost"] = "Mean cost of a run (at list price where it reports none)"
    what = known.get(measure, f"Mean {measure_name(measure)} of a run")
    drawn = [point.interval is not None for each in lines for point in each.points if point]
    ends = (
        ", 95% intervals" + ("" if all(drawn) else " where enough tasks are known")
        if any(drawn)
        else ""
    )
    shared = {each.tasks for each in lines}
    if shared == {0}:
        return f"{what}{ends}. The campaigns share no task, so they are not compared"
    if 0 in shared:
        return f"{what} on the tasks that all campaigns share, where they share any{ends}"
    counts = sorted(shared)
    tasks = (
        figures.plural(counts[0], "task")
        if len(counts) == 1
        else f"{counts[0]} to {counts[-1]} tasks"
    )
    return f"{what} on the {tasks} that all campaigns share{ends}"


def certainty(trends: Trends, each: TaskTrend) -> str:
    """Return how sure what is said of a task is; empty where nothing looks different."""
    said = []
    if each.split is not None:
        said.append("too few attempts to be sure")
    elif each.last:
        said.append(f"clear since {named(trends, each.last.detected)}")
    if each.anew is not None:
        said.append(f"another prompt since {named(trends, each.anew)}")
    return "; ".join(said)


def role(each: TaskTrend) -> str:
    """Return the CSS class of a verdict: by the share of runs that pass now."""
    now = each.now
    return "" if not now.judged else {0.0: "fail", 1.0: "pass"}.get(now.rate, "part")
