"""Pictures of every kind of page: light, dark, on a phone, on paper, without script, with other colours, very wide.

.venv/bin/python -m tests.support.shots [SITE]  writes shots/<kind>-<how>.png; the demo site unless given another
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support.browsers import as_file, chromium
from tests.support.site_checks import kinds

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
PAPER = {"width": 794, "height": 1123}
WAYS: dict[str, dict[str, Any]] = {
    "light": {"viewport": DESK, "color_scheme": "light"},
    "dark": {"viewport": DESK, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "device_scale_factor": 2},
    "print": {"viewport": PAPER},
    "contrast": {"viewport": DESK, "contrast": "more"},
    "forced": {"viewport": DESK, "forced_colors": "active", "color_scheme": "dark"},
    "wide": {"viewport": {"width": 2560, "height": 1440}},
    "noscript": {"viewport": DESK, "java_script_enabled": False},
}


def main() -> None:
    """Take them all, of the site that is given or of the demo."""
    if sys.argv[1:]:
        take(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        command = [
            sys.executable,
            "-m",
            "sitegen",
            "build",
            "-q",
            "-c",
            "config.yaml",
            "-o",
            str(site),
        ]
        subprocess.run(command, check=True)
        take(site)


def take(site: Path) -> None:
    """Write a picture of each kind of page in each way, whole pages."""
    with chromium() as browser:
        for how, settings in WAYS.items():
            with browser.new_context(**settings) as context:
                page = context.new_page()
                if how == "print":
                    page.emulate_media(media="print")
                for kind, path in kinds(site).items():
                    page.goto(as_file(path))
                    page.screenshot(path=f"shots/{kind}-{how}.png", full_page=True)


if __name__ == "__main__":
    main()
