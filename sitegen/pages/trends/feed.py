"""The Atom feed of a site of several campaigns."""

import hashlib
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sitegen import figures
from sitegen.html.page_names import is_readable
from sitegen.numbers.trends import NEW, Alert, Count, MeasureTrend, Trends
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
    changes = followed.trends
    items = [*_campaigns(changes, followed.over_time.at, findings), *_alerts(changes)]
    items.sort(key=lambda item: (item.day, item.key), reverse=True)
    page = html.escape(address + PATH)
    own_address = html.escape(address + FEED)
    entries = "".join(
        f"<entry><id>{page}#{item.key}</id><title>{_xml(item.title)}</title><updated>{item.day}T00:00:00Z"
        f'</updated><link href="{page}"/><summary>{_xml(item.text)}</summary></entry>\n'
        for item in items[:MAX_ENTRIES]
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{page}</id><title>{_xml(title)}</title><updated>{changes.campaigns[-1].day}T00:00:00Z</updated>\n"
        f'<author><name>{_xml(title)}</name></author><link href="{page}"/><link rel="self" href="{own_address}"/>\n'
        f"{entries}</feed>\n"
    ).encode()


def _campaigns(changes: Trends, here: int, findings: str) -> Iterator[_Item]:
    for position, campaign in enumerate(changes.campaigns):
        by_model: dict[str, list[str]] = {}
        for trend in changes.measures:
            point = trend.points[position]
            if point:
                by_model.setdefault(trend.model, []).append(_figure(trend, point.value))
        texts = [figures.plural(campaign.runs, "run")]
        texts += [f"{model}: {', '.join(known)}" for model, known in by_model.items()]
        if findings and position == here:
            texts.append(findings)
        key = _key("campaign", campaign.day, campaign.name)
        title = f"New campaign: {campaign.name}"
        yield _Item(key, campaign.day, title, f"{'; '.join(texts)}.")


def _figure(trend: MeasureTrend, figure: float) -> str:
    text = trend.about + value(trend.measure, figure)
    if trend.measure == "success":
        return f"{text} passed"
    return (
        f"{text} a run" if trend.measure == "cost" else f"mean {measure_name(trend.measure)} {text}"
    )


def _key(*parts: str) -> str:
    """Return what people can read, and what tells it apart."""
    text = "-".join(parts)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    key = f"{slug(text)}-{digest}"
    return key if is_readable(key) else digest


def _alerts(changes: Trends) -> Iterator[_Item]:
    """Yield all that was announced, on the day on which it was clear."""
    for task in changes.tasks:
        for alert in task.alerts:
            newly = "newly " if alert.verdict in NEW else ""
            title = f"{task.task} {newly}{alert.verdict}"
            since = named(changes, alert.since)
            after, earlier = _describe_count(alert.after), _describe_count(alert.before)
            text = f"{task.model} passed {after} since {since}, and {earlier} before."
            yield _alert(changes, alert, title, text, task.task, task.model)
    for trend in changes.measures:
        for alert in trend.alerts:
            title = figures.capitalized(measured(trend, alert))
            text = f"{title} with {named(changes, alert.since)}."
            yield _alert(changes, alert, title, text, trend.measure, trend.model)


def _alert(changes: Trends, alert: Alert, title: str, text: str, *key: str) -> _Item:
    since = changes.campaigns[alert.since]
    clear = changes.campaigns[alert.detected]
    return _Item(_key("alert", since.day, since.name, *key), clear.day, title, text)


def _describe_count(count: Count | float) -> str:
    """Return how many judged runs passed; alerts of tasks have no other figure."""
    if not isinstance(count, Count):
        return figures.UNKNOWN
    return f"{figures.count(count.passed)} of {figures.plural(count.judged, 'run')}"


def _xml(text: str) -> str:
    """Return text of a stranger; XML has no words for some characters."""
    return html.escape(_NO_XML.sub("\ufffd", text), quote=False)


_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
