"""The command that opens a port: serve."""

from __future__ import annotations

import os
import sys

import click

from cortex_core.cli import output
from cortex_core.cli.command import Run, command, pass_run


@command("serve", examples=("cortex serve", "cortex serve --port 0 --json"))
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    default=47_811,
    show_default=True,
    help="The port; 0 takes any that is free.",
)
@click.option("--new-token", is_flag=True, help="Make a new token; the old one ends.")
@pass_run
def serve(run: Run, port: int, new_token: bool) -> None:
    """Answer scripts of this machine over HTTP.

    It serves until it is ended. Only 127.0.0.1 is listened on, and only who sends the token is
    answered (Authorization: Bearer TOKEN); it lies in a file that you alone can read. The endpoints
    are GET /api/memory/search?q=… and /api/memory/context, POST /api/memory/store and
    /api/memory/extract; they take and give JSON. What a client writes is journalled as the agent's.
    """
    from cortex_core.http_server import server, token
    from cortex_core.project import global_side

    home = global_side()
    known = token.ensure(home, fresh=new_token)

    def say(opened: server.Server) -> None:
        file = str(token.path(home))
        if run.json:
            output.emit({"address": opened.address, "token_file": file, "pid": os.getpid()})
        else:
            output.say(f"Listening on {opened.address}, for this machine alone.", "bold")
            output.say(f"The token is in {file}. End with ctrl+c.")
        sys.stdout.flush()

    server.serve(run.project, known, port, say)
