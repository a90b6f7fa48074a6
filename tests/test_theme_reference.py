"""What docs/themes.md says of blocks and views is what the templates have and are given.

Its reference is written from the code: `python3 tests tests/test_theme_reference.py --refresh` writes it anew.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import textwrap
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import pytest
from jinja2 import nodes

from sitegen import config
from sitegen.html import render, theme
from sitegen.masking.redact import Redactor
from sitegen.pages.table import run_table
from tests.support.building import build
from tests.support.campaigns import OPUS, SONNET, result, write
from tests.support.transcripts import Teller, lines

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "themes.md"
BEGIN, END = "<!-- reference: written from the code -->\n", "<!-- end of the reference -->\n"

SHARED = ("page", "site", "root")
"""What every template is given; `view` and the rest differ."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Every template that makes pages: the names that it is given, and what each was in a real build."""
    folder = tmp_path_factory.mktemp("reference")
    runs: dict[str, Any] = {
        f"task-{task}/{model[7:11]}/{attempt}.json": result(40 * task + 20 * (model == OPUS) + attempt, model)
        for task in range(1, 7)
        for model in (SONNET, OPUS)
        for attempt in (1, 2)
    }
    runs["task-2/opus/1.json"]["result"] = ">" * 60 + " deep"  # which shows when it is rendered
    runs["task-1/sonn/1.diff"] = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"
    runs["task-1/opus/1.json"]["session_id"] = runs["task-1/opus/2.json"]["session_id"]
    for name, told in {"6/opus/3": Teller(), "1/opus/3": Teller(runs["task-1/opus/1.json"]["session_id"])}.items():
        asked = told.prompt("Go."), told.calls("a", "Bash", command="make"), told.answers("a")
        runs[f"task-{name}.jsonl"] = lines(*asked)
    write(folder / "runs", runs)
    write(folder / "others", {"codex/task-1/1.json": result(300, SONNET)})
    seen: dict[str, dict[str, Any]] = {}
    usual = jinja2.Template.render

    def recorded(self: jinja2.Template, names: Mapping[str, object]) -> str:
        known = seen.setdefault(str(self.name), {})
        shown = {"page": names["page"], "site": self.globals["site"], **names}
        known |= {name: type_of(value) for name, value in shown.items() if name != "root" and value not in (None, ())}
        return usual(self, names)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jinja2.Template, "render", recorded)
        patch.setattr(run_table, "ROWS_PER_PAGE", 20)
        inputs = (
            {"path": str(folder / "runs"), "pattern": "{task}/{model}/{attempt}.*"},
            {"path": str(folder / "others"), "pattern": "{agent}/{task}/{attempt}.json"},
        )
        stated = {
            "factors": {"agent_version": "tag"},
            "inputs": inputs,
            "output": str(folder / "site"),
            "site_url": "https://example.org/",
        }
        stated |= {"campaign": {"date": "2026-11-18"}, "history": {"path": str(folder / "history.jsonl")}}
        settings = config.Config.model_validate(stated)
        build(settings, Redactor(()), lambda _, items: items, print)
    return dict(sorted(seen.items()))


def type_of(value: object) -> Any:
    """The type of a value, as an annotation would say it."""
    return tuple[type(value[0]), ...] if isinstance(value, tuple) else type(value)  # type: ignore[misc]


def blocks(template: str) -> list[str]:
    """The blocks of a built-in template, in its order."""
    tree = jinja2.Environment(autoescape=True).parse(theme.load().templates[theme.BUILT_IN + template])
    return [block.name for block in tree.find_all(nodes.Block)]


def macros(template: str) -> list[str]:
    """The macros of a built-in template with their parameters."""
    tree = jinja2.Environment(autoescape=True).parse(theme.load().templates[theme.BUILT_IN + template])
    return [f"{macro.name}({', '.join(each.name for each in macro.args)})" for macro in tree.find_all(nodes.Macro)]


def called(kind: type) -> str:
    """A class with the module that errors of jinja2 name."""
    return f"{kind.__module__.removeprefix('sitegen.')}.{kind.__name__}"


def spelled(hint: Any) -> str:
    """A type as the reference writes it."""
    inner = [each for each in typing.get_args(hint) if each is not Ellipsis]
    if isinstance(hint, types.UnionType):
        return " or ".join(spelled(each) for each in inner)
    if typing.get_origin(hint) is tuple:
        return f"tuple of {spelled(inner[0])}" if len(inner) == 1 else f"({', '.join(map(spelled, inner))})"
    if typing.get_origin(hint) is not None:
        return f"{typing.get_origin(hint).__name__} of {', '.join(map(spelled, inner))}"
    if hint is type(None):
        return "None"
    return called(hint) if dataclasses.is_dataclass(hint) else str(hint.__name__)


def classes_in(hint: Any) -> Iterator[type]:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        yield hint
    for inner in typing.get_args(hint):
        yield from classes_in(inner)


def all_classes(kinds: list[type]) -> list[type]:
    """These dataclasses and those in their fields, each once, in the order in which a reader meets them."""
    found: list[type] = []
    left = list(kinds)
    while left:
        kind = left.pop(0)
        if kind in found:
            continue
        found.append(kind)
        hints = typing.get_type_hints(kind)
        left[:0] = [inner for field in dataclasses.fields(kind) for inner in classes_in(hints[field.name])]
    return found


def docstrings(kind: type) -> dict[str, str]:
    """What the code says below its fields."""
    body = typing.cast("ast.ClassDef", ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]).body
    pairs = itertools.pairwise(body)
    return {
        field.target.id: " ".join(inspect.cleandoc(below.value.value).split())
        for field, below in pairs
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }  # fmt: skip


def described(kind: type) -> Iterator[str]:
    """A class of the reference: a line for each field."""
    assert kind.__doc__
    yield f"\n**`{called(kind)}`** {' '.join(kind.__doc__.split())}\n\n"
    hints, notes = typing.get_type_hints(kind), docstrings(kind)
    for field in dataclasses.fields(kind):
        note = f": {notes[field.name]}" if field.name in notes else ""
        yield f"- `{field.name}` {spelled(hints[field.name])}{note}\n"


def reference(given: dict[str, dict[str, Any]]) -> str:
    """The reference, as Markdown."""
    lines = ["\n| template | blocks | is given |\n|---|---|---|\n"]
    lines.append(f"| `base.html.jinja` | {_names(blocks('base.html.jinja'))} | `page`, `site`, `root`, `view` |\n")
    for template, names in given.items():
        own = ", ".join(f"`{name}` {spelled(kind)}" for name, kind in names.items() if name not in SHARED)
        lines.append(f"| `{template}` | {_names(blocks(template))} | {own} |\n")
    lines.append("\n| file of macros | macros |\n|---|---|\n")
    parts = sorted(name for name in theme.load().templates if name.startswith("_"))
    lines += [f"| `{name}` | {_names(macros(name))} |\n" for name in parts]
    lines.append(f"\nStylesheets, in the order in which they are joined: {_names(theme.STYLES)}, your `tokens.css`.\n")
    joined = [f"{_names(parts)} are joined in this order into `{name}`" for name, parts in theme.JOINED.items()]
    lines.append(f"Scripts: {_names(theme.SCRIPTS)}; of them {', and '.join(joined)}.\n")
    kinds = [kind for names in given.values() for hint in names.values() for kind in classes_in(hint)]
    for kind in all_classes([render.Page, render.SiteView, *kinds]):
        lines += described(kind)
    return "".join([*lines, "\n"])


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def test_every_template_was_used(given: dict[str, dict[str, Any]]) -> None:
    templates = {name for name in theme.load().templates if not name.startswith(("_", theme.BUILT_IN))}
    assert {*given, "base.html.jinja"} == templates
    assert {"texts", "account", "late", "patch"} <= given["run.html.jinja"].keys()


def test_the_reference_says_what_the_code_has(given: dict[str, dict[str, Any]], refresh: bool) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    expected = before + BEGIN + reference(given) + END + after
    if refresh:
        DOCUMENT.write_text(expected, encoding="utf-8", newline="\n")
    assert text == expected or refresh, "docs/themes.md differs; --refresh writes its reference anew"


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
