"""The folders of programs that run agents: which files are expected there, and what their paths say."""

from __future__ import annotations

import re

import pytest

from sitegen.model import Status
from sitegen.readers.folders import FIRST_EVENT, FOLDERS, OTHER_EVENT, RunFolder

FOLDER = RunFolder("demo", r"result\.json", r"agent/.+", r"trial\.log", signs=frozenset("ab"))


@pytest.mark.parametrize(
    ("within", "is_known", "is_result", "is_record"),
    [
        ("result.json", True, True, False),
        ("agent/x.jsonl", True, False, True),
        ("trial.log", True, False, False),
        ("other.json", False, False, False),
        ("result.json.gz", False, False, False),
        ("x/result.json", False, False, False),
        ("agent/", False, False, False),
    ],
)
def test_files_are_known_by_their_whole_path(
    within: str, is_known: bool, is_result: bool, is_record: bool
) -> None:
    assert FOLDER.is_known(within) is is_known
    assert FOLDER.is_result(within) is is_result
    assert FOLDER.is_record(within) is is_record


def test_expressions_that_are_empty_know_no_file() -> None:
    folder = RunFolder("demo", "", "", "")
    assert not folder.is_known("") and not folder.is_known("a")


@pytest.mark.parametrize(
    ("path", "neighbours", "is_beside"),
    [
        ("x/trial.log", "abc", True),
        ("trial.log", "ab", True),
        ("x/trial.log", "ac", False),
        ("x/result.json", "ab", False),
    ],
)
def test_a_file_beside_a_run_is_known_by_its_name_and_its_neighbours(
    path: str, neighbours: str, is_beside: bool
) -> None:
    assert FOLDER.is_beside_run(path, lambda: frozenset(neighbours)) is is_beside


def test_without_signs_neighbours_tell_nothing() -> None:
    folder = FOLDER._replace(signs=frozenset())
    assert not folder.is_beside_run("trial.log", lambda: frozenset("ab"))


def test_parts_of_a_file_need_not_be_read() -> None:
    folder = FOLDER._replace(parts=re.compile("part-[0-9]"))
    assert folder.is_beside_run("x/part-2", frozenset)
    assert not folder.is_beside_run("x/part-22", frozenset)


@pytest.mark.parametrize(
    ("shown_by", "path", "neighbours", "is_emptied"),
    [
        ("ab", "x/result.json", "bz", True),
        ("ab", "x/result.json", "z", False),
        ("ab", "x/trial.log", "b", False),
        ("", "x/result.json", "b", False),
    ],
)
def test_an_empty_result_shows_a_run_that_died_beside_certain_files(
    shown_by: str, path: str, neighbours: str, is_emptied: bool
) -> None:
    folder = FOLDER._replace(shown_by=frozenset(shown_by))
    assert folder.is_emptied_by(path, lambda: frozenset(neighbours)) is is_emptied


@pytest.mark.parametrize(
    ("name", "is_first", "is_other"),
    [
        ("event-0-abc.json", True, False),
        ("event-00000-abc.json", True, False),
        ("event-00001-abc.json", False, True),
        ("event-10-abc.json", False, False),
        ("event-100-abc.json", False, True),
        ("event-1234567890-abc.json", False, False),
        ("event-00000-.json", False, False),
        (f"event-00000-{'x' * 200}.json", True, False),
        (f"event-00000-{'x' * 201}.json", False, False),
        (f"event-00001-{'x' * 201}.json", False, False),
    ],
)
def test_events_of_a_conversation_are_known_by_their_names(
    name: str, is_first: bool, is_other: bool
) -> None:
    assert (FIRST_EVENT.fullmatch(name) is not None) is is_first
    assert (OTHER_EVENT.fullmatch(name) is not None) is is_other


PLACE = "sglan/codex-cli/claude-opus-45/2026-03-01_10-00-00/item-1"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (f"{PLACE}/journal.json", "Codex run"),
        (f"runs/{PLACE}/journal.json", "Codex run"),
        (f"{PLACE}/more/journal.json", "ISO-Bench run"),
        ("journal.json", "ISO-Bench run"),
    ],
)
def test_a_run_of_iso_bench_that_died_is_named_by_its_path(path: str, name: str) -> None:
    died = FOLDERS["iso-bench"].died
    assert died and died(path) == name


@pytest.mark.parametrize(
    ("path", "task", "facts"),
    [
        (f"{PLACE}/run_summary.json", "t-1", {"model": "claude-opus-4-5"}),
        (
            f"{PLACE}/journal.json",
            "vllm-012-34",
            {"model": "claude-opus-4-5", "task": "sglan-34"},
        ),
        (f"{PLACE}/journal.json", "sglang-34", {"model": "claude-opus-4-5"}),
        (f"{PLACE}/journal.json", None, {"model": "claude-opus-4-5"}),
        (f"{PLACE.replace('claude-opus-45', 'default')}/journal.json", "sglang-1", {}),
        (f"{PLACE.replace('claude-opus-45', 'gpt-51')}/x.json", "t", {"model": "gpt-51"}),
        (f"{PLACE.partition('/')[2]}/journal.json", "t", {"model": "claude-opus-4-5"}),
        ("journal.json", "t", {}),
    ],
)
def test_the_path_of_a_run_of_iso_bench_names_its_model_and_its_repository(
    path: str, task: str | None, facts: dict[str, str]
) -> None:
    read_path = FOLDERS["iso-bench"].read_path
    assert read_path and read_path(path, task) == facts


def test_each_program_has_its_own_rules() -> None:
    assert {key for key, folder in FOLDERS.items() if folder.key != key} == set()
    iso = FOLDERS["iso-bench"]
    assert (iso.decides, iso.counts_attempts) == (frozenset({Status.STOPPED}), True)
    assert iso.shown_by == {"diff_targets.json", "run_summary.json"}
    assert iso.names_task == "run_summary.json"
    assert iso.signs == {"journal.json", "run_summary.json"}
    assert FOLDERS["harbor"].decides == {Status.FAILED, Status.STOPPED}
    skills = FOLDERS["agent-skills"]
    assert (skills.inner, skills.tells_copies) == ("outputs", True)
    assert skills.answers and skills.answers.fullmatch("outputs/response.md")
    assert skills.answers.fullmatch("outputs/response.txt")
    assert not skills.answers.fullmatch("outputs/response.json")
    assert FOLDERS["openhands"].parts is OTHER_EVENT

    def with_(field: str) -> set[str]:
        return {key for key, folder in FOLDERS.items() if getattr(folder, field)}

    assert with_("has_lists") == {"vally"} and with_("tells_copies") == {"agent-skills"}
    assert with_("counts_attempts") == with_("shown_by") == with_("names_task") == {"iso-bench"}
