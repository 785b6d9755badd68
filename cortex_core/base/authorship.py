"""Whose words a memory is made of, by the rule that wrote it, and whose its triggers are.

Only what the user said is a rule in force, in the user's words or in those of a model that read
them: what else an agent, a model, a file or an import says is injected as a note. What the team
approved is in force as well where a member said it. What is not in the user's words says where it
came from. Standard library only: the hooks load this module.
"""

PROPOSED = "proposed calls"
"""The detail of a memory that holds the triggers that an agent named for it, besides those of its
words."""

IMPORTED = "import:"
"""How the rules of imported memories begin."""

AGENTS_MEMORY = "import:claude-memory"
"""The rule of what an agent wrote to its own memory, read from the file or from a session."""

MODEL = "model:"
"""How the rules begin of what a language model found."""

CODE_STRUCTURE = "code:structure"
"""The rule of a description made from the source's own structure and comments."""

CONFIRMED = {"claimed": False, "withheld": False}
"""The columns of a memory that the user has said, edited, pinned or kept."""

STATED_BY_FILES = "code:stated"
"""The rule of a statement in which the value that a file states now replaced the old one."""

TEAM = "team:"
"""How the rules begin, when they are injected, of memories that a member of the team learned."""

_USERS = ("rule:prompt-", "rule:answer", "rule:order")
"""How the rules begin that read what the user typed or chose."""

ASKED = "rule:prompt-remember"
"""The rule of what the user asked to remember in a session, or said there and kept by hand."""

_WRITERS = ("person", "agent", AGENTS_MEMORY, MODEL, ASKED)
"""How the rules begin of whoever writes a memory in words of their own."""

CITES_USER = ":user"
"""How the rule of what a model wrote ends where the message that it cites is the user's."""

_MARKS = (
    (AGENTS_MEMORY, "noted by the agent"),
    (IMPORTED, "from an import"),
    ("agent", "noted by the agent"),
    (MODEL, "noted by a model"),
    ("code:", "from code"),
)
"""What an injected line says of its origin, by how the rule begins; nothing for what was learned in
the user's sessions."""


def written_by(rule: str, *, claimed: bool) -> str:
    """The rule that counts for a memory: that of an import where `rule` is only a claim."""
    claim = rule.removesuffix(CITES_USER) if mark(rule) else f"{IMPORTED}file"
    return claim if claimed else rule


def is_users_word(rule: str) -> bool:
    """Whether the memories of `rule` are the user's own words: typed, or chosen as an answer."""
    return rule == "person" or rule.startswith(_USERS)


def is_typed(rule: str) -> bool:
    """Whether the user typed the words of the memories of `rule`: nobody offered them."""
    return rule == "person" or rule.startswith(("rule:prompt-", "rule:order"))


def is_by_hand(rule: str) -> bool:
    """Whether the user wrote the memories of `rule` here, or by “Remember:” in a session."""
    return rule in ("person", ASKED)


def is_as_written(rule: str) -> bool:
    """Whether somebody wrote the memories of `rule` as they are: nothing was cut from a session."""
    return learned_by(rule).startswith(_WRITERS)


def learned_by(rule: str) -> str:
    """The rule by which a memory was learned, here or by a member of the team."""
    return rule.removeprefix(TEAM)


def applies_always(rule: str) -> bool:
    """Whether a rule that says so is in force: in the user's words, in a model's for what the user
    said, or in those of a member of the team, which another one approved."""
    rule = learned_by(rule)
    return is_users_word(rule) or (rule.startswith(MODEL) and rule.endswith(CITES_USER))


def mark(rule: str) -> str:
    """Where the memories of `rule` came from, in a few words; empty for the user's own sessions."""
    if rule.startswith(TEAM):
        return "; ".join(filter(None, ("team", mark(learned_by(rule)))))
    return next((words for start, words in _MARKS if rule.startswith(start)), "")


def named_by_agents(
    triggers: list[str] | tuple[str, ...], by: str, listed: object
) -> tuple[str, ...]:
    """Those of a memory's triggers that an agent named: they remind, whatever its guard is.

    Args:
        by: who says what they are, as in `Memory.triggers_by`.
        listed: what the memory's detail `PROPOSED` holds, which may be anything.
    """
    return tuple(
        one for one in triggers if by != "user" and isinstance(listed, list) and one in listed
    )
