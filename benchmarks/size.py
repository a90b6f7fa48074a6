"""Measure how plain the code is: `python -m benchmarks.size [--long] [PATH ...]`.

Without a path: the package, each of its folders, and its root modules. All counts are of the syntax tree, so the layout
of the code does not matter; docstrings, annotations and contexts of names do not count.

nodes        nodes of the syntax tree
per stmt     nodes per statement
long         functions of more than 300 nodes (`--long` lists them)
nested       comprehensions and conditional expressions that hold another, per 1,000 statements
vague        names that tell nothing about their value, in percent of all names assigned and parameters
skips        comments that keep the formatter out
"""

import argparse
import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "sitegen"
MAX_NODES = 300
VAGUE_NAMES = frozenset(
    "about above all_ at before beside beyond both by by_ each elem ends first_of found given here "
    "how it item items left obj of of_ one own res ret said so stated such that them they thing "
    "things tmp told val what whose why".split()
)
_EXPRESSIONS_THAT_NEST = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Size:
    """Counts over some modules."""

    files: int = 0
    statements: int = 0
    nodes: int = 0
    nesting: int = 0
    names: int = 0
    vague_names: int = 0
    skips: int = 0
    functions: list[tuple[int, str]] = field(default_factory=list)
    """Nodes and `folder/module.py name` of each function."""

    def add_module(self, path: Path) -> None:
        """Count a module."""
        source = path.read_text(encoding="utf-8")
        self.files += 1
        self.skips += source.count("# fmt: skip") + source.count("# fmt: off")
        tree = _without_explanations(ast.parse(source))
        self.nodes += count_nodes(tree)
        for node in ast.walk(tree):
            self.statements += isinstance(node, ast.stmt)
            self.nesting += isinstance(node, _EXPRESSIONS_THAT_NEST) and _holds_another(node)
            for name in _names_set_by(node):
                self.names += 1
                self.vague_names += name in VAGUE_NAMES or name.strip("_") in VAGUE_NAMES
            if isinstance(node, _FUNCTIONS):
                self.functions.append((count_nodes(node), f"{_shown(path)} {node.name}"))

    @property
    def long_functions(self) -> list[tuple[int, str]]:
        """The functions above `MAX_NODES`, the longest first."""
        return sorted(
            ((nodes, name) for nodes, name in self.functions if nodes > MAX_NODES), reverse=True
        )

    def row(self, title: str) -> str:
        """Return the counts as a line below `HEAD`."""
        per_statement = self.nodes / max(self.statements, 1)
        nested = 1000 * self.nesting / max(self.statements, 1)
        vague = 100 * self.vague_names / max(self.names, 1)
        return (
            f"{title:24} {self.files:5} {self.nodes:8,} {per_statement:8.1f} "
            f"{len(self.long_functions):5} {nested:7.1f} {vague:6.1f} {self.skips:5}"
        )


HEAD = f"{'':24} files    nodes per stmt  long  nested  vague skips"


def measure(paths: Iterable[Path]) -> Size:
    """Return the counts over modules and all modules in folders. Raises: OSError, SyntaxError."""
    size = Size()
    for path in paths:
        for module in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            size.add_module(module)
    return size


def _shown(path: Path) -> str:
    whole = path.resolve()
    return str(whole.relative_to(PACKAGE) if whole.is_relative_to(PACKAGE) else path)


def count_nodes(tree: ast.AST) -> int:
    """Return the number of nodes of a tree, itself included, without the contexts of names."""
    return sum(not isinstance(node, ast.expr_context) for node in ast.walk(tree))


def _without_explanations(tree: ast.Module) -> ast.Module:
    """Take docstrings and annotations out of a tree."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTIONS)):
            node.body = [line for line in node.body if not _is_text(line)] or [ast.Pass()]
        if isinstance(node, _FUNCTIONS):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return tree


def _is_text(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
        return False
    return isinstance(statement.value.value, str)


def _holds_another(node: ast.AST) -> bool:
    inside = (inner for inner in ast.walk(node) if inner is not node)
    return any(isinstance(inner, _EXPRESSIONS_THAT_NEST) for inner in inside)


def _names_set_by(node: ast.AST) -> Iterator[str]:
    """Yield the name that a node assigns or declares as a parameter, if it does."""
    if isinstance(node, ast.arg):
        name = node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        name = node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        name = node.attr
    else:
        return
    if name not in ("self", "cls", "_"):
        yield name


def _parts_of_the_package() -> Iterator[tuple[str, list[Path]]]:
    yield "sitegen", [PACKAGE]
    for folder in sorted(path for path in PACKAGE.iterdir() if (path / "__init__.py").exists()):
        yield f"sitegen/{folder.name}", [folder]
    yield "its root modules", sorted(PACKAGE.glob("*.py"))


def main() -> None:
    """Print a line for each part, and its long functions with `--long`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--long", action="store_true", help="list the long functions")
    parser.add_argument("paths", nargs="*", type=Path)
    arguments = parser.parse_args()
    parts = [(str(path), [path]) for path in arguments.paths] or list(_parts_of_the_package())
    print(HEAD)
    for title, paths in parts:
        size = measure(paths)
        print(size.row(title))
        if arguments.long and title != "sitegen":
            for nodes, name in size.long_functions:
                print(f"  {nodes:6,} {name}")


if __name__ == "__main__":
    main()
