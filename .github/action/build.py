"""Builds the site for the action, and reports the result as GitHub reads it: outputs, a summary, annotations.

Reads RUNS (one a line), CONFIG, OUTPUT, CAMPAIGN, DATE, STRICT, HISTORY, CACHE, SITEGEN_CACHE_KEY, RUNNER_TEMP,
GITHUB_OUTPUT and GITHUB_STEP_SUMMARY. Ends with
0 whenever the build could be started: its exit code is an output, so that a site is there although a gate has not
passed.
Standard library only; made for any Python 3 of a runner.
"""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

MAX_ANNOTATIONS = 10
"""GitHub shows no more of a step."""


def main() -> int:
    """0, or the code of what kept the build from being started."""
    temporary = Path(os.environ["RUNNER_TEMP"])
    runs = [line.strip() for line in os.environ.get("RUNS", "").splitlines() if line.strip()]
    summary, answer = temporary / "sitegen-summary.md", temporary / "sitegen.json"
    if summary.exists():
        summary.unlink()
    command = [str(program(temporary)), "build", "--json", "--summary", str(summary)]
    for option, name in (
        ("-c", "CONFIG"),
        ("-o", "OUTPUT"),
        ("--campaign", "CAMPAIGN"),
        ("--date", "DATE"),
    ):
        if os.environ.get(name):
            command += [option, os.environ[name]]
    strict, history = (os.environ.get(name, "false") for name in ("STRICT", "HISTORY"))
    for name, value in (("strict", strict), ("history", history)):
        if value not in ("true", "false"):
            print(f"::error::{name}: write true or false.")
            return 2
    command += ["--strict"] if strict == "true" else []
    if not os.environ.get("SITEGEN_CACHE_KEY"):
        command.append("--no-cache")
        if os.environ.get("CACHE") == "true":
            print(
                "::notice::No cache is kept between jobs: set SITEGEN_CACHE_KEY to a secret of 32 random characters."
            )
    if history == "true":
        kept = str(temporary / "sitegen-history.jsonl")
        python = str(program(temporary, "python"))
        script = str(Path(__file__).with_name("history.py"))
        if code := subprocess.run([python, script, os.environ.get("CONFIG", ""), kept]).returncode:
            return code
        command += ["--history", kept]
    command += ["--", *runs]
    done = subprocess.run(command, stdout=subprocess.PIPE)
    answer.write_bytes(done.stdout)
    try:
        told = json.loads(done.stdout)
    except ValueError:  # the command line was wrong: it said so on standard error
        told = {}
    for line in annotations(told, runs):
        print(line)
    if summary.exists() and os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
            file.write(summary.read_text(encoding="utf-8") + "\n")
    tell("site", told.get("output") or "")
    tell("summary", str(summary) if summary.exists() else "")
    tell("json", str(answer))
    tell("exit-code", str(done.returncode))
    return 0


def program(temporary: Path, name: str = "sitegen") -> Path:
    """A command of the environment that `install.py` has made."""
    return (
        temporary
        / "sitegen-environment"
        / (f"Scripts/{name}.exe" if os.name == "nt" else f"bin/{name}")
    )


def annotations(told: dict, runs: list) -> list:
    """Lines that GitHub shows beside files: errors first, then gates, then problems."""
    lines = ["::error::" + data(error) for error in told.get("errors", [])]
    for gate in told.get("gates", []):
        if gate["verdict"] != "passed" and not any(gate["name"] in line for line in lines):
            lines.append(f"::error title={prop('gate ' + gate['name'])}::" + data(gate["why"]))
    for problem in told.get("problems", []):
        where = "file=" + prop(found(problem["file"], runs))
        place = (problem.get("place") or "").split(",")[0].split()
        if len(place) == 2 and place[0] == "line" and place[1].isdigit():
            where += ",line=" + place[1]
        lines.append(f"::warning {where},title={prop(problem['code'])}::" + data(problem["reason"]))
    more = len(lines) - MAX_ANNOTATIONS
    if more > 0:
        lines = [
            *lines[: MAX_ANNOTATIONS - 1],
            f"::warning::{more + 1} more problems: see the problems page of the site.",
        ]
    return lines


def found(path: str, runs: list) -> str:
    """Where a file lies in the repository, whose path the site shows relative to its input."""
    places = [os.path.join(run, path) for run in runs] + [
        run for run in runs if os.path.basename(run) == path
    ]
    return next((place for place in places if os.path.isfile(place)), path).replace(os.sep, "/")


def data(text: str) -> str:
    """A text as a command of the runner has it: what runs say can begin no other command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def prop(text: str) -> str:
    """The same as a property of a command."""
    return data(text).replace(":", "%3A").replace(",", "%2C")


def tell(name: str, value: str) -> None:
    """Set an output of the step."""
    end = secrets.token_hex(16)
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        file.write(f"{name}<<{end}\n{value}\n{end}\n")


if __name__ == "__main__":
    sys.exit(main())
