"""What an agent's hooks run: `python -I -m cortex_core.hook [--agent NAME] [event]`.

Whatever happens, the process exits with 0, and standard output holds one JSON object or nothing.
Nothing else is imported before the recursion guard, and little after it.
"""

import gc
import os
import sys

from cortex_core import CHILD

LARGEST_INPUT = 32 << 20
"""Bytes of input; longer input is ignored."""

INPUT_TIMEOUT = 3.0
"""Seconds within which the input must arrive."""

INPUT_SILENCE = 0.5
"""Seconds without another byte after which input that looks complete is taken as complete.

Claude Code may keep the pipe open."""


def main() -> None:
    """Run as the hook process: never returns, never fails."""
    if os.environ.get(CHILD):
        os._exit(0)
    gc.disable()  # the process is over before collecting would pay
    try:
        os.fstat(0)  # closed, its number would go to the next file that is opened
        out = _take_over_output()
        arguments = sys.argv[1:]
        agent = "claude"
        if "--agent" in arguments[:-1]:
            agent = arguments.pop(arguments.index("--agent") + 1)
        word = next((given for given in arguments if not given.startswith("-")), "")
        answer = run(word, _read(), agent)
        if answer and out >= 0:
            _write(out, answer)
    except BaseException:
        os._exit(0)
    os._exit(0)


def run(word: str, data: bytes, agent: str = "claude") -> bytes:
    """Do what the hook event in `data` asks for; the output to print, or nothing.

    Args:
        word: the event's name as the command line gave it, which only has to agree with the data.
        agent: whose hook this is.
    """
    if os.environ.get(CHILD) or not data.strip():
        return b""
    from cortex_core.hook_events import answering

    return answering.answer(word, data, agent)


def _take_over_output() -> int:
    """Keep standard output for the answer: whatever else is printed goes nowhere.

    Returns:
        A descriptor of standard output; -1 if it is closed.
    """
    try:
        out = os.dup(1)
    except OSError:
        out = -1
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return out


def _read() -> bytes:
    """Standard input up to its end, the size limit or the time limit; empty if it is too long."""
    import select
    import time

    parts: list[bytes] = []
    size = 0
    end = time.monotonic() + INPUT_TIMEOUT
    while size <= LARGEST_INPUT:
        # Input that ends an object may be complete although the pipe is open.
        is_whole = bool(parts) and parts[-1].rstrip().endswith(b"}")
        patience = min(INPUT_SILENCE if is_whole else INPUT_TIMEOUT, end - time.monotonic())
        if patience <= 0 or not select.select([0], [], [], patience)[0]:
            break
        part = os.read(0, 1 << 20)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts) if size <= LARGEST_INPUT else b""


def _write(out: int, answer: bytes) -> None:
    while answer:
        answer = answer[os.write(out, answer) :]


if __name__ == "__main__":
    main()
