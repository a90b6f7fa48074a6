"""Values of the environment that are masked: those of variables called like secrets, unless they name a file."""

from __future__ import annotations

import pytest

from sitegen.masking.redact import Redactor


@pytest.mark.parametrize(
    ("name", "value", "is_masked"),
    [
        ("DEPLOY_TOKEN", "k2Jx9QpLw4Vt", True),
        ("DEPLOY_TOKEN", "k2Jx9QpLw4V", False),  # eleven characters
        ("DEPLOY_NAME", "k2Jx9QpLw4Vt", False),
        ("DEPLOY_TOKEN", "/run/secrets/deploy", False),
        ("DEPLOY_TOKEN", "~/secrets/deploy", False),
        ("DEPLOY_TOKEN", "/k2Jx9QpLw4VtZr8Nb3Yc6Hd1", True),  # base64 may begin so
        ("DEPLOY_TOKEN", "run/secrets/deploy", True),
    ],
)
def test_a_value_of_the_environment_is_masked(
    name: str, value: str, is_masked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    shown = Redactor.for_this_machine()(f"it said {value} twice")
    assert (value not in shown) is is_masked
