"""Campaigns that were packed, and several campaigns in one: as surveys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sitegen import names
from sitegen.bounds import Bounds
from sitegen.errors import ReadError
from sitegen.inputs.campaigns import packs
from sitegen.inputs.campaigns.changed import changed_since
from sitegen.inputs.merging import in_order, refuse_same_ids
from sitegen.inputs.survey import Survey
from sitegen.masking.redact import Redactor, count_masks
from sitegen.model import Entry, Masked, Problem, Source, Verdict


def of_pack(source: Source, redactor: Redactor, bounds: Bounds) -> Survey:
    """What was known of the inputs when they were packed."""
    try:
        pack = packs.read(source, redactor, bounds)
    except ReadError as error:
        fault = Problem(source.path, error.code, Verdict.SKIP, error.sentence, error.place)
        return Survey((), (redactor.problem(fault),), (), files=1)
    head = pack.head
    changed = changed_since(head.version)
    remarks = (
        f"{source.path} holds the figures of its runs as sitegen {head.version[:20]} computed them. "
        f"Newer versions compute differently: {' '.join(changed)}",
    )
    ids = {entry.id for entry in (*pack.entries, *pack.unplaced)}
    problems = [each if each.page_id in ids else replace(each, page_id=None) for each in head.problems]
    masked = [each if each.page_id in ids else replace(each, page_id=None) for each in head.masked]
    for key in packs.TEXTS:
        counts = count_masks(str(head.settings.get(key) or ""))
        masked += (Masked(source.path, key, kind, count) for kind, count in sorted(counts.items()))
    return Survey(
        pack.entries,
        tuple(sorted([*problems, *pack.faults], key=in_order)),
        head.ignored,
        head.kinds,
        (*head.remarks, *(remarks if changed else ())),
        head.files,
        tuple(masked),
        pack.unplaced,
        head,
    )


def placed(surveyed: Survey, name: str, day: str | None = None) -> Survey:
    """The same under the name of its campaign, by which the paths of its runs begin: so their pages stay as they are,
    whatever other campaigns there are."""
    folder = names.slug(name) or "campaign"
    moved = {entry.id: _moved(entry, folder, name) for entry in (*surveyed.entries, *surveyed.unplaced)}

    def page_id(old: str | None) -> str | None:
        return moved[old].id if old in moved else None

    return replace(
        surveyed,
        entries=tuple(moved[entry.id] for entry in surveyed.entries),
        unplaced=tuple(moved[entry.id] for entry in surveyed.unplaced),
        problems=tuple(
            replace(each, path=f"{folder}/{each.path}", page_id=page_id(each.page_id)) for each in surveyed.problems
        ),
        ignored=tuple(f"{folder}/{path}" for path in surveyed.ignored),
        kinds=tuple((f"{folder}/{path}", kind) for path, kind in surveyed.kinds),
        masked=tuple(
            replace(each, path=f"{folder}/{each.path}", page_id=page_id(each.page_id)) for each in surveyed.masked
        ),
        pack=None,
        days=((name, day),) if day else (),
    )


def _moved(entry: Entry, folder: str, name: str) -> Entry:
    path = f"{folder}/{entry.source.path}"
    slug, _, digest = entry.id.rpartition("-")
    return replace(
        entry,
        id=names.page_id(f"{folder}-{slug}", f"{folder}/{digest}"),
        source=replace(entry.source, path=path),
        campaign=name,
    )


def together(surveys: Iterable[Survey]) -> Survey:
    """Several as one, in their order. Raises: PublishError where two runs would share a page."""
    surveys = list(surveys)
    entries = [entry for each in surveys for entry in each.entries]
    refuse_same_ids(entries)
    return Survey(
        tuple(entries),
        tuple(sorted((problem for each in surveys for problem in each.problems), key=in_order)),
        tuple(sorted(path for each in surveys for path in each.ignored)),
        tuple(sorted(kind for each in surveys for kind in each.kinds)),
        tuple(dict.fromkeys(remark for each in surveys for remark in each.remarks)),
        sum(each.files for each in surveys),
        tuple(masked for each in surveys for masked in each.masked),
        tuple(entry for each in surveys for entry in each.unplaced),
        days=tuple(day for each in surveys for day in each.days),
    )
