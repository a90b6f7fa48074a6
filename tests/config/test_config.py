"""Settings: what is accepted, and errors that name file, line and column."""

from pathlib import Path

import pytest

from sitegen import config
from sitegen.errors import ConfigError
from sitegen.system.bounds import Bounds


def _error(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        config.parse(text, "config.yaml")
    return str(caught.value)


def test_an_empty_file_gives_the_defaults() -> None:
    assert config.parse("", "config.yaml") == config.Config()


def test_all_keys_are_read() -> None:
    settings = config.parse(
        """
title: A campaign
description: In *markdown*.
language: de
inputs:
  - runs
  - path: more/*.json
    pattern: "{task}/{model}/{attempt}.*"
ignore: ["notes/**"]
names:
  task: {a: Task A}
  model: {sonnet: Claude Sonnet 4.5}
prices:
  my-model: {input: 1, output: 2.5}
site_url: https://example.org/report
static: static
output: public
""",
        "config.yaml",
    )
    assert [given.path for given in settings.inputs] == ["runs", "more/*.json"]
    assert settings.inputs[1].pattern == "{task}/{model}/{attempt}.*"
    assert settings.prices["my-model"].output == 2.5
    assert settings.site_url == "https://example.org/report/"
    assert (settings.language, settings.static, settings.output) == ("de", "static", "public")


def test_limits_have_the_defaults_of_the_bounds_and_are_at_least_one() -> None:
    assert config.Config().limits == Bounds()
    limits = config.parse("limits: {file_mb: 1, archive_ratio: 9}", "config.yaml").limits
    assert limits == Bounds(file_mb=1, archive_ratio=9)
    assert "'limits.file_mb' has to be 1 or more" in _error("limits: {file_mb: 0}")
    assert "did you mean 'archive_mb'?" in _error("limits: {archive: 1}")


@pytest.mark.parametrize("name", ["judges", "quadrants", "other"])
def test_a_verdict_that_is_not_there_is_named_whatever_the_one_that_needs_it_is_called(
    name: str,
) -> None:
    said = _error(f"verdicts:\n  x: {{column: c}}\n  {name}: {{all: [nope, x]}}\n")
    start = f"config.yaml:3:{len(name) + 6}: 'verdicts.{name}.all': there is no verdict 'nope'"
    assert said.startswith(start)


def test_an_unknown_key_is_named_with_place_line_and_suggestion() -> None:
    assert _error("# head\n\nlanguage: en\n\n\n\n  \ntitel: x\n".replace("  \n", "")) == (
        "config.yaml:7:1: unknown key 'titel', did you mean 'title'?\n    titel: x"
    )


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("badge: true\n", "data/figures.json has these figures for a badge of your own."),
    ],
)
def test_a_setting_that_was_removed_is_refused_with_what_replaces_it(
    text: str, instead: str
) -> None:
    message = _error(text)
    assert "': this setting was removed. " in message and instead in message


def test_an_unknown_key_of_an_input_is_compared_with_the_keys_of_inputs() -> None:
    text = _error("inputs:\n  - path: runs\n    patern: '{task}.json'\n")
    assert text.startswith("config.yaml:3:5: unknown key 'patern', did you mean 'pattern'?")


def test_all_errors_are_reported_at_once_in_the_order_of_the_file() -> None:
    text = _error("titel: x\nlanguage: 7\ninputs:\n  - path: runs\n    pattern: '{tsak}.json'\n")
    places = [paragraph.split(" ")[0] for paragraph in text.split("\n\n")]
    assert places == ["config.yaml:1:1:", "config.yaml:2:1:", "config.yaml:5:5:"]
    assert "did you mean {task}" in text


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("title: [", "config.yaml:1:9: this is not YAML"),
        ("- a\n- b\n", "config.yaml:1:1: expected `key: value` lines"),
        ("title: a\ntitle: b\n", "config.yaml:2:1: the key 'title' appears a second time"),
        ("title: &a x\ndescription: *a\n", "config.yaml:2:14: aliases"),
        ("language: no\nsite_url: x\n", "config.yaml:2:1: 'site_url': write the address"),
        ("site_url: https://a:b@c.org\n", "config.yaml:1:1: 'site_url': it is shown on every page"),
        ("title: true\n", "config.yaml:1:1: 'title' is a text: put it in quotes"),
        ("inputs:\n  - pattern: '{task}.json'\n", "config.yaml:2:5: 'inputs.0.path' is missing"),
        ("prices:\n  m: {input: -1, output: 1}\n", "config.yaml:2:7: 'prices.m.input'"),
        ("inputs: runs\n", "config.yaml:1:1: 'inputs' is a list: write [runs]"),
        ("names: [a]\n", "config.yaml:1:1: 'names' is a section: write `key: value`"),
        ("names: {task: [a]}\n", "config.yaml:1:9: 'names.task' is a section: write"),
        ("tasks: [a]\n", "config.yaml:1:1: 'names.task' is a section: write `key: value`"),
        ("? [a]\n: b\n", "config.yaml:1:3: a key must be plain text"),
        ("a: 1\ntitle: \x07\n", "config.yaml:2:8: the character U+0007 is not allowed"),
    ],
)
def test_a_fault_is_reported_where_it_stands(text: str, start: str) -> None:
    assert _error(text).startswith(start)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "redact: {also: [ip adress]}",
            "1:17: 'redact.also.0': unknown kind 'ip adress', did you mean 'ip address'?",
        ),
        (
            "redact:\n  also: [x]\n",
            "2:10: 'redact.also.0': unknown kind 'x'; docs/redaction.md lists them",
        ),
        (
            "redact: {also: [phone number]}",
            "1:17: 'redact.also.0': 'phone number' is masked anyway; `also` takes ip",
        ),
        ("redact: {also: ip address}", "1:10: 'redact.also' is a list"),
        (
            "redact: {off: {mac address: why}}",
            "1:16: 'redact.off.mac address': 'mac address' is not masked unless",
        ),
        (
            "redact: {off: {phone: why}}",
            "1:16: 'redact.off.phone': unknown kind 'phone', did you mean 'phone number'?",
        ),
    ],
)
def test_a_kind_that_is_not_known_is_an_error(text: str, message: str) -> None:
    assert _error(text).startswith(f"config.yaml:{message}")


def test_a_title_is_one_line_without_what_a_page_or_a_terminal_would_obey() -> None:
    text = r'title: "Bell\a \e[31mred\n\u202E end "'
    assert config.parse(text, "config.yaml").title == "Bell red [U+202E] end"
    assert "config.yaml:1:1: 'title': write a title that can be read" in _error(r'title: "\a "')


def test_only_true_and_false_are_booleans() -> None:
    assert config.parse("names: {task: {yes: on}}", "config.yaml").names == {"task": {"yes": "on"}}


def test_keys_that_names_replaced_are_read_as_its_parts() -> None:
    settings = config.parse(
        "models: {m: M, n: N}\nagents: {a: A}\nnames: {model: {m: Other}}", "config.yaml"
    )
    assert settings.names == {"model": {"m": "Other"}, "agent": {"a": "A"}}
    assert settings.old_names == ("models", "agents")
    assert config.parse("names: {model: {m: M}}", "config.yaml").old_names == ()


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    assert "config.yaml:1:1" in _error("title: " + "[" * 20_000)


def test_paths_are_relative_to_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("inputs: [runs]\nstatic: own\n", encoding="utf-8")
    settings = config.load(tmp_path / "c.yaml")
    assert settings.inputs[0].path == str(tmp_path / "runs")
    assert settings.static == str(tmp_path / "own")
    assert settings.output == str(tmp_path / "site")


def test_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="sitegen init"):
        config.load(tmp_path / "config.yaml")


def test_gates_are_limits_by_measure() -> None:
    gates = config.parse(
        "gates: {total_cost_usd: {max: 50}, success_rate: {min: 0.4, max: 1}}", "config.yaml"
    ).gates
    assert (gates.total_cost_usd, gates.failed) == (config.Gate(max=50), None)
    assert gates.success_rate == config.RateGate(min=0.4, max=1)
    gates = config.parse(
        "gates: {runs: {min: 1}, score.speed.up: {median: {min: 1.1}}}", "config.yaml"
    ).gates
    assert gates.limits == {
        "runs": config.Gate(min=1),
        "score.speed.up.median": config.ScoreLimits(min=1.1),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "gates: {total_cost: {max: 1}}",
            "1:9: unknown key 'total_cost', did you mean 'total_cost_usd'?",
        ),
        ("gates: {failed: {mx: 1}}", "1:18: unknown key 'mx', did you mean 'max'?"),
        ("gates: {failed: }", "1:9: 'gates.failed': there is no limit here"),
        (
            "gates: {success_rate: {min: }}",
            "1:24: 'gates.success_rate.min': there is no limit here",
        ),
        ("gates: {runs: {min: 1, max: }}", "1:24: 'gates.runs.max': there is no limit here"),
        ("gates: {score.s: {mean: }}", "1:19: 'gates.score.s.mean': there is no limit here"),
        ("gates: {cost: {}}", "1:9: 'gates.cost': a gate needs `increase` or `decrease`"),
        ("gates: {cost: {increase: }}", "1:16: 'gates.cost.increase': there is no limit here"),
        (
            "gates: {success: {newly_failing: }}",
            "1:19: 'gates.success.newly_failing': there is no limit here",
        ),
        (
            "gates: {runs: {min: 1, unknown: not proven}}",
            "1:24: 'gates.runs.unknown': `not proven` is now called",
        ),
        ("gates: {failed: {}}", "1:9: 'gates.failed': a gate needs `min`, `max` or both"),
        ("gates: {failed: {min: 2, max: 1}}", "1:9: 'gates.failed': `min` is above `max`"),
        (
            "gates: {success_rate: {min: 40}}",
            "1:24: 'gates.success_rate.min' is a share: write",
        ),
        ("gates: {failed: {max: .nan}}", "1:18: 'gates.failed.max'"),
        ("gates: {failed: {max: -1}}", "1:18: 'gates.failed.max'"),
        (
            "gates: {score.s: {medan: {max: 1}}}",
            "1:19: unknown key 'medan', did you mean 'median'?",
        ),
        ("gates: {score.s: {mean: {max: x}}}", "1:26: 'gates.score.s.mean.max'"),
        (
            "gates: {score.s: {mean: {by: model}}}",
            "1:19: 'gates.score.s.mean': a gate needs `min`, `max` or both",
        ),
        (
            "gates: {score.s: {median: {min: 2, max: 1}}}",
            "1:19: 'gates.score.s.median': `min` is above `max`",
        ),
        (
            "gates: {scores: {s: {mean: {}}}}",
            "1:22: 'gates.scores.s.mean': a gate needs `min`, `max` or both",
        ),
        ("gates: {failed: 3}", "1:9: 'gates.failed' is a section"),
        (
            "gates: {success_rate: {max: 1, test: lower_bound}}",
            "1:9: 'gates.success_rate': `test: lower_bound` compares",
        ),
        (
            "gates: {success_rate: {min: 1, test: lower}}",
            "1:32: 'gates.success_rate.test' is a choice: write 'figure' or",
        ),
        (
            "gates: {runs: {min: 1, unknown: maybe}}",
            "1:24: 'gates.runs.unknown': write `incomplete`, `allow`, or",
        ),
        (
            "gates: {runs: {min: 1, unknown: 2}}",
            "1:24: 'gates.runs.unknown': write `incomplete`, `allow`, or",
        ),
        (
            "gates: {problems: {max: 0, by: model}}",
            "1:9: 'gates.problems': this figure is one of the whole site",
        ),
        ("gates: {pass^3: {mn: 1}}", "1:18: unknown key 'mn', did you mean 'min'?"),
        (
            "gates: {pass^3: {min: 2}}",
            "1:18: 'gates.pass^3.min' is a share: write",
        ),
        ("gates: {pass^99: {min: 1}}", "1:9: 'gates.pass^99'"),
    ],
)
def test_a_gate_that_means_nothing_is_an_error(text: str, message: str) -> None:
    assert _error(text).startswith(f"config.yaml:{message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gates: {scores: 5, score.speed: {median: {min: 1}}}", "'gates.scores' is a section"),
        ("gates: {passes: [1], 'pass^3': {min: 0.5}}", "'gates.passes' is a section"),
        ("gates: {1: 2, score.speed: {median: {min: 1}}}", "'gates.1': keys should be strings"),
        ("gates: {score.speed: {medan: {min: 1}}}", "did you mean 'median'"),
        ("gates: {'pass^99': {min: 0.5}}", "'gates.pass^99' has to be 10 or less"),
        ("gates: {runs: {min: 1, unknown: true}}", "write `incomplete`, `allow`"),
        ("theme: ~nobody-here/look", "'theme': there is no home folder of this user"),
        ("inputs: [~nobody-here/runs]", "there is no home folder of this user"),
        ("pages: [gone.md]\ntitel: x", "'pages.0': gone.md: there is no such file"),
        ("pages: [gone.md]\ntitel: x", "unknown key 'titel'"),
        (
            "verdicts: {a: {all: [b]}, b: {all: [c]}, c: {all: [a]}}",
            "config.yaml:1:12: 'verdicts.a': this verdict needs itself: a → b → c → a",
        ),
        (
            f"verdicts: {{{', '.join(f'v{n}: {{all: [v{n + 1}]}}' for n in range(3000))}}}",
            "'verdicts' takes at most 100",
        ),
    ],
)
def test_any_wrong_value_in_a_file_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        config.load(path)
    assert message in str(raised.value)


def test_every_path_is_relative_to_the_file_also_the_default_of_the_output(tmp_path: Path) -> None:
    text = """
inputs: [runs, s3://bucket/runs]
outcomes: [o.csv]
task_table: tasks.csv
history: history.jsonl
baseline: last.zip
static: own
theme: look
pages: [a.md]
"""
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "a.md").touch()
    settings = config.load(tmp_path / "config.yaml")
    named = (settings.history, settings.baseline, *settings.inputs, *settings.outcomes)
    paths = [each.path for each in named if each] + [
        str(path)
        for path in (settings.task_table, settings.static, settings.theme, settings.output)
    ]
    names = "history.jsonl last.zip runs o.csv tasks.csv own look site".split()
    assert [*paths, *settings.pages] == [
        *(str(tmp_path / name) for name in names[:3]),
        "s3://bucket/runs",
        *(str(tmp_path / name) for name in [*names[3:], "a.md"]),
    ]
    (tmp_path / "config.yaml").write_text(
        "campaigns: [{path: a, outcomes: [b]}]\nbaseline: previous\n"
    )
    settings = config.load(tmp_path / "config.yaml")
    (campaign,) = settings.campaigns
    assert (campaign.path, campaign.outcomes[0].path) == (str(tmp_path / "a"), str(tmp_path / "b"))
    assert settings.compares_with_previous
