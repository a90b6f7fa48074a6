"""A grid of secrets and personal data: every format with every prefix of a line, and every sign at every position.

Where `secret_grammar` draws from a grammar, this goes through all of it, so that a gap shows as a cell of a table.

    .venv/bin/python -m tests.support.masking_grid [--seed 1] [--misses 40]

prints the table of docs/contributing/secrets.md.
"""

from __future__ import annotations

import argparse
import random
import string
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sitegen.masking.reading import as_read
from sitegen.masking.redact import Redactor, clean_text, number_masks

SIGNS = "!#$%&'()*+,-/:;<=>?@[]^_{}~"
QUOTED_SIGNS = SIGNS.replace("'", "|")
POSITIONS: dict[str, Callable[[str, str], str]] = {
    "first": lambda sign, body: sign + body,
    "second": lambda sign, body: body[0] + sign + body[1:],
    "middle": lambda sign, body: body[:6] + sign + body[6:],
    "twice": lambda sign, body: body[:4] + sign + body[4:9] + sign + body[9:],
    "last": lambda sign, body: body + sign,
}

QUOTED = {
    "Python": 'db_password = "{v}"',
    "JSON": '"password": "{v}",',
    "YAML in quotes": 'password: "{v}"',
    "TOML": "secret = '{v}'",
    "JavaScript": "const dbPassword = '{v}';",
    "object": "  apiSecret: '{v}',",
    "environment in quotes": 'export SMTP_PASSWORD="{v}"',
    "HCL": 'admin_password = "{v}"',
    "PowerShell": '$env:DB_PASSWORD = "{v}"',
    "C#": 'var password = @"{v}";',
    "XML": '<add key="x" password="{v}" />',
}
PLAIN = {
    "environment": "DB_PASSWORD={v}",
    "export": "export API_SECRET={v}",
    "YAML": "password: {v}",
    "YAML, nested": "  db_password: {v}",
    "properties": "spring.datasource.password={v}",
    "ini": "password = {v}",
    "netrc": "machine api.harbour.io login ann password {v}",
    "netrc, own line": "machine api.harbour.io\n  login ann\n  password {v}",
    "YAML with a type": "password: !!str {v}",
    "Dockerfile": "ENV DB_PASSWORD={v}",
    "npmrc": "//registry.harbour.io/:_authToken={v}",
    "prompt": "Password: {v}",
    "prompt of a user": "Enter password for ann: {v}",
}
PREFIXES: dict[str, Callable[[int], str]] = {
    "none": lambda _: "",
    "added": lambda _: "+",
    "removed": lambda _: "-",
    "context": lambda _: " ",
    "arrow": lambda n: f"{n:6}\u2192",
    "cat -n": lambda n: f"{n:6}\t",
    "grep -n": lambda n: f"{n}:",
    "file and line": lambda n: f"config/app.env:{n}:",
    "log time": lambda n: f"2026-03-04T10:20:{n % 60:02}Z ",
    "log time in brackets": lambda n: f"[2026-03-04 10:20:{n % 60:02},512] ",
    "compose": lambda _: "web-1  | ",
    "pod": lambda _: "[pod/web-7c9/app] ",
    "hash": lambda _: "# ",
    "slashes": lambda _: "// ",
    "dash": lambda _: "- ",
    "quotation": lambda _: "> ",
    "added, numbered": lambda n: f"+{n:4}\t",
    "bat": lambda n: f"{n:4} \u2502 ",
    "blame": lambda n: f"5d731100 (root 2026-03-04 10:20:33 +0100 {n:3}) ",
    "job": lambda n: f"build\tTest\t2026-03-04T10:20:{n % 60:02}.1234567Z ",
    "level": lambda n: f"2026-03-04 10:20:{n % 60:02},123 INFO app - ",
    "number": lambda n: f"{n:5}  ",
    "number and bar": lambda n: f"{n:5} | ",
    "build of an image": lambda n: f"#{n} 0.{n:03} ",
    "plan": lambda _: "      + ",
    "journal": lambda n: f"Mar 04 10:20:{n % 60:02} web-1 app[{n}]: ",
}

SPANNING = {
    "pair of Kubernetes": "- name: DB_PASSWORD\n  value: {v}",
    "pair of Kubernetes in quotes": '- name: API_TOKEN\n  value: "{v}"',
    "variable of Terraform": 'variable "db_password" {{\n  type = string\n  default = "{v}"\n}}',
    "variable of Terraform, described": 'variable "db_password" {{\n  description = "The password"\n  default     = "{v}"\n}}',
    "pair of ECS": '{{\n  "name": "DB_PASSWORD",\n  "value": "{v}"\n}}',
    "block of YAML": "password: |\n  {v}\n",
    "folded YAML": "password: >-\n  {v}\n",
    "announced": "Use the following password:\n\n{v}\n",
}
WRAPPED = {
    "wrapped token": ("gh" + "p_{0}\n{1}", 18, 18),
    "wrapped key of a provider": ("sk-ant-" + "api03-{0}\n{1}", 60, 33),
    "wrapped value": ("API_TOKEN={0}\\\n{1}", 30, 20),
}
PRINTED = {
    "op read": "op read op://vault/db/password",
    "pass show": "pass show web/db",
    "pass": "pass web/db",
    "terraform output": "terraform output -raw db_password",
    "printenv": "printenv DB_PASSWORD",
    "echo": "echo $DB_PASSWORD",
    "echo in quotes": 'echo "${{API_TOKEN}}"',
    "gcloud": "gcloud secrets versions access latest --secret=db-password",
    "az": "az keyvault secret show --vault-name v --name db --query value -o tsv",
    "aws": "aws secretsmanager get-secret-value --secret-id db --query SecretString --output text",
    "aws ssm": "aws ssm get-parameter --name /db/password --with-decryption --query Parameter.Value --output text",
    "kubectl": "kubectl get secret db -o jsonpath='{{.data.password}}' | base64 -d",
    "security": "security find-generic-password -s db -w",
    "doppler": "doppler secrets get DB_PASSWORD --plain",
    "cat": "cat password.txt",
    "cat of a path": "cat ~/.secrets/db_password",
    "vault": "vault kv get -field=password secret/db",
    "heroku": "heroku config:get SECRET_KEY",
    "gopass": "gopass show -o web/db",
    "bw": "bw get password db",
    "secret-tool": "secret-tool lookup service db",
    "keyring": "keyring get db ann",
    "fly": "chamber read db password -q",
}
PRINTS = {
    "shell": "$ {c}\n{v}\n",
    "prompt": "ann-shell:~$ {c}\n{v}\n$ ls\n",
    "root": "# {c}\n{v}\n",
    "trace": "+ {c}\n{v}\n",
}
SAID = {
    "generated": "A temporary password is generated for root@localhost: {v}",
    "asked": "Enter passphrase for key '/x/id_rsa': {v}",
    "asked for a user": "Enter passphrase for ann: {v}",
    "initial": "Generated initial password: {v}",
    "elastic": "Password for the elastic user is: {v}",
    "new": "New password: {v}",
    "random": "Your randomly generated password is {v}",
}

PEOPLE = {
    "national telephone": (
        "phone",
        (
            "Telefon: 0{p3} {p7}",
            "Tel. 0{p3}/{p7}",
            "Mobile: 0{p3}-{p3}-{p4}",
            "phone: (0{p3}) {p3} {p4}",
            "call (4{p2}) 2{p2}-{p4}",
            "Tel: 4{p2}-3{p2}-{p4}",
            '"phone": "0{p3}{p7}"',
            "t\u00e9l. 06 {p2} {p2} {p2} {p2}",
        ),
    ),
    "telephone with 00": (
        "phone",
        (
            "0049 {q3} {p7}",
            "0044{q2}{p4}{p4}",
            "Fon 0033 {q1} {p2} {p2} {p2} {p2}",
            "0041-{q2}-{p3}-{p4}",
        ),
    ),
    "wa.me": (
        "phone",
        (
            "https://wa.me/49{q3}{p7}",
            "wa.me/44{q3}{p7}?text=hi",
            "https://api.whatsapp.com/send?phone=49{q3}{p7}",
        ),
    ),
    "lustre": ("name", ("/lustre/users/{n}/run.log", "/scratch/users/{n}/x", "/gpfs/users/{n}")),
    "nix": (
        "name",
        (
            "/nix/var/nix/profiles/per-user/{n}/profile",
            "/etc/profiles/per-user/{n}/bin",
            "/nix/var/nix/gcroots/per-user/{n}",
        ),
    ),
    "share": (
        "name",
        (
            "\\\\\\\\files\\\\home$\\\\{n}\\\\doc.txt",
            "\\\\fs01\\home$\\{n}\\x",
            "\\\\fs01\\profiles$\\{n}",
        ),
    ),
    "quoted-printable": (
        "name",
        ("=2Fhome=2F{n}=2Fx", "path=3D=2Fhome=2F{n}", "=2FUsers=2F{n}=2FDesktop"),
    ),
    "domain": (
        "name",
        (
            "CORP\\{n}",
            "User: CORP\\{n}",
            "ACME\\{n} logged on",
            "runas /user:CORP\\{n} cmd",
            '"owner": "CORP\\\\{n}"',
        ),
    ),
    "hostname": (
        "host",
        (
            "$ hostname\n{n}-thinkpad\n",
            "$ uname -n\n{n}-desktop\n",
            "ann:~$ hostname\n{n}s-laptop\n",
        ),
    ),
    "maintainers": (
        "full",
        (
            "maintainers:\n  - name: {f}\n",
            "maintainers:\n- name: {f}\n  email: x@example.com",
            'maintainers = ["{f}"]',
            "maintainers: {f}",
            "maintainer: {f}",
        ),
    ),
    "owner of a file": (
        "name",
        ("chown {n}:{n} x", "chown -R {n} /srv/x"),
    ),
    "prompt": (
        "name",
        ("[{n}@build-7 src]$ ls", "{n}@build-7:~$ ls"),
    ),
    "home by name": (
        "name",
        (
            "~{n}/x",
            "ls ~{n}/data",
            "see ~{n}/notes.md.",
            "-~{n}/x\n+~{n}/y",
            "rsync -a ~{n}/x /tmp",
        ),
    ),
    "home in a patch": (
        "name",
        (
            "-/home/{n}/x\n+/home/{n}/y",
            "+ROOT=/home/{n}/x",
            "--- /home/{n}/x",
            "12:/home/{n}/x",
            "    12\u2192/home/{n}/x",
            "-/Users/{n}/x",
        ),
    ),
    "ls": (
        "name",
        (
            "-rw-r--r-- 1 {n} staff 120 Mar  3 10:20 x.txt",
            "drwxr-xr-x 3 {n} {n} 4096 Mar  3 10:20 src",
        ),
    ),
    "ps": (
        "name",
        (
            "{n}   4711  0.0  0.1  12345  2345 pts/0  Ss  10:20  0:00 vim",
            "{n}   4711  4700  0 10:20 pts/0 00:00:00 vim",
        ),
    ),
    "who": (
        "name",
        (
            "{n}   pts/0   2026-03-04 10:20 (10.2.3.4)",
            "{n}   tty1   2026-03-04 10:20",
            "{n}  console  Mar  3 10:20",
        ),
    ),
}
NAMES = [
    "mareike",
    "tobias",
    "jhenning",
    "annika",
    "kowalski",
    "oduya",
    "svenja",
    "pradeepk",
    "lwagner",
]
FULL_NAMES = (
    "Mareike Henning",
    "Tobias Oduya",
    "Annika Kowalska",
    "Pradeep Kumar",
    "Svenja Wagner",
)
IN_LISTINGS = (
    "ls",
    "ps",
    "who",
    "home in a patch",
    "home by name",
    "maintainers",
    "hostname",
    "prompt",
    "owner of a file",
)

LOOKALIKES = {
    "code": (
        "password = get(x)",
        "token: str",
        "password = getpass.getpass()",
        "password: Optional[str] = None",
        "def login(user: str, password: str) -> Token:",
        "secret = os.environ['{W}_SECRET']",
        "const token = await fetchToken(url, 2);",
        "password: z.string().min(8).max(64),",
        "token = tokens[i + 1]",
        "if password != hashed(p1, p2):",
        "password=self.cfg['db'][0],",
        "let secret: Vec<u8> = vec![0; 32];",
        'token := r.Header.Get("X-Token")[7:]',
        "this.password = opts.password || '';",
        "password = (a.b or c.d)[1:]",
        "secret=f(x1,y2)",
        "const password = useState<string>('');",
        "DB_PASSWORD=${{{W}_PASSWORD:-}}",
        "DB_PASSWORD=$(cat /run/x)",
        "password: ${{{{ secrets.DB_PASSWORD }}}}",
        "password: {{{{ .Values.db.password }}}}",
        "password: <your-password>",
        'password = "<password>"',
        'pattern_password = "^(?=.*[A-Z])(?=.*[0-9]).{{8,}}$"',
        "assert verify(password, h1) == True",
        "token = m.group(1) if m else None",
        "tok.kind == Token::LBrace",
        "password: &'a str,",
        "pub token: Option<Box<T2>>,",
        "secret = base64.b64decode(s1 + '==')",
        "token = line.split(':')[1].strip()",
        "password: this.form.value.password!,",
        "auth: {{ user: env.U1, pass: env.P1 }},",
        "private Map<String, Token> tokens = new HashMap<>();",
        "token=$(gh auth token)",
        'password="$1"',
        'password="${{2:-$PGPASS}}"',
        "key=lambda x: (x[0], -x[1])",
        "secret_key = settings.SECRET_KEY",
        "password = models.CharField(max_length=128)",
        "token?: string;",
        "  token: string | null;",
        "passwords = [p.strip() for p in f]",
        "token = tokens.pop(0)[-1:]",
        'echo "password: $PASSWORD"',
        "password = input('Password: ')",
        "credentials: 'include',",
        '<input type="password" name="p2">',
        "password: process.env.DB_PASS ?? 'x1'",
        "secret: !Ref DbSecret",
        "SECRET_ARN=arn:aws:secretsmanager:eu-west-1:123456789012:secret:db",
        "auth_token = request.headers['X-Auth'][7:]",
        "password_hash = h(password, salt=b'x1')",
    ),
    "prose": (
        "The password must have 8-12 characters (A-Z, 0-9, !@#).",
        "token: see section 3.2;",
        "Password: (hidden)",
        "Password:\nLogin incorrect",
        "Enter passphrase for key '/x/id_rsa': \nIdentity added",
        "Password for user ann: \n(3 rows)",
        "Tokens: 12,345 in / 678 out",
        "session key: see [docs](x.md)",
        "password: required, min 12",
        "No password is generated for users.",
    ),
    "hashes": (
        "commit {h40}",
        "{h7} fix token (#{d3})",
        "index {h7}..{h7} 100644",
        "sha256:{h64}",
        "token_id: {u}",
        "uuid {u}",
        "00{d2}{d4}-{d4}-{d4}-918c-4cbf049f0097",
        "chown the files",
        "+++ b/src/token{d1}.py",
        "key: {h64}",
    ),
    "numbers": (
        "version 0{d1}.{d2}.{d3}",
        "issue #0{d3}{d4}",
        "2026-03-0{e1} 10:20:33",
        "10.{d2}.{d2}.{d1}",
        "0.{d3}{d4}",
        "0{d3}{d4}{d2}",
        "id 00{d4}{d4}",
        "line 0{d3} {d4}",
        "2026/03/0{e1}",
        "took 0{d2} {d3} ms",
        "0x{h7}0041",
        "00:49:{d2}.{d3}",
        "run 0049",
        "build 0{d3}-{d3}",
        "(0{d2}) {d3}",
        "phone_regex",
        "tel:",
        "telemetry: 0{d3} {d4}",
        "4{d2}-3{d2}",
        "100{d3}{d4} of 200{d4}",
        "mobile: 0{d1}",
        "00{d4}.png",
        "epoch 17{d4}{d4}",
        "phone: 0",
        "-0{d3} {d4}",
    ),
    "names": (
        "src\\main\\app",
        "C:\\Windows\\System32",
        "HKLM\\Software",
        "\\d+\\w",
        "NT AUTHORITY\\SYSTEM",
        "BUILTIN\\Users",
        "App\\Models\\User",
        "~2 hours/run",
        "~/x",
        "/lustre/users",
        "maintainers: 3",
        "maintainers:\n  - team",
        "$ hostname\nlocalhost\n",
        "$ hostname --help\nUsage: hostname\n",
        "/nix/var/nix/profiles/default/bin",
        "=2Fhome=2Fuser=2F",
        "Foo\\Bar",
        "FOO\\bar_baz.h",
        "foo.~bar/x",
        "~1.2/x",
        "JSON\\nfoo",
        "\\\\n",
        "ERROR\\ttab",
        "SHA\\hash",
        "git@github.com",
        "/scratch/users",
    ),
    "commands": (
        "$ echo $HOME\n/root\n",
        "$ echo $PATH_KEY_COUNT\n12\n",
        "$ cat tokens.py\nimport re\n",
        "$ pass show\nPassword Store\n",
        "$ printenv LANG\nC.UTF-8\n",
        "$ echo $TOKEN_COUNT\n12345678\n",
        "$ cat password.txt\ncat: password.txt: No such file or directory\n",
        "$ terraform output -raw x\nError: no outputs\n",
        "$ printenv API_TOKEN\n$ ls\n",
        "$ echo $API_TOKEN\n\n",
        "$ kubectl get secret\nNAME TYPE DATA AGE\n",
        "$ gcloud secrets list\nNAME CREATED\n",
        "$ cat token_test.go\npackage main\n",
        "$ echo $SECRET\nfoo\n",
    ),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A text of the grid, and the value that it hides; of a look-alike, none."""

    row: str
    detail: str
    text: str
    value: str


def _password(rng: random.Random, length: int = 13) -> str:
    """Return letters and digits as a generator mixes them, with at least two of each kind."""
    body = [*rng.choices(string.ascii_lowercase, k=3), *rng.choices(string.ascii_uppercase, k=3)]
    body += [
        *rng.choices(string.digits, k=2),
        *rng.choices(string.ascii_letters + string.digits, k=length - 8),
    ]
    rng.shuffle(body)
    return "".join(body)


def _prefixed(text: str, prefix: Callable[[int], str], rng: random.Random) -> str:
    first = rng.randrange(7, 400)
    return "\n".join(prefix(first + number) + line for number, line in enumerate(text.split("\n")))


def _context(rng: random.Random, text: str) -> str:
    """Return the text between lines of its kind, as a file or a log has it."""
    return rng.choice(["{}", "host = db\n{}\nport = 5432", "first: 1\n{}", "{}\nlast: 2"]).format(
        text
    )


def values(rng: random.Random) -> Iterator[Cell]:
    """Yield values with each sign at each position, in each format, behind each prefix by turns."""
    prefixes = list(PREFIXES.items())
    for formats, signs, group in (
        (QUOTED, QUOTED_SIGNS, "in quotes"),
        (PLAIN, SIGNS, "without quotes"),
    ):
        for name, template in formats.items():
            for sign in signs:
                for position, put in POSITIONS.items():
                    value = put(sign, _password(rng, rng.randrange(12, 19)))
                    if group == "in quotes" and template[template.index("{v}") - 1] in value:
                        continue
                    prefix, add = rng.choice(prefixes)
                    text = _prefixed(_context(rng, template.format(v=value)), add, rng)
                    yield Cell(group, f"{name}, {prefix}, {sign} {position}", text, value)


def spanning(rng: random.Random) -> Iterator[Cell]:
    """Yield secrets over several lines, each behind each prefix."""
    for prefix, add in PREFIXES.items():
        for name, template in SPANNING.items():
            value = _password(rng, 20)
            yield Cell(
                "over lines",
                f"{name}, {prefix}",
                _prefixed(template.format(v=value), add, rng),
                value,
            )
        for name, (template, *lengths) in WRAPPED.items():
            parts = [_password(rng, length) for length in lengths]
            text = _prefixed(template.format(*parts), add, rng)
            yield from (Cell("over lines", f"{name}, {prefix}", text, part) for part in parts)
        body = [_password(rng, 64) for _ in range(6)]
        for cut, kept in (("whole", body), ("cut", body[:3]), ("end alone", body[3:])):
            lines = ["-----BEGIN RSA PRIVATE " + "KEY-----"] * (cut != "end alone") + kept
            lines += ["-----END RSA PRIVATE " + "KEY-----"] * (cut != "cut")
            text = _prefixed("\n".join(lines), add, rng)
            yield from (
                Cell("over lines", f"private key, {cut}, {prefix}", text, line) for line in kept
            )


def printed(rng: random.Random) -> Iterator[Cell]:
    """Yield what commands print, and what tools say."""
    for name, command in PRINTED.items():
        for form, template in PRINTS.items():
            value = _password(rng, 16)
            yield Cell(
                "printed", f"{name}, {form}", template.format(c=command.format(), v=value), value
            )
            value = "!" + _password(rng, 12) + "(x;"
            yield Cell(
                "printed",
                f"{name}, {form}, signs",
                template.format(c=command.format(), v=value),
                value,
            )
    for name, sentence in SAID.items():
        for sign in "!#;,<(":
            value = _password(rng, 8) + sign + _password(rng, 8)
            yield Cell("printed", f"{name}, {sign}", sentence.format(v=value), value)


def people(rng: random.Random) -> Iterator[Cell]:
    """Yield personal data in each form, that of listings behind each prefix."""
    for name, (kind, templates) in PEOPLE.items():
        for template in templates:
            for prefix, add in (
                PREFIXES.items() if name in IN_LISTINGS else [("none", PREFIXES["none"])] * 6
            ):
                user, full = rng.choice(NAMES), rng.choice(FULL_NAMES)
                digits = {f"p{n}": "".join(rng.choices("23456789", k=n)) for n in range(1, 8)}
                digits |= {
                    f"q{n}": rng.choice("1567") + "".join(rng.choices("23456789", k=n - 1))
                    for n in range(1, 4)
                }
                text = template.format(n=user, f=full, **digits)
                value = {
                    "phone": digits["p4"] if "p4" in template else digits["p2"] * 1,
                    "full": full,
                }.get(kind, user)
                value = digits["p7"] if "{p7}" in template else value
                yield Cell("personal data", f"{name}, {prefix}", _prefixed(text, add, rng), value)


def lookalikes(rng: random.Random) -> Iterator[Cell]:
    """Yield what must stay, each behind three prefixes."""
    for kind, templates in LOOKALIKES.items():
        for template in templates:
            for prefix, add in [("none", PREFIXES["none"]), *rng.sample(list(PREFIXES.items()), 3)]:
                digits = {f"d{n}": "".join(rng.choices(string.digits, k=n)) for n in range(1, 5)}
                hexes = {
                    f"h{n}": "".join(rng.choices("0123456789abcdef", k=n)) for n in (7, 40, 64)
                }
                uuid = "-".join(
                    "".join(rng.choices("0123456789abcdef", k=n)) for n in (8, 4, 4, 4, 12)
                )
                text = template.format(
                    W="APP", u=uuid, e1=rng.choice("123456789"), **digits, **hexes
                )
                yield Cell("look-alikes", f"{kind}, {prefix}", _prefixed(text, add, rng), "")


def cells(seed: int) -> Iterator[Cell]:
    """Yield the whole grid."""
    rng = random.Random(seed)
    for make in (values, spanning, printed, people, lookalikes):
        yield from make(rng)


REDACTOR = Redactor()


def is_wrong(cell: Cell) -> bool:
    """Return whether five signs of the value can be read, or a short one; of a look-alike, whether it has changed."""
    text = clean_text(cell.text)
    shown = number_masks(REDACTOR(text))
    if not cell.value:
        return shown != text
    if cell.row == "personal data":
        return cell.value in shown
    read, value = as_read(shown), as_read(cell.value)
    return any(value[at : at + 5] in read for at in range(max(len(value) - 4, 1)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--row", default="")
    given = parser.parse_args()
    made, wrong, misses = Counter[str](), Counter[str](), list[Cell]()
    for cell in cells(given.seed):
        made[cell.row] += 1
        if is_wrong(cell):
            wrong[cell.row] += 1
            misses.append(cell)
    for row, count in made.items():
        print(f"{row}|{count:,}|{wrong[row]:,}|{wrong[row] / count:.1%}")
    random.Random(0).shuffle(misses)
    for cell in [cell for cell in misses if given.row in cell.row][: given.misses]:
        print(
            f"--- {cell.row}: {cell.detail}\n{cell.text}\n    value: {cell.value}\n    {number_masks(REDACTOR(clean_text(cell.text)))!r}"
        )


if __name__ == "__main__":
    main()
