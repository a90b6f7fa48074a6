"""The parts of a site for those who do not look at it: the meaning of its data, for programs and agents."""

from collections.abc import Iterator, Sequence
from functools import partial

from sitegen.config import Config
from sitegen.fields import fields_of
from sitegen.model import Entry
from sitegen.pages.data import MODEL_COLUMNS, told
from sitegen.pages.overall import Report
from sitegen.pages.text_tables import markdown_text
from sitegen.publish.files import File, Made

LLMS, README = "llms.txt", "data/README.md"

_ABOUT = told("files")
_PAGES = told("pages")


def files_for_programs(config: Config, report: Report, written: Sequence[str]) -> Iterator[File]:
    """Yield llms.txt and the description of the data; `written` are all paths."""
    readme = data_readme([*written, README], report.facts.entries)
    yield File(README, None, partial(Made, readme))
    yield File(LLMS, None, partial(Made, llms_txt(config, [*written, README])))


def llms_txt(config: Config, paths: Sequence[str]) -> bytes:
    """Return the pages and data files of the site in the form of llmstxt.org."""
    told = "A report on runs of coding agents: cost, tokens, time, steps and outcomes."
    pages = [(path, about) for path, about in _PAGES.items() if path in paths]
    data = [(path, about) for path, about in _ABOUT.items() if path in paths]
    parts = [
        f"# {markdown_text(config.title)}\n\n> {told} Unknown values are null or empty, never zero.",
        _list("Data", data),
        _list("Pages", pages),
        "Every run has a page (column `page` of data/runs.csv); pages of groups and comparisons are in\n"
        "data/figures.json (`page`).\n",
    ]
    return "\n\n".join(parts).encode()


def _list(title: str, files: Sequence[tuple[str, str]]) -> str:
    return "\n".join(
        [f"## {title}", "", *(f"- [{path}]({path}): {about}" for path, about in files)]
    )


def data_readme(paths: Sequence[str], entries: Sequence[Entry]) -> bytes:
    """Return what each data file and each column of runs and models means, as Markdown."""
    files = [
        (path.removeprefix("data/"), about)
        for path, about in sorted(_ABOUT.items())
        if path in paths
    ]
    study = [
        path.removeprefix("data/")
        for path in paths
        if path.startswith("data/study-") and path.endswith(".csv")
    ]
    files += [(name, "A table of the study; as LaTeX in the .tex file beside it") for name in study]
    parts = [
        "# The data of this site\n\nUnknown values are empty cells in CSV and null in JSON, never zero.",
        _meanings("Files", files),
        _meanings(
            "Columns of runs.csv and runs.json",
            [(field.key, field.about) for field in fields_of(entries)],
        ),
        _meanings("Columns of models.csv and models.json", list(MODEL_COLUMNS.items())),
        _meanings("Keys of figures.json", list(told("keys").items())),
    ]
    return ("\n\n".join(parts) + "\n").encode()


def _meanings(title: str, rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join([f"## {title}", "", *(f"- `{name}`: {about}" for name, about in rows)])
