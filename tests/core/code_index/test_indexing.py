"""Prose-code pairs in a real store: found, kept true, taken back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import ModelFailed, UsageError
from cortex_core.records.memory import Memory

LIMITER = '''"""Limits how often somebody may log in."""


def allow(address: str) -> bool:
    """Whether this address may try once more within the minute."""
    return counters.increment(address) <= 5
'''


@pytest.fixture
def source(project: Path) -> Path:
    path = project / "src" / "limiter.py"
    path.parent.mkdir()
    path.write_text(LIMITER, encoding="utf-8")
    return path


@pytest.fixture
def cortex(project: Path) -> Iterator[Cortex]:
    with Cortex.open(project) as opened:
        yield opened


def only(found: list[Memory]) -> Memory:
    (memory,) = found
    return memory


def descriptions(cortex: Cortex, *statuses: str) -> list[Memory]:
    wanted = statuses or ("active",)
    return cortex.list(kinds=("code_description",), statuses=wanted)  # type: ignore[arg-type]


def test_a_question_finds_the_code(cortex: Cortex, source: Path) -> None:
    report = cortex.code.index([source])
    assert report.files == ("src/limiter.py",)
    cortex.models.embed_pending()
    (hit, *_) = cortex.recall("how often can a person try their password").hits
    assert hit.memory.kind == "code_description"
    assert hit.code is not None
    assert hit.code.content == LIMITER
    assert hit.code.details["lines"] == [1, 6]
    assert hit.code.context.files == ("src/limiter.py",)


def test_code_found_by_its_own_words_comes_with_its_prose(cortex: Cortex, source: Path) -> None:
    cortex.code.index([source])
    (hit,) = cortex.recall("counters.increment", mode="keyword").hits
    assert hit.memory.kind == "code_description"
    assert hit.code is not None
    (raw,) = cortex.recall("counters.increment", mode="keyword", kinds=("code",)).hits
    assert raw.memory.kind == "code"


def test_code_has_no_vector(cortex: Cortex, source: Path) -> None:
    cortex.code.index([source])
    assert cortex.models.embed_pending() == 1
    store = cortex.workspace.store("project")
    embedded = store.rows("SELECT m.kind FROM embedding e JOIN memory m USING (number)")
    assert [row["kind"] for row in embedded] == ["code_description"]


def test_what_has_not_changed_is_left_alone(cortex: Cortex, source: Path) -> None:
    cortex.code.index([source])
    os.utime(source, (1, 1))
    again = cortex.code.index([source])
    assert (again.unchanged, again.indexed) == (1, ())
    assert len(descriptions(cortex)) == 1


@pytest.mark.parametrize("force", [False, True])
def test_a_new_pair_takes_the_old_ones_place(cortex: Cortex, source: Path, force: bool) -> None:
    old = only(list(cortex.code.index([source]).indexed))
    if not force:
        source.write_text(LIMITER.replace("minute", "hour"), encoding="utf-8")
    report = cortex.code.index([source], force=force)
    assert report.replaced == 1
    new = only(descriptions(cortex))
    assert new.id != old.id
    assert [memory.id for memory in descriptions(cortex, "superseded")] == [old.id]
    assert len(cortex.list(kinds=("code",))) == 1
    assert ("supersedes", old.id) in {
        (near.edge.type, near.memory.id) for near in cortex.graph.neighbours(new.id)
    }
    cortex.undo()
    assert only(descriptions(cortex)).id == old.id
    assert len(cortex.list(kinds=("code",))) == 1


def test_stale_pairs_are_flagged_everywhere(cortex: Cortex, source: Path) -> None:
    made = only(list(cortex.code.index([source]).indexed))
    assert "stale" not in cortex.show(made.id).details
    source.write_text(LIMITER + "# more\n", encoding="utf-8")
    assert cortex.show(made.id).details["stale"] == "changed"
    assert cortex.memories.details(made.id).memory.details["stale"] == "changed"
    assert only(descriptions(cortex)).details["stale"] == "changed"
    (hit,) = cortex.recall("log in", mode="keyword").hits
    assert hit.memory.details["stale"] == "changed"
    assert hit.code is not None
    assert hit.code.details["stale"] == "changed"
    source.unlink()
    assert only(cortex.code.stale()).details["stale"] == "gone"
    assert "stale" not in cortex.workspace.store("project").memory(made.id).details, (
        "computed, not stored"
    )


def test_changed_files_are_indexed_again(cortex: Cortex, source: Path) -> None:
    other = source.with_name("other.py")
    other.write_text('"""Something else."""\n', encoding="utf-8")
    cortex.code.index([source.parent])
    source.write_text(LIMITER + "\n\ndef reset():\n    'Forget all counts.'\n", encoding="utf-8")
    other.unlink()
    assert cortex.code.reindex(dry_run=True).files == ("src/limiter.py",)
    report = cortex.code.reindex()
    assert (report.files, len(report.gone)) == (("src/limiter.py",), 1)
    assert "Forget all counts" in only(descriptions(cortex)).content
    assert cortex.code.stale() == []


def test_a_persons_own_words(cortex: Cortex, project: Path) -> None:
    script = project / "deploy.rb"
    script.write_text("puts 'go'\n", encoding="utf-8")
    with pytest.raises(UsageError, match="--prose"):
        cortex.code.index([script])
    report = cortex.code.index([script], prose="Ships the lighthouse to production.", actor="agent")
    made = only(list(report.indexed))
    assert (made.content, made.source.rule) == ("Ships the lighthouse to production.", "agent")
    assert made.title == "deploy.rb: Ships the lighthouse to production."
    assert cortex.code.index([script], prose="Ships the lighthouse to production.").unchanged == 1


def test_a_folder_as_git_sees_it(cortex: Cortex, source: Path, project: Path) -> None:
    (project / ".gitignore").write_text("made/\n", encoding="utf-8")
    (project / "made").mkdir()
    (project / "made" / "a.py").write_text("x = 1\n", encoding="utf-8")
    (project / "notes.txt").write_text("no source\n", encoding="utf-8")
    (project / "empty.py").touch()
    (project / "broken.py").write_text("def (\n", encoding="utf-8")
    report = cortex.code.index([project])
    assert report.files == ("src/limiter.py",)
    assert len(report.problems) == 1
    assert "broken.py" in report.problems[0]


def test_ignored_folders_are_left_out(cortex: Cortex, source: Path, project: Path) -> None:
    cortex.settings.set("capture.ignore", [str(source.parent)])
    assert cortex.code.index([project]).files == ()


def test_links_do_not_lead_out_of_a_folder(cortex: Cortex, source: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("x = 1\n", encoding="utf-8")
    (source.parent / "link.py").symlink_to(outside)
    assert cortex.code.index([source.parent]).files == ("src/limiter.py",)


def test_secrets_in_code_stay_out(cortex: Cortex, source: Path, project: Path) -> None:
    key = "AKIA" + "QZ3V7L2M9XK4T8WB"
    source.write_text(f'{LIMITER}\nKEY = "{key}"\n"""The key {key}."""\n', encoding="utf-8")
    cortex.code.index([source])
    for memory in cortex.list():
        assert key not in memory.content
        assert "[redacted: " in memory.content
    cortex.close()
    data = b"".join(path.read_bytes() for path in (project / ".memory").glob("cortex.db*"))
    assert key.encode() not in data


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\0\1", "not a text file"),
        (b"", "empty"),
        (b"x=1;" * 3000, "is generated"),
        (b"#\n" * 300_000, "kB"),
    ],
    ids=["binary", "empty", "made", "large"],
)
def test_what_is_no_source_is_refused(cortex: Cortex, source: Path, data: bytes, told: str) -> None:
    source.write_bytes(data)
    with pytest.raises(UsageError, match=told):
        cortex.code.index([source])


def test_a_dry_run_changes_nothing(cortex: Cortex, source: Path) -> None:
    assert cortex.code.index([source], dry_run=True).files == ("src/limiter.py",)
    assert cortex.list() == []


class Told:
    """A language model that answers, or does not."""

    rule = "model:made-up@1"

    def __init__(self, answer: str | ModelFailed) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def describe_code(self, source: str, path: str) -> str:
        self.asked.append(path)
        if isinstance(self.answer, ModelFailed):
            raise self.answer
        return self.answer


def test_a_chosen_model_describes_named_files_alone(
    cortex: Cortex, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Told("Keeps strangers from guessing passwords.")
    monkeypatch.setattr(cortex.llm, "model", lambda: model)
    made = only(list(cortex.code.index([source]).indexed))
    assert (made.content, made.source.rule) == (model.answer, model.rule)
    cortex.code.index([source.parent], force=True)
    assert model.asked == ["src/limiter.py"]


def test_a_model_that_fails_is_stood_in_for(
    cortex: Cortex, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Told(ModelFailed("it is asleep", cause="unusable"))
    monkeypatch.setattr(cortex.llm, "model", lambda: failing)
    report = cortex.code.index([source])
    assert "Limits how often" in only(list(report.indexed)).content
    assert "asleep" in report.problems[0]


def test_descriptions_alike_are_no_duplicates(cortex: Cortex, source: Path) -> None:
    for number in range(3):
        twin = source.with_name(f"limiter_{number}.py")
        twin.write_text(LIMITER, encoding="utf-8")
    assert len(cortex.code.index([source.parent]).indexed) == 4
    cortex.models.embed_pending()
    assert cortex.consolidate(threshold=0.3).proposed == ()
    assert (
        cortex.remember("Whether this address may try once more within the minute.").kind == "fact"
    )
    assert cortex.review.list() == []
