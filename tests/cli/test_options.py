"""Options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from sitegen.cli import options
from sitegen.cli.commands import cli
from tests.conftest import ROOT
from tests.support import cases
from tests.support.command import forget_names_of_help


def values_of(option: Any, *arguments: str) -> dict[str, Any] | str:
    """Return what a command with this option is called with, or the last line of the error."""
    received: dict[str, Any] = {}

    @click.command()
    @option
    def command(**given: Any) -> None:
        received.update(given)

    result = CliRunner().invoke(command, arguments)
    if result.exit_code:
        return result.output.splitlines()[-1]
    return received


@pytest.mark.parametrize(
    ("option", "arguments", "values"),
    [
        (options.runs, (), {"runs": ()}),
        (options.runs, ("a", "b"), {"runs": ("a", "b")}),
        (options.settings, (), {"config_path": None, "no_config": False}),
        (
            options.settings,
            ("-c", "c.yaml", "--no-config"),
            {"config_path": Path("c.yaml"), "no_config": True},
        ),
        (options.settings_of_scan, ("--config", "c"), {"config_path": Path("c")}),
        (options.folder(), ("-o", "site"), {"output": "site"}),
        (options.file(), ("--output", "x.csv"), {"file": Path("x.csv")}),
        (options.file(), (), "Error: Missing option '-o' / '--output'."),
        (
            options.file(),
            ("-o", "s3://b/x.csv"),
            "Error: Invalid value for '-o' / '--output': s3://b/x.csv is an address, and this file "
            "goes to this machine only. Copy it there afterwards.",
        ),
        (options.may_replace, ("--replace",), {"may_replace": True}),
        (options.campaign, (), {"campaign_name": None, "day": None}),
        (
            options.campaign,
            ("--campaign", "Spring", "--date", "2026-11-18"),
            {"campaign_name": "Spring", "day": "2026-11-18"},
        ),
        (options.days, ("--since", "7d", "--until", "x"), {"since": "7d", "until": "x"}),
        (options.port, (), {"port": None}),
        (options.port, ("--port", "0"), {"port": 0}),
        (options.port, ("--port", "65535"), {"port": 65535}),
        (
            options.port,
            ("--port", "65536"),
            "Error: Invalid value for '--port': 65536 is not in the range 0<=x<=65535.",
        ),
        (
            options.port,
            ("--port", "x"),
            "Error: Invalid value for '--port': 'x' is not a valid whole number.",
        ),
        (options.jobs, (), {"jobs": None}),
        (options.jobs, ("-j", "1"), {"jobs": 1}),
        (
            options.jobs,
            ("--jobs", "0"),
            "Error: Invalid value for '-j' / '--jobs': 0 is not in the range x>=1.",
        ),
        (
            options.jobs,
            ("-j", "x"),
            "Error: Invalid value for '-j' / '--jobs': 'x' is not a valid whole number.",
        ),
        (options.cache, ("--no-cache",), {"cache_dir": None, "no_cache": True}),
        (options.cache, ("--cache-dir", "c"), {"cache_dir": "c", "no_cache": False}),
        (options.steps, (), {"steps": None}),
        (options.steps, ("--steps", "none"), {"steps": "none"}),
        (options.steps, ("--steps", "outline"), {"steps": "outline"}),
        (options.steps, ("--steps", "texts"), {"steps": "texts"}),
        (options.steps, ("--steps", "full"), {"steps": "full"}),
        (
            options.steps,
            ("--steps", "all"),
            "Error: Invalid value for '--steps': 'all' is not one of 'none', 'outline', 'texts', 'full'.",
        ),
        (options.strict, (), {"strict": False}),
        (options.strict, ("--strict",), {"strict": True}),
        (options.verbose(), ("-v",), {"verbose": True}),
        (options.verbose_faults, ("--verbose",), {"shows_faults": True}),
        (options.as_json, ("--json",), {"as_json": True}),
        (options.quiet, ("-q",), {"quiet": True}),
        (options.quiet, (), {"quiet": False}),
    ],
)
def test_an_option_is_read(
    option: Any,
    arguments: tuple[str, ...],
    values: dict[str, Any] | str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SITEGEN_CACHE_DIR", raising=False)
    assert values_of(option, *arguments) == values


def test_the_cache_may_be_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_CACHE_DIR", "/own")
    assert values_of(options.cache) == {"cache_dir": "/own", "no_cache": False}


def test_options_stand_in_the_help_in_their_order() -> None:
    @click.command()
    @options.campaign
    @options.days
    def command(**given: Any) -> None: ...

    assert [parameter.name for parameter in command.params] == [
        *("campaign_name", "day", "since", "until")
    ]


def test_settings_have_two_usual_names_and_exits_their_numbers() -> None:
    assert options.CONFIG_NAMES == ("sitegen.yaml", "config.yaml")
    assert (options.EXIT_PROBLEMS, options.EXIT_USAGE, options.EXIT_GATE) == (1, 2, 3)
    assert (options.EXIT_NOT_PUBLISHED, options.EXIT_INTERRUPTED) == (4, 130)


@pytest.mark.parametrize("name", ["sitegen", *cli.commands])
def test_help_says_what_a_command_does(name: str, refresh: bool) -> None:
    command = cli if name == "sitegen" else cli.commands[name]
    forget_names_of_help()
    context = click.Context(
        command, info_name=name, terminal_width=100, max_content_width=100, **cli.context_settings
    )
    lines = command.get_help(context).splitlines()
    forget_names_of_help()
    expected = ROOT / "tests" / "cli" / "help" / f"{name}.expected.json"
    cases.compare(expected, lines, refresh=refresh, expected=expected)
