"""Memories that users write by hand, as files without an id: which files are some, what they leave
to be filled in, and which memory a link means by a title or the name of a file."""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import Kinds
from cortex_core.exchange.markdown import format
from cortex_core.language.patterns import Pattern
from cortex_core.records.memory import Memory

STATED = ("importance", "pinned", "relations")
"""Fields that no other notes have: with one of them, a file is a memory wherever it is."""

_WIKI = Pattern(
    "wiki link",
    r"\[\[([^\[\]\n]{1,200})\]\]",
    finds="see [[a title]]",
    spares="see [a](title)",
    flags=0,
)
_HEADING = Pattern(
    "heading that a text begins with",
    r"\A#{1,6}[ \t]+(\S.*?)[ \t#]*$",
    finds="# Tests",
    spares="Text\n# Tests",
    flags=re.MULTILINE,
)


def is_memory(name: str, fields: format.Frontmatter, kinds: Kinds) -> bool:
    """Whether a file without an id is one memory, and not a note to be split.

    It is one in `vault/`, in the folder of a kind below `graph/`, or by its frontmatter.

    Args:
        name: its path relative to the folder.
    """
    if fields.get("id") or name.startswith(f"{format.EDGES}/"):
        return False
    if name.startswith(f"{format.PINNED}/") or _kind_of_folder(name, kinds):
        return True
    return any(field in fields for field in STATED)


def completed(
    name: str,
    fields: format.Frontmatter,
    body: str,
    id: str,
    written: str,
    kinds: Kinds,
    stored: Memory | None = None,
) -> format.Frontmatter:
    """The frontmatter of a file without an id, with all that a memory needs.

    Args:
        written: when the file was written, in ISO 8601.
        stored: the memory in the store, for what the file does not state.
    """
    own = {key: value for key, value in fields.items() if value not in (None, "")}
    if kind := _kind_of_folder(name, kinds) if not {"type", "kind"} & own.keys() else "":
        own["type"] = kind
    if "title" not in own and (title := _title(name, body)):
        own["title"] = title
    if "date" in own:
        own.setdefault("created", own.pop("date"))
    base = {"created": written}
    if stored is not None:
        base = format.fields(stored, kinds)[0]
        own.pop("updated", None)  # nobody keeps that up to date; the file's own time is
    left_out = {"text", format.BLANK}
    for same in ({"type", "kind"}, {"importance", "priority"}):
        left_out |= same if own.keys() & same else set()
    base = {key: value for key, value in base.items() if key not in left_out}
    made = {**base, "updated": written, **own, "id": id}
    if name.split("/")[0] in (format.GRAPH, format.PINNED):
        origin = made.get("origin")
        made["origin"] = {**(origin if isinstance(origin, Mapping) else {}), format.FILE: name}
    if name.startswith(f"{format.PINNED}/"):
        made.setdefault("pinned", "true")
    return made


class Names:
    """Finds the memory that a link means: by its id, its file, or its title."""

    def __init__(
        self,
        titles: Iterable[tuple[str, str]],
        paths: Mapping[str, str],
        elsewhere: Callable[[str], str | None] = lambda name: None,
    ) -> None:
        """Take what there is.

        Args:
            titles: id and title of each memory.
            paths: the id by the path of its file.
            elsewhere: the id of a memory that is not in the folder, by its title.
        """
        self._ids = set(paths.values())
        self._named: dict[str, set[str]] = {}
        self._elsewhere = elsewhere
        for path, id in paths.items():
            for name in (path, posixpath.basename(path)):
                self._named.setdefault(_normal(name), set()).add(id)
        for id, title in titles:
            self._ids.add(id)
            for name in dict.fromkeys((_normal(title), format.slug(title))):
                self._named.setdefault(name, set()).add(id)

    def find(self, name: str) -> str | None:
        """The id of the one memory that is called so; None where there is none, or are several."""
        if name in self._ids:
            return name
        found = self._named.get(_normal(name), set())
        if len(found) == 1:
            return next(iter(found))
        return None if found else self._elsewhere(_target(name))


def with_targets(
    fields: format.Frontmatter, body: str, names: Names, problem: Callable[[str], None]
) -> format.Frontmatter:
    """A frontmatter whose relations name ids; one by a name that no memory has is left out.

    Args:
        body: the text, whose wiki links are relations as well; empty where they are not.
        problem: takes a sentence about each relation that is left out.
    """
    stated = fields.get("relations") or []
    listed = stated if isinstance(stated, list) else [stated]
    kept = []
    for each in listed:
        stated = dict(each) if isinstance(each, Mapping) else {"target": _plain(each)}
        target = _plain(stated.get("target", ""))
        found = names.find(target)
        if found is None and target and not text.is_uuid(target):
            problem(f"there is no memory “{text.one_line(target)[:60]}” to link to")
            continue
        kept.append({"type": "RELATED_TO", **stated, "target": found or target})
    # A link in the text that a relation states already is not a second one.
    known = {each["target"] for each in kept}
    for match in _WIKI.regex.finditer(body):  # [[a title]], [[folder/file|shown]]
        found = names.find(match[1])
        if found is not None and found not in known and found != fields.get("id"):
            known.add(found)
            kept.append({"target": found, "type": "RELATED_TO", "direction": "outgoing"})
    return {**fields, "relations": kept} if kept or "relations" in fields else fields


def _kind_of_folder(name: str, kinds: Kinds) -> str:
    folder = posixpath.dirname(name)
    names = (each for kind in kinds for each in (kind.name, *kind.aliases))
    return next((each for each in names if format.folder_of(each) == folder), "")


def _title(name: str, body: str) -> str:
    """The heading that a text begins with, else the name of its file if that says something."""
    if match := _HEADING.regex.search(body.lstrip("\n")):
        return text.one_line(match[1])
    stem = posixpath.splitext(posixpath.basename(name))[0]
    words = stem.replace("-", " ").replace("_", " ").split()
    name = " ".join(words)
    return name[:1].upper() + name[1:] if len(words) > 1 else ""


def _plain(value: Any) -> str:
    """A target as a text: YAML reads `[[a title]]` without quotes as a list in a list."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    if isinstance(value, Mapping):
        raise UsageError("the target of a link is not a name")
    return _target(str(value))


def _target(name: str) -> str:
    """What a wiki link names, without what it shows and the heading it leads to."""
    inner = name.strip().removeprefix("[[").removesuffix("]]")
    return inner.partition("|")[0].partition("#")[0].strip()


def _normal(name: str) -> str:
    target = _target(name).removeprefix("./").casefold()
    stem, _, ending = target.rpartition(".")
    return stem if ending in ("md", "markdown") else target
