"""Code in fences to coloured HTML: one compiled expression a language, each of them linear.

Lexers that are made for editors are not made for hostile text: 49 characters can hang one, quotes and
backslashes make others quadratic, and each block costs a millisecond. Here a language is an expression and a
set of keywords. Each alternative of an expression consumes what it has looked at: an opener without its closer
runs to the end of its line, or of the text. Colours help reading; they need not know every corner of a grammar.

The text is escaped first and the expressions work on escaped text, so that nothing but spans can be added.
"""

import functools
import html
import re

from sitegen.text.tsv import rows

MAX_CHARACTERS = 65_536  # longer blocks are shown without colours

CLASSES = frozenset({"c", "gd", "gh", "gi", "gu", "k", "m", "na", "nf", "s"})
"""Classes of spans: comment; deleted, heading, inserted, hunk lines; keyword, number, key, function, string."""


def highlight(code: str, language: str) -> str:
    """Return the code as escaped HTML, with spans where the language is known and the code not too long."""
    escaped = html.escape(code, quote=False)
    name = _LANGUAGES.get(language.lower())
    if name is None or len(code) > MAX_CHARACTERS:
        return escaped
    expression, keywords = _lexer(name)
    return expression.sub(functools.partial(_span, keywords), escaped)


def knows(language: str) -> bool:
    """Return whether code in this language gets colours."""
    return language.lower() in _LANGUAGES


def _span(keywords: frozenset[str], match: re.Match[str]) -> str:
    """Return what was found, in the class of its group; `word` gets none unless it is a keyword."""
    role = match.lastgroup
    text = match[0]
    if role in ("word", "nf") and text in keywords:
        member = match.string.endswith(".", 0, match.start())  # re.match, map.delete
        role = role if member else "k"
    return text if role == "word" else f'<span class="{role}">{text}</span>'


_DOUBLE = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
_SINGLE = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
_CHARACTER = r"'(?:\\[^\n]{1,8}?|[^'\\\n])'"  # no longer: 'a is a lifetime in Rust
_BLOCK_COMMENT = r"/\*[\s\S]*?(?:\*/|\Z)"
_WORDS = r"(?P<m>\b\d\w*(?:\.\d\w*)*)|(?P<nf>\b[^\W\d]\w*(?=\())|(?P<word>\b[^\W\d]\w*)"

_EXPRESSIONS = {
    "c": rf"(?P<c>//.*|{_BLOCK_COMMENT}|^[ \t]*#.*)|(?P<s>{_DOUBLE}|`[^`]*`?|{_CHARACTER})|{_WORDS}",
    "data": r"(?P<c>(?:^|(?<=[ \t]))(?:#|//).*)"
    r'|(?P<na>"[^"\\\n]*(?:\\.[^"\\\n]*)*"(?=[ \t]*:)|^\[{1,2}[\w. -]+\]{1,2}$'
    r"|^[ \t]*+(?:-[ \t]++)*+[\w./-]++(?=[ \t]*[:=](?:\s|$)))"
    rf"|(?P<s>{_DOUBLE}|'[^'\n]*')|(?P<m>\b\d[\w.:-]*)|(?P<word>\b[^\W\d]\w*)",
    "diff": r"^(?:(?P<gh>(?:diff |index |new file |deleted file |similarity |rename |Index: ).*"
    r"|--- .*\n\+\+\+ .*)|(?P<gu>@@.*)|(?P<gi>\+.*)|(?P<gd>-.*))",
    "javascript": rf"(?P<c>//.*|{_BLOCK_COMMENT})"
    rf"|(?P<s>{_DOUBLE}|{_SINGLE}|`[^`\\]*(?:\\[\s\S][^`\\]*)*`?)|{_WORDS}",
    "markup": r"(?P<c>&lt;!--[\s\S]*?(?:--&gt;|\Z))|(?P<k>&lt;[/!?]?[\w:.-]+)"
    r"""|(?P<s>(?<==)(?:"[^"\n]*"?|'[^'\n]*'?))|(?P<na>[\w:.@-]++(?==["']))|(?P<word>[\w:.@-]+)""",
    "python": r"(?P<c>#.*)|(?P<na>^[ \t]*@[\w.]+)"
    r"""|(?P<s>\b[rbfuRBFU]{1,2}(?=["'])|"{3}[\s\S]*?(?:"{3}|\Z)|'{3}[\s\S]*?(?:'{3}|\Z)"""
    rf"|{_DOUBLE}|{_SINGLE})|{_WORDS}",
    "shell": rf"(?P<c>(?:^|(?<=\s))#.*)|(?P<s>{_DOUBLE}|'[^'\n]*')"
    r"|(?P<na>\$(?:\w+|\{\w+\}?|[?!$@*#]))|(?P<m>\b\d+\b)|(?P<word>[\w./-]+)",
    "sql": rf"""(?P<c>--.*|{_BLOCK_COMMENT})|(?P<s>'[^'\n]*'?|"[^"\n]*"?)|{_WORDS}""",
}

_TABLE = list(rows(__file__, "languages.tsv"))
_KEYWORDS = {name: keywords.split() for name, _, keywords in _TABLE}
_LANGUAGES = {alias: name for name, aliases, _ in _TABLE for alias in aliases.split()}


@functools.cache
def _lexer(name: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """Return the expression of a language, whose groups are named after CLASSES, and its keywords."""
    also = map(str.upper, _KEYWORDS["sql"] if name == "sql" else ())
    return re.compile(_EXPRESSIONS[name], re.MULTILINE), frozenset((*_KEYWORDS[name], *also))
