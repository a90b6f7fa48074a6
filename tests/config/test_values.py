"""Values that settings of several sections take."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from sitegen.config import values


@pytest.mark.parametrize(
    ("value", "share"),
    [
        ("20 %", 0.2),
        ("20%", 0.2),
        ("0.5 %", 0.005),
        ("100 %", 1.0),
        ("20  %", "20  %"),
        (".5 %", ".5 %"),
        ("-5 %", "-5 %"),
        ("20", "20"),
        (20, 20),
        (None, None),
    ],
)
def test_percent_is_a_share(value: object, share: object) -> None:
    assert values.read_share(value) == share


@pytest.mark.parametrize(
    ("value", "share"), [(0, 0), (1, 1), ("100 %", 1), ("0 %", 0), (0.25, 0.25)]
)
def test_a_share_of_all_is_from_zero_to_one(value: object, share: float) -> None:
    assert TypeAdapter(values.ShareOfAll).validate_python(value) == share


@pytest.mark.parametrize("value", [1.01, -0.01, "101 %", "half", None, float("nan")])
def test_a_share_of_all_is_nothing_else(value: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(values.ShareOfAll).validate_python(value)


@pytest.mark.parametrize(
    ("kind", "value", "accepted"),
    [
        (values.Share, 1.5, True),
        (values.Share, -0.1, False),
        (values.Share, float("inf"), False),
        (values.Amount, 0, True),
        (values.Amount, float("inf"), False),
        (values.Real, -1, True),
        (values.Real, float("nan"), False),
        (values.Text, "a", True),
        (values.Text, "", False),
        (values.Text, "a" * 80, True),
        (values.Text, "a" * 81, False),
        (values.FileName, "a" * 255, True),
        (values.FileName, "a" * 256, False),
        (values.FileName, ".", False),
        (values.FileName, "..", False),
        (values.FileName, "", False),
        (values.FileName, "a\\b", False),
        (values.FileName, "a/b", False),
        (values.FileName, "...", True),
        (values.FilledPath, "", False),
        (values.FilledPath, "a", True),
        (values.PlacedPath, "", True),
        (values.Title, "", False),
        (values.Title, "a", True),
        (values.Title, "\u200b", False),
        (values.Pattern, "{task}", True),
        (values.Pattern, "{task", False),
    ],
)
def test_a_value_is_accepted_up_to_its_limits(kind: object, value: object, accepted: bool) -> None:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        assert not accepted
    else:
        assert accepted


@pytest.mark.parametrize(
    ("day", "accepted"),
    [
        ("2026-11-18", True),
        ("2024-02-29", True),
        ("2026-02-29", False),
        ("20261118", False),
        ("2026-W01-1", False),
        ("2026-11-18 ", False),
        ("today", False),
    ],
)
def test_a_day_is_one_of_the_calendar(day: str, accepted: bool) -> None:
    if accepted:
        assert values.check_day(day) == day
    else:
        with pytest.raises(ValueError, match=r"^write the day as in 2026-11-18$"):
            values.check_day(day)


@pytest.mark.parametrize(
    ("address", "site_url"),
    [
        ("https://example.org", "https://example.org/"),
        ("http://example.org/a", "http://example.org/a/"),
        ("https://example.org/a/", "https://example.org/a/"),
    ],
)
def test_the_address_of_a_site_ends_in_a_slash(address: str, site_url: str) -> None:
    assert values.check_site_url(address) == site_url


@pytest.mark.parametrize(
    ("path", "placed"),
    [
        ("runs", "FOLDER/runs"),
        ("/runs", "/runs"),
        ("s3://bucket/runs", "s3://bucket/runs"),
        ("~/runs", "HOME/runs"),
    ],
)
def test_a_path_is_relative_to_the_folder_of_the_settings(
    path: str, placed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    read = TypeAdapter(values.PlacedPath).validate_python(path, context=tmp_path)
    assert read == placed.replace("FOLDER", str(tmp_path)).replace("HOME", "/home/ada")
    assert TypeAdapter(values.PlacedPath).validate_python(path) == path


def test_a_file_is_below_a_folder_by_where_it_really_is(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    (folder / "sub.md").mkdir(parents=True)
    for path in (folder / "a.md", folder / "sub.md" / "b.md", folder / "c.txt", tmp_path / "d.md"):
        path.touch()
    (folder / "inside.md").symlink_to(folder / "a.md")
    (folder / "outside.md").symlink_to(tmp_path / "d.md")
    names = ["a.md", "sub.md/b.md", "inside.md", "sub.md", "c.txt", "../d.md", "outside.md"]
    names += ["gone.md", "\0.md", str(folder / "a.md")]
    below = [name for name in names if values.is_file_below(folder, name, ".md")]
    assert below == ["a.md", "sub.md/b.md", "inside.md", str(folder / "a.md")]


@pytest.mark.parametrize(
    ("kind", "name", "reason"),
    [
        (values.PagePath, "gone.md", "gone.md: there is no such file"),
        (values.PagePath, "c.txt", "c.txt: name a Markdown file below FOLDER"),
        (values.ChartPath, "a.md", "a.md: name a Vega-Lite file below FOLDER"),
    ],
)
def test_a_page_or_a_chart_is_a_file_below_the_folder(
    kind: object, name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "a.md").touch()
    (tmp_path / "c.txt").touch()
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(kind).validate_python(name, context=tmp_path)
    said = str(raised.value.errors()[0]["ctx"]["error"])
    assert said.startswith(reason.replace("FOLDER", str(tmp_path)))


def test_names_of_groups_are_those_of_the_documents() -> None:
    assert values.GROUPS == ("configuration", "model", "agent", "campaign", "task")
