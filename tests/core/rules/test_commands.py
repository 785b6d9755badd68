"""What is counted of shell commands: their general form, their task, and whether they worked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cortex_core.extract.commands import form_of, ran_in, stem_of, task_of
from cortex_core.extract.rules import extract
from cortex_core.records.events import Observation
from tests.core.rules.session import Session

ROOT = "/home/dev/shop"


def forms(line: str, output: str = "", failed: bool = False, cwd: str = ROOT) -> dict[str, object]:
    """The forms of a line's commands, and whether each worked."""
    ran = ran_in(line, cwd, ROOT, output, failed=failed)
    return {form: one.succeeded for one in ran if (form := form_of(one))}


def observed(session: Session, *topics: str) -> list[Observation]:
    return [one for one in session.extracted().observations if one.topic in topics]


# --- forms


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("CGO_ENABLED=0 timeout 60 go test ./... 2>&1", "go test ./..."),
        ("go test ./internal/cart -run TestTotal -v", "go test -v …"),
        ("mix test test/cart_test.exs", "mix test …"),
        ("mix credo --strict", "mix credo --strict"),
        ("pnpm --filter @shop/api test -- --run 'total price'", "pnpm --filter @shop/api test …"),
        ("docker compose -f deploy/stack.yml up -d", "docker compose up -d …"),
        ("python -m pytest -q tests/", "python"),
        ("python3 tools/build.py --all", "python3"),
        ("./gradlew :app:assembleDebug --no-daemon", "./gradlew :app:assembleDebug --no-daemon"),
        ("cargo clippy --all-targets -- -D warnings", "cargo clippy --all-targets -- -D warnings"),
        ("npm run build --workspace=web", "npm run build --workspace=web"),
        ("cd api && npm test", "npm test\tapi"),
        (f"cd {ROOT}/.worktrees/two && npm test", "npm test"),
    ],
)
def test_a_command_in_general_form(line: str, form: str) -> None:
    assert list(forms(line)) == [form]


@pytest.mark.parametrize(
    "line",
    [
        "git push -u origin main",
        "gh pr checks 12",
        "ls -la && cat notes.md | head",
        "$RUNNER test",
        "cd .. && npm test",
        "cd /srv/other && make",
        "/tmp/try.sh",
        "for f in a b; do npm test; done",
        "brew install jq",
        "ssh build make",
        "x " + "--very-long-option " * 9,
    ],
)
def test_what_says_nothing_of_the_project(line: str) -> None:
    assert not forms(line)


def test_a_command_in_a_folder_of_the_session() -> None:
    assert list(forms("npx vitest run", cwd=f"{ROOT}/web")) == ["npx vitest run\tweb"]


# --- tasks


@pytest.mark.parametrize(
    ("form", "task", "stem"),
    [
        ("mise run test:ci", "test", "mise run test:ci"),
        ("go test ./...", "test", "go test"),
        ("npm run type-check", "typecheck", "npm run type-check"),
        ("npm run lint:fix", "lint", "npm run lint:fix"),
        ("mix ecto.migrate", "migrate", "mix ecto.migrate"),
        ("mix credo --strict", "lint", "mix credo"),
        ("pnpm --filter e2e test", "test", "pnpm --filter e2e test"),
        ("pnpm -r test", "test", "pnpm -r test"),
        ("uv run mypy tests", "typecheck", "uv run mypy"),
        ("uv run ruff format .", "format", "uv run ruff format"),
        ("ruff check .", "lint", "ruff check"),
        ("cargo check", "check", "cargo check"),
        ("make", "build", "make"),
        ("make lint", "lint", "make lint"),
        ("tox -e lint", "lint", "tox -e lint"),
        ("./gradlew build", "build", "./gradlew build"),
        ("./gradlew :app:assembleDebug", "build", "./gradlew :app:assembleDebug"),
        ("mvn verify", "check", "mvn verify"),
        ("bundle exec rspec", "test", "bundle exec rspec"),
        ("python3 dev.py check", "check", "python3 dev.py check"),
        ("bash scripts/lint.sh", "lint", "bash scripts/lint.sh"),
        ("python3 -m py_compile …", "", "python3 -m py_compile"),
        ("cargo run", "run", "cargo run"),
        ("go run …", "", "go run"),
        ("bun run seed", "", "bun run seed"),
        ("docker compose up -d", "run", "docker compose up"),
        ("pnpm install --frozen-lockfile", "install", "pnpm install --frozen-lockfile"),
        ("npm install …", "", "npm install"),
        ("terraform plan", "", "terraform plan"),
        ("npm test\tweb", "test", "npm test\tweb"),
    ],
)
def test_the_task_of_a_form(form: str, task: str, stem: str) -> None:
    if form == "ruff check .":
        stem = "ruff"
    assert (task_of(form), stem_of(form)) == (task, stem)


@given(st.text(alphabet="ab :./-@_…\t", max_size=40))
def test_any_form_has_a_stem(form: str) -> None:
    task_of(form)
    stem_of(form)


# --- whether it worked


@pytest.mark.parametrize(
    ("line", "failed", "output", "found"),
    [
        ("make fmt && make lint", False, "", {"make fmt": True, "make lint": True}),
        ("make fmt && make lint", True, "", {"make fmt": None, "make lint": None}),
        ("cd web && npm test", True, "1 failed", {"npm test\tweb": False}),
        ("cd web && npm test", True, "cd: web: No such file or directory", {"npm test\tweb": None}),
        ("make lint; echo done", False, "done", {"make lint": None}),
        ("make lint || true", False, "", {"make lint": None}),
        ("make test | tail -5", False, "12 passed", {"make test": True}),
        ("make test | tail -5", False, "2 failed, 10 passed", {"make test": None}),
        ("make test | grep -c ok", True, "0", {"make test": None}),
        ("npm start &\nsleep 2", False, "", {"npm start": None}),
    ],
)
def test_how_far_a_line_shows_what_came_of_it(
    line: str, failed: bool, output: str, found: dict[str, object]
) -> None:
    assert forms(line, output, failed) == found


def test_commands_are_observed_of_sub_agents_too() -> None:
    session = Session().runs("make test", "ok").runs("make test", "Exit code 2", failed=True)
    session.runs("make lint", "ok")
    session.events[-2:] = [replace(event, sidechain=True) for event in session.events[-2:]]
    found = [(one.key, one.text, one.succeeded) for one in observed(session, "command")]
    assert found == [
        ("make test", "`make test`", True),
        ("make test", "`make test`", False),
        ("make lint", "`make lint`", True),
    ]


def test_a_refused_call_says_nothing_and_a_server_in_the_background_runs() -> None:
    session = Session()
    session.runs("make test", "The user doesn't want to proceed with this tool use.", failed=True)
    session.uses("Bash", {"command": "npm run dev", "run_in_background": True}, "Command running")
    session.uses("Bash", {"command": "make test", "run_in_background": True}, "Command running")
    assert [one.key for one in observed(session, "command")] == ["npm run dev"]


# --- what is missing


@pytest.mark.parametrize(
    ("line", "output", "name"),
    [
        ("docker compose up", "(eval):1: command not found: docker", "docker"),
        ("python tools/seed.py", "bash: line 1: python: command not found", "python"),
        ("go vet ./...", "sh: 1: go: not found", "go"),
        ("timeout 5 make", "zsh: command not found: timeout", "timeout"),
    ],
)
def test_a_program_that_is_not_found(line: str, output: str, name: str) -> None:
    session = Session().runs(line, f"Exit code 127\n{output}", failed=True).runs("ls", "ok")
    assert observed(session, "failure")[-1].text == f"`{name}` is not found on this machine"


def test_a_failing_test_is_no_missing_program_nor_are_words_of_other_output() -> None:
    session = Session().runs("npm test", "Exit code 1\nexpected 3: not found", failed=True)
    session.runs("npm test", "price: command not found", failed=True).runs("bun test", "ok")
    assert not observed(session, "failure")


def test_what_is_there_after_all_is_not_missing() -> None:
    session = Session().runs("just lint", "bash: just: command not found", failed=True)
    session.runs("just lint", "ok")
    assert [one.text for one in observed(session, "failure")][-1] == ""


# --- parts


@given(st.integers(min_value=0, max_value=12))
def test_reading_in_parts_observes_the_same(cut: int) -> None:
    session = Session().runs("just lint", "bash: just: command not found", failed=True)
    session.runs("DB_HOST=10.1.2.3 bun run test", "ok").runs("just lint", "ok")
    whole = extract(session.events, final=True).observations
    first = extract(session.events[:cut], final=False)
    second = extract(session.events[cut:], first.carry, final=True)
    assert first.observations + second.observations == whole
