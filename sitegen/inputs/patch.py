"""The patch that lies beside a run."""

import os
from collections import Counter
from collections.abc import Iterable
from itertools import chain

from sitegen.inputs.discover import Neighbours, shared_stem
from sitegen.model import Entry, Source


def find(entries: Iterable[Entry], name: str = "model_patch.diff") -> dict[str, Source]:
    """Return the patch beside each run that has one, by page id; read it with `discover.read_bytes`.

    The patch of `1.json`, or of `1.json.gz`, is `1.diff` or `1.patch` beside it, else `name` in its folder when no
    other run lies there, or beside what the program says that ran the agent. A patch that could belong to several runs
    belongs to none.
    """
    entries = list(entries)
    neighbours = Neighbours()
    stems = {entry.id: shared_stem(entry.source.location) for entry in entries}
    folders = [_folders_of(entry) for entry in entries]
    of_stem = Counter(stems.values())
    of_folder = Counter(chain.from_iterable(folders))
    beside: dict[str, Source] = {}
    for entry in entries:
        stem = os.path.basename(stems[entry.id])  # noqa: PTH119
        names = [f"{stem}.diff", f"{stem}.patch"] if of_stem[stems[entry.id]] == 1 else []
        patches = neighbours.find(entry.source, names)
        for place in entry.places if not patches else ():
            is_alone = of_folder[os.path.dirname(place.location)] == 1  # noqa: PTH120
            patches += neighbours.find(place, [name]) if is_alone else ()
        if patches:
            beside[entry.id] = patches[0]
    return beside


def _folders_of(entry: Entry) -> set[str]:
    return {os.path.dirname(place.location) for place in entry.places}  # noqa: PTH120
