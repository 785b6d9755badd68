"""Where credentials stand beside a telling name: assignments, flags, pairs of name and value.

A name is looked for by its stem and read within fixed bounds on both sides, so that the time is
linear in the text whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cortex_core.capture.secrets.names import STEMS, Demand, demand, label
from cortex_core.capture.secrets.patterns import Find
from cortex_core.capture.secrets.values import Style, is_credential

_KIND_BEFORE = re.compile(
    r"\b(?:api|access|private|auth|account|encryption|signing|master) \Z", re.I
)
_REST = re.compile(r"[\w\-]{0,40}")
_LINK = re.compile(
    r"\\?[\"'`\])*]{0,3}(?:\[[^\]\n]{0,12}\])?[ \t]{0,12}"
    r"(?P<sign>:=|=>|={1,3}|!==?|::?|\?=|\|\|=|>|(?<=[\"'`]),|(?<=[a-z])\((?=\\?[\"'`])"
    r"|(?<=[\w\"'`*] )(?:is|was|to|as)(?= ))(?P<gap>[ \t]{0,12}(?:\\?\r?\n[ \t]{0,40})?)"
    r"(?:(?:new |await )?[@fbru]?(?=[\"']))?[\[(]?",
    re.I,
)
_VALUE_FIELD = re.compile(r"[\"']?\s{0,4},\s{0,40}[\"']?value[\"']?[ \t]{0,4}[:=][ \t]{0,4}", re.I)
_LINE_FIELD = re.compile(r"[\"']?[ \t]{0,4}\r?\n[ \t]{0,40}value[ \t]{0,4}:[ \t]{0,4}", re.I)
_QUOTED = re.compile(r"\\?([\"'`])((?:(?!\1)[^\n\\]|\\[^\"'`\n]){1,400})\\?\1")
_BARE = re.compile(r"[^\s\"'`,;<\\]{1,800}")


def assignments(text: str, lower: str) -> Iterator[Find]:
    """Values given to names that tell of secrets: `password = …`, `"token": "…"`, `API_KEY=…`.

    `lower` is `text` in lower case, character by character.
    """
    for stem in STEMS:
        position = lower.find(stem)
        while position >= 0:
            rest = _REST.match(text, position)
            end = rest.end() if rest else position + len(stem)
            if find := _assignment(text, position, end):
                yield find
                end = find.end
            position = lower.find(stem, end)


def _assignment(text: str, stem: int, end: int) -> Find | None:
    """The credential given to the name that holds the stem at `stem` and ends at `end`, if any."""
    start, link = _value_start(text, end)
    flag = start < 0 and text.startswith(" ", end) and "--" in text[max(0, stem - 48) : stem]
    if start < 0 and not flag:
        return None
    begin = _name_start(text, stem)
    name = text[begin:end]
    if flag and not name.startswith("--"):
        return None
    asked = demand(name)
    if asked is None:
        return None
    bounds = _value(text, begin, end + 1 if flag else start, link, asked)
    return Find(*bounds, label(name, asked)) if bounds else None


def _name_start(text: str, stem: int) -> int:
    begin, least = stem, max(0, stem - 48)
    while begin > least and (text[begin - 1].isalnum() or text[begin - 1] in "_.-"):
        begin -= 1
    kind = _KIND_BEFORE.search(text, max(0, begin - 12), begin)
    return kind.start() if kind else begin


def _value_start(text: str, end: int) -> tuple[int, re.Match[str] | None]:
    """Where a value begins after the name that ends at `end`, or -1, and the link between them."""
    if match := _VALUE_FIELD.match(text, end) or _LINE_FIELD.match(text, end):
        return match.end(), None
    link = _LINK.match(text, end)
    return (link.end(), link) if link else (-1, None)


def _value(
    text: str, begin: int, start: int, link: re.Match[str] | None, asked: Demand
) -> tuple[int, int] | None:
    """Bounds of the value that begins at `start`, when it is a credential."""
    if link is not None and link["sign"] == "," and text[begin - 1 : begin] not in ('"', "'", "`"):
        return None
    if quoted := _QUOTED.match(text, start):
        return quoted.span(2) if is_credential(quoted[2], asked, "quoted") else None
    if link is not None and ("\n" in link["gap"] or link["sign"] in (",", "(")):
        return None
    bare = _BARE.match(text, start)
    if bare is None:
        return None
    value = bare.group()
    if text[begin - 1 : begin] in ("?", "&"):  # a query string
        value = value.partition("&")[0]
    value = value.rstrip(".:)]}>|?")
    style = _style(text, begin, link, text[start + len(value) : start + len(value) + 1])
    return (start, start + len(value)) if is_credential(value, asked, style) else None


def _style(text: str, begin: int, link: re.Match[str] | None, after: str) -> Style:
    """How the bare value of the name at `begin` is written; `after` is what follows the value."""
    if link is None:
        return "tight"
    if text[max(0, begin - 2) : begin].rstrip().endswith(("(", ",")):
        return "argument"
    if link["sign"] == "=" and link.group() == "=":
        return "tight"
    alone = not text[max(0, begin - 12) : begin].rpartition("\n")[2].strip(" \t-#")
    is_line = alone and after in ("", "\n", "\r") and link["sign"] in (":", "=")
    return "line" if is_line else "loose"
