"""What a build promises when something goes wrong: a real lock, real processes, real kills.

Faults are raised by an audit hook in a child process, at the very call that Python makes to the system.
"""

from __future__ import annotations

import errno
import os
import platform
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from sitegen.errors import PublishError
from sitegen.publish import Publication, staging
from sitegen.publish.publication import exchange_names
from tests.conftest import ROOT
from tests.support.publishing import (
    FOREIGN,
    NEW,
    OLD,
    WAYS,
    add,
    beside,
    build,
    content,
    every_way,
    everything,
    exchanging,
    in_child,
    linux_only,
    posix_only,
    unsupported,
)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A place for a site in a folder of its own."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place" / "site"


# Leaving without a commit


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit, PublishError])
def test_any_exception_leaves_the_old_site_and_nothing_else(
    output: Path, error: type[BaseException]
) -> None:
    build(output, OLD)
    add(output, FOREIGN)
    before = everything(output)
    with pytest.raises(error), Publication(output) as publication:
        publication.write("index.html", b"new")
        raise error
    assert everything(output) == before
    assert beside(output) == []


@posix_only
def test_a_killed_build_leaves_the_old_site_and_the_next_one_cleans_up(output: Path) -> None:
    build(output, OLD)
    add(output, FOREIGN)

    def killed() -> None:
        with Publication(output) as publication:
            publication.write("index.html", b"new")
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(killed) == -signal.SIGKILL
    assert content(output) == OLD | FOREIGN
    assert len(beside(output)) == 2  # staging and lock
    build(output, NEW)
    assert content(output) == NEW | FOREIGN
    assert beside(output) == []


@posix_only
def test_a_crash_between_the_two_renames_is_repaired_by_the_next_build(output: Path) -> None:
    build(output, OLD)
    add(output, FOREIGN)

    def rename_once(first: Path, second: Path) -> None:
        os.replace(first, second)  # noqa: PTH105
        os.kill(os.getpid(), signal.SIGKILL)

    def killed() -> None:
        with exchanging(unsupported, rename_once), Publication(output) as publication:
            publication.write("index.html", b"new")
            publication.commit()

    assert in_child(killed) == -signal.SIGKILL
    assert not output.exists()
    with pytest.raises(KeyError), Publication(output):
        raise KeyError  # even a build that fails has repaired it
    assert content(output) == OLD | FOREIGN
    assert beside(output) == []


def test_when_the_second_of_two_renames_fails_the_old_site_is_put_back(output: Path) -> None:
    build(output, OLD)

    def rename(first: Path, second: Path) -> None:
        if second == output and first.name == "site":
            raise OSError(errno.EIO, "I/O error")
        os.replace(first, second)  # noqa: PTH105

    broken = Publication(output)
    with (
        exchanging(unsupported, rename),
        pytest.raises(PublishError, match="disk reports an error"),
        broken,
    ):
        broken.commit()
    assert content(output) == OLD
    assert beside(output) == []


def test_what_cannot_be_cleaned_up_behind_a_published_site_is_left_and_no_error(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(output, OLD)

    def refused(*_: object) -> list[str]:
        raise OSError(errno.EIO, "I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(staging, "remove", refused)
        published = build(output, NEW)
    (left,) = output.parent.glob(".site.sitegen-*")
    assert published.left == (left.name,)
    assert content(output) == NEW
    assert build(output, NEW).left == ()
    assert content(output) == NEW
    assert beside(output) == []


def test_a_folder_that_only_looks_like_staging_is_not_touched(output: Path) -> None:
    lookalikes = {
        ".site.sitegen-0123456789ab/mine.txt": b"1",
        ".other.sitegen-0123456789ab/sitegen-staging": b"2",
    }
    add(output.parent, lookalikes)
    build(output, OLD)
    build(output, NEW)
    assert content(output.parent) == lookalikes | {
        f"site/{path}": data for path, data in NEW.items()
    }


# Faults, one call at a time

WRITING = (
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.chmod",
    "os.utime",
    "open",
    "os.scandir",
)


def build_with_fault(output: Path, way: str, at: int, fault: BaseException | None) -> bool:
    """Whether a rebuild in a child ended without meeting the fault at its k-th call: an exception, or a kill (None)."""

    def exchange(first: Path, second: Path) -> None:
        sys.audit("os.rename", first, second, -1, -1)  # ctypes reports no such event
        exchange_names(first, second)

    def work() -> None:
        calls = 0
        is_over = False  # what counts lines writes when the process ends

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal calls
            if (
                not is_over
                and event in WRITING
                and not (event == "open" and arguments[1] is None and arguments[2] == os.O_RDONLY)
            ):
                calls += 1
                if calls == at:
                    if fault is None:
                        os.kill(os.getpid(), signal.SIGKILL)
                    else:
                        raise fault

        sys.addaudithook(hook)
        try:
            with (
                exchanging(unsupported if way == "two renames" else exchange),
                Publication(output) as publication,
            ):
                for path, data in NEW.items():
                    publication.write(path, data)
                publication.commit()
            code = 0 if calls < at else 3
        except PublishError:
            code = 4
        except KeyboardInterrupt:
            code = 130
        is_over = True
        os._exit(code)

    code = in_child(work)
    assert code in (0, 3, 4, 130, -signal.SIGKILL)
    return code == 0


injected: dict[tuple[str, str], tuple[int, int]] = {}
"""The calls of a build at which a fault could be, and at how many one was, by way of publishing and kind of fault."""

FAULTS = [
    OSError(number, os.strerror(number)) for number in (errno.ENOSPC, errno.EACCES, errno.EIO)
]


@pytest.mark.slow
@linux_only
@every_way
@pytest.mark.parametrize("fault", [None, KeyboardInterrupt(), *FAULTS], ids=repr)
def test_a_fault_at_any_call_leaves_a_whole_site_all_foreign_files_and_a_clean_next_build(
    output: Path,
    way: str,
    fault: BaseException | None,
    sample: Callable[[Sequence[int], int], list[int]],
) -> None:
    """On a push at a third of the calls, which the commit chooses."""
    tried, finished = sorted(sample(range(1, 2_000), 3)), False
    for at in tried:
        shutil.rmtree(output.parent)
        output.parent.mkdir()
        build(output, OLD)
        add(output, FOREIGN)
        finished = build_with_fault(output, way, at, fault)
        if isinstance(fault, KeyboardInterrupt):  # an interrupted build cleans up itself
            assert beside(output) in ([], [".site.sitegen.lock"]), f"call {at}"
        if output.exists():
            assert content(output) in (OLD | FOREIGN, NEW | FOREIGN), f"call {at}"
        with Publication(output):  # repairs, and writes nothing
            pass
        assert content(output) in (OLD | FOREIGN, NEW | FOREIGN), f"call {at}"
        published = build(output, NEW)
        assert published.carried == tuple(sorted(FOREIGN)), f"call {at}"
        assert content(output) == NEW | FOREIGN, f"call {at}"
        assert (beside(output), published.left) == ([], ()), f"call {at}"
        if finished:
            break
    assert finished
    injected[way, repr(fault)] = at, tried.index(at)


@pytest.mark.slow
def test_enough_faults_were_injected() -> None:
    expected = len(WAYS) * (2 + len(FAULTS))
    if len(injected) < expected:
        pytest.skip("needs the test of faults before it, in full")
    assert min(calls for calls, _ in injected.values()) >= 60, injected
    assert min(faults for _, faults in injected.values()) > 10, injected


# Errors of the system


def unprivileged(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script with sitegen imported, as a user who is not root."""
    lead = f"""
        import os, sys
        sys.path.insert(0, {str(ROOT)!r})
        from pathlib import Path, PurePosixPath
        from sitegen.errors import PublishError
        from sitegen.publish import Publication, publication, staging
        if os.geteuid() == 0:
            try:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            except OSError:
                sys.exit(77)
        output = Path(sys.argv[1])
    """
    text = textwrap.dedent(lead) + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments], capture_output=True, encoding="utf-8"
    )
    if done.returncode == 77:
        pytest.skip("this root cannot become another user")
    return done


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder in which everybody may write, also below: the one of pytest is closed to other users."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o777)
    yield made
    subprocess.run(["chmod", "-R", "u+rwx", str(made)], check=True)
    shutil.rmtree(made)


PUBLISH = """
    try:
        with Publication(output) as publication:
            for path in ("index.html", "runs/a.html"):
                publication.write(path, b"by somebody")
            print(publication.commit())
    except PublishError as error:
        print(error)
"""


@posix_only
@pytest.mark.parametrize("closed", ["parent", "site"])
def test_without_permission_there_is_one_sentence_and_the_old_site(
    open_folder: Path, closed: str
) -> None:
    site = open_folder / "parent" / "site"
    build(site, OLD)
    site.parent.chmod(0o555 if closed == "parent" else 0o777)
    site.chmod(0o555)
    done = unprivileged(PUBLISH, str(site))
    assert done.stdout.startswith(f"cannot write to {site}: permission is denied"), done.stderr
    assert content(site) == OLD
    assert beside(site) == []


@posix_only
def test_a_foreign_folder_that_is_read_only_is_carried_and_nothing_is_left(
    open_folder: Path,
) -> None:
    site = open_folder / "site"
    first = unprivileged(PUBLISH, str(site))
    assert "files=" in first.stdout, first.stderr
    script = """
        (output / "locked").mkdir()
        (output / "locked" / "f").write_bytes(b"mine")
        (output / "locked").chmod(0o555)
    """
    done = unprivileged(textwrap.dedent(script) + textwrap.dedent(PUBLISH), str(site))
    assert "carried=('locked/f',), left=()" in done.stdout, done.stderr
    assert stat.S_IMODE((site / "locked").stat().st_mode) == 0o555
    assert beside(site) == []


@posix_only
def test_a_file_that_the_system_refuses_to_hold_stops_the_build(output: Path) -> None:
    build(output, OLD)

    def work() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        sentence = r"cannot write big\.html to .*: the file is larger than"
        with Publication(output) as publication, pytest.raises(PublishError, match=sentence):
            publication.write("big.html", b"x" * 2000)

    assert in_child(work) == 0
    assert content(output) == OLD
    assert beside(output) == []


def with_mount(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script where file systems can be mounted for it alone; skips where that is not permitted."""
    if platform.system() != "Linux" or not shutil.which("unshare"):
        missing_mounts()
    probe = f"mkdir -p {folder}/probe && mount -t tmpfs none {folder}/probe"
    if subprocess.run(["unshare", "-m", "sh", "-c", probe], capture_output=True).returncode != 0:
        missing_mounts()
    (folder / "probe").rmdir()
    command = [
        "unshare",
        "-m",
        "sh",
        "-ec",
        textwrap.dedent(script),
        "sh",
        str(folder),
        sys.executable,
    ]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONPATH": str(ROOT)}
    )


def missing_mounts() -> None:
    pytest.skip("file systems cannot be mounted here")


def publish_command(words: str) -> str:
    return f"""
    "$2" -c '
import sys
from pathlib import Path, PurePosixPath
from sitegen.errors import PublishError, RefusedOutput
from sitegen.publish import Publication
try:
    with Publication(Path(sys.argv[1])) as publication:
        for path in ("index.html", "runs/a.html"):
            publication.write(path, {words})
        print(publication.commit())
except (PublishError, RefusedOutput) as error:
    print(error)
' "$1/disk/site"
    """


def test_a_mount_point_is_refused_before_any_work_and_a_folder_in_it_is_not(tmp_path: Path) -> None:
    script = (
        'mkdir -p "$1/disk/site"\nmount -t tmpfs none "$1/disk/site"\n'
        + publish_command('b"one"')
        + publish_command('b"one"').replace("/disk/site", "/disk/site/report")
        + 'ls -A "$1/disk/site"; ls -A "$1/disk"\n'
    )
    done = with_mount(script, tmp_path)
    assert done.returncode == 0, done.stderr
    refused, published, *left = done.stdout.splitlines()
    assert refused.endswith("is a mount point and cannot be renamed, name a folder in it")
    assert "files=" in published
    assert left == ["report", "site"]


def test_a_full_disk_leaves_the_old_site(tmp_path: Path) -> None:
    script = (
        'mkdir "$1/disk"\nmount -t tmpfs -o size=256k none "$1/disk"\n'
        + publish_command('b"one"')
        + publish_command('b"x" * 200_000')
        + 'cat "$1/disk/site/index.html" "$1/disk/site/runs/a.html"; ls -A "$1/disk"\n'
    )
    done = with_mount(script, tmp_path)
    assert "cannot write runs/a.html to" in done.stdout, done.stderr
    assert (
        ": the disk is full, free some space and build again; nothing was published" in done.stdout
    )
    assert done.stdout.endswith("oneonesite\n")


def test_a_read_only_file_system_is_said_to_be_one(tmp_path: Path) -> None:
    script = 'mkdir "$1/disk"\nmount -t tmpfs -o ro none "$1/disk"\n' + publish_command('b"one"')
    assert (
        ": the file system is read-only, choose another output"
        in with_mount(script, tmp_path).stdout
    )


def test_a_file_system_mounted_inside_the_site_is_refused_and_not_emptied(tmp_path: Path) -> None:
    script = (
        'mkdir "$1/disk"\n'
        + publish_command('b"one"')
        + 'mkdir "$1/disk/site/backup"\nmount -t tmpfs none "$1/disk/site/backup"\ntouch "$1/disk/site/backup/kept"\n'
        + publish_command('b"two"')
        + 'ls "$1/disk/site/backup"\n'
    )
    done = with_mount(script, tmp_path)
    assert "another file system is mounted at backup" in done.stdout, done.stderr
    assert done.stdout.endswith("kept\n")


# Builds at once


def test_a_second_build_says_that_it_waits_and_gives_up_with_a_sentence(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "WAIT_SECONDS", 0.2)
    said: list[str] = []
    with Publication(output) as first:
        second = Publication(output, on_wait=said.append)
        with (
            pytest.raises(
                PublishError, match=r"another build of .*site still runs after 0\.2 seconds"
            ),
            second,
        ):
            pytest.fail("two builds at once")
        first.write("index.html", b"1")
        first.commit()
    assert said == [f"waiting for another build of {output} to end"]
    assert content(output) == {"index.html": b"1"}
    assert beside(output) == []


def test_a_second_build_goes_on_when_the_first_has_ended(output: Path) -> None:
    waits = threading.Event()
    with Publication(output) as first:

        def second() -> None:
            with Publication(output, on_wait=lambda _: waits.set()) as publication:
                publication.write("index.html", b"second")
                publication.commit()

        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(30)
        first.write("index.html", b"first")
        first.commit()
    thread.join()
    assert content(output) == {"index.html": b"second"}
    assert beside(output) == []


REBUILDS = """
import sys
from pathlib import Path, PurePosixPath
from sitegen.publish import Publication, publication, staging
for round in range(int(sys.argv[3])):
    with Publication(Path(sys.argv[1])) as publication:
        for page in range(20):
            publication.write(f"runs/{page}.html", (sys.argv[2] * 500).encode())
        publication.commit()
"""


def rebuilding(output: Path, word: str, rounds: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", REBUILDS, str(output), word, str(rounds)]
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)})


@pytest.mark.slow
def test_builds_of_one_output_at_once_give_one_whole_site(output: Path) -> None:
    words = ("one ", "two ", "six ", "ten ", "ant ", "bee ", "cat ", "dog ")
    builds = [rebuilding(output, word, 5) for word in words]
    assert [process.wait() for process in builds] == [0] * 8
    pages = content(output)
    assert len(pages) == 20
    assert len(set(pages.values())) == 1
    assert beside(output) == []


@pytest.mark.slow
@linux_only
def test_readers_find_every_file_whole_during_fifty_rebuilds(output: Path) -> None:
    build(output, {f"runs/{page}.html": b"old " * 500 for page in range(20)})
    builds = [rebuilding(output, word, 25) for word in ("new ", "two ")]
    reads = 0
    while any(process.poll() is None for process in builds):
        for page in range(20):
            data = (output / f"runs/{page}.html").read_bytes()
            assert data == data[:4] * 500
            reads += 1
    assert [process.returncode for process in builds] == [0, 0]
    assert reads > 100


def test_a_system_that_fails_to_exchange_names_is_not_asked_another_way(tmp_path: Path) -> None:
    build(tmp_path / "site", OLD)

    def full(first: Path, second: Path) -> None:
        raise OSError(errno.ENOSPC, "no space left on device", str(first), None, str(second))

    with (
        pytest.raises(PublishError, match="nothing was published and an old site is as it was"),
        exchanging(full),
        Publication(tmp_path / "site") as publication,
    ):
        for path, data in NEW.items():
            publication.write(path, data)
        publication.commit()
    assert content(tmp_path / "site") == OLD
