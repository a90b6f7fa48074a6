"""How much processor time reading takes, beside that of another tree: for each folder, both in turn, ten times.

    git worktree add /tmp/before 1a2b3c
    python3 -m benchmarks.reading --beside /tmp/before ../shared/runs/*

Each tree has a process of its own that stays, so that loading does not count. The least of all times is compared: all
that other programs do can only add to it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMES = 10
WORKER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from sitegen import readers
from sitegen.errors import ReadError
from sitegen.readers.run_file import RunFile
for folder in sys.stdin:
    paths = [path for path in sorted(Path(folder.strip()).rglob("*")) if path.is_file()]
    contents = [(path.name, path.read_bytes()) for path in paths]
    start = time.process_time()
    for name, content in contents:
        try:
            readers.parse_file(RunFile.of(name, content), named=False)
        except ReadError:
            pass
    print(time.process_time() - start, flush=True)
"""


class Worker:
    """A process that reads with the readers of one tree."""

    def __init__(self, tree: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(tree)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, folder: Path) -> float:
        """Return the processor time that reading all files of a folder took."""
        questions, answers = self._process.stdin, self._process.stdout
        if questions is None or answers is None:
            return 0.0
        questions.write(f"{folder.resolve()}\n")
        questions.flush()
        return float(answers.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def main() -> None:
    """Print the least time of each folder in both trees, and their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--beside", type=Path, required=True, metavar="TREE")
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    workers = (Worker(options.beside), Worker(ROOT))
    for folder in options.folders:
        rounds = [[worker.seconds(folder) for worker in workers] for _ in range(options.times)]
        before, now = map(min, zip(*rounds, strict=True))
        print(f"{folder.name:28} {before:8.3f} {now:8.3f} {now / before if before else 1:6.2f}")
    for worker in workers:
        worker.close()


if __name__ == "__main__":
    main()
