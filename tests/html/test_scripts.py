"""Modules become one script: each behind those that it imports, and what cannot be joined is a sentence."""

from __future__ import annotations

import subprocess

import pytest

from sitegen.errors import ConfigError
from sitegen.html import scripts, theme
from tests.support.scripts import MODULES, node


def joined(entry: str, sources: dict[str, str], places: dict[str, str] | None = None) -> str:
    """The script of these modules, its parts one behind the other."""
    return "\n".join(scripts.order_modules(entry, sources, places or {}).values())


def printed(script: str) -> str:
    """Return the output of a script, in one function as pages load it."""
    program = f'"use strict";\n(() => {{\n{script}\n}})();'
    done = subprocess.run([node(), "-e", program], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_module_stands_once_behind_those_that_it_imports() -> None:
    sources = {
        "a.js": 'import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\nconsole.log(b(), c);',
        "b.js": 'import { c, setC } from "./c.js";\nexport const b = () => setC(c + 1);',
        "c.js": "export let c = 1;\nexport function setC(value) {\n  c = value;\n  return c;\n}",
        "d.js": "not here",
    }
    assert list(scripts.order_modules("a.js", sources, {})) == ["c.js", "b.js", "a.js"]
    script = joined("a.js", sources)
    assert "import" not in script
    assert "export" not in script
    assert printed(script) == "2 2", "a binding is the variable itself"


@pytest.mark.parametrize(
    "declaration",
    [
        "export const a = 1;",
        "export let a;",
        "export let a = 1;",
        "export function a() {}",
        "export async function a() {}",
        "export function* a() {}",
        "export class a {}",
        "export class a extends Map {}",
    ],
)
def test_every_declaration_of_one_name_may_be_exported(declaration: str) -> None:
    sources = {"a.js": declaration, "b.js": 'import { a } from "./a.js";\nconsole.log(typeof a);'}
    assert printed(joined("b.js", sources))


WRITE = (
    'modules are joined, so write import { a, b } from "./module.js"; '
    "and declare or export one name at a time."
)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ('import x from "./a.js";', f"builtin/m.js:1: {WRITE}"),
        ('\nimport * as x from "./a.js";', f"builtin/m.js:2: {WRITE}"),
        ('import { a as x } from "./a.js";', f"builtin/m.js:1: {WRITE}"),
        ('import { a } from "https://example.org/a.js";', f"builtin/m.js:1: {WRITE}"),
        ('import "./a.js";', f"builtin/m.js:1: {WRITE}"),
        ('const x = 1;\nconst y = () => import("./a.js");', f"builtin/m.js:2: {WRITE}"),
        ("const x = import.meta.url;", f"builtin/m.js:1: {WRITE}"),
        ("export default 1;", f"builtin/m.js:1: {WRITE}"),
        ("const x = 1;\n\nexport { x };", f"builtin/m.js:3: {WRITE}"),
        ("const { x } = window;", f"builtin/m.js:1: {WRITE}"),
        ("let x, y;", f"builtin/m.js:1: {WRITE}"),
        ("var x = 1;", f"builtin/m.js:1: {WRITE}"),
        ('import { a } from "./a.js";\nconst x = 1;\nexport { x };', f"builtin/m.js:3: {WRITE}"),
        ('\nimport { a } from "./none.js";', "builtin/m.js:2: there is no module none.js."),
        (
            'import { a, b, c } from "./a.js";',
            "builtin/m.js:1: builtin/a.js does not export b, c: export it there, or do not import it.",
        ),
        (
            'import { a } from "./a.js";\nconst hidden = 1;',
            "builtin/m.js: a.js declares hidden too, and both are joined into one script: rename it.",
        ),
        ('import { m } from "./m.js";', "builtin/m.js: it imports itself by m.js."),
        ('import { round } from "./round.js";', "builtin/m.js: it imports itself by round.js."),
    ],
)
def test_what_cannot_be_joined_is_named_with_its_line(source: str, sentence: str) -> None:
    sources = {
        "a.js": "const hidden = 1;\nexport const a = hidden;",
        "round.js": 'import { m } from "./m.js";\nexport const round = 1;',
        "m.js": source,
    }
    with pytest.raises(ConfigError) as caught:
        joined("m.js", sources)
    assert str(caught.value) == sentence


def test_a_module_of_a_theme_is_named_by_its_place() -> None:
    sources = {"m.js": 'import { a } from "./a.js";', "a.js": ""}
    with pytest.raises(ConfigError, match=r"^builtin/m\.js:1: look/a\.js does not export a: "):
        joined("m.js", sources, {"a.js": "look/a.js"})


def test_types_in_comments_are_no_imports() -> None:
    source = '/** @import { A } from "./a.js" */\n// import and export are words\nconsole.log(1);'
    assert printed(joined("m.js", {"m.js": source})) == "1"


def test_every_module_is_a_part_of_a_script() -> None:
    sources = {path.name: path.read_text(encoding="utf-8") for path in MODULES.glob("*.js")}
    used = {name for entry in theme.SCRIPTS for name in scripts.order_modules(entry, sources, {})}
    assert used == sources.keys()
