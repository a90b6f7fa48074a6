"""Whether what people call a model may be the model that a run names.

A sidecar says `sonnet`, `opus-4.5-high` or `anthropic/claude-sonnet-4-5` where the run says
`claude-sonnet-4-5-20250929`. Only what cannot be the same is worth a doubt: another family, or another version.
"""

from __future__ import annotations

import re

_VERSION = re.compile(r"(?<![0-9])([0-9]{1,2})(?:[.-]([0-9]{1,2})(?![0-9]))?(?![0-9])")
_WORD = re.compile(r"[a-z]+")
_LONG_CONTEXT = re.compile(r"[\[(]1m[\])]")


def may_be(stated: str, model: str) -> bool:
    """Whether one of two names may be a longer or shorter form of the other, in any case."""
    words, version = _parts(stated)
    own_words, own_version = _parts(model)
    family = own_words - {"claude"} or own_words
    if version and own_version and version != own_version:
        return False
    return words <= own_words or family <= words


def _parts(name: str) -> tuple[frozenset[str], tuple[int, int] | None]:
    """The words of a name, without what provider it comes through, and its version."""
    name = _LONG_CONTEXT.sub("", name.casefold().replace("__", "/")).rpartition("/")[2]
    found = _VERSION.search(name)
    version = (int(found[1]), int(found[2] or 0)) if found else None
    return frozenset(_WORD.findall(name)) - {"anthropic"}, version
