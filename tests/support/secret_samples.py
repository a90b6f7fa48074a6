"""Secrets, personal data and look-alikes for measuring the redactor, made from parts by a seed.

Nothing here is or was a credential: every value is random, and none stands in this file, so that no scanner of
repositories finds one. Each sample says what must not be left of it (`value`), or that it must come through
unchanged. The rules of the redactor were written after this set, and another seed makes another set of the kind.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from re import _parser  # type: ignore[attr-defined]
from typing import Any
from urllib.parse import quote

UPPER, LOWER, DIGITS, HEX = (
    string.ascii_uppercase,
    string.ascii_lowercase,
    string.digits,
    "0123456789abcdef",
)
ALNUM = string.ascii_letters + DIGITS
BASE64, BASE64URL = ALNUM + "+/", ALNUM + "-_"
BASE32 = UPPER + "234567"
BECH32 = "023456789ACDEFGHJKLMNPQRSTUVWXYZ"
WORDS = (
    "amber",
    "basil",
    "cedar",
    "delta",
    "ember",
    "fable",
    "grove",
    "harbor",
    "indigo",
    "juniper",
    "kettle",
)
BASE58 = "".join(c for c in ALNUM if c not in "0OIl")


@dataclass(frozen=True, slots=True)
class Sample:
    """A text and what must happen to it."""

    label: str
    """`secret`, `personal` or `lookalike`."""
    kind: str
    form: str
    text: str
    value: str
    """What may not be readable afterwards; of a look-alike, what must still stand there."""


class Maker:
    """Random strings from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  the same seed must give the same set

    def of(self, alphabet: str, least: int, most: int | None = None) -> str:
        return "".join(self.random.choices(alphabet, k=self.random.randint(least, most or least)))

    def hex(self, length: int) -> str:
        return self.of(HEX, length)

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def base64(self, count: int) -> str:
        return base64.b64encode(self.random.randbytes(count)).decode()

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def word(self) -> str:
        return self.random.choice(WORDS)

    def password(self) -> str:
        """As people and generators make them; letters of both cases and digits in each."""
        style = self.random.randrange(3)
        if style == 0:
            return self.of(ALNUM, 14, 24) + "a7Q"
        if style == 1:
            sign, digits = self.pick("!", "#", "-", "_"), self.of(DIGITS, 4)
            return f"{self.word().title()}{sign}{digits}{self.word()}{self.of(UPPER, 2)}"
        return self.of(ALNUM + "!%^*-_.", 16, 28) + "x9"

    def jwt(self) -> str:
        def part(value: object) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        head = part({"alg": "HS256", "typ": "JWT"})
        body = part(
            {"sub": self.of(DIGITS, 10), "name": self.word(), "iat": self.random.randrange(10**9)}
        )
        return f"{head}.{body}.{self.of(BASE64URL, 43)}"


PREFIXED: dict[str, Callable[[Maker], str]] = {
    "aws key id": lambda m: m.pick("AK", "AS") + "IA" + m.of(BASE32, 16),
    "bedrock key": lambda m: "ABS" + "K" + m.base64(99),
    "google api key": lambda m: "AI" + "za" + m.of(BASE64URL, 35),
    "google oauth secret": lambda m: "GOC" + "SPX-" + m.of(BASE64URL, 28),
    "google access token": lambda m: "ya" + "29." + m.of(BASE64URL, 120, 180),
    "google refresh token": lambda m: "1/" + "/0" + m.of(BASE64URL, 60, 90),
    "azure ad secret": lambda m: (
        m.of(ALNUM, 3) + m.of(DIGITS, 1) + "Q" + "~" + m.of(ALNUM + "_.~-", 34)
    ),
    "azure devops pat": lambda m: (
        m.of(ALNUM, 52) + "JQQJ99" + m.of(ALNUM, 14) + "AZ" + "DO" + m.of(ALNUM, 8)
    ),
    "github classic": lambda m: "gh" + m.pick(*"pousr") + "_" + m.of(ALNUM, 36),
    "github fine-grained": lambda m: "github" + "_pat_" + m.of(ALNUM, 22) + "_" + m.of(ALNUM, 59),
    "gitlab pat": lambda m: "gl" + "pat-" + m.of(BASE64URL, 20),
    "gitlab routable pat": lambda m: (
        "gl" + "pat-" + m.of(BASE64URL, 27) + ".01." + m.of(LOWER + DIGITS, 9)
    ),
    "gitlab other": lambda m: (
        "gl" + m.pick("rt-", "dt-", "ft-", "soat-", "imt-", "oas-") + m.of(BASE64URL, 20)
    ),
    "gitlab trigger": lambda m: "gl" + "ptt-" + m.hex(40),
    "slack bot": lambda m: (
        "xo" + "xb-" + m.of(DIGITS, 11, 13) + "-" + m.of(DIGITS, 11, 13) + "-" + m.of(ALNUM, 24)
    ),
    "slack user": lambda m: (
        "xo" + "xp-" + "-".join(m.of(DIGITS, 11, 13) for _ in range(3)) + "-" + m.hex(32)
    ),
    "slack app": lambda m: (
        "xa" + "pp-1-A" + m.of(UPPER + DIGITS, 10) + "-" + m.of(DIGITS, 13) + "-" + m.hex(64)
    ),
    "slack refresh": lambda m: "xo" + "xe-1-" + m.of(ALNUM, 146),
    "slack webhook": lambda m: (
        "https://hooks.slack"
        + ".com/services/T"
        + m.of(UPPER + DIGITS, 8, 10)
        + "/B"
        + m.of(UPPER + DIGITS, 8, 10)
        + "/"
        + m.of(ALNUM, 24)
    ),
    "stripe": lambda m: (
        m.pick("sk", "rk") + "_" + m.pick("live", "test") + "_" + m.of(ALNUM, 24, 99)
    ),
    "stripe webhook": lambda m: "wh" + "sec_" + m.of(ALNUM, 32),
    "openai legacy": lambda m: "sk" + "-" + m.of(ALNUM, 20) + "T3Blbk" + "FJ" + m.of(ALNUM, 20),
    "openai project": lambda m: (
        "sk" + "-proj-" + m.of(BASE64URL, 74) + "T3Blbk" + "FJ" + m.of(BASE64URL, 74)
    ),
    "openai service": lambda m: (
        "sk" + "-svcacct-" + m.of(BASE64URL, 74) + "T3Blbk" + "FJ" + m.of(BASE64URL, 74)
    ),
    "anthropic": lambda m: (
        "sk"
        + "-ant-"
        + m.pick("api03", "admin01", "oat01", "ort01", "sid02")
        + "-"
        + m.of(BASE64URL, 93)
        + "AA"
    ),
    "openrouter": lambda m: "sk" + "-or-v1-" + m.hex(64),
    "deepseek": lambda m: "sk" + "-" + m.hex(32),
    "hugging face": lambda m: "h" + "f_" + m.of(string.ascii_letters, 34),
    "groq": lambda m: "gs" + "k_" + m.of(ALNUM, 52),
    "xai": lambda m: "xa" + "i-" + m.of(ALNUM, 80),
    "perplexity": lambda m: "pp" + "lx-" + m.of(ALNUM, 48),
    "replicate": lambda m: "r8" + "_" + m.of(ALNUM, 37),
    "nvidia": lambda m: "nv" + "api-" + m.of(BASE64URL, 64),
    "langsmith": lambda m: "lsv2" + m.pick("_pt_", "_sk_") + m.hex(32) + "_" + m.hex(10),
    "langfuse": lambda m: "sk" + "-lf-" + m.uuid(),
    "tavily": lambda m: "tv" + "ly-dev-" + m.of(ALNUM, 32),
    "pinecone": lambda m: "pc" + "sk_" + m.of(ALNUM, 6) + "_" + m.of(ALNUM, 60),
    "npm": lambda m: "np" + "m_" + m.of(ALNUM, 36),
    "pypi": lambda m: "py" + "pi-AgEIcHlwaS5vcmc" + m.of(BASE64URL, 150, 180),
    "rubygems": lambda m: "ruby" + "gems_" + m.hex(48),
    "crates": lambda m: "ci" + "o" + m.of(ALNUM, 32),
    "clojars": lambda m: "CLO" + "JARS_" + m.of(LOWER + DIGITS, 60),
    "docker hub": lambda m: "dck" + m.pick("r_pat_", "r_oat_") + m.of(BASE64URL, 27, 32),
    "sendgrid": lambda m: "S" + "G." + m.of(BASE64URL, 22) + "." + m.of(BASE64URL, 43),
    "twilio": lambda m: "S" + "K" + m.hex(32),
    "mailgun": lambda m: "ke" + "y-" + m.hex(32),
    "mailchimp": lambda m: m.hex(32) + "-us" + m.of("123456789", 1, 2),
    "brevo": lambda m: "xkey" + "sib-" + m.hex(64) + "-" + m.of(ALNUM, 16),
    "resend": lambda m: "r" + "e_" + m.of(ALNUM, 8) + "_" + m.of(ALNUM, 24),
    "telegram": lambda m: (
        m.of("123456789", 1) + m.of(DIGITS, 8, 9) + ":A" + "A" + m.of(BASE64URL, 33)
    ),
    "discord bot": lambda m: (
        m.pick("MT", "NT", "OT")
        + m.of(ALNUM, 22, 24)
        + "."
        + m.of(BASE64URL, 6)
        + "."
        + m.of(BASE64URL, 38)
    ),
    "discord webhook": lambda m: (
        "https://discord" + ".com/api/webhooks/" + m.of(DIGITS, 18, 19) + "/" + m.of(BASE64URL, 68)
    ),
    "teams webhook": lambda m: (
        f"https://{m.word()}.webhook.office"
        + f".com/webhookb2/{m.uuid()}@{m.uuid()}/IncomingWebhook/{m.hex(32)}/{m.uuid()}"
    ),
    "jwt": Maker.jwt,
    "databricks": lambda m: "da" + "pi" + m.hex(32),
    "digitalocean": lambda m: "do" + m.pick("p", "o", "r") + "_v1_" + m.hex(64),
    "heroku": lambda m: "HRKU" + "-AA" + m.of(BASE64URL, 58),
    "new relic": lambda m: "NR" + "AK-" + m.of(UPPER + DIGITS, 27),
    "shopify": lambda m: "sh" + m.pick("pat", "pca", "ppa", "pss") + "_" + m.hex(32),
    "square": lambda m: "sq0" + m.pick("atp-" + m.of(BASE64URL, 22), "csp-" + m.of(BASE64URL, 43)),
    "paypal": lambda m: (
        "access_token" + "$production$" + m.of(LOWER + DIGITS, 16) + "$" + m.hex(32)
    ),
    "linear": lambda m: "lin" + "_api_" + m.of(ALNUM, 40),
    "notion": lambda m: m.pick(
        "nt" + "n_" + m.of(DIGITS, 11) + m.of(ALNUM, 35), "secret" + "_" + m.of(ALNUM, 43)
    ),
    "airtable": lambda m: "pa" + "t" + m.of(ALNUM, 14) + "." + m.hex(64),
    "atlassian": lambda m: "ATA" + "TT3xFfGF0" + m.of(BASE64URL, 170) + "=" + m.of(HEX.upper(), 8),
    "bitbucket": lambda m: "AT" + "BB" + m.of(ALNUM, 24) + m.of(HEX.upper(), 8),
    "sentry user": lambda m: "sntr" + "yu_" + m.hex(64),
    "sentry org": lambda m: "sntr" + "ys_eyJ" + m.of(ALNUM, 100) + "_" + m.of(ALNUM, 43),
    "supabase": lambda m: "sb" + m.pick("p_" + m.hex(40), "_secret_" + m.of(BASE64URL, 31)),
    "netlify": lambda m: "nf" + "p_" + m.of(ALNUM, 36),
    "fly": lambda m: "fm2" + "_" + m.base64(120).rstrip("="),
    "grafana": lambda m: "gl" + "sa_" + m.of(ALNUM, 32) + "_" + m.hex(8),
    "grafana cloud": lambda m: "gl" + "c_eyJ" + m.of(ALNUM, 80, 120),
    "planetscale": lambda m: "pscale" + m.pick("_tkn_", "_pw_", "_oauth_") + m.of(BASE64URL, 43),
    "doppler": lambda m: "dp" + m.pick(".pt.", ".ct.", ".sa.") + m.of(ALNUM, 43),
    "1password": lambda m: "op" + "s_eyJ" + m.of(BASE64URL, 260),
    "vault": lambda m: "hv" + m.pick("s.", "b.") + m.of(BASE64URL, 24 + 70, 110),
    "vault short": lambda m: "hv" + "s." + m.of(ALNUM, 24),
    "terraform cloud": lambda m: m.of(ALNUM, 14) + ".atlas" + "v1." + m.of(BASE64URL, 67),
    "tailscale": lambda m: "ts" + "key-auth-" + m.of(ALNUM, 16) + "-" + m.of(ALNUM, 32),
    "pulumi": lambda m: "pu" + "l-" + m.hex(40),
    "postman": lambda m: "PM" + "AK-" + m.hex(24) + "-" + m.hex(34),
    "dynatrace": lambda m: "dt0" + "c01." + m.of(BASE32, 24) + "." + m.of(BASE32, 64),
    "figma": lambda m: "fi" + "gd_" + m.of(BASE64URL, 40),
    "circleci": lambda m: "CCI" + "PAT_" + m.of(ALNUM, 22) + "_" + m.hex(40),
    "sonar": lambda m: "sq" + m.pick(*"upa") + "_" + m.hex(40),
    "hubspot": lambda m: "pa" + "t-na1-" + m.uuid(),
    "openshift": lambda m: "sha" + "256~" + m.of(BASE64URL, 43),
    "contentful": lambda m: "CF" + "PAT-" + m.of(BASE64URL, 43),
    "sourcegraph": lambda m: "sg" + "p_" + m.hex(16) + "_" + m.hex(40),
    "postHog": lambda m: "ph" + "x_" + m.of(ALNUM, 43),
    "prefect": lambda m: "pn" + "u_" + m.of(LOWER + DIGITS, 36),
    "typeform": lambda m: "tf" + "p_" + m.of(BASE64URL, 44) + "_" + m.of(ALNUM, 14),
    "mapbox": lambda m: "sk" + ".eyJ" + m.of(ALNUM, 80) + "." + m.of(BASE64URL, 22),
    "alibaba": lambda m: "LT" + "AI" + m.of(ALNUM, 20),
    "shippo": lambda m: "shippo" + "_live_" + m.hex(40),
    "easypost": lambda m: "EZ" + "AK" + m.of(ALNUM, 54),
    "age": lambda m: "AGE-SECRET" + "-KEY-1" + m.of(BECH32, 58),
    "bitcoin wif": lambda m: m.pick("K", "L") + m.of(BASE58, 51),
    "bip32": lambda m: "xp" + "rv" + m.of(BASE58, 107),
    "neon": lambda m: "na" + "pi_" + m.of(LOWER + DIGITS, 64),
    "databento": lambda m: "db" + "-" + m.of(ALNUM, 29),
    "launchdarkly": lambda m: "sd" + "k-" + m.uuid(),
    "octopus": lambda m: "AP" + "I-" + m.of(UPPER + DIGITS, 26),
    "buildkite": lambda m: "bk" + "ua_" + m.hex(40),
    "dropbox": lambda m: "s" + "l." + m.of(BASE64URL, 136),
    "facebook": lambda m: "EA" + "A" + m.of(ALNUM, 120, 160),
    "rancher": lambda m: "token" + "-" + m.of(LOWER + DIGITS, 5) + ":" + m.of(LOWER + DIGITS, 54),
    "elevenlabs": lambda m: "sk" + "_" + m.hex(48),
}
"""Kinds that their own letters give away."""

KEYED: dict[str, Callable[[Maker], tuple[str, str]]] = {
    "aws secret": lambda m: ("AWS_SECRET_ACCESS_KEY", m.of(BASE64, 40)),
    "aws session": lambda m: ("aws_session_token", m.base64(180)),
    "datadog": lambda m: ("DD_API_KEY", m.hex(32)),
    "datadog app": lambda m: ("DATADOG_APP_KEY", m.hex(40)),
    "cloudflare": lambda m: ("CLOUDFLARE_API_TOKEN", m.of(BASE64URL, 40)),
    "heroku": lambda m: ("HEROKU_API_KEY", m.uuid()),
    "vercel": lambda m: ("VERCEL_TOKEN", m.of(ALNUM, 24)),
    "wandb": lambda m: ("WANDB_API_KEY", m.hex(40)),
    "mistral": lambda m: ("MISTRAL_API_KEY", m.of(ALNUM, 32)),
    "cohere": lambda m: ("cohere_api_key", m.of(ALNUM, 40)),
    "password": lambda m: (
        m.pick("password", "DB_PASSWORD", "passwd", "pwd", "dbPassword", "REDIS_PASS"),
        m.password(),
    ),
    "secret": lambda m: (
        m.pick("SECRET_KEY", "client_secret", "clientSecret", "JWT_SECRET", "appSecret"),
        m.password(),
    ),
    "token": lambda m: (
        m.pick("auth_token", "accessToken", "REFRESH_TOKEN", "token", "bot-token"),
        m.of(ALNUM, 32, 48),
    ),
    "api key": lambda m: (
        m.pick("api_key", "apiKey", "API_KEY", "x-api-key", "apikey"),
        m.of(ALNUM, 24, 40),
    ),
    "session": lambda m: (
        m.pick("sessionid", "session_token", "csrftoken", "SESSION_SECRET"),
        m.of(ALNUM, 32),
    ),
    "private key": lambda m: (
        m.pick("PRIVATE_KEY", "signing_key", "encryption_key", "ETH_PRIVATE_KEY"),
        m.hex(64),
    ),
    "credentials": lambda m: (
        m.pick("credentials", "smtp_password", "AUTH_SECRET", "passphrase"),
        m.password(),
    ),
}
"""Kinds that only their name gives away: the name and the value."""

KEYED_FORMS: dict[str, str] = {
    "env": "{k}={v}",
    "export": 'export {k}="{v}"',
    "single": "{k} = '{v}'",
    "json": '{{"name": "x", "{k}": "{v}", "n": 3}}',
    "json in json": '{{\\"{k}\\": \\"{v}\\"}}',
    "json compact": '{{"{k}":"{v}"}}',
    "yaml": "config:\n  {k}: {v}\n  retries: 3",
    "python": 'client = Client(host, {k}="{v}")',
    "subscript": 'os.environ["{k}"] = "{v}"',
    "typescript": 'const {k}: string = "{v}";',
    "go": '{k} := "{v}"',
    "code": "I set `{k}={v}` in the file.",
    "bold": "**{k}**: `{v}`",
    "bold both": "- **{k}:** {v}",
    "table": "| {k} | {v} |\n",
    "table code": "| `{k}` | `{v}` |\n",
    "query": "curl 'https://api.acme.io/v1/items?{k}={v}&page=2'",
    "header": "-H '{k}: {v}'",
    "option": "deploy --{k} {v} --yes",
    "option equals": "deploy --{k}={v} --yes",
    "xml": "<{k}>{v}</{k}>",
    "docker": "docker run -e {k}={v} image",
    "escaped lines": "HOST=a\\n{k}={v}\\nPORT=1",
    "ansi": "\x1b[32m{k}\x1b[0m=\x1b[33m{v}\x1b[0m",
    "entities": "{k}=&quot;{v}&quot;",
    "toml": '[auth]\n{k} = "{v}"\n',
    "arrow": "{k} => '{v}'",
    "sentence": "The {k} is `{v}`.",
    "quoted shell": "bash -c 'export {k}=\"{v}\" && run'",
    "diff": '+    "{k}": "{v}",',
}

FORMS: dict[str, Callable[[str], str]] = {
    "sentence": lambda v: f"It used {v}.",
    "comma": lambda v: f"With {v}, it worked.",
    "parenthesis": lambda v: f"the key ({v}) was there",
    "code": lambda v: f"Found `{v}` in the log.",
    "bold": lambda v: f"Found **{v}** in the log.",
    "emphasis": lambda v: f"Found _{v}_ in the log.",
    "fence": lambda v: f"```\n{v}\n```\n",
    "json": lambda v: json.dumps({"value": v}),
    "json in json": lambda v: json.dumps(json.dumps({"value": v})),
    "escaped line": lambda v: f"line one\\n{v}\\nline two",
    "escaped tab": lambda v: f"\\t{v}\\t",
    "table": lambda v: f"| a | {v} |\n",
    "query": lambda v: f"https://api.acme.io/v1?x={v}&y=1",
    "percent quote": lambda v: f"https://api.acme.io/?q=%22{v}%22",
    "percent": lambda v: f"https://api.acme.io/?q={quote(v, safe='')}&n=1",
    "shell": lambda v: f"export X='{v}'",
    "link": lambda v: f"[the key]({v})",
    "angle": lambda v: f"<{v}>",
    "quotes": lambda v: f"\u201c{v}\u201d",
    "ansi": lambda v: f"\x1b[31m{v}\x1b[0m",
    "ansi inside": lambda v: f"{v[: len(v) // 2]}\x1b[0m{v[len(v) // 2 :]}",
    "zero width": lambda v: f"{v[: len(v) // 2]}\u200b{v[len(v) // 2 :]}",
    "soft hyphen": lambda v: f"{v[: len(v) // 3]}\u00ad{v[len(v) // 3 :]}",
    "entity": lambda v: f"{v[: len(v) // 2]}&#{ord(v[len(v) // 2])};{v[len(v) // 2 + 1 :]}",
    "hex entity": lambda v: f"{v[: len(v) // 2]}&#x{ord(v[len(v) // 2]):x};{v[len(v) // 2 + 1 :]}",
    "split by bold": lambda v: f"{v[: len(v) // 2]}**{v[len(v) // 2 :]}**",
    "unicode escape": lambda v: (
        f'"{v[: len(v) // 2]}\\u{ord(v[len(v) // 2]):04x}{v[len(v) // 2 + 1 :]}"'
    ),
    "diff": lambda v: f"+  - {v}",
    "backslash": lambda v: v.replace("_", "\\_").replace("-", "\\-"),
    "wrapped": lambda v: f"{v[: len(v) // 2]}\\\n{v[len(v) // 2 :]}" if len(v) > 30 else f"x {v}",
}


def _pem(m: Maker) -> tuple[str, str]:
    kind = m.pick("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA ")
    body = m.base64(300)
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    return (
        f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{lines}\n-----END {kind}PRIVATE" + " KEY-----",
        body[70:120],
    )


def _block(m: Maker) -> Iterator[tuple[str, str, str]]:
    """Kind, text and value of what has a shape of its own."""
    pem, body = _pem(m)
    yield "pem", f"The key:\n\n{pem}\n", body
    yield "pem in json", json.dumps({"private_key": pem}), body
    yield "pem cut short", pem[: len(pem) - 120], body
    yield "pem indented", "\n".join(f"    {line}" for line in pem.splitlines()), body
    yield "pem in diff", "\n".join(f"+{line}" for line in pem.splitlines()), body
    password = (
        m.password()
        .replace("%", "-")
        .replace("#", "-")
        .replace("^", "-")
        .replace("!", "-")
        .replace("*", "-")
    )
    host = f"db.{m.word()}.acme.io"
    for scheme in (
        "postgres",
        "postgresql",
        "mysql",
        "mongodb+srv",
        "redis",
        "amqp",
        "https",
        "ftp",
        "mssql",
    ):
        yield "url password", f"{scheme}://{m.word()}:{password}@{host}:5432/app", password
    yield "redis without user", f"redis://:{password}@{host}:6379/0", password
    yield "ado", f"Server={host};Database=app;User Id=sa;Password={password};Encrypt=true", password
    key = m.base64(64)
    account = f"AccountName={m.word()};Account" + f"Key={key};EndpointSuffix=core.windows.net"
    yield "azure storage", f"DefaultEndpointsProtocol=https;{account}", key
    sas = quote(m.base64(32), safe="")
    yield (
        "azure sas",
        f"https://acme.blob.core.windows.net/c/b?sv=2023-11-03&se=2030-01-01&sr=b&sig={sas}",
        sas,
    )
    token = m.of(ALNUM, 40)
    yield "bearer", f"Authorization: Bearer {token}", token
    yield "bearer json", f'{{"Authorization": "Bearer {token}"}}', token
    yield "bearer code", f'headers={{"authorization": f"Bearer {token}"}}', token
    basic = base64.b64encode(f"{m.word()}:{m.password()}".encode()).decode()
    yield "basic", f"curl -H 'Authorization: Basic {basic}' https://acme.io", basic
    old = m.hex(40)
    yield "token header", f"Authorization: token {old}", old
    yield "curl user", f"curl -u {m.word()}:{password} https://acme.io/x", password
    yield "cookie", f"Cookie: theme=dark; sessionid={token}; lang=en", token
    yield "set cookie", f"Set-Cookie: sid={token}; Path=/; HttpOnly", token
    yield "mysql", f"mysql -u root -p{password} app", password
    yield "sshpass", f"sshpass -p '{password}' ssh host", password
    yield "pgpassword", f"PGPASSWORD={password} psql -h {host}", password
    yield "docker login", f"docker login -u {m.word()} -p {password} reg.acme.io", password
    yield "netrc", f"machine api.acme.io login {m.word()} password {password}", password
    yield "npmrc", f"//reg.acme.io/:_authToken={token}", token
    yield "docker config", f'{{"auths": {{"reg.acme.io": {{"auth": "{basic}"}}}}}}', basic
    yield "kube token", f"users:\n- name: x\n  user:\n    token: {token}", token
    data = m.base64(400)
    yield "kube key", f"    client-key-data: {data}", data
    yield "kube secret", f"kind: Secret\ndata:\n  password: {basic}", basic
    yield "terraform", f'variable "x" {{}}\ndb_password = "{password}"', password
    dsn = m.hex(32)
    yield (
        "sentry dsn",
        f"https://{dsn}@o{m.of(DIGITS, 6)}.ingest.sentry" + f".io/{m.of(DIGITS, 7)}",
        dsn,
    )
    yield "git remote", f"https://x-access-token:{token}@github.com/acme/app.git", token
    yield "git remote token", f"https://{token}@github.com/acme/app.git", token
    yield "xml password", f'<add key="Password" value="{password}" />', password
    signature = m.hex(64)
    yield (
        "signed url",
        f"https://s3.acme.io/x?X-Amz-Signature={signature}&X-Amz-Expires=60",
        signature,
    )
    hook = m.of(LOWER + DIGITS, 7)
    yield "zapier", "https://hooks.zapier" + f".com/hooks/catch/{m.of(DIGITS, 7)}/{hook}/", hook


def _personal(m: Maker) -> Iterator[tuple[str, str, str]]:
    first, last = m.word() + m.of(LOWER, 2), m.word() + m.of(LOWER, 3)
    domain = f"{m.word()}-{m.of(LOWER, 4)}.{m.pick('com', 'io', 'de', 'co.uk', 'dev')}"
    mail = f"{first}.{last}@{domain}"
    for form in (
        "Wrote to {} about it.",
        "Author: A B <{}>",
        "`{}`",
        "**{}**",
        "mailto:{}?subject=x",
        '{{"email": "{}"}}',
        "({})",
        "{},",
        "git config user.email {}",
        "Co-authored-by: Ann Lee <{}>",
        "\\n{}\\n",
        "| {} |",
        "user={}&x=1",
        "[mail](mailto:{})",
        "'{}'",
        "{}.",
    ):
        yield "e-mail", form.format(mail), mail
    yield "e-mail plus", f"{first}+tag@{domain}", f"{first}+tag@{domain}"
    yield "e-mail percent", f"?to={quote(mail)}", f"{first}.{last}"
    yield "e-mail entity", mail.replace("@", "&#64;"), f"{first}.{last}"
    yield "e-mail zero width", mail.replace("@", "\u200b@"), f"{first}.{last}"
    for path in (
        "/home/{}/x.py",
        "/Users/{}/src",
        "C:\\Users\\{}\\x",
        "C:\\\\Users\\\\{}\\\\x",
        "/mnt/c/Users/{}/x",
        "file:///home/{}/a",
        "`/home/{}`",
        '"cwd": "/Users/{}"',
        "cd /home/{};",
        "\\n/home/{}/x",
        "-I/home/{}/include",
        "PATH=/usr/bin:/home/{}/bin",
        "/root/../home/{}/x",
        "-v /home/{}:/w",
        "\\/home\\/{}\\/x",
        "%2Fhome%2F{}%2Fx",
        "-Users-{}-src",
        "-home-{}-src",
        "/srv/claude-1000/-home-{}-src/b",
        "/srv/claude-501/-Users-{}/x",
        "${{X:-/home/{}/x}}",
        "git -C/home/{}/x",
    ):
        yield "home", path.format(first), first
    yield "prompt", f"{first}@{m.word()}-laptop:~$ ls", first
    yield "ssh", f"ssh {first}@build-{m.of(DIGITS, 2)}", first
    yield "scp", f"scp x {first}@{domain}:/srv", first


def _lookalikes(m: Maker) -> Iterator[tuple[str, str]]:
    """Texts that must come through as they are."""
    sha1, sha256 = m.hex(40), m.hex(64)
    yield "uuid", f"session {m.uuid()}, run `{m.uuid()}`"
    yield (
        "uuid json",
        json.dumps({"session_id": m.uuid(), "uuid": m.uuid(), "request_id": m.uuid()}),
    )
    yield "git sha", f"commit {sha1}\nMerge: {sha1[:7]} {sha256[:7]}"
    yield "git index", f"index {sha1[:10]}..{sha256[:10]} 100644"
    yield "git at", f"uses: actions/checkout@{sha1}"
    yield "git url", f"https://github.com/acme/app/commit/{sha1}"
    yield "digest", f"sha256:{sha256}"
    yield "docker", f"FROM python:3.13@sha256:{sha256}"
    yield "sri", f'"integrity": "sha512-{m.base64(64)}"'
    yield "sri html", f'<script integrity="sha384-{m.base64(48)}" crossorigin>'
    yield "go sum", f"golang.org/x/net v0.1.0 h1:{m.base64(32)}"
    yield "pip hash", f"--hash=sha256:{sha256}"
    yield "md5", f"md5sum: {m.hex(32)}  x.tar.gz"
    yield "etag", f'ETag: "{m.hex(32)}"'
    yield "png", f"![x](data:image/png;base64,{m.base64(600)})"
    yield "font", f"src: url(data:font/woff2;base64,{m.base64(300)})"
    yield (
        "model",
        m.pick("claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805", "gpt-4o-mini-2024-07-18"),
    )
    yield (
        "bedrock model",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0 and arn:aws:bedrock:us-east-1::foundation-model/x",
    )
    yield "tool id", "toolu_01" + m.of(ALNUM, 22)
    yield "message id", "msg_01" + m.of(ALNUM, 22) + " req_011" + m.of(ALNUM, 21)
    yield (
        "call id",
        "call_" + m.of(ALNUM, 24) + " chatcmpl-" + m.of(ALNUM, 29) + " resp_" + m.hex(48),
    )
    yield (
        "placeholder",
        "export ANTHROPIC_API_KEY="
        + m.pick("sk-ant-...", "sk-ant-xxxxxxxxxxxxxxxxxxxx", "<your-key>"),
    )
    yield (
        "placeholder openai",
        f'api_key="{m.pick("sk-...", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "YOUR_API_KEY")}"',
    )
    yield (
        "placeholder github",
        "GITHUB_TOKEN=" + m.pick("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_YOUR_TOKEN_HERE"),
    )
    yield (
        "placeholder words",
        m.pick("your-secret-key-here", "my_password", "changeme", "insert_token_here")
        + " goes here",
    )
    yield (
        "env reference",
        m.pick(
            "token: ${{ secrets.GITHUB_TOKEN }}",
            "password=${DB_PASSWORD}",
            'api_key = os.environ["OPENAI_API_KEY"]',
            "const apiKey = process.env.API_KEY;",
            "PASSWORD=$DB_PASSWORD",
            'secret: "{{ vault_secret }}"',
            "token = os.getenv('API_TOKEN')",
            "api_key: $(cat key.txt)",
            "password: !vault |",
            "token=%TOKEN%",
            "key = settings.SECRET_KEY",
            "const token = await getAccessToken(user);",
            "password = getpass.getpass()",
            "self.api_key = api_key",
            "token: string;",
            "password: str | None = None",
            "secret_key_base: <%= x %>",
            "passwordHash = bcrypt.hash(password, saltRounds)",
            "auth_token = request.headers.get('Authorization')",
        ),
    )
    yield "aws example", "AKIAIOSFODNN7" + "EXAMPLE"
    yield (
        "aws example secret",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
    )
    yield (
        "figures",
        "max_tokens: 4096, input_tokens=128934, cache_read_input_tokens: 1203948, num_tokens = 200_000",
    )
    yield (
        "words",
        m.pick(
            "The tokenizer splits a key: value pair.",
            "Primary key: user_id",
            "sort_key=lambda row: row[0]",
            "cache key: `run:summary:v2`",
            "Authentication: none",
            "token count: 12,345",
            "keyboard: qwerty-international",
            "secret: false",
            "session: 5 hours",
            "password: required",
            "Key: Value",
            "passed: 14",
            "auth: optional",
            "The password field validates length.",
            "author: someone",
            "monkey = 'capuchin-monkey-baby'",
        ),
    )
    yield "path", "src/components/authentication/PasswordResetTokenForm.test.tsx:128"
    yield (
        "e-mail example",
        m.pick(
            "user@example.com",
            "a.b@example.org",
            "x@test.example",
            "ann@localhost",
            "j@acme.test",
            "git@github.com:acme/app.git",
            "noreply@github.com",
        ),
    )
    yield (
        "at sign",
        m.pick(
            "react@18.2.0",
            "actions/checkout@v4",
            "@types/node@20.1.1",
            "lodash@^4.17",
            "@app.route",
            "C@0x7ffe",
            "s@a@b@g",
            "p50@10ms",
            "numpy@main",
        ),
    )
    yield (
        "home",
        m.pick(
            "~/x",
            "/home",
            "https://acme.io/home/page",
            "src/home/x.ts",
            "$HOME/x",
            "/home/$USER/x",
            "/Users/Shared/x",
        ),
    )
    yield "url", f"https://acme.io/a/{m.uuid()}?page=2&sort=name#{m.word()}"
    yield "url port", "http://localhost:8080/x@2x.png, postgres://localhost:5432/db"
    yield (
        "url placeholder",
        m.pick(
            "postgres://user:password@localhost:5432/db",
            "https://user:pass@example.com/",
            "redis://:${REDIS_PASSWORD}@redis:6379",
        ),
    )
    yield "public key", f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{m.of(ALNUM, 43)}"
    yield "certificate", f"-----BEGIN CERTIFICATE-----\n{m.base64(48)}\n-----END CERTIFICATE-----"
    yield "number", f"{m.of(DIGITS, 18)} 0x{m.hex(16)} 1.{m.of(DIGITS, 15)}"
    yield "camel", "AbstractSingletonProxyFactoryBeanImplementationForTestsOnly"
    yield "snake", "test_that_a_token_which_has_expired_is_refused_by_the_session_middleware"
    yield "css", f".css-{m.of(LOWER + DIGITS, 6)} {{ color: #{m.hex(6)} }}"
    yield "webpack", f"main.{m.hex(20)}.chunk.js"
    yield "etherscan", f"0x{m.hex(40)}"
    yield "tool args", json.dumps({"pattern": "password|secret|token", "glob": "*.env", "-n": True})
    yield "grep", "grep -rn 'API_KEY=' src | head; cat .env | cut -d= -f1"
    yield (
        "tokens json",
        json.dumps({"usage": {"input_tokens": 12, "output_tokens": 998}, "token_type": "Bearer"}),
    )
    yield "stripe id", f"{m.pick('cus', 'pi', 'evt', 'price')}_{m.of(ALNUM, 24)}"
    yield "ulid", "01" + m.of("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)
    yield "k8s pod", f"api-{m.of(LOWER + DIGITS, 10)}-{m.of(LOWER, 5)}"
    yield "wasm", f"cache-key: node-modules-{sha256}"


def samples(seed: int, rounds: int = 1) -> list[Sample]:
    """A set: each kind that its letters give away in every form, each named one likewise, and the rest."""
    m = Maker(seed)
    made: list[Sample] = []
    for _ in range(rounds):
        for kind, make in PREFIXED.items():
            for form, wrap in FORMS.items():
                value = make(m)
                secret = value.rpartition("/")[2] if "webhook" in kind else value
                made.append(Sample("secret", kind, form, wrap(value), secret))
        for kind, pair in KEYED.items():
            for form, template in KEYED_FORMS.items():
                name, value = pair(m)
                made.append(Sample("secret", kind, form, template.format(k=name, v=value), value))
        for _ in range(8):
            made += [Sample("secret", kind, "own", text, value) for kind, text, value in _block(m)]
            made += [
                Sample("personal", kind, "own", text, value) for kind, text, value in _personal(m)
            ]
        for _ in range(30):
            made += [Sample("lookalike", kind, "own", text, text) for kind, text in _lookalikes(m)]
    return made


def fitting(pattern: str, maker: Maker) -> str:
    """A random text that an expression of the rules describes."""
    return _text_of(_parser.parse(pattern), maker)


def _text_of(parsed: Any, maker: Maker) -> str:
    return "".join(_part(str(name), value, maker) for name, value in parsed)


def _part(name: str, value: Any, maker: Maker) -> str:
    match name:
        case "LITERAL":
            return chr(value)
        case "IN":
            return maker.random.choice([sign for item in value for sign in _signs(*item)])
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, inner = value
            count = maker.random.randint(least, min(most, least + 8))
            return "".join(_text_of(inner, maker) for _ in range(count))
        case "SUBPATTERN":
            return _text_of(value[-1], maker)
        case "BRANCH":
            return _text_of(maker.random.choice(value[1]), maker)
        case _:
            raise ValueError(f"no text is made for {name}")


def _signs(name: object, value: Any) -> str:
    return (
        chr(value) if str(name) == "LITERAL" else "".join(map(chr, range(value[0], value[1] + 1)))
    )
