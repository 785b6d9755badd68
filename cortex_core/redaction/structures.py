"""Secrets that structure shows: arguments of calls, columns of tables, Kubernetes secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from cortex_core.redaction.assignments import demand, is_credential, label
from cortex_core.redaction.patterns import SecretSpan

_GAP = r"\s{0,8}"
_ARGUMENT = r"(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^,()\"'\n]{1,80})"
_QUOTED = r"\\?(?P<q>[\"'`])(?P<v>(?:(?!(?P=q))[^\n\\]){3,300})\\?(?P=q)"


class _Structure(NamedTuple):
    """One structure with a secret: a string that it contains, and a pattern with the group `v`."""

    hint: str
    """In lower case, without spaces."""
    pattern: str


def _call(hint: str, names: str, before: int) -> _Structure:
    """Calls of `names` whose argument after the first `before` ones is a secret."""
    return _Structure(
        hint, rf"\b(?:{names})\(\s{{0,20}}(?:{_ARGUMENT}\s{{0,20}},\s{{0,20}}){{{before}}}{_QUOTED}"
    )


_STRUCTURES: tuple[_Structure, ...] = (
    _call("basicauth", "HTTP(?:Basic|Digest)Auth|BasicAuth|setBasicAuth", 1),
    _call("basic_auth", "(?:set_)?basic_auth", 1),
    _call("credential", "NetworkCredential|UsernamePasswordCredentials?|PSCredential", 1),
    _call("passwordauthentication", "PasswordAuthentication", 1),
    _call("check_password", "check_password(?:_hash)?|verify_password", 1),
    _call("login(", "login|sign_?[iI]n", 1),
    _call("authenticate(", "authenticate", 1),
    _call("getconnection", "getConnection", 2),
    _call("pdo(", "PDO", 2),
    _call("mysqli", "mysqli(?:_connect)?", 2),
    _call("wallet(", "Wallet", 0),
    _Structure("auth", rf"\bauth{_GAP}[=:]{_GAP}[(\[]{_GAP}{_ARGUMENT}{_GAP},{_GAP}{_QUOTED}"),
    _Structure(
        "fill(", rf"\bfill\({_GAP}[\"'`][^\n,]{{0,60}}[Pp]ass[^\n,]{{0,40}},{_GAP}{_QUOTED}"
    ),
    _Structure(
        "pass",
        rf"[Pp]ass\w{{0,8}}[\"'\])]{{0,6}}{_GAP}\.(?:type|fill|send_?[kK]eys|setValue)\({_GAP}"
        + _QUOTED,
    ),
    _Structure("securestring", rf"ConvertTo-SecureString\s{{1,4}}(?:-String\s{{1,4}})?{_QUOTED}"),
    _Structure("@tcp(", r"[\w.\-]{1,60}:(?P<v>[^\s:\"'/]{3,100})@(?:tcp|unix|udp)\("),
    _Structure(
        ":5432:",
        r"(?<!\S)[\w.\-]{1,100}:(?:\d{4,5}|\*):[\w\-*]{1,60}:[\w\-*]{1,60}:(?P<v>[^\s:]{3,100})(?!\S)",
    ),
    _Structure(
        "chpasswd:",
        r"\bchpasswd:\s{1,20}(?:list:\s{0,4}\|?\s{1,20})?(?:-\s{1,4})?[\w\-]{1,40}:(?P<v>\S{3,100})",
    ),
    _Structure(
        ".dockerconfigjson",
        r"\.dockerconfigjson[\"']?:\s{0,4}[\"']?(?P<v>[A-Za-z0-9+/=]{20,8000})",
    ),
    _Structure(
        "signature=",
        r"[?&](?:X-(?:Amz|Goog)-)?[Ss]ignature=(?P<v>[^\s&\"'<>]{16,3000})",
    ),
    _Structure("sig=", r"[?&]sig=(?P<v>[^\s&\"'<>]{16,3000})"),
    _Structure("response=", r"\b[Dd]igest\b[^\n]{0,300}\bresponse=\"(?P<v>[0-9a-f]{32,64})\""),
    _Structure(
        "pin",
        r"\bPIN\b[^\n.:;]{0,30}?(?:\b(?:is|ist|lautet|est|es|é)\b|[:=])\s{0,4}(?P<v>\d{4,8})\b",
    ),
    _Structure("key", r"(?P<v>\[(?:\s{0,4}\d{1,3}\s{0,4},){63}\s{0,4}\d{1,3}\s{0,4}\])"),
)
_CERTAIN = frozenset(
    (".dockerconfigjson", "signature=", "sig=", "response=", "pin", "key", ":5432:")
)
"""Structures in which every value is a secret."""


def structures(text: str, hints: str) -> Iterator[SecretSpan]:
    """The secrets that the structure of `text` shows; `hints` has its words in hints case."""
    for structure in _STRUCTURES:
        if structure.hint in hints:
            for match in _compiled(structure.pattern).finditer(text):
                if structure.hint in _CERTAIN or is_credential(match["v"], "password", "tight"):
                    yield SecretSpan(*match.span("v"), "password")
    if "values" in hints and "insert" in hints:
        yield from _inserted(text)
    if "|--" in text or "| --" in text or "|:-" in text:
        yield from _columns(text)
    if "secret" in hints and "kind" in hints:
        yield from _kubernetes(text)


_INSERT = re.compile(
    r"\binsert\s{1,8}into\s{1,8}[^\s(]{1,100}\s{0,8}\((?P<names>[^()]{1,1000})\)\s{0,8}values\s{0,8}"
    r"\((?P<values>(?:'[^'\n]{0,300}'|[^()'\n]){1,2000})\)",
    re.IGNORECASE,
)
_SQL_VALUE = re.compile(r"'[^'\n]*'|[^,']+")


def _inserted(text: str) -> Iterator[SecretSpan]:
    """Values of the columns of an `INSERT` whose names say that they are secret."""
    for match in _INSERT.finditer(text):
        values = list(_SQL_VALUE.finditer(match["values"]))
        values = [value for value in values if value.group().strip()]
        for name, value in zip(match["names"].split(","), values, strict=False):
            plain = value.group().strip().strip("'")
            start = match.start("values") + value.start() + value.group().find(plain)
            yield from _of_name(name.strip(" \"'`[]\n\t"), plain, start)


def _of_name(name: str, value: str, start: int) -> Iterator[SecretSpan]:
    of_name = demand(name)
    if of_name and value and is_credential(value, of_name, "loose"):
        yield SecretSpan(start, start + len(value), label(name, of_name))


def _columns(text: str) -> Iterator[SecretSpan]:
    """Cells of the columns of Markdown tables whose headings say that they are secret."""
    headings: list[str] = []
    position = 0
    before = ""
    for line in text.splitlines(keepends=True):
        if set(line.strip()) <= set("|-: ") and "--" in line:
            headings = [cell.strip(" *`\n") for cell in before.split("|")]
        elif "|" not in line:
            headings = []
        elif headings:
            at = position
            for heading, cell in zip(headings, line.split("|"), strict=False):
                value = cell.strip(" *`\r\n")
                yield from _of_name(heading, value, at + cell.find(value))
                at += len(cell) + 1
        before = line
        position += len(line)


_DATA = re.compile(
    r"^(?P<indent>[ \t]{0,20})(?:data|stringData):[ \t]{0,8}\r?\n"
    r"(?P<block>(?:(?P=indent)[ \t]+[^\n]{0,4000}\n?){1,60})",
    re.MULTILINE,
)
_ENTRY = re.compile(
    r"^[ \t]+[\w.\-]{1,100}:[ \t]{1,8}[\"']?(?P<v>[^\s\"'|>{$][^\s\"']{3,3900})", re.M
)


def _kubernetes(text: str) -> Iterator[SecretSpan]:
    """The data of manifests of the kind `Secret`."""
    if not re.search(r"\bkind[\"']?:[ \t]*[\"']?Secret\b", text):
        return
    for data in _DATA.finditer(text):
        for entry in _ENTRY.finditer(data["block"]):
            start = data.start("block") + entry.start("v")
            yield SecretSpan(start, start + len(entry["v"]), "secret")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
