"""Scripts of pages: ES modules, joined into one script for each module that pages load.

Browsers load no modules from `file://`. So the modules of a script are written one after another into one function,
each behind those that it imports, and without their `import` and `export`. That is all that a bundler has to do here,
because modules use two forms only: `import { a, b } from "./module.js";`, and `export` before a declaration of one
name. As they share a scope, a name is declared once in a script.
"""

import re
from collections.abc import Mapping

from sitegen.errors import ConfigError

_IMPORT = re.compile(
    r'^import \{((?:\s*[\w$]+,)*\s*[\w$]+,?\s*)\} from "\./([\w-]+\.js)";$', re.MULTILINE
)
_DECLARATION = re.compile(
    r"^(export )?(?:const|let|class|(?:async )?function\*?) ([\w$]+)(?= ?[=;({]| extends )",
    re.MULTILINE,
)
_SYNTAX = re.compile(r"^(?:import|export|const|let|var|class)\b|\bimport\s*[(.]", re.MULTILINE)


def order_modules(
    entry: str, sources: Mapping[str, str], places: Mapping[str, str]
) -> dict[str, str]:
    """Return the module `entry` and all that it imports, each behind those that it imports, as parts of one function.

    `places` are those of the modules that are not built in, as errors name them.

    Raises: ConfigError when modules cannot be joined.
    """
    script = _Script(sources, places)
    script.add(entry, [])
    return script.parts


class _Script:
    """The modules that were joined so far."""

    def __init__(self, sources: Mapping[str, str], places: Mapping[str, str]) -> None:
        self.parts: dict[str, str] = {}
        self._sources = sources
        self._places = places
        self._exports: dict[str, set[str]] = {}
        self._declared_in: dict[str, str] = {}

    def add(self, name: str, importers: list[str]) -> None:
        """Add a module behind those that it imports, unless it is there. Raises: ConfigError."""
        if name in importers:
            raise ConfigError(f"{self._place(name)}: it imports itself by {importers[-1]}.")
        if name in self._exports:
            return
        source = self._sources[name]
        for statement in _IMPORT.finditer(source):
            self._add_import(name, statement, importers)
        rest = _IMPORT.sub(_blank_lines, source)
        self._check_syntax(name, rest)
        self._exports[name] = self._declare(name, rest)
        self.parts[name] = re.sub("(?m)^export ", "", rest)

    def _add_import(self, name: str, statement: re.Match[str], importers: list[str]) -> None:
        imported = statement[2]
        if imported not in self._sources:
            place = self._place(name, statement)
            raise ConfigError(f"{place}: there is no module {imported}.")
        self.add(imported, [*importers, name])
        names = set(re.findall(r"[\w$]+", statement[1]))
        if missing := names - self._exports[imported]:
            raise ConfigError(
                f"{self._place(name, statement)}: {self._place(imported)} does not export "
                f"{', '.join(sorted(missing))}: export it there, or do not import it."
            )

    def _check_syntax(self, name: str, source: str) -> None:
        for statement in _SYNTAX.finditer(source):
            if not _DECLARATION.match(source, statement.start()):
                raise ConfigError(
                    f"{self._place(name, statement)}: modules are joined, so write "
                    'import { a, b } from "./module.js"; and declare or export one name at a time.'
                )

    def _declare(self, name: str, source: str) -> set[str]:
        """Return what a module exports. Raises: ConfigError when another has one of its names."""
        exports = set()
        for export, declared in _DECLARATION.findall(source):
            other = self._declared_in.setdefault(declared, name)
            if other != name:
                raise ConfigError(
                    f"{self._place(name)}: {other} declares {declared} too, and both are joined "
                    "into one script: rename it."
                )
            if export:
                exports.add(declared)
        return exports

    def _place(self, name: str, statement: re.Match[str] | None = None) -> str:
        place = self._places.get(name, f"builtin/{name}")
        if statement is None:
            return place
        return f"{place}:{statement.string.count(chr(10), 0, statement.start()) + 1}"


def _blank_lines(statement: re.Match[str]) -> str:
    """Return as many lines as an import has, so that those behind it keep their numbers."""
    return "\n" * statement[0].count("\n")
