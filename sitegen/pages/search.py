"""Full-text search without a server: an index in classic scripts, which pages load piece by piece when they need it.

Each run is a document with three fields: its head (name, title, task, model, campaign, labels, and how it ended where
it did not complete), its error messages and the text of its summary as its page shows it. A text becomes words by
`words`; `search.js` does the same to a query. A query finds the runs that hold all its words, the last of which may go
on. They are ranked by BM25 over fields:

    score = sum over words of ln(1 + (N - n + 0.5) / (n + 0.5)) * (K1 + 1) * f / (f + K1 * (1 - B + B * length / mean))

N runs, n of them with the word, K1 = 2, B = 0.5; length and mean are in words, the length rounded to a quarter of a
power of two. f is how often the run holds the word: 8 times what stands in its head, twice what stands in errors, once
what stands in the summary, rounded down to 1, 2, 4 or 8. For the last word asked for, half the greatest f of a longer
word that begins with it is added, and n counts the runs with any of these words; where they are too many
(`beginnings-<n>.js`), one half is added for all of them.

The files, all below `search/`:

- `index.js`: the length of each run, and which words and runs lie where.
- `words-<n>.js`: words in order and, for each, the runs that hold it.
- `beginnings-<n>.js`: the same for beginnings whose words would take more than four of those files.
- `texts-<n>.js`: what is shown of runs that follow one another.

Whatever a run holds, its share is bounded: TEXT_CHARACTERS of its texts, WORDS_PER_RUN different words, and the first
WORD_CHARACTERS of each. What lies beyond is not found.
"""

from __future__ import annotations

import hashlib
import html
import math
import re
import unicodedata
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from sitegen import figures
from sitegen.figures import status_view
from sitegen.html.data_scripts import script
from sitegen.model import INCOMPLETE, Entry, Status, Texts
from sitegen.names import without_extension
from sitegen.pages.views import model_class, subtitle

TEXT_CHARACTERS = 20_000
"""How much of the texts of a run is searched and quoted."""
HEAD_CHARACTERS = 1_000
"""How much of its name, title and labels."""
WORDS_PER_RUN = 2_000
WORD_CHARACTERS = 32

HEAD_WEIGHT, ERROR_WEIGHT = 8, 2
LEVELS = 4
"""Frequencies are kept as powers of two: 1, 2, 4 and 8."""
_LEVELS = [max(frequency.bit_length() - 1, 0) for frequency in range(2 ** (LEVELS - 1))]

MOST_FILES = 4
"""More files of words are not loaded for a beginning: the runs of all its words stand in a list of their own."""
SHARD_CHARACTERS = 6_000
"""A file of words or texts is closed when it would be, or is, as long as this."""

SHOWN = 9
"""Values of a run that a result shows."""

FOLDER = "search"

# Ranges and no classes: the same in every version of Python and of browsers.
_LETTERS = (
    "0-9a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u060b\u060d-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u0963\u0966-\u0dff"
    "\u0f00-\u0fff\u10a0-\u177f\u1800-\u1fff\u2c00-\u2dff\ua000-\uabff\U00010000-\U0001cfff\U0001e000-\U0001efff"
)
_SINGLES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\u30fc-\u30ff\u3105-\u312f\u3400-\u9fff\U00020000-\U0003ffff"
)
"""Scripts that put no space between words: each character is a word."""
_WORD = re.compile(f"(?<![{_LETTERS}])[{_LETTERS}]{{1,{WORD_CHARACTERS}}}|[{_SINGLES}]")
_MARKS = re.compile("[\u0300-\u036f\u3099\u309a]")
_TAG = re.compile("<[^>]*>?")

# 15 gaps with 4 levels fill a last digit; a larger gap has others, to the base of 26, before it.
_LAST, _MORE = 60, 26
_DIGITS = [sign for sign in map(chr, range(ord("#"), ord("~") + 1)) if sign not in "&'<>\\`"]


def words(text: str) -> list[str]:
    """The words of a text in its order: letters and digits, small, without accents.

    Everything else divides them, so that `max_seq_len` and `src/io.py` come apart.
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    text = unicodedata.normalize("NFKD", text).lower().replace("ß", "ss").replace("ς", "σ")
    return _WORD.findall(_MARKS.sub("", text))


def shown_text(account: str) -> str:
    """What a reader sees of a text that became safe HTML."""
    return html.unescape(_TAG.sub("", account))


@dataclass(frozen=True, slots=True)
class Document:
    """A run as the index takes it."""

    words: str
    """Its different words, divided by spaces."""
    levels: bytes
    """The level of each, as LEVELS counts them."""
    length: int
    """Words in all."""
    shown: tuple[str | None, ...]
    """What a result shows of it."""

    @property
    def is_whole(self) -> bool:
        """Whether it can be one that `document` made."""
        different = len(self.words.split())
        return (
            different == len(self.levels) <= WORDS_PER_RUN
            and all(level < LEVELS for level in self.levels)
            and different <= self.length <= HEAD_CHARACTERS + 3 * TEXT_CHARACTERS
            and len(self.shown) == SHOWN
            and sum(len(each or "") for each in self.shown) <= 4 * HEAD_CHARACTERS + 3 * TEXT_CHARACTERS
        )


def document(entry: Entry, texts: Texts, account: str, clean: Callable[[str], str]) -> Document:
    """A run with its summary as safe HTML.

    `clean` makes a text publishable: taking tags out of a page's text may have joined what it keeps apart.
    """
    errors = "\n".join(texts.errors)[:TEXT_CHARACTERS]
    room = TEXT_CHARACTERS - len(errors)
    summary = clean(shown_text(account[: 10 * room]))[:room]
    title = subtitle(entry)
    run = entry.run
    ending = (status_view(run.status).word, run.status_detail) if run.status in INCOMPLETE else ()
    head = "\n".join(filter(None, (entry.name, title, entry.model, entry.campaign, *ending, *entry.labels)))
    path = entry.source.path
    fields = words(head[:HEAD_CHARACTERS]), words(errors), words(without_extension(path)), words(summary)
    found: Counter[str] = Counter()  # in this order, so that a summary of many words leaves the others their places
    for several, weight in zip(fields, (HEAD_WEIGHT, ERROR_WEIGHT, 1, 1), strict=True):
        for word in several:
            found[word] += weight
    kept = list(islice(found.items(), WORDS_PER_RUN))
    quoted = f"{' '.join(summary.split())} ".removeprefix(f"{title or entry.name} ")  # the result says it above
    shown = (
        entry.id,
        entry.name[:HEAD_CHARACTERS],
        title and title[:HEAD_CHARACTERS],
        entry.run.status.value,
        entry.model,
        entry.model and model_class(entry.model),
        entry.campaign,
        figures.money(entry.run.cost_usd),
        " · ".join(filter(None, (path, " ".join(f"{errors}\n{quoted}".split())))),
    )
    levels = bytes(_LEVELS[weight] if weight < len(_LEVELS) else LEVELS - 1 for _, weight in kept)
    return Document(" ".join(word for word, _ in kept), levels, sum(map(len, fields)), shown)


@dataclass(frozen=True, slots=True)
class TextsFile:
    """A file with what is shown of some runs."""

    name: str
    shown: Sequence[tuple[str | None, ...]]
    digest: bytes
    """Of what it holds."""

    @property
    def path(self) -> str:
        """Where it belongs."""
        return f"{FOLDER}/{self.name}.js"

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Its path and its content."""
        yield self.path, _script(self.name, self.shown)


class SearchIndex:
    """Takes runs one by one and gives back texts as soon as a file is full, so that none is kept for long.

    What stays is four bytes for each different word of each run, and a few hundred for each different word of all.
    """

    def __init__(self) -> None:
        self._runs: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        """By word: LEVELS times the number of the run, plus the level, in order."""
        self._lengths: list[int] = []
        self._shown: list[tuple[str | None, ...]] = []
        self._shown_characters = 0
        self._text_shards: list[int] = []
        self._digest = hashlib.blake2b(digest_size=4)

    def add(self, run: Document) -> Iterator[TextsFile]:
        """Add the next run. Yields the file that became full."""
        base, runs = LEVELS * len(self._lengths), self._runs
        self._lengths.append(run.length)
        for word, level in zip(run.words.split(), run.levels, strict=True):
            runs[word].append(base + level)
        self._shown.append(run.shown)
        self._shown_characters += len(run.shown[-1] or "")
        if self._shown_characters >= SHARD_CHARACTERS:
            yield from self.close_texts()

    def close_texts(self) -> Iterator[TextsFile]:
        """The file of the texts that are in none so far, if there are any."""
        if not self._shown:
            return
        self._text_shards.append(len(self._shown))
        shown, self._shown, self._shown_characters = self._shown, [], 0
        digest = hashlib.blake2b(repr(shown).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        self._digest.update(digest)
        yield TextsFile(f"texts-{len(self._text_shards) - 1}", shown, digest)

    def _file(self, name: str, value: object) -> tuple[str, bytes]:
        content = _script(name, value)
        self._digest.update(content)
        return f"{FOLDER}/{name}.js", content

    def finish(self) -> Iterator[tuple[str, bytes]]:
        """Path and content of the files of words, when all runs are added and all texts closed."""
        code = [_code(value) for value in range(LEVELS * len(self._lengths))]
        ordered = sorted(self._runs)
        firsts: list[str] = []
        for number, (first, shard) in enumerate(_shards((word, _list(self._runs[word], code)) for word in ordered)):
            firsts.append(first)
            yield self._file(f"words-{number}", shard)
        beginnings: list[str] = []
        wide = ((beginning, self._list_of_beginning(beginning, ordered, code)) for beginning in _wide(firsts))
        for number, (first, shard) in enumerate(_shards(wide)):
            beginnings.append(first)
            yield self._file(f"beginnings-{number}", shard)
        index = {
            "lengths": "".join(_DIGITS[round(4 * math.log2(max(length, 1)))] for length in self._lengths),
            "mean": round(sum(self._lengths) / max(len(self._lengths), 1), 1),
            "words": firsts,
            "beginnings": beginnings,
            "texts": self._text_shards,
            "statuses": {
                status.value: (view.word, view.sign, view.role) for status in Status for view in [status_view(status)]
            },
            "version": self._digest.hexdigest(),
        }
        yield self._file("index", index)

    def _list_of_beginning(self, beginning: str, ordered: list[str], code: list[str]) -> str:
        """The runs that hold a word with this beginning, each once and with the lowest level."""
        begin, end = bisect_right(ordered, beginning), bisect_right(ordered, f"{beginning}\uffff")
        found = {value // LEVELS for word in ordered[begin:end] for value in self._runs[word]}
        return _list(array("I", (LEVELS * number for number in sorted(found))), code)


def _script(name: str, value: object) -> bytes:
    return script(f'sitegenSearch["{name}"]', value)


def _code(value: int) -> str:
    """A number as digits, of which only the last is one of the first _LAST."""
    rest, last = divmod(value, _LAST)
    digits = _DIGITS[last]
    while rest:
        rest, digit = divmod(rest, _MORE)
        digits = _DIGITS[_LAST + digit] + digits
    return digits


def _list(values: array[int], code: list[str]) -> str:
    """Runs and levels, each run as the distance from the one before it."""
    below = ~(LEVELS - 1)
    return code[values[0]] + "".join([code[value - (before & below)] for before, value in pairwise(values)])


def _shards(lists: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Words in order with their lists, as files: the first word, then all words and all lists, divided by spaces."""
    held: list[tuple[str, str]] = []
    size = 0
    for word, runs in lists:
        if held and size + len(word) + len(runs) > SHARD_CHARACTERS:
            yield held[0][0], _joined(held)
            held, size = [], 0
        held.append((word, runs))
        size += len(word) + len(runs) + 2
    if held:
        yield held[0][0], _joined(held)


def _joined(held: list[tuple[str, str]]) -> tuple[str, str]:
    return " ".join(word for word, _ in held), " ".join(runs for _, runs in held)


def _wide(firsts: list[str]) -> list[str]:
    """The beginnings whose words lie in more than MOST_FILES of the files that begin with these words."""
    beginnings = {first[:length] for first in firsts for length in range(1, len(first) + 1)}
    return sorted(b for b in beginnings if bisect_right(firsts, f"{b}\uffff") - bisect_right(firsts, b) >= MOST_FILES)
