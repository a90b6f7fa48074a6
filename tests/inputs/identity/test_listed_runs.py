"""Folders of the runs that a file lists."""

from __future__ import annotations

from dataclasses import replace

from sitegen.inputs.identity.listed_runs import find_listed
from sitegen.model import Entry, Run, Status
from tests.support.chart_runs import entry


def listed(attempt: int, **facts: object) -> Entry:
    run = Run(
        "Vally trial", Status.OK, folder="vally", task="tide", evaluation="Harbour", attempt=attempt
    )
    return placed(f"o/results.jsonl#{attempt}", replace(run, **facts))


def placed(path: str, run: Run) -> Entry:
    own = entry(0)
    return replace(own, id=path, source=replace(own.source, path=path), run=run)


SESSION = Run("Copilot session", Status.OK)


def test_folders_may_name_the_trial() -> None:
    records = [placed(f"o/harbour/tide/unknown/{n}/events.jsonl", SESSION) for n in (0, 1, 2)]
    runs = [listed(0), listed(1)]
    assert list(find_listed("o", runs, [*runs, *records])) == []  # the model is not known
    records = [placed(f"o/harbour/tide//{n}/events.jsonl", SESSION) for n in (0, 1, 2)]
    places = list(find_listed("o", runs, [*runs, *records]))
    assert [(folder, run.id) for folder, run in places] == [
        ("o/harbour/tide//0", runs[0].id),
        ("o/harbour/tide//1", runs[1].id),
    ]


def test_a_file_that_fits_several_runs_is_of_none() -> None:
    stated = placed("o/x/metadata.json", listed(0).run)
    twins = [listed(0), replace(listed(0), id="other")]
    assert list(find_listed("o", twins, [stated])) == []
    assert [run.id for _, run in find_listed("o", twins[:1], [stated])] == [twins[0].id]


def test_sessions_are_compared_before_anything_else() -> None:
    run = listed(0, session_id="5e55-10n-a")
    same = placed("o/a/b", replace(SESSION, session_id="5e55-10n-a"))
    other = placed("o/harbour/tide//0/b", replace(SESSION, session_id="5e55-10n-b"))
    assert list(find_listed("o", [run], [other, same])) == [("o/a", run)]
    unnamed = placed("o/harbour/tide//0/b", SESSION)
    assert list(find_listed("o", [run], [other, unnamed])) == [("o/harbour/tide//0", run)]


def test_files_elsewhere_belong_to_no_list() -> None:
    record = placed("p/harbour/tide//0/events.jsonl", SESSION)
    assert list(find_listed("o", [listed(0)], [record])) == []
    assert list(find_listed("o", [], [record])) == []


def test_a_list_may_be_at_the_top_and_a_folder_is_found_once() -> None:
    run = listed(0)
    records = [placed(f"harbour/tide//0/{name}.jsonl", SESSION) for name in "ab"]
    assert list(find_listed("", [run], [run, *records])) == [("harbour/tide//0", run)]
    below = [placed(f"o/harbour/tide//0/{name}.jsonl", SESSION) for name in "ab"]
    assert list(find_listed("o", [run], below)) == [("o/harbour/tide//0", run)]
    assert list(find_listed("o/h", [run], below)) == [], "not a folder of that path"
