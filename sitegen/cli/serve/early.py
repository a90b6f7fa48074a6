"""Makes the page of a run that was saved before all else is built: in a large campaign the rest takes seconds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.inputs.discover import Discovery
from sitegen.inputs.survey import Naming, survey
from sitegen.model import Entry
from sitegen.names import run_path
from sitegen.pages.run.pages import RunPages
from sitegen.pages.site import Site


def early_pages(site: Site, entries: Sequence[Entry], changed: Collection[Path]) -> Iterator[tuple[str, bytes]]:
    """Path and content of the page of each run in a changed file, as far as they follow from this file alone.

    `entries` are those of the last build. What is stated of the run elsewhere is as it was then. Sessions of several
    files are left to the build, and so is a file that cannot be read at this moment.
    Raises: PublishError, ConfigError.
    """
    names = {path.name for path in changed}
    for position, entry in enumerate(entries):
        source = entry.source
        is_alone = source.member is None and not entry.lanes and not entry.copied_from and not entry.stated_in
        if is_alone and Path(source.location).name in names and any(map(Path(source.location).samefile, changed)):
            page = _page(site, entries, position)
            if page is not None:
                yield run_path(entry.id), page


def _page(site: Site, entries: Sequence[Entry], position: int) -> bytes | None:
    """The page of the run at this position; None where its file holds no such run now."""
    old, bounds = entries[position], site.config.limits.bounds()
    source = replace(old.source, size=Path(old.source.location).stat().st_size)
    naming = Naming([None] * (source.input + 1), site.config.tasks, site.config.models)  # what its path says stays
    read = survey(Discovery((source,), (), (), bounds=bounds), naming, site.redactor, lambda _, items: items)
    new = next((entry for entry in read.entries if entry.number == old.number), None)
    if new is None:
        return None
    entry = replace(
        old,
        source=source,
        digest=new.digest,
        run=site.prices.computed(new.run, old.stated_model),
        about=new.about,
        model=new.model if new.run.model is not None else old.model,
        ledger_names=new.ledger_names,
        is_untouched=new.is_untouched,
    )
    previous = entries[position - 1] if position else None
    following = entries[position + 1] if position + 1 < len(entries) else None
    pages = RunPages.of(site)
    made = pages.page(entry, pages.around(entry, previous, following))
    return site.scan.finish(run_path(entry.id), made.data)[0]
