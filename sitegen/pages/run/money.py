"""The cost of a run, on its page: the bar of tokens over dollars, the ledger of models, and what the list price
says."""

from collections.abc import Iterator

from sitegen import figures
from sitegen.charts.findings.money_by_kind import KindBars, labelled
from sitegen.figures import KIND_CLASSES, KIND_LABELS, UNKNOWN, sentence_list
from sitegen.html.render import View
from sitegen.model import COST_TOLERANCE_USD, TOKEN_KINDS, Entry, ModelUsage, Run, Tokens, sum_known
from sitegen.numbers.pricing import LineCheck, PriceCheck, WriteRate
from sitegen.pages.views import RowView
from sitegen.text.names import NO_MODEL, display_name

LEDGER_DECIMALS = 4  # the decimals of dollars in the ledger: enough to see a single cheap call


NARROW_PERCENT = 4  # a part narrower than this has no room for its share in words


PHONE_PIXELS = 136
"""The width of a bar on the smallest phone (`.l4`, `.r4` in content.css), where further shares have no room."""


def money_view(entry: Entry, check: PriceCheck, tokens: Tokens) -> View | None:
    """Return the split by kind; None unless the price table reproduces the reported cost."""
    total = tokens.total
    dollars = check.by_kind
    if dollars is None or not total or not tokens.complete:
        return None
    spent = sum(dollars.values())
    if spent <= 0:
        return None
    counts = {kind: tokens.kind(kind) or 0 for kind in TOKEN_KINDS}
    bars = KindBars(counts, dollars)
    title = bars.title(is_past=True)
    rows = []
    for kind in TOKEN_KINDS:
        cells = _money_cells(counts[kind], total, dollars[kind], spent)
        rows.append(RowView(KIND_LABELS[kind], cells, kind=KIND_CLASSES[kind]))
    return View(
        title=title,
        note=_split_note(check),
        bars=_bar_pair(bars, title),
        rows=tuple(rows),
        sum=_money_cells(total, total, spent, spent),
        saving=_saving(entry.run.cost_usd, check) if counts["cache_read"] else None,
    )


def _saving(cost_usd: float | None, check: PriceCheck) -> str | None:
    saving = check.cache_saving_usd
    if cost_usd is None or saving is None:
        return None
    verb = "saved" if saving >= 0 else "cost"
    full = figures.money(cost_usd + saving)
    otherwise = f"at the full input rate the same tokens would have cost {full}"
    return f"Caching {verb} {figures.money(abs(saving))}: {otherwise}."


def _split_note(check: PriceCheck) -> str:
    """Return what the split rests on, and which rate of cache writes was assumed where the file does not say, or says
    what the reported cost contradicts."""
    closeness = "exactly" if check.exact else "to within 1%"
    note = f"Split by list prices, which reproduce the reported cost {closeness}"
    assumed = [line for line in check.lines if _is_assumed(line)]
    if not assumed:
        return f"{note}."
    rates = sentence_list(sorted({line.write_rate.value for line in assumed if line.write_rate}))
    is_denied = any(line.usage.tokens.cache_write_1h is not None for line in assumed)
    contradiction = ", though the file says otherwise" if is_denied else ""
    return f"{note}, with {rates}{contradiction}."


def _is_assumed(line: LineCheck) -> bool:
    """Return whether the rate of a line's cache writes is not what the file says of them."""
    tokens = line.usage.tokens
    hour = {WriteRate.FIVE_MINUTES: 0, WriteRate.ONE_HOUR: tokens.cache_write}.get(
        line.write_rate or WriteRate.NONE
    )
    return hour is not None and hour != tokens.cache_write_1h


def _money_cells(count: int, total: int, usd: float, spent: float) -> tuple[str, ...]:
    cost = figures.fixed(usd, LEDGER_DECIMALS)
    rate = figures.fixed(usd / count * 1e6, 2) if count else UNKNOWN
    return (
        figures.count(count),
        figures.shares(count, total),
        cost,
        figures.shares(usd, spent),
        rate,
    )


def _bar_pair(bars: KindBars, title: str) -> View:
    parts = bars.parts()
    return View(
        label=f"Two bars. {title}.",
        parts=tuple((KIND_CLASSES[part.kind], part) for part in parts),
        # The smallest part whose share stands below it, and those of which it does on a phone too.
        least=NARROW_PERCENT / 100,
        on_phone=labelled(parts, NARROW_PERCENT / 100, PHONE_PIXELS),
        tokens_total=figures.count_short(bars.count),
        dollars_total=figures.money(bars.usd),
    )


def no_list_price(run: Run) -> str:
    """Return why a run that counts tokens has no list price, to go on with a sentence."""
    missing = [KIND_LABELS[kind] for kind in TOKEN_KINDS if run.tokens.kind(kind) is None]
    if missing and len(missing) < len(TOKEN_KINDS):
        return f"; no list price without {sentence_list(missing)} tokens"
    return "" if missing else "; the price table lacks a model of it"


def no_money(entry: Entry, check: PriceCheck, tokens: Tokens) -> str:
    """Return why the split by kind is not shown."""
    run = entry.run
    if run.reported_cost_usd is not None:
        return "Costs are at list price."
    if run.cost_usd is None:
        tokens_too = " and no tokens" if tokens.total is None else ""
        return f"The file reports no cost{tokens_too}."
    if tokens.total is None:
        return "The file reports no tokens."
    if not tokens.total or not run.cost_usd:
        return "Nothing was spent."
    if run.token_gaps:
        return "Some of the tokens are not reported, so the cost cannot be split by kind of token."
    if check.list_usd is None:
        return "A model of this run is not in the price table, so its cost cannot be split by kind of token."
    both = f"Reported {figures.money(run.cost_usd)}, at list price {figures.money(check.list_usd)}."
    return f"The list prices do not reproduce the reported cost, so it is not split by kind of token. {both}"


def ledger_row(summed: float | None, name: str, line: ModelUsage) -> RowView:
    share = figures.shares(line.cost_usd, summed) if summed else UNKNOWN
    return RowView(name, ledger_cells(line.tokens, line.cost_usd, share), raw=line.model or "")


def judge_row(line: ModelUsage) -> RowView:
    """Return the row of a model that judged the run."""
    name = f"Judge: {display_name(line.model) if line.model else NO_MODEL}"
    return RowView(name, ledger_cells(line.tokens, line.cost_usd, ""), raw=line.model or "")


def judge_note(run: Run) -> str | None:
    """Return what the judges of a run cost; None where no judge's usage is known."""
    if not run.judge:
        return None
    total = sum_known(line.tokens.total for line in run.judge)
    tokens = "an unknown number of tokens" if total is None else f"{figures.count(total)} tokens"
    is_reported = all(line.cost_usd is not None for line in run.judge)
    basis = "" if is_reported else " at list price"
    cost = f", {figures.money(run.judge_usd)}{basis}"
    if run.judge_usd is None:
        cost = "; their cost is unknown"
    return f"Judge: {tokens}{cost}. No figure of the run includes the judge’s usage."


def ledger_cells(
    tokens: Tokens, cost_usd: float | None, share: str, gaps: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return counts by kind, cost and share; a known count of a kind in `gaps` is a lower bound."""
    counts: list[str] = []
    for kind in TOKEN_KINDS:
        count = tokens.kind(kind)
        plus = "+" if kind in gaps and count is not None else ""
        counts.append(figures.count(count) + plus)
    return (*counts, figures.fixed(cost_usd, LEDGER_DECIMALS), share)


def list_price(entry: Entry, check: PriceCheck) -> str | None:
    """Return the list price, where it says something else than the file."""
    if check.list_usd is None:
        return None
    reported = entry.run.cost_usd
    if reported is not None and abs(reported - check.list_usd) <= COST_TOLERANCE_USD:
        return None
    return figures.fixed(check.list_usd, LEDGER_DECIMALS)


def cost_remarks(entry: Entry, check: PriceCheck) -> tuple[str, ...]:
    """Return what it means when reported cost, ledger and list price differ: one sentence for each difference."""
    remarks = []
    run = entry.run
    summed = run.ledger_cost_usd
    if run.sums_agree is False and run.cost_usd is not None and summed is not None:
        both = f"The models of this run sum to {figures.money(summed)}, the file reports {figures.money(run.cost_usd)}"
        difference = figures.money(abs(run.cost_usd - summed))
        remarks.append(
            f"{both}: {difference} is in one and not in the other, as when work in the background ends after the count."
        )
    for name, line in zip(entry.ledger_names, check.lines, strict=True):
        if line.because:
            cost = f"{figures.money(line.usage.cost_usd)} of {name}"
            why = sentence_list([reason.value for reason in line.because])
            remarks.append(f"The {cost} is its list price with {why}.")
        if line.usage.cost_usd is not None and not line.reproduced:
            remarks += _line_remarks(name, line, line.usage.cost_usd, run)
    return tuple(remarks)


def _line_remarks(name: str, line: LineCheck, reported: float, run: Run) -> Iterator[str]:
    """Yield what it means that the list price of a line is not what the file reports."""
    listed = line.list_usd
    cost = figures.money(reported)
    if line.billed_like:
        remark = f"The {cost} of {name} is what the rates of {line.billed_like} come to"
        remark += ", which the agent uses for a model that it does not know."
        if listed is not None:
            remark += f" By its own list price it is {figures.money(listed)}."
        yield remark
    elif listed is not None and abs(listed - reported) > COST_TOLERANCE_USD:
        why = "the file does not say why"
        if run.cost_is_lower_bound:
            why = "the cost does not cover all of them"
        tokens = f"its tokens come to {figures.money(listed)} at list price"
        yield f"The file reports {cost} for {name}; {tokens}; {why}."
