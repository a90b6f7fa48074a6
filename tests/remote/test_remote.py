"""Inputs at addresses: the same site as from a folder, faults in one sentence, and no credentials anywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import make_archive

import pytest

from sitegen.remote import clients
from tests.support import campaigns, stores
from tests.support.campaigns import result
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More runs than one process does alone, an archive, a sidecar, a patch, a folder that is not entered."""
    folder = tmp_path_factory.mktemp("remote") / "runs"
    files = {f"task-{n % 7}/model/{n}.json": result(n) for n in range(1, 61)}
    files |= {
        "task-1/model/1.meta.yaml": "outcome: pass\nlabels: [first]\n",
        "task-2/model/2.diff": PATCH,
    }
    files |= {
        "broken.json": '{"type": "result", ',
        "node_modules/x.json": result(99),
        "a b/ü#1.json": result(98),
    }
    campaigns.write(folder, files)
    packed = campaigns.write(
        folder.parent / "packed", {"61.json": result(61), "62.json": result(62)}
    )
    make_archive(str(folder / "old"), "zip", packed)
    return folder


PATCH = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n one\n+two\n"


@pytest.fixture(scope="module")
def s3(runs: Path) -> Iterator[dict[str, str]]:
    with stores.s3() as environment:
        stores.upload(runs, environment, "runs")
        yield environment


def site(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_bucket_gives_the_site_of_its_folder_and_credentials_stay_out(
    tmp_path: Path, runs: Path, s3: dict[str, str]
) -> None:
    here = sitegen("build", "--no-config", runs, "-o", tmp_path / "here")
    cache = tmp_path / "cache"
    command = (
        "build",
        "--no-config",
        "s3://bucket/runs",
        "-o",
        tmp_path / "there",
        "--cache-dir",
        cache,
    )
    there = sitegen(*command, **s3)
    assert there.returncode == 0, there.stderr
    assert there.stderr == here.stderr
    assert site(tmp_path / "there") == site(tmp_path / "here")
    kept = b"".join([*site(tmp_path / "there").values(), *site(cache).values()])
    assert stores.SECRET.encode() not in kept
    assert stores.SECRET not in there.stdout + there.stderr
    again = sitegen(*command, **s3)
    assert again.stdout == there.stdout
    key, data = "runs/task-0/model/63.json", json.dumps(result(63)).encode()
    stores.s3_client(s3).put_object(Bucket="bucket", Key=key, Body=data)
    try:
        more = sitegen(*command, **s3)
        assert "64 runs" in more.stdout, more.stdout
    finally:
        stores.s3_client(s3).delete_object(Bucket="bucket", Key=key)


def test_an_address_may_be_a_pattern_a_file_or_stand_in_the_settings(
    tmp_path: Path, s3: dict[str, str]
) -> None:
    settings = campaigns.write(
        tmp_path / "own",
        {
            "config.yaml": "inputs: [{path: 's3://bucket/runs/**/1?.json', pattern: '{task}/{model}/{attempt}.json'}]\n"
        },
    )
    built = sitegen(
        "export",
        "-c",
        settings / "config.yaml",
        "--format",
        "json",
        "-o",
        tmp_path / "x.json",
        **s3,
    )
    assert built.returncode == 0, built.stderr
    rows = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["runs"]
    assert {row["task"] for row in rows} == {f"task-{n}" for n in range(7)}
    assert len(rows) == 10
    one = sitegen("check", "--no-config", "s3://bucket/runs/old.zip", **s3)
    assert "2 runs;" in one.stdout
    for number, key in enumerate(
        ("both/a.json", "both/a.json/2.json"), 1
    ):  # a file that is a folder too
        stores.s3_client(s3).put_object(
            Bucket="bucket", Key=key, Body=json.dumps(result(number)).encode()
        )
    assert "2 runs;" in sitegen("check", "--no-config", "s3://bucket/both", **s3).stdout


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("s3://bucket/nothing", "s3://bucket/nothing: there is no such file or folder"),
        ("s3://other/runs", "s3://other/runs: there is no such file or folder"),
        ("s3://user:hush@bucket/runs", "holds a user name or a password"),
        ("http://bucket/runs", "begins with http://, which is not supported"),
        ("gs://bucket/runs", "gs:// needs gcsfs: pip install fsspec gcsfs"),
        ("sftp://ada@host.example/runs", "sftp:// is not read: copy the runs to a folder"),
    ],
)
def test_each_fault_is_one_sentence(
    tmp_path: Path, address: str, said: str, s3: dict[str, str]
) -> None:
    built = sitegen("build", "--no-config", address, "-o", tmp_path / "site", "-v", **s3)
    assert built.returncode in (2, 4)
    assert said in built.stderr
    assert "hush" not in built.stderr
    assert "Traceback" not in built.stderr
    assert len(built.stderr.strip().splitlines()) <= 2
    assert not (tmp_path / "site").exists()


@pytest.mark.nightly
@pytest.mark.parametrize("begin", [3, 8])
def test_a_cut_of_ten_seconds_changes_nothing(
    tmp_path: Path, begin: int, s3: dict[str, str]
) -> None:
    runs = campaigns.write(tmp_path / "runs", {f"{n}.json": result(n) for n in range(1000)})
    stores.upload(runs, s3, f"cut-{begin}")
    assert sitegen("build", "--no-config", runs, "-o", tmp_path / "here").returncode == 0
    with stores.cut(int(s3["AWS_ENDPOINT_URL"].rpartition(":")[2]), begin, 10) as port:
        there = {**s3, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}
        built = sitegen(
            "build", "--no-config", f"s3://bucket/cut-{begin}", "-o", tmp_path / "there", **there
        )
    assert built.returncode == 0, built.stderr
    assert site(tmp_path / "there") == site(tmp_path / "here")


def test_without_addresses_nothing_of_it_is_imported(tmp_path: Path, runs: Path) -> None:
    code = (
        "import sys, runpy\n"
        f"sys.argv = ['sitegen', 'build', '--no-config', '-j1', {str(runs)!r}, '-o', {str(tmp_path / 'site')!r}]\n"
        "try: runpy.run_module('sitegen', run_name='__main__')\n"
        "except SystemExit: print(sorted({name.split('.')[0] for name in sys.modules}))"
    )
    built = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert "'sitegen'" in built.stdout.splitlines()[-1], built.stderr
    for name in ("fsspec", "s3fs", "distributed", "dask"):
        assert f"'{name}'" not in built.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("build", "runs", "-o", "s3://bucket/site"), "a site is written into a folder"),
        (("build", "runs", "-c", "addressed.yaml"), "`aws s3 sync site s3://bucket/site`"),
        (("export", "runs", "-o", "s3://bucket/runs.csv"), "this machine only"),
        (("pack", "runs", "-o", "s3://bucket/runs.zip"), "this machine only"),
    ],
)
def test_what_would_be_written_to_an_address_is_refused(
    tmp_path: Path, command: tuple[str, ...], said: str
) -> None:
    campaigns.write(
        tmp_path, {"runs/1.json": result(1), "addressed.yaml": "output: gs://bucket/report\n"}
    )
    done = sitegen(*command, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 or command[0] in (
        "export",
        "pack",
    )  # there click shows the usage
    assert sorted(path.name for path in tmp_path.iterdir()) == ["addressed.yaml", "runs"]


def test_a_store_that_has_said_no_has_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it then is silent, it is asked for a minute: its name is not wrong."""
    waits: list[float] = []
    monkeypatch.setattr(clients, "_client", lambda *_: None)
    monkeypatch.setattr(clients, "_answered", set())
    monkeypatch.setattr(clients.time, "sleep", waits.append)

    def ask(error: Exception) -> None:
        def question(_: object) -> None:
            raise error

        clients.asked("s3://bucket/site", question)

    with pytest.raises(clients.StoreError):
        ask(ConnectionError())
    assert sum(waits) < 5
    with pytest.raises(FileNotFoundError):
        ask(FileNotFoundError())
    waits.clear()
    with pytest.raises(clients.StoreError):
        ask(ConnectionError())
    assert sum(waits) > 60
