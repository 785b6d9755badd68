"""Reads a folder of Markdown: the memories, links and days of a vault, and any other notes.

Reading changes no store. A file that cannot be used is reported, and the rest is read.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cortex_core.admission import checks
from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import Kinds
from cortex_core.capture import frontmatter, notes
from cortex_core.exchange import jsonl, note_items
from cortex_core.exchange.exported import KnownTexts
from cortex_core.exchange.importer import ImportBatch, ImportItem
from cortex_core.exchange.markdown import by_hand, days, format, write
from cortex_core.records.captures import ImportOutcome
from cortex_core.records.memory import Edge, Scope
from cortex_core.store import memory_lookup
from cortex_core.store.workspace import Workspace

NOTE_RULE = "import:notes"


@dataclass(slots=True)
class VaultScan:
    """The contents of a folder."""

    memories: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    """By id: file and object (as `jsonl.to_memory` takes it) of each memory of a vault."""
    by_hand: dict[str, bool] = field(default_factory=dict)
    """The ids of the memories that have none in their files, and whether the stores have them."""
    links: list[Edge] = field(default_factory=list)
    """Links with a file of their own."""
    link_files: dict[str, str] = field(default_factory=dict)
    """The file of each of them, by `format.edge_id`."""
    outgoing: list[Edge] = field(default_factory=list)
    """Links as stated by the memories that they lead from."""
    incoming: list[Edge] = field(default_factory=list)
    """Links as stated by the memories that they lead to."""
    notes: list[tuple[str, format.Frontmatter, str]] = field(default_factory=list)
    """File, frontmatter and body of each other note."""
    problems: list[str] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    """How memories had been used when they were exported, by id."""
    exported: dict[str, str] = field(default_factory=dict)
    """The memories that the last export wrote here: path by id."""
    texts: dict[str, str] = field(default_factory=dict)
    """The text of each file, by its path."""
    files: int = 0
    size: int = 0
    """Bytes read."""

    @property
    def is_vault(self) -> bool:
        """Whether the folder contains memories in the form of a vault."""
        return bool(self.memories.keys() - self.by_hand.keys() or self.exported)


def scan_folder(workspace: Workspace, path: Path) -> VaultScan:
    """The contents of the folder, or the single file, at `path`.

    Raises:
        UsageError: there is nothing at `path`.
    """
    if not path.exists():
        raise UsageError(
            f"There is no {path}. Nothing was changed. Name a file or folder of Markdown."
        )
    kinds = workspace.config.kinds
    scan, parsed = _parsed(path, lambda file: note_items.is_ignored(workspace, file))
    ids = {
        name: str(fields["id"])
        for name, (fields, _) in parsed.items()
        if fields is not None and format.is_memory(fields, kinds)
    }
    # After the others: a file without an id must not take that of one which has it.
    ids |= _by_hand(workspace, path, parsed, ids, scan)
    names = _names(parsed, ids, lambda title: _titled(workspace, title))
    for name, (fields, body) in parsed.items():
        if fields is not None:
            _add(name, fields, body, ids, names, scan, kinds)
    if path.is_dir():
        scan.state = write.entries_of(path / format.STATE)
        _tell_reasons_elsewhere(scan)
        scan.exported = {
            id: str(entry.get("path"))
            for id, entry in write.entries_of(path / format.INDEX).items()
            if isinstance(entry, dict)
        }
    if scan.is_vault:
        # Of a vault, only the notes among its memories are imported.
        tops = (format.GRAPH, format.PINNED)
        kept = [one for one in scan.notes if "/" in one[0] and one[0].split("/")[0] in tops]
        scan.problems += [
            f"{one[0]} is not a memory of this vault and was skipped"
            for one in scan.notes
            if one not in kept
        ]
        scan.notes = kept
    return scan


def root_of(path: Path) -> Path:
    """The folder that the names of files are relative to: the vault, also for one of its files."""
    if path.is_dir():
        return path
    parent, *above = path.absolute().parents
    if parent.name == format.PINNED and above and not (parent / format.GRAPH).is_dir():
        return above[0]
    return above[1] if len(above) > 1 and above[0].name == format.GRAPH else parent


def batch(workspace: Workspace, path: Path, default: Scope, *, own: bool = False) -> ImportBatch:
    """The memories and links of a vault, or of plain notes, at `path`.

    Args:
        default: the store for memories that name none.
        own: whether the user says that all of it is theirs.

    Raises:
        UsageError: there is nothing at `path`, or nothing that can be used.
    """
    scan = scan_folder(workspace, path)
    problems = list(scan.problems)
    exported = KnownTexts(workspace.project.home)
    # What this user exported and nobody changed is their own, wherever it was found.
    mine = {name for name, words in scan.texts.items() if own or exported.has(words)}
    items = _memory_items(workspace, scan, default, mine, problems)
    no_pages = {name for name, _, _ in scan.notes}
    more, left_out = _note_items(workspace, scan, path, default, problems, own=own)
    if not items and not more and problems:
        raise UsageError(
            f"Nothing could be imported. Nothing was changed. The first problem: {problems[0]}"
        )
    return ImportBatch(
        items=[*items, *more],
        edges=[*scan.links, *scan.outgoing, *scan.incoming],
        # What was exported to the folder, is still active, and has no file any more.
        missing=[
            ImportOutcome(
                what="file is gone",
                title=memory.title,
                kind=memory.kind,
                scope=memory.scope,
                file=scan.exported[memory.id],
                id=memory.id,
            )
            for store in workspace.stores
            for memory in store.memories(list(scan.exported.keys() - scan.memories.keys()))
            if memory.status == "active"
        ],
        problems=problems,
        left_out=left_out,
        files=scan.files,
        size=scan.size,
        texts=[(name, words) for name, words in scan.texts.items() if name not in no_pages],
    )


def texts(path: Path, ignored: Callable[[Path], bool]) -> VaultScan:
    """Every Markdown file of a folder as a note, whatever its frontmatter is."""
    scan, parsed = _parsed(path, ignored)
    scan.notes = [
        (name, fields, body) for name, (fields, body) in parsed.items() if fields is not None
    ]
    return scan


def _parsed(
    path: Path, ignored: Callable[[Path], bool]
) -> tuple[VaultScan, dict[str, tuple[format.Frontmatter | None, str]]]:
    """Frontmatter and body of each file; None for a frontmatter that cannot be read."""
    scan = VaultScan()
    parsed: dict[str, tuple[format.Frontmatter | None, str]] = {}
    root = root_of(path)
    listed = (
        [(path.absolute().relative_to(root).as_posix(), path)]
        if path.is_file()
        else write.files(path)
    )
    for name, file in listed:
        if ignored(file):
            scan.problems.append(f"{name} is in a folder that is excluded from capture")
        elif (words := _read(name, file, scan)) is not None:
            try:
                header, body = frontmatter.split(words)
                parsed[name] = frontmatter.parse(header or ""), body.strip("\n")
            except UsageError as error:
                scan.problems.append(f"{name}, {error}")
                parsed[name] = None, ""
    return scan, parsed


def _read(name: str, file: Path, scan: VaultScan) -> str | None:
    """The text of a file; None, with the problem reported, where it cannot be read."""
    problem = ""
    try:
        if file.is_symlink() or not file.is_file():
            problem = "is a symbolic link and was skipped"
        elif (size := file.stat().st_size) > write.LARGEST:
            problem = f"has {size:,} bytes and is too large for notes"
        else:
            words = file.read_bytes().decode("utf-8")
            scan.files += 1
            scan.size += size
            scan.texts[name] = words
            return words
    except UnicodeDecodeError:
        problem = "is not UTF-8 text"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    scan.problems.append(f"{name} {problem}")
    return None


def _by_hand(
    workspace: Workspace,
    path: Path,
    parsed: dict[str, tuple[format.Frontmatter | None, str]],
    ids: Mapping[str, str],
    scan: VaultScan,
) -> dict[str, str]:
    """Complete the memories without an id among the files `parsed`; their ids by file.

    Args:
        ids: the other memories, by file.
    """
    root, kinds = root_of(path).resolve(), workspace.config.kinds
    # The same id each time a file is read, and another one in another vault.
    found = {
        name: str(uuid5(NAMESPACE_URL, f"cortex:{root.as_posix()}/{name}"))
        for name, (fields, body) in parsed.items()
        if fields is not None
        and by_hand.is_memory(name, fields, kinds)
        and not format.is_derived(body)
    }
    # The memory has a file with its id since: this one would undo what was edited there.
    for name in [name for name, id in found.items() if id in ids.values()]:
        first = next(file for file, id in ids.items() if id == found[name])
        scan.problems.append(f"{name} is {first} by now and was skipped")
        parsed[name] = (None, parsed[name][1])
        del found[name]
    listed = list(found.values())
    stored = {one.id: one for store in workspace.stores for one in store.memories(listed)}
    for name, id in found.items():
        fields, body = parsed[name]
        written = format.stamp((root / name).stat().st_mtime)
        made = by_hand.completed(name, fields or {}, body, id, written, kinds, stored.get(id))
        scan.by_hand[id] = id in stored
        parsed[name] = (made, body)
    return found


def _names(
    parsed: Mapping[str, tuple[format.Frontmatter | None, str]],
    ids: Mapping[str, str],
    elsewhere: Callable[[str], str | None],
) -> by_hand.Names:
    titles = [(id, (parsed[name][0] or {}).get("title")) for name, id in ids.items()]
    for name, (fields, body) in parsed.items():
        if days.is_day(name) and not fields:
            entries = days.entries(body, name, ids.get)
            titles += [(str(entry["id"]), entry["title"]) for entry, _ in entries]
    return by_hand.Names(
        [(id, title) for id, title in titles if isinstance(title, str)], ids, elsewhere
    )


def _titled(workspace: Workspace, title: str) -> str | None:
    """The id of the one memory of the stores with this id or title."""
    if any(memory_lookup.known_ids(store, (title,)) for store in workspace.stores):
        return title
    found = [id for store in workspace.stores for id in memory_lookup.titled(store, title)]
    return found[0] if len(found) == 1 else None


def _add(
    name: str,
    fields: format.Frontmatter,
    body: str,
    ids: dict[str, str],
    names: by_hand.Names,
    scan: VaultScan,
    kinds: Kinds,
) -> None:
    """Add one file to `scan`."""
    if name in ids:
        _add_memory(name, fields, body, names, scan, kinds)
    elif {"from_id", "to_id", "type"} <= fields.keys():
        _add_link(name, fields, body, names, scan)
    elif days.is_day(name) and not fields:
        for entry, summary in days.entries(body, name, ids.get):
            _add_memory(name, entry, summary, names, scan, kinds)
    elif not format.is_derived(body):
        scan.notes.append((name, fields, body))


def _add_memory(
    name: str,
    fields: format.Frontmatter,
    body: str,
    names: by_hand.Names,
    scan: VaultScan,
    kinds: Kinds,
) -> None:
    try:
        memory = format.as_object(fields, body, kinds)
        if duplicate := scan.memories.get(memory["id"]):
            raise UsageError(f"has the same id as {duplicate[0]}; remove the id from one of them")
        linking = body if memory["id"] in scan.by_hand else ""
        fields = by_hand.with_targets(
            fields, linking, names, lambda problem: scan.problems.append(f"{name}: {problem}")
        )
        edges = format.relations(fields, memory["id"])
    except UsageError as error:
        scan.problems.append(f"{name}: {error}")
        return
    if name.split("/")[0] == format.PINNED and "pinned" not in fields:
        memory["pinned"] = True
    for edge in edges:
        (scan.outgoing if edge.source == memory["id"] else scan.incoming).append(edge)
    scan.memories[memory["id"]] = (name, memory)


def _add_link(
    name: str, fields: format.Frontmatter, body: str, names: by_hand.Names, scan: VaultScan
) -> None:
    try:
        source, target = (
            names.find(str(fields[end])) or str(fields[end]) for end in ("from_id", "to_id")
        )
        edge = format.edge(fields, source, target, body)
        first = scan.link_files.setdefault(format.edge_id(edge), name)
        if first != name:
            raise UsageError(f"is the same link as {first} and was skipped")
        scan.links.append(edge)
    except UsageError as error:
        scan.problems.append(f"{name}: {error}")


def _tell_reasons_elsewhere(scan: VaultScan) -> None:
    """Report exported memories that give a link another reason than its file, which alone counts:
    somebody edited it in the wrong place. The files of other programs differ by themselves."""
    links = {format.edge_id(edge): edge for edge in scan.links}
    stated = ((edge, edge.source) for edge in scan.outgoing)
    for edge, here in (*stated, *((edge, edge.target) for edge in scan.incoming)):
        link = links.get(format.edge_id(edge))
        if link and edge.context not in ("", link.context) and here in scan.state:
            file = scan.link_files[format.edge_id(edge)]
            scan.problems.append(
                f"{scan.memories[here][0]}: its reason for a link is not taken; edit it in {file}"
            )


def _memory_items(
    workspace: Workspace,
    scan: VaultScan,
    default: Scope,
    mine: Container[str],
    problems: list[str],
) -> list[ImportItem]:
    """The memories of a vault; those in the files `mine` are the user's own."""
    config, now = workspace.config, workspace.clock()
    items = []
    for file, given in scan.memories.values():
        try:
            # How often a memory was used is kept apart, so that its file changes with it alone.
            used = _use(scan.state.get(given["id"]))
            scope = jsonl.scope_of(given, default)
            memory = jsonl.to_memory({**given, **used}, scope, now, None, config.kinds)
            items.append(
                ImportItem(
                    memory=checks.checked_memory(memory, config),
                    file=file,
                    by_user=file in mine,
                    named=scan.by_hand.get(memory.id, True),
                )
            )
        except UsageError as error:
            problems.append(f"{file}: {error}")
    return items


def _note_items(
    workspace: Workspace,
    scan: VaultScan,
    root: Path,
    default: Scope,
    problems: list[str],
    *,
    own: bool,
) -> tuple[list[ImportItem], int]:
    """The pieces of plain notes, and how many notes have none."""
    items: list[ImportItem] = []
    left_out = 0
    for path, fields, body in scan.notes:
        title = fields.get("title")
        name = title if isinstance(title, str) and title else Path(path).stem
        # Before titles are made, which may lose the name that shows a secret.
        words = note_items.without_secrets(workspace, body)
        listed = list(notes.pieces(words, text.one_line(name)))
        left_out += not listed
        created = _written(fields, root if root.is_file() else root / path, workspace.clock())
        stated = fields.get("kind") or fields.get("type")
        named = workspace.config.kinds.known(stated) if isinstance(stated, str) else None
        kind = named.name if named in tuple(workspace.config.kinds) and named else ""
        for note in listed:
            try:
                items.append(
                    note_items.item(
                        workspace,
                        note,
                        path,
                        NOTE_RULE,
                        kind or notes.kind(note.path, note.content),
                        created=created,
                        scope=default,
                        tags=notes.meta_texts(fields, "tags"),
                        by_user=own,
                    )
                )
            except UsageError as error:
                problems.append(f"{path}: {error}")
    return items, left_out


def _written(fields: format.Frontmatter, file: Path, now: float) -> float:
    """When a note was written, by its frontmatter or else its file; never in the future."""
    for name in ("created", "date"):
        try:
            if isinstance(fields.get(name), str) and fields[name]:
                return min(now, text.parse_time(fields[name], now))
        except UsageError:
            continue
    return min(now, file.stat().st_mtime) if file.exists() else now


def _use(entry: Any) -> dict[str, Any]:
    """The use of a memory by `_state.json`, as far as that is valid."""
    if not isinstance(entry, dict):
        return {}
    count, last = entry.get("access_count"), entry.get("last_accessed")
    use: dict[str, Any] = {}
    if isinstance(count, int) and count > 0:
        use["access_count"] = count
    return use | ({"last_access": last} if isinstance(last, str) and last else {})
