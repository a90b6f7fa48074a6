"""Builds by workers of Dask: the same bytes as one process, whatever dies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil
import pytest

from sitegen.errors import PublishError
from sitegen.system.workers.dask_engine import Dask
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts


def site(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def doubled(items: Sequence[int]) -> list[int]:
    return [2 * item for item in items]


def deadly(items: Sequence[int]) -> list[int]:
    if 7 in items:
        os._exit(1)
    return doubled(items)


def faulty(items: Sequence[int]) -> list[int]:
    raise PublishError(f"not {items[0]}")


def start(runs: Path, output: Path) -> subprocess.Popen[str]:
    """A build by two workers."""
    command = [
        sys.executable,
        "-m",
        "sitegen",
        "build",
        "--no-config",
        "--no-cache",
        "--engine",
        "dask",
        "-j2",
    ]
    return subprocess.Popen(
        [*command, runs, "-o", output], cwd=ROOT, stderr=subprocess.PIPE, encoding="utf-8"
    )


def workers_of(build: subprocess.Popen[str]) -> list[psutil.Process]:
    """Its workers that live: a worker calls itself so, if it can, once it has started."""
    try:
        children = psutil.Process(build.pid).children(recursive=True)
        titled = [each for each in children if each.name().startswith("dask worker")]
        return titled or [each for each in children if "spawn_main" in " ".join(each.cmdline())]
    except psutil.NoSuchProcess:
        return []


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dask") / "runs"
    return campaigns.write(folder, {f"task-{n % 50}/{n}.json": result(n) for n in range(1000)})


def test_dask_gives_the_bytes_of_one_process(tmp_path: Path) -> None:
    runs = campaigns.write(tmp_path / "runs", {f"task/{n}.json": result(n) for n in range(60)})
    here = sitegen("build", "--no-config", "-j1", runs, "-o", tmp_path / "here")
    there = sitegen(
        "build", "--no-config", "-j1", "--engine", "dask", runs, "-o", tmp_path / "there"
    )
    assert (there.returncode, there.stderr) == (0, here.stderr)
    assert site(tmp_path / "there") == site(tmp_path / "here")


def test_others_cannot_connect_to_a_cluster_on_this_machine() -> None:
    with Dask(None, 1) as ours:
        assert list(ours.map(doubled, [1, 2], lambda item: -item)) == [2, 4]
        port = ours._cluster.scheduler_address.rpartition(":")[2]
        stranger = (
            "import sys, distributed; security = distributed.Security.temporary() if sys.argv[1] == 'tls' else None; "
            "distributed.Client(f'{sys.argv[1]}://127.0.0.1:{sys.argv[2]}', timeout=5, security=security)"
        )
        for scheme in ("tcp", "tls"):
            done = subprocess.run(
                [sys.executable, "-c", stranger, scheme, port], capture_output=True
            )
            assert done.returncode == 1 and (
                b"Connection" in done.stderr or b"SSL" in done.stderr
            ), done.stderr
        for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
            for each in process.net_connections("tcp"):
                if each.status == psutil.CONN_LISTEN:
                    with suppress(OSError, HTTPException):
                        asked = HTTPConnection("127.0.0.1", each.laddr.port, timeout=5)
                        asked.request("GET", "/info/main/workers.html")
                        assert asked.getresponse().status == 404
                    asked.close()


def test_a_wrong_scheduler_is_one_sentence(tmp_path: Path) -> None:
    runs = campaigns.write(tmp_path / "runs", {"1.json": result(1)})
    command = ("build", "--no-config", runs, "-o", tmp_path / "site", "--scheduler")
    alone = sitegen(*command, "tcp://127.0.0.1:1")
    assert (alone.returncode, alone.stderr) == (2, "--scheduler needs --engine dask.\n")
    malformed = sitegen(*command, "nonsense://x", "--engine", "dask")
    assert malformed.returncode == 4
    assert "sitegen: the scheduler at nonsense://x does not answer" in malformed.stderr


@pytest.mark.nightly
def test_what_ends_each_worker_is_found_and_lost_alone() -> None:
    with Dask(None, 2) as dask:
        assert list(dask.map(deadly, range(100), lambda item: -item)) == [
            -7 if item == 7 else 2 * item for item in range(100)
        ]
        with pytest.raises(PublishError, match="not 0"):
            list(dask.map(faulty, range(100), lambda item: item))
        assert list(dask.map(doubled, range(5), lambda item: -item)) == [0, 2, 4, 6, 8]


@pytest.mark.nightly
def test_workers_that_are_killed_in_every_stage_change_no_byte(tmp_path: Path, many: Path) -> None:
    assert sitegen("build", "--no-config", "-j1", many, "-o", tmp_path / "here").returncode == 0
    build, killed = start(many, tmp_path / "there"), 0
    while build.poll() is None:
        time.sleep(2)
        for worker in workers_of(build)[:1]:
            worker.kill()
            killed += 1
    assert build.returncode == 0, build.communicate()[1]
    build.communicate()
    assert killed >= 3
    assert site(tmp_path / "there") == site(tmp_path / "here")


@pytest.mark.nightly
@pytest.mark.parametrize("seconds", [1, 3, 5])
def test_a_client_that_is_killed_leaves_the_old_site_and_no_worker(
    tmp_path: Path, many: Path, seconds: int
) -> None:
    old = campaigns.write(tmp_path / "old", {"1.json": result(1)})
    assert sitegen("build", "--no-config", old, "-o", tmp_path / "site").returncode == 0
    before = site(tmp_path / "site")
    build = start(many, tmp_path / "site")
    while not workers_of(build) and build.poll() is None:
        time.sleep(0.1)
    time.sleep(seconds)
    workers = workers_of(build)
    assert workers, "it has ended"
    build.kill()
    build.communicate()
    assert site(tmp_path / "site") == before
    assert psutil.wait_procs(workers, timeout=20)[1] == []
    assert sitegen("build", "--no-config", many, "-o", tmp_path / "site").returncode == 0
