"""The places of secrets and personal data in files, whether these are runs or not."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen import figures
from sitegen.errors import ConfigError
from sitegen.inputs import discover
from sitegen.inputs.archives import kind_of
from sitegen.masking.redact import Redactor, clean_text


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of a scan."""

    findings: tuple[tuple[str, str, int], ...]
    """The findings by file: `path:line`, the kind and the count. The name of a file counts as its first line."""
    files: int
    remarks: tuple[str, ...]


def scan_files(paths: Sequence[str | Path], redactor: Redactor) -> Scan:
    """Look through files, folders and what glob patterns match, hidden files included.

    Archives are read as bytes and not opened. In folders links, pipes, sockets and devices are not read.
    Raises: ConfigError when a path does not exist or cannot be read.
    """
    found = discover.all_files(paths)
    faults = [f"{problem.path}: {problem.reason}" for problem in found.problems]
    if faults:
        raise ConfigError("\n".join(faults))
    findings: list[tuple[str, str, int]] = []
    binary: list[str] = []
    for source in found.sources:
        file = Path(source.location)
        try:
            with discover.opened(source) as opened:
                data = opened.read()
        except OSError as error:
            raise ConfigError(f"{file} cannot be read: {error.strerror}.") from None
        text = clean_text(data.decode("utf-8", "replace"))
        if kind_of(source.location) is None and (b"\0" in data or data.startswith(b"%PDF")):
            binary.append(str(file))
        finds = [(text.count("\n", 0, each.start) + 1, each.kind) for each in redactor.find(text)]
        finds += [(1, each.kind) for each in redactor.find(file.name)]
        findings += [
            (f"{file}:{line}", kind, count)
            for (line, kind), count in sorted(Counter(finds).items())
        ]
    return Scan(tuple(findings), len(found.sources), tuple(_remarks(found, binary)))


def _remarks(found: discover.Discovery, binary: Sequence[str]) -> Iterator[str]:
    if binary:
        are = "file is not text, and was" if len(binary) == 1 else "files are not text, and were"
        yield f"{figures.count(len(binary))} {are} searched as bytes only: {', '.join(binary)}."
    archives = sum(kind_of(source.location) is not None for source in found.sources)
    if archives == 1:
        yield "1 archive was not opened. Unpack it to scan what it holds."
    elif archives:
        yield f"{figures.count(archives)} archives were not opened. Unpack them to scan what they hold."
    if passed := discover.passed_over(found):
        yield passed
