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
    from cortex_core.http_server import server, token
    from cortex_core.project import global_side

    home = global_side()
    known = token.ensure(home, fresh=new_token)

    def say(opened: server.Server) -> None:
        file = str(token.path(home))
        if run.json:
            output.emit({"address": opened.address, "token_file": file, "pid": os.getpid()})
        else:
            output.say(f"Listening on {opened.address}, for this machine only.", "bold")
            output.say(f"The token is in {file}. Press ctrl+c to stop.")
        sys.stdout.flush()

    server.serve(run.project, known, port, say)
