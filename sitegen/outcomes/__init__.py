"""Results of runs (pass, fail, scores), stated from outside: by files of the settings and by sidecars beside the runs.

Whether a run did its task is the one figure that no run may state of itself, and a wrong join would be worse than
none. So a row that fits no run, or more than one, is listed with its line and counts for nothing; where two rows
contradict each other the one that ranks higher counts and the other is listed; and words that are not understood are
never guessed. All text is foreign: every string is masked before it is compared or kept.

There are four steps, each with its modules, and values between them:

1. parse (`find_files`, `parse_files`, `parse_reports`, `parse_rows`, `cells`): files become rows (`rows`);
2. match (`match`, `run_names`, `run_tasks`): which run each row is for, or the reason why it is for none (`reasons`);
3. apply (`apply`, `references`): entries with outcomes, scores and factors;
4. report (`report`): rows that do not count, and contradictions, become problems.

`study` then says what verdicts and factors mean by the settings.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace

from sitegen.config import Config, Outcomes, ScoreMeaning
from sitegen.errors import ReadError
from sitegen.inputs import source_files
from sitegen.inputs.discover import Discovery
from sitegen.inputs.survey import Naming
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Problem, Score, Source, Verdict, frozen
from sitegen.outcomes import find_files
from sitegen.outcomes.agent_names import split_agents
from sitegen.outcomes.apply import apply_rows, set_identities
from sitegen.outcomes.find_files import find_named
from sitegen.outcomes.match import Matches, match_by_name, match_by_task
from sitegen.outcomes.models import label_other_models
from sitegen.outcomes.parse_files import parse_outcomes_file
from sitegen.outcomes.references import References
from sitegen.outcomes.report import report
from sitegen.outcomes.rows import OutcomeTable, Row, RowSource
from sitegen.outcomes.run_names import RunNames
from sitegen.outcomes.run_tasks import RunTasks
from sitegen.readers.kinds import JUDGED
from sitegen.remote.stored_files import prefetch

__all__ = [
    "JoinedOutcomes",
    "OutcomeTable",
    "find_named",
    "join",
    "label_other_models",
    "load",
]


@frozen
class JoinedOutcomes:
    """The result of joining."""

    entries: list[Entry]
    problems: list[Problem]
    used: frozenset[str] = frozenset()
    """Reports that nobody named, and that know the task of a run."""
    unmatched: tuple[tuple[str, int | None], ...] = ()
    """The task and the attempt, as far as stated, of each row of a table that matches no run."""


def load(
    config: Config,
    entries: Sequence[Entry],
    clean: Redactor,
    sources: Sequence[Source] = (),
    named: Discovery | None = None,
    *,
    reports: Sequence[tuple[Source, str]] = (),
) -> OutcomeTable:
    """Parse the sidecars of `entries` and the files that the settings name; `sources` is all that lies in the inputs,
    `named` what `find_named` found, and `reports` the tables among the inputs with their kinds: of benchmarks, and
    those that a reader of the site saved. An agent can write such a table too, so what the settings name ranks above
    it.

    What a file holds never stops it. Raises: ConfigError when a path does not exist or a pattern matches nothing.
    """
    problems: list[Problem] = []
    sidecar_settings = Outcomes.model_validate({"path": ".", "scores": config.scores})
    sidecars = list(find_files.find_sidecars(entries, clean, sidecar_settings))
    known = {sidecar.source.location for sidecar in sidecars}
    known |= {entry.source.location for entry in entries}
    unknown = [source for source in sources if source.location not in known]
    problems += find_files.report_lost_sidecars(unknown, clean)
    settings = [
        outcomes.model_copy(update={"scores": {**config.scores, **outcomes.scores}})
        for outcomes in config.outcomes
    ]
    named = named or find_named(settings)
    tables = find_files.find_tables(settings, named, entries, clean, problems)
    origins = [*sidecars, *tables]
    for source, kind in sorted(reports, key=lambda pair: pair[1] != JUDGED):
        origins.append(RowSource(clean(source.path), source, clean, is_found=kind != JUDGED))
    rows = tuple(parse_all(origins, config, problems))
    return OutcomeTable(rows, tuple(problems))


def parse_all(
    origins: Iterable[RowSource], config: Config, problems: list[Problem]
) -> Iterator[Row]:
    """Yield the rows of all files. Adds to `problems` what cannot be read."""
    columns = columns_used(config)
    meanings = score_meanings(config)
    for origin in prefetch(origins, lambda origin: (origin.source.address,)):
        origin = replace(origin, columns=columns, meanings=meanings)
        try:
            rows, faults = parse_outcomes_file(source_files.read_bytes(origin.source), origin)
        except ReadError as error:
            code = "E_OUTCOMES_READ" if error.code == "E_READ" else "E_OUTCOMES"
            reason = origin.clean(error.sentence)
            problems.append(Problem(origin.file, code, Verdict.SKIP, reason, error.place))
            continue
        problems += faults
        yield from rows


def columns_used(config: Config) -> set[str]:
    """Return the columns of outcomes files that the settings of a study use."""
    columns = {rule.column for rule in config.verdicts.values()}
    columns |= {*config.observations, *config.factors, config.excluded}
    return {name for name in columns if name is not None}


def score_meanings(config: Config) -> dict[str, Score]:
    """Return what the settings say of scores, by name. A name means one thing in a whole site: what is said first."""
    stated: list[tuple[str, ScoreMeaning]] = list(config.scores.items())
    for outcomes in config.outcomes:
        stated += outcomes.scores.items()
    meanings: dict[str, Score] = {}
    for name, meaning in stated:
        higher = None if meaning.direction is None else meaning.direction == "higher"
        score = Score(name, 0.0, meaning.unit, higher, meaning.scale == "ratio")
        meanings.setdefault(name, score)
    return meanings


def join(
    entries: Sequence[Entry],
    table: OutcomeTable,
    naming: Naming,
    left_patch: Callable[[Entry], bool] = lambda _: False,
    unread: Set[str] = frozenset(),
    only_judged: Set[int] = frozenset(),
) -> JoinedOutcomes:
    """Return the entries with what is stated of them: match rows, apply them, and report those that do not count.

    Rows that name their run come first: what they say of its task is then a key for the rows that name a task.
    Sidecars rank before files, files before each other in the order of the settings, and all of them before what a
    path says. The model that a run's own file reports is never replaced. `left_patch` tells which of several runs a
    measurement can be of; `unread` are the files that should have been runs. Of the inputs `only_judged` a measurement
    is rather of a run that another row names than of others at the same task.
    """
    table = replace(table, rows=tuple(split_agents(table.rows, entries, naming)))
    matches = Matches()
    names = RunNames(entries, table.rows, unread)
    match_by_name(matches, table.rows, names)
    identified = set_identities(entries, matches, naming)
    tasks = RunTasks(identified, table.rows, naming, left_patch)
    tasks.preferred = {
        position
        for position, entry in enumerate(identified)
        if entry.source.input in only_judged and matches.rows_of(position)
    }
    references = References()
    matches.lost += references.add_rows(table.rows, names, tasks)
    match_by_task(matches, table.rows, tasks)
    applied = apply_rows(identified, entries, matches, references, naming)
    return JoinedOutcomes(
        applied.entries,
        list(report(table, matches, references, applied.conflicts)),
        frozenset(matches.used_reports),
        tuple(matches.lost_tasks(naming)),
    )
