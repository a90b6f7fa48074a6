"""The code is as it says it is: typed, tidy, layered, quick to start, and every setting is documented."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from pydantic import BaseModel

from benchmarks import size
from sitegen.config import Config
from tests.conftest import ROOT
from tests.support import campaigns

PACKAGE = ROOT / "sitegen"

LIBRARIES = {
    "altair": {"charts"},
    "click": {"cli"},
    "dask": {"system"},
    "distributed": {"system"},
    "fsspec": {"remote"},
    "jinja2": {"html"},
    "markdown_it": {"html"},
    "markupsafe": {"html"},
    "mdit_py_plugins": {"html"},
    "msgspec": {"cache", "inputs"},
    "nh3": {"html"},
    "pandas": {"api"},
    "pyarrow": {"cli"},
    "pydantic": {"config", "system"},
    "pydantic_core": {"masking", "readers"},
    "rcssmin": {"html"},
    "rjsmin": {"html"},
    "vl_convert": {"charts"},
    "yaml": {"numbers", "text"},
}
"""Where each library may be imported: it can be replaced in one place."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What this Python says to the arguments, in the clone."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, encoding="utf-8"
    )


def test_ruff_finds_nothing() -> None:
    checked = run("-m", "ruff", "check", "--no-cache", ".")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_mypy_finds_nothing() -> None:
    checked = run("-m", "mypy")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def modules() -> Iterator[tuple[str, Path]]:
    """Every module by its room, the first name below the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path != PACKAGE / "__init__.py":
            yield path.relative_to(PACKAGE).parts[0].removesuffix(".py"), path


def test_no_function_becomes_long() -> None:
    """The functions that were long when the limit began; the list only gets shorter."""
    known = (ROOT / "benchmarks" / "long_functions.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(name for _, name in size.measure([PACKAGE]).long_functions) == known


def imported(path: Path) -> Iterator[str]:
    """Dotted names of everything a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_rooms_import_only_from_floors_below() -> None:
    """The floors are in pyproject.toml; docs/contributing/architecture.md draws them."""
    checked = run(
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
        "--no-cache",
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_each_library_is_imported_where_it_may_be() -> None:
    uses: dict[str, set[str]] = {}
    for module, path in modules():
        for name in (
            {name.split(".")[0] for name in imported(path)} - sys.stdlib_module_names - {"sitegen"}
        ):
            uses.setdefault(name, set()).add(module)
    astray = {name: used - LIBRARIES.get(name, set()) for name, used in uses.items()}
    assert {name: used for name, used in astray.items() if used} == {}


@pytest.mark.parametrize(
    "path", [".ci/bootstrap.py", "examples/__main__.py", "tests/__init__.py", "tests/__main__.py"]
)
def test_an_old_python_can_read_what_tells_it_that_it_is_too_old(path: str) -> None:
    ast.parse((ROOT / path).read_text(encoding="utf-8"), feature_version=(3, 8))
    assert {name.split(".")[0] for name in imported(ROOT / path)} <= {
        "bootstrap",
        *sys.stdlib_module_names,
    }


@pytest.mark.parametrize(
    "code",
    [
        "import sitegen",
        "import sitegen, sitegen.model, sitegen.errors",
        "import sys; sys.argv = ['sitegen', '--version']; from sitegen.__main__ import main; main()",
    ],
)
def test_the_start_loads_nothing_but_the_standard_library(code: str) -> None:
    started = run("-c", f"{code}; import sys; print(sorted(sys.modules), file=sys.stderr)")
    assert started.returncode == 0, started.stderr
    loaded = {name.split(".")[0] for name in ast.literal_eval(started.stderr.splitlines()[-1])}
    assert loaded & {*LIBRARIES, "narwhals", "jsonschema"} == set()


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys; sys.argv = ['sitegen', 'build', '--help']\n"
        "from sitegen.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: print(sorted(sys.modules), file=sys.stderr)"
    )
    loaded = {
        name.split(".")[0] for name in ast.literal_eval(run("-c", code).stderr.splitlines()[-1])
    }
    assert loaded & set(LIBRARIES) == {"click"}


def test_check_draws_no_chart(tmp_path: Path) -> None:
    """Loading the modules that draw charts takes as long as checking a few files."""
    campaigns.write(tmp_path, {"a.json": campaigns.result(1)})
    code = (
        f"import sys; sys.argv = ['sitegen', 'check', '--no-config', {str(tmp_path)!r}]\n"
        "from sitegen.__main__ import main\n"
        "try: main()\n"
        "finally: print(sorted(sys.modules), file=sys.stderr)"
    )
    loaded = ast.literal_eval(run("-c", code).stderr.splitlines()[-1])
    assert "sitegen.collect" in loaded
    assert [
        name
        for name in loaded
        if name.startswith(
            ("sitegen.build", "sitegen.charts.chart", "sitegen.charts.specs", "altair")
        )
    ] == []


def test_what_stands_beside_the_package_imports_what_there_is() -> None:
    """Benchmarks and scripts of the action, which no checker of types reads."""
    lacking = []
    for path in (
        *ROOT.glob("benchmarks/*.py"),
        *ROOT.glob(".github/action/*.py"),
        *ROOT.glob("examples/*.py"),
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.ImportFrom)
                and (node.module or "").partition(".")[0] == "sitegen"
            ):
                module = import_module(node.module or "")
                for each in node.names:
                    with suppress(ModuleNotFoundError):
                        import_module(f"{node.module}.{each.name}")
                    if not hasattr(module, each.name):
                        lacking.append((path.name, each.name))
    assert lacking == []


def config_keys(section: type[BaseModel]) -> Iterator[str]:
    """Every key that the settings know, those of nested sections included."""
    for name, field in section.model_fields.items():
        yield field.alias or name
        for nested in nested_sections(field.annotation):
            yield from config_keys(nested)


def nested_sections(annotation: object) -> Iterator[type[BaseModel]]:
    """The sections inside a type such as `dict[str, Price]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from nested_sections(inner)


@pytest.mark.parametrize("key", sorted(set(config_keys(Config))))
def test_every_key_of_the_settings_is_documented(key: str) -> None:
    settings = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert re.search(rf"`{key}`|^[\s#-]*{key}:", settings, re.MULTILINE), (
        f"docs/settings.md does not explain {key!r}"
    )


def test_no_module_gives_one_name_two_meanings() -> None:
    """A second assignment at the top of a module silently changes what functions above it use."""
    for _, path in modules():
        targets = (
            target.id
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            for each in (node.targets if isinstance(node, ast.Assign) else [node.target])
            for target in (each.elts if isinstance(each, ast.Tuple) else [each])
            if isinstance(target, ast.Name)
        )
        assert [name for name, count in Counter(targets).items() if count > 1] == [], path


def test_no_file_names_this_machine_or_a_registry() -> None:
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, encoding="utf-8")
    machine = "|".join(re.escape(f"{folder}/") for folder in (ROOT, ROOT.parent / "shared"))
    registries = r"py[p]i\.org|pythonhoste[d]|registry\.npm[j]s|deb\.debia[n]"
    offending = re.compile(f"{machine}|{registries}".encode())
    files = [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert {str(file) for file in files if offending.search(file.read_bytes())} == set()
