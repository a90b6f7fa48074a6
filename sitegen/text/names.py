"""The names of models, pages and runs, and the meaning of the parts of a path.

All of it is made from foreign text: model ids, file names and headings of a summary. The rules only ever
shorten what they recognise wholly; everything else stays as it is, because a wrong name is worse than a long
one. Every pattern runs in time linear in the text, or on a short piece of it: texts may be made to be slow.
"""

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

NO_MODEL = "model not stated"
MAX_CALLED_NAME = 200  # characters of the name of a tool or skill

_CLAUDE = re.compile(
    r"""(?:[\w.:-]+/)*                                                             # routes, of whatever name
        (?:(?:us|eu|apac|global|jp|au|ca|us-gov)\.)?(?:anthropic\.)?
        claude-(?:
            (?P<family>[a-z]+)-(?P<version>[0-9]{1,2}(?:[-.][0-9]{1,2})?)             # claude-sonnet-4-5
          | (?P<old_version>[0-9]{1,2}(?:[-.][0-9]{1,2})?)-(?P<old_family>[a-z]+)     # claude-3-5-sonnet
        )
        (?:-latest)?(?:-v[0-9])?(?:[-@][0-9]{8})?(?:-v[0-9]+(?::[0-9]+)?)?(?:@default)?
        (?::(?:beta|nitro|floor|online|extended|thinking))?(?P<long>\[1m\])?           # OpenRouter's ways to serve it
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ROUTE = re.compile(
    r"(?:(?:azure(?:_ai|_openai)?|openrouter|litellm(?:_proxy)?|(?:amazon[-_])?bedrock(?:_converse)?|converse|invoke"
    r"|vertex(?:_ai)?(?:[-_][a-z]+)?|google[-_]vertex(?:-anthropic)?|vercel(?:_ai_gateway)?|github(?:_copilot)?|copilot"
    r"|databricks|requesty|proxy|gateway|opencode|zen|anthropic|openai|google|gemini|x-?ai|moonshot(?:ai)?|deepseek|z-?ai"
    r"|zai-org|models|publishers|(?:us|eu|ap|ca|sa|me|af|us-gov)-[a-z]+-[0-9])/"
    r"|(?:anthropic|openai|google|vertex|bedrock|openrouter|azure):(?![0-9])|databricks-(?=claude))+(?=.)",
    re.IGNORECASE,
)
"""The text before an id: programs and clouds on the way to the model, and the company that makes it."""
_LONG_CONTEXT = re.compile(r"(.+)\[1m\]", re.IGNORECASE | re.DOTALL)


def as_spelled(name: str, known: Collection[str]) -> str | None:
    """Return the name of a group that a name in the settings or on a page means: the same, else the only one that
    differs from it in case alone; None where there is none."""
    if name in known:
        return name
    alike = [each for each in known if each.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else None


MAX_COMPARED = 2_000
"""The number of names above which none is looked for that is nearly the same: that would take minutes."""


def did_you_mean(name: str, known: Iterable[str | None]) -> str:
    """Return the end of a sentence about a name that nothing has: the one of the `known` names that is nearly the same,
    or a full stop where there is none."""
    spelled = {each.casefold(): each for each in sorted(filter(None, known), reverse=True)}
    if len(spelled) > MAX_COMPARED:
        return "."
    near = difflib.get_close_matches(name.casefold(), spelled, n=1)
    return f"; did you mean '{spelled[near[0]]}'?" if near else "."


@lru_cache(maxsize=1024)
def display_name(model_id: str | None) -> str:
    """Return what people call a model: `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `Claude Sonnet 4.5`.

    Region, vendor, date and revision are dropped, `[1m]` becomes ` (1M)`. An id that is not wholly understood
    stays as it is. The result is text of a stranger still: escape it.
    """
    if model_id is None:
        return NO_MODEL
    if not model_id.strip():
        return "model without a name"
    model_id = own_id(model_id)
    if known := _CLAUDE.fullmatch(model_id):
        family, version = _family(known)
        return f"Claude {family.capitalize()} {version}{' (1M)' if known['long'] else ''}"
    if long := _LONG_CONTEXT.fullmatch(model_id):
        return f"{long[1]} (1M)"
    return _DATE.sub("", model_id)


@lru_cache(maxsize=1024)
def price_key(model_id: str) -> str:
    """Return the id under which the price table knows a model: `claude-sonnet-4.5`, or the id itself without `[1m]`.

    Ids of one model at other clouds, of other dates and with the long context have one price, so one key.
    """
    model_id = own_id(model_id)
    if known := _CLAUDE.fullmatch(model_id):
        family, version = _family(known)
        return f"claude-{family}-{version}"
    long = _LONG_CONTEXT.fullmatch(model_id)
    return _DATE.sub("", (long[1] if long else model_id).lower())


def own_id(model_id: str) -> str:
    """Return the id without its route, `azure/` or `openrouter/anthropic/`."""
    return _ROUTE.sub("", model_id, 1) if _ROUTE.match(model_id) else model_id


_DATE = re.compile(r"(?<=.)-20[0-9]{2}-[0-9]{2}-[0-9]{2}\Z", re.DOTALL)


def _family(known: re.Match[str]) -> tuple[str, str]:
    """Family in lower case, version with a dot and without a trailing zero: `claude-opus-4-0` is Opus 4."""
    version = (known["version"] or known["old_version"]).replace("-", ".").removesuffix(".0")
    return (known["family"] or known["old_family"]).lower(), version


def spelled_out(name: str) -> str:
    """Return a name of a model, a task or a group as it is shown: what looks like another name is made to look
    different.

    Characters that are not seen, marks stacked over a letter, and letters that only look like those of the English
    alphabet are written out, as `[U+0430]`: in a word that also has some or mixes other alphabets, and where the name
    has no letter that looks otherwise. Runs of blanks become one, and composed and decomposed letters are the same.
    """
    if name.isascii() and name.isprintable() and "  " not in name:
        return name.strip()
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    name = _STACKED.sub(_written_out, _UNSEEN.sub(_written_out, name))
    name = _WORD.sub(lambda word: _without_twins(word[0]), name)
    is_disguised = _LIKE_ENGLISH.issuperset(_FOREIGN.findall(name))
    return _FOREIGN.sub(_written_out, name) if is_disguised else name


_WORD = re.compile(r"\w+")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
    "\u02d7\u2010\u2011\u2024\u2043\u2212]"  # seen, as hyphens and a dot
    # Joiners and selectors belong into emoji and into several scripts, and never behind ASCII.
    "|(?:^|(?<=[\x00-\x7f]))[\u200c\u200d\ufe00-\ufe0f]"
)


_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACKED = re.compile(f"(?<={_MARK * 3}){_MARK}")
"""Marks above three on one letter: they would stand in the lines around the name."""


def _written_out(sign: re.Match[str]) -> str:
    return f"[U+{ord(sign[0]):04X}]"


def _without_twins(word: str) -> str:
    """Return a word of one alphabet as it is; of one that mixes alphabets, all but the English letters written out."""
    if word.isascii():
        return word
    alphabets = {
        unicodedata.name(letter, "").partition(" ")[0] for letter in _FOREIGN.findall(word)
    }
    mixes = len(alphabets) > 1 or re.search("[A-Za-z]", word)
    return (_FOREIGN if mixes else _TWINS).sub(_written_out, word)


_TWINS = re.compile(
    "[\u017f\u01c0-\u01c3\u0251\u0261\u0262\u0269\u026a\u0274\u0280\u028f\u0299\u029c\u029f\u1d00-\u1d2b\u2100-\u218f"
    "\u2c80-\u2cff\ua730\ua731\uab30-\uab6f\ufb00-\ufb06\uff10-\uff5a\U00010280-\U0001044f\U0001d400-\U0001d7ff]"
)
"""Letters and digits of a width, a weight or a phonetic alphabet, ligatures, Coptic and scripts of antiquity."""
_LIKE_ENGLISH = frozenset(
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0455\u0456\u0458\u04bb\u04cf\u0501\u051b\u051d"
    "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423\u04c0"
    "\u03bd\u03bf\u03c1\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5"
    "\u03a7\u03f2\u03f3\u03f9\u0566\u0570\u0578\u057d\u0581\u0584\u0585\u0555\u054d"
)
"""Letters of Cyrillic, Greek and Armenian that a name can be made of which reads as an English one."""
_FOREIGN = re.compile(
    f"{_TWINS.pattern}|[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1"
    "\u03c4\u03c5\u03c7\u0370-\u0373\u037f\u03dc\u03f2\u03f3\u03f9\u0400-\u058f\u13a0-\u13ff\ua4d0-\ua4ff]"
)
"""And those of Greek that look like English ones, of Cyrillic, Armenian, Cherokee, Lisu, and signs made of letters."""


def folder_of_campaign(name: str) -> str:
    """Return the folder by which the paths of a campaign's runs begin on a site of several."""
    return slug(name) or "campaign"


def slug(text: str, limit: int = 40) -> str:
    """Return text as part of a file name: 1 to `limit` of `a-z0-9-`. The end is kept, since attempts stand there."""
    decomposed = unicodedata.normalize("NFKD", text[-8 * limit :]).casefold()
    plain = "".join(
        sign for sign in decomposed if not unicodedata.combining(sign)
    )  # é becomes e, not a gap
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(words) > limit:
        _, _, whole_words = words[-limit - 1 :].partition("-")
        words = whole_words if len(whole_words) > limit // 2 else words[-limit:].strip("-")
    return words or "run"


def page_id(shown: str, path: str) -> str:
    """Return the name of a run's page: `<slug of the path as shown>-<12 hex of the digest of its path>`.

    Stable while the path is. The path itself, which may name what must not be published, goes into the digest only.
    """
    digest = hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{slug(without_extension(shown))}-{digest}"


@lru_cache(maxsize=2_000)
def called_key(name: str) -> int:
    """Return a number that tells the name of a tool, skill or plug-in from others: case and signs make no
    difference."""
    plain = "".join(filter(str.isalnum, name[:MAX_CALLED_NAME].casefold()))
    digest = hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest)


def stem(path: str) -> str:
    """File name without folders and without the extensions of run files: `logs/a.final.json` is `a.final`."""
    return without_extension(path.rpartition("/")[2])


def natural_order(name: str) -> tuple[tuple[object, ...], str]:
    """Return a sort key that puts numbers inside names in order of their size, whatever the case of letters, and equal
    ones in order of the text."""
    parts: list[object] = re.split("([0-9]+)", name.lower())
    for index in range(1, len(parts), 2):
        digits = str(parts[index]).lstrip("0")
        parts[index] = (
            len(digits),
            digits,
        )  # as text: no number of a hostile name is too long to be read
    return tuple(parts), name


_EXTENSIONS = frozenset({"json", "jsonl", "ndjson", "txt", "log", "out", "gz"})


def without_extension(path: str) -> str:
    """Return the path without the extensions of run files."""
    head, dot, extension = path.rpartition(".")
    while dot and extension.lower() in _EXTENSIONS and head and not head.endswith("/"):
        path = head
        head, dot, extension = path.rpartition(".")
    return path


_HEADINGS_READ = 100
"""The number of headings of a summary that are read: one with more that say nothing is an attempt to be slow."""
_TITLE_LENGTH = 120

_MARKED_LINE = re.compile(
    r"""^[ ]{0,3}(?: (?P<atx>[#]{1,6}) (?:[ \t]++(?P<text>[^\n]*))? $
               | (?P<fence>`{3,}+|~{3,}+) (?P<info>[^\n]*) )
      | ^(?<=[^\n=-]\n)[ ]{0,3}(?:=++|-++) [ \t]*+ $""",
    re.MULTILINE | re.VERBOSE,
)
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[#>|]|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|[-=*_`~ \t]*$)")


def heading_of(summary: str) -> str | None:
    """Return the first heading of a markdown text that says something, as plain text of at most 120 characters.

    Read are `#` headings and paragraphs of one line that are underlined, outside of fenced code. A heading
    says nothing when all its words are those of any report ("Summary", "Changes made (6 total)"), when it is
    numbered (a part of a list, not the whole), and when it is a question. None when none says anything.
    """
    headings = islice(_headings(summary.replace("\r\n", "\n").replace("\r", "\n")), _HEADINGS_READ)
    return next(
        (_shortened(plain_heading(heading)) for heading in headings if _says_something(heading)),
        None,
    )


def _headings(text: str) -> Iterator[str]:
    """Yield the headings outside of fences, as they are written, cut to a length that is quick to judge."""
    fence = ""
    for line in _MARKED_LINE.finditer(text):
        if line["fence"]:
            if not fence:
                fence = line["fence"] if "`" not in line["info"] or line["fence"][0] == "~" else ""
            elif line["fence"].startswith(fence) and not line["info"].strip():
                fence = ""
        elif fence:
            continue
        elif line["atx"]:
            yield _CLOSING_MARKS.sub("", (line["text"] or "")[:1000].strip())
        else:
            start = text.rfind("\n", 0, max(line.start() - 1, 0)) + 1
            above = text[start : line.start()].rstrip()
            alone = not text[max(start - 2, 0) : start].strip(
                "\n"
            )  # no line, or an empty one, stands before it
            if alone and above and not _NO_PARAGRAPH.match(above):
                yield above[:1000].strip()


def begins_with(summary: str) -> str | None:
    """Return what an account is about, as plain text of at most 120 characters: its heading that says something, else
    its first line that is not a heading, list or code, without a word such as "Perfect!" before it."""
    if heading := heading_of(summary):
        return heading
    for line in summary[:20_000].splitlines():
        text = plain_heading(line)
        if (
            _LETTERS.search(text)
            and not _NO_PARAGRAPH.match(line)
            and not line.startswith(("```", "~~~"))
        ):
            return _shortened(_INTERJECTION.sub("", text[:1000]) or text[:1000])
    return None


_INTERJECTION = re.compile(r"\A\w+! ")
_CLOSING_MARKS = re.compile(r"(?:^|(?<=[ \t]))#+$")
_TARGET = re.compile(r"\]\([^()\n]*\)")
_NUMBERED = re.compile(
    r"[^\w\n]{0,8}(?:(?:step|part|phase)\s+)?[0-9]{1,3}(?:[.)]|\s*[:\u2013\u2014-])\s",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]+")

_GENERIC = frozenset(
    Path(__file__).with_name("words_of_any_report.txt").read_text(encoding="utf-8").split()
)
"""A heading of these words alone does not tell one run from another."""


def _says_something(heading: str) -> bool:
    """Return whether a heading has a word that another report would not have. Figures and signs are not words."""
    shown = _TARGET.sub("]", heading)
    if _NUMBERED.match(shown) or shown.rstrip(" *_").endswith("?"):
        return False
    return any(_folded(word) not in _GENERIC for word in _LETTERS.findall(shown))


def _folded(word: str) -> str:
    """Return a word in lower case without its accents."""
    if word.isascii():
        return word.lower()
    return "".join(
        sign
        for sign in unicodedata.normalize("NFD", word.lower())
        if not unicodedata.combining(sign)
    )


_INLINE = (
    (re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)"), r"\2"),
    (re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)"), r"\1"),
    (re.compile(r"(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def plain_heading(heading: str) -> str:
    """Return a heading without the marks of markdown: links and code are their text. Good enough for a title."""
    for pattern, replacement in _INLINE:
        heading = pattern.sub(replacement, heading)
    return " ".join(heading.split()).rstrip(" :")


def _shortened(text: str) -> str:
    if len(text) <= _TITLE_LENGTH:
        return text
    cut = text[: _TITLE_LENGTH - 1]
    words, _, _ = cut.rpartition(" ")
    return f"{(words if len(words) > _TITLE_LENGTH // 2 else cut).rstrip()}\u2026"


FIELDS = ("campaign", "task", "model", "attempt", "label", "_")
"""Fields of a path pattern that are not factors."""
FACTOR_NAME = re.compile("[a-z][a-z0-9_]{0,39}")
_SEGMENT_PART = re.compile(r"\{([^{}]*)\}|(\*)|([{}])|([^{}*]+)")


class PathPattern:
    """The meaning of the parts of a path: `{campaign}/{task}/{model}/{attempt}.json`.

    The fields are `campaign`, `task`, `model`, `attempt` (a whole number), `label`, `_` (anything, ignored) and factors
    of your own, such as `agent`. A field, or a `*`, stands for all or part of one folder or file name and takes as much
    as it can, from left to right; `**/` stands for any folders, also none. The pattern describes the whole path,
    relative to the input.
    """

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str) -> None:
        """Raises: ValueError, with a sentence that says what is wrong with the pattern."""
        self.text = text
        self._compiled = re.compile(_expression(text))

    @property
    def factors(self) -> list[str]:
        """The fields that are factors."""
        return [field for field in self._compiled.groupindex if field not in FIELDS]

    def match(self, path: str) -> dict[str, str] | None:
        """Return the fields of a path, or of that of a packed file without `.gz`, and what they hold; None when the
        path does not have this form."""
        found = self._compiled.fullmatch(path) or self._compiled.fullmatch(path.removesuffix(".gz"))
        return found.groupdict() if found else None


def _expression(text: str) -> str:
    """Return the regular expression of a path pattern."""
    if "\\" in text:
        raise ValueError("write / between folders, also on Windows")
    *folders, name = text.removeprefix("./").split("/")
    if name == "**" or "" in (*folders, name):
        raise ValueError(
            "a pattern is the path from the input to a file: it neither begins nor ends with / or **"
        )
    fields: list[str] = []
    expression = "".join(
        "(?:[^/]+/)*" if folder == "**" else _segment(folder, fields) + "/" for folder in folders
    )
    expression += _segment(name, fields)
    for (
        field
    ) in fields:  # a factor may be another field misspelt, unless the pattern has that field too
        near = difflib.get_close_matches(field, FIELDS, n=1, cutoff=0.7)
        if near and near[0] not in fields:
            raise ValueError(f"unknown field {{{field}}}, did you mean {{{near[0]}}}?")
    if not any(field != "_" for field in fields):
        listed = ", ".join(f"{{{field}}}" for field in FIELDS)
        raise ValueError(f"the pattern names no field; write {listed} or factors such as {{agent}}")
    return expression


def _segment(text: str, fields: list[str]) -> str:
    """Return the regular expression of one folder or file name; adds the fields that it names to `fields`."""
    expression = ""
    open_end = False
    for field, star, brace, literal in _SEGMENT_PART.findall(text):
        if brace:
            raise ValueError(f"'{brace}' has no partner: a field is written {{task}}")
        if literal:
            expression += re.escape(literal)
            open_end = False
            continue
        if open_end:
            raise ValueError(
                f"nothing separates two parts of '{text}', so where one ends is unknown"
            )
        open_end = True
        if star:
            expression += "[^/]*"
            continue
        if field not in FIELDS and not FACTOR_NAME.fullmatch(field):
            raise ValueError(
                f"'{field}' is not the name of a field: write a small letter, then letters, digits or _"
            )
        if field in fields and field != "_":
            raise ValueError(f"the field {{{field}}} is used twice")
        fields.append(field)
        content = "[0-9]{1,9}" if field == "attempt" else "[^/]+"
        expression += content if field == "_" else f"(?P<{field}>{content})"
    return expression


def short_model(name: str) -> str:
    """Return the display name of a model without the name of its family; that of a configuration begins with its
    agent."""
    return name if name.startswith("Claude Code") else name.removeprefix("Claude ")


def run_path(page_id: str) -> str:
    """Return where the page of a run lies in the site."""
    return f"runs/{page_id}.html"
