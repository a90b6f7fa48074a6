"""Names that nobody knows, and the rows of what no section of a page shows."""

from __future__ import annotations

from typing import Any

from sitegen.model import Texts
from sitegen.readers.claude.fields import KINDS_OF_FIELDS, add_rows, unknown_names
from sitegen.readers.common.fields import Rows
from sitegen.readers.common.values import Caveats, Fields


def test_kinds_and_fields_that_nobody_knows_are_named() -> None:
    kinds = ["user", "system/init", "system", "None", "hologram", "system/hologram"]
    kinds.append("system/model_refusal_x")
    assert unknown_names(kinds, {"result": "x", "aura": 1, "first_text_post_x": 2}) == (
        "hologram",
        "result.aura",
        "system/hologram",
    )
    assert len(unknown_names([f"kind{number}" for number in range(50)], {})) == 20


def rows_of(*results: dict[str, Any], texts: Texts | None = None, **more: Any) -> dict[str, str]:
    caveats = Caveats()
    rows = Rows(caveats, KINDS_OF_FIELDS)
    fields = [Fields(result, caveats) for result in results]
    init = Fields(more.get("init", {}), caveats, "init.")
    add_rows(rows, more.get("kinds", {}), fields, init, texts or Texts(), more.get("unread", {}))
    return dict(rows.all())


def test_every_field_of_the_last_result_is_listed_once() -> None:
    result = {"type": "result", "is_error": False, "aura": 4, "usage": {"service_tier": "x"}}
    assert rows_of(result | {"modelUsage": {"m": {"inputTokens": 1}}}) == {
        "is_error": "false",
        "aura": "4",
    }
    rows = rows_of(result | {"modelUsage": {"m": {}}}, unread={"m": {"aura": 1}})
    assert rows["modelUsage.m.aura"] == "1"


def test_earlier_results_and_other_accounts_are_listed() -> None:
    rows = rows_of({"type": "result", "turns": 1, "result": "First."}, {"result": "Last."})
    assert rows["results[0]"] == '{"turns": 1}' and rows["results[0].result"] == "First."
    rows = rows_of({"result": "Last."}, texts=Texts(summary="Last."))
    assert "results[0].result" not in rows


def test_beginnings_kinds_and_denials_are_listed() -> None:
    denial = {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "t1"}
    rows = rows_of(
        {"permission_denials": [denial, "odd", {"tool_name": "x"}]},
        init={"type": "system", "subtype": "init", "cwd": "/w"},
        kinds={"user": 2, "system/init": 1},
    )
    assert rows["init.cwd"] == "/w" and "init.type" not in rows
    assert (rows["records.user"], rows["records.system/init"]) == ("2", "1")
    assert rows["permission_denials[0].tool_use_id"] == "t1"
    assert "records.user" not in rows_of(kinds={"user": 2})
