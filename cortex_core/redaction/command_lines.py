"""Passwords in commands: which option of which program takes one, and what is fed to a prompt.

A command is read word by word, with its quotes, from the program's name to the end of the command.
The words keep their places in the text, and the text may be JSON or prose with a command in it.
"""

import re
from collections.abc import Iterator
from functools import cache

from cortex_core.language.patterns import Pattern
from cortex_core.redaction.spans import SearchedText, SecretSpan
from cortex_core.redaction.values import is_chosen, is_credential, is_placeholder

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
hydra medusa ncrack  -  -p
curl  -  -u: --user: -U: --proxy-user: --pass -b= --cookie=
wget  -  --password --http-password --ftp-password --proxy-password
http https httpie xh  -  -a: --auth:
lftp ncftp  -  -u, -p
smbclient rpcclient smbmap crackmapexec netexec  -  -U% -p
evil-winrm impacket-psexec psexec rdesktop  -  -p
schtasks  -  /rp
mkpasswd  -  #1
openssl  passwd  #2
poetry  config  pypi-token.pypi #4
rman  target  #2/
composer  config  #4
bundle  config  #3: #4:
ab  -  -A: -P:
drush  user:password  #3
tacacs-server radius-server  -  key
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
az  sql  -p --admin-password
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
gh  secret  --body -b -b+
gem  push  -k --key
snyk  auth  #2
rootpw  -  --plaintext
snmp-server  community  #2
cargo wandb  login  #2
mc  alias  #6
security  -  -w
security  unlock-keychain  -p
security  create-keychain  -p
snmpwalk snmpget snmpset snmpbulkwalk snmptrap  -  -c
codecov  -  -t --token
dotnet nuget  push  -k --api-key -ApiKey
sonar-scanner mvn gradle  -  -Dsonar.login -Dsonar.token
sentry-cli  -  --auth-token
vercel netlify surge firebase doctl flyctl fly  -  --token -t --access-token --auth
sqlpackage msdeploy  -  /tp:+ /sp:+
signtool  -  /p
impala-shell beeline  -  -p
kinit  -  --password
db2  connect  using
rsync  -  --password
"""
"""Programs; the word that must follow (`-` for any); and what takes a secret:

`-p` the word after it, or after `=`; `-p+` what is attached to it; `-u:` the part after the first
colon of the word after it (also `%`, `,`, `/`, `=`); `-passin~pass:` the word after it without that
beginning; `#2` the second word that is no option, counted after the program (`#3:` and `#1/` the
part of it after the sign); `pass` the word after.
"""


Takers = tuple[str, tuple[str, ...]]
"""What of one program takes a secret, if the word that comes first is among its words."""
Word = tuple[str, int]
"""One word of a command: its text without quotes, and where that is."""


@cache
def _programs() -> dict[str, tuple[Takers, ...]]:
    programs: dict[str, tuple[Takers, ...]] = {}
    for line in _TABLE.strip().splitlines():
        names, subcommand, options = line.split("  ")
        takers = ("" if subcommand == "-" else subcommand, tuple(options.split()))
        for plain in names.split():
            for name in {plain, plain[0].upper() + plain[1:]}:  # a title begins with a capital
                programs[name] = (*programs.get(name, ()), takers)
    return programs


WORD = Pattern(
    "a word of a command, what is between two, or a redirection",
    r"(?P<space>(?:[ \t]|\\\r?\n)+)"
    r"|(?P<word>(?:[^\s\"'\\;|&()`<>]|\\.|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+')++)"
    r"|(?P<redirect>[<>]{1,2}[ \t]*)",
    finds="-p'k7 sunset'",
    spares=";",
    flags=0,
)
_LONGEST = 2000
"""Characters of one command that are read."""
_MOST_WORDS = 60
_SUBCOMMAND_WORDS = 4
"""How many words may come before and with the subcommand: `docker --debug login`."""
_MARKS = "\"'\\`"


def commands(reading: SearchedText) -> Iterator[SecretSpan]:
    """The secrets that commands are given."""
    text, programs = reading.text, _programs()
    for name in programs.keys() & reading.vocabulary:
        position = text.find(name)
        while position >= 0:
            end = position + len(name)
            before, after = text[position - 1 : position], text[end : end + 1]
            # A name counts where it is a word of its own with an argument.
            if after in (" ", "\t") and not (before.isalnum() or before in ("_", ".", "-")):
                found = list(_words(text, end))
                yield from _of_command(found, programs[name], is_title=name[0].isupper())
                end = found[-1][1] if found else end  # what is within this command has been read
            position = text.find(name, end)
    if not _FED_HINTS.isdisjoint(reading.vocabulary) or any(hint in text for hint in _FED_PARTS):
        yield from _fed(text)


def _of_command(
    words: list[Word], rows: tuple[Takers, ...], *, is_title: bool
) -> Iterator[SecretSpan]:
    """The secrets among the words of one command.

    Args:
        is_title: the program has a capital letter, so it may be a word of prose (`Net user growth`)
            and only what looks like a password is one.
    """
    for subcommand, options in rows:
        for option in options:
            first = words[: 1 if option[0] == "#" else _SUBCOMMAND_WORDS]
            if subcommand and all(text != subcommand for text, _ in first):
                continue
            for text, start in _taken(words, option):
                if len(text) < 3 or is_placeholder(text):
                    continue
                if not is_title or is_credential(text, "password", "loose"):
                    yield SecretSpan(start, start + len(text), "password")


def _words(text: str, start: int) -> Iterator[Word]:
    """The words of the command whose program ends at `start`."""
    at, end, count = start, min(len(text), start + _LONGEST), 0
    while count < _MOST_WORDS and (match := WORD.regex.match(text, at, end)):
        at = match.end()
        if word := match["word"]:
            plain = word.lstrip(_MARKS)
            yield plain.rstrip(_MARKS), match.start() + len(word) - len(plain)
            count += 1


def _taken(words: list[Word], option: str) -> Iterator[Word]:
    """What `option`, written as in the table, takes of the words of a command."""
    if option[0] == "#":
        place, separator = option[1:].rstrip("/:"), option[-1] if option[-1] in "/:" else ""
        arguments = [word for word in words if not word[0].startswith(("-", "/user", "["))]
        if int(place) <= len(arguments):
            yield from _part(arguments[int(place) - 1], separator)
        return
    name, separator, prefix = option, "", ""
    if "~" in option:
        name, _, prefix = option.partition("~")
    elif option[-1] in ":,%/=":
        name, separator = option[:-1].removesuffix("="), option[-1]
    is_attached = option[-1] == "+"
    name = name.rstrip("+")
    # An option may have its secret in the next word, after `=`, or attached without anything.
    for number, word in enumerate(words):
        value = None
        if is_attached:
            value = _after(word, len(name)) if word[0].startswith(name) else None
        elif word[0] == name and number + 1 < len(words):
            value = words[number + 1]
        elif word[0].startswith(f"{name}="):
            value = _after(word, len(name) + 1)
        elif separator and word[0].startswith(name) and not name.startswith("--"):
            value = _after(word, len(name))
        if value and value[0].startswith(prefix):
            yield from _part(_after(value, len(prefix)), separator)


def _part(value: Word, separator: str) -> Iterator[Word]:
    """The secret part of `value`: what follows its first `separator`."""
    text = value[0]
    if not separator:
        if not text.startswith("-") or is_chosen(text):
            yield value
    elif separator in text and "${" not in text:
        secret, start = _after(value, text.index(separator) + 1)
        # Of user/password@host, what the host is called says nothing of the password.
        yield secret.rpartition("@")[0] if separator == "/" and "@" in secret else secret, start


def _after(word: Word, count: int) -> Word:
    """`word` without its first `count` characters and the quotes that follow them."""
    text, start = word
    plain = text[count:].lstrip(_MARKS)
    return plain, start + len(text) - len(plain)


_FED_HINTS = frozenset(
    "--password-stdin --passwd-on-stdin --stdin -S chpasswd --with-token --passphrase-fd"
    " --token-stdin kinit AUTH send sendline".split()
)
"""One of these words is in every text with a password that is fed to a program."""
_FED_PARTS = ("chpasswd", "stdin", "<(echo", "<<<", "cho ", "rintf ")
"""The same, for words that a quotation mark or a full stop follows."""
_ASKS = (
    r"(?:--password-stdin|--passwd-on-stdin|--stdin|-S\b|--with-token|--passphrase-fd|\w{0,12}passwd\b"
    r"|--token-stdin|secrets?[ \t](?:put|create|add|set|versions)"
    r"|\bkinit\b|env[ \t]add|pass[ \t]insert|secret-tool[ \t]store|--[a-z]{2,12}-file=?[ ]?-(?!\w))"
)
FED = Pattern(
    "what is piped or sent to a program that asks for a password",
    r"\b(?:[Ee]cho|[Pp]rintf)[ \t]+(?:-[en]+[ \t]+|\\?[\"']%s(?:\\n)?\\?[\"'][ \t]+)*"
    r"(?P<piped>\\?\"[^\"\n]{1,200}\"|\\?'[^'\n]{1,200}'|[^\s|\"']{1,200})[ \t]*\|"
    rf"[^\n|]{{0,200}}?{_ASKS}"
    rf"|{_ASKS}[^\n|<]{{0,200}}<<<[ \t]*"
    r"(?P<here>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"']{1,200})"
    r"|pass[a-z\-]{0,12}[= ]<\(echo[ \t]+(?P<named>[^\s)]{3,200})\)"
    r"|assword:?[^\n]{0,20}\n?[^\n]{0,20}send(?:line)?[ \t]+(?:--[ \t]+)?"
    r"\"(?P<sent>[^\"\n\\]{3,200})"
    r"|\b(?:[Ee]cho|[Pp]rintf)[ \t]+(?:[\"']%s(?:\\n)?[\"'][ \t]+)?"
    r"(?P<kept>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'|>]{1,200})"
    r"[ \t]*>{1,2}[ \t]*[^\s|;&]{0,80}(?:passw|[._\-/]pass\b|secret|token|credential)"
    r"|^(?:[\w.:\-]{1,60}>|C:)?[ \t]*AUTH[ \t]+(?:\w{1,30}[ \t]+)?"
    r"(?P<auth>[^\s\"'<]{4,200})[ \t]*$",
    finds="echo hunter2-9 | sudo -S ls",
    spares="echo hello | sort",
    flags=re.MULTILINE,
)


def _fed(text: str) -> Iterator[SecretSpan]:
    for match in FED.regex.finditer(text):
        group = match.lastgroup or ""
        value = match[group]
        plain = value.strip(_MARKS)
        start = match.start(group) + value.find(plain)
        if "chpasswd" in match.group() and ":" in plain:
            start, plain = start + plain.index(":") + 1, plain.partition(":")[2]
        # What is written to a file is a text more often than not.
        if len(plain) >= 3 and (
            is_credential(plain, "password", "loose")
            if group in ("kept", "auth")
            else not is_placeholder(plain)
        ):
            yield SecretSpan(start, start + len(plain), "password")
