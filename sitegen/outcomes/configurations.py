"""Names of configurations: their factors, as short as they can be without two being the same."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import count

from sitegen.model import Entry, Status

UNKNOWN = "unknown"

Values = tuple[str, ...]
"""The values of the factors of a configuration."""


def name_configurations(
    configurations: Sequence[Values], factors: Sequence[str], *, with_model: bool
) -> dict[Values, str]:
    """Return the name of each configuration: its factors, without those that are the same in all."""
    model = factors.index("model")
    shown = [position for position in range(len(factors)) if is_varied(configurations, position)]
    if not shown or with_model:
        shown = sorted({*shown, model})
    models = {values[model] for values in configurations}
    short_models = {name.removeprefix("Claude ") for name in models}
    family = "Claude " if len(short_models) == len(models) else ""
    short_names = {}
    for values in configurations:
        parts = [*values]
        parts[model] = parts[model].removeprefix(family)
        known = [parts[position] for position in shown if values[position] != UNKNOWN]
        short_names[values] = " · ".join(known)
    uses = Counter(short_names.values())
    taken: dict[str, Values] = {}
    for values, name in short_names.items():
        gaps = [position for position in shown if is_gap(values, position, factors, configurations)]
        is_unclear = gaps and fits_others(values, shown, configurations)
        whole = name
        if not name or uses[name] > 1 or is_unclear:
            words = [f"{factors[position]} unknown" for position in gaps]
            whole = ", ".join(filter(None, (name, *words)))
        taken[number_name(whole, name, taken, uses.keys())] = values
    return {values: name for name, values in taken.items()}


def adopt_unreached(
    configurations: Mapping[Values, Sequence[Entry]], factors: Sequence[str]
) -> dict[Values, Values | None]:
    """Return the configuration of runs that ended before their model was reached, by the values known of them: the only
    one that agrees in all else; None where there is none, or several."""
    model = factors.index("model")
    unreached = [
        values
        for values, runs in configurations.items()
        if values[model] == UNKNOWN and all(map(ended_before_model, runs))
    ]
    others = [values for values in configurations if values not in unreached]
    if all(values[model] == UNKNOWN for values in others):  # no file names a model
        return {}
    adopted: dict[Values, Values | None] = {}
    for values in unreached:
        fitting = [other for other in others if agrees_where_known(values, other)]
        adopted[values] = fitting[0] if len(fitting) == 1 else None
    return adopted


def agrees_where_known(values: Values, other: Values) -> bool:
    """Return whether a configuration has all values that are known of a run."""
    return all(value in (UNKNOWN, known) for value, known in zip(values, other, strict=True))


def ended_before_model(entry: Entry) -> bool:
    """Return whether a run failed or was ended without any use of a model: some files then state zeros."""
    run = entry.run
    is_used = any(line.model or line.tokens.total or line.cost_usd for line in run.ledger)
    return not is_used and run.status in (Status.FAILED, Status.STOPPED, Status.INTERRUPTED)


def is_varied(configurations: Sequence[Values], position: int) -> bool:
    """Return whether configurations differ in a factor."""
    return len({values[position] for values in configurations}) > 1


def is_gap(
    values: Values, position: int, factors: Sequence[str], configurations: Sequence[Values]
) -> bool:
    """Return whether a value is unknown and missed: an effort is where another configuration differs in nothing
    else."""
    if values[position] != UNKNOWN or factors[position] != "effort":
        return values[position] == UNKNOWN
    others = [[*other[:position], *other[position + 1 :]] for other in configurations]
    return others.count([*values[:position], *values[position + 1 :]]) > 1


def fits_others(values: Values, shown: Sequence[int], configurations: Sequence[Values]) -> bool:
    """Return whether what is known of a configuration is true of others too."""
    known = [position for position in shown if values[position] != UNKNOWN]
    parts = [values[position] for position in known]
    return [[other[position] for position in known] for other in configurations].count(parts) > 1


def number_name(whole: str, name: str, taken: Mapping[str, Values], names: Set[str]) -> str:
    """Return a name that no other configuration has, with a number if it needs one."""
    numbered = whole
    numbers = count(2)
    while numbered in taken or (numbered != name and numbered in names):
        numbered = f"{whole} ({next(numbers)})"
    return numbered
