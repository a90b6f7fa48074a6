"""The folders in which programs that run agents leave a run: what became of it beside the agent's own record.

Each program has a `RunFolder` here, which its reader names in `Run.folder`. A reader of your own has it
as a field `folder`.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from sitegen.model import Status
from sitegen.readers.common.records import rows
from sitegen.readers.common.values import agent_name, names_model

FIRST_EVENT = re.compile(r"event-0+-[^/]{1,200}\.json")
OTHER_EVENT = re.compile(r"event-(?!0+-)[0-9]{3,9}-[^/]{1,200}\.json")
"""Names of files of which each holds an event of one conversation."""


class RunFolder(NamedTuple):
    """The contents of the folders of one program. Paths are regular expressions, relative to the folder."""

    key: str
    results: str
    """Its own files that say what became of a run."""
    records: str
    """The paths of what the agent wrote itself."""
    companions: str
    """The other files that are usual there and say nothing of a run: they are not a problem, even if empty."""
    above: str = ""
    """Names of such files in the folder that has those of several runs in it."""
    signs: frozenset[str] = frozenset()
    """Names that only such a folder has together; empty where names do not tell."""
    decides: frozenset[Status] = frozenset({Status.FAILED, Status.STOPPED})
    """Ends of a run of which it knows more than the agent."""
    counts_attempts: bool = False
    """Whether runs of one task with one agent and model are attempts, in their order."""
    parts: re.Pattern[str] | None = None
    """Names of files that are read with the first of them, `RunFile.log`."""
    shown_by: frozenset[str] = frozenset()
    """Names of which one shows, beside an empty result, that a run died there."""
    died: Callable[[str], str] | None = None
    """The name of such a run, in words, by the path of the empty file."""
    names_task: str = ""
    """The name of the file whose task counts before that of others."""
    inner: str = ""
    """The name of a folder in the folder of a run, in which one of its results may be."""
    answers: re.Pattern[str] | None = None
    """Paths of answers of which only an error in their place is read: the run never reached its model."""
    has_lists: bool = False
    """Whether a file of results lists runs whose records are in folders below."""
    tells_copies: bool = False
    """Whether the same task, arm, attempt and figures in two folders of one workspace are one run."""
    read_path: Callable[[str, str | None], Mapping[str, str]] | None = None
    """Returns the `task` and the `model` that a path states of the run of a file, from the path and the file's task."""

    def is_known(self, within: str) -> bool:
        """Return whether a file is one of those that are expected, by its path below the folder."""
        return any(
            re.fullmatch(p, within) for p in (self.companions, self.results, self.records) if p
        )

    def is_result(self, within: str) -> bool:
        """Return whether it is where a result stands that is the only one of its folder."""
        return re.fullmatch(self.results, within) is not None

    def is_record(self, within: str) -> bool:
        """Return whether what the agent wrote itself may be in it."""
        return re.fullmatch(self.records, within) is not None

    def is_beside_run(self, path: str, neighbours: Callable[[], frozenset[str]]) -> bool:
        """Return whether a file need not be read, since its name and its neighbours tell what it is."""
        name = path.rpartition("/")[2]
        if self.parts is not None and self.parts.fullmatch(name):
            return True
        may_be = bool(self.signs) and re.fullmatch(self.companions, name) is not None
        return (
            may_be and self.signs <= neighbours()
        )  # last, since the folder is looked through for them

    def is_emptied_by(self, path: str, neighbours: Callable[[], frozenset[str]]) -> bool:
        """Return whether an empty file shows that a run died in its folder."""
        return (
            bool(self.shown_by)
            and self.is_result(path.rpartition("/")[2])
            and bool(self.shown_by & neighbours())
        )


_OF_ISO_BENCH = re.compile(
    r"(?:([^/]+)/)?([^/]+)/([^/]+)/[0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9-]{8}/[^/]+/[^/]+\Z"
)  # the repository, the agent and the model, before the time and the item


def _died(path: str) -> str:
    """Return what to call a run of ISO-Bench of which only its path tells the agent."""
    named = _OF_ISO_BENCH.search(path)
    return f"{agent_name(named[2])} run" if named else "ISO-Bench run"


def _read_path_of_iso_bench(path: str, task: str | None) -> dict[str, str]:
    """Return the model; and the task of a journal, which names its plan in place of the repository."""
    named = _OF_ISO_BENCH.search(path)
    facts: dict[str, str] = {}
    if named and names_model(named[3]):
        facts["model"] = re.sub(
            r"\A(claude-[a-z]+-[0-9])([0-9])\Z", r"\1-\2", named[3]
        )  # 45 is 4.5
    is_journal = path.endswith("/journal.json")
    # The name of the folder may be cut short: `sglan`.
    if named and named[1] and task and is_journal and not task.startswith(named[1]):
        facts["task"] = f"{named[1]}-{task.rpartition('-')[2]}"
    return facts


FOLDERS = {
    key: RunFolder(key, results, records, companions, above, frozenset(signs.split()))
    for key, results, records, companions, above, signs in rows("folders.tsv")
}
"""The folders by key, the name of a reader; here, since each build needs them and readers take time to load."""
FOLDERS["iso-bench"] = FOLDERS["iso-bench"]._replace(
    decides=frozenset({Status.STOPPED}),
    counts_attempts=True,
    shown_by=frozenset({"diff_targets.json", "run_summary.json"}),
    died=_died,
    names_task="run_summary.json",
    read_path=_read_path_of_iso_bench,
)
FOLDERS["agent-skills"] = FOLDERS["agent-skills"]._replace(
    inner="outputs", answers=re.compile(r"outputs/response\.(?:txt|md)"), tells_copies=True
)
FOLDERS["vally"] = FOLDERS["vally"]._replace(has_lists=True)
FOLDERS["openhands"] = FOLDERS["openhands"]._replace(
    parts=OTHER_EVENT
)  # conversations of its agent SDK
