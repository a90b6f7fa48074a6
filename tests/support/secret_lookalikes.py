"""Texts that look like secrets and are none: they must come through the redactor as they are. See secret_grammar.py."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

from tests.support.secret_samples import ALNUM, DIGITS, HEX, LOWER, UPPER, Maker

_WORDS = ("order", "invoice", "session", "user", "report", "cache", "widget", "parser", "account", "ledger", "token")
_VERBS = ("parse", "render", "validate", "resolve", "build", "merge", "compute", "handle", "refresh", "normalise")


def _camel(m: Maker, count: int) -> str:
    return m.pick(*_VERBS) + "".join(m.pick(*_WORDS).title() for _ in range(count))


def _snake(m: Maker, count: int) -> str:
    return "_".join([m.pick(*_VERBS), *(m.pick(*_WORDS) for _ in range(count))])


def _text64(m: Maker) -> str:
    """Base64 of a text without a secret."""
    words = " ".join(m.pick(*_WORDS, *_VERBS) for _ in range(m.random.randint(8, 40)))
    return base64.b64encode(words.encode()).decode()


LOOKALIKES: dict[str, Callable[[Maker], str]] = {
    "git hash": lambda m: m.pick(
        f"commit {m.hex(40)}", f"[main {m.hex(7)}] fix {m.pick(*_WORDS)}", f"index {m.hex(10)}..{m.hex(10)} 100644",
        f"git checkout {m.hex(40)}", f"HEAD is now at {m.hex(9)}", f"Revert \"x\"\n\nThis reverts commit {m.hex(40)}.",
        f'checkout("{m.hex(40)}")', f"rev: {m.hex(40)}", f'"sha": "{m.hex(40)}"'),
    "uuid": lambda m: m.pick(
        f"session {m.uuid()}", f'"id": "{m.uuid()}"', f"run={m.uuid()}", f"getUser('{m.uuid()}')",
        f"request_id: {m.uuid()}", f"/items/{m.uuid()}/edit", f"session_id={m.uuid()}", f'"sessionId":"{m.uuid()}"'),
    "id of a session or tool": lambda m: m.pick(
        f"toolu_01{m.of(ALNUM, 22)}", f"msg_01{m.of(ALNUM, 22)}", f"req_011{m.of(ALNUM, 21)}", f"call_{m.of(ALNUM, 24)}",
        f"chatcmpl-{m.of(ALNUM, 29)}", f"resp_{m.hex(48)}", f"run_{m.of(ALNUM, 24)}", f"thread_{m.of(ALNUM, 24)}",
        f'"tool_use_id": "toolu_01{m.of(ALNUM, 22)}"', f"file-{m.of(ALNUM, 24)}", f"evt_{m.of(ALNUM, 24)}",
        f"cus_{m.of(ALNUM, 14)}", f"batch_{m.hex(24)}", f"ses_{m.hex(24)}", f"prt_{m.hex(12)}{m.of(ALNUM, 14)}"),
    "integrity": lambda m: m.pick(
        f'"integrity": "sha512-{m.base64(64)}"', f'integrity="sha384-{m.base64(48)}"', f"sha256-{m.base64(32)}",
        f"--hash=sha256:{m.hex(64)}", f"h1:{m.base64(32)}", f'checksum = "{m.hex(64)}"', f"SHA256:{m.base64(32)[:43]}",
        f"{m.hex(64)}  dist/app.tar.gz", f"md5 {m.hex(32)}", f'hash = "{m.hex(64)}"', f"sha1:{m.hex(40)}"),
    "placeholder": lambda m: m.pick(
        "API_KEY=your-api-key-here", "password: <your password>", "TOKEN=xxxxxxxxxxxxxxxx", "export KEY=sk-...",
        'api_key="YOUR_API_KEY"', "DB_PASSWORD=changeme", "PASSWORD=${DB_PASSWORD}", "secret: ${{ secrets.DEPLOY }}",
        "token: $TOKEN", "password=********", "password: [hidden]", "SECRET_KEY=<secret>", "ghp_XXXXXXXXXXXXXXXXXXXX",
        '"password": "string"', "password: {{ vault_db_password }}", "API_TOKEN=$(cat token.txt)", "token=%TOKEN%",
        'password: ""', "password: null", "PASSWORD=", "AKIAIOSFODNN7" + "EXAMPLE", "api_key: REPLACE_ME",
        "password = TODO", "postgres://user:password@localhost/db", "https://user:pass@example.com", "sk-ant-api03-...",
        "curl -u user:password https://example.com", "auth=('user', 'pass')", "--password <password>", "-p <port>",
        "--token TOKEN", "password=password", "token=<redacted>", "pw: ***", "Authorization: Bearer <token>"),
    "counts of tokens": lambda m: m.pick(
        f"max_tokens: {m.of(DIGITS, 4)}", f'"input_tokens": {m.of(DIGITS, 6)}', f"cache_read_input_tokens={m.of(DIGITS, 7)}",
        f"Total tokens: {m.of('123456789', 3)},{m.of(DIGITS, 3)}", "token_limit = 200_000", "max_tokens=None",
        f"tokens/s: {m.of(DIGITS, 2)}.{m.of(DIGITS, 1)}", "pad_token: '[PAD]'", 'eos_token="<|endoftext|>"',
        f"num_key_value_heads: {m.of(DIGITS, 1)}", "tokenizer: cl100k_base", "next_page_token: null",
        f"pad_token_id={m.of(DIGITS, 5)}", 'bos_token = "<s>"', 'tokenizer_class: "LlamaTokenizerFast"'),
    "path": lambda m: m.pick(
        f"src/auth/{m.pick(*_WORDS)}/PasswordReset.test.tsx:12", f"secrets/{m.pick(*_WORDS)}.yaml", "~/.ssh/id_ed25519.pub",
        "key: ./certs/server.key", "password_file: /run/secrets/db_password", "ssl_certificate_key /etc/ssl/private/a.key;",
        f"/usr/lib/python3.12/site-packages/{m.pick(*_WORDS)}/token.py", "token_path = Path('~/.cache/token')",
        "KEY_FILE=/etc/app/key.pem", f"arn:aws:secretsmanager:eu-west-1:{m.of('123456789', 12)}:secret:prod/db-password", "credentials: credentials.json", "secret_dir: ../secrets", "auth: src/auth.ts"),
    "version": lambda m: m.pick(
        f"react@18.{m.of(DIGITS, 1)}.0", f"numpy-2.1.{m.of(DIGITS, 1)}-cp311-cp311-manylinux_2_17_x86_64.whl",
        f"v1.2.3-beta.4+build.{m.hex(7)}", f"python:3.13@sha256:{m.hex(64)}", f"pkg v0.0.0-20240102150405-{m.hex(12)}"),
    "css": lambda m: m.pick(
        f".css-{m.of(LOWER + DIGITS, 6)}-container {{ color: #{m.hex(6)}; }}", 'class="flex items-center px-4 py-2"',
        f"className={{styles.passwordInput_{m.of(ALNUM, 5)}}}", "password-field--error { margin: 0 }", ".token.keyword{}",
        f'<div class="sc-{m.of(ALNUM, 6)} {m.of(ALNUM, 6)}">', ":root{--token-color: var(--blue-500)}"),
    "base64 without a secret": lambda m: m.pick(
        f"data:image/png;base64,iVBORw0KGgo{m.base64(300)}", f"src: url(data:font/woff2;base64,{m.base64(300)})",
        f"atob('{_text64(m)}')", f'"content": "{_text64(m)}"', f"echo {_text64(m)} | base64 -d",
        f"//# sourceMappingURL=data:application/json;base64,{_text64(m)}", f"![x](data:image/gif;base64,R0lG{m.base64(90)})",
        f'"body": "{m.base64(120)}"'),
    "minified": lambda m: m.pick(
        "e.password===t.key?1:0", f'<li key="{m.of(ALNUM, 21)}">Password reset</li>', "a('+' + b + '=' + \"'\" + c)",
        "!function(e,t){var n=e.key,r=t.token;n&&r||(this.k=function(){return n})}(a,b);",
        f"e.exports=function(t){{return t.password===this.p{m.of(DIGITS, 1)}}},t.key=e.k",
        f'var a={{key:"{m.of(LOWER, 1)}",token:t}},b=a.key||"{m.of(LOWER, 3)}";',
        "function a(e){return e.auth&&e.auth(t,n)}var s=Object.keys(e).map(k=>k+1);"),
    "model": lambda m: m.pick(
        "claude-sonnet-4-5-20250929", "gpt-4o-mini-2024-07-18", "anthropic.claude-3-5-sonnet-20241022-v2:0",
        "gemini-2.5-pro-preview-05-06", "meta-llama/Llama-3.3-70B-Instruct-Turbo", "model: openrouter/deepseek/deepseek-r1",
        "us.anthropic.claude-opus-4-1-20250805-v1:0", "Qwen/Qwen2.5-Coder-32B-Instruct", 'ChatModel("claude-opus-4-1-20250805")'),
    "digest and etag": lambda m: m.pick(
        f"sha256:{m.hex(64)}", f'ETag: W/"{m.hex(32)}"', f"Digest: sha256:{m.hex(64)}", f"layer {m.hex(12)}: Pull complete",
        f'etag: "{m.hex(40)}"', f"If-None-Match: \"{m.hex(32)}\"", f"traceparent: 00-{m.hex(32)}-{m.hex(16)}-01",
        f"x-request-id: {m.hex(32)}", f"trace_id={m.hex(32)} span_id={m.hex(16)}", f"cf-ray: {m.hex(16)}-FRA",
        f"x-amz-request-id: {m.of(UPPER + DIGITS, 16)}", f"cache-key: node-modules-{m.hex(64)}",
        f"cache_key = '{m.hex(64)}'", f"public_key_fingerprint: {m.hex(40)}", f"partition_key: {m.uuid()}",
        f"Cache restored from key: Linux-node-{m.hex(64)}", f"Sec-WebSocket-Key: {m.base64(16)}",
        f"The hash of the public key:\n{m.hex(64)}\n", f"Restored the cache by this key:\n{m.hex(40)}\n"),
    "names in code": lambda m: m.pick(
        f"{_camel(m, 3)}({_camel(m, 2)})", f"def test_{_snake(m, 6)}(): ...", f"token = {_snake(m, 2)}",
        f"const password = {_camel(m, 2)}(req);", f"this.password = {_camel(m, 2)};", f"secret = {_snake(m, 1)}.value",
        f"api_key={_snake(m, 1)},", f"password: {_camel(m, 1)},", f"auth = {_snake(m, 2)}(user, pw)",
        "password = parts[2]", "secret = key[:16]", "passwd = row[3]", "x.password->value", "PasswordHasher|TokenHasher",
        "pw := cfg2.Pass", "await page.getByLabel('Password').click()", 'page.fill("#password", password)',
        "password: string;", "password: str", "token: Optional[str] = None", "password!: string", "key: KeyType",
        f"new {_camel(m, 2).title()}Client(config)", f"key=lambda {m.pick(*'xr')}: {m.pick(*'xr')}[0]",
        f"sort_key = '{_snake(m, 1)}'", f'getItem("{_camel(m, 2)}")', f"session = {_snake(m, 2)}",
        f"self.token = {_snake(m, 1)}", "String password;", "private readonly token: string", "let key = row.id;",
        f"auth=({_snake(m, 1)}, {_snake(m, 1)})", f'createClient("{_camel(m, 2)}")', f"login('{m.pick(*_WORDS)}')",
        f'connect("{m.pick(*_WORDS)}-{m.pick(*_WORDS)}", "{_camel(m, 1)}")', f"pass_{_snake(m, 1)} = {m.of(DIGITS, 2)}"),
    "names of tests": lambda m: m.pick(
        f"PASS: test_{_snake(m, 4)}", f"PASSED tests/test_{_snake(m, 1)}.py::test_{_snake(m, 3)}",
        f"pass: {m.of('123456789', 2)}, fail: 0", f"All {m.of('123456789', 1)} checks pass: `{_snake(m, 1)}` is ready", f"PASS  src/{m.pick(*_WORDS)}.test.ts ({m.of(DIGITS, 1)}.3 s)",
        f"--- PASS: Test{_camel(m, 3).title()} (0.0{m.of(DIGITS, 1)}s)", f"it('rejects a wrong password for {m.pick(*_WORDS)}')",
        f"ok {m.of('123456789', 1)} - token is refreshed", "Passed: 14, Failed: 2", f"{m.of('123456789', 2)} passed in 1.2s"),
    "translation": lambda m: m.pick(
        '"password": "Passwort"', '"password": "Mot de passe"', '"login.password": "Contraseña"', "password: Wachtwoord",
        '"password": "パスワード"', '"token": "Jeton"', '"forgot_password": "Passwort vergessen"', '"key": "Schlüssel"',
        '"password_label": "Senha"', "password: 密码", '"new_password": "Neues Passwort"', "msgid \"password\"\nmsgstr \"Hasło\"",
        '"password": "Enter your password"', '"secret": "Geheimnis"', '"api_key": "API-Schlüssel"'),
    "talk of passwords": lambda m: m.pick(
        "The password is required.", "The password field validates length.", "Das Passwort ist falsch.",
        "Le mot de passe est incorrect.", "La contraseña es obligatoria.", "A senha é obrigatória.", "password: required",
        "The token is expired.", "Password must be at least 12 characters.", "the password was changed yesterday",
        "I moved the secret to the environment.", "Passwort: mindestens 12 Zeichen", "Пароль обязателен.",
        "the API key is missing", "password hashing uses bcrypt with 12 rounds", "The password is hashed with argon2id.",
        "token: expired", "Password reset e-mail sent", "No password is set for user app.", "login: failed for admin",
        "runs/fix-login-opus-1-f3725c69c0cd/steps-1.html#s3", "fix login opus/1.jsonl", "oauth-login_2/a1b2c3.json",
        "key: value pairs", "Secret: none found", "the key is the file's path", "credentials: missing", "パスワードが違います",
        "密码错误", "密码不能为空", "session: 5 hours", "auth: basic / bearer", "Login: admin / user roles", "The pass is optional",
        "The password is checked in `validate_login`.", "The key is `user_id`.", "token is `None`", "password: optional",
        "with password authentication", "use the password manager", "set the password to expire", "Wachtwoord vergeten?"),
    "schema": lambda m: m.pick(
        "password:\n  type: string\n  minLength: 8", "| Field | Password |\n|---|---|\n| length | 12 characters |",
        "login;token;ok\na;b;c", "INSERT INTO t (id, password) VALUES (?, ?)", "<th>Password</th><th>Token</th>",
        'password: "^(?=.*[A-Z])(?=.*[0-9]).{8,}$"', '{"element": "Password field", "ref": "e12"}',
        "password: { type: 'string', minLength: 8 }", '"password": {"type": "string"}', 'password = Column(String(128))',
        "password VARCHAR(255) NOT NULL", "password = forms.CharField(widget=forms.PasswordInput)", "type: password",
        '<input type="password" name="login_password" autocomplete="current-password">', "format: password",
        'name="csrf_token" type="hidden"', "token: z.string().min(1)", "api_key: SecretStr", '"secret": {"type": "boolean"}',
        "Authorization: Bearer {token}", 'f"Bearer {token}"', "`Bearer ${token}`", "required: [username, password]",
        "- password: string (required)", "| password | string | yes |", "| token | The token of the user |",
        "| `api_key` | `str` | required |", "@click.option('--password', prompt=True)", "--password PASSWORD  the password"),
    "public key": lambda m: m.pick(
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{m.of(ALNUM, 43)}", f"public_key: {m.base64(32)}",
        f"-----BEGIN PUBLIC KEY-----\n{m.base64(48)}\n-----END PUBLIC KEY-----", f"pub_key = '{m.hex(64)}'",
        f"-----BEGIN CERTIFICATE-----\n{m.base64(48)}\n-----END CERTIFICATE-----", f"publicKey: \"{m.base64(32)}\""),
    "number": lambda m: m.pick(
        f"{m.of(DIGITS, 18)}", f"0x{m.hex(16)}", f"1.{m.of(DIGITS, 15)}", f"CVE-2025-{m.of(DIGITS, 5)}", f"0x{m.hex(40)}",
        f"192.168.{m.of('123456789', 2)}.{m.of('123456789', 2)}:8080", f"{m.of('123456789', 1)}.{m.of(DIGITS, 2)}e-0{m.of(DIGITS, 1)}"),
    "file of a build": lambda m: m.pick(
        f"main.{m.hex(20)}.chunk.js", f"index-{m.of(ALNUM, 8)}.js 145 kB", f"babel-loader/{m.hex(32)}.json",
        f"assets/{m.pick(*_WORDS)}.{m.hex(8)}.css", f"api-{m.of(LOWER + DIGITS, 10)}-{m.of(LOWER, 5)}", f"snap_{m.hex(24)}"),
    "json of a tool": lambda m: m.pick(
        json.dumps({"pattern": "password|secret|token", "glob": "*.env"}),
        json.dumps({"usage": {"input_tokens": 12}, "token_type": "Bearer"}),
        json.dumps({"key": m.pick(*_WORDS), "value": m.pick(*_WORDS)}), json.dumps({"auth": "none", "session": "open"}),
        json.dumps({"tool": "Bash", "command": f"grep -rn 'API_KEY=' src | head -{m.of('123456789', 1)}"}),
        json.dumps({"old_string": "password = None", "new_string": "password = get_password()"}),
        json.dumps({"error": {"type": "authentication_error", "message": "invalid x-api-key"}})),
    "marks of edits": lambda m: m.pick(
        f"<<<<<<< SEARCH\n{_snake(m, 2)}", f"<<<<<<< HEAD\n{_snake(m, 2)}", f"<<<<<<< {_snake(m, 3)}"),
    "long values behind plain names": lambda m: m.pick(
        f'nonce="{m.of(HEX, 16)}"', f"job: {m.of(ALNUM, 24)}", f'"cursor": "{m.base64(24)}"', f"branch={_snake(m, 3)}",
        f'image: registry.io/app:{m.hex(40)}', f"parse('{m.hex(32)}')", f"hash('{m.hex(64)}')", f"span {m.hex(16)}",
        f"getById('{m.hex(24)}')", f"ref = '{m.hex(40)}'", f"build_id: {m.hex(40)}", f'"digest": "{m.hex(64)}"'),
}  # fmt: skip
"""How a look-alike of each kind is made."""
