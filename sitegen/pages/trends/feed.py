"""The Atom feed of a site of several campaigns."""

import hashlib
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sitegen import figures
from sitegen.html.page_names import is_readable
from sitegen.numbers.trends import NEW, Alert, Count, MeasureTrend, TaskTrend, Trends
from sitegen.numbers.wording import value
from sitegen.pages.trends import PATH, Followed
from sitegen.pages.trends.trend_words import measure_name, measured, named
from sitegen.text.names import slug

FEED = "feed.xml"

MAX_ENTRIES = 50  # the newest


@dataclass(frozen=True, slots=True)
class _Item:
    """An entry of the feed; `key` tells it from all others, in every build."""

    key: str
    day: str
    title: str
    text: str


def feed(title: str, address: str, followed: Followed, findings: str = "") -> bytes:
    """New campaigns and alerts, the newest first. `findings` says how many that of this site has."""
    found = followed.trends
    here = followed.over_time.at
    items = sorted(
        [*_campaigns(found, here, findings), *_alerts(found)],
        key=lambda each: (each.day, each.key),
        reverse=True,
    )
    page = html.escape(address + PATH)
    own = html.escape(address + FEED)
    entries = "".join(
        f"<entry><id>{page}#{each.key}</id><title>{_xml(each.title)}</title><updated>{each.day}T00:00:00Z"
        f'</updated><link href="{page}"/><summary>{_xml(each.text)}</summary></entry>\n'
        for each in items[:MAX_ENTRIES]
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{page}</id><title>{_xml(title)}</title><updated>{found.campaigns[-1].day}T00:00:00Z</updated>\n"
        f'<author><name>{_xml(title)}</name></author><link href="{page}"/><link rel="self" href="{own}"/>\n'
        f"{entries}</feed>\n"
    ).encode()


def _campaigns(found: Trends, here: int, findings: str) -> Iterator[_Item]:
    for position, each in enumerate(found.campaigns):
        by_model: dict[str, list[str]] = {}
        for line in found.measures:
            if point := line.points[position]:
                by_model.setdefault(line.model, []).append(_said(line, point.value))
        told = [f"{model}: {', '.join(said)}" for model, said in by_model.items()]
        counted = [findings] if findings and position == here else []
        text = "; ".join([figures.plural(each.runs, "run"), *told, *counted])
        yield _Item(
            _key("campaign", each.day, each.name),
            each.day,
            f"New campaign: {each.name}",
            f"{text}.",
        )


def _said(line: MeasureTrend, figure: float) -> str:
    measure = line.measure
    written = line.about + value(line.measure, figure)
    if measure == "success":
        return f"{written} passed"
    return f"{written} a run" if measure == "cost" else f"mean {measure_name(measure)} {written}"


def _key(*parts: str) -> str:
    """Return what people can read, and what tells it apart."""
    text = "-".join(parts)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    key = f"{slug(text)}-{digest}"
    return key if is_readable(key) else digest


def _alerts(found: Trends) -> Iterator[_Item]:
    """Yield all that was announced, on the day on which it was clear."""
    for task in found.tasks:
        for alert in task.alerts:
            newly = "newly " if alert.verdict in NEW else ""
            title = f"{task.task} {newly}{alert.verdict}"
            yield _alert(found, alert, title, _why(found, task, alert), task.task, task.model)
    for line in found.measures:
        for alert in line.alerts:
            said = measured(line, alert)
            title = said[:1].upper() + said[1:]
            text = f"{title} with {named(found, alert.since)}."
            yield _alert(found, alert, title, text, line.measure, line.model)


def _alert(found: Trends, alert: Alert, title: str, text: str, *key: str) -> _Item:
    since = found.campaigns[alert.since]
    clear = found.campaigns[alert.detected]
    return _Item(_key("alert", since.day, since.name, *key), clear.day, title, text)


def _why(found: Trends, each: TaskTrend, alert: Alert) -> str:
    after, before = (
        f"{figures.count(own.passed)} of {figures.plural(own.judged, 'run')}"
        for own in (alert.after, alert.before)
        if isinstance(own, Count)
    )
    return f"{each.model} passed {after} since {named(found, alert.since)}, and {before} before."


def _xml(text: str) -> str:
    """Return text of a stranger; XML has no words for some characters."""
    return html.escape(_NO_XML.sub("\ufffd", text), quote=False)


_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
