"""Finds runs by their task, model, attempt and campaign, as far as a row states them.

Tasks and campaigns are compared without regard to case, and where no task fits, without `.1-of-5` and `__run1`,
which benchmarks append for attempts. Models are compared as the path or a sidecar calls them, then as the run's file
does, each by id and by display name. Every key is looked up in a table that is made once. Campaigns are looked up only
where some row states one: every key for them is a second one.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from sitegen.inputs.survey import Naming
from sitegen.model import Entry, frozen
from sitegen.outcomes.cells import is_commit
from sitegen.outcomes.models import Models
from sitegen.outcomes.reasons import Reason, Why, because
from sitegen.outcomes.rows import Row

Key = tuple[str, str, int | None, str | None]
"""Task, kind and name of a model, attempt, and campaign; "" and None mean any."""

MAX_MODELS = 3  # models that a reason names


@frozen
class Query:
    """The runs that a row may mean: a table, the tasks of runs in it, the models from the most exact, and the rest."""

    table: Mapping[Key, Sequence[int]]
    tasks: Sequence[str]
    models: Sequence[str]
    attempt: int | None
    campaign: str | None

    def positions(self) -> Iterator[Sequence[int]]:
        """Yield the runs of each task and model."""
        for task in self.tasks:
            for model in self.models:
                yield self.table.get((task, model, self.attempt, self.campaign), ())

    def has_any(self, models: Sequence[str], attempt: int | None) -> bool:
        """Return whether any run in the campaign has the task, one of these models, and the attempt."""
        keys = ((task, model, attempt, self.campaign) for task in self.tasks for model in models)
        return any(key in self.table for key in keys)


class RunTasks:
    """The positions of runs by what rows without the name of a run state of them."""

    def __init__(
        self,
        entries: Sequence[Entry],
        rows: Sequence[Row],
        naming: Naming,
        left_patch: Callable[[Entry], bool],
    ) -> None:
        self.entries: Sequence[Entry] = entries if any(not row.names_run for row in rows) else ()
        self.models = Models(naming)
        self.preferred: Set[int] = frozenset()
        """Positions of the runs that a measurement is rather of than of others at the same task."""
        self._naming = naming
        self._left_patch = left_patch
        self._has_campaigns = any(row.campaign for row in rows)
        self._exact: dict[Key, list[int]] = {}
        self._bare: dict[Key, list[int]] = {}
        self._known_models: set[str] = set()
        self._agents: set[str] = set()
        self._places: list[list[str]] = []
        self._kept: dict[tuple[int, ...], list[int]] = {}
        for position, entry in enumerate(self.entries):
            self._add(position, entry)

    def _add(self, position: int, entry: Entry) -> None:
        """Add a run under all keys that may mean it."""
        self._places.append([os.path.abspath(place.place) for place in entry.places])  # noqa: PTH100  keeps links
        if agent := entry.factor("agent"):
            self._agents.add(agent.casefold())
        models = dict.fromkeys(self._model_keys_of_run(entry))
        self._known_models.update(model.partition(" ")[2] for model in models)
        bare, attempt = split_attempt(entry.task or "")
        if entry.attempt is not None:
            attempt = entry.attempt
        tasks = [(self._exact, key, attempt) for key in {*map(commit_key, commits_of(entry))}]
        if entry.task is not None:
            tasks.append((self._exact, entry.task.casefold(), entry.attempt))
            tasks.append((self._bare, bare.casefold(), attempt))
        campaigns: set[str | None] = {None}
        if self._has_campaigns and entry.campaign:
            campaigns.add(entry.campaign.casefold())
        for table, task, number in tasks:
            for model in ("", *models):
                for campaign in campaigns:
                    for key_attempt in {number, None}:
                        key = task, model, key_attempt, campaign
                        table.setdefault(key, []).append(position)

    def _model_keys_of_run(self, entry: Entry) -> Iterator[str]:
        """Yield every name of the main model of a run, with where it stands."""
        if entry.stated_model:
            for name in self.models.names(entry.stated_model):
                yield f"path {name}"
        for model in (entry.run.model, entry.model):
            if model:
                for name in self.models.names(model):
                    yield f"file {name}"

    def find(self, row: Row) -> Sequence[int]:
        """Return the runs that a row fits."""
        for positions in self._query(row).positions():
            near = self._near(row, positions)
            if fitting := self._with_same_factors(row, near):
                return fitting
        return ()

    def has_task(self, row: Row) -> bool:
        """Return whether any run has the task of a row."""
        return bool(self._query(row).tasks)

    def explain(self, row: Row) -> Reason:
        """Return why no run fits a row: the first of task, campaign, model and attempt that no run has."""
        query = self._query(row)
        if not query.tasks:
            if row.task:
                return because(Why.NO_SUCH_TASK, task=row.task, key=setting_key(row.task))
            return because(Why.NO_SUCH_COMMIT, commit=row.commit)
        task = f"task '{row.task}'" if row.task else f"commit '{row.commit}'"
        if not query.has_any([""], None):
            return because(Why.NOT_IN_CAMPAIGN, task=task, campaign=row.campaign)
        campaign = f" in {row.campaign}" if row.campaign else ""
        if not query.has_any(query.models, None):
            stated = self._model_of(row) or ""
            known = self._describe_models(query, stated)
            return because(
                Why.NOT_OF_MODEL, task=task, campaign=campaign, model=stated, known=known
            )
        if query.has_any(query.models, query.attempt):
            return because(Why.NOT_OF_FACTORS, task=task, campaign=campaign)
        model = f" with {row.model}" if row.model else ""
        return because(
            Why.NOT_THAT_ATTEMPT,
            task=task,
            campaign=campaign,
            model=model,
            attempt=query.attempt,
        )

    def _describe_models(self, query: Query, stated: str) -> str:
        """Return the models that runs of the task have; with the line of the settings that makes the stated name one
        of them, where it may be."""
        models: set[str] = set()
        for task in query.tasks:
            for position in query.table.get((task, "", None, query.campaign), ()):
                models.add(self.entries[position].model or "")
        known = sorted(filter(None, models))
        if not known:
            return ""
        quoted = ", ".join(f"'{model}'" for model in known[:MAX_MODELS])
        likely = [model for model in known if self.models.may_be(stated, model)]
        if not likely:
            return f"; they have {quoted}"
        line = f"`names: {{model: {{{setting_key(stated)}: {setting_key(likely[0])}}}}}`"
        return f"; they have {quoted}. If it is {likely[0]}, add {line} to the settings"

    def _query(self, row: Row) -> Query:
        """Return what a row asks for; without tasks where no run has its task or its commit."""
        models = self._model_keys_of_row(row)
        campaign = row.campaign.casefold() if row.campaign else None
        task = row.task or ""
        bare, number = split_attempt(task)
        bare_attempt = number if row.attempt is None else row.attempt
        for table, name, attempt in (
            (self._exact, task, row.attempt),
            (self._bare, bare, bare_attempt),
        ):
            names = dict.fromkeys((name.casefold(), self._naming.task(name).casefold()))
            tasks = [key for key in names if self._near(row, table.get((key, "", None, None), ()))]
            if tasks:
                return Query(table, tasks, models, attempt, campaign)
        commit = commit_key(row.commit or "")
        is_known = row.commit and (commit, "", None, None) in self._exact
        return Query(self._exact, [commit] if is_known else [], models, row.attempt, campaign)

    def _near(self, row: Row, positions: Sequence[int]) -> Sequence[int]:
        """Return those of the runs that lie where a report that nobody named speaks of; all of them for any other
        row."""
        if not row.below:
            return positions
        for folder in row.below:
            near = [
                position for position in positions if lies_below(folder, self._places[position])
            ]
            if near:
                return near
        return ()

    def _with_same_factors(self, row: Row, positions: Sequence[int]) -> Sequence[int]:
        """Return those of the runs whose factors are not others than the row states; of a measurement, which is of a
        patch, those with its commit, and the one that left a patch where only one did. A verdict tells no such
        thing."""
        if not row.columns and not row.commit:
            return positions
        factors = dict(row.columns)
        same = [
            position for position in positions if self._has_factors(self.entries[position], factors)
        ]
        if row.commit and not row.task:
            same = [
                position for position in same if is_about_commit(self.entries[position], row.commit)
            ]
        if row.commit and row.outcome is None and len(same) > 1 and not row.reference:
            same = [position for position in same if position in self.preferred] or same
            patched = [position for position in same if self._left_patch(self.entries[position])]
            if len(patched) == 1:
                same = patched
        if len(same) == len(positions):
            return positions
        return self._kept.setdefault(tuple(same), same)

    def _has_factors(self, entry: Entry, factors: Mapping[str, str]) -> bool:
        """Return whether no factor of a run is another one."""
        for name, text in factors.items():
            value = entry.factor(name) or text
            if name == "agent":
                if not self._is_by_agent(entry, text):
                    return False
            elif value.casefold() != text.casefold():
                return False
        return True

    def _is_by_agent(self, entry: Entry, agent: str) -> bool:
        """Return whether a run is by the agent of a row: where paths name one so, by no other that is only called like
        it, as `codex` and `codex_cli` are."""
        stated = entry.factor("agent")
        if stated and agent.casefold() in self._agents:
            return stated.casefold() == agent.casefold()
        return self._naming.agent(agent).casefold() == self._naming.agent(entry.agent).casefold()

    def _model_of(self, row: Row) -> str | None:
        """Return the model of a row: as it states it, or the name in its path that any run has as a model."""
        if row.model:
            return row.model
        for hint in row.model_hints:
            if not self._known_models.isdisjoint(self.models.names(hint)):
                return hint
        return None

    def _model_keys_of_row(self, row: Row) -> list[str]:
        """Return keys for the model of a row, the most exact first; one that fits any model when it has none."""
        model = self._model_of(row)
        if not model:
            return [""]
        return [f"{kind} {name}" for name in self.models.names(model) for kind in ("path", "file")]


def lies_below(folder: str, places: Sequence[str]) -> bool:
    """Return whether any of these files lies below a folder."""
    return any(place.startswith(folder) for place in places)


def is_about_commit(entry: Entry, commit: str) -> bool:
    """Return whether a run is about a commit: of two forms of one, one begins the other."""
    commits = commits_of(entry)
    return any(known.startswith(commit) or commit.startswith(known) for known in commits)


def commits_of(entry: Entry) -> list[str]:
    """Return the commits that a run may be about, in full or their first digits: a factor of it, or the end of its
    task."""
    commits = [text.lower() for name, text in entry.factors if name == "commit" and is_commit(text)]
    for task in (entry.task, entry.run.task):
        if task and (commit := _COMMIT.search(task.lower())):
            commits.append(commit[0])
    return list(dict.fromkeys(commits))


_COMMIT = re.compile(r"(?<![0-9a-z])[0-9a-f]{7,40}\Z")


def commit_key(commit: str) -> str:
    """Return what stands in a key for the task of a commit."""
    return f"\0{commit[:7]}"


_ATTEMPT = re.compile(
    r"(.+?)(?:\.([0-9]{1,9})-of-[0-9]{1,9}(?:\.[^\n]*)?|(?:__|[._-])run[_-]?([0-9]{1,9}))",
    re.IGNORECASE,
)


def split_attempt(task: str) -> tuple[str, int | None]:
    """Return a task without the attempt that a benchmark appends, and that attempt."""
    parts = _ATTEMPT.fullmatch(task)
    return (parts[1], int(parts[2] or parts[3])) if parts else (task, None)


def setting_key(name: str) -> str:
    """Return a name as settings in YAML write it."""
    is_plain = re.fullmatch(r"[A-Za-z][\w./ +-]*", name)
    return name if is_plain else json.dumps(name, ensure_ascii=False)
