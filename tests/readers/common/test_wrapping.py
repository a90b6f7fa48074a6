"""Files that a log has wrapped line by line: they give the run of the file that is not wrapped, and say so once."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen import load_runs, readers
from sitegen.model import BEGINNING, ResultKey, Run
from sitegen.readers.common.wrapping import wrapping_of
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile
from tests.conftest import ROOT
from tests.support.clock import seconds_since
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source

CORPUS = ROOT / "tests" / "corpus" / "reader"
TEXTS = sorted(
    path
    for path in CORPUS.iterdir()
    if path.suffix in (".json", ".jsonl", ".traj")
    and path.name not in ("deep.json", "error.json", "utf16.json")
    # What programs write beside sessions is never printed.
    and path.stem not in ("agent-skills", "vally")
)
"""One file of each reader, streams and documents on several lines."""
Wrap = Callable[[list[str]], str]


def each(form: Callable[[int, str], str], end: str = "\n") -> Wrap:
    return lambda lines: "".join(form(number, line) + end for number, line in enumerate(lines))


def clock(number: int) -> str:
    return f"{10 + number // 3600 % 14:02}:{number // 60 % 60:02}:{number % 60:02}"


def fraction(number: int) -> str:
    return ["", ".1", ".1234567", ".25"][number % 4]


def chunked(lines: list[str], form: Callable[[str, bool], str]) -> str:
    """Each line in parts of 50 characters; `form` is told whether a part ends its line."""
    parts = [
        (line[at : at + 50], at + 50 >= len(line))
        for line in lines
        for at in range(0, max(len(line), 1), 50)
    ]
    return "".join(form(part, is_last) + "\n" for part, is_last in parts)


def gitlab(lines: list[str]) -> str:
    said, sign = "", " "
    for line in lines:
        for at in range(0, max(len(line), 1), 50):
            said += f"2026-06-01T10:00:00.123456Z 00O{sign}{line[at : at + 50]}\n"
            sign = "+"
        sign = " "
    return said


NOISE = ["npm warn old lockfile", "Traceback (most recent call last):", '  File "x.py", line 1']
WRAPS: dict[str, Wrap] = {
    "github": lambda lines: (
        "\ufeff"
        + each(lambda n, line: f"2026-06-01T{clock(n)}.1234567Z {line}")(
            ["##[group]Run claude -p", "shell: /usr/bin/bash -e {0}", "##[endgroup]", *lines]
        )
    ),
    "github, all jobs": each(
        lambda n, line: f"build\tRun the agent\t2026-06-01T{clock(n)}.1234567Z {line}"
    ),
    "github on windows": each(lambda n, line: f"2026-06-01T{clock(n)}.1234567Z {line}", "\r\n"),
    "gitlab": gitlab,
    "docker": each(
        lambda n, line: json.dumps(
            {"log": f"{line}\n", "stream": "stdout", "time": f"2026-06-01T10{fraction(n)}Z"}
        )
    ),
    "docker, long lines": lambda lines: chunked(
        lines,
        lambda part, is_last: json.dumps(
            {"log": part + "\n" * is_last, "stream": "stdout", "time": "t"}
        ),
    ),
    "docker logs -t": each(lambda n, line: f"2026-06-01T{clock(n)}{fraction(n)}Z {line}"),
    "containerd": lambda lines: chunked(
        lines,
        lambda part, is_last: f"2026-06-01T10:00:00.1Z stdout {'F' if is_last else 'P'} {part}",
    ),
    "compose": each(lambda _, line: f"agent-1  | {line}"),
    "compose, coloured": each(lambda _, line: f"\x1b[36magent-1  |\x1b[0m {line}"),
    "compose, two services": lambda lines: "".join(
        f"db-1     | checkpoint {number}\ndb-1     | done\nagent-1  | {line}\n"
        for number, line in enumerate(lines)
    ),
    "compose in a log of CI": each(
        lambda n, line: f"2026-06-01T{clock(n)}.1234567Z agent-1  | {line}"
    ),
    "stdout in docker": each(
        lambda _, line: json.dumps({"log": f"[stdout] {line}\n", "stream": "stdout"})
    ),
    "kubectl": each(lambda _, line: f"[pod/agent-7f9c/agent] {line}"),
    "stern": each(lambda _, line: f"agent-7f9c agent {line}"),
    "tag": each(lambda _, line: f"[stdout] {line}"),
    "tag and stderr": lambda lines: (
        "".join(f"{noise}\n" for noise in NOISE)
        + "".join(
            f"[stdout] {line}\n[stderr] retry {number}\n" for number, line in enumerate(lines)
        )
    ),
    "logging of Python": each(
        lambda n, line: f"2026-06-01 {clock(n)},{n:03} - agent - INFO - {line}"
    ),
    "logging, short": each(lambda _, line: f"INFO:agent:{line}"),
    "loguru": each(
        lambda n, line: f"2026-06-01 {clock(n)}.123 | INFO     | agent:run:{n % 90 + 10} - {line}"
    ),
    "syslog": each(
        lambda n, line: (
            f"{['Jun  9', 'Jun 10', 'Jul  1'][n % 3]} {clock(n)} host claude[{n + 7}]: {line}"
        )
    ),
    "journal": each(lambda n, line: f"2026-06-01T{clock(n)}+0200 host claude[123]: {line}"),
    "journal as JSON": each(
        lambda _, line: json.dumps({"_PID": "7", "MESSAGE": line, "PRIORITY": "6"})
    ),
    "heroku": each(
        lambda n, line: f"2026-06-01T{clock(n)}.{n % 1_000_000:06}+00:00 app[web.1]: {line}"
    ),
    "ts": each(lambda n, line: f"Jun 01 {clock(n)} {line}"),
    "seconds": each(lambda n, line: f"[{n:5}.{n % 1000:03}] {line}"),
    "milliseconds": each(lambda n, line: f"17718816136{n % 90 + 10} {line}"),
    "events": lambda lines: (
        ": ping\n\n"
        + "".join(f"event: message\nid: {n}\ndata: {line}\n\n" for n, line in enumerate(lines))
        + "data: [DONE]\n\n"
    ),
    "data": each(lambda _, line: f"data:{line}", "\n\n"),
    "message": each(
        lambda n, line: json.dumps({"timestamp": n, "message": line, "logStreamName": "a/b"})
    ),
    "typed": each(lambda _, line: json.dumps({"type": "stdout", "data": f"{line}\n"})),
    "syslog of RFC 5424": each(
        lambda n, line: f"<14>1 2026-06-01T{clock(n)}Z host agent 1 - - {line}"
    ),
    "buildkite": each(lambda n, line: f"\x1b_bk;t=17776296{n:05}\x07{line}"),
    "circleci": each(
        lambda n, line: json.dumps({"message": f"{line}\r\n", "time": f"T{n}", "type": "out"})
    ),
    "structlog": each(
        lambda n, line: json.dumps({"event": line, "level": "info", "timestamp": f"T{n}"})
    ),
    "jq --seq": each(lambda _, line: f"\x1e{line}"),
    "cat -n": each(lambda n, line: f"{n + 1:6}\t{line}"),
    "a quote": each(lambda _, line: f"> {line}"),
    "pm2": each(lambda _, line: f"0|agent  | {line}"),
}


def read(name: str, content: bytes) -> tuple[Run, ...]:
    return read_source(RunFile.of(name, content), named=True) or ()


def facts(runs: tuple[Run, ...]) -> list[Run]:
    """All but what is said of the file, and the marks by which other files are known as copies of it."""

    def results(run: Run) -> tuple[ResultKey, ...]:
        return tuple(each for each in run.results if not each.uuid.startswith(BEGINNING))

    return [dataclasses.replace(run, caveats=(), results=results(run)) for run in runs]


def noise(runs: tuple[Run, ...]) -> list[str]:
    said = (caveat.text for run in runs for caveat in run.caveats)
    return list(dict.fromkeys(text for text in said if text.startswith("Each line ")))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_a_wrapped_file_gives_the_same_runs(path: Path) -> None:
    content = path.read_bytes()
    name = f"{path.stem}.log"
    plain = read(name, content)
    for kind, wrap in WRAPS.items():
        wrapped = wrap(content.decode().splitlines()).encode()
        file = RunFile.of(name, wrapped)
        runs = read_source(file, named=True) or ()
        assert facts(runs) == facts(plain), kind
        assert len(noise(runs)) == len(file.wrappings) > 0, kind
        if plain[0].steps:
            found = [
                list(raw_steps(RunFile.of(name, each), plain[0].locator))
                for each in (content, wrapped)
            ]
            assert found[0] == found[1], kind


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("kind", ["github", "docker", "tag and stderr", "events"])
def test_a_wrapped_file_may_be_in_utf_16(kind: str, encoding: str) -> None:
    content = (CORPUS / "stream.jsonl").read_bytes()
    text = WRAPS[kind](content.decode().splitlines()).removeprefix("\ufeff")
    runs = read("a.log", ("\ufeff" * (encoding != "utf-16") + text).encode(encoding))
    assert facts(runs) == facts(read("a.log", content))
    assert len(noise(runs)) == 1


@pytest.mark.parametrize("field", ["jsonPayload", "event", "data", "result"])
def test_a_record_of_a_log_may_have_the_object_itself(field: str) -> None:
    lines = (CORPUS / "stream.jsonl").read_text(encoding="utf-8").splitlines()
    beside = {"insertId": "x"} if field == "jsonPayload" else {}
    wrapped = "".join(json.dumps({field: json.loads(line)} | beside) + "\n" for line in lines)
    runs = read("a.log", wrapped.encode())
    assert facts(runs) == facts(read("a.log", "\n".join(lines).encode()))
    assert len(noise(runs)) == 1


def test_what_is_said_of_a_prefix_quotes_nothing_of_it() -> None:
    lines = b'{"type": "system"}\n{"type": "result"}\n'.splitlines(keepends=True)
    for prefix in (b"acme-secret-project | ", b"2026-01-02T03:04:05Z acme-secret: "):
        (wrapping,) = RunFile.of("a.log", b"".join(prefix + line for line in lines)).wrappings
        assert wrapping.what.startswith("Each line begins with ") and "acme" not in wrapping.what


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_a_file_without_a_wrapping_has_none(path: Path) -> None:
    content = path.read_bytes()
    for before in (b"", b"npm warn old\n", b"[INFO] starting\n\n"):
        assert RunFile.of(f"{path.stem}.log", before + content).wrappings == ()


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\n- a {\n- b\n- c\n",
        'const runs = {\n  "a": 1\n};\n',
        'sitegenRuns({"a": 1})\n',
        "body {\n  color: red;\n}\n",
        '<<<<<<< HEAD\n{"a": 1}\n=======\n{"a": 2}\n>>>>>>> x\n',
        '// {"a": 1}\n// {"a": 2}\n',
        '{"type": "error", "message": "{\\"detail\\": 1}"}\n',
        '{"type": "result", "result": "{\\"log\\": 1}", "data": "{}"}\n',
        '{"log": "no JSON in it"}\n',
        "[12:00:00] [INFO] waiting\n" * 30 + '[12:00:01] [ERROR] Output: {"type": "result"}\n' * 2,
        "",
        "\n\n",
        '["data: 1", {"log": "{}"}]',
    ],
)
def test_what_only_looks_like_one_is_left_as_it_is(text: str) -> None:
    assert wrapping_of(text.encode()) is None


@pytest.mark.parametrize("name", ["README.md", "notes.rst", "NOTES.txt"])
@pytest.mark.parametrize(
    ("sample", "mark"), [("transcript", "> "), ("result", "> "), ("transcript", "")]
)
def test_a_document_that_quotes_a_run_is_not_a_run(name: str, sample: str, mark: str) -> None:
    (path,) = CORPUS.glob(f"{sample}.json*")
    quoted = [json.dumps(each) for each in documents(path.read_bytes())][:2]
    body = "\n".join(mark + each for each in quoted)
    content = f"# Notes\n\nIt looks so:\n\n```\n{body}\n```\n\nMore below.\n".replace(
        "```\n> ", "> "
    )
    assert isinstance(readers.parse_file(RunFile.of(name, content.encode()), named=False), NotARun)


def test_a_wrapped_file_is_read_from_anywhere() -> None:
    content = (CORPUS / "stream.jsonl").read_bytes()
    file = RunFile.of("a.log", WRAPS["compose"](content.decode().splitlines()).encode())
    assert file.read() == content
    stream = file.open()
    for at in (70, 5, 0, len(content) - 3, len(content) + 9):
        stream.seek(at)
        assert stream.tell() == min(at, len(content))
        assert stream.read() == content[at:]
    assert (
        file.digest()
        == RunFile.of("a", WRAPS["compose"](content.decode().splitlines()).encode()).digest()
    )


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        " ",
        "1 ",
        "1:1",
        "2026-06-01T10:00:00Z ",
        "stdout P ",
        "{",
        '{"',
        "[",
        "a{",
        "data:",
        "\x1b[0m",
        '{"log":"',
    ],
)
def test_a_beginning_made_to_be_slow_is_looked_at_fast(unit: str) -> None:
    for text in (
        unit * (65_536 // len(unit)),
        f"{unit * 20}{{\n" * (65_536 // (20 * len(unit) + 2)),
    ):
        start = time.process_time()
        if wrapping := wrapping_of(text.encode()):
            list(wrapping.unwrap(io.BytesIO(text.encode() * 8)))
        assert seconds_since(start) < 1, text[:80]


WIDTH = 80


def wrapped_by_a_terminal(text: str) -> str:
    return "\n".join(
        line[at : at + WIDTH]
        for line in text.split("\n")
        for at in range(0, max(len(line), 1), WIDTH)
    )


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
@pytest.mark.parametrize("before", ["", "Ripgrep is not available.\n"])
def test_a_file_copied_from_a_terminal_gives_the_same_runs(path: Path, before: str) -> None:
    text = path.read_text(encoding="utf-8")
    name = f"{path.stem}.log"
    content = f"{before}{wrapped_by_a_terminal(text)}".encode()
    runs = read(name, content)
    assert facts(runs) == facts(read(name, text.encode()))
    if RunFile.of(
        name, content
    ).wrappings:  # else each line ends between two values, which needs no help
        assert [each.text for run in runs for each in run.caveats if "terminal" in each.text]
    else:
        is_long = re.search(rf"^.{{{WIDTH + 1}}}", text, re.MULTILINE)
        told = "break its lines at 80 characters, so that they are read as a terminal wraps them"
        assert path.name in ("tb-run.json", "openhands.jsonl") or not is_long, told


@pytest.mark.parametrize(
    ("session", "wraps", "runs"),
    [
        ("ses_1", ("github", "compose"), 2),
        ("ses_1", ("compose", None), 2),
        ("ses_1", (None, None), 1),
        ("ses_4kT9w2Lq", ("github", "compose"), 1),
    ],
)
def test_logs_that_show_a_made_up_session_are_runs_of_their_own(
    tmp_path: Path, session: str, wraps: tuple[str | None, ...], runs: int
) -> None:
    end = {"id": "p2", "messageID": "m1", "type": "step-finish", "reason": "stop", "cost": 0.002}
    end["tokens"] = {"input": 100, "output": 20, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    parts = [{"id": "p1", "messageID": "m1", "type": "step-start"}, end]
    lines = [
        json.dumps(
            {
                "type": str(part["type"]).replace("-", "_"),
                "timestamp": at,
                "sessionID": session,
                "part": part,
            }
        )
        for at, part in enumerate(parts, 1_771_881_613_697)
    ]
    for number, wrap in enumerate(wraps):
        text = (
            WRAPS[wrap](lines) if wrap else "".join(f"{line}\n" for line in lines) + "\n" * number
        )
        (tmp_path / f"{number}.log").write_text(text, encoding="utf-8")
    assert len(load_runs(str(tmp_path))) == runs


def retyped(value: object, kind: Callable[[int | float], object], name: str = "") -> object:
    """The value with its counts, costs and durations as another type."""
    if isinstance(value, dict):
        return {key: retyped(inner, kind, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [retyped(inner, kind, name) for inner in value]
    counts = re.search("token|cost|duration|num_turns", name, re.IGNORECASE)
    return kind(value) if type(value) in (int, float) and counts else value  # type: ignore[arg-type]


def documents(content: bytes) -> list[object]:
    try:
        return [json.loads(content)]
    except ValueError:
        return [json.loads(line) for line in content.decode().splitlines() if line.strip()]


AROUND: dict[str, Callable[[bytes], bytes]] = {
    "warnings before": lambda content: b"npm warn old lockfile\nStarting agent...\n" + content,
    "a fence": lambda content: b"```json\n" + content.rstrip() + b"\n```\n",
    "a record of another program": lambda content: (
        b'{"level": "info", "msg": "container started"}\n' + content
    ),
    "numbers as float": lambda content: "\n".join(
        json.dumps(retyped(each, float)) for each in documents(content)
    ).encode(),
    "numbers as str": lambda content: "\n".join(
        json.dumps(retyped(each, str)) for each in documents(content)
    ).encode(),
}


@pytest.mark.parametrize("change", AROUND)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_text_around_json_and_types_of_numbers_change_no_figure(path: Path, change: str) -> None:
    runs, changed = (
        read(path.name, content)
        for content in (path.read_bytes(), AROUND[change](path.read_bytes()))
    )
    figures = [
        [(run.tokens, run.cost_usd, run.turns, run.wall_ms, run.outcome) for run in each]
        for each in (runs, changed)
    ]
    assert figures[0] == figures[1]
