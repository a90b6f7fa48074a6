"""Numbers from outside: what is not a finite number of the right type and sign is unknown, and passes no gate."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sitegen import config
from sitegen.collect import collect
from sitegen.errors import ConfigError
from sitegen.inputs.campaigns import past
from sitegen.masking.redact import Redactor
from sitegen.numbers.pricing import PriceTable
from sitegen.outcomes.over_time import baseline_of
from sitegen.pages.overall import analyse
from sitegen.readers.common.records import count_of
from sitegen.system.bounds import known_count, known_number, known_usd
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts

BAD = [
    '"nan"',
    '"1e999"',
    "1e999",
    "-1e999",
    "NaN",
    "1.7e308",
    "-5",
    "true",
    '"5"',
    "[1]",
    "1" + "0" * 400,
    "1e-300",
]
"""As JSON text: what is not the cost of a run."""


@pytest.mark.parametrize("text", BAD)
def test_one_rule_refuses_what_is_not_an_amount(text: str) -> None:
    value = json.loads(text)
    assert known_usd(value) is None
    assert known_count(value) is None
    assert known_number(value) == (-5 if text == "-5" else None)


@pytest.mark.parametrize(("value", "known"), [(0, 0.0), (3, 3.0), (0.25, 0.25), (-0.0, 0.0)])
def test_usual_numbers_stay(value: float, known: float) -> None:
    assert known_usd(value) == known_number(value) == known
    assert known_count(value) == (int(known) if known.is_integer() else None)


@pytest.mark.parametrize("value", [3, 2**53 - 1, 2**53, 2**53 + 1])
def test_a_count_that_is_a_text_is_known_as_the_number_is(value: int) -> None:
    assert count_of({"n": str(value)}, "n") == count_of({"n": value}, "n")


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of six tasks, with a score, as a site and as a pack."""
    folder = tmp_path_factory.mktemp("outside")
    files = {
        f"runs/t{task}.json": result(task + 2, total_cost_usd=0.01 * (task + 1))
        for task in range(6)
    }
    rows = "".join(f"t{task},{task + 1}.5\n" for task in range(6))
    campaigns.write(
        folder, {**files, "outcomes.csv": f"task,speed\n{rows}", "config.yaml": SETTINGS}
    )
    for command, output in (("build", "site"), ("pack", "pack.zip")):
        assert sitegen(command, "-c", "config.yaml", "-o", output, cwd=folder).returncode == 0
    return folder


SETTINGS = "inputs: [{path: runs, pattern: '{task}.json'}]\noutcomes: [outcomes.csv]\n"
GATED = (
    SETTINGS
    + "gates: {cost: {increase: {max: 900 %}}, score.speed: {decrease: {max: 90 %}}}\nbaseline: "
)


def gates_of(settings: Path) -> dict[str, tuple[str, str]]:
    """Verdict and reason of each gate of these settings."""
    loaded = config.load(settings)
    surveyed = collect(loaded, Redactor(()), lambda _, items: items)
    checks = PriceTable.load().check_all(surveyed.entries)
    report = analyse(loaded, surveyed, checks, {}, before=baseline_of(loaded, Redactor(())))
    return {gate.name: (gate.verdict.value, gate.why) for gate in report.gates}


def held_against(folder: Path, baseline: Path) -> dict[str, tuple[str, str]]:
    """The same for the runs of this folder, held against a baseline."""
    (folder / "gated.yaml").write_text(GATED + json.dumps(str(baseline)), encoding="utf-8")
    return gates_of(folder / "gated.yaml")


def with_text(text: str, key: str, value: str, *, every: bool = False) -> str:
    """JSON in which the first values of this key, or all, are replaced by other JSON text."""
    mark = "a-mark-of-this-test"

    def changed(found: Any) -> Any:
        nonlocal left
        if isinstance(found, dict):
            made = {}
            for name, inner in found.items():
                take = name == key and not isinstance(inner, dict | list | None) and left
                left -= bool(take)
                made[name] = mark if take else changed(inner)
            return made
        return [changed(each) for each in found] if isinstance(found, list) else found

    left = 10**6 if every else 1
    return json.dumps(changed(json.loads(text))).replace(f'"{mark}"', value)


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("text", BAD)
def test_no_gate_passes_on_an_invalid_number_of_a_published_site(
    earlier: Path, tmp_path: Path, text: str, every: bool
) -> None:
    data = (earlier / "site/data/runs.json").read_text(encoding="utf-8")
    (tmp_path / "runs.json").write_text(
        with_text(data, "cost_usd", text, every=every), encoding="utf-8"
    )
    gates = held_against(earlier, tmp_path / "runs.json")
    verdict, why = gates["cost.increase"]
    assert verdict == "incomplete"
    assert why == f"The cost of {6 if every else 1} of 6 runs of the baseline is not known."
    assert gates["score.speed.decrease"][0] == "passed"


@pytest.mark.parametrize("text", [each for each in BAD if each != "-5"])
def test_no_gate_passes_on_an_invalid_score(earlier: Path, tmp_path: Path, text: str) -> None:
    data = (earlier / "site/data/runs.json").read_text(encoding="utf-8")
    (tmp_path / "runs.json").write_text(with_text(data, "speed", text), encoding="utf-8")
    gates = held_against(earlier, tmp_path / "runs.json")
    assert gates["cost.increase"] == ("passed", "")
    assert gates["score.speed.decrease"] == (
        "incomplete",
        "The speed of 1 of 6 runs of the baseline is not known.",
    )


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("key", ["cost_usd", "value"])
def test_no_gate_passes_on_an_invalid_number_of_a_pack(
    earlier: Path, tmp_path: Path, text: str, key: str
) -> None:
    if (key, text) == ("value", "-5"):
        return
    pack = tmp_path / "pack.zip"
    with zipfile.ZipFile(earlier / "pack.zip") as archive, zipfile.ZipFile(pack, "w") as written:
        for number, name in enumerate(archive.namelist()):
            first, *lines = archive.read(name).decode().splitlines()
            written.writestr(
                name,
                "\n".join(
                    [with_text(first, key, text, every=True) if number == 1 else first, *lines]
                )
                + "\n",
            )
    gates = held_against(earlier, pack)
    gate = {"cost_usd": "cost.increase", "value": "score.speed.decrease"}[key]
    assert (
        gates[gate][0] == "incomplete"
        and "1 of 6 runs of the baseline is not known" in gates[gate][1]
    )
    # Nor does a gate on the figures of the pack itself, built alone.
    limits = "gates: {total_cost_usd: {max: 1000}, score.speed: {mean: {max: 1000}}}\n"
    (tmp_path / "own.yaml").write_text(
        f"{limits}inputs: [{json.dumps(str(pack))}]\n", encoding="utf-8"
    )
    gate = "total_cost_usd" if key == "cost_usd" else "score.speed.mean"
    assert gates_of(tmp_path / "own.yaml")[gate][0] == "incomplete"


def test_a_gate_that_is_not_proven_ends_the_build_with_3_and_says_why(
    earlier: Path, tmp_path: Path
) -> None:
    data = (earlier / "site/data/runs.json").read_text(encoding="utf-8")
    (tmp_path / "runs.json").write_text(with_text(data, "cost_usd", '"nan"'), encoding="utf-8")
    (earlier / "gated.yaml").write_text(
        GATED + json.dumps(str(tmp_path / "runs.json")), encoding="utf-8"
    )
    done = sitegen("build", "-c", "gated.yaml", "-o", tmp_path / "site", cwd=earlier)
    assert (
        done.returncode == 3
        and "The cost of 1 of 6 runs of the baseline is not known" in done.stderr
    )


def test_no_gate_passes_where_a_run_of_the_baseline_cannot_be_read(
    earlier: Path, tmp_path: Path
) -> None:
    pack = tmp_path / "pack.zip"
    with zipfile.ZipFile(earlier / "pack.zip") as archive, zipfile.ZipFile(pack, "w") as written:
        for number, name in enumerate(archive.namelist()):
            written.writestr(name, b"{}\n" if number == 1 else archive.read(name))
    gates = held_against(earlier, pack)
    assert set(gates.values()) == {("incomplete", "1 run of the baseline could not be read.")}


def test_the_same_baseline_without_faults_passes(earlier: Path) -> None:
    for baseline in ("site", "pack.zip", "site/data/runs.json"):
        gates = held_against(earlier, earlier / baseline)
        assert set(gates.values()) == {("passed", "")}


@pytest.mark.parametrize("text", ["1e999", "1.7e308", "-1.7e308", "true", "[1]", "1" + "0" * 400])
def test_no_gate_passes_on_an_invalid_score_of_an_outcomes_file(
    earlier: Path, tmp_path: Path, text: str
) -> None:
    rows = ", ".join(
        f'{{"task": "t{task}", "speed": {text if task < 2 else 2}}}' for task in range(6)
    )
    (tmp_path / "outcomes.json").write_text(f"[{rows}]", encoding="utf-8")
    (tmp_path / "config.yaml").write_text(
        f"inputs: [{{path: {json.dumps(str(earlier / 'runs'))}, pattern: '{{task}}.json'}}]\n"
        "outcomes: [outcomes.json]\ngates: {score.speed: {mean: {max: 1000}}}\n",
        encoding="utf-8",
    )
    verdict, why = gates_of(tmp_path / "config.yaml")["score.speed.mean"]
    assert verdict == "incomplete" and "2 of 6 runs have no speed" in why


def history(*attempts: str, head: str = "") -> str:
    """A history of one campaign, its attempts as JSON text."""
    campaign = (
        f'{{"name": "a", "day": "2026-01-01", "runs": 9, "attempts": [{", ".join(attempts)}]}}'
    )
    return f'{{"sitegen_history": 1{head}}}\n{campaign}\n'


@pytest.mark.parametrize("text", BAD)
def test_an_invalid_amount_of_a_history_is_unknown(tmp_path: Path, text: str) -> None:
    counts = '"task": "t", "model": "m", "runs": 3, "judged": 3, "passed": 1'
    own = f'{{{counts}, "costs": [{text}, 0.5], "scores": [["x", [{text}, 2]]]}}'
    (tmp_path / "history.jsonl").write_text(history(own), encoding="utf-8")
    (found,), _ = past.read_history(tmp_path / "history.jsonl", Redactor())
    (attempts,) = found.attempts
    assert attempts.costs == (0.5,) and attempts.unknown("cost") == 2
    assert dict(attempts.scores)["x"][-1] == 2 and attempts.unknown("score.x") == (
        1 if text == "-5" else 2
    )


@pytest.mark.parametrize("text", [*BAD, "2.5"])
def test_an_invalid_count_of_a_history_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    own = '{"task": "t", "model": "m", "runs": 3, "judged": 3, "passed": %s}'
    for stated in (history(own % text), history(head=f', "dropped": {text}')):
        (tmp_path / "history.jsonl").write_text(stated, encoding="utf-8")
        with pytest.raises(ConfigError, match="sitegen did not write"):
            past.read_history(tmp_path / "history.jsonl", Redactor())
