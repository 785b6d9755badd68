"""Says why a memory is as it is, and what would become of a text; nothing is written."""

import uuid

from cortex_core.admission import checks, gates, lookup
from cortex_core.base import agent_names, text
from cortex_core.extract import wording
from cortex_core.language import listener
from cortex_core.records.captures import AdmissionAnswer
from cortex_core.records.memory import Memory, Source
from cortex_core.redaction import quarantine
from cortex_core.store.workspace import Workspace

_BY_STATUS = {
    "active": "It is kept.",
    "suggested": "Its source only suggests: cortex suggestions keep or discard decides.",
    "archived": "It is archived: it faded, or was put away. cortex log --memory shows which.",
    "superseded": "A newer memory replaces it: cortex show --links 1 lists it.",
}

_WITHHELD = "It may steer an agent: it is found when it is asked for, and not injected."


def of_text(workspace: Workspace, words: str) -> AdmissionAnswer:
    """What would become of `words` now, were an agent to bring them from a session.

    Raises:
        UsageError: nothing but secrets and private parts is in the text, or it is too long.
    """
    content = checks.checked(words, workspace.config)
    now, scope = workspace.clock(), workspace.default_scope()
    memory = Memory(
        id=str(uuid.uuid4()),
        content=content,
        title=wording.title(content),
        kind="fact",
        scope=scope,
        source=Source(rule=gates.BY_AGENT, time=now),
        created=now,
        updated=now,
        reinforced=now,
    )
    # A look must not create a store: without one, nothing is known.
    store = workspace.existing(scope)
    known = lookup.Known(now) if store is None else lookup.gather(store, memory, extracted=True)
    waits = quarantine.reason_of((memory.title, content), by_user=False)
    decision = gates.decide(memory, known, waits)
    said = listener.heard(words)
    listened = (
        f"Said by you in a session, it would be taken for “{said.label}”: {said.score:.0%} that it "
        f"lasts, of {listener.LASTS:.0%} from which on it is suggested."
    )
    return AdmissionAnswer(
        title=memory.title,
        decision=decision.action,
        known=decision.known,
        reasons=tuple(
            filter(
                None,
                (
                    decision.reason,
                    ""
                    if content == words.strip()
                    else "Secrets or private text are taken out first.",
                    _WITHHELD if decision.memory.withheld else "",
                    listened,
                ),
            )
        ),
        compared=tuple(
            f"{other.id} {other.comparison.similarity:.2f} {text.one_line(other.content)[:80]}"
            for other in known.similar
        ),
    )


def of_memory(memory: Memory) -> AdmissionAnswer:
    """Where a memory came from, what was merged into it, and why it has the status that it has."""
    source, merged = memory.source, len(memory.sources) - 1
    agent = agent_names.shown(source.agent)
    began = f" in session {source.session}" if source.session else ""
    began += f" of {agent}" if began and agent else ""
    waits = str(memory.details.get("quarantine", ""))
    reasons = (
        f"It was made by “{source.rule}” on {text.iso(source.time or memory.created)[:10]}{began}.",
        _BY_STATUS.get(memory.status, f"It waits for you: {waits}"),
        f"{text.counted(merged, 'more source')} said the same since." if merged > 0 else "",
        _WITHHELD if memory.withheld else "",
        str(memory.details.get("unsaid", "")),
        f"What it says of the code no longer holds: {memory.outdated}" if memory.outdated else "",
    )
    return AdmissionAnswer(
        title=memory.title,
        decision=memory.status,
        known=memory.id,
        reasons=tuple(filter(None, reasons)),
    )
