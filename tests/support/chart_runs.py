"""Runs made for the tests of charts (no file, no reader, only the facts), and what these tests share."""

from __future__ import annotations

from xml.etree import ElementTree

from sitegen.charts.findings import Finding
from sitegen.model import Entry, ModelUsage, Outcome, Run, Score, Source, Status, Tokens

RATES = {"Claude Sonnet 4.5": (3.0, 15.0), "Claude Opus 4.5": (5.0, 25.0)}
"""USD per million tokens, input and output."""

SONNET, OPUS = RATES


def entry(
    number: int,
    *,
    cost: float | None = 1.0,
    turns: int | None = 10,
    model: str = SONNET,
    helper: float = 0.0,
    tokens: Tokens | None = None,
    status: Status = Status.OK,
    name: str | None = "task",
    outcome: Outcome | None = None,
    speedup: float | None = None,
    started_at: str | None = None,
) -> Entry:
    """One run; `helper` dollars of its cost were spent by Claude Haiku 4.5."""
    tokens = tokens or Tokens(input=20_000, cache_write=50_000, cache_read=700_000, output=12_000)
    ledger = [ModelUsage("main", tokens, None if cost is None else cost - helper)]
    models = [model]
    if helper:
        ledger.append(ModelUsage("helper", Tokens(0, 0, 0, 0), helper))
        models.append("Claude Haiku 4.5")
    return Entry(
        id=f"run-{number:012x}",
        source=Source(f"{number}.json", "none", named=False, size=1),
        number=0,
        digest="0" * 64,
        run=Run("Claude Code result", status, ledger=tuple(ledger), cost_usd=cost, turns=turns),
        title=name or "a run",
        task=name,
        attempt=number,
        model=model,
        ledger_names=tuple(models),
        outcome=outcome,
        scores=() if speedup is None else (Score("speedup", speedup, "x", higher_is_better=True),),
        started_at=started_at,
    )


def campaign(size: int = 30, name: str = "task", *, judged: bool = False) -> list[Entry]:
    """Runs of two models, all different; every seventh failed. `judged` ones have an outcome, a speedup and a start,
    six hours after that of the one before."""
    return [
        entry(
            i,
            cost=0.3 + 0.04 * i,
            turns=10 + i + i % 3,
            model=OPUS if i % 2 else SONNET,
            helper=0.02 * (i % 5 == 0),
            tokens=Tokens(
                15_000 + 700 * i, 40_000 + 900 * i, 400_000 + 30_000 * i, 8_000 + 500 * i
            ),
            status=Status.FAILED if i % 7 == 0 else Status.OK,
            name=name,
            outcome=(Outcome.FAIL if i % 3 == 0 else Outcome.PASS) if judged else None,
            speedup=1 + i / 10 if judged else None,
            started_at=f"2026-06-{9 + i // 4:02}T{i % 4 * 6:02}:30:00Z" if judged else None,
        )
        for i in range(1, size + 1)
    ]


def split(entries: list[Entry]) -> dict[str, dict[str, float]]:
    """Each cost by kind of token, in the proportion of list prices."""
    parts = {}
    for each in entries:
        tokens, (sent, received) = each.run.tokens, RATES[each.model or SONNET]
        price = {
            "cache_read": (tokens.cache_read or 0) * sent * 0.1,
            "cache_write": (tokens.cache_write or 0) * sent * 1.25,
            "input": (tokens.input or 0) * sent,
            "output": (tokens.output or 0) * received,
        }
        if each.run.cost_usd is not None:
            parts[each.id] = {
                kind: each.run.cost_usd * usd / sum(price.values()) for kind, usd in price.items()
            }
    return parts


def color(model: str) -> str:
    """A colour made from the model's name alone, as the site does."""
    return (
        "var(--m-"
        + "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in model.lower())
        + ")"
    )


IDS = [
    "cost-by-score",
    "cost-by-success",
    "money-by-kind",
    "cost-by-turns",
    "tokens-by-kind",
    "spend",
]


def drawing(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314  our own


def many(size: int) -> list[Entry]:
    """Runs of two models that lie apart from each other."""
    return [
        entry(
            i,
            cost=0.1 + (i * 37 % 997) / 500,
            turns=1 + i * 61 % 89,
            model=OPUS if i % 3 else SONNET,
        )
        for i in range(size)
    ]


def found(finding: Finding | str | None) -> Finding:
    assert isinstance(finding, Finding), finding
    return finding
