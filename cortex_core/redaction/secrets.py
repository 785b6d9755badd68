"""What never reaches a store: secrets, `<private>` spans and the sessions of ignored folders.

Everything is removed from a text before it is hashed or stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from os.path import normpath
from pathlib import Path
from typing import NamedTuple

from cortex_core.base import globs
from cortex_core.base.errors import ConfigError
from cortex_core.redaction.assignments import (
    Demand,
    assignments,
    is_candidate,
    is_credential,
    is_placeholder,
    is_random,
    is_spared_by_context,
    long_tokens,
    oddness,
)
from cortex_core.redaction.patterns import FORMATS, SHAPES, Format, SecretSpan

_TAG = re.compile(r"<\s*(/?)\s*private\s*>", re.IGNORECASE)
_SPECIAL = re.compile(r"[\[{]")


def strip_private(text: str) -> str:
    """Remove everything between `<private>` and `</private>`, the tags included.

    Case does not matter, and spans may be nested. An unclosed span reaches to the end: a forgotten
    tag must hide too much rather than too little. A closing tag alone is removed.
    """
    kept: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[position : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


def is_ignored(path: str | Path, patterns: Iterable[str]) -> bool:
    """Whether `path`, a file or folder, is matched by one of `patterns` or below one that is.

    A pattern is a folder (`~/clients`, `/srv/secret`), a glob for whole paths (`~/work/*-nda`), a
    glob for the last part of paths (`legal/drafts`, `**/legal/**`) or a name that counts anywhere
    in a path (`secret-*`), in the syntax of `base.globs`. `~` is the home folder; case matters.
    """
    if not str(path).strip():
        return False
    full = _absolute(str(path)).lstrip("/")
    return any(_covers(pattern.strip(), full) for pattern in patterns if pattern.strip())


def _absolute(path: str) -> str:
    """`path` from the root on, without `~` and `..`; links are not followed."""
    if path == "~" or path.startswith("~/"):
        path = f"{Path.home()}{path[1:]}"
    return normpath(Path(path).absolute())


def _covers(pattern: str, path: str) -> bool:
    glob = pattern.rstrip("/").removesuffix("/**")
    if pattern.startswith(("/", "~")):
        glob = _absolute(glob or "/")
    elif "/" in glob.strip("/"):
        glob = f"**/{glob.strip('/').removeprefix('**/')}"
    if not glob.strip("/"):
        return pattern.startswith("/")
    # A folder's name may contain brackets and braces. They match as written too, since a pattern
    # must hide too much rather than too little.
    as_written = _SPECIAL.sub(r"[\g<0>]", glob)
    return globs.matches(path, glob) or globs.matches(path, as_written)


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


def known_keys(text: str, unusual: str) -> Iterator[SecretSpan]:
    """Keys whose format is known; `unusual` has the words of `text` that one can be in."""
    for shape in SHAPES:
        if shape.anchor in unusual:
            for match in _compiled(shape.pattern).finditer(text):
                yield SecretSpan(*match.span(), shape.name)
    for format in dict.fromkeys(format for anchor, format in _ANCHORS if anchor in unusual):
        yield from _keys_of(format, text)


def private_keys(text: str) -> Iterator[SecretSpan]:
    """Private key blocks; one without its closing line extends to its last line of base64."""
    end = 0
    closing: re.Match[str] | None = None
    exhausted = False  # searching once more for a closing line would take quadratic time
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
    """Whether a word can begin at `start`: escapes such as `\\n` or `%3D` may precede it."""
    if not text[start - 1 : start].isalnum():
        return True
    return text[max(0, start - 2) : start] in ("\\n", "\\r", "\\t") or (
        text[max(0, start - 3) : start - 2] == "%" and start >= 3
    )


def _body(format: Format, run: re.Pattern[str], text: str, start: int) -> tuple[str, int, bool]:
    """A key's random part, where it ends, and whether a line break splits it.

    Empty when there is no key. A broken key of a fixed length is as certain as a whole one.
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
    """Where the key that reached `end` really ends: following lines may continue it."""
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
def _compiled(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """`pattern` compiled at first use: all of them take longer than most texts do."""
    return re.compile(pattern, flags)


class CredentialForm(NamedTuple):
    """One form of text that shows a credential, such as an address or a header."""

    name: str
    hints: tuple[str, ...]
    """One or two lowercase strings that every text with this form contains."""
    pattern: str
    """Its group `v` is the credential."""
    demand: Demand | None
    """None if the form is certain enough that only words and known ids are spared."""


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
    """Credentials in the forms above; `lower` is `text` in lower case."""
    for form in _CREDENTIAL_FORMS:
        if form.hints[0] not in lower or form.hints[-1] not in lower:
            continue
        for match in _compiled(form.pattern, re.IGNORECASE).finditer(text):
            if _is_secret(match["v"], form):
                yield SecretSpan(*match.span("v"), form.name)


def _is_secret(value: str, form: CredentialForm) -> bool:
    if form.name == "url-token":
        return is_random(value) or (len(value) >= 32 and value.isalnum() and value.islower())
    if form.name == "authorization":
        return not is_placeholder(value) and any(map(str.isdigit, value))
    if form.name in ("database-password", "url-password"):
        return len(value) >= 3 and not is_placeholder(value)
    if form.demand is None:
        return is_candidate(value)
    return is_credential(value, form.demand, "tight" if form.demand == "password" else "loose")


_MARK = re.compile(r"\[redacted: [a-z0-9\-]+\]")
_PASSES = 8
"""Most passes over a text, until nothing more is found; two are nearly always enough."""
_JUDGED = 300
"""Characters of a long token that are judged."""


class Redaction(NamedTuple):
    """A text without its secrets."""

    text: str
    found: tuple[str, ...]
    """What was removed, one name for each: `aws-access-key`, `password` …"""


def redact(text: str, extra: Sequence[str] = ()) -> Redaction:
    """Replace every secret in `text` by `[redacted: NAME]`.

    Redacting again changes nothing.

    Args:
        extra: the user's own regular expressions (setting `redact.extra`); of one with a group,
            only the group is replaced.

    Raises:
        ConfigError: one of `extra` is not a valid regular expression.
    """
    own = [_own_pattern(pattern) for pattern in extra]
    names: list[str] = []
    for _ in range(_PASSES):
        spans = _without_overlaps(_found_spans(text, own), text)
        if not spans:
            break
        names += [span.name for span in spans]
        text = _replace(text, spans)
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
    """The secrets that every finder finds, in no order; they may overlap."""
    for pattern in own:
        for match in pattern.finditer(text):
            yield SecretSpan(*match.span(1 if pattern.groups else 0), "own-rule")
    if "PRIVATE KEY" in text or "PuTTY-User" in text:
        yield from private_keys(text)
    if unusual := " ".join(filter(_is_unusual, text.split())):
        yield from known_keys(text, unusual)
        yield from _random_tokens(text)
    lower = _lower(text)
    yield from assignments(text, lower)
    yield from credentials(text, lower)


def _is_unusual(word: str) -> bool:
    """Whether `word` can contain a key or half of one: words of prose cannot."""
    if len(word) < 8:
        return False
    plain = word.strip(".,;:!?()\"'*`")
    return len(word) >= 20 or not (plain.isalpha() and plain[1:].islower())


def _lower(text: str) -> str:
    """`text` in lower case, every character at its index."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(char.lower() if char.isascii() else char for char in text)
    return lower


def _without_overlaps(spans: Iterator[SecretSpan], text: str) -> list[SecretSpan]:
    """`spans` in order, overlapping ones joined, outside the marks that are there already."""
    marks = _MARK.finditer(text)
    mark = next(marks, None)
    joined: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while mark and mark.end() <= span.start:
            mark = next(marks, None)
        if span.end <= span.start or (mark and span.end > mark.start()):
            continue
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = last._replace(end=max(last.end, span.end))
        else:
            joined.append(span)
    return joined


def _replace(text: str, spans: Sequence[SecretSpan]) -> str:
    parts: list[str] = []
    position = 0
    for span in spans:
        parts += (text[position : span.start], f"[redacted: {span.name}]")
        position = span.end
    return "".join((*parts, text[position:]))


def _random_tokens(text: str) -> Iterator[SecretSpan]:
    """Long tokens that are too random to be anything else."""
    for start, end in long_tokens(text):
        token = text[start : min(end, start + _JUDGED)]
        if is_candidate(token) and not is_spared_by_context(text, start) and is_random(token):
            yield SecretSpan(start, end, "random-token")
