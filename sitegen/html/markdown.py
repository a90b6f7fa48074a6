"""Untrusted markdown to safe HTML: two walls, and bounds on what a text may cost.

The first wall is this module's own writer. It knows a closed list of tokens, so an element or an attribute that
is not written here cannot appear; HTML in the text is text; a link leads to an allowed address or is shown as
code; images are named, never loaded. The second wall is nh3 with an allowlist of the same elements, which also
closes whatever the parser left open. Neither relies on the other.

A hundred kilobytes of markdown can become hundreds of megabytes of HTML, and a parser can be driven into
quadratic time, so a text that exceeds a bound is shown as it is, with a sentence that says why. Nothing raises.

The parser is configured once and is asked for tokens only; what they become is decided in the writer.
"""

import functools
import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, quote, unquote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline, emphasis, strikethrough
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_def

from sitegen.html import highlight
from sitegen.masking.redact import clean_text
from sitegen.system.bounds import DEFAULT

# What a markdown text may cost, judged by looking at it, before it is parsed.
# A hundred kilobytes of markdown can become hundreds of megabytes of HTML, and a parser can be driven into quadratic
# time. Depth and size of the output show in rendering only: `markdown` holds them to the figures that stand here.

MAX_LINES = 5_000
"""Each line may be looked at once for every block that is open, so lines and depth bound each other's cost."""
MAX_BRACKETS = 5_000
MAX_COLUMNS = 200
MAX_CELLS = 20_000
MAX_MARKS = 32  # combining marks on one letter
MAX_DEPTH = 30  # elements inside one another
MAX_GROWTH = 20
"""HTML for each character of markdown; a short text may always become SMALL_OUTPUT characters."""
SMALL_OUTPUT = 20_000
MAX_OUTPUT = 2_000_000


def limit_exceeded(text: str, max_characters: int = DEFAULT.summary_characters) -> str | None:
    """Return why this text is not rendered, as the second half of a sentence; None when it is within bounds.

    Looks at the text only and costs next to nothing. Depth, references that repeat much, and size of the output show
    in rendering only.
    """
    if len(text) > max_characters:
        return f"it has {len(text):,} characters, and {max_characters:,} is the limit"
    if text.count("\n") >= MAX_LINES:
        return f"it has more than {MAX_LINES:,} lines"
    if text.count("[") > MAX_BRACKETS:
        return f"it has more than {MAX_BRACKETS:,} opening brackets"
    if not text.isascii() and _MARKS.search(text):
        return f"it has more than {MAX_MARKS} combining marks on one letter"
    return _table_limit(text)


_COMBINING = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_MARKS = re.compile(
    f"[{_COMBINING}][{_COMBINING}]{{{MAX_MARKS}}}"
)  # a set in front is searched for faster


def _table_limit(text: str) -> str | None:
    """Short rows are filled up with cells, so a table weighs its columns times its rows, whatever is written."""
    pipes = text.count("|")
    if pipes < MAX_COLUMNS and pipes * (text.count("\n") + 1) < MAX_CELLS:
        return None
    columns = cells = 0
    for line in text.split("\n"):
        row = line.strip(" \t>")
        if not row:
            columns = 0
        elif "-" in row and not row.strip("|-: \t"):
            columns = max(columns, row.strip("|").count("|") + 1)
            if columns > MAX_COLUMNS:
                return f"it has a table of {columns:,} columns, and {MAX_COLUMNS} is the limit"
        cells += columns
    return f"its tables have more than {MAX_CELLS:,} cells" if cells > MAX_CELLS else None


def output_limit(text: str) -> int:
    """Return characters of HTML that this text may become."""
    return min(MAX_OUTPUT, max(SMALL_OUTPUT, MAX_GROWTH * len(text)))


TOP_LEVEL = 3  # the level of the outermost headings of a text: they are below those of the page
CONTENTS_FROM, CONTENTS_LIMIT = 4, 60
"""Fewer headings need no list, and a longer list would guide nobody."""
MAX_HEADING_CHARACTERS = 80  # the length of a heading where it is named elsewhere

_REL = "noopener noreferrer nofollow ugc"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a text, as its links name it."""

    id: str  # the id in the page
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """Safe HTML, and sentences about what could not be shown as meant."""

    html: str
    notes: tuple[str, ...] = ()
    contents: tuple[Heading, ...] = ()
    """The headings of a long text, its two outermost levels; of a short one none."""


def render(
    text: str,
    *,
    clean: Callable[[str], str] = clean_text,
    max_characters: int = DEFAULT.summary_characters,
    is_own: bool = False,
    within: str = "",
) -> Rendered:
    """Return the text as HTML without anything that runs, loads, submits or reaches outside its container.

    The outermost headings are of TOP_LEVEL, and each gets a link to itself. Ids begin with `u-`, so that no text can
    take an id of its page. What the parser decodes passes through `clean` once more. Text of the site's owner, and no
    other, is one that `is_own`: it may link to pages of the site. `within` stands in front of ids, where a page has
    several texts. Never raises.
    """
    text = clean_text(text)
    reason = limit_exceeded(text, max_characters)
    if reason:
        return _as_it_is(text, reason)
    try:
        tokens = markdown_parser().parse(text)
        headings = _headings(tokens, within)
        writer = _Writer(headings, output_limit(text), is_own, within)
        writer.write(tokens)
        # Character references were resolved by the parser, so what they hid is cleaned here.
        contents = tuple(
            replace(heading, text=clean(heading.text)) for heading in _contents(headings)
        )
        return Rendered(
            _second_wall(is_own).clean(clean(writer.html())), tuple(writer.notes), contents
        )
    except _LimitExceeded as limit:
        return _as_it_is(text, str(limit))
    except Exception:  # a fault of a parser on hostile text is not a reason to publish nothing
        return _as_it_is(text, "it could not be read as markdown")


def plain(text: str) -> str:
    """Return the text as it is, escaped, in a `pre`."""
    return f'<pre class="plain" tabindex="0">\n{html.escape(clean_text(text), quote=False)}</pre>\n'


def note_on(reason: str) -> str:
    """Return what is said of a text that could not be rendered for this reason."""
    return f"This text is shown as it is, because {reason}."


def _as_it_is(text: str, reason: str) -> Rendered:
    return Rendered(plain(text), (note_on(reason),))


class _LimitExceeded(Exception):  # noqa: N818  reads as what happened
    """The rest of the sentence that `_as_it_is` begins."""


_INLINE = ("em", "s", "strong")
_BLOCKS = {
    "blockquote": "blockquote",
    "bullet_list": "ul",
    "tbody": "tbody",
    "thead": "thead",
    "tr": "tr",
}
"""The elements of tokens that open and close one without attributes."""
_FIXED: Mapping[str, str] = {
    **{f"{name}_open": f"<{name}>" for name in _INLINE},
    **{f"{name}_close": f"</{name}>" for name in _INLINE},
    **{f"{kind}_open": f"<{name}>\n" for kind, name in _BLOCKS.items()},
    **{f"{kind}_close": f"</{name}>\n" for kind, name in _BLOCKS.items()},
    "alert_title_open": '<p class="markdown-alert-title">',
    "alert_title_close": "</p>\n",
    "alert_close": "</div>\n",
    "footnote_block_open": '<section class="footnotes">\n<ol>\n',
    "footnote_block_close": "</ol>\n</section>\n",
    "footnote_close": "</li>\n",
    "hardbreak": "<br>\n",
    "hr": "<hr>\n",
    "list_item_close": "</li>\n",
    "ordered_list_close": "</ol>\n",
    "paragraph_open": "<p>",
    "paragraph_close": "</p>\n",
    "td_close": "</td>\n",
    "table_open": '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n',
    "table_close": "</table></div>\n",
}


class _Writer:
    """Writes tokens as HTML: the first wall. A token that is neither in _FIXED nor has a method is an error."""

    def __init__(
        self, headings: Mapping[str, Heading], limit: int, is_own: bool = False, within: str = ""
    ) -> None:
        self.notes: list[str] = []
        self._headings = headings
        self._limit = limit
        self._is_own = is_own
        self._within = within
        self._repeated = 0
        self._depth = 0
        self._parts: list[str] = []
        self._links: list[tuple[int, str, str | None] | None] = []
        self._cell = 0
        self._footnotes_seen: set[int] = set()

    def html(self) -> str:
        """Return what has been written. Raises: _LimitExceeded."""
        written = "".join(self._parts)
        if len(written) > self._limit:
            raise _LimitExceeded(f"its HTML would have more than {self._limit:,} characters")
        return written

    def write(self, tokens: Iterable[Token]) -> None:
        """Raises: _LimitExceeded."""
        parts = self._parts
        for token in tokens:
            kind = token.type
            if kind == "text":
                parts.append(html.escape(token.content, quote=False))
                continue
            if kind == "inline":
                self.write(token.children or ())
                continue
            self._depth += token.nesting
            if self._depth > MAX_DEPTH:
                raise _LimitExceeded(f"it nests more than {MAX_DEPTH} elements in one another")
            if token.hidden:  # the paragraphs of a tight list, headings without text
                parts.append("\n" if token.nesting < 0 else "")
                continue
            fixed = _FIXED.get(kind)
            if fixed is None:
                getattr(self, f"on_{kind}")(token)
            else:
                parts.append(fixed)

    def on_softbreak(self, _: Token) -> None:
        self._parts.append(
            "\n" if self._is_own else "<br>\n"
        )  # agents write for a terminal, where a line end is one

    def on_alert_open(self, token: Token) -> None:
        kind = str(token.meta["kind"]).lower()
        self._parts.append(f'<div class="markdown-alert markdown-alert-{kind}">\n')

    def on_td_open(self, token: Token) -> None:
        align = _ALIGNMENTS.get(str(token.attrs.get("style")), "")
        scope = ' scope="col"' if token.tag == "th" else ""
        self._cell = len(self._parts)
        self._parts.append(f"<{token.tag}{scope}{align}>")

    on_th_open = on_td_open

    def on_th_close(self, _: Token) -> None:
        if "".join(self._parts[self._cell + 1 :]).strip():
            self._parts.append("</th>\n")
        else:  # a head that says nothing is none
            self._parts[self._cell :] = ["<td></td>\n"]

    def on_code_inline(self, token: Token) -> None:
        self._parts.append(_code(token.content))

    def on_code_block(self, token: Token) -> None:
        language = _LANGUAGE.match(token.info.strip())
        name = language[0] if language else ""
        if len(token.content) > highlight.MAX_CHARACTERS and highlight.knows(name):
            self.notes.append(
                f"A code block of {len(token.content):,} characters is shown without colours, "
                f"because {highlight.MAX_CHARACTERS:,} is the limit."
            )
        attribute = f' class="language-{name}"' if name else ""
        code = highlight.highlight(token.content, name)
        self._parts.append(f'<pre tabindex="0"><code{attribute}>{code}</code></pre>\n')

    on_fence = on_code_block

    def on_footnote_open(self, token: Token) -> None:
        self._parts.append(f'<li id="u-{self._within}fn:{int(token.meta["id"]) + 1}">')

    def on_footnote_ref(self, token: Token) -> None:
        number = int(token.meta["id"]) + 1
        place = "" if number in self._footnotes_seen else f' id="u-{self._within}fnref:{number}"'
        self._footnotes_seen.add(number)
        self._parts.append(f'<sup><a href="#u-{self._within}fn:{number}"{place}>{number}</a></sup>')

    def on_footnote_anchor(self, token: Token) -> None:
        number = int(token.meta["id"]) + 1
        if token.meta["subId"] == 0 and number in self._footnotes_seen:
            self._parts.append(
                f' <a href="#u-{self._within}fnref:{number}" aria-label="Back to the text">\u21a9\ufe0e</a>'
            )

    def on_heading_open(self, token: Token) -> None:
        id_ = self._headings[str(token.attrs["id"])].id
        self._parts.append(f'<div class="heading"><{token.tag} id="{html.escape(id_)}">')

    def on_heading_close(self, token: Token) -> None:
        """Put the link beside the heading: inside, a screen reader would read it as a part of the heading."""
        heading = self._headings[str(token.attrs["id"])]
        href = f"#{html.escape(heading.id)}"
        label = f"Link to: {html.escape(heading.text)}"
        self._parts.append(
            f'</{token.tag}> <a class="permalink" href="{href}" aria-label="{label}"></a></div>\n'
        )

    def on_image(self, token: Token) -> None:
        source = str(token.attrs["src"])
        self._spend(source)
        alt = "".join(child.content for child in token.children or ()).strip()
        place = html.escape(_image_place(source))
        label = f"Image: {html.escape(alt)}" if alt else "Image"
        self._parts.append(f'<span class="image">{label}{place and f" ({place})"}</span>')

    def _spend(self, *repeated: str) -> None:
        """Count repeated text towards the limit: a definition is written once and can be used often."""
        self._repeated += sum(map(len, repeated))
        if self._repeated > self._limit:
            raise _LimitExceeded("its link references repeat too much text")

    def on_link_open(self, token: Token) -> None:
        target = str(token.attrs["href"])
        title = str(token.attrs.get("title", ""))
        if self._links:  # the parser lets an address stand in the text of a link
            self._links.append(None)
            return
        self._spend(target, title)
        is_page = self._is_own and bool(_PAGE.fullmatch(target))
        href = target if is_page else _href(target, self._headings)
        self._links.append((len(self._parts), target, href))
        rel = "" if is_page or href is None or href.startswith("#") else f' rel="{_REL}"'
        titled = f' title="{html.escape(title)}"' if title else ""
        self._parts.append("" if href is None else f'<a href="{html.escape(href)}"{rel}{titled}>')

    def on_link_close(self, _: Token) -> None:
        link = self._links.pop()
        if link is None:
            return
        start, target, href = link
        text = "".join(self._parts[start + 1 :])
        if href is not None:
            if text == html.escape(
                target, quote=False
            ):  # on paper an address is not repeated behind itself
                self._parts[start] = self._parts[start].replace("<a ", '<a class="address" ', 1)
            self._parts.append("</a>" if text.strip() else f"{html.escape(target)}</a>")
        elif not text.strip() or text == html.escape(target, quote=False):
            self._parts[start:] = [_code(target)]
        elif target:
            self._parts.append(f" {_code(target)}")

    def on_list_item_open(self, token: Token) -> None:
        if "checked" not in token.meta:
            self._parts.append("<li>")
            return
        state = ' aria-label="done" checked' if token.meta["checked"] else ' aria-label="not done"'
        self._parts.append(f'<li class="task"><input type="checkbox" disabled{state}> ')

    def on_ordered_list_open(self, token: Token) -> None:
        start = token.attrs.get("start")
        self._parts.append("<ol>\n" if start is None else f'<ol start="{int(start)}">\n')


_ALIGNMENTS = {"text-align:right": ' class="n"', "text-align:center": ' class="c"'}
_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]{1,24}")


def _code(text: str) -> str:
    return f"<code>{html.escape(text, quote=False)}</code>"


def _split(address: str) -> SplitResult | None:
    """Return the parts of an address; None where browsers would read it differently: they drop control characters and
    take backslashes for slashes before they parse."""
    if not address.isprintable() or "\\" in address or address != address.strip():
        return None
    try:
        parts = urlsplit(address)
        _ = parts.hostname, parts.port
    except ValueError:
        return None
    return parts


def _href(target: str, headings: Mapping[str, Heading]) -> str | None:
    """Return the address to link to; None when it is shown and not linked.

    Linked are web addresses with a plain host and no credentials, mail addresses, and headings of this text.
    """
    parts = _split(target)
    if parts is None:
        return None
    match parts.scheme:
        case "http" | "https":
            if not _HOST.fullmatch(parts.netloc):
                return None
        case "mailto":
            if parts.netloc or "@" not in parts.path:
                return None
        case _:
            heading = unquote(target.removeprefix("#")).lower()
            return (
                f"#{headings[heading].id}"
                if target.startswith("#") and heading in headings
                else None
            )
    return quote(parts.geturl(), safe=_ADDRESS_SIGNS)


_PAGE = re.compile(
    r"(?:[A-Za-z0-9][A-Za-z0-9._-]*/)*[A-Za-z0-9][A-Za-z0-9._-]*\.html(?:#[A-Za-z0-9-]+)?"
)
"""A page of the site, seen from its top: no scheme, no host, and nothing that leads out."""

_HOST = re.compile(r"(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_ADDRESS_SIGNS = "!#$%&'()*+,/:;=?@[]~"


def _image_place(source: str) -> str:
    """Return where an image would have come from: a host, a path, or the kind of address."""
    parts = _split(source)
    if parts is None or parts.scheme not in ("", "http", "https"):
        return "embedded" if source.lower().startswith("data:") else "no usable address"
    return parts.netloc.rpartition("@")[2] or parts.path


def _headings(tokens: Sequence[Token], within: str = "") -> Mapping[str, Heading]:
    """Gives headings their level and their id (without what stands in front of it); the headings by that id.

    Levels keep their nesting and skip none: the outermost is TOP_LEVEL. Ids are made as GitHub makes them. A
    heading without text is none.
    """
    headings: dict[str, Heading] = {}
    repeats: Counter[str] = Counter()
    levels: list[str] = []
    for position, heading in enumerate(tokens):
        if heading.type != "heading_open":
            continue
        content = tokens[position + 1]
        close = tokens[position + 2]
        text = "".join(
            child.content or " " * child.type.endswith("break") for child in content.children or ()
        )
        if not text.strip():
            heading.hidden = close.hidden = True
            continue
        while levels and levels[-1] >= heading.tag:
            levels.pop()
        levels.append(heading.tag)
        level = min(6, TOP_LEVEL + len(levels) - 1)
        heading.tag = close.tag = f"h{level}"
        slug = _NOT_IN_SLUGS.sub("", text.lower()).strip().replace(" ", "-")[:80] or "section"
        unique = slug
        while unique in headings:
            repeats[slug] += 1
            unique = f"{slug}-{repeats[slug]}"
        heading.attrs["id"] = close.attrs["id"] = unique
        words = " ".join(text.split())
        short = (
            words
            if len(words) <= MAX_HEADING_CHARACTERS
            else f"{words[: MAX_HEADING_CHARACTERS - 1].rstrip()}…"
        )
        headings[unique] = Heading(f"u-{within}{unique}", level, short)
    return headings


def _contents(headings: Mapping[str, Heading]) -> Sequence[Heading]:
    """Return what a table of contents lists: two levels, or the outermost alone where that is too long."""
    top = min((heading.level for heading in headings.values()), default=0)
    for deepest in (top + 1, top):
        listed = [heading for heading in headings.values() if heading.level <= deepest]
        if CONTENTS_FROM <= len(listed) <= CONTENTS_LIMIT:
            return listed
    return ()


_NOT_IN_SLUGS = re.compile(r"[^\w\- ]")


@functools.cache
def _second_wall(is_own: bool = False) -> nh3.Cleaner:
    values: dict[str, dict[str, set[str]]] = {
        "a": {"rel": {_REL}},
        "div": {"aria-label": {"Table"}, "role": {"group"}, "tabindex": {"0"}},
        "input": {"aria-label": {"done", "not done"}, "checked": {""}, "disabled": {""}},
        "pre": {"tabindex": {"0"}},
        "th": {"scope": {"col"}},
    }
    alerts = ("caution", "important", "note", "tip", "warning")
    classes = {
        "div": {
            "heading",
            "scroll",
            "markdown-alert",
            *(f"markdown-alert-{kind}" for kind in alerts),
        },
        "a": {"address", "permalink"},
        "li": {"task"},
        "p": {"markdown-alert-title"},
        "section": {"footnotes"},
        "span": {"image", *highlight.CLASSES},
        "td": {"c", "n"},
        "th": {"c", "n"},
    }
    headings = {f"h{level}" for level in range(1, 7)}
    plain_tags = {
        "blockquote",
        "br",
        "em",
        "hr",
        "s",
        "strong",
        "sup",
        "table",
        "tbody",
        "thead",
        "tr",
        "ul",
    }
    attributes = {
        "a": {"aria-label", "href", "id", "title"},
        "code": {"class"},
        "li": {"id"},
        "ol": {"start"},
    }
    attributes |= {heading: {"id"} for heading in headings}
    return nh3.Cleaner(
        tags=plain_tags | headings | attributes.keys() | values.keys() | classes.keys(),
        attributes=attributes,
        tag_attribute_values=values,
        set_tag_attribute_values={
            "input": {"type": "checkbox"}
        },  # one: the order of several is random
        allowed_classes=classes,
        url_schemes={"http", "https", "mailto"},
        url_relative=lambda url: (
            url if url.startswith("#u-") or (is_own and _PAGE.fullmatch(url)) else None
        ),
        id_prefix="u-",
        link_rel=None,
    )


# The parser of markdown, configured once: which rules it has, and the two of our own.


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
    options = {"html": False, "alerts": True, "tasklists": True, "maxNesting": MAX_DEPTH + 1}
    parser = _Parser("commonmark", options)
    parser.enable(["strikethrough", "table"]).disable(["html_block", "html_inline"])
    parser.use(footnote_plugin, inline=False)
    parser.block.ruler.at("footnote_def", _footnote_definition, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.push("address", _address)
    for name, rule, marks in (
        ("emphasis", emphasis.tokenize, "*_"),
        ("strikethrough", strikethrough.tokenize, "~"),
    ):
        parser.inline.ruler.at(name, functools.partial(_beside_cjk, rule, marks))
    return parser


_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)


def _beside_cjk(
    rule: Callable[[StateInline, bool], bool], marks: str, state: StateInline, silent: bool
) -> bool:
    """Apply a rule of these marks in pairs. Chinese, Japanese and Korean have no spaces between words, so beside their
    characters and punctuation a mark can open and close, which CommonMark denies it beside punctuation."""
    start = state.pos
    if state.src[start] not in marks:  # the parser asks every rule at each sign
        return False
    count = len(state.delimiters)
    if not rule(state, silent):
        return False
    before = state.src[start - 1 : start]
    after = state.src[state.pos : min(state.pos + 1, state.posMax)]
    if state.src[start] != "_" and (_CJK.match(before) or _CJK.match(after)):
        for each in state.delimiters[count:]:
            each.open |= bool(after.strip())
            each.close |= bool(before.strip())
    return True


def _footnote_definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Moved away from inside another block, a definition would leave that block open. (Asked silently, the rule
    says where a paragraph ends.)"""
    return (silent or state.level == 0) and footnote_def(state, start, end, silent)


_IN_ADDRESS = r"[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]"

_BARE_ADDRESS = re.compile(rf"://{_IN_ADDRESS}{{1,2000}}+(?!{_IN_ADDRESS})")


def _address(state: StateInline, silent: bool) -> bool:
    """Return links a bare http or https address, without the punctuation of the sentence around it."""
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
