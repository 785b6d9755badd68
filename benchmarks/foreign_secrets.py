"""How many secrets of a second hand are found, and how much harmless text is cut.

    python -m benchmarks.foreign_secrets [--each N] [--seed N] [--show N] [--record]

They were written from what programs, services and people write, without a look at the patterns of
the filter or at `secret_corpus`. Whoever repairs the filter reads which form fell, repairs the
kind, and leaves the texts here as they are; then the form is tuned on. Of the newest 125 named
forms the filter found 82.4 % at first sight, of 40 more after that 90.2 %. All values are made up,
from a seed.
"""

from __future__ import annotations

import base64
import random
import string
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import atrest, report
from benchmarks.report import Figure
from benchmarks.secret_corpus import Secret
from cortex_core.redaction.redactor import Redactor

R = random.Random
Value = Callable[[R], str]

_LOWER = string.ascii_lowercase + string.digits
_MIXED = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_WORDS = (
    "meadow winter marble copper walnut violet harbor saturn pepper cactus falcon tundra "
    "comet lagoon bramble thistle quartz ember willow canyon"
).split()
_PEOPLE = ("bob", "admin", "root", "deploy", "svc-report", "alice", "ci-bot", "postgres")
_HOSTS = ("db.acme.example", "10.4.0.12", "localhost", "mail.corp.example", "cache-1")


class Told(NamedTuple):
    """One text, with the secret in it; harmless texts have none."""

    form: str
    text: str
    value: str = ""


def _of(letters: str, length: int) -> Value:
    return lambda r: "".join(r.choice(letters) for _ in range(length))


def _bytes64(length: int) -> Value:
    return lambda r: base64.b64encode(r.randbytes(length)).decode()


def _url64(length: int) -> Value:
    return lambda r: base64.urlsafe_b64encode(r.randbytes(length)).decode().rstrip("=")


def _hex(length: int) -> Value:
    return _of(_HEX, length)


def _word_and_number(r: R) -> str:
    word = r.choice(_WORDS)
    return f"{r.choice((word, word.title()))}{r.randint(100, 99999)}{r.choice(('', '', '!', '#'))}"


def _two_words(r: R) -> str:
    first, second = r.sample(_WORDS, 2)
    return f"{first.title()}{r.choice('-_.')}{second.title()}{r.randint(10, 999)}"


def _mangled(r: R) -> str:
    word = r.choice(_WORDS) + r.choice(_WORDS)
    return word.replace("a", "@").replace("e", "3").replace("o", "0").title() + str(
        r.randint(1, 99)
    )


def _random_symbols(r: R) -> str:
    letters = [*_of(_MIXED, 9)(r), r.choice("!#%^*?"), r.choice("!#%^*?"), r.choice(string.digits)]
    r.shuffle(letters)
    return r.choice(string.ascii_letters) + "".join(letters)


CHOSEN: tuple[Value, ...] = (_word_and_number, _two_words, _mangled, _random_symbols)
"""Passwords as people choose them."""

ISSUED: tuple[Value, ...] = (
    _hex(32),
    _hex(40),
    _hex(64),
    _of(_MIXED, 24),
    _of(_MIXED, 40),
    _of(_LOWER, 32),
    _bytes64(32),
    _url64(32),
    lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)),
)
"""Keys as programs make them."""


def _either(r: R) -> str:
    return r.choice(CHOSEN + ISSUED)(r)


def _chosen(r: R) -> str:
    return r.choice(CHOSEN)(r)


def _issued(r: R) -> str:
    return r.choice(ISSUED)(r)


_CHOSEN_TEMPLATES = """
my password is {}
the password of the staging database is {}
Password for {who}: {}
use {} as the password
pw {}
log in with {who} / {}
sign in as {who} with {}
credentials are {who}:{}
creds: {who} / {}
the credentials for the box: {who} {}
{who}'s password: {}
the root password on {host} is “{}”
The passphrase of the key is {}.
set the db password to {} please
I changed the admin password from {} to something else
Das Passwort lautet {}
le mot de passe est {}
la contraseña es {}
a senha é {}
la password è {}
het wachtwoord is {}
hasło: {}
パスワードは{}です
비밀번호: {}
connect("{host}", "{who}", "{}")
conn = connect('{host}', '{who}', '{}')
smtp.login("{who}@corp.example", "{}")
client.auth("{who}", "{}")
requests.get(url, auth=("{who}", "{}"))
HTTPBasicAuth('{who}', '{}')
new PDO($dsn, '{who}', '{}')
DriverManager.getConnection(url, "{who}", "{}")
session.login(user="{who}", passwd="{}")
["{who}", "{}"]
"auth": ["{who}", "{}"]
credentials = ("{who}", "{}")
basic_auth: [{who}, {}]
{{"user": "{who}", "pass": "{}"}}
spring.datasource.password={}
requirepass {}
machine {host} login {who} password {}
{host}:5432:app:{who}:{}
<add key="DbPassword" value="{}" />
Server={host};Database=app;User Id={who};Password={};
jdbc:postgresql://{host}/app?user={who}&password={}
mongodb+srv://{who}:{}@{host}/app
redis://:{}@{host}:6379/0
smb://{who}:{}@{host}/share
curl -u {who}:{} https://api.example.test/v1
curl -d "username={who}&password={}" https://x.example.test/login
wget --user={who} --password={} https://x.example.test/f
mysql -u {who} -p{} app
PGPASSWORD={} psql -h {host}
sshpass -p '{}' ssh {who}@{host}
redis-cli -h {host} -a {}
sqlcmd -S {host} -U {who} -P {}
ldapsearch -D cn=admin -w {} -b dc=x
docker login -u {who} -p {} registry.example.test
openssl rsa -in k.pem -passin pass:{}
gpg --batch --passphrase {} -d f.gpg
7z x -p{} backup.7z
unzip -P {} backup.zip
keytool -storepass {} -list
htpasswd -b .htpasswd {who} {}
helm install x --set auth.password={}
kubectl create secret generic db --from-literal=password={}
net use Z: \\\\nas\\share /user:{who} {}
nmcli dev wifi connect Office password {}
rsync --password-file=<(echo {}) src dst
ALTER USER {who} WITH PASSWORD '{}';
CREATE USER '{who}'@'%' IDENTIFIED BY '{}';
GRANT ALL ON app.* TO {who} IDENTIFIED BY '{}';
A temporary password is generated for {who}@localhost: {}
Password for the [elastic] user successfully reset.⏎New value: {}
Please use the following password to proceed to installation:⏎⏎{}⏎⏎It is also in /var/admin
rabbitmqctl add_user {who} {}
rabbitmqctl change_password {who} '{}'
mc alias set prod https://{host}:9000 {who} {}
      - MYSQL_ROOT_PASSWORD={}
pg_dump "host={host} user={who} password={} dbname=app"
echo '{}' | sudo -S systemctl restart app
lftp -u {who},{} sftp://{host}
smbclient //{host}/share -U {who}%{}
mount -t cifs //{host}/s /mnt -o username={who},password={},vers=3.0
xfreerdp /u:{who} /p:{} /v:{host}
ipmitool -I lanplus -H {host} -U {who} -P {} power status
mosquitto_sub -h {host} -u {who} -P {} -t '#'
sqlplus {who}/{}@{host}:1521/XE
influx -username {who} -password '{}'
clickhouse-client --host {host} --password {} -q 'SELECT 1'
{host} ansible_user={who} ansible_become_pass={}
network={{⏎  ssid="Office"⏎  psk="{}"⏎}}
security add-generic-password -a {who} -s app -w {}
cmdkey /add:{host} /user:{who} /pass:{}
ConvertTo-SecureString "{}" -AsPlainText -Force
$env:DB_PASS = '{}'
setx DB_PWD "{}"
machine {host}⏎  login {who}⏎  password {}
[client]⏎user={who}⏎password={}
<user username="{who}" password="{}" roles="manager-gui"/>
<username>{who}</username>⏎<password>{}</password>
DRIVER={{ODBC Driver 18}};SERVER={host};UID={who};PWD={}
        'PASSWORD': '{}',
sql.Open("mysql", "{who}:{}@tcp({host}:3306)/app")
ssh.connect('{host}', username='{who}', password='{}')
client.connect("{host}", 22, "{who}", "{}")
ftplib.FTP("{host}", "{who}", "{}")
nodemailer.createTransport({{host: '{host}', auth: {{user: '{who}', pass: '{}'}}}})
driver.find_element(By.ID, "password").send_keys("{}")
await page.fill('#password', '{}')
page.getByLabel("Password").fill("{}")
cy.get('[name=password]').type('{}')
http -a {who}:{} GET https://x.example.test/me
DEBUG auth: user={who} pass={} ok=true
{} is the password for {who}
{} (that's the root password)
The box is at {host}, user {who}, password {}
the old password was {} and still works
for the VPN use {who} with the password {}
Passwort für {who} ist {}
mot de passe : {}
пароль от {who} — {}
密码：{}
lösenord: {}
| host | user | password |⏎|---|---|---|⏎| {host} | {who} | {} |
host,user,password⏎{host},{who},{}
net user {who} {} /add
variable "db_password" {{⏎  default = "{}"⏎}}
ENV DB_PASS {}
<property name="password" value="{}"/>
dataSource.setPassword("{}");
wp user create {who} {who}@corp.example --user_pass={}
ssh-keygen -t ed25519 -N "{}" -f deploy
BORG_PASSPHRASE='{}' borg create ::now src
db.createUser({{user: "{who}", pwd: "{}", roles: ["root"]}})
ALTER LOGIN {who} WITH PASSWORD = N'{}';
username {who} privilege 15 password 0 {}
[{host}]:587 {who}@corp.example:{}
expect "assword:" {{ send "{}\\r" }}
""".strip("\n").split("\n")

_ISSUED_TEMPLATES = """
export API_KEY={}
STRIPE_WEBHOOK_SECRET="{}"
"client_secret": "{}",
clientSecret = '{}'
String apiSecret = "{}";
private static final String KEY_SECRET = "{}";
var signingKey = []byte("{}")
config.secret_key_base = "{}"
define('AUTH_SALT', '{}');
RAILS_MASTER_KEY={}
docker run -e DATADOG_API_KEY={} agent
heroku config:set SECRET_TOKEN={}
aws configure set aws_secret_access_key {}
vault kv put kv/app token={}
npm config set //registry.example.test/:_authToken {}
//registry.example.test/:_authToken={}
helm upgrade x --set global.apiKey={}
terraform apply -var "api_token={}"
curl -H "Authorization: Bearer {}" https://x.example.test
curl -H 'X-Api-Key: {}' https://x.example.test
-H "PRIVATE-TOKEN: {}"
X-CSRF-Token: {}
Cookie: sessionid={}
Set-Cookie: connect.sid={}; HttpOnly
Cookie: theme=dark; auth={}
https://x.example.test/hook?token={}
https://x.example.test/v1/items?api_key={}&page=2
https://x.example.test/cb?access_token={}
wss://x.example.test/socket?auth={}
https://oauth2:{}@git.example.test/a/b.git
here is the access token {}
the webhook secret is {}
use this key for the API: {}
the signing secret of the webhook changed to {}
Der API-Schlüssel ist {}
le jeton est {}
el token es {}
client id is web-1 and the client secret is {}
<apiKey>{}</apiKey>
<add key="ApiKey" value="{}" />
AccountName=acme;AccountKey={};EndpointSuffix=core.example
Endpoint=sb://x.example/;SharedAccessKeyName=Root;SharedAccessKey={}
[default] aws_secret_access_key = {}
"auths": {{"r.example.test": {{"identitytoken": "{}"}}}}
HMAC secret {}
jwt.sign(payload, "{}")
hmac.new(b"{}", body, sha256)
client = Client(api_key="{}")
new Client({{ token: "{}" }})
Client.builder().accessToken("{}").build()
setSecret("{}")
request.headers["X-Api-Key"] = "{}"
req.Header.Set("Authorization", "Bearer {}")
ansible-playbook x.yml -e vault_token={}
gh secret set DEPLOY_KEY --body {}
echo {} | gh auth login --with-token
Key                  Value⏎---                  -----⏎token                {}
Unseal Key 1: {}
Initial Root Token: {}
argocd login {host} --auth-token {}
vercel deploy --prod --token {}
netlify deploy --auth {}
codecov -t {}
sonar-scanner -Dsonar.login={}
snyk auth {}
twine upload -u __token__ -p {} dist/*
cargo login {}
dotnet nuget push a.nupkg -k {} -s https://x.example.test
poetry config pypi-token.pypi {}
pip config set global.index-url https://__token__:{}@pypi.example.test/simple
wandb login {}
az storage blob list --account-name acme --account-key {}
"SecretAccessKey": "{}",
aws_session_token = {}
"refresh_token": "{}"
git remote set-url origin https://{}@git.example.test/a.git
git -c http.extraHeader="Authorization: Bearer {}" fetch
npmAuthToken: {}
[pypi]⏎username = __token__⏎password = {}
composer config http-basic.repo.example.test {who} {}
> X-JFrog-Art-Api: {}
> authorization: token {}
< set-cookie: session={}; Path=/; HttpOnly
Ocp-Apim-Subscription-Key: {}
https://acme.blob.example.test/c/f?sv=2024-01-01&sig={}
dsn = "https://{}@o1.ingest.example.test/2"
app.config["SECRET_KEY"] = "{}"
SECRET_KEY = 'django-insecure-{}'
APP_KEY=base64:{}
app.use(session({{ secret: '{}', resave: false }}))
axios.defaults.headers.common['Authorization'] = `Bearer {}`
headers = {{"Authorization": "Token {}"}}
const octokit = new Octokit({{ auth: "{}" }})
stripe.api_key = "{}"
boto3.client("s3", aws_access_key_id=k, aws_secret_access_key="{}")
crypto.createHmac('sha256', '{}')
f = Fernet(b"{}")
Pusher(app_id="1", key="web", secret="{}")
I pasted the token {} into .env
use {} as the API key
{} is the deploy token for CI
my PAT is {}
the bot token changed, it's {} now
clé d'API : {}
API 密钥：{}
kubectl config set-credentials {who} --token={}
- name: ci⏎  user:⏎    token: {}
[Interface]⏎PrivateKey = {}
tailscale up --authkey {}
cloudflared tunnel run --token {}
ngrok config add-authtoken {}
K3S_URL=https://{host}:6443 K3S_TOKEN={} sh -
docker swarm join --token {} {host}:2377
SecretID:         {}
rclone config create r s3 secret_access_key {}
""".strip("\n").split("\n")


def _filled(template: str, value: str, r: R) -> str:
    text = template.replace("⏎", "\n")
    return text.format(value, who=r.choice(_PEOPLE), host=r.choice(_HOSTS))


def named(count: int, seed: int) -> Iterator[Told]:
    """Texts that name their secret, `count` of each form."""
    r = random.Random(f"named {seed}")
    for _ in range(count):
        for template in _CHOSEN_TEMPLATES:
            value = _chosen(r)
            yield Told(template, _filled(template, value, r), value)
        for template in _ISSUED_TEMPLATES:
            value = _issued(r)
            yield Told(template, _filled(template, value, r), value)


_SPLITS = (
    "{name}={first}\n{second}",
    "{name}={first}\\\n{second}",
    '{name}: "{first}\n  {second}"',
)


def split(count: int, seed: int) -> Iterator[Told]:
    """Secrets that a line break splits, as a narrow terminal and a folded text do."""
    r = random.Random(f"split {seed}")
    for _ in range(count):
        for template in _SPLITS:
            for name in ("password", "API_KEY", "client_secret", "token"):
                value = _issued(r)
                middle = len(value) // 2
                parts = {"first": value[:middle], "second": value[middle:]}
                yield Told(template, template.format(name=name, **parts), value)


_JOINED = (
    "X-CSRF-Token api_key password login-bob-password Authorization-Bearer secret_key_base token "
    "client_secret db-password access_token auth-token passphrase admin_password"
).split()


def joined(count: int, seed: int) -> Iterator[Told]:
    """Names of branches, folders and files in which a secret follows what it is."""
    r = random.Random(f"joined {seed}")
    for _ in range(count):
        for name in _JOINED:
            for between, around in (("-", "fix/{}"), ("_", "{}.py"), ("-", "{}"), ("%20", "q?{}")):
                kinds = (_word_and_number, _hex(32), _hex(40), _of(_MIXED, 24), _of(_LOWER, 32))
                value = r.choice(kinds)(r).rstrip("!#")
                yield Told(f"{name}{between}", around.format(f"{name}{between}{value}"), value)


def _jwt(r: R) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(f'{{"sub":"{r.getrandbits(40)}"}}'.encode()).decode()
    return f"{head}.{body.rstrip('=')}.{_url64(32)(r)}"


def _after(prefix: str, letters: str, length: int) -> Value:
    return lambda r: prefix + _of(letters, length)(r)


BARE: Mapping[str, Value] = {
    "GitHub classic": _after("ghp_", _MIXED, 36),
    "GitHub app": _after("ghs_", _MIXED, 36),
    "GitHub fine-grained": lambda r: f"github_pat_{_of(_MIXED, 22)(r)}_{_of(_MIXED, 59)(r)}",
    "GitLab": _after("glpat-", _MIXED, 20),
    "AWS access key": _after("AKIA", string.ascii_uppercase + "234567", 16),
    "Google API": _after("AIza", _MIXED + "_-", 35),
    "Google OAuth client": _after("GOCSPX-", _MIXED, 28),
    "Slack bot": lambda r: (
        f"xoxb-{r.randint(10**11, 10**12)}-{r.randint(10**11, 10**12)}-" + _of(_MIXED, 24)(r)
    ),
    "Slack webhook": lambda r: (
        f"https://hooks.slack.com/services/T{_of(string.ascii_uppercase, 8)(r)}"
        f"/B{_of(string.ascii_uppercase, 8)(r)}/{_of(_MIXED, 24)(r)}"
    ),
    "Stripe live": _after("sk_live_", _MIXED, 24),
    "Stripe restricted": _after("rk_live_", _MIXED, 24),
    "Stripe webhook": _after("whsec_", _MIXED, 32),
    "OpenAI project": lambda r: f"sk-proj-{_of(_MIXED, 74)(r)}T3BlbkFJ{_of(_MIXED, 74)(r)}",
    "Anthropic": _after("sk-ant-api03-", _MIXED + "-_", 93),
    "Hugging Face": _after("hf_", string.ascii_letters, 34),
    "npm": _after("npm_", _MIXED, 36),
    "PyPI": lambda r: "pypi-AgEIcHlwaS5vcmc" + _of(_MIXED + "-_", 70)(r),
    "SendGrid": lambda r: f"SG.{_of(_MIXED, 22)(r)}.{_of(_MIXED, 43)(r)}",
    "Twilio key": _after("SK", _HEX, 32),
    "Mailgun": _after("key-", _HEX, 32),
    "DigitalOcean": _after("dop_v1_", _HEX, 64),
    "Doppler": _after("dp.pt.", _MIXED, 43),
    "Linear": _after("lin_api_", _MIXED, 40),
    "Notion": _after("ntn_", _MIXED, 46),
    "Databricks": _after("dapi", _HEX, 32),
    "Shopify": _after("shpat_", _HEX, 32),
    "Square": _after("EAAA", _MIXED + "-_", 60),
    "Telegram bot": lambda r: f"{r.randint(10**8, 10**10)}:AA{_of(_MIXED + '-_', 33)(r)}",
    "Discord bot": lambda r: (
        f"MT{_of(_MIXED, 24)(r)}.G{_of(_MIXED, 5)(r)}.{_of(_MIXED + '-_', 38)(r)}"
    ),
    "Vault": _after("hvs.", _MIXED, 90),
    "Terraform Cloud": lambda r: f"{_of(_MIXED, 14)(r)}.atlasv1.{_of(_MIXED, 67)(r)}",
    "Grafana": lambda r: f"glsa_{_of(_MIXED, 32)(r)}_{_hex(8)(r)}",
    "New Relic": lambda r: "NRAK-" + _of(string.ascii_uppercase + string.digits, 27)(r),
    "Atlassian": _after("ATATT3xFfGF0", _MIXED + "-_", 180),
    "Postman": lambda r: f"PMAK-{_hex(24)(r)}-{_hex(34)(r)}",
    "Figma": _after("figd_", _MIXED + "-_", 40),
    "Airtable": lambda r: f"pat{_of(_MIXED, 14)(r)}.{_hex(64)(r)}",
    "Supabase": _after("sbp_", _HEX, 40),
    "Sentry user": _after("sntryu_", _HEX, 64),
    "age": _after("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "JWT": _jwt,
    "database address": lambda r: f"postgres://app:{_of(_MIXED, 20)(r)}@{r.choice(_HOSTS)}/app",
    "random 48": _of(_MIXED, 48),
    "random base64 48": _bytes64(36),
}
"""Secrets by their look alone."""


def bare(count: int, seed: int) -> Iterator[Told]:
    """Secrets that nothing names, `count` of each form, in a sentence that says nothing of them."""
    r = random.Random(f"bare {seed}")
    around = ("{}", "try {} next", "it printed {} and ended", "see {}", "x = f({})", "- {}")
    for _ in range(count):
        for form, make in BARE.items():
            value = make(r)
            yield Told(form, r.choice(around).format(value), value)


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"


def _pem(label: str, length: int) -> Value:
    def make(r: R) -> str:
        data = base64.b64encode(r.randbytes(length)).decode()
        lines = "\n".join(data[at : at + 64] for at in range(0, len(data), 64))
        return f"-----BEGIN {label}-----\nMII{lines[3:]}\n-----END {label}-----"

    return make


def _texts(*values: str) -> Value:
    return lambda r: r.choice(values)


HARMLESS: Mapping[str, Value] = {
    "KSUID": _after("2", _MIXED, 26),
    "nanoid": _of(_MIXED + "_-", 21),
    "cuid": _after("c", _LOWER, 24),
    "cuid2": lambda r: r.choice(string.ascii_lowercase) + _of(_LOWER, 23)(r),
    "ULID": lambda r: "01" + _of("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)(r),
    "ObjectId": _hex(24),
    "UUID": lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)),
    "commit": _hex(40),
    "digest": lambda r: f"image@sha256:{_hex(64)(r)}",
    "wheel RECORD": lambda r: (
        f"app/{r.choice(_WORDS)}.py,sha256={_url64(32)(r)},{r.randint(1, 9999)}"
    ),
    "npm integrity": lambda r: f'"integrity": "sha512-{_bytes64(64)(r)}"',
    "go.sum": lambda r: f"example.test/{r.choice(_WORDS)} v1.2.3 h1:{_bytes64(32)(r)}",
    "Cargo checksum": lambda r: f'checksum = "{_hex(64)(r)}"',
    "nix store": lambda r: (
        f"/nix/store/{_of('0123456789abcdfghijklmnpqrsvwxyz', 32)(r)}-{r.choice(_WORDS)}-1.2"
    ),
    "nix hash": lambda r: f'hash = "sha256-{_bytes64(32)(r)}";',
    "terraform lock": lambda r: f'"zh:{_hex(64)(r)}",',
    "certificate": _pem("CERTIFICATE", 300),
    "public key": _pem("PUBLIC KEY", 162),
    "ssh public key": lambda r: (
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{_bytes64(32)(r)[:43]} bob@host"
    ),
    "ssh rsa public key": lambda r: "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ" + _bytes64(270)(r),
    "known_hosts": lambda r: (
        "git.example.test ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAA" + _bytes64(66)(r)
    ),
    "hashed known_hosts": lambda r: (
        f"|1|{_bytes64(20)(r)}|{_bytes64(20)(r)} ssh-ed25519 "
        + f"AAAAC3NzaC1lZDI1NTE5AAAAI{_bytes64(32)(r)[:43]}"
    ),
    "fingerprint": lambda r: f"256 SHA256:{_bytes64(32)(r).rstrip('=')} bob@host (ED25519)",
    "certificate fingerprint": lambda r: ":".join(f"{byte:02X}" for byte in r.randbytes(20)),
    "bitcoin": lambda r: r.choice("13") + _of(_BASE58, 33)(r),
    "bitcoin bech32": _after("bc1q", "qpzry9x8gf2tvdw0s3jn54khce6mua7l", 38),
    "ethereum": _after("0x", _HEX, 40),
    "transaction": _after("0x", _HEX, 64),
    "solana": _of(_BASE58, 44),
    "onion": lambda r: f"http://{_of(_BASE32, 56)(r)}.onion/",
    "IPFS": _after("Qm", _BASE58, 44),
    "CloudFormation": lambda r: (
        f"app-prod-{r.choice(_WORDS).title()}Function-"
        + _of(string.ascii_uppercase + string.digits, 13)(r)
    ),
    "CloudFormation new": lambda r: f"app-prod-{r.choice(_WORDS).title()}Role-{_of(_MIXED, 12)(r)}",
    "ARN": lambda r: "arn:aws:iam::123456789012:role/app-" + r.choice(_WORDS),
    "instance": _after("i-0", _HEX, 16),
    "Stripe customer": _after("cus_", _MIXED, 14),
    "Stripe price": _after("price_1", _MIXED, 23),
    "Stripe intent": _after("pi_3", _MIXED, 23),
    "Stripe subscription": _after("sub_1", _MIXED, 23),
    "Stripe event": _after("evt_1", _MIXED, 23),
    "Stripe product": _after("prod_", _MIXED, 14),
    "Twilio message": _after("SM", _HEX, 32),
    "Twilio call": _after("CA", _HEX, 32),
    "Vercel deployment": _after("dpl_", _MIXED, 28),
    "Mapbox public": lambda r: (
        f"pk.eyJ1IjoiYWNtZSIsImEiOiJj{_of(_MIXED, 30)(r)}.{_of(_MIXED, 22)(r)}"
    ),
    "cipher suite": _texts(
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256",
    ),
    "chess": _texts(
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    ),
    "pod": lambda r: f"checkout-{_of(_HEX, 9)(r)}-{_of('bcdfghjklmnpqrstvwxz2456789', 5)(r)}",
    "container": _hex(12),
    "bundle file": lambda r: f"dist/assets/index-{_of(_MIXED + '_-', 8)(r)}.js",
    "CSS module": lambda r: f"Button_root__{_of(_MIXED, 5)(r)}",
    "GitHub node": lambda r: "PR_kwDO" + _of(_MIXED, 20)(r),
    "cursor": lambda r: (
        '"endCursor": "' + base64.b64encode(f"cursor:{r.getrandbits(60)}".encode()).decode() + '"'
    ),
    "trace": lambda r: f"traceparent: 00-{_hex(32)(r)}-{_hex(16)(r)}-01",
    "request": lambda r: f"x-amz-request-id: {_of(string.ascii_uppercase + string.digits, 16)(r)}",
    "ETag": lambda r: f'ETag: W/"{_hex(32)(r)}"',
    "S3 version": lambda r: f"versionId={_of(_MIXED + '._', 32)(r)}",
    "Slack channel": lambda r: "C0" + _of(string.ascii_uppercase + string.digits, 9)(r),
    "Notion page": lambda r: f"https://www.notion.so/acme/Plan-{_hex(32)(r)}",
    "video": lambda r: f"https://youtu.be/{_of(_MIXED + '_-', 11)(r)}",
    "extension": _of("abcdefghijklmnop", 32),
    "GUID": lambda r: "{" + str(uuid.UUID(int=r.getrandbits(128))).upper() + "}",
    "MAC": lambda r: ":".join(f"{byte:02x}" for byte in r.randbytes(6)),
    "IPv6": lambda r: "2001:db8:" + ":".join(f"{r.getrandbits(16):x}" for _ in range(6)),
    "xpub": _after("xpub", _BASE58, 107),
    "PGP public": _pem("PGP PUBLIC KEY BLOCK", 200),
    "image data": lambda r: f"data:image/png;base64,iVBORw0KGgo{_bytes64(90)(r)}",
    "diff index": lambda r: f"index {_hex(10)(r)}..{_hex(10)(r)} 100644",
    "long name": _texts(
        "AbstractSingletonProxyFactoryBeanBuilderImpl2",
        "test_that_a_token_of_another_user_is_refused_with_403",
        "UserPasswordResetTokenRepositoryTest",
    ),
    "about secrets": _texts(
        "the password field is required",
        "reset your password at /account/reset",
        "password: string",
        'password = os.environ["DB_PASSWORD"]',
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "max_tokens: 4096",
        "const token = await getToken(user)",
        "API_KEY=<your key>",
        "apiKey: process.env.API_KEY",
        "the token expires in 3600 seconds",
        "Authorization: Bearer $TOKEN",
        "credentials are stored in the keychain",
        "credentials are checked by middleware",
        "rotate the client secret every 90 days",
    ),
    "calls": _texts(
        'connect("localhost", 5432)',
        'login("bob", password)',
        'auth("bob", getPassword())',
        'connect("db.acme.example", "app", "utf8mb4")',
        'login("bob", "remember-me")',
        'client.connect("wss://x.example.test", "chat-v2")',
        'socket.connect("tcp://localhost:5555", "subscriber")',
        '["bob", "alice"]',
        '["admin", "editor", "viewer2"]',
        '["lodash", "4.17.21"]',
        '"plugins": ["react", "jsx-a11y"]',
    ),
    "two with a slash": _texts(
        "log in with admin / editor roles",
        "username / email",
        "login with Google / GitHub",
        "admin / user / guest",
        "pw reset mail",
        "pw manager",
        "sign in as admin with SSO",
        "user / group 1000",
    ),
    "names of things": _texts(
        "fix/password-reset-flow",
        "feature/token-refresh-2024",
        "src/auth-token-provider.ts",
        "fix/login-password-validation-1234",
        "chore/rotate-secrets-2026-11",
        "docs/api_key_rotation.md",
        "fix/csrf-token-mismatch-on-safari17",
        "tests/test_access_token_v2.py",
        "feat/password_strength_meter3",
        "refactor/secret-store-v2-migration",
    ),
}
"""What stays as it is, by kind."""


def harmless(count: int, seed: int) -> Iterator[Told]:
    """Texts without a secret, `count` of each kind, alone and in a sentence."""
    r = random.Random(f"harmless {seed}")
    around = ("{}", "it printed\n{}\nand ended", "see {} there", "the id is {}", "- {}", "got {}")
    for _ in range(count):
        for form, make in HARMLESS.items():
            yield Told(form, r.choice(around).format(make(r)))


def stays(told: Told, after: str) -> bool:
    """Whether the secret, or half of one that a line break splits, is in the text that is left."""
    middle = len(told.value) // 2
    halves = (told.value[:middle], told.value[middle:])
    return told.value in after or (told.value not in told.text and any(h in after for h in halves))


def by_place(each: int, seed: int) -> dict[str, list[Secret]]:
    """For every place that Cortex reads, `each` secrets that fit there, in turn named and bare."""
    r = random.Random(seed)
    pools = {
        False: [*named(3, seed), *joined(3, seed)],
        True: list(bare(6, seed)),
    }
    drawn: dict[str, list[Secret]] = {}
    for place in atrest.PLACES:
        listed = []
        for is_bare, pool in pools.items():
            every = (Secret(t.form, "foreign", t.text, t.value, is_bare) for t in pool)
            fitting = [one for one in every if atrest.fits(place, one)]
            listed.append(r.sample(fitting, min(each // 2, len(fitting))))
        drawn[place] = [one for pair in zip(*listed, strict=False) for one in pair]
    return drawn


def _left(name: str, told: Iterable[Told], show: int, *, gone: bool) -> tuple[float, list[str]]:
    """What percent of the texts went wrong, and their forms: a secret stayed, or one was cut."""
    redactor, total, wrong = Redactor(), 0, list[str]()
    for one in told:
        total += 1
        after = redactor.text(one.text)
        if stays(one, after) if gone else after != one.text:
            wrong.append(one.form)
            if len(wrong) <= show:
                print(f"{name}: {one.form}: {one.text!r} became {after!r}")
    return 100 * len(wrong) / total, wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "foreign_secrets")
    parser.add_argument("--each", type=int, default=10, help="texts of each form")
    parser.add_argument("--placed", type=int, default=40, help="secrets to say in each place")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10, help="how many failures to print")
    chosen = parser.parse_args(arguments)
    told: list[Figure] = []
    details: dict[str, list[str]] = {}
    for name, texts, most in (
        ("named secrets that stay", named(chosen.each, chosen.seed), 1.0),
        ("secrets joined to their name that stay", joined(chosen.each, chosen.seed), 1.0),
        ("secrets split by a line break that stay", split(chosen.each, chosen.seed), 5.0),
        ("bare secrets that stay", bare(chosen.each, chosen.seed), 5.0),
    ):
        share, details[name] = _left(name, texts, chosen.show, gone=True)
        told.append(Figure(name, share, "%", most, most))
    texts = harmless(2 * chosen.each, chosen.seed)
    share, details["cut"] = _left("cut", texts, chosen.show, gone=False)
    told.append(Figure("harmless texts that are cut", share, "%", 3.0, 3.0))
    with tempfile.TemporaryDirectory(prefix="cortex-foreign-") as folder:
        outcome = atrest.play(Path(folder), by_place(chosen.placed, chosen.seed))
    print(atrest.table(outcome))
    for found in outcome.found[: chosen.show]:
        print(f"at rest: {found.place}: {found.secret.form}: {found.secret.text!r}")
    for name, is_bare, most in (("named", False, 1.0), ("bare", True, 5.0)):
        share = atrest.share(outcome, bare=is_bare)
        told.append(Figure(f"{name} secrets found at rest", share, "%", most, most))
    return report.finish("foreign_secrets", chosen, told, details)


if __name__ == "__main__":
    sys.exit(main())
