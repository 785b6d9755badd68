"""What a language model is shown of a session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from cortex_core.agents.transcripts import reader_of
from cortex_core.extract import telling
from cortex_core.llm import digest
from cortex_core.llm.digest import DigestLine
from cortex_core.records.events import Event
from cortex_core.redaction.redacted_events import redacted
from tests.transcript_samples import Sample

DENIED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was"
    " a file edit, the new_string was NOT written to the file). To tell you how to proceed, the"
    " user said:\n"
)


@pytest.fixture
def sample() -> Sample:
    return Sample(cwd="/home/dev/bakery")


def shown(sample: Sample, tmp_path: Path, ignored: Sequence[str] = ()) -> list[DigestLine]:
    path = sample.write(tmp_path)
    with reader_of(path).read(path) as reader:
        return digest.lines(redacted(reader, ()), ignored)


def told(sample: Sample, tmp_path: Path) -> list[str]:
    """The messages as `speaker: text`."""
    return [f"{line.speaker}: {line.text}" for line in shown(sample, tmp_path)]


def ran(sample: Sample, command: str, output: str = "", *, failed: bool = False) -> Sample:
    return sample.tool("Bash", {"command": command}, output, failed)


def turns(count: int, words: int = 600) -> list[Event]:
    """A session of prompts and replies of `words` words, each beginning with its place."""
    return [
        Event(role="human" if n % 5 == 0 else "assistant", text=f"{n} " + "word " * words, offset=n)
        for n in range(count)
    ]


def test_messages_are_numbered_through_the_session() -> None:
    said = digest.lines(turns(60))
    chunks = digest.chunks(said)
    assert len(chunks) > 1
    assert [line.number for chunk in chunks for line in chunk.lines] == list(range(1, 61))
    assert f"[{chunks[1].lines[0].number} user]" in chunks[1].text


def test_what_the_closing_pass_is_shown(sample: Sample, tmp_path: Path) -> None:
    said = digest.lines(turns(60))
    prompts = digest.prompts(said)
    assert len(prompts) == 12 and prompts[1].startswith("[6] 5 word")
    assert all(len(prompt) < 220 for prompt in prompts)
    last = digest.ending(said, 6_000)
    assert len(last) == 12 and last[-1].startswith("[60 assistant] 59 word")
    assert len("".join(last)) < 6_500
    assert digest.ending([], 6_000) == digest.prompts([]) == digest.commits([]) == []


PROOFS = (
    ("npm test", " ✓ src/till.test.ts (3)\n Tests  214 passed (214)\n Duration 2s", "214 passed"),
    ("cd shop && uv run pytest -q 2>&1 | tail -3", "....\n12 passed in 0.31s", "12 passed"),
    ("mix test", "..\n14 doctests, 389 tests, 0 failures", "389 tests, 0 failures"),
    ("pnpm lint", "[lint] $ eslint .\n0 issues.", "0 issues."),
    ("npx playwright test till | tail -9", "  1) till.spec\n  1 failed\n  2 passed", "1 failed"),
    ("pytest | tail -1", "3 failed, 9 passed", "3 failed, 9 passed"),
    ("npm run lint | tail; true", "a.ts:3: a place\n✖ 2 problems", "2 problems"),
    ("go test ./... | tail", "--- FAIL: TestOven (0s)\nFAIL till 1s\nok oven 1s", "TestOven"),
    ("go test ./...", "ok till 1s\nok oven 1s", "ok till"),
    ("tsc --noEmit", "", "no error"),
    ("go build ./...", "(Bash completed with no output)", "no error"),
    ("git push", "To forge.test:bakery\n   1a2b3c4..5d6e7f8  main -> main", "main -> main"),
    ("git push", "hook: Error: no map\n   1a2b3c4..5d6e7f8  main -> main", "main -> main"),
    ("gh pr create --fill", "https://forge.test/bakery/pull/12", "pull/12"),
    ("gh pr merge 12 --squash", "✓ Squashed and merged pull request #12", "merged pull request"),
    ("gh pr checks 12", "build\tpass\t1m\nlint\tpass\t9s", "pass"),
    ("npm run dev", "VITE v5\n  ➜  Local:   http://localhost:5173/", "localhost:5173"),
    ("./gradlew run", "Started.\nlistening on :8081", "listening on :8081"),
    ("node --version", "v22.3.0", "v22.3.0"),
    ("make deploy", "...\nDeployed to https://bakery.test", "Deployed to"),
    # What is only shown proves nothing, whatever stands in it.
    ("cat ci.log", "214 passed", ""),
    ("git log --oneline", "1a2b3c4 All tests passed", ""),
    ("grep -rn passed docs", "docs/a.md: 3 passed", ""),
    ("npm install", "added 312 packages, 0 vulnerabilities", ""),
    # A pipe hides how its first command ended, and what prints nothing there proves nothing.
    ("npm test; echo done", "done", ""),
    ("npm test || true", "", ""),
)


@pytest.mark.parametrize(("command", "output", "proof"), PROOFS)
def test_a_success_is_shown_where_it_proves_something(
    command: str, output: str, proof: str, sample: Sample, tmp_path: Path
) -> None:
    outcomes = [
        line for line in shown(ran(sample, command, output), tmp_path) if line.speaker == "outcome"
    ]
    assert [proof in line.text and line.is_untrusted for line in outcomes] == [True] * bool(proof)
    assert all(len(line.text) < 300 for line in outcomes)


CAUSES = (
    ("Exit code 1\n\nTypeError: the queue is gone\n[lint] ERROR task failed", "TypeError: the"),
    ("<tool_use_error>File has not been read yet. Read it first.</tool_use_error>", ""),
    ("[lint] $ eslint\nsrc/till.ts:4:7: unused (no-unused-vars)\nELIFECYCLE", "src/till.ts:4:7"),
    ("--- PASS: TestReturns_error\nE   assert 3 == 4\nAssertionError: no cents", "Assertion"),
    (
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n'
        "    raise KeyError(error)\nKeyError: 'oven'",
        "KeyError: 'oven'",
    ),
    ('error: script "lint" exited with code 1', ""),
    ("fatal: The current branch has no upstream branch.\nuse git push", "fatal: The current"),
    ("Command timed out after 2m", "Command timed out"),
    (" ! [rejected] main -> main\nerror: failed to push", "! [rejected]"),
    ("3 failed, 2 passed", ""),
    ("", ""),
)


@pytest.mark.parametrize(("output", "cause"), CAUSES)
def test_a_failure_is_shown_by_the_line_that_names_its_cause(output: str, cause: str) -> None:
    found = telling.cause(output)
    assert found.startswith(cause) and bool(found) == bool(cause)


def test_an_outcome_that_is_not_below_its_command_names_it(sample: Sample, tmp_path: Path) -> None:
    ran(sample, "git status && grep -r oven .", "grep: fatal: denied", failed=True)
    ran(sample, "ls nowhere", "ls: nowhere: No such file or directory", failed=True)
    ran(sample, "make bake", "Exit code 2\nflour: command not found", failed=True)
    assert told(sample, tmp_path) == [
        "outcome: the command `git status && grep -r oven .` failed: grep: fatal: denied",
        "action: ran: make bake",
        "outcome: failed: flour: command not found",
    ]


COMMANDS = (
    ("S=/private/tmp/x\nnode tools/till.js --open $S", "S=/private/tmp/x\nnode tools/till.js"),
    ("psql bakery <<'EOF' && npm run seed\nselect secret_code;\nEOF\nmake", "npm run seed\nmake"),
    ("python3 -c 'import code_here' && make bake", "python3 -c … && make bake"),
    ("sed -i 's/a/b/' src/till.ts", "sed -i 's/a/b/' src/till.ts"),
    ("cat > till.toml <<EOF\nsecret_code = 1\nEOF", "cat > till.toml << …"),
    ("make bake " + "LOAF=1 " * 70 + "last", "last"),
)


@pytest.mark.parametrize(("command", "part"), COMMANDS)
def test_a_command_is_shown_whole_without_code(
    command: str, part: str, sample: Sample, tmp_path: Path
) -> None:
    line = told(ran(sample, command), tmp_path)[0]
    assert (
        line.startswith("action: ran: ")
        and part in line
        and "secret_code" not in line
        and "code_here" not in line
    )
    assert len(line) < 640


@pytest.mark.parametrize(
    "command",
    [
        "ls -la src",
        "cd shop && git status",
        "git -C shop log --oneline | head -5",
        "git add src/till.ts && git fetch",
        "tail -20 /tmp/run.log; sed -n 1,9p a.py",
        "python3 - <<EOF\nprint(1)\nEOF",
        "find . -name '*.ts' 2>/dev/null | xargs wc -l",
        "gh pr view 12 --json title",
    ],
)
def test_a_command_that_only_looks_is_left_out(
    command: str, sample: Sample, tmp_path: Path
) -> None:
    assert told(ran(sample, command, "something"), tmp_path) == []


def test_short_code_stays_and_a_log_keeps_its_error(sample: Sample, tmp_path: Path) -> None:
    sample.assistant(
        "Start it so:\n```sh\nexport PORT=3000\n$ pnpm dev\n```\nand the reader is\n"
        "```ts\nconst a = 1;\nconst b = 2;\nconst c = 3;\n```\nas agreed."
    )
    sample.human(
        "It broke:\n2026-11-02 10:00 started\n2026-11-02 10:01 error: oven is cold\n"
        "2026-11-02 10:02 error: stopped\nCan you look?"
    )
    reply, prompt = told(sample, tmp_path)
    assert "`export PORT=3000`\n`$ pnpm dev`" in reply
    assert "const" not in reply and "[ts code, 3 lines]" in reply
    assert prompt == ("user: It broke:\n2026-11-02 10:01 error: oven is cold\nCan you look?")


def test_a_picture_leaves_a_mark(sample: Sample, tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "aGk="}}
    words = {"type": "text", "text": "The crust is too dark."}
    sample.add("user", message={"role": "user", "content": [words, picture]})
    sample.add("user", message={"role": "user", "content": [picture]})
    sample.human("And now?")
    assert told(sample, tmp_path) == [
        "user: [picture] The crust is too dark.",
        "user: [picture]",
        "user: And now?",
    ]


def test_an_amended_commit_is_told_once(sample: Sample, tmp_path: Path) -> None:
    ran(sample, "git commit -m 'Cap the oven' -m 'It burns.'", "[main 1a2b3c4] Cap the oven")
    ran(sample, "git commit --amend -m 'Cap the oven at 250'", "[main 2a2b3c4] Cap the oven at 250")
    ran(sample, "git add . && git commit --amend --no-edit", "[main 3a2b3c4] Cap the oven at 250")
    ran(sample, "git commit -F /tmp/message", "[main 4a2b3c4] Weigh the flour")
    ran(sample, "git commit --fixup 4a2b3c4", "[main 5a2b3c4] fixup! Weigh the flour")
    said = shown(sample, tmp_path)
    assert digest.commits(said) == [
        "[2] Cap the oven at 250",
        "[4] Weigh the flour",
    ]
    assert "It burns" not in "".join(line.text for line in said)
    assert "committed: Cap the oven at 250" in said[2].text
    assert "committed: Weigh the flour" in said[3].text


def test_a_commit_without_a_known_title_gets_no_other_ones(sample: Sample, tmp_path: Path) -> None:
    ran(sample, "git commit -m 'Weigh the flour'", "[main 1a2b3c4] Weigh the flour")
    ran(sample, "git commit -q -F /tmp/message", "")
    assert digest.commits(shown(sample, tmp_path)) == ["[1] Weigh the flour"]


def test_a_commit_that_was_tried_before_is_told_once(sample: Sample, tmp_path: Path) -> None:
    command = "git commit -m 'Weigh the flour' -m 'By hand it takes too long.'"
    ran(sample, command, "Exit code 1\nerror: hook declined", failed=True)
    ran(sample, command, "[main 1a2b3c4] Weigh the flour")
    ran(sample, "git commit -m 'Sieve it'", "nothing to commit")
    said = shown(sample, tmp_path)
    assert digest.commits(said) == ["[3] Weigh the flour"]
    assert "".join(line.text for line in said).count("By hand") == 1


def test_an_answer_is_told_with_its_options(sample: Sample, tmp_path: Path) -> None:
    options = [
        {"label": "Gas", "description": "Cheap.", "preview": "| GAS |"},
        {"label": "Wood", "description": "Tastes better."},
    ]
    asked = {"question": "Which oven?", "header": "Oven", "options": options}
    outcome = {
        "answers": {"Which oven?": "Gas"},
        "annotations": {"Which oven?": {"notes": "until May", "preview": "| GAS |"}},
    }
    result = 'User has answered your questions: "Which oven?"="Gas".'
    sample.tool("AskUserQuestion", {"questions": [asked]}, result, outcome=outcome)
    assert told(sample, tmp_path) == [
        "action: asked: Which oven?\n- Gas: Cheap.\n- Wood: Tastes better.",
        "user: answered “Which oven?”: Gas\nnotes: until May\npreview: | GAS |",
    ]


def test_a_refusal_says_of_what(sample: Sample, tmp_path: Path) -> None:
    edit = {"file_path": "/home/dev/bakery/src/till.ts", "old_string": "a", "new_string": "b"}
    sample.tool("Edit", edit, f"{DENIED}Prices are in cents.", True)
    ran(sample, "git log -3", DENIED.partition(" To tell")[0], failed=True)
    sample.human("Leave it.")
    sample.tool("ExitPlanMode", {"plan": "Bake at night."}, f"{DENIED}Never at night.", True)
    sample.tool("ExitPlanMode", {"plan": "Bake at dawn."}, "User has approved your plan.")
    assert told(sample, tmp_path) == [
        "action: edited src/till.ts",
        "user: refused the edit of src/till.ts above: Prices are in cents.",
        "user: refused the command `git log -3` above",
        "user: Leave it.",
        "action: plan: Bake at night.",
        "user: refused the plan above: Never at night.",
        "action: plan: Bake at dawn.",
        "user: approved the plan above",
    ]


def test_a_compaction_is_told_without_its_analysis(sample: Sample, tmp_path: Path) -> None:
    sections = "\n\n".join(
        f"{number}. {name}:\n   - {words}"
        for number, (name, words) in enumerate(
            (
                ("Primary Request and Intent", "a bakery"),
                ("Errors and fixes", "the oven was cold"),
                ("Problem Solving", "warmed it"),
                ("All user messages", "warm it up, please"),
                ("Pending Tasks", "sieve the flour"),
            ),
            1,
        )
    )
    sample.compaction(f"Analysis:\nI look back at all of it.\n\nSummary:\n{sections}")
    (line,) = told(sample, tmp_path)
    assert line.startswith("summary: 1. Primary Request")
    for words in ("a bakery", "the oven was cold", "warmed it", "sieve the flour"):
        assert words in line
    assert "look back" not in line and "warm it up, please" not in line


def test_runs_of_edits_are_one_message(sample: Sample, tmp_path: Path) -> None:
    def edit(name: str) -> None:
        sample.tool("Edit", {"file_path": f"/home/dev/bakery/{name}"}, "ok")
        sample.tool("Read", {"file_path": f"/home/dev/bakery/{name}"}, "ok")
        ran(sample, "ls src", "till.ts")

    for name in ("src/till/a.ts", "src/till/b.ts", "src/till/a.ts", "src/oven.ts"):
        edit(name)
    sample.assistant("Now the docs.")
    edit("docs/a.md")
    edit("docs/a.md")
    assert told(sample, tmp_path) == [
        "action: 4 edits in src: till/a.ts, till/b.ts, oven.ts",
        "assistant: Now the docs.",
        "action: edited docs/a.md (2 times)",
    ]


def test_what_a_sub_agent_reports_is_shown(sample: Sample, tmp_path: Path) -> None:
    asked = {"description": "Find the ovens", "prompt": "Find them all, with their codes."}
    sample.tool("Task", asked, "There are two.\nagentId: a1 (use it)\n<usage>9</usage>")
    sample.tool("Agent", asked, "Async agent launched successfully. agentId: a2")
    sample.add(
        "user",
        message={
            "role": "user",
            "content": "<task-notification>\n<status>completed</status>\n<result>Three &lt;b&gt;."
            "\n```\na\nb\nc\n```</result>\n</task-notification>",
        },
        origin={"kind": "task-notification"},
    )
    sample.tool("Task", asked, "word " * 2_000)
    said = shown(sample, tmp_path)
    assert [line.speaker for line in said] == ["action", "subagent"] * 3
    assert said[0].text == "gave a sub-agent: Find the ovens"
    assert said[1].text == "There are two."
    assert said[3].text.startswith("Three <b>.") and "[code, 3 lines]" in said[3].text
    assert len(said[5].text) < 3_100
    assert not any(line.is_untrusted for line in said)


def test_nothing_private_is_shown(sample: Sample, tmp_path: Path) -> None:
    sample.tool("Edit", {"file_path": "/home/dev/bakery/wages/a.md"}, f"{DENIED}No.", True)
    ran(sample, "npm test <private>of wages</private>", "<private>3</private> 3 passed")
    sample.tool("Task", {"description": "pay"}, "Two. <private>wages 12</private>")
    text = "".join(map(str, shown(sample, tmp_path, ["wages"])))
    assert "wages" not in text and "3 passed" in text


def test_it_takes_time_and_room_in_proportion(sample: Sample, tmp_path: Path) -> None:
    def letters(count: int) -> int:
        events = [
            Event(role="tool_use", tool="edit", input={"file_path": f"src/{n}.ts"}, offset=n)
            for n in range(count)
        ]
        return len("".join(map(str, digest.lines(events))))

    assert letters(4_000) < 5 * letters(1_000)


def test_a_short_table_stays_and_a_long_one_leaves_a_mark(sample: Sample, tmp_path: Path) -> None:
    head = "| Oven | Heat |\n|---|---|\n"
    sample.assistant(f"Two ovens:\n\n{head}| gas | 250 |\n| wood | 400 |\n\nTake wood.")
    sample.assistant("All of them:\n" + head + "| gas | 250 |\n" * 30 + "Take gas.")
    short, long = told(sample, tmp_path)
    assert short.endswith("| wood | 400 |\n\nTake wood.") and "| Oven | Heat |" in short
    assert long == "assistant: All of them:\n[table, 30 rows]\nTake gas."


def test_a_command_over_several_lines_is_no_longer_code(sample: Sample, tmp_path: Path) -> None:
    sample.assistant("Run:\n```sh\n\nbake --heat 250 \\\n  --loaf rye \\\n  --fast\n```\nand eat.")
    assert told(sample, tmp_path) == [
        "assistant: Run:\n`bake --heat 250 --loaf rye --fast`\nand eat."
    ]


def test_nothing_is_cut_within_a_word(sample: Sample, tmp_path: Path) -> None:
    address = "https://ovens.test/" + "a" * 60
    ran(sample, "make bake", f"Error: {'x' * 30} {'no oven ' * 18}{address} is cold", failed=True)
    sample.human("a-long-word " * 1_200)
    _, cause, prompt = told(sample, tmp_path)
    assert cause.endswith(address)
    assert set(prompt.removeprefix("user: ").split()) == {"a-long-word", "[…]"}
    assert telling.cause(f"Error: {'ö' * 900}") == f"Error: {'ö' * 393}"


def test_after_a_rebase_the_commits_are_those_of_the_log(sample: Sample, tmp_path: Path) -> None:
    def log(*titles: str, command: str = "git log --oneline -5") -> None:
        ran(sample, command, "\n".join(f"{n}a2b3c4 {title}" for n, title in enumerate(titles)))

    for title in ("Weigh the flour", "WIP oven", "Cap the oven", "Sell bread"):
        ran(sample, f"git commit -m '{title}'", f"[main 1a2b3c4] {title}")
    log("Sell bread", "Cap the oven", "WIP oven", "Weigh the flour", "Old")
    ran(sample, "git commit -m 'WIP $n'", "", failed=True)
    said = shown(sample, tmp_path)
    assert digest.commits(said) == ["[1] Weigh the flour", "[3] Cap the oven", "[4] Sell bread"]
    ran(sample, "git rebase -i HEAD~3", "Successfully rebased and updated refs/heads/main.")
    log("Sell bread", command="git log --oneline -- src")
    ran(sample, "git commit --amend -m 'Sieve it'", "[detached HEAD 5a2b3c4] Sieve it")
    log("(HEAD -> main) Sell bread", "Heat the oven", "Sieve it", "Weigh the flour", "Old")
    said = shown(sample, tmp_path)
    assert digest.commits(said) == [
        "[1] Weigh the flour",
        "[4] Sell bread",
        "[8] Sieve it",
        "[8] Heat the oven",
    ]
    assert "Sell bread" in said[3].text


def test_a_commit_that_is_made_again_says_where(sample: Sample, tmp_path: Path) -> None:
    ran(sample, "git commit -m 'Cap the oven'", "[main 1a2b3c4] Cap the oven")
    ran(sample, "git commit --amend -m 'Cap it'", "[main 2a2b3c4] Cap it")
    assert told(sample, tmp_path)[0] == "action: ran: git commit, made again by message 2"
