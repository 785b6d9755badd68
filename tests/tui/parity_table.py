"""Which keys change something, and what does the same outside the app. One row a key.

A key that only shows, moves or chooses goes into `SHOWS`. A key that changes something goes into
`ACTS`: the methods of `Cortex` that it calls, the commands that do the same, and a recipe: what it
does, carried out on a store, so that the test can see that one undo takes it back. What is no
change of a memory has no recipe; `back` then says how a person takes it back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cortex_core import Cortex
from cortex_core.records.memory import Memory, Source


class Sample(NamedTuple):
    """What a recipe is carried out on."""

    one: Memory
    """An active memory of the project, linked with `other` by REQUIRES."""
    other: Memory
    archived: Memory
    suggested: Memory
    quarantined: Memory
    proposal: int
    """The number of an open proposal that nothing speaks against."""


Recipe = Callable[[Cortex, Sample], object]


class Act(NamedTuple):
    """What a key does, by another way."""

    methods: tuple[str, ...]
    """Of `Cortex`."""
    commands: tuple[str, ...]
    """As they are typed: `trash empty`."""
    recipes: tuple[Recipe, ...] = ()
    """Each is taken back by one undo."""
    back: str = ""
    """How it is taken back, where it is no change of a memory."""


SHOWS = frozenset(
    """
    go.today go.memories go.inbox go.surface go.sessions go.rules go.log go.settings
    app.next app.previous app.help app.commands app.quit app.suspend
    move.next move.previous move.back
    list.search list.filter list.unfilter list.statuses list.order
    mark.one mark.all mark.range page.projects page.search_all page.prove memory.file
    memory.source memory.map memory.copy memory.copy_id memory.set
    map.closer map.farther map.way surface.text page.refresh sessions.taught
    settings.options settings.themes settings.keys settings.health
    settings.finds
    """.split()
)

ACTS: dict[str, Act] = {
    "memory.new": Act(
        ("remember",),
        ("remember",),
        (
            lambda cortex, _: cortex.remember("The pager wakes whoever deployed last."),
            lambda cortex, _: cortex.remember(
                "The nightly job skips Sundays.", source=Source(session="5f1c2d3e", offset=12)
            ),
        ),
    ),
    "memory.pin": Act(
        ("pin", "unpin"), ("pin", "unpin"), (lambda cortex, sample: cortex.pin(sample.other.id),)
    ),
    "memory.forget": Act(
        ("forget", "sessions.archive.forget"),
        ("forget", "session forget"),
        (lambda cortex, sample: cortex.forget([sample.one.id, sample.other.id]),),
    ),
    "memory.restore": Act(
        ("restore", "code.anchors.confirm", "settings.set", "undo", "redo"),
        ("restore", "anchors", "config set", "undo", "redo"),
        (lambda cortex, sample: cortex.restore(sample.archived.id),),
    ),
    "memory.edit": Act(
        ("edit", "settings.set", "models.use", "review.approve", "suggestions.keep"),
        ("edit", "config set", "models use", "review approve", "suggestions keep"),
        (
            lambda cortex, sample: cortex.edit(sample.one.id, content="New words.", kind="fact"),
            lambda cortex, sample: cortex.review.approve(
                sample.proposal, text="Migrations first. Notes."
            ),
            lambda cortex, sample: cortex.suggestions.keep(
                sample.suggested.id, content="In other words."
            ),
        ),
    ),
    "memory.kind": Act(
        ("edit",), ("edit",), (lambda cortex, sample: cortex.edit(sample.one.id, kind="insight"),)
    ),
    "memory.priority": Act(
        ("edit",), ("edit",), (lambda cortex, sample: cortex.edit(sample.one.id, priority=2),)
    ),
    "memory.propose": Act(
        ("team.propose",),
        ("team propose",),
        back="The request is withdrawn in the review, or by cortex team withdraw.",
    ),
    "page.exchange": Act(
        ("sync.run",),
        ("sync run",),
        back="Each change that came is undone in the log.",
    ),
    "page.pull": Act(
        ("team.pull",),
        ("team pull",),
        back="The team's memories are a copy: a request is reverted, by cortex team revert.",
    ),
    "memory.tag": Act(
        ("tag",), ("tag",), (lambda cortex, sample: cortex.tag(sample.one.id, ("new",)),)
    ),
    "memory.move": Act(
        ("move",),
        ("move",),
        (lambda cortex, sample: cortex.move([sample.one.id, sample.other.id], "global"),),
    ),
    "memory.inject": Act(
        ("give",), ("give",), (lambda cortex, sample: cortex.give(sample.one.id, "never"),)
    ),
    "memory.triggers": Act(
        ("memories.triggers.set", "memories.triggers.guard"),
        ("trigger set", "trigger guard", "trigger off"),
        (
            lambda cortex, sample: cortex.memories.triggers.set(
                sample.one.id, ["!Bash(npm)"], guard="ask"
            ),
        ),
    ),
    "page.triggers": Act(
        ("memories.triggers.switch",),
        ("trigger off", "trigger on"),
        back="The same key switches them back.",
    ),
    "surface.wrong": Act(
        ("give",),
        ("surface",),
        (lambda cortex, sample: cortex.give(sample.one.id, "demoted"),),
    ),
    "map.link": Act(
        ("graph.link",),
        ("link",),
        (lambda cortex, sample: cortex.graph.link(sample.one.id, sample.other.id, "refines"),),
    ),
    "map.unlink": Act(
        ("graph.unlink",),
        ("unlink",),
        (lambda cortex, sample: cortex.graph.unlink(sample.one.id, sample.other.id),),
    ),
    "answer.yes": Act(
        (
            "review.approve",
            "review.supersede",
            "suggestions.keep",
            "quarantine.release",
            "remember",
            "restore",
            "give",
            "pin",
            "memories.triggers.set",
            "settings.set",
        ),
        (
            "review approve",
            "review supersede",
            "suggestions keep",
            "quarantine release",
            "remember",
            "restore",
            "give",
            "pin",
            "trigger set",
            "config set",
        ),
        (
            lambda cortex, sample: cortex.review.approve(sample.proposal),
            lambda cortex, sample: cortex.review.supersede(sample.proposal),
            lambda cortex, sample: cortex.suggestions.keep(sample.suggested.id),
            lambda cortex, sample: cortex.quarantine.release(sample.quarantined.id),
            lambda cortex, sample: cortex.pin(sample.one.id),
        ),
    ),
    "answer.no": Act(
        ("review.distinct", "suggestions.discard"),
        ("review distinct", "suggestions discard", "quarantine discard"),
        (
            lambda cortex, sample: cortex.review.distinct(sample.proposal),
            lambda cortex, sample: cortex.suggestions.discard(sample.suggested.id),
            lambda cortex, sample: cortex.suggestions.discard(sample.quarantined.id),
        ),
    ),
    "answer.left": Act(
        ("review.keep_left",),
        ("review keep-left",),
        (lambda cortex, sample: cortex.review.keep_left(sample.proposal),),
    ),
    "answer.right": Act(
        ("review.keep_right",),
        ("review keep-right",),
        (lambda cortex, sample: cortex.review.keep_right(sample.proposal),),
    ),
    "inbox.approve_all": Act(
        ("review.approve_all",),
        ("review approve",),
        (lambda cortex, _: cortex.review.approve_all(),),
    ),
    "inbox.consolidate": Act(
        ("consolidate",),
        ("consolidate",),
        back="What it proposes is judged one by one; what it merges by itself is undone.",
    ),
    "sessions.replay": Act(
        ("sessions.replay",),
        ("replay",),
        back="What it captures is in the journal; log tells its number.",
    ),
    "page.learn_all": Act(
        ("exchange.import_transcripts",), ("import",), back="An import is one step to undo."
    ),
    "page.export": Act(
        ("exchange.export_markdown",), ("export",), back="The folder may be deleted."
    ),
    "page.connect": Act((), ("install",), back="cortex uninstall, which the message names."),
    "page.fix": Act((), ("doctor",), back="A snapshot is taken first."),
    "page.scrub": Act(
        ("secrets.scrub",),
        ("secrets scrub",),
        back="A secret that could be brought back would not be gone; it is asked first.",
    ),
    "page.learn": Act(
        ("exchange.import_transcripts",),
        ("import",),
        back="An import is one step to undo.",
    ),
    "page.pause": Act(
        ("sessions.pause", "sessions.resume"), ("pause", "resume"), back="The same key goes on."
    ),
    "settings.trust": Act(
        ("trust.grant", "trust.revoke"),
        ("trust", "untrust"),
        back="The same key takes it back.",
    ),
    "change.undo": Act(("undo",), ("undo",), back="Redo does it again."),
    "change.redo": Act(("redo",), ("redo",), back="Undo takes it back."),
}
