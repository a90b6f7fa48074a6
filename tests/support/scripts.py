"""Runs functions of the scripts of a site by themselves, in the JavaScript that playwright brings along."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from sitegen.html import theme

MODULES = theme.folder() / "static" / "src"


def node() -> str:
    """Path of a Node.js; without playwright, the test is skipped."""
    driver = pytest.importorskip("playwright._impl._driver", reason="needs playwright")
    path: str = driver.compute_driver_executable()[0]
    return path


def called(imports: str, expression: str, cases: object) -> Any:
    """What an expression, in which `cases` is a value, comes to behind these imports of modules of `templates`."""
    program = f'import {{ readFileSync }} from "node:fs";\n{imports}\n'
    program += 'const cases = JSON.parse(readFileSync(0, "utf8"));\n'
    program += f"process.stdout.write(JSON.stringify({expression}));"
    done = subprocess.run(
        [node(), "--input-type=module", "-e", program],
        cwd=MODULES,
        input=json.dumps(cases),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
