"""The view of one run's page, made from the facts of that run alone.

Nothing here may depend on other runs except the two neighbours: rank, share and chains belong to other pages,
or every new run would rewrite every page.
"""

from collections.abc import Callable, Iterator
from functools import partial

from sitegen import figures
from sitegen.fields import RunFacts, fields_of, score_key
from sitegen.figures import UNKNOWN, outcome_view, sentence_list, status_view
from sitegen.html.highlight import highlight
from sitegen.html.render import Page, View
from sitegen.model import Entry, Level, Run, Status, Tokens
from sitegen.numbers.pricing import PriceCheck
from sitegen.pages import views
from sitegen.pages.run import money
from sitegen.pages.table.rows import rows_paths
from sitegen.pages.table.series import state_of
from sitegen.pages.views import (
    FactView,
    FigureView,
    LinkView,
    RowView,
    group_path,
    run_link,
    runs_with,
    score_text,
    subtitle,
)
from sitegen.readers.common.fields import tools_in
from sitegen.readers.common.patches import Patch
from sitegen.text.names import NO_MODEL, run_path


def run_view(
    entry: Entry, check: PriceCheck, previous: Entry | None, following: Entry | None
) -> View:
    """Return what the page of `entry` shows."""
    run = entry.run
    facts = RunFacts.of(entry, check)
    tokens = facts.tokens
    summed = run.ledger_cost_usd
    agrees = run.sums_agree
    figure_views = _figures(run, tokens, _cost_note(run, agrees, summed))
    are_known = any(figure.value != UNKNOWN for figure in figure_views)
    ledger = map(partial(money.ledger_row, summed), entry.ledger_names, run.ledger)
    attempts = None
    if entry.task:
        attempts = next(rows_paths(group_path("task", entry.task)[:-5] + ".rows", 1))
    no_account = "No final message."
    if entry.source.level is Level.NONE:
        no_account = "What agents say is not published (steps: none)."
    return View(
        name=entry.name,
        # The beginning of its account, where its name does not tell it apart; None where its task is known.
        title=None if entry.task else subtitle(entry),
        # The claim that it makes in a field, beside what the record and the verdict say.
        claim=_claim(entry),
        status=status_view(run.status, run.status_detail),
        outcome=outcome_view(entry.outcome) if entry.outcome else None,
        # The verdicts of the settings and what was observed, each with the runs that have the same.
        verdicts=tuple(_verdicts(facts)),
        scores=tuple(map(score_text, entry.scores)),
        # The note of whoever judged it.
        note=entry.note,
        # Its agent, model, task, campaign and labels, with a link to the page of each that has one.
        groups=tuple(_groups(entry)),
        # The script with all runs of its task, of which its page shows the other attempts; None without a task.
        attempts=attempts,
        permalink=run_path(entry.id),
        previous=run_link(previous) if previous else None,
        next=run_link(following) if following else None,
        # Nothing where none is known, since the page says so in a sentence.
        figures=figure_views if are_known else (),
        caveats=run.caveats,
        ending=_ending(run),
        denials=run.denials,
        money=money.money_view(entry, check, tokens),
        no_money=money.no_money(entry, check, tokens),
        ledger=tuple(ledger) if _has_figures(run) else (),
        # What its judges used, which is in no figure above: a sentence, and a row for each model.
        judge_note=money.judge_note(run),
        judges=tuple(map(money.judge_row, run.judge)),
        ledger_sum=money.ledger_cells(tokens, summed, "100.0" if summed else "", run.token_gaps),
        reported=figures.fixed(run.cost_usd, money.LEDGER_DECIMALS),
        agrees=agrees,
        list_price=money.list_price(entry, check),
        remarks=money.cost_remarks(entry, check),
        facts=_facts(facts),
        no_account=no_account,
        source=_source(entry),
    )


def _verdicts(facts: RunFacts) -> Iterator[View]:
    """Yield the verdicts on a run and their reasons, in the order of their fields."""
    for field in fields_of([facts.entry]):
        if field.page == "verdict":
            value = str(field.value(facts))
            href = runs_with({field.key: [value]})
            title = field.title if field.name == field.key else figures.in_words(field.name)
            yield View(title=title, state=state_of(field, value), text=value, href=href)


def _groups(entry: Entry) -> Iterator[LinkView]:
    """Yield the groups that the run is in, by its own facts; those without a page have no address."""
    model = entry.model
    others = [name for name in entry.models if name != model]
    configuration = entry.configuration
    yield LinkView(group_path("configuration", configuration) if configuration else "", entry.agent)
    yield LinkView(group_path("model", model) if model else "", model or NO_MODEL)
    if others:
        yield LinkView("", f"also {sentence_list(others)}")
    groups = [("task", entry.task), ("campaign", entry.campaign)]
    groups += [("label", label) for label in dict.fromkeys(entry.labels)]
    for dimension, name in groups:
        if name:
            yield LinkView(group_path(dimension, name), name)


def _figures(run: Run, tokens: Tokens, cost_note: str) -> tuple[FigureView, ...]:
    return (
        FigureView(
            "Cost",
            figures.money(run.cost_usd),
            cost_note,
            *_exact(run.cost_usd, figures.money_exact),
            lower_bound=run.cost_usd is not None and run.cost_is_lower_bound,
        ),
        _time(run),
        _tokens(run, tokens),
        _cache_hits(tokens),
    )


def _time(run: Run) -> FigureView:
    turns = "turns not reported" if run.turns is None else figures.plural(run.turns, "turn")
    if run.wall_ms is None:
        return FigureView("Time", figures.duration(None), turns)
    if run.wall_ms and run.turns:
        turns += f", {figures.duration(run.wall_ms / run.turns)} each"
    iso = figures.iso_duration(run.wall_ms)
    exact = f"{figures.count(run.wall_ms)} ms"
    return FigureView("Time", figures.duration(run.wall_ms), turns, exact, datetime=iso)


def _tokens(run: Run, tokens: Tokens) -> FigureView:
    total = tokens.total
    is_bound = total is not None and not run.is_total_exact
    note = f"{figures.count_short(tokens.output)} of them output" if total else ""
    if run.ledger_is_lower_bound and is_bound:
        note = "a lower bound"
    if tokens.unsplit:
        note = "a lower bound: without cached input"
    exact = _exact(total, figures.count)
    return FigureView("Tokens", figures.count_short(total), note, *exact, lower_bound=is_bound)


def _cache_hits(tokens: Tokens) -> FigureView:
    sent = tokens.sent
    if not sent or None in (tokens.input, tokens.cache_write, tokens.cache_read):
        return FigureView("Cache hits", UNKNOWN, "")
    share = figures.percent(tokens.cache_read, sent)
    return FigureView("Cache hits", share, f"of {figures.count_short(sent)} tokens sent")


def _cost_note(run: Run, agrees: bool | None, summed: float | None) -> str:
    if run.cost_usd is None:
        reported = run.reported_cost_usd
        note = f"the file reports {'none' if reported is None else figures.money(reported)}"
        if run.spent_usd is None:
            return note + money.no_list_price(run)
        if run.cost_is_lower_bound:
            return f"{note}; at least {figures.money(run.spent_usd)} at list prices"
        return f"{note}; at list price {figures.cost(run, '')}"
    if run.cost_is_estimated:
        return "estimated by the agent, which knows no price of a model"
    if agrees:
        return "matches the per-model total"
    if summed is None:
        return "as reported; the file does not split it by model"
    if agrees is None:
        return f"as reported; the file splits {figures.money(summed)} of it by model"
    return f"as reported; its models sum to {figures.money(summed)}"


_RECORDS = {
    "none": "the record has no known test command",
    "unchecked": "in the record, no test passed after the last edit",
    "passed": "in the record, tests passed after the last edit",
}


def _has_figures(run: Run) -> bool:
    """Return whether its ledger says more than who worked."""
    return any(line.cost_usd is not None or line.tokens.total is not None for line in run.ledger)


def _exact(
    value: float | None, write: Callable[[float | None], str]
) -> tuple[str | None, str | None]:
    """Return a figure in full, for the tooltip, and bare, for programs."""
    return (None, None) if value is None else (write(value), repr(value))


def _claim(entry: Entry) -> str | None:
    if entry.claimed is None:
        return None
    claim = "it did the task" if entry.claimed else "it did not do the task"
    tests = entry.run.steps.tests if entry.run.steps else None
    record = _RECORDS.get(tests or "", "the record does not say whether tests ran")
    verdict = "nobody judged it"
    if entry.outcome:
        verdict = f"the verdict is “{outcome_view(entry.outcome).word}”"
    scores = f" ({', '.join(map(score_text, entry.scores))})" if entry.scores else ""
    return f"It states that {claim}; {verdict}{scores}, and {record}."


def _ending(run: Run) -> str | None:
    """Return how the end of a run is counted, where that is not plain from its status."""
    why = f" ({run.status_detail})" if run.status_detail else ""
    match run.status:
        case Status.FAILED | Status.STOPPED if run.parts and run.parts[-1].status is Status.OK:
            parts = f"A part of this session did not finish{why}; the last one did"
            return f"{parts}. It is counted as {run.status.value} because of that part."
        case Status.STOPPED:
            outside = "This run was stopped from outside (usage limit, API error)"
            return f"{outside}: it is counted as stopped, not as failed. Its cost counts."
        case Status.FAILED:
            return (
                f"The run ended without finishing{why}: it is counted as failed. Its cost counts."
            )
        case Status.INTERRUPTED if any(caveat.code == "W_NO_RESULT" for caveat in run.caveats):
            return None  # the caveat says it
        case Status.INTERRUPTED if run.spent_usd is None and run.tokens.total is None:
            unknown = "cost, tokens and time" if run.wall_ms is None else "cost and tokens"
            return f"The recording ends before a result, so {unknown} are unknown."
        case Status.INTERRUPTED:
            return "The run was interrupted. What it used until then counts."
        case Status.UNKNOWN:
            return "The file does not say how the run ended."
        case _:
            return None


def _facts(known: RunFacts) -> tuple[FactView, ...]:
    entry = known.entry
    run = known.run
    is_overlapped = run.api_ms is not None and run.wall_ms is not None and run.api_ms > run.wall_ms
    per_turn = ""
    if run.cost_usd and run.turns:
        per_turn = f"{figures.money(run.cost_usd / run.turns)} each"
    web = UNKNOWN
    if run.web_searches is not None or run.web_fetches is not None:
        web = f"{figures.count(run.web_searches)}, {figures.count(run.web_fetches)}"
    note = "calls overlapped" if is_overlapped else ""
    facts = (
        FactView("Wall time", figures.duration(run.wall_ms)),
        FactView("Time in the API", figures.duration(run.api_ms), note),
        FactView("Turns", figures.count(run.turns), per_turn),
        _cache_writes(known.tokens),
        FactView("Web searches and fetches", web),
        FactView("Permission denials", "none" if run.denials == 0 else figures.count(run.denials)),
        FactView("Service tier", run.service_tier or UNKNOWN),
        FactView("Started", figures.utc(entry.started_at)),
        FactView("Attempt", figures.count(entry.attempt)),
        *_further_facts(known),
        FactView("Agent version", run.agent_version or UNKNOWN),
        *map(_given, run.given),
    )
    unknown = [_in_sentence(fact.label) for fact in facts if fact.value == UNKNOWN]
    shown = tuple(fact for fact in facts if fact.value != UNKNOWN)
    return (*shown, FactView("Not reported", sentence_list(unknown))) if unknown else shown


def _in_sentence(label: str) -> str:
    """Return a label as within a sentence: SHA-256 stays so."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _cache_writes(tokens: Tokens) -> FactView:
    writes = tokens.cache_write
    hour = tokens.cache_write_1h
    if not writes:
        return FactView("Cache writes", figures.count(writes))
    if hour is None:
        return FactView("Cache writes", figures.count(writes), "lifetime not reported")
    split = f"for 5 minutes, {figures.count(hour)} for an hour"
    return FactView("Cache writes", figures.count(writes - hour), split)


_BETTER = {True: "higher is better", False: "lower is better", None: ""}


def _further_facts(facts: RunFacts) -> Iterator[FactView]:
    """Yield what is stated of a run, its scores with their better direction."""
    entry = facts.entry
    notes: dict[str, str] = {}
    for score in entry.scores:
        note = "computed" if score.is_computed else _BETTER[score.higher_is_better]
        notes[score_key(score.name)] = note
    for field in fields_of([entry]):
        if field.page != "facts":
            continue
        value = field.value(facts)
        if value is not None:
            yield FactView(field.title, field.text(value), notes.get(field.key, ""))


def _given(pair: tuple[str, str]) -> FactView:
    """Tools are counted, with their names behind."""
    name, value = pair
    if name != "Tools":
        return FactView(name, value)
    names, more = tools_in(value)
    return FactView(name, figures.count(len(names) + more), value)


def _source(entry: Entry) -> tuple[FactView, ...]:
    size = f"{figures.count(entry.source.size)} bytes, read as {entry.run.reader}"
    facts = [FactView("File", entry.source.path, size), FactView("SHA-256", entry.digest)]
    session = entry.run.session_id
    if session:
        facts.append(FactView("Session", session, href=views.session_link(session).href))
    if entry.run.uuid:
        facts.append(FactView("Run", entry.run.uuid))
    return tuple(facts)


def run_page(
    entry: Entry, check: PriceCheck, previous: Entry | None, following: Entry | None
) -> Page:
    """Return the page of a run, which leads to the runs before and behind it."""
    run = entry.run
    view = run_view(entry, check, previous, following)
    cost = "cost unknown" if run.spent_usd is None else figures.cost(run)
    turns = "turns unknown" if run.turns is None else figures.plural(run.turns, "turn")
    total = run.tokens.total
    plus = "+" if total is not None and not run.is_total_exact else ""
    tokens = "tokens unknown"
    if total is not None:
        tokens = f"{figures.count_short(total)}{plus} tokens"
    title = f"{entry.name}: {view.status.word}, {cost}"
    models = sentence_list(list(entry.models) or [entry.model or NO_MODEL])
    about = f"One run of {entry.agent}, {models}: {turns}, {tokens}, {cost}, and what the agent said it did."
    return Page(run_path(entry.id), "run.html.jinja", title, about, "runs", view)


# The view of the patch beside a run: what it changes, file by file, and its text in colours.


SHORT_PATCH_LINES = 40  # lines up to which a patch is open at first
LISTED_FILES = 100  # files of a patch that are listed


def patch_view(path: str, changes: Patch, *, cut_at: int | None) -> View:
    """Return what a run page shows of the patch beside the run, and `cut_at` how many characters of its text that are,
    where it is longer. Its figures cover all of it."""
    added = figures.plural(changes.added, "line")
    summary = f"{figures.plural(len(changes.files), 'file')}, {added} added, {figures.count(changes.removed)} removed"
    if cut_at is not None:
        summary += f"; its first {figures.count(cut_at)} characters are shown"
    files = [
        RowView(file.path, (figures.count(file.added), figures.count(file.removed)))
        for file in changes.files[:LISTED_FILES]
    ]
    return View(
        name=path.rpartition("/")[2],
        summary=summary,
        files=tuple(files),
        html=highlight(changes.text, "diff"),
        short=changes.text.count("\n") <= SHORT_PATCH_LINES,
    )
