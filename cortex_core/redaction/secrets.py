"""Finding the keys whose format is known, whole, escaped, or broken over lines.

Forms that show a credential by themselves: addresses, headers, commands, issuers' names. What a
secret is, and how it is taken out of a text before anything is hashed or written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from cortex_core.base.errors import ConfigError
from cortex_core.redaction import assignments as tokens
from cortex_core.redaction.assignments import (
    Demand,
    assignments,
    is_candidate,
    is_credential,
    is_placeholder,
    is_random,
    oddness,
)
from cortex_core.redaction.patterns import FORMATS, SHAPES, Format, SecretSpan

_ANCHORS = tuple((anchor, format) for format in FORMATS for anchor in format.anchors)
_FILLER = re.compile(r"(?-i:x{4}|X{4})|your|placeholder|redacted|\.{3}", re.I)
_JOINT = re.compile(
    r"[\"'`]?[ \t]{0,8}[+.\\]?[ \t]{0,8}(?:\\r)?(?:\\n|\r?\n)[ \t]{0,40}"
    r"(?:[>|#*+.]|//)?[ \t]{0,8}[\"'`]?"
    r"|([\"'`])[ \t]{0,4}[+.]?[ \t]{0,4}\1"
)
"""Between the halves of a key that was broken over lines or put together from strings."""
_JOINTS = 40
_KEY_BEGIN = re.compile(r"-{2,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_KEY_END = re.compile(r"-{2,5} ?END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_KEY_BODY = re.compile(
    r"(?:[A-Za-z0-9+/=\s\\\"',>|*#.]|(?:Version|Comment|Proc-Type|DEK-Info): ?[^\n]{0,80})*"
)
_KEY_LENGTH = 20_000
_PUTTY = re.compile(r"Private-Lines: ?\d{1,3}\s{1,4}(?P<v>(?:[A-Za-z0-9+/=]{10,80}\s{0,4}){1,80})")


def known_keys(text: str, odd: str) -> Iterator[SecretSpan]:
    """Keys whose format is known; `odd` holds those words of `text` that one could stand in."""
    for shape in SHAPES:
        if shape.anchor in odd:
            for match in _compiled(shape.pattern).finditer(text):
                yield SecretSpan(*match.span(), shape.name)
    for format in dict.fromkeys(format for anchor, format in _ANCHORS if anchor in odd):
        yield from _keys_of(format, text)


def private_keys(text: str) -> Iterator[SecretSpan]:
    """Private key blocks, cut off ones to where their lines end."""
    end = 0
    closing: re.Match[str] | None = None
    exhausted = False
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < end:
            continue
        if not exhausted and (closing is None or closing.start() < begin.end()):
            closing = _KEY_END.search(text, begin.end())
            exhausted = closing is None
        if closing and closing.start() - begin.end() <= _KEY_LENGTH:
            end = closing.end()
        else:
            body = _KEY_BODY.match(text, begin.end())
            end = begin.end() + len(body.group().rstrip()) if body else begin.end()
        yield SecretSpan(begin.start(), end, "private-key")
    if "PuTTY-User" in text:
        for match in _PUTTY.finditer(text):
            yield SecretSpan(*match.span("v"), "private-key")


def _keys_of(format: Format, text: str) -> Iterator[SecretSpan]:
    """The keys of one format, also where they were broken over lines."""
    head, run, position = _compiled(format.head), _compiled(f"[{format.body}]+"), 0
    while match := head.search(text, position):
        position = max(match.end(), match.start() + 1)
        if not format.inside and not _begins_word(text, match.start()):
            continue
        body, end, broken = _body(format, run, text, match.end())
        if body and format.needs not in body[:-1]:
            position = end
            continue
        if body and not _is_filler(body, broken):
            yield SecretSpan(match.start(), end, format.name)
            position = end


def _begins_word(text: str, start: int) -> bool:
    """Whether no word runs into `start`; an escape such as `\\n` or `%3D` before it is no word."""
    if not text[start - 1 : start].isalnum():
        return True
    return text[max(0, start - 2) : start] in ("\\n", "\\r", "\\t") or (
        text[max(0, start - 3) : start - 2] == "%" and start >= 3
    )


def _body(format: Format, run: re.Pattern[str], text: str, start: int) -> tuple[str, int, bool]:
    """A key's random part, where it ends, and whether it broke off before it was recognisable.

    Empty when there is no key. Where the length is fixed a broken key is as sure as a whole one.
    """
    body, end, joints = "", start, 0
    while joints < _JOINTS:
        if piece := run.match(text, end, end + format.most - len(body)):
            body, end = body + piece.group(), piece.end()
        if len(body) >= format.least:
            break
        joint = _JOINT.match(text, end) if len(body) >= 4 else None
        if joint is None:
            return "", start, False
        end, joints = joint.end(), joints + 1
    if len(body) < format.least or (format.least == format.most and text[end : end + 1].isalnum()):
        return "", start, False
    trimmed = body.rstrip(".-") if len(body.rstrip(".-")) >= format.least else body
    if trimmed != body or format.least == format.most:
        return trimmed, end - (len(body) - len(trimmed)), joints > 0 and trimmed != body
    return body, _continued(run, text, end), joints > 0


def _continued(run: re.Pattern[str], text: str, end: int) -> int:
    """Where the key that reached `end` really ends, if lines of random characters go on with it."""
    for _ in range(_JOINTS):
        joint = _JOINT.match(text, end)
        piece = run.match(text, joint.end()) if joint else None
        if piece is None:
            break
        cut_off = text[end - 1] in "-._" and len(piece.group()) >= 8
        if not cut_off and not _goes_on(piece.group(), text[piece.end() : piece.end() + 1]):
            break
        end = piece.end()
    return end


def _goes_on(piece: str, after: str) -> bool:
    """Whether a line that begins with `piece` continues the key of the line before."""
    mixed = any(map(str.isdigit, piece)) and any(map(str.isalpha, piece))
    open_end = after in ("", "\n", "\r", "\\", '"', "'", "`")
    return len(piece) >= 8 and mixed and open_end and oddness(piece) >= 0.4


def _is_filler(body: str, broken: bool) -> bool:
    """Whether what follows a key's head is a placeholder or words."""
    if len(set(body)) <= 3 or _FILLER.search(body):
        return True
    digits, odd = any(map(str.isdigit, body)), oddness(body)
    return (not digits and odd < 0.15) or (broken and odd < (0.1 if digits else 0.2))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class CredentialForm(NamedTuple):
    """One form."""

    name: str
    hints: tuple[str, ...]
    """One or two lowercase strings that every text with this form holds."""
    pattern: str
    """Its group `v` is the credential."""
    demand: Demand | None
    """None where the form is sure enough, so that only words and known ids are spared."""


_SCHEMES = (
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse"
    r"|cockroachdb|jdbc|couchbase|neo4j|bolt|cassandra|snowflake)[\w+:]{0,16}"
)
_USER = r"://[^\s/:@\"'<>]{0,100}:"
_WORD = r"(?P<v>[^\s/\"'<>]{1,200})@"
_HEADER = (
    r"authorization[\"'\])\\]{0,4}[ \t]{0,4}[:=,][ \t]{0,4}[\"'`\\]{0,2}"
    r"(?:(?:bearer|basic|token|apikey|bot|digest|negotiate|key)[ \t]{1,4})?"
    r"(?P<v>[^\s\"'`,;\\<>{}$]{6,2000})"
)
_CURL = r"(?<=\s)(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"'/]{1,64}:(?P<v>[^\s\"']{4,200})"
_FLAG = r"[^\n]{0,100}?\s-p ?[\"']?(?P<v>[^\s\"'\-][^\s\"']{3,200})"
_LOGIN = r"\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?P<v>\S{1,200})"
_SQL = (
    r"\bidentified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?by\s{1,4}[\"'](?P<v>[^\"'\n]{1,200})[\"']"
)
_IS = r"[\"']?\]?[ \t]{0,4}(?:=>|:=|::|[=: ])[ \t]{0,4}[\"']?"
_KEY = r"(?:key|pwd|pw|pass(?:word)?|token)"
_CLOUDANT_KEY = rf"[_\-]?(?:api)?[_\-]?{_KEY}{_IS}(?P<v>[a-z]{{24}})(?![a-z0-9])"
_CLOUDANT_PASSWORD = rf"\bcloudant[_\-]?(?:api)?[_\-]?{_KEY}{_IS}(?P<v>[0-9a-f]{{64}})(?![a-z0-9])"
_IBM_STORAGE = (
    rf"\b(?:(?:ibm[_\-]?)?cos[_\-]?(?:hmac[_\-]?)?)?secret[_\-]?(?:access[_\-]?)?key{_IS}"
    r"(?P<v>[0-9a-f]{48})(?![a-z0-9])"
)
_SOFTLAYER = r"api\.softlayer\.com/soap/v3(?:\.1)?/(?P<v>[a-z0-9]{64})(?![a-z0-9])"
_AWS = rf"aws[^\n]{{0,20}}?{_KEY}[^\n]{{0,20}}?(?P<v>(?<![\w/+])[A-Za-z0-9/+]{{40}}(?![\w/+]))"
_JFROG_TOKEN = r"(?<![^\s=:\"])(?P<v>(?-i:AKC)[a-z0-9]{17,200})(?![^\s\"])"
_JFROG_PASSWORD = r"[\s\S]{0,120}?[\s=:\"](?P<v>(?-i:AP[0-9A-F])[A-Za-z0-9]{17,200})(?![^\s\"])"

_CREDENTIAL_FORMS: tuple[CredentialForm, ...] = (
    CredentialForm("database-password", ("://", "@"), _SCHEMES + _USER + _WORD, "password"),
    CredentialForm("url-password", ("://", "@"), _USER + _WORD, "password"),
    CredentialForm("url-token", ("://", "@"), r"://(?P<v>[^\s/:@\"'<>]{16,200})@", "random"),
    CredentialForm("authorization", ("authorization",), _HEADER, "token"),
    CredentialForm(
        "bearer-token", ("bearer",), r"\bbearer[ \t]{1,4}(?P<v>[\w.\-+/~=]{12,2000})", "token"
    ),
    CredentialForm("password", ("login", "password"), _LOGIN, "password"),
    CredentialForm("password", ("identified",), _SQL, "password"),
    CredentialForm("password", ("password '",), r"\bpassword '(?P<v>[^'\n]{1,200})'", "password"),
    CredentialForm("password", (" -u",), _CURL, "password"),
    CredentialForm("password", (" --user",), _CURL, "password"),
    CredentialForm("password", ("mysql", " -p"), r"\bmysql\w{0,12}\b" + _FLAG, "password"),
    CredentialForm("password", ("sshpass", " -p"), r"\bsshpass\b" + _FLAG, "password"),
    CredentialForm("password", ("login", " -p"), r"\blogin\b" + _FLAG, "password"),
    *(
        CredentialForm("cloudant-key", (product,), rf"\b{product}{_CLOUDANT_KEY}", None)
        for product in ("cloudant", "clou_", "clou-", "cl_", "cl-")
    ),
    CredentialForm("cloudant-key", ("cloudant",), _CLOUDANT_PASSWORD, "password"),
    CredentialForm("ibm-storage-key", ("secret", "key"), _IBM_STORAGE, "password"),
    CredentialForm("softlayer-key", ("api.softlayer.com/soap/",), _SOFTLAYER, "password"),
    CredentialForm("aws-secret-key", ("aws",), _AWS, None),
    CredentialForm("artifactory-token", ("akc",), _JFROG_TOKEN, None),
    *(
        CredentialForm("artifactory-password", (issuer, "ap"), issuer + _JFROG_PASSWORD, None)
        for issuer in ("artif", "jfrog", "buildkite")
    ),
)


def credentials(text: str, lower: str) -> Iterator[SecretSpan]:
    """Credentials in these forms; `lower` is `text` in lower case."""
    for place in [
        place for place in _CREDENTIAL_FORMS if place.hints[0] in lower and place.hints[-1] in lower
    ]:
        for match in _compiled_places(place.pattern).finditer(text):
            if _is_secret(match["v"], place):
                yield SecretSpan(*match.span("v"), place.name)


@cache
def _compiled_places(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _is_secret(value: str, place: CredentialForm) -> bool:
    if place.name == "url-token":
        return is_random(value) or (len(value) >= 32 and value.isalnum() and value.islower())
    if place.name == "authorization":
        return not is_placeholder(value) and any(map(str.isdigit, value))
    if place.name in ("database-password", "url-password"):
        return len(value) >= 3 and not is_placeholder(value)
    if place.demand is None:
        return is_candidate(value)
    return is_credential(value, place.demand, "tight" if place.demand == "password" else "loose")


_MARK = re.compile(r"\[redacted: [a-z0-9\-]+\]")
_PASSES = 8
"""Most times a text is gone over, until nothing more is found; two do nearly always."""
_JUDGED = 300
"""Characters of a long token that are looked at."""


class Redaction(NamedTuple):
    """A text without its secrets."""

    text: str
    found: tuple[str, ...]
    """What was taken out, one name for each: `aws-access-key`, `password` …"""


def redact(text: str, extra: Sequence[str] = ()) -> Redaction:
    """`text` with every secret replaced by `[redacted: its sort]`.

    Redacting again changes nothing. `extra` are regular expressions of the user's own; where one
    has a group, only the group is replaced.

    Raises:
        ConfigError: one of `extra` is no regular expression.
    """
    own = [_own_pattern(pattern) for pattern in extra]
    names: list[str] = []
    for _ in range(_PASSES):
        finds = _without_overlaps(_found_spans(text, own), text)
        if not finds:
            break
        names += [find.name for find in finds]
        text = _replace(text, finds)
    return Redaction(text, tuple(names))


def _own_pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(
            f"redact.extra contains “{pattern}”, which is not a valid regular expression "
            f"({error}). Nothing was stored. Correct it with: cortex config set redact.extra …"
        ) from None


def _found_spans(text: str, own: Sequence[re.Pattern[str]]) -> Iterator[SecretSpan]:
    """Every find of every layer, in no order; they may overlap."""
    for pattern in own:
        for match in pattern.finditer(text):
            yield SecretSpan(*match.span(1 if pattern.groups else 0), "own-rule")
    if "PRIVATE KEY" in text or "PuTTY-User" in text:
        yield from private_keys(text)
    if odd := " ".join(filter(_is_odd, text.split())):
        yield from known_keys(text, odd)
        yield from _random_tokens(text)
    lower = _lower(text)
    yield from assignments(text, lower)
    yield from credentials(text, lower)


def _is_odd(word: str) -> bool:
    """Whether a key, or the half of one, could stand in `word`; prose has none such."""
    if len(word) < 8:
        return False
    plain = word.strip(".,;:!?()\"'*`")
    return len(word) >= 20 or not (plain.isalpha() and plain[1:].islower())


def _lower(text: str) -> str:
    """`text` in lower case, every character in its place."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(char.lower() if char.isascii() else char for char in text)
    return lower


def _without_overlaps(finds: Iterator[SecretSpan], text: str) -> list[SecretSpan]:
    """The finds in order, without overlaps, outside the marks that are there already."""
    marks = _MARK.finditer(text)
    mark = next(marks, None)
    settled: list[SecretSpan] = []
    for find in sorted(finds, key=lambda find: (find.start, -find.end)):
        while mark and mark.end() <= find.start:
            mark = next(marks, None)
        if find.end <= find.start or (mark and find.end > mark.start()):
            continue
        if settled and find.start < settled[-1].end:
            last = settled[-1]
            settled[-1] = last._replace(end=max(last.end, find.end))
        else:
            settled.append(find)
    return settled


def _replace(text: str, finds: Sequence[SecretSpan]) -> str:
    parts: list[str] = []
    position = 0
    for find in finds:
        parts += (text[position : find.start], f"[redacted: {find.name}]")
        position = find.end
    return "".join((*parts, text[position:]))


def _random_tokens(text: str) -> Iterator[SecretSpan]:
    """Long tokens that are too random to be anything else."""
    for start, end in tokens.long_tokens(text):
        token = text[start : min(end, start + _JUDGED)]
        if not tokens.is_candidate(token) or tokens.is_spared_by_context(text, start):
            continue
        if tokens.is_random(token):
            yield SecretSpan(start, end, "random-token")
