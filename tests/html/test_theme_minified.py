"""The built-in styles and scripts are minified when a site is built, and say what their sources say."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sitegen.html import theme
from sitegen.html.scripts import order_modules
from tests.support import scripts, site_checks

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

SOURCES = theme.folder() / "static"

TREES = """
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const tree = (text) => JSON.stringify(
  parse(text, { ecmaVersion: "latest", allowReturnOutsideFunction: true }),
  (key, value) => ["start", "end", "raw"].includes(key) ? undefined
    : value instanceof RegExp || typeof value === "bigint" ? String(value) : value,
);
const pairs = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(pairs.map(([one, other]) => tree(one) === tree(other))));
"""

RULES = """(text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  const said = (rules) => [...rules].map((rule) => [
    rule.constructor.name,
    rule.selectorText ?? rule.conditionText ?? rule.name ?? "",
    [...rule.style ?? []].map((name) => [
      name, rule.style.getPropertyValue(name).replace(/\\s*([\\s,])\\s*/g, "$1"), rule.style.getPropertyPriority(name),
    ]),
    said(rule.cssRules ?? []),
  ]);
  return said(sheet.cssRules);
}"""
"""White space around a comma and within a run of itself says nothing: browsers keep it in custom properties."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as context:
        yield context.new_page()


def minified(name: str) -> str:
    return theme._minify(SOURCES / name).decode()


def as_function(script: str) -> str:
    """A script as pages load it."""
    return f'"use strict";\n(() => {{\n{script}\n}})();\n'


def same_trees(*pairs: tuple[str, str]) -> list[bool]:
    """Whether both scripts of each pair have one syntax tree, as the parser within playwright's Node.js reads them."""
    command = [scripts.node(), "--expose-internals", "-e", TREES]
    done = subprocess.run(
        command, input=json.dumps(pairs), capture_output=True, text=True, check=True
    )
    compared: list[bool] = json.loads(done.stdout)
    return compared


def test_a_minified_script_has_the_syntax_tree_of_its_modules() -> None:
    modules = {
        path.name: path.read_text(encoding="utf-8") for path in (SOURCES / "src").glob("*.js")
    }
    built = theme.load()
    pairs = []
    for name in theme.SCRIPTS:
        parts = order_modules(name, modules, {})
        small = built.assets[built.asset_paths[name]].decode()
        pairs.append((as_function("\n".join(parts.values())), small))
    assert all(len(small) < 0.9 * len(source) for source, small in pairs)
    assert dict(zip(theme.SCRIPTS, same_trees(*pairs), strict=True)) == dict.fromkeys(
        theme.SCRIPTS, True
    )


def test_trees_differ_where_a_minifier_would_break_a_script() -> None:
    """The comparison sees what this minifier does to a literal within a literal, which no source may have therefore."""
    from rjsmin import jsmin

    nested = 'const a = `x${b ? ` to  ${b}` : ""}`;'
    assert same_trees(
        (nested, jsmin(nested)), ("a = b;", "a=b"), ("a = / +/;", "a=/ /"), ("a\n++b", "a++\nb")
    ) == [
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("name", theme.STYLES)
def test_a_minified_stylesheet_has_the_rules_of_its_source(page: Page, name: str) -> None:
    source, small = (SOURCES / name).read_text(encoding="utf-8"), minified(name)
    assert len(small) < 0.9 * len(source)
    rules: list[Any] = page.evaluate(RULES, source)
    assert rules
    assert page.evaluate(RULES, small) == rules


def test_rules_differ_where_a_minifier_would_break_a_stylesheet(page: Page) -> None:
    for one, other in (
        ("a :is(b) { top: 0 }", "a:is(b){top:0}"),
        ("a { width: calc(1px + 2px) }", "a{width:calc(1px+2px)}"),
        ('a::after { content: " (" }', 'a::after{content:"("}'),
        ("a { > b { top: 0 } }", "a{b{top:0}}"),
        ("@media (width > 1px) and (scripting) { a { top: 0 } }", "@media (width>1px){a{top:0}}"),
    ):
        assert page.evaluate(RULES, one) != page.evaluate(RULES, other)


def test_own_scripts_and_styles_of_a_site_are_small() -> None:
    assets = theme.load().assets
    kilobytes = {
        kind: sum(
            len(gzip.compress(content, mtime=0))
            for path, content in assets.items()
            if path.endswith(kind)
        )
        / 1000
        for kind in (".js", ".css")
    }
    assert 10 < kilobytes[".js"] <= 65
    assert 5 < kilobytes[".css"] <= 17


def test_no_page_begins_with_much_script(demo_site: Path) -> None:
    """What a page loads by itself; what is asked for later, such as the search, comes later."""
    weights = {
        page: sum(
            len(gzip.compress((page.parent / src).read_bytes(), mtime=0))
            for src in re.findall(r'<script src="([^"]+)"', page.read_text(encoding="utf-8"))
        )
        for page in site_checks.kinds(demo_site).values()
    }
    assert max(weights.values()) <= 26_000, weights
