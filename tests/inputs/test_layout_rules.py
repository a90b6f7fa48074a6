"""The rules by which names of folders and files show what they are."""

from __future__ import annotations

import pytest

from sitegen.inputs import layout as module

SONNET = "claude-sonnet-4-5-20250929"


def described(paths: str, model: str = SONNET) -> str | None:
    """The pattern that paths without extensions show."""
    parts = [path.split("/") for path in paths.split()]
    return module._describe(parts, [model] * len(parts)).pattern


def field_of(*names: str, model: str = SONNET) -> tuple[str, str]:
    """The field that names at one place show, and the word before an attempt."""
    part = module._Part("/", names)
    module._set_field(part, [model] * len(names))
    return part.field, part.prefix


@pytest.mark.parametrize("words", ["none minimal", "low medium", "high xhigh max", "HIGH Low"])
def test_words_of_efforts_are_an_effort(words: str) -> None:
    assert field_of(*words.split()) == ("effort", "")
    assert field_of(*words.split(), "other") == ("", "")


@pytest.mark.parametrize(
    "word", ["run", "attempt", "try", "trial", "rep", "repeat", "seed", "iteration", "round"]
)
def test_numbers_with_one_word_before_them_are_attempts(word: str) -> None:
    assert field_of(f"{word}1", f"{word}12") == ("attempt", word)
    assert field_of(f"{word}-1", f"{word}-2") == ("attempt", f"{word}-")
    assert field_of(f"{word}1", f"{word}_2") == ("", "")
    assert field_of(f"{word}1", "x2") == ("", "")


@pytest.mark.parametrize(
    ("names", "field"),
    [
        ("1 2", "attempt"),
        ("_1 _2", "attempt"),
        ("1 999", "attempt"),
        ("1 1000", ""),
        ("2026-11 2026-12", "campaign"),
        ("2026-11-01 2026-12", "campaign"),
        ("2026-11-01 x", ""),
        ("8f14e45f 45c48cce-2e2d", "_"),
        ("run-8f14e45f a_45c48cce", "_"),
        ("8f14e45 45c48cc", ""),
        ("20261101T120000 20261102x", "_"),
        ("2026110 2026111", ""),
        ("codex pi", "agent"),
        ("claude_code gemini", "agent"),
        ("codex mine", "agent"),
        ("mini other", ""),
        ("codex", "agent"),
        ("sonnet claude-sonnet-4-5", "model"),
        ("sonnet-4.5 claude", "model"),
        ("opus sonnet", ""),
        ("sonn sonn", ""),
        ("net45 net45", "model"),
        ("et45 et45", ""),
    ],
)
def test_values_show_a_field(names: str, field: str) -> None:
    assert field_of(*names.split())[0] == field


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        ("fix-1 csv-50", "{task}-{attempt}.*"),
        ("fix-1 csv-51", None),
        ("fix-2 csv-3", None),
        ("fix-0 csv-3", "{task}-{attempt}.*"),
        ("fix-run2 csv-run3", "{task}-run{attempt}.*"),
        ("a-b-1 c-d-2", "{task}-{attempt}.*"),
        ("a__1 b__2", "{task}__{attempt}.*"),
        ("a_b_c_1 a_b_d_1", "{task}_{attempt}.*"),
        ("x/low/1 y/high/2", "{task}/{effort}/{attempt}.*"),
        ("1/run1 2/run2", "{task}/run{attempt}.*"),
        ("run1/1/a run2/2/b", "run{attempt}/{_}/{task}.*"),
        ("tasks/sonnet tasks/sonnet", "{task}/{model}.*"),
        ("runs/sonnet runs/sonnet", None),
        ("Results/fix/sonnet Results/fix/sonnet", "{_}/{task}/{model}.*"),
        ("runs/1 runs/2", None),
        ("fix_sonnet_full_run1 csv_sonnet_full_run2", "{task}_{model}_full_run{attempt}.*"),
        ("fix_sonnet_a+b_run1 csv_sonnet_a+b_run2", "{task}_{model}_{_}_run{attempt}.*"),
        ("fix_sonnet_a_run1 csv_sonnet_b_run2", "{_}_{model}_{task}_run{attempt}.*"),
        ("high-1 low-2", "{task}-{attempt}.*"),
    ],
)
def test_paths_show_a_pattern(paths: str, pattern: str | None) -> None:
    assert described(paths) == pattern


def test_some_names_of_folders_are_no_tasks() -> None:
    folders = "data logs out output results runs sessions trajectories"
    for folder in folders.split():
        assert described(f"{folder}/sonnet {folder}/sonnet") is None, folder


def test_the_task_is_the_part_of_most_values_and_of_such_the_last() -> None:
    assert described("a/x/1 b/y/1 b/z/1") == "{_}/{task}/{attempt}.*"
    assert described("a/x/1 b/y/1 c/y/1") == "{task}/{_}/{attempt}.*"
    assert described("a/x/1 b/y/1") == "{_}/{task}/{attempt}.*"


def test_comments_ask_about_parts_of_several_values() -> None:
    parts = [path.split("/") for path in "a/v/1 b/w/1 c/x/1 d/x/1 e/x/1".split()]
    layout = module._describe(parts, [""] * 5)
    assert layout == (
        "{task}/{_}/{attempt}.*",
        (
            "{_} is v, w, x here. If this matters, write {campaign}, {label}, or a name of your own "
            "such as {codebase}.",
            "Is this the task: a, b, c, ...? If not, move {task}.",
        ),
        False,
    )
    single = module._describe([["in", "a", "1"], ["in", "b", "2"]], ["", ""])
    assert single == ("{_}/{task}/{attempt}.*", (), False)


def test_values_in_a_comment_are_cut_after_40_characters() -> None:
    assert module._list(["x" * 41, "b", "c"]) == f"{'x' * 40}, b, c"
    assert module._list(["a", "b", "c", "d"]) == "a, b, c, ..."


@pytest.mark.parametrize(
    ("before", "values", "field", "text"),
    [
        ("-", "a a", "", "-a"),
        ("-", "a b", "", "-{_}"),
        ("-", "a+ a+", "", "-{_}"),
        ("-", "a a", "task", "-{task}"),
        ("/", "a a", "", "/{_}"),
        ("", "a a", "", "{_}"),
    ],
)
def test_a_piece_that_all_names_have_stands_for_itself(
    before: str, values: str, field: str, text: str
) -> None:
    assert str(module._Part(before, values.split(), field)) == text
