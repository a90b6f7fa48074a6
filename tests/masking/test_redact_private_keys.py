"""No private key is shown: as tools write it, within other texts, and cut at either end."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from sitegen.masking.reading import as_read
from sitegen.masking.redact import Redactor, number_masks
from tests.support.secret_grammar import private_key
from tests.support.secret_samples import BASE64, Maker

REDACTOR = Redactor()
MAKER = Maker(44)


def tool(*words: str, cwd: Path | None = None) -> str:
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    return subprocess.run(words, cwd=cwd, check=True, capture_output=True, text=True).stdout


def body_of(key: str) -> list[str]:
    """The lines that hold bytes."""
    return [
        line for line in key.splitlines() if len(line) >= 16 and "-" not in line and ":" not in line
    ]


def assert_hidden(text: str, key: str) -> None:
    shown = as_read(number_masks(REDACTOR(text)))
    assert body_of(key), key
    for line in body_of(key):
        assert not any(line[at : at + 16] in shown for at in range(len(line) - 15)), shown


def written(key: str) -> list[str]:
    """A key in the texts in which it stands in runs."""
    flat = key.strip().replace("\n", "\\n")
    return [
        key,
        f"$ cat id\n{key}$ ls\n",
        json.dumps({"private_key": key}),
        json.dumps(json.dumps({"out": key})),
        f"key: |\n{textwrap.indent(key, '  ')}port: 22\n",
        textwrap.indent(key, "> "),
        textwrap.indent(key, "+"),
        textwrap.indent(key, "-"),
        "".join(f"{number:6}\u2192{line}\n" for number, line in enumerate(key.splitlines(), 1)),
        f'KEY="{flat}"',
        " ".join(key.split("\n")),
        "\n".join(f'    "{line}\\n" +' for line in key.splitlines()),
        f"data: {base64.b64encode(key.encode()).decode()}",
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "options",
    [
        ["ed25519"],
        ["ecdsa"],
        ["rsa", "-b", "2048"],
        ["rsa", "-b", "4096"],
        ["rsa", "-m", "PEM"],
        ["rsa", "-m", "PKCS8"],
    ],
    ids=" ".join,
)
def test_keys_of_ssh_are_hidden_wherever_they_stand(tmp_path: Path, options: list[str]) -> None:
    tool(
        "ssh-keygen",
        "-q",
        "-N",
        "",
        "-C",
        "ann@example.org",
        "-f",
        str(tmp_path / "k"),
        "-t",
        *options,
    )
    key = (tmp_path / "k").read_text("ascii")
    for text in written(key):
        assert_hidden(text, key)


@pytest.mark.parametrize(
    "command",
    [
        "genpkey -algorithm ed25519",
        "ecparam -name prime256v1 -genkey -noout",
        "genrsa 2048",
        "genrsa -traditional 2048",
        "genrsa -aes128 -passout pass:abcd 2048",
        "genrsa -aes128 -passout pass:abcd -traditional 2048",
    ],
)
def test_keys_of_openssl_are_hidden_wherever_they_stand(command: str) -> None:
    key = tool("openssl", *command.split())
    for text in written(key):
        assert_hidden(text, key)


KEYS = [private_key(MAKER) for _ in range(60)]


@pytest.mark.parametrize("key", KEYS[:12], ids=lambda key: key[:40].strip("-\n"))
def test_keys_made_as_tools_make_them_are_hidden_wherever_they_stand(key: str) -> None:
    for text in written(key):
        assert_hidden(text, key)


CUT = [
    "... [truncated]",
    "\n...",
    "\u2026",
    "\n[... 20 lines left out ...]\n",
    "\n</key>",
    "<snip>",
    "\n\nNow your tests pass, for example `sample.py`.",
    '"}\n',
    "",
]


@pytest.mark.parametrize("behind", CUT)
def test_what_is_there_of_a_key_that_is_cut_is_hidden(behind: str) -> None:
    for key in KEYS:
        at = MAKER.random.randrange(key.index("\n") + 60, len(key) - 25)
        assert_hidden(key[:at] + behind, key[:at])
        rest = key[MAKER.random.randrange(30, max(len(key) - 150, 31)) :]
        assert_hidden(f"{behind}\n{rest}", rest)


def test_a_key_with_something_left_out_in_the_middle_is_hidden() -> None:
    for key in KEYS:
        lines = key.splitlines()
        if len(lines) > 8:
            for gap in ("...", "\u2026", "<snip>", "[... 12 lines ...]"):
                assert_hidden("\n".join([*lines[:4], gap, *lines[-4:]]), key)
                assert_hidden("\n".join([*lines[:4], gap, *lines[-4:-1]]), key)


def test_text_around_a_cut_key_stays() -> None:
    head = KEYS[0][: KEYS[0].index("\n") + 60]
    shown = number_masks(
        REDACTOR(f"It printed:\n\n{head}\n\nThen your tests passed, see `example.py`.")
    )
    assert (
        shown
        == "It printed:\n\n[redacted: private key #1]\n\nThen your tests passed, see `example.py`."
    )
    body = "".join(MAKER.of(BASE64, 64) + "\n" for _ in range(3))
    shown = number_masks(
        REDACTOR(f"The rest of it is here:\n{body}-----END PRIVATE " + "KEY-----\nDone.")
    )
    assert shown == "The rest of it is here:\n[redacted: private key #1]\nDone."


@pytest.mark.parametrize(
    "body",
    [
        "...",
        "MIIE...",
        "YOUR KEY HERE",
        "x" * 64,
        "<base64>",
        "` and ends with `",
        "$(cat key.pem)",
        "\\n...\\n",
    ],
)
def test_a_form_for_a_key_stays(body: str) -> None:
    name = "PRIVATE " + "KEY-----"
    for text in (
        f"-----BEGIN {name}\n{body}\n-----END {name}",
        f"a key begins with -----BEGIN {name}{body} and so on",
    ):
        assert REDACTOR(text) == text


def test_long_values_are_no_placeholders_by_chance() -> None:
    """Six equal letters or a word stand somewhere in many long values."""
    jwt = "ey" + "J" + MAKER.of(BASE64, 60).replace("+", "a").replace("/", "b")
    for part in ("AAAAAA", "fake", "your", "000000000"):
        token = (
            f"{jwt}.ey"
            + "J"
            + f"{MAKER.of('abcdefghijkmnpqrstuvw0123456789', 40)}{part}{jwt}.{jwt}"
        )
        assert token[100:] not in REDACTOR(f"It sent {token} there.")


def test_other_forms_of_keys_are_hidden() -> None:
    body = "\n".join("AAAAAAAA" + MAKER.of(BASE64, 56) for _ in range(12)) + "\nfake=="
    pgp, ssh = "PGP PRIVATE " + "KEY BLOCK-----", "SSH2 ENCRYPTED PRIVATE " + "KEY ----"
    keys = [
        f"-----BEGIN {pgp}\nComment: https://example.org\n\n{body}\n-----END {pgp}\n",
        f"-----BEGIN {pgp}\nVersion: 2\nComment: your key\n\n{body}\n",
        f'---- BEGIN {ssh}\nComment: "an example"\n{body}\n---- END {ssh}\n',
        "PuTTY-User-Key-File-3: ssh-rsa\nComment: sample\n"
        + f"Private-Lines: 13\n{body}\nPrivate-MAC: 12\n",
    ]
    for key in keys:
        for text in (key, json.dumps({"k": key}), textwrap.indent(key, "> ")):
            assert_hidden(text, key.replace("Comment: https://example.org", ""))
    encoded = base64.b64encode(body.encode()).decode()
    for text in (
        f"    client-key-data: {encoded}",
        json.dumps({"client-key-data": f"AAAAAAAA{encoded}"}),
    ):
        assert encoded[40:] not in REDACTOR(text)
