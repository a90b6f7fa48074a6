"""Environment variables that hold secrets."""

from __future__ import annotations

import pytest

from sitegen.masking.secret_variables import names_a_secret

ENDS = "TOKEN KEY SECRET PASSWORD PASSWD PASSPHRASE PASS PWD CREDENTIAL CREDENTIALS"


@pytest.mark.parametrize("end", ENDS.split())
def test_a_name_with_such_an_end_is_of_a_secret(end: str) -> None:
    for name in (end.lower(), f"DB_{end}", f"DB_{end}_2", f"DB{end}_10"):
        assert names_a_secret(name) is (name != "pwd")


@pytest.mark.parametrize(
    "name",
    ["", "PWD", "pwd", "OLDPWD", "TOKENS", "KEY_FILE", "TOKEN_2B", "TOKEN_", "KEY_1_2", "HOME_2"],
)
def test_another_name_is_of_no_secret(name: str) -> None:
    assert names_a_secret(name) is False
