"""Packs and campaigns: the facts of several builds, put together."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from sitegen.collect.filters import drop_projects, drop_runs, group_runs
from sitegen.collect.prices import price
from sitegen.collect.stated_outcomes import add_problems
from sitegen.config import Config, RunSettings
from sitegen.errors import ReadError
from sitegen.figures import sentence_list
from sitegen.html import page_names
from sitegen.inputs.campaigns import packs
from sitegen.inputs.identity import refuse_same_ids
from sitegen.inputs.reported import report_same
from sitegen.inputs.survey import Facts
from sitegen.masking.redact import Redactor, masked_in
from sitegen.model import Entry, Masked, Problem, Run, Source
from sitegen.numbers.campaigns import RULES
from sitegen.system.bounds import Bounds
from sitegen.text import names

Report = TypeVar("Report", Problem, Masked)
FIRST_RULES = dict.fromkeys(RULES, 1)
"""The versions of the rules if a pack does not state them."""
OTHER_RULES = (
    "{path} counts {measures} by the rules of sitegen {version}, and this version by others. CHANGELOG.md says what "
    "changed; pack the runs again to update it."
)


def collect_pack(source: Source, config: Config, bounds: Bounds, redactor: Redactor) -> Facts:
    """Return the runs of a pack, grouped and filtered as the settings say."""
    facts = read_pack(source, redactor, bounds)
    facts = group_runs(facts, config.groups, person=None)
    facts = drop_projects(facts, config.leave_out)
    if (
        config.cost_basis == "list"
    ):  # otherwise their costs are those of the build that made the pack
        facts = price(facts, config.price_table, config.cost_basis)
    return facts


def read_pack(source: Source, redactor: Redactor, bounds: Bounds) -> Facts:
    """Return what was known of the inputs when they were packed."""
    try:
        pack = packs.read(source, redactor, bounds)
    except ReadError as error:
        return Facts(problems=(redactor.skipped(source.path, error),), files=1)
    head = pack.head
    names = RunSettings.model_fields.keys() & head.settings.keys()
    settings = {name: json.dumps(head.settings[name], ensure_ascii=False) for name in sorted(names)}
    facts = Facts(
        entries=pack.entries,
        problems=(*head.problems, *pack.faults),
        ignored_files=head.kinds,
        remarks=(*head.remarks, *compare_rules(source.path, head)),
        files=head.files,
        masked=(*head.masked, *masked_in(source.path, settings)),
        shared_transcripts=pack.unplaced,
        pack=head,
        planned=head.planned,
    )
    return move_reports(facts, {entry.id: entry.id for entry in facts.runs})


def compare_rules(path: str, head: packs.Head) -> list[str]:
    """Return a remark if figures of runs are counted by other rules than those of the version that made a pack."""
    versions = {**FIRST_RULES, **dict(head.rules)}
    measures = [measure for measure in RULES if versions[measure] != RULES[measure]]
    if not measures:
        return []
    names = sentence_list(measures).replace("score", "scores")
    return [OTHER_RULES.format(path=path, measures=names, version=head.version[:20])]


def name_pack(facts: Facts, path: str) -> Facts:
    """Return the facts of one pack of several under its name."""
    remarks = tuple(start_with_path(remark, path) for remark in facts.remarks)
    name = names.stem(path.removesuffix(packs.ENDING))
    return move_to_campaign(replace(facts, remarks=remarks), name)


def start_with_path(remark: str, path: str) -> str:
    """Return a remark that names its pack."""
    return remark if remark.startswith(path) else f"{path}: {remark}"


def move_to_campaign(facts: Facts, name: str, day: str | None = None) -> Facts:
    """Move all paths below a folder of the campaign, so that pages stay the same whatever other campaigns there are."""
    folder = names.folder_of_campaign(name)
    moved = {entry.id: move_entry(entry, folder, name) for entry in facts.runs}
    page_ids = {old_id: entry.id for old_id, entry in moved.items()}
    facts = move_reports(facts, page_ids, f"{folder}/")
    return replace(
        facts,
        entries=tuple(moved[entry.id] for entry in facts.entries),
        shared_transcripts=tuple(moved[entry.id] for entry in facts.shared_transcripts),
        ignored_files=tuple((f"{folder}/{path}", kind) for path, kind in facts.ignored_files),
        pack=None,
        days=((name, day),) if day else (),
        rules=((name, facts.pack.rules),) if facts.pack else (),
    )


def move_entry(entry: Entry, folder: str, campaign: str) -> Entry:
    """Move a run below a folder."""
    slug, _, digest = entry.id.rpartition("-")
    return replace(
        entry,
        id=page_names.page_id(f"{folder}-{slug}", f"{folder}/{digest}"),
        source=replace(entry.source, path=f"{folder}/{entry.source.path}"),
        campaign=campaign,
    )


def move_reports(facts: Facts, page_ids: Mapping[str, str], folder: str = "") -> Facts:
    """Move problems and masks to the new ids of their pages, below a folder."""

    def move(report: Report) -> Report:
        page_id = page_ids.get(report.page_id or "")
        return replace(report, path=f"{folder}{report.path}", page_id=page_id)

    problems = list(map(move, facts.problems))
    facts = replace(facts, problems=(), masked=tuple(map(move, facts.masked)))
    return add_problems(facts, problems)


def combine(campaigns: Iterable[Facts]) -> Facts:
    """Put campaigns together, in their order. Raises: PublishError if two runs would share a page."""
    parts = list(campaigns)
    entries = tuple(chain.from_iterable(part.entries for part in parts))
    refuse_same_ids(entries)
    facts = Facts(
        entries=entries,
        ignored_files=tuple(sorted(chain.from_iterable(part.ignored_files for part in parts))),
        remarks=unique(part.remarks for part in parts),
        files=sum(part.files for part in parts),
        masked=tuple(chain.from_iterable(part.masked for part in parts)),
        shared_transcripts=tuple(chain.from_iterable(part.shared_transcripts for part in parts)),
        days=tuple(chain.from_iterable(part.days for part in parts)),
        planned=unique(part.planned for part in parts),
        without_verdict=tuple(chain.from_iterable(part.without_verdict for part in parts)),
        left_out_tasks=frozenset().union(*(part.left_out_tasks for part in parts)),
        left_out=tuple(chain.from_iterable(part.left_out for part in parts)),
        rules=tuple(chain.from_iterable(part.rules for part in parts)),
        unmatched=tuple(chain.from_iterable(part.unmatched for part in parts)),
    )
    return add_problems(facts, chain.from_iterable(part.problems for part in parts))


def unique(texts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return each text once."""
    return tuple(dict.fromkeys(chain.from_iterable(texts)))


def drop_repeated_sessions(facts: Facts) -> Facts:
    """Keep each session of several packs once: the copy that has all answers of the other.

    Without answers, all figures have to be the same, so that a file cannot make a run disappear.
    """
    kept: dict[object, list[Entry]] = {}
    repeated: dict[str, Problem] = {}
    for entry in sorted(facts.entries, key=most_complete_first):
        others = kept.setdefault(session_key(entry), [])
        whole = next((other for other in others if is_repeated(entry.run, other.run)), None)
        if whole:
            repeated[entry.id] = report_same(entry, whole)
        else:
            others.append(entry)
    without = drop_runs(facts, lambda entry: entry.id in repeated)
    without = replace(without, files=facts.files)  # as files that are the same are counted
    return add_problems(without, repeated.values())


def most_complete_first(entry: Entry) -> tuple[int, float]:
    """Return the sort key by which the copy with most answers, then the most expensive, comes first."""
    return -len(entry.run.answers), -(entry.run.spent_usd or 0)


def session_key(entry: Entry) -> object:
    """Return what copies of a session have in common."""
    run = entry.run
    return run.uuid or (run.session_id, run.root or entry.started_at)


def is_repeated(run: Run, other: Run) -> bool:
    """Return whether a run is the beginning of another one, or the same."""
    if not run.session_id or not set(run.answers) <= set(other.answers):
        return False
    if not run.answers:
        return (run.ledger, run.cost_usd, run.turns) == (other.ledger, other.cost_usd, other.turns)
    return run.is_stated == other.is_stated and costs_no_more(run, other)


def costs_no_more(run: Run, other: Run) -> bool:
    """Compare reported costs; tokens if one is unknown, because list prices differ between builds."""
    if run.cost_usd is None or other.cost_usd is None:
        return (run.tokens.total or 0) <= (other.tokens.total or 0)
    return run.cost_usd <= other.cost_usd
