"""Folders beside or in an output that look like the staging folders of crashed builds, and were made by somebody else.

A repository or an archive can hold such folders: git keeps no modes but that of the user's umask, which may be 077, and
an archive keeps every mode.
"""

from __future__ import annotations

import json
import os
import platform
from hashlib import sha256
from pathlib import Path

import pytest

from sitegen.errors import PublishError
from sitegen.publish import Publication, Published
from sitegen.system.places import MANIFEST
from tests.support.publishing import exchanging, unsupported

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs links and POSIX modes")

Files = dict[str, bytes]

PRECIOUS: Files = {"a.txt": b"precious", "below/b.txt": b"precious too"}
SITE: Files = {"index.html": b"old index", "runs/a.html": b"old a"}
NEW: Files = {"index.html": b"new index", "runs/b.html": b"new b"}

every_mode = pytest.mark.parametrize("mode", [0o755, 0o700], ids=["0755", "0700"])


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A place for a site in a folder of its own."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place" / "site"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder that no build has a say in."""
    return add(tmp_path / "victim", PRECIOUS)


def add(folder: Path, files: Files) -> Path:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def content(folder: Path) -> Files:
    """All files below a folder, without the two that every site has; links are not entered."""
    found = [Path(above, name) for above, _, names in os.walk(folder) for name in names]
    kept = [path for path in found if path.name not in (MANIFEST, ".nojekyll") and path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}


def container(
    folder: Path, mode: int, name: str = ".site.sitegen-000000000000", *, journal: bool = False
) -> Path:
    """A forged staging folder."""
    made = folder / name
    made.mkdir(parents=True)
    made.chmod(mode)
    (made / "sitegen-staging").touch()
    if journal:
        (made / "publishing").touch()
    return made


def manifest(*files: tuple[str, bytes]) -> bytes:
    """A manifest that lists these files, with the right digests."""
    listed = {path: {"size": len(data), "sha256": sha256(data).hexdigest()} for path, data in files}
    return json.dumps({"schema": 1, "files": listed}).encode()


def build(output: Path, files: Files = NEW) -> Published:
    with Publication(output) as publication:
        for path, data in files.items():
            publication.write(path, data)
        return publication.commit()


@every_mode
@pytest.mark.parametrize("journal", [False, True], ids=["staging", "publishing"])
@pytest.mark.parametrize("name", ["site", "old"])
def test_no_build_deletes_what_a_link_in_a_staging_folder_leads_to(
    output: Path, victim: Path, name: str, journal: bool, mode: int
) -> None:
    build(output, SITE)
    forged = container(output.parent, mode, journal=journal)
    (forged / name).symlink_to(victim)
    build(output)
    assert content(victim) == PRECIOUS
    assert (forged / name).is_symlink()


@every_mode
@pytest.mark.parametrize("journal", [False, True], ids=["staging", "publishing"])
@pytest.mark.parametrize("name", ["site", "old"])
def test_a_link_to_the_live_site_costs_nothing_in_it(
    output: Path, name: str, journal: bool, mode: int
) -> None:
    build(output, SITE)
    add(output, {"CNAME": b"example.org"})
    forged = container(output.parent, mode, journal=journal)
    (forged / name).symlink_to("../site")
    with Publication(output):
        pass
    assert content(output) == SITE | {"CNAME": b"example.org"}


@every_mode
def test_a_link_in_the_place_of_a_missing_output_becomes_no_site(
    output: Path, victim: Path, mode: int
) -> None:
    (container(output.parent, mode, journal=True) / "old").symlink_to(victim)
    with Publication(output):
        pass
    assert not os.path.lexists(output)
    assert content(victim) == PRECIOUS


@pytest.mark.parametrize("name", ["sitegen-staging", "publishing"])
def test_a_marker_or_journal_that_is_a_link_proves_nothing(
    output: Path, victim: Path, name: str
) -> None:
    forged = container(output.parent, 0o700)
    (forged / name).unlink(missing_ok=True)
    (forged / name).symlink_to(victim / "a.txt")
    add(forged / "site", {"mine.txt": b"mine"})
    assert build(output).left == (forged.name,)
    assert content(forged / "site") == {"mine.txt": b"mine"}


def test_a_staging_folder_that_is_a_link_is_listed_and_left(output: Path, victim: Path) -> None:
    real = container(victim, 0o700, "real")
    add(real / "site", {"mine.txt": b"mine"})
    link = output.parent / ".site.sitegen-000000000000"
    link.symlink_to(real)
    assert build(output).left == (link.name,)
    assert link.is_symlink()
    assert content(real / "site") == {"mine.txt": b"mine"}


def test_a_staging_folder_with_something_more_in_it_is_listed_and_left(output: Path) -> None:
    forged = container(output.parent, 0o700, journal=True)
    add(forged, {"site/mine.txt": b"mine", "more.txt": b"mine"})
    assert build(output).left == (forged.name,)
    assert content(forged / "site") == {"mine.txt": b"mine"}


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o777, 0o500])
def test_a_staging_folder_with_another_mode_is_listed_and_left(output: Path, mode: int) -> None:
    forged = container(output.parent, 0o700)
    add(forged / "site", {"mine.txt": b"mine"})
    forged.chmod(mode)
    assert build(output).left == (forged.name,)
    assert content(forged / "site") == {"mine.txt": b"mine"}
    assert build(output).left == (forged.name,)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give folders away"
)
def test_a_staging_folder_of_another_user_is_listed_and_left(output: Path) -> None:
    forged = container(output.parent, 0o700)
    add(forged / "site", {"mine.txt": b"mine"})
    os.chown(forged, 65534, 65534)
    assert build(output).left == (forged.name,)
    assert content(forged / "site") == {"mine.txt": b"mine"}


@every_mode
def test_a_forged_old_site_is_not_published(output: Path, mode: int) -> None:
    forged = container(output.parent, mode, journal=True)
    add(forged / "old", {MANIFEST: manifest(), "evil.html": b"<script>1</script>"})
    published = build(output)
    assert content(output) == NEW
    assert published.carried == ()
    assert content(forged / "old") == {"evil.html": b"<script>1</script>"}
    assert any(path.startswith(forged.name) for path in published.left)


UNSAFE = ["../../victim/a.txt", "/etc/victim", "a//b", "./a", "a/../b", "a\\b", "", "a/", "\x00"]


@pytest.mark.parametrize("path", UNSAFE)
def test_a_manifest_with_an_unsafe_path_is_no_manifest(output: Path, path: str) -> None:
    build(output, SITE)
    (output / MANIFEST).write_bytes(manifest(*SITE.items(), (path, b"")))
    with pytest.raises(PublishError, match="cannot be read"):
        build(output)
    assert content(output) == SITE


@every_mode
def test_no_file_outside_the_output_is_replaced_or_deleted(
    output: Path, victim: Path, mode: int
) -> None:
    build(output, SITE)
    forged = container(output.parent, mode, journal=True)
    evil = ("../../victim/a.txt", b"evil"), (str(victim / "below" / "b.txt"), b"x")
    add(forged / "site", {MANIFEST: manifest(*evil)})
    add(forged.parent / "victim", {"a.txt": b"evil"})
    with Publication(output):
        pass
    assert content(victim) == PRECIOUS
    assert content(output) == SITE


def test_a_staging_folder_inside_the_output_is_carried_as_any_file_of_others(output: Path) -> None:
    build(output, SITE)
    forged = container(output, 0o700, journal=True)
    add(forged / "site", {MANIFEST: manifest(("index.html", b"evil")), "index.html": b"evil"})
    build(output, SITE)
    assert SITE.items() <= content(output).items()
    assert (forged / "site" / "index.html").read_bytes() == b"evil"


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_manifest_that_is_no_regular_file_is_no_manifest(
    output: Path, victim: Path, kind: str
) -> None:
    build(output, SITE)
    forged = container(output.parent, 0o700, journal=True)
    add(forged / "site", {"a.html": b"a"})
    (victim / "manifest").write_bytes(manifest(("a.html", b"a")))
    if kind == "link":
        (forged / "site" / MANIFEST).symlink_to(victim / "manifest")
    else:
        os.mkfifo(forged / "site" / MANIFEST)
    with Publication(output):
        pass
    assert not (output / "a.html").exists()


def test_a_marker_that_a_crash_cut_short_is_cleaned_up(output: Path) -> None:
    container(output.parent, 0o700)
    assert build(output).left == ()
    assert sorted(path.name for path in output.parent.iterdir()) == ["site"]


@pytest.mark.skipif(
    platform.system() != "Linux", reason="the mode of a new folder follows that of the one above it"
)
def test_a_crash_in_a_folder_that_hands_down_its_group_is_cleaned_up(output: Path) -> None:
    output.parent.chmod(0o2775)
    forged = output.parent / ".site.sitegen-000000000000"
    forged.mkdir(0o700)
    add(forged, {"sitegen-staging": b"", "site/index.html": b"half"})
    assert build(output).left == ()


def test_the_old_site_is_put_back_only_where_the_journal_names_it(output: Path) -> None:
    """A crash between two renames: the folder that the journal names is the one that lost its name."""
    build(output, SITE)

    def lost(first: Path, second: Path) -> None:
        if first == output:
            os.replace(first, second)  # noqa: PTH105
            raise KeyboardInterrupt
        os.replace(first, second)  # noqa: PTH105

    with (
        pytest.raises(KeyboardInterrupt),
        exchanging(unsupported, lost),
        Publication(output) as publication,
    ):
        publication.write("index.html", b"new")
        publication.commit()
    assert content(output) == SITE


@pytest.mark.parametrize("journal", [b"", b"1\n"])
def test_an_old_site_that_the_journal_does_not_name_stays_where_it_is(
    output: Path, journal: bytes
) -> None:
    """As an older version left it, or after its folder was copied: what is in it is listed and not lost."""
    build(output, SITE)
    container = output.parent / f".{output.name}.sitegen-0123456789ab"
    container.mkdir(0o700)
    (container / "sitegen-staging").write_text("x", encoding="utf-8")
    output.rename(container / "old")
    (container / "publishing").write_bytes(journal)
    with Publication(output) as publication:
        publication.write("index.html", b"new")
        published = publication.commit()
    assert content(container / "old") == SITE
    assert any("old" in path for path in published.left)
