"""Gives runs names that tell them apart, each in one spelling."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.config import Config
from sitegen.figures import sentence_list
from sitegen.inputs.survey import Facts, Naming
from sitegen.model import Entry, by_key
from sitegen.outcomes.study import Study
from sitegen.text import names
from sitegen.text.names import PathPattern

MAX_NAMED = 3  # spellings that a remark names; the rest are counted
ID_END = 12  # characters of an id that tell two runs apart

Name = tuple[str, str]  # a kind of name, such as "task", and the name
Distinction = Callable[[Sequence[Entry]], list[str]]


def rules(config: Config) -> Naming:
    """Return the rules of the settings for names."""
    patterns = [PathPattern(given.pattern) if given.pattern else None for given in config.inputs]
    return Naming(patterns, config.names)


def name_tasks_by_evaluation(facts: Facts) -> Facts:
    """Add the evaluation to tasks that several evaluations call the same."""
    evaluations: dict[str, set[str | None]] = {}
    for entry in facts.entries:
        if entry.task:
            evaluations.setdefault(entry.task, set()).add(entry.run.evaluation)

    def named(entry: Entry) -> Entry:
        if not entry.run.evaluation or len(evaluations.get(entry.task or "", ())) < 2:
            return entry
        return replace(entry, task=f"{entry.run.evaluation} {entry.task}")

    return replace(facts, entries=tuple(map(named, facts.entries)))


def name_by_path(facts: Facts) -> Facts:
    """Name runs without a task by as many folders of their path as tell them apart."""
    titles: dict[str, str] = {}
    for group in by_key(facts.entries, title_from_file).values():
        if len(group) > 1:
            titles |= distinct_paths(group)

    def named(entry: Entry) -> Entry:
        title = titles.get(entry.id, entry.title)
        return entry if title == entry.title else replace(entry, title=title)

    return replace(facts, entries=tuple(map(named, facts.entries)))


def title_from_file(entry: Entry) -> str | None:
    """Return the title of a run without a task, if it is the name of its file."""
    file_name = names.spelled_out(names.stem(entry.source.path))
    return entry.title if not entry.task and entry.title == file_name else None


def distinct_paths(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the shortest ends of paths that all differ, by page id; whole paths if none do."""
    paths = {entry.id: names.without_extension(entry.source.path).split("/") for entry in entries}
    deepest = max(map(len, paths.values()))
    for depth in range(1, deepest + 1):
        titles = {page_id: "/".join(path[-depth:]) for page_id, path in paths.items()}
        if len(set(titles.values())) == len(entries):
            break
    return titles


def unify_case(facts: Facts) -> Facts:
    """Spell names that differ in case alone as most runs do."""
    spellings = preferred_spellings(facts)
    if not spellings:
        return facts
    entries = tuple(respell(entry, spellings) for entry in facts.entries)
    return replace(facts, entries=entries, remarks=(*facts.remarks, *spelling_remarks(spellings)))


def preferred_spellings(facts: Facts) -> dict[Name, str]:
    """Return the spelling to use for each name that most runs spell otherwise."""
    uses = Counter(name for entry in facts.entries for name in names_of(entry))
    if facts.days:  # campaigns were named by the settings
        uses = Counter({name: count for name, count in uses.items() if name[0] != "campaign"})
    ranked = sorted(uses, key=lambda name: (name[0], -uses[name], names.natural_order(name[1])))
    spellings: dict[Name, str] = {}
    for preferred, *others in by_key(ranked, lambda name: (name[0], name[1].casefold())).values():
        spellings |= dict.fromkeys(others, preferred[1])
    return spellings


def names_of(entry: Entry) -> Iterator[Name]:
    """Yield the names that a run has of each kind."""
    known = [("task", entry.task), ("campaign", entry.campaign)]
    known += [("model", model) for model in {entry.model, *entry.ledger_names}]
    known += {**dict(entry.factors), **factors_of_file(entry)}.items()
    for kind, name in known:
        if name:
            yield kind, name


def factors_of_file(entry: Entry) -> dict[str, str]:
    """Return the agent and the effort of a run, which the settings or the file may state."""
    return {"agent": entry.agent, "effort": entry.factor("effort") or ""}


def respell(entry: Entry, spellings: Mapping[Name, str]) -> Entry:
    """Return a run with the preferred spellings of its names."""

    def spelled(kind: str, name: str) -> str:
        return spellings.get((kind, name), name)

    factors = dict(entry.factors)
    for kind, name in factors_of_file(entry).items():
        if (kind, name) in spellings:  # also those that the file of the run alone states
            factors[kind] = name
    return replace(
        entry,
        task=entry.task and spelled("task", entry.task),
        campaign=entry.campaign and spelled("campaign", entry.campaign),
        model=entry.model and spelled("model", entry.model),
        ledger_names=tuple(spelled("model", name) for name in entry.ledger_names),
        factors=tuple((kind, spelled(kind, name)) for kind, name in factors.items()),
    )


def spelling_remarks(spellings: Mapping[Name, str]) -> Iterator[str]:
    """Yield a remark for each kind of name that has several spellings."""
    for kind, spelled in by_key(spellings, lambda name: name[0]).items():
        merges = [f"{name[1]} counts as {spellings[name]}" for name in spelled[:MAX_NAMED]]
        if len(spelled) > MAX_NAMED:
            merges.append(f"{len(spelled) - MAX_NAMED:,} more")
        yield f"{kind}: names that differ in case alone are one: {sentence_list(merges)}."


def name_configurations(facts: Facts, config: Config) -> Facts:
    """Name the configurations of runs, if models alone do not tell them apart."""
    return replace(facts, entries=tuple(Study(config, facts.entries).configured()))


def disambiguate(facts: Facts) -> Facts:
    """Add to names that several runs have what differs between them."""
    additions: dict[str, str] = {}
    for group in by_key(facts.entries, name_alone).values():
        additions |= distinguish(group, DISTINCTIONS)
    entries = [with_addition(entry, additions[entry.id]) for entry in facts.entries]
    uses = Counter(entry.name for entry in entries)
    unique = (entry if uses[entry.name] == 1 else with_end_of_id(entry) for entry in entries)
    return replace(facts, entries=tuple(unique))


def name_alone(entry: Entry) -> str:
    """Return the name of a run without an earlier addition."""
    return with_addition(entry, "").name


def with_addition(entry: Entry, addition: str) -> Entry:
    """Return a run with what its name needs; the same object if nothing changes, because copies take memory."""
    return entry if entry.name_suffix == addition else replace(entry, name_suffix=addition)


def with_end_of_id(entry: Entry) -> Entry:
    """Return a run whose addition is like that of another one, with the end of its id."""
    if not entry.name_suffix:
        return entry
    return with_addition(entry, join_parts(entry.name_suffix, entry.id[-ID_END:]))


def distinguish(entries: Sequence[Entry], distinctions: Sequence[Distinction]) -> dict[str, str]:
    """Return what to add to the name that all of these have, by page id."""
    if len(entries) == 1 or not distinctions:
        return dict.fromkeys((entry.id for entry in entries), "")
    distinction, *further = distinctions
    parts = zip(entries, distinction(entries), strict=True)
    groups = by_key(parts, lambda pair: pair[1])
    additions: dict[str, str] = {}
    for part, group in groups.items():
        within_group = distinguish([entry for entry, _ in group], further)
        if len(groups) > 1:
            within_group = {
                page_id: join_parts(part, addition) for page_id, addition in within_group.items()
            }
        additions |= within_group
    return additions


def join_parts(*parts: str) -> str:
    """Return the parts of a name that are not empty, as one."""
    return " · ".join(filter(None, parts))


def campaigns(entries: Sequence[Entry]) -> list[str]:
    """Return the campaign of each run."""
    return [entry.campaign or "" for entry in entries]


def configurations(entries: Sequence[Entry]) -> list[str]:
    """Return the configuration of each run, if its name does not have it."""
    return ["" if entry.task else entry.configuration or entry.model or "" for entry in entries]


def labels(entries: Sequence[Entry]) -> list[str]:
    """Return the labels of each run."""
    return [", ".join(entry.labels) for entry in entries]


def folders(entries: Sequence[Entry]) -> list[str]:
    """Return as much of each path as tells it from the others, without what all end with."""
    paths = [tuple(names.without_extension(entry.source.path).split("/")) for entry in entries]
    while len({path[-1] for path in paths}) == 1 and min(map(len, paths)) > 1:
        paths = [path[:-1] for path in paths]
    depth = 1
    while len({path[-depth:] for path in paths}) < len(set(paths)):
        depth += 1
    return [names.spelled_out("/".join(path[-depth:])) for path in paths]


def places_in_file(entries: Sequence[Entry]) -> list[str]:
    """Return the place of each run in its file."""
    return [f"no. {entry.number + 1} in its file" for entry in entries]


def ends_of_ids(entries: Sequence[Entry]) -> list[str]:
    """Return the end of the id of each run."""
    return [entry.id[-ID_END:] for entry in entries]


DISTINCTIONS: Sequence[Distinction] = (
    campaigns,
    configurations,
    labels,
    folders,
    places_in_file,
    ends_of_ids,
)
