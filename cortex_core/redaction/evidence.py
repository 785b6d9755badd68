"""Secrets that the text around them shows: addresses, headers, calls, tables, manifests.

One row for each form. A new one needs strings of which every text with it contains one, and a
pattern whose group `v` is the secret.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from cortex_core.language.patterns import Pattern
from cortex_core.redaction.spans import SearchedText, SecretSpan
from cortex_core.redaction.stated_secrets import PASSWORDS
from cortex_core.redaction.values import (
    OF_NAMES,
    Style,
    demand,
    is_candidate,
    is_credential,
    is_hash_like,
    is_jumble,
    is_phrase,
    is_placeholder,
    is_random,
    is_shown,
    label,
    parts,
)


class Evidence(NamedTuple):
    """One form of text that shows a secret, such as an address or the call of a function."""

    name: str
    """What replaces the secret."""
    hints: tuple[str, ...]
    """Lowercase strings without spaces, of which every text with this form contains one."""
    pattern: Pattern
    """Its group `v` is the secret."""
    judge: Callable[[str], bool]
    """Whether a value is one; `bool` where the form is so certain that every value is."""
    begins: bool = False
    """Whether the form begins with one of the hints, so that it is looked for there alone."""


_PASSWORD: Callable[[str], bool] = partial(is_credential, demand="password", style="tight")
_SHOWN: Callable[[str], bool] = partial(is_shown, kind="password")


def _is_said(value: str, is_pair: bool) -> bool:
    """Whether the value behind a user's name is a password; behind a slash (`is_pair`), less shows
    it."""
    return (
        is_phrase(value, 3)
        or _SHOWN(value)
        or (
            is_pair
            and (
                value.count("-") == 2
                # “demo-4711” is one, “login-4711” a branch, “ABC-4711” an issue.
                or (
                    value[0].islower()
                    and OF_NAMES.isdisjoint(parts(value))
                    and sum(map(str.isdigit, value)) > 2
                )
            )
            and is_credential(value, "password", "loose")
        )
    )


_KEY = r"(?:key|pwd|pw|pass(?:word)?|token)"
_GAP = r"\s{0,8}"
_ARGUMENT = r"(?:(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')(?:\.\w{1,12}\(\))?|[^,()\"'\n]{1,80})"
_QUOTED = r"(?:Some\()?[bfru]?\\?(?P<q>[\"'`])(?P<v>(?:(?!(?P=q))[^\n\\]){3,300})\\?(?P=q)"

_DATABASES = tuple(
    """
    postgres mysql mariadb mongodb redis amqp mssql sqlserver oracle clickhouse cockroachdb jdbc
    couchbase neo4j bolt cassandra snowflake
    """.split()
)

_LOGIN = (
    r"log(?:ged)?[ -]?ins?|sign(?:ed)?[ -]?in|g[eo]t in|credentials?|creds|zugangsdaten|anmeldung"
    r"|credenciales|identifiants|connexion|inloggen|accesso|acceso"
)
_LOGINS = (
    *"log sign cred zugangsdaten anmeldung identifiants connexion inloggen accesso acceso".split(),
    *("get", "got"),
)
"""How what `_LOGIN` finds begins."""
_OF_USER = (
    r"\b(?:(?:[^\n./]|\.(?=\w)){0,40}?(?::|\b(?:are|is|with|as|mit|ist|sind|lautet|lauten|avec|est"
    r"|sont|con|son|es|com|são|é|met|zijn|sono|è)|—|→|->))?"
    r"[ \t(]*[\w.@\-]{1,60}"
)


# What a code of digits for one login is called.
_CODE = (
    r"(?:t?otp|pin|(?:verification|unlock|door|access|security|login|backup|confirmation|2fa|mfa"
    r"|sms|one[ _\-]?time)[ _\-]?(?:code|password|pin))(?:_code)?"
)

JOINED = Pattern(
    "what is a value in a name: a hash, letters and digits of a key, a word with a number",
    r"\A(?=[a-z\-_.#]*\d)(?:[0-9a-f\-]{16,}\Z|(?=[a-z]*\d+[a-z]+\d|\d+[a-z]+\d)[a-z0-9]{16,}\Z"
    r"|(?-i:(?=[a-z]*[A-Z])(?=[A-Z]*[a-z])(?=\D*\d)[A-Za-z0-9]{20,}\Z)"
    r"|(?!issue|build|ticket|sprint|phase|python|version|release|part|step|sha|rsa|base|aes|ed)"
    r"(?:[a-z]{4,}(?:\d{2,}[!#]|\d{3,}|\d{4}[a-z]{4,})"
    r"|(?-i:(?:[A-Z][a-z]{2,}[\-_.#]?){2,3}|[A-Z][a-z]{2,}[\-_.][a-z]{3,}[\-_.]?)\d{2,4}[!#]?)\Z)",
    finds=("meadow7013", "Meadow7013Hill", "Tulip-Harbor_29", "Dragon_monkey27"),
    spares=("issue7013", "flow-2013"),
)

FORMS: tuple[Evidence, ...] = (
    *(
        Evidence(
            name,
            hints,
            Pattern(
                f"address with a {name}",
                rf"{before}(?:://|%3A%2F%2F)[^\s/:@\"'<>]{{0,100}}(?::|%3A)"
                r"(?P<v>[^\s/\"'<>]{1,200}|[A-Za-z0-9/+]{42,86}={1,2})(?:@|%40)",
                finds="postgres://app:hunter2-9@db/shop",
                spares="https://live.internal:8443/chat",
            ),
            lambda value: len(value) >= 3 and not is_placeholder(value),
            begins=True,
        )
        for name, hints, before in (
            ("database-password", _DATABASES, rf"(?:{'|'.join(_DATABASES)})[\w+:]{{0,16}}"),
            ("url-password", ("://", "%3a%2f%2f"), ""),
        )
    ),
    Evidence(
        "url-token",
        ("://",),
        Pattern(
            "address with a token",
            r"://(?P<v>[^\s/:@\"'<>]{16,200})@(?!o\d{1,12}\.ingest\.)",
            finds="https://x7Yk2mZk9QvT4Wb8@git.internal/a",
            spares="https://bob@git.internal/a",
        ),
        lambda value: (
            is_random(value)
            or (len(value) >= 24 and (is_hash_like(value) or (value.isalnum() and value.islower())))
        ),
        begins=True,
    ),
    Evidence(
        "authorization",
        ("authorization", "auth"),
        Pattern(
            "header of an authorization, or the login of a registry of images",
            r"(?:authorization|(?<=\")auth(?=\"\s{0,4}:\s{0,4}\"[a-z0-9+/]{16,400}={0,2}\"))"
            r"[\"'\])\\]{0,4}[ \t]{0,4}(?:[:=,]\\?|value=|(?=[\"'](?:bearer|basic|token)[ ]))"
            r"[ \t]{0,4}[\"'`\\]{0,2}"
            r"(?:(?:bearer|basic|token|apikey|bot|digest|negotiate|key)(?:\\?[ \t]{1,4}|%20)"
            r"|[a-z]\w{2,14}[ ](?=[^\s\"'`,;\\<>{}$]{16})"
            r"|aws[ ]\w{1,40}:)?"
            r"(?!\w{1,40}\()(?P<v>[^\s\"'`,;\\<>{}$]{6,2000})",
            finds=("Authorization: Basic Ym9iOmh1bnRlcjI=", '"auth": "bWFyaWE6aHVudGVyMi05"'),
            spares=("Authorization: <token>", "Authorization: Basic base64(user:token)"),
        ),
        lambda value: (
            not is_placeholder(value) and (any(map(str.isdigit, value)) or is_jumble(value))
        ),
        begins=True,
    ),
    Evidence(
        "bearer-token",
        ("bearer", "basic"),
        Pattern(
            "bearer, or basic before the name of its header",
            r"(?<![a-z])(?:bearer(?:[ \t]{1,4}|\":[ ]?\{\"[\w.\-]{1,60}\":[ ]?\")"
            r"|basic[ ](?=[a-z0-9+/=]{12,400}[\"'][^\n]{0,40}authorization))"
            r"(?P<v>[\w.\-+/~=]{12,2000})",
            finds="Bearer x7Yk2mZk9QvT4Wb8",
            spares="the bearer of news",
        ),
        partial(is_credential, demand="token", style="loose"),
        begins=True,
    ),
    Evidence(
        "password",
        ("login", "machine", "identified", "password", "passphrase", "psk", "ascii-text", "user"),
        Pattern(
            "password of a user in a netrc, or in quotes after its name",
            r"(?:\b(?:login|machine)\s{1,8}\S{1,100}(?<!,)\s{1,8}password\s{1,8}"
            r"|\buser\s{1,8}\S{1,100}(?<!,)\s{1,8}pass\s{1,8}(?=\d{0,20}[^\s\d]\S{0,40}\d)"
            r"|(?:identified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?by|pass(?:word|phrase)|psk"
            r"|ascii-text)\s{1,4}(?=[\"']))[\"']?(?P<v>(?<=[\"'])[^\"'\n]{1,200}(?=[\"'])|(?<![\"'])\S{1,200})",
            finds=("login bob password hunter2-9", "IDENTIFIED BY 'hunter2-9'", ': PSK "a b"'),
            spares=("the login page, password page, settings", "identified by its name"),
        ),
        partial(is_credential, demand="password", style="quoted"),
        begins=True,
    ),
    Evidence(
        "cloudant-key",
        ("cloudant", "clou_", "clou-", "cl_", "cl-"),
        Pattern(
            "key of Cloudant",
            rf"\b(?:cloudant|clou(?=[_\-])|cl(?=[_\-]))[_\-]?(?:api)?[_\-]?{_KEY}"
            r"[\"']?\]?[ \t]{0,4}(?:=>|:=|::|[=: ])[ \t]{0,4}[\"']?(?P<v>[a-z]{24})(?![a-z0-9])",
            finds=(f"cloudant_key={'abcd' * 6}", f"cl-apikey: {'abcd' * 6}"),
            spares=(f"cloudant_key={'abcd' * 5}", f"clkey={'abcd' * 6}"),
        ),
        is_candidate,
        begins=True,
    ),
    Evidence(
        "aws-secret-key",
        ("aws",),
        Pattern(
            "secret key near a word for it",
            rf"aws[^\n]{{0,20}}?{_KEY}[^\n]{{0,20}}?"
            r"(?P<v>(?<![\w/+])[A-Za-z0-9/+]{40}(?![\w/+]))",
            finds="aws_secret_access_key = " + "x7Yk/" * 8,
            spares="aws_secret_access_key = " + "x7Yk/" * 7,
        ),
        lambda value: is_candidate(value) and not is_placeholder(value),
        begins=True,
    ),
    Evidence(
        "artifactory-token",
        ("akc",),
        Pattern(
            "token of an artifactory",
            r"(?<![^\s=:\"])(?P<v>(?-i:AKC)[a-z0-9]{17,200})(?![^\s\"])",
            finds="token=AKCp2mZk9QvT4Wb8Hn3Lr",
            spares="token=akcp2mZk9QvT4Wb8Hn3Lr",
        ),
        is_candidate,
        begins=True,
    ),
    *(
        Evidence(
            "password",
            hints,
            Pattern(
                f"call that takes a secret behind {before} arguments, such as {hints[0]}",
                rf"(?:{'|'.join(map(re.escape, hints))})(?:s|_hash|_connect|ion|iv|->__construct)?"
                rf"(?:\(\s{{0,20}}|[ \t](?=[\"']))(?:{_ARGUMENT}\s{{0,20}},\s{{0,20}}){{{before}}}"
                rf"{_QUOTED}",
                finds=f"{hints[0]}({'user, ' * before}'Hunter2-94')",
                spares=f"{hints[0]}({'user, ' * before}password)",
            ),
            judge,
            begins=True,
        )
        for before, calls, judge in (
            (0, "hmac.new hashpw fernet wallet discord.login stripe.newclient telebot", _PASSWORD),
            (
                1,
                "basicauth basic_auth digestauth credential passwordauthentication check_password"
                " verify_password login signin sign_in authenticate createhmac jwt.sign jwt.encode"
                " jwt.verify jwt.decode twilio",
                _PASSWORD,
            ),
            (2, "getconnection dbi->connect pdo mysqli ftp sequelize set_password", _PASSWORD),
            (0, "client.login bot.login bot.run", _SHOWN),
            # Calls that take other texts, too, take a password only where it looks like one.
            *(
                (
                    before,
                    "connect auth credential user account encrypt cipher signwith session"
                    " wifi.begin .basic ldap.bind ldap_bind simple_bind",
                    _SHOWN,
                )
                for before in (1, 2, 3)
            ),
        )
        for hints in (tuple(calls.split()),)
    ),
    *(
        Evidence(
            "password",
            hints,
            Pattern(
                f"user and password with {hints[0]}",
                rf"{before}[\w.\-]{{1,40}}{between}(?P<v>[^\s:/@\"']{{6,200}}){after}",
                finds=finds,
                spares="docker run --user 1000:1000 a:1@sha256",
            ),
            _SHOWN,
            begins,
        )
        for finds, hints, before, between, after, begins in (
            (
                "-u bob:Hunter2-94",
                ("-u", "--user", "user=", "-auth"),
                r"(?<!\S)(?:-u|--user|-auth|user(?==))[ =][\"']?",
                ":",
                "",
                True,
            ),
            ("bob:Hunter2-94@db", ("@",), r"(?<![\w/:.\-])", ":", r"(?=@(?!sha256)[\w/])", False),
            (
                "bob@shop.internal / Hunter2-94",
                ("@",),
                r"(?<![\w/:.+\-])[\w.+\-]{1,60}@",
                r"[ \t]{1,4}/[ \t]{1,4}",
                "",
                False,
            ),
            ("bob/Hunter2-94@//db", ("@//",), r"(?<![\w/:.\-])", "/", "(?=@//)", False),
            ("jdbc:oracle:thin:bob/Hunter2-94@db", (":thin:",), ":thin:", "/", "(?=@)", True),
            (
                "BUNDLE_ACME: bob:Hunter2-94",
                ("bundle_",),
                r"bundle_\w{1,80}[\"']?[:=] ?[\"']?",
                ":",
                "",
                True,
            ),
        )
    ),
    *(
        Evidence(
            "password",
            hints,
            Pattern(
                "user and password in a sentence",
                rf"(?<![\w/.\-])(?:{who})"
                rf"{between}(?P<v>[!#-.0-~][!#-~]{{3,78}}?)(?=[.,;:)”»’\]}}'\"`>*|]*(?:\s|\Z))",
                finds=f"{user}{' / ' if '/' in between else ' '}Hunter2-94",
                spares="the login",
            ),
            partial(_is_said, is_pair="/" in between),
            begins=True,
        )
        for user, hints, who, between in (
            (
                "login bob",
                _LOGINS,
                rf"(?:{_LOGIN}){_OF_USER}",
                r"[ \t]{0,4}[/:][ \t]{0,4}",
            ),
            (
                "admin",
                (
                    *("wifi", "wi-fi", "ftp", "smtp", "vpn", "ssh", "db", "root", "admin"),
                    *("zugang", "acceso", "accesso", "acesso", "accès", "connexion", "вход"),
                ),
                r"(?:wi-?fi|ftp|smtp|vpn|ssh|db|zugang|acceso|accesso|acesso|accès|connexion|вход)"
                rf"{_OF_USER}|root|admin",
                r"[ \t]{0,4}/[ \t]{0,4}",
            ),
            (
                "login bob",
                _LOGINS,
                rf"(?:{_LOGIN}){_OF_USER}",
                r"[ \t]+(?:(?:with|and|mit|und|avec|et|con|y|met|en)[ \t]+)?",
            ),
        )
    ),
    Evidence(
        "password",
        ("auth", "basic", "cred", "login"),
        Pattern(
            "pair of user and password that is called so",
            rf"\b(?:basic_?)?(?:auth|cred|login)\w{{0,8}}[\"']?{_GAP}[=:]{_GAP}[(\[]{_GAP}{_ARGUMENT}"
            rf"{_GAP},{_GAP}(?P<q>[\"'`]?)(?P<v>(?:[^\s\"'`,)\]]|(?<=\w)[ ](?=\w)){{3,300}})"
            rf"(?P=q){_GAP}[)\]]",
            finds="auth=('bob', 'hunter2-9')",
            spares="auth=(user)",
        ),
        lambda value: (
            is_credential(value, "password", "quoted" if " " in value else "loose")
            and (" " not in value or any(map(str.isdigit, value)) or is_phrase(value, 4))
        ),
        begins=True,
    ),
    Evidence(
        "password",
        ("[",),
        Pattern(
            "pair of user and password",
            r"\[(?P<q>[\"'])[A-Za-z][\w.@\-]{0,40}(?P=q),[ ]?(?P=q)(?P<v>[^\s\"']{6,80})(?P=q)\]",
            finds='["bob", "Hunter2-94"]',
            spares='["bob", "alice"]',
            flags=0,
        ),
        _SHOWN,
        begins=True,
    ),
    Evidence(
        "session",
        ("cookie",),
        Pattern(
            "part of a cookie",
            r"(?:cookies?[\"']?[ \t]?[:= ]|;)[ \t]?\{?[\"']?[\w.\-]{1,60}(?:=|[\"']:[ ]?[\"'])"
            r"(?P<v>[^\s;,\"']{16,4000})",
            finds="Cookie: a=b; sessionid=" + "0a1b" * 8,
            spares="Cookie: theme=dark",
        ),
        lambda value: (
            not is_placeholder(value) and (any(map(str.isdigit, value)) or is_jumble(value))
        ),
    ),
    Evidence(
        "password",
        ("pass",),
        Pattern(
            "field of a page that is filled or typed into",
            rf"(?:\bfill\({_GAP}[\"'`][^\n,]{{0,60}}[Pp]ass[^\n,]{{0,40}},|[Pp]ass\w{{0,8}}[\"'\])]{{0,6}}"
            rf"{_GAP}\.(?:type|fill|send_?[kK]eys|setValue)\(){_GAP}{_QUOTED}",
            finds="find('password').send_keys('hunter2-9')",
            spares="find('name').send_keys('bob')",
            flags=0,
        ),
        _PASSWORD,
    ),
    Evidence(
        "password",
        ("convertto-securestring", ".tochararray"),
        Pattern(
            "secure string, or the letters that Java takes for a password",
            r"(?:ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?[\"']?"
            r"|\"(?=[^\"\n]{3,200}\"\.toCharArray\())(?P<v>[^\s\"'$;()]{3,200})",
            finds=("ConvertTo-SecureString 'hunter2-9'", 'load(in, "hunter2-9".toCharArray())'),
            spares=("ConvertTo-SecureString $password", "load(in, password.toCharArray())"),
            flags=0,
        ),
        _PASSWORD,
    ),
    Evidence(
        "password",
        ("@tcp(",),
        Pattern(
            "address of a driver",
            r"[\w.\-]{1,60}:(?P<v>[^\s:\"'/]{3,100})@(?:tcp|unix|udp)\(",
            finds="app:hunter2-9@tcp(db:3306)/shop",
            spares="app@tcp(db:3306)/shop",
            flags=0,
        ),
        _PASSWORD,
    ),
    *(
        Evidence(
            "password",
            tuple(signs.split(",")),
            Pattern(what, source, finds=finds, spares=spares, flags=0),
            bool,
        )
        for signs, what, source, finds, spares in (
            (
                ":543",
                "line of a pgpass",
                r"(?<!\S)[\w.\-]{1,100}:(?:\d{4,5}|\*):[\w\-*]{1,60}:[\w.\-*]{1,60}:"
                r"(?P<v>[^\s:]{3,100})(?!\S)",
                "db.internal:5432:shop:app:hunter2-9",
                "db.internal:5432:shop:app",
            ),
            (
                "]:",
                "line of a table of a mail server's accounts",
                r"(?<!\S)\[[\w.\-]{1,100}\]:\d{2,5}[ \t]{1,8}[\w.@+\-]{1,60}:(?P<v>\S{4,80})(?!\S)",
                "[smtp.acme.example]:587 shop:hunter2-9",
                "[::1]:587 shop",
            ),
            (
                " code",
                "codes that let a user in again, one a line",
                r"(?i:recovery|backup|scratch|2fa)[ ]codes\b[^\n]{0,60}\n"
                r"(?P<v>(?:[ \t]{0,4}[0-9a-zA-Z]{4,6}[- ][0-9a-zA-Z]{4,6}[ \t]{0,4}(?:\n|\Z))"
                r"{3,20})",
                "recovery codes:\n0a1b2-c3d4e\n1b2c3-d4e5f\n2c3d4-e5f6a\n",
                "recovery codes:\n- are used once\n",
            ),
            (
                "key,password",
                "key of an app that makes codes, or password for one app, in groups of four",
                r"\b(?:[Kk]ey|[Pp]assword)\b[^\n:→]{0,40}[:→]\s{0,8}"
                r"(?!(?:\w{4}[ ]){0,15}(?:this|that|with|from|have|will|must|your|they|them|then"
                r"|when|into|only|also|been|were|some|need|make|take|keep|used|each|more|both|same"
                r"|over|very|just|here|does|done|long|name|file|code|test|user|page|line|list|text|data)\b)"
                r"(?P<v>(?:[a-z2-7]{4}[ ]){3,15}[a-z2-7]{4}"
                r"|(?=[A-Za-z ]*\d)(?=[A-Z\d ]*[a-z])(?:[A-Za-z0-9]{4}[ ]){5}[A-Za-z0-9]{4})(?!\w)",
                "setup key: mewc ywbw 7e2p a2qp xo4e",
                ("setup key: that code", "The key: this will take some time"),
            ),
            (
                "smbclient",
                "password of a command that has no option before it",
                r"\bsmbclient[ \t]{1,4}[/\\]{2}\S{1,100}[ \t]{1,4}(?!-)"
                r"(?P<v>(?=\S*\d)[^\s\"']{6,80})",
                "smbclient //nas/share hunter2-9",
                "smbclient //nas/share -U bob2",
            ),
            (
                "bitlocker",
                "numbers that open a disk",
                r"(?<![\w\-])(?P<v>\d{6}(?:-\d{6}){7})(?![\w\-])",
                "BitLocker: " + "-".join(["104729"] * 8),
                "BitLocker: 104729-104729",
            ),
            (
                "wifi:",
                "code to scan for a network",
                r"\bWIFI:(?:[^\s;]{1,60};){0,4}P:(?P<v>[^\n;]{4,63});",
                "WIFI:T:WPA;S:Office;P:hunter2-9;;",
                "WIFI:T:nopass;S:Office;;",
            ),
            (
                "ac",
                "hash that follows the id of an account of Twilio",
                r"\bAC[0-9a-f]{32}\b[^\n]{0,24}?"
                r"(?:\n[ \t\-]{0,12}(?:[A-Za-z]{1,12}[ :=]{1,2}){0,2})?"
                r"[\"']?(?P<v>\b[0-9a-f]{32}\b)",
                f"Client('AC{'0a1b' * 8}', '{'2c3d' * 8}')",
                f"Client('AC{'0a1b' * 8}', secret)",
            ),
        )
    ),
    Evidence(
        "password",
        ("chpasswd:",),
        Pattern(
            "password of a new machine",
            r"\bchpasswd:\s{1,20}(?:list:\s{0,4}\|?\s{1,20})?(?:-\s{1,4})?[\w\-]{1,40}:"
            r"(?P<v>\S{3,100})",
            finds="chpasswd:\n  list: |\n    root:hunter2-9",
            spares="chpasswd:\n  expire: false",
            flags=0,
        ),
        _PASSWORD,
        begins=True,
    ),
    Evidence(
        "password",
        (".dockerconfigjson", "signature=", "sig=", "auth=", "code=", "key=", "appid="),
        Pattern(
            "signature in an address, or the secret of a registry",
            r"(?:[?&](?:X-(?:Amz|Goog)-)?(?:signature|sig|auth|code(?==\S{32})"
            r"|(?:key|appid)(?==[0-9a-f\-]{32,64}(?![\w/.\-])))=|\.dockerconfigjson[\"']?:\s{0,4}[\"']?)"
            r"(?P<v>(?<==)[^\s&\"'<>]{16,3000}|(?<!=)[a-z0-9+/=]{20,8000})",
            finds=(
                "https://a.internal/b?X-Amz-Signature=" + "0a1b" * 8,
                ".dockerconfigjson: " + "x7Yk" * 6,
            ),
            spares=("https://a.internal/b?sig=1", "type: kubernetes.io/dockerconfigjson"),
        ),
        bool,
    ),
    Evidence(
        "password",
        ("[",),
        Pattern(
            "line of a table of mail servers with an address and its password",
            r"(?<!\S)\[[^\]\s]{1,100}\](?::\d{1,5})?[ \t]{1,8}"
            r"[\w.+\-]{1,60}@[\w.\-]{1,100}:(?P<v>[!-~]{4,100})",
            finds="[mail.internal]:587 bob@mail.internal:hunter2-9",
            spares="scp bob@mail.internal:hunter2-9 here",
            flags=0,
        ),
        _PASSWORD,
        begins=True,
    ),
    Evidence(
        "secret",
        tuple(
            """
            pass dbpass pwd token secret bearer credential api access account private auth signing
            master encryption subscription session client license service webhook
            """.split()
        ),
        Pattern(
            "value joined to a name",
            r"(?:pass(?=w)|(?<![a-z])(?:(?:db)?pass|pwd?|token|secret|bearer|credential"
            r"|(?:api|access|account|secret|private|auth|signing"
            r"|master|encryption|subscription|session|client|license|service|webhook)"
            r"(?:[_\-]|%20)?key))"
            r"(?:word|wort|wd|phrase|code|s|[_\-]?base)?"
            r"(?:[\-_](?:is[\-_])?|(?::|%3a)?%20|%3a|/(?=[0-9a-f]{32}|[a-z0-9]{20,64}(?![\w/.\-]))"
            r"|[ ](?=\w{6,40}\.(?:txt|zip|7z|pdf|docx?|xlsx?|kdbx|conf)\b))"
            r"(?P<v>(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
            r"|(?-i:[A-Z][a-z]{2,}[\-_.]?(?:[A-Z]?[a-z]{2,}[\-_.#]?){1,2}\d{2,4}[!#]?(?!\w))"
            r"|[a-z0-9]{6,200}[!#]?"
            r"|(?-i:(?=[a-z\-]*[A-Z\d])(?=[A-Z\d\-]*[a-z])[A-Za-z0-9\-]{12,64})))"
            r"(?![\w(]|\.(?:\w{6}|[do]\b|r(?:lib|meta))|-(?!\w{1,4}(?![\w\-])))",
            finds=("fix/token-" + "0a1b" * 8, "fix/api-key-" + "0a1b" * 8),
            spares=("fix/token-flow", "fix/key-" + "0a1b" * 8),
        ),
        lambda value: (JOINED.is_in(value) or is_jumble(value)) and not is_placeholder(value),
        begins=True,
    ),
    Evidence(
        "secret",
        ("value",),
        Pattern(
            "value in the field before the name of a secret",
            r"(?<![\w.\-])value\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}[\"']?"
            r"(?P<v>[^\s\"'\\,]{4,300})\\{0,3}[\"']?[ \t]{0,4}"
            r"(?:,\s{0,40}|[ \t](?:where[ ])?|\r?\n[ \t]{0,40})"
            r"\\{0,3}[\"']?(?:name|key)\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}[\"']?"
            r"[\w.\-]{0,60}(?:secret|token|pass(?:word|wd|phrase)?|pwd|credentials?"
            r"|(?:api|access|private|secret|auth)[_\-]?key)(?![\w.\-])",
            finds=(
                '{"value": "Meadow7013", "name": "DB_PASSWORD"}',
                "- value: Meadow7013\n  name: DB_PASSWORD",
            ),
            spares=(
                '{"value": "3600", "name": "TOKEN_TTL"}',
                '{"value": "Meadow7013", "name": "CITY"}',
            ),
        ),
        partial(is_credential, demand="token", style="quoted"),
        begins=True,
    ),
    Evidence(
        "password",
        ("digest",),
        Pattern(
            "answer of a digest",
            r"\b[Dd]igest\b[^\n]{0,300}\bresponse=\"(?P<v>[0-9a-f]{32,64})\"",
            finds='Digest username="bob", response="' + "0a1b" * 8 + '"',
            spares='Digest username="bob", response="none"',
            flags=0,
        ),
        bool,
        begins=True,
    ),
    Evidence(
        "password",
        ("pin", "otp", "code", "setup"),
        Pattern(
            "PIN, or a code of digits for one login, which may stand before its name",
            r"(?:(?:(?-i:\bPIN\b)[^\n.:;]{0,30}?"
            rf"|(?<![a-z]){_CODE}(?:[ ](?:for|of|to)[ ][\w ]{{1,30}}?)?[\"']?[ ]?"
            r"(?=[^\n\d]{1,12}\d{6}))(?:\b(?:is|ist|lautet|est|es|é)\b|[:=|])\s{0,4}[\"']?"
            rf"|(?<![\w.])(?=\d{{6,8}}[ ](?:is|ist|est|es)[ ](?:[\w']{{1,12}}[ ]){{0,3}}{_CODE})"
            r"|setup[ ]key:?[ ])(?P<v>(?<!y[ ])(?<!y:[ ])\d{4,8}"
            r"|(?<=[y:][ ])[a-z2-7]{4}(?:[ ][a-z2-7]{4}){3,15})(?![\w.]\w|\w)",
            finds=(
                *("The PIN is 4711", "OTP_CODE=471108", "471108 is your verification code"),
                "setup key: x7yk 2mzk a5qv t4wb",
            ),
            spares=("PIN codes have 4711 forms", "exit code 471108", "the setup key: 4711"),
        ),
        bool,
    ),
    Evidence(
        "password",
        ("key",),
        Pattern(
            "key written as 64 numbers, or as bytes after its name",
            r"((?<!ublic)(?<!ublic_)key\w{0,20}(?:\[\w{0,8}\])?\s{0,4}=\s{0,4}(?:bytes(?:array)?\()?)?"
            r"(?P<v>(?(1)(?:\{|(?<=s\()\[|(?<=y\()\[)(?:\s{0,4}(?:0x[0-9a-f]{2}|\d{2,3}),?){8,64}"
            r"\s{0,4}[\]}]"
            r"|\[(?:\s{0,4}\d{1,3}\s{0,4},){63}\s{0,4}\d{1,3}\s{0,4}\]))",
            finds=(f"[{'12, ' * 63}12]", f"appKey[16] = {{{'0xA1, ' * 16}}}"),
            spares=(f"[{'12, ' * 62}12]", f"sizes = {{{'0xA1, ' * 16}}}"),
        ),
        bool,
    ),
)


def evidence(reading: SearchedText) -> Iterator[SecretSpan]:
    """The secrets that forms, tables, manifests and statements of SQL show."""
    text, hints = reading.text, reading.hints
    for form in FORMS:
        for match in _found(form, reading):
            if form.judge(match["v"]):
                yield SecretSpan(*match.span("v"), form.name)
    if "values" in hints and "insert" in hints:
        yield from _inserted(text)
    if ("\n" in text or "><tr" in text) and any(
        sign in text for sign in ("|", ";", ",", "\t", "│", "  ", "</t")
    ):
        yield from _columns(text)
    if "secret" in hints and "kind" in hints and SECRET_KIND.regex.search(text):
        yield from _manifests(text)


def _found(form: Evidence, reading: SearchedText) -> Iterator[re.Match[str]]:
    """Where a text has a form, whatever the value is."""
    find = form.pattern.regex
    present = [hint for hint in form.hints if hint in reading.hints]
    if present and not form.begins:
        yield from find.finditer(reading.text)
        return
    for hint in present:
        at = reading.lower.find(hint)
        while at >= 0:
            if match := find.match(reading.text, at):
                yield match
            at = reading.lower.find(hint, at + 1)


INSERT = Pattern(
    "statement that inserts",
    r"\binsert\s{1,8}into\s{1,8}[^\s(]{1,100}\s{0,8}\((?P<names>[^()]{1,1000})\)\s{0,8}values\s{0,8}"
    r"\((?P<values>(?:'[^'\n]{0,300}'|[^()'\n]){1,2000})\)",
    finds="insert into user (name, password) values ('bob', 'hunter2-9')",
    spares="insert into user select name from old",
)
SQL_VALUE = Pattern("value of SQL", r"'[^'\n]*'|[^,']+", finds="'bob', 1", spares=",", flags=0)


def _inserted(text: str) -> Iterator[SecretSpan]:
    """Values of the columns of an `INSERT` whose names say that they are secret."""
    for match in INSERT.regex.finditer(text):
        found = SQL_VALUE.regex.finditer(match["values"])
        values = (value for value in found if value.group().strip())
        for name, value in zip(match["names"].split(","), values, strict=False):
            plain = value.group().strip().strip("'")
            start = match.start("values") + value.start() + value.group().find(plain)
            yield from _of_name(name.strip(" \"'`[]\n\t"), plain, start, "loose")


def _of_name(name: str, value: str, start: int, style: Style) -> Iterator[SecretSpan]:
    is_foreign = not name.isascii() and name.lower().startswith(PASSWORDS)
    of_name = "password" if is_foreign else demand(name)
    if of_name and value and (is_credential(value, of_name, style) or is_phrase(value, 4)):
        yield SecretSpan(start, start + len(value), label(name, of_name))


_BOX = str.maketrans("│┃║─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬", "|||---" + "+" * 18)
"""The lines that programs draw around tables, as Markdown writes them."""


def _are_names(values: Sequence[str], sign: str) -> bool:
    """Whether `values`, parted by `sign`, are plain names; of two words only in quotes or parted
    by blanks."""
    named = (value for value in values if value or sign != "</t")
    return all(
        value.replace(" ", "_" if sign in ("  ", '","') else " ").isidentifier() for value in named
    )


def _columns(text: str) -> Iterator[SecretSpan]:
    """Cells of the columns of tables whose headings say that they are secret: between lines, or
    between commas or several blanks below a line of plain names."""
    headings: list[str] = []
    before: list[str] = []
    position = 0
    for line in text.translate(_BOX).replace("><tr", "\n<tr").splitlines(keepends=True):
        sign = next((sign for sign in ("|", "</t", ";", "\t", '","', ",") if sign in line), "  ")
        cells = [cell for cell in line.split(sign) if sign.strip(" ") or cell.strip()]
        values = [
            cell[cell.rfind(">") + 1 if sign == "</t" else 0 :].strip(' *`"\r\n') for cell in cells
        ]
        if set(line.strip()) <= set("|-+: ") and ("--" in line or "|-" in line):
            headings = before
        elif headings and (len(cells) == len(headings) or sign in ("|", "</t")):
            at = 0
            for heading, value in zip(headings, values, strict=False):
                at = line.find(value, at)
                yield from _of_name(heading, value, position + at, "line")
                at += len(value)
        else:
            headings = values if len(cells) > 1 and _are_names(values, sign) else []
        before = values
        position += len(line)


SECRET_KIND = Pattern(
    "manifest of the kind Secret",
    r"\bkind[\"']?:[ \t]*[\"']?Secret\b",
    finds="kind: Secret",
    spares="kind: SecretStore",
    flags=0,
)
DATA = Pattern(
    "data of a manifest",
    r"^(?P<indent>[ \t]{0,20})(?:data|stringData):[ \t]{0,8}\r?\n"
    r"(?P<block>(?:(?P=indent)[ \t]+[^\n]{0,4000}\n?){1,60})",
    finds="data:\n  token: eDdZaw",
    spares="metadata:\n  name: shop",
    flags=re.MULTILINE,
)
ENTRY = Pattern(
    "entry of the data",
    r"^[ \t]+[\w.\-]{1,100}:[ \t]{1,8}[\"']?(?P<v>[^\s\"'|>{$][^\s\"']{3,3900})",
    finds="  token: eDdZaw",
    spares="  token: |",
    flags=re.MULTILINE,
)


def _manifests(text: str) -> Iterator[SecretSpan]:
    """The data of manifests of the kind `Secret`."""
    for data in DATA.regex.finditer(text):
        for entry in ENTRY.regex.finditer(data["block"]):
            start = data.start("block") + entry.start("v")
            yield SecretSpan(start, start + len(entry["v"]), "secret")
