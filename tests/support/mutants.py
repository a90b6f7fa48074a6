"""Mutation testing: small faults, one at a time, in a copy of the tree, each to be caught by the nearest tests.

    python3 tests --mutants sitegen/figures.py        # 60 faults in one module
    python3 tests --mutants sitegen --sample 300      # over all modules, as every night

mutmut has the operators that make faults; which ones are drawn, the commit decides. A fault is caught if a test fails,
and if the tests do not come to an end. What is equal to the code as it is stands in `equivalent_mutants.tsv`.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import libcst
from mutmut.mutation.mutators import mutation_operators

from tests.support.nearest import PACKAGE, ROOT, TESTS, modules, nearest_tests

EQUIVALENT = TESTS / "equivalent_mutants.tsv"
LEAST_SHARE = 0.8
MEMORY_BYTES = 4 << 30
STILL_SECONDS = 900
"""Tests that wait for nothing use no processor time: after this time they are taken to hang."""
LOADED_ONCE = (
    "altair",
    "hypothesis",
    "jinja2",
    "markdown_it",
    "msgspec",
    "nh3",
    "pydantic",
    "yaml",
)
"""Libraries that most tests need: the process that forks a child for each fault has them already."""
LOADED_ANEW = ("tests", "sitegen", "hypothesis", "_hypothesis")
"""Modules of the copy, and one that pytest wants to load itself."""
NO_CODE = (libcst.Annotation, libcst.Decorator, libcst.ImportFrom, libcst.Import, libcst.TypeAlias)
CHANGED = (
    *(kind for kind, _ in mutation_operators if kind is not libcst.CSTNode),
    *(libcst.BinaryOperation, libcst.BooleanOperation, libcst.ComparisonTarget),
    *(libcst.Is, libcst.IsNot, libcst.In, libcst.NotIn, libcst.Break, libcst.Continue),
)
"""Kinds of nodes that mutmut changes."""
OF_TYPES = {"cast", "TypeVar", "ParamSpec", "NewType", "TypedDict"}


@dataclass(frozen=True)
class Mutant:
    """A module with one fault."""

    module: Path
    line: int
    before: str
    after: str
    code: str

    def key(self) -> tuple[str, str, str]:
        """What tells it from others, wherever its line stands."""
        return (self.module.relative_to(ROOT).as_posix(), self.before, self.after)


class Places(libcst.CSTVisitor):
    """The places in a module where an operator of mutmut makes a fault, but for types, imports and docstrings."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[libcst.CSTNode] = []

    def on_visit(self, node: libcst.CSTNode) -> bool:
        if is_for_readers_alone(node):
            return False
        is_name = isinstance(node, libcst.Name) and node.value not in ("True", "False")
        if isinstance(node, CHANGED) and not is_name:
            self.nodes.append(node)
        return True


def is_for_readers_alone(node: libcst.CSTNode) -> bool:
    """Return whether a node says something of types or is a docstring, and does nothing."""
    match node:
        case libcst.Expr(value=libcst.SimpleString() | libcst.ConcatenatedString()):
            return True
        case libcst.If(test=libcst.Name(value="TYPE_CHECKING")):
            return True
        case libcst.Call(func=libcst.Name(value=name)) if name in OF_TYPES:
            return True
    return isinstance(node, NO_CODE)


def changes(node: libcst.CSTNode) -> list[libcst.CSTNode]:
    """Return what the operators of mutmut make of a node."""
    return [
        changed
        for kind, operator in mutation_operators
        if isinstance(node, kind)
        for changed in operator(node)
    ]


def drawn(modules_: Sequence[Path], count: int, seed: str) -> list[Mutant]:
    """Return so many mutants, or as many as there are: places by chance, of each place one change."""
    chance = random.Random(seed)  # noqa: S311
    places = [
        (module, number) for module in modules_ for number in range(len(places_of(module)[1]))
    ]
    chance.shuffle(places)
    mutants: list[Mutant] = []
    for begin in range(0, len(places), count):
        for module, number in sorted(places[begin : begin + count]):  # a module is parsed once
            tree, nodes = places_of(module)
            possible = changes(nodes[number])
            if possible and len(mutants) < count:
                mutants.append(mutant(module, tree, nodes[number], chance.choice(possible)))
        if len(mutants) == count:
            break
    return mutants


@lru_cache(maxsize=4)
def places_of(module: Path) -> tuple[libcst.Module, list[libcst.CSTNode]]:
    """Return the tree of a module and the places of faults in it."""
    tree = libcst.parse_module(module.read_text(encoding="utf-8"))
    places = Places()
    tree.visit(places)
    return tree, places.nodes


def mutant(
    module: Path, tree: libcst.Module, node: libcst.CSTNode, changed: libcst.CSTNode
) -> Mutant:
    """Return the module with one node changed, and the lines that differ."""
    code = tree.deep_replace(node, changed).code  # type: ignore[arg-type]
    old, new = tree.code.splitlines(), code.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    _, first, end, new_first, new_end = blocks[0]
    before = " ".join(line.strip() for line in old[first:end])
    after = " ".join(line.strip() for line in new[new_first:new_end])
    return Mutant(module, first + 1, before, after, code)


class Copy:
    """A copy of the tree in which modules become mutants, and the process that runs tests there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changes = 0
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            encoding="utf-8",
        )
        for name in listed.stdout.split("\0"):
            if name and (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        os.environ.setdefault("SITEGEN_SHARED", str(ROOT.parent / "shared"))
        os.environ["PYTHONPATH"] = str(folder)
        for name in LOADED_ONCE:
            import_module(name)

    def write(self, module: Path, code: str) -> None:
        """Write a module, with a time of its own, so that no compiled form of another mutant is taken for it."""
        path = self._folder / module.relative_to(ROOT)
        path.write_text(code, encoding="utf-8")
        self._changes += 1
        second = int(time.time()) - 1_000_000 + self._changes
        os.utime(path, (second, second))

    def is_caught(self, mutant: Mutant, seconds: float) -> bool:
        """Return whether the nearest tests fail, or use more processor time than this, with the mutant in its place."""
        self.write(mutant.module, mutant.code)
        code, _ = self.run(nearest_tests(mutant.module), seconds)
        self.write(mutant.module, mutant.module.read_text(encoding="utf-8"))
        return code != 0

    def run(self, tests: Sequence[Path], seconds: float) -> tuple[int, float]:
        """Run tests in a child: its exit code, or -1 if it did not come to an end, and its processor time."""
        names = [test.relative_to(ROOT).as_posix() for test in tests]
        child = os.fork()
        if child == 0:
            try:
                self._be_child(names, seconds)
            finally:
                os._exit(70)
        deadline = time.monotonic() + STILL_SECONDS
        while True:
            ended, status, usage = os.wait4(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
            if time.monotonic() > deadline:
                os.killpg(child, 9)
            time.sleep(0.02)

    def output(self) -> str:
        """Return what the last run of tests printed."""
        return (self._folder / "output.txt").read_text(encoding="utf-8", errors="replace")

    def _be_child(self, names: list[str], seconds: float) -> None:
        """Run the tests, with bounds, and end this process."""
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        os.chdir(self._folder)
        output = os.open(self._folder / "output.txt", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        for stream in (0, 1, 2):
            os.dup2(output, stream)
        for name in list(sys.modules):
            if name.startswith(LOADED_ANEW):
                del sys.modules[name]
        sys.path.insert(0, str(self._folder))
        import pytest

        options = ["--quick", "-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        os._exit(int(pytest.main([*options, *names])))


def equivalent() -> set[tuple[str, str, str]]:
    """Return the mutants that are known to do the same as the code."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(row[0], row[1], row[2]) for row in rows}


def package_of(module: Path) -> str:
    """Return the package under which a module is reported."""
    return module.parent.relative_to(PACKAGE.parent).as_posix()


def allowed_seconds(copy: Copy, tests: list[Path], known: dict[tuple[Path, ...], float]) -> float:
    """Return how much processor time the tests may use: some times what they use without a fault."""
    key = tuple(tests)
    if key not in known:
        code, seconds = copy.run(tests, 600)
        if code:
            sys.exit(f"The tests fail without any fault.\n{copy.output()[-4_000:]}")
        known[key] = 10 + 5 * seconds
    return known[key]


def run(mutants: Sequence[Mutant]) -> tuple[Counter[str], Counter[str], list[Mutant]]:
    """Run the nearest tests of each mutant: how many there are by package, how many are caught, and which are not."""
    total: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    survivors = []
    allowed: dict[tuple[Path, ...], float] = {}
    with tempfile.TemporaryDirectory(prefix="sitegen-mutants-") as folder:
        copy = Copy(Path(folder).resolve())
        for mutant in mutants:
            package = package_of(mutant.module)
            total[package] += 1
            tests = nearest_tests(mutant.module)
            if tests and copy.is_caught(mutant, allowed_seconds(copy, tests, allowed)):
                caught[package] += 1
            else:
                survivors.append(mutant)
                show(mutant)
    return total, caught, survivors


def show(mutant: Mutant) -> None:
    """Print a mutant that no test caught."""
    name = mutant.module.relative_to(ROOT).as_posix()
    print(f"{name}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}", flush=True)


def main(arguments: list[str]) -> int:
    """Draw mutants, run the tests, print those that survive and a table: the exit code, 1 if too few are caught."""
    parser = argparse.ArgumentParser(prog="python3 tests --mutants")
    parser.add_argument("paths", nargs="+", type=Path, help="modules or folders of sitegen")
    parser.add_argument("--sample", type=int, default=60, help="how many faults (60)")
    parser.add_argument("--seed", help="draw others than those of the commit")
    options = parser.parse_args(arguments)
    named = [path.resolve() for path in options.paths]
    chosen = [module for module in modules() if any(module.is_relative_to(path) for path in named)]
    if not chosen:
        parser.error("these are no modules of sitegen")
    known = equivalent()
    all_drawn = drawn(chosen, options.sample, options.seed or commit())
    mutants = [mutant for mutant in all_drawn if mutant.key() not in known]
    total, caught, _ = run(mutants)
    print(f"\n{'package':32} {'faults':>6} {'caught':>6} {'share':>6}")
    for package in sorted(total):
        print(
            f"{package:32} {total[package]:6} {caught[package]:6} {caught[package] / total[package]:6.0%}"
        )
    share = caught.total() / max(1, total.total())
    print(f"{'all':32} {total.total():6} {caught.total():6} {share:6.0%}")
    print(f"{len(all_drawn) - len(mutants)} more are equal to the code.")
    return int(share < LEAST_SHARE)


def commit() -> str:
    """Return the commit, which decides what is drawn."""
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, check=True, encoding="utf-8"
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
