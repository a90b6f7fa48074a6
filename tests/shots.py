"""Pictures of every kind of page: light, dark, on a phone, on paper, without script.

.venv/bin/python -m tests.shots [SITE]      writes shots/<kind>-<how>.png; SITE is `site` unless given
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.browsers import as_file, chromium
from tests.site_checks import kinds

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
PAPER = {"width": 794, "height": 1123}
WAYS: dict[str, dict[str, Any]] = {
    "light": {"viewport": DESK, "color_scheme": "light"},
    "dark": {"viewport": DESK, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "device_scale_factor": 2},
    "print": {"viewport": PAPER},
    "noscript": {"viewport": DESK, "java_script_enabled": False},
}


def main() -> None:
    """Take them all, whole pages."""
    site = Path(sys.argv[1] if sys.argv[1:] else "site")
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
