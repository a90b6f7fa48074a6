"""What was masked is said where people look, so that a key can be revoked: kind and place, never the value."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from sitegen.cli import command_output
from sitegen.cli.step_summary import markdown_summary
from sitegen.model import Masked
from sitegen.pages.masked import MaskedSecret, masked_view
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen

TOKEN = "ghp_" + "Zq3xW9vLk2Rt7BnM5cYp8DsF1hGj4KaT6eUo"
MAIL = "ann.bell" + "@harbour-post.org"


def in_summary(masked: list[Masked], site_url: str | None = None) -> str:
    """The part of the short report that is about what was masked."""
    text = markdown_summary("T", (), (), (), site_url, masked_view(masked))
    return text.partition("| --- | ---: | --- |\n\n")[2].removesuffix("\n\nNo problems.\n")


def test_secrets_have_a_line_for_each_kind_and_file_and_the_rest_is_counted() -> None:
    view = masked_view(
        [
            Masked("a.json", "errors", "e-mail address", 2),
            Masked("a.json", "errors", "github token", 1),
            Masked("a.json", "summary", "github token", 2),
            Masked("b.json", "patch", "own literal", 5),
            Masked("b.json", "patch", "password", 1),
            Masked("c.json", "patch", "e-mail address", 1),
        ]
    )
    assert view.heading == "4 secrets masked; revoke those that are real"
    assert view.secrets == (
        MaskedSecret("3 \u00d7 github token", "a.json", "errors, summary"),
        MaskedSecret("password", "b.json", "patch"),
    )
    assert view.others == "3 \u00d7 e-mail address, 5 \u00d7 own literal"


def test_what_the_settings_look_for_comes_behind_what_is_surely_a_secret() -> None:
    view = masked_view(
        [Masked("a.json", "summary", "ticket", 1), Masked("b.json", "summary", "password", 1)]
    )
    assert [each.kind for each in view.secrets] == ["password", "ticket"]


def test_places_of_one_file_are_bounded() -> None:
    (secret,) = masked_view(
        [Masked("a.json", place, "token", 1) for place in ("a", "b", "c", "d", "e")]
    ).secrets
    assert secret == MaskedSecret("5 \u00d7 token", "a.json", "a, b, c and 2 more")


def test_the_summary_of_a_step_lists_ten_places() -> None:
    lines = in_summary([Masked(f"{n}.json", "summary", "token", 1) for n in range(12)]).splitlines()
    assert lines[:3] == [
        "### 12 secrets masked; revoke those that are real",
        "",
        "- 0.json, summary: token",
    ]
    assert lines[11:] == [
        "- 9.json, summary: token",
        "- and 2 more places, which the problems page lists",
    ]


def test_a_path_is_no_markup_in_the_summary_of_a_step() -> None:
    lines = in_summary(
        [Masked("a`b](https://x.example)<img src=x>\n# c.json", "summary", "token", 1)]
    ).splitlines()
    assert len(lines) == 3
    shown = MarkdownIt().render(lines[2])
    assert re.findall(r"<[^>]*>", shown) == [
        "<ul>",
        "<li>",
        *["<code>", "</code>"] * 2,
        "</li>",
        "</ul>",
    ]
    assert (
        "<code>a`b](https://x.example)&lt;img</code> src=x&gt; <code>#</code> c.json, summary: token"
        in shown
    )


def test_personal_data_is_counted_only() -> None:
    assert (
        in_summary([Masked("ann.json", "summary", "home folder", 3)])
        == "Masked: 3 \u00d7 home folder."
    )
    assert masked_view([]).heading == masked_view([]).others == ""


def test_build_check_and_the_summary_of_a_step_say_where_a_key_was_and_never_which(
    tmp_path: Path,
) -> None:
    texts = f"Pushed with {TOKEN}, {MAIL} knows."
    campaigns.write(
        tmp_path, {"runs/a.json": result(1, result=texts), "runs/b.json": result(2, errors=[texts])}
    )
    said = {}
    for command, more in {"build": ["--summary", "summary.md"], "check": []}.items():
        done = sitegen(command, "runs", *more, cwd=tmp_path)
        said[command] = done.stderr.splitlines()
        assert "masked: 2 \u00d7 e-mail address; the problems page says where" in done.stdout
    expected = [
        "2 secrets masked; revoke those that are real:",
        "  a.json, summary: github token",
        "  b.json, errors: github token",
    ]
    assert said == {"build": expected, "check": expected}
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (
        "- a.json, summary: github token\n- b.json, errors: github token\n\nAlso masked: 2 "
        in summary
    )
    for text in (*said["build"], *said["check"], summary):
        assert TOKEN[4:] not in text and MAIL not in text


def test_the_place_of_a_password_is_said_whatever_the_file_is_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = ["1.json", "a-1.json", "sec/1.json", "password.json", "login"]
    masked = [
        Masked(path, "summary", kind, 1)
        for path in paths
        for kind in ("password", "1password token")
    ]
    command_output._say_masked(masked, verbose=True)
    said = capsys.readouterr().err.splitlines()[-len(masked) :]
    assert said == [f"  {each.path}, summary: {each.kind}" for each in masked]


def test_strict_says_what_it_counts(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"runs/a.json": result(1, result=f"{TOKEN} and {TOKEN}, {MAIL}")})

    def said(command: str) -> tuple[int, str]:
        done = sitegen(command, "-q", "--strict", "runs", cwd=tmp_path)
        return done.returncode, done.stderr

    for command in ("build", "check"):
        assert said(command) == (1, "3 masked values, and --strict was given\n")
    campaigns.write(tmp_path, {"runs/b.json": ""})
    for command in ("build", "check"):
        assert said(command) == (1, "1 problem and 3 masked values, and --strict was given\n")
