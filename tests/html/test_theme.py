"""Themes: ten lines are one, a template changes one block, and every fault is a sentence with its place."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sitegen import config
from sitegen.errors import ConfigError
from sitegen.html import theme
from sitegen.html.render import View
from sitegen.masking.redact import Redactor
from tests.conftest import ROOT
from tests.support.browsers import as_file
from tests.support.building import build
from tests.support.campaigns import bare, result, write
from tests.support.site_checks import accessibility, findings, kinds, pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]

EXAMPLE = ROOT / "examples" / "theme"
EXTENDS = '{% extends "builtin/base.html.jinja" %}\n'


def built(folder: Path, files: dict[str, str | bytes] | Path | None, output: str = "site") -> Path:
    """The site of two runs below `folder`, with a theme of these files or of that folder."""
    if not (folder / "runs").exists():
        write(folder / "runs", {"one.json": bare(1), "two.json": bare(2)})
    if isinstance(files, dict):
        place: Path | None = write(folder / "look", dict(files))
    else:
        place = files
    settings = config.Config.model_validate(
        {
            "inputs": [str(folder / "runs")],
            "theme": None if place is None else str(place),
            "output": str(folder / output),
        }
    )
    build(settings, Redactor(()), lambda _, items: items, print)
    return folder / output


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def style(site: Path) -> str:
    (path,) = (site / "assets").glob("site-*.css")
    return text(path)


def fault(folder: Path, files: dict[str, str | bytes]) -> str:
    """The sentence about a theme of these files, its folder called LOOK."""
    with pytest.raises(ConfigError) as caught:
        built(folder, files)
    assert not (folder / "site").exists()
    return str(caught.value).replace(str(folder / "look"), "LOOK")


def test_tokens_are_added_and_the_other_styles_stay(tmp_path: Path) -> None:
    plain, themed = (
        style(built(tmp_path, files, name))
        for files, name in ((None, "a"), ({"tokens.css": "T"}, "b"))
    )
    assert themed == plain + "T"


def test_other_styles_and_modules_are_replaced_whole(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "code.css": "pre{color:red}",
        "site.js": "// none",
        "csv.js": "export const csvCell = (text) => `mine: ${text}`; // it",
    }
    site = built(tmp_path, files)
    assert "pre{color:red}" in style(site)
    assert "pre .k" not in style(site)
    (script,) = (site / "assets").glob("site-*.js")
    assert text(script) == '"use strict";\n(() => {\n// none\n})();\n'
    for name in ("judge", "more"):
        (joined,) = (site / "assets").glob(f"{name}-*.js")
        assert "\nconst csvCell = (text) => `mine: ${text}`; // it\n" in text(joined)
        assert "FORMULA" not in text(joined)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"csv.js": "own();"}, "builtin/more-exports.js:2: LOOK/csv.js does not export csvCell: "),
        (
            {"run.js": '\nimport { none } from "./csv.js";'},
            "LOOK/run.js:2: builtin/csv.js does not export none: ",
        ),
    ],
)
def test_a_module_has_to_export_what_others_import(
    tmp_path: Path, files: dict[str, str | bytes], sentence: str
) -> None:
    assert fault(tmp_path, files) == f"{sentence}export it there, or do not import it."


def test_a_script_and_a_style_of_ones_own_take_the_place_of_those_of_every_page(
    tmp_path: Path, browser: Browser
) -> None:
    built_in = (theme.folder() / "static" / "src" / "site.js").read_text(encoding="utf-8")
    own = {
        "more": f"{built_in}document.documentElement.dataset.own = 'yes';",
        "none": "document.title += ' (own)';",
    }
    for name, script in own.items():
        site = built(tmp_path / name, {"site.js": script, "site.css": "h1{font-size:50px}"})
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(as_file(site / "index.html"))
            assert page.locator("h1").evaluate("h => getComputedStyle(h).fontSize") == "50px"
            assert (
                page.locator(".facets").evaluate("f => getComputedStyle(f).flexWrap") == "wrap"
            ), "table.css stays"
            assert page.locator("#run-table tbody tr").first.is_visible()
            if name == "more":
                page.locator("#facets:not([inert])").wait_for(state="attached")
                assert page.locator("html").get_attribute("data-own") == "yes"
            else:
                assert page.title().endswith(" (own)")
                assert page.locator(".controls:visible").count() == 0, (
                    "what nothing brings to life is not shown"
                )


def test_ten_lines_of_tokens_change_the_colours_of_both_schemes(
    tmp_path: Path, browser: Browser
) -> None:
    site = built(tmp_path, {"tokens.css": ":root{--bg: light-dark(#fff8e7, #102030)}"})
    with browser.new_context(color_scheme="light") as context:
        page = context.new_page()
        page.goto(as_file(site / "index.html"))
        ground = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(ground) == "rgb(255, 248, 231)"
        page.locator("#scheme").click()
        assert page.evaluate(ground) == "rgb(16, 32, 48)"
        page.emulate_media(media="print")
        assert page.evaluate(ground) == "rgb(255, 248, 231)", "paper is light, whatever was chosen"


def test_the_documented_lines_are_the_example() -> None:
    lines = [line for line in text(EXAMPLE / "tokens.css").splitlines() if line.strip()]
    assert len(lines) <= 11, "a comment and ten lines"
    assert text(EXAMPLE / "tokens.css") in text(ROOT / "docs" / "themes.md")
    assert text(EXAMPLE / "base.html.jinja") in text(ROOT / "docs" / "themes.md")


def test_a_template_that_extends_the_built_in_one_changes_one_block_of_every_page(
    tmp_path: Path,
) -> None:
    plain = built(tmp_path, None, "plain")
    themed = built(
        tmp_path, {"base.html.jinja": EXTENDS + "{% block footnote %}Ours{% endblock %}"}, "themed"
    )
    notes = "Costs are as the agents computed them, not a bill. "
    for page in pages(plain):
        if page.name == "about.html":  # its digest of the settings differs
            continue
        before, rest = text(page).split(notes)
        assert text(themed / page.relative_to(plain)) == f"{before}Ours{rest.partition('</a>')[2]}"


def test_the_page_of_a_theme_stands_on_the_frame_of_the_theme(tmp_path: Path) -> None:
    site = built(
        tmp_path,
        {
            "base.html.jinja": EXTENDS + "{% block nav %}{{ super() }}<li>Ours</li>{% endblock %}",
            "index.html.jinja": '{% extends "builtin/index.html.jinja" %}'
            "{% block heading %}{{ super() }}<p>{{ view.meta }}, {{ site.title }}</p>{% endblock %}"
            "{% block runs %}{% endblock %}",
        },
    )
    assert "<li>Ours</li>" in text(site / "index.html")
    assert "<p>2 runs from 2 files, Agent runs</p>" in text(site / "index.html")
    assert 'id="run-table"' not in text(site / "index.html")
    assert "<li>Ours</li>" in text(site / "problems.html")


def test_a_macro_can_be_replaced_and_the_others_passed_on(tmp_path: Path) -> None:
    names = "state", "figures", "facts", "bar_pair", "heading", "path", "coded"
    passed = "".join(f"{{% set {name} = builtin.{name} %}}" for name in names)
    macro = "{% macro sign(name, size=13) %}<b>{{ name }}</b>{% endmacro %}"
    imported = '{% import "builtin/_macros.html.jinja" as builtin %}'
    site = built(tmp_path, {"_macros.html.jinja": imported + passed + macro})
    assert "<b>half</b>" in text(site / "index.html")
    assert 'class="figures"' in text(site / "index.html")


def test_values_are_escaped_in_the_templates_of_a_theme_too(tmp_path: Path) -> None:
    site = built(
        tmp_path, {"base.html.jinja": EXTENDS + '{% block footnote %}{{ "<i>" }}{% endblock %}'}
    )
    assert "<p>&lt;i&gt;</p>" in text(site / "index.html")


@pytest.mark.parametrize("name", theme.LOGOS)
def test_a_logo_stands_before_the_title(tmp_path: Path, browser: Browser, name: str) -> None:
    png = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8ffff3f0005fe02fe"
        "dccc59e70000000049454e44ae426082"
    )
    site = built(
        tmp_path, {name: (EXAMPLE / "logo.svg").read_bytes() if name.endswith("svg") else png}
    )
    assert findings(site) == []
    with browser.new_context() as context:
        page = context.new_page()
        for path in (site / "index.html", next((site / "runs").glob("*.html"))):
            page.goto(as_file(path))
            assert page.locator("header .home .logo").evaluate(
                "image => image.complete && image.naturalWidth > 0"
            )
            assert page.locator("header .home").inner_text() == "Agent runs"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (
            {"bas.html.jinja": ""},
            "LOOK/bas.html.jinja: it replaces nothing, sitegen has no file of this name; "
            "did you mean base.html.jinja?",
        ),
        (
            {"hero.webp": b""},
            "LOOK/hero.webp: it replaces nothing, sitegen has no file of this name.",
        ),
        ({"site.css/x": ""}, "LOOK/site.css: it is not a file."),
        ({"tokens.css": b":root{}\n\n\xff"}, "LOOK/tokens.css:3: this is not UTF-8 text."),
        (
            {"logo.svg": "", "logo.png": b""},
            "LOOK/logo.png: logo.svg is there too, and a site has one logo.",
        ),
        (
            {"base.html.jinja": "\n\n{% if %}"},
            "LOOK/base.html.jinja:3: Expected an expression, got 'end of statement block'.",
        ),
        (
            {"run.html.jinja": "\n{{ page.title | louder }}"},
            "LOOK/run.html.jinja:2: No filter named 'louder'.",
        ),
    ],
)
def test_a_fault_shows_before_any_run_is_read(
    tmp_path: Path, files: dict[str, str | bytes], sentence: str
) -> None:
    write(
        tmp_path / "runs", {"broken.json": "{"}
    )  # else the sentence would be that no run can be read
    assert fault(tmp_path, files) == sentence


@pytest.mark.parametrize(
    ("name", "source", "sentence"),
    [
        (
            "base.html.jinja",
            EXTENDS + "\n{% block footnote %}\n{{ titel }}{% endblock %}",
            "LOOK/base.html.jinja:4: 'titel' is undefined. ",
        ),
        (
            "index.html.jinja",
            "\n{{ view.titel }}",
            "LOOK/index.html.jinja:2: 'sitegen.html.render.View object' has no attribute 'titel'. index.html ",
        ),
        (
            "about.html.jinja",
            '{% extends "base.html" %}',
            "LOOK/about.html.jinja:1: there is no template 'base.html'. about.html was being made.",
        ),
        (
            "about.html.jinja",
            '{% include "../secret.txt" %}',
            "LOOK/about.html.jinja:1: there is no template '../secret.txt'. about.html was being made.",
        ),
        (
            "base.html.jinja",
            '{% extends "base.html.jinja" %}',
            "LOOK/base.html.jinja:1: it extends or includes itself; the built-in template is builtin/base.html.jin",
        ),
        (
            "about.html.jinja",
            "{{ 1 / 0 }}",
            "LOOK/about.html.jinja:1: ZeroDivisionError: division by zero. ",
        ),
        (
            "_macros.html.jinja",
            "",
            "the template '_macros.html.jinja' (imported on line 3 in 'base.html.jinja') "
            "does not export the requested name 'sign'. ",
        ),
    ],
)
def test_a_template_that_fails_is_named_with_its_line(
    tmp_path: Path, name: str, source: str, sentence: str
) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    assert sentence in fault(tmp_path, {name: source})


def test_a_link_in_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    write(tmp_path / "look", {"tokens.css": ""})
    (tmp_path / "look" / "logo.svg").symlink_to(tmp_path / "secret.txt")
    assert fault(tmp_path, {}).startswith("LOOK/logo.svg: it is a link; put the file itself there")


def test_a_pipe_in_the_folder_does_not_stop_the_build(tmp_path: Path) -> None:
    (tmp_path / "look").mkdir()
    os.mkfifo(tmp_path / "look" / "tokens.css")
    assert fault(tmp_path, {}) == "LOOK/tokens.css: it is not a file."


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^theme: there is no folder .*nowhere\.$"):
        built(tmp_path, tmp_path / "nowhere")


def test_notes_about_a_theme_and_hidden_files_are_no_part_of_it(tmp_path: Path) -> None:
    write(tmp_path / "look", {"README.md": "", "LICENSE": "", ".DS_Store": b"\xff"})
    assert theme.load(str(tmp_path / "look")).own == {}


def test_the_folder_is_relative_to_the_settings(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("inputs: [runs]\ntheme: look\n", encoding="utf-8")
    assert config.load(tmp_path / "c.yaml").theme == str(tmp_path / "look")


def test_the_digest_of_the_settings_follows_the_files_of_the_theme_and_not_their_place(
    tmp_path: Path,
) -> None:
    def digest(site: Path) -> str:
        return text(site / "about.html").partition("Digest of the settings</dt><dd>")[2][:16]

    one = digest(built(tmp_path, {"tokens.css": "a"}))
    other = digest(built(tmp_path, {"tokens.css": "b"}))
    moved = digest(built(tmp_path, write(tmp_path / "elsewhere", {"tokens.css": "a"})))
    assert len({one, other, digest(built(tmp_path, None))}) == 3
    assert moved == one


def test_the_example_theme_keeps_what_every_site_keeps(tmp_path: Path, browser: Browser) -> None:
    site = built(tmp_path, EXAMPLE)
    assert findings(site) == []
    shown = {kind: path for kind, path in kinds(site).items() if kind in ("index", "run-ok")}
    with browser.new_context(
        color_scheme="dark", viewport={"width": 320, "height": 800}
    ) as context:
        page = context.new_page()
        for path in shown.values():
            page.goto(as_file(path))
            assert accessibility(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= 320


def computed(browser: Browser, site: Path, script: str, **settings: Any) -> Any:
    """What a script says of the first page under these settings of the browser."""
    with browser.new_context(**settings) as context:
        page = context.new_page()
        page.goto(as_file(site / "index.html"))
        return page.evaluate(script)


def test_more_contrast_is_given_whatever_the_theme_says(tmp_path: Path, browser: Browser) -> None:
    site = built(tmp_path, {"tokens.css": ":root{--bg: #eeeeee; --muted: #999999}"})
    script = "[document.body, document.querySelector('.meta')].map(e => getComputedStyle(e)).map((s, i) => "
    script += "i ? s.color : s.backgroundColor)"
    assert computed(browser, site, script) == ["rgb(238, 238, 238)", "rgb(153, 153, 153)"]
    assert computed(browser, site, script, contrast="more") == [
        "rgb(255, 255, 255)",
        "rgb(43, 48, 56)",
    ]


def test_forced_colours_leave_keys_signs_and_the_current_page_visible(
    tmp_path: Path, browser: Browser
) -> None:
    write(tmp_path / "runs", {"one.json": result(1), "two.json": result(2)})
    script = """() => {
        const style = (selector) => getComputedStyle(document.querySelector(selector));
        return {
            ground: style("body").backgroundColor,
            key: style("#run-table .key").backgroundColor,
            sign: style("#run-table .sign").stroke,
            bar: style(".soft").fill,
            current: style(".bar [aria-current]").textDecorationLine,
            scheme: style("#scheme").display,
        };
    }"""
    site = built(tmp_path, None)
    for scheme in ("light", "dark"):
        seen = computed(browser, site, script, forced_colors="active", color_scheme=scheme)
        assert len({seen["ground"], seen["key"], seen["sign"]}) == 3
        assert seen["bar"] == seen["sign"]
        assert (seen["current"], seen["scheme"]) == ("underline", "none")


def test_nothing_moves_for_who_asked_for_less_motion(tmp_path: Path, browser: Browser) -> None:
    site = built(tmp_path, {"tokens.css": "a{transition:color 2s} html{scroll-behavior:smooth}"})
    script = "[getComputedStyle(document.querySelector('a')).transitionDuration, "
    script += "getComputedStyle(document.documentElement).scrollBehavior]"
    assert computed(browser, site, script, reduced_motion="no-preference") == ["2s", "smooth"]
    assert computed(browser, site, script, reduced_motion="reduce") == ["0s", "auto"]


def test_a_view_does_not_change_and_can_be_sent() -> None:
    view = View(heading="A", rows=(1, 2))
    with pytest.raises(AttributeError):
        view.heading = "B"
    assert view.but(heading="B") == View(heading="B", rows=(1, 2))
    sent = pickle.loads(pickle.dumps(view))  # noqa: S301  our own
    assert sent == view == View(heading="A", rows=(1, 2))
