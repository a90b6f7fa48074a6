"""Whether a page from the cache is one that this program could have made.

The cache may come from others. So a page is taken from it only where a browser can find nothing in it but text, links
and elements that do nothing: the policy first in its head, the scripts of this site and no other, elements and
attributes of two short lists. A `<` or `>` stands in tags only, as in all that we write, so a tag is one wherever a
browser takes it for one, and may be looked at alone. What a page of a user's theme has besides costs no more than that
this page is made anew.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from functools import lru_cache

_HEAD = re.compile(
    r'<!doctype html>\n<html lang="[\w-]*">\n<head>\n<meta charset="utf-8">\n'
    r"""<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; """
    r"""img-src 'self' data:; font-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'">\n"""
    r'<meta name="referrer" content="no-referrer">\n'
)
_TAG = re.compile(r"<[^<>]*>")
_FORM = re.compile(r'</?(?P<name>[a-zA-Z][a-zA-Z0-9]*)(?P<attributes>(?: [a-zA-Z][\w:-]*(?:="[^"<>]*")?)*) ?/?>')
_ATTRIBUTE = re.compile(r' (?P<name>[\w:-]+)(?:="(?P<value>[^"]*)")?')
_ELEMENTS_WORDS = """
    a article b blockquote body br button caption code col colgroup data dd del details dialog div dl dt em
    fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 head header hr html i img input ins kbd label legend
    li link main meta nav ol p pre s section small
    span strong sub summary sup table tbody td tfoot th thead time title tr ul wbr
    circle g line path polygon rect svg symbol text use
"""
_ELEMENTS = frozenset(_ELEMENTS_WORDS.split())
_ATTRIBUTES_WORDS = """
    alt aria-controls aria-current aria-describedby aria-expanded aria-hidden aria-keyshortcuts aria-label
    aria-labelledby aria-pressed autocomplete charset checked class colspan content cx cy d data-facet
    data-figure data-key data-label data-name data-note data-outcome data-range data-root data-run data-take
    data-untrusted datetime disabled dx dy fill fill-opacity font-weight height hidden id inert
    lang name open overflow placeholder points preserveAspectRatio property r rel role rowspan scope spellcheck start
    stroke stroke-dasharray stroke-linejoin stroke-width tabindex text-anchor title transform type value viewBox width
    x x1 x2 y y1 y2
"""
_ATTRIBUTES = frozenset(_ATTRIBUTES_WORDS.split())
_WITHIN = re.compile(r"[\w.~%/-]*(?:\?v=\w+)?(?:#.*)?", re.DOTALL)
"""An address of no other host."""
_BELOW = re.compile(r"\w[\w~/-]*(?:\.[\w~/-]+)*(?:\?v=\w+)?")
"""An address below a folder: no two dots follow each other, and none is written as `%2e`."""
_LINK = re.compile(r"(?:https?|mailto):[^\x00-\x20]*", re.IGNORECASE)
_ICON = "data:image/svg+xml,"
_SCRIPTS = ('<script src="{}"></script>', '<script src="{}" defer></script>', '<script defer src="{}"></script>')
_LOADED = re.compile(r' data-(?:search|rows|further|more|judge)="([^"?]*)(?:\?v=\w+)?')
"""Addresses from which our scripts load others."""
_ROOT = re.compile(r' data-root="([^"]*)"')
_LOADING = frozenset({"data-search", "data-rows", "data-further", "data-more", "data-judge"})
_ROWS_OF_TASK = ".rows.js"
"""Ends the only scripts that `data-attempts` may load. They hold data, and `is_script` has looked at them."""


def is_page(path: str, page: str, scripts: Collection[str]) -> bool:
    """Whether it is a page for this path; `scripts` are the paths that it may load scripts from."""
    begun = _HEAD.match(page)
    if begun is None:
        return False
    root = "../" * path.count("/")
    addresses = {root + script for script in scripts}
    rest = page[begun.end() :]
    for address in addresses:
        for script in _SCRIPTS:
            rest = rest.replace(script.format(address), "<br>")
    return (
        has_plain_tags(rest, root)
        and addresses.issuperset(_LOADED.findall(rest))
        and all(given == root for given in _ROOT.findall(rest))
    )


def has_plain_tags(markup: str, root: str = "") -> bool:
    """Whether all tags are of elements and with attributes that run nothing, and load nothing but what lies below the
    folder of the site, `root`; scripts are not among them."""
    tags = _TAG.findall(markup)
    return len(tags) == markup.count("<") == markup.count(">") and all(_is_plain(tag, root) for tag in set(tags))


@lru_cache(maxsize=20_000)
def _is_plain(tag: str, root: str) -> bool:
    form = _FORM.fullmatch(tag)
    if form is None or form["name"] not in _ELEMENTS:
        return False
    found = _ATTRIBUTE.findall(form["attributes"])
    given = dict(found)
    if len(given) != len(found):
        return False
    if form["name"] == "link":
        relation, address = given.get("rel"), given.get("href", "")
        is_icon = relation == "icon" and address.startswith(_ICON)
        is_known = relation in ("stylesheet", "icon") and _is_below(root, address)
        if not (is_known or is_icon or relation in ("canonical", "alternate")):
            return False
    if not all(_is_below(root, value) for name, value in found if name == "src"):
        return False
    attempts = given.get("data-attempts")
    if attempts is not None and not (_is_below(root, attempts) and attempts.endswith(_ROWS_OF_TASK)):
        return False
    if form["name"] == "meta" and html.unescape(given.get("name", "")).strip().lower() == "referrer":
        return False
    return all(_is_plain_attribute(form["name"], name, html.unescape(value)) for name, value in found)


def _is_below(root: str, address: str) -> bool:
    return address.startswith(root) and bool(_BELOW.fullmatch(address, len(root)))


def _is_plain_attribute(element: str, name: str, value: str) -> bool:
    if name not in ("href", "src", "data-root"):
        return name in _ATTRIBUTES or name in _LOADING or name == "data-attempts"
    if element == "use":
        return value.startswith("#")
    is_within = bool(_WITHIN.fullmatch(value)) and not value.startswith("/")
    if name == "href" and element in ("a", "link"):  # the policy lets a link element load from the site only
        return is_within or bool(_LINK.fullmatch(value)) or (element == "link" and value.startswith(_ICON))
    return is_within
