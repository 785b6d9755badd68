"""Commands that connect Cortex with Claude Code and disconnect it: install, uninstall."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from cortex_core import text
from cortex_core.claude.installation import INSTALL_SCOPES, InstallScope
from cortex_core.cli import model_choice, output
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import DRY_RUN
from cortex_core.errors import CortexError

if TYPE_CHECKING:
    from cortex_core.claude.installer import Plan
    from cortex_core.project import Project

SERVER = {
    "registered": "Registered the MCP server with Claude Code.",
    "unchanged": "The MCP server was already registered.",
    "foreign": "Another MCP server is named cortex, so this one was not registered.",
}


@command(
    "install",
    examples=("cortex install --dry-run", "cortex install", "cortex install --scope project"),
)
@click.option(
    "--scope",
    type=click.Choice(INSTALL_SCOPES),
    default="user",
    show_default=True,
    help="user: all projects; project: shared settings of this project; local: here, for you.",
)
@click.option("--skills", "with_skills", is_flag=True, help="Also copy the skills: /recall, …")
@click.option("--no-server", is_flag=True, help="Do not register the MCP server.")
@click.option("--no-trial", is_flag=True, help="Do not test the hooks with a made-up session.")
@click.option("--force", is_flag=True, help="Install even if the plugin is enabled.")
@DRY_RUN
@pass_run
def install(run: Run, /, scope: InstallScope, dry_run: bool, force: bool, **options: bool) -> None:
    """Connect Cortex with Claude Code.

    It adds hooks to Claude Code's settings.json after making a copy; the rest of the file stays
    byte for byte as it is. The claude command registers the MCP server. At the end, a made-up
    session goes through the hooks, separate from your own. Running it again repairs what is wrong.
    """
    from cortex_core.claude import hook_entries, installer
    from cortex_core.project import find

    project, python = find(explicit=run.project), hook_entries.interpreter()
    installer.check(python)
    _refuse_twice(project, force)
    plan = installer.plan(scope, project, python)
    report = {
        "settings": str(plan.path),
        "scope": scope,
        "changed": plan.changes,
        "dry_run": dry_run,
    }
    if dry_run:
        _preview(run, plan, report | {"diff": plan.diff}, options, python)
        return
    done = installer.install(plan, project.home)
    state = "Added the hooks to" if plan.changes else "The hooks are already in"
    _say(run, f"{state} {plan.path}")
    report["backup"] = done.backups[-1] if done and done.backups and plan.changes else None
    if report["backup"]:
        _say(run, f"Copy of the file before the change: {report['backup']}")
    if caution := installer.caution(plan):
        output.note(f"Note: {caution}")
    if options["with_skills"]:
        report["skills"] = _copy_skills(run, plan, project, python)
    report["server"] = "skipped" if options["no_server"] else _register(run, plan, project, python)
    report["trial"] = "skipped" if options["no_trial"] else _prove(run, plan)
    if not run.json:
        model_choice.offer(project)
    _end(run, report, failed=report["trial"] not in ("passed", "skipped"))


@command("uninstall", examples=("cortex uninstall --dry-run", "cortex uninstall"))
@DRY_RUN
@pass_run
def uninstall(run: Run, dry_run: bool) -> None:
    """Disconnect Cortex from Claude Code.

    It removes the hooks, the copied skills and the MCP server, and keeps the memories. A settings
    file that was not edited since the installation gets back its old content, byte for byte.
    """
    from cortex_core.claude import installer
    from cortex_core.project import find

    project = find(explicit=run.project)
    plans, problems = installer.plans_out(project)
    report: dict[str, Any] = {"settings": [str(plan.path) for plan in plans], "dry_run": dry_run}
    if dry_run:
        report["diff"] = "".join(plan.diff for plan in plans)
        if not run.json:
            output.verbatim(
                report["diff"] or "There are no Cortex hooks in the settings of Claude Code."
            )
    else:
        report["backups"] = [copy for plan in plans for copy in _take_out(run, plan, project)]
        report["server"] = _unregister(run, project, plans)
        _clear_surface(project)
    for problem in problems:
        output.warn(problem)
    _after_uninstall(run, project, dry_run)
    _end(run, report | {"problems": problems}, failed=bool(problems))


def _refuse_twice(project: Project, force: bool) -> None:
    """Stop if the plugin is already enabled.

    Raises:
        CortexError: it is enabled, and the user did not pass --force.
    """
    from cortex_core.claude import registration

    name = registration.plugin(project)
    if name and not force:
        raise CortexError(
            f"The plugin {name} is enabled and does the same. Nothing was changed. Keep it, or "
            f"remove it with: claude plugin uninstall {name}. With --force, both are installed, "
            "and each event is still answered once."
        )


def _preview(
    run: Run, plan: Plan, report: dict[str, Any], options: dict[str, bool], python: tuple[str, ...]
) -> None:
    from cortex_core.claude import registration, skills

    if options["with_skills"]:
        report["skills"] = [
            str(file.parent.name) for file in sorted(skills.source().glob("*/*.md"))
        ]
    if not options["no_server"]:
        report["server"] = registration.typed(registration.add_command(plan.scope, python))
    if run.json:
        output.emit(report)
        return
    output.verbatim(plan.diff or f"The hooks are already in {plan.path}.")
    if "server" in report:
        output.note(f"Then this command would run: {report['server']}")
    if "skills" in report:
        output.note(f"These skills would be copied: {', '.join(report['skills'])}")


def _copy_skills(
    run: Run, plan: Plan, project: Project, python: tuple[str, ...]
) -> dict[str, list[str]]:
    from cortex_core.claude import installation, skills

    known = installation.load(project.home, str(plan.path))
    ours, others = skills.copy(python, known.skills if known else {})
    if known:
        installation.save(project.home, replace(known, skills=ours))
    _say(run, f"Copied {text.counted(len(ours), 'skill')}.")
    for name in others:
        output.warn(f"{name} is not from Cortex, or was edited. It was not changed.")
    return {"copied": list(ours), "left": others}


def _register(run: Run, plan: Plan, project: Project, python: tuple[str, ...]) -> str:
    from cortex_core.claude import registration

    state = registration.register(plan.scope, project, python)
    by_hand = registration.typed(registration.add_command(plan.scope, python))
    _say(run, SERVER.get(state, f"To register the MCP server, run: {by_hand}"))
    return state


def _prove(run: Run, plan: Plan) -> str:
    from cortex_core.claude import installer

    if not run.json:
        output.note("Testing the hooks with a made-up session …")
    problem = installer.prove(plan.path)
    if problem:
        output.warn(
            f"The test failed: {problem}. The hooks are still installed; "
            "remove them with: cortex uninstall"
        )
        return problem
    _say(run, "The test passed: a memory from one session was injected into the next.")
    return "passed"


def _take_out(run: Run, plan: Plan, project: Project) -> tuple[str, ...]:
    from cortex_core.claude import installer, skills

    edited = skills.remove(plan.known.skills) if plan.known else []
    backups = installer.uninstall(plan, project.home)
    _say(run, f"Removed the hooks from {plan.path}")
    for name in edited:
        output.warn(f"{name} was edited since it was copied. It was not removed.")
    if backups:
        _say(run, f"The file was edited since the installation; copies: {', '.join(backups)}")
    return backups


def _unregister(run: Run, project: Project, plans: list[Plan]) -> str:
    """Remove the MCP server: the user's, this project's, and those of the projects in `plans`."""
    from cortex_core.claude import registration
    from cortex_core.project import find

    elsewhere = {plan.path.parent.parent for plan in plans if plan.scope != "user"}
    roots = {project.root, *(str(root) for root in elsewhere if root.is_dir())} - {None}
    places: list[tuple[InstallScope, Project]] = [("user", project)]
    places += [("local", find(explicit=root)) for root in sorted(filter(None, roots))]
    states = []
    for scope, there in places:
        state = registration.unregister(scope, there)
        states.append(state)
        if state == "by hand":
            by_hand = registration.typed(registration.remove_command(scope))
            _say(run, f"To remove the MCP server, run: {by_hand}")
        elif state == "removed":
            _say(run, "Removed the MCP server from Claude Code.")
    return next((state for state in states if state != "unchanged"), "unchanged")


def _clear_surface(project: Project) -> None:
    """Remove the last injected text from the project's readable copy: it would become outdated."""
    from cortex_core.surface import deliver

    with suppress(OSError):
        deliver.write(project, "")


def _after_uninstall(run: Run, project: Project, dry_run: bool) -> None:
    """Say what remains."""
    from cortex_core.claude import registration

    name = registration.plugin(project)
    if name:
        _say(run, f"The plugin is still enabled; to remove it: claude plugin uninstall {name}")
    if not dry_run:
        folders = dict.fromkeys((project.data, project.home))
        _say(run, f"Your memories are still in {' and '.join(folders)}.")


def _say(run: Run, text: str) -> None:
    if not run.json:
        output.say(text)


def _end(run: Run, report: dict[str, Any], *, failed: bool) -> None:
    if run.json:
        output.emit(report)
    click.get_current_context().exit(1 if failed else 0)
