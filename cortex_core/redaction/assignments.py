"""Values assigned to names that say they are secret: `DB_PASSWORD=…`, `"token": "…"`."""

import re
from collections.abc import Iterator

from cortex_core.language.patterns import Pattern
from cortex_core.redaction.spans import SearchedText, SecretSpan
from cortex_core.redaction.values import (
    KINDS,
    STEMS,
    Demand,
    Style,
    demand,
    is_chosen,
    is_credential,
    is_hash_like,
    is_jumble,
    is_mixed,
    is_name,
    is_phrase,
    label,
    oddness,
    parts,
)

KIND_BEFORE = Pattern(
    "the word before a name, which may be the kind of a key",
    r"(?<![\w\-])[A-Za-z]{3,14}[ \t]\Z",
    finds="the api ",
    spares="the 2 ",
    flags=0,
)
REST = Pattern("the rest of a name", r"[\w\-]{1,40}", finds="word_2", spares=" = ")
LINK = Pattern(
    "what links a name and its value",
    r"\\{0,7}[\"'`\])*]{0,3}(?:[ ]?\[[^\]\n]{0,12}\])?"
    r"(?:[ \t]?\{[ ]?get;[^{}\n]{0,30}\})?[ \t]{0,12}"
    r"(?:(?:[?!]?:[ \t]?|(?<=[^\"'`][ \t]))[&*]?[\w<>\[\]().?|' ]{1,40}?"
    r"(?=[ \t]{0,4}=[ \t]{0,4}[\"'`]))?"
    r"[ \t]{0,4}(?:\r?\n##\[\w{1,9}\](?==>))?"
    r"(?P<sign>=[ \t]{0,4}[\w.]{1,40}(?:[(\[][^()\[\]\n]{0,60}[)\]])?[ \t]{0,4}"
    r"(?:\?:|\|\||\?\?|\bor\b)(?=[ \t]{0,4}[\"'`])"
    r"|:=|<-|\.{4,40}(?=[ \t]?\w)|(?<=\)[ ])\{[ ](?=[\"'])"
    r"|\([^()\n]{0,40}\)[^\n\"'`]{0,30}?\breturn[ \t](?=[\"'`])"
    r"|\.to[A-Z]\w{1,20}\((?=[\"'`])|%3D|=>|<<<|={1,3}|!==?|::?|\?=|\|\|=|>|(?<=[\"'`]),|(?<=[a-z])[({](?=\\?[\"'`])"
    r"|(?:\|\||\?\?|\bor)(?=[ \t]{0,4}[\"'`])|\|(?=[ \t])"
    r"|(?<=[\w\"'`*] )(?:is|was|(?:should )?be|(?:is )?still"
    r"|to|as|from(?=[ ]\S{6,200}[ ]to\b)|ist|lautet|es|est|este)(?= ))\*{0,2}"
    r"(?P<gap>[ \t]{0,12}(?:[|>][-+]?(?=\r?\n))?(?:\\?\r?\n[ \t]{0,40})?)"
    r"(?:(?:string\(\d{1,4}\) |new |await |!{1,2}\w{1,12} "
    r"|(?:Some|Just|String::from|Secret\w{0,8}|MD5|SHA\d{0,3}|CRYPT|PASSWORD)\()?[@fbruN]?(?=[\"']))?"
    r"(?:\[\]byte\(|%[qQ]\(|[\"']?\$\{\w{1,60}:?-|(?:~[a-z])?[\[(](?:\s{0,40}(?=[\"'`]))?)?",
    finds="password: str = 'a'",
    spares="password, and more",
)
FIELD = Pattern(
    "a field called value next to a name, with other short ones between them, or on the next line;"
    " an attribute or an option called value, or a default",
    r"[\"']?\s{0,4},(?:\s{0,20}[\"']?\w{1,20}[\"']?\s?[:=]\s?[\"']?\w{1,30}[\"']?,){0,3}?"
    r"\s{0,40}[\"']?value[\"']?[ \t]{0,4}[:=][ \t]{0,4}"
    r"|[\"']?[ \t]{0,4}\r?\n(?:[ \t+~\-]{0,40}\w{1,20}[ \t]{0,20}[:=][^\n]{0,60}\n){0,3}?"
    r"[ \t+~\-]{0,40}value[ \t]{0,20}[:=][ \t]{0,4}"
    r"|[\"']?[ \t]{1,8}(?:type=[\"']\w{1,20}[\"'][ \t]{1,8})?value[ \t]{0,4}=[ \t]{0,4}"
    r"|[\"']?[ \t]{1,4}--value[= ][\"']?"
    r"|[\"'][ \t]{0,4}\{[^{}]{0,200}?\bdefault[ \t]{0,8}=[ \t]{0,4}",
    finds=(
        '"name": "TOKEN", "type": "string", "value": ',
        "- name: TOKEN\n  value: ",
        'name = "TOKEN"\n  type = "SecureString"\n  value = ',
        '<input name="token" value="',
        "rejected field=token value=",
        'variable "token" { default = ',
    ),
    spares=(
        '"name": "TOKEN", "values": ',
        "- name: TOKEN\n  from: ",
        '<input name="token" size="',
        'variable "token" { type = ',
    ),
)
TAGS = Pattern(
    "from a name in markup to its value: the end of its element, the next one, a section of text",
    r"[:\uff1a]?[ \t]{0,4}(?:</[\w:]{1,20}>\s{0,20}(?:<[\w:]{1,20}(?:[ \t][^<>\n]{0,80})?>)?"
    r"|(?:[\"']?[ \t][\w:\-]{1,30}=[^<>\n]{0,100})?\\?[\"']?>(?:\s{0,20}<[\w:]{1,20}>)?)"
    r"[:\uff1a]?\s{0,40}(?:<!\[CDATA\[)?",
    finds="password</td><td>",
    spares="password < 8",
    flags=0,
)
SPACED = Pattern(
    "what is before a name whose value follows a space",
    r"(?:\b(?:ENV|ARG|setenv|set[ \t]-\w{1,4}|config(?:ure)?(?:[ \t][\w./:\-]{1,20}){0,4})|#define)"
    r"[ \t]{1,4}\Z",
    finds="ENV ",
    spares="the ",
    flags=0,
)
NEXT = Pattern(
    "the last word of a line after a name and blanks, or one in quotes, or a hash",
    r"[\"']?[ \t]{1,8}(?:[07][ \t])?(?:(?P<hash>(?!-)[0-9a-f\-]{32,128})(?![\w\-])"
    r"|(?P<quote>[\"'`])(?P<quoted>[^\s\"'`\\]{6,128})(?P=quote)(?![\w\"'`])"
    r"|(?P<last>(?!-|[A-Za-z_]{2,40}=)[^\s\"'`,;<>()\\]{6,128}?)"
    r"(?:[.:;]?(?=[ \t]*(?:\r?\n|\Z))|(?=\))))",
    finds=" 'Meadow7013'",
    spares=" Meadow7013 and more",
    flags=0,
)
QUOTED = Pattern(
    "a value in quotes",
    r"\\{0,7}([\"'`])((?:(?!\\{0,7}\1)[^\n]){1,400})\\{0,7}\1",
    finds="'k7 sunset'",
    spares="'k7 sunset\"",
    flags=0,
)
BROKEN = Pattern(
    "a value that a line break splits",
    r"[\"']?(?P<whole>(?P<first>[\w+/=.\-]{8,200})"
    r"(?:\\?[ \t]{0,40}[│|]?\r?\n[ \t]{0,8}(?:[>│|][ \t]{1,4})?"
    r"|(?P<quote>[\"'])[ \t]?[+.\\]?\s{1,20}(?P=quote))"
    r"(?P<second>[\w+/.\-]{8,200}={0,2}))[\"']?"
    r"(?:[;,)]{0,2}[ \t]*[│|]?[ \t]*(?=\r?\n|\Z)|(?<=[\w+/]{16})(?=[ \t][a-z]{2}))",
    finds="0a1b2c3d\n4e5f6a7b",
    spares="0a1b2c3d\n4e5f6a7b = 1",
    flags=0,
)
BARE = Pattern(
    "a value without quotes", r"[^\s\"'`,;<\\]{1,800}", finds="hunter2", spares="',", flags=0
)


def assignments(reading: SearchedText) -> Iterator[SecretSpan]:
    """Values of names that say they are secret: `password = …`, `"token": "…"`, `API_KEY=…`."""
    text, lower = reading.text, reading.lower
    for stem in STEMS:
        position = lower.find(stem) if stem in reading.hints else -1
        while position >= 0:
            rest = REST.regex.match(text, position)
            end = rest.end() if rest else position + len(stem)
            if span := _assignment(text, position, end):
                yield span
                end = span.end
            position = lower.find(stem, end)


_READING = frozenset(
    "get read find load fetch lookup has is list delete remove revoke credentials".split()
)
"""Verbs in the name of a call whose argument says which secret is meant, and is none."""


def _assignment(text: str, stem: int, end: int) -> SecretSpan | None:
    """The credential given to the name that holds the stem at `stem` and ends at `end`, if any."""
    start, link = _value_start(text, end)
    is_spaced = start < 0 and text.startswith((" ", "\t", '" ', "' "), end)
    tags = TAGS.regex.match(text, end) if text[end : end + 1] in _TAG_STARTS else None
    if start < 0 and not is_spaced and tags is None:
        return None
    begin = _name_start(text, stem)
    name = text[begin:end]
    of_name = demand(name)
    if (
        of_name is None
        or (
            (link and link["sign"] == "(" and not _READING.isdisjoint(parts(name)))
            # The name of a secret at AWS: `arn:…:316811669699:secret:prod/db-WE3W03`.
            or (begin > 12 and text[begin - 1] == ":" and text[begin - 13 : begin - 1].isdigit())
        )
    ):
        return None
    bounds = None
    if is_spaced and (
        (name.startswith("--") and not text.startswith("--", end + 1))
        or SPACED.regex.search(text, max(0, begin - 60), begin)
    ):
        start = end + 1
    elif is_spaced and of_name != "random":
        bounds = _next(text, begin, end, of_name)
    if start >= 0:
        bounds = _value(text, begin, start, link, of_name)
    # `-p<password> shop` has a placeholder, and no element.
    if (bounds is None and tags is not None) and (
        text[begin - 1 : begin] != "<" or "</" in text[end : end + _FIELD_LENGTH]
    ):
        bounds = _tagged(text, tags.end(), of_name)
    return SecretSpan(*bounds, label(name, of_name)) if bounds else None


def _next(text: str, begin: int, end: int, demand: Demand) -> tuple[int, int] | None:
    """Start and end of the word that follows a name and blanks, if it shows that it is a secret."""
    match, name = NEXT.regex.match(text, end), text[begin:end]
    if match is None:
        return None
    group = match.lastgroup or "last"
    value = match[group]
    # The verb “pass” is a name where it begins its line or follows a comma; of a name such as
    # `db_password`, which nobody writes in prose, less must show.
    before = text[max(0, begin - 40) : begin].rpartition("\n")[2].strip()
    is_verb = name == "pass" and bool(before) and not before.endswith((",", "/", ";", "|"))
    is_code = ("_" in name and any(map(str.isdigit, value))) or (
        group == "quoted" and demand == "password"
    )
    shows = (
        is_chosen(value) or is_jumble(value) or (is_code and is_credential(value, demand, "loose"))
    )
    return match.span(group) if group == "hash" or (shows and not is_verb) else None


_TAG_STARTS = ("<", ">", ":", " ", "\t", '"', "'", "\\", "\uff1a")


def _tagged(text: str, start: int, demand: Demand) -> tuple[int, int] | None:
    """Start and end of the value that begins at `start`, after a tag, if it is a credential."""
    match = BARE.regex.match(text, start)
    if match is None:
        return None
    whole = text[start : start + _FIELD_LENGTH].partition("</")[0]
    if demand != "random" and is_phrase(whole, 4):
        return start, start + len(whole)
    value = match.group().rstrip(".:)]}>|")
    style: Style = "line" if value == whole else "loose"
    return (start, start + len(value)) if is_credential(value, demand, style) else None


def _name_start(text: str, stem: int) -> int:
    """Where the name around the stem at `stem` begins, the `api` of `api key` included."""
    begin, least = stem, max(0, stem - 48)
    while begin > least and (text[begin - 1].isalnum() or text[begin - 1] in "_.-"):
        begin -= 1
    kind = KIND_BEFORE.regex.search(text, max(0, begin - 16), begin)
    # The word before an option is of its command: “deploy --token”.
    return (
        kind.start()
        if kind and text[begin] != "-" and kind.group().strip().lower() in KINDS
        else begin
    )


_FIELD_LENGTH = 240
"""Characters after a name within which a field with its value begins."""


def _value_start(text: str, end: int) -> tuple[int, re.Match[str] | None]:
    """Where a value begins after the name that ends at `end`, or -1, and the match between them."""
    after = text[end : end + _FIELD_LENGTH]
    is_field = any(word in after for word in ("value", "Value", "default"))
    if is_field and (match := FIELD.regex.match(text, end)):
        return match.end(), None
    link = LINK.regex.match(text, end)
    return (link.end(), link) if link else (-1, None)


def _value(
    text: str, begin: int, start: int, link: re.Match[str] | None, demand: Demand
) -> tuple[int, int] | None:
    """Start and end of the value that begins at `start`, if it is a credential."""
    sign, gap = (link["sign"], link["gap"]) if link else ("", "")
    if sign == "," and text[begin - 1 : begin] not in ('"', "'", "`"):
        return None
    if sign == "|" and not text[max(0, begin - 6) : begin].rstrip(" *`").endswith("|"):
        return None  # no cell of a table
    broken = BROKEN.regex.match(text, start)
    if broken and _is_half(broken["first"]) and _is_half(broken["second"]):
        return broken.span("whole")
    if quoted := QUOTED.regex.match(text, start):
        # `AuthError("api key", "unauthorized")`: of a name of two words less is sure. In backticks
        # is code: another name of a list, the new name, what passes (“Tests pass: `lint`”).
        is_listed = sign in (",", "{") or (link and " " in text[begin : link.start()])
        is_code = quoted[1] == "`" and (
            sign in (",", "to", "as") or text[begin:start].strip(" :=*`").lower() == "pass"
        )
        is_word = (is_listed or is_code) and is_name(quoted[2].replace(".", "_").lstrip("-"))
        is_secret = not is_word and is_credential(quoted[2], demand, "quoted")
        return quoted.span(2) if is_secret else None
    # On the next line is another name, unless a block of YAML begins there.
    is_next_line = "\n" in gap and not gap.lstrip(" \t").startswith(("|", ">"))
    if is_next_line or sign in (",", "(", "||", "??", "or"):
        return None
    bare = BARE.regex.match(text, start)
    if bare is None:
        return None
    value = bare.group()
    if text[begin - 1 : begin] in ("?", "&"):  # a query string
        value = value.partition("&")[0]
    value = value.rstrip(".:)]}>|?/")
    style = _style(text, begin, link, text[start + len(value) : start + len(value) + 1])
    is_secret = not _has_own_name(value) and is_credential(value, demand, style)
    return (start, start + len(value)) if is_secret else None


def _has_own_name(value: str) -> bool:
    """Whether `value` begins with a name that has a value of its own, and is found by that name."""
    return "=" in value.rstrip("=") and demand(value.partition("=")[0]) is not None


def _is_half(part: str) -> bool:
    """Whether `part` is of a key, and no line of its own that has a number in it."""
    return oddness(part) >= (0.3 if is_mixed(part) else 0.5) or (
        len(part) >= 16 and is_mixed(part) and is_hash_like(part)
    )


def _style(text: str, begin: int, link: re.Match[str] | None, after: str) -> Style:
    """How the bare value of the name at `begin` is written; `after` is what follows the value."""
    if link is None:
        return "tight"
    if text[max(0, begin - 2) : begin].rstrip().endswith(("(", ",")):
        return "argument"
    if link["sign"] == "=" and link.group() == "=":
        return "tight"
    line = text[max(0, begin - 12) : begin].rpartition("\n")[2].rpartition("|")[2]
    is_line = (
        not line.strip(" \t-#[") and after in ("", "\n", "\r") and link["sign"] in (":", "=", "=>")
    )
    return "line" if is_line else "loose"
