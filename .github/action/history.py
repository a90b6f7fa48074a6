"""Fetches the figures of earlier campaigns from the published site, so that the build can add this one.

    python history.py CONFIG FILE       with the Python of the environment that has sitegen

Where the site is says `site_url` in the settings; CONFIG is empty for those of the working folder. A site without such a file is the first: FILE is then not there.
Any other failure ends with 1 or 2, since a build without the history would publish a site that has lost it.
"""

import sys
import urllib.error
import urllib.request
from pathlib import Path

from sitegen.cli.settings import find
from sitegen.config import load
from sitegen.errors import ConfigError
from sitegen.inputs.campaigns.past import HISTORY
from sitegen.system.bounds import MB


def main() -> int:
    """The exit code."""
    named, file = sys.argv[1], Path(sys.argv[2])
    file.unlink(missing_ok=True)
    try:
        settings, _ = find(Path(named) if named else None, (), without=False)
        site = load(settings).site_url if settings else None
    except ConfigError as error:
        print("::error::" + str(error).replace("%", "%25").replace("\n", "%0A"))
        return 2
    if site is None:
        print(
            "::error::history: write the address of the published site into the settings, as `site_url`."
        )
        return 2
    try:
        with urllib.request.urlopen(site + HISTORY, timeout=60) as answer:
            data = answer.read(256 * MB + 1)  # the build refuses what is larger
    except urllib.error.HTTPError as error:
        if error.code == 404:
            print(f"::notice::There is no {HISTORY} at {site} yet: this is the first campaign.")
            return 0
        print(f"::error::history: {site} answers {error.code}.")
        return 1
    except OSError as error:
        print(f"::error::history: {site} cannot be reached: {error}.")
        return 1
    file.write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
