"""Documents that a commit or pull request introduces: a list line that names one and says what it
holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cortex_core.extract import claims, wording
from cortex_core.extract.state import Findings
from cortex_core.extract.wording import plain
from cortex_core.language import verbs
from cortex_core.language.sentences import cut, mask

ENDINGS = (".md", ".mdx", ".rst", ".adoc")
"""How the names of documents end."""
LONGEST = 400
"""Most characters of what is told of one."""

_LINE = re.compile(
    r"(?:\w+ (?:new )?)?`(?P<path>[\w./-]+\.(?:md|mdx|rst|adoc))`(?:\s+[—–-]{1,2}|:)\s+"
    r"(?P<held>\S.*)"
)
_RULES = re.compile(
    # What a document demands of its readers has no form of its own.
    r"\b(?:rules?|guidelines?|guide|conventions?|protocols?|polic(?:y|ies)|checklists?|standards?)\b",
    re.IGNORECASE,
)
_HEAD = re.compile(r"[:;,(—–]|\. ")


def on_message(body: str, where: Mapping[str, Any], findings: Findings) -> None:
    """File what the documents that a message lists hold; rules in one are to be followed."""
    for line in body.split("\n"):
        found = _LINE.fullmatch(plain(line)) if line.lstrip().startswith(("-", "*")) else None
        if found is None or not _describes(found["held"]):
            continue
        path, held = found["path"], found["held"][:1].lower() + found["held"][1:]
        head = _HEAD.split(held, maxsplit=1)[0]
        content = wording.finished(cut(f"`{path}` holds {held}", LONGEST))
        findings.add(
            "file",
            "policy" if _RULES.search(head) else "fact",
            content,
            where,
            name=f"`{path}` holds {head.strip()}",
            files=(path,),
        )


def _describes(held: str) -> bool:
    """Whether `held` says what a document holds, not what was changed in it."""
    is_change = verbs.is_order(mask(held)) or not claims.lasts(held)
    return not (is_change or wording.is_thin(held, 5))
