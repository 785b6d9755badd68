"""Commands that connect Cortex with Claude Code and disconnect it: install, uninstall."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from cortex_core.claude.installation import INSTALL_SCOPES, InstallScope
from cortex_core.cli import model_choice, output
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import DRY_RUN
from cortex_core.errors import CortexError

if TYPE_CHECKING:
    from cortex_core.claude.installer import Plan
    from cortex_core.project import Project

SERVER = {
    "registered": "The MCP server is registered with the client.",
    "unchanged": "The MCP server was registered already.",
    "foreign": "Another MCP server is called cortex, so ours was not registered.",
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
    help="For all projects, in this project's shared settings, or here for you alone.",
)
@click.option("--skills", "with_skills", is_flag=True, help="Copy the skills: /recall, …")
@click.option("--no-server", is_flag=True, help="Do not register the MCP server.")
@click.option("--no-trial", is_flag=True, help="Do not try the hooks on a made-up session.")
@click.option("--force", is_flag=True, help="Install although the plugin is enabled.")
@DRY_RUN
@pass_run
def install(run: Run, /, scope: InstallScope, dry_run: bool, force: bool, **options: bool) -> None:
    """Connect Cortex with Claude Code.

    Hooks go into the client's settings.json: a copy is made first, and all else in it stays as it
    is, to the byte. The MCP server is registered by the client's own command. At the end a made-up
    session goes through the hooks, apart from yours. Running this again only mends what is off.
    """
    from cortex_core.claude import hook_entries, installer
    from cortex_core.project import find

    project, python = find(explicit=run.project), hook_entries.interpreter()
    installer.check(python)
    _refuse_twice(project, force)
    plan = installer.plan(scope, project, python)
    told = {"settings": str(plan.path), "scope": scope, "changed": plan.changes, "dry_run": dry_run}
    if dry_run:
        _preview(run, plan, told | {"diff": plan.diff}, options, python)
        return
    done = installer.install(plan, project.home)
    state = "Cortex's hooks are in" if plan.changes else "Cortex's hooks were in already:"
    _say(run, f"{state} {plan.path}")
    told["backup"] = done.backups[-1] if done and done.backups and plan.changes else None
    if told["backup"]:
        _say(run, f"The file as it was: {told['backup']}")
    if caution := installer.caution(plan):
        output.note(f"Note: {caution}")
    if options["with_skills"]:
        told["skills"] = _copy_skills(run, plan, project, python)
    told["server"] = "skipped" if options["no_server"] else _register(run, plan, project, python)
    told["trial"] = "skipped" if options["no_trial"] else _prove(run, plan)
    if not run.json:
        model_choice.offer(project)
    _end(run, told, failed=told["trial"] not in ("passed", "skipped"))


@command("uninstall", examples=("cortex uninstall --dry-run", "cortex uninstall"))
@DRY_RUN
@pass_run
def uninstall(run: Run, dry_run: bool) -> None:
    """Disconnect Cortex from Claude Code.

    Takes out the hooks, the copied skills and the MCP server, and leaves the memories. A settings
    file that was not edited since is then, to the byte, what it was before.
    """
    from cortex_core.claude import installer
    from cortex_core.project import find

    project = find(explicit=run.project)
    plans, problems = installer.plans_out(project)
    told: dict[str, Any] = {"settings": [str(plan.path) for plan in plans], "dry_run": dry_run}
    if dry_run:
        told["diff"] = "".join(plan.diff for plan in plans)
        if not run.json:
            output.verbatim(
                told["diff"] or "There are no hooks of Cortex in the client's settings."
            )
    else:
        told["backups"] = [copy for plan in plans for copy in _take_out(run, plan, project)]
        told["server"] = _unregister(run, project, plans)
        _clear_surface(project)
    for problem in problems:
        output.warn(problem)
    _after_uninstall(run, project, dry_run)
    _end(run, told | {"problems": problems}, failed=bool(problems))


def _refuse_twice(project: Project, force: bool) -> None:
    """Stop where the plugin does the same already.

    Raises:
        CortexError: it is enabled, and the person did not insist.
    """
    from cortex_core.claude import registration

    name = registration.plugin(project)
    if name and not force:
        raise CortexError(
            f"The plugin {name} is enabled and does the same. Nothing was changed. Keep it, or "
            f"take it out with: claude plugin uninstall {name}. With --force both are there; "
            "each event is then answered once."
        )


def _preview(
    run: Run, plan: Plan, told: dict[str, Any], options: dict[str, bool], python: tuple[str, ...]
) -> None:
    from cortex_core.claude import registration, skills

    if options["with_skills"]:
        told["skills"] = [str(file.parent.name) for file in sorted(skills.source().glob("*/*.md"))]
    if not options["no_server"]:
        told["server"] = registration.typed(registration.add_command(plan.scope, python))
    if run.json:
        output.emit(told)
        return
    output.verbatim(plan.diff or f"Cortex's hooks are in {plan.path} already.")
    if "server" in told:
        output.note(f"Then this would run: {told['server']}")
    if "skills" in told:
        output.note(f"These skills would be copied: {', '.join(told['skills'])}")


def _copy_skills(
    run: Run, plan: Plan, project: Project, python: tuple[str, ...]
) -> dict[str, list[str]]:
    from cortex_core.claude import installation, skills

    known = installation.load(project.home, str(plan.path))
    ours, others = skills.copy(python, known.skills if known else {})
    if known:
        installation.save(project.home, replace(known, skills=ours))
    _say(run, f"{len(ours)} skills are in place.")
    for name in others:
        output.warn(f"{name} is not of Cortex, or was edited: it was left as it is.")
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
        output.note("Trying the hooks on a made-up session …")
    problem = installer.prove(plan.path)
    if problem:
        output.warn(
            f"The trial failed: {problem}. The hooks are in place all the same; "
            "take them out with: cortex uninstall"
        )
        return problem
    _say(run, "The trial passed: what one session taught was given to the next.")
    return "passed"


def _take_out(run: Run, plan: Plan, project: Project) -> tuple[str, ...]:
    from cortex_core.claude import installer, skills

    edited = skills.remove(plan.known.skills) if plan.known else []
    backups = installer.uninstall(plan, project.home)
    _say(run, f"Cortex's hooks are out of {plan.path}")
    for name in edited:
        output.warn(f"{name} was edited since it was copied: it was left as it is.")
    if backups:
        _say(run, f"The file was edited since; copies are kept: {', '.join(backups)}")
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
            _say(run, "The MCP server is no longer registered with the client.")
    return next((state for state in states if state != "unchanged"), "unchanged")


def _clear_surface(project: Project) -> None:
    """Take what was last given out of the project's file for people: it would only grow old."""
    from cortex_core.surface import deliver

    with suppress(OSError):
        deliver.write(project, "")


def _after_uninstall(run: Run, project: Project, dry_run: bool) -> None:
    """Say what stays."""
    from cortex_core.claude import registration

    name = registration.plugin(project)
    if name:
        _say(run, f"The plugin is still enabled; to remove it: claude plugin uninstall {name}")
    if not dry_run:
        places = dict.fromkeys((project.data, project.home))
        _say(run, f"Your memories stay in {' and '.join(places)}.")


def _say(run: Run, text: str) -> None:
    if not run.json:
        output.say(text)


def _end(run: Run, told: dict[str, Any], *, failed: bool) -> None:
    if run.json:
        output.emit(told)
    click.get_current_context().exit(1 if failed else 0)
