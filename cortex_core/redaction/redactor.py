"""The redactor of a process: takes secrets out of values of every form, and looks at none twice.

Whatever is written to a store passes it (`store/text_columns.py`), whether or not whoever wrote the
text has asked it before. A text that was found clean is recognised by its hash, so that asking
again costs next to nothing.
"""

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from cortex_core.base.text import content_hash
from cortex_core.language.patterns import Pattern
from cortex_core.redaction import secrets
from cortex_core.redaction.signs import can_hold_secret

Form = Literal["text", "texts", "mapping", "row", "rows"]
"""What a column holds: a text; JSON whose texts are judged alone (`texts`) or together with their
keys (`mapping`); a row of a table as JSON; or the packed rows of a memory in the trash."""

MARK = "[redacted: "
"""How the mark begins that stands in place of a secret."""

SEPARATORS = Pattern(
    "what is between the names of a path, and the ending of each",
    r"(/|\.\w{1,5}(?![^/]))",
    finds="docs/a.md",
    spares="a.longer-name",
    flags=0,
)
FILE = Pattern(
    "a word of a text that is a file with an ending",
    r"(?<!\S)(?:[^\s\[\]\"'`(){}<>,;:]|:(?!/)){12,200}\.[A-Za-z]\w{0,4}(?!\S)",
    finds="see session-0a1b2c3d4e5f.jsonl now",
    spares="see https://example.test/a.jsonl now",
    flags=0,
)
PATH = Pattern(
    "how a path begins, and a branch; keys can contain slashes, too",
    r"\A(?:[.~]{0,2}/|[A-Za-z]{2,}(?:[-_][A-Za-z]+)*/)",
    finds="feature-x/a1",
    spares="x7Yk/2mZk",
    flags=0,
)
LONG_VALUE = Pattern(
    "a long value in the name of a folder that was made from a path: all but letters and digits"
    " are `-`",
    r"-([A-Za-z0-9]{16,})(?=-|\Z)",
    finds="-work-KEY-0a1b2c3d4e5f6a7b-notes",
    spares="-work-KEY-0a1b",
    flags=0,
)

_AS_WRITTEN = str.maketrans({"=": "-", "_": "-", ";": None})
"""Makes a name from a path of what it was read as."""

_NO_PATHS = ("data:", "SHA256:", "sha256-", "sha384-", "sha512-", "h1:", 'W/"')
"""How values begin that have slashes and are no paths."""

MOST_CLEAN = 1 << 16
"""Clean texts that are remembered, by their hashes."""

MOST_CHANGED = 1 << 10
"""Texts with a secret that are remembered with what became of them."""


class Redactor:
    """Removes secrets from values. Equal values are redacted equally wherever they are."""

    def __init__(self, extra: Sequence[str] = ()) -> None:
        """Take the user's own patterns, as `secrets.redact` does."""
        self._extra = tuple(extra)
        self._clean: set[int] = set()
        self._changed: dict[str, secrets.Redaction] = {}

    def redaction(self, value: str) -> secrets.Redaction:
        """A text without its secrets, and what they were; a path is judged name by name.

        Raises:
            ConfigError: one of the user's own patterns is not valid.
        """
        if len(value) < 3 or hash(value) in self._clean:
            return secrets.Redaction(value, ())
        if (known := self._changed.get(value)) is not None:
            return known
        done = self._redacted(value)
        if len(self._clean) >= MOST_CLEAN:
            self._clean.clear()
        self._clean.add(hash(done.text))
        if done.text != value:
            if len(self._changed) >= MOST_CHANGED:
                self._changed.clear()
            self._changed[value] = done
        return done

    def text(self, value: str) -> str:
        """A text without its secrets."""
        return self.redaction(value).text

    def cell(self, form: Form, value: Any, forms: Mapping[str, Form] = {}) -> Any:
        """The cell of a column without its secrets.

        Args:
            forms: the forms of the columns in a row, where the cell holds rows; others are left.
        """
        if isinstance(value, bytes):
            return self._unpacked(value, forms) if form == "rows" else value
        if not isinstance(value, str) or value in ("", "[]", "{}"):
            return value
        return self.text(value) if form == "text" else self._json(form, value, forms)

    def row(
        self, cells: Mapping[str, Any], forms: Mapping[str, Form], inner: Mapping[str, Form] = {}
    ) -> dict[str, Any]:
        """A row without secrets in the columns of `forms`; the hash of a content follows it.

        Args:
            inner: the same for the rows in its cells.
        """
        redacted = {
            name: self._hex(forms[name], value, inner) if name in forms else value
            for name, value in cells.items()
        }
        if "content_hash" in redacted and redacted.get("content") != cells.get("content"):
            redacted["content_hash"] = content_hash(redacted["content"])
        return redacted

    def parts(self, value: Any, name: str = "") -> Any:
        """A JSON value without secrets; a text with a `name` is judged together with it."""
        if isinstance(value, dict):
            return {
                self.text(key): self.parts(each, key if name else "") for key, each in value.items()
            }
        if isinstance(value, list):
            return [self.parts(each, name) for each in value]
        if not isinstance(value, str):
            return value
        bare = self.text(value)
        if bare != value or not name:
            return bare
        return self.text(f"{name}: {value}").removeprefix(f"{name}: ")

    def _redacted(self, value: str) -> secrets.Redaction:
        whole = secrets.redact(value, self._extra)
        if value.startswith(_NO_PATHS) or ";base64," in value:
            return whole
        if "://" in value or (any(map(str.isspace, value)) and not value.startswith("/")):
            return self._without_file_names(whole)
        if not SEPARATORS.regex.search(value):
            return whole
        # What is random in a path is one name of it; as a whole the path would be lost with it.
        again = PATH.regex.match(value) and (not whole.found or "random-token" in whole.found)
        before = secrets.Redaction(value, ()) if again else whole
        parts = [self._name(part) for part in SEPARATORS.regex.split(before.text) if part]
        after = secrets.redact("".join(part.text for part in parts), self._extra)
        found = (f for part in parts for f in part.found)
        return secrets.Redaction(after.text, (*before.found, *found, *after.found))

    def _name(self, name: str) -> secrets.Redaction:
        """One name of a path; one that was made from a path is read as that may have been."""
        done = secrets.redact(name, self._extra)
        is_made = name.startswith("-") and name.isascii() and name.replace("-", "").isalnum()
        if done.found or not is_made or not can_hold_secret(name):
            return done
        for read in (LONG_VALUE.regex.sub(r"=\1;", name), name.replace("-", "_")):
            again = secrets.redact(read, self._extra)
            if set(again.found) - {"random-token"}:
                return secrets.Redaction(again.text.translate(_AS_WRITTEN), again.found)
        return done

    def _without_file_names(self, whole: secrets.Redaction) -> secrets.Redaction:
        """A text whose words that are files do not have secrets for names."""
        found = list(whole.found)

        def renamed(match: re.Match[str]) -> str:
            done = self.redaction(match[0]) if can_hold_secret(match[0]) else None
            found.extend(done.found if done else ())
            return done.text if done else match[0]

        return secrets.Redaction(FILE.regex.sub(renamed, whole.text), tuple(found))

    def _json(self, form: Form, value: str, forms: Mapping[str, Form]) -> str:
        if hash((form, value)) in self._clean:
            return value
        try:
            parsed = json.loads(value)
        except ValueError:
            return value if form == "row" else self.text(value)  # of a new row, only its hash
        if form == "row":
            redacted = self.row(parsed, forms, forms) if isinstance(parsed, dict) else parsed
        else:
            redacted = self.parts(parsed, "value" if form == "mapping" else "")
        if redacted != parsed:
            return _dumps(redacted)
        self._clean.add(hash((form, value)))
        return value

    def _hex(self, form: Form, value: Any, forms: Mapping[str, Form]) -> Any:
        if isinstance(value, dict) and set(value) == {"hex"}:  # bytes, as the journal keeps them
            return {"hex": self.cell(form, bytes.fromhex(value["hex"]), forms).hex()}
        return self.cell(form, value, forms)

    def _unpacked(self, value: bytes, forms: Mapping[str, Form]) -> bytes:
        try:
            tables = json.loads(zlib.decompress(value))
        except (zlib.error, ValueError):
            return value
        redacted = {
            table: [self.row(each, forms, forms) for each in listed]
            for table, listed in tables.items()
        }
        return value if redacted == tables else zlib.compress(_dumps(redacted).encode())


@cache
def shared(extra: tuple[str, ...] = ()) -> Redactor:
    """The redactor of this process for a user's own patterns."""
    return Redactor(extra)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
