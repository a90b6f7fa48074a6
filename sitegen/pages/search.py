"""Full-text search without a server: an index in classic scripts, which pages load piece by piece when they need it.

Each run is a document with three fields: its head (name, title, task, model, campaign, labels, note), its error
messages, and the text of its summary as its page shows it, with what the agent said on the way. Names that no text has
(all models, codes of warnings, how it ended) are words of it too. A text is taken as `words`; `query.js` does that to a
query.

A field of a query (`edited:`, `tests:`; FIELDS) looks for words in its own texts alone: such words are in the index
with a sign before them. Two that follow one another there, as in `io.py`, are also one word, with a dot between
them, so that `edited:io.py` finds no run that edited io.rs and a.py. A query finds the runs with all its words, the
last of which may go on. They are ranked by BM25 over fields:

    score = sum over words of ln(1 + (N - n + 0.5) / (n + 0.5)) * (K1 + 1) * f / (f + K1 * (1 - B + B * length / mean))

N runs, n of them with the word, K1 = 2, B = 0.5; length and mean are in words, the length rounded to a quarter of a
power of two. f is how often the run holds the word: 8 times what stands in its head, twice what stands in errors, once
what stands in the summary, rounded down to 1, 2, 4 or 8. For the last word asked for, half the greatest f of a longer
word that begins with it is added, and n counts the runs with any of these words; where they are too many
(`beginnings-<n>.js`), one half is added for all of them.

The files, all below `search/`, each with less than 200,000 bytes up to 100,000 runs:

- `index.js`: which words lie where.
- `runs-<n>.js`: of a part of the runs the length, status and outcome of each, and how many stand in each file of texts.
- `words-<n>.js`: words in order and, for each, the runs that hold it.
- `beginnings-<n>.js`: the same for beginnings whose words would take more than four of those files.
- `texts-<n>.js`: what is shown of runs that follow one another.
- `ids-<n>.js`: their ids, for the table of runs, whose filter asks the same index.

Whatever a run holds, its share is bounded: TEXT_CHARACTERS of its texts, WORDS_PER_RUN different words, and the first
WORD_CHARACTERS of each. What lies beyond is not found.
"""

from __future__ import annotations

import hashlib
import html
import math
import re
import sys
import unicodedata
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain, compress, islice, pairwise
from types import MappingProxyType

from sitegen import figures
from sitegen.fields import Field, RunFacts, fields_of
from sitegen.figures import StatusView, outcome_view, status_view
from sitegen.html.data_scripts import script
from sitegen.masking.redact import number_masks
from sitegen.model import Entry, Outcome, Status, Texts
from sitegen.pages.views import model_class, subtitle
from sitegen.publish.files import Document, File, Made
from sitegen.text.names import without_extension

TEXT_CHARACTERS = (
    20_000  # the number of characters of the texts of a run that are searched and quoted
)
HEAD_CHARACTERS = 1_000  # the number of characters of its name, title and labels
WORDS_PER_RUN = 2_000
WORDS_OF_ACTS = (
    6_000  # the number of words of its files and commands, each in a field of its own too
)
WORD_CHARACTERS = 32

ACT_CHARACTERS = 4_000
"""The number of characters of its files and commands that are listed, each with a link to the step."""
MAX_OF_TARGET = 120

HEAD_WEIGHT = 8
ERROR_WEIGHT = 2

FIELDS = (
    "edited",
    "file",
    "command",
    "failed",
    "repeated",
    "tests",
    "signals",
    "model",
    "task",
    "agent",
    "status",
    "outcome",
    "labels",
    "project",
    "person",
    "code",
    "effort",
)
"""The fields of a query. A file that was edited is also found as one."""
MARKS = {name: chr(0xAC00 + place) for place, name in enumerate(FIELDS)}
"""The signs before the words of a field, which no word has: words are decomposed."""
STATED = chr(0xAC00 + len(FIELDS))
"""The sign on both sides of the name of any other field, before its words: one that runs state, such as a verdict."""
STEP = "\ue000"  # before the number of the step in which the agent said what follows
LEVELS = 4  # frequencies are kept as powers of two: 1, 2, 4 and 8

# Ranges and no classes: the same in every version of Python and of browsers.
_LETTERS = (
    "0-9a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u060b\u060d-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u0963\u0966-\u0dff"
    "\u0f00-\u0fff\u10a0-\u177f\u1800-\u1fff\u2c00-\u2dff\ua000-\uabff\U00010000-\U0001cfff\U0001e000-\U0001efff"
)
_SINGLES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\u30fc-\u30ff\u3105-\u312f\u3400-\u9fff\U00020000-\U0003ffff"
"""Scripts that put no space between words: each character is a word."""
_WORD = re.compile(f"(?<![{_LETTERS}])[{_LETTERS}]{{1,{WORD_CHARACTERS}}}|[{_SINGLES}]")
_MARKS = re.compile("[\u0300-\u036f\u3099\u309a]")
_TAG = re.compile("<[^>]*>?")


def words(text: str) -> list[str]:
    """Return the words of a text in its order: letters and digits, small, without accents.

    Everything else divides them, so that `max_seq_len` and `src/io.py` come apart.
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    text = unicodedata.normalize("NFKD", text).lower().replace("ß", "ss").replace("ς", "σ")
    return _WORD.findall(_MARKS.sub("", text))


def shown_text(account: str) -> str:
    """Return what a reader sees of a text that became safe HTML."""
    return html.unescape(_TAG.sub("", account))


MAX_FILES = 4
"""More files of words are not loaded for a beginning: the runs of all its words stand in a list of their own."""
SHARD_CHARACTERS = (
    6_000  # a file of words or texts is closed when it would be, or is, as long as this
)
MAX_SHOWN = 30_000
"""Characters of a file of texts with all that is shown of its runs. One becomes six bytes at most."""
RUNS_PER_PART = 2_500  # a part of the runs ends with the file of texts with which it has as many

FOLDER = "search"

_LAST_SIGN = chr(sys.maxunicode)  # stands behind every letter of a word

# 15 gaps with 4 levels fill a last digit; a larger gap has others, to the base of 26, before it.
_LAST = 60
_MORE = 26
_DIGITS = [sign for sign in map(chr, range(ord("#"), ord("~") + 1)) if sign not in "&'<>\\`"]


def document(
    entry: Entry,
    texts: Texts,
    account: str,
    clean: Callable[[str], str],
    said: str = "",
    acts: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
) -> Document:
    """Return a run with its summary as safe HTML, what its agent said on the way (see STEP), and the numbers of the
    steps in which it first read or edited a file, ran a command, or failed, each by a field of a query and its target.

    `clean` makes a text publishable: a text without tags, or on one line, may join what its page keeps apart.
    """
    errors = "\n".join(texts.errors)[:TEXT_CHARACTERS]
    room = TEXT_CHARACTERS - len(errors)
    title = subtitle(entry)
    path = entry.source.path
    summary = number_masks(clean(shown_text(account[: 10 * room])))[:room].replace(STEP, "")
    said = said[: room - len(summary)]
    # In this order, so that a summary of many words leaves the others their places.
    fields = (
        (words(_head(entry, title)), HEAD_WEIGHT),
        (words(errors), ERROR_WEIGHT),
        (words(without_extension(path)), 1),
        (words(f"{summary}\n{_STEP_NUMBER.sub('', said)}"), 1),
    )
    kept = dict(islice(_weigh(fields).items(), WORDS_PER_RUN))
    for word, weight in islice(_words_of_fields(entry, acts), WORDS_OF_ACTS):
        kept[word] = kept.get(word, 0) + weight
    levels = bytes(min(weight.bit_length(), LEVELS) - 1 for weight in kept.values())
    # The result says its name above.
    quoted = f"{' '.join(summary.split())} ".removeprefix(f"{title or entry.name} ")
    line = " ".join(f"{errors}\n{quoted}\n{said}".split())
    shown = (
        entry.id,
        entry.name[:HEAD_CHARACTERS],
        title and title[:HEAD_CHARACTERS],
        entry.outcome and entry.outcome.value,
        entry.run.status.value,  # between the word "pass" and a name, which the last scan would take for its password
        entry.compared_as,
        entry.compared_as and model_class(entry.compared_as),
        entry.campaign,
        figures.cost(entry.run),
        clean(_listed(acts))[:ACT_CHARACTERS] or None,
        clean(" · ".join(filter(None, (path, line)))),
    )
    length = sum(len(words_of_field) for words_of_field, _ in fields)
    return Document(" ".join(kept), levels, length, shown)


def _weigh(fields: Iterable[tuple[list[str], int]]) -> Counter[str]:
    """Return how often words occur, each time with the weight of its field."""
    weights = Counter[str]()
    for words_of_field, weight in fields:
        for word in words_of_field:
            weights[word] += weight
    return weights


def _head(entry: Entry, title: str | None) -> str:
    names = (entry.name, title, entry.configuration, entry.model, entry.campaign)
    texts = filter(None, (*names, *entry.labels, entry.note))
    return "\n".join(texts)[:HEAD_CHARACTERS]


def _words_of_fields(
    entry: Entry, acts: Mapping[str, Mapping[str, int]]
) -> Iterable[tuple[str, int]]:
    """Return the words of names and acts, plain and as those of their fields, and how often each occurs."""
    run = entry.run
    listed: dict[str, Iterable[str | None]] = {
        "model": (entry.model, *entry.models, *(line.model for line in run.ledger)),
        "status": (run.status.value, status_view(run.status).word, run.status_detail),
        "code": (caveat.code for caveat in run.caveats),
    }
    marked = [([MARKS[key]], texts) for key, texts in listed.items()]
    facts = RunFacts.of(entry)
    others = MARKS.keys() - listed.keys() - acts.keys()
    for field in fields_of([entry]):
        if field.key in others or (field.is_stated and field.is_category):
            unknown = ["unknown"] if field.missing == "unknown" else []
            marked.append(([_mark(field)], field.names(facts) or unknown))
    for act, targets in acts.items():
        marks = [MARKS["edited"], MARKS["file"]] if act == "edited" else [MARKS[act]]
        marked.append((marks, targets))
    counts = Counter[str]()
    for marks, texts in marked:
        for in_order in map(words, filter(None, texts)):
            counts.update(in_order)
            pairs = map(".".join, pairwise(in_order))
            counts.update(mark + word for word in chain(in_order, pairs) for mark in marks)
    return counts.items()


def _mark(field: Field) -> str:
    """Return the sign before the words of a field; of one that runs state it has its key, as a query has it."""
    key = _NO_PART_OF_A_KEY.sub("_", field.key.lower())
    return MARKS.get(field.key) or f"{STATED}{key}{STATED}"


_NO_PART_OF_A_KEY = re.compile(r"[^\w.-]+")
"""As in query.js; masks are none either."""


def _listed(acts: Mapping[str, Mapping[str, int]]) -> str:
    """Return a line for each of the first files and commands: its step, the field of a query, and what it is, not cut
    within a mask."""
    lines = (
        f"{number} {field} {_CUT_MASK.sub('…', target[:MAX_OF_TARGET])}\n"
        for field, targets in acts.items()
        for target, number in targets.items()
    )
    return "".join(islice(lines, ACT_CHARACTERS // 20))


_STEP_NUMBER = re.compile(f"{STEP}[0-9]+")
_CUT_MASK = re.compile(r"\[[^\]]*\Z")


_MASKED = re.compile(r"\\U0010[0-9a-f]{4}")
"""The pattern of what distinguishes masks, as `repr` writes it."""


class SearchIndex:
    """Takes runs one by one and gives back texts as soon as a file is full, so that none is kept for long.

    What stays is four bytes for each different word of each run, and a few hundred for each different word of all.
    """

    def __init__(self, key: Callable[..., bytes | None]) -> None:
        """`key` makes the key of a file of what it shows."""
        self._key = key
        self._runs: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        """The runs by word: LEVELS times the number of the run, plus the level, in order."""
        self._count = self._words = self._texts = 0  # runs, their words in all, files of texts
        self._parts: list[tuple[int, int]] = []
        """The number of runs and of files of texts of each part that is closed."""
        self._ids: list[str] = []
        self._signs: dict[str, list[str]] = {"lengths": [], "status": [], "outcome": []}
        """A sign for each run of the part that is open; a space where it has no outcome."""
        self._runs_of_texts: list[int] = []
        self._used: dict[str, set[int]] = {"status": set(), "outcome": set()}
        self._shown: list[tuple[str | None, ...]] = []
        self._text_characters = self._shown_characters = 0
        self._digest = hashlib.blake2b(digest_size=4)

    def add(self, run: Document) -> Iterator[File]:
        """Add the next run. Yields the file of texts that became full."""
        size = sum(len(text or "") + 4 for text in run.shown)
        if self._shown_characters + size > MAX_SHOWN:
            yield from self.close_texts()
        base = LEVELS * self._count
        runs = self._runs
        self._ids.append(str(run.shown[0]))
        self._count += 1
        self._words += run.length
        self._signs["lengths"].append(_DIGITS[round(4 * math.log2(max(run.length, 1)))])
        for word, level in zip(run.words.split(), run.levels, strict=True):
            runs[word].append(base + level)
        self._add_kind("outcome", run.shown[3])
        self._add_kind("status", run.shown[4])
        self._shown.append(run.shown)
        self._shown_characters += size
        self._text_characters += len(run.shown[-1] or "")
        if self._text_characters >= SHARD_CHARACTERS:
            yield from self.close_texts()

    def _add_kind(self, kind: str, value: str | None) -> None:
        sign = " "
        if value in _KINDS[kind]:
            place = _KINDS[kind].index(value)
            self._used[kind].add(place)
            sign = str(place)
        self._signs[kind].append(sign)

    def close_texts(self) -> Iterator[File]:
        """Yield the file of the texts that are in none so far, if there are any."""
        if not self._shown:
            return
        shown = self._shown
        self._runs_of_texts.append(len(shown))
        self._shown = []
        self._text_characters = self._shown_characters = 0
        written = repr(shown)
        digest = hashlib.blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        # The version is that of the finished text: which value a mask stands for is in none.
        self._digest.update(_MASKED.sub("", written).encode("utf-8", "surrogatepass"))
        name = f"texts-{self._texts}"
        self._texts += 1
        yield File(_path(name), self._key(digest), partial(_made, name, shown))
        if len(self._ids) >= RUNS_PER_PART:
            yield from self._close_part()

    def _close_part(self) -> Iterator[File]:
        number = len(self._parts)
        self._parts.append((len(self._ids), len(self._runs_of_texts)))
        signs = {kind: "".join(signs) for kind, signs in self._signs.items()}
        yield self._file(f"runs-{number}", {**signs, "texts": self._runs_of_texts})
        yield self._file(f"ids-{number}", " ".join(self._ids))
        self._ids = []
        self._runs_of_texts = []
        self._signs = {kind: [] for kind in signs}

    def _file(self, name: str, value: object) -> File:
        data = script(f'sitegenSearch["{name}"]', value)
        self._digest.update(data)
        made = Made(data)
        return File(
            _path(name), None, lambda: made, is_scanned=False
        )  # single words of masked texts, and numbers

    def finish(self) -> Iterator[File]:
        """Yield the files of words, when all runs are added and all texts closed."""
        if self._ids:
            yield from self._close_part()
        ordered = sorted(self._runs)
        firsts: list[str] = []
        runs = ((word, self._runs[word]) for word in ordered)
        yield from self._files("words", runs, firsts)
        beginnings: list[str] = []
        runs = ((start, self._runs_of_beginning(start, ordered)) for start in _wide(firsts))
        yield from self._files("beginnings", runs, beginnings)
        index = {
            "mean": round(self._words / max(self._count, 1), 1),
            "words": firsts,
            "beginnings": beginnings,
            "parts": self._parts,
            "kinds": {
                "status": [_look(status, status_view(status)) for status in Status],
                "outcome": [_look(outcome, outcome_view(outcome)) for outcome in Outcome],
            },
            "used": {kind: sorted(used) for kind, used in self._used.items()},
            "fields": sorted(
                {word.split(STATED)[1] for word in self._runs if word.startswith(STATED)}
            ),
            "version": self._digest.hexdigest(),
        }
        yield self._file("index", index)

    def _files(
        self, name: str, runs: Iterable[tuple[str, array[int]]], firsts: list[str]
    ) -> Iterator[File]:
        """Yield the files of words with their runs, and add the first word of each to the list."""
        for number, (first, shard) in enumerate(_shards(runs)):
            firsts.append(first)
            yield self._file(f"{name}-{number}", shard)

    def _runs_of_beginning(self, beginning: str, ordered: list[str]) -> array[int]:
        """Return the runs that hold a word with this beginning, each once and with the lowest level."""
        begin = bisect_right(ordered, beginning)
        end = bisect_right(ordered, beginning + _LAST_SIGN)
        holds = bytearray(self._count)
        for word in ordered[begin:end]:
            for value in self._runs[word]:
                holds[value // LEVELS] = 1
        return array("I", compress(range(0, LEVELS * self._count, LEVELS), holds))


_KINDS = {"status": list(map(str, Status)), "outcome": list(map(str, Outcome))}


def _look(value: str, view: StatusView) -> tuple[str, str, str, str]:
    return value, view.word, view.sign, view.role


def _path(name: str) -> str:
    return f"{FOLDER}/{name}.js"


def _made(name: str, value: object) -> Made:
    return Made(script(f'sitegenSearch["{name}"]', value))


@lru_cache(maxsize=_LAST * _MORE)
def _code(value: int) -> str:
    """Return a number as digits, of which only the last is one of the first _LAST."""
    rest, last = divmod(value, _LAST)
    digits = _DIGITS[last]
    while rest:
        rest, digit = divmod(rest, _MORE)
        digits = _DIGITS[_LAST + digit] + digits
    return digits


def _list(values: array[int]) -> str:
    """Return runs and levels, each run as the distance from the one before it."""
    below = ~(LEVELS - 1)
    gaps = chain(values[:1], (value - (before & below) for before, value in pairwise(values)))
    return "".join(map(_code, gaps))


def _shards(runs_of: Iterable[tuple[str, array[int]]]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield words in order with their runs, as files: the first word, then all words and all lists, divided by
    spaces."""
    held: list[tuple[str, str]] = []
    size = 0
    for word, all_runs in runs_of:
        runs = _list(all_runs)
        if held and size + len(word) + len(runs) > SHARD_CHARACTERS:
            yield held[0][0], _joined(held)
            held = []
            size = 0
        held.append((word, runs))
        size += len(word) + len(runs) + 2
    if held:
        yield held[0][0], _joined(held)


def _joined(held: list[tuple[str, str]]) -> tuple[str, str]:
    return " ".join(word for word, _ in held), " ".join(runs for _, runs in held)


def _wide(firsts: list[str]) -> list[str]:
    """Return the beginnings whose words lie in more than MAX_FILES of the files that begin with these words."""
    beginnings = {first[:length] for first in firsts for length in range(1, len(first) + 1)}
    wide = []
    for beginning in sorted(beginnings):
        files = bisect_right(firsts, beginning + _LAST_SIGN) - bisect_right(firsts, beginning)
        if files >= MAX_FILES:
            wide.append(beginning)
    return wide
