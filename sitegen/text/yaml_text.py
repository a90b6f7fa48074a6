"""YAML as plain values, each with its place in the file, so that a fault can name line and column.

It is stricter than YAML: no duplicate or merge keys, no aliases (they can blow up to gigabytes), and only `true` and
`false` are booleans, since nobody who writes `language: no` means false.
"""

from collections.abc import Iterator
from typing import Any

import yaml

Place = tuple[str | int, ...]
"""The place of a value in the document: keys and list indexes from the top."""


class YamlFault(Exception):  # noqa: N818  not an error of ours: a fault of the file, with its place
    """The fault of a YAML text: `fault` is line and column, both from 0, and a sentence."""

    def __init__(self, fault: tuple[int, int, str]) -> None:
        self.fault = fault


class _Loader(yaml.SafeLoader):
    """YAML without aliases and with `true` and `false` as the only booleans."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise YamlFault(
                (
                    mark.line,
                    mark.column,
                    "aliases (*name) are not allowed here: write the value out",
                )
            )
        return super().compose_node(parent, index)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return the value of a node. Raises: YamlFault with its place where it has none, as the 31st of June, or a
        value that its !!tag does not fit."""
        try:
            return super().construct_object(node, deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            why = f": {str(error).partition(';')[0]}" if isinstance(error, ValueError) else ""
            place = node.start_mark.line, node.start_mark.column
            raise YamlFault((*place, f"a value cannot be read{why}")) from None


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, regexp)
        for tag, regexp in resolvers
        if tag != "tag:yaml.org,2002:bool" or first in "tTfF"
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _whole_number(loader: _Loader, node: yaml.ScalarNode) -> int:
    """Return a whole number that can be written out again: Python refuses numbers of thousands of digits."""
    if len(node.value) > 1000:
        mark = node.start_mark
        raise YamlFault((mark.line, mark.column, "a number has more than 1,000 digits"))
    return int(loader.construct_yaml_int(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _whole_number)


def _day(loader: _Loader, node: yaml.ScalarNode) -> object:
    """Return a day, or the text of one that does not exist, which is refused with its key."""
    try:
        return loader.construct_yaml_timestamp(node)
    except ValueError:
        return node.value


_Loader.add_constructor("tag:yaml.org,2002:timestamp", _day)

_REMEDIES = {
    "mapping values are not allowed": "put a value with `: ` in it in quotes",
    "found character '\\t'": "indent with spaces, not with tabs",
    "but got '<stream end>'": "close this bracket",
    "but got '<scalar>'": "put a text with brackets in it in quotes",
    "could not determine a constructor": "tags (!name) are not allowed here",
}
"""The remedy for faults of YAML, by words of the parser's message."""


def read_yaml(text: str) -> tuple[Any, dict[Place, tuple[int, int]]]:
    """Return a YAML document as plain values, and where each stands: path -> (line, column), both from 0.

    None when the document is empty. Raises: YamlFault.
    """
    try:
        loader = _Loader(text)
    except (
        yaml.reader.ReaderError
    ) as error:  # it looks for characters that may not stand in YAML at all
        line = text.count("\n", 0, error.position)
        column = error.position - text.rfind("\n", 0, error.position) - 1
        raise YamlFault(
            (line, column, f"the character U+{ord(text[error.position]):04X} is not allowed")
        ) from None
    try:
        node = loader.get_single_node()
        if node is None:
            return None, {}
        places = {(): (node.start_mark.line, node.start_mark.column), **dict(_places(node, ()))}
        return loader.construct_document(node), places
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        problem = str(error.problem)
        remedy = next((_REMEDIES[words] for words in _REMEDIES if words in problem), problem)
        raise YamlFault((line, column, f"this is not YAML: {remedy}")) from None
    except yaml.YAMLError as error:
        raise YamlFault((0, 0, f"this is not YAML: {' '.join(str(error).split())}")) from None
    except RecursionError:
        raise YamlFault((0, 0, "it is nested too deeply")) from None
    finally:
        loader.dispose()


def _places(node: yaml.Node, path: Place) -> Iterator[tuple[Place, tuple[int, int]]]:
    """Yield every path in the document with the place where its key (or, in a list, its value) begins."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            mark = key.start_mark
            if not isinstance(key, yaml.ScalarNode):
                raise YamlFault((mark.line, mark.column, "a key must be plain text"))
            if key.tag == "tag:yaml.org,2002:merge":
                raise YamlFault(
                    (
                        mark.line,
                        mark.column,
                        "merge keys (<<) are not allowed here: write the keys out",
                    )
                )
            if key.value in seen:
                raise YamlFault(
                    (mark.line, mark.column, f"the key '{key.value}' appears a second time")
                )
            seen.add(key.value)
            yield (*path, key.value), (mark.line, mark.column)
            yield from _places(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*path, index), (value.start_mark.line, value.start_mark.column)
            yield from _places(value, (*path, index))
