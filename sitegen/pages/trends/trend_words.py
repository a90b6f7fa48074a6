"""The words of the trends page about figures and days."""

from collections.abc import Iterator, Sequence
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
from sitegen.numbers.wording import Claim, in_letters, say, tasks, value

_LISTED = 3


def day(iso: str, *, with_year: bool = False) -> str:
    """Return a day as in 18 Nov."""
    on = date.fromisoformat(iso)
    text = f"{on.day} {figures.MONTHS[on.month - 1][:3]}"
    return f"{text} {on.year}" if with_year else text


def apart(measure: str, *figures_apart: float) -> list[str]:
    """Return two figures that differ as text that differs."""
    texts = [value(measure, number) for number in figures_apart]
    if texts[0] != texts[1]:
        return texts
    if measure == "success":
        return [f"{100 * share:,.6g}%" for share in figures_apart]
    write = figures.money_exact if measure == "cost" else "{:,.6g}".format
    return [write(number) for number in figures_apart]


def measure_name(measure: str) -> str:
    """Return what a measure is called in a sentence."""
    return measure.removeprefix("score.")


def heading(trends: Trends) -> str:
    """Return the finding of the page."""
    campaigns = trends.campaigns
    if len(campaigns) == 1:
        return "One campaign: nothing to compare with yet"
    counted = f"{in_letters(len(campaigns)).capitalize()} campaigns"
    since = f"{counted} since {day(campaigns[0].day, with_year=True)}"
    if trends.are_apart:
        return f"{since}, and nothing in them to compare"
    changes = [_moved(trend, trend.last) for trend in trends.measures if trend.last]
    changed = [trend for trend in trends.tasks if trend.is_new]
    for verdict in _SAID_OF_SEVERAL:
        names = [trend.task for trend in trends.tasks if trend.verdict is verdict]
        changed = [trend for trend in changed if trend.verdict is not verdict]
        if len(names) == 1:
            changes.append(f"{names[0]} {verdict}")
        elif names:
            changes.append(f"{in_letters(len(names))} tasks {_SAID_OF_SEVERAL[verdict]}")
    if changed:
        changes.append(f"{tasks(len(changed))} changed")
    if changes:
        return f"{since}: {sentence_list(changes[:_LISTED])}"
    has_old = any(trend.last for trend in trends.tasks)
    return f"{since}, without {'a new' if has_old else 'an'} alert"


_SAID_OF_SEVERAL = {TaskVerdict.NEWLY_FAILS: "newly fail", TaskVerdict.NEWLY_PASSES: "newly pass"}


def _moved(trend: MeasureTrend, alert: Alert) -> str:
    measures = {"success": Measure.SUCCESS, "cost": Measure.COST}
    measure = measures.get(trend.measure, ScoreMeasure(measure_name(trend.measure)))
    before, after = alert.means
    effect = Effect.HIGHER if after > before else Effect.LOWER
    return say([Claim(measure, "before", trend.model, trend.tasks, None, None, effect, False)])


def lead(trends: Trends, until: str = "") -> str:
    """Return what the last campaigns announce, and what is not clear yet; `until` says up to which these go."""
    until = until and f" {until}"
    if len(trends.campaigns) == 1:
        return "This is the first campaign. The next one will be compared with it."
    if trends.are_apart:
        return "No two campaigns have runs of the same task and model. Runs without a task or a model are not compared."
    alerts = [_moved_since(trends, trend) for trend in trends.measures if trend.is_new]
    failing = []
    unclear = []
    for trend in trends.tasks:
        rest = f"({trend.model}): {counts(trends, trend)}"
        if trend.is_new:
            alerts.append(f"{trend.task} {trend.verdict} {rest}")
        elif trend.may_be_new:
            unclear.append(f"{trend.task} {rest}")
        elif trend.last and trend.verdict is TaskVerdict.FAILS:
            failing.append(f"{trend.task} {rest}")
    sentences = [f"No new alert{until}."]
    if alerts:
        last = f"Alerts of the last {in_letters(RECENT)} campaigns{until}"
        sentences = [f"{last}: {_listed(alerts)}."]
    if failing:
        sentences.append(f"Still failing: {_listed(failing)}.")
    if unclear:
        sentences.append(f"Not clear yet: {_listed(unclear)}.")
    return " ".join(sentences)


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
    for task in trends.tasks:
        alert = task.last
        if alert and (task.is_failing or (task.is_new and task.split is None)):
            when = f"clear since {named(trends, alert.detected)}"
            text = f"{task.task} ({task.model}) {task.verdict}: {counts(trends, task)}, {when}"
            verdict = task.verdict.value
            yield _alert_line(trends, alert, ("success", task.task, task.model, verdict), text)
    for measure in trends.measures:
        alert = measure.last
        if alert and measure.is_new:
            before, after = alert.means
            verdict = "rose" if after > before else "fell"
            text = _moved_since(trends, measure)
            yield _alert_line(trends, alert, (measure.measure, None, measure.model, verdict), text)


def _alert_line(
    trends: Trends, alert: Alert, subject: tuple[str, str | None, str, str], text: str
) -> AlertLine:
    since = trends.campaigns[alert.since].name
    return AlertLine(*subject, since, trends.campaigns[alert.detected].name, text)


def recounted(trends: Trends) -> str:
    """Return which measures are counted by other rules since one of the campaigns; empty where none is."""
    names = []
    newest = 0
    for measure, name in _RULED.items():
        positions = recounted_at(trends.campaigns, measure)
        if positions:
            names.append(name)
            newest = max(newest, positions[-1])
    if not names:
        return ""
    rules = f"Counted by other rules since {named(trends, newest)}: {sentence_list(names)}"
    return f"{rules}. Earlier campaigns are not compared in this; CHANGELOG.md says what changed."


_RULED = {"success": "success", "cost": "cost", "score": "scores"}


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - 8
    return "; ".join([*texts[:8], f"{in_letters(more)} more"] if more > 0 else texts)


def _moved_since(trends: Trends, trend: MeasureTrend) -> str:
    """Return how a measure moved, since when, and when that was clear."""
    alert = trend.last
    if alert is None:
        return ""
    since = named(trends, alert.since)
    clear = named(trends, alert.detected)
    when = f"since {since}" if since == clear else f"since {since}, clear since {clear}"
    return f"{measured(trend, alert)} {when}"


def named(trends: Trends, position: int) -> str:
    """Return a campaign in a sentence: its day where that is its name."""
    campaign = trends.campaigns[position]
    return day(campaign.day) if campaign.name == campaign.day else campaign.name


def dated(trends: Trends, position: int) -> str:
    """Return a campaign with its day."""
    name = named(trends, position)
    its_day = day(trends.campaigns[position].day)
    return name if name == its_day else f"{name} ({its_day})"


def measured(trend: MeasureTrend, alert: Alert) -> str:
    """Return how a measure moved with an alert."""
    before, after = apart(trend.measure, *alert.means)
    names = {"success": "success", "cost": "mean cost"}
    name = names.get(trend.measure, measure_name(trend.measure))
    return f"{name} of {trend.model} went from {trend.about}{before} to {trend.about}{after}"


def counts(trends: Trends, task: TaskTrend) -> str:
    """Return what happened to a task: "0 of 9 since 4 Dec, 8 of 9 before"."""
    if task.since is None or task.before is None:
        return passed_of(task.now)
    since = named(trends, task.since)
    return f"{passed_of(task.now)} since {since}, {passed_of(task.before)} before"


def passed_of(count: Count) -> str:
    """Return `8 of 9`."""
    return f"{figures.count(count.passed)} of {figures.count(count.judged)}"


def chart_heading(trends: Trends, measure: str, lines: Sequence[MeasureTrend]) -> str:
    """Return the finding of a chart."""
    moved = [_moved_since(trends, trend) for trend in lines if trend.last]
    return figures.capitalized(sentence_list(moved) if moved else measure_name(measure))


def chart_note(measure: str, lines: Sequence[MeasureTrend]) -> str:
    """Return what a chart shows."""
    known = {"success": "Share of judged runs that passed"}
    known["cost"] = "Mean cost of a run (at list price where it reports none)"
    what = known.get(measure, f"Mean {measure_name(measure)} of a run")
    drawn = [point.interval for trend in lines for point in trend.points if point]
    ends = ""
    if any(drawn):
        ends = ", 95% intervals" if all(drawn) else ", 95% intervals where enough tasks are known"
    shared = sorted({trend.tasks for trend in lines})
    fewest = shared[0]
    most = shared[-1]
    if most == 0:
        return f"{what}{ends}. The campaigns share no task, so they are not compared"
    if fewest == 0:
        return f"{what} on the tasks that all campaigns share, where they share any{ends}"
    number = "one task" if most == 1 else figures.plural(most, "task")
    if fewest < most:
        number = f"{fewest} to {number}"
    return f"{what} on the {number} that all campaigns share{ends}"


def certainty(trends: Trends, task: TaskTrend) -> str:
    """Return how sure what is said of a task is; empty where nothing looks different."""
    notes = []
    if task.split is not None:
        notes.append("too few attempts to be sure")
    elif task.last:
        notes.append(f"clear since {named(trends, task.last.detected)}")
    if task.anew is not None:
        notes.append(f"another prompt since {named(trends, task.anew)}")
    return "; ".join(notes)


def role(task: TaskTrend) -> str:
    """Return the CSS class of a verdict: by the share of runs that pass now."""
    now = task.now
    return "" if not now.judged else {0.0: "fail", 1.0: "pass"}.get(now.rate, "part")
