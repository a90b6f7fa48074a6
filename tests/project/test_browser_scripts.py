"""The scripts of sites are checked by the tools of their language: types by TypeScript, modules by tests of Node.js."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

from tests.conftest import ROOT, missing
from tests.support.scripts import MODULES

TOOLS = ROOT / ".ci"
MOST_NAMES = 8
"""That one object may give to a module, or one module to other scripts: it imports what it needs."""


def node() -> str:
    """Node.js of the machine."""
    path = shutil.which("node")
    if path is None:
        missing("the scripts of sites were not checked: there is no node")
    return path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Return the result of Node.js with these arguments, in the clone."""
    return subprocess.run([node(), *arguments], cwd=ROOT, capture_output=True, encoding="utf-8")


def test_the_types_of_the_scripts_agree() -> None:
    compiler = TOOLS / "node_modules" / "typescript" / "bin" / "tsc"
    if shutil.which("node") and not compiler.is_file():
        missing("the types of scripts were not checked: run `npm ci` in .ci")
    checked = run(str(compiler), "-p", str(TOOLS / "tsconfig.json"))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_modules_do_what_their_tests_say() -> None:
    files = sorted(str(path) for path in (ROOT / "tests" / "scripts").glob("*.test.mjs"))
    assert files
    tested = run("--test", *files)
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_no_object_hands_many_names_to_a_module() -> None:
    lists = re.compile(r"\{([\w$\s,:=\"]+)\}(?: = |;$)", re.MULTILINE)
    for module in MODULES.glob("*.js"):
        for handed in lists.finditer(module.read_text(encoding="utf-8")):
            names = [name for name in handed[1].split(",") if name.strip()]
            assert len(names) <= MOST_NAMES, f"{module.name}: {handed[0]}"


def test_the_lock_of_the_tools_names_no_registry() -> None:
    lock = json.loads((TOOLS / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert all(package["integrity"] for package in packages.values())
