"""The checks of site_checks.py find what they are for: each case is one fault in a sound small site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browsers import as_file
from tests.support.site_checks import (
    POLICY,
    Watch,
    accessibility,
    check_html,
    check_links,
    check_policy,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HEAD = f"""<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>A page</title><meta name="description" content="A page."></head>"""
BODY = '<body><main id="main"><h1>A page</h1><p><a href="#main">Top</a></p></main></body></html>'


def one_page(folder: Path, html: str) -> Path:
    (folder / "index.html").write_text(html, encoding="utf-8")
    return folder


def test_a_sound_page_has_no_findings(tmp_path: Path) -> None:
    site = one_page(tmp_path, HEAD + BODY)
    assert check_html(site) + check_links(site) + check_policy(site) == []


@pytest.mark.parametrize(
    ("sound", "broken", "finding"),
    [
        ("<p>", "<p><div></div>", "Unexpected end tag (p)"),
        ('<main id="main">', '<main id="main"><b id="main"></b>', "stands 2 times"),
        ("<h1>A page</h1>", "", "0 h1"),
        ('lang="en"', "", "no language"),
        ("<title>A page</title>", "<title> </title>", "no title"),
        ('<meta name="description" content="A page.">', "", "no description"),
        ("#main", "other.html", "is not a file"),
        ("#main", "./", "is not a file"),
        ("#main", "#other", "names no id"),
        ("#main", "index.html#other", "names no id"),
        ("#main", "/index.html", "is not relative"),
        ("#main", "file:///index.html", "is not relative"),
        ("#main", "../index.html", "leaves the folder"),
        ("<p>", '<p><img src="https://host.example/a.png" alt="">', "is not relative"),
        ("<p>", '<p aria-labelledby="other">', "names no id"),
        (POLICY, POLICY + "; frame-src *", "the policy is not"),
        ("<meta charset", "<title>T</title><meta charset", "the policy is not"),
        ("<p>", '<p style="color: red">', "<p style>"),
        ("<p>", '<p onclick="f()">', "<p onclick>"),
        ("<p>", "<p><script>f()</script>", "<script> without src"),
        ("</head>", "<style>p { color: red }</style></head>", "<style>"),
        ("</head>", '<meta http-equiv="refresh" content="1"></head>', "<meta http-equiv=refresh>"),
    ],
)
def test_a_fault_is_found(tmp_path: Path, sound: str, broken: str, finding: str) -> None:
    site = one_page(tmp_path, (HEAD + BODY).replace(sound, broken, 1))
    assert finding in "\n".join(check_html(site) + check_links(site) + check_policy(site))


def test_a_page_that_nothing_links_to_is_found(tmp_path: Path) -> None:
    site = one_page(tmp_path, HEAD + BODY)
    (site / "lost.html").write_text(HEAD + BODY.replace("#main", "index.html"), encoding="utf-8")
    assert check_links(site) == ["lost.html: nothing links to it"]


def test_a_run_page_that_data_names_must_exist(tmp_path: Path) -> None:
    site = one_page(tmp_path, HEAD + BODY)
    (site / "rows.js").write_text('["runs/a-1.html"]', encoding="utf-8")
    assert check_links(site) == ["rows.js: runs/a-1.html is not a file"]


@pytest.mark.parametrize(
    ("broken", "finding"),
    [
        ("<script>f()</script>", "console error"),
        ('<p style="color: red">a</p>', "console error"),
        ('<script src="none.js"></script>', "failed: file:"),
        (
            '<link rel="icon" href="../a.png"><script src="../outside.js"></script>',
            "request: file:",
        ),
        ('<script src="throws.js"></script>', "exception: "),
        ('<script src="asks.js"></script>', "dialog: Sure?"),
    ],
)
def test_the_watch_sees_what_a_page_does(
    browser: Browser, tmp_path: Path, broken: str, finding: str
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "throws.js").write_text("throw new Error('no')", encoding="utf-8")
    (site / "asks.js").write_text("confirm('Sure?')", encoding="utf-8")
    one_page(site, HEAD + BODY.replace("<p>", f"{broken}<p>"))
    with browser.new_context() as context:
        watch = Watch(f"{as_file(site)}/").over(context)
        context.new_page().goto(as_file(site / "index.html"))
        assert finding in "\n".join(watch.findings)


def test_axe_runs_under_the_policy_and_finds_faint_text(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("h1 { color: #ddd; background: #fff }", encoding="utf-8")
    one_page(
        tmp_path, HEAD.replace("</head>", '<link rel="stylesheet" href="a.css"></head>') + BODY
    )
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(as_file(tmp_path / "index.html"))
        assert "color-contrast" in "\n".join(accessibility(page))
