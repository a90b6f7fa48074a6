"""How a command runs and exits, whatever it meets."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from sitegen import interrupts
from sitegen.cli.terminal import (
    fail,
    lost,
)
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.system_limits import shortage

if TYPE_CHECKING:
    pass


from sitegen.cli.options import EXIT_INTERRUPTED, EXIT_NOT_PUBLISHED, EXIT_PROBLEMS, EXIT_USAGE

NOTHING = "Nothing was published, and an old site is as it was"

is_published = False
"""Whether this call has written the site: what fails then, fails afterwards."""


def run(command: Callable[[], int], verbose: bool) -> None:
    """Run a command and exit as `--help` says."""
    try:
        code = command()
    except ConfigError as error:  # begins with its place, so that editors can jump to it
        code = fail(str(error), EXIT_USAGE)
    except RefusedOutput as error:
        code = fail(f"sitegen: {error}", EXIT_USAGE)
    except PublishError as error:
        code = fail(f"sitegen: {error}", EXIT_NOT_PUBLISHED)
    except KeyboardInterrupt:
        code = fail("Interrupted.", EXIT_INTERRUPTED)
    except Exception as error:
        if interrupts.received:  # a library has made another error of it
            sys.exit(fail("Interrupted.", EXIT_INTERRUPTED))
        if verbose:
            raise
        code, state = (EXIT_PROBLEMS, "The site is written") if is_published else (EXIT_NOT_PUBLISHED, NOTHING)
        if short := shortage(error):
            fail(f"sitegen: {short}. {state}.", code)
        else:
            fault = f"sitegen: a fault of sitegen itself: {type(error).__name__}: {error}."
            fail(f"{fault} {state}; -v shows where, please report it.", code)
    if reason := lost():
        state = "the site is written, but not what is said of it" if is_published else "not all could be said"
        code = fail(f"sitegen: {state}: {reason}", code or EXIT_PROBLEMS)
    sys.exit(code)


def strictly(problems: int) -> int:
    """The exit code under --strict."""
    if not problems:
        return 0
    from sitegen import figures

    return fail(f"{figures.plural(problems, 'problem')}, and --strict was given", EXIT_PROBLEMS)
