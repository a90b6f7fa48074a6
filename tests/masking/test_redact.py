"""Every string of a run is clean and publishable after one place, and that place costs next to nothing."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.inputs.steps_again import published
from sitegen.masking.redact import Redactor, clean_text, terminal
from sitegen.model import (
    Caveat,
    Denial,
    Level,
    ModelUsage,
    Part,
    Portion,
    Problem,
    ResultKey,
    Run,
    Score,
    Status,
    StepCounts,
    Texts,
    Tokens,
    ToolKindCounts,
    Unmasked,
    Verdict,
)
from sitegen.steps import Step, StepKind, ToolCall, ToolKind
from sitegen.system.bounds import DEFAULT
from tests.support.clock import seconds_since

REDACTOR = Redactor(("/home/me",))


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\0b", "a\ufffdb"),
        ("\ud800 \udfff", "\ufffd \ufffd"),
        ("\ufffe\uffff\ufdd0\U0001ffff\U0010fffe", "\ufffd" * 5),
        ("\x01\x08\x0b\x0c\x1f\x7f\x80\x85\x9f.", "."),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;5;12;1m\x1b[?25hx\x1b[2K", "x"),
        ("\x9b1mx", "x"),
        ("\x1b]8;;https://example.org\x07link\x1b]8;;\x1b\\", "link"),
        ("\x9d0;title\x9cx \x1bP1;2q...\x1b\\y", "x y"),
        ("\x1b]0;never closed\nnext", "]0;never closed\nnext"),
        ("\x1b(Bx\x1b7y\x1bcz", "xyz"),
        ("\x1b\x1b[1mx\x1b", "x"),
        ("a\u202eb\u2066c\u200fd\u061ce", "a[U+202E]b[U+2066]c[U+200F]d[U+061C]e"),
        ("x\U000e0041\U000e007f", "x[U+E0041][U+E007F]"),
        ("👩\u200d👧 e\u0301 \u00a0\u202f漢", "👩\u200d👧 e\u0301 \u00a0\u202f漢"),
    ],
)
def test_clean_text(text: str, clean: str) -> None:
    assert clean_text(text) == clean


ODD = st.text(
    alphabet="ab01;[]\\(^_P\x1b\x9b\x9d\x07\x9c\r\n\t\0\x7f\u202e\u200d\ufffe\ud800\U000e0041/"
)


@given(ODD | st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    clean = clean_text(text)
    assert clean_text(clean) == clean
    assert not set(clean) & {"\x1b", "\x9b", "\r", "\0", "\u202e"}
    clean.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/me/x and /home/me.", "~/x and ~."),
        ("/home/me2/x", "/home/[user]/x"),
        ("/home/me.old/x", "/home/[user]/x"),
        ("/mnt/home/me/x", "/mnt/home/[user]/x"),
        ("cat /home/alice/.env", "cat /home/[user]/.env"),
        ('"/home/alice", (/home/bob) /home/carol.', '"/home/[user]", (/home/[user]) /home/[user].'),
        ("/Users/Jane Doe/Library", "/Users/[user]/Library"),
        ("/Users/jane wrote src/x", "/Users/[user] wrote src/x"),
        ("/Users/Shared/x", "/Users/Shared/x"),
        ("file:///home/alice/x", "file:///home/[user]/x"),
        ("/mnt/c/Users/alice/x", "/mnt/c/Users/[user]/x"),
        ("/var/home/alice", "/var/home/[user]"),
        ("C:\\Users\\Zoë\\x", "C:\\Users\\[user]\\x"),
        ("C:\\Users\\Jane Doe\\x", "C:\\Users\\[user]\\x"),
        ('{"cwd": "C:\\\\Users\\\\zoe\\\\x"}', '{"cwd": "C:\\\\Users\\\\[user]\\\\x"}'),
        ("c:/users/zoe/x", "c:/users/[user]/x"),
        ("C:\\Users\\Public\\x", "C:\\Users\\Public\\x"),
        ("https://example.org/home/page", "https://example.org/home/page"),
        ("src/home/index.ts, ./home/x, ~/home/x", "src/home/index.ts, ./home/x, ~/home/x"),
        (
            "/home/$USER/x /home/<name>/x /home/[user]/x",
            "/home/$USER/x /home/<name>/x /home/[user]/x",
        ),
        ("\x1b[1m/home/al\x1b[0mice/x", "/home/[user]/x"),
        ("/home/alice/home/C:\\Users\\", "/home/[user]/home/C:\\Users\\"),
    ],
)
def test_names_in_home_folders_are_hidden(text: str, shown: str) -> None:
    assert REDACTOR(text) == shown


PATHS = st.lists(
    st.sampled_from(
        [
            "/home/",
            "/Users/",
            "C:\\Users\\",
            "me",
            "alice",
            "Doe",
            " ",
            "/",
            ".",
            "\\",
            "[user]",
            "~",
            "\x1b[0m",
        ]
    )
).map("".join)


@given(PATHS)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    assert REDACTOR(REDACTOR(text)) == REDACTOR(text)


MARK = "\x1b[1m/home/alice"


def filled(value: Any) -> Any:
    """The same value with MARK for every string in it, and with a string wherever one may stand."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(
            value, **{field.name: filled_field(value, field) for field in dataclasses.fields(value)}
        )
    if isinstance(value, tuple):
        return tuple(map(filled, value))
    return MARK if type(value) is str else value


def filled_field(value: Any, field: dataclasses.Field[Any]) -> Any:
    current = getattr(value, field.name)
    assert current != (), f"give {field.name} a content in RUN"
    return MARK if current is None and str(field.type) == "str | None" else filled(current)


def strings(value: Any) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [
            text
            for field in dataclasses.fields(value)
            for text in strings(getattr(value, field.name))
        ]
    if isinstance(value, tuple):
        return [text for item in value for text in strings(item)]
    return [value] if type(value) is str else []


RUN = Run(
    reader="",
    status=Status.OK,
    ledger=(ModelUsage("", Tokens(input=1), 0.5, portions=(Portion(("",), 0, Tokens(input=1)),)),),
    judge=(ModelUsage("", Tokens(input=1), portions=(Portion(("",), 0, Tokens(input=1)),)),),
    results=(ResultKey("", 0.5, 1, 1),),
    caveats=(Caveat("", ""),),
    answers=(1,),
    factors=(("", ""),),
    texts=Texts(
        errors=("",), denials=(Denial("", "", ""),), fields=(("", ""),), field_kinds=(None,)
    ),
    steps=StepCounts(1, 1, 0, (1,), 1, 1, 0, 0, 1, 1.0, (ToolKindCounts("", 1, 0, 1.0, 1, 1),)),
    parts=(Part(Status.OK, None, 1, 1, 0.5),),
    scores=(Score("", 0.5),),
    unknown=("",),
    given=(("", ""),),
    billed_as=("",),
)


def test_no_string_of_a_run_is_forgotten() -> None:
    dirty = dataclasses.replace(filled(RUN), locator=None)
    redacted = REDACTOR.run(dirty)
    assert len(strings(redacted)) == len(strings(dirty)) >= 20
    assert set(strings(redacted)) == {"/home/[user]"}


def test_a_locator_is_as_the_file_has_it_or_not_kept() -> None:
    kept = dataclasses.replace(RUN, locator="byte 700")
    assert REDACTOR.run(kept) == kept
    assert REDACTOR.run(dataclasses.replace(RUN, locator="/home/alice")) == RUN


def test_no_string_of_a_step_is_forgotten() -> None:
    call = ToolCall("", "", ToolKind.RUN, "", result="", failed=False)
    dirty = filled(Step(0, StepKind.TOOL_CALL, 0, "", 0, call, tokens=Tokens(input=1)))
    redacted = published(Unmasked(dirty), 0, REDACTOR, Level.FULL, bounds=DEFAULT)
    assert len(strings(redacted)) >= 11
    assert set(strings(redacted)) - {"", redacted.message_id} == {"/home/[user]"}, (
        "ids are left out or shortened"
    )


def test_figures_of_a_run_are_untouched() -> None:
    assert REDACTOR.run(RUN) == RUN


def test_no_string_of_a_problem_is_forgotten() -> None:
    redacted = REDACTOR.each(filled(Problem("", "", Verdict.SKIP, "")))
    assert set(strings(redacted)) == {"/home/[user]"}
    assert redacted.verdict is Verdict.SKIP


def test_a_terminal_gets_one_line_without_controls() -> None:
    assert terminal("a\x1b[2J\r\nb\t\u2028 c\u202e\x07 ") == "a b c[U+202E]"


def test_the_home_of_this_machine_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/srv/people/zoe")
    assert Redactor.for_this_machine()("/srv/people/zoe/x") == "~/x"
    monkeypatch.setenv("HOME", "/")
    assert Redactor.for_this_machine()("/srv/x") == "/srv/x"


def test_clean_text_costs_little() -> None:
    """With room for a slow machine; benchmarks/redaction.py measures."""
    text = "Replaced `torch.zeros` in src/worker/queue.py (line 3), all tests pass ✅\n" * 1_000
    start = time.process_time()
    for _ in range(10):
        assert REDACTOR(text) == text
    spent = seconds_since(start)
    assert spent / 10 / (len(text.encode()) / 1024) < 0.0002


@pytest.mark.parametrize(
    "part", ["\x1b]", "\x1b[0", "\x90", "\x9b0;", "/home/", "/Users/A A ", "C:\\Users\\", "\u202e"]
)
def test_no_text_takes_long(part: str) -> None:
    start = time.process_time()
    REDACTOR(part * 30_000)
    assert seconds_since(start) < 0.5
