"""The command `completion install`: the file by which a shell completes the words of `cortex`.

The file is click's own script and asks `cortex` at each Tab. It is where its shell looks by
itself, and its last line marks it as ours: a file without that line is never touched.
"""

import os
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.cli.command import Run, group, pass_run
from cortex_core.cli.main import cli

MARK = "# Written by: cortex completion install"
"""The last line of a file that is ours."""

SHELLS = {
    "bash": (BashComplete, "XDG_DATA_HOME", ".local/share", "bash-completion/completions/cortex"),
    "zsh": (ZshComplete, "XDG_DATA_HOME", ".local/share", "zsh/site-functions/_cortex"),
    "fish": (FishComplete, "XDG_CONFIG_HOME", ".config", "fish/completions/cortex.fish"),
}
"""Who writes the script of each shell, and where that looks: a variable that names the folder, the
folder below the user's without it, and the file."""


def path(shell: str) -> Path:
    """Where the shell looks for the completion of `cortex`."""
    _, variable, default, file = SHELLS[shell]
    return Path(os.environ.get(variable) or Path.home() / default, file)


def is_ours(file: Path) -> bool:
    """Whether the file is there and was written by `completion install`."""
    with suppress(OSError):
        return file.read_text(encoding="utf-8", errors="replace").endswith(f"{MARK}\n")
    return False


@group("completion", examples=("cortex completion install", "cortex completion install zsh"))
def completion() -> None:
    """Have the shell complete commands, options, ids and settings."""


@completion.command(
    "install", examples=("cortex completion install", "cortex completion install fish")
)
@click.argument(
    "shell",
    metavar="[bash|zsh|fish]",
    type=click.Choice(list(SHELLS)),
    required=False,
)
@pass_run
def completion_install(run: Run, shell: str | None) -> None:
    """Write the file by which bash, zsh or fish completes cortex.

    Without an argument it is for the shell that $SHELL names. bash reads it by the package
    bash-completion. A file of somebody else is left as it is. cortex uninstall removes the file
    again.
    """
    shell = shell or Path(os.environ.get("SHELL", "")).name
    if shell not in SHELLS:
        raise UsageError(
            f"$SHELL names none of {', '.join(SHELLS)}. Nothing was written. Name one: cortex "
            "completion install bash"
        )
    file = path(shell)
    # A link is foreign where it leads nowhere, too.
    if os.path.lexists(file) and not is_ours(file):
        raise CortexError(
            f"{file} is not from Cortex. It was left as it is, and nothing was written. To have "
            "Cortex write it, move it away first."
        )
    script = SHELLS[shell][0](cli, {}, "cortex", "_CORTEX_COMPLETE").source()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        hook_io.replace(str(file), f"{script.rstrip()}\n{MARK}\n", mode=0o644)
    except OSError as error:
        raise CortexError(
            f"{file} cannot be written: {error.strerror or error}. Nothing was changed. Make its "
            "folder writable and try again."
        ) from error
    # Only zsh itself can say what its fpath is.
    run.say(
        {"shell": shell, "path": str(file)},
        f"Wrote {file}. Shells that start from here on complete cortex. To take it away: cortex "
        "uninstall, or delete the file.",
        "If your fpath lacks that folder, add to .zshrc, above compinit: "
        f"fpath=({file.parent} $fpath)"
        if shell == "zsh"
        else "",
    )
