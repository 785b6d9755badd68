"""What a language model is shown of a session."""

from __future__ import annotations

from cortex_core.extract import digest
from cortex_core.records.events import Event


def turns(count: int, words: int = 600) -> list[Event]:
    """A session of prompts and replies of `words` words, each beginning with its place."""
    return [
        Event(role="human" if n % 5 == 0 else "assistant", text=f"{n} " + "word " * words, offset=n)
        for n in range(count)
    ]


def test_messages_are_numbered_through_the_session() -> None:
    said = digest.lines(turns(60))
    chunks = digest.chunks(said)
    assert len(chunks) > 1
    assert [line.number for chunk in chunks for line in chunk.lines] == list(range(1, 61))
    assert f"[{chunks[1].lines[0].number} user]" in chunks[1].text


def test_what_the_closing_pass_is_shown() -> None:
    said = digest.lines(turns(60))
    prompts = digest.prompts(said)
    assert len(prompts) == 12 and prompts[1].startswith("[6] 5 word")
    assert all(len(prompt) < 220 for prompt in prompts)
    last = digest.ending(said, 6_000)
    assert len(last) == 12 and last[-1].startswith("[60 assistant] 59 word")
    assert len("".join(last)) < 6_500
    assert digest.ending([], 6_000) == digest.prompts([]) == []
