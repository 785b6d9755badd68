"""The text of a patch that several agents' models write, as changes of single files."""

from __future__ import annotations

from cortex_core.base import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HEADS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")


def changes(patch: str) -> list[tuple[str, dict[str, Any]]]:
    """The tool, `WRITE` for a new file and else `EDIT`, and its arguments, for each file."""
    found = []
    for lines in _files(patch):
        head, file = next((head, lines[0][len(head) :]) for head in _HEADS if lines[0][:9] in head)
        given: dict[str, Any] = {"file_path": file.strip()}
        old = "\n".join(line[1:] for line in lines[1:] if line[:1] in ("-", " "))
        new = "\n".join(line[1:] for line in lines[1:] if line[:1] in ("+", " "))
        if head == _HEADS[1]:
            found.append((tools.WRITE, {**given, "content": new}))
        else:
            found.append((tools.EDIT, {**given, "old_string": old, "new_string": new}))
    return found


def _files(patch: str) -> list[list[str]]:
    """The lines of each file, its heading first."""
    files: list[list[str]] = []
    for line in patch.splitlines():
        if line.startswith(_HEADS):
            files.append([line])
        elif files and not line.startswith(("*** ", "@@")):
            files[-1].append(line)
    return files
