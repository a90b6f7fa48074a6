"""Scripts of pages: ES modules, joined into one script for each module that pages load.

Browsers load no modules from `file://`. So the modules of a script are written one after another into one function,
each behind those that it imports, and without their `import` and `export`. That is all that a bundler has to do here,
because modules use two forms only: `import { a, b } from "./module.js";`, and `export` before a declaration of one
name. As they share a scope, a name is declared once in a script.
"""

import re
from collections.abc import Mapping

from sitegen.errors import ConfigError

_IMPORT = re.compile(r'^import \{([\w$\s,]+)\} from "\./([\w-]+\.js)";$', re.MULTILINE)
_DECLARATION = re.compile(
    r"^(export )?(?:const|let|class|(?:async )?function\*?) ([\w$]+)(?= ?[=;({]| extends )",
    re.MULTILINE,
)
_SYNTAX = re.compile(r"^(?:import|export|const|let|var|class)\b.*|\bimport\s*[(.].*", re.MULTILINE)


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
        for found in _IMPORT.finditer(source):
            self._add_import(name, found, importers)
        rest = _IMPORT.sub("", source)
        self._check_syntax(name, source, rest)
        self._exports[name] = self._declare(name, rest)
        self.parts[name] = _DECLARATION.sub(_without_export, rest)

    def _add_import(self, name: str, found: re.Match[str], importers: list[str]) -> None:
        imported = found[2]
        line = found.string.count("\n", 0, found.start()) + 1
        if imported not in self._sources:
            raise ConfigError(f"{self._place(name)}:{line}: there is no module {imported}.")
        self.add(imported, [*importers, name])
        names = set(re.findall(r"[\w$]+", found[1]))
        if missing := names - self._exports[imported]:
            raise ConfigError(
                f"{self._place(imported)}: {name} imports {', '.join(sorted(missing))} from it: "
                "export that, before its declaration."
            )

    def _check_syntax(self, name: str, source: str, rest: str) -> None:
        for found in _SYNTAX.finditer(rest):
            if not _DECLARATION.match(found[0]):
                line = source.count("\n", 0, source.index(found[0])) + 1
                raise ConfigError(
                    f"{self._place(name)}:{line}: modules are joined, so write "
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

    def _place(self, name: str) -> str:
        return self._places.get(name, f"builtin/{name}")


def _without_export(found: re.Match[str]) -> str:
    return found[0].removeprefix("export ")
