"""What steps cost: a cold build of runs that hold their steps, against the same runs without.

    .venv/bin/python -m benchmarks.steps [--runs 1000] [--steps 100] [--repeat 3] [--level outline]

The runs are those of `benchmarks.floor`. Those with steps are streams: texts, thoughts, and calls whose answers have
600 characters in the median, 1.3 kB on average. Printed are seconds of processor time, each a whole process, in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.floor import MODELS, NOUNS, QUALITIES, VERBS, processor, run_file, sentence
from benchmarks.peers import measured


def stream(result: dict[str, object], number: int, steps: int) -> str:
    """The lines of a run of so many steps that ends with this result."""
    rng, session = random.Random(number), result["session_id"]  # noqa: S311  the same number gives the same file
    records: list[dict[str, Any]] = [
        {
            "type": "system",
            "subtype": "init",
            "session_id": session,
            "model": MODELS[number % 2],
            "cwd": "/srv/demo",
        }
    ]
    for step in range(steps - 1):
        begun, kind = f"{number}-{step}", rng.random()
        sent = {
            "input_tokens": 5,
            "cache_creation_input_tokens": 900,
            "cache_read_input_tokens": 900 * step,
        }
        message: dict[str, Any] = {"id": begun, "role": "assistant", "model": MODELS[number % 2]}
        message["usage"] = sent | {"output_tokens": rng.randint(3, 90)}
        if kind < 0.2:
            block = {"type": "text", "text": sentence(rng)}
        elif kind < 0.25:
            block = {"type": "thinking", "thinking": sentence(rng), "signature": "x" * 200}
        else:
            block = {"type": "tool_use", "id": f"call-{begun}"} | call(rng)
        message["content"] = [block]
        records.append(
            {
                "type": "assistant",
                "message": message,
                "session_id": session,
                "uuid": begun,
                "parent_tool_use_id": None,
            }
        )
        if block["type"] == "tool_use":
            failed = rng.random() < 0.05
            text = answer(rng)
            given = {
                "type": "tool_result",
                "tool_use_id": block["id"],
                "content": text,
                "is_error": failed,
            }
            at = f"2026-02-{1 + number % 28:02}T{step // 60:02}:{step % 60:02}:00.{rng.randint(0, 999):03}Z"
            records.append(
                {
                    "type": "user",
                    "message": {"role": "user", "content": [given]},
                    "session_id": session,
                }
                | {"uuid": f"{begun}-answer", "parent_tool_use_id": None, "timestamp": at}
            )
    return "".join(json.dumps(record) + "\n" for record in (*records, result))


def call(rng: random.Random) -> dict[str, Any]:
    """Name and input of a tool."""
    file = f"/srv/demo/{rng.choice(NOUNS)}/{rng.choice(NOUNS)}.py"
    name = rng.choice(("Read", "Read", "Grep", "Edit", "Bash", "Bash"))
    given = {
        "Read": {"file_path": file},
        "Grep": {"pattern": rng.choice(NOUNS), "path": "/srv/demo"},
        "Edit": {"file_path": file, "old_string": lines(rng, 4), "new_string": lines(rng, 6)},
        "Bash": {
            "command": f"cd /srv/demo && python3 -m pytest -q {file}",
            "description": sentence(rng),
        },
    }[name]
    return {"name": name, "input": given}


def answer(rng: random.Random) -> str:
    """What a tool answers."""
    return lines(rng, max(1, min(400, int(rng.lognormvariate(2.7, 1.2)))))


def lines(rng: random.Random, count: int) -> str:
    """Lines of about 40 characters."""
    words = (VERBS, QUALITIES, NOUNS, NOUNS)
    return "\n".join(
        f"    {number:4} {' '.join(map(rng.choice, words))}" for number in range(count)
    )


def write(folder: Path, runs: int, steps: int | None) -> int:
    """Write the runs, as streams or without steps; how many bytes they have."""
    size = 0
    for number in range(runs):
        result = run_file(number)
        text = json.dumps(result) if steps is None else stream(result, number, steps)
        path = (
            folder
            / f"task-{number // 10:05}"
            / f"attempt-{number % 10}.{'json' if steps is None else 'jsonl'}"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        size += len(text)
    return size


def main() -> None:
    """Build both in turn, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--level", default="outline")
    arguments = parser.parse_args()
    print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sizes = [
            write(folder / f"runs-{name}", arguments.runs, name) for name in (None, arguments.steps)
        ]
        print(
            f"{arguments.runs:,} runs: {sizes[0] / 1e6:.1f} MB without steps, {sizes[1] / 1e6:.1f} MB with"
        )
        costs: dict[str, list[float]] = {"None": [], str(arguments.steps): []}
        for _ in range(arguments.repeat):
            for name, taken in costs.items():
                options = [
                    "-q",
                    "--no-cache",
                    "--no-config",
                    "--steps",
                    arguments.level,
                    "-o",
                    f"site-{name}",
                ]
                command = [sys.executable, "-m", "sitegen", "build", f"runs-{name}", *options]
                taken.append(measured(command, folder).cpu_seconds)
    without, with_steps = costs.values()
    for label, taken in (("without", without), ("with", with_steps)):
        print(
            f"{label:8}{min(taken):8.1f}{statistics.median(taken):8.1f}{max(taken):8.1f}  CPU s: least, median, most"
        )
    print(
        f"ratio   {statistics.median(b / a for a, b in zip(without, with_steps, strict=True)):8.2f}"
    )


if __name__ == "__main__":
    main()
