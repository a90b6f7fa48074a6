"""Groups runs, and leaves out those that the settings do not want."""

from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from sitegen import figures
from sitegen.cache.seal import seal
from sitegen.config import Config
from sitegen.inputs.campaigns.packs import PackMember
from sitegen.inputs.survey import Facts
from sitegen.model import Entry, Problem, Verdict
from sitegen.numbers.success import is_judged
from sitegen.outcomes.left_out import describe_left_out

FIRST_DAY = ""
LAST_DAY = "9999"


def pseudonym() -> str | None:
    """Return a name for this user that stays the same and cannot be guessed; None without a key."""
    with suppress(ValueError):
        return f"person {seal(b'person')[:3].hex()}"
    return None


def group_runs(facts: Facts, groups: Sequence[str], person: str | None) -> Facts:
    """Add the project and the person of each run, unless a table states them."""
    if not groups:
        return facts
    entries = [group_run(entry, groups, person) for entry in facts.entries]
    return replace(facts, entries=tuple(entries))


def group_run(entry: Entry, groups: Sequence[str], person: str | None) -> Entry:
    """Add the groups of one run."""
    known = {"project": project_of(entry), "person": person}
    factors = {name: value for name in groups if (value := known[name])}
    factors |= dict(entry.factors)
    return replace(entry, factors=tuple(factors.items()))


def project_of(entry: Entry) -> str | None:
    """Return the project in the file of a run; None in a pack, which has only stated projects."""
    if isinstance(entry.source.member, PackMember):
        return None
    return entry.run.project


def drop_projects(facts: Facts, patterns: Sequence[str]) -> Facts:
    """Drop the runs of projects that match a pattern, and those of unknown project."""
    if not patterns:
        return facts

    def is_dropped(entry: Entry) -> bool:
        project = entry.factor("project") or project_of(entry)
        if not project:
            return True
        return any(fnmatchcase(project.casefold(), pattern.casefold()) for pattern in patterns)

    dropped = drop_runs(facts, is_dropped, with_folders=True)
    return add_left_out(dropped, facts, "of projects that `leave_out` names, or of unknown project")


def keep_judged(facts: Facts, config: Config) -> Facts:
    """Drop the runs without a verdict of the inputs that are `only: judged`, and keep them apart."""
    columns = verdict_sources(config)
    left_out = [
        entry
        for entry in facts.entries
        if entry.source.input in config.only_judged and not has_verdict(entry, columns)
    ]
    if not left_out:
        return facts
    ids = {entry.id for entry in left_out}
    kept = drop_runs(facts, lambda entry: entry.id in ids)
    remark = f"{figures.capitalized(describe_left_out(left_out))} (`only: judged`)."
    return replace(
        kept,
        without_verdict=tuple(left_out),
        # Their tasks stay in the comparison with a baseline, where a task without a run is a gap.
        left_out_tasks=facts.left_out_tasks,
        remarks=(*kept.remarks, remark),
    )


def has_verdict(entry: Entry, columns: Set[str]) -> bool:
    """Return whether a run is judged: not only because it was lost and `unknown: fail` lets it fail, where none of the
    columns that verdicts are from is stated of it."""
    stated = {name for name, _ in entry.stated} | {*entry.untested}
    is_only_lost = entry.is_failed_by_rule and columns.isdisjoint(stated)
    return is_judged(entry) and not is_only_lost


def verdict_sources(config: Config) -> set[str]:
    """Return the columns and scores that verdicts are from; a score may lack because its measurement failed."""
    sources = {rule.column or rule.score for rule in config.verdicts.values()} - {None}
    has_scores = any(rule.score for rule in config.verdicts.values())
    return {*filter(None, sources), *(["status"] if has_scores else [])}


def keep_days(facts: Facts, first: str, last: str) -> Facts:
    """Keep the runs that were under way between two days; drop those of unknown time."""
    if (first, last) == (FIRST_DAY, LAST_DAY):
        return facts
    options = []
    if first != FIRST_DAY:
        options.append(f"--since {first}")
    if last != LAST_DAY:
        options.append(f"--until {last}")
    limits = " ".join(options)

    def is_outside(entry: Entry) -> bool:
        started = entry.day or ""
        ended = (entry.run.ended_at or started)[:10]
        return ended < first or started > last

    dated = drop_runs(facts, lambda entry: entry.day is None)
    dated = add_left_out(dated, facts, f"of unknown time, with {limits}")
    kept = drop_runs(dated, is_outside, with_folders=True)
    return add_left_out(kept, dated, f"outside {limits}")


def add_left_out(facts: Facts, before: Facts, why: str) -> Facts:
    """Report how many runs are left out."""
    count = len(before.entries) - len(facts.entries)
    if not count:
        return facts
    are = "is" if count == 1 else "are"
    remark = f"{figures.plural(count, 'run')} {are} left out: {why}."
    return replace(facts, remarks=(*facts.remarks, remark))


def drop_runs(
    facts: Facts, is_dropped: Callable[[Entry], bool], *, with_folders: bool = False
) -> Facts:
    """Drop runs, with all that is reported of their files.

    `with_folders` also drops what is reported of other files in their folders, unless a run is left there.
    """
    dropped = Dropped.of(facts, is_dropped, with_folders=with_folders)
    return replace(
        facts,
        entries=tuple(entry for entry in facts.entries if entry.id not in dropped.ids),
        shared_transcripts=tuple(
            entry for entry in facts.shared_transcripts if entry.id not in dropped.ids
        ),
        problems=tuple(
            each for each in facts.problems if not dropped.covers(each.path, each.page_id)
        ),
        masked=tuple(each for each in facts.masked if not dropped.covers(each.path, each.page_id)),
        ignored_files=tuple(each for each in facts.ignored_files if not dropped.covers(each[0])),
        files=facts.files - len(dropped.paths),
        left_out=(*facts.left_out, *(run for run in facts.entries if run.id in dropped.ids)),
        left_out_tasks=facts.left_out_tasks | dropped.tasks,
    )


@dataclass(frozen=True, slots=True)
class Dropped:
    """The runs that are dropped, and their files."""

    ids: set[str]
    paths: set[str]
    folders: set[str]
    kept_folders: set[str]
    tasks: set[str]

    @classmethod
    def of(
        cls, facts: Facts, is_dropped: Callable[[Entry], bool], *, with_folders: bool
    ) -> "Dropped":
        """Return what is dropped. A file that also holds a run that is kept stays."""
        runs = [entry for entry in facts.runs if is_dropped(entry)]
        ids = {entry.id for entry in runs}
        tasks = {entry.task for entry in runs if entry.task}
        kept = {entry.source.path for entry in facts.runs if entry.id not in ids}
        paths = {entry.source.path for entry in runs} | merged_paths(facts.problems, ids)
        paths -= kept
        if not with_folders:
            return cls(ids, paths, set(), set(), tasks)
        return cls(ids, paths, set(map(parent, paths)), set(map(parent, kept)), tasks)

    def covers(self, path: str, page_id: str | None = None) -> bool:
        """Return whether what is reported of a file is dropped. The nearest folder with runs decides."""
        if page_id in self.ids or path in self.paths:
            return True
        while self.folders and "/" in path:
            path = parent(path)
            if path in self.kept_folders:
                return False
            if path in self.folders:
                return True
        return False


def merged_paths(problems: Iterable[Problem], ids: set[str]) -> set[str]:
    """Return the files that were merged into these runs."""
    return {each.path for each in problems if each.verdict is Verdict.MERGE and each.page_id in ids}


def parent(path: str) -> str:
    """Return the folder of a path; "" at the top."""
    return path.rpartition("/")[0]
