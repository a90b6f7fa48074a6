"""Folders and files that mean something by their names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from sitegen.system import places


@pytest.mark.parametrize(
    ("text", "is_address"),
    [
        ("s3://bucket/runs", True),
        ("gs://b", True),
        ("https://example.org/a", True),
        ("c://b", False),
        ("://b", False),
        ("a-b://c", False),
        ("s3:/bucket", False),
        ("runs/s3", False),
        ("", False),
    ],
)
def test_an_address_has_a_scheme_of_two_or_more_letters(text: str, is_address: bool) -> None:
    assert places.is_address(text) is is_address


def test_a_path_from_the_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert places.absolute("runs/a") == str(tmp_path / "runs" / "a")
    assert places.absolute("/runs/") == "/runs"
    assert places.absolute("s3://bucket/runs//") == "s3://bucket/runs"


@pytest.mark.parametrize(
    ("path", "is_pattern"),
    [("runs/*", True), ("run?", True), ("r[ab]", True), ("runs/a]", False), ("runs", False)],
)
def test_a_pattern_has_a_sign_that_stands_for_others(path: str, is_pattern: bool) -> None:
    assert places.is_pattern(path) is is_pattern


@pytest.mark.parametrize(
    ("folder", "is_not_entered", "if_named"),
    [
        ("runs", False, False),
        (".git", True, False),
        (".claude", False, False),
        (".ralph", False, False),
        ("node_modules", True, True),
        ("venv", True, True),
        ("__pycache__", True, True),
    ],
)
def test_hidden_folders_are_entered_where_agents_keep_runs_or_a_pattern_names_them(
    folder: str, is_not_entered: bool, if_named: bool
) -> None:
    assert places.is_not_entered(folder) is is_not_entered
    assert places.is_not_entered(folder, hidden=True) is if_named


@pytest.mark.parametrize(
    ("folder", "name", "is_unread"),
    [
        ("/home/ada", "notes", False),
        ("/home/ada/.claude", "anything", False),
        ("/home/ada/.claude/projects", "anything", False),
        ("/home/ada/.codex", "sessions", False),
        ("/home/ada/.codex", "archived_sessions", False),
        ("/home/ada/.codex", "auth.json", True),
        ("/home/ada/.codex/sessions", "2026", False),
        ("/home/ada/.codex/log", "a.log", False),
        ("/home/ada/.gemini", "tmp", False),
        ("/home/ada/.gemini", "oauth_creds.json", True),
        ("/home/ada/.gemini/tmp", "0a1b", False),
        ("/home/ada/.gemini/tmp/0a1b", "chats", False),
        ("/home/ada/.gemini/tmp/0a1b", "logs.json", True),
        ("/home/ada/.gemini/tmp/0a1b/chats", "s.json", False),
        ("/home/ada/.local", "share", False),
        ("/home/ada/.local", "bin", True),
        ("/home/ada/.local/share", "opencode", False),
        ("/home/ada/.local/share", "keyrings", True),
        ("/home/ada/.local/share/opencode", "opencode-dev.db-wal", False),
        ("/home/ada/.local/share/opencode", "auth.json", True),
        ("/home/ada/.crush", "crush.db", False),
        ("/home/ada/.crush", "crush.json", True),
        ("/home/.codex/ada/.gemini", "tmp", False),
        ("/home/.codex/ada/.gemini", "sessions", True),
    ],
)
def test_of_the_folder_of_an_agent_only_the_places_of_runs_are_read(
    folder: str, name: str, is_unread: bool
) -> None:
    assert places.is_unread(folder, name) is is_unread
    assert places.is_unread(folder.replace("/", os.sep), name) is is_unread


def test_the_folders_above_paths() -> None:
    assert places.parents([]) == set()
    assert places.parents(["a.json", "/b.json"]) == set()
    assert places.parents(["a/b/c.json", "a/d.json", "/e/f"]) == {"a", "a/b", "/e"}


@pytest.mark.parametrize(
    ("name", "is_hidden"),
    [
        ("run.json", False),
        (".run.json", True),
        (".aider.results.json", False),
        (".aider.chat.history.md", False),
        (".aider.input.history", True),
    ],
)
def test_files_that_are_passed_over(name: str, is_hidden: bool) -> None:
    assert places.is_hidden_file(name) is is_hidden


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/usr", "pip install a b"),
        ("/home/ada/.local/share/pipx/venvs/agent-sitegen", "pipx inject agent-sitegen a b"),
        (
            "/home/ada/.local/share/uv/tools/agent-sitegen",
            "uv tool install agent-sitegen --with a --with b",
        ),
    ],
)
def test_how_packages_are_added(prefix: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    assert places.how_to_install("a", "b") == command


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_folder_is_ones_own_if_nobody_else_may_write_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "with" / "parents"
    assert places.is_own_folder(str(folder))
    assert folder.stat().st_mode & 0o777 == 0o700
    for mode, is_own in ((0o755, True), (0o775, False), (0o757, False), (0o700, True)):
        folder.chmod(mode)
        assert places.is_own_folder(str(folder)) is is_own, oct(mode)
    (tmp_path / "file").touch()
    assert not places.is_own_folder(str(tmp_path / "file"))
    assert not places.is_own_folder(str(tmp_path / "file" / "below"))
    (tmp_path / "link").symlink_to(folder)
    assert not places.is_own_folder(str(tmp_path / "link"))


@pytest.mark.skipif(sys.platform != "linux", reason="folders of Linux")
def test_the_folders_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "APPDATA",
        "LOCALAPPDATA",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        places.CACHE_VARIABLE,
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Path(places.config_folder()).relative_to(tmp_path).parts[0] == ".config"
    assert Path(places.cache_folder()).relative_to(tmp_path).parts[0] == ".cache"
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/own")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/own")
    assert places.config_folder().startswith("/etc/own/")
    assert places.cache_folder().startswith("/var/own/")
    monkeypatch.setenv(places.CACHE_VARIABLE, "/named")
    assert places.cache_folder() == "/named"
