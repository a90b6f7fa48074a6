"""Makes the environment that the two commands of the README run in.

Standard library only, because it runs before anything is installed, and readable by Python 3.8, so that an
old Python gets a sentence and not a syntax error. A virtual environment with its own pip is made by venv, or by uv
where Python comes without ensurepip, as Debian's does. Every package is taken as a wheel: on a machine without a
compiler a source package would only fail later and less clearly.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

IS_WINDOWS = os.name == "nt"
if IS_WINDOWS:
    import msvcrt
else:
    import fcntl

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"

NOT_EVERYWHERE = {
    "vl-convert-python": "sites are built without live charts",
    "playwright": "tests that need a browser are skipped",
    "axe-playwright-python": "tests that need a browser are skipped",
}
"""Packages without a wheel for some machines (those with musl, for one), and what is lost without them."""


def become(*command: str) -> None:
    """Run a command in place of this process. On Windows, which cannot do that, as a child, whose exit code is ours."""
    if IS_WINDOWS:
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)  # noqa: S606  no shell is meant


def environment(extra: str | None = None) -> str:
    """The Python of `.venv` in the clone, with sitegen and the packages of `extra` installed.

    Made once; made anew when pyproject.toml or constraints.txt change, when the clone has moved, when another
    version of Python asks, and when an earlier attempt was interrupted. Where it cannot be had: exits with a
    sentence.
    """
    if sys.version_info < (3, 11):  # noqa: UP036  this is where an older one is met
        found = "{}.{}".format(*sys.version_info)
        sys.exit(
            f"sitegen needs Python 3.11 or newer and this is {found}: run the command with a newer one."
        )
    with Path(__file__).open(
        "rb"
    ) as lock:  # two commands at once: the second waits and finds the work done
        _wait_for(lock)
        _provide(extra)
    return str(_python(VENV))


def _wait_for(lock: IO[bytes]) -> None:
    """Take the lock; it goes when the file is closed."""
    if not IS_WINDOWS:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return
    lock.seek(1 << 30)  # behind its end: what is locked there cannot be read by others
    while True:
        try:
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            return
        except OSError:
            time.sleep(1)


def _provide(extra: str | None) -> None:
    stamp = VENV / "sitegen.json"
    inputs = _inputs()
    made = _read(stamp)
    extras = set(made.get("extras", [])) if made else set()
    current = made is not None and made.get("inputs") == inputs and _python(VENV).exists()
    if current and (extra is None or extra in extras):
        return
    if made is None and (VENV / "pyvenv.cfg").exists():
        sys.exit(f"{VENV} was not made by this command: move it away and run the command again.")
    print(f"Setting up {VENV} (once, a minute or two) ...", flush=True)
    if current:
        stamp.write_text("{}", encoding="utf-8")
    else:
        if VENV.exists():
            shutil.rmtree(VENV)
        VENV.mkdir()
        stamp.write_text(
            "{}", encoding="utf-8"
        )  # from here on a half-made environment is known as ours
        make(VENV)
        extras = set()
    extras |= {extra} if extra else set()
    _install(sorted(extras))
    stamp.write_text(json.dumps({"inputs": inputs, "extras": sorted(extras)}), encoding="utf-8")


def _read(stamp: Path) -> dict[str, Any] | None:
    """What the stamp says; empty when it is of a half-made environment, None when there is none."""
    try:
        return dict(json.loads(stamp.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except ValueError:
        return {}


def _inputs() -> str:
    """Digest of everything that the environment is made from."""
    digest = hashlib.sha256(f"{ROOT}\n{sys.version_info[:2]}\n".encode())
    for name in ("pyproject.toml", "constraints.txt", ".ci/bootstrap.py"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def make(folder: Path) -> None:
    """Make a virtual environment with pip in `folder`."""
    for attempt in (_by_venv, _by_uv):
        if attempt(folder):
            return
    sys.exit(
        "This Python cannot make a virtual environment: install the missing part "
        "(on Debian and Ubuntu: sudo apt-get install python3-venv) or uv, and run the command again."
    )


def _by_venv(folder: Path) -> bool:
    return _quietly(sys.executable, "-m", "venv", str(folder)) and _has_pip(folder)


def _by_uv(folder: Path) -> bool:
    how = ("--seed", "--allow-existing", "--python", sys.executable)
    return _quietly("uv", "venv", *how, str(folder)) and _has_pip(folder)


def _has_pip(folder: Path) -> bool:
    return _quietly(str(_python(folder)), "-m", "pip", "--version")


def _quietly(*command: str) -> bool:
    """Whether the command came to a good end; what it prints is dropped, since another way is tried next."""
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:
        return False
    return done.returncode == 0


def _install(extras: list[str]) -> None:
    """Install sitegen in editable form with `extras`; of NOT_EVERYWHERE what has a wheel for it."""
    here = "." + ("[{}]".format(",".join(extras)) if extras else "")
    whole = _pip("install", "--editable", here)
    if whole.returncode == 0:
        return
    reduced = _pip("install", *_requirements(extras))
    if reduced.returncode or _pip("install", "--no-deps", "--editable", ".").returncode:
        print(whole.stderr, file=sys.stderr)
        sys.exit(
            "The packages could not be installed (pip says why above): fix that and try again."
        )
    for name, loss in NOT_EVERYWHERE.items():
        if _pip("install", name).returncode:
            print(f"There is no {name} for this machine: {loss}.", flush=True)


def _requirements(extras: list[str]) -> list[str]:
    import tomllib  # not at the top: Python 3.8 has none

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    return [line for line in wanted if not line.startswith(tuple(NOT_EVERYWHERE))]


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    quiet = ["--quiet", "--disable-pip-version-check"]
    which = ["--only-binary", ":all:", "--constraint", "constraints.txt"]
    if not sys.platform.startswith("linux"):
        which += [
            "--no-binary",
            "rcssmin,rjsmin",
        ]  # they have no wheels there, and need no compiler
    command = [str(_python(VENV)), "-m", "pip", *arguments, *quiet, *which]
    return subprocess.run(command, cwd=str(ROOT), stderr=subprocess.PIPE, text=True)


def _python(folder: Path) -> Path:
    return folder / "Scripts" / "python.exe" if IS_WINDOWS else folder / "bin" / "python"
