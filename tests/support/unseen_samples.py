"""A second set of secrets, personal data and look-alikes, each in the words where it was met: see secret_samples.py.

It was written from the documentation of services and from habits of logs, before its authors read the code of the
rules; what it showed was then mended by classes. `<x32>` stands for 32 random characters of an alphabet of ALPHABETS,
`<uuid>` and `<user>` for themselves; what stands between `[[` and `]]` is the value that may not be read afterwards.
"""

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from collections.abc import Iterator

from tests.support.secret_samples import Sample

ALNUM = string.ascii_letters + string.digits
ALPHABETS = {
    "x": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "a": ALNUM,
    "l": string.ascii_lowercase + string.digits,
    "z": string.ascii_lowercase,
    "U": string.ascii_uppercase + string.digits,
    "T": string.ascii_uppercase + "234567",
    "b": ALNUM + "-_",
    "B": ALNUM + "+/",
    "d": string.digits,
    "p": ALNUM + "!#%*+,.:;=?@^_~-",
}
USERS = (
    "mkowalski",
    "jane.doe",
    "lchen42",
    "tvandenberg",
    "s_okafor",
    "pgarcia",
    "hiroshi",
    "ewa-nowak",
    "dimitri",
)

SECRETS = r"""
export ANTHROPIC_API_KEY=[[sk-ant-api03-<b93>AA]]
the CLI stored `[[sk-ant-oat01-<b93>AA]]` in its credentials file
{"apiKey": "[[sk-proj-<a48>T3BlbkFJ<b48>]]", "model": "gpt-5"}
openai.api_key = '[[sk-<a20>T3BlbkFJ<a20>]]'
error: Incorrect API key provided: [[sk-svcacct-<b58>]]. You can find your key in the dashboard.
remote: Invalid username or token for ghp: [[ghp_<a36>]]
GH_TOKEN=[[github_pat_<a22>_<a59>]] gh pr list
Authorization: token [[gho_<a36>]]
curl --header "PRIVATE-TOKEN: [[glpat-<b20>]]" https://gitlab.example.net/api/v4/projects
registered runner with token [[glrt-t1_<b20>]]
"ci_trigger": "[[glptt-<x40>]]"
SLACK_BOT_TOKEN="[[xoxb-<d12>-<d13>-<a24>]]"
slack app level token is [[xapp-1-A0<U9>-<d13>-<x64>]] (socket mode)
Posting to https://hooks.slack.com/services/[[T0<U8>/B0<U8>/<a24>]]
aws_access_key_id = [[AKIA<T16>]]
aws_secret_access_key = [[<B40>]]
export AWS_SESSION_TOKEN=[[IQoJb3JpZ2luX2Vj<B300>=]]
{"AccessKeyId":"[[ASIA<T16>]]","Expiration":"2026-01-01T00:00:00Z"}
{"SecretAccessKey":"[[<B40>]]","Version":1}
const firebaseConfig = { apiKey: "[[AIza<b35>]]", projectId: "shop" };
"client_secret": "[[GOCSPX-<b28>]]"
access_token=[[ya29.a0<b160>]]
DefaultEndpointsProtocol=https;AccountName=store;AccountKey=[[<B86>==]];EndpointSuffix=core.windows.net
AZURE_CLIENT_SECRET: [[<a3>8Q~<b34>]]
Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=[[<B43>=]]
https://store.blob.core.windows.net/c/f.txt?sv=2024-11-04&se=2026-01-01&sp=r&sig=[[<a20>%2B<a20>%3D]]
AZURE_DEVOPS_EXT_PAT=[[<l52>]]
COSMOS_KEY = "[[<B86>==]]"
stripe.api_key = "[[sk_live_51<a90>]]"
Using restricted key [[rk_live_51<a90>]] for refunds
STRIPE_WEBHOOK_SECRET=[[whsec_<a32>]]
TWILIO_AUTH_TOKEN=[[<x32>]]
twilio: apiKeySid [[SK<x32>]] rejected
SENDGRID_API_KEY: [[SG.<b22>.<b43>]]
mailgun --key [[key-<x32>]]
MAILCHIMP_API_KEY='[[<x32>-us14]]'
brevo: [[xkeysib-<x64>-<a16>]]
RESEND_API_KEY=[[re_<a8>_<a24>]]
X-Postmark-Server-Token: [[<uuid>]]
huggingface-cli login --token [[hf_<a34>]]
REPLICATE_API_TOKEN=[[r8_<a37>]]
{"groq": {"key": "[[gsk_<a52>]]"}}
XAI_API_KEY=[[xai-<a80>]]
perplexity key: [[pplx-<a48>]]
TOGETHER_API_KEY=[[<x64>]]
MISTRAL_API_KEY="[[<a32>]]"
co = cohere.Client(api_key="[[<a40>]]")
DEEPSEEK_API_KEY=[[sk-<x32>]]
OPENROUTER_API_KEY=[[sk-or-v1-<x64>]]
xi-api-key: [[sk_<x48>]]
ASSEMBLYAI_API_KEY=[[<x32>]]
Authorization: Token [[<x40>]]
wandb login [[<x40>]]
LANGSMITH_API_KEY=[[lsv2_pt_<x32>_<x10>]]
LANGFUSE_SECRET_KEY=[[sk-lf-<uuid>]]
PINECONE_API_KEY = [[pcsk_<a6>_<a63>]]
npm notice //npm.internal/:_authToken=[[npm_<a36>]]
TWINE_PASSWORD=[[pypi-AgEIcHlwaS5vcmc<b150>]]
cargo login [[cio<a32>]]
:rubygems_api_key: [[rubygems_<x48>]]
docker login -u ci -p [[dckr_pat_<b27>]]
dotnet nuget push a.nupkg --api-key [[oy2<l43>]]
X-JFrog-Art-Api: [[AKCp<a69>]]
DIGITALOCEAN_TOKEN=[[dop_v1_<x64>]]
HEROKU_API_KEY=[[<uuid>]]
LINODE_TOKEN=[[<x64>]]
VULTR_API_KEY=[[<U36>]]
HCLOUD_TOKEN=[[<a64>]]
SCW_SECRET_KEY: [[<uuid>]]
CLOUDFLARE_API_TOKEN=[[<b40>]]
X-Auth-Key: [[<x37>]]
Fastly-Key: [[<b32>]]
RENDER_API_KEY=[[rnd_<a28>]]
RAILWAY_TOKEN=[[<uuid>]]
vercel --token [[<a24>]] deploy
NETLIFY_AUTH_TOKEN=[[nfp_<a36>]]
SUPABASE_ACCESS_TOKEN=[[sbp_<x40>]]
SUPABASE_SERVICE_ROLE_KEY=[[eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ<a120>.<b43>]]
NEON_API_KEY=[[napi_<l64>]]
pscale auth: [[pscale_tkn_<b43>]]
UPSTASH_REDIS_REST_TOKEN="[[A<a54>==]]"
REDIS_URL=rediss://default:[[<a52>]]@eu1-quick-crab-4411.upstash.io:6379
mongodb+srv://svc:[[<a16>]]@cluster0.<l5>.mongodb.net/prod
psql "postgresql://app:[[<a20>]]@db.internal:5432/app"
amqps://worker:[[<b32>]]@rabbit.internal:5671/vhost
Server=tcp:sql.internal,1433;User ID=sa;Password=[[Zx7#<a10>]];Encrypt=true
jdbc:mysql://db:3306/app?user=root&password=[[<a14>]]
SNOWFLAKE_PASSWORD=[[Wq9!<a12>]]
DATABRICKS_TOKEN=[[dapi<x32>]]
Authorization: ApiKey [[<B58>==]]
ALGOLIA_ADMIN_KEY=[[<x32>]]
MEILI_MASTER_KEY=[[<b43>]]
DD_API_KEY=[[<x32>]]
NEW_RELIC_LICENSE_KEY=[[<x36>NRAL]]
NEW_RELIC_API_KEY=[[NRAK-<U27>]]
SENTRY_AUTH_TOKEN=[[sntrys_eyJ<a150>=_<B43>]]
grafana: [[glsa_<a32>_<x8>]]
ROLLBAR_ACCESS_TOKEN=[[<x32>]]
Authorization: Splunk [[<uuid>]]
Api-Token [[dt0c01.<T24>.<T64>]]
AXIOM_TOKEN=[[xaat-<uuid>]]
LAUNCHDARKLY_SDK_KEY=[[sdk-<uuid>]]
STATSIG_SERVER_SECRET=[[secret-<a43>]]
posthog personal key [[phx_<a43>]]
Authorization: SSWS [[00<b40>]]
AUTH0_CLIENT_SECRET=[[<b64>]]
CLERK_SECRET_KEY=[[sk_test_<a42>]]
id_token: [[eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJ<a90>.<b86>]]
> Authorization: Basic [[<B38>==]]
-H 'Authorization: Bearer [[<b64>]]'
Set-Cookie: sessionid=[[<l32>]]; HttpOnly; Path=/
Cookie: _ga=GA1.2.3; connect.sid=[[s%3A<b32>.<a43>]]
PAYPAL_CLIENT_SECRET=[[E<b79>]]
SQUARE_ACCESS_TOKEN=[[EAAA<b60>]]
X-Shopify-Access-Token: [[shpat_<x32>]]
rzp: RAZORPAY_KEY_SECRET=[[<a24>]]
PLAID_SECRET=[[<x30>]]
BINANCE_API_SECRET = '[[<a64>]]'
MOLLIE_API_KEY=[[live_<a30>]]
NOTION_TOKEN=[[ntn_<a46>]]
linear: [[lin_api_<a40>]]
AIRTABLE_PAT=[[pat<a14>.<x64>]]
JIRA_API_TOKEN=[[ATATT3xFfGF0<b170>=<X8>]]
TRELLO_TOKEN=[[ATTA<x72>]]
CLICKUP_API_TOKEN=[[pk_<d8>_<U32>]]
X-Figma-Token: [[figd_<b40>]]
"accessToken": "[[pat-eu1-<uuid>]]"
client.run("[[MT<a24>.G<a5>.<b38>]]")
https://api.telegram.org/bot[[<d10>:AA<b33>]]/getMe
oauth:[[<l30>]] is the twitch chat password
TWITTER_BEARER_TOKEN=AAAAAAAAAAAAAAAAAAAAA[[<a80>]]
SPOTIFY_CLIENT_SECRET=[[<x32>]]
dropbox short-lived: [[sl.u.<b160>]]
MAPBOX_SECRET=[[sk.eyJ<a80>.<b22>]]
SONAR_TOKEN=[[sqp_<x40>]]
SNYK_TOKEN=[[<uuid>]]
CODECOV_TOKEN="[[<uuid>]]"
circleci token [[CCIPAT_<a22>_<x40>]]
curl -u admin:[[11<x32>]] https://jenkins.internal/job/x/build
PULUMI_ACCESS_TOKEN=[[pul-<x40>]]
credentials "app.terraform.io" { token = "[[<a14>.atlasv1.<b67>]]" }
VAULT_TOKEN=[[hvs.<b95>]]
vault: client token [[s.<a24>]]
DOPPLER_TOKEN=[[dp.st.prd.<a43>]]
tailscale up --authkey [[tskey-auth-k<a11>CNTRL-<a32>]]
ngrok config add-authtoken [[2<a26>_<a21>]]
[Interface] PrivateKey = [[<B42>8=]]
machine api.internal login ci password [[<a18>]]
db.internal:5432:app:app:[[<a18>]]
APP_KEY=base64:[[<B43>=]]
RAILS_MASTER_KEY=[[<x32>]]
SECRET_KEY = 'django-insecure-[[<l50>]]'
NEXTAUTH_SECRET="[[<B43>=]]"
ENCRYPTION_KEY=[[<x64>]]
PRIVATE_KEY=0x[[<x64>]]
git clone https://oauth2:[[<b26>]]@git.internal/team/repo.git
PGPASSWORD=[[<a16>]] psql -h db
mysql -h db -u root -p[[<a15>]] app
sshpass -p '[[Vb5$<a10>]]' ssh deploy@10.1.2.3
I logged in with password [[qX7!<a9>]] and it worked.
| DB_PASSWORD | [[Lm4@<a11>]] |
spring.datasource.password=[[kT8_<a12>]]
<property name="password" value="[[Rr3*<a10>]]"/>
{"auths":{"ghcr.io":{"auth":"[[<B50>==]]"}}}
users: [{name: ci, user: {token: [[eyJhbGciOiJSUzI1NiIsImtpZCI6Ing5In0.eyJ<a200>.<b342>]]}}]
https://bucket.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=[[<x64>]]
"""

PERSONAL = r"""
File "/home/[[<user>]]/src/app/main.py", line 12, in <module>
cd /home/[[<user>]] && ls
/Users/[[<user>]]/Library/Caches/pip/wheels
open '/Users/[[<user>]]/My Documents/notes.md'
C:\Users\[[<user>]]\AppData\Local\Temp\x.log
"path": "C:\\Users\\[[<user>]]\\repo\\a.ts"
c:/Users/[[<user>]]/go/pkg/mod
/mnt/c/Users/[[<user>]]/Downloads/data.zip
/c/Users/[[<user>]]/.bashrc
/cygdrive/c/Users/[[<user>]]/bin
\\wsl$\Ubuntu-22.04\home\[[<user>]]\proj
\\wsl.localhost\Debian\home\[[<user>]]\proj
//wsl.localhost/Ubuntu/home/[[<user>]]/proj
file:///home/[[<user>]]/site/index.html
file:///C:/Users/[[<user>]]/site/index.html
/export/home/[[<user>]]/build.sh
/var/home/[[<user>]]/.cargo/bin
/usr/home/[[<user>]]/.profile
/data/home/[[<user>]]/checkpoints
/nfs/home/[[<user>]]/job.out
/home2/[[<user>]]/public_html
HOME=/home/[[<user>]]
PATH=/usr/bin:/home/[[<user>]]/.local/bin:/bin
drwxr-xr-x 5 root root 4096 Jan 1 00:00 /home/[[<user>]]
~/.claude/projects/-Users-[[mkowalski]]-src-api/session.jsonl
~/.claude/projects/-home-[[hiroshi]]-work-api/session.jsonl
%2Fhome%2F[[<user>]]%2Fsrc
vscode-remote://ssh-remote+box/home/[[<user>]]/src
D:\Users\[[<user>]]\OneDrive\x.docx
C:\Documents and Settings\[[<user>]]\Desktop
Author: M K <[[<user>]]@northwind-labs.io>
Signed-off-by: M K <[[<user>]]@users.bigcorp.de>
mailto:[[<user>]]@posteo.de
git config user.email [[<user>]]@gmail.com
"email": "[[<user>]]@outlook.com"
please ask [[<user>]]@uni-heidelberg.de, he knows
cc: [[<user>+spam]]@fastmail.fm; bcc: none
[[<user>]]@laptop-7:~/src$ make test
[[<user>]]@web-03:/var/www# systemctl status nginx
ssh [[<user>]]@build.bigcorp.net uptime
scp out.tar [[<user>]]@10.20.30.40:/tmp/
rsync -av . [[<user>]]@backup01:/srv/
ssh://[[<user>]]@gerrit.bigcorp.net:29418/core
ip-[[10-23-4-<d2>]].ec2.internal
[[DESKTOP-<U7>]]\build: done
Running on [[LAPTOP-<U8>]]
connected to [[Ewas-MacBook-Pro]].local
[[<user>]]@ip-10-2-3-4:~$ ls
sftp [[<user>]]@files.bigcorp.net
\\fileserver\users\[[<user>]]\report.xlsx
"""

LOOKALIKES = r"""
commit <x40>
HEAD is now at <x7> Fix the loop
sha256:<x64>
"integrity": "sha512-<B86>=="
etag: "<x32>"
md5 <x32>  dist.tar.gz
session_id: <uuid>
"tool_use_id": "toolu_01<a22>"
"message_id": "msg_01<a22>"
request-id: req_011C<a20>
chatcmpl-<a29>
call_<a24>
data:image/png;base64,iVBORw0KGgo<B200>
data:font/woff2;base64,d09GMgABAAAAA<B160>
trace_id=<x32> span_id=<x16>
docker pull node@sha256:<x64>
layer <x12>: Pull complete
go.sum: example.org/m v1.2.3 h1:<B43>=
aws example AKIAIOSFODNN7EXAMPLE from the docs
wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY is AWS's documented example
export OPENAI_API_KEY=sk-...
api_key = "YOUR_API_KEY_HERE"
password: ********
PASSWORD=changeme
token = os.environ["GITHUB_TOKEN"]
password = get_password(user)
DB_PASSWORD=${DB_PASSWORD:?missing}
secrets.GITHUB_TOKEN is passed to the step
max_tokens: 4096, output_tokens: 1234
cache_key = "pip-linux-3.11-<x8>"
primary_key: <d8>
public_key_id: <x16>
next_page_token: <a20>
csrf token is generated on each request
node_modules/.cache/babel-loader/<x32>.json
assets/index-<a8>.js 145.3 kB
chunk-<U8>.js
version 1.2.3-beta.4+build.<d6>
numpy-2.1.3-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl
0x7f<x10> in malloc
<x8>-<x4>-<x4>
user@example.com signed in
noreply@github.com
git@github.com:org/repo.git
icon@2x.png and react@18.3.1
@pytest.fixture(scope="session")
https://example.com/home/page/<d4>
/usr/local/lib/python3.11/site-packages/requests/sessions.py
/home/user/project is the default folder of the image
root@localhost
192.168.<d2>.<d2>:8080
<d10>.<d6> seconds since the epoch
eyJ is how a base64 JSON object begins
class AbstractSingletonProxyFactoryBean<a4>
test_that_a_very_long_function_name_is_kept_<l10>
0b8dcd<x34> refs/heads/main
"fingerprint": "SHA256:<B43>"
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<B43> deploy key of the docs
CVE-2025-<d5>
s3://bucket/key/<uuid>/part-<d5>.parquet
"""

FIELD = re.compile(r"<(?:(uuid|user)|([a-zA-Z])(\d+))>")


def samples(seed: int) -> Iterator[Sample]:
    """One of each secret, two of each personal datum, five of each look-alike."""
    rng = random.Random(seed)  # noqa: S311  the same seed must give the same set
    for label, lines, times in (
        ("secret", SECRETS, 1),
        ("personal", PERSONAL, 2),
        ("lookalike", LOOKALIKES, 5),
    ):
        for line in lines.strip().split("\n"):
            for _ in range(times):
                text = FIELD.sub(lambda field: _random(rng, field), line)
                value = text.partition("[[")[2].partition("]]")[0]
                yield Sample(label, line, "line", text.replace("[[", "").replace("]]", ""), value)
    body = base64.b64encode(rng.randbytes(700)).decode()
    for name in ("RSA ", "OPENSSH ", "EC ", ""):
        text = f"-----BEGIN {name}PRIVATE KEY-----\n{body[:64]}\n{body[64:128]}\n-----END {name}PRIVATE KEY-----"
        yield Sample("secret", name, "block", text, body[10:60])


def _random(rng: random.Random, field: re.Match[str]) -> str:
    if field[1] == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    if field[1] == "user":
        return rng.choice(USERS)
    return "".join(rng.choices(ALPHABETS[field[2]], k=int(field[3])))
