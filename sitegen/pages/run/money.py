"""The cost of a run, on its page: the bar of tokens over dollars, the ledger of models, and what the list price
says."""

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
    cells = {kind: _money_cells(counts[kind], total, dollars[kind], spent) for kind in TOKEN_KINDS}
    rows = tuple(
        RowView(KIND_LABELS[kind], own, kind=KIND_CLASSES[kind]) for kind, own in cells.items()
    )
    saving = None
    if (
        check.cache_saving_usd is not None
        and entry.run.cost_usd is not None
        and counts["cache_read"]
    ):
        full = entry.run.cost_usd + check.cache_saving_usd
        verb = "saved" if check.cache_saving_usd >= 0 else "cost"
        otherwise = f"at the full input rate the same tokens would have cost {figures.money(full)}"
        saving = f"Caching {verb} {figures.money(abs(check.cache_saving_usd))}: {otherwise}."
    note, pair, whole = (
        _split_note(check),
        _bar_pair(bars, title),
        _money_cells(total, total, spent, spent),
    )
    return View(title=title, note=note, bars=pair, rows=rows, sum=whole, saving=saving)


def _split_note(check: PriceCheck) -> str:
    """Return what the split rests on, and which rate of cache writes was assumed where the file does not say, or says
    what the reported cost contradicts."""
    note = "Split by list prices, which reproduce the reported cost" + (
        " exactly" if check.exact else " to within 1%"
    )
    assumed = {
        line.write_rate.value for line in check.lines if line.write_rate and _is_assumed(line)
    }
    if not assumed:
        return f"{note}."
    is_denied = any(
        line.usage.tokens.cache_write_1h is not None for line in check.lines if _is_assumed(line)
    )
    return f"{note}, with {sentence_list(sorted(assumed))}{', though the file says otherwise' if is_denied else ''}."


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
    if entry.run.reported_cost_usd is not None:
        return "Costs are at list price."
    if entry.run.cost_usd is None:
        listed = "; the one above is at list price" if entry.run.spent_usd is not None else ""
        return (
            f"The file reports no cost{' and no tokens' if tokens.total is None else ''}{listed}."
        )
    if tokens.total is None:
        return "The file reports no tokens."
    if not tokens.total or not entry.run.cost_usd:
        return "Nothing was spent."
    if entry.run.token_gaps:
        return "Some of the tokens are not reported, so the cost cannot be split by kind of token."
    if check.list_usd is None:
        return "A model of this run is not in the price table, so its cost cannot be split by kind of token."
    both = f"Reported {figures.money(entry.run.cost_usd)}, at list price {figures.money(check.list_usd)}."
    return f"The list prices do not reproduce the reported cost, so it is not split by kind of token. {both}"


def ledger_row(summed: float | None, name: str, line: ModelUsage) -> RowView:
    share = figures.shares(line.cost_usd, summed) if summed else UNKNOWN
    return RowView(name, ledger_cells(line.tokens, line.cost_usd, share), raw=line.model or "")


def judge_row(line: ModelUsage) -> RowView:
    """Return the row of a model that judged the run."""
    name = display_name(line.model) if line.model else NO_MODEL
    return RowView(
        f"Judge: {name}", ledger_cells(line.tokens, line.cost_usd, ""), raw=line.model or ""
    )


def judge_note(run: Run) -> str | None:
    """Return what the judges of a run cost; None where no judge's usage is known."""
    if not run.judge:
        return None
    total = sum_known(line.tokens.total for line in run.judge)
    tokens = "an unknown number of tokens" if total is None else f"{figures.count(total)} tokens"
    is_reported = all(line.cost_usd is not None for line in run.judge)
    basis = "" if is_reported else " at list price"
    cost = (
        "; their cost is unknown"
        if run.judge_usd is None
        else f", {figures.money(run.judge_usd)}{basis}"
    )
    return f"Judge: {tokens}{cost}. No figure of the run includes the judge’s usage."


def ledger_cells(
    tokens: Tokens, cost_usd: float | None, share: str, gaps: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return counts by kind, cost and share; a known count of a kind in `gaps` is a lower bound."""
    known = ((kind, tokens.kind(kind)) for kind in TOKEN_KINDS)
    counts = (
        figures.count(n) + ("+" if kind in gaps and n is not None else "") for kind, n in known
    )
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
    summed = entry.run.ledger_cost_usd
    if run.sums_agree is False and run.cost_usd is not None and summed is not None:
        both = f"The models of this run sum to {figures.money(summed)}, the file reports {figures.money(run.cost_usd)}"
        apart = f"{figures.money(abs(run.cost_usd - summed))} is in one and not in the other"
        remarks.append(f"{both}: {apart}, as when work in the background ends after the count.")
    for name, line in zip(entry.ledger_names, check.lines, strict=True):
        reported = line.usage.cost_usd
        if line.because:
            why = sentence_list([reason.value for reason in line.because])
            remarks.append(f"The {figures.money(reported)} of {name} is its list price with {why}.")
        if (
            reported is None
            or line.reproduced
            or (line.list_usd is None and line.billed_like is None)
        ):
            continue
        own = (
            ""
            if line.list_usd is None
            else f" By its own list price it is {figures.money(line.list_usd)}."
        )
        if line.billed_like:
            rates = f"The {figures.money(reported)} of {name} is what the rates of {line.billed_like} come to"
            remarks.append(f"{rates}, which the agent uses for a model that it does not know.{own}")
        elif line.list_usd is not None and abs(line.list_usd - reported) > COST_TOLERANCE_USD:
            why = (
                "the cost does not cover all of them"
                if run.cost_is_lower_bound
                else "the file does not say why"
            )
            tokens = f"its tokens come to {figures.money(line.list_usd)} at list price"
            remarks.append(
                f"The file reports {figures.money(reported)} for {name}; {tokens}; {why}."
            )
    return tuple(remarks)
