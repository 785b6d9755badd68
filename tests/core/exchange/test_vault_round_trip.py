"""Export, import into an empty project, export: the same files, and the same memories."""

from __future__ import annotations

import difflib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from cortex_core import Cortex
from cortex_core.base.kinds import BUILT_IN
from cortex_core.exchange.markdown import format
from cortex_core.records.memory import EDGE_TYPES

NOW = 1_789_646_400.0
LETTERS = st.sampled_from(list("abcXYZ ÄÖß漢字ñ-_#*[](){}<>:;,.'\"\\/|&!?%@`~$^=+\n\t0123456789🙂"))
WORD = st.sampled_from("redis cache timeout deploy pnpm Äpfel 漢字 naïve CON aux x1".split())
CONTENT = st.builds(
    lambda words, odd: f"{' '.join(words)} {odd} end",
    st.lists(WORD, min_size=3, max_size=8),
    st.text(LETTERS, max_size=60),
)
LINE = st.builds(lambda *two: " ".join(two), WORD, st.text(LETTERS, max_size=20))
PATH = st.builds(
    "/".join,
    st.tuples(
        st.sampled_from(["vault", "graph/notes"]),
        st.sampled_from(["by hand.md", "By Hand.md", "Äpfel.md"]),
    ),
)
"""Names of files that users wrote."""
REASON = st.builds(lambda *two: "\n\n".join(two), WORD, LINE).map(str.strip)
TIMES = st.one_of(
    st.floats(1e9, NOW, allow_nan=False), st.integers(1, 2_000_000_000), st.just(4.1e12)
)
JSON = st.dictionaries(
    WORD,
    st.one_of(LINE, st.integers(), st.lists(LINE, max_size=2), st.none(), st.booleans()),
    max_size=2,
)


@st.composite
def objects(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A few memories of every sort, linked with each other."""
    uuids = st.uuids(version=4).map(str)
    names = draw(
        st.lists(
            st.one_of(uuids, st.from_regex(r"[a-zA-Z]{4,9}", fullmatch=True)),
            min_size=2,
            max_size=6,
            unique_by=str.casefold,
        )
    )
    return [draw(memory(name, names)) for name in names]


@st.composite
def memory(draw: st.DrawFn, name: str, names: list[str]) -> dict[str, Any]:
    kind = draw(st.sampled_from([one.name for one in BUILT_IN] + ["episode", "procedure"]))
    made: dict[str, Any] = {
        "id": name,
        "content": f"{draw(CONTENT)} {name}",
        "kind": kind,
        "scope": draw(st.sampled_from(["project", "global"])),
        "tags": draw(st.lists(LINE, max_size=3)),
        "created": draw(TIMES),
        "updated": draw(TIMES),
        "priority": draw(st.integers(1, 10)),
        "initial_confidence": draw(st.floats(0, 1)),
        "pinned": draw(st.booleans()),
        "origin": draw(JSON),
        "details": draw(JSON),
        "status": draw(st.sampled_from(["active", "archived", "superseded", "suggested"])),
        "inject": draw(st.sampled_from(["normal", "never"])),
        "globs": draw(st.lists(WORD)),
        "context": {"branch": draw(WORD), "files": draw(st.lists(WORD, max_size=2))},
        "access_count": draw(st.integers(0, 9)),
        "session": draw(WORD),
        "author": draw(LINE),
        "excerpt": draw(CONTENT),
        "sources": draw(
            st.lists(
                st.fixed_dictionaries({"rule": WORD, "time": TIMES, "place": st.integers(0, 9)}),
                max_size=2,
            )
        ),
    }
    if draw(st.booleans()):
        made["title"] = draw(LINE)
    if kind == "procedure" and draw(st.booleans()):
        made["details"] |= {"steps": draw(st.lists(LINE, max_size=3)), "successes": 2}
    if kind == "episode":
        made["details"] |= {"outcome": draw(LINE)}
    if kind == "code":
        made["content"] = draw(st.sampled_from(["", "\n", "\n\n  "])) + made["content"] + "\n"
    if draw(st.booleans()):
        made["origin"] = made["origin"] | {"vault_file": draw(PATH)}
    made["edges"] = [
        {
            "source": name,
            "target": other,
            "type": draw(st.sampled_from(EDGE_TYPES)),
            "strength": draw(st.floats(0, 1)),
            "directed": draw(st.booleans()),
            "context": draw(st.one_of(st.just(""), WORD, REASON)),
            "created": draw(TIMES),
        }
        for other in draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
        if other != name
    ]
    if said := {
        f"{name} {edge['type']} {edge['target']}": {
            "id": draw(st.uuids(version=4).map(str)),
            "updated": "2025-01-01T00:00:00+00:00",
            "context": draw(st.sampled_from(["", "its own reason"])),
        }
        for edge in made["edges"]
        if (edge["type"] != "relates_to" or edge["directed"])
        and edge["context"]
        and draw(st.booleans())
    }:
        made["origin"] = made["origin"] | {"relations": said}
    return made


def opened(folder: Path, name: str) -> Cortex:
    (folder / name).mkdir()
    return Cortex.open(folder / name, folder / f"{name}-home", clock=lambda: NOW)


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def assert_same(first: dict[str, bytes], second: dict[str, bytes]) -> None:
    assert first.keys() == second.keys()
    for path, content in sorted(first.items(), key=lambda pair: pair[0].startswith("_")):
        before, after = (_lines(path, each) for each in (content, second[path]))
        told = "\n".join(difflib.unified_diff(before, after, n=1, lineterm=""))
        assert not told, f"{path}\n{told}"


def _lines(path: str, content: bytes) -> list[str]:
    """The lines of a file, without what tells one store from another."""
    if path == format.INDEX:
        index = json.loads(content)
        assert index.pop("stores")
        content = json.dumps(index, indent=1).encode()
    return content.decode().split("\n")


def everything(cortex: Cortex) -> dict[str, Any]:
    """Every memory with its links, times to the microsecond and lists of links in order."""
    out = io.StringIO()
    cortex.exchange.export_jsonl(out)
    found = {}
    for line in out.getvalue().splitlines():
        one = json.loads(line)
        for part in (one, *one["sources"], *one["edges"]):
            for name in ("created", "updated", "reinforced", "time"):
                if part.get(name) is not None:
                    part[name] = format.stamp(part[name])
        one["edges"].sort(key=lambda edge: (edge["target"], edge["type"]))
        found[one["id"]] = one
    return found


@given(objects())
@settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.too_slow],
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_nothing_is_lost(listed: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        first, second = opened(folder, "one"), opened(folder, "two")
        taken = first.exchange.import_jsonl(json.dumps(one) for one in listed)
        assert taken.problems == ()
        first.exchange.export_markdown(folder / "vault")
        written = files(folder / "vault")
        assert all(len(path) < 150 for path in written)
        assert len({path.casefold() for path in written}) == len(written)
        told = second.exchange.import_markdown(folder / "vault")
        assert told.problems == () and told.stored + told.quarantined == len(listed)
        second.exchange.export_markdown(folder / "again")
        assert_same(written, files(folder / "again"))
        assert everything(second) == everything(first)
        again = second.exchange.import_markdown(folder / "vault")
        assert (again.stored, again.updated, again.linked) == (0, 0, 0)
        first.close()
        second.close()
