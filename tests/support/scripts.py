"""Runs functions of the scripts of a site by themselves, in the JavaScript that playwright brings along."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from sitegen.html import theme

_SOURCES = theme.folder() / "static"


def node() -> str:
    """Path of a Node.js; without playwright, the test is skipped."""
    driver = pytest.importorskip("playwright._impl._driver", reason="needs playwright")
    path: str = driver.compute_driver_executable()[0]
    return path


def called(parts: tuple[str, ...], expression: str, cases: object) -> Any:
    """What an expression, in which `cases` is a value, comes to behind these files of `templates/static`."""
    source = "\n".join((_SOURCES / part).read_text(encoding="utf-8") for part in parts)
    program = 'const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));'
    program += f"{source}\nprocess.stdout.write(JSON.stringify({expression}));"
    done = subprocess.run(
        [node(), "-e", program], input=json.dumps(cases), capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
