"""Packs: a campaign in one archive, as `sitegen pack` writes it, and its runs again years later.

A pack holds what a site of the campaign is made of and nothing else: the facts, texts and steps of each run as far as
its settings publish them, masked; the settings; and what was said of the files. The first member is MARKER. Each
further one is a run: a line of JSON with its facts, texts and patch, then a line for each step. It is input like any
other: every text is masked once more, and what breaks a rule of this module is one sentence about one run.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from sitegen import model, steps
from sitegen.errors import ReadError
from sitegen.inputs import archives, discover
from sitegen.inputs.archives import fault as fault_of
from sitegen.inputs.archives import unpacks_too_large
from sitegen.masking.redact import Redactor, mask
from sitegen.model import Entry, Level, Masked, Problem, Run, Source, T, Texts
from sitegen.numbers.campaigns import Rules
from sitegen.readers.common.packed import inflated, members_of
from sitegen.readers.common.patches import Patch
from sitegen.steps import Step, ToolKind
from sitegen.system.address import Member
from sitegen.system.bounds import DEFAULT, IN_MEMORY, MAX_USD, MB, Bounds, known_count, known_number
from sitegen.text import names

MARKER = "sitegen-pack.json"
SCHEMA = 1
"""Goes up when an older sitegen could not read it; new keys do not raise it."""

ENDING = ".zip"
RUNS, UNPLACED = "runs", "unplaced"
"""Folders of the members: of runs, and of transcripts whose steps belong to several runs."""


@dataclass(frozen=True, slots=True)
class PackMember(Member):
    """The location of a run in a pack."""

    digest: str
    """SHA-256 of the member, hex."""
    marks: str
    """The text that distinguishes the masks of this pack from those of others."""


@dataclass(frozen=True, slots=True)
class PackedRun:
    """The first line of a run: all of it but its steps."""

    entry: Entry
    """Without texts, places on a machine, and other sources."""
    texts: Texts
    patch: Patch | None


@dataclass(frozen=True, slots=True)
class Head:
    """The first member: what is known of the campaign but for its runs."""

    sitegen_pack: int
    version: str
    level: Level
    settings: dict[str, Any]
    """Those that say what the runs are, masked; in a pack from elsewhere, also any others."""
    settings_digest: str
    problems: tuple[Problem, ...] = ()
    ignored: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    files: int = 0
    masked: tuple[Masked, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    """The files that no reader claims, each with its kind."""
    planned: tuple[str, ...] = ()
    rules: Rules = ()
    """The versions of the rules by which figures were counted, as in `CampaignFigures`."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A campaign that was packed."""

    head: Head
    entries: tuple[Entry, ...]
    unplaced: tuple[Entry, ...]
    faults: tuple[Problem, ...]
    """Runs that are not as a pack has them."""


def is_pack(path: Path) -> bool:
    """Return whether a file of this machine is a pack."""
    return holds_pack(_source(path))


def holds_pack(source: Source) -> bool:
    """Return whether a source is a pack, by its name and its first bytes. Raises: PublishError where a store does not
    answer."""
    if not (source.address.name if source.address else source.location).lower().endswith(ENDING):
        return False
    with suppress(OSError, ValueError), discover.opened(source) as file:
        head = file.read(30 + len(MARKER))
        return head.startswith(b"PK\3\4") and head[30:] == MARKER.encode()
    return False


def encoded(value: object) -> bytes:
    """Return a line of a pack."""
    return msgspec.json.encode(value, enc_hook=lambda _: "")  # a path of this machine


def read_head(path: Path, redactor: Redactor) -> Head:
    """Return the head of a pack. Raises: ReadError."""
    with closing(_members(_source(path), DEFAULT)) as members:
        _, data = next(members)
        return _head(data, redactor)[0]


def read(source: Source, redactor: Redactor, bounds: Bounds = DEFAULT) -> Pack:
    """Return a pack with the facts of its runs; the paths are those of the campaign. Raises: ReadError."""
    entries: dict[str, Entry] = {}
    unplaced: list[Entry] = []
    faults: list[Problem] = []
    with closing(_members(source, bounds)) as members:
        _, data = next(members)
        head, marks = _head(data, redactor)
        for info, data in members:
            try:
                entry = _facts(data, marks, redactor)
                if entry.id in entries or any(entry.id == each.id for each in unplaced):
                    raise ReadError(
                        "E_PACK", "the pack holds two runs of this name; the first is shown"
                    )
                member = PackMember(
                    info.header_offset, info.compress_size, hashlib.sha256(data).hexdigest(), marks
                )
                if info.filename.startswith(f"{UNPLACED}/"):
                    unplaced.append(_placed(entry, source, member))
                else:
                    entries[entry.id] = _placed(entry, source, member)
            except ReadError as error:
                faults.append(
                    redactor.skipped(f"{source.path}/{discover.readable(info.filename)}", error)
                )
    return Pack(head, tuple(entries.values()), tuple(unplaced), tuple(faults))


def run_of(entry: Entry, member: PackMember, redactor: Redactor, bounds: Bounds = DEFAULT) -> Run:
    """Return the run with its texts, masked. Raises: ReadError `W_CHANGED`."""
    run = replace(entry.run, texts=_first(entry.source, member, redactor, bounds).texts)
    return redactor.run(run.at_level(entry.source.level))


def patch_of(
    source: Source, member: PackMember, redactor: Redactor, bounds: Bounds = DEFAULT
) -> Patch | None:
    """Return the patch beside a run. Raises: ReadError `W_CHANGED`."""
    return _first(source, member, redactor, bounds).patch


def steps_of(
    entry: Entry, member: PackMember, redactor: Redactor, bounds: Bounds = DEFAULT
) -> Iterator[Step]:
    """Yield what happened in a run, as far as the pack holds it, in order. Raises: ReadError `W_CHANGED`."""
    lines = iter(_again(entry.source, member, bounds))
    next(lines)
    for line in lines:
        yield _decoded(line, Step, member.marks, redactor)


def _source(path: Path) -> Source:
    return Source(path.name, str(path), named=True, size=0)


def _members(
    source: Source, bounds: Bounds
) -> Generator[tuple[zipfile.ZipInfo, bytes], None, None]:
    """Yield each member with its bytes, checked; the head first. Raises: ReadError."""
    left = bounds.archive_mb * MB
    try:
        with discover.opened(source) as file:
            for number, info in enumerate(members_of(file, bounds.archive_members + 1)):
                if (info.filename == MARKER) != (number == 0):
                    raise ReadError(
                        "E_PACK",
                        f"the first member of a pack is {MARKER}, and no other is called so",
                    )
                pieces: list[bytes] = []
                for piece in archives.checked(file, info, bounds):
                    pieces.append(piece)
                    left -= len(piece)
                    if left < 0:
                        raise unpacks_too_large(bounds)
                yield info, b"".join(pieces)
    except Exception as error:
        raise fault_of(error) from None


def _head(data: bytes, redactor: Redactor) -> tuple[Head, str]:
    """Return the head, and what tells the masks of this pack from others. Raises: ReadError."""

    def mask_setting(text: str) -> str:
        return redactor(text)[:_MAX_OF_TEXT]

    try:
        stated = json.loads(data)
        schema = known_count(stated["sitegen_pack"])
        version = str(stated["version"])
        settings = stated.pop("settings", {})
        if schema is None or not isinstance(settings, dict):
            raise ValueError
        masked_settings = checked(settings, mask_setting, any_number=True)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ReadError("E_PACK", "its header is damaged") from None
    if schema > SCHEMA:
        raise ReadError(
            "E_PACK",
            f"this pack is in form {schema}, and this sitegen reads forms up to {SCHEMA}; build it with sitegen "
            f"{redactor(version)[:20]}, which wrote it",
        )
    marks = hashlib.sha256(data).hexdigest()[:16]
    if len(json.dumps(settings)) > _MAX_OF_SETTINGS:
        raise ReadError("E_PACK", f"its settings have more than {_MAX_OF_SETTINGS:,} characters")
    _refuse_long_names(settings)
    head = _decoded(encoded({**stated, "settings": {}}), Head, marks, redactor)
    return replace(head, settings=masked_settings), marks


_MAX_OF_TEXT = 2_000  # characters of a text in the settings: each page of the site has it
_MAX_OF_SETTINGS = 100_000  # characters of all of them: many pages have their names
_MAX_OF_NAME = (
    4_096  # characters of a name or a path: every list, chart and data file of the site has it
)


def _refuse_long_names(stated: object) -> None:
    """Raises: ReadError where a text is longer than a name may be: the site would have it a hundred times."""
    if isinstance(stated, Mapping):
        for name, value in stated.items():
            _refuse_long_names(name)
            _refuse_long_names(value)
    elif isinstance(stated, list | tuple):
        for value in stated:
            _refuse_long_names(value)
    elif isinstance(stated, str) and len(stated) > _MAX_OF_NAME:
        reason = (
            f"a name in it has more than {_MAX_OF_NAME:,} characters, so sitegen did not pack it"
        )
        raise ReadError("E_PACK", reason)


def _facts(data: bytes, marks: str, redactor: Redactor) -> Entry:
    """Return the entry of a member. Raises: ReadError."""
    first, *steps = data.removesuffix(b"\n").split(b"\n")
    entry = _decoded(first, PackedRun, marks, redactor).entry
    _refuse_long_names(msgspec.to_builtins(replace(entry, run=entry.run.without_texts())))
    run = redactor.run(entry.run)
    dates = filter(None, (entry.started_at, run.started_at, run.ended_at))
    kinds = {each.kind for each in run.steps.by_kind} if run.steps else set()
    if (
        not _ID.fullmatch(entry.id)
        or len(entry.ledger_names) != len(run.ledger)
        or not all(map(_is_date, dates))
        or not kinds <= set(ToolKind)
        or (
            run.steps is not None
            and entry.source.level is not Level.NONE
            and run.steps.steps != len(steps)
        )
        or (entry.patch is None) != (entry.patch_digest is None)
        or not _PATCH_KEY.fullmatch(entry.patch_key or "")
        or any(score.is_ratio and score.value <= 0 for score in entry.scores)
    ):
        raise ReadError("E_PACK", "sitegen did not pack the run, or it is damaged")
    return entry.without_other_sources(run)


_ID = re.compile(r"[a-z0-9-]{0,80}-[0-9a-f]{12}")
_PATCH_KEY = re.compile(r"(?:[0-9a-f]{16})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T.{1,40}Z")


def _is_date(text: str) -> bool:
    with suppress(ValueError):
        return bool(_DATE.fullmatch(text)) and datetime.fromisoformat(text).utcoffset() is not None
    return False


def _placed(entry: Entry, pack: Source, member: PackMember) -> Entry:
    def placed(source: Source) -> Source:
        level = Level.lowest(source.level, pack.level)
        return replace(
            pack, path=source.path, size=source.size, within=source.path, member=member, level=level
        )

    entry = replace(entry, source=placed(entry.source), patch=entry.patch and placed(entry.patch))
    if entry.level is not Level.NONE:
        return entry
    by_session = entry.run.session_title and entry.title == names.spelled_out(
        entry.run.session_title
    )
    title = names.spelled_out(names.stem(entry.source.path)) if by_session else entry.title
    return replace(entry, run=entry.run.at_level(Level.NONE), about=None, title=title)


def _again(source: Source, member: PackMember, bounds: Bounds) -> list[bytes]:
    """Return the lines of a member. Raises: ReadError `W_CHANGED`."""
    try:
        with discover.opened(source) as file:
            data = b"".join(inflated(file, member, bounds.archive_ratio))
    except Exception as error:
        raise ReadError.changed("pack", fault_of(error)) from None
    if hashlib.sha256(data).hexdigest() != member.digest:
        raise ReadError.changed("pack")
    return data.removesuffix(b"\n").split(b"\n")


def _first(source: Source, member: PackMember, redactor: Redactor, bounds: Bounds) -> PackedRun:
    return _decoded(_again(source, member, bounds)[0], PackedRun, member.marks, redactor)


def _decoded(line: bytes, type_: type[T], marks: str, redactor: Redactor) -> T:
    """Return a value of this type, its texts masked. Raises: ReadError."""
    if len(line) > IN_MEMORY:
        raise ReadError.too_large(IN_MEMORY)
    try:
        stated = checked(loaded(line), partial(_masked, marks, redactor))
        return msgspec.convert(
            stated, type_, dec_hook=lambda wanted, _: Path() if wanted is Path else None
        )
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError, UnicodeError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError("E_PACK", "sitegen did not pack a part of it, or it is damaged") from None


def _masked(marks: str, redactor: Redactor, text: str) -> str:
    """Return the text with masks that each page numbers, where the pack has numbers of its own."""
    return redactor(_NUMBERED.sub(lambda found: mask(found[1], f"{marks} {found[2]}"), text))


_NUMBERED = re.compile(r"\[redacted: ([^#\[\]\n]{1,200}?) #([0-9]{1,9})\]")


def loaded(data: bytes) -> Any:
    """Return the value of a JSON text, also where it has numbers that no float holds. Raises: ValueError."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return json.loads(data)


def checked(
    value: Any, masked: Callable[[str], str], key: str = "", *, any_number: bool = False
) -> Any:
    """Return JSON with its texts masked. Numbers that no reader gives are unknown, and a score without one is left
    out; with `any_number` they are left for their field to be judged."""
    if (
        not any_number
        and value is not None
        and key != _DIGESTS
        and (key in _NUMBERS or type(value) in (int, float))
    ):
        return _number(key, value)
    if isinstance(value, Mapping):
        return {
            masked(name): checked(each, masked, name, any_number=any_number)
            for name, each in value.items()
        }
    if isinstance(value, list):
        made = [checked(each, masked, key, any_number=any_number) for each in value]
        return [
            each for each in made if not isinstance(each, dict) or each.get(_SCORE, "") is not None
        ]
    return masked(value) if isinstance(value, str) else value


def _number(key: str, value: object) -> object:
    """Return the value of this key; None where it cannot be right."""
    if key == _SCORE:
        return known_number(value)
    most = MAX_USD if key.endswith("cost_usd") else MOST
    known = known_number(value)
    return value if known is not None and 0 <= known <= most else None


MOST = 10**15
_SCORE = "value"
_DIGESTS = "answers"  # the key of the digests of answers: numbers beyond all that is counted
# Keys whose value may be unknown; others have to be right. The two that are left out are texts elsewhere.
_NUMBERS = {_SCORE} | {
    each.name
    for kind in (*vars(model).values(), *vars(steps).values())
    if isinstance(kind, type) and is_dataclass(kind)
    for each in fields(kind)
    if each.type in ("int | None", "float | None") and each.name not in ("input", "denials")
}
