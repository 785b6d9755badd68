"""Commands that connect Cortex with agents (install, uninstall), and commands that start a
program or replay something: tui, demo, prove, hook, worker, mcp, serve.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import click

from cortex_core import agents
from cortex_core.agents.protocol import InstallScope, PlannedConnection, PlannedRemoval
from cortex_core.base import config as configuration, text
from cortex_core.base.agent_names import LABELS
from cortex_core.base.project import Project, find, global_side
from cortex_core.cli import output, settings_commands
from cortex_core.cli.command import APP, DRY_RUN, FAILED, Run, at_terminal, command, pass_run
from cortex_core.cli.prose import cut, day, when
from cortex_core.records.proofs import NEEDS, Benefit, Proof

PASSED_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""For commands that pass their arguments on."""


@command("tui", examples=("cortex", "cortex tui --project ~/work/shop"))
@pass_run
def tui(run: Run) -> None:
    """Open the terminal app, like cortex without a command."""
    click.get_current_context().exit(_open_app(project=run.project))


def _open_app(**where: str | None) -> int:
    """Run the app until the user quits it; return its exit code."""
    return int(importlib.import_module(APP).run(**where))


@command("demo", examples=("cortex demo", "cortex demo --json"))
@pass_run
def demo(run: Run) -> None:
    """Try Cortex on a made-up project, separate from your own.

    It has weeks of memories and two past sessions; one of today goes through the real hooks and
    the worker, in a temporary folder. In a terminal, the app then opens on it. The folder is
    removed afterwards.
    """
    from cortex_core import demo as demos

    def show(demo: demos.Demo) -> None:
        click.pause("\nPress Enter to open the app.")
        own, apart = dict(os.environ), demo.environment()
        os.environ.clear()
        os.environ |= apart  # what is connected or repaired there is the demo's alone
        try:
            _open_app(project=str(demo.project), home=str(demo.home / "cortex"))
        finally:
            os.environ.clear()
            os.environ |= own

    opens_app = at_terminal() and output.paints() and not run.json
    code = demos.run(output.note if run.json else output.say, show if opens_app else None)
    if run.json:
        output.emit({"passed": code == 0})
    click.get_current_context().exit(code)


BENEFITS: output.View[Benefit] = output.View(
    (
        output.Column("", fills=True),
        output.Column("of", right=True),
        output.Column("met", right=True),
        output.Column("shuffled", right=True),
    ),
    lambda one: (NEEDS[one.name], f"{one.of:,}", f"{one.met:,}", f"{one.shuffled:,}"),
    headed=True,
)


@command("prove", examples=("cortex prove", "cortex prove --sessions 100", "cortex prove ~/copies"))
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--sessions",
    "most",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    metavar="N",
    help="How many sessions, the newest.",
)
@pass_run
def prove(run: Run, paths: tuple[str, ...], most: int) -> None:
    """Replay your past sessions to see what Cortex would have been worth.

    Each session is given what was known from those before it, in a scratch store, by rules alone;
    nothing of yours is changed. What it came to need is compared with that. The column “shuffled”
    is the placebo: each line exchanged for one of another session. What does not exceed it is
    chance. Without a PATH, the sessions of this project are replayed.
    """
    from cortex_core import prove as proving

    with output.progress("Replaying sessions") as progress:
        proof = proving.prove(run.cortex, paths, most, progress)
    run.show(proof, _print_proof)


def _print_proof(proof: Proof) -> None:
    if not proof.sessions:
        output.note("There are no past sessions to replay. Try: cortex demo")
        return
    days = " to ".join(dict.fromkeys(map(day, (proof.since, proof.until))))
    given = f"{text.counted(proof.lines, 'line')} in {text.counted(proof.tokens, 'token')}"
    output.say(
        f"{text.counted(proof.sessions, 'session')}, {days}, "
        f"{text.counted(proof.prompts, 'prompt')}. "
        f"They would have been given {given if proof.lines else 'nothing'}."
    )
    output.show(BENEFITS, proof.benefits, as_json=False)
    if proof.suggested:
        output.say(
            f"{text.counted(proof.suggested, 'suggestion')} waited for you to decide; what you "
            "keep of them is given as well."
        )
    for one in proof.spared:
        output.say(f"{when(one.time)} you said “{cut(one.said, 100)}”; Cortex had: {one.line}")


@command("hook", examples=("cortex hook session-start < payload.json",), context_settings=PASSED_ON)
@click.argument("words", metavar="EVENT", nargs=-1, type=click.UNPROCESSED)
@pass_run
def hook(run: Run, words: tuple[str, ...]) -> None:
    """Handle a hook event of an agent.

    It is Claude Code's, or with --agent NAME before the event that of another agent. It reads the
    payload from stdin, prints the answer to stdout, and always exits with 0.
    Installed hooks run the same code without the command line: python -I -m cortex_core.hook
    """
    from cortex_core import hook as hooks

    if run.project:
        os.environ["CORTEX_PROJECT"] = run.project
    sys.argv[1:] = words
    hooks.main()


@command("worker", examples=("cortex worker --project ~/work/shop",), context_settings=PASSED_ON)
@click.argument("words", metavar="", nargs=-1, type=click.UNPROCESSED)
@pass_run
def worker(run: Run, words: tuple[str, ...]) -> None:
    """Capture what the hooks recorded.

    Hooks start it automatically. It exits when everything is done. A second worker of the same
    project exits at once.
    """
    from cortex_core import worker as workers
    from cortex_core.capture import spool

    where = ["--project", run.project] if run.project else []
    code = workers.main([*where, *words])
    if problem := spool.problem(find(explicit=run.project)):
        output.warn(problem)
        code = FAILED
    click.get_current_context().exit(code)


@command("mcp", examples=("cortex mcp", "cortex mcp --project ~/work/shop"))
@pass_run
def mcp(run: Run) -> None:
    """Serve memories to an agent over MCP.

    It communicates over stdin and stdout until the agent, which starts it, closes them.
    """
    from cortex_core.mcp_server import __main__

    click.get_current_context().exit(
        __main__.main(["--project", run.project] if run.project else [])
    )


@command("serve", examples=("cortex serve", "cortex serve --port 0 --json"))
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    default=47_811,
    show_default=True,
    help="The port; 0 chooses a free one.",
)
@click.option("--new-token", is_flag=True, help="Generate a new token; the old one stops working.")
@pass_run
def serve(run: Run, port: int, new_token: bool) -> None:
    """Serve scripts on this machine over HTTP.

    It runs until you stop it. It listens on 127.0.0.1 only and answers only requests with the
    token (Authorization: Bearer TOKEN), which is in a file that only you can read. The endpoints
    are GET /api/memory/search?q=… and /api/memory/context, POST /api/memory/store and
    /api/memory/extract; they accept and return JSON. The journal records changes as the agent's.
    """
    from cortex_core.http_server import endpoints, server

    home = global_side()
    token = endpoints.ensure(home, fresh=new_token)

    def say(listening: server.Server) -> None:
        file = str(endpoints.path(home))
        address = f"http://{server.HOST}:{listening.port}"
        if run.json:
            output.emit({"address": address, "token_file": file, "pid": os.getpid()})
        else:
            output.say(f"Listening on {address}, for this machine only.", "bold")
            output.say(f"The token is in {file}. Press ctrl+c to stop.")
        sys.stdout.flush()

    server.serve(run.project, token, port, say)


SERVER = {
    "registered": "Registered the MCP server with {}.",
    "unchanged": "The MCP server was already registered with {}.",
    "foreign": "Another MCP server is named cortex in {}, so this one was not registered.",
}

AGENT = click.option(
    "--agent",
    "names",
    type=click.Choice([agent.name for agent in agents.having("installer")]),
    multiple=True,
    help="The agent; can be given several times.",
)


@command(
    "install",
    examples=("cortex install --dry-run", "cortex install", "cortex install --agent codex"),
)
@AGENT
@click.option(
    "--scope",
    type=click.Choice(get_args(InstallScope)),
    default="user",
    show_default=True,
    help="user: all projects; project: shared settings of this project; local: here, for you.",
)
@click.option("--no-server", is_flag=True, help="Do not register the MCP server.")
@click.option("--no-trial", is_flag=True, help="Do not test the hooks with a made-up session.")
@click.option("--force", is_flag=True, help="Install even if the plugin is enabled.")
@DRY_RUN
@pass_run
def install(
    run: Run,
    /,
    names: tuple[str, ...],
    scope: InstallScope,
    dry_run: bool,
    force: bool,
    **options: bool,
) -> None:
    """Connect Cortex with agents.

    In a terminal it asks for each agent on this machine; otherwise it connects Claude Code, or the
    agents that are named. It adds hooks to the agent's own file after making a copy; the rest of
    the file stays byte for byte as it is. The agent's command registers the MCP server. At the end,
    a made-up session goes through Claude Code's hooks, separate from your own. Running it again
    repairs what is wrong.
    """
    project = find(explicit=run.project)
    chosen = [agents.of(name) for name in dict.fromkeys(names)]
    if not chosen:
        chosen = [agents.of("claude")] if dry_run or run.json else _asked(project)
    # All are planned before one is changed: what cannot be done is said first.
    plans = [(agent, agent.installer.plan(project, scope, force=force)) for agent in chosen]
    reports: list[dict[str, Any]] = []
    for agent, connection in plans:
        report = {
            "agent": agent.name,
            "settings": connection.preview.settings,
            "scope": scope,
            "changed": bool(connection.preview.diff),
            "dry_run": dry_run,
        }
        if dry_run:
            _preview(run, connection, report, options)
        else:
            _connect(run, agent, connection, report, options)
        reports.append(report)
    if not run.json and not dry_run:
        if run.cortex.sessions.archive.recorder.is_kept:
            output.say(
                "What is said in sessions stays on this machine in an archive, without secrets and "
                "code (see: cortex sessions). To keep none: cortex config set archive.keep off "
                "--global"
            )
        settings_commands.offer(run)
    failed = any(one.get("trial", "passed") not in ("passed", "skipped") for one in reports)
    _end(run, reports[0] if len(reports) == 1 else {"agents": reports}, failed=failed)


def _asked(project: Project) -> list[agents.Agent]:
    """The agents that the user chooses, of those on this machine; Claude Code if nobody is there to
    ask."""
    found = [agent for agent in agents.having("installer") if agent.installer.is_present()]
    is_choice = any(agent.name != "claude" for agent in found)
    if not is_choice or not at_terminal() or os.environ.get("CI"):
        return [agents.of("claude")]
    output.say(f"Found: {', '.join(LABELS[agent.name] for agent in found)}.")
    chosen = []
    for agent in found:
        if click.confirm(f"Connect {LABELS[agent.name]}?", default=True):
            chosen.append(agent)
        else:
            # Whoever does not want it connected does not want its sessions read either.
            configuration.set(project, f"agents.{agent.name}", "off", "global")
            output.say(
                f"Nothing of {LABELS[agent.name]} is read. To change that: cortex install --agent "
                f"{agent.name}"
            )
    return chosen


def _connect(
    run: Run,
    agent: agents.Agent,
    connection: PlannedConnection,
    report: dict[str, Any],
    options: dict[str, bool],
) -> None:
    """Carry out the plan for one agent, and report it."""
    plan, backup = connection.preview, connection.add_hooks()
    state = "Added the hooks to" if plan.diff else "The hooks are already in"
    _say(run, f"{state} {plan.settings}")
    report["backup"] = backup or None
    if backup:
        _say(run, f"Copy of the file before the change: {backup}")
    if plan.caution:
        output.note(f"Note: {plan.caution}")
    report["server"] = "skipped" if options["no_server"] else connection.register()
    if not options["no_server"]:
        by_hand = f"To register the MCP server, run: {plan.server}"
        _say(run, SERVER.get(report["server"], by_hand).format(LABELS[agent.name]))
    # Named by the user, an agent is wanted, whatever was answered before.
    setting, project = f"agents.{agent.name}", run.cortex.project
    if configuration.load(project).get(setting) == "off":
        configuration.set(project, setting, "on", "global")
    # The trial is last: it goes through the very hooks that the settings file has now.
    has_trial = "trial" in agents.AGENTS[agent.name] and not options["no_trial"]
    report["trial"] = _prove(run, Path(plan.settings)) if has_trial else "skipped"


@command("uninstall", examples=("cortex uninstall --dry-run", "cortex uninstall"))
@AGENT
@DRY_RUN
@pass_run
def uninstall(run: Run, names: tuple[str, ...], dry_run: bool) -> None:
    """Disconnect Cortex from agents.

    From all of them, or from those that are named. It removes the hooks and the MCP
    server, and keeps the memories. A settings file that was not edited since the installation
    gets back its old content, byte for byte.
    """
    from cortex_core.surface import cache

    project = find(explicit=run.project)
    chosen = [one for one in agents.having("installer") if not names or one.name in names]
    found = [(one.installer, *one.installer.removals(project)) for one in chosen]
    removals = [one for _, listed, _ in found for one in listed]
    problems = [problem for _, _, listed in found for problem in listed]
    report: dict[str, Any] = {
        "settings": [one.settings for one in removals],
        "dry_run": dry_run,
    }
    if dry_run:
        report["diff"] = "".join(one.diff for one in removals)
        if not run.json:
            output.verbatim(report["diff"] or "There are no Cortex hooks in the agents' settings.")
    else:
        # Servers first: what is registered is known by the files that are about to go.
        states = [
            state
            for installer, listed, _ in found
            for state in installer.unregister(
                project, [project.root or "", *(one.root for one in listed)]
            )
        ]
        report["backups"] = [copy for one in removals for copy in _take_out(run, one, project.home)]
        report["server"] = _unregister(run, states)
        with suppress(OSError):  # the last injected text would become outdated
            cache.write_surface_file(project, "")
    # A settings file that cannot be read does not keep the others from being cleaned.
    for problem in problems:
        output.warn(problem)
    for installer, _, _ in found:
        if left := installer.remains(project):
            _say(run, left)
    if not dry_run:
        folders = " and ".join(dict.fromkeys((project.data, project.home)))
        _say(run, f"Your memories are still in {folders}.")
    _end(run, report | {"problems": problems}, failed=bool(problems))


def _preview(
    run: Run, connection: PlannedConnection, report: dict[str, Any], options: dict[str, bool]
) -> None:
    preview = connection.preview
    report["diff"] = preview.diff
    if not options["no_server"]:
        report["server"] = preview.server
    if run.json:
        return
    output.verbatim(preview.diff or f"The hooks are already in {preview.settings}.")
    if "server" in report:
        output.note(f"Then this command would run: {report['server']}")


def _prove(run: Run, settings: Path) -> str:
    from cortex_core import demo

    if not run.json:
        output.note("Testing the hooks with a made-up session …")
    # Tried by the interpreter that the file names, which may be another than this one.
    route = agents.of("claude").trial.route(settings)
    problem = demo.try_hooks(route.python) if route else f"{settings} has no hooks"
    if problem:
        output.warn(
            f"The test failed: {problem}. The hooks are still installed; "
            "remove them with: cortex uninstall"
        )
        return problem
    _say(run, "The test passed: a memory from one session was injected into the next.")
    return "passed"


def _take_out(run: Run, removal: PlannedRemoval, home: str) -> Sequence[str]:
    # Of some agents one file has both; else `_unregister` tells of the server.
    server = " and the MCP server" if '"mcpServers"' in removal.diff else ""
    backups = removal.take_out(home)
    _say(run, f"Removed the hooks{server} from {removal.settings}")
    if backups:
        _say(run, f"The file was edited since the installation; copies: {', '.join(backups)}")
    return backups


def _unregister(run: Run, states: Sequence[tuple[str, str]]) -> str:
    """Say what came of the MCP servers; the state of the first that there was."""
    for state, by_hand in states:
        if state == "by hand":
            _say(run, f"To remove the MCP server, run: {by_hand}")
        elif state == "removed":
            _say(run, "Removed the MCP server.")
    return next((state for state, _ in states if state != "unchanged"), "unchanged")


def _say(run: Run, words: str) -> None:
    if not run.json:
        output.say(words)


def _end(run: Run, report: dict[str, Any], *, failed: bool) -> None:
    if run.json:
        output.emit(report)
    click.get_current_context().exit(1 if failed else 0)
