"""The kinds of records and the fields of a result that versions of Claude Code up to 2.1.329 are known to write, and
the rows of what no section of a page shows.

Read or not: what is not known has come since, or is another program's, and is named on the problems page.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sitegen.model import Texts
from sitegen.readers.claude.endings import FIELDS
from sitegen.readers.claude.texts import MAX_DENIALS, denials_of
from sitegen.readers.common.fields import Rows, compact, field_kinds
from sitegen.readers.common.records import Record, known, without
from sitegen.readers.common.values import Fields

MAX_UNKNOWN = 20
_KINDS = known("claude")
_OF_SYSTEM = known("claude system")
_FIELDS = known("claude result")
_FAMILIES = ("first_stream_post_", "first_text_post_", "model_refusal_")
KINDS_OF_FIELDS = field_kinds(
    fact="init.tools init.slash_commands init.agents init.skills init.mcp_servers init.plugins.name",
    answer="results.result",
    content="results",
)


def unknown_names(kinds: Iterable[str], result: Record) -> tuple[str, ...]:
    """Return which of the kinds of records, `system/init` or `user`, and which fields of a result nobody here knows."""
    names = [f"result.{name}" for name in result if not _is_known_field(name)]
    names += [kind for kind in kinds if not _is_known_kind(kind)]
    return tuple(sorted(dict.fromkeys(name[:100] for name in names))[:MAX_UNKNOWN])


def _is_known_field(name: str) -> bool:
    return name in _FIELDS or name.startswith(_FAMILIES)


def _is_known_kind(kind: str) -> bool:
    main, _, sub = kind.partition("/")
    if kind == "None":
        return True
    if main == "system" and sub and sub not in _OF_SYSTEM and not sub.startswith(_FAMILIES):
        return False
    return main in _KINDS


def add_rows(
    rows: Rows,
    kinds: Mapping[str, int],
    results: Sequence[Fields],
    init: Fields,
    texts: Texts,
    unread: Record,
) -> None:
    """Add every field that no section shows: of the last result, of a stream's beginning, and how many records it has.
    `unread` is what is left of `modelUsage`."""
    _add_earlier_results(rows, results, texts)
    if results:
        for name, value in _rest_of(results[-1], unread):
            rows.add(name, value)
    init.use("type", "subtype")
    for name, value in init.rest().items():
        rows.add(f"init.{name}", value)
    for kind, number in kinds.items() if len(kinds) > 1 else ():
        rows.add(f"records.{kind}", number)
    _add_denials(rows, results)


def _add_earlier_results(rows: Rows, results: Sequence[Fields], texts: Texts) -> None:
    for number, result in enumerate(results):
        text = result.record.get("result")
        if result is not results[-1]:
            rows.add(f"results[{number}]", compact(without(result.record, "type", "result")))
        if isinstance(text, str) and text not in ("", texts.summary, *texts.errors):
            rows.add(f"results[{number}].result", text)


def _rest_of(last: Fields, unread: Record) -> Iterator[tuple[str, object]]:
    """Yield the fields of the last result that no section shows."""
    last.use("type")
    for name, value in last.rest(*FIELDS).items():
        shown = value
        if name == "modelUsage" and isinstance(value, dict):
            shown = unread
        elif name == "usage" and isinstance(value, dict):
            shown = without(value, "service_tier")
        if shown or not isinstance(shown, dict) or not last.record[name]:
            yield name, shown


def _add_denials(rows: Rows, results: Sequence[Fields]) -> None:
    denials = denials_of(results) or []
    for number, denial in enumerate(denials[:MAX_DENIALS]):
        if isinstance(denial, dict):
            rest = without(denial, "tool_name", "tool_input")
            if rest:
                rows.add(f"permission_denials[{number}]", rest)
