"""The reference in docs/contributing/theme-reference.md lists the blocks, variables and macros that the templates have.

It is generated from the templates: `python3 tests tests/test_theme_reference.py --refresh` updates it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import jinja2
from jinja2 import meta, nodes

from sitegen.html import theme

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "contributing" / "theme-reference.md"
BEGIN, END = "<!-- reference: generated from the templates -->\n", "<!-- end of the reference -->\n"


def parsed(template: str) -> nodes.Template:
    """Parse a built-in template."""
    environment = jinja2.Environment(autoescape=True)
    environment.filters |= {"html": str, "moments": str}
    return environment.parse(theme.load().templates[theme.BUILT_IN + template])


def variables(template: str) -> list[str]:
    """Return the names that the template uses: fields of `view`, `page` and `site`, and other variables."""
    read = [node for node in parsed(template).find_all(nodes.Getattr) if isinstance(node.node, nodes.Name)]
    given = {(str(node.node.name), node.attr) for node in read if node.node.name in ("view", "page", "site")}  # type: ignore[attr-defined]
    others = meta.find_undeclared_variables(parsed(template)) - {"view", "page", "site", "root"}
    imported = {name for node in parsed(template).find_all(nodes.FromImport) for name in node.names}
    return sorted(
        {attribute if name == "view" else f"{name}.{attribute}" for name, attribute in given} | others - imported
    )


def row(template: str) -> str:
    """Return the row of a template: its blocks, or its macros with their parameters, and its variables."""
    blocks = [block.name for block in parsed(template).find_all(nodes.Block)]
    macros = [
        f"{macro.name}({', '.join(each.name for each in macro.args)})"
        for macro in parsed(template).find_all(nodes.Macro)
    ]
    used = "" if macros and not blocks else f" {_names(variables(template))} |"
    return f"| `{template}` | {_names(blocks or macros)} |{used}\n"


def reference() -> str:
    """Return the reference as Markdown."""
    names = sorted(name for name in theme.load().templates if not name.startswith(theme.BUILT_IN))
    lines = ["\n| template | blocks | variables |\n|---|---|---|\n"]
    lines += [row(name) for name in names if not name.startswith("_")]
    lines.append("\n| file of macros | macros |\n|---|---|\n")
    lines += [row(name) for name in names if name.startswith("_")]
    lines.append("\n")
    return "".join(lines)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def test_reference_matches_templates(refresh: bool) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    expected = before + BEGIN + reference() + END + after
    if refresh:
        DOCUMENT.write_text(expected, encoding="utf-8", newline="\n")
    assert text == expected or refresh, "docs/contributing/theme-reference.md differs; --refresh updates its reference"


def test_every_section_that_a_page_may_have_stands_in_a_block() -> None:
    """So that a theme can leave out or replace each of them."""
    outside = {}
    for name, source in theme.load().templates.items():
        if not name.startswith(("_", theme.BUILT_IN, "base.")):
            tree = jinja2.Environment(autoescape=True).parse(source)
            (main,) = [block for block in tree.find_all(nodes.Block) if block.name == "main"]
            loose = [f"line {node.lineno}" for node in main.body if not isinstance(node, nodes.Block | nodes.Output)]
            shell = "".join(
                part.data for node in main.body if isinstance(node, nodes.Output)
                for part in node.nodes if isinstance(part, nodes.TemplateData)
            )  # fmt: skip
            outside[name] = shell.replace('<div class="margin">', "").replace("</div>", "").strip(), loose
    assert {name: found for name, found in outside.items() if any(found)} == {}
