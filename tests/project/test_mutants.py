"""Mutation testing finds faults that tests miss, and only those: by a module and tests of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("mutants need fork", allow_module_level=True)

from sitegen.text import times
from tests.support import mutants
from tests.support.mutants import Mutant, Planter, plant
from tests.support.nearest import PACKAGE, ROOT

MODULE = '''"""A docstring."""
from typing import cast

import click

LIMIT: int = 7


def bounded(number: int) -> int:
    """Return it."""
    return cast("int", min(number + 1, LIMIT))


class Box:
    def __init__(self, size: int = 3) -> None:
        self.size = size

    @property
    def half(self) -> float:
        return self.size / 2


@click.command()
@click.pass_context
def command(context: click.Context) -> int:
    return context.obj * 5
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of a package of its own, in place of sitegen."""
    path = tmp_path / "boxes.py"
    path.write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "boxes", raising=False)
    return path


def all_of(module: Path) -> dict[str, Mutant]:
    """Return every mutant that can be drawn in a few seeds, by its changed line."""
    drawn = [each for seed in "abcdef" for each in mutants.drawn([module], 100, seed)]
    return {each.after: each for each in drawn}


def test_faults_are_made_in_code_and_in_nothing_that_only_people_read(module: Path) -> None:
    lines = all_of(module)
    assert 'return cast("int", min(number - 1, LIMIT))' in lines
    assert "return self.size * 2" in lines
    assert {"LIMIT: int = 8", "LIMIT: int = None"} & set(lines)
    assert not [line for line in lines if "XX" in line or "Return" in line or "cast(None" in line]


def test_the_seed_decides_which_are_drawn(module: Path) -> None:
    draw = [each.key() for each in mutants.drawn([module], 4, "a")]
    assert draw == [each.key() for each in mutants.drawn([module], 4, "a")]
    assert len(draw) == 4
    assert any(draw != [each.key() for each in mutants.drawn([module], 4, seed)] for seed in "bcd")


def test_a_planted_fault_is_in_all_that_was_loaded_before(module: Path) -> None:
    import boxes  # type: ignore[import-not-found]

    bounded, box = boxes.bounded, boxes.Box()
    assert (bounded(1), box.half) == (2, 1.5)
    lines = all_of(module)
    plant(lines['return cast("int", min(number - 1, LIMIT))'])
    assert (bounded(1), box.half) == (0, 1.5)
    plant(lines["return self.size * 2"])
    assert (bounded(1), box.half) == (2, 6)
    assert boxes.command.main([], standalone_mode=False, obj=10) == 50
    plant(lines["return context.obj / 5"])
    assert boxes.command.main([], standalone_mode=False, obj=10) == 2


class Session:
    """A session of pytest whose test looks at the box."""

    def __init__(self) -> None:
        self.testsfailed = 0
        self.config: Any = self
        self.pluginmanager: Any = self

    def subset_hook_caller(self, name: str, but: list[object]) -> Any:  # noqa: ARG002
        return self.run

    def run(self, session: Session) -> None:  # noqa: ARG002
        import boxes

        self.testsfailed = int(boxes.Box().half != 1.5)
        while boxes.bounded(1) == 0:
            pass


def test_what_fails_and_what_does_not_end_is_caught(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "LEAST_SECONDS", 0)
    lines = all_of(module)
    endless = lines['return cast("int", min(number - 1, LIMIT))']
    wrong = lines["return self.size * 2"]
    harmless = lines["def __init__(self, size: int = 4) -> None:"]
    fixed = Mutant(module, 1, "", "", MODULE, True)
    no_function = Mutant(
        module, 1, "", "", MODULE.replace("def __init__", "1 / 0\n    def __init__"), True
    )
    planted = [endless, fixed, wrong, harmless, no_function]
    results = tmp_path / "results"
    with results.open("wb") as file:
        Planter(planted, file.fileno()).pytest_runtestloop(Session())
    assert results.read_text().splitlines()[1:] == ["1", "4", mutants.ENDED]


def test_equivalent_mutants_are_of_lines_that_are_there_and_have_a_reason() -> None:
    for line in mutants.EQUIVALENT.read_text(encoding="utf-8").splitlines()[1:]:
        name, before, after, reason = line.split("\t")
        code = " ".join((ROOT / name).read_text(encoding="utf-8").split())
        assert " ".join(before.split()) in code, f"{name} has no line {before!r} any more"
        assert before != after and reason


def test_packages_are_reported_by_their_folders() -> None:
    assert mutants.package_of(PACKAGE / "text" / "times.py") == "sitegen/text"
    assert Path(times.__file__) == PACKAGE / "text" / "times.py"
