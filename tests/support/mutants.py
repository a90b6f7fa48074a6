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
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import libcst
from mutmut.mutation.mutators import mutation_operators

from tests.support.nearest import PACKAGE, ROOT, TESTS, modules, nearest_tests

EQUIVALENT = TESTS / "equivalent_mutants.tsv"
LEAST_SHARE = 0.8
OUTPUT = "output.txt"
ENDED = "ended"
"""The last line of the results: without it, mutants that were never run would count as caught."""
MEMORY_BYTES = 4 << 30
LEAST_SECONDS = 10
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
OF_TYPES = {"cast", "TypeVar", "NewType"}


@dataclass(frozen=True)
class Mutant:
    """A module with one fault."""

    module: Path
    line: int
    before: str
    after: str
    code: str
    is_in_function: bool

    def key(self) -> tuple[str, str, str]:
        """What tells it from others, wherever its line stands."""
        return (self.module.relative_to(ROOT).as_posix(), self.before, self.after)


class Places(libcst.CSTVisitor):
    """The places in a module where an operator of mutmut makes a fault, but for types, imports and docstrings."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[libcst.CSTNode] = []
        self.in_functions: set[int] = set()
        """The numbers of those that are in the body of a function."""
        self._functions = 0

    def on_visit(self, node: libcst.CSTNode) -> bool:
        if is_for_readers_alone(node):
            if isinstance(node, libcst.Call):  # what is cast is code
                for argument in node.args[1:]:
                    argument.visit(self)
            return False
        self._functions += isinstance(node, libcst.FunctionDef)
        is_name = isinstance(node, libcst.Name) and node.value not in ("True", "False")
        if isinstance(node, CHANGED) and not is_name:
            if self._functions:
                self.in_functions.add(len(self.nodes))
            self.nodes.append(node)
        return True

    def on_leave(self, original_node: libcst.CSTNode) -> None:
        self._functions -= isinstance(original_node, libcst.FunctionDef)


def is_for_readers_alone(node: libcst.CSTNode) -> bool:
    """Return whether a node says something of types or names, or is a docstring, and does nothing."""
    match node:
        case libcst.Expr(value=libcst.SimpleString() | libcst.ConcatenatedString()):
            return True
        case libcst.If(test=libcst.Name(value="TYPE_CHECKING")):
            return True
        case libcst.Assign(targets=[libcst.AssignTarget(target=libcst.Name(value="__all__"))]):
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
        (module, number) for module in modules_ for number in range(len(places_of(module)[1].nodes))
    ]
    chance.shuffle(places)
    mutants: list[Mutant] = []
    for begin in range(0, len(places), count):
        for module, number in sorted(places[begin : begin + count]):  # a module is parsed once
            tree, places_ = places_of(module)
            possible = changes(places_.nodes[number])
            if possible and len(mutants) < count:
                mutants.append(mutant(module, tree, places_, number, chance.choice(possible)))
        if len(mutants) == count:
            break
    return mutants


@lru_cache(maxsize=4)
def places_of(module: Path) -> tuple[libcst.Module, Places]:
    """Return the tree of a module and the places of faults in it."""
    tree = libcst.parse_module(module.read_text(encoding="utf-8"))
    places = Places()
    tree.visit(places)
    return tree, places


def mutant(
    module: Path, tree: libcst.Module, places: Places, number: int, changed: libcst.CSTNode
) -> Mutant:
    """Return the module with one node changed, and the lines that differ."""
    code = tree.deep_replace(places.nodes[number], changed).code  # type: ignore[arg-type]
    old, new = tree.code.splitlines(), code.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    _, first, end, new_first, new_end = blocks[0]
    before = " ".join(line.strip() for line in old[first:end])
    after = " ".join(line.strip() for line in new[new_first:new_end])
    return Mutant(module, first + 1, before, after, code, number in places.in_functions)


class NothingToldError(Exception):
    """Tests that say nothing of a fault, since they fail without it or break off; its text is what they printed."""


class Copy:
    """A copy of the tree in which tests run."""

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
        for command in (["init", "-q"], ["add", "-A"]):  # some tests ask git for the files
            subprocess.run(["git", *command], cwd=folder, check=True)
        os.environ.setdefault("SITEGEN_SHARED", str(ROOT.parent / "shared"))
        os.environ["PYTHONPATH"] = str(folder)
        for name in LOADED_ONCE:
            import_module(name)

    def survivors(self, tests: Sequence[Path], mutants: Sequence[Mutant]) -> list[Mutant]:
        """Return the mutants that these tests do not catch, all of which they are nearest to."""
        planted = [mutant for mutant in mutants if mutant.is_in_function]
        loaded = [mutant for mutant in mutants if not mutant.is_in_function]
        survivors, seconds = self._planted(tests, planted)
        for mutant in loaded:
            self._write(mutant.module, mutant.code)
            if wait_for(self._fork(tests, [], seconds))[0] == 0:
                survivors.append(mutant)
            self._write(mutant.module, mutant.module.read_text(encoding="utf-8"))
        return survivors

    def _planted(
        self, tests: Sequence[Path], mutants: Sequence[Mutant]
    ) -> tuple[list[Mutant], float]:
        """Return the survivors of mutants that are planted into functions, and how much processor time a mutant may
        use: some times what the tests use without a fault."""
        reading, writing = os.pipe()
        planter = Planter(mutants, writing)
        child = self._fork(tests, [planter], 7 * 86_400)
        os.close(writing)
        with open(reading, encoding="utf-8") as results:  # noqa: PTH123  not a path
            lines = results.read().splitlines()
        os.waitpid(child, 0)
        if lines[-1:] != [ENDED]:
            output = (self._folder / OUTPUT).read_text(encoding="utf-8", errors="replace")
            why = "The run broke off" if lines else "The tests fail without any fault"
            raise NothingToldError(f"{why}.\n{output[-4_000:]}")
        return [mutants[int(line)] for line in lines[1:-1]], float(lines[0])

    def _write(self, module: Path, code: str) -> None:
        """Write a module, with a time of its own, so that no compiled form of another mutant is taken for it."""
        path = self._folder / module.relative_to(ROOT)
        path.write_text(code, encoding="utf-8")
        self._changes += 1
        second = int(time.time()) - 1_000_000 + self._changes
        os.utime(path, (second, second))

    def _fork(self, tests: Sequence[Path], plugins: Sequence[object], seconds: float) -> int:
        """Start pytest in a child; its exit code is that of pytest."""
        child = os.fork()
        if child:
            return child
        try:
            bound(seconds)
            os.chdir(self._folder)
            output = os.open(OUTPUT, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            for stream in (0, 1, 2):
                os.dup2(output, stream)
            for name in list(sys.modules):
                if name.startswith(LOADED_ANEW):
                    del sys.modules[name]
            sys.path.insert(0, str(self._folder))
            import pytest

            names = [test.relative_to(ROOT).as_posix() for test in tests]
            options = ["--quick", "-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
            options.append(f"--basetemp={self._folder / 'temporary'}")
            os._exit(int(pytest.main([*options, *names], plugins=plugins)))
        finally:
            os._exit(70)


class Planter:
    """A plugin of pytest that, in place of running the tests once, runs them in a child for each mutant: the modules are
    loaded once, and the child has the code of the mutant's functions in the place of theirs."""

    def __init__(self, mutants: Sequence[Mutant], results: int) -> None:
        self._mutants, self._results = mutants, results

    def pytest_runtestloop(self, session: Any) -> bool | None:
        """Write the processor time that a mutant may use, the number of each that is not caught, and that this is all."""
        code, seconds = wait_for(self._fork(session, None, 600))
        if code:
            return None  # the tests are run here, for their output
        allowed = LEAST_SECONDS + 5 * seconds
        os.write(self._results, f"{allowed}\n".encode())
        for number, mutant in enumerate(self._mutants):
            code, _ = wait_for(self._fork(session, mutant, allowed))
            if code == 0:
                os.write(self._results, f"{number}\n".encode())
        os.write(self._results, f"{ENDED}\n".encode())
        return True

    def _fork(self, session: Any, mutant: Mutant | None, seconds: float) -> int:
        """Start the tests in a child; its exit code is 0 if all pass."""
        child = os.fork()
        if child:
            return child
        code = 0  # what cannot be planted is not caught
        try:
            bound(seconds)
            if mutant:
                plant(mutant)
            code = 1
            manager = session.config.pluginmanager
            manager.subset_hook_caller("pytest_runtestloop", [self])(session=session)
            code = int(session.testsfailed > 0)
        finally:
            os._exit(code)


def bound(seconds: float) -> None:
    """Give this process a group of its own, so much processor time, and memory that is not all of the machine."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


def wait_for(child: int) -> tuple[int, float]:
    """Return the exit code of a child, and its processor time. One that neither ends nor works is killed."""
    deadline = time.monotonic() + STILL_SECONDS
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        if time.monotonic() > deadline:
            os.killpg(child, 9)
        time.sleep(0.01)


def plant(mutant: Mutant) -> None:
    """Give all functions of the mutant's module, in this process, the code that they have in the mutant."""
    name = ".".join(mutant.module.relative_to(ROOT).with_suffix("").parts)
    module = import_module(name.removesuffix(".__init__"))
    changed = ModuleType(module.__name__)
    changed.__dict__.update(__file__=module.__file__, __package__=module.__package__)
    exec(compile(mutant.code, str(module.__file__), "exec"), changed.__dict__)  # noqa: S102  our code
    replace_functions(vars(module), vars(changed), module.__name__)


def replace_functions(old: Mapping[str, Any], new: Mapping[str, Any], module: str) -> None:
    """Give the functions and methods of a namespace the code of those in another."""
    for name, value in old.items():
        if name not in new:
            continue
        if isinstance(value, type) and value.__module__ == module:
            replace_functions(vars(value), vars(new[name]), module)
        for function, other in zip(functions_of(value), functions_of(new[name]), strict=False):
            if function.__module__ == module:
                function.__code__ = other.__code__
                function.__defaults__ = other.__defaults__
                function.__kwdefaults__ = other.__kwdefaults__


def functions_of(value: Any) -> Iterator[Any]:
    """Yield the functions in a value: itself, what it wraps, those of a property, and that of a command line."""
    if isinstance(value, FunctionType):
        yield value
    for name in ("__wrapped__", "__func__", "func", "fget", "fset", "callback"):
        inner = getattr(value, name, None)
        if isinstance(inner, FunctionType):
            yield from functions_of(inner)


def equivalent() -> set[tuple[str, str, str]]:
    """Return the mutants that are known to do the same as the code."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(row[0], row[1], row[2]) for row in rows}


def package_of(module: Path) -> str:
    """Return the package of sitegen under which a module is reported, with those inside it."""
    inside = module.relative_to(PACKAGE).parts
    return "/".join([PACKAGE.name, *inside[:-1][:1]])


def run(mutants: Sequence[Mutant]) -> tuple[list[Mutant], list[Mutant]]:
    """Return the mutants that their nearest tests do not catch, and those of which the tests say nothing. Each of the
    first is printed at once, and why there are any of the second; a process for each core works."""
    by_tests: dict[tuple[Path, ...], list[Mutant]] = {}
    for mutant in mutants:
        by_tests.setdefault(tuple(nearest_tests(mutant.module)), []).append(mutant)
    survivors = by_tests.pop((), [])
    for mutant in survivors:
        show(mutant)
    untold: list[Mutant] = []
    with (
        tempfile.TemporaryDirectory(prefix="sitegen-mutants-") as folder,
        ProcessPoolExecutor(mp_context=get_context("fork")) as pool,
    ):
        running = {
            pool.submit(survivors_of, Path(folder).resolve(), tests, of_these): of_these
            for tests, of_these in by_tests.items()
        }
        for ended in as_completed(running):
            try:
                found = ended.result()
            except NothingToldError as reason:
                print(f"{running[ended][0].module}: {reason}", flush=True)
                untold += running[ended]
                continue
            survivors += found
            for mutant in found:
                show(mutant)
    return survivors, untold


def survivors_of(folder: Path, tests: Sequence[Path], mutants: Sequence[Mutant]) -> list[Mutant]:
    """Return the mutants that these tests do not catch, in this process's copy of the tree, which is in the folder."""
    return copy_in(folder / str(os.getpid())).survivors(tests, mutants)


@lru_cache(maxsize=1)
def copy_in(folder: Path) -> Copy:
    """Return the copy in a folder, made when it is first asked for."""
    return Copy(folder)


def show(mutant: Mutant) -> None:
    """Print a mutant that no test caught."""
    name = mutant.module.relative_to(ROOT).as_posix()
    print(f"{name}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}", flush=True)


def main(arguments: list[str]) -> int:
    """Draw mutants, run the tests, print those that survive and a table: the exit code, 1 if too few are caught or if
    tests fail without any fault."""
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
    total = Counter(package_of(mutant.module) for mutant in mutants)
    survivors, untold = run(mutants)
    missed = Counter(package_of(mutant.module) for mutant in survivors)
    total -= Counter(package_of(mutant.module) for mutant in untold)
    print(f"\n{'package':32} {'faults':>6} {'caught':>6} {'share':>6}")
    for package, count in sorted(total.items()):
        caught = count - missed[package]
        print(f"{package:32} {count:6} {caught:6} {caught / count:6.0%}")
    caught = total.total() - missed.total()
    share = caught / max(1, total.total())
    print(f"{'all':32} {total.total():6} {caught:6} {share:6.0%}")
    print(f"{len(all_drawn) - len(mutants)} more are equal to the code.")
    if untold:
        print(f"Of {len(untold)} more the tests say nothing: they fail without any fault.")
    return int(share < LEAST_SHARE or bool(untold))


def commit() -> str:
    """Return the commit, which decides what is drawn."""
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, check=True, encoding="utf-8"
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
