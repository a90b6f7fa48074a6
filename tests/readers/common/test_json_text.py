"""Bytes to JSON values: encodings, noise, damage, and the limits on each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.readers.common import json_text
from sitegen.readers.common.json_text import JsonText, decode
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile

CUT = "the JSON ends early; the file was cut, or is still being written"
INVALID = "this is not valid JSON"
Said = list[tuple[str, str]]


def said_by(caveats: Caveats) -> Said:
    return [(caveat.code, caveat.text) for caveat in caveats.all()]


def values_of(text: str | bytes, **options: Any) -> tuple[list[Any], Said, ReadError | None]:
    """The values of a file, what is said of it, and its first fault."""
    data = text if isinstance(text, bytes) else text.encode()
    caveats = Caveats()
    found = JsonText(RunFile.of("a.log", data), caveats, **options)
    return list(found), said_by(caveats), found.fault


def refusal(text: str | bytes) -> tuple[str, str, str | None]:
    """The code, the reason and the place of the error that a file gives."""
    with pytest.raises(ReadError) as caught:
        values_of(text)
    return caught.value.code, caught.value.reason, caught.value.place


SURE: Said = []
READ_AS_CP1252 = [("W_ENCODING", "The file is not UTF-8; it was read as Windows-1252.")]
SOME_BYTES = [("W_ENCODING", "Some bytes are not UTF-8; they are shown as \ufffd.")]
SOME_CHARACTERS = [("W_ENCODING", "Some characters are damaged; they are shown as \ufffd.")]


def guessed(encoding: str) -> Said:
    return [("W_ENCODING", f"The file does not say its encoding; it was read as {encoding}.")]


@pytest.mark.parametrize(
    ("data", "text", "said"),
    [
        (b"", "", SURE),
        (b"a", "a", SURE),
        ("é€".encode(), "é€", SURE),
        ("\ufeffé".encode(), "é", SURE),
        ("é".encode("utf-16"), "é", SURE),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "é", SURE),
        ("é".encode("utf-32"), "é", SURE),
        (b"\x00\x00\xfe\xff" + "é".encode("utf-32-be"), "é", SURE),
        ("ab".encode("utf-16-le"), "ab", guessed("UTF-16-LE")),
        ("ab".encode("utf-16-be"), "ab", guessed("UTF-16-BE")),
        ("a".encode("utf-16-le"), "a\0", SURE),
        (b"\xff\xfea\0b", "a\ufffd", SOME_CHARACTERS),
        (b"caf\xe9 \xfc\xfc", "café üü", READ_AS_CP1252),
        (b"caf\xe9 \xfc\xfc\xfc", "caf\ufffd \ufffd\ufffd\ufffd", SOME_BYTES),
        (b"\xefx", "ïx", READ_AS_CP1252),
        (b"\x81", "\ufffd", READ_AS_CP1252),
    ],
)
def test_bytes_are_read_in_the_encoding_that_they_say(data: bytes, text: str, said: Said) -> None:
    caveats = Caveats()
    assert (decode(data, caveats), said_by(caveats)) == (text, said)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('[{"a": 1}, 2]', [[{"a": 1}, 2]]),
        ("5", [5]),
        ("[1, 2]", [[1, 2]]),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}{"b": 2} [{"c": 3}]', [{"a": 1}, {"b": 2}, [{"c": 3}]]),
        ('\n\n \t{"a":\n1}\n\n', [{"a": 1}]),
        ('{"a": 1}\r\n{"b": 2}\r\n', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}\n\x1b[0m \u00a0\n{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a":\n1}\n{"b":\n2}', [{"a": 1}, {"b": 2}]),
    ],
)
def test_one_document_or_lines_are_read_without_a_word(text: str, values: list[Any]) -> None:
    assert values_of(text) == (values, [], None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\x1b[1m\u00a0{"a": 1}', "Skipped text that is not JSON at line 1, column 1."),
        ('Warning\n{"a": 1}', "Skipped text that is not JSON at line 1, column 1."),
        ('{"a": 1}\n  Killed', "Skipped text that is not JSON at line 2, column 3."),
        (
            'one\n\ntwo\n{"a": 1}\nthree',
            "Skipped 3 pieces of text that is not JSON, the first at line 1, column 1.",
        ),
        ('{"a": 1} done', "Skipped text that is not JSON at line 1, column 10."),
        ('[1, 2]\n{"a": 1}', "Skipped text that is not JSON at line 1, column 1."),
        ('[1,\n2]\n{"a": 1}', "Skipped text that is not JSON at line 1, column 1."),
        ('{"a": 1}\nnull', "Skipped text that is not JSON at line 2, column 1."),
    ],
)
def test_text_around_json_is_noise(text: str, said: str) -> None:
    assert values_of(text) == ([{"a": 1}], [("W_NOISE", said)], None)


def test_text_on_the_line_of_a_value_is_noise_that_hides_it() -> None:
    assert values_of('{"a": 1}\nx {"b": 2}\n')[0] == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "values", "said", "place"),
    [
        ('{"a": 1}\n{"b": }\n{"c": 3}', [1, 3], "1 line is", "line 2, column 7"),
        ('{"a": 1}\n{b}\n{"c": 3}\n{"d"]', [1, 3], "2 lines are", "line 2, column 2"),
        ('{"a": 1}\n[{"b": x}]\n{"c": 3}', [1, 3], "1 line is", "line 2, column 8"),
    ],
)
def test_lines_that_begin_like_an_object_and_are_none_are_broken(
    text: str, values: list[int], said: str, place: str
) -> None:
    found, caveats, fault = values_of(text)
    assert [next(iter(value.values())) for value in found] == values
    assert caveats == [("W_BAD_LINE", f"{said} broken and skipped, the first at {place}.")]
    assert fault and (fault.code, fault.reason, fault.place) == ("E_NOT_JSON", INVALID, place)


@pytest.mark.parametrize(
    "last",
    ['{"b": "x', '{"b": ', '{"b": tr', '{"b": -', '{"b": "\\u12', '{"b": 2', '{"b": [1,', '{"b'],
)
def test_a_last_line_that_ends_early_was_cut(last: str) -> None:
    found, said, fault = values_of('{"a": 1}\n' + last)
    assert found == [{"a": 1}] and [code for code, _ in said] == ["W_BAD_LINE"]
    assert fault and (fault.code, fault.reason) == ("E_TRUNCATED", CUT)
    # The same line with others behind it is not the end of the file.
    found, _, fault = values_of('{"a": 1}\n' + last + '\n{"c": 3}\n{"d": 4}\n')
    assert found[-1] == {"d": 4}
    assert fault and (fault.code, fault.reason) == ("E_NOT_JSON", INVALID)


def test_what_is_no_json_is_refused_with_its_place() -> None:
    assert refusal("") == refusal("words\n") == ("E_NOT_JSON", "there is no JSON in the file", None)
    assert refusal('{"a": x}') == ("E_NOT_JSON", INVALID, "line 1, column 7")
    assert refusal('\n{"a": "x') == ("E_TRUNCATED", CUT, "line 2, column 7")
    for mark in ("<<<<<<< ours", ">>>>>>> theirs"):
        assert refusal('{"a": 1}\n' + mark + "\n") == (
            "E_NOT_JSON",
            "there are conflict marks of git in the file",
            "line 2, column 1",
        )


@pytest.mark.parametrize("comment", ["// settings", "/* settings */"])
def test_a_comment_before_the_json_is_damage_and_one_behind_it_noise(comment: str) -> None:
    assert refusal(f' {comment}\n{{"a": 1}}') == (
        "E_NOT_JSON",
        "there is a comment before the JSON, which allows none",
        "line 1, column 2",
    )
    values, said, _ = values_of(f'{{"a": 1}}\n{comment}')
    assert values == [{"a": 1}] and [code for code, _ in said] == ["W_NOISE"]


def test_a_control_character_before_the_json_is_damage() -> None:
    assert refusal('x\x07y\n{"a": 1}') == (
        "E_NOT_JSON",
        "a control character (U+0007) is before the JSON",
        "line 1, column 1",
    )
    assert values_of('x\x1b[1my\n{"a": 1}')[0] == [{"a": 1}]


def test_json_in_a_string_is_read() -> None:
    values, said, _ = values_of(" " + json.dumps('{"a": 1}\n{"b": 2}'))
    assert values == [{"a": 1}, {"b": 2}]
    assert said == [
        ("W_DOUBLE_ENCODED", "The file is JSON inside a JSON string; the inner one was read.")
    ]
    assert values_of(json.dumps(' [{"a": 1}]'))[0] == [[{"a": 1}]]
    assert values_of(json.dumps("words")) == (["words"], [], None)


def test_a_key_that_appears_twice_is_said() -> None:
    said = [("W_DUP_KEY", 'The key "a" appears twice in one object; the last value counts.')]
    text = '{"b": 0, "a": 1, "a": 2}'
    assert values_of(text) == ([{"b": 0, "a": 2}], said, None)
    # Of a file that was read before, lines are only parsed.
    assert (
        values_of(f"{{}}\n{text}")[1] == said and values_of(f"{{}}\n{text}", is_known=True)[1] == []
    )


def test_lines_that_begin_alike_may_be_only_counted() -> None:
    lines = ['{"t": "a"}', '{"t": "b", "n": 1}', '{"t": "b"}', '{"t": "b"', '{"t": "c"}']
    caveats = Caveats()
    found = JsonText(RunFile.of("a.log", "\n".join(lines).encode()), caveats, skip='{"t": "b"')
    assert list(found) == [{"t": "a"}, {"t": "c"}] and found.skipped == 2
    # The first one is read, to know whose file it is.
    first = JsonText(RunFile.of("a.log", "\n".join(lines[1:3]).encode()), caveats, skip='{"t": "b"')
    assert list(first) == [{"t": "b", "n": 1}] and first.skipped == 1


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        (100, []),
        (101, [("W_LIMIT", "The JSON is nested 101 levels deep; deeper levels are not shown.")]),
        (1000, [("W_LIMIT", "The JSON is nested 1000 levels deep; deeper levels are not shown.")]),
    ],
)
def test_deep_json_is_doubtful(levels: int, said: Said) -> None:
    text = '{"a": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"
    values, found, fault = values_of(text)
    assert (len(values), found, fault) == (1, said, None)


@pytest.mark.parametrize("levels", [1001, 100_000])
def test_json_that_is_too_deep_is_refused(levels: int) -> None:
    text = '{"a": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"
    assert refusal(text) == ("E_LIMIT", "the JSON is nested more than 1,000 levels deep", None)


@pytest.mark.parametrize("before", ["", "x\n"])
def test_a_number_with_too_many_digits_is_refused(before: str) -> None:
    text = f'{before}{{"a": {"1" * 4301}}}'
    assert values_of(text.replace("1" * 4301, "1" * 4300))[0] == [{"a": int("1" * 4300)}]
    assert refusal(text) == ("E_LIMIT", "a number has more than 4,300 digits", None)


def test_there_are_no_more_values_than_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_VALUES", 2)
    assert len(values_of("{}\n{}")[0]) == 2
    assert refusal("{}\n{}\n{}") == ("E_LIMIT", "the file holds more than 2 JSON values", None)


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "WINDOW_BYTES", 30)
    monkeypatch.setattr(json_text, "MAX_AT_ONCE_BYTES", 100)


@pytest.mark.usefixtures("small_windows")
def test_a_large_file_of_lines_is_read_window_by_window() -> None:
    values = [{"n": number} for number in range(40)]
    text = "\n".join(map(json.dumps, values))
    assert values_of(text) == values_of(" \r\n\t" + text) == (values, [], None)
    spread = "\n".join(json.dumps(value).replace(" ", "\n" * 3) for value in values)
    assert values_of(spread) == (values, [], None)


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize(("length", "is_read"), [(89, True), (150, False), (1_000, False)])
def test_a_long_value_may_go_on_over_many_windows(length: int, is_read: bool) -> None:
    value = {"n": ["x"] * (length // 5)}
    text = "{}\n" + json.dumps(value, indent=0) + '\n{"m": 1}\n'
    if is_read:
        assert values_of(text) == ([{}, value, {"m": 1}], [], None)
    else:
        assert refusal(text) == (
            "E_LIMIT",
            "it is larger than 64 MB, and so is a value in it",
            None,
        )


@pytest.mark.usefixtures("small_windows")
def test_places_in_a_large_file_count_all_its_lines() -> None:
    lines = ['{"n": 1}'] * 20
    assert values_of("\n".join([*lines, "  Killed"]))[1] == [
        ("W_NOISE", "Skipped text that is not JSON at line 21, column 3.")
    ]
    fault = values_of("\n".join([*lines, '{"n": ', *lines]))[2]
    assert fault and fault.code == "E_NOT_JSON" and (fault.place or "").startswith("line 23,")
    fault = values_of("\n".join([*lines, '{"n": "x']))[2]
    assert fault and (fault.code, fault.place) == ("E_TRUNCATED", "line 21, column 7")


@pytest.mark.usefixtures("small_windows")
def test_a_large_file_that_does_not_begin_with_a_line_of_json_is_read_at_once() -> None:
    text = 'note\n{"a": "%s"}'
    assert values_of(text % ("x" * 85))[0] == [{"a": "x" * 85}]
    for data in (text % ("x" * 200), '[{"a": "%s"}]' % ("x" * 200), '{"a": "%s"}' % ("x" * 200)):
        assert refusal(data) == (
            "E_LIMIT",
            "it is larger than 64 MB, and it does not begin with a line of JSON",
            None,
        )
    assert refusal('{"a": 1}\n{"a": "%s"}\n' % ("x" * 200)) == (
        "E_LIMIT",
        "it is larger than 64 MB, and so is a line in it",
        None,
    )


def test_values_that_go_on_in_the_next_line_may_fail_a_few_times() -> None:
    def text(failures: int) -> str:
        return '{"a":\n x}\n' * failures + '{"b":\n2}'

    assert [len(values_of(text(failures))[0]) for failures in (0, 7)] == [1, 1]
    assert refusal(text(8))[0] == "E_NOT_JSON"
