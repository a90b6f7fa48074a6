"""The page of problems: what was skipped, what is doubtful, what was masked, and what was checked."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sitegen import figures
from sitegen.collect import Facts
from sitegen.html.render import Page, View
from sitegen.model import Entry
from sitegen.numbers.pricing import Checks
from sitegen.numbers.statistics import dimension_of
from sitegen.pages.findings import Finding, Group, Severity, in_groups, split_causes
from sitegen.pages.views import FactView, LinkView, runs_with
from sitegen.readers.kinds import in_words
from sitegen.text.names import run_path

ROWS_PER_GROUP = 500  # rows of one table on the problems page; the data file holds them all
MAX_OPEN = 5  # rows that stand open of what was read all the same; more are folded
MAX_LISTED = 100  # runs or files of one row that are listed

ENDS = ("lost", "incomplete", "same-patch", "unreconciled", "excluded")
"""Groups of runs, whose rows say how many each configuration has."""

NO_PROBLEMS = "No problems"


def problems_page(facts: Facts, findings: Sequence[Finding], checks: Checks) -> Page:
    """Return the page of problems, which exists without any; also says what was masked."""
    entries = facts.entries
    by_id = {entry.id: entry for entry in entries}
    sections = tuple(
        _section(group, listed, by_id) for group, listed in in_groups(findings) if group.heading
    )
    heading = heading_of(findings)
    skipped = sum(finding.group_id == "skipped" for finding in findings)
    rest = "Every file that claims to be a run could be read."
    if skipped:
        verb = "is" if skipped == 1 else "are"
        unread = f"{figures.plural(skipped, 'file')} could not be read"
        rest = f"{unread} and {verb} on no other page."
    verb = "was" if len(entries) == 1 else "were"
    view = View(
        heading=heading,
        lead=f"{figures.plural(len(entries), 'run')} {verb} read. {rest}",
        groups=sections,
        ignored=list(in_words(facts.ignored_files)),
        checked=list(_checked(facts, findings, checks)),
    )
    about = (
        "Files that could not be read, runs that did not complete, and figures that do not agree."
    )
    return Page("problems.html", "problems.html.jinja", heading, about, "problems", view)


def heading_of(findings: Sequence[Finding]) -> str:
    """Return the heading of the page: NO_PROBLEMS only where nothing on it, but what was masked, is one."""
    counts = dict.fromkeys(("lost", "incomplete"), 0)
    for finding in findings:
        group = finding.group
        if group.id in counts:
            counts[group.id] += 1
        elif group.is_problem or finding.severity is not Severity.NOTE:
            return "Problems"
    if counts["lost"]:
        return figures.plural(counts["lost"], "lost run")
    if incomplete := counts["incomplete"]:
        return f"No file has a problem; {figures.plural(incomplete, 'run')} did not complete"
    return NO_PROBLEMS


def _section(group: Group, findings: Sequence[Finding], entries: Mapping[str, Entry]) -> View:
    """Return the section of a group: a row for each cause, or sentences."""
    causes = split_causes(findings, lambda finding: finding.text)
    rows = tuple(_row(same_cause, entries) for same_cause in causes[:ROWS_PER_GROUP])
    is_folded = group.read == "yes" and len(rows) > MAX_OPEN
    total = sum(finding.count for finding in findings)
    count = figures.count(total)
    runs = len({finding.page_id or finding.path for finding in findings})
    if group.id in ("doubtful", "missing") and runs < total:
        count = f"{figures.count(runs)}, {count} remarks"
    return View(
        id=group.id,
        heading=group.heading,
        note=group.note,
        what=group.what,
        is_read=group.read == "yes",
        count=count,
        rows=rows,
        folded=figures.plural(len(rows), "cause") if is_folded else "",
        more=_more(sum(map(len, causes[ROWS_PER_GROUP:]))),
    )


def _row(same_cause: Sequence[Finding], entries: Mapping[str, Entry]) -> View:
    """Return the row of findings of one cause."""
    first = same_cause[0]
    group = first.group
    varies = any(finding.text != first.text for finding in same_cause)
    is_one = len(same_cause) == 1
    listed = []
    for finding in same_cause[:MAX_LISTED]:
        detail = finding.text
        if not varies:
            done = "" if is_one else finding.done
            detail = figures.capitalized(finding.place or "") or done
        entry = entries.get(finding.page_id or "")
        name = entry.name if entry else finding.path
        href = finding.page_id and run_path(finding.page_id)
        listed.append(View(name=name, href=href, place=detail))
    reason = f"For example: {first.text}" if varies else first.text
    if group.id == "masked":
        reason = f"{figures.count(sum(finding.count for finding in same_cause))} \u00d7 {reason}"
    count = ""
    links: list[LinkView] = []
    if not is_one:
        count = figures.plural(len(same_cause), _WORDS.get(group.what, "file"))
        if group.id in ENDS:
            runs = [entries.get(finding.page_id or "") for finding in same_cause]
            links = _by_configuration([run for run in runs if run])
    return View(
        found=listed,
        more=_more(len(same_cause) - MAX_LISTED),
        count=count,
        reason=reason,
        done=(first.done if is_one else "") or group.done,
        code=first.code,
        by=links,
    )


_WORDS = {"Run": "run", "Planned run": "run", "Gate": "gate"}


def _more(left: int) -> str | None:
    """Return the sentence below the rows of a group that are shown."""
    if left <= 0:
        return None
    return f"{figures.count(left)} more {'is' if left == 1 else 'are'} in data/findings.json."


def _by_configuration(runs: Sequence[Entry]) -> list[LinkView]:
    """Return how many of these runs each configuration has, with a link to them."""
    key = dimension_of(runs).value
    statuses = sorted({run.run.status_detail or "" for run in runs})
    counts = Counter(run.compared_as for run in runs)
    links = []
    for name, count in counts.most_common(MAX_LISTED):
        chosen = {"status_detail": statuses}
        if name:
            chosen[key] = [name]
        text = f"{figures.plural(count, 'run')} of {name or 'no known model'}"
        links.append(LinkView(runs_with(chosen), text))
    return links


def _checked(facts: Facts, findings: Sequence[Finding], checks: Checks) -> Iterator[FactView]:
    """Yield what was checked, and what came of it."""
    entries = facts.entries
    sums = [entry.run.sums_agree for entry in entries if entry.run.sums_agree is not None]
    if sums:
        runs = figures.plural(len(sums), "run")
        value = f"{sum(sums)} of {runs}"
        yield FactView("Cost adds up over models", value, "to half a cent")
    prices = [checks[entry.id] for entry in entries if entry.run.cost_usd and entry.id in checks]
    priced = [check for check in prices if check.list_usd is not None]
    if priced:
        reproduced = sum(check.by_kind is not None for check in priced)
        value = f"{reproduced} of {figures.plural(len(priced), 'run')}"
        yield FactView("List price reproduces the cost", value, "to 1%")
    merged = sum(finding.group_id == "merged" for finding in findings)
    yield FactView("Duplicate files", figures.count(merged) if merged else "none")
    ignored = len(facts.ignored_files)
    files = figures.plural(ignored, "file or folder", "files and folders")
    yield FactView("Ignored", files if ignored else "none")
