"""What a file of an agent's own memory states, as candidates: the one reader of such files, whether
a transcript shows that the agent wrote one, or it is on the disk."""

from collections.abc import Iterator, Mapping
from typing import Any

from cortex_core import agents
from cortex_core.base import text
from cortex_core.base.authorship import AGENTS_MEMORY
from cortex_core.capture import frontmatter, notes
from cortex_core.extract import wording
from cortex_core.language.patterns import Pattern
from cortex_core.language.statements import is_complete
from cortex_core.records import procedure_plan
from cortex_core.records.events import Candidate, Event

own_files = agents.of("claude").own_files

CONFIDENCE, LONGEST_ABOUT = 0.9, 160
"""Of 31 statements that agents wrote down in seven sessions, 22 were good and none was bad.
Characters of a description that are a title: as many as a line of the note has."""

_ASKING = ("Where ", "How ", "What ", "Why ", "When ")
"""How descriptions begin that name a question, which the text then answers."""

_LINKED = Pattern(
    "item that links another file",
    r"^\s*[-*+]\s+.*?\]\(([^()\s#]+\.md)\)",
    finds="- [a](b.md)",
    spares="- see b.md",
    flags=0,
)


def statements(file: str, words: str, when: Event) -> list[Candidate]:
    """What a file states whose whole text is `words`; nothing for a mere index.

    Args:
        file: its name in the folder of the agent's memory.
        when: when and where it was written: the event of a session, or one that says only this.

    Raises:
        UsageError: its frontmatter cannot be read.
    """
    header, body = frontmatter.split(words)
    fields = frontmatter.parse(header or "")
    # The message is the file: what is learned of it again, from whichever side, is known by it.
    return [
        Candidate(
            content=note.content,
            title=note.title,
            kind=_kind(fields, note),
            rule=AGENTS_MEMORY,
            confidence=CONFIDENCE,
            session=when.session,
            message=file,
            offset=when.offset,
            time=when.time,
            branch=when.branch,
            cwd=when.cwd,
            details=procedure_plan.ProcedurePlan(steps=note.steps).lists if note.steps else {},
        )
        for note in _notes(file, fields, body)
    ]


def _notes(file: str, fields: Mapping[str, Any], body: str) -> Iterator[notes.Note]:
    """The pieces of a file that make sense alone: mostly one, with its why and how to apply."""
    about = text.one_line(str(fields.get("description") or fields.get("name") or ""))
    sections = [lines for _, lines in notes.sections(body) if any(map(str.strip, lines))]
    is_index = file == own_files.MEMORY_FILE
    if is_index or not fields:
        kept = (line for line in body.split("\n") if not _LINKED.regex.match(line))
        yield from notes.pieces("\n".join(kept), "" if is_index else notes.about(file))
    elif len(body) > notes.LONGEST or len(sections) > 2 or notes.is_list(body):
        yield from notes.pieces(body, about or notes.about(file))
    elif len(text.content_words(body)) >= 2:
        # Its prose is wrapped: the first sentence goes over the end of a line.
        lead = wording.title(text.one_line(body.strip().partition("\n\n")[0]), about)
        # Where neither is a sentence, the description tells more than when and how it was found.
        is_title = not about.startswith(_ASKING) and (
            is_complete(about) or (about != "" and not is_complete(lead))
        )
        title = wording.shorten(about, LONGEST_ABOUT) if is_title else lead
        yield notes.Note(content=body.strip(), title=title, path=(about,) if about else ())


def _kind(fields: Mapping[str, Any], note: notes.Note) -> str:
    """The kind of a statement: by the type that the agent gave the file, else by what it says."""
    inner = fields.get("metadata")
    named = fields.get("type") or (inner.get("type") if isinstance(inner, Mapping) else "")
    own = own_files.KINDS.get(str(named).lower())
    return "procedure" if note.steps else own or notes.rule_kind(note.path, note.content)
