"""What is found in inputs, under which paths, and how it is opened."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.errors import ConfigError, ReadError
from sitegen.inputs.discover import discover, is_left_out, read_bytes
from sitegen.inputs.survey import Naming, survey
from sitegen.masking.redact import Redactor
from sitegen.model import Source
from sitegen.system.bounds import MB, Bounds

Tree = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Makes files with the given paths, each holding its path, and returns the folder above them."""

    def make(*paths: str) -> Path:
        for path in paths:
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(path, encoding="utf-8")
        return tmp_path

    return make


def paths(*inputs: Path | str, **options: object) -> list[str]:
    return [source.path for source in discover(inputs, **options).sources]  # type: ignore[arg-type]


def test_a_link_to_the_output_is_not_mentioned_and_a_folder_of_its_name_elsewhere_is_read(
    tmp_path: Path,
) -> None:
    for path in ("site/index.html", "runs/site/a.json"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("{}", encoding="utf-8")
    (tmp_path / "runs" / "shown").symlink_to(tmp_path / "site")
    found = discover([tmp_path / "runs"], exclude=[tmp_path / "site"])
    assert ([source.path for source in found.sources], found.ignored) == (["site/a.json"], ())


def test_paths_are_relative_to_their_input_and_sorted(tree: Tree) -> None:
    root = tree("b.json", "a/z.json", "a/b/c.log", "A.txt", "no-extension")
    found = discover([root])
    assert [s.path for s in found.sources] == [
        "A.txt",
        "a/b/c.log",
        "a/z.json",
        "b.json",
        "no-extension",
    ]
    assert [s.within for s in found.sources] == [s.path for s in found.sources]
    assert not any(source.named for source in found.sources)
    assert found.sources[1].size == len("a/b/c.log")
    assert Path(found.sources[1].location).read_text(encoding="utf-8") == "a/b/c.log"


def test_a_file_named_alone_is_its_name(tree: Tree) -> None:
    (source,) = discover([tree("a/b.dat") / "a" / "b.dat"]).sources
    assert (source.path, source.named, source.within) == ("b.dat", True, "b.dat")


def test_the_folder_one_stands_in_is_an_input(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree("a/b.json"))
    assert paths(".") == ["a/b.json"]
    assert paths("a/b.json") == ["b.json"]
    assert paths("*") == ["a/b.json"]


def test_hidden_and_foreign_folders_and_sites_are_left_out_and_listed_and_the_output_not_mentioned(
    tree: Tree,
) -> None:
    names = [
        ".git/a.json",
        ".hidden.json",
        "node_modules/a.json",
        ".venv/a.json",
        "venv/a.json",
        "x/__pycache__/a.json",
    ]
    ours = [
        "site/data/runs.json",
        ".site.sitegen-0123456789ab/a.json",
        ".site.sitegen.lock",
        "old/.sitegen.json",
    ]
    root = tree(*names, *ours, "old/data/runs.json", "kept/a.json")
    found = discover([root], exclude=[root / "kept" / ".." / "site"])
    assert [source.path for source in found.sources] == ["kept/a.json"]
    assert list(found.ignored) == [
        ".git/",
        ".hidden.json",
        ".venv/",
        "node_modules/",
        "old/",
        "venv/",
        "x/__pycache__/",
    ]
    assert found.sites == 1


def test_a_run_that_claims_to_be_a_site_is_listed_with_a_remark(tree: Tree) -> None:
    root = tree("a/1.json", "b/1.json", "b/.sitegen.json", "site/.sitegen.json")
    found = discover([root], exclude=[root / "site"])
    assert (found.ignored, found.sites) == (("b/",), 1)
    (remark,) = survey(found, Naming([]), Redactor(), lambda _, sources: sources).remarks
    assert remark.startswith(
        "1 folder in the inputs holds .sitegen.json, as a published site does, and was not read."
    )


def test_hidden_folders_are_entered_where_agents_keep_runs_or_when_named(tree: Tree) -> None:
    root = tree("p/.ralph/logs/a.log", ".claude/b.json", ".cache/c.json")
    assert paths(root) == [".claude/b.json", "p/.ralph/logs/a.log"]
    assert paths(root / ".cache") == ["c.json"]
    assert paths(f"{root}/.ca*/*") == [".cache/c.json"]


HOME = (
    ".codex/sessions/2026/07/a.jsonl",
    ".codex/archived_sessions/b.jsonl",
    ".gemini/tmp/h/chats/c.json",
    ".local/share/opencode/opencode-dev.db",
    ".local/share/opencode/storage/session/d.json",
    ".copilot/session-state/e/events.jsonl",
)
BESIDE = (
    ".codex/auth.json",
    ".codex/config.toml",
    ".codex/log/codex-tui.log",
    ".gemini/oauth_creds.json",
    ".gemini/tmp/h/logs.json",
    ".gemini/tmp/h/shell_history",
    ".local/bin/tool",
    ".local/share/keyrings/login.json",
    ".local/share/opencode/auth.json",
    ".local/share/opencode/log/x.log",
    ".copilot/config.json",
)


@pytest.mark.parametrize("below", ["", "home/ann", ".claude/worktrees/x"])
def test_of_the_folders_of_agents_only_their_runs_are_opened_and_named(
    tree: Tree, below: str
) -> None:
    prefix = f"{below}/" if below else ""
    root = tree(*(f"{prefix}{path}" for path in (*HOME, *BESIDE)))
    found = discover([root])
    assert paths(root) == sorted(f"{prefix}{path}" for path in HOME)
    assert found.ignored == ()
    assert [is_left_out(path.split("/")) for path in (*HOME, *BESIDE)] == [False] * len(HOME) + [
        True
    ] * len(BESIDE)


@pytest.mark.parametrize(
    "home",
    [
        ".codex",
        ".gemini",
        ".gemini/tmp",
        ".gemini/tmp/h",
        ".local/share",
        ".local/share/opencode",
        ".copilot",
    ],
)
def test_nor_where_such_a_folder_is_the_input(tree: Tree, home: str) -> None:
    root = tree(*HOME, *BESIDE)
    found = discover([root / home])
    assert paths(root / home) == sorted(
        path.removeprefix(f"{home}/") for path in HOME if path.startswith(f"{home}/")
    )
    assert found.ignored == ()


def test_a_folder_of_runs_below_such_a_folder_is_read_whole(tree: Tree) -> None:
    root = tree(
        ".local/share/campaign/a.json", ".codex/sessions/b.jsonl", ".codex/sessions/auth.json"
    )
    assert paths(root / ".local/share/campaign") == ["a.json"]
    assert paths(root / ".codex/sessions") == ["auth.json", "b.jsonl"]


def test_links_are_not_followed_and_loops_end(tree: Tree) -> None:
    root = tree("in/a.json", "out/secret.json")
    (root / "in" / "loop").symlink_to(root / "in")
    (root / "in" / "leak.json").symlink_to(root / "out" / "secret.json")
    (root / "in" / "folder").symlink_to(root / "out")
    (root / "in" / "nowhere").symlink_to(root / "gone")
    found = discover([root / "in"])
    assert [source.path for source in found.sources] == ["a.json"]
    assert found.ignored == ("folder", "leak.json", "loop", "nowhere")


def test_a_link_that_is_named_is_followed(tree: Tree) -> None:
    root = tree("real/a.json")
    (root / "link").symlink_to(root / "real")
    (root / "one.json").symlink_to(root / "real" / "a.json")
    assert paths(root / "link") == ["a.json"]
    (source,) = discover([root / "one.json"]).sources
    assert read_bytes(source) == b"real/a.json"


def test_pipes_and_sockets_are_ignored_when_found_and_problems_when_named(tree: Tree) -> None:
    root = tree("a.json")
    os.mkfifo(root / "pipe.json")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(root / "socket.json"))
        found = discover([root])
    assert found.ignored == ("pipe.json", "socket.json")
    (problem,) = discover([root / "pipe.json"]).problems
    assert (problem.path, problem.code) == ("pipe.json", "E_READ")
    assert "not a regular file" in problem.reason


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.json", ["top.json"]),
        ("**/*.json", ["a/b/deep.json", "a/one.json", "top.json"]),
        ("a/**", ["b/deep.json", "b/deep.log", "one.json"]),
        ("*/one.*", ["a/one.json"]),
        ("a/[!o]", ["b/deep.json", "b/deep.log"]),
        ("a/?ne.json", ["one.json"]),
        ("**/b", ["a/b/deep.json", "a/b/deep.log"]),
        ("a/b/../*.json", ["one.json"]),
    ],
)
def test_patterns_find_what_a_shell_would(tree: Tree, pattern: str, expected: list[str]) -> None:
    found = discover(
        [f"{tree('top.json', 'a/one.json', 'a/b/deep.json', 'a/b/deep.log')}/{pattern}"]
    )
    assert [source.path for source in found.sources] == expected
    assert not any(source.named for source in found.sources)


def test_a_name_with_signs_of_a_pattern_is_a_name_when_it_exists(tree: Tree) -> None:
    root = tree("a[1].json", "a1.json")
    assert paths(root / "a[1].json") == ["a[1].json"]


def test_inputs_that_do_not_exist_are_all_told_at_once(tree: Tree) -> None:
    root = tree("a.json")
    with pytest.raises(ConfigError) as refused:
        discover([root, root / "gone", f"{root}/*.log", "x" * 5000])
    paragraphs = str(refused.value).split("\n\n")
    assert len(paragraphs) == 3
    assert "gone" in paragraphs[0] and "*.log" in paragraphs[1]


def test_what_ignore_matches_is_not_mentioned(tree: Tree) -> None:
    root = tree("a.json", "notes/n.json", "x/notes/m.json", "x/a.meta.json", "x/old/b.json")
    found = discover([root], ignore=["notes/**", "*.meta.json", "x/old/"])
    assert [source.path for source in found.sources] == ["a.json", "x/notes/m.json"]
    assert found.ignored == ()
    assert paths(root, ignore=["notes", "./x/*.json", "old"]) == ["a.json"]


def test_a_file_reached_by_two_inputs_counts_once(tree: Tree) -> None:
    root = tree("runs/a.json", "runs/sub/b.json")
    found = discover(
        [root / "runs", root / "runs" / "sub", root / "runs" / "a.json", f"{root}/runs/*.json"]
    )
    assert [(s.path, s.input, s.named) for s in found.sources] == [
        ("a.json", 0, True),
        ("sub/b.json", 0, False),
    ]


def test_inputs_of_one_name_get_a_prefix(tree: Tree) -> None:
    root = tree("x/runs/a.json", "y/runs/b.json", "z/c.json")
    found = discover([root / "x" / "runs", root / "y" / "runs", root / "z"])
    assert [(s.path, s.within, s.input) for s in found.sources] == [
        ("c.json", "c.json", 2),
        ("x/runs/a.json", "a.json", 0),
        ("y/runs/b.json", "b.json", 1),
    ]


def test_inputs_whose_paths_collide_get_a_prefix(tree: Tree) -> None:
    root = tree("x/1.json", "y/1.json", "y/2.json", "z/3.json")
    assert paths(root / "x", root / "y", root / "z") == [
        "3.json",
        "x/1.json",
        "y/1.json",
        "y/2.json",
    ]
    assert paths(root / "x" / "1.json", root / "y" / "1.json", root / "z" / "3.json") == [
        "3.json",
        "x/1.json",
        "y/1.json",
    ]


def test_a_prefix_that_collides_leads_to_more_prefixes(tree: Tree) -> None:
    root = tree("x/1.json", "y/1.json", "other/x/1.json")
    assert paths(root / "x", root / "y", root / "other") == [
        "other/x/1.json",
        "x/1.json",
        "y/1.json",
    ]


@pytest.mark.skipif(
    sys.getfilesystemencoding() == "ascii", reason="makes file names of other letters"
)
def test_names_that_cannot_be_shown_are_escaped_and_stay_unique(tree: Tree) -> None:
    root = tree("a\nb.json", "bad%FF.json", "bi\u202edi.json")
    try:
        (root / os.fsdecode(b"bad\xff.json")).write_bytes(b"bytes")
    except OSError:
        pytest.skip("this file system takes no names that are not UTF-8")
    found = discover([root])
    assert [s.path for s in found.sources] == [
        "a%0Ab.json",
        "bad%FF.json",
        "bad%FF~2.json",
        "bi%E2%80%AEdi.json",
    ]
    assert {read_bytes(source) for source in found.sources} >= {b"bytes", b"bad%FF.json"}


def test_a_folder_that_cannot_be_listed_is_a_problem(tree: Tree) -> None:
    root = tree("a.json", "locked/b.json")
    (root / "locked").chmod(0)
    try:
        found = discover([root])
    finally:
        (root / "locked").chmod(0o755)
    if os.geteuid() == 0:
        pytest.skip("nothing is locked for root")
    (problem,) = found.problems
    assert (problem.path, problem.code) == ("locked/", "E_READ")
    assert str(root) not in problem.reason


# --- reading


def source(path: Path, *, named: bool = False) -> Source:
    return Source(path.name, str(path), named, 0)


@pytest.mark.parametrize(
    ("name", "limit"), [("a.json", MB), ("a.dat", MB), ("a.jsonl", 2 * MB), ("a.LOG", 2 * MB)]
)
def test_size_is_limited(tmp_path: Path, name: str, limit: int) -> None:
    bounds = Bounds(file_mb=1, stream_mb=2)
    file = tmp_path / name
    for size in (limit - 1, limit):
        file.write_bytes(b"x" * size)
        assert len(read_bytes(source(file), bounds)) == size
    file.write_bytes(b"x" * (limit + 1))
    with pytest.raises(ReadError) as refused:
        read_bytes(source(file), bounds)
    assert refused.value.code == "E_LIMIT"


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    link = tmp_path / "a.json"
    link.symlink_to(tmp_path / "secret")
    with pytest.raises(ReadError) as refused:
        read_bytes(source(link))
    assert (refused.value.code, refused.value.reason) == (
        "E_READ",
        "it cannot be read: it is a symbolic link",
    )


def test_a_file_that_became_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(ReadError) as refused:
        read_bytes(source(tmp_path / "a.json"))
    assert refused.value.code == "E_READ"


def test_a_file_that_is_gone_is_told_without_its_place(tmp_path: Path) -> None:
    with pytest.raises(ReadError) as refused:
        read_bytes(source(tmp_path / "gone.json"))
    assert refused.value.code == "E_READ"
    assert str(tmp_path) not in refused.value.reason
