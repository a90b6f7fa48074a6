"""The parser of markdown, configured once: which rules it has, and the two of our own."""

from __future__ import annotations

import functools
import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_def

from sitegen.html import markdown_bounds as bounds


class _Parser(MarkdownIt):
    """Leaves addresses as they are: the writer decides about them once, when all ids are known."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802
        return True


@functools.cache
def markdown_parser() -> MarkdownIt:
    """Needs no reset between texts: what belongs to a text stands in its own environment."""
    options = {"html": False, "alerts": True, "tasklists": True, "maxNesting": bounds.MAX_DEPTH + 1}
    parser = _Parser("commonmark", options)
    parser.enable(["strikethrough", "table"]).disable(["html_block", "html_inline"])
    parser.use(footnote_plugin, inline=False)
    parser.block.ruler.at("footnote_def", _footnote_definition, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.push("address", _address)
    return parser


def _footnote_definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Moved away from inside another block, a definition would leave that block open. (Asked silently, the rule
    says where a paragraph ends.)"""
    return (silent or state.level == 0) and footnote_def(state, start, end, silent)


_IN_ADDRESS = r"[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]"

_BARE_ADDRESS = re.compile(rf"://{_IN_ADDRESS}{{1,2000}}+(?!{_IN_ADDRESS})")


def _address(state: StateInline, silent: bool) -> bool:
    """Links a bare http or https address, without the punctuation of the sentence around it."""
    if silent or state.linkLevel or not state.src.startswith("://", state.pos):
        return False
    scheme = next((name for name in ("https", "http") if state.pending.endswith(name)), None)
    found = _BARE_ADDRESS.match(state.src, state.pos, state.posMax)
    if scheme is None or found is None or state.pending[: -len(scheme)][-1:].isalnum():
        return False
    rest = _without_punctuation(found[0])
    if rest == "://":
        return False
    state.pending = state.pending[: -len(scheme)]
    state.push("link_open", "a", 1).attrs = {"href": scheme + rest}
    state.push("text", "", 0).content = scheme + rest
    state.push("link_close", "a", -1)
    state.pos += len(rest)
    return True


def _without_punctuation(address: str) -> str:
    """Cuts what ends a sentence, and closing brackets that the address does not open."""
    while True:
        shorter = address.rstrip("?!.,:;*_~'&")
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == address:
            return address
        address = shorter
