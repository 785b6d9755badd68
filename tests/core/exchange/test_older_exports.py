"""What the first version exported comes in whole, and goes out again in the same bytes."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.base import decay

SAMPLES = Path(__file__).parent / "samples"
WRITTEN = 1_789_646_400.0
"""When the samples were written."""


@pytest.fixture
def cortex(tmp_path: Path) -> Cortex:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    return Cortex.open(tmp_path / "shop", tmp_path / "home", clock=lambda: WRITTEN)


def exported(cortex: Cortex, known: set[str]) -> list[str]:
    """The lines of an export, without the fields that an older version did not know."""
    out = io.StringIO()
    cortex.exchange.export_jsonl(out)
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    kept = [{name: one[name] for name in one if name in known} for one in found]
    return sorted(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in kept)


def test_json_lines_round_trip(cortex: Cortex) -> None:
    lines = (SAMPLES / "memories.jsonl").read_text(encoding="utf-8").splitlines()
    report = cortex.exchange.import_jsonl(lines)
    assert (report.stored + report.quarantined, report.problems) == (len(lines), ())
    assert exported(cortex, set(json.loads(newer(lines[0])))) == sorted(
        newer(line) for line in lines
    )
    assert cortex.exchange.import_jsonl(lines).skipped == len(lines)


def test_a_vault_round_trips(cortex: Cortex, tmp_path: Path) -> None:
    pages: dict[str, str] = json.loads((SAMPLES / "vault.json").read_text(encoding="utf-8"))
    write(tmp_path / "vault", pages)
    report = cortex.exchange.import_markdown(tmp_path / "vault")
    assert report.problems == ()
    cortex.exchange.export_markdown(tmp_path / "again")
    for path, words in with_scores(pages).items():
        again = (tmp_path / "again" / path).read_text(encoding="utf-8")
        assert comparable(path, again) == comparable(path, newer(words)), path
    renamed = sum(newer(words) != words for words in pages.values())
    done = cortex.exchange.export_markdown(tmp_path / "vault")
    assert (done.written, done.removed, done.left) == (renamed, (), ())


def test_a_vault_says_what_the_lines_say(cortex: Cortex, tmp_path: Path) -> None:
    write(tmp_path / "vault", json.loads((SAMPLES / "vault.json").read_text(encoding="utf-8")))
    cortex.exchange.import_markdown(tmp_path / "vault")
    lines = (SAMPLES / "memories.jsonl").read_text(encoding="utf-8").splitlines()
    assert [whole(line) for line in exported(cortex, set(json.loads(newer(lines[0]))))] == [
        whole(newer(line)) for line in sorted(lines)
    ]


def whole(line: str) -> dict[str, Any]:
    """The object in a line, its links in the order of what they lead to."""
    found: dict[str, Any] = json.loads(line)
    found["edges"].sort(key=lambda edge: (edge["target"], edge["type"]))
    return found


def write(folder: Path, pages: dict[str, str]) -> None:
    for path, words in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(words, encoding="utf-8")


def with_scores(pages: dict[str, str]) -> dict[str, str]:
    """The pages, with the score that a pinned memory has now, and the names of the scores."""
    entries = json.loads(pages["_index.json"])["entries"]
    state = json.loads(pages["_state.json"])
    for id, entry in state["entries"].items():
        if entries[id]["path"].startswith("vault/"):
            entry["decay_score"] = 999.0
        entry["band"] = decay.band(entry["decay_score"])
    return pages | {"_state.json": json.dumps(state, ensure_ascii=False, indent=1) + "\n"}


def newer(words: str) -> str:
    """What an export says, with the injection policy under the name that it has now."""
    return re.sub(
        r'^giving: |"giving":',
        lambda old: old[0].replace("giving", "inject"),
        words,
        flags=re.MULTILINE,
    )


def comparable(path: str, words: str) -> object:
    """A page as it is; of the index what does not tell one store from another."""
    if path != "_index.json":
        return words
    index = json.loads(words)
    assert index.pop("stores") and index.pop("pages")
    return list(index.items())
