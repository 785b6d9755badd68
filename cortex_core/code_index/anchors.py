"""What a memory names of its project, and what has become of it: values in, values out.

A name counts only where the project really has it when it is first looked up: else there is
nothing that it could move away from. A file that is unchanged proves nothing about what a memory
says of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from cortex_core.base.git import PastCommits
from cortex_core.code_index.tree import Stated, Tree, subject
from cortex_core.language import programs
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.records.project_code import Anchor, AnchorKind

LONGEST_TEXT = 6_000
"""Characters of a memory that are searched for names."""

MOST = 24
"""Names of one memory that are kept."""

LONGEST_NAME = 160
"""Characters of one name."""

_SPAN = Pattern(
    "code in a text", r"`([^`\n]{2,160})`", finds="use `pnpm`", spares="use pnpm", flags=0
)
_LINK = Pattern(
    "web address",
    r"\b[a-z][\w+.-]{0,20}://\S+",
    finds="see https://example.test/a",
    spares="see docs/a.md",
    flags=0,
)
_PATH = Pattern(
    "path with a slash, or the name of a file with its suffix; globs and addresses are none",
    r"(?<![\w/.@~$*{<-])(?:\./)?((?:[\w@.+-]+/)+[\w@.+-]*\w"
    r"|\.?[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9})(?![\w*{<]|/[*{<])",
    finds="in src/store.py",
    spares="in src/*.py",
    flags=0,
)
_WRITTEN = Pattern(
    "name, dotted or called, as prose and code write it",
    r"(?<![\w./$-])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(\(\))?(?![\w/(]|\.\w|-\w)",
    finds="call Store.open()",
    spares="$1/2",
    flags=0,
)
_CASED = Pattern(
    "what no word of a language looks like: inner capitals, or underscores between letters",
    r"[a-z0-9][A-Z]|[A-Z][a-z]+[A-Z]|[A-Za-z0-9]_+[A-Za-z0-9]|^_\w{3,}",
    finds="openStore",
    spares="Store",
    flags=0,
)
_COMMAND = Pattern(
    "script of a package, target or task",
    r"(?<![\w/-])(?:(npm|pnpm|yarn|bun)(?: run(?:-script)?)?|(composer)(?: run(?:-script)?)?"
    r"|(make|just|task)|(mise)(?: run)?|(?:uv|poetry|hatch|poe)()(?: run)?) "
    r"(?:--?[\w=-]+ )*([A-Za-z_][\w:.-]*\w)",
    finds="run pnpm test:unit",
    spares="run tests",
    flags=0,
)
_FAMILY = {"npm": "npm", "pnpm": "npm", "yarn": "npm", "bun": "npm", "": "uv"}
_VERSION = Pattern(
    "what is named, and its version",
    r"(?<![\w/.-])([A-Za-z@][\w./@-]{0,60}?)(?:@|==|\s?(?:>=|~=|\^|=)\s?|\s+(?:version\s+)?)"
    r"v?(\d{1,4}(?:\.\d{1,6}){0,3})(?![\w%:/]|[.,]\d)",
    finds="textual>=0.80",
    spares="chapter one",
    flags=0,
)
_SET = Pattern(
    "setting with its value",
    r"(?<![\w./-])([A-Za-z_][\w.-]*\w)=(?:\"([^\"\n`]{1,60})\"|'([^'\n`]{1,60})'"
    r"|([^\s`\"',;()=]+(?<![.:])))",
    finds="set LOG_LEVEL=debug",
    spares="set LOG_LEVEL",
    flags=0,
)
_SET_IN_CODE = Pattern(
    "what TOML and YAML set; outside of code these are marks of prose",
    r"([A-Za-z_][\w.-]*\w)(?: ?[:=] )(?:\"([^\"]{1,60})\"|'([^']{1,60})'|(\S+))",
    finds="log_level: debug",
    spares="log_level",
    flags=0,
)
_VARIABLE = Pattern(
    "variable of the environment, or the dotted key of a setting",
    r"(?<![\w/-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]\w*(?:\.[a-z]\w*)+)(?![\w(/-])",
    finds="set LOG_LEVEL",
    spares="set it",
    flags=0,
)


class Mention(NamedTuple):
    """Something that a memory names, by which the project can be searched."""

    kind: AnchorKind
    name: str
    """As it is written."""
    key: str
    """What is looked up: a path, a dotted name, `family name`, a subject, a key."""
    value: str = ""


def mentions(title: str, content: str) -> list[Mention]:
    """What a memory names, each once, in the order of the kinds."""
    text = _LINK.regex.sub(" ", f"{title}\n{content}"[:LONGEST_TEXT])
    spans = [span.strip() for span in _SPAN.regex.findall(without_fences(text, tables=True))]
    return [
        each for each in dict.fromkeys(_mentions(text, spans)) if len(each.name) <= LONGEST_NAME
    ]


def _mentions(text: str, spans: list[str]) -> Iterator[Mention]:
    for match in _PATH.regex.finditer(text):
        yield Mention("file", match[1].rstrip("."), match[1].rstrip("."))
    for match in _COMMAND.regex.finditer(text):
        family = next((one for one in match.groups()[:-1] if one is not None), "")
        yield Mention("command", match[0], f"{_FAMILY.get(family, family)} {match[6]}")
    for match in _VERSION.regex.finditer(text):
        if match[1].lower() in programs.RUNTIMES or "." in match[2]:
            yield Mention("version", match[0], subject(match[1]), match[2])
    set_keys = set()
    in_code = filter(None, map(_SET_IN_CODE.regex.fullmatch, spans))
    for match in (*_SET.regex.finditer(text), *in_code):
        value = next(one for one in match.groups()[1:] if one is not None)
        set_keys.add(match[1])
        yield Mention("setting", match[0], match[1], value)
    for match in _VARIABLE.regex.finditer(text):
        if match[1] not in set_keys:
            yield Mention("setting", match[1], match[1])
    yield from _symbols(text, spans)


def _symbols(text: str, spans: list[str]) -> Iterator[Mention]:
    for match in _WRITTEN.regex.finditer(text):
        name, called = match[1], bool(match[2])
        owner, _, last = name.rpartition(".")
        is_class = owner.isidentifier() and owner[0].isupper() and any(map(str.islower, owner))
        is_method = is_class and len(last) > 2  # such as Store.open
        if _CASED.regex.search(last) or (called and len(last) > 3) or is_method:
            yield Mention("symbol", match[0], name)
    for span in spans:
        if len(span) >= 4 and span.isidentifier() and span[0].isupper() and span[1].islower():
            yield Mention("symbol", span, span)


def wanted(found: Iterable[tuple[AnchorKind, str]]) -> tuple[set[str], set[str]]:
    """The names and settings to look up in the files to find these: pairs of a kind and a key."""
    names: set[str] = set()
    settings: set[str] = set()
    for kind, key in found:
        if kind == "symbol":
            names.update(key.split(".")[-2:])
        elif kind == "setting":
            settings.add(key)
    return names, settings


# --- where it is at first


def anchors(memory: str, named: Iterable[Mention], tree: Tree) -> list[Anchor]:
    """An anchor for what the project has of what a memory names."""
    made: list[Anchor] = []
    for each in named:
        found = _stated(each.kind, each.key, each.value, tree)
        # A file or a name that is in several places is in none of them for certain.
        is_several = len(found) > 1 and each.kind in ("file", "symbol")
        for one in [Stated("", "", 0)] if is_several else found[:1]:
            made.append(
                Anchor(
                    memory=memory,
                    kind=each.kind,
                    name=each.name,
                    key=each.key,
                    value=each.value or one.value,
                    path=one.path,
                    line=one.line,
                )
            )
    taken = {each.name for each in made if each.kind != "setting"}
    made = [each for each in made if each.kind != "setting" or each.value or each.name not in taken]
    return made[:MOST]


def _stated(kind: AnchorKind, key: str, value: str, tree: Tree) -> list[Stated]:
    """Where the project has what is named so, of versions and settings with this value."""
    match kind:
        case "file":
            folder = key.rstrip("/")
            is_folder = folder in tree.folders
            paths = [folder] * ("/" in key) if is_folder else tree.ending_in(key)
            return [Stated("", path, 0) for path in paths]
        case "symbol":
            return _definitions(key, tree)
        case "command":
            family, _, name = key.partition(" ")
            script = tree.scripts.get((family, name))
            return [script] if script else []
        case "version":
            return [one for one in tree.versions.get(key, ()) if agrees(value, one.value)]
    if value:
        return [one for one in tree.settings.get(key, ()) if one.value == value]
    return [tree.mentions[key]] if key in tree.mentions else []


def _definitions(key: str, tree: Tree) -> list[Stated]:
    """Where a name is defined; of `Store.open` in the files of `Store` or called so."""
    owner, _, last = key.rpartition(".")
    found = tree.definitions.get(last, [])
    if not owner:
        return found
    part = owner.rpartition(".")[2]
    homes = {one.path for one in tree.definitions.get(part, ())}
    return [
        one
        for one in found
        if one.path in homes or one.path.rpartition("/")[2].partition(".")[0] == part
    ]


_NUMBERS = Pattern(
    "number of a version", r"\d+(?:\.\d+)*", finds=">=3.11", spares="latest", flags=0
)


def agrees(value: str, stated: str) -> bool:
    """Whether a stated version, or one of a range, is `value`, or one of them says it closer."""
    parts = value.split(".")
    for number in _NUMBERS.regex.findall(stated):
        others = number.split(".")
        length = min(len(parts), len(others))
        if parts[:length] == others[:length]:
            return True
    return False


# --- where it is now


def judged(anchor: Anchor, tree: Tree, past: PastCommits | None = None) -> Anchor | None:
    """`anchor` with what has become of it; None where that cannot be said.

    Args:
        past: what commits renamed since, if that is known.
    """
    if anchor.kind == "file":
        return _judged_file(anchor, tree, past)
    found, is_symbol = _stated(anchor.kind, anchor.key, anchor.value, tree), anchor.kind == "symbol"
    last = anchor.key.rpartition(".")[2]
    is_used = is_symbol and last in tree.used
    if is_symbol and not found and not is_used:
        found = tree.definitions.get(last, [])  # it may have left its class
    here = [one for one in found if not is_symbol or one.path == anchor.path]
    if here:
        return replace(anchor, state="fresh", now="", path=here[0].path, line=here[0].line)
    if found and not anchor.path:
        return replace(anchor, state="fresh", now="")
    if not tree.complete:
        return None
    if not is_symbol:
        return _judged_value(anchor, tree)
    if len(found) == 1:
        return replace(anchor, state="moved", now=f"{found[0].path}:{found[0].line}")
    return replace(anchor, state="fresh" if found or is_used else "gone", now="")


def _judged_file(anchor: Anchor, tree: Tree, past: PastCommits | None) -> Anchor | None:
    known = anchor.path or anchor.key.rstrip("/")
    is_there = known in tree.paths or known in tree.folders
    if is_there or (not anchor.path and tree.ending_in(anchor.key)):
        return replace(anchor, state="fresh", now="")
    if moved := _followed(known, anchor, tree, past):
        return replace(anchor, state="moved", now=moved)
    return replace(anchor, state="gone", now="") if tree.paths and tree.complete else None


def _followed(path: str, anchor: Anchor, tree: Tree, past: PastCommits | None) -> str:
    """Where commits since the anchor was found have taken a file or a folder; where none did,
    where the only file of its name is."""
    if past is None or not past.times:
        return _only_of_its_name(path, tree)
    born = past.ages.get(anchor.commit, len(past.times))
    later = [one for one in past.changes if one.age < born]
    current, left = path, None
    for one in later:
        if one.old == current:
            current, left = one.new or current, None if one.new else one.age
    if current != path and current in tree.paths:
        return current
    if left is not None:  # deleted by a commit: it went where that commit added one of its name
        added = {one.new for one in later if one.age == left and not one.old}
        only = _only_of_its_name(current, tree)
        return only if only in added else ""
    goals: Counter[str] = Counter(
        one.new[: -len(one.old) + len(path)]
        for one in later
        if one.old.startswith(f"{path}/") and one.new.endswith(one.old[len(path) :])
    )
    # Where most files of a folder went.
    if goals and (best := goals.most_common(1)[0][0]) in tree.folders:
        return best
    only = _only_of_its_name(current, tree)  # moved and not committed: it is in no commit there
    return "" if only in past.paths else only


def _only_of_its_name(path: str, tree: Tree) -> str:
    name = path.rpartition("/")[2]
    same = tree.by_name.get(name, [])
    is_telling = len(name.partition(".")[0]) >= 3 and name not in _EVERYWHERE
    return same[0] if len(same) == 1 and is_telling else ""


_EVERYWHERE = frozenset(
    "__init__.py __main__.py main.py index.ts index.js index.html mod.rs README.md conftest.py "
    "package.json config.py utils.py types.py Makefile Dockerfile setup.py".split()
)
"""Names of files that say nothing about which file it is."""


def _judged_value(anchor: Anchor, tree: Tree) -> Anchor | None:
    """What files state in the place of a command, a version or a setting."""
    if anchor.kind == "command":
        family = anchor.key.partition(" ")[0]
        for (other, called), one in tree.scripts.items():
            is_renamed = other == family and anchor.value and one.value == anchor.value
            if is_renamed and one.path == anchor.path:
                now = f"{called} ({one.path}:{one.line})"
                return replace(anchor, state="contradicted", now=now)
    if anchor.kind == "command" or not anchor.value:
        return replace(anchor, state="gone", now="")
    is_version = anchor.kind == "version"
    stated = (tree.versions if is_version else tree.settings).get(anchor.key, [])
    same = [one for one in stated if is_version or one.path == anchor.path]
    same.sort(key=lambda one: one.path != anchor.path)
    if same:
        now = f"{same[0].value} ({same[0].path}:{same[0].line})"
        return replace(anchor, state="contradicted", now=now)
    return None if stated else replace(anchor, state="gone", now="")


_PLAIN = Pattern(
    "value that is plain enough to be injected",
    r"[\w.:/@+~^<>=-]{1,30}\Z",
    finds="3.11",
    spares="a b!",
    flags=0,
)


def outdated(found: Iterable[Anchor]) -> str:
    """What a memory names that is not so any more, in words that follow “it”; empty for nothing.

    Of what a file says only a plain value is in it: these words are injected with pinned memories.
    """
    ordered = sorted(found, key=lambda one: (one.state != "contradicted", one.name))
    wrong = [one for one in ordered if one.state in ("gone", "contradicted")]
    if not wrong:
        return ""
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    first = wrong[0]
    value = new_value(first)
    if first.state == "contradicted":
        now = f", now {value}" if value else ", which changed"
        return f"says {first.name}{now}{more}"
    return f"names {first.name}, which is gone{more}"


def new_value(anchor: Anchor) -> str:
    """The plain value that a file states instead of the one in the memory; empty where none is."""
    value = anchor.now.rpartition(" (")[0].strip()
    if anchor.kind == "version":
        value = next(iter(_NUMBERS.regex.findall(value)), "")
    return value if _PLAIN.regex.match(value) else ""


def corrected(content: str, anchor: Anchor) -> str:
    """`content` with the new value in place of the old one; empty where that cannot be done."""
    value = new_value(anchor)
    old = anchor.value if anchor.kind != "command" else anchor.name.rpartition(" ")[2]
    if not value or not old or anchor.name not in content:
        return ""
    at = anchor.name.rfind(old)
    return content.replace(anchor.name, f"{anchor.name[:at]}{value}{anchor.name[at + len(old) :]}")


def by_memory(found: Iterable[Anchor]) -> Mapping[str, list[Anchor]]:
    """The anchors of each memory."""
    grouped: dict[str, list[Anchor]] = {}
    for each in found:
        grouped.setdefault(each.memory, []).append(each)
    return grouped
