"""vl-convert in a process of its own: what it makes comes back, and nothing that happens to it is more than a chart."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sitegen.charts import converter
from tests.support import drawings

DOT = {
    "width": 20,
    "height": 10,
    "marks": [{"type": "symbol", "encode": {"enter": {"fill": {"value": "teal"}}}}],
}

pytestmark = pytest.mark.usefixtures("ended")


@pytest.fixture
def ended() -> Iterator[None]:
    """Begins and ends without the process."""
    drawings.use_the_engine()
    converter.stop()
    yield
    converter.stop()
    drawings.install()


def process_id() -> int:
    assert converter._process is not None
    return converter._process.pid


def is_drawn(answer: object) -> bool:
    return isinstance(answer, str) and 'fill="teal"' in answer


def test_one_process_answers_all_calls() -> None:
    assert is_drawn(converter.call("vega_to_svg", DOT))
    first = process_id()
    assert is_drawn(converter.call("vega_to_svg", DOT, allowed_base_urls=[]))
    png = converter.call(
        "svg_to_png", '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>'
    )
    assert isinstance(png, bytes) and png.startswith(b"\x89PNG")
    assert process_id() == first
    assert "vl_convert" not in sys.modules, "only the other process loads it"


def test_what_cannot_be_made_is_none_and_the_next_call_is_answered() -> None:
    assert converter.call("svg_to_png", "<svg") is None
    assert converter.call("no_such_function") is None
    assert is_drawn(converter.call("vega_to_svg", DOT))


def test_it_is_said_what_hindered_the_last_call_that_failed() -> None:
    converter.start()
    os.kill(process_id(), signal.SIGKILL)
    assert is_drawn(converter.call("vega_to_svg", DOT))
    assert "was killed" in converter.obstacle()
    assert converter.call("svg_to_png", "<svg") is None
    assert "install" in converter.obstacle()


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_process_that_dies_is_started_anew(when: str) -> None:
    converter.start()
    first = process_id()
    if when == "before":
        assert is_drawn(converter.call("vega_to_svg", DOT))
    os.kill(first, signal.SIGKILL)
    assert is_drawn(converter.call("vega_to_svg", DOT))
    assert process_id() != first


def test_threads_get_their_own_answers() -> None:
    def width(number: int) -> bool:
        return f'width="{number}"' in str(
            converter.call("vega_to_svg", {"width": number, "height": 9})
        )

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(width, range(20, 60)))


@pytest.mark.parametrize("executable", [None, "", "/no/such/python"])
def test_without_a_python_to_start_there_is_no_chart(
    monkeypatch: pytest.MonkeyPatch, executable: str | None
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    assert converter.call("vega_to_svg", DOT) is None


def test_ctrl_c_is_left_to_the_one_who_asks() -> None:
    assert is_drawn(converter.call("vega_to_svg", DOT))
    os.kill(process_id(), signal.SIGINT)
    first = process_id()
    assert is_drawn(converter.call("vega_to_svg", DOT))
    assert process_id() == first


def test_it_ends_with_the_process_that_started_it() -> None:
    code = "from sitegen.charts import converter; converter.start(); print(converter._process.pid, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as asker:
        assert asker.stdout is not None
        process = Path("/proc", asker.stdout.readline().decode().strip())
        if not process.exists():
            pytest.skip("no /proc to look at")
        asker.kill()
    deadline = time.monotonic() + 10
    while runs(process):
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.05)


def runs(process: Path) -> bool:
    """Whether a process of /proc does, and is not only waiting to be buried."""
    try:
        return "State:\tZ" not in (process / "status").read_text()
    except OSError:
        return False


def test_leaving_ends_it() -> None:
    with converter.running():
        number = process_id()
    assert converter._process is None
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_modules_beside_it_do_not_stand_for_those_of_python(tmp_path: Path) -> None:
    """The folder of the package holds a `statistics.py`, and the folder that is worked in may hold anything."""
    copy = shutil.copy(converter.__file__, tmp_path)
    (tmp_path / "pickle.py").write_text("raise SystemExit\n")
    code = f"import runpy; m = runpy.run_path({str(copy)!r}); print(bool(m['call']('vega_to_svg', {{}})))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout == b"True\n"
