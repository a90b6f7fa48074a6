"""Fresh secrets in fresh places, and look-alikes, made from grammars by a seed: what the redactor must find and spare.

A kind says how a value is made, a context where it stands; any value of a family goes into any context of it, so no
set can be learned by heart. Values follow the formats that providers document, contexts what people, tools and agents
write. Nothing is taken from the rules, so that the figures say something about them.

    .venv/bin/python -m tests.support.secret_grammar [--count 10000] [--seed 1] [--misses 40]

prints recall by stage, kind and context, and false masks by kind of look-alike.
"""

from __future__ import annotations

import argparse
import base64
import json
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from sitegen.masking.reading import as_read
from sitegen.masking.redact import Redactor, clean_text, number_masks
from tests.support.secret_lookalikes import LOOKALIKES
from tests.support.secret_samples import (
    ALNUM,
    BASE64,
    BASE64URL,
    DIGITS,
    LOWER,
    PREFIXED,
    UPPER,
    Maker,
)

REDACTOR = Redactor(("/home/me",))
CRYPT = ALNUM + "./"
WORDS = (
    "falcon",
    "copper",
    "meadow",
    "winter",
    "orchid",
    "tundra",
    "velvet",
    "marble",
    "canyon",
    "saffron",
    "pelican",
    "lantern",
    "gravel",
    "thistle",
    "walnut",
    "cobalt",
    "juniper",
    "quartz",
    "sparrow",
    "magnolia",
    "otter",
    "bramble",
)
USERS = ("svc", "admin", "deploy", "jkowalski", "reporting", "etl_user", "app", "ci-bot")


@dataclass(frozen=True, slots=True)
class Case:
    """A text, and what may not be readable in it afterwards."""

    stage: str
    """`shape`, `name`, `place`, `sentence`, `encoded`, or `lookalike`: then the text must stay as it is."""
    kind: str
    context: str
    text: str
    value: str


def _hash(m: Maker, start: str, salt: int, length: int) -> str:
    return f"{start}{m.of(CRYPT, salt)}${m.of(CRYPT, length)}"


KNOWN: dict[str, Callable[[Maker], str]] = {
    **PREFIXED,
    "okta": lambda m: "0" + "0" + m.of(BASE64URL, 39) + m.of(DIGITS, 1),
    "openai session": lambda m: "se" + "ss-" + m.of(ALNUM, 40),
    "together": lambda m: "tg" + "p_v1_" + m.of(BASE64URL, 43),
    "vault old": lambda m: "s" + "." + m.of(ALNUM, 24),
    "bcrypt": lambda m: (
        f"$2{m.pick(*'aby')}${m.of('01', 1)}{m.of('2456789', 1)}$" + m.of(CRYPT, 53)
    ),
    "apr1": lambda m: _hash(m, "$ap" + "r1$", 8, 22),
    "md5 crypt": lambda m: _hash(m, "$" + "1$", 8, 22),
    "sha256 crypt": lambda m: _hash(m, "$" + "5$" + m.pick("", "rounds=535000$"), 16, 43),
    "sha512 crypt": lambda m: _hash(m, "$" + "6$" + m.pick("", "rounds=656000$"), 16, 86),
    "yescrypt": lambda m: _hash(m, "$" + "y$j9T$", 22, 43),
    "argon2": lambda m: (
        f"$argon2{m.pick('id', 'i', 'd')}"
        + f"$v=19$m=65536,t=3,p=4${m.of(BASE64, 22)}${m.of(BASE64, 43)}"
    ),
    "scrypt": lambda m: m.pick(
        "$scr" + f"ypt$ln=16,r=8,p=1${m.of(BASE64, 22)}${m.of(BASE64, 43)}",
        "scrypt" + f":32768:8:1${m.of(ALNUM, 16)}${m.hex(128)}",
    ),
    "pbkdf2": lambda m: m.pick(
        "pbkdf2_" + f"sha256$870000${m.of(ALNUM, 22)}${m.base64(32)}",
        "pbkdf2:" + f"sha256:600000${m.of(ALNUM, 16)}${m.hex(64)}",
    ),
    "bcrypt of compose": lambda m: f"$$2y$${m.of('01', 1)}{m.of('2456789', 1)}$$" + m.of(CRYPT, 53),
    "ldap hash": lambda m: "{SS" + "HA}" + m.base64(28),
    "phpass": lambda m: "$" + "P$B" + m.of(CRYPT, 30),
}
"""Values that their own shape gives away."""

HASHES = (
    "bcrypt",
    "apr1",
    "md5 crypt",
    "sha256 crypt",
    "sha512 crypt",
    "yescrypt",
    "argon2",
    "scrypt",
    "pbkdf2",
)

ANYWHERE: dict[str, Callable[[Maker, str], str]] = {
    "prose": lambda m, v: (
        f"The {m.pick('script', 'job', 'old config', 'client')} still had {v} in it."
    ),
    "prose, end": lambda m, v: f"I rotated it; the new one is {v}.",
    "code span": lambda m, v: f"- Found `{v}` in `.{m.pick(*WORDS)}rc`, removed it.",
    "bold": lambda m, v: f"**{v}** was committed in {m.hex(7)}.",
    "env": lambda m, v: f"export {m.pick('X', 'VALUE', 'CRED', 'SVC')}_{m.of(DIGITS, 1)}={v}",
    "quoted": lambda m, v: (
        f"{m.pick('x', 'conf.value', 'args[2]')} = {m.pick(chr(34), chr(39)) * 1}{v}"
    ),
    "yaml list": lambda m, v: f"values:\n  - {v}\n  - {m.pick(*WORDS)}\n",
    "json list": lambda m, v: json.dumps([m.pick(*WORDS), v, 3]),
    "escaped json": lambda m, v: json.dumps(json.dumps({m.pick(*WORDS): v})),
    "table": lambda m, v: f"| {m.pick(*WORDS)} | {v} | active |",
    "log": lambda m, v: (
        f"2026-03-1{m.of(DIGITS, 1)}T10:22:4{m.of(DIGITS, 1)}Z WARN request rejected value={v} code=401"
    ),
    "diff": lambda m, v: f"@@ -1,3 +1,3 @@\n-  value: old\n+  value: {v}\n",
    "ansi": lambda m, v: f"\x1b[1;33m{m.pick(*WORDS)}\x1b[0m \x1b[2m{v}\x1b[0m",
    "call": lambda m, v: (
        f"{m.pick('await ', '')}{m.pick(*WORDS)}.{m.pick('run', 'send', 'use')}('{v}');"
    ),
    "joined": lambda m, v: m.pick(
        'x = "{}" + "{}"', "f('{}' + '{}')", '$x = "{}" . "{}";', '("{}" +\n "{}")'
    ).format(v[: len(v) // 2], v[len(v) // 2 :]),
    "url": lambda m, v: (
        f"GET https://api.{m.pick(*WORDS)}.io/v2/items?q={quote(v, safe='$:')}&page=2 401"
    ),
    "tool output": lambda m, v: f"  ⎿  {v}\n     (ctrl+r to expand)",
    "xml": lambda m, v: f"<{m.pick(*WORDS)}>{v}</{m.pick(*WORDS)}>",
    "html": lambda m, v: f"<td>{v}</td><td>{m.pick(*WORDS)}</td>",
}

HASH_PLACES: dict[str, Callable[[Maker, str], str]] = {
    "htpasswd": lambda m, v: f"$ cat .htpasswd\n{m.pick(*USERS)}:{v}\n",
    "shadow": lambda m, v: f"{m.pick(*USERS)}:{v}:19{m.of(DIGITS, 3)}:0:99999:7:::",
    "sql": lambda m, v: (
        f"INSERT INTO users VALUES ({m.of('123456789', 2)}, '{m.pick(*USERS)}', '{v}');"
    ),
    "json": lambda m, v: json.dumps({"user": m.pick(*USERS), "password_hash": v}),
    "psql": lambda m, v: f"  {m.of('123456789', 2)} | {m.pick(*USERS)} | {v} | t",
    "plain": lambda m, v: f"The stored hash is {v}, so the check works.",
    "ansible": lambda m, v: f'    password: "{v}"',
}

# Names of secrets, in every way to write a name.
_OWNERS = (
    "",
    "db",
    "smtp",
    "redis",
    "admin",
    "mail",
    "ldap",
    "backup",
    "billing",
    "staging",
    "mysql",
    "kafka",
    "vpn",
)
_SECRETS = {
    "password": ("password", "passwd", "pwd", "passphrase", "pass"),
    "key": (
        "api_key",
        "apikey",
        "access_key",
        "secret_key",
        "signing_key",
        "encryption_key",
        "auth_key",
    ),
    "token": ("token", "access_token", "auth_token", "api_token", "refresh_token", "bot_token"),
    "secret": ("secret", "client_secret", "shared_secret", "webhook_secret", "app_secret"),
}


def _names(m: Maker, family: str) -> list[str]:
    owner, word = m.pick(*_OWNERS), m.pick(*_SECRETS[family])
    if word == "pass" and not owner:
        owner = "db"
    return [part for part in (*owner.split("_"), *word.split("_")) if part]


def _styled(m: Maker, parts: list[str], *styles: str) -> str:
    match m.pick(*(styles or ("snake", "upper", "camel", "kebab"))):
        case "upper":
            return "_".join(parts).upper()
        case "camel":
            return parts[0] + "".join(part.title() for part in parts[1:])
        case "kebab":
            return "-".join(parts)
        case "dotted":
            return ".".join(parts)
        case "title":
            return " ".join(parts).capitalize()
        case _:
            return "_".join(parts)


def lower_password(m: Maker) -> str:
    """As people choose them: one word, or two together."""
    return m.pick(*WORDS) + m.pick("", *WORDS) if m.random.random() < 0.7 else m.of(LOWER, 9, 16)


PASSWORDS: dict[str, Callable[[Maker], str]] = {
    "password of small letters": lambda m: (lower_password(m) + m.pick(*WORDS))[
        : m.random.randint(7, 16)
    ],
    "password of words and digits": lambda m: m.pick(*WORDS) + m.of(DIGITS, 1, 4),
    "password, capital and digits": lambda m: m.pick(*WORDS).title() + m.of(DIGITS, 2, 4),
    "password with signs": lambda m: (
        m.pick(*WORDS).title() + m.pick(*"!@#%*") + m.pick(*WORDS) + m.of(DIGITS, 1, 2)
    ),
    "password without digits": lambda m: (
        m.pick(*WORDS).title() + m.pick(*"!-_.@") + m.pick(*WORDS).title()
    ),
    "password, letters mixed": lambda m: (
        m.of(ALNUM, 8, 14) + m.of(DIGITS, 1) + m.of(LOWER, 1) + m.of(UPPER, 1)
    ),
    "password of a generator": lambda m: (
        m.of(ALNUM + "!%^*-_.", 16, 24) + m.of(DIGITS, 1) + m.of(LOWER, 2)
    ),
    "password, letters replaced": lambda m: (
        m.pick("Tr0ub4d0r", "P4nth3r", "c0ff33p0t", "sn0wb0und") + m.pick("", "!", "&3")
    ),
}
KEYS: dict[str, Callable[[Maker], str]] = {
    "key of letters and digits": lambda m: m.of(ALNUM, 24, 48) + m.of(DIGITS, 2),
    "key of hex digits": lambda m: m.hex(m.random.choice([32, 40, 64])),
    "key in base64": lambda m: m.base64(m.random.choice([24, 32, 48])),
    "key of url signs": lambda m: m.of(BASE64URL, 32, 64) + m.of(DIGITS, 1) + m.of(ALNUM, 1),
    "key of small letters": lambda m: m.of(LOWER + DIGITS, 28, 40) + m.of(DIGITS, 2),
    "uuid": Maker.uuid,
}

# `{k}` name, `{K}` name in capitals, `{c}` camel case, `{-}` kebab case, `{v}` value, `{w}` any word, `{u}` a user.
ASSIGNED = {
    "env": [
        "{K}={v}",
        "HOST={w}\n{K}={v}\nPORT=5432\n",
        "export {K}={v}",
        'export {K}="{v}"',
        "{K}='{v}'",
    ],
    "yaml": [
        "{w}:\n  {k}: {v}\n  retries: 3\n",
        "{k}: '{v}'\n",
        '  {c}: "{v}"',
        "- name: {K}\n  value: {v}\n",
        '- name: {K}\n  value: "{v}"\n',
        "    {K}: {v}",
        "{k}: |\n  {v}\n",
    ],
    "columns": [
        "| user | {k} |\n|---|---|\n| {u} | {v} |",
        "id,user,{k}\n4,{u},{v}\n",
        "user\t{k}\n{u}\t{v}\n",
        " user | {k} \n------+------\n {u} | {v}\n",
        "{K}  USER\n{v}  {u}\n",
        "USER    {K}\nadmin   {v}\nbackup  none\n",
        "<tr><td>{t}</td><td><code>{v}</code></td></tr>",
        "<table><tr><th>user</th><th>{k}</th></tr><tr><td>{u}</td><td>{v}</td></tr></table>",
        "INSERT INTO t (id, {k}) VALUES (1, '{v}');",
    ],
    "page": [
        "page.fill('#{k}', '{v}')",
        'page.get_by_label("{k}").fill("{v}")',
        '<x:{k} type="text">{v}</x:{k}>',
        'const {c}: string = "{v}";',
    ],
    "json": [
        '{{"{k}": "{v}"}}',
        '{{"{k}": {{"value": "{v}"}}}}',
        '{{"{w}": 1, "{c}": "{v}", "n": null}}',
        '{{\n  "{-}": "{v}"\n}}',
        '{{"{K}":"{v}"}}',
        '{{"name":"{K}","value":"{v}"}}',
    ],
    "toml": ['[{w}]\n{k} = "{v}"\n', "{k} = '{v}'", '{w}.{k} = "{v}"'],
    "hcl": [
        'resource "x" "{w}" {{\n  {k} = "{v}"\n}}',
        'variable "{k}" {{\n  default = "{v}"\n}}',
        'variable "{k}" {{\n  type      = string\n  sensitive = true\n  default   = "{v}"\n}}',
        'variable "{k}" {{\n  type = string\n  default = "{v}"\n}}',
        '{k}   = "{v}"',
    ],
    "ini": ["[{w}]\nuser = {u}\n{k} = {v}\n", "{k}={v}\n", "{w}.{k}={v}", "{k}: {v}\n"],
    "shell": [
        "{K}={v} ./run.sh --fast",
        "tool --{-} {v} --verbose",
        "tool --{-}={v}",
        "tool --{-} '{v}'",
        "docker run -e {K}={v} -p 80:80 {w}",
        "set {K}={v}",
        '$env:{K} = "{v}"',
        "setx {K} {v}",
        "set -x {K} {v}",
        "kubectl create secret generic {w} --from-literal={k}={v}",
        "heroku config:set {K}={v}",
        "ENV {K}={v}",
        "ENV {K} {v}",
        'echo "{K}={v}" >> .env',
        "sed -i 's/{K}=.*/{K}={v}/' .env",
    ],
    "headers": ["X-{w}-{-}: {v}", "curl -H 'X-{-}: {v}' https://{w}.io", '"x-{-}": "{v}"'],
    "url": ["https://api.{w}.io/v1?{k}={v}", "https://{w}.io/cb?a=1&{k}={v}&b=2"],
    "call": [
        'Client("{w}", {k}="{v}")',
        "connect({{ host, {c}: '{v}' }})",
        'new Pool({{user: "{u}", {c}: "{v}"}})',
        'cfg.set("{k}", "{v}")',
        '.{c}("{v}")',
        '.with_{k}("{v}")',
        "set{C}('{v}')",
        "{w}.{c} = '{v}';",
        'os.environ["{K}"] = "{v}"',
        "os.environ.setdefault('{K}', '{v}')",
        "process.env.{K} = '{v}'",
        'define("{K}", "{v}");',
        "define( '{K}',        '{v}' );",
        "{k} = [[{v}]]",
        "ENV['{K}'] = '{v}'",
        'const {K}: &str = "{v}";',
        'String {c} = "{v}";',
        '{c} := "{v}"',
        'private static final String {K} = "{v}";',
        '{k}: "{v}",',
        ":{k} => '{v}',",
        'os.Setenv("{K}", "{v}")',
        "$config['{k}'] = '{v}';",
        'getenv("{K}", "{v}")',
        'std::string {k}{{"{v}"}};',
        "let {c} = `{v}`;",
        'var {c}: String = "{v}"',
        "os.getenv('{K}') or '{v}'",
        "process.env.{K} || '{v}'",
    ],
    "markdown": [
        "| {k} | {v} |",
        "| `{K}` | `{v}` |",
        "- **{t}**: {v}",
        "**{t}:** `{v}`",
        "* `{K}` = `{v}`",
        "{t}: `{v}`",
        "### {t}\n\n```\n{v}\n```",
    ],
    "log": [
        "INFO cfg {k}={v} host={w}",
        "[debug] {w} {{{k}={v}, n=3}}",
        'level=info {k}="{v}" ms=3',
        "DEBUG  {{'user': '{u}', '{k}': '{v}'}}",
        "using {k}: {v}",
    ],
    "diff": ["-{K}=old\n+{K}={v}\n", '+  "{k}": "{v}",', "+    {k}: {v}"],
    "ansi": ["\x1b[36m{k}\x1b[0m: \x1b[32m'{v}'\x1b[0m", "\x1b[1m{K}\x1b[0m={v}"],
    "escaped": [
        '{{"stdout": "{K}={v}\\nPORT=1\\n"}}',
        '"{{\\"{k}\\": \\"{v}\\"}}"',
        '"content": "{k}: \\"{v}\\"\\n"',
        "{K}=&quot;{v}&quot;",
    ],
    "xml": [
        "<{k}>{v}</{k}>",
        '<add key="{k}" value="{v}"/>',
        '<property name="{k}">{v}</property>',
        '<string name="{k}">{v}</string>',
        "<key>{k}</key>\n<string>{v}</string>",
    ],
    "sql": [
        "CREATE USER {u} WITH PASSWORD '{v}';",
        "CREATE USER '{u}'@'%' IDENTIFIED BY '{v}';",
        "ALTER ROLE {u} PASSWORD '{v}'",
        "CREATE LOGIN {u} WITH PASSWORD = N'{v}', CHECK_POLICY = OFF;",
    ],
}

POSITIONS = {
    "basic auth": [
        "requests.get(url, auth=('{u}', '{v}'))",
        'auth=("{u}", "{v}")',
        "HTTPBasicAuth('{u}', '{v}')",
        '.basic_auth("{u}", Some("{v}"))',
        'req.SetBasicAuth("{u}", "{v}")',
        'aiohttp.BasicAuth("{u}", "{v}")',
        ".auth('{u}', '{v}')",
        "auth: {{ username: '{u}', password: '{v}' }}",
        "http -a {u}:{v} {w}.io/x",
        "curl -u '{u}:{v}' https://{w}.io",
        "curl --user {u}:{v} https://{w}.io",
    ],
    "login call": [
        "smtp.login('{u}', '{v}')",
        'ftp.login("{u}", "{v}")',
        'client.login("{u}", "{v}");',
        'new NetworkCredential("{u}", "{v}")',
        'new NetworkCredential("{u}", "{v}", "CORP")',
        'DriverManager.getConnection(url, "{u}", "{v}")',
        "mysqli_connect('localhost', '{u}', '{v}', 'app')",
        "new PDO($dsn, '{u}', '{v}')",
        "ssh.connect('{w}', 22, '{u}', '{v}')",
        'new UsernamePasswordCredentials("{u}", "{v}")',
        "await signIn('{u}', '{v}')",
        'user.set_password("{v}")',
        "check_password('{v}')",
        "User.objects.create_user('{u}', '{u}@{w}.dev', '{v}')",
        'ConvertTo-SecureString "{v}" -AsPlainText',
    ],
    "command": [
        r"net use x: \\{w}\share {v} /user:{u}",
        "sshpass -p {v} ssh {u}@host",
        "mysql -u {u} -p{v} app",
        "mysql -u{u} -p'{v}' app",
        "smbclient //{w}/share -U {u}%{v}",
        "sqlplus {u}/{v}@orcl",
        "redis-cli -h {w} -a {v} ping",
        "docker login -u {u} -p {v}",
        "echo {v} | sudo -S apt update",
        "echo '{v}' | docker login -u {u} --password-stdin",
        "htpasswd -b .htpasswd {u} {v}",
        'echo "{u}:{v}" | chpasswd',
        "mongosh -u {u} -p {v} --host {w}",
        "zip -P {v} out.zip *.csv",
        "openssl enc -aes-256-cbc -k {v} -in x",
        "openssl rsa -passin pass:{v} -in k.pem",
        "wget --user={u} --password={v} https://{w}.io",
        "ldapsearch -D cn={u} -w {v} -b dc=io",
        "plink -pw {v} {u}@{w}",
        "az login -u {u} -p {v}",
        "requirepass {v}",
        "machine {w}.io login {u} password {v}",
        "useradd -m -p {v} {u}",
        "rabbitmqctl add_user {u} {v}",
        "net user {u} {v} /add",
        "curl -F password={v} https://{w}.io",
        "$ pass show {w}\n{v}\n",
        "7z x {w}.7z -p{v} -oout",
        "htpasswd -bB -c .htpasswd {u} {v}",
        "echo '{v}' | kinit {u}@CORP.IO",
        "keytool -importkeystore -srckeystore a.p12 -srcstorepass {v} -destkeystore a.jks",
        '["mysqladmin", "ping", "-u{u}", "-p{v}"]',
        "printf '{v}' | docker secret create {w} -",
        "echo {v} | wrangler secret put {W}",
        "db.{w}:5432:*:{u}:{v}",
        "*:*:*:{u}:{v}",
        "$ vault kv get -field=password kv/{w}\n{v}\n",
        "$ argocd admin initial-password -n argocd\n{v}\n",
        "$ kubectl get secret {w} -o jsonpath='{{.data.x}}' | base64 -d; echo\n{v}\n",
        "PGPASSWORD={v} psql -h {w}",
        "gpg --batch --passphrase {v} -d x.gpg",
    ],
    "connection": [
        "postgresql://{u}:{v}@{w}.internal:5432/app",
        "mongodb+srv://{u}:{v}@{w}.mongodb.net/x",
        "redis://:{v}@{w}:6379/0",
        "smtps://{u}%40{w}.io:{v}@mail.{w}.io:465",
        "amqp://{u}:{v}@{w}:5672/",
        "ftp://{u}:{v}@{w}.io/x",
        "https://{u}:{v}@git.{w}.io/r.git",
        "jdbc:oracle:thin:{u}/{v}@//{w}:1521/orcl",
        "jdbc:oracle:thin:{u}/{v}@{w}:1521:orcl",
        "jdbc:postgresql://{w}/db?user={u}&password={v}",
        "Server={w};Database=x;Uid={u};Pwd={v};",
        "Data Source={w};User ID={u};Password={v};Encrypt=True",
        "host={w} dbname=app user={u} password={v} sslmode=require",
        "mssql+pyodbc://{u}:{v}@{w}/app",
    ],
    "pair": [
        "Credentials: {u} / {v}",
        "credentials: {u}:{v}",
        "Login: {u} / {v}",
        "login with {u}/{v}",
        "- user: {u}, pass: {v}",
        "username: {u}\npassword: {v}",
        "Use {u} / {v} to log in.",
        "(user {u}, password {v})",
        "{u} / {v} (admin login)",
        "Username `{u}`, password `{v}`",
        "user={u} pass={v}",
        "pass: {v}",
        "pw: {v}",
        "User: {u}  Pass: {v}",
    ],
}
KEY_POSITIONS = {
    "announced": [
        "Use the following password to go on:\n\n{v}\n\nIt is in {w} too.",
        "Password of {u} reset.\nNew value: {v}\n",
        "$ cat config/master.key\n{v}\n",
        "jwt.sign({{ id: user.id }}, '{v}', {{ expiresIn: '1h' }})",
    ],
    "client": [
        "{W}Client('{v}')",
        'client = {W}("{v}")',
        'new {W}Api("{v}")',
        "init('{v}')",
        '{w}.configure("{v}")',
        "const {w} = require('{w}')('{v}');",
        'Client::new("{v}")',
        '{w}.NewClient("{v}")',
        "createClient(url, '{v}')",
        '{W}.setApiKey("{v}")',
        'authenticate("{v}")',
        "Api(base, '{v}')",
        'use_key("{v}")',
        "{w} login {v}",
        "{w} auth {v}",
    ],
    "header": [
        "Authorization: Bearer {v}",
        "-H 'Authorization: token {v}'",
        '"Authorization": "Bearer {v}"',
        "headers={{'Authorization': 'Bearer {v}'}}",
        "authorization: {v}",
        "Cookie: sid={v}; lang=en",
        'h = [["X-Api-Key",\n  "{v}"]]',
        "Set-Cookie: session={v}; HttpOnly",
        "Proxy-Authorization: Basic {v}",
        'headers["Authorization"] = "{v}"',
    ],
}

_QUOTED = ["`{v}`", '"{v}"', "{v}", "«{v}»", "'{v}'"]
SENTENCES = {
    "English": (
        [
            "The password is {q}.",
            "I logged in as {u} with password {q}.",
            "Its password was {q} until today.",
            "use the password {q} for {u}",
            "set the password to {q}",
            "password for {u}: {q}",
            "Passphrase: {q}",
            "The admin password ({q}) works.",
            "You can sign in with {u} and {q} as the password.",
            "The password for the {w} of the test bench is {q}.",
            "I reset the password of the service user to {q}.",
            "pw for {u} is {q}",
            "wifi password for the test bench: {q}",
        ],
        [
            "The API key is {q}.",
            "The token for the staging API is {q} and it expires on Friday.",
            "with token {q} it worked",
            "Secret key: {q}",
            "the access token {q} had expired",
            "I used {q} as the API key.",
            "here's my key: {q}",
            "paste this token: {q}",
        ],
    ),
    "German": (
        [
            "Das Passwort lautet {q}.",
            "Passwort: {q}",
            "Kennwort ist {q}",
            "mit dem Passwort {q} anmelden",
            "Das Kennwort für {u}: {q}",
        ],
        ["Der API-Schlüssel lautet {q}.", "Schlüssel: {q}", "das Zugriffstoken ist {q}"],
    ),
    "French": (
        ["Le mot de passe est {q}.", "Mot de passe : {q}", "avec le mot de passe {q}", "mdp: {q}"],
        ["La clé API est {q}.", "Clé : {q}", "le jeton est {q}"],
    ),
    "Czech": (["Heslo k databázi je {q}", "Heslo: {q}"], ["API token: {q}"]),
    "Spanish": (
        [
            "La contraseña es {q}.",
            "La contraseña de la base de datos es {q}.",
            "Contraseña: {q}",
            "con la contraseña {q}",
            "clave: {q}",
        ],
        ["La clave de API es {q}.", "el token es {q}", "Llave: {q}"],
    ),
    "Italian": (
        ["La password è {q}.", "Password: {q}", "con la password {q}", "parola d'ordine: {q}"],
        ["La chiave API è {q}.", "Chiave: {q}", "il token è {q}"],
    ),
    "Portuguese": (
        ["A senha é {q}.", "Senha: {q}", "com a senha {q}", "a palavra-passe é {q}"],
        ["A chave da API é {q}.", "Chave: {q}", "o token é {q}"],
    ),
    "Dutch": (
        ["Het wachtwoord is {q}.", "Wachtwoord: {q}", "met wachtwoord {q}"],
        ["De API-sleutel is {q}.", "Sleutel: {q}"],
    ),
    "Polish": (["Hasło to {q}.", "Hasło: {q}", "hasłem {q}"], ["Klucz API: {q}", "token to {q}"]),
    "Russian": (
        [
            "Пароль: {q}",
            "Пароль администратора теперь {q}, логин {u}.",
            "пароль — {q}",
            "Используй пароль {q}.",
        ],
        ["Ключ API: {q}", "токен: {q}"],
    ),
    "Turkish": (["Şifre: {q}", "Veritabanı şifresi: {q}", "Parola: {q}"], ["API anahtarı: {q}"]),
    "Japanese": (
        [
            "パスワードは {q} です",
            "パスワードは「{q}」です。",
            "パスワード：{q}",
            "パスワード: {q}",
        ],
        ["APIキーは {q} です。", "トークン: {q}"],
    ),
    "Chinese": (
        ["密码是 {q}", "密码：{q}", "密碼: {q}", "密码为{q}。"],
        ["API密钥：{q}", "令牌: {q}", "密钥是 {q}"],
    ),
    "Korean": (["비밀번호는 {q} 입니다", "비밀번호: {q}"], ["API 키: {q}", "토큰: {q}"]),
}

ENCODED = [
    "{v}",
    "echo {v} | base64 -d",
    '{{"data": "{v}"}}',
    "data:\n  config: {v}\n",
    "payload={v}",
    "`{v}`",
    'user_data = "{v}"',
    "atob('{v}')",
    "The response body was {v} (base64).",
    "b64decode(b'{v}')",
]


_NOT_ENCODED = ("ansi", "tool output", "joined")
"""Nobody encodes what a terminal shows, and what code puts together is not looked for there."""


def private_key(m: Maker) -> str:
    """A key as a tool writes it: with the names, the length of lines and the rows of zeros that they have."""
    name, width, start, length = m.pick(
        (
            "OPENSSH ",
            70,
            "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQ",
            330,
        ),
        (
            "OPENSSH ",
            70,
            "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABlwAAAAdzc2gtcnNhAAAAAw",
            2500,
        ),
        ("RSA ", 64, "MIIEpAIBAAKCAQEA", 1588),
        ("", 64, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 1620),
        ("", 64, "MC4CAQAwBQYDK2VwBCIE", 62),
        ("EC ", 64, "MHcCAQEEI", 162),
        ("ENCRYPTED ", 64, "MIIFLTBXBgkqhkiG9w0B", 1700),
    )
    body = start + m.of(BASE64, length - len(start) - 6) + m.pick("AAAAAA", "your==", "fakeQ=")
    return (
        f"-----BEGIN {name}PRIVATE "
        + f"KEY-----\n{textwrap.fill(body, width)}\n-----END {name}PRIVATE "
        + "KEY-----\n"
    )


def _filled(m: Maker, template: str, parts: list[str], value: str) -> str:
    return template.format(
        **{
            "k": _styled(m, parts, "snake"),
            "K": _styled(m, parts, "upper"),
            "c": _styled(m, parts, "camel"),
            "C": "".join(part.title() for part in parts),
            "-": _styled(m, parts, "kebab"),
            "t": _styled(m, parts, "title"),
            "v": value,
            "w": m.pick(*WORDS),
            "W": m.pick(*WORDS).title(),
            "u": m.pick(*USERS),
        }
    )


def _shape(m: Maker) -> Case:
    if m.random.random() < 0.12:
        kind, (context, place) = m.pick(*HASHES), m.random.choice(list(HASH_PLACES.items()))
    else:
        kind, (context, place) = (
            m.random.choice(list(KNOWN)),
            m.random.choice(list(ANYWHERE.items())),
        )
    value = KNOWN[kind](m)
    shown = value.rpartition("/")[2] if "webhook" in kind else value
    return Case("shape", kind, context, place(m, value), shown)


def _named(m: Maker) -> Case:
    family = m.pick("password", "password", "key", "token", "secret")
    context = m.random.choice(list(ASSIGNED))
    values = PASSWORDS if family == "password" or context == "sql" else KEYS
    kind = m.random.choice(list(values))
    value = values[kind](m)
    template = m.random.choice(ASSIGNED[context])
    if context == "url":
        value = quote(value, safe="")
    return Case("name", kind, context, _filled(m, template, _names(m, family), value), value)


def _placed(m: Maker) -> Case:
    places, values = m.random.choice(
        [(POSITIONS, PASSWORDS), (POSITIONS, PASSWORDS), (KEY_POSITIONS, KEYS)]
    )
    context = m.random.choice(list(places))
    kind = m.random.choice([kind for kind in values if kind != "uuid"])
    value = values[kind](m)
    if context == "connection":
        value = (
            value.replace("@", "-")
            .replace("#", "-")
            .replace("%", "-")
            .replace("?", "-")
            .replace(";", "-")
        )
    return Case(
        "place", kind, context, _filled(m, m.random.choice(places[context]), ["key"], value), value
    )


def _said(m: Maker) -> Case:
    """In a sentence a word without quotes is no password that anybody could tell, so those have a digit or a sign."""
    language = m.random.choice(list(SENTENCES))
    passwords, keys = SENTENCES[language]
    is_password = m.random.random() < 0.6
    values = PASSWORDS if is_password else KEYS
    kind = m.random.choice([kind for kind in values if kind != "uuid"])
    quoting = m.random.choice(_QUOTED[:3])
    if kind == "password of small letters" and quoting == "{v}":
        quoting = "`{v}`"
    value = values[kind](m)
    template = m.random.choice(passwords if is_password else keys).replace("{q}", quoting)
    return Case("sentence", kind, language, _filled(m, template, ["key"], value), value)


def _encoded(m: Maker) -> Case:
    inner = m.random.choice([_shape, _named, _placed])(m)
    while (
        len(inner.text) < 30
        or inner.kind == "password of small letters"
        or inner.context in _NOT_ENCODED
    ):
        inner = m.random.choice([_shape, _named, _placed])(m)
    is_wide = inner.text.isascii() and m.random.random() < 0.2  # as PowerShell takes it
    value = base64.b64encode(inner.text.encode("utf-16-le" if is_wide else "utf-8")).decode()
    text = m.random.choice(ENCODED).format(v=value)
    return Case("encoded", inner.kind, f"base64, {inner.stage}", text, value)


def _again(m: Maker, case: Case) -> Case:
    """The same in another text: quoted, listed, escaped, coloured or within longer prose."""
    around: dict[str, Callable[[str], str]] = {
        "fence": lambda text: f"Then:\n\n```sh\n{text}\n```\n\nThat worked.",
        "quote": lambda text: textwrap.indent(text, "> "),
        "indented": lambda text: textwrap.indent(text, "    "),
        "json string": lambda text: json.dumps({"output": text}),
        "after prose": lambda text: (
            f"I looked at the file and ran it again.\n\n{text}\n\nAll {m.of('123456789', 2)} passed."
        ),
    }
    if m.random.random() < 0.6:
        return case
    name = m.random.choice(list(around))
    return Case(
        case.stage, case.kind, f"{case.context} ({name})", around[name](case.text), case.value
    )


def cases(seed: int, count: int) -> Iterator[Case]:
    """So many secrets of all stages, and half as many look-alikes."""
    m = Maker(seed)
    stages = (_shape, _shape, _named, _named, _named, _placed, _placed, _said, _encoded)
    for number in range(count):
        yield _again(m, stages[number % len(stages)](m))
    kinds = list(LOOKALIKES)
    for number in range(count // 2):
        kind = kinds[number % len(kinds)]
        text = LOOKALIKES[kind](m)
        yield _again(m, Case("lookalike", kind, "own", text, text))


def is_wrong(case: Case, redactor: Callable[[str], str] = REDACTOR) -> bool:
    """Whether a piece of the value can still be read, or, of a look-alike, whether anything has changed."""
    text = clean_text(case.text)
    shown = number_masks(redactor(text))
    if case.stage == "lookalike":
        return shown != text
    read, value, length = as_read(shown), as_read(case.value), max(6, min(12, len(case.value) // 2))
    if len(value) < 16:
        return value in read
    return any(value[at : at + length] in read for at in range(len(value) - length + 1))


def tally(
    made: Iterable[Case],
) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]], list[Case]]:
    """How many there are and how many are wrong, by (`stage`, `kind` or `context`; which), and the wrong ones."""
    all_of, wrong_of, wrong = Counter[tuple[str, str]](), Counter[tuple[str, str]](), []
    for case in made:
        keys = [("stage", case.stage), (f"{case.stage}, kind", case.kind)]
        keys += (
            [("context", f"{case.stage}: {case.context.partition(' (')[0]}")]
            if case.stage != "lookalike"
            else []
        )
        all_of.update(keys)
        if is_wrong(case):
            wrong_of.update(keys)
            wrong.append(case)
    return all_of, wrong_of, wrong


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", type=int, default=0, help="print so many of what went wrong")
    given = parser.parse_args()
    all_of, wrong_of, wrong = tally(cases(given.seed, given.count))
    for key, count in sorted(
        all_of.items(), key=lambda item: (item[0][0], -wrong_of[item[0]] / item[1], item[0][1])
    ):
        if key[0] == "stage" or wrong_of[key]:
            word = "masked" if "lookalike" in " ".join(key) else "left"
            print(
                f"{key[0]}: {key[1]}: {count:,} made, {wrong_of[key]:,} {word}, {wrong_of[key] / count:.2%}"
            )
    for case in wrong[: given.misses]:
        print(
            f"--- {case.stage}, {case.kind}, {case.context}\n{case.text}\n    value: {case.value}"
        )


if __name__ == "__main__":
    main()
