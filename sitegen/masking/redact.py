"""The filter that every string of a run, and every message, passes through on its way to a page, a file or a terminal.

One place, because a rule that is applied in two places is forgotten in a third: a reader returns a Run, the
Redactor returns the Run that the rest of the program may know. Two steps, in this order: characters that a
page, a terminal or a person reads differently from what is shown are removed or made visible (`clean_text`),
then what must not be published is replaced: secrets and names of people (`secret_scan` and `personal_data`
find them) by masks, names in paths of home folders by `~` or `[user]`.

Clean text is the usual case, so each step first asks a cheap question. Done twice, both change nothing more.
"""

import functools
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Protocol, cast
from unicodedata import normalize

from sitegen.errors import ReadError
from sitegen.masking import personal_data
from sitegen.masking.automaton import automaton, fitting_lines
from sitegen.masking.personal_data import HOME, find_people, find_shares, is_account, is_nobody
from sitegen.masking.reading import as_read
from sitegen.masking.secret_looks import ANY_KEY, Found, kind_of, looks_random
from sitegen.masking.secret_places import SIGN as PRIVATE_KEY
from sitegen.masking.secret_scan import KINDS as SECRET_KINDS
from sitegen.masking.secret_scan import LOOSELY_PRINTED, find, without_overlaps
from sitegen.masking.secret_variables import names_a_secret
from sitegen.model import Masked, Problem, Run, T, Tokens, Value, Verdict, frozen, parts_of

_NUMBERS = frozenset([int, float, bool, type(None)])

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_BIDI = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"
# Signs of scripts and of scores that hardly any text has: a reading would have to look for them in all of them.
_RARE = r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
_TAGS = r"\U000e0000-\U000e007f"  # invisible twins of ASCII that models read and people do not see
_SURROGATES = r"\ud800-\udfff"
_NONCHARACTERS = r"\ufdd0-\ufdef" + "".join(
    rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(17)
)
_PRINTABLE = b"\t\n" + bytes(range(0x20, 0x7F))
_SUSPECT = re.compile(f"[{_CONTROLS}{_BIDI}{_RARE}{_TAGS}{_SURROGATES}{_NONCHARACTERS}]")
# ECMA-48: control sequences, control strings with their end, and short escapes. A control string holds no
# control character, so an opener without an end hides nothing that follows and is looked through only once.
_MENDED = re.compile(
    r"(?P<sequence>(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    rf"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^{_CONTROLS}\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~])"
    r"|(?P<line_end>\r\n?)"
    rf"|(?P<shown>[{_BIDI}{_RARE}{_TAGS}])"
    rf"|(?P<unusable>[\x00{_SURROGATES}{_NONCHARACTERS}])"
    rf"|[{_CONTROLS}]"
)


def clean_text(text: str) -> str:
    """Return the text without what a page or a terminal would obey instead of show.

    NUL, lone surrogates and noncharacters become U+FFFD; line ends become a newline; terminal sequences
    (ANSI, OSC) go whole; other C0 and C1 controls go, except tab and newline; characters that change the
    direction of writing, invisible tag characters and rare signs of format are written out, as `[U+202E]`.
    """
    if text.isascii() and not text.encode().translate(None, _PRINTABLE):
        return text
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    if not _SUSPECT.search(
        "".join(set(text))
    ):  # each character once: emoji joiners and such are common
        return text
    return _MENDED.sub(_mend, text)


def _mend(match: re.Match[str]) -> str:
    if match["shown"]:
        return f"[U+{ord(match[0]):04X}]"
    return "\n" if match["line_end"] else "\ufffd" if match["unusable"] else ""


def terminal(text: str) -> str:
    """Return the text on one line, for a terminal: no controls, every run of white space one space."""
    return " ".join(clean_text(text).split())


def in_one_line(masked: str, most: int) -> str:
    """Return a masked text in one line of at most so many characters. Masked first, since a secret may go over several
    lines; no mask is cut."""
    line = " ".join(masked.split())
    if len(line) <= most:
        return line
    kept = line[: max(line.rfind(" ", 0, most), most // 2)]
    is_in_mask = kept.rfind("[redacted:") > kept.rfind("]")
    return f"{kept[: kept.rfind('[redacted:')].rstrip() if is_in_mask else kept}…"


# What goes on to the left (https://host/home/x, src/home/x) is not meant, before it is redacted or after.
_BEGIN = r"(?<![\w.~%])(?<!(?<=[\w.-])-)(?<!\[user\])"
# Folders in which each user has one. Begins with a class of signs, which `re` searches for quickly.
_HOMES = re.compile(
    r"(?P<folder>[/\\+%:$=-](?:"
    rf"(?<={_BEGIN}/)(?:(?:nix/var/nix/(?:profiles|gcroots)|etc/profiles)/per-user/"
    r"|(?:lustre|gpfs|scratch|nfs|work|projects?|beegfs)\d?(?:/[\w.-]{1,40})?/users/"
    r"|(?:(?:(?:var|export|usr|data\d*|nfs|net|srv|mnt|media|host|cygdrive|lustre|gpfs|scratch"
    r"|Volumes)(?:/[\w.-]{1,40})?|[a-z]|System/Volumes/Data)/)?(?:home\d?|Users)/)"
    r"|(?<==)2F(?:home|Users)=2F"
    r"|(?<=[\\/])[Ww][Ss][Ll](?:\$|\.localhost)(?:\\{1,4}|/)[\w.-]{1,40}(?:\\{1,4}|/)home(?:\\{1,4}|/)"
    r"|(?:(?<=remote\+)|(?<=remote://wsl\+)|(?<=remote%)2[Bb]|(?<=remote://wsl%)2[Bb])[\w.@-]{1,60}/(?:home|Users)/"
    r"|(?:(?<=\\[nrt]/)|(?<=-[IL]/)|(?<=(?<![\w-])-[A-Za-z]/)|(?<=:-/))(?:home|Users)/"
    r"|(?<=%)2[Ff](?:home|Users)%2[Ff]|(?<=\\)/(?:home|Users)\\{1,4}/"
    r"|(?<=[/\\]-)(?:home|Users)-(?=[^\W-]+(?![\w.]))|(?<=(?<![\w./-])-)(?:home|Users)-(?=[^\W-]+-)"
    r"|(?<=%)(?:3A%5CUsers%5C|253A%255CUsers%255C)|(?<=(?<![\w.-])[A-Za-z]-)-Users-"
    r"|(?<=(?<!\w)[A-Za-z][:$])(?:\\{1,4}|/)(?:[Uu]sers|Documents and Settings)(?:\\{1,4}|/)))"
    r"(?!user(?:name)?(?![\w.-])|Shared\b|Public\b|Default\b|All Users\b)"
    r"(?:(?<==2F)\w[\w.-]*"
    r"|(?<=[-])[^\W-]+|(?<![-])\w[^\s/\\:*?\"'`<>|,;()\[\]{}&$#%]*)(?<![.!])(?:(?: [A-Z][\w.-]*){1,2}(?=[/\\]))?"
)
# The home of a named user, `~ann/notes`, and not `~mask`: a path goes on, or a command of a shell asks for it. A shell
# reads none behind a quote, where packers of modules write `'~styles/x'`. And files that are called as users are.
_NAMED_HOMES = re.compile(
    r"(?P<folder>(?:(?<![^\s`(|;&<>{\\\u2192])|(?<=(?<![^\s:|\u2192])[+-])|(?<=://)[\w.:-]{1,80}/|(?<=\w[=:])"
    r"|(?<=: [\"']))~(?=[\w.-]{2,32}/"
    r"(?!(?:s|secs?|seconds?|min|minutes?|h|hours?|days?|ops?|req|requests?|calls?|runs?|[0-9.]+)(?![\w/.-])))"
    r"|(?<![\w.-])(?:cd|ls|ll|du|pushd|echo|find|tree|stat|finger|cat|cp|mv|rm|rsync|scp|tar|ch(?:own|mod)|mkdir|touch)"
    r"(?: -{1,2}[\w-]{1,20}){0,3}"
    r"(?: (?:\[redacted: [^\]\n]{1,60}\]|[^\s~|;&]{1,60}))? ~(?=[\w.-]{2,32}(?![\w(\[]))"
    r"|/var/(?:spool/)?mail/)(?P<user>[^\W\d_][\w.-]{0,30}\w)"
)
# Stands in every line in which _HOMES finds something.
_HOME_SIGNS = r"home\d?[/\\%=-]|sers[/\\%=-]|per-user/|and Settings"
_NAMED_SIGNS = re.compile(r"~\w|/mail/")
# The most characters that _NAMED_HOMES looks at before and behind one of these signs.
_BEFORE_NAMED = 150
_BEHIND_NAMED = 50


def _user_homes(text: str) -> list[tuple[int, int]]:
    """Return where names of users stand in paths of home folders, in order."""
    found: list[tuple[int, int]] = []
    for line in fitting_lines(_HOME_SIGNS, text):
        homes = [(match.end("folder"), match.end()) for match in _HOMES.finditer(text, *line)]
        found += [(start, end) for start, end in homes if not is_account(text[start:end])]
    if "~" in text or "/mail/" in text:
        for sign in _NAMED_SIGNS.finditer(text):  # lines of a page may be long
            named = _NAMED_HOMES.finditer(
                text, max(sign.start() - _BEFORE_NAMED, 0), sign.end() + _BEHIND_NAMED
            )
            found += [match.span("user") for match in named if not is_nobody(match["user"])]
    return sorted(set(found))


def replaced(text: str, pieces: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with others in the place of pieces; of two that overlap the first counts."""
    parts: list[str] = []
    at = 0
    for start, end, shown in pieces:
        if start >= at:
            parts += [text[at:start], shown]
            at = end
    return "".join([*parts, text[at:]])


@functools.cache
def _whole(folder: str) -> re.Pattern[str]:
    """Matches this folder, and no other whose path begins with the same letters or ends with it."""
    return re.compile(rf"{_BEGIN}{re.escape(folder)}(?![\w-]|\.\w)")


_ID_BITS, _ID_LENGTH, _ID_BASE = 15, 3, 0x100000
# Highlighted code may have elements between the words of a mask, the report for CI backslashes; JSON may be ASCII.
_MASK = re.compile(
    r"redacted(?P<kind>\\?: [^#\[\]\n]{1,200}?)(?P<sign>#)"
    r"(?P<id>(?:[\U00100000-\U00107fff]|\\{1,2}u[dD][bB][c-dC-D][0-9a-fA-F]\\{1,2}u[dD][c-fC-F][0-9a-fA-F]{2}){1,3})"
)
_NOT_KIND = re.compile(r"<[^>]*>|[\\:]")


def _kind(match: re.Match[str]) -> str:
    return _NOT_KIND.sub("", match["kind"]).strip()


def mask(kind: str, value: str) -> str:
    """Return what stands for a value until its page is finished: the kind and three private characters that say which
    one.

    Equal values have equal masks wherever they stand, so that the pages need not know of each other;
    `number_masks` replaces the characters.
    """
    digest = int.from_bytes(
        hashlib.blake2b(f"{kind}\0{value}".encode("utf-8", "replace"), digest_size=8).digest()
    )
    digits = (digest >> _ID_BITS * place & (1 << _ID_BITS) - 1 for place in range(_ID_LENGTH))
    return f"[redacted: {kind} #{''.join(chr(_ID_BASE + digit) for digit in digits)}]"


Numbers = dict[str, dict[str, int]]


def number_masks(text: str, numbers: Numbers | None = None) -> str:
    """Return a finished page, file or message with its masks numbered: `[redacted: github token #1]`.

    On one page the same value has the same number, and the next value of its kind the next. `numbers` of several texts
    go on from one to the next.
    """
    if "redacted" not in text:
        return text
    numbers = {} if numbers is None else numbers

    def numbered(match: re.Match[str]) -> str:
        known = numbers.setdefault(_kind(match), {})
        written = match["id"].replace("\\\\", "\\")
        which = json.loads(f'"{written}"')
        return f"redacted{match['kind']}{match['sign']}{known.setdefault(which, len(known) + 1)}"

    return _MASK.sub(numbered, text)


def count_masks(text: str | None) -> Counter[str]:
    """Return how many values of each kind are masked in a text that is not yet numbered."""
    return (
        Counter(map(_kind, _MASK.finditer(text))) if text and "[redacted: " in text else Counter()
    )


class Redaction(Protocol):
    """The masking settings: `config.Redact`."""

    literals: tuple[str, ...]  # texts to mask
    patterns: dict[str, str]  # kind: expression
    allowed_domains: tuple[str, ...]  # domains whose e-mail addresses are shown
    also: tuple[str, ...]  # kinds of `personal_data.OPTIONAL` that are masked
    off: dict[str, str]  # kind: why it is not masked


def _own_home() -> tuple[str, ...]:
    try:
        home = Path.home()
    except RuntimeError:  # a user id without an entry, as in containers
        return ()
    return (str(home),) if home != Path(home.anchor) else ()


_NAME_FIELDS = (".name", ".key", ".variable", ".header")
_VALUE_FIELDS = (".value", ".val", ".default", ".content")
_INDEX = re.compile(r"\[\d+\]")
_VAGUE = (None, ANY_KEY, "session")


def _names_of(path: str) -> Iterator[str]:
    """Yield what a field is called: its own name, and with those of what it is in, where these make a secret of it."""
    parts = [part for part in _INDEX.sub("", path).split(".") if part] or [path]
    yield parts[-1]
    for count in (2, 3):
        name = "_".join(map(_one, parts[-count:]))
        if len(parts) >= count and kind_of(name.lower()) not in _VAGUE:
            yield name


def _one(name: str) -> str:
    """Return the name of one of several: `token` for `tokens`."""
    return name[:-1] if name[-1:] in ("s", "S") and name[-2:].lower() != "ss" else name


def _base(path: str, ends: tuple[str, ...]) -> str | None:
    base, dot, last = path.rpartition(".")
    return base if dot + last.lower() in ends else None


def _is_path(value: str) -> bool:
    """Return whether a variable that is called like a secret names a file."""
    return value.startswith(("/", "~")) and not looks_random(value)


_ASKING = f"{LOOSELY_PRINTED}|whoami|logname|id -un|hostname|uname -n"
_SHORTEST_SECRET, _SHORTEST_LITERAL, _MIN_DIGITS = 12, 4, 12
_MAX_KNOWN = 50_000
_LONGEST_KNOWN = 100
_MAX_OF_LINE = 400
ENVIRONMENT = "environment secret"
LITERAL = "own literal"
KINDS = (*SECRET_KINDS, ENVIRONMENT, *personal_data.KINDS)
"""The kinds that masks of the rules can name unless the settings add some, and that can be switched off."""


@frozen
class Redactor:
    """Makes a text publishable: `redactor(text)`."""

    homes: tuple[str, ...] = ()
    """Home folders of whoever builds, shown as `~`. All others keep their place: `/home/[user]`."""
    literals: tuple[tuple[str, str], ...] = ()
    """Texts to be masked wherever they stand, each with the kind that its mask says; the longest first."""
    patterns: tuple[tuple[re.Pattern[str], str], ...] = ()
    allowed_domains: tuple[str, ...] = ()
    also: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()
    # Short texts and what is shown of them: two of three are the same in run after run.
    _known: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    # Hashes of long texts that are shown as they are: data files and the last scan have them several times.
    _clean: set[int] = field(default_factory=set, compare=False, repr=False)

    @classmethod
    def for_this_machine(cls, settings: Redaction | None = None) -> "Redactor":
        """Hides the home folder of the user who builds, secrets of the environment, and what the settings name."""
        literals = {
            value: ENVIRONMENT
            for name, value in os.environ.items()
            if names_a_secret(name) and len(value) >= _SHORTEST_SECRET and not _is_path(value)
        }
        literals |= dict.fromkeys(settings.literals if settings else (), LITERAL)
        # Names of files on macOS have accents as signs of their own.
        literals |= {
            normalize(form, value): kind
            for value, kind in literals.items()
            for form in ("NFC", "NFD")
        }
        # Texts are searched as they are read, without signs such as `*`.
        literals |= {
            read: kind
            for value, kind in literals.items()
            if len(read := as_read(value)) >= _SHORTEST_LITERAL
        }
        ordered = tuple(sorted(literals.items(), key=lambda pair: (-len(pair[0]), pair)))
        if settings is None:
            return cls(_own_home(), ordered)
        patterns = tuple((re.compile(text), kind) for kind, text in settings.patterns.items())
        also = frozenset(settings.also)
        off = frozenset(settings.off)
        return cls(_own_home(), ordered, patterns, tuple(settings.allowed_domains), also, off)

    def __call__(self, text: str) -> str:
        """Return the text cleaned (see `clean_text`), without secrets and without names of people."""
        if len(text) > _LONGEST_KNOWN:
            if (key := hash(text)) in self._clean:
                return text
            if (redacted := self._redacted(text)) == text:
                self._clean.add(key)
            return redacted
        shown = self._known.get(text)
        if shown is None:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            shown = self._known[text] = self._redacted(text)
        return shown

    def _redacted(self, text: str) -> str:
        text = clean_text(text)
        if found := self.find(text):
            text = replaced(
                text, ((each.start, each.end, mask(each.kind, each.value)) for each in found)
            )
        if HOME not in self.off:
            for home in self.homes:
                if home in text:
                    text = _whole(home).sub("~", text)
            if found_homes := _user_homes(text):
                text = replaced(text, ((start, end, "[user]") for start, end in found_homes))
        return text

    def answer(self, command: str, text: str) -> str:
        """Return what a command has printed, masked: the command may say that it is a secret."""
        asked = " ".join(clean_text(command).split())
        if not automaton(_ASKING)(asked):
            return self(text)
        return self._redacted(f"$ {asked}\n{text}").partition("\n")[2]

    def find(self, text: str, *, page: bool = False) -> list[Found]:
        """Return what has to be masked in a clean text, or in a finished `page`; home folders are found on pages
        only."""
        found = find(text, functools.partial(self._own, page=page), page=page, off=self.off)
        if not self.literals and "\\" not in text:  # the usual case
            return found
        as_written = [
            replace(each, value=text[each.start : each.end]) for each in find_shares(text)
        ]
        as_written += self._literals(text)
        return without_overlaps([*found, *(f for f in as_written if f.kind not in self.off)])

    def _own(self, text: str, *, page: bool) -> Iterator[Found]:
        """Yield what the settings, the environment and the rules for people find in a text as it is read."""
        yield from self._literals(text)
        for pattern, kind in self.patterns:
            yield from (
                Found(*m.span(), kind, m[0])
                for m in pattern.finditer(text)
                if m[0] and not _MASK.search(m[0])
            )
        for each in find_people(text, self.allowed_domains, self.also):
            yield replace(each, value=text[each.start : each.end].lower())
        if page:
            yield from (
                Found(start, end, HOME, text[start:end]) for start, end in _user_homes(text)
            )

    def _literals(self, text: str) -> Iterator[Found]:
        for literal, kind in self.literals:
            start = text.find(literal)
            while start != -1:
                yield Found(start, start + len(literal), kind, as_read(normalize("NFC", literal)))
                start = text.find(literal, start + len(literal))

    def run(self, run: Run) -> Run:
        """Return the run with every string in it redacted."""
        texts = run.texts
        detail = run.status_detail
        return self.each(
            run,
            status_detail=detail and in_one_line(self(detail), _MAX_OF_LINE),
            given=tuple((self(name), self.named(name, value)) for name, value in run.given),
            locator=run.locator
            if self.each(run.locator) == run.locator
            else None,  # masked, it leads nowhere
            texts=self.each(
                texts,
                errors=self._together(texts.errors),
                denials=tuple(
                    self.each(denial, wanted=in_one_line(self(denial.wanted), _MAX_OF_LINE))
                    for denial in texts.denials
                ),
                fields=tuple(self._fields(texts.fields)),
            ),
        )

    def each(self, value: T, **own: object) -> T:
        """Return a value with every string in it redacted, at any depth: of values of the model, and of tuples. The
        fields in `own` are done already."""
        given: Any = value
        if type(given) is str:
            given = self(given)
        elif type(given) is tuple:
            given = tuple(map(self.each, given)) if given and type(given[0]) is not int else given
        elif isinstance(given, Value) and type(given) is not Tokens:
            kind: Any = type(given)
            parts = parts_of(kind)(given)
            pairs = zip(kind.__slots__, parts, strict=True)
            done = [
                own[n] if n in own else p if type(p) in _NUMBERS else self.each(p) for n, p in pairs
            ]
            given = given if done == [*parts] else kind(*done)
        return cast(T, given)

    def named(self, name: str, value: str) -> str:
        """Return the value of a field, which may be a secret only because the field, or what it is in, is called so.

        `name` is a path, as `secrets.prod` or `passwords[0]`.
        """
        plain = self(value)
        names = list(_names_of(clean_text(name)))
        if (
            value.isdecimal()
            and len(value) < _MIN_DIGITS
            and not any(kind_of(each.lower()) for each in names)
        ):
            return plain  # most fields are counts
        values = (
            value.split(", ")
            if names[0] != _one(names[0]) and kind_of(_one(names[0]).lower())
            else [value]
        )
        for each in names:
            prefixes = dict.fromkeys((f"{each}=", f"{_one(each)}="))
            for prefix in prefixes:
                shown = [self(prefix + one) for one in values]
                if all(one.startswith(prefix) for one in shown):
                    found = ", ".join(one.removeprefix(prefix) for one in shown)
                    if found != plain:
                        return found
        return plain

    def skipped(self, path: str, error: ReadError) -> Problem:
        """Return what is said of a file that cannot be read, redacted."""
        return self.each(Problem(path, error.code, Verdict.SKIP, error.sentence, error.place))

    def _fields(self, rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield paths and values; a value beside a name, as in `env[0].name` and `env[0].value`, is that of this
        name."""
        names = {base: value for path, value in rows if (base := _base(path, _NAME_FIELDS))}
        for path, value in rows:
            base = _base(path, _VALUE_FIELDS)
            shown = self.named(names[base], value) if base in names else value
            yield self(path), self.named(path, value) if shown == value else self(shown)

    def _together(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return texts of which one may go on in the next: the lines of a private key."""
        clean = [clean_text(text) for text in texts]
        whole = "\n".join(clean)
        if PRIVATE_KEY not in whole.lower():
            return tuple(map(self, clean))
        keys, parts, at = [found for found in self.find(whole) if found.kind == PRIVATE_KEY], [], 0
        for text in clean:
            inside = [key for key in keys if key.start < at + len(text) and key.end > at]
            spans = (
                (max(key.start - at, 0), min(key.end - at, len(text)), mask(key.kind, key.value))
                for key in inside
            )
            parts.append(self(replaced(text, spans)))
            at += len(text) + 1
        return tuple(parts)


@frozen
class NumberingRedactor(Redactor):
    """A redactor for texts that go to a program and not to a page: masks are numbered at once, over all of them."""

    numbers: Numbers = field(default_factory=dict, compare=False)

    def __call__(self, text: str) -> str:
        """Return the text cleaned and masked, with numbers."""
        return number_masks(Redactor.__call__(self, text), self.numbers)


def masked_in(
    path: str, places: Mapping[str, object], page_id: str | None = None
) -> Iterator[Masked]:
    """Yield what is masked in each place of a source, which has a value with redacted texts, or what was counted."""
    for place, value in places.items():
        counts = (
            value
            if isinstance(value, Mapping)
            else sum(map(count_masks, _strings(value)), Counter[str]())
        )
        for kind, count in sorted(counts.items()):
            yield Masked(path, place, kind, count, page_id)


def _strings(value: object) -> Iterator[str]:
    """Yield those that a value is or holds and in which a mask may stand."""
    if isinstance(value, str):
        yield from (value,) * ("[redacted: " in value)
    elif isinstance(value, tuple):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, Value):
        kind: Any = type(value)
        yield from _strings(parts_of(kind)(value))
