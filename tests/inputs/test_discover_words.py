"""Sentences about inputs, and small rules of paths: which names, sizes and patterns count."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

import pytest

from sitegen.errors import ConfigError
from sitegen.inputs import discover as module
from sitegen.inputs.discover import (
    Discovery,
    Neighbours,
    all_files,
    discover,
    folders_of,
    is_left_out,
    max_bytes,
    max_bytes_at_once,
    missing,
    opened,
    passed_over,
    readable,
    shared_stem,
    size_of,
    unpacked,
)
from sitegen.model import Level, Source
from sitegen.system.address import Member
from sitegen.system.bounds import MB, Bounds


def write(folder: Path, *paths: str) -> Path:
    """A folder with files at these paths."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"{}")
    return folder


def source(location: Path, path: str = "a.json", **known: object) -> Source:
    return Source(path, str(location), **{"named": False, "size": 0, **known})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("links", "special_files", "sentence"),
    [
        (0, 0, None),
        (
            1,
            0,
            "1 link in the inputs was not read. To read a link's target, name that target.",
        ),
        (
            2,
            0,
            "2 links in the inputs were not read. To read a link's target, name that target.",
        ),
        (0, 1, "1 pipe, socket or device in the inputs was not read."),
        (0, 2, "2 pipes, sockets or devices in the inputs were not read."),
        (
            1,
            1,
            "1 link and 1 pipe, socket or device in the inputs were not read. "
            "To read a link's target, name that target.",
        ),
    ],
)
def test_what_is_not_read_is_counted(links: int, special_files: int, sentence: str | None) -> None:
    found = Discovery((), (), (), links=links, special_files=special_files)
    assert passed_over(found) == sentence


def test_what_is_ignored_is_counted_by_its_kind(tmp_path: Path) -> None:
    write(tmp_path, "a.json", "site/.sitegen.json", ".hidden.json")
    (tmp_path / "link").symlink_to("a.json")
    os.mkfifo(tmp_path / "pipe")
    found = discover([tmp_path])
    assert (found.links, found.special_files, found.sites) == (1, 1, 1)
    assert found.ignored == (".hidden.json", "link", "pipe", "site/")


def test_all_files_are_also_the_hidden_ones_and_those_of_sites(tmp_path: Path) -> None:
    write(tmp_path, "a.json", "site/.sitegen.json", ".git/config", "node_modules/b.js")
    assert [each.path for each in all_files([tmp_path]).sources] == [
        ".git/config",
        "a.json",
        "node_modules/b.js",
        "site/.sitegen.json",
    ]
    assert [each.path for each in all_files([tmp_path / "site"]).sources] == [".sitegen.json"]


def test_a_site_that_is_named_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "site/.sitegen.json", "site/a.json")
    found = discover([tmp_path / "site"])
    (problem,) = found.problems
    assert (found.sources, problem.path, problem.code) == ((), "site/", "E_READ")
    assert problem.reason == (
        "It cannot be read: it is a site that sitegen wrote, not runs; name the folder of its runs, "
        "or remove its .sitegen.json."
    )


def test_a_named_link_to_nowhere_and_a_pipe_are_problems_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    found = discover([tmp_path / "link", tmp_path / "pipe"])
    assert [(each.path, each.reason) for each in found.problems] == [
        ("link", "It cannot be read: it no longer exists, or is a broken link."),
        ("pipe", "It cannot be read: it is not a regular file."),
    ]


def test_inputs_that_lead_to_nothing_are_told_with_a_remedy(tmp_path: Path) -> None:
    write(tmp_path, "a.json")
    with pytest.raises(ConfigError) as refused:
        discover([f"{tmp_path}/gone", f"{tmp_path}/*.log", f"{tmp_path}/none/*"])
    quote = "Check it, and quote it so that the shell does not expand it."
    assert str(refused.value).split("\n\n") == [
        f"{tmp_path}/gone: there is no such file or folder. Check the spelling.",
        f"{tmp_path}/*.log: no file matches this pattern. {quote}",
        f"{tmp_path}/none/*: no file matches this pattern. {quote}",
    ]
    with pytest.raises(ConfigError) as backwards:
        discover([tmp_path], ignore=["[z-a].json"])
    assert str(backwards.value) == (
        "**/[z-a].json: this pattern cannot be used: a range in [...] runs backwards."
    )


def test_why_a_path_or_a_pattern_leads_to_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.json", ".hidden.json")
    (tmp_path / "link").symlink_to("nowhere")
    reasons = {
        name: missing(f"{tmp_path}/{name}")
        for name in ("", "a.json", "link", "*.json", "b.json", "*.log", "[z-a]", "l*", "none/*")
    }
    assert reasons == {
        "": None,
        "a.json": None,
        "link": None,
        "*.json": None,
        "b.json": "there is no such file or folder",
        "*.log": "no file matches this pattern",
        "[z-a]": "this pattern cannot be used: a range in [...] runs backwards",
        "l*": "no file matches this pattern",
        "none/*": "no file matches this pattern",
    }
    assert missing("s3://bucket/runs") is None


def test_folders_that_an_input_leads_to(tmp_path: Path) -> None:
    write(tmp_path, "a/1.json", "b/2.json")
    (tmp_path / "a" / "link").symlink_to(tmp_path / "b" / "2.json")
    folder = str(tmp_path)
    assert folders_of(folder) == ([folder], True)
    assert folders_of(f"{folder}/a/1.json") == ([f"{folder}/a"] * 2, False)
    assert folders_of(f"{folder}/a/link") == ([f"{folder}/a", f"{folder}/b"], False)
    assert folders_of(f"{folder}/a/*/x") == ([f"{folder}/a"], True)
    assert folders_of(f"{folder}/none") == ([], False)
    assert folders_of("s3://bucket/runs") == ([], False)


def test_files_beside_a_run_are_found_in_the_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path, "in/1.json", "in/b.log", "in/a.log", "in/deep/c.log")
    (tmp_path / "in" / "link.log").symlink_to("a.log")
    neighbours = Neighbours()
    run = source(tmp_path / "in" / "1.json", "x/1.json", input=2)
    assert neighbours.names(run) == {"1.json", "b.log", "a.log"}
    first, second = neighbours.find(run, ["b.log", "none", "link.log", "deep", "a.log"])
    assert (first.path, second.path) == ("x/b.log", "x/a.log")
    assert (first.location, first.input) == (str(tmp_path / "in" / "b.log"), 2)
    assert (first.named, first.size, first.within) == (False, 0, "")
    (top,) = neighbours.find(source(tmp_path / "in" / "1.json", "1.json"), ["a.log"])
    assert top.path == "a.log"
    packed = source(tmp_path / "in" / "1.json", member=Member(0, 1))
    assert neighbours.names(packed) == frozenset()
    assert neighbours.names(source(tmp_path / "none" / "1.json")) == frozenset()
    (tmp_path / "in" / "later.log").write_bytes(b"")
    assert neighbours.find(run, ["later.log"]) == (), "a folder is listed once"


@pytest.mark.parametrize(
    ("path", "stem", "plain"),
    [
        ("logs/1.json", "logs/1", "logs/1.json"),
        ("logs/1.json.gz", "logs/1", "logs/1.json"),
        ("1.JSON.GZ", "1", "1.JSON"),
        ("1.tar", "1", "1.tar"),
        ("gz", "gz", "gz"),
        ("a.b/c", "a.b/c", "a.b/c"),
    ],
)
def test_a_packed_file_has_the_stem_of_the_plain_one(path: str, stem: str, plain: str) -> None:
    assert (shared_stem(path), unpacked(path)) == (stem, plain)


@pytest.mark.parametrize(
    ("path", "limit", "at_once"),
    [
        ("a.json", 40, 40),
        ("a.dat", 40, 40),
        ("a.jsonl", 500, 64),
        ("a.ndjson", 500, 64),
        ("a.LOG", 500, 64),
        ("a.out", 500, 64),
        ("a.txt.gz", 500, 64),
        ("a.eval", 500, 64),
        ("a.jsonl.zip", 40, 40),
    ],
)
def test_streams_may_be_larger_than_files(path: str, limit: int, at_once: int) -> None:
    bounds = Bounds(file_mb=40, stream_mb=500)
    assert max_bytes(path, bounds) == limit * MB
    assert max_bytes_at_once(path, bounds) == at_once * MB


def test_a_larger_limit_of_files_is_also_one_of_memory() -> None:
    assert max_bytes_at_once("a.log", Bounds(file_mb=65, stream_mb=500)) == 65 * MB
    assert max_bytes_at_once("a.log", Bounds(file_mb=65, stream_mb=10)) == 10 * MB


def test_the_size_of_an_open_file_leaves_it_at_its_beginning() -> None:
    file = io.BytesIO(b"abc")
    file.seek(2)
    assert (size_of(file), file.tell()) == (3, 0)


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(OSError) as refused:
        opened(source(tmp_path))
    assert (refused.value.errno, refused.value.strerror) == (
        errno.ENODEV,
        "it is not a regular file",
    )


def test_a_link_is_opened_only_where_it_was_named(tmp_path: Path) -> None:
    write(tmp_path, "a.json")
    (tmp_path / "link").symlink_to("a.json")
    with opened(source(tmp_path / "link", named=True)) as file:
        assert file.read() == b"{}"
    with pytest.raises(OSError) as refused:
        opened(source(tmp_path / "link"))
    assert refused.value.errno == errno.ELOOP


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a/b c.json", "a/b c.json"),
        ("é", "é"),
        ("a\nb", "a%0Ab"),
        ("a\x7fb", "a%7Fb"),
        ("\u202e", "%E2%80%AE"),
        ("a\udcffb", "a%FFb"),
        ("\udc80", "%80"),
        ("\ud800", "%ED%A0%80"),
        ("\ue000", "%EE%80%80"),
    ],
)
def test_what_cannot_be_seen_in_a_path_stands_as_its_bytes(path: str, shown: str) -> None:
    assert readable(path) == shown


def test_names_that_look_alike_are_numbered() -> None:
    taken: set[str] = set()
    names = ["a.json", "a.json", "a.json", "a~2.json", "b", "b", ".c", ".c"]
    assert [module._untaken(name, taken) for name in names] == [
        *("a.json", "a~2.json", "a~3.json", "a~2~2.json", "b", "b~2", ".c", ".c~2")
    ]


@pytest.mark.parametrize(
    ("pattern", "matched", "unmatched"),
    [
        ("*.json", "a.json .json", "a/b.json a.jsonl"),
        ("**/*.json", "a.json x/y/a.json", "a.log"),
        ("a/**", "a/b a/b/c", "a b/a/c"),
        ("a**b", "ab axb a/x/b", "a"),
        ("?.json", "a.json", ".json ab.json a/b.json"),
        ("[a-c].j", "a.j c.j", "d.j -.j"),
        ("[!a-c].j", "d.j", "a.j /.j .j"),
        ("[]x].j", "].j x.j", "a.j"),
        ("[[].j", "[.j", "a.j"),
        ("a.b+(c)", "a.b+(c)", "aXb+(c) a.bb(c)"),
        ("[a", "[a", "a"),
    ],
)
def test_signs_of_a_pattern(pattern: str, matched: str, unmatched: str) -> None:
    fits = module._pattern(pattern).fullmatch
    assert [path for path in (matched + " " + unmatched).split() if fits(path)] == matched.split()


@pytest.mark.parametrize(
    ("pattern", "matched", "unmatched"),
    [
        ("notes", "notes x/notes", "notes/a my-notes"),
        ("./notes/", "notes x/notes", "x/notes/a"),
        ("x/*.json", "x/a.json", "a.json y/x/a.json"),
        ("*.tmp", "a.tmp x/a.tmp", "a.tmp.json"),
    ],
)
def test_a_pattern_with_a_slash_is_of_the_whole_path(
    pattern: str, matched: str, unmatched: str
) -> None:
    fits = module._ignoring(pattern).fullmatch
    assert [path for path in (matched + " " + unmatched).split() if fits(path)] == matched.split()


def test_a_file_has_the_lowest_level_of_the_inputs_that_lead_to_it(tmp_path: Path) -> None:
    write(tmp_path, "a/1.json", "a/2.json", "3.json")
    levels = [Level.FULL, Level.NONE, Level.TEXTS]
    found = discover([tmp_path, tmp_path / "a", tmp_path / "a" / "2.json"], levels=levels)
    assert [(each.path, each.level, each.named) for each in found.sources] == [
        ("3.json", Level.FULL, False),
        ("a/1.json", Level.NONE, False),
        ("a/2.json", Level.NONE, True),
    ]
    assert {each.level for each in discover([tmp_path]).sources} == {Level.FULL}


def test_prefixes_are_as_many_folders_as_tell_inputs_apart() -> None:
    assert module._prefixes(["/w/a/runs", "/w/b/runs", "/v/b/runs", "/x/y"]) == {
        "/w/a/runs": "a/runs/",
        "/w/b/runs": "w/b/runs/",
        "/v/b/runs": "v/b/runs/",
        "/x/y": "y/",
    }
    assert module._prefixes(["/"]) == {"/": "input/"}
    assert module._prefixes(["/a/runs", "/runs"]) == {"/a/runs": "a/runs/", "/runs": "runs/"}


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("a.json", False),
        (".a.json", True),
        ("x/.a.json", True),
        (".x/a.json", True),
        (".claude/a.json", False),
        ("node_modules/a.json", True),
        ("node_modules", False),
        (".codex/auth.json", True),
        (".codex/sessions/a.jsonl", False),
    ],
)
def test_hidden_files_and_folders_of_other_programs_are_left_out(path: str, left_out: bool) -> None:
    assert is_left_out(path.split("/")) is left_out


def test_a_hidden_name_is_read_where_a_pattern_begins_with_a_dot(tmp_path: Path) -> None:
    write(tmp_path, ".a.json", "b.json", ".x/c.json", "y/.d.json")

    def found(pattern: str) -> list[str]:
        return [each.path for each in discover([f"{tmp_path}/{pattern}"]).sources]

    assert found(".*") == [".a.json", ".x/c.json"]
    assert found("*") == ["b.json"]
    assert found("*/.d*") == ["y/.d.json"]


def test_in_an_empty_folder_nothing_is_found(tmp_path: Path) -> None:
    assert discover([tmp_path]) == Discovery((), (), ())
    assert discover([]) == Discovery((), (), ())


def test_an_output_is_no_input_behind_a_link_either(tmp_path: Path) -> None:
    for name in ("in/a.json", "in/out/b.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "in/out")
    for output in ("in/out", "link"):
        found = discover([tmp_path / "in"], exclude=[tmp_path / output])
        assert [source.path for source in found.sources] == ["a.json"], output
