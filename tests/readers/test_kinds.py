"""What files are that are no runs, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.kinds import (
    KINDS,
    MAX_DOCUMENTS,
    REPORTS,
    UNREADABLE,
    EmptyResultsError,
    in_words,
    is_gso,
    is_swebench,
    is_swebench_flat,
    is_swebench_instances,
    is_swebench_pro,
    kind_of_documents,
    kind_of_file,
    refusal,
    verdicts_by_id,
)
from sitegen.readers.run_file import RunFile


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", b"words", "text"),
        ("a.json", b"words", "json"),
        ("a.jsonl", b"\xff\xff\xff", "json"),
        ("a.txt", b"", "text"),
        ("a.txt", b"a\0b", "binary"),
        ("a.txt", b"\xff\xfe\xfd", "binary"),
        ("a.txt", "é".encode(), "text"),
        # A character that the first 1,024 bytes cut is no damage, one before it is.
        ("a.txt", b"x" * 1023 + "é".encode(), "text"),
        ("a.txt", b"x" * 1021 + "\U0001f30a".encode(), "text"),
        ("a.txt", b"x" * 1020 + b"\xf0xxxx", "binary"),
        ("a.txt", b"x" * 1022 + b"\xc3", "binary"),
        ("a.txt", b"x" * 1024 + b"\0", "text"),
        ("a.json", b"%PDF-1.7", "pdf"),
        ("a.csv", b"id,outcome,note\r\n", "judged"),
    ],
)
def test_a_file_is_known_by_its_first_bytes(name: str, data: bytes, kind: str) -> None:
    assert kind_of_file(RunFile.of(name, data)) == kind


def test_which_kinds_are_not_tried_as_json() -> None:
    assert {"pdf", "sqlite", "binary", "archive"} <= UNREADABLE
    assert not {"judged", "aider analytics", "json", "text"} & UNREADABLE
    assert sorted(REPORTS) == ["gso", "swebench", "swebench instance"]
    assert KINDS.keys() >= REPORTS


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("json", "this is JSON, but no reader knows it as a run"),
        ("text", "this is a text file that is not a run, but no reader knows it as a run"),
        (
            "pdf",
            "this is a PDF, but no reader knows it as a run; "
            "runs are JSON: add the files that the agent wrote",
        ),
        (
            "archive",
            "this is an archive of a kind that is not opened, but no reader knows it as a run; "
            "unpack it, or pack it as `.zip` or `.tar.gz`",
        ),
    ],
)
def test_a_refusal_says_what_a_file_is_and_what_to_do(kind: str, text: str) -> None:
    assert refusal(kind) == text


def test_results_without_an_entry_have_a_code_of_their_own() -> None:
    error = EmptyResultsError("there is nothing")
    assert (error.code, error.reason) == ("E_NOT_A_RUN", "there is nothing")


FLAT = {"resolved": True, "patch_successfully_applied": True}


@pytest.mark.parametrize(
    ("is_one", "document", "found"),
    [
        (is_swebench, {"resolved_ids": ["a"]}, True),
        (is_swebench, {"resolved": []}, True),
        (is_swebench, {"resolved": ["a", 1]}, False),
        (is_swebench, {"resolved": True}, False),
        (is_swebench, {"resolved_ids": ["a"], "results": {}}, False),
        (is_swebench, {}, False),
        (is_swebench_flat, FLAT, True),
        (is_swebench_flat, {"resolved": True}, False),
        (is_swebench_flat, FLAT | {"resolved": 1}, False),
        (is_swebench_instances, {"a": FLAT, "b": FLAT}, True),
        (is_swebench_instances, {"a": FLAT, "b": {}}, False),
        (is_swebench_instances, {"a": FLAT, "b": 5}, False),
        (is_swebench_instances, {}, False),
        (is_gso, {"instance_sets": {"opt_commit_ids": []}}, True),
        (is_gso, {"instance_sets": {"opt_commit_ids": {}}}, False),
        (is_gso, {"instance_sets": []}, False),
        (is_gso, {}, False),
        (is_swebench_pro, {"owner__name-1": True, "owner__na.me2": None}, True),
        (is_swebench_pro, {"results": {"owner__name-1": False}}, True),
        (is_swebench_pro, {"owner__name-1": 1}, False),
        (is_swebench_pro, {"owner__name-1": True, "other": True}, False),
        (is_swebench_pro, {"__name-1": True}, False),
        (is_swebench_pro, {"owner__name": True}, False),
        (is_swebench_pro, {"owner__name-x": True}, False),
        (is_swebench_pro, {}, False),
        (is_swebench_pro, {"results": {}}, False),
    ],
)
def test_reports_are_known_by_their_structure(
    is_one: Any, document: dict[str, Any], found: bool
) -> None:
    assert is_one(document) is found


def test_verdicts_may_stand_one_level_below() -> None:
    assert verdicts_by_id({"results": {"a": True}}) == {"a": True}
    assert verdicts_by_id({"results": True}) == {"results": True}


@pytest.mark.parametrize(
    ("documents", "kind"),
    [
        ([FLAT], "swebench instance"),
        ([{"resolved_ids": []}], "swebench"),
        ([{"a": FLAT}], "swebench instance"),
        ([{"owner__name-1": True}], "swebench"),
        ([{"instance_sets": {"opt_commit_ids": []}}], "gso"),
        # A report is known by the first value alone, other kinds by any of them.
        ([{"x": 1}, FLAT], "json"),
        ([5, "x", [{"type": "error", "error": {}}]], "api error"),
        ([{"x": 1}, {"resourceSpans": []}], "otel"),
        ([{"resourceSpans": {}}], "json"),
        ([{"id": "T-1", "messages": []}], "amp thread"),
        ([{"id": "U-1", "messages": []}], "json"),
        ([{"id": "T-1\n2", "messages": []}], "amp thread"),
        ([{"lm_eval_version": 1}], "lm-eval"),
        ([{"filtered_resps": 1}], "lm-eval"),
        ([{"results": 1, "configs": 1}], "json"),
        ([{"k": {"model_patch": "", "instance_id": ""}}], "predictions"),
        ([{"schema": 3, "runs": []}], "site"),
        ([{"schema": "x", "runs": []}], "json"),
        ([{"mapping": None, "current_node": 1}], "json"),
        ([], "json"),
    ],
)
def test_json_is_known_by_its_values(documents: list[Any], kind: str) -> None:
    assert kind_of_documents(documents, "a.json") == kind


def test_only_the_first_values_of_a_file_are_looked_at() -> None:
    trace = {"resourceSpans": []}
    others = [{"x": 1}] * MAX_DOCUMENTS
    assert kind_of_documents([*others[1:], trace], "a.json") == "otel"
    assert kind_of_documents([*others, trace], "a.json") == "json"


def test_kinds_are_said_with_their_number_the_most_frequent_first() -> None:
    found = [("a.png", "image"), ("b.pdf", "pdf"), ("c.pdf", "pdf"), ("d.x", "")]
    advice = "Runs are JSON: add the files that the agent wrote."
    assert in_words(found) == [f"2 PDFs. {advice}", "1 image.", "1 file of another kind."]
    assert in_words(found, str.upper) == [
        f"2 PDFs, such as B.PDF. {advice}",
        "1 image, A.PNG.",
        "1 file of another kind, D.X.",
    ]
    assert in_words([("x", "image")] * 1_234) == ["1,234 images."]
