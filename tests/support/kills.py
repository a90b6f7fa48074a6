"""Kills builds at random moments and looks at what they leave.

    python -m tests.support.kills COUNT [SEED]

A child of this process builds a small campaign of real pages over an existing site that also holds files of others,
and is killed (SIGKILL, which nothing can catch) somewhere within the time that such a build takes. After each kill the
site must be whole, old or new, and the files of others must be the same bytes. Every tenth time a build is let through,
which must clean up all that the kills before it left. Prints what it found; exits with 1 when a promise was broken.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sitegen.config import Config, Input
from sitegen.masking.redact import Redactor
from tests.support import campaigns
from tests.support.building import build

T = TypeVar("T")
Tree = dict[str, bytes]

FOREIGN: Tree = {"CNAME": b"example.org\n", "runs/notes.txt": b"mine", "photos/p.jpg": b"\xff\xd8"}
RUNS = 12


@dataclass(frozen=True, slots=True)
class Killed:
    """What some kills came to."""

    kills: int
    """Builds that the signal ended; the others had finished before it."""
    torn: int
    """Times the site was neither the old nor the new one."""
    foreign_changed: int
    not_clean: int
    """Times a build that was let through left something behind."""


def _each(_: str, items: Sequence[T]) -> Iterable[T]:
    return items


def _build(runs: Path, output: Path) -> None:
    config = Config(inputs=(Input(path=str(runs), pattern=None),), output=str(output))
    build(config, Redactor.for_this_machine(), _each, lambda _: None, cache=output.parent / "cache")


def _killed_after(seconds: float | None, runs: Path, output: Path) -> bool:
    """Build in a child; whether the signal, which comes after so many seconds, ended it."""
    child = os.fork()
    if child == 0:
        try:
            _build(runs, output)
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"a build ended with {code}")
    return code != 0


def _tree(folder: Path) -> Tree:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def kill_builds(count: int, seed: int, folder: Path) -> Killed:
    """Kill `count` builds within `folder`, which must be empty."""
    chance = random.Random(seed)  # noqa: S311
    # Runs without figures have no charts: drawing them would be most of the time, and writes nothing.
    bare = {
        "modelUsage": None,
        "usage": None,
        "total_cost_usd": None,
        "num_turns": None,
        "duration_ms": None,
    }
    old, new, output = folder / "old", folder / "new", folder / "site"
    campaigns.write(old, {f"{n}.json": campaigns.result(n, **bare) for n in range(RUNS)})
    # Every second file is the same in both, so that its page is taken over.
    campaigns.write(
        new, {f"{n}.json": campaigns.result(n + n % 2 * RUNS, **bare) for n in range(1, RUNS + 1)}
    )
    wholes = []
    for runs in (new, old):
        _build(runs, output)
        wholes.append(_tree(output))
    for path, data in FOREIGN.items():
        (output / path).parent.mkdir(exist_ok=True)
        (output / path).write_bytes(data)
    began = time.perf_counter()
    _killed_after(None, old, output)
    took = time.perf_counter() - began
    kills = torn = foreign_changed = not_clean = tried = 0
    while kills < count:
        tried += 1
        runs = (old, new)[tried % 2]
        kills += _killed_after(chance.uniform(0, took), runs, output)
        found = _tree(output) if output.exists() else {}
        foreign_changed += any(found.get(path) != data for path, data in FOREIGN.items())
        torn += {path: data for path, data in found.items() if path not in FOREIGN} not in wholes
        if tried % 10 == 0:
            _killed_after(None, runs, output)
            not_clean += sorted(path.name for path in folder.iterdir()) != [
                "cache",
                "new",
                "old",
                "site",
            ]
    return Killed(kills, torn, foreign_changed, not_clean)


def main() -> None:
    """The command of the docstring above."""
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        found = kill_builds(count, seed, Path(folder))
    print(f"{found} in {time.perf_counter() - began:.0f} s, seed {seed}")
    sys.exit(bool(found.torn or found.foreign_changed or found.not_clean))


if __name__ == "__main__":
    main()
