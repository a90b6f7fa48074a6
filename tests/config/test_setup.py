"""Facts about the making of runs: of all, and of single configurations."""

from __future__ import annotations

from sitegen.config import Config

SETTINGS = {"setup": {"sandbox": "Docker", "configurations": {"Sun · 1": {"sandbox": "none"}}}}


def test_a_configuration_has_its_own_facts_before_those_of_all() -> None:
    setup = Config.model_validate(SETTINGS).setup
    assert setup.facts_of("sun · 1") == {"sandbox": "none"}
    assert setup.facts_of("Moon") == {"sandbox": "Docker"}
    assert Config().setup.facts_of("Moon") == {}


def test_the_last_scan_spares_what_the_settings_say() -> None:
    assert {"Docker", "none"} <= set(Config.model_validate(SETTINGS).own_texts())
