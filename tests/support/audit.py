"""Before a release: sites in which every hostile payload stands in every place of a run, opened page by page.

    .venv/bin/python -m tests.support.audit [--firefox] [--site SITE ...] [--without-poke]

Two sites are built, unless others are named: one whose runs have all payloads in all fields (tests/browser/test_sinks.py), and
one with each payload in the field that it was written for (tests/browser/test_hostile_site.py). In Chromium the check is the
command `browser_check.py --strict-dom`, which lies beside the payloads; `--firefox` asks the same of Firefox: no
script of a payload has run, the console is empty, nothing was requested beyond the folder, no window opened, nothing
in the finished document can run or lead elsewhere. Prints the pages and findings; exits with 1 when there are any.

Sites are built without `site_url`: with it every page names its own address in `<link rel="canonical">`, which loads
nothing, and the check counts each address outside the folder that is not an `<a>`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType

from tests.browser import test_hostile_site, test_sinks
from tests.support import site_checks
from tests.support.browsers import as_file, executable
from tests.support.firefox import Firefox, FirefoxError, firefox

SHARED = Path(os.environ.get("SITEGEN_SHARED") or Path(__file__).resolve().parents[3] / "shared")
CHECK = Path("hostile", "browser_check.py")
"""Within what is shared."""
MAX_OF_A_PAGE = 8
"""Findings of one page that are told."""

LOADED = """
return [...performance.getEntriesByType("resource").map((entry) => entry.name), location.href.split("#")[0]];
"""


def in_chromium(site: Path, arguments: Sequence[str]) -> int:
    """The exit code of the check, which prints what it finds."""
    command = [
        sys.executable,
        "-u",
        str(SHARED / CHECK),
        str(site),
        "--strict-dom",
        "--need-box",
        "runs/*.html",
        "--timeout",
        "120",
    ]
    return subprocess.run([*command, "--chromium", str(executable()), *arguments]).returncode


def in_firefox(
    browser: Firefox,
    site: Path,
    check: ModuleType,
    pages: Sequence[Path] = (),
    *,
    poke: bool = True,
) -> tuple[int, list[str]]:
    """The same for Firefox, of all pages or of these: how many were opened, and what is wrong with them."""
    browser.findings()  # those of earlier pages
    pages = pages or site_checks.pages(site)
    findings = [
        f"{page.relative_to(site)}: {kind}: {what[:300]}"
        for page in pages
        for kind, what in islice(_found(browser, page, site, check, poke=poke), MAX_OF_A_PAGE)
    ]
    return len(pages), findings


def check_of(shared: Path) -> ModuleType:
    """The check that lies beside the payloads."""
    spec = importlib.util.spec_from_file_location("browser_check", shared / CHECK)
    assert spec and spec.loader
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    return check


def _found(
    browser: Firefox, page: Path, site: Path, check: ModuleType, *, poke: bool
) -> Iterator[tuple[str, str]]:
    """What is wrong with a page: kind and words."""
    home, address = f"{site.resolve().as_uri()}/", as_file(page)
    try:
        browser.open(address)
        if poke:
            browser.run(check.POKE)
        seen = browser.run(f"return {check.AUDIT}('[data-untrusted]', true)")
        *loaded, at = browser.run(LOADED)
        windows = browser.call("WebDriver:GetWindowHandles")
    except FirefoxError as error:  # a dialog above all
        yield "dialog or hang", str(error)
        return
    yield from (("dom", " ".join(finding)) for finding in seen["out"])
    if seen["pwned"] != "undefined":
        yield "pwned", seen["pwned"]
    yield from (("request", name) for name in loaded if not name.startswith((home, "data:")))
    if at != address:
        yield "navigation", at
    if len(windows) != 1:
        yield "new window", str(len(windows))
    yield from (("console or request", finding) for finding in browser.findings())


def main() -> None:
    """The command of the docstring above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--firefox", action="store_true", help="in Firefox instead of Chromium")
    parser.add_argument(
        "--site", type=Path, action="append", help="audit this site instead; may be given again"
    )
    parser.add_argument(
        "--without-poke", action="store_true", help="open pages and send them no events"
    )
    given, failed = parser.parse_args(), False
    with tempfile.TemporaryDirectory() as folder:
        sites = given.site or [
            test_sinks.fill(Path(folder, "sinks"), test_sinks.every_payload(SHARED)).site,
            test_hostile_site.fill(Path(folder, "fields"), SHARED).site,
        ]
        if not given.firefox:
            sys.exit(
                max(
                    in_chromium(site, ["--no-poke"] if given.without_poke else []) for site in sites
                )
            )
        with firefox() as browser:
            for site in sites:
                began = time.monotonic()
                opened, found = in_firefox(
                    browser, site.resolve(), check_of(SHARED), poke=not given.without_poke
                )
                for finding in found:
                    print(f"FAIL {finding}")
                seconds = round(time.monotonic() - began, 1)
                told = {
                    "firefox": browser.version,
                    "pages": opened,
                    "findings": len(found),
                    "seconds": seconds,
                }
                print(json.dumps(told))
                failed |= bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
