"""The rules of what is a secret, in two tables, this one and `secret_tokens.tsv`: each with its shape, and what keeps
look-alikes out. Shapes are those that providers document, that GitHub lists for its secret scanning, and that gitleaks
and trufflehog look for.

A rule of `TOKENS` begins with letters that hardly anything else begins with, so the search for those letters is all
that clean text costs. `SHAPES` have their letters in the middle. Both ask for the alphabet and the length that the
provider documents and for no sign behind the token, because in run text anything may follow. What has no letters of
its own (passwords, keys of many services) is known by its name: `NAMES`. Entropy is only ever a second condition.

docs/contributing/secrets.md shows the table; a test compares them and makes texts of every pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CRYPT = "[A-Za-z0-9./]"


@dataclass(frozen=True, slots=True)
class TokenRule:
    """A token that begins with letters of its own."""

    kind: str
    """The name in the mask."""
    anchors: tuple[str, ...]
    """One of them begins every token."""
    body: str
    """The text that follows, as an expression."""

    @property
    def pattern(self) -> str:
        """The whole token as an expression."""
        return f"(?:{'|'.join(map(re.escape, self.anchors))}){self.body}"


@dataclass(frozen=True, slots=True)
class ShapeRule:
    """A secret that is known by something inside it, or by what stands around it."""

    kind: str
    signs: tuple[str, ...]
    """One of them stands in every text with such a secret, in lower case: what is searched for first."""
    pattern: str
    """The secret is its group `value`, or all of it."""
    looks: str
    """The look that the value must have besides: `random`, a `password`, one in an `address`, or `any`. A placeholder
    is none of them."""


def _tokens() -> Iterator[TokenRule]:
    for line in Path(__file__).with_name("secret_tokens.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            kind, anchors, body = line.split("\t")
            yield TokenRule(kind, tuple(anchors.split()), body)


TOKENS = tuple(_tokens())


def _shape(kind: str, signs: str, pattern: str, looks: str = "random") -> ShapeRule:
    """Return a rule by its fields; an ampersand parts its signs."""
    return ShapeRule(kind, tuple(filter(None, signs.split("&"))), pattern, looks)


def _command(signs: str, before: str) -> ShapeRule:
    """Return a password behind what a command or a query says before it."""
    return _shape("password", signs, before + r"(?P<value>[^\s\"'`<>|;,]{4,100})", "given")


def _printed(signs: str, command: str) -> ShapeRule:
    """Return a secret alone on the line below the command that prints it."""
    return _command(signs, command + r"[ \t]*\n[ \t>]{0,12}(?=[^\s]{6,100}[ \t]*(?:\n|$))")


# Passwords in commands, by the place in which each of them wants one: signs, and what stands before the password.
_COMMANDS = (
    ("curl&http -&https -",
     r"(?:curl|https?)\b[^\n|;]{0,200}?[ ](?:-u|--user|-a|--auth)[ =]?[\"']?[^\s:\"']{0,60}:[\"']?"),
    ("mysql&mariadb", r"(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,200}?(?: |,\s?[\"'])-p[\"']?(?=[^\s\"'])"),
    ("sshpass&login &redis-cli&mongo&plink&7z &7za ",
     r"(?:sshpass|docker login|podman login|helm registry login|az login|oc login|redis-cli|mongosh?|mongodump|plink"
     r"|pscp|7za?)\b[^\n|;]{0,200}? (?:-pw|-p|--password|-a)[ =]?[\"']?(?![\"'-])"),
    ("ldap&sqlcmd&zip &mosquitto&smbclient&xfreerdp",
     r"(?:ldap[a-z]+[^\n|;]{0,200}? -w|sqlcmd[^\n|;]{0,200}? -P|(?:un)?zip[^\n|;]{0,100}? -P|mosquitto_[ps]ub"
     r"[^\n|;]{0,200}? -P|smbclient[^\n|;]{0,200}? -U ?[\"']?[^\s%]{1,60}%|xfreerdp[^\n|;]{0,200}? /p:)[ ]?[\"']?"),
    ("openssl", r"openssl\b[^\n|;]{0,200}?(?: -k |-pass(?:in|out)? pass:)[\"']?"),
    ("| sudo&--password-stdin&chpasswd&| kinit&| su &| gpg&| cryptsetup&| smbpasswd",
     r"echo (?:-n )?[\"']?(?:[a-z_][\w-]{0,30}:)?(?=[^\s|]{4,100}?[\"']? \| ?"
     r"(?:sudo|chpasswd|kinit|su |gpg|cryptsetup|smbpasswd|[^\n|]{1,80}--password-stdin))"),
    ("htpasswd", r"htpasswd (?:-\w+ )*-\w*b\w* (?:-\w+ )*(?:\S+ ){1,2}?[\w.-]{1,40} [\"']?"),
    ("sqlplus&jdbc:oracle", r"(?:\bsqlplus (?:-\w+ )*|jdbc:oracle:[a-z]+:)[\w.$-]{1,40}/[\"']?(?=[^\s@/]{3,60}@)"),
    ("net use", r"(?i)\bnet use\b[^\n]{0,200}? (?:/user:\S{1,80} (?=[^/])|(?=[^\s/\\*:]{4,100} /user:))"),
    ("storepass&keypass", r" -(?:src|dest)?(?:store|key)pass(?:word)? [\"']?"),
    ("nmcli&rclone&netsh", r"(?:nmcli|rclone|netsh)\b[^\n|;]{0,200}? (?:password|pass) [\"']?"),
    ("user-secrets set",
     r"user-secrets set (?:-\S{1,60} ){0,4}[\"']?[\w:.-]{0,80}?"
     r"(?i:pass|pwd|secret|token|key|connection)[\w:.-]{0,60}[\"']? [\"']?"),
    ("http-basic.", r"http-basic\.[\w.-]{1,60} [\"']?[^\s\"']{1,60}[\"']? [\"']?"),
    ("requirepass&masterauth", r"(?:requirepass|masterauth) [\"']?"),
    ("identified by", r"(?i)\bidentified (?:with [\w']{1,40} )?by (?:password )?['\"]"),
    (" password &password='",
     r"(?i)\b(?:with|role \S{1,60}|user \S{1,60}|encrypted|set) password(?: for \S{1,60})?\s?=?\s?['\"]"),
    (" password ", r"login\s+\S{1,80}\s+password\s+[\"']?"),
    ("pwd=&password=",
     r"(?i)(?:server|host|data source|uid|user(?: id)?|username|endpoint|database)=[^;\n\"']{0,100};"
     r"(?:[^;\n\"']{1,100};){0,8}?\s?(?:password|pwd)="),
    ("useradd", r"\buseradd (?:-[^pn\s|;]\w* (?:[\w,/.-]{1,40} )?){0,6}?-p ?[\"']?(?![\"'$-])"),
    ("net user", r"(?i)\bnet user [\w.-]{1,40} [\"']?(?=[^\s/*])"),
    ("rabbitmqctl", r"\brabbitmqctl (?:add_user|change_password) [\w.-]{1,40} [\"']?"),
    ("lftp &cqlsh ", r"(?:lftp [^\n|;]{0,100}?-u ?[\"']?[^\s,]{1,60},|cqlsh [^\n|;]{0,100}?-p ?)[\"']?"),
    ("@tcp(", r"(?<![\w/])[\w.-]{1,40}:(?=[^\s\"'`@/]{4,100}@tcp\()"),
    ("<<<", r"(?<=<<<)(?<!<<<<)[ ]?[\"']?(?=[^\s\"'$]{4,100}(?<!\s))"),
    ("securestring", r"(?i)\bConvertTo-SecureString (?:-String )?['\"]"),
    ("run/secrets&secret set&passwd&secret put&secret create&secret add&kv put&versions add",
     r"(?:echo|printf) (?:-n |['\"]?%s['\"]? )?[\"']?(?=[^\s|]{4,100}?[\"']? ?(?:>{1,2} ?/run/secrets/"
     r"|\| ?[^\n|]{0,60}(?:secrets? (?:set|put|create|add|versions add)|kv put|passwd)))"),
    # Lines of `.pgpass`: a star is read as an emphasis, so it leaves nothing.
    (":5432:&:::", r"(?:(?<![^\s\"'`])[\w.-]{0,80}::|:5432:[\w.-]{0,60}):[\w.-]{1,60}:"),
)  # fmt: skip
_PRINTED = (
    ("output -raw", r"terraform output -raw [\w.-]{1,60}"),
    ("op read", r"op read [\"']?[^\n\"']{1,100}[\"']?"),
    ("pass show", r"pass show [\w/.-]{1,80}"),
    ("run/secrets&master.key&-token&adminpassword",
     r"cat \S{0,60}(?:run/secrets/[\w.-]{1,60}|\.key|token|[pP]assword)"),
    ("print-access", r"auth print-access-token"),
    ("get secret", r"kubectl get secrets? [^\n]{1,160}base64 (?:-d|-D|--decode)[^\n]{0,20}"),
    ("initial-password", r"admin initial-password[^\n]{0,60}"),
    ("vault kv get&vault read&vault token", r"vault [^\n]{1,100}field=[^\n]{1,80}"),
    ("token create", r"token create[^\n|]{0,60}"),
    ("auth token", r"(?:gh|glab) auth token"),
    ("get-login-password", r"get-login-password[^\n|]{0,60}"),
    ("get-secret-value", r"get-secret-value [^\n]{1,160}--output text"),
    ("openssl rand", r"openssl rand [^\n]{1,30}"),
    ("rails secret", r"rails secret"),
)  # fmt: skip
"""Signs, and the command."""


_BASE58 = "[1-9A-HJ-NP-Za-km-z]"
_LEFT = "(?<![A-Za-z0-9])"
_USER_INFO = r"[^\s/@:\"'`<>\\\[\]]"

SHAPES: tuple[ShapeRule, ...] = (
    _shape("private key", "private-lines",
           r"Private-Lines: [0-9]{1,3}[\s>|\"',]+"
           r"(?P<value>[A-Za-z0-9+/=]{16,80}(?:[\s>|\"',]+[A-Za-z0-9+/=]{16,80})*+)", "any"),
    _shape("azure secret", "q~", _LEFT + r"[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}"),
    _shape("azure key", "jqqj99", _LEFT + r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{14,26}"),
    _shape("azure signature", "sig=", r"[?&]sig=(?P<value>[A-Za-z0-9%/+=_-]{30,200})"),
    _shape("signature of a link", "-signature=", r"X-(?:Amz|Goog)-Signature=(?P<value>[0-9a-fA-F]{40,600})"),
    _shape("terraform token", ".atlasv1.", _LEFT + r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}"),
    _shape("mailchimp key", "-us", r"-us(?<=(?<![0-9a-z])(?P<value>[0-9a-f]{32})-us)[0-9]{1,2}(?![0-9])"),
    _shape("telegram token", ":aa", r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,35}", "any"),
    _shape("slack webhook", "hooks.slack.com",
            r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Za-z0-9/+]{20,120})"),
    _shape("discord webhook", "/api/webhooks/",
            r"discord(?:app)?\.com/api/webhooks/[0-9]{15,21}/(?P<value>[A-Za-z0-9_-]{40,90})"),
    _shape("teams webhook", "webhook.office.com",
            r"webhook\.office\.com/webhookb2/(?P<value>[A-Za-z0-9@/-]{60,200})"),
    _shape("teams webhook", ".logic.azure.com", r"[?&]sig=(?P<value>[A-Za-z0-9%_-]{40,60})"),
    _shape("zapier webhook", "hooks.zapier.com",
            r"hooks\.zapier\.com/hooks/catch/(?P<value>[0-9]{4,10}/[A-Za-z0-9]{5,12})", "any"),
    _shape("google webhook", "chat.googleapis.com",
            r"chat\.googleapis\.com/v1/spaces/[^\s?]{4,40}/messages\?(?P<value>[A-Za-z0-9_%&=-]{40,200})"),
    _shape("password in an address", "@",
            r"://" + _USER_INFO + r"{0,100}(?:@[\w.-]{1,60})?:"
            r"(?P<value>[^\s/\"'`<>\\]{3,200}|[^\s\"'`<>\\]{3,100}(?=@[a-z0-9.-]+[:/]))@(?=[\w.\[-])", "address"),
    _shape("token in an address", "@", r"://(?P<value>[A-Za-z0-9_.-]{20,200})@[\w-]"),
    _shape("bearer token", "bearer",
           r"(?i)\bbearer[ +:=]{1,3}[\"'`]?(?P<value>[A-Za-z0-9_.~+/=-]{16,4000})", "key"),
    _shape("authorization", "authorization",
           r"(?i)authorization\\?[\"'`]?\s?[:=,]\s{0,3}\\?[\"'`]?"
           r"(?:basic|token|apikey|api-key|negotiate|digest|key|sso|ssws)"
           r"[ :=]{1,3}[\"'`]?(?P<value>[A-Za-z0-9_.~+/=-]{8,4000})", "any"),
    _shape("authorization", "authorization",
           r"(?i)authorization\\?[\"'`]?\s?[:=]\s{0,3}\\?[\"'`]?[a-z-]{2,20}[ ](?P<value>[A-Za-z0-9_.~+/=-]{20,4000})"),
    _shape("authorization", "basic ", r"[Bb](?<!\w.)asic (?P<value>[A-Za-z0-9+/]{16,400}={0,2})"),
    *(_command(signs, before) for signs, before in _COMMANDS),
    *(_printed(signs, command) for signs, command in _PRINTED),
    _shape("secret", "secret set&put-parameter&secretsmanager",
           r"(?:gh secret set|aws ssm put-parameter|aws secretsmanager (?:create-secret|put-secret-value))\b"
           r"[^\n|;]{0,200}?"
           r" (?:-b|--body|--value|--secret-string)[ =][\"']?(?P<value>[^\s\"'`<>|;]{6,200})", "given"),
    _shape("private key", "private keys&accounts",
           r"(?:\([0-9]{1,2}\) |accounts[\"']?\s?[:=]\s?\[\s{0,20}[\"'])(?P<value>0x[0-9a-fA-F]{64})(?![0-9a-fA-F])"),
    _shape("secret", "jwt.",
           r"\bjwt\.(?:sign|verify|encode|decode)\((?:\{[^{}\n]{0,200}\}|[\w.]{1,60}),\s?"
           r"[\"'](?P<value>[^\"'\n]{8,200})[\"']", "password"),
    _shape("key", "appid=", r"[?&]appid=(?P<value>[0-9a-f]{32})(?![0-9a-f])"),
    _shape("key", " where name& where key& where setting& where option& where config",
           r"(?i)\bvalue\s?=\s?'(?P<value>[^'\n]{8,300})'\s+where\s+\w{1,20}\s?=\s?"
           r"'[\w.-]{0,60}(?:key|token|secret|passw|pwd)[\w.-]{0,20}'", "password"),
    # As files of Docker Compose write them.
    _shape("password hash", "$$2&$$apr1$$",
           rf"\$\$(?:2[abxy]\$\$[0-9]{{2}}|apr1\$\${_CRYPT}{{1,16}})\$\${_CRYPT}{{22,53}}", "any"),
    _shape("private key", '"kty"', r'"(?:d|k)"\s?:\s?"(?P<value>[A-Za-z0-9_-]{22,1400})"'),
    _shape("token", "login &auth ",
           r"(?:login|auth)(?: --?[a-z-]{1,20})* (?P<value>[A-Za-z0-9_+/-]{24,200}={0,2})", "mixed"),
    _shape("token", "login &auth ", r"(?:login|auth)(?: --?[a-z-]{1,20})* (?P<value>[a-z0-9]{32,})"),
    _shape("password hash", "{ssha&{sha}&{smd5}",
           r"\{S(?:SHA(?:256|384|512)?|HA|MD5)\}(?P<value>[A-Za-z0-9+/]{24,120}={0,2})"),
    _shape("token", "_pat=&_pat:&_pat\"&_pat'&_pat =",
           r"(?i)[a-z0-9]_pat[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<value>[A-Za-z0-9_-]{20,200})"),
    _shape("twitter token", "a" * 18,
            _LEFT + r"A{18,22}(?:[A-Za-z0-9]{1,8}A{5,8})?(?P<value>[A-Za-z0-9%=]{50,120})(?![A-Za-z0-9/+])"),
    _shape("docker login", '"auth"', r'"auth"\s?:\s?"(?P<value>[A-Za-z0-9+/]{16,4000}={0,2})"'),
    _shape("private key", "-key-data",
           r"client-key-data[\"']?:\s?[\"']?(?P<value>[A-Za-z0-9+/=]{60,20000})", "any"),
    _shape("sentry dsn", ".ingest.&@sentry",
            r"://(?P<value>[0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{3,100}/[0-9]"),
    _shape("cookie", "cookie",
           r"(?i)(?:;|cookie[\"'`]?\s?[:=])\s?[\"'`]?[^\s;:=\"']{0,40}?(?:sess|sid|auth|token|jwt|csrf|login|remember)"
           r"[^\s;:=\"']{0,40}=(?P<value>[^\s;,\"'&]{12,4000})"),
    _shape("seed phrase", "mnemonic&phrase",
           r"(?i)(?:mnemonic|(?:seed|recovery)[ _]?phrase)[\"'`*]{0,3}\s?(?:[:=]|is)\s?[\"'`*]{0,3}"
           r"(?P<value>[a-z]{3,8}(?: [a-z]{3,8}){11,23})", "any"),
)  # fmt: skip

LONE: tuple[ShapeRule, ...] = (
    _shape("okta token", "", r"(?<![A-Za-z0-9/+._-])00[A-Za-z0-9_-]{40}(?![A-Za-z0-9/+=_-])", "mixed"),
    _shape("vault token", "", r"(?<![A-Za-z0-9/+._$-])s\.[A-Za-z0-9]{24}(?!\.?[A-Za-z0-9/+=_-])", "mixed"),
    _shape("discord token", "",
           r"(?<![A-Za-z0-9./-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    _shape("wallet key", "",
           rf"(?<![A-Za-z0-9/+.-])(?:[KL]{_BASE58}{{51}}|5{_BASE58}{{50}})(?![A-Za-z0-9/+=-])"),
)  # fmt: skip
"""Secrets without a sign: they are looked for in the longest runs of signs of tokens only."""
