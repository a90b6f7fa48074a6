"""What stands beside names of passwords and is none, and secrets and people in forms that were missed before."""

from __future__ import annotations

import time

import pytest

from sitegen.html import markdown
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import Redactor, in_one_line, number_masks
from sitegen.pages.text_tables import markdown_text
from tests.support.clock import seconds_since
from tests.support.secret_samples import ALNUM, Maker

REDACTOR = Redactor()
PASSWORD = "Quay7$" + Maker(39).of(ALNUM, 6)
NAMES = [
    "test_password_match",
    "test_login_password",
    "TestPasswordHash",
    "check_pwd_history",
    "passphrase.unlock",
    "old_passwd",
]
VERDICTS = [
    "failed",
    "error",
    "passed",
    "PASS",
    "skipped",
    "timeout",
    "timed out",
    "partial",
    "partially met",
    "not met",
    "flaky",
    "unresolved",
    "success",
    "successful",
    "not graded",
    "mismatch",
    "xfail",
    "pending",
]
LANGUAGES = ("비밀번호", "סיסמה", "كلمة المرور", "รหัสผ่าน", "mật khẩu", "jelszó", "口令")
FORMS = [
    '{{"{0}": "{1}"}}',
    "{0}: {1}",
    "{0} = {1}",
    "| {0} | {1} |",
    "<td>{0}</td><td>{1}</td>",
    "- {0}: {1}",
    "{0}={1}",
    "{0} ... {1}",
    "{0},{1}",
    "'{0}': '{1}',",
    "{0} -> {1}",
    "**{0}**: {1}",
    "{0}: `{1}`",
    "tests/a.py::{0} {1}",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_verdict_is_no_password(form: str) -> None:
    for name in NAMES:
        for verdict in VERDICTS:
            text = form.format(name, verdict)
            assert REDACTOR(text) == text
    for name in ("db_password", "passwd"):
        assert PASSWORD not in REDACTOR(f"{name}: {PASSWORD}")


@pytest.mark.parametrize(
    "text",
    [
        "{0}",
        "vertex_ai/{0}",
        "{0}.traj",
        "runs/{0}/a.json",
        "{0}-v2.run",
        "results/{0}.task.ab/x",
        "ssh {0}",
        "https://{0}/",
        "{0}:rawPredict",
        "`{0}`",
        "model: {0}",
    ],
)
def test_a_model_of_vertex_is_no_address(text: str) -> None:
    for model in (
        "claude-sonnet-4-5@20250929",
        "claude-3-5-haiku@20241022",
        "gemini-2.5-pro@default",
    ):
        assert REDACTOR(text.format(model)) == text.format(model)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        *((f"{name}: {PASSWORD}", PASSWORD) for name in LANGUAGES),
        ("Passwort: quiet-harbour-lamp", "quiet-harbour-lamp"),
        (f'dotnet user-secrets set "Db:Password" "{PASSWORD}"', PASSWORD),
        (f"dotnet user-secrets set --project a Db:Password {PASSWORD}", PASSWORD),
        (f"poetry config http-basic.internal ci {PASSWORD}", PASSWORD),
        (f"curl -u ci:'{PASSWORD}' https://ci.acme.dev", PASSWORD),
        ("proxy_set_header X-Auth-Token a8Kd92LmQp3Zx7Vb;", "a8Kd92LmQp3Zx7Vb"),
        (f"+password: >-\n+  {PASSWORD}", PASSWORD),
        ("ann AT mail DOT co DOT jp", "ann"),
        ('authors = [{name = "Ann Berger"}]', "Berger"),
        ('authors = [\n    {name = "Ann Berger"},\n]', "Berger"),
        ("Tester: Ann Berger", "Berger"),
        ("Reviewer:  Ann Berger\nx", "Berger"),
        ("http://host/~annab/x", "annab"),
        ("chown -R x ~annab", "annab"),
        ("\\~annab/x", "annab"),
        ("\\\\/home\\\\/emeka\\\\/x", "emeka"),
    ],
)
def test_what_was_missed_is_masked(text: str, hidden: str) -> None:
    assert hidden not in REDACTOR(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tester: Claude Code",
        "Reviewer: Support Team",
        '{name = "Test Suite"}',
        "Author: GitHub Actions",
    ],
)
def test_programs_are_nobody(text: str) -> None:
    assert REDACTOR(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "\\/home\\/emeka\\/x",
        "\\\\/home\\\\/emeka\\\\/x",
        "`\\/Users\\/emeka\\/x`",
        "s/\\/home\\/emeka\\/x//",
        "\\~emeka/x",
    ],
)
def test_a_masked_home_folder_withholds_nothing(text: str) -> None:
    masked, scan = REDACTOR(text), FinalScan(REDACTOR)
    for shown in (masked, markdown.render(masked, clean=REDACTOR).html):
        assert scan.finish("runs/a.html", f"<pre data-untrusted>{shown}</pre>".encode())[1] == ()


def test_a_long_text_of_one_name_is_looked_at_in_seconds() -> None:
    for part in ("password=", " password =", "adminpassword=a", "password: 'a"):
        start = time.process_time()
        REDACTOR.find(part * (250_000 // len(part)))
        assert seconds_since(start) < 2.5


def test_a_mask_is_numbered_also_in_code_that_keeps_it_from_being_a_link() -> None:
    masked = markdown_text(REDACTOR(f"password: {PASSWORD}"))
    assert number_masks(masked) == "password\\: `[redacted: password #1]`"
    assert in_one_line(masked, 1_000) == masked
