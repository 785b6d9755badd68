"""Triggers: which tool calls they mean, which ones a rule's own words name, and who may guard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.agents.claude.speakers import DENIED
from cortex_core.agents.claude.tools import name_of
from cortex_core.base.errors import UsageError
from cortex_core.base.project import find
from cortex_core.base.tools import SHELL
from cortex_core.extract.rules import extract
from cortex_core.records.events import Candidate, Event
from cortex_core.triggers import corrected, deeds, finding, guard, shell_runs, syntax
from cortex_core.triggers.calls import read as call
from cortex_core.triggers.matching import matches
from cortex_core.triggers.syntax import parse
from tests.core.triggers.trigger_calls import CASES, HIDDEN, SPELLED, UNRUN, UNSEEN, WRAPPED


def means(trigger: str, command: str) -> bool:
    return matches(parse(trigger), call(SHELL, {"command": command}, "/work", "/work"))


@pytest.mark.parametrize("command", ["npm install left-pad", "rm -rf build", "git push --force"])
def test_a_command_is_seen_wherever_it_runs_and_nowhere_else(command: str) -> None:
    trigger = f"Bash({' '.join(command.split()[:2])})"
    lines = (*WRAPPED, *(line for hidden in HIDDEN.values() for line in hidden))
    missed = [line for line in lines if not means(trigger, line.format(command))]
    wrong = [line for line in UNRUN if means(trigger, line.format(command))]
    assert (missed, wrong) == ([], [])


def test_commands_are_told_apart_by_program_subcommand_options_and_files() -> None:
    assert [case for case in CASES if means(case[0], case[1]) != case[2]] == []


def test_a_command_is_seen_however_it_is_spelled() -> None:
    assert [line for line in SPELLED if not means("Bash(rm -rf)", line)] == []


def test_the_first_look_of_a_guard_leaves_out_no_call_that_it_means(tmp_path: Path) -> None:
    rules = [["m1", "- Never run it", "deny", ["!Bash(rm -rf)"]]]
    hidden = (line.format("rm -rf build") for lines in HIDDEN.values() for line in lines)

    def decided(line: str) -> str:
        return guard.answer(find(str(tmp_path)), rules, SHELL, {"command": line}, 0.0, dict)[2]

    assert [line for line in (*SPELLED, *hidden) if decided(line) != "deny"] == []


def test_the_first_look_of_a_guard_knows_each_of_several_programs(tmp_path: Path) -> None:
    rules = [["m1", "- No packages", "deny", ["!Bash(npm|pnpm add|install *)"]]]

    def decided(line: str) -> str:
        return guard.answer(find(str(tmp_path)), rules, SHELL, {"command": line}, 0.0, dict)[2]

    lines = ("npm i zod", "cd web && pnpm add zod", "yarn add zod", "pnpm install")
    assert [decided(line) for line in lines] == ["deny", "deny", "", ""]


def test_a_rule_about_a_place_only_reminds_at_commands_that_name_none() -> None:
    lines = finding.find("policy", "Never run migrations against production")
    assert "Bash(alembic upgrade|downgrade)" in lines
    assert [line for line in lines if line.startswith("!")] == []
    lines = finding.find("policy", "Never connect to the prod database with psql")
    assert lines and all(line.startswith("!") for line in lines)


def test_what_cannot_be_seen_is_known() -> None:
    assert [case for case in UNSEEN if means(*case)] == []


def test_a_command_is_read_in_linear_time() -> None:
    runs = shell_runs.runs("npm i && " * 5000 + "ls")
    assert len(runs) <= shell_runs.MOST + 1 and runs[-1].words == ("ls",)
    assert shell_runs.runs("$(" * 3000) is not None
    assert shell_runs.runs("bash -c '" * 2000) is not None


@pytest.mark.parametrize(
    ("tool", "given", "trigger", "expected"),
    [
        ("Edit", {"file_path": "/work/src/a.py"}, "Edit(src/**)", True),
        ("Write", {"file_path": "src/a.py"}, "Edit(*.py)", True),
        ("Edit", {"file_path": "/work/n.ipynb"}, "Edit(*.ipynb)", True),
        ("Read", {"file_path": "/work/src/a.py"}, "Edit(src/**)", False),
        ("Read", {"file_path": "/work/src/a.py"}, "Read(src/**)", True),
        ("Edit", {"file_path": "/other/src/a.py"}, "Edit(src/**)", False),
        ("Edit", {"file_path": "/etc/nginx/a.conf"}, "Edit(/etc/nginx/**)", True),
        ("Edit", {"file_path": "/work/etc/nginx/a"}, "Edit(/etc/nginx/**)", False),
        ("Bash", {"command": "echo x >> ~/.zshrc"}, "Edit(~/.zshrc)", True),
        ("Bash", {"command": "rm ~/a/.zshrc"}, "Edit(~/.zshrc)", False),
        ("Bash", {"command": "sudo tee /etc/hosts"}, "Edit(/etc/hosts)", True),
        ("Write", {"content": "console.log(1)", "file_path": "a"}, "Text(console.log)", True),
        ("Bash", {"command": "aws s3 cp x s3://raw-prod/x"}, "Text(s3://raw-prod)", True),
        ("Bash", {"command": "aws s3 ls s3://raw-dev"}, "Text(s3://raw-prod)", False),
        ("MultiEdit", {"file_path": "a", "edits": [{"new_string": "TODO x"}]}, "Text(todo)", True),
        (
            "Edit",
            {"old_string": "TODO", "new_string": "done", "file_path": "a"},
            "Text(TODO)",
            False,
        ),
        ("mcp__github__create_issue", {"body": "x"}, "mcp__github__*", True),
        ("mcp__github__create_issue", {"body": "x"}, "mcp__gitlab__*", False),
        ("mcp__gh__" + "a" * 5000, {"body": "x"}, "mcp__" + "*a" * 90 + "*b", False),
        ("mcp__jira__add", {"fields": {"text": ["ASAP please"]}}, "Text(ASAP)", True),
        (
            "Write",
            {"content": "a.unwrap()", "file_path": "/work/src/a.rs"},
            "Text(unwrap( @in:rust @in:!tests)",
            True,
        ),
        (
            "Write",
            {"content": "a.unwrap()", "file_path": "/work/tests/a.rs"},
            "Text(unwrap( @in:rust @in:!tests)",
            False,
        ),
        (
            "Bash",
            {"command": "cat >> web/a.js <<'EOF'\neval(x)\nEOF"},
            "Text(eval( @in:src|web)",
            True,
        ),
        ("Bash", {"command": "echo 'eval(x)' > src/a.py"}, "Text(eval( @in:js)", False),
        (
            "Bash",
            {"command": 'git commit -m "by [Claude Code](https://x.io)"'},
            "Text(by Claude Code)",
            True,
        ),
        ("Bash", {"command": 5}, "Bash(npm)", False),
        ("Edit", {}, "Edit(src/**)", False),
    ],
)
def test_other_tools(tool: str, given: dict[str, object], trigger: str, expected: bool) -> None:
    assert matches(parse(trigger), call(name_of(tool), given, "/work", "/work")) is expected


@pytest.mark.parametrize(
    ("command", "pushed"),
    [
        ("git push", ["topic"]),
        ("git push -u origin topic", ["topic"]),
        ("git push -u --force origin main", ["+main"]),
        ("git push --force-with-lease=main origin main", ["+main"]),
        ("git push origin HEAD:main", ["main"]),
        ("git push origin HEAD", ["topic"]),
        ("git push origin +main", ["+main"]),
        ("git push origin x:refs/heads/main v1 y", ["main", "v1", "y"]),
        ("git push origin :main", ["main"]),
        ("git -C /work push -o ci.skip origin", ["topic"]),
        ("git -C ../other push", ["?"]),
        ("cd /elsewhere && git push", ["?"]),
        ("git checkout main && git merge x && git push", ["main"]),
        ("git switch -c fix && git push -u origin HEAD", ["fix"]),
        ("git push --all", ["*"]),
        ("git push --mirror backup", ["+*"]),
        ("git push --tags", []),
        ("git push origin refs/tags/v1", []),
        ("git push --dry-run origin main", []),
        ("git push origin $BRANCH", ["?"]),
        ("B=main; git push origin $B", ["main"]),
        ("ssh host 'cd /srv && git push'", ["?"]),
        ("ssh host 'git push origin main'", ["main"]),
        ("docker exec -it c git push origin main", []),
        ("bash <<EOF\ngit push origin main\nEOF", ["main"]),
        ("git config alias.p '!git push -f' && git p origin main", ["+main"]),
        ("git stash push -f", []),
    ],
)
def test_a_push_is_known_by_its_branch(command: str, pushed: list[str]) -> None:
    branches = {"/work": "topic"}
    given = {"command": command}
    called = call(SHELL, given, "/work", "/work", lambda folder: branches.get(folder, ""))
    assert [branch for run in called.runs for branch in run.pushes] == pushed


def test_a_commit_is_known_by_what_it_stages(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=1\n")
    (tmp_path / "src").mkdir()
    top, trigger = str(tmp_path), parse("!Commit(.env)")

    def is_meant(command: str, folder: str = top) -> bool:
        return matches(trigger, call(SHELL, {"command": command}, folder, top))

    assert is_meant("git add .env") and is_meant("git commit .env -m x")
    assert is_meant("git add src .env") and is_meant("cd src && git add ../.env")
    assert is_meant("git -C .. add .env", f"{top}/src")
    assert is_meant("git add -A") and is_meant("git add .") and is_meant("git commit -am x")
    others = ("git add src", "git add .env.example", "git commit -m .env", "git add -n .env")
    assert not any(map(is_meant, others)) and not is_meant("git add .", f"{top}/src")
    (tmp_path / ".gitignore").write_text("# secrets\n.env\n")
    assert not is_meant("git add -A") and is_meant("git add -f .env")


def test_a_file_that_is_there_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# here\n")
    top, trigger = str(tmp_path), parse("!Edit(+*.md)")

    def is_meant(tool: str, given: dict[str, str], where: str = top) -> bool:
        return matches(trigger, call(name_of(tool), given, where, where))

    assert is_meant("Write", {"file_path": f"{top}/docs/NEW.md", "content": "x"})
    assert is_meant("Bash", {"command": "echo x > NEW.md"})
    assert is_meant("Bash", {"command": "cp README.md docs/COPY.md"})
    change = call(name_of("Edit"), {"file_path": f"{top}/docs/a.md", "old_string": "a"}, top, top)
    assert matches(parse(f"!Edit({top}/docs)"), change)
    assert not is_meant("Write", {"file_path": f"{top}/README.md", "content": "x"})
    assert not is_meant("Edit", {"file_path": "NEW.md", "old_string": "a", "new_string": "b"})
    assert not is_meant("Bash", {"command": "echo x >> README.md"})
    assert not is_meant("Bash", {"command": "echo x > NEW.md"}, "")  # whose folder is not known


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Don't create new markdown files", ("!Edit(+*.md)",)),
        ("Never create or edit markdown files", ("!Edit(+*.md)", "!Edit(*.md)")),
        ("Don't add emojis to markdown files", ("!Edit(*.md)",)),
        ("No new files under src/legacy/", ("!Edit(+src/legacy/**)",)),
        ("Don't create a Dockerfile", ("!Edit(+Dockerfile)",)),
        ("Never edit or add files in src/legacy/, even to change one", ("!Edit(src/legacy/**)",)),
        ("No new npm scripts", ("!Edit(package.json)",)),
        ("Keine neuen Dateien in src/alt/ anlegen", ("!Edit(+src/alt/**)",)),
        ("Ne crée pas de nouveaux fichiers dans src/vieux/", ("!Edit(+src/vieux/**)",)),
        ("No crees archivos nuevos en src/viejo/", ("!Edit(+src/viejo/**)",)),
        ("Non creare nuovi file in src/vecchio/", ("!Edit(+src/vecchio/**)",)),
        ("Não crie arquivos novos em src/velho/", ("!Edit(+src/velho/**)",)),
        ("Не создавай новые файлы в src/old/", ("!Edit(+src/old/**)",)),
        ("不要在 src/old/ 下新建文件", ("!Edit(+src/old/**)",)),
        ("src/old/ に新しいファイルを作らないで", ("!Edit(+src/old/**)",)),
        ("src/old/ 폴더에 새 파일을 만들지 마", ("!Edit(+src/old/**)",)),
    ],
)
def test_a_rule_against_new_files_leaves_the_others_alone(
    words: str, found: tuple[str, ...]
) -> None:
    assert finding.find("policy", words) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Never write console.log in src/", ("!Text(console.log @in:src/**)",)),
        ("No hardcoded colours in src/ui/", ("Edit(src/ui/**)",)),
        (
            "Keine Inline-Styles in web/components/",
            ("!Text(style={{ @in:web/components/**)", '!Text(style=" @in:web/components/**)'),
        ),
        ("Never use DROP COLUMN in migrations/", ("!Text(DROP COLUMN @in:migrations/**)",)),
        ("Never modify the protobuf files in api/proto/", ("!Edit(api/proto/**)",)),
        ("No toques nada en legacy/", ("!Edit(legacy/**)",)),
        ("Ne touche à rien dans assets/img/", ("!Edit(assets/img/**)",)),
        ("Hands off everything in src/old/", ("!Edit(src/old/**)",)),
        (
            "schema.rb is generated by `rails db:migrate`; never edit it by hand",
            ("!Edit(schema.rb)",),
        ),
        ("Never aws ec2 stop-instances", ("!Bash(aws ec2 stop-instances)",)),
        ("No docker compose down/stop here", ("!Bash(docker compose down|stop)",)),
        ("Nobody but me runs `npm publish`", ("!Bash(npm publish)",)),
        ("Never force delete a branch", ("!Bash(git branch -D)",)),
        ("NOTES.md files are consumed by many tools, which each open them", ("Edit(NOTES.md)",)),
        ("Before you change NOTES.md, confirm how each tool reads it", ("Edit(NOTES.md)",)),
        ("The server does not log `AuthError`s by default", ()),
        ("No console.log in src/ui/ (scripts/ is fine)", ("!Text(console.log @in:src/ui/**)",)),
        ("Rust: no unwrap() outside of tests", ("Text(unwrap( @in:rust @in:!tests)",)),
        ("Handlers in internal/http must not talk to the store", ("Edit(internal/http)",)),
        ("Code under lib/core/ must not call os.Exit", ("!Text(os.Exit @in:lib/core/**)",)),
        ("Workers must never restart the server", ()),
        ("Never send requests to the live machines", ()),
        ("Don't delete files, move them to attic/", ("Edit(attic/**)",)),
        ("don't chmod anything to 777", ("!Bash(chmod 777)",)),
        ("no 'Reviewed-by: Bot' in messages", ("!Text(Reviewed-by: Bot)",)),
        ("never push to main, push to develop instead", ("!Push(main)",)),
        ("move old files to archive/, never delete them", ("Edit(archive/**)",)),
        ("new migrations only, never change old ones", ()),
        ("pin docker images, no latest", ("!Text(:latest)",)),
        ("no enums in TS, use unions", ("!Text(enum @in:typescript)",)),
        ("new code goes into src/v2, src/v1 is frozen", ("!Edit(src/v1)",)),
        ("keep secrets out of config/", ("Edit(config/**)",)),
        ("keep your hands out of config/", ("!Edit(config/**)",)),
        ("don't import from internal/ here", ("Edit(internal/**)",)),
        ("never use pip outside the venv", ("Bash(pip)",)),
        ("never squash merge", ("!Bash(gh pr merge -s)", "!Bash(git merge --squash)")),
        ("Never run `terraform destroy`, not even in staging", ("!Bash(terraform destroy)",)),
    ],
)
def test_a_rule_forbids_no_more_than_it_says(words: str, found: tuple[str, ...]) -> None:
    assert finding.find("policy", words) == found


@pytest.mark.parametrize(
    ("trigger", "command", "expected"),
    [
        ("!Bash(gradle)", "./gradlew build", False),
        ("!Bash(gradle publish)", "./gradlew publish", True),
        ("!Bash(mvn deploy)", "./mvnw -q deploy", True),
        ("!Bash(cargo publish)", "cargo +nightly publish", True),
        ("!Bash(git rebase)", "git rebase --abort", False),
        ("!Bash(docker push)", "docker buildx build --push .", True),
        ("!Bash(terraform destroy)", "terraform apply -destroy", True),
        ("!Bash(chmod 777)", "sudo chmod 0777 x", True),
    ],
)
def test_a_command_by_another_way_is_meant(trigger: str, command: str, expected: bool) -> None:
    assert matches(parse(trigger), call(SHELL, {"command": command})) is expected


def test_every_deed_states_triggers() -> None:
    for words, lines in deeds.DEEDS:
        assert all(parse(line.lstrip("!?=")) for line in lines.split("; ")), words


@pytest.mark.parametrize(
    ("message", "given"),
    [
        ("fix: a", False),
        ("fix(ui): a", False),
        ("feat!: a", False),
        ("fixed a", True),
        ("feat a", True),
    ],
)
def test_a_commit_of_no_type_is_recalled(message: str, given: bool) -> None:
    (line,) = finding.find("policy", "Commit messages: conventional commits (feat:, fix: …)")
    called = call(SHELL, {"command": f'git commit -m "{message}"'})
    assert matches(parse(line), called) is given


def test_a_trigger_is_written_as_it_is_read() -> None:
    for line in (
        "!Bash(npm)",
        "Bash(git commit) after Bash(make fmt)",
        "Edit(src/**)",
        "mcp__gh__*",
        "!Bash(pytest) unless Bash(uv run pytest)",
        "Text(Co-Authored-By)",
        "!Text(eval( @in:python @in:!tests)",
        "!Push(+release/*)",
        "Commit(.env)",
    ):
        assert str(parse(line)) == line
    for wrong in (
        "npm",
        "Bash()",
        "Bash(*)",
        "Bash(npm",
        "Fetch(x)",
        "Bash(a) after",
        "Bash(" + "x" * 300 + ")",
    ):
        with pytest.raises(UsageError, match="not a trigger"):
            parse(wrong)


@pytest.mark.parametrize(
    ("kind", "words", "found"),
    [
        ("policy", "Use pnpm, never npm.", {"!Bash(npm)", "!Bash(yarn)", "!Bash(bun)"}),
        ("preference", "Prefer podman over docker", {"!Bash(docker)"}),
        ("policy", "Never run `git push --force` on main", {"!Push(+main)"}),
        ("policy", "Run `make fmt` before each commit", {"Bash(git commit) after Bash(make fmt)"}),
        (
            "policy",
            "`make fmt && make test` required before every commit",
            {"Bash(git commit) after Bash(make fmt)", "Bash(git commit) after Bash(make test)"},
        ),
        (
            "policy",
            "Never push until `make check` is green",
            {"Bash(git push) after Bash(make check)"},
        ),
        (
            "policy",
            "Use `uv run pytest`, never bare pytest",
            {"!Bash(pytest) unless Bash(uv run pytest)"},
        ),
        ("policy", "Never edit files under `src/generated/`", {"!Edit(src/generated/**)"}),
        ("policy", "Never add `Co-Authored-By` to commit messages", {"!Text(Co-Authored-By)"}),
        ("policy", "rm -rf is forbidden", {"!Bash(rm -rf)"}),
        ("policy", "Commit messages are in imperative mood", {"Bash(git commit)"}),
        ("policy", "Ask before running terraform apply", {"Bash(terraform apply)"}),
        ("policy", "Use jj instead of git", {"!Bash(git)"}),
        (
            "policy",
            "Never use mcp__github__merge_pull_request",
            {"!mcp__github__merge_pull_request"},
        ),
        ("gotcha", "`prisma migrate dev` hangs unless Redis runs", {"Bash(prisma migrate dev)"}),
        ("policy", "Shadow branches: build the tree in memory, never use `git add`", set()),
        ("policy", "From now on: never use `git add -A`", {"!Bash(git add -A)"}),
        ("policy", "Package manager: pnpm, never npm", {"!Bash(npm)"}),
        ("policy", "Never push directly to main", {"!Push(main)"}),
        ("policy", "Never push to main; open a pull request", {"!Push(main)"}),
        ("policy", "Never commit to main; create a branch", {"!Bash(git commit @branch:main$)"}),
        ("policy", "Pushing straight to master is forbidden", {"!Push(master)"}),
        ("policy", "never push to main without asking me", {"Push(main)"}),
        ("policy", "Ask before pushing", {"Push(*)"}),
        ("policy", "Don't push to `release/*` branches", {"!Push(release/*)"}),
        (
            "policy",
            "No force pushes, use --force-with-lease if you have to",
            {"!Push(+*) unless Bash(git push --force-with-lease)"},
        ),
        ("policy", "Niemals direkt auf main pushen", {"!Push(main)"}),
        ("policy", "ne jamais pousser directement sur main", {"!Push(main)"}),
        ("policy", "Never commit .env", {"!Commit(.env)", "!Commit(.env.*)"}),
        ("policy", "Don't open .env files", {"!Read(.env)", "!Read(.env.*)"}),
        ("policy", "Don't commit node_modules", {"!Commit(node_modules)"}),
        ("policy", "Never touch src/payment", {"!Edit(src/payment)"}),
        ("policy", "Never edit files in `src/payment`", {"!Edit(src/payment)"}),
        (
            "policy",
            "Files under src/payment must never be changed by hand",
            {"!Edit(src/payment)"},
        ),
        ("policy", "src/gen is generated. Nobody edits in there.", {"!Edit(src/gen)"}),
        ("policy", "Dateien unter src/gen nie von Hand ändern", {"!Edit(src/gen)"}),
        ("policy", "Hands off the migrations folder", {"!Edit(migrations)"}),
        ("policy", "The client/server protocol must never change", set()),
        ("policy", "never touch package-lock.json by hand", {"!Edit(package-lock.json)"}),
        (
            "policy",
            "Lock files are off limits",
            {"!Edit(*.lock)", "!Edit(*-lock.*)", "!Edit(*.lockb)", "!Edit(go.sum)"},
        ),
        (
            "policy",
            "Never merge your own pull request",
            {
                "!Bash(gh pr merge)",
                "!Bash(glab mr merge)",
                "!mcp__*__merge_pull_request",
                "!Bash(gh api ~/merge)",
                "!Bash(curl ~/merge)",
            },
        ),
        # What a rule lets a program do, or takes out in brackets, is right.
        (
            "policy",
            "Never edit package-lock.json by hand, let npm do it",
            {"!Edit(package-lock.json)"},
        ),
        ("policy", "No tabs anywhere (the Makefile is the exception)", set()),
        (
            "policy",
            "Pas de pytest à nu, toujours poetry run",
            {"!Bash(pytest) unless Bash(poetry run)"},
        ),
        ("policy", "Keine Tags pushen", {"!Bash(git push --tags|--follow-tags)", "!Push(v*)"}),
        (
            "policy",
            "On the prod cluster kubectl is read-only",
            {
                "!Bash(kubectl ~prod|live) unless Bash(kubectl get|describe|logs|top|explain"
                "|version|cluster-info|config|diff|api-resources|auth)"
            },
        ),
        ("policy", "Never run psql against prod", {"!Bash(psql ~prod)"}),
        ("policy", "No psql on db.acme.io", {"!Bash(psql @db.acme.io)"}),
        (
            "policy",
            "kubectl only against the kind-dev context",
            {
                "!Bash(kubectl --context) unless Bash(kubectl --context=kind-dev)",
                "!Bash(kubectl config use-context)"
                " unless Bash(kubectl config use-context kind-dev)",
            },
        ),
        ("policy", "Don't edit `pnpm-lock.yaml` by hand", {"!Edit(pnpm-lock.yaml)"}),
        ("policy", "Ask me before changing `CLAUDE.md`", {"Edit(CLAUDE.md)"}),
        (
            "policy",
            "Never edit `~/.zshrc` or `/etc/nginx/`",
            {"!Edit(~/.zshrc)", "!Edit(/etc/nginx/**)"},
        ),
        ("policy", "Never change the route `/users`", set()),
        ("policy", "pkill and killall are forbidden", {"!Bash(pkill)", "!Bash(killall)"}),
        ("policy", "Always use rg instead of grep", {"!Bash(grep -r)"}),
        (
            "policy",
            "Never use `any` in TypeScript",
            {
                f"!Text({one} @in:typescript)"
                for one in (": any", "as any", "<any", "any>", "any[]")
            },
        ),
        ("policy", "Never write `console.log`", {"!Text(console.log)"}),
        ("policy", "Never write to s3://raw-prod, use s3://raw-dev", {"Text(s3://raw-prod)"}),
        (
            "policy",
            "Branch off main and not the current branch",
            {
                "Bash(git checkout -b)",
                "Bash(git switch -c)",
                "Bash(git worktree add)",
                "Bash(git branch *)",
            },
        ),
        ("policy", "Always answer in German", set()),
        ("policy", "Deploys go through the blue pipeline", set()),
        ("policy", "Just make sure the tests pass, and go on", set()),
        ("gotcha", "The server never sees the folder/file keys", set()),
        ("fact", "Use pnpm, never npm.", set()),
    ],
)
def test_a_rule_names_its_triggers(kind: str, words: str, found: set[str]) -> None:
    assert set(finding.find(kind, words)) == found
    assert all(str(parse(line)) == line for line in found)


def acted(command: str, said: str, *, refused: bool) -> list[Candidate]:
    """What is learned when the agent runs `command` and the user then says `said`."""
    answer = f"{DENIED} The tool use was rejected." if refused else "done"
    use = Event(role="tool_use", tool=SHELL, tool_id="t1", input={"command": command}, uuid="u2")
    events = [
        Event(role="human", text="Please set this up for me.", uuid="u1"),
        use,
        replace(use, role="tool_result", text=answer, failed=refused, interrupted=refused),
        Event(role="human", text=said, uuid="u4"),
    ]
    return [one for one in extract(events, final=True).candidates if one.message == "u4"]


@pytest.mark.parametrize(
    ("command", "refused", "said", "found"),
    [
        (
            "npm install left-pad",
            False,
            "no, we use pnpm here",
            {"!Bash(npm)", "!Bash(yarn)", "!Bash(bun)"},
        ),
        ("ls -la", False, "no, we use pnpm here", set()),
        (
            "cd infra && kubectl apply -f x.yml",
            True,
            "No, use the deploy script instead",
            {"!Bash(kubectl apply)"},
        ),
        ("kubectl apply -f x.yml", False, "No, use the deploy script instead", set()),
        (
            "python manage.py migrate",
            True,
            "No! Migrations are never run by hand.",
            set(finding.find("policy", "Migrations are never run by hand.")),
        ),
        ("make release", True, "Never release on a Friday", {"Bash(make release)"}),
        (
            "git commit -m 'Added x'",
            True,
            "No, commit messages are always in imperative mood",
            {"Bash(git commit)"},
        ),
        (
            "sed -i s/a/b/ x.py",
            True,
            "Never edit files with sed, use the Edit tool",
            {"!Bash(sed -i)"},
        ),
        ("ls -la", True, "From now on always answer in German", set()),
    ],
)
def test_a_correction_names_the_call_before_it(
    command: str, refused: bool, said: str, found: set[str]
) -> None:
    (one,) = acted(command, said, refused=refused)
    call = one.details.get(corrected.CALL, "")
    assert set(finding.find(one.kind, one.content, call)) == found


def test_what_comes_first_is_the_command_that_the_project_knows(project: Path) -> None:
    from cortex_core.triggers import assigning as curated

    with Cortex.open(project) as cortex:
        rule = cortex.remember("Always run the tests before committing", kind="policy")
        assert rule.triggers == ("Bash(git commit)",)
        known = cortex.remember("Tests are run with `pnpm test`")
        store = cortex.workspace.store()
        for details in ('{"recurring":"command:test"}', '{"recurring":"command:lint"}'):
            with store.change("test", "as capture makes it", "worker") as change:
                change.update("memory", known.id, {"details": details})
            curated.find_missing(store)
            after = " after Bash(pnpm test)" if "test" in details else ""
            assert cortex.show(rule.id).triggers == (f"Bash(git commit){after}",)


def test_a_memory_has_the_triggers_of_its_words_until_the_user_sets_others(project: Path) -> None:
    with Cortex.open(project) as cortex:
        rule = cortex.remember("Never use docker here", kind="policy")
        assert rule.triggers == ("!Bash(docker)",)
        assert cortex.edit(rule.id, content="Never use podman here").triggers == ("!Bash(podman)",)
        (own,) = cortex.memories.triggers.set(rule.id, ["Bash(make deploy)"])
        assert own.triggers == ("Bash(make deploy)",)
        again = cortex.edit(rule.id, content="Never use docker again")
        assert again.triggers == ("Bash(make deploy)",)
        assert cortex.memories.triggers.find(rule.id)[0].triggers == ("!Bash(docker)",)
        cortex.undo()
        assert cortex.show(rule.id).triggers == ("Bash(make deploy)",)
        assert cortex.memories.triggers.set(rule.id, [])[0].triggers == ()
        assert list(cortex.memories.triggers.list()) == []


def test_only_the_user_guards(project: Path) -> None:
    with Cortex.open(project) as cortex:
        rule = cortex.remember("Never use docker here", kind="policy")
        with pytest.raises(UsageError, match="Only the user"):
            cortex.memories.triggers.guard(rule.id, "deny", actor="agent")
        assert cortex.memories.triggers.guard(rule.id, "deny")[0].guard == "deny"
        with pytest.raises(UsageError, match="not a guard"):
            cortex.memories.triggers.guard(rule.id, "maybe")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="not a trigger"):
            cortex.memories.triggers.set(rule.id, ["docker"])
        assert cortex.show(rule.id).guard == "deny"


def test_what_has_no_trigger_of_its_own_cannot_guard(project: Path) -> None:
    with Cortex.open(project) as cortex:
        triggers = cortex.memories.triggers
        for named in ([], ["!Bash(cargo bench)"]):
            rule = cortex.remember("The harbour office stamps each list.", kind="policy")
            triggers.propose(rule, named, "")
            with pytest.raises(UsageError, match=rf"cortex trigger set {rule.id[:8]}") as refused:
                triggers.guard(rule.id, "deny")
            assert ("an agent named" in str(refused.value)) is bool(named)
            assert cortex.show(rule.id).guard == "remind"
        # All of them or none: one that could guard stays as it was beside one that cannot.
        other = cortex.remember("Never use docker here", kind="policy")
        with pytest.raises(UsageError, match="Nothing was changed"):
            triggers.guard([other.id, rule.id], "deny")
        assert cortex.show(other.id).guard == "remind"
        # What is taken over with `set` is the user's own, and guards.
        triggers.set(rule.id, ["!Bash(cargo bench)"])
        assert triggers.guard(rule.id, "deny")[0].how_recalled == " (deny)"
        triggers.set(rule.id, [])
        triggers.guard(rule.id, "remind")


@pytest.mark.parametrize(
    ("trigger", "tool", "given", "is_meant"),
    [
        ("!Text(it.skip(|xit(|t.Skip())", "Edit", {"new_string": "xit('adds', f)"}, True),
        ("!Text(it.skip(|xit(|t.Skip())", "Edit", {"new_string": "exit('adds')"}, False),
        ("Edit(*.ts|*.tsx)", "Write", {"content": "x"}, False),
        ("Edit(docs/**|src/*.py)", "Write", {"content": "x"}, True),
        ("Edit(docs/**|src/*.pyi)", "Write", {"content": "x"}, False),
    ],
)
def test_a_trigger_may_mean_one_of_several_texts_or_files(
    tmp_path: Path, trigger: str, tool: str, given: dict[str, str], is_meant: bool
) -> None:
    given = {"file_path": str(tmp_path / "src" / "a.py"), "old_string": "", **given}
    rules = [["m1", "- Never", "deny", [str(parse(trigger))]]]
    project, tool = find(str(tmp_path)), name_of(tool)
    assert matches(parse(trigger), call(tool, given, str(tmp_path), str(tmp_path))) is is_meant
    if trigger.startswith("!"):
        assert bool(guard.answer(project, rules, tool, given, 0.0, dict)[0]) is is_meant


def test_of_what_an_agent_names_a_line_that_is_none_takes_no_other_along(project: Path) -> None:
    with Cortex.open(project) as cortex:
        triggers = cortex.memories.triggers
        rule = cortex.remember("The harbour office stamps each list.", kind="policy")
        named = triggers.propose(rule, ["cargo bench", "Edit(a.txt|**)", "!Bash(cargo bench)"], "")
        assert named.triggers == ("!Bash(cargo bench)",)
        for line, why in (("cargo bench", "is not a trigger"), ("Edit(a.txt|**)", "every such")):
            with pytest.raises(UsageError, match=why):
                triggers.propose(rule, [line], "")


def test_triggers_and_guard_are_one_change(project: Path) -> None:
    with Cortex.open(project) as cortex:
        rule = cortex.remember("Never use docker here", kind="policy")
        cortex.memories.triggers.set(rule.id, ["Bash(make up)"], guard="deny")
        cortex.undo()
        assert (cortex.show(rule.id).triggers, cortex.show(rule.id).guard) == (
            ("!Bash(docker)",),
            "remind",
        )
        with pytest.raises(UsageError, match="Only the user"):
            cortex.memories.triggers.set(rule.id, ["Bash(x)"], guard="deny", actor="agent")
        assert cortex.show(rule.id).triggers == ("!Bash(docker)",)


def test_a_rule_of_its_own_is_not_about_what_was_named_before_it() -> None:
    found = finding.find("policy", "Use pnpm. Never run the seeds.")
    assert {"!Bash(npm)", "!Bash(npm run seed*)"} <= set(found)
    assert "!Bash(pnpm run)" not in found
    assert finding.find("policy", "src/gen is protoc's. Never edit it.") == ("!Edit(src/gen)",)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("!Bash(npm)", "A call that runs npm breaks the rule."),
        (
            "Bash(git commit) after Bash(make fmt)",
            "A call that runs git commit is an occasion for it; make fmt has to come first.",
        ),
        (
            "!Bash(pytest) unless Bash(uv run pytest)",
            "A call that runs pytest, unless it is uv run pytest, breaks the rule.",
        ),
        ("Edit(**)", "A call that changes ** is an occasion for it. Every such call does."),
        ("!Edit(+docs/**)", "A call that makes a new file docs/** breaks the rule."),
        ("!Push(+*)", "A call that pushes to any branch by force breaks the rule."),
        ("Push(main)", "A call that pushes to main is an occasion for it."),
        ("!Commit(.env)", "A call that stages or commits .env breaks the rule."),
        ("Text(TODO)", "A call that writes “TODO” is an occasion for it."),
        (
            "!Text(eval( @in:python @in:!tests)",
            "A call that writes “eval(” in “python” not in “tests” breaks the rule.",
        ),
        ("mcp__gh__*", "A call that calls mcp__gh__* is an occasion for it."),
        ("npm", "“npm” is not a trigger."),
    ],
)
def test_a_trigger_is_explained(project: Path, line: str, words: str) -> None:
    with Cortex.open(project) as cortex:
        (one,) = cortex.memories.triggers.explained([line])
        assert (one.meaning or one.problem) == words
        assert list(cortex.memories.triggers.explained([line] * 13))[12].problem


def test_all_triggers_are_switched_off_whatever_the_project_says(project: Path) -> None:
    with Cortex.open(project) as cortex:
        cortex.settings.set("triggers.on", True, "project")
        cortex.memories.triggers.switch(on=False)
        assert cortex.config.get("triggers.on") is False


def test_a_guard_does_not_travel(project: Path, tmp_path: Path) -> None:
    with Cortex.open(project) as cortex:
        rule = cortex.remember("Never use docker here", kind="policy")
        cortex.memories.triggers.guard(rule.id, "deny")
        with (tmp_path / "out.jsonl").open("w") as out:
            cortex.exchange.export_jsonl(out)
        cortex.forget(rule.id)
    assert '"guard"' not in (tmp_path / "out.jsonl").read_text()


def test_the_worker_finds_the_triggers_of_older_memories(project: Path) -> None:
    from cortex_core.triggers import assigning as curated

    with Cortex.open(project) as cortex:
        rule = cortex.remember("Never use docker here", kind="policy")
        store = cortex.workspace.store()
        with store.change("test", "as before triggers", "worker") as change:
            change.update("memory", rule.id, {"triggers": "[]", "triggers_by": ""})
        assert cortex.show(rule.id).triggers == ()
        assert curated.find_missing(store) == 1
        assert cortex.show(rule.id).triggers == ("!Bash(docker)",)
        assert curated.find_missing(store) == 0


def test_triggers_are_found_again_once_words_are_read_otherwise(project: Path) -> None:
    from cortex_core.triggers import assigning as curated

    with Cortex.open(project) as cortex:
        rule = cortex.remember("Never push to main", kind="policy")
        own = cortex.remember("Never push to production", kind="policy")
        cortex.memories.triggers.set(own.id, ["Bash(make deploy)"])
        store = cortex.workspace.store()
        with store.change("test", "as an earlier version found them", "worker") as change:
            change.update("memory", rule.id, {"triggers": '["Bash(git p)"]'})
        for kept in ("Bash(git p)", "!Push(main)"):
            store.set_meta("triggers", finding.VERSION if kept == "Bash(git p)" else "1")
            curated.find_missing(store)
            assert cortex.show(rule.id).triggers == (kept,)
        assert cortex.show(own.id).triggers == ("Bash(make deploy)",)


def test_a_stored_line_that_is_no_trigger_matches_nothing() -> None:
    assert syntax.parsed("nonsense") is None


def test_an_import_sets_no_guard(project: Path) -> None:
    line = '{"content": "Never use docker here", "kind": "policy", "guard": "deny"}'
    with Cortex.open(project) as cortex:
        cortex.exchange.import_jsonl([line], own=True)
        (memory,) = cortex.list()
        assert memory.guard == "remind"


def test_a_store_that_came_from_elsewhere_brings_no_guard(project: Path) -> None:
    with Cortex.open(project) as cortex:
        rule = cortex.remember("Never use docker here", kind="policy")
        cortex.memories.triggers.guard(rule.id, "deny")
        cortex.trust.grant()
        assert cortex.show(rule.id).guard == "deny"
        cortex.trust.revoke()
        cortex.trust.grant()
        assert cortex.show(rule.id).guard == "remind"
