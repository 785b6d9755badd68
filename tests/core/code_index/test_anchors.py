"""What memories name of their project is followed, missed and contradicted as the files change."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex, worker_run
from cortex_core.base.errors import StoreError, UsageError
from cortex_core.code_index import anchors, tree
from cortex_core.records.memory import Memory
from cortex_core.records.project_code import Anchor
from tests.conftest import NOON, Clock

FILES = {
    "src/api.py": "def load_routes():\n    return 1\n\n\nclass Router:\n    def resolve(self):\n"
    "        return None\n",
    "src/limits.py": "MOST_RETRIES = 3\n",
    "web/package.json": '{"scripts": {"e2e": "playwright test", "lint": "eslint ."}, '
    '"engines": {"node": "20.x"}}',
    "Makefile": "check: lint\n\truff check .\n",
    ".nvmrc": "20\n",
    ".env.example": "PORT=8080\nBEACON_URL=http://localhost\n",
    "pyproject.toml": '[project]\nrequires-python = ">=3.11"\ndependencies = ["textual>=0.80"]\n',
}


DAY = 86_400


def git(folder: Path, *words: str, at: float = NOON) -> None:
    named = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    subprocess.run(
        ["git", "-C", folder, *named, *words],
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_COMMITTER_DATE": f"{at:.0f} +0000"},
    )


def commit(folder: Path, at: float = NOON) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Change it", at=at)


@pytest.fixture(scope="module")
def sources(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with these files, to be copied and never changed."""
    root = Path(shutil.copytree(repository, tmp_path_factory.mktemp("sources") / "project"))
    for name, words in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words)
    (root / ".gitignore").write_text(".memory/\n")
    commit(root, NOON - 10 * DAY)
    return root


@pytest.fixture
def files(sources: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sources, tmp_path / "project"))


@pytest.fixture
def cortex(files: Path, clock: Clock) -> Iterator[Cortex]:
    with Cortex.open(files, clock=clock) as opened:
        yield opened


def found(cortex: Cortex, memory: Memory) -> dict[str, Anchor]:
    (listed,) = cortex.code.anchors.list(memory.id)
    return {anchor.name: anchor for anchor in listed.anchors}


def outdated(cortex: Cortex, memory: Memory) -> str:
    return cortex.show(memory.id).outdated


@pytest.mark.parametrize(
    ("words", "name", "kind", "path"),
    [
        ("Routes are read in src/api.py first.", "src/api.py", "file", "src/api.py"),
        ("Routes are read in api.py first.", "api.py", "file", "src/api.py"),
        ("Everything of the site is below `web/`.", "web/", "", ""),
        ("`load_routes()` is slow on purpose.", "load_routes()", "symbol", "src/api.py"),
        ("`Router.resolve` never raises.", "Router.resolve", "symbol", "src/api.py"),
        ("Try it MOST_RETRIES times.", "MOST_RETRIES", "symbol", "src/limits.py"),
        ("We retry: `MOST_RETRIES = 3`.", "MOST_RETRIES = 3", "setting", "src/limits.py"),
        ("Run `npm run e2e` before a push.", "npm run e2e", "command", "web/package.json"),
        ("Run make check before a push.", "make check", "command", "Makefile"),
        ("CI uses Node 20 for the site.", "Node 20", "version", ".nvmrc"),
        ("Supports Python 3.11 and up.", "Python 3.11", "version", "pyproject.toml"),
        ("The app needs textual 0.80 for that.", "textual 0.80", "version", "pyproject.toml"),
        ("The API listens on PORT=8080.", "PORT=8080", "setting", ".env.example"),
        ("Set BEACON_URL before a deploy.", "BEACON_URL", "setting", ".env.example"),
        ("Node 18 was too old for us.", "Node 18", "", ""),
        ("We dropped src/old.py and fetch_all() once.", "src/old.py", "", ""),
        ("Run `npm install` and `npm run dev`.", "npm run dev", "", ""),
    ],
)
def test_a_name_counts_where_the_project_has_it(
    words: str, name: str, kind: str, path: str, sources: Path
) -> None:
    named = anchors.mentions("", words)
    wanted = anchors.wanted((each.kind, each.key) for each in named)
    made = anchors.anchors("m", named, tree.read(str(sources), *wanted))
    matching = [(one.kind, one.path) for one in made if one.name == name]
    assert matching[:1] == ([(kind, path)] if kind else [])


def test_what_is_renamed_is_followed_and_what_is_gone_is_not_injected(
    cortex: Cortex, files: Path, clock: Clock
) -> None:
    kept = cortex.remember("Routes are always read in src/api.py first.", kind="policy")
    lost = cortex.remember("Never raise what src/limits.py says.", kind="policy")
    assert cortex.code.anchors.check(force=False).looked_at == 2
    assert lost.content in cortex.surface().text
    assert lost.content in cortex.surface(prompt="May I raise what the limits say?").text
    (files / "lib").mkdir()
    (files / "src/api.py").rename(files / "lib/routes.py")
    (files / "src/limits.py").unlink()
    commit(files)
    report = cortex.code.anchors.check(force=False)
    assert [memory.id for memory in report.outdated] == [lost.id]
    assert found(cortex, kept)["src/api.py"].now == "lib/routes.py"
    assert found(cortex, lost)["src/limits.py"].state == "gone"
    surface = cortex.surface()
    assert kept.content in surface.text and lost.content not in surface.text
    assert lost.content not in cortex.surface(prompt="May I raise what the limits say?").text
    (left_out,) = (line for line in surface.missed if line.id == lost.id)
    assert "it names src/limits.py, which is gone" in left_out.why
    (outlook,) = cortex.sessions.outlooks([lost.id])
    assert outlook.words.startswith("no: it names src/limits.py, which is gone")
    assert [hit.memory.outdated for hit in cortex.recall("raise limits", mode="keyword")] == [
        "names src/limits.py, which is gone"
    ]
    cortex.pin(lost.id)
    assert f"{lost.content} (names src/limits.py, which is gone) [" in cortex.surface().text


def test_what_moves_is_followed_before_it_is_committed(cortex: Cortex, files: Path) -> None:
    (files / "web/limits.py").write_text("MOST_PAGES = 9\n")
    commit(files)
    moved = cortex.remember("Routes are read in src/api.py first.")
    gone = cortex.remember("Never raise what src/limits.py says.")
    cortex.code.anchors.check()
    (files / "src/api.py").rename(files / "web/api.py")
    (files / "src/limits.py").unlink()
    worker_run.maintain(cortex)
    assert found(cortex, moved)["src/api.py"].now == "web/api.py"
    assert found(cortex, gone)["src/limits.py"].state == "gone", "the other was there before"


def test_what_comes_back_is_injected_again(cortex: Cortex, files: Path) -> None:
    memory = cortex.remember("`load_routes()` is slow on purpose.", kind="gotcha")
    cortex.code.anchors.check()
    code = (files / "src/api.py").read_text()
    (files / "src/api.py").write_text(code.replace("load_routes", "read_routes"))
    cortex.code.anchors.check()
    assert outdated(cortex, memory) == "names load_routes(), which is gone"
    (files / "src/other.py").write_text("def load_routes():\n    return 2\n")
    cortex.code.anchors.check()
    assert found(cortex, memory)["load_routes()"].now == "src/other.py:1"
    assert outdated(cortex, memory) == ""


def test_what_is_moved_to_the_global_store_is_compared_with_no_project(
    cortex: Cortex, files: Path
) -> None:
    memory = cortex.remember("Never raise what src/limits.py says.")
    cortex.code.anchors.check()
    (files / "src/limits.py").unlink()
    cortex.code.anchors.check()
    cortex.move(memory.id, "global")
    cortex.code.anchors.check()
    assert outdated(cortex, memory) == ""


def test_nothing_is_read_again_while_nothing_changes(cortex: Cortex, files: Path) -> None:
    cortex.remember("Routes are read in src/api.py first.")
    cortex.code.anchors.check()
    assert cortex.code.anchors.check(force=False).checked == 0
    (files / "src/new.py").write_text("x = 1\n")
    assert cortex.code.anchors.check(force=False).checked == 1


@pytest.mark.parametrize(
    ("words", "file", "old", "new", "said", "proposed"),
    [
        (
            "CI uses Node 20 for the site.",
            ".nvmrc web/package.json",
            "20",
            "22",
            "says Node 20, now 22",
            "CI uses Node 22 for the site.",
        ),
        (
            "The API listens on PORT=8080.",
            ".env.example",
            "8080",
            "9090",
            "says PORT=8080, now 9090",
            "The API listens on PORT=9090.",
        ),
        (
            "Run `npm run e2e` before a push.",
            "web/package.json",
            '"e2e"',
            '"e2e:all"',
            "says npm run e2e, now e2e:all",
            "Run `npm run e2e:all` before a push.",
        ),
    ],
)
def test_another_value_becomes_a_proposal(
    words: str,
    file: str,
    old: str,
    new: str,
    said: str,
    proposed: str,
    cortex: Cortex,
    files: Path,
) -> None:
    memory = cortex.remember(words)
    cortex.code.anchors.check()
    for name in file.split():
        text = (files / name).read_text()
        (files / name).write_text(text.replace(old, new))
    cortex.code.anchors.check()
    assert outdated(cortex, memory) == said
    (review,) = cortex.review.list()
    assert review.proposal.type == "supersede"
    assert {one.content for one in review.members} == {words, proposed}
    assert file.split()[0].rpartition("/")[2] in review.proposal.reasons[0]
    newer = cortex.review.supersede(review.proposal.number)
    assert (newer.content, newer.status) == (proposed, "active")
    assert cortex.show(memory.id).status == "superseded"


def test_a_check_that_ends_early_says_what_it_kept(cortex: Cortex, files: Path) -> None:
    memory = cortex.remember("The routes are read in src/api.py")
    cortex.code.anchors.check()
    (files / "src/api.py").unlink()
    store = cortex.workspace.store("project")
    with store.write():
        store.execute(
            "CREATE TRIGGER stop BEFORE UPDATE OF outdated ON memory "
            "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    with pytest.raises(StoreError, match=r"the disk is full\. What was found before that is kept"):
        cortex.code.anchors.check()
    with store.write():
        store.execute("DROP TRIGGER stop")
    cortex.code.anchors.check()
    assert outdated(cortex, memory)


def test_a_file_of_another_branch_is_not_gone(cortex: Cortex, files: Path) -> None:
    git(files, "checkout", "-qb", "feature")
    (files / "src/beacon.py").write_text("def light():\n    return 1\n")
    commit(files)
    memory = cortex.remember("The lamp is lit in src/beacon.py alone.")
    cortex.code.anchors.check()
    git(files, "checkout", "-q", "-")
    cortex.code.anchors.check()
    assert found(cortex, memory)["src/beacon.py"].state == "fresh"
    git(files, "merge", "-q", "--ff-only", "feature")
    (files / "src/beacon.py").unlink()
    commit(files)
    cortex.code.anchors.check()
    assert outdated(cortex, memory) == "names src/beacon.py, which is gone"


def test_a_memory_of_the_past_names_what_was_there_then(
    cortex: Cortex, files: Path, clock: Clock
) -> None:
    before = cortex.remember("Never raise what src/limits.py says.")
    (files / "src/limits.py").unlink()
    commit(files, clock.advance(days=1))
    clock.advance(days=1)
    after = cortex.remember("We miss src/limits.py, which had the limits.")
    cortex.code.anchors.check()
    assert outdated(cortex, before) == "names src/limits.py, which is gone"
    assert found(cortex, after) == {}


def test_the_user_confirms_or_edits_what_holds_all_the_same(cortex: Cortex, files: Path) -> None:
    one = cortex.remember("Never raise what src/limits.py says.")
    other = cortex.remember("The limits of src/limits.py are an agreement.")
    cortex.code.anchors.check()
    with pytest.raises(UsageError, match="not out of date"):
        cortex.code.anchors.confirm(one.id)
    (files / "src/limits.py").unlink()
    cortex.code.anchors.check()
    cortex.code.anchors.confirm(one.id)
    cortex.edit(other.id, content="The limits are an agreement.")
    cortex.code.anchors.check()
    assert outdated(cortex, one) == outdated(cortex, other) == ""
    assert found(cortex, one)["src/limits.py"].state == "confirmed"
    confirmed = next(change for change in cortex.log() if change.verb == "confirm")
    cortex.undo(number=confirmed.number, scope="project")
    cortex.code.anchors.check()
    assert found(cortex, one)["src/limits.py"].state == "gone"
    assert outdated(cortex, one) == "names src/limits.py, which is gone"


def test_no_link_leads_out_of_the_project_and_no_secret_is_kept(
    cortex: Cortex, files: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside.py").write_text("def outside_name():\n    return 1\n")
    (files / "src/linked.py").symlink_to(tmp_path / "outside.py")
    secret = "ghp_" + "a1B2" * 9
    with (files / ".env.example").open("a") as file:
        file.write(f"API_TOKEN={secret}\n")
    linked = cortex.remember("`outside_name()` comes from elsewhere.")
    cortex.remember("Set API_TOKEN before a deploy.")
    cortex.code.anchors.check()
    assert found(cortex, linked) == {}
    assert secret.encode() not in cortex.workspace.store().path.read_bytes()


def test_a_rejected_correction_confirms_and_a_needless_one_goes(
    cortex: Cortex, files: Path
) -> None:
    kept = cortex.remember("The API listens on PORT=8080.")
    back = cortex.remember("We retry three times: `MOST_RETRIES = 3`.")
    cortex.code.anchors.check()
    (files / ".env.example").write_text("PORT=9090\n")
    (files / "src/limits.py").write_text("MOST_RETRIES = 5\n")
    cortex.code.anchors.check()
    by_memory = {each.members[-1].id: each.proposal.number for each in cortex.review.list()}
    cortex.review.reject(by_memory[kept.id])
    (files / "src/limits.py").write_text(FILES["src/limits.py"])
    cortex.code.anchors.check()
    cortex.code.anchors.check()
    assert outdated(cortex, kept) == outdated(cortex, back) == ""
    assert not cortex.review.list() and not cortex.suggestions.list()
