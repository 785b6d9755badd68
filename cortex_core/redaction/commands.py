"""Passwords in commands: which option of which program takes one, and what is fed to a prompt.

A command is read word by word, with its quotes, from the program's name to the end of the command.
The words keep their places in the text, and the text may be JSON or prose with a command in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache
from typing import NamedTuple

from cortex_core.redaction.assignments import is_credential, is_placeholder
from cortex_core.redaction.patterns import SecretSpan

_TABLE = """
docker podman nerdctl buildah skopeo oras helm  login  -p --password
docker podman buildah skopeo  -  --creds=: --src-creds=: --dest-creds=:
mysql mysqldump mysqladmin mariadb mariadb-dump mysqlimport mysqlshow  -  -p+ --password
mysqladmin  -  password
psql pg_dump pg_restore createdb vacuumdb  -  --password
redis-cli  -  -a --pass requirepass masterauth
mongo mongosh mongodump mongorestore mongoexport mongoimport  -  -p --password
sqlcmd bcp osql isql  -  -P
sqlplus impdp expdp rman  -  #1/
clickhouse-client cqlsh influx couchbase-cli  -  -p --password -password
ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami ldapcompare  -  -w -s
sshpass  -  -p+ -p
curl  -  -u: --user: -U: --proxy-user: --pass
wget  -  --password --http-password --ftp-password --proxy-password
http https httpie xh  -  -a: --auth:
lftp ncftp  -  -u, -p
smbclient rpcclient smbmap crackmapexec netexec  -  -U% -p
evil-winrm impacket-psexec rdesktop  -  -p
xfreerdp xfreerdp3 wlfreerdp mstsc  -  /p:+
net  use  #4
net  user  #3
openssl  -  -passin~pass: -passout~pass: -pass~pass: -k -passwd -password~pass:
gpg gpg2  -  --passphrase
ssh-keygen  -  -N -P
keytool jarsigner apksigner  -  -storepass -keypass -srcstorepass -deststorepass -srckeypass
keytool jarsigner apksigner  -  -destkeypass -new
htpasswd  -  #3
mosquitto_passwd  -  #3
mosquitto_pub mosquitto_sub mqttx  -  -P
zip unzip zipcloak  -  -P
7z 7za 7zz 7zr unrar rar  -  -p+ -hp+
az  login  -p --password --client-secret
aws  configure  aws_secret_access_key aws_session_token
oc cf ibmcloud bluemix tsh argocd  login  -p --password --token --apikey
vault  login  #2
twine  -  -p --password
npm  config  #4
rabbitmqctl rabbitmqadmin  add_user  #3
rabbitmqctl  change_password  #3
rabbitmqctl  authenticate_user  #3
nmcli  -  password wifi-sec.psk 802-11-wireless-security.psk
wpa_passphrase  -  #2
rclone  obscure  #2
rclone  config  pass
ipmitool snmpwalk snmpget  -  -P -A -X
svn git-svn hg  -  --password
useradd usermod adduser  -  -p --password
gh  secret  --body -b
snyk  auth  #2
sentry-cli  -  --auth-token
vercel netlify surge firebase doctl flyctl fly  -  --token -t --access-token --auth
sqlpackage msdeploy  -  /tp:+ /sp:+
impala-shell beeline  -  -p
kinit  -  --password
rsync  -  --password
"""
"""Programs; the word that must follow (`-` for any); and what takes a secret:

`-p` the word after it, or after `=`; `-p+` what is attached to it; `-u:` the part after the first
colon of the word after it (also `%`, `,` and `/`); `-passin~pass:` the word after it without that
beginning; `#2` the second word that is no option, counted after the program; `pass` the word after.
"""


class _Takers(NamedTuple):
    """What of one program takes a secret, if the word `subcommand` is among its words."""

    subcommand: str
    options: tuple[str, ...]


@cache
def _programs() -> dict[str, tuple[_Takers, ...]]:
    programs: dict[str, tuple[_Takers, ...]] = {}
    for line in _TABLE.strip().splitlines():
        names, subcommand, options = re.split(r"\s{2,}", line.strip())
        takers = _Takers(subcommand.replace("-", "", 1), tuple(options.split()))
        for plain in names.split():
            for name in {plain, plain[0].upper() + plain[1:]}:  # a title begins with a capital
                programs[name] = (*programs.get(name, ()), takers)
    return programs


_WORD = re.compile(
    r"(?P<space>(?:[ \t]|\\\r?\n)+)"
    r"|(?P<word>(?:[^\s\"'\\;|&()`<>]|\\.|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+')++)"
    r"|(?P<redirect>[<>]{1,2}[ \t]*)",
)
_LONGEST = 2000
"""Characters of one command that are read."""
_MOST_WORDS = 60
_SUBCOMMAND_WORDS = 4
"""How many words may come before and with the subcommand: `docker --debug login`."""
_MARKS = "\"'\\`"


class _Word(NamedTuple):
    """One word of a command: its text without quotes, and where that is."""

    text: str
    start: int


def commands(text: str, words: Set[str]) -> Iterator[SecretSpan]:
    """The secrets that commands in `text` are given; `words` are its words, each once
    and without what opens a quotation."""
    programs = _programs()
    for name in programs.keys() & words:
        end = 0
        for match in re.finditer(rf"(?<![\w.\-]){re.escape(name)}(?=[ \t])", text):
            if match.start() >= end:  # not within the command before, which has been read
                found = list(_words(text, match.end()))
                end = found[-1].start if found else match.end()
                yield from _of_command(found, programs[name], is_title=name[0].isupper())
    if not _FED_HINTS.isdisjoint(words) or any(hint in text for hint in _FED_PARTS):
        yield from _fed(text)


def _of_command(
    words: list[_Word], rows: tuple[_Takers, ...], *, is_title: bool
) -> Iterator[SecretSpan]:
    """The secrets among the words of one command.

    Args:
        is_title: the program has a capital letter, so it may be a word of prose (`Net user growth`)
            and only what looks like a password is one.
    """
    for row in rows:
        for option in row.options:
            first = words[: 1 if option[0] == "#" else _SUBCOMMAND_WORDS]
            if row.subcommand and all(word.text != row.subcommand for word in first):
                continue
            for found in _taken(words, option):
                if len(found.text) < 3 or is_placeholder(found.text):
                    continue
                if not is_title or is_credential(found.text, "password", "loose"):
                    yield SecretSpan(found.start, found.start + len(found.text), "password")


def _words(text: str, start: int) -> Iterator[_Word]:
    """The words of the command whose program ends at `start`."""
    at, end, count = start, min(len(text), start + _LONGEST), 0
    while count < _MOST_WORDS and (match := _WORD.match(text, at, end)):
        at = match.end()
        if word := match["word"]:
            plain = word.lstrip(_MARKS)
            yield _Word(plain.rstrip(_MARKS), match.start() + len(word) - len(plain))
            count += 1


def _taken(words: list[_Word], option: str) -> Iterator[_Word]:
    """What `option`, written as in the table, takes of the words of a command."""
    if option[0] == "#":
        yield from _positional(words, option[1:])
        return
    name, separator, prefix = option, "", ""
    if "~" in option:
        name, _, prefix = option.partition("~")
    elif option[-1] in ":,%/" and not option.endswith("=:"):
        name, separator = option[:-1], option[-1]
    elif option.endswith("=:"):
        name, separator = option[:-2], ":"
    is_attached = option[-1] == "+"
    name = name.rstrip("+")
    for number, word in enumerate(words):
        value = None
        if is_attached:
            value = _after(word, len(name)) if word.text.startswith(name) else None
        elif word.text == name and number + 1 < len(words):
            value = words[number + 1]
        elif word.text.startswith(f"{name}="):
            value = _after(word, len(name) + 1)
        elif separator and word.text.startswith(name) and not name.startswith("--"):
            value = _after(word, len(name))
        if value and value.text.startswith(prefix):
            yield from _part(_after(value, len(prefix)), separator)


def _part(value: _Word, separator: str) -> Iterator[_Word]:
    """The secret part of `value`: what follows its first `separator`."""
    if not separator:
        if not value.text.startswith("-"):
            yield value
    elif separator in value.text and "${" not in value.text:
        yield _after(value, value.text.index(separator) + 1)


def _positional(words: list[_Word], place: str) -> Iterator[_Word]:
    separator = place.lstrip("0123456789")
    arguments = [word for word in words if not word.text.startswith(("-", "/user"))]
    index = int(place.rstrip("/")) - 1
    if index < len(arguments):
        yield from _part(arguments[index], separator)


def _after(word: _Word, count: int) -> _Word:
    """`word` without its first `count` characters and the quotes that follow them."""
    rest = word.text[count:]
    plain = rest.lstrip(_MARKS)
    return _Word(plain, word.start + len(word.text) - len(plain))


_FED_HINTS = frozenset(
    "--password-stdin --passwd-on-stdin --stdin -S chpasswd --with-token --passphrase-fd"
    " --token-stdin AUTH send sendline".split()
)
"""One of these words is in every text with a password that is fed to a program."""
_FED_PARTS = ("chpasswd", "stdin")
"""The same, for words that a quotation mark or a full stop follows."""
_ASKS = (
    r"(?:--password-stdin|--passwd-on-stdin|--stdin|-S\b|--with-token|--passphrase-fd|chpasswd"
    r"|--token-stdin|--key-file=?[ ]?-)"
)
_FED = re.compile(
    rf"\b(?:[Ee]cho|[Pp]rintf)[ \t]+(?:-[en]+[ \t]+|\\?[\"']%s(?:\\n)?\\?[\"'][ \t]+)*"
    rf"(?P<piped>\\?\"[^\"\n]{{1,200}}\"|\\?'[^'\n]{{1,200}}'|[^\s|\"']{{1,200}})[ \t]*\|"
    rf"[^\n|]{{0,200}}?{_ASKS}"
    rf"|{_ASKS}[^\n|<]{{0,200}}<<<[ \t]*"
    r"(?P<here>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"']{1,200})"
    r"|assword:?[^\n]{0,20}\n?[^\n]{0,20}send(?:line)?[ \t]+(?:--[ \t]+)?"
    r"\"(?P<sent>[^\"\n\\]{3,200})"
    r"|^[ \t]*AUTH[ \t]+(?P<auth>[^\s\"'<]{4,200})[ \t]*$",
    re.MULTILINE,
)
"""What is piped or sent to a program that asks for a password."""


def _fed(text: str) -> Iterator[SecretSpan]:
    for match in _FED.finditer(text):
        group = match.lastgroup or ""
        value = match[group]
        plain = value.strip(_MARKS)
        start = match.start(group) + value.find(plain)
        if "chpasswd" in match.group() and ":" in plain:
            start, plain = start + plain.index(":") + 1, plain.partition(":")[2]
        if len(plain) >= 3 and not is_placeholder(plain):
            yield SecretSpan(start, start + len(plain), "password")
