"""One HTML file of a site, made of the pages in `cases/one-file/site`: the whole file is held to those beside them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sitegen.errors import PublishError, RefusedOutput
from sitegen.publish import OneFile, one_file
from sitegen.publish.one_file import form_of
from tests.conftest import ROOT

CASE = ROOT / "tests" / "publish" / "cases" / "one-file"
SITE = CASE / "site"


@pytest.fixture(autouse=True)
def _short_style_and_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their digests are in the file."""
    monkeypatch.setattr(one_file, "_STYLE", "/* style of sitegen */")
    monkeypatch.setattr(one_file, "_SCRIPT", "/* script of sitegen */")


def packed(site: Path, output: Path, **options: bool) -> str:
    """Return the one file that is published of a site."""
    form = form_of(output, **options)
    assert form
    with OneFile(output, form) as target:
        for path in sorted(site.rglob("*")):
            if path.is_file():
                target.write(path.relative_to(site).as_posix(), path.read_bytes())
        target.commit()
    return output.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "options"),
    [("pages", {}), ("charts", {"live_charts": True}), ("index", {"index_only": True})],
)
def test_the_file_has_every_page_that_needs_no_other(
    name: str, options: dict[str, bool], tmp_path: Path, refresh: bool
) -> None:
    expected = CASE / f"{name}.html"
    text = packed(SITE, tmp_path / "site.html", **options)
    if refresh:
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8"), "--refresh writes it anew"


def test_a_file_of_its_own_is_replaced_and_any_other_is_not(tmp_path: Path) -> None:
    output = tmp_path / "site.html"
    first = packed(SITE, output)
    assert packed(SITE, output) == first
    output.write_text(f"<p>{one_file._MARK}</p>", encoding="utf-8")
    with pytest.raises(RefusedOutput):
        packed(SITE, output)


def changed(folder: Path, path: str, text: str) -> Path:
    """Return a copy of the site with another text in a file."""
    site = folder / "copy"
    shutil.copytree(SITE, site)
    (site / path).write_text(text, encoding="utf-8")
    return site


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("assets/first.js", "a('</SCRIPT>')", "a script of the theme holds </script or <!--"),
        ("assets/last.js", "<!--", "a script of the theme holds </script or <!--"),
        ("assets/site.css", "</style>", "a style of the theme holds </style or <!--"),
        ("runs/a.html", "<html><body>no main</body></html>", "runs/a.html has no <main>"),
    ],
)
def test_what_no_one_file_can_hold_is_named(
    path: str, text: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(PublishError, match=reason):
        packed(changed(tmp_path, path, text), tmp_path / "site.html")
    assert not (tmp_path / "site.html").exists()


def test_a_file_may_be_as_large_as_its_limit_and_no_larger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "site.html"
    packed(SITE, output)
    size = output.stat().st_size
    monkeypatch.setattr(one_file, "MAX_BYTES", size)
    packed(SITE, output)
    monkeypatch.setattr(one_file, "MAX_BYTES", size - 1)
    with pytest.raises(PublishError, match=r"would have more than 0 MB.*an old file is as it was"):
        packed(SITE, output)
    assert output.stat().st_size == size
    monkeypatch.setattr(one_file, "MAX_BYTES", 100)
    with pytest.raises(PublishError, match="would have more"):
        packed(SITE, output)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("report.pdf", "for a PDF print a page of it"),
        ("report.PDF", "for a PDF print a page of it"),
        ("runs.csv", "`sitegen export` writes data"),
        ("runs.tar", "`sitegen export` writes data"),
    ],
)
def test_the_name_of_another_file_is_refused(name: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedOutput) as refused:
        form_of(tmp_path / name)
    assert str(refused.value).endswith(
        f"{name}: a site is a folder, one .html file or one .zip file; {hint}"
    )
    (tmp_path / name).mkdir()
    assert form_of(tmp_path / name) is None


def test_the_ending_of_the_output_decides_its_form() -> None:
    assert form_of(Path("site")) is None
    assert form_of(Path("site.2")) is None
    assert form_of(Path("site.ZIP")) is one_file.ZIP
    for name in ("site.html", "site.HTML"):
        form = form_of(Path(name))
        assert form and form is not one_file.ZIP


PAGE = """<!doctype html>
<html lang="de"><head><title>Of "it"</title></head><body><header>H</header><main>{}</main></body></html>
"""


@pytest.mark.parametrize(
    ("main", "written"),
    [
        (
            "<svg><title>drawn</title><path d='M0'/></svg><p>behind</p>",
            '<svg><title>drawn</title><path d="M0"/></svg><p>behind</p>',
        ),
        (
            '<div class="raw">x<br><b>y</b><img src="z"><i/>z</div><p>behind</p>',
            "<p>behind</p>",
        ),
        (
            '<a data-search href="search.html">s</a><a href="../index.html">t</a>',
            '<a href="#main">t</a>',
        ),
        ('<a href="a.html#x">t</a>', '<a href="#u-p1.x">t</a>'),
        ('<a href="a.html#x=1">t</a>', '<a href="#runs/a.html">t</a>'),
        ('<a href="#x">t</a>', '<a href="#u-p1.x">t</a>'),
        ('<a href="../index.html#x">t</a>', '<a href="#x">t</a>'),
        ('<a href="none.html">t</a>', "<a>t</a>"),
        ('<a href="https://a.example/#x">t</a>', '<a href="https://a.example/#x">t</a>'),
        ('<a href="//a.example/x">t</a>', '<a href="//a.example/x">t</a>'),
        (
            '<img src="data:image/png;base64,AA=="><img src="none.png"><img src="../a.exe">',
            '<img src="data:image/png;base64,AA=="><img><img>',
        ),
        (
            '<use href="#i-x"></use><use href="#x"></use>',
            '<use href="#i-x"></use><use href="#u-p1.x"></use>',
        ),
        (
            '<i id="x" headers="y z" hidden>&amp;&#38;</i>',
            '<i id="u-p1.x" headers="u-p1.y u-p1.z" hidden>&amp;&#38;</i>',
        ),
        ('<meta name="x"><i style="fill:url(#g)"></i>', '<i style="fill:url(#u-p1.g)"></i>'),
        ("<table><tr><td>1</td></tr></table>", "<table><tr><td>1</table>"),
    ],
    ids=str,
)
def test_an_element_of_a_page_stands_in_the_file(main: str, written: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "runs").mkdir(parents=True)
    (site / "index.html").write_text(PAGE.format("<p>index</p>"), encoding="utf-8")
    (site / "runs/a.html").write_text(PAGE.format(main), encoding="utf-8")
    (site / "a.exe").write_bytes(b"no picture")
    text = packed(site, tmp_path / "site.html")
    assert f">{written}</main>" in text
    assert '<main class="page" id="runs/a.html" data-title="Of &quot;it&quot;">' in text
    assert '<html lang="de">' in text and text.count("<header>H</header>") == 1
