"""The parts of the kit for readers: its changes and mutations of files, and the words of each broken rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sitegen import testing
from sitegen.errors import ReadError
from sitegen.model import Run, Status, StepCounts, Texts
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind
from sitegen.testing import (
    _changes,
    _check_run,
    _json,
    _mutations,
    _reordered,
    _replaced,
    _survives,
    _turned,
    check_reader,
)


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (b'{"a": 1}', [{"a": 1}]),
        (b'{"a": 1}\n\n  \n[2]\n', [{"a": 1}, [2]]),
        (b'{"a": 1}\nodd', None),
        (b"\xff", None),
        (b"", []),
    ],
)
def test_a_file_is_json_or_lines_of_it(content: bytes, values: list[Any] | None) -> None:
    assert _json(content) == values


def test_keys_are_turned_around_at_every_depth() -> None:
    turned = _turned({"a": [{"b": 1, "c": 2}], "d": 3})
    assert list(turned) == ["d", "a"]
    assert list(turned["a"][0]) == ["c", "b"]
    assert list(_reordered(b'{"a": 1, "b": 2}\n[1, 2]')) == [b'{"b": 2, "a": 1}\n[1, 2]']
    assert list(_reordered(b"odd")) == []


@pytest.mark.parametrize(
    ("number", "changed"),
    [
        (1, "new"),
        (2, {"a": "new", "c": 3}),
        (3, {"a": ["new", 2], "c": 3}),
        (4, {"a": [1, "new"], "c": 3}),
        (5, {"a": [1, 2], "c": "new"}),
        (6, {"a": [1, 2], "c": 3}),
    ],
)
def test_values_are_counted_from_outside_in(number: int, changed: object) -> None:
    assert _replaced({"a": [1, 2], "c": 3}, "new", [number]) == changed


def test_a_file_is_cut_twisted_and_filled_with_hostile_values() -> None:
    content = b'{"a": 1}\n{"b": 2}'
    made = list(_mutations(content))
    assert made == list(_mutations(content))
    assert made[0] == ("empty", b"")
    assert len(made) == 1 + 20 + 10
    for what, cut in made[1:21:2]:
        at = int(what.removeprefix("cut at byte "))
        assert cut == content[:at]
    assert all(" at byte " in what for what, _ in made[2:21:2])
    assert all(" as value " in what for what, _ in made[21:])
    assert len(list(_mutations(b"no json"))) == 1 + 20


def test_files_are_changed_in_order_folder_number_ends_times_and_length() -> None:
    lines = b"1\n2\n3\n4\n5"
    files = {"a.jsonl": lines, "b.bin": b"\0", "c.txt": b"odd"}
    made = list(_changes(files))
    rest = {"b.bin": b"\0", "c.txt": b"odd"}
    stamp = b"2026-05-01T08:00:00.1234567Z "
    assert made == [
        ("another order", {"3/a.jsonl": lines, "2/b.bin": b"\0", "1/c.txt": b"odd"}),
        ("another folder", {f"outer/{name}": content for name, content in files.items()}),
        ("copies", {f"{copy}/{name}": files[name] for copy in "ab" for name in files}),
        ("CRLF", {"a.jsonl": b"1\r\n2\r\n3\r\n4\r\n5\r\n", **rest}),
        ("time stamps", {"a.jsonl": b"\n".join(stamp + line for line in lines.split()), **rest}),
        ("cut", {"a.jsonl": b"1", **rest}),
        ("cut", {"a.jsonl": b"1\n2", **rest}),
        ("cut", {"a.jsonl": b"1\n2\n3", **rest}),
    ]
    assert [list(changed) for what, changed in made[:1]] == [["3/a.jsonl", "2/b.bin", "1/c.txt"]]


class Fixed:
    """A reader that reads the same of every file, perhaps after an error, and the same steps."""

    name = "fixed"

    def __init__(self, run: Run, error: Exception | None = None, numbers: Any = range(2)) -> None:
        self.run, self.error, self.numbers = run, error, numbers

    def matches(self, file: RunFile) -> bool:
        return not file.head.startswith(b"not")

    def read(self, _: RunFile, locator: str | None = None) -> Iterator[Run]:
        if self.error:
            raise self.error
        yield self.run if locator is None else Run("x", Status.OK, texts=Texts(summary=locator))

    def steps(self, *_: object, contents: bool) -> Iterator[Step]:
        assert contents
        for number in self.numbers:
            yield Step(number, StepKind.TEXT, 0)


def run_of(**known: Any) -> Run:
    return Run("x", Status.OK, **known)


@pytest.mark.parametrize(
    ("run", "fault"),
    [
        (run_of(cost_usd=-0.5), "a figure is negative"),
        (run_of(wall_ms=-1), "a figure is negative"),
        (run_of(turns=-1), "a figure is negative"),
        (run_of(api_ms=-1), "a figure is negative"),
        (run_of(locator="b"), "its locator b leads to another run"),
        (
            run_of(steps=StepCounts(3, 1, 0, (), 0, 0, 0, 0, None, None)),
            "2 steps, 3 are counted",
        ),
        ("text", "str is not a Run"),
    ],
)
def test_a_run_that_breaks_a_rule_is_named_with_its_file(run: Any, fault: str) -> None:
    with pytest.raises(AssertionError) as raised:
        _check_run(Fixed(run), "a.log", b"1", run)
    assert str(raised.value) == f"fixed: a.log: {fault}"


def test_a_run_that_keeps_all_rules_passes() -> None:
    run = run_of(
        cost_usd=0.0,
        turns=0,
        wall_ms=0,
        steps=StepCounts(2, 1, 0, (), 0, 0, 0, 0, None, None),
        texts=Texts(summary="a", errors=("b",), fields=(("c", "d"),)),
    )
    _check_run(Fixed(run), "a.log", b"1", run)


def test_steps_are_numbered_from_0() -> None:
    run = run_of()
    with pytest.raises(AssertionError) as raised:
        _check_run(Fixed(run, numbers=(1, 2)), "a.log", b"1", run)
    assert str(raised.value) == "fixed: a.log: its steps are not numbered from 0"


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ReadError("E_X", ""), "fixed: a.log: a ReadError without a reason"),
        (
            KeyError("a"),
            "fixed: a.log, cut at byte 3: KeyError instead of ReadError: 'a'",
        ),
    ],
)
def test_an_error_that_is_no_reason_is_a_fault(error: Exception, fault: str) -> None:
    with pytest.raises(AssertionError) as raised:
        _survives(Fixed(run_of(), error), "a.log", "cut at byte 3", b"1")
    assert str(raised.value) == fault
    _survives(Fixed(run_of(), ReadError("E_X", "it is cut")), "a.log", "x", b"1")
    _survives(Fixed(run_of(), error), "a.log", "x", b"not its own")


class InOrder(Fixed):
    """A reader of which the first key decides."""

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:  # noqa: ARG002
        yield run_of(turns=file.read().find(b'"b"'))


def test_words_of_rules_name_the_reader_and_the_file() -> None:
    with pytest.raises(AssertionError) as raised:
        check_reader(Fixed(run_of()), {"a.log": b"not its own"})
    assert str(raised.value) == "fixed: a.log: no run is read"
    with pytest.raises(AssertionError) as raised:
        check_reader(InOrder(run_of()), {"a.log": b'{"a": 1, "b": 2}'})
    assert str(raised.value) == "fixed: a.log: the order of keys changes what is read"


def test_each_file_is_mutated_thirty_times() -> None:
    assert testing.MUTATIONS == 30
