"""Make the table of list prices of a public list and a short one of ours.

    .venv/bin/python -m benchmarks.prices            # print it
    .venv/bin/python -m benchmarks.prices --write    # write sitegen/numbers/prices.yaml

The public list is that of the installed genai-prices; `price_sources.yaml` beside this file says which of its models
are taken, has prices of ours with their sources, and the reason wherever both differ. No network is used.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from decimal import Decimal
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml
from genai_prices.data import providers

from sitegen.text.names import price_key

SOURCES = Path(__file__).with_name("price_sources.yaml")
TABLE = Path(__file__).parent.parent / "sitegen" / "numbers" / "prices.yaml"

_HEAD = """\
# List prices of models, in USD per million tokens: a check on what a run reports, never its source.
#
# Written by `python -m benchmarks.prices` of genai-prices {version} and benchmarks/price_sources.yaml, which has the
# sources, and the reasons where both differ. The rates of Opus 4.5, 4.6 and 4.8, Sonnet 4.5 and 4.6 and Haiku 4.5 were
# also measured: they reproduce the costs of real runs.
#
# Left out on purpose, because one rate cannot be right for every run: Claude Sonnet 5.5 (its cache reads changed
# price in October 2026, and a run's file has no date), GPT-5.6 (its price changed), DeepSeek (priced by the time of
# day), Qwen3 Coder Plus (four prices by the size of a request, the first up to 32,000 tokens), and open models, whose
# price depends on who runs them. `prices:` in config.yaml adds to this table or replaces parts of it.

date: "{date}"

# Of the input price, where a model states no rates of its own for its cache.
cache_read: 0.1
cache_write: 1.25
cache_write_1h: 2

# USD for each search on the web. Claude Code counts it into a model's cost.
web_search: 0.01

# Claude Code bills a model that it does not know at the rates of this one.
unknown_model_billed_as: claude-opus-4.5
"""
_FACTORS = {
    "cache_read": Decimal("0.1"),
    "cache_write": Decimal("1.25"),
    "cache_write_1h": Decimal(2),
}
_FIELDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
}


def table() -> str:
    """The text of the table."""
    sources = yaml.safe_load(SOURCES.read_text(encoding="utf-8"))
    prices: dict[str, dict[str, Any]] = {}
    for provider, ids in sources["listed"].items():
        for model_id in ids:
            prices[price_key(model_id)] = _listed(provider, model_id)
    for key, own in sources["own"].items():
        prices[key] = {field: Decimal(str(rate)) for field, rate in own["rates"].items()}
    for key, own in sources["above"].items():
        prices[key]["above"] = {
            "tokens": own["tokens"],
            **{kind: Decimal(str(at)) for kind, at in own["rates"].items()},
        }
    writing = {
        key: rates
        for key, rates in prices.items()
        if key.startswith("claude-") or "cache_write" in rates
    }
    others = {key: rates for key, rates in prices.items() if key not in writing}
    head = _HEAD.format(version=metadata.version("genai-prices"), date=sources["date"])
    lines = [
        "",
        "# Clouds, regions, dates and the long context share a price: a model stands here without them.",
    ]
    lines += ["models:"]
    lines += [f"  {key}: {_written(_beside_factors(writing[key]))}" for key in sorted(writing)]
    lines += [
        "",
        "# These have no price for cache writes: a run that reports some has no list price.",
    ]
    lines += ["models_without_cache_writes:"]
    lines += [f"  {key}: {_written(others[key])}" for key in sorted(others)]
    lines += [
        "",
        "# What multiplies the prices of tokens, where a file states it: of all that is sent, and of output.",
    ]
    lines += ["factors:"]
    lines += [f"  {name}: {_written(found)}" for name, found in _factors(sources)]
    return head + "\n".join(lines) + "\n"


def _factors(sources: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, object]]]:
    for name, stated in sources["factors"].items():
        models = {
            model: by if isinstance(by, list) else [by, by]
            for model, by in stated["models"].items()
        }
        yield name, dict(sorted(models.items()))


def _listed(provider: str, model_id: str) -> dict[str, Any]:
    """The rates of a model that the list has, the newest ones, and those of long requests."""
    (found,) = (m for p in providers if p.id == provider for m in p.models if m.id == model_id)
    newest = found.prices[-1].prices if isinstance(found.prices, list) else found.prices
    rates: dict[str, Any] = {}
    above: dict[str, Any] = {}
    for field, name in _FIELDS.items():
        rate = getattr(newest, name)
        if hasattr(rate, "base"):
            (tier,) = rate.tiers
            above |= {"tokens": tier.start, field: tier.price}
            rate = rate.base
        if rate is not None:
            rates[field] = rate
    return {**rates, "above": above} if above else rates


def _beside_factors(rates: Mapping[str, Any]) -> dict[str, Any]:
    """Without the rates that follow from that of input."""
    return {
        field: _beside_factors(rate) if field == "above" else rate
        for field, rate in rates.items()
        if field == "above" or rate != rates["input"] * _FACTORS.get(field, Decimal(-1))
    }


def _written(row: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{name}: {_number(value)}" for name, value in row.items()) + "}"


def _number(value: object) -> str:
    if isinstance(value, Mapping):
        return _written(value)
    return str(value) if isinstance(value, list) else f"{Decimal(str(value)).normalize():f}"


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write sitegen/numbers/prices.yaml")
    text = table()
    if parser.parse_args().write:
        TABLE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
