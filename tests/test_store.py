"""Sites at an address: whole or not at all, kept apart, and nothing of others removed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import PublishError
from sitegen.places import MANIFEST
from sitegen.publish.store.stored_site import StoreSite
from sitegen.remote import stored_files
from sitegen.remote.clients import StoreError
from tests.support import campaigns, stores
from tests.support.campaigns import result
from tests.support.command import ROOT, sitegen

pytestmark = pytest.mark.blank_charts


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store") / "runs"
    return campaigns.write(folder, {f"task-{n % 7}/{n}.json": result(n) for n in range(60)})


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    with stores.s3() as environment:
        stores.s3_client(environment)
        yield environment


def held(environment: dict[str, str], prefix: str) -> dict[str, bytes]:
    """All objects below a prefix."""
    client: Any = stores.s3_client(environment)
    listed = client.get_paginator("list_objects_v2").paginate(Bucket=stores.BUCKET, Prefix=f"{prefix}/")
    keys = [each["Key"] for page in listed for each in page.get("Contents", ())]
    read = {key: client.get_object(Bucket=stores.BUCKET, Key=key)["Body"].read() for key in keys}
    return {key.removeprefix(f"{prefix}/"): data for key, data in read.items()}


def site_of(objects: dict[str, bytes]) -> tuple[str, dict[str, bytes]]:
    """The version that readers are led to, and its files."""
    found = re.search(r"url=(v-[0-9a-f]{12})/index.html", objects["index.html"].decode())
    assert found
    prefix = f"{found[1]}/"
    return found[1], {key.removeprefix(prefix): data for key, data in objects.items() if key.startswith(prefix)}


def test_a_site_in_a_bucket_is_that_of_a_folder_and_keeps_the_version_before(
    tmp_path: Path, runs: Path, s3: dict[str, str]
) -> None:
    assert sitegen("build", "--no-config", runs, "-o", tmp_path / "here").returncode == 0
    here = {str(path.relative_to(tmp_path / "here")): path.read_bytes() for path in (tmp_path / "here").rglob("*.*")}
    client: Any = stores.s3_client(s3)
    client.put_object(Bucket=stores.BUCKET, Key="site/v-000000000000/notes.txt", Body=b"mine")
    versions = []
    for _ in range(3):
        built = sitegen("build", "--no-config", "--no-cache", runs, "-o", "s3://bucket/site", **s3)
        assert built.returncode == 0, built.stderr
        assert built.stdout.endswith("in s3://bucket/site\ns3://bucket/site/index.html\n")
        version, files = site_of(held(s3, "site"))
        versions.append(version)
        same = {path for path in here if path != ".nojekyll" and path != ".sitegen.json"}
        assert {path: files[path] for path in same} == {path: here[path] for path in same}
    assert "left beside the output: v-000000000000/ (1 files of a build that died, or of others)" in built.stderr
    kept = {key.partition("/")[0] for key in held(s3, "site")}
    assert kept == {"index.html", "v-000000000000", *versions[1:]}
    page = client.head_object(Bucket=stores.BUCKET, Key="site/index.html")
    assert page["ContentType"] == "text/html; charset=utf-8"


@pytest.mark.nightly
def test_workers_of_dask_read_and_write_there_themselves(tmp_path: Path, runs: Path, s3: dict[str, str]) -> None:
    stores.upload(runs, s3, "of-dask")
    here = sitegen("build", "--no-config", "-j1", runs, "-o", tmp_path / "here")
    command = ("build", "--no-config", "--engine", "dask", "-j2", "s3://bucket/of-dask", "-o", "s3://bucket/by-dask")
    there = sitegen(*command, **s3)
    assert (there.returncode, there.stderr) == (0, here.stderr)
    files = site_of(held(s3, "by-dask"))[1]
    assert files.keys() >= {"index.html", "data/runs.json"}
    assert {path: (tmp_path / "here" / path).read_bytes() for path in files if path != MANIFEST} == {
        path: data for path, data in files.items() if path != MANIFEST
    }


def test_of_two_builds_one_says_that_the_other_was_first(monkeypatch: pytest.MonkeyPatch, s3: dict[str, str]) -> None:
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    with StoreSite("s3://bucket/two") as first, StoreSite("s3://bucket/two") as second:
        first.write("index.html", b"first")
        second.write("index.html", b"second")
        second.commit()
        with pytest.raises(PublishError, match="another build has published to s3://bucket/two meanwhile"):
            first.commit()
    objects = held(s3, "two")
    assert site_of(objects)[1]["index.html"] == b"second"
    assert len({key.partition("/")[0] for key in objects}) == 2


def test_a_site_whose_last_page_may_be_there_is_not_removed(
    monkeypatch: pytest.MonkeyPatch, s3: dict[str, str]
) -> None:
    """As when the network fails between the write and its answer."""
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    exchange = stored_files.exchange

    def without_answer(url: str, data: bytes, version: str | None) -> bool:
        exchange(url, data, version)
        raise StoreError("no answer")

    monkeypatch.setattr(stored_files, "exchange", without_answer)
    with pytest.raises(PublishError, match="no answer"), StoreSite("s3://bucket/unsure") as site:
        site.write("about.html", b"all of it")
        site.commit()
    assert site_of(held(s3, "unsure"))[1]["about.html"] == b"all of it"


def test_an_address_that_others_use_is_refused(runs: Path, s3: dict[str, str]) -> None:
    client: Any = stores.s3_client(s3)
    client.put_object(Bucket=stores.BUCKET, Key="theirs/index.html", Body=b"<p>mine")
    built = sitegen("build", "--no-config", runs, "-o", "s3://bucket/theirs", **s3)
    assert (built.returncode, held(s3, "theirs")) == (2, {"index.html": b"<p>mine"})
    assert "s3://bucket/theirs/index.html exists and sitegen did not write it" in built.stderr
    for output, said in (("s3://bucket", "name a folder in it"), ("s3://bucket/site.zip", "one file is written")):
        assert said in sitegen("build", "--no-config", runs, "-o", output, **s3).stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("build", "s3://bucket/runs/a", "-o", "s3://bucket/runs"), "is or holds an input"),
        (("export", "runs", "-o", "s3://bucket/runs.csv"), "this machine only"),
        (("pack", "runs", "-o", "s3://bucket/runs.zip"), "this machine only"),
        (("clean", "-o", "s3://bucket/site"), "removes sites in folders"),
    ],
)
def test_what_cannot_be_done_at_an_address_is_refused(tmp_path: Path, command: tuple[str, ...], said: str) -> None:
    (tmp_path / "runs").mkdir()
    done = sitegen(*command, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


@pytest.mark.slow
def test_a_machine_with_sftp_takes_a_site(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "root").mkdir()
    with stores.sftp(tmp_path / "root", tmp_path / "home") as (port, environment):
        for _ in range(3):
            address = f"sftp://127.0.0.1:{port}/site"
            built = sitegen("build", "--no-config", "--no-cache", runs, "-o", address, **environment)
            assert built.returncode == 0, built.stderr
    names = sorted(path.name for path in (tmp_path / "root" / "site").iterdir())
    assert names[0] == "index.html"
    assert [bool(re.fullmatch("v-[0-9a-f]{12}", name)) for name in names[1:]] == [True, True]


@pytest.mark.nightly
@pytest.mark.parametrize("seconds", [2, 4, 6])
def test_a_build_that_is_killed_leaves_the_old_site(
    runs: Path, tmp_path: Path, s3: dict[str, str], seconds: int
) -> None:
    output = f"s3://bucket/killed-{seconds}"
    assert sitegen("build", "--no-config", runs, "-o", output, **s3).returncode == 0
    before = site_of(held(s3, output.rpartition("/")[2]))
    more = campaigns.write(tmp_path / "more", {f"{n}.json": result(n) for n in range(1500)})
    command = [sys.executable, "-m", "sitegen", "build", "--no-config", "--no-cache", more, "-o", output]
    build = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **s3})
    time.sleep(seconds)
    build.kill()
    build.wait()
    assert site_of(held(s3, output.rpartition("/")[2])) == before
