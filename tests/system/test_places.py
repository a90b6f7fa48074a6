"""Folders and files that mean something by their names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from sitegen.system import places


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/usr", "pip install a b"),
        ("/home/x/.local/pipx/venvs/agent-sitegen", "pipx inject agent-sitegen a b"),
        (
            "/home/x/.local/uv/tools/agent-sitegen",
            "uv tool install agent-sitegen --with a --with b",
        ),
        ("/home/pipx", "pip install a b"),
    ],
)
def test_packages_are_added_to_the_python_of_this_program(
    prefix: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    assert places.how_to_install("a", "b") == command


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("s3://bucket/runs", True),
        ("gs://b", True),
        ("://b", False),
        ("c://runs", False),
        ("s-3://b", False),
        ("s3:/b", False),
        ("runs", False),
    ],
)
def test_an_address_has_a_scheme_of_two_or_more_letters_and_digits(path: str, is_one: bool) -> None:
    assert places.is_address(path) is is_one


def test_a_path_is_made_absolute_and_an_address_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert places.absolute("runs/") == str(tmp_path / "runs")
    assert places.absolute("s3://bucket/runs//") == "s3://bucket/runs"


@pytest.mark.parametrize(
    ("path", "is_one"),
    [("a*", True), ("a?", True), ("[ab]", True), ("a]", False), ("a/b.json", False)],
)
def test_a_pattern_has_a_sign_that_matches_others(path: str, is_one: bool) -> None:
    assert places.is_pattern(path) is is_one


@pytest.mark.parametrize(
    ("folder", "alone", "where_hidden_are_named"),
    [
        ("node_modules", True, True),
        ("venv", True, True),
        ("__pycache__", True, True),
        (".git", True, False),
        (".claude", False, False),
        (".codex", False, False),
        (".local", False, False),
        ("runs", False, False),
    ],
)
def test_folders_of_other_programs_and_hidden_ones_are_not_entered(
    folder: str, alone: bool, where_hidden_are_named: bool
) -> None:
    assert places.is_not_entered(folder) is alone
    assert places.is_not_entered(folder, hidden=True) is where_hidden_are_named


@pytest.mark.parametrize(
    ("folder", "name", "is_left_out"),
    [
        ("runs", "x.json", False),
        ("/home/x/.claude", "anything", False),
        ("/home/x/.claude/projects", "anything", False),
        ("/home/x/.ralph", "anything", False),
        ("/home/x/.codex", "auth.json", True),
        ("/home/x/.codex", "sessions", False),
        ("/home/x/.codex", "archived_sessions", False),
        ("/home/x/.codex/sessions", "2026", False),
        ("/home/x/.codex/sessions/2026", "a.jsonl", False),
        ("/home/x/.codex/other", "a.jsonl", False),
        ("/home/x/.copilot", "session-state", False),
        ("/home/x/.copilot", "history-session-state", False),
        ("/home/x/.copilot", "config.json", True),
        ("/home/x/.crush", "crush.db", False),
        ("/home/x/.crush", "crush-2.db-wal", False),
        ("/home/x/.crush", "crush.json", True),
        ("/home/x/.gemini", "tmp", False),
        ("/home/x/.gemini", "oauth.json", True),
        ("/home/x/.gemini/tmp", "abc", False),
        ("/home/x/.gemini/tmp/abc", "chats", False),
        ("/home/x/.gemini/tmp/abc", "logs.json", True),
        ("/home/x/.gemini/tmp/abc/chats", "s.json", False),
        ("/home/x/.local", "share", False),
        ("/home/x/.local", "bin", True),
        ("/home/x/.local/share", "opencode", False),
        ("/home/x/.local/share", "keyrings", True),
        ("/home/x/.local/share/opencode", "opencode.db", False),
        ("/home/x/.local/share/opencode", "opencode-2.db-wal", False),
        ("/home/x/.local/share/opencode", "storage", False),
        ("/home/x/.local/share/opencode", "auth.json", True),
        ("/home/x/.local/share/opencode/storage", "a", False),
        ("/home/x/.opencode", "opencode.db", False),
        ("/home/x/.opencode", "opencode.db-wal", False),
        ("/home/x/.opencode", "auth.json", True),
        ("/home/.codex/sessions/.gemini", "oauth.json", True),
        (".codex", "auth.json", True),
    ],
)
def test_of_the_folder_of_an_agent_only_the_places_of_its_runs_are_read(
    folder: str, name: str, is_left_out: bool
) -> None:
    assert places.is_unread(folder, name) is is_left_out


def test_parents_are_all_folders_above_but_the_root() -> None:
    assert places.parents(["/a/b/c.json", "/a/d.json", "x/y/z", "w"]) == {
        "/a/b",
        "/a",
        "x/y",
        "x",
    }


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        (".env", True),
        (".aider.input.history", True),
        (".aider.results.json", False),
        (".aider.chat.history.md", False),
        ("run.json", False),
    ],
)
def test_files_with_a_dot_are_hidden_but_for_those_of_aider(name: str, is_one: bool) -> None:
    assert places.is_hidden_file(name) is is_one


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
@pytest.mark.parametrize(
    ("mode", "is_own"),
    [(0o700, True), (0o755, True), (0o720, False), (0o702, False), (0o777, False)],
)
def test_a_folder_that_others_may_write_to_is_not_own(
    mode: int, is_own: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(mode)
    assert places.is_own_folder(str(folder)) is is_own


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_a_folder_is_made_for_its_user_alone_and_a_file_or_a_link_is_none(tmp_path: Path) -> None:
    made = tmp_path / "a" / "b"
    assert places.is_own_folder(str(made))
    assert made.stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").touch()
    assert not places.is_own_folder(str(tmp_path / "file"))
    (tmp_path / "link").symlink_to(made)
    assert not places.is_own_folder(str(tmp_path / "link"))


@pytest.mark.parametrize(
    ("platform", "variables", "config", "cache"),
    [
        ("linux", {}, "H/.config/sitegen", "H/.cache/sitegen"),
        (
            "linux",
            {"XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/k", "APPDATA": "/w"},
            "/c/sitegen",
            "/k/sitegen",
        ),
        ("linux", {"SITEGEN_CACHE_DIR": "/own"}, "H/.config/sitegen", "/own"),
        ("linux", {"SITEGEN_CACHE_DIR": ""}, "H/.config/sitegen", "H/.cache/sitegen"),
        (
            "darwin",
            {"XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/k"},
            "H/Library/Application Support/sitegen",
            "H/Library/Caches/sitegen",
        ),
        (
            "win32",
            {"APPDATA": "/r", "LOCALAPPDATA": "/l", "XDG_CACHE_HOME": "/k"},
            "/r/sitegen",
            "/l/sitegen",
        ),
    ],
)
def test_folders_of_the_user_are_where_the_system_has_them(
    platform: str,
    variables: dict[str, str],
    config: str,
    cache: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (
        "APPDATA",
        "LOCALAPPDATA",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "SITEGEN_CACHE_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    found = [
        path.replace(str(tmp_path), "H") for path in (places.config_folder(), places.cache_folder())
    ]
    assert found == [config.replace("/", os.sep), cache.replace("/", os.sep)]
