"""The way a command ends: its exit code, its last words, and the object that it prints for programs."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from sitegen import __version__
from sitegen.cli import running
from sitegen.cli.running import Call, CommandResult, about_runs, apply_strict, exits, why_failed
from sitegen.cli.terminal import Terminal, terminal
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.pages.findings import Finding
from sitegen.system import interrupts


@pytest.fixture(autouse=True)
def as_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in vars(Terminal()).items():
        monkeypatch.setattr(terminal, name, value)
    monkeypatch.setattr(running, "is_published", False)
    monkeypatch.setattr(interrupts, "received", False)


def call(**values: Any) -> Call:
    return Call(**{"runs": (), "config_path": None, "no_config": False, "quiet": False, **values})


def raising(error: BaseException) -> Callable[..., int]:
    def build(**_: object) -> int:
        raise error

    return build


def exit_code(command: Callable[..., int], **given: Any) -> object:
    with pytest.raises(SystemExit) as ended:
        exits(command)(**given)
    return ended.value.code


NOTHING = "Nothing was published, and an old site is as it was"


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (ConfigError("c.yaml:1:1: wrong"), 2, "c.yaml:1:1: wrong"),
        (RefusedOutput("x is a link"), 2, "sitegen: x is a link"),
        (PublishError("no space"), 4, "sitegen: no space"),
        (
            OSError(errno.EMFILE, "x"),
            4,
            f"sitegen: too many files are open: raise the limit (`ulimit -n`). {NOTHING}.",
        ),
        (
            ValueError("odd"),
            4,
            f"sitegen: an internal error: ValueError: odd. {NOTHING}; "
            "-v shows the traceback, please report it.",
        ),
    ],
)
def test_a_fault_has_an_exit_code_and_a_sentence(error: Exception, code: int, text: str) -> None:
    assert why_failed(error) == (text, code)


def test_what_fails_after_a_site_is_written_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "is_published", True)
    assert why_failed(ValueError("odd")) == (
        "sitegen: an internal error: ValueError: odd. The site is written; "
        "-v shows the traceback, please report it.",
        1,
    )
    assert why_failed(OSError(errno.EMFILE, "x"))[1] == 1


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (ConfigError("wrong"), 2, "wrong\n"),
        (PublishError("no space"), 4, "sitegen: no space\n"),
    ],
)
def test_a_command_ends_with_its_fault_on_standard_error(
    error: BaseException, code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(raising(error)) == code
    assert capsys.readouterr() == ("", text)


def test_an_error_of_a_library_after_a_signal_is_an_interruption(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(interrupts, "received", True)
    assert exit_code(raising(ValueError("odd"))) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


@pytest.mark.parametrize("option", ["shows_faults", "verbose"])
def test_only_an_internal_error_shows_its_traceback(option: str) -> None:
    with pytest.raises(ValueError, match="odd"):
        exits(raising(ValueError("odd")))(**{option: True})
    assert exit_code(raising(ValueError("odd")), **{option: False}) == 4
    for error in (ConfigError("a"), RefusedOutput("a"), PublishError("a")):
        assert exit_code(raising(error), **{option: True}) in (2, 4)


def test_a_command_exits_with_its_code_and_keeps_its_arguments() -> None:
    def check(**given: object) -> int:
        assert given == {"verbose": True, "runs": 3}
        return 3

    assert exit_code(check, verbose=True, runs=3, shows_faults=True) == 3


def test_a_program_gets_one_object_and_words_go_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def check(answer: CommandResult) -> int:
        answer.set({"runs": [], "note": "##[x]"})
        terminal.say("hello")
        return terminal.fail("wrong", 3)

    assert exit_code(check, as_json=True) == 3
    printed = capsys.readouterr()
    assert printed.err == "hello\nwrong\n"
    assert "##" not in printed.out
    assert json.loads(printed.out) == {
        "schema": 1,
        "version": __version__,
        "command": "check",
        "exit_code": 3,
        "errors": ["wrong"],
        "runs": [],
        "note": "##[x]",
    }


def test_without_json_there_is_no_object(capsys: pytest.CaptureFixture[str]) -> None:
    def check(answer: CommandResult | None) -> int:
        assert answer is None
        return 0

    assert exit_code(check, as_json=False) == 0
    assert capsys.readouterr() == ("", "")


def test_the_object_of_a_build_says_where_the_site_is(tmp_path: Path) -> None:
    result = CommandResult("build")
    assert json.loads(result.text(4, ["a"]))["output"] is None
    result.set({"files": 3}, str(tmp_path / "a" / ".." / "site"))
    values = json.loads(result.text(0, []))
    assert (values["output"], values["files"]) == (str((tmp_path / "site").resolve()), 3)
    assert "output" not in json.loads(CommandResult("check").text(0, []))


def test_all_texts_of_an_object_are_masked() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    result = CommandResult("check", {"a": [{"b": f"token {secret}"}], "n": 1, "none": None})
    text = result.text(0, [])
    assert secret not in text
    values = json.loads(text)
    assert (values["n"], values["none"]) == (1, None)


def test_output_that_is_lost_makes_a_command_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def losing(code: int) -> Callable[..., int]:
        def check() -> int:
            monkeypatch.setattr(terminal, "_lost", OSError(errno.ENOSPC, "full"))
            return code

        return check

    full = "the disk is full, free some space\n"
    assert exit_code(losing(0)) == 1
    assert capsys.readouterr().err == f"sitegen: could not print all of the output: {full}"
    assert exit_code(losing(3)) == 3
    monkeypatch.setattr(running, "is_published", True)
    capsys.readouterr()
    assert exit_code(losing(0)) == 1
    assert capsys.readouterr().err == (
        f"sitegen: the site is written, but its report could not be printed: {full}"
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (errno.EPIPE, ""),
        (
            errno.ENOSPC,
            "sitegen: could not print all of the output: the disk is full, free some space\n",
        ),
    ],
)
def test_a_help_text_that_cannot_be_printed_exits(
    number: int, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(SystemExit) as ended:
        running.cannot_print(OSError(number, "x"))
    assert ended.value.code == 1
    assert capsys.readouterr().err == text


def test_settings_are_looked_for_in_the_working_folder_unless_named() -> None:
    assert call().settings_paths == (Path("sitegen.yaml"), Path("config.yaml"))
    assert call(config_path=Path("c.yaml")).settings_paths == (Path("c.yaml"),)
    assert call(no_config=True, config_path=Path("c.yaml")).settings_paths == ()


def test_the_cache_is_in_its_folder_or_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_CACHE_DIR", "/usual")
    assert call().cache == Path("/usual")
    assert call(cache_dir="/own").cache == Path("/own")
    assert call(cache_dir="/own", no_cache=True).cache is None


def test_without_strict_and_without_findings_nothing_fails() -> None:
    assert apply_strict(call(strict=True), []) == 0
    assert apply_strict(call(), []) == 0


def test_a_command_about_runs_is_given_its_call_and_options_of_its_own() -> None:
    given: dict[str, Any] = {}

    def preview(call: Call, port: int) -> int:
        given.update(call=call, port=port)
        return 3

    with pytest.raises(SystemExit) as ended:
        about_runs(preview)(runs=("a",), config_path=None, no_config=True, quiet=False, port=5)
    assert ended.value.code == 3
    assert given == {
        "call": Call(runs=("a",), config_path=None, no_config=True, quiet=False),
        "port": 5,
    }


def test_a_call_without_options_asks_for_nothing() -> None:
    assert asdict(call()) == {
        "runs": (),
        "config_path": None,
        "no_config": False,
        "quiet": False,
        "output": None,
        "file": Path(),
        "may_replace": False,
        "live_charts": False,
        "index_only": False,
        "history_path": None,
        "campaign_name": None,
        "day": None,
        "since": None,
        "until": None,
        "steps": None,
        "jobs": None,
        "cache_dir": None,
        "no_cache": False,
        "strict": False,
        "verbose": False,
        "answer": None,
    }


@pytest.mark.parametrize(
    ("strict", "group", "code"),
    [(True, "settings", 1), (True, "lost", 0), (False, "settings", 0), (False, "lost", 0)],
)
def test_only_strictness_fails_and_only_for_some_findings(
    strict: bool, group: str, code: int
) -> None:
    assert apply_strict(call(strict=strict), [Finding(group, "x")]) == code
