"""The contents of results of tools in files of Claude Code, what it keeps of edits, and what a message used."""

from sitegen.model import Tokens
from sitegen.readers.common.call_counts import bytes_of
from sitegen.readers.common.records import (
    Record,
    count_of,
    object_of,
    objects_of,
    text_of,
    value_at,
)
from sitegen.readers.common.tool_log import lines_of
from sitegen.readers.common.values import beginning
from sitegen.readers.common.writers import held_to_total

_MAX_LINE = 2_000  # characters of a line that an edit changed
_RATES = ("us", "fast", "batch")


def blocks_in(content: object) -> list[Record]:
    """Return the blocks of a content that is not a text."""
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def text_in(content: object) -> str:
    """Return the text of a content; of an image only that there is one."""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for block in blocks_in(content):
        text = block.get("text")
        texts.append(text if isinstance(text, str) else f"[{block.get('type')}]"[:100])
    return "\n".join(texts)


def size_of(content: object) -> int:
    """Return the bytes of a content, images included."""
    if isinstance(content, str):
        return bytes_of(content)
    held = (value_at(block, "source.data") or block.get("text") for block in blocks_in(content))
    return sum(bytes_of(data) for data in held if isinstance(data, str))


def changed_lines(arguments: Record, details: Record) -> tuple[int, int] | None:
    """Return lines added and removed by an edit that succeeded, as the program keeps them; None where it does not."""
    hunks = details.get("structuredPatch")
    content = arguments.get("content")
    if not isinstance(hunks, list):
        return None
    if not hunks and details.get("type") == "create" and isinstance(content, str):
        return len(content.splitlines()), 0
    return lines_of("\n".join(_patched_lines(details))) or (0, 0)


def changes_of(arguments: Record, details: Record) -> str:
    """Return the lines that an edit removes and adds, after `-` and `+`: from the patch, else from its input."""
    lines = _patched_lines(details)
    if not lines:
        for edit in objects_of(arguments, "edits") or (arguments,):
            lines += _edited_lines(edit)
    return "\n".join(beginning(line, _MAX_LINE) for line in lines)


def _edited_lines(edit: Record) -> list[str]:
    old = text_of(edit, "old_string") or ""
    new = text_of(edit, "new_string") or text_of(edit, "content") or ""
    removed = [f"-{line}" for line in old.splitlines()]
    return removed + [f"+{line}" for line in new.splitlines()]


def _patched_lines(details: Record) -> list[str]:
    found: list[str] = []
    for hunk in objects_of(details, "structuredPatch"):
        lines = hunk.get("lines")
        if isinstance(lines, list):
            found += [line for line in lines if isinstance(line, str)]
    return found


def rates_of(usage: Record) -> tuple[str, ...]:
    """Return what a message says that changes the price of a token, as in `Run.billed_as`."""
    stated = (usage.get("inference_geo"), usage.get("speed"), usage.get("service_tier"))
    return tuple(sorted(rate for rate in stated if rate in _RATES))


def tokens_of(usage: Record, *, cache_in_input: bool) -> Tokens:
    """Return what a message says that it used."""
    write = count_of(usage, "cache_creation_input_tokens")
    read = count_of(usage, "cache_read_input_tokens")
    output = count_of(usage, "output_tokens")
    hour = _hour_writes(object_of(usage, "cache_creation"), write)
    tokens = Tokens(count_of(usage, "input_tokens"), write, read, output, hour)
    if not cache_in_input and "total_tokens" not in usage:  # the usual case
        return tokens
    return held_to_total(tokens, count_of(usage, "total_tokens"), cache_in_input=cache_in_input)


def _hour_writes(split: Record, write: int | None) -> int | None:
    """Return the part of cache writes that was written for an hour; a split that does not add up says nothing."""
    if not write:
        return write
    hour = count_of(split, "ephemeral_1h_input_tokens")
    minutes = count_of(split, "ephemeral_5m_input_tokens") or 0
    return hour if hour is not None and hour + minutes == write else None
