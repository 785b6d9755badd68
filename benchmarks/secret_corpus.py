"""Secrets of every known form in every usual surrounding, drawn by chance, and what must stay.

`secrets` draws them all, the same for the same seed; `stays` says whether one is left in a text.
Nothing here is or was a working credential.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks.secret_forms import KeyForm, bare_shape, drawn, jwt, key_forms
from benchmarks.secret_places import BARE, EVERYDAY, KEY_PLACES, SPLITS, WRITTEN

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
WORD = string.ascii_letters + DIGITS
URL = WORD + "-_"
B64 = WORD + "+/"
HEX = "0123456789abcdef"
Make = Callable[[random.Random], str]
WORDS = (
    "server",
    "handler",
    "config",
    "migration",
    "session",
    "review",
    "transcript",
    "worker",
    "index",
    "memory",
    "context",
    "branch",
    "schema",
    "payload",
    "render",
    "storage",
    "journal",
    "surface",
)


class Case(NamedTuple):
    """One text, what is hidden in it and which sort it is."""

    sort: str
    text: str
    value: str
    """The secret that must be gone, or the innocent string that must stay."""


def some(chars: str, count: int) -> Make:
    """A maker of `count` random characters."""
    return lambda r: "".join(r.choices(chars, k=count))


def joined(*parts: str | Make) -> Make:
    """A maker of its parts one after the other."""
    return lambda r: "".join(part if isinstance(part, str) else part(r) for part in parts)


KEYS: dict[str, Make] = {
    "aws access": joined("AKIA", some(UPPER + DIGITS, 16)),
    "aws session id": joined("ASIA", some(UPPER + DIGITS, 16)),
    "google api": joined("AIza", some(URL, 35)),
    "google oauth": joined("ya29.", some(URL, 60)),
    "google client secret": joined("GOCSPX-", some(URL, 28)),
    "azure storage": joined(some(B64, 86), "=="),
    "azure client secret": joined(some(WORD, 3), "8Q~", some(WORD, 34)),
    "github classic": joined("ghp_", some(WORD, 36)),
    "github oauth": joined("gho_", some(WORD, 36)),
    "github app": joined("ghs_", some(WORD, 36)),
    "github fine": joined("github_pat_", some(WORD, 22), "_", some(WORD, 59)),
    "gitlab": joined("glpat-", some(URL, 20)),
    "slack bot": joined("xoxb-", some(DIGITS, 11), "-", some(DIGITS, 12), "-", some(WORD, 24)),
    "slack app": joined("xapp-1-A", some(UPPER, 10), "-", some(DIGITS, 13), "-", some(HEX, 64)),
    "slack hook": joined(
        "https://hooks.slack.com/services/T",
        some(UPPER, 8),
        "/B",
        some(UPPER, 8),
        "/",
        some(WORD, 24),
    ),
    "stripe live": joined("sk_live_", some(WORD, 24)),
    "stripe restricted": joined("rk_live_", some(WORD, 99)),
    "stripe hook": joined("whsec_", some(WORD, 32)),
    "openai": joined("sk-", some(WORD, 48)),
    "openai project": joined("sk-proj-", some(URL, 74), "T3BlbkFJ", some(URL, 74)),
    "anthropic": joined("sk-ant-api03-", some(URL, 93), "AA"),
    "openrouter": joined("sk-or-v1-", some(HEX, 64)),
    "huggingface": joined("hf_", some(WORD, 34)),
    "npm": joined("npm_", some(WORD, 36)),
    "pypi": joined("pypi-AgEIcHlwaS5vcmc", some(URL, 150)),
    "sendgrid": joined("SG.", some(URL, 22), ".", some(URL, 43)),
    "twilio key": joined("SK", some(HEX, 32)),
    "stripe test": joined("rk_test_", some(HEX, 32)),
    "mailgun": joined("key-", some(HEX, 32)),
    "mailchimp": joined(some(HEX, 32), "-us12"),
    "telegram": joined(some("123456789", 10), ":AA", some(URL, 33)),
    "discord bot": joined("M", some(WORD, 23), ".", some(URL, 6), ".", some(URL, 27)),
    "jwt": jwt,
    "databricks": joined("dapi", some(HEX, 32)),
    "digitalocean": joined("dop_v1_", some(HEX, 64)),
    "vault": joined("hvs.", some(URL, 90)),
    "linear": joined("lin_api_", some(WORD, 40)),
    "notion": joined("ntn_", some(WORD, 46)),
    "newrelic": joined("NRAK-", some(UPPER + DIGITS, 27)),
    "postman": joined("PMAK-", some(HEX, 24), "-", some(HEX, 34)),
    "shopify": joined("shpat_", some(HEX, 32)),
    "square": joined("sq0atp-", some(URL, 22)),
    "supabase": joined("sbp_", some(HEX, 40)),
    "groq": joined("gsk_", some(WORD, 52)),
    "replicate": joined("r8_", some(WORD, 37)),
    "doppler": joined("dp.pt.", some(WORD, 43)),
    "figma": joined("figd_", some(URL, 40)),
    "atlassian": joined("ATATT3xFfGF0", some(URL, 180)),
    "docker": joined("dckr_pat_", some(URL, 27)),
    "rubygems": joined("rubygems_", some(HEX, 48)),
    "age": joined("AGE-SECRET-KEY-1", some(UPPER + DIGITS, 58)),
    "bare random": some(WORD, 40),
    "bare base64": joined(some(B64, 43), "="),
}
"""Keys that must be found wherever they stand."""

SURROUNDINGS: tuple[str, ...] = (
    "{}",
    "We use {} for the staging account.",
    "The key is {}, please rotate it.",
    "Set it to `{}` and restart.",
    "({})",
    '"{}"',
    'client = Client("{}")',
    "const KEY = '{}';",
    '{{"data": {{"id": 4, "value": "{}"}}}}',
    '{{\\"input\\": \\"echo {}\\"}}',
    "line one\\n{}\\nline two",
    "SERVICE_THING={}",
    "export X={}\nexport Y=1",
    "  thing: {}\n  other: 2",
    "$ curl -H 'X-Thing: {}' https://api.example.com/v1",
    "https://api.example.com/v1?thing={}&page=2",
    "- {}\n- second",
    "| name | {} | note |",
    "<value>{}</value>",
    "réglage：{} — voilà",
)

NAMED: tuple[str, ...] = (
    "password = '{}'",
    'PASSWORD="{}"',
    "DB_PASSWORD={}",
    '"password": "{}"',
    "api_key: {}",
    'apiKey: "{}"',
    "X-Api-Key: {}",
    "--token {}",
    "--password={}",
    "secret_key={}",
    "client_secret = {}",
    "Authorization: Bearer {}",
    "token: {}",
    "the token is {}",
    "?token={}&x=1",
    "ACCESS_TOKEN={} npm run build",
    "const authToken = `{}`",
    "auth_token => '{}'",
    "<password>{}</password>",
    '{{\\"secret\\": \\"{}\\"}}',
    "MYSQL_PWD={} mysqldump app",
)
"""Places whose name tells, for values without any format."""

VALUES: dict[str, Make] = {
    "mixed 12": lambda r: "k7" + some(WORD, 10)(r),
    "mixed 20": lambda r: "4q" + some(WORD, 18)(r),
    "hex 32": some(HEX, 32),
    "uuid": joined(*(p for n in (8, 4, 4, 4) for p in (some(HEX, n), "-")), some(HEX, 12)),
}

ISSUED: tuple[tuple[str, Make, tuple[str, ...]], ...] = (
    (
        "ibm iam",
        some(URL, 44),
        ("ibm_cloud_iam_api_key={}", 'IBM_CLOUD_API_KEY: "{}"', "iam-token => {}"),
    ),
    (
        "ibm storage",
        some(HEX, 48),
        ("cos_hmac_secret_access_key: {}", 'ibm-cos_secret-key="{}"', "secretkey  {}"),
    ),
    (
        "softlayer",
        some(LOWER + DIGITS, 64),
        ("SL_API_KEY={}", "softlayer_password: '{}'", "https://api.softlayer.com/soap/v3/{}"),
    ),
    (
        "cloudant key",
        some(LOWER, 24),
        ("cloudant_apikey={}", 'CLOUDANT_API_KEY => "{}"', "cl-pw {}"),
    ),
    (
        "cloudant password",
        some(HEX, 64),
        ("cloudant_password := {}", "CLOUDANT_PASS {}", "https://acct:{}@acct.cloudant.com"),
    ),
    ("artifactory token", joined("AKC", some(WORD, 20)), ("{}", "see {} there", 'x = "{}"')),
    (
        "artifactory password",
        joined("AP5", some(WORD, 20)),
        ("artifactory user: ann, password: {}", 'jfrog "{}"'),
    ),
    (
        "aws secret",
        some(WORD + "+/", 40),
        ("aws_secret_key={}", 'aws key: "{}"', "AWS session token {}"),
    ),
)
"""Keys of issuers that are known by the words before them, in the places that tell."""

PASSWORDS: tuple[str, ...] = (
    "hunter2",
    "Tr0ub4dor&3",
    "S3cr3t!pass",
    "letmein99",
    "p@ssW0rd!",
    "Winter2031!",
    "qazWSX123",
)
PASSWORD_PLACES: tuple[str, ...] = (
    "password = '{}'",
    "PASSWORD={}",
    '"password": "{}"',
    "password: {}",
    "the password is {}",
    "the admin password is `{}` for now",
    "pwd={}",
    "passwd: '{}'",
    "--password {}",
    "PGPASSWORD={} psql",
    "postgres://app:{}@db.internal:5432/app",
    "https://bob:{}@git.internal/x.git",
    "mysql -u root -p{}",
    "curl -u bob:{} https://x.internal",
    "machine h login bob password {}",
    "CREATE USER bob IDENTIFIED BY '{}'",
)

INNOCENT: dict[str, Make] = {
    "git hash 7": some(HEX, 7),
    "git hash 12": some(HEX, 12),
    "git hash 40": some(HEX, 40),
    "sha256": some(HEX, 64),
    "sha256 upper": lambda r: some(HEX, 64)(r).upper(),
    "md5": some(HEX, 32),
    "uuid": VALUES["uuid"],
    "integrity": joined("sha512-", some(B64, 86), "=="),
    "go.sum": joined("h1:", some(B64, 43), "="),
    "docker digest": joined("sha256:", some(HEX, 64)),
    "version": lambda r: (
        f"v{r.randrange(20)}.{r.randrange(99)}.{r.randrange(99)}-rc.{r.randrange(9)}"
    ),
    "pseudo version": joined("v0.0.0-20310412083015-", some(HEX, 12)),
    "date": lambda r: (
        f"2031-0{r.randrange(1, 9)}-1{r.randrange(9)}T08:30:15.{r.randrange(999):03}Z"
    ),
    "tool id": joined("toolu_01", some(WORD, 22)),
    "path": lambda r: "/" + "/".join(r.choices(WORDS, k=6)) + ".py",
    "path with hash": lambda r: f"/home/dev/.cache/{r.choice(WORDS)}/{some(HEX, 32)(r)}/module.js",
    "snake": lambda r: "_".join(r.choices(WORDS, k=5)),
    "camel": lambda r: "".join(w.title() for w in r.choices(WORDS, k=5)),
    "kebab": lambda r: "-".join(r.choices(WORDS, k=6)),
    "constant": lambda r: "_".join(r.choices(WORDS, k=5)).upper() + "_2",
    "url": lambda r: (
        f"https://docs.internal/{'/'.join(r.choices(WORDS, k=4))}?page={r.randrange(99)}"
    ),
    "url with id": lambda r: f"https://docs.internal/d/{some(URL, 44)(r)}/edit",
    "encoded text": lambda r: base64.b64encode(" ".join(r.choices(WORDS, k=6)).encode()).decode(),
    "public key": joined("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", some(B64, 43)),
    "number": some("123456789", 18),
    "email": lambda r: f"{r.choice(WORDS)}.{r.choice(WORDS)}@example.com",
    "import": lambda r: (
        f"from {'.'.join(r.choices(WORDS, k=4))} import {''.join(r.choices(WORDS, k=2))}"
    ),
}
"""What must stay in any context, unless a name says that it is a secret."""

INNOCENT_SURROUNDINGS: tuple[str, ...] = (
    "{}",
    "Fixed in {} last week.",
    "see `{}`",
    '"{}"',
    "- {}\n- second",
    "commit {}\nAuthor: Ann",
    "value = '{}'",
    "  ref: {}",
    "| {} | done |",
    "the build of {} took 12 s",
)

PLACEHOLDERS: tuple[str, ...] = (
    "API_KEY=<your-api-key>",
    "token: xxxx",
    "password: ********",
    "API_KEY=$API_KEY",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password = os.environ['DB_PASSWORD']",
    "PASSWORD=changeme",
    "api_key = config.api_key",
    "token = get_token()",
    "password: str",
    "secret: Optional[str] = None",
    "token=process.env.TOKEN",
    '"password": "your-password-here"',
    "api_key='example'",
    "export TOKEN=...",
    "OPENAI_API_KEY=sk-...",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "max_tokens: 4096",
    "tokens = text.split()",
    "password_hash = hasher.hash(password)",
    "The token is refreshed every 30 minutes.",
    "Never commit secrets; keep every password in the vault.",
    "the secret is to run the tests first",
    "def login(user: str, password: str) -> Token:",
    "primary_key=True",
    "foreign key: user_id",
    "key: value",
    "for key, value in items.items():",
    "SECRET_NAME=billing-tls",
    "token_type: bearer",
    "auth: none",
    "session: required",
    "password=password",
    "login(user=user, password=password)",
    "postgres://user:${DB_PASS}@db/app",
    "postgres://user:<password>@db/app",
    "https://user@example.com/repo.git",
    "git@github.com:a/b.git",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "curl -u user:$PASS https://x",
    "the api key goes in the header",
    "press any key to continue",
    "keyboard: ctrl+shift+p",
    'placeholder="Enter your password"',
    'label: "Password"',
    "password is base64-encoded",
    "tokenizer = AutoTokenizer('bert-base-uncased')",
    "password: at least 8 characters",
    "**ngrok tunnel:** https://86f0-2003-fb-ef11-5185-fdc7-ae28-312a-55f8.ngrok-free.app",
    "curl -s https://9c1e-84-12-7-201.eu.ngrok.io/health",
    "ssh -p 2222 -N -L 5432:db:5432 host",
    "the healthcheck uses `pg_isready -U ${DB_USERNAME:-cipherbox}`",
    "test: ['CMD-SHELL', 'pg_isready -U ${DB_USERNAME:-app}']",
    "status: 'pass' | 'fail' | 'error'",
    "npm warn Unknown env config",
    "docker run -p 8080:80 nginx",
    "mkdir -p src/app && cp -a a b",
    "mysql -u root -p shop < schema.sql",
    "az vm list -o table",
    "gpg --verify app.sig app.tar",
    "**Pass state dir as parameter**",
    "password hashing — 5 mins ago [session 1] - ghi9012",
    "reverted with commit a76f0ea30b28Wait",
    "the password policy changed in v2.3.1",
    "passwords are hashed with argon2id and sha256",
    "node_id: PRRC_kwDOQyo98M6li7Sr",
    "ipns k51qzi5uqu5dlvj55 resolves",
    "| `encryptedKey` | `Uint8Array` |",
    'etag: W/"2b-dGnJzt6gv1nJjX6DJ9"',
    "Die Passwörter liegen im Tresor.",
    "El servicio usa la clave primaria user_id_2.",
    "пароль хранится в переменной DB_PASSWORD_FILE",
    "密码存储在 config/secrets.yml 中",
    "kubectl get secret db -o yaml",
    "helm upgrade app --set image.tag=v1.2.3,replicas=3",
    "zip -r backup.zip data",
    "tar -xzf app-1.2.3.tar.gz",
    "git remote add origin git@gh.com:a/b",
    "sha512-z5Zl7Fv1x2Y3w4V5u6T7s8R9q0P1o2N3m4L5k6J7i8H9g0F1e2D3c4B5a6Z7y8X9w0V1u2T3s4R5q6P7o8==",
    "word " * 40 + "end",
    "cache key: user:42:profile:v3",
    "sort key is created_at_2",
    "idempotency key 3f2a-8c here",
)
"""Lines in which nothing at all may be replaced."""

WHOLE = ("bare", "mail", "slack hook", "azure", "twilio", "telegram", "discord")
"""Keys with no head to know their first half by."""


def hidden(r: random.Random, rounds: int = 1) -> Iterator[Case]:
    """Texts with a secret in each."""
    for _ in range(rounds):
        for sort, make in KEYS.items():
            for around in SURROUNDINGS:
                value = make(r)
                yield Case(sort, around.format(value), value)
        for sort, make in VALUES.items():
            for around in NAMED:
                value = make(r)
                yield Case(f"named {sort}", around.format(value), value)
        for sort, make, places in ISSUED:
            for around in places:
                value = make(r)
                yield Case(sort, around.format(value), value)
    for value in PASSWORDS:
        for around in PASSWORD_PLACES:
            yield Case("password", around.format(value), value)


def broken(r: random.Random, rounds: int = 1) -> Iterator[Case]:
    """Texts with a key of a known format broken over two lines; the value is its second half."""
    joints = ("\n", "\n    ", "\\\n", '" +\n    "', "\\n", "\r\n", '" "', "\n> ")
    for _ in range(rounds):
        for sort, make in KEYS.items():
            if sort.startswith(
                ("bare", "mail", "slack hook", "azure", "twilio", "telegram", "discord")
            ):
                continue
            for joint in joints:
                key = make(r)
                cut = max(key.rfind("_", 0, 12), key.rfind("-", 0, 12), 8) + r.randrange(6, 10)
                cut = min(cut, len(key) - 6)
                yield Case(f"broken {sort}", f'see "{key[:cut]}{joint}{key[cut:]}" here', key[cut:])


def private_keys(r: random.Random, rounds: int = 1) -> Iterator[Case]:
    """Private key blocks, whole, escaped and cut off; the value is a line of their body."""
    for _ in range(rounds):
        for kind in ("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA "):
            lines = [some(B64, 64)(r) for _ in range(6)]
            body = "\n".join(lines)
            block = f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"
            yield Case("private key", f"here it is:\n{block}\ndone", lines[3])
            escaped = block.replace("\n", "\\n")
            yield Case("private key", f'{{"private_key": "{escaped}\\n", "id": 1}}', lines[3])
            yield Case("private key", block.rpartition("\n-----END")[0], lines[5])
            yield Case(
                "private key", "\n".join("    " + line for line in block.split("\n")), lines[2]
            )


def innocent(r: random.Random, rounds: int = 1) -> Iterator[Case]:
    """Texts that must come back as they were."""
    for _ in range(rounds):
        for sort, make in INNOCENT.items():
            for around in INNOCENT_SURROUNDINGS:
                value = make(r)
                yield Case(sort, around.format(value), value)
    for line in PLACEHOLDERS:
        yield Case("placeholder", line, line)


def adversarial(size: int) -> dict[str, str]:
    """Texts of `size` characters made to be slow."""
    blocks = (
        "a",
        "A1",
        "password=",
        "password = '",
        "key",
        "token token ",
        "eyJ-",
        "ghp_",
        "-----BEGIN PRIVATE KEY-----",
        "AKIA",
        "xox-",
        "://a:",
        "://a:b@",
        "1234567890:",
        "=",
        "[redacted: ",
        "Authorization: ",
        "aws key ",
        "sk-abcd\n",
        "/",
        "0123456789abcdef",
        "\\n",
        " ",
        '"',
        "x1Y2",
        "_",
        "-",
        ".",
        "https://a.b/",
        "pass",
        "M" + "a" * 23 + ".",
        "PuTTY-User-Key-File-2: Private-Lines: 8 ",
        "artif ",
        "eyJ" + "a" * 700 + ".",
        "é",
        "secret\n",
        "a@b:",
        "-us1",
        "Bearer aaaaaaaaaaaaaaa1 ",
        "identified by '",
        "login a password ",
        "mysql -p ",
        "docker login -u bob -p hunter22 ",
        "password is ",
        "Passwort für ",
        "密码是",
        "&#45;",
        "&quot;a",
        "a.b.c.d.",
        "ghp_ abcd ",
        "abandon ",
        "x<b>x</b>",
        "%5F",
        "insert into a (password) values (",
        "| password |\n|---|\n| a |\n",
        "kind: Secret\ndata:\n  a: ",
        "login('a', ",
        "\u200b",
        "--password-stdin <<< a",
        "echo a | sudo -S ",
        'variable "password" { ',
        "<password a=",
        "[1,",
        "1lx3=",
        "\\u0041",
        "slack key 0123456789abcdef0123456789abcdef ",
        "$ANSIBLE_VAULT;1.1;AES256\n0",
    )
    return {block[:24]: (block * (size // len(block) + 1))[:size] for block in blocks}


class Secret(NamedTuple):
    """One secret in a text, as `secrets` draws them."""

    form: str
    """Which form it is, such as `stripe-access-token` or `mysql -p`."""
    group: str
    """Which group of forms: whose rules publish it, or `commands`, `prose` …"""
    text: str
    """The text with the secret in it."""
    value: str
    """The secret as it is written in `text`."""
    bare: bool
    """Whether nothing around the secret says that it is one."""


def secrets(seed: int = 13, each: int = 6) -> Iterator[Secret]:
    """Secrets of every form, the same for the same arguments.

    Every form has the same weight: `each` texts that name the secret. A format of keys has a third
    as many bare ones besides; formats that are equal without a name (an MD5 hash, a UUID) are one
    bare form, called by its shape.

    Args:
        each: texts with a name for each form, 1 or more.
    """
    r = random.Random(seed)
    yield from _keys(r, each)
    for group, places in EVERYDAY.items():
        for form, place in places.items():
            for number in range(each):
                value = _password(r, number)
                yield Secret(form, group, place.format(value), value, False)
    for form, write in WRITTEN.items():
        for _ in range(each):
            text, value = write(r)
            yield Secret(form, "files and headers", text, value, False)
    yield from _split(r, each)


def stays(secret: Secret, after: str) -> bool:
    """Whether `after` holds the secret, or a contiguous half of it."""
    return any(piece in after for piece in pieces(secret.value))


def pieces(value: str) -> list[str]:
    """The strings that must be nowhere: every contiguous half of `value`, 8 characters at least."""
    size = max(min(8, len(value)), (len(value) + 1) // 2)
    return [value[start : start + size] for start in range(len(value) - size + 1)]


def bare_forms() -> list[KeyForm]:
    """The formats that differ without a name: one of each shape."""
    return list({bare_shape(form.shape): form for form in reversed(key_forms())}.values())[::-1]


def bare(form: KeyForm, r: random.Random, place: int) -> Secret:
    """A key of `form` that nothing names, in the place with this number of `BARE`."""
    value = drawn(form.shape, r)
    text = BARE[place % len(BARE)].format(value)
    return Secret(f"bare {form.form}", form.group, text, value, True)


def _keys(r: random.Random, each: int) -> Iterator[Secret]:
    kinds = list(KEY_PLACES)
    differing = set(bare_forms())
    for number, form in enumerate(key_forms()):
        for kind in r.sample(kinds * (each // len(kinds) + 1), each):
            value = drawn(form.shape, r)
            yield Secret(form.form, form.group, _named(form.name, value, kind), value, False)
        if form in differing:
            for step in range(max(1, each // 3)):
                yield bare(form, r, number + step * 3)


_GENERIC = frozenset(
    "API KEY TOKEN SECRET ACCESS AUTH CLIENT ID APP USER PROJECT ADMIN TEST".split()
)


def _named(name: str, value: str, kind: str) -> str:
    words = [word.lower() for word in name.split("_") if word]
    issuer = [word.title() for word in name.split("_") if word and word not in _GENERIC]
    return KEY_PLACES[kind].format(
        v=value,
        ENV=name,
        snake="_".join(words),
        kebab="-".join(words),
        dotted=".".join(words),
        camel=words[0] + "".join(word.title() for word in words[1:]),
        Header="-".join(word.title() for word in words),
        words=" ".join([word.title() for word in words[:1]] + words[1:]),
        issuer=" ".join(issuer) or "Acme",
    )


def _password(r: random.Random, number: int) -> str:
    """A password as people write them: words with digits, with marks, random, several words."""
    word = r.choice(("sunset", "dragon", "falcon", "winter", "coffee", "matrix", "wolke", "lune"))
    kinds: tuple[Make, ...] = (
        lambda r: f"{word}{r.randrange(10, 9999)}",
        lambda r: f"{word.title()}{r.randrange(1950, 2040)}!",
        lambda r: some(WORD, 11)(r) + r.choice(DIGITS),
        lambda r: f"{word[:2]}{r.randrange(10)}{word[2:].title()}#{r.randrange(100)}",
        lambda r: "-".join(r.choices(WORDS, k=4)),
        lambda r: some(LOWER, 3)(r) + "@" + some(WORD, 6)(r) + r.choice(DIGITS) + "?",
    )
    return kinds[number % len(kinds)](r)


_HEADED = (
    "github-pat",
    "stripe-access-token",
    "anthropic-api-key",
    "aws-access-token",
    "slack-bot-token",
)


def _split(r: random.Random, each: int) -> Iterator[Secret]:
    """Keys of known formats that something invisible or a notation takes apart."""
    shapes = {form.form: form.shape for form in key_forms()}
    for form, split in SPLITS.items():
        for number in range(each):
            written = split(drawn(shapes[_HEADED[number % len(_HEADED)]], r))
            text = BARE[number % len(BARE)].format(written)
            yield Secret(form, "split", text, written, False)
