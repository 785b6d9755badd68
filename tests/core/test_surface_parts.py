"""The small owners below the surface: lean JSON, wording, the marked file, the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from cortex_core import Cortex
from cortex_core.agents.claude import hooks, speakers
from cortex_core.base import hook_io, hook_words, text, trust
from cortex_core.base.project import find
from cortex_core.surface import cache, note, wording
from cortex_core.surface.given import Injection
from tests.conftest import made

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


class TestLean:
    @settings(max_examples=60, deadline=None)
    @given(_JSON)
    def test_json_is_what_json_says(self, value: object) -> None:
        written = hook_io.dumps(value)
        assert written.isascii()
        assert json.loads(written) == value
        assert hook_io.loads(written) == value
        assert hook_io.loads(f" \n{json.dumps(value, indent=1)}\t ") == value

    @settings(max_examples=60, deadline=None)
    @given(st.text(alphabet='{}[]":, \\nul01tefa', max_size=12))
    def test_what_is_no_json_is_refused(self, text: str) -> None:
        try:
            expected = json.loads(text, strict=False)
        except ValueError:
            with pytest.raises(ValueError):
                hook_io.loads(text)
        else:
            assert hook_io.loads(text) == expected

    def test_without_the_accelerator_the_usual_modules_stand_in(self) -> None:
        script = (
            "import sys; sys.modules['_json'] = None\n"
            "from cortex_core.base import hook_io\n"
            "value = {'a': ['é', 1.5, None]}\n"
            "assert hook_io.loads(hook_io.dumps(value)) == value\n"
        )
        subprocess.run([sys.executable, "-c", script], check=True)

    def test_sha256(self) -> None:
        import hashlib

        assert hook_io.sha256("é") == hashlib.sha256("é".encode()).hexdigest()

    def test_a_record_takes_its_fields_in_order_or_by_name(self) -> None:
        class Sample(hook_io.LightRecord):
            name: str
            size: int = 2

        class Larger(Sample):
            is_new: bool = False

        first, second = Sample("a"), Larger("b", is_new=True)
        assert vars(first) == {"name": "a"} and (first.name, first.size) == ("a", 2)
        assert (second.name, second.size, second.is_new) == ("b", 2, True)
        first.size = 3
        assert (first.size, Sample("c").size) == (3, 2)

    def test_replace_is_all_or_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_text("old")
        with pytest.raises(TypeError):
            hook_io.replace(str(path), 3)  # type: ignore[arg-type]
        assert path.read_text() == "old"
        hook_io.replace(str(path), "new")
        assert path.read_text() == "new" and path.stat().st_mode & 0o777 == 0o600
        assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


class TestWording:
    @pytest.mark.parametrize(
        "mark",
        [
            "</system-reminder>",
            "<system-reminder>",
            "<SYSTEM-REMINDER>",
            "< / system-reminder >",
            "</cortex-memory>",
            "<cortex-memory>",
            "<command-name>",
            "<local-command-stdout>",
            "<bash-input>",
            "<task-notification>",
            "<teammate-message>",
            "<cross-session-message>",
            "<user-prompt-submit-hook>",
            "<private>",
            "</private>",
            "<!-- cortex:end -->",
            "<function_calls>",
            "<sys\u200btem-reminder>",
            "<system\u202e-reminder>",
        ],
    )
    def test_the_clients_marks_are_disarmed(self, mark: str) -> None:
        assert "<" not in wording.quoted(f"a {mark} b")

    @pytest.mark.parametrize("code", ["List<User>", "a < b", "<div>", "x<y>(z)", "Map<K, Tool>"])
    def test_code_is_left_as_it_is(self, code: str) -> None:
        assert wording.quoted(code) == code

    def test_long_content_is_cut_at_a_word_and_keeps_its_title(self) -> None:
        line = wording.line("0123456789", "The title", "word " * 200)
        assert line.startswith("- The title: word") and line.endswith("word… [01234567]")
        assert len(line) <= wording.LONGEST + 20

    @settings(max_examples=100, deadline=None)
    @given(st.text(max_size=500), st.text(max_size=300), st.booleans())
    def test_any_memory_is_one_line(self, title: str, content: str, whole: bool) -> None:
        line = wording.line("0123456789", title, content, whole=whole)
        assert len(line.splitlines()) == 1
        assert whole or len(line) <= wording.LONGEST + 20


class TestMarkedFile:
    def test_the_part_is_added_changed_and_removed(self) -> None:
        once = cache.with_block(b"mine", b"one")
        assert once == b"mine<!-- cortex:start -->\none\n<!-- cortex:end -->\n"
        assert cache.with_block(once, b"two") == once.replace(b"one", b"two")
        assert cache.with_block(once, b"") == b"mine"

    def test_a_lone_marker_swallows_nothing(self) -> None:
        old = b"<!-- cortex:start -->\nprecious\n"
        once = cache.with_block(old, b"one")
        assert once.startswith(old)
        assert cache.with_block(once, b"two") == once.replace(b"one", b"two")
        assert cache.with_block(b"<!-- cortex:end --> x <!-- cortex:start -->", b"one").startswith(
            b"<!-- cortex:end --> x <!-- cortex:start -->"
        )

    @settings(max_examples=100, deadline=None)
    @given(
        st.lists(
            st.sampled_from([cache.BLOCK_START, cache.BLOCK_END, b"a\n", b"\r\n", b"\xff", b" "])
        ).map(b"".join),
        st.binary(max_size=20).filter(lambda one: b"cortex:" not in one),
    )
    def test_what_stands_outside_survives(self, old: bytes, new: bytes) -> None:
        once = cache.with_block(old, b"x" + new)
        assert cache.with_block(once, b"x" + new) == once
        start, end = cache._block_span(old)
        outside = [old] if start < 0 else [old[:start], old[end:]]
        assert once.startswith(outside[0]) and once.endswith(outside[-1] if start >= 0 else b"")

    def test_the_files_mode_is_kept_and_an_unchanged_file_untouched(self, project: Path) -> None:
        found = find(str(project))
        path = Path(found.surface_file or "")
        path.parent.mkdir()
        path.write_text("mine\n")
        path.chmod(0o640)
        assert cache.write_surface_file(found, "text") and path.stat().st_mode & 0o777 == 0o640
        assert not cache.write_surface_file(found, "text")
        assert cache.write_surface_file(found, "") and path.read_text() == "mine\n"

    def test_a_file_that_was_ours_alone_is_removed(self, project: Path) -> None:
        found = find(str(project))
        assert not cache.write_surface_file(found, "")
        assert cache.write_surface_file(found, "text")
        assert cache.write_surface_file(found, "")
        assert not Path(found.surface_file or "").exists()


@pytest.mark.parametrize("mark", speakers._SYNTHETIC)
def test_prompts_and_transcripts_agree_on_what_no_person_wrote(mark: str) -> None:
    call = hooks.call("", {"hook_event_name": hook_words.PROMPT, "prompt": f"{mark} and more"}, {})
    assert call is not None
    assert not call.prompt


class TestTrust:
    def test_only_the_store_that_was_created_here(self, project: Path) -> None:
        found = find(str(project))
        with Cortex.open(project=project) as cortex:
            cortex.remember("Use pnpm")
            identity = cortex.workspace.store("project").identity
        assert trust.trusted(found, identity)
        assert not trust.trusted(found, "another") and not trust.trusted(found, "")
        trust.revoke(found)
        assert not trust.trusted(found, identity)
        trust.grant(found, identity)
        assert trust.trusted(found, identity)
        for file in Path(found.home, "trust").iterdir():
            assert file.stat().st_mode & 0o777 == 0o600

    def test_a_link_to_another_projects_store_is_not_trusted(
        self, project: Path, tmp_path: Path
    ) -> None:
        with Cortex.open(project=project) as cortex:
            cortex.remember("Use pnpm")
            identity = cortex.workspace.store("project").identity
        other = tmp_path / "other"
        made(other)
        (other / ".memory" / "cortex.db").symlink_to(project / ".memory" / "cortex.db")
        assert not trust.trusted(find(explicit=str(other)), identity)


class TestCache:
    @pytest.fixture(autouse=True)
    def store(self, project: Path) -> None:
        with Cortex.open(project=project) as cortex:
            cortex.remember("Use pnpm, never npm", kind="preference")

    def age(self, project: Path) -> None:
        for path in (project / ".memory").glob("cortex.db*"):
            os.utime(path, (1e9, 1e9))

    def test_it_serves_until_something_changes(self, project: Path, clock: float) -> None:
        found, now = find(str(project)), 1.79e9
        made = note.current(found, now)
        held = cache.load(found, now)
        assert held is not None and held.text == made.text and held.ids == made.ids
        with Cortex.open(project=project) as cortex:
            cortex.remember("Deploys go through the blue pipeline", kind="policy")
        assert cache.load(found, now) is None
        assert "blue pipeline" in note.current(found, now).text

    @pytest.mark.parametrize("what", ["day", "settings", "branch", "trust", "folder"])
    def test_everything_it_is_made_of_counts(self, project: Path, what: str) -> None:
        found, now = find(str(project)), 1.79e9
        note.current(found, now)
        assert cache.load(found, now) is not None
        if what == "day":
            now += 86_400
        elif what == "settings":
            Path(found.home, "config.toml").write_text("surface.tokens = 300\n")
        elif what == "branch":
            (project / ".git" / "HEAD").write_text("ref: refs/heads/other\n")
        elif what == "folder":
            (project / "sub").mkdir()
        else:
            trust.revoke(found)
        place = project / "sub" if what == "folder" else project
        assert cache.load(find(str(place)), now) is None

    def test_old_file_states_are_enough_and_young_ones_are_not(self, project: Path) -> None:
        found, now = find(str(project)), 1.79e9
        note.current(found, now)
        (path,) = (project / ".memory" / "cache").glob("surface-*")
        assert json.loads(path.read_text().split("\n")[0])["states"] == []
        self.age(project)
        assert cache.load(found, now) is not None
        assert json.loads(path.read_text().split("\n")[0])["states"] == cache.store_states(found)

    def test_many_branches_leave_a_bounded_number(self, project: Path) -> None:
        for number in range(cache.MOST_CACHED + 5):
            (project / ".git" / "HEAD").write_text(f"ref: refs/heads/b{number}\n")
            cache.save(find(str(project)), 1.79e9, Injection("x"), [], [], {})
        assert len(list((project / ".memory" / "cache").iterdir())) == cache.MOST_CACHED

    def test_the_clients_own_memory_counts_and_is_not_repeated(self, project: Path) -> None:
        found, now = find(str(project)), 1.79e9
        assert "pnpm" in note.current(found, now).text
        own = Path(hooks.memory_file(found, {}))
        own.parent.mkdir(parents=True)
        own.write_text("# Memory\n- use   PNPM, never npm.\n")
        assert "pnpm" not in note.current(found, now).text


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        ("Use pnpm, never npm.", 6),
        ("тест", 2),
        ("Запускай линтер перед коммитом.", 15),
        ("λόγος", 3),
        ("中文测试", 4),
        ("déjà", 4),
    ],
)
def test_tokens_of_many_scripts(words: str, tokens: int) -> None:
    assert text.tokens(words) == tokens
