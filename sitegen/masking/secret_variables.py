"""The environment variables that hold secrets, recognised by their names. Imports nothing: the check for changes needs
it first."""

_SECRET_ENDS = tuple(
    "TOKEN KEY SECRET PASSWORD PASSWD PASSPHRASE PASS PWD CREDENTIAL CREDENTIALS".split()
)


_FOLDERS = ("PWD", "OLDPWD")


def names_a_secret(variable: str) -> bool:
    """Return whether the value of an environment variable is a secret, by its name: `API_KEY`, `TOKEN_2`."""
    name = variable.upper()
    if name in _FOLDERS:
        return False
    stem, _, number = name.rpartition("_")
    return (stem if number.isdecimal() else name).endswith(_SECRET_ENDS)
