"""Writes a pack: the same runs and settings give the same bytes, wherever and whenever they are packed."""

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO

from sitegen import __version__
from sitegen.collect import Facts
from sitegen.config import Config
from sitegen.errors import PublishError, ReadError
from sitegen.inputs.campaigns import packs
from sitegen.inputs.patched import read_patch
from sitegen.inputs.steps_again import steps_of
from sitegen.inputs.survey import reread_run
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import Numbers, Redactor
from sitegen.model import Entry, Level, Source
from sitegen.numbers.campaigns import RULES
from sitegen.publish.one_file import member_of


def pack(config: Config, facts: Facts, redactor: Redactor, settings_digest: str) -> bytes:
    """Return a campaign as an archive. Raises: PublishError where a file is not as it was, or something cannot be
    masked."""
    scan = FinalScan.of(redactor, config.own_texts(), is_strict=False)
    numbers = Numbers()

    def finished(lines: Iterator[bytes]) -> bytes:
        """Return the lines masked as data files are."""
        return scan.finish("pack.jsonl", b"".join(line + b"\n" for line in lines), numbers)[0]

    members = [
        (f"{folder}/{entry.id}.jsonl", finished(_lines(entry, config, redactor)))
        for folder, entries in (
            (packs.RUNS, facts.entries),
            (packs.UNPLACED, facts.shared_transcripts),
        )
        for entry in entries
    ]
    level = max((entry.level for entry in facts.entries), key=list(Level).index)
    head = packs.Head(
        packs.SCHEMA,
        __version__,
        level,
        config.for_pack(),
        settings_digest,
        problems=facts.problems,
        ignored=facts.ignored,
        remarks=facts.remarks,
        files=facts.files,
        masked=facts.masked,
        kinds=facts.ignored_files,
        planned=facts.planned,
        rules=tuple(RULES.items()),
    )
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [(packs.MARKER, finished(iter([packs.encoded(head)]))), *members]:
            archive.writestr(member_of(name, len(data)), data)
    return written.getvalue()


def _lines(entry: Entry, config: Config, redactor: Redactor) -> Iterator[bytes]:
    """Yield a run as a pack holds it. Raises: PublishError."""
    bounds = config.limits
    try:
        texts = reread_run(entry, redactor, bounds).texts
        read = read_patch(entry.patch, redactor, bounds)
        if (read and read.digest) != entry.patch_digest:
            raise ReadError("W_CHANGED", "the patch beside it changed meanwhile")
        steps = list(steps_of(entry, redactor, bounds)) if entry.run.steps else []
        bare = _bare(entry, redactor)
        folder = entry.run.cwd
        if folder and any(
            folder in step.call.target for step in steps if step.call and step.call.target
        ):
            bare = replace(bare, run=replace(bare.run, cwd=folder))  # the targets say it anyway
        yield packs.encoded(packs.PackedRun(bare, texts, read))
        yield from map(packs.encoded, steps)
    except ReadError as error:
        raise PublishError(f"{entry.source.path} could not be packed: {error.reason}") from None


def _bare(entry: Entry, redactor: Redactor) -> Entry:
    """Return the entry without places of this machine and without other sources."""

    def bare(source: Source) -> Source:
        path = redactor(source.path)
        return Source(path, "", False, source.size, level=entry.level)

    run = replace(entry.run, locator=None, results=(), cwd=None)
    alone = entry.without_other_sources(run)
    return replace(alone, source=bare(entry.source), patch=entry.patch and bare(entry.patch))
