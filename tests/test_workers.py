"""Work in several processes: in order, the same as in one, and finished when workers die."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from sitegen import workers
from sitegen.workers import Processes
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result

pytestmark = pytest.mark.slow

ITEMS = range(200)


def square(numbers: Sequence[int]) -> list[int]:
    return [number * number for number in numbers]


def process_of(numbers: Sequence[int]) -> list[int]:
    """The process, once a second one works too where there is one to meet, which may be slow to start."""
    if met := os.environ.get("SITEGEN_MET"):
        Path(met, str(os.getpid())).touch()
        deadline = time.monotonic() + 60
        while len(list(Path(met).iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    return [os.getpid() for _ in numbers]


def dies_at_117(numbers: Sequence[int]) -> list[int]:
    if 117 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(numbers)


def fails_at_117(numbers: Sequence[int]) -> list[int]:
    if 117 in numbers:
        raise LookupError("117")
    return square(numbers)


def never(number: int) -> int:
    pytest.fail(f"{number} was lost")


@pytest.fixture(params=["fork", "spawn"])
def started(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to start a process."""
    monkeypatch.setattr(workers, "_may_fork", lambda: request.param == "fork")


both_ways = pytest.mark.usefixtures("started")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    assert list(Processes(count).map(square, ITEMS, never)) == square(ITEMS)


def pid_and_square(numbers: Sequence[int]) -> list[tuple[int, int]]:
    return [(os.getpid(), number * number) for number in numbers]


def ends_at_once(numbers: Sequence[int]) -> list[int]:
    if 0 in numbers:
        os._exit(1)
    return square(numbers)


@pytest.mark.skipif(sys.platform != "linux", reason="a process that is not a copy starts too late")
def test_a_worker_may_die_before_all_is_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_may_fork", lambda: True)
    for _ in range(5):
        found = list(Processes(2).map(ends_at_once, range(16_000), lambda _: -1))
        assert found == [-1, *square(range(1, 16_000))]


def test_processes_are_replaced_before_they_copy_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CHUNKS_PER_POOL", 4)  # of 17
    found = list(Processes(2).map(pid_and_square, ITEMS, lambda number: pytest.fail(f"{number} was lost")))
    assert [value for _, value in found] == square(ITEMS)
    by_process = [{pid for pid, _ in found[at : at + 4 * 12]} for at in range(0, len(ITEMS), 4 * 12)]
    assert all(one.isdisjoint(other) for one, other in pairwise(by_process))


FORKS_ALL = """
from sitegen import workers
from tests.test_workers import ITEMS, square
ways, may_fork, workers.CHUNKS_PER_POOL = [], workers._may_fork, 1
workers._may_fork = lambda: ways.append(may_fork()) or ways[-1]
if __name__ == "__main__":
    list(workers.Processes(2).map(square, range(2000), None))
    assert len(ways) > 30 and all(ways), ways
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
def test_threads_that_have_ended_do_not_keep_a_process_from_being_copied(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(FORKS_ALL, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, script], env=env, check=True, timeout=120)


@both_ways
def test_several_processes_work_and_none_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_MET", str(tmp_path))
    found = set(Processes(2).map(process_of, ITEMS, never))
    assert len(found) == 2
    assert os.getpid() not in found
    assert multiprocessing.active_children() == []


def test_few_items_are_done_here() -> None:
    few = ITEMS[: workers.FEWEST_ITEMS - 1]
    assert set(Processes(2).map(process_of, few, never)) == {os.getpid()}


@both_ways
def test_an_item_that_kills_its_process_is_lost_alone() -> None:
    found = list(Processes(2).map(dies_at_117, ITEMS, lambda number: -number))
    assert found == [-n if n == 117 else n * n for n in ITEMS]
    assert multiprocessing.active_children() == []


@both_ways
def test_a_killed_worker_costs_nothing() -> None:
    results = Processes(2).map(process_of, ITEMS, never)
    found = [next(results)]
    os.kill(found[0], signal.SIGKILL)  # from outside, as the kernel does when memory is short
    found += results
    assert len(found) == len(ITEMS)


@both_ways
def test_an_exception_of_the_job_is_raised_and_ends_all() -> None:
    with pytest.raises(LookupError, match="117"):
        list(Processes(2).map(fails_at_117, ITEMS, never))
    assert multiprocessing.active_children() == []


def test_leaving_early_ends_all_processes() -> None:
    results = Processes(2).map(process_of, ITEMS, never)
    next(results)
    results.close()
    assert multiprocessing.active_children() == []


def test_a_process_with_threads_is_not_forked() -> None:
    if sys.platform != "linux":
        pytest.skip("forks on Linux alone")
    script = "from sitegen.workers import _may_fork as f; import threading, time; a = f(); " \
        "threading.Thread(target=time.sleep, args=(1,)).start(); print(a, f())"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.stdout == "True False\n"


def test_workers_end_with_their_parent() -> None:
    script = "import os, sys, time; from sitegen.workers import Processes\n" \
        "def work(items): os.write(1, b'%d\\n' % os.getpid()); time.sleep(60); return items\n" \
        "list(Processes(2).map(work, range(100), None))"  # fmt: skip
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8")
    assert parent.stdout is not None
    children = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while any(map(is_running, children)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


# Whole builds


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough runs for several processes, with an archive and bad files among them."""
    folder = tmp_path_factory.mktemp("many")
    files: dict[str, dict[str, object] | str | bytes] = {f"runs/{n}.json": result(n) for n in range(1, 100)}
    return campaigns.write(folder, {**files, "runs/bad.json": "{", "runs/empty.json": ""})


def build(campaign: Path, output: str, *arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    code = f"import sys\nfrom sitegen import workers\n{before}\n" \
        "from sitegen.__main__ import main\nif __name__ == '__main__': main()"  # fmt: skip
    script = campaign / "command.py"
    script.write_text(code, encoding="utf-8")
    command = [sys.executable, str(script), "build", "-q", "runs", "-o", output, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=campaign, capture_output=True, encoding="utf-8", env=environment)


def test_several_processes_write_the_bytes_of_one(campaign: Path) -> None:
    for output, jobs, before in (
        ("one", "1", ""), ("three", "3", ""), ("spawned", "2", "workers._may_fork = lambda: False"),
    ):  # fmt: skip
        done = build(campaign, output, "-j", jobs, before=before)
        assert (done.returncode, done.stderr) == (0, "")
    one = tree(campaign / "one")
    assert tree(campaign / "three") == one
    assert tree(campaign / "spawned") == one


KILLED = """
import os, signal
from {room} import {module} as module
usual = module.{name}
def hit({parameters}):
    if {condition}:
        os.kill(os.getpid(), signal.SIGKILL)
    return usual({parameters})
module.{name} = hit
"""


def test_a_file_that_kills_its_reader_is_listed_and_the_rest_is_built(campaign: Path) -> None:
    before = KILLED.format(
        room="sitegen.inputs",
        module="survey",
        name="_runs",
        parameters="source, content, *rest",
        condition="source.path == '42.json'",
    )
    done = build(campaign, "lost-file", "-j", "2", before=before)
    assert done.returncode == 0
    assert "E_LOST" in (campaign / "lost-file" / "problems.html").read_text(encoding="utf-8")
    assert len(list((campaign / "lost-file" / "runs").iterdir())) == 98


def test_a_run_that_kills_the_maker_of_its_page_keeps_its_figures(campaign: Path) -> None:
    before = KILLED.format(
        room="sitegen.pages.run",
        module="pages",
        name="read_again",
        parameters="entry, *rest",
        condition="entry.source.path == '42.json'",
    )
    done = build(campaign, "lost-page", "-j", "2", before=before)
    assert done.returncode == 0
    (page,) = (campaign / "lost-page" / "runs").glob("42-*.html")
    text = page.read_text(encoding="utf-8")
    assert "W_LOST" in text
    assert "reused" not in text  # a word of its summary
    assert len(list((campaign / "lost-page" / "runs").iterdir())) == 99


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_workers_too(campaign: Path, sent: signal.Signals) -> None:
    code = "from sitegen.pages.run import pages as run_pages\nimport time, os\nusual = run_pages.read_again\n" \
        "def slow(*a):\n    os.write(1, b'%d\\n' % os.getpid())\n    time.sleep(30)\nrun_pages.read_again = slow\n" \
        "from sitegen.__main__ import main\nmain()"  # fmt: skip
    (campaign / "slow.py").write_text(code, encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, "slow.py", "build", "-q", "runs", "-o", "never", "-j", "2"],
        cwd=campaign, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", start_new_session=True,
    )  # fmt: skip
    assert running.stdout is not None
    children = [int(running.stdout.readline()) for _ in range(2)]
    os.killpg(running.pid, sent) if sent is signal.SIGINT else running.send_signal(sent)  # as a terminal does
    began = time.monotonic()
    _, said = running.communicate()
    assert time.monotonic() - began < 2
    assert (running.returncode, said.strip()) == (130, "Interrupted.")
    assert not any(map(is_running, children))
    assert not (campaign / "never").exists()
    assert not list(campaign.glob(".never*"))


@pytest.mark.usefixtures("started")
def test_a_job_is_done_beside_others() -> None:
    with closing(Processes(2).submit(os.getpid)) as job:
        assert list(Processes(2).map(square, ITEMS, never)) == square(ITEMS)
        process = job.result()
    is_forked = workers._may_fork()
    assert (process != os.getpid()) is is_forked
    with closing(Processes(1).submit(os.getpid)) as job:
        assert job.result() == os.getpid()


def test_a_job_beside_others_is_done_again_where_its_process_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_may_fork", lambda: True)
    here = os.getpid()

    def dies_elsewhere() -> str:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"

    def fails() -> str:
        raise LookupError("always")

    with closing(Processes(2).submit(dies_elsewhere)) as job:
        assert job.result() == "done"
    with closing(Processes(2).submit(fails)) as job, pytest.raises(LookupError, match="always"):
        job.result()


def test_leaving_ends_a_job_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_may_fork", lambda: True)
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt), closing(Processes(2).submit(lambda: time.sleep(600))):
        raise KeyboardInterrupt
    assert time.monotonic() - before < 300
    assert not multiprocessing.active_children()


def test_a_job_beside_others_needs_no_place_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> None:
        raise FileNotFoundError("no usable temporary folder")

    monkeypatch.setattr(workers.tempfile, "TemporaryFile", nowhere)
    with closing(Processes(2).submit(os.getpid)) as job:
        assert job.result() == os.getpid()
