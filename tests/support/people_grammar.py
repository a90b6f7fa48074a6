"""Personal data and look-alikes from grammars, as many as are asked for: each sample is new, and a seed repeats them.

Written from what systems and people print, without a look at the rules: forms of names, hosts, listings, prompts,
environments and numbers are put together anew for each sample.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_FIRST = """
marta jonas aiko priya tunde olena mateo chloe ahmed ingrid wei fatima diego saoirse kwame zeynep linh bogdan
amara henrik yuki noor rafael svetlana thabo elif joao nils hana omar agnieszka pierre lucia dmitri anjali
tomasz femi
"""
FIRST = _FIRST.split()
_LAST = """
kowalska okafor tanaka iyer vandenberg petrenko garcia dubois rahman lindqvist zhang haddad moreno obrien mensah
yilmaz nguyen ionescu adeyemi larsen sato khan almeida volkov mokoena demir ferreira bakker kim farouk nowak
lefevre
"""
LAST = _LAST.split()
_WORDS = (
    "build report notes sensor parser market ledger orbit canvas docs harbor pixel quartz tempo"
)
WORDS = _WORDS.split()
HOSTS = (
    "{f}s-mbp",
    "{w}-laptop",
    "{w}{n}",
    "thinkpad-{f}",
    "{w}-{n}",
    "{F}s-MacBook-Air",
    "pc{n}",
    "{w}box",
)
COMPANIES = (
    "northgate",
    "bluefin-labs",
    "acrux",
    "tellus-data",
    "varda",
    "kestrel-soft",
    "mira-health",
)
ENDINGS = ("com", "io", "de", "co.uk", "fr", "dev", "org", "com.br", "nl", "se", "rs")
_SYSTEM = (
    "root daemon nobody www-data postgres mysql runner ubuntu node vscode codespace git nginx redis"
)
SYSTEM = _SYSTEM.split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
MONTHS = _MONTHS.split()


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, and what of it nobody may read; a look-alike has nothing of the kind."""

    kind: str
    context: str
    text: str
    values: tuple[str, ...]


class Grammar:
    """Makes samples by a seed: `Grammar(7).personal(500)`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  the same seed must give the same set

    def personal(self, count: int) -> Iterator[Sample]:
        """So many samples, kind after kind and context after context."""
        for number in range(count):
            kind, makers = list(PERSONAL.items())[number % len(PERSONAL)]
            context = makers[number // len(PERSONAL) % len(makers)]
            text, values = context(self)
            yield Sample(kind, context.__name__, text, values)

    def look_alikes(self, count: int) -> Iterator[Sample]:
        """So many samples in which nobody is named."""
        for number in range(count):
            template = LOOK_ALIKES[number % len(LOOK_ALIKES)]
            yield Sample("look-alike", template, self.filled(template), ())

    def pick(self, *of: str) -> str:
        """One of these."""
        return self.random.choice(of)

    def digits(self, count: int) -> str:
        """Digits, the first no zero."""
        return str(self.random.randint(10 ** (count - 1), 10**count - 1))

    def some(self, alphabet: str, count: int) -> str:
        """So many signs of an alphabet."""
        return "".join(self.random.choices(alphabet, k=count))

    def first(self) -> str:
        """A first name."""
        return self.pick(*FIRST)

    def user(self) -> str:
        """How a person is called on a machine."""
        first, last = self.pick(*FIRST), self.pick(*LAST)
        return self.pick(
            first,
            first[0] + last,
            f"{first}.{last}",
            f"{first}_{last[0]}",
            f"{first}{self.digits(2)}",
            last + first[0],
            f"{first}-{last}",
            f"{last}{self.digits(1)}",
            first[:2] + last[:4],
        )

    def person(self) -> str:
        """A name as people write it."""
        return f"{self.pick(*FIRST).capitalize()} {self.pick(*LAST).capitalize()}"

    def host(self) -> str:
        """How somebody calls a machine."""
        first = self.first()
        return self.pick(*HOSTS).format(
            f=first, F=first.capitalize(), w=self.pick(*WORDS), n=self.digits(2)
        )

    def domain(self) -> str:
        """A domain of a company."""
        return f"{self.pick(*COMPANIES)}.{self.pick(*ENDINGS)}"

    def path(self) -> str:
        """A folder below a home."""
        return "/".join(self.random.sample(WORDS, self.random.randint(1, 3)))

    def day(self) -> str:
        """A time as `ls` writes it."""
        return self.pick(
            f"{self.pick(*MONTHS)} {self.random.randint(1, 28):>2} {self.random.randint(0, 23):02}:{self.digits(2)}",
            f"{self.pick(*MONTHS)} {self.random.randint(1, 28):>2}  20{self.random.randint(15, 26)}",
            f"20{self.random.randint(15, 26)}-0{self.digits(1)}-1{self.digits(1)} 1{self.digits(1)}:3{self.digits(1)}",
        )

    def mode(self) -> str:
        """What a listing says of who may read and write."""
        return self.pick(
            "-rw-r--r--",
            "drwxr-xr-x",
            "-rwxr-xr-x",
            "-rw-rw-r--",
            "lrwxrwxrwx",
            "-rw-------",
            "drwx--S---",
            "-rw-r--r--@",
            "drwxrwxrwt",
            "-rw-rw-r--.",
        )

    def filled(self, template: str) -> str:
        """A template with a new word for each mark: `<x8>` eight hexadecimal digits, `<d3>` digits, `<w>` a word."""
        return re.sub("<([xdUstmw])([0-9]*)>", self._word, template)

    def _word(self, mark: re.Match[str]) -> str:
        size = int(mark[2] or 1)
        match mark[1]:
            case "x":
                return self.some(string.hexdigits[:16], size)
            case "d":
                return self.digits(size)
            case "U":
                return self.some(string.ascii_uppercase + string.digits, size)
            case "s":
                return self.pick(*SYSTEM)
            case "t":
                return self.day()
            case "m":
                return self.mode()
            case _:
                return self.pick(*WORDS)


Made = tuple[str, tuple[str, ...]]


def of_home(g: Grammar) -> Made:
    user, path = g.user(), g.path()
    return g.pick(
        f"cd ~{user}/{path} && make",
        f"cp a.txt ~{user}/",
        f"ls -la ~{user}",
        f"the data is in ~{user}/{path}",
        f"PATH=~{user}/bin:/usr/bin",
        f"(see `~{user}/{path}/x.md`)",
        f"scp box:~{user}/{path}.tar .",
        f'"path": "~{user}/.config/{path}"',
        f"/var/mail/{user}",
        f"/home/{user}/{path}",
        f"C:\\Users\\{user}\\{path}",
        f"cat ~{user}/.bashrc",
        f"source ~{user}/{path}.sh\n",
        f"/Users/{user}/{path}",
    ), (user,)


def encoded_home(g: Grammar) -> Made:
    user, path = "".join(filter(str.isalnum, g.user())), g.path()
    return g.pick(
        f"vscode://file/C%3A%5CUsers%5C{user}%5C{path}:3",
        f".claude\\projects\\C--Users-{user}-dev-{g.pick(*WORDS)}\\memory.md",
        f"vscode-remote://wsl%2Bubuntu/home/{user}/{path}",
        f"copy app.msi \\\\nas{g.digits(2)}\\c$\\Users\\{user}\\x",
        f'{{"source": "\\\\\\\\files.intra\\\\users\\\\{user}\\\\in.csv"}}',
    ), (user,)


def environment(g: Grammar) -> Made:
    user, key = g.user(), g.pick("USER", "LOGNAME", "USERNAME", "SUDO_USER")
    return g.pick(
        f"SHELL=/bin/zsh\n{key}={user}\nLANG=C",
        f"export {key}={user}",
        f'declare -x {key}="{user}"',
        f'{{"SHELL": "/bin/sh", "{key}": "{user}", "TERM": "xterm"}}',
        f"environ({{'{key}': '{user}', 'PWD': '/'}})",
        f"set {key}={user}",
        f'export {key}="{user}"; run',
        f'  "{key}" : "{user}"\n',
        f"env {key}={user} make",
        f"setenv {key} {user}\n",
        f"os.environ['{key}'] = '{user}'",
        f"docker run -e {key}={user} img",
        f"[{key}] => {user}\n",
    ), (user,)


def windows_environment(g: Grammar) -> Made:
    user = g.user()
    return g.pick(
        f"USERNAME={user}\r\nUSERPROFILE=C:\\Users\\{user}",
        f'$env:USERNAME = "{user}"',
        f"USERNAME                {user}\n",
        f"USERNAME={g.pick('CORP', 'ACME')}\\{user}",
        f"set USERNAME={user}",
    ), (user,)


def files(g: Grammar) -> Made:
    user, mode, size = g.user(), g.mode(), g.digits(g.random.randint(1, 7))
    group = g.pick(user, "staff", "users")
    head = g.pick("", f"total {g.digits(3)}\n", "```\n$ ls -l\n")
    name = g.pick(*WORDS)
    return head + g.pick(
        f"{mode} {g.digits(1)} {user} {group} {size} {g.day()} {name}",
        f"{mode}  1 {user}  {group}  {size} {g.day()} {name}\n",
        f"{mode} 1 {user:12} {group:8} {size:>9} {g.day()} {name}",
        f"{mode} 1 {user} {size} {g.day()} {name}",
        f"{mode} 1 root root 12 {g.day()} a\n{mode} 1 {user} {group} {g.digits(1)}.{g.digits(1)}K {g.day()} b",
        f"{mode} {user}/{group} {size} 2025-0{g.digits(1)}-11 12:3{g.digits(1)} {name}/",
        f"  {g.digits(6)} 4 {mode} 1 {user} {group} {size} {g.day()} ./{name}",
    ), (user,)


def files_in_json(g: Grammar) -> Made:
    text, values = files(g)
    return '{"stdout": "' + text.replace("\n", "\\n") + '"}', values


def state(g: Grammar) -> Made:
    user, number = g.user(), g.pick("1000", "1001", "501", "20417")
    return g.pick(
        f"Access: (0644/-rw-r--r--)  Uid: ( {number}/{user:>8})   Gid: ( {number}/{user:>8})\n",
        f"uid={number}({user}) gid={number}({user}) groups={number}({user}),27(sudo)",
        f"{user}:x:{number}:{number}:{g.person()},,,:/home/{user}:/bin/bash",
        f"$ whoami\n{user}\n",
        f"$ id -un\n{user}",
    ), (user,)


def processes(g: Grammar) -> Made:
    user, pid = g.user()[:8].rstrip("._-"), g.digits(g.random.randint(2, 6))
    lines = g.pick(
        f"{user}  {pid}  0.0  0.{g.digits(1)} {g.digits(6)} {g.digits(5)} ?        Ss   10:02   0:00 /bin/sh -c x",
        f"{user:<10} {pid} 12.{g.digits(1)}  3.1 {g.digits(7)} {g.digits(5)} pts/1 Sl+ 09:{g.digits(2)} 1:13 node a.js",
        f"{user}  {pid}  1  0 10:2{g.digits(1)} ?        00:00:0{g.digits(1)} /usr/bin/python3 x.py",
        f"{user}   pts/{g.digits(1)}   2025-0{g.digits(1)}-12 09:14 (10.0.0.7)",
        f"{user}         {pid}   0.0  0.1 {g.digits(8)}  {g.digits(5)}   ??  S     9:12AM   0:00.31 /usr/sbin/x",
    )
    head = g.pick(
        "",
        "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\n",
        "root 1 0.0 0.1 1 2 ? Ss 09:00 0:01 init\n",
    )
    return head + lines, (user,)


def consoles(g: Grammar) -> Made:
    user, folder, first = g.user(), g.pick(*WORDS), g.first().capitalize()
    return g.pick(
        f"{user}  pts/0    10.61.{g.digits(2)}.{g.digits(3)}       09:41    1.00s  0.06s  0.00s w",
        f"{user}  pts/0        10.108.6.{g.digits(2)}     Mon Mar  3 20:26   still logged in",
        f"03/07/2025  17:37             1,{g.digits(3)} CORP-{g.digits(4)}\\{user}     build.log",
        f" USERNAME   SESSIONNAME  ID  STATE\n>{user}     console   {g.digits(1)}  Active      none   3/4/2025 8:12 AM",
        f"{g.mode()} 1 {user} domain users {g.digits(4)} {g.day()} report.md",
        f"{user}:~/{folder}$ make test\nok",
        f"[{user} ~/{folder}]$ git pull",
        f"{first}s-Mac-mini:{folder} {user}$ brew doctor",
        f"{user} in \U0001f310 {g.pick(*WORDS)} in {folder} on  main\n❯ just test",
    ), (user,)


def machine(g: Grammar) -> Made:
    first, name = (
        g.first(),
        f"DESKTOP-{g.some(string.ascii_uppercase, 5)}{g.some('BCDFGHJKLMNPQRSTVWXZ', 2)}",
    )
    host = f"{first}s-{g.pick('imac', 'macbook-pro', 'mac-mini')}"
    return g.pick(
        (f"COMPUTERNAME={name}\nPROCESSOR_ARCHITECTURE=AMD64"),
        f"COMPUTERNAME={name}",
        f"Advertising service on {host}.local:8080",
        f"http://{host}.local:{g.digits(4)}/",
    ), (name, host)


def prompt(g: Grammar) -> Made:
    user, host, folder = g.user(), g.host(), g.pick(*WORDS)
    command = g.pick("ls", "git status", "make -j4", "python x.py", "")
    return g.pick(
        f"{user}@{host} {folder} % {command}",
        f"{user}@{host}:~/{folder}$ {command}",
        f"[{user}@{host} {folder}]$ {command}",
        f"[{user}@{host} ~]$ {command}",
        f"{user}@{host} ~ % {command}",
        f"{user}@{host}:/srv/{folder}$ {command}",
        f"(venv) {user}@{host}:~$ {command}",
        f"{user}@{host} ~/{folder}> {command}",
        f"┌──({user}㉿{host})-[~/{folder}]",
        f"{user}@{host} MINGW64 /c/{folder} (main)\n$ {command}",
        f"➜  {user}@{host} ~/{folder} {command}",
        f"{user} ➜ ~/{folder} $ {command}",
        f"@{user} ➜ /workspaces/{folder} (main) $ {command}",
        f"```console\n{user}@{host}:~/{folder} (main) $ {command}\n```",
        f"PS C:\\Users\\{user}> {command}",
        f"C:\\Users\\{user}\\{folder}>{command}",
        f"{user}@{host.capitalize()}.local {folder} % {command}",
        f"{user} in {host} in ~/{folder}",
        f"{user}@{host}:{folder}$ {command}",
    ), (user,)


def mail(g: Grammar) -> Made:
    user, domain = g.user(), g.domain()
    return g.pick(
        f"write to {user}@{domain} please",
        f'{{"email":"{user}@{domain}"}}',
        f"<{user}@{domain}>",
        f"mailto:{user}@{domain}",
        f"| {user}@{domain} | admin |",
        f"`{user}@{domain}`",
        f"ssh {user}@{g.host()} uptime",
        f"{user}@{domain}: delivered",
        f"git clone ssh://{user}@git.{domain}/x.git",
        f"rsync -a . {user}@{g.host()}:/srv/",
    ), (user,)


def spelled(g: Grammar) -> Made:
    user, domain = g.user(), g.domain()
    company = domain.partition(".")[0]
    dotted = domain.replace(".", " [dot] ")
    return g.pick(
        f"{user} [at] {dotted}",
        f"{user}(at){domain}",
        f"mail: {user} (at) {domain.replace('.', ' (dot) ')}.",
        f"{user}[at]{domain.replace('.', '[dot]')}",
        f"reach me: {user} at {domain.replace('.', ' dot ')}",
        f"{user} AT {domain.replace('.', ' DOT ')}",
        f"{user} {{at}} {domain}",
    ), (company,)


def author(g: Grammar) -> Made:
    foreign = ("محمد الشامي", "Иван Петров", "Ελένη Παππά")
    name = g.person() if g.random.random() < 0.8 else g.pick(*foreign)
    address = f"{g.user()}@{g.domain()}"
    return g.pick(
        f"Author: {name} <{address}>\nDate:   Mon",
        f"Co-authored-by: {name} <{address}>",
        f"Signed-off-by: {name} <{address}>",
        f"From: {name} <{address}>",
        f"author {name} <{address}> 17{g.digits(8)} +0100",
        f"Reviewed-by: {name} <{address}>",
        f"Author:     {name} <{address}>\nCommit:     {name} <{address}>",
    ), (name, address)


def phone(g: Grammar) -> Made:
    number = g.pick(
        f"+49 {g.digits(2)} {g.digits(7)}",
        f"+49 1{g.digits(2)} {g.digits(8)}",
        f"+44 7{g.digits(3)} {g.digits(6)}",
        f"+1 ({g.random.randint(212, 410)}) {g.random.randint(600, 989)}-{g.digits(4)}",
        f"+1-{g.random.randint(600, 989)}-{g.random.randint(212, 410)}-{g.digits(4)}",
        f"+33 {g.digits(1)}" + "".join(f" {g.digits(2)}" for _ in range(4)),
        f"+81-3-{g.digits(4)}-{g.digits(4)}",
        f"+91 {g.random.randint(70000, 99999)} {g.digits(5)}",
        f"+55 11 9{g.digits(4)}-{g.digits(4)}",
        f"+48{g.random.randint(500, 899)}{g.digits(6)}",
        f"+34 6{g.digits(2)} {g.digits(3)} {g.digits(3)}",
        f"+86 13{g.digits(1)} {g.digits(4)} {g.digits(4)}",
        f"+49 (0) 89 {g.digits(6)}-{g.digits(2)}",
        f"+254 7{g.digits(2)} {g.digits(6)}",
        f"+1.{g.random.randint(600, 989)}.{g.random.randint(212, 410)}.{g.digits(4)}",
    )
    return g.pick(
        f"call {number} today",
        f"Tel.: {number}",
        f'{{"phone": "{number}"}}',
        f"tel:{number}",
        f"({number})",
        f"| {number} |",
        f"phone={number}",
        f"- {number}\n- none",
        f"**{number}**",
        f"{number}, mornings only",
    ), (number,)


def iban(g: Grammar) -> Made:
    country, body = g.pick(
        "DE 18d", "FR 23d", "NL 4u10d", "GB 4u14d", "PL 24d", "ES 20d", "CH 17d", "AT 16d"
    ).split()
    letters, _, count = body.rpartition("u")
    account = g.some(string.ascii_uppercase, 4 if letters else 0) + g.some(
        string.digits, int(count.rstrip("d"))
    )
    rest = int("".join(str(int(sign, 36)) for sign in f"{account}{country}00")) % 97
    number = f"{country}{98 - rest:02}{account}"
    shown = g.pick(number, " ".join(number[at : at + 4] for at in range(0, len(number), 4)))
    return g.pick(
        f"IBAN: {shown}",
        f"pay to {shown} by Friday",
        f'"iban": "{shown}"',
        f"| {shown} |",
        f"{shown}\n",
    ), (shown,)


def card(g: Grammar) -> Made:
    start, length = g.pick("4 16", "51 16", "55 16", "37 15", "6011 16", "35 16", "4 16").split()
    start = f"{start}{g.digits(1)}" if start != "35" else "356"
    body = start + g.some(string.digits, int(length) - len(start) - 1)
    total = sum(sum(divmod(int(d) * (2 - at % 2), 10)) for at, d in enumerate(reversed(body)))
    number = f"{body}{-total % 10}"
    groups = (4, 6, 5) if length == "15" else (4, 4, 4, 4)
    ends = [sum(groups[: at + 1]) for at in range(len(groups))]
    gap = g.pick(" ", "-", " ")
    parted = gap.join(number[end - size : end] for end, size in zip(ends, groups, strict=True))
    return g.pick(
        (f"paid with {parted} today"),
        f"card: {number}",
        f'"cardNumber": "{number}"',
        f"Visa {parted}",
        f"card_number={number}",
        f"| {parted} | 12/27 |",
        f"credit card number is {number}.",
        f"CC: {parted}",
    ), (number, parted)


Maker = Callable[[Grammar], Made]
PERSONAL: dict[str, tuple[Maker, ...]] = {
    "home folder": (of_home, encoded_home),
    "user name": (
        environment,
        files,
        processes,
        state,
        files_in_json,
        windows_environment,
        consoles,
    ),
    "user and host": (prompt,),
    "host name": (machine,),
    "e-mail address": (mail, spelled),
    "name of a person": (author,),
    "phone number": (phone,),
    "bank account": (iban,),
    "payment card": (card,),
}

LOOK_ALIKES = (
    "git reset --soft HEAD~<d1>",
    "requests~=2.<d2>.<d1>",
    "about ~<d2> files, ~<d1>k lines",
    "`@types/<w>`@<d1>.<d1>.<d1>",
    "@pytest.fixture\ndef <w>(): ...",
    "@media (max-width: <d3>px) { a { color: red } }",
    "@import '~<w>/dist/<w>.css';",
    "npm i @<w>/<w>@latest",
    "<w>@<d1>.<d2>.<d1> requires <w>@^<d1>.0.0",
    "uses: actions/checkout@v<d1>",
    "x = a[~mask] & ~<w>",
    "~<w>() { delete p; }",
    "price +<d3> %, delta +<d7>",
    "@@ -<d2>,<d1> +<d3>,<d2> @@ def <w>():",
    "+<d2> <d2> <d2> <d2> <d2>\n-<d2> <d2>",
    "<d13> ms since the epoch",
    "id <d16>, shard <d1>",
    "0.<d16>",
    '{"id": <d16>, "user_id": <d9>}',
    "sha <x40>",
    "+<d10>,<d10>",
    "user: root\nname: <w>",
    "USER root\nWORKDIR /app",
    "USER=<s>",
    "export USER=$(whoami)",
    'USERNAME="${USERNAME:-<w>}"',
    "<m> 1 <s> <s> <d4> <t> <w>",
    "drwxr-xr-x 2 root root 4096 <t> <w>",
    "<s> <d4> 0.0 0.1 <d6> <d5> ? Ss 10:02 0:00 <w>",
    "uid=0(root) gid=0(root) groups=0(root)",
    "root@<x12>:/app# ls",
    "<s>@<w>-<d1>:~$ ls",
    "nobody:x:65534:65534:nobody:/:/sbin/nologin",
    "if x > 5: return a @ b",
    "r'^[\\w.]+@[\\w.]+\\.\\w+$'",
    "y = W @ x + b  # <w>",
    "model: claude-sonnet-4-5-2025<d4>",
    "2025-0<d1>-1<d1>T10:<d2>:00+01:00",
    "v<d1>.<d2>.<d1>.<d1> is out",
    "icon@2x.png",
    "user@example.com",
    "admin [at] example [dot] com",
    "f(at) self.<w>",
    "values[at] = other.<w>",
    "call +1 (415) 555-01<d2>",
    "card 4111 1111 1111 1111",
    "GB<d2>ABCD<d14>X",
    "rows <d4> <d4> <d4> <d4> <d4>",
    "| <d4> | <d4> | <d4> | <d4> |",
    "Author: dependabot[bot] <noreply@github.com>",
    "| user | group | size |\n|---|---|---|",
    "def <w>(user: str, name: str) -> None:",
    "const USER = 'user';",
    '"USER": "user"',
    "role USER = 'USER'",
    "SELECT user FROM <w>",
    "the user in <w> in a loop",
    "a dot in <w> at the dot",
    "x:y:<d3>:<d3>:z",
    "timeout=<d4> <w>=<d3>",
    "1 + 2 = 3, 10^<d1> + <d8>",
    "~/<w>/<w>.py",
    "cd ~ && ls ~/<w>",
    "~<d1>.<d1>s/op",
    "~tokens/s and ~requests/min",
    "<U4><d2>-<U8>",
    "+<d1>.<d8>e-0<d1>",
    "tests/<w>/test_<w>.py:<d3>: in <w>",
    "whoami\npwd\nls",
    "<w> in <w> in <w>",
    "see (at) line <d2>",
    "<d4>-<d4>-<d4>",
    'Traceback (most recent call last):\n  File "/app/<w>.py", line <d2>',
    "- [x] <w> ➜ <w>",
    "2 ➜ /<w>",
    "ssh root@203.0.113.<d2> uptime",
    "/home/runner/work/<w>/<w>/src/<w>.ts:<d2>:4 warning",
    "HOME=/home/node",
    "Ciphers chacha20-poly1305@openssh.com,aes256-gcm@openssh.com",
    "Kex: curve25519-sha256@libssh.org",
    "this@<w>Activity.finish()",
    "getty@tty<d1>.service loaded active running",
    "\\\\server\\ADMIN$",
    "\\\\<w>\\IPC$",
    "costs <d2>$ each",
    "main:<w> -> <w>:~",
)
