"""Finds the settings of a call: a file that is named, else `sitegen.yaml` or `config.yaml` in the working folder, else none.

Settings can load a theme and switch masking off, so they must not come from whoever made the runs: a file
that lies where RUNS lie stops the call, unless it is named. A pack is one file, and brings none: the file beside it counts.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sitegen import figures
from sitegen.cli.options import CONFIG_NAME, CONFIG_NAMES
from sitegen.cli.running import Call
from sitegen.cli.terminal import terminal
from sitegen.config import BuildSettings, Config, History, foreign_keys, load
from sitegen.errors import ConfigError, ReadError
from sitegen.inputs import discover
from sitegen.inputs.campaigns import packs
from sitegen.masking.redact import Redactor
from sitegen.model import Level


def find(named: Path | None, runs: Iterable[str], *, without: bool) -> tuple[Path | None, str]:
    """Return the file of the settings, None where there is none, or it is to be done `without`; and a sentence about a
    file that is not read.

    Raises: ConfigError when a file lies in the working folder that whoever made `runs` may have written.
    """
    if named is not None and without:
        raise ConfigError("Use either -c FILE or --no-config, not both.")
    if named is not None or without:
        return named, ""
    names = [name for name in CONFIG_NAMES if os.path.lexists(name)]
    if not names:
        return None, ""
    if names == [CONFIG_NAME] and (keys := foreign_keys(Path(CONFIG_NAME))):
        shown = figures.sentence_list(keys[:3])
        return None, (
            f"{CONFIG_NAME} is not read: it seems to belong to another program, as sitegen has no {shown}"
        )
    name = names[0]
    for run in runs:
        if not packs.is_pack(Path(run)) and _lies_in(name, run):
            advice = f"If it is yours, add `-c {name}`; if not, `--no-config`."
            raise ConfigError(
                f"sitegen: {name} is inside the runs folder ({run}), so it is not trusted. {advice}"
            )
    return Path(name), f"{names[1]} is not read" if len(names) > 1 else ""


class CommandSettings(NamedTuple):
    """The settings of a call."""

    path: Path | None
    config: Config
    note: str = ""  # a sentence about a file that is not read
    remark: str | None = None  # a sentence about what does not count


def choose(
    named: Path | None, runs: tuple[str, ...], output: str | None, *, without: bool
) -> CommandSettings:
    """Return the settings of a file, else those in the pack that is all of the runs, else the defaults.

    `runs` replace their inputs, and `output` theirs. Raises: ConfigError.
    """
    path, note = find(named, runs, without=without)
    if path is None and not runs:
        advice = f"Name the runs (sitegen build RUNS... -o site), or write a {CONFIG_NAME} here: sitegen init does."
        if note:
            advice = f"{note}. Name the runs, or write a {CONFIG_NAMES[0]}: sitegen init does."
        raise ConfigError(advice)
    pack = _only_pack(runs)
    if path is None and pack is not None:
        chosen = _read_pack_settings(pack)._replace(note=note)
    else:
        chosen = CommandSettings(path, _read_settings(path, runs), note)
    if output is None:
        return chosen
    return chosen._replace(config=chosen.config.model_copy(update={"output": output}))


def _read_settings(path: Path | None, runs: tuple[str, ...]) -> Config:
    """Raises: ConfigError."""
    needed = {"outcomes", "static", "theme"}
    if not runs:
        needed.add("inputs")
    config = Config() if path is None else load(path, needed=needed)
    return config.with_inputs(runs) if runs else config


def _read_pack_settings(path: Path) -> CommandSettings:
    """Return the settings that a pack holds, and a sentence about those in it that do not count. Raises: ConfigError."""
    try:
        head = packs.read_head(path, Redactor.for_this_machine())
    except ReadError as error:
        raise ConfigError(f"{path}: {error.sentence}") from None
    config = Config.of_pack(str(path), head.settings).with_inputs([str(path)])
    config = config.model_copy(update={"steps": head.level})
    ignored = head.settings.keys() & BuildSettings.model_fields.keys()
    if not ignored:
        return CommandSettings(None, config)
    names = ", ".join(f"`{name}`" for name in sorted(ignored))
    remark = f"{path}: settings in a pack that say what to do do not count: {names}. Name your own with `-c`."
    return CommandSettings(None, config, remark=remark)


def _only_pack(runs: Iterable[str]) -> Path | None:
    """Return the pack that is all of the runs."""
    paths = list(map(Path, runs))
    return paths[0] if len(paths) == 1 and packs.is_pack(paths[0]) else None


def of_call(call: Call) -> CommandSettings:
    """Return the settings of a call, with what its options say in their place. Raises: ConfigError."""
    chosen = choose(call.config_path, call.runs, call.output, without=call.no_config)
    config = chosen.config
    if call.steps is not None:
        config = config.with_level(Level(call.steps))
    config = config.with_campaign(call.campaign_name, call.day).with_days(call.since, call.until)
    of_one_file = [name for name in ("live_charts", "index_only") if getattr(call, name)]
    if of_one_file and Path(config.output).suffix.lower() != ".html":
        option = of_one_file[0].replace("_", "-")
        raise ConfigError(f"--{option} needs one HTML file, as in `-o report.html`.")
    update: dict[str, object] = dict.fromkeys(of_one_file, True)
    if call.history_path is not None:
        history = config.history or History(path=call.history_path)
        update["history"] = history.model_copy(update={"path": call.history_path})
    return chosen._replace(config=config.model_copy(update=update))


def announce(chosen: CommandSettings, call: Call) -> Redactor:
    """Say which settings count; what is said from now on is masked as they ask for."""
    redactor = terminal.mask_with(Redactor.for_this_machine(chosen.config.redact))
    if not call.quiet:
        terminal.say_settings(chosen.path, chosen.note)
        if chosen.remark is not None:
            terminal.say(chosen.remark, err=True, colour="yellow")
    return redactor


def refuse_summary(path: Path, config: Config, settings_path: Path | None) -> None:
    """Raise ConfigError where a summary, which is appended, would change what the build reads or a file of the site."""
    if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(config.output)):
        raise ConfigError(
            f"--summary {path}: this is inside the site ({config.output}). Name a file outside of it."
        )
    try:
        if not path.is_file() or path.stat().st_size == 0:
            return
        with path.open("rb") as file:
            begins_as_summary = file.read(3) == b"## "
        is_settings = settings_path is not None and path.samefile(settings_path)
    except OSError:  # writing it says it better
        return
    if is_settings or (not begins_as_summary and _is_read(path, config)):
        raise ConfigError(
            f"--summary {path}: the build reads this file. Name another, or a new one."
        )


def _is_read(path: Path, config: Config) -> bool:
    """Return whether a file can be one of those that a build reads."""
    files = [*config.paths_of_runs, *config.paths_of_outcomes]
    folders = config.paths_of_looks
    for file in files:
        leads_to, is_deep = discover.folders_of(file)
        if is_deep:
            folders += leads_to
    if not _numbers([path]).isdisjoint(_numbers(map(Path, files))):
        return True
    parents = _numbers(Path(os.path.realpath(path)).parents)
    return not parents.isdisjoint(_numbers(map(Path, folders)))


def _lies_in(name: str, run: str) -> bool:
    """Return whether a file of the working folder lies below the folder that a run leads to, or beside a run that is a
    file.

    Folders are compared by their numbers in the file system: neither links nor other spellings of a path lead past.
    """
    folders, is_deep = discover.folders_of(run)
    own = [Path.cwd(), Path(os.path.realpath(name)).parent]
    if is_deep:
        own += [above for folder in own for above in folder.parents]
    return not _numbers(own).isdisjoint(_numbers(map(Path, folders)))


def _numbers(folders: Iterable[Path]) -> set[tuple[int, int]]:
    """Return the numbers by which a file system knows folders and files, of those that are there."""
    numbers = set()
    for folder in folders:
        with suppress(OSError):  # the build says it better
            status = folder.stat()
            numbers.add((status.st_dev, status.st_ino))
    return numbers
