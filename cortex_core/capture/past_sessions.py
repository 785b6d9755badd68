"""What a language model would have cost for the sessions that the user had last."""

from contextlib import suppress

from cortex_core import agents
from cortex_core.agents.transcripts import reader_of
from cortex_core.base.errors import CortexError
from cortex_core.base.text import counted, tokens
from cortex_core.llm import digest, protocol
from cortex_core.records.events import ReadPosition
from cortex_core.records.model_replies import Usage

RECENT = 10
"""Sessions that are looked at."""

FRAME = 4_500
"""Tokens of a request besides what was said. Instructions and schema were 2,250 to 2,900 in twelve
sessions; memories, rules and names of files add up to 2,000."""

ANSWER = 1_400
"""Tokens of an answer; 870 to 2,060 in ten that readers wrote."""

CLOSING = Usage(input=5_000, output=3_500)
"""The request that closes a session of several parts, as two of them were."""


def cost(model: str) -> str:
    """What the last sessions of all projects would have cost with `model`, as a sentence.

    It is empty if there are none. A session is cut as for the model, but nothing is redacted or
    sent; one of several parts counts a request more, which closes it.
    """
    known = [session for agent in agents.having("sessions") for session in agent.sessions.all()]
    asked: list[Usage] = []
    count = 0
    for session in sorted(known, key=lambda one: one.changed)[-RECENT:]:
        # What cannot be read now cannot be read by the model either.
        with suppress(CortexError, OSError):
            with reader_of(session.key).read(session.key, ReadPosition()) as reader:
                chunks = digest.chunks(digest.lines(reader))
            asked += [Usage(input=FRAME + tokens(one.text), output=ANSWER) for one in chunks]
            asked += [CLOSING] * (len(chunks) > 1)
            count += bool(chunks)
    if not asked:
        return ""
    total = round(sum(usage.total for usage in asked), -3)
    dollars = sum(protocol.cost(model, usage) for usage in asked)
    return (
        f"Your last {counted(count, 'session')} would have taken about {total:,} tokens: "
        f"${max(dollars, 0.01):.2f} with {model}, or that much of what a subscription allows."
    )
