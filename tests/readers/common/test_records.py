"""Fields of foreign records: what is not what its name says is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.common import records
from sitegen.readers.common.records import (
    count_of,
    digest_of_record,
    effort_in,
    is_true,
    known,
    lasted,
    ms_of,
    number_in,
    object_at,
    object_of,
    objects_in,
    objects_of,
    parsed,
    parsed_object,
    seconds_of,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    texts_of,
    usd_of,
    value_at,
    without,
    words,
)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (1, 1),
        (-1, None),
        (2**53, 2**53),
        (2**53 + 1, None),
        (3.0, 3),
        (3.5, None),
        ("3", 3),
        ("3.0", 3),
        ("9007199254740992", 2**53),
        ("9007199254740991", 2**53 - 1),
        ("9007199254740993", None),
        ("12345678901234567", None),
        ("-3", None),
        ("three", None),
        (True, None),
        (None, None),
        ([3], None),
    ],
)
def test_a_count_is_a_whole_number(value: object, count: int | None) -> None:
    assert count_of({"n": value}, "n") == count


def test_a_count_that_is_absent_is_unknown() -> None:
    assert count_of({}, "n") is None


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("1.5", 1.5),
        ("1e-3", 0.001),
        ("1E-3", 0.001),
        ("1e3", "1e3"),
        ("1.", "1."),
        (" 1", " 1"),
        ("1234567890123456", 1234567890123456.0),
        ("12345678901234567", "12345678901234567"),
        (True, True),
        (None, None),
    ],
)
def test_a_text_of_a_number_is_that_number(value: object, number: object) -> None:
    assert number_in(value) == number


def test_amounts_and_durations() -> None:
    assert usd_of({"a": "0.25"}, "a") == 0.25 and usd_of({"a": -1}, "a") is None
    assert usd_of({}, "a") is None and usd_of({"a": 1e-13}, "a") is None
    assert seconds_of({"a": "1.5"}, "a") == 1500 and seconds_of({"a": True}, "a") is None
    assert seconds_of({"a": -0.1}, "a") is None and seconds_of({"a": 0}, "a") == 0


def test_texts_are_texts_that_are_not_empty() -> None:
    record = {"a": "x", "b": "", "c": 3, "d": {"e": "y", "f": {"g": 5}}}
    assert [text_of(record, name) for name in "abcz"] == ["x", None, None, None]
    assert [text_or_empty(record, name) for name in "abcz"] == ["x", "", "", ""]
    assert (text_at(record, "d.e"), text_at(record, "d.f"), text_at(record, "a.e")) == (
        "y",
        None,
        None,
    )
    assert object_of(record, "d") is record["d"] and object_of(record, "a") == {}
    assert object_at(record, "d.f") == {"g": 5} and object_at(record, "d.e.f") == {}
    assert (value_at(record, "d.f.g"), value_at(record, "d.x.g")) == (5, None)


@pytest.mark.parametrize(
    ("record", "places", "effort"),
    [
        ({"effort": "High"}, "effort", "high"),
        ({"a": {"effort": "low"}}, "effort a.effort", "low"),
        ({"effort": "high", "a": {"effort": "low"}}, "a.effort effort", "low"),
        ({"effort": {"level": "Max"}}, "effort", "max"),
        ({"effort": {"name": "max"}}, "effort", None),
        ({"effort": "high!"}, "effort", None),
        ({"effort": ""}, "effort", None),
        ({"effort": "x" * 31}, "effort", "x" * 31),
        ({"effort": "x" * 32}, "effort", None),
        ({"effort": "1"}, "effort", None),
        ({"effort": "x-high +1.5_b c"}, "effort", "x-high +1.5_b c"),
    ],
)
def test_an_effort_is_the_first_that_is_stated(
    record: dict[str, Any], places: str, effort: str | None
) -> None:
    assert effort_in(record, places) == effort


def test_only_true_says_yes() -> None:
    assert [is_true({"a": value}, "a") for value in (True, False, 1, "true", None)] == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_a_record_without_some_of_its_fields() -> None:
    assert without({"a": 1, "b": 2, "c": 3}, "a", "c") == {"b": 2}
    assert words(" a b\n c ") == {"a", "b", "c"}


def test_objects_in_lists() -> None:
    assert objects_of({"a": [{"b": 1}, 2, [{"c": 1}], {}]}, "a") == [{"b": 1}, {}]
    assert objects_of({"a": {"b": 1}}, "a") == objects_of({}, "a") == []
    values = [{"a": 1}, [{"b": 2}, 3, [{"c": 4}]], "x", None]
    assert list(objects_in(values)) == [{"a": 1}, {"b": 2}]


def test_a_digest_does_not_depend_on_the_order_of_fields() -> None:
    one = digest_of_record({"a": 1, "b": [2]})
    assert one == digest_of_record({"b": [2], "a": 1}) and len(one) == 16
    assert one != digest_of_record({"a": 1, "b": [3]})
    assert digest_of_record({"a": "\ud800"}) != digest_of_record({"a": b"x"})


def test_a_record_that_is_nested_too_deep_has_a_digest_of_its_flat_fields() -> None:
    def deep(**flat: Any) -> dict[str, Any]:
        value: Any = 0
        for _ in range(20_000):
            value = [value]
        return {"deep": value, **flat}

    assert digest_of_record(deep(a=1)) == digest_of_record(deep(a=1))
    assert digest_of_record(deep(a=1)) != digest_of_record(deep(a=2))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a", "a"),
        ("", ""),
        (None, ""),
        ({"text": "a"}, ""),
        ([{"text": "a"}, {"type": "image"}, "b", {"text": " "}, {"text": 3}], "a\n\nb"),
        ([{"text": " a "}], " a "),
    ],
)
def test_the_texts_of_content_blocks_are_paragraphs(content: object, text: str) -> None:
    assert texts_of(content) == texts_in({"x": content}, "x") == text


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        (b"[1]", [1]),
        ("no JSON", "no JSON"),
        ("[" * 200_000, "[" * 200_000),
        (5, 5),
        (None, None),
    ],
    ids=["object", "bytes", "text", "deep", "number", "nothing"],
)
def test_a_text_of_json_is_what_it_holds(value: object, found: object) -> None:
    assert parsed(value) == found
    assert parsed_object(value) == (found if isinstance(found, dict) else {})


@pytest.mark.parametrize(
    ("began", "ended", "ms"),
    [
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:01.500Z", 1500),
        ("2026-03-01T10:00:00", "2026-03-01T10:00:01", 1000),
        ("2026-03-01T10:00:01Z", "2026-03-01T10:00:00Z", None),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z", None),
        (None, "2026-03-01T10:00:00Z", None),
        ("2026-03-01T10:00:00Z", None, None),
    ],
)
def test_between_two_times(began: str | None, ended: str | None, ms: int | None) -> None:
    assert lasted({"a": began, "b": ended}, "a", "b") == ms


def test_a_time_without_a_zone_is_none() -> None:
    assert ms_of({"a": "2026-01-01T00:00:00Z"}, "a") == 1_767_225_600_000
    assert ms_of({"a": "2026-01-01T00:00:00"}, "a") is None


def test_kinds_and_fields_of_formats_stand_in_a_file() -> None:
    assert known("amp") == {"system", "user", "assistant", "result"}
    # The text above the first block is none.
    assert "The kinds of records" not in " ".join(records._blocks())
    with pytest.raises(KeyError):
        known("no such format")
