"""The loop of `sitegen serve`: look, build, tell the server, wait. One process stays warm: its modules,
settings, theme and templates.
"""

import gc
import multiprocessing
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from sitegen.build import Built, build_site
from sitegen.cli import settings as settings_file
from sitegen.cli.build_command import GC_THRESHOLDS
from sitegen.cli.command_output import gates_missed, report_runs, summed
from sitegen.cli.options import EXIT_PROBLEMS, EXIT_USAGE
from sitegen.cli.running import Call, why_failed
from sitegen.cli.serve import server
from sitegen.cli.serve.eye import Eye, watched
from sitegen.cli.terminal import Progress, terminal
from sitegen.errors import ConfigError, SitegenError
from sitegen.inputs import discover
from sitegen.masking.redact import Redactor
from sitegen.pages.site import Site
from sitegen.publish.manifest import read_manifest
from sitegen.system import interrupts
from sitegen.system.workers import Processes, cores


def preview(call: Call, port: int | None) -> int:
    """Serve until Ctrl-C. Raises: ConfigError for settings that were wrong from the start."""
    try:
        chosen = settings_file.of_call(call)
        site = Site.of(chosen.config, settings_file.announce(chosen, call), is_strict=False)
        for path in chosen.config.paths_of_runs:
            if reason := discover.missing(path):
                raise ConfigError(f"{path}: {reason}. Check the spelling.")
        gc.freeze()  # what is loaded stays
        gc.set_threshold(*GC_THRESHOLDS)
        with (
            tempfile.TemporaryDirectory(
                prefix="sitegen-serve-", ignore_cleanup_errors=True
            ) as folder,
            _serving(Path(folder), port) as (connection, answer),
        ):
            kind, value = answer
            if kind == "refused":
                fault = f"sitegen: cannot serve on {server.HOST}, port {port or 8000}: {value}."
                return terminal.fail(fault, EXIT_USAGE)
            terminal.say(f"http://{server.HOST}:{value}/  (Ctrl-C ends it)")
            return _Loop(call, site, Path(folder), connection).run()
    except KeyboardInterrupt:
        if not call.quiet:
            terminal.say("Ended.")
        return 0


@contextmanager
def _serving(folder: Path, port: int | None) -> Iterator[tuple[Connection, tuple[str, object]]]:
    """Yield the connection to a server of this folder, and its first answer. On leaving, neither is left."""
    context = multiprocessing.get_context(
        "spawn"
    )  # it has threads, and must not hold what is in memory here
    ours, theirs = context.Pipe()
    process = context.Process(target=server.run, args=(theirs, folder, port), daemon=True)
    before = signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches it too, and it ends with this process
    try:
        process.start()
        theirs.close()
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        try:
            yield ours, ours.recv()
        except EOFError:
            yield ours, ("refused", "the server could not be started")
    finally:
        interrupts.ignore()  # a second Ctrl-C would leave some of it
        ours.close()
        process.join(5)
        if process.is_alive():
            process.kill()
            process.join()


class _Loop:
    """Builds the site whenever something has changed."""

    def __init__(self, call: Call, site: Site, folder: Path, connection: Connection) -> None:
        self._call, self._site, self._folder, self._connection = call, site, folder, connection
        self._workers = Processes(call.jobs or cores())
        self._last: Built | None = None
        self._is_first = True
        self._listed: dict[str, str] = {}  # digests of the files that are served, by path

    def run(self) -> int:
        """Until the server has gone, or Ctrl-C."""
        eye = Eye()
        while True:
            if interrupts.received:  # a library has lost the exception
                raise KeyboardInterrupt
            config = self._site.config
            changed = eye.changed(watched(config, self._call.settings_paths), config.output)
            try:
                if changed:
                    if code := self._update():
                        return code
                    gc.collect()
                elif self._connection.poll(eye.pause_seconds):
                    self._connection.recv()
            except (EOFError, OSError):
                return terminal.fail("sitegen: the server has ended by itself.", EXIT_PROBLEMS)

    def _update(self) -> int:
        """Build once, and tell the pages and the terminal the result. Return an exit code where there was nothing to
        serve from the start, else 0. Raises: OSError where the server has gone."""
        began = time.monotonic()
        try:
            config = settings_file.of_call(self._call).config
            redactor = terminal.mask_with(Redactor.for_this_machine(config.redact))
            self._site = Site.of(config, redactor, is_strict=False)
            built = build_site(
                self._site,
                Progress(quiet=self._call.quiet),
                terminal.say_waiting,
                workers=self._workers,
                cache=self._call.cache,
                into=self._folder / server.SITE,
            )
            listed = {
                path: of.sha256
                for path, of in (read_manifest(self._folder / server.SITE) or {}).items()
            }
        except Exception as error:
            if interrupts.received:  # a library has made another error of it
                raise KeyboardInterrupt from error
            fault, code = why_failed(error)
            terminal.fail(fault, 0)
            self._connection.send(((), terminal.masked(fault)))
            return code if self._is_first and isinstance(error, SitegenError) else 0
        finally:
            self._is_first = False
        self._connection.send(({path for path, _ in listed.items() ^ self._listed.items()}, None))
        if not self._call.quiet:
            report_runs(built, verbose=self._call.verbose, before=self._last)
            terminal.say(
                f"{time.strftime('%H:%M:%S')}  {summed(built)}; built in {time.monotonic() - began:.1f} s"
            )
        gates_missed(built.findings, 0)
        self._last = built
        self._listed = listed
        return 0
