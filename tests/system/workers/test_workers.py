"""Work in several processes: in order, the same as in one, and finished when workers die."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sitegen.system import workers
from sitegen.system.workers import Processes
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import bare
from tests.support.command import interruptible

pytestmark = pytest.mark.slow

ITEMS = range(100)
RUNS = 60
THREADS = "/proc/self/task"

Done = subprocess.CompletedProcess[str]
Install = Callable[[str], dict[str, str]]
Files = dict[str, dict[str, Any] | str | bytes]


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


def dies_at_57(numbers: Sequence[int]) -> list[int]:
    if 57 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(numbers)


def fails_at_57(numbers: Sequence[int]) -> list[int]:
    if 57 in numbers:
        raise LookupError("57")
    return square(numbers)


def never(number: int) -> int:
    pytest.fail(f"{number} was lost")


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system says that this process has one thread, whatever runs the tests."""
    if sys.platform != "linux":
        pytest.skip("forks on Linux alone")
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda *path: ["1"] if path == (THREADS,) else listed(*path))


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a system where nothing is forked."""
    monkeypatch.setattr(sys, "platform", "another")


@pytest.fixture(params=["forked", "spawned"])
def started(request: pytest.FixtureRequest) -> None:
    """Both ways to start a process."""
    request.getfixturevalue(request.param)


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


@pytest.mark.nightly
@pytest.mark.usefixtures("forked")
def test_a_worker_may_die_before_all_is_handed_out() -> None:
    found = list(Processes(2).map(ends_at_once, range(16_000), lambda _: -1))
    assert found == [-1, *square(range(1, 16_000))]


def test_processes_are_replaced_before_they_copy_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CHUNKS_PER_POOL", 4)  # of 17
    found = list(
        Processes(2).map(pid_and_square, ITEMS, lambda number: pytest.fail(f"{number} was lost"))
    )
    assert [value for _, value in found] == square(ITEMS)
    by_process = [{pid for pid, _ in found[at : at + 4 * 6]} for at in range(0, len(ITEMS), 4 * 6)]
    assert all(one.isdisjoint(other) for one, other in pairwise(by_process))


FORKS_ALL = """
from sitegen.system import workers
from tests.system.workers.test_workers import pid_and_command
workers.CHUNKS_PER_POOL = 1
if __name__ == "__main__":
    found = set(workers.Processes(2).map(pid_and_command, range(2000), None))
    assert len(found) > 30, found
    assert not [command for _, command in found if b"spawn_main" in command]
"""


def pid_and_command(numbers: Sequence[int]) -> list[tuple[int, bytes]]:
    return [(os.getpid(), Path("/proc/self/cmdline").read_bytes()) for _ in numbers]


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
def test_threads_that_have_ended_do_not_keep_a_process_from_being_copied(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(FORKS_ALL, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, script], env=env, check=True, timeout=120)


@both_ways
def test_several_processes_work_and_none_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_MET", str(tmp_path))
    found = set(Processes(2).map(process_of, ITEMS, never))
    assert len(found) == 2
    assert os.getpid() not in found
    assert multiprocessing.active_children() == []


def test_few_items_are_done_here() -> None:
    few = ITEMS[: workers.MIN_ITEMS - 1]
    assert set(Processes(2).map(process_of, few, never)) == {os.getpid()}


@both_ways
def test_an_item_that_kills_its_process_is_lost_alone() -> None:
    found = list(Processes(2).map(dies_at_57, ITEMS, lambda number: -number))
    assert found == [-n if n == 57 else n * n for n in ITEMS]
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
    with pytest.raises(LookupError, match="57"):
        list(Processes(2).map(fails_at_57, ITEMS, never))
    assert multiprocessing.active_children() == []


def test_leaving_early_ends_all_processes() -> None:
    results = Processes(2).map(process_of, ITEMS, never)
    next(results)
    results.close()
    assert multiprocessing.active_children() == []


def test_a_process_with_threads_is_not_forked() -> None:
    if sys.platform != "linux":
        pytest.skip("forks on Linux alone")
    script = (
        "from sitegen.system.workers import _may_fork as f; import threading, time; a = f(); "
        "threading.Thread(target=time.sleep, args=(1,)).start(); print(a, f())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert done.stdout == "True False\n"


def test_workers_end_with_their_parent() -> None:
    script = (
        "import os, sys, time; from sitegen.system.workers import Processes\n"
        "def work(items): os.write(1, b'%d\\n' % os.getpid()); time.sleep(60); return items\n"
        "list(Processes(2).map(work, range(100), None))"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8"
    )
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
        state = (
            Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
        )
    except FileNotFoundError:
        return False
    return state != "Z"


# Whole builds


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough runs for several processes, with bad files among them; without figures, so that no chart is drawn."""
    folder = tmp_path_factory.mktemp("many")
    files: Files = {f"runs/{n}.json": bare(n) for n in range(1, RUNS + 1)}
    return campaigns.write(folder, {**files, "runs/bad.json": "{", "runs/empty.json": ""})


READER = """
import os, signal, time
from pathlib import Path
from sitegen.model import Run, Status, Texts

class Odd:
    name = "odd"

    def matches(self, file):
        return file.name.endswith(".odd")

    def read(self, file, locator=None):
        mark = Path(__file__).with_name(Path(file.name).name)
        is_again = mark.exists()
        mark.touch()
        {act}
        return [Run("odd", Status.OK, texts=Texts(summary="It is odd\\n\\nand stays odd"))]
"""


@pytest.fixture
def install(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """Installs a reader of files `*.odd` that does this; it knows whether it reads a file `is_again`. Returns
    what the environment needs."""

    def installed(act: str) -> dict[str, str]:
        about = {
            "METADATA": "Metadata-Version: 2.1\nName: odd-reader\nVersion: 1\n",
            "entry_points.txt": "[sitegen.readers]\nodd = odd_reader:Odd\n",
        }
        files: Files = {f"odd_reader-1.dist-info/{name}": text for name, text in about.items()}
        campaigns.write(tmp_path, {"odd_reader.py": READER.format(act=act), **files})
        return {"PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])}

    return installed


def build(
    campaign: Path, output: str, *arguments: str, before: str = "", **environment: str
) -> Done:
    code = f"{before}\nfrom sitegen.__main__ import main\nif __name__ == '__main__': main()"
    script = campaign / "command.py"
    script.write_text(code, encoding="utf-8")
    command = [sys.executable, str(script), "build", "-q", "runs", "-o", output, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        command, cwd=campaign, capture_output=True, encoding="utf-8", env=environment
    )


THREAD = (
    "import threading, time; threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()"
)
"""A process with a thread is not forked."""


def test_several_processes_write_the_bytes_of_one(campaign: Path) -> None:
    for output, jobs, before in (("one", "1", ""), ("three", "3", ""), ("spawned", "2", THREAD)):
        done = build(campaign, output, "-j", jobs, before=before)
        assert (done.returncode, done.stderr) == (0, "")
    one = tree(campaign / "one")
    assert tree(campaign / "three") == one
    assert tree(campaign / "spawned") == one


def test_a_file_that_kills_its_reader_is_listed_and_the_rest_is_built(
    campaign: Path, install: Install
) -> None:
    campaigns.write(campaign, {"runs/42.odd": "42"})
    done = build(
        campaign, "lost-file", "-j", "2", **install("os.kill(os.getpid(), signal.SIGKILL)")
    )
    assert done.returncode == 0
    assert "E_LOST" in (campaign / "lost-file" / "problems.html").read_text(encoding="utf-8")
    assert len(list((campaign / "lost-file" / "runs").iterdir())) == RUNS


def test_a_run_that_kills_the_maker_of_its_page_keeps_its_figures(
    campaign: Path, install: Install
) -> None:
    campaigns.write(campaign, {"runs/42.odd": "42"})
    done = build(
        campaign,
        "lost-page",
        "-j",
        "2",
        **install("is_again and os.kill(os.getpid(), signal.SIGKILL)"),
    )
    assert done.returncode == 0
    (page,) = (campaign / "lost-page" / "runs").glob("42-odd-*.html")
    text = page.read_text(encoding="utf-8")
    assert "W_LOST" in text
    assert "stays odd" not in text
    assert len(list((campaign / "lost-page" / "runs").iterdir())) == RUNS + 1


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_workers_too(
    campaign: Path, install: Install, sent: signal.Signals
) -> None:
    campaigns.write(
        campaign, {f"runs/{number}.odd": str(number) for number in range(workers.MIN_ITEMS)}
    )
    environment = install("is_again and (os.write(1, b'%d\\n' % os.getpid()), time.sleep(30))")
    running = subprocess.Popen(
        [sys.executable, "-m", "sitegen", "build", "-q", "runs/*.odd", "-o", "never", "-j", "2"],
        cwd=campaign,
        env=interruptible(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    assert running.stdout is not None
    children = [int(running.stdout.readline()) for _ in range(2)]
    os.killpg(running.pid, sent) if sent is signal.SIGINT else running.send_signal(
        sent
    )  # as a terminal does
    began = time.monotonic()
    _, said = running.communicate()
    assert time.monotonic() - began < 2
    assert (running.returncode, said.strip()) == (130, "Interrupted.")
    assert not any(map(is_running, children))
    assert not (campaign / "never").exists()
    assert not list(campaign.glob(".never*"))
