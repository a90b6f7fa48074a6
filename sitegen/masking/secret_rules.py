"""The rules of what is a secret, in the tables `secret_tokens.tsv` and `secret_shapes.tsv`: each with its shape, and
what keeps look-alikes out. Shapes are those that providers document, that GitHub lists for its secret scanning, and
that gitleaks and trufflehog look for.

A rule of `TOKENS` begins with letters that hardly anything else begins with, so the search for those letters is all
that clean text costs. `SHAPES` have their letters in the middle. Both ask for the alphabet and the length that the
provider documents and for no sign behind the token, because in run text anything may follow. What has no letters of
its own (passwords, keys of many services) is known by its name: `NAMES`. Entropy is only ever a second condition.

docs/contributing/secrets.md shows the table; a test compares them and makes texts of every pattern.
"""

import re

from sitegen.masking.reading import LINE_BEGINNING
from sitegen.masking.word_lists import rows
from sitegen.model import frozen


@frozen
class TokenRule:
    """A token that begins with letters of its own."""

    kind: str
    anchors: tuple[str, ...]
    """One of them begins every token."""
    body: str

    @property
    def pattern(self) -> str:
        """The whole token as an expression."""
        return f"(?:{'|'.join(map(re.escape, self.anchors))}){self.body}"


@frozen
class ShapeRule:
    """A secret that is known by something inside it, or by what stands around it."""

    kind: str
    signs: tuple[str, ...]
    """One of them stands in every text with such a secret, in lower case: what is searched for first."""
    pattern: str
    """The secret is its group `value`, or all of it."""
    looks: str
    """The look that the value must have besides, of LOOKS; a placeholder has none of them."""


_VALUE = r"(?P<value>[^\s\"'`<>|;,]{4,100}|(?P<noise>[^\s\"`\\]{10,200}))"
# The text behind a command or a query that a password follows, and below a command that prints a secret.
_BEHIND = {
    "command": _VALUE,
    "printed": rf"[^\n]{{0,60}}\n{LINE_BEGINNING}{{0,3}}"
    + r"[ \t>]{0,12}(?=[^\s]{6,300}[ \t]*(?:\n|$))"
    + _VALUE,
}

TOKENS = tuple(
    TokenRule(kind, tuple(anchors.split()), body)
    for kind, anchors, body in rows("secret_tokens.tsv")
)
_ALL_SHAPES = [
    ShapeRule(
        kind,
        (signs,) if looks == "printed" else tuple(filter(None, signs.split("&"))),
        pattern + _BEHIND.get(looks, ""),
        looks,
    )
    for kind, signs, looks, pattern in rows("secret_shapes.tsv")
]
PRINTED = [rule for rule in _ALL_SHAPES if rule.looks == "printed"]
"""The rules of commands that print a secret. Their signs are expressions for the line of the command."""
SHAPES = [rule for rule in _ALL_SHAPES if rule.signs and rule.looks != "printed"]
LONE = [rule for rule in _ALL_SHAPES if not rule.signs]
