"""The campaign of broken files: JSONL, notes, vaults, CLAUDE.md, transcripts and settings.

Each is read by the command that a user would run. It must end with a sentence and never with a
traceback, change nothing when it fails, and leave alone the memories that were there before.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.broken_hooks import is_envelope
from benchmarks.campaign import NOTES, Done, Place, Row, Scale, most_frequent, unsound
from benchmarks.stores import sentences

KEPT = 5
"""Memories that are there before."""

PATIENCE = 240.0
"""Seconds after which a command is ended: then it waits for something that does not come."""

MOST_PROCESSOR = 20.0
"""Seconds of processor time that a command may take for a file of at most 20 MB: it needs 9."""

SETTINGS = """\
extractor = "rules"
[surface]
tokens = 400  # less
[keys]
"memory.pin" = "ctrl+p"
[kinds.recipe]
half_life = 90
"""


def campaign(scale: Scale) -> Iterator[Row]:
    """Every format with every damage, then settings with every damage."""
    samples = _samples(scale.scratch / "samples")
    place = Place(scale.scratch / "files")
    for kind, text in sentences(KEPT, seed=6):
        place.cortex("remember", text, "--kind", kind)
    for name, read in _READERS.items():
        yield _attacked(place, name, samples[name], read, scale)
    yield _attacked(place, "config.toml", SETTINGS.encode(), _settings, scale)
    faults = unsound(place)
    yield Row("broken files: the stores afterwards", "", 1, broken=len(faults), notes=tuple(faults))


def _attacked(place: Place, name: str, sample: bytes, read: Reader, scale: Scale) -> Row:
    """One format with every damage."""
    notes: list[str] = []
    said: list[str] = []
    count = lost = doubled = 0
    for number, (damage, data) in enumerate(scale.some(damaged(sample, scale), 7)):
        before = place.contents()
        done = read(place, place.folder / f"{name}-{number}", data)
        after = place.contents()
        why = _wrong(done, changed=before != after)
        missing = sum(text not in after for _, text in sentences(KEPT, seed=6))
        twice = sum(found > max(1, before[text]) for text, found in after.items())
        said.append(done.said if done.code else "")
        count, lost, doubled = count + 1, lost + missing, doubled + twice
        if why or missing or twice:
            notes.append(f"{name}, {damage} (number {number}): {why or 'lost or doubled'}")
    return Row(
        f"broken files: {name}",
        f"{count} damages",
        count,
        lost=lost,
        doubled=doubled,
        broken=len(notes),
        said=most_frequent(said),
        notes=tuple(notes[:NOTES]),
    )


def _wrong(done: Done, *, changed: bool) -> str:
    """What a command did that it must not; empty if nothing."""
    if done.crashed:
        return f"ended with {done.code}: {done.err.decode('utf-8', 'replace').strip()[-300:]}"
    if done.processor > MOST_PROCESSOR:
        return f"took {done.processor:.0f} s of processor time"
    if done.code and not done.said:
        return f"failed with {done.code} without a word"
    return "failed, and changed the store" if done.code and changed else ""


# --- what the formats look like, and what reads them

Reader = Callable[[Place, Path, bytes], Done]


def _samples(folder: Path) -> Mapping[str, bytes]:
    """A sound file of each format, written by another store."""
    place = Place(folder)
    for kind, text in sentences(8, seed=7):
        place.cortex("remember", f"{text} 😀", "--kind", kind, "--tag", "a", "--file", "src/*.py")
    place.cortex("export", "jsonl", "all.jsonl", "--vectors")
    place.cortex("export", "markdown", "vault")
    texts = [text for _, text in sentences(8, seed=8)]
    notes = "# Notes\n\n" + "".join(f"## Part {n}\n\n- {text}\n\n" for n, text in enumerate(texts))
    vault = sorted((place.root / "vault").rglob("*.md"))
    session = (
        b'{"type":"user","uuid":"%d","sessionId":"s","message":{"role":"user","content":"%s"}}\n'
    )
    return {
        "JSONL": _without_ids(place.root / "all.jsonl"),
        "notes": notes.encode(),
        "vault": b"".join(path.read_bytes() for path in vault[:1]),
        "CLAUDE.md": notes.encode(),
        "Claude's memory": notes.encode(),
        "transcript": b"".join(session % (n, t.encode()) for n, t in enumerate(texts)),
    }


def _without_ids(path: Path) -> bytes:
    """The lines of an export whose memories are known by their text alone."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    kept = ({name: row[name] for name in row if name not in ("id", "edges")} for row in rows)
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in kept)


def _jsonl(place: Place, path: Path, data: bytes) -> Done:
    path.write_bytes(data)
    return place.cortex("import", "jsonl", str(path), seconds=PATIENCE)


def _notes(place: Place, path: Path, data: bytes) -> Done:
    path = path.with_suffix(".md")
    path.write_bytes(data)
    return place.cortex("import", "markdown", str(path), "--yes", seconds=PATIENCE)


def _vault(place: Place, path: Path, data: bytes) -> Done:
    path.mkdir()
    (path / "fact").mkdir()
    (path / "fact" / "one.md").write_bytes(data)
    return place.cortex("import", "markdown", str(path), "--yes", seconds=PATIENCE)


def _claude_md(place: Place, _path: Path, data: bytes) -> Done:
    (place.root / "CLAUDE.md").write_bytes(b"@CLAUDE.md\n@no/such.md\n@/etc/hosts.md\n" + data)
    return place.cortex("import", "claude-md", "--yes", seconds=PATIENCE)


def _claude_memory(place: Place, path: Path, data: bytes) -> Done:
    path.mkdir()
    (path / "MEMORY.md").write_bytes(data)
    (path / "feedback.md").write_bytes(b"---\ntype: feedback\n---\n" + data)
    return place.cortex("import", "claude-memory", str(path), "--yes", seconds=PATIENCE)


def _transcript(place: Place, path: Path, data: bytes) -> Done:
    path = path.with_suffix(".jsonl")
    path.write_bytes(data)
    return place.cortex("import", "transcripts", str(path), seconds=PATIENCE)


def _settings(place: Place, _path: Path, data: bytes) -> Done:
    """List the memories and change a setting with these settings, and start a session."""
    file = place.root / ".memory" / "config.toml"
    place.claim()
    file.write_bytes(data)
    fields = {
        "hook_event_name": "SessionStart",
        "session_id": "s",
        "cwd": str(place.root),
        "source": "startup",
    }
    done = [
        place.cortex("list", seconds=PATIENCE),
        place.cortex("doctor", seconds=PATIENCE),
        place.cortex("config", "set", "surface.tokens", "300", seconds=PATIENCE),
    ]
    hook = place.run("cortex_core.hook", data=json.dumps(fields).encode(), seconds=PATIENCE)
    file.unlink()
    place.wait()
    if hook.code or hook.err or (hook.out and not is_envelope("SessionStart", hook.out)):
        return hook._replace(code=-1)
    return next((each for each in done if each.crashed), done[0])


_READERS: Mapping[str, Reader] = {
    "JSONL": _jsonl,
    "notes": _notes,
    "vault": _vault,
    "CLAUDE.md": _claude_md,
    "Claude's memory": _claude_memory,
    "transcript": _transcript,
}


# --- damages of any text


def damaged(sample: bytes, scale: Scale) -> Iterator[tuple[str, bytes]]:
    """Each damage of `sample` with its name, then random ones."""
    middle = len(sample) // 2
    face = sample.find("😀".encode())
    yield from {
        "nothing wrong": sample,
        "empty": b"",
        "blank": b" \n\n\t\n",
        "NUL": b"\0" * 5000,
        "cut": sample[:middle],
        "begun in the middle": sample[middle:],
        "a character cut": sample[: face + 2] if face >= 0 else sample[:-1],
        "UTF-16": sample.decode().encode("utf-16"),
        "a BOM": b"\xef\xbb\xbf" + sample,
        "CRLF": sample.replace(b"\n", b"\r\n"),
        "CR": sample.replace(b"\n", b"\r"),
        "Latin-1": sample.replace(b"e", b"\xe9"),
        "no newline at the end": sample.rstrip(b"\n"),
        "other separators": sample.replace(b" ", "\u2028".encode(), 3),
        "twice": sample * 2,
        "a page of HTML": b"<html><body>404 not found</body></html>",
        "null": b"null\n",
        "a list": b"[1, 2]\n",
        "a text": b'"text"\n',
        "a number": b"3\n",
        "objects": b"{}{}\n{}\n",
        "binary": random.Random(3).randbytes(9000),
        "a store": b"SQLite format 3\0" + b"\0" * 4096,
        "deep": b"[" * 100_000,
        "deep, closed": b"[" * 3000 + b"]" * 3000,
        "deep assignment": b"a = " + b"[" * 3000 + b"]" * 3000 + b"\n",
        "deep mapping": b'{"content":' * 3000 + b"1" + b"}" * 3000 + b"\n",
        "deep quotes": b">" * 50_000 + b" quoted\n",
        "deep list": _steps("- item"),
        "deep headings": b"#" * 50_000 + b" heading\n",
        "open frontmatter": b"---\nkind: fact\n",
        "deep frontmatter": b"---\n" + _steps("a:") + b"---\ntext\n",
        "aliases in frontmatter": b"---\na: &a [x, *a]\nb: !!python/object:os.system x\n---\nt\n",
        "huge line": b"word " * 4_000_000,
        "many lines": b"- x\n" * 100_000,
        "huge number": sample.replace(b"1", b"1" * 5000, 2),
        "another type": sample.replace(b'"content"', b'"content": [], "x"').replace(b'"a"', b"{}"),
        "lone surrogate": sample.replace(b"the", b"\\ud800"),
        "control characters": sample.replace(b" ", b"\x1b[2J", 5),
    }.items()
    chance = random.Random(scale.seed)
    for number in range(60):
        yield f"random {number}", _mutated(sample, chance)


def _steps(word: str) -> bytes:
    return "".join(f"{' ' * depth}{word}\n" for depth in range(2000)).encode()


def _mutated(sample: bytes, chance: random.Random) -> bytes:
    """`sample` with one to six pieces changed, moved or lost."""
    data = bytearray(sample)
    for _ in range(chance.randrange(1, 7)):
        at = chance.randrange(len(data)) if data else 0
        end = at + chance.randrange(1, 60)
        match chance.randrange(6):
            case 0:
                del data[at:end]
            case 1:
                data[at:at] = data[at:end] * chance.randrange(1, 4)
            case 2:
                data[at:end] = chance.randbytes(chance.randrange(1, 20))
            case 3 if data:
                data[at] ^= 1 << chance.randrange(8)
            case 4:
                data[at:at] = chance.choice([b"\n", b'"', b"{", b"]", b"---\n", b"\0", b"\xff"])
            case _:
                data[at:end], data[:0] = b"", data[at:end]
    return bytes(data)
