"""The rules there are: their names, tiers and what each finds. Nothing else lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cortex_core.reports.curation import RuleTier


class Rule(NamedTuple):
    """One rule and how its finds are filed."""

    name: str
    tier: RuleTier
    """Where its finds go unless the person's verdicts or settings say otherwise."""
    help: str
    """What it finds, in one line."""
    confidence: float
    priority: int
    """1 to 9: no rule may claim top priority."""
    rank: int
    """Whose words win when two rules found the same thing: the lower rank."""


FROM_PROMPT = "prompt-"
"""How the names of the rules begin that read sentences a person typed."""

RULES: tuple[Rule, ...] = (
    Rule("prompt-remember", "kept", "what the user asked to remember", 0.95, 8, 0),
    Rule("prompt-policy", "kept", "standing instructions: always, never, from now on", 0.9, 8, 0),
    Rule("prompt-correction", "kept", "“no, not X: Y” about how the project is", 0.85, 8, 0),
    Rule("prompt-preference", "kept", "what the user prefers", 0.9, 7, 0),
    Rule("prompt-fact", "kept", "what the user says for the agent's information", 0.85, 6, 0),
    Rule("prompt-decided", "kept", "decisions “we” made, with their reason", 0.85, 7, 0),
    Rule("answer", "kept", "answers to the agent's questions, with the question", 0.85, 6, 1),
    Rule(
        "prompt-constraint", "suggested", "rules stated without saying they are standing", 0.7, 6, 2
    ),
    Rule("prompt-decision", "suggested", "choices the user made in a prompt", 0.75, 6, 2),
    Rule("prompt-wish", "suggested", "how the user wants the result to be", 0.65, 5, 2),
    Rule("reply", "suggested", "short replies, joined with the question they answer", 0.65, 5, 2),
    Rule("commit", "kept", "commits made in the session, with their reasons", 0.8, 5, 3),
    Rule("commit-subject", "suggested", "commits whose message is one line", 0.7, 4, 3),
    Rule("pull-request", "kept", "pull requests opened in the session", 0.8, 5, 4),
    Rule("plan", "kept", "approach and decisions of plans the user approved", 0.8, 6, 4),
    Rule("concept", "kept", "compaction summaries: concepts that state a rule", 0.75, 5, 5),
    Rule("problem-solving", "suggested", "compaction summaries: problems solved", 0.65, 5, 6),
    Rule("error", "suggested", "compaction summaries: errors and their fixes", 0.6, 5, 6),
    Rule("file", "suggested", "compaction summaries: what new files are for", 0.6, 4, 6),
    Rule("note", "suggested", "the agent's own notes through memory tools", 0.65, 5, 7),
    Rule("ticket", "suggested", "bugs the agent filed", 0.65, 4, 7),
    Rule("cause", "suggested", "causes of failures the agent found", 0.6, 5, 8),
    Rule("final", "suggested", "final answers of sessions without a commit", 0.55, 4, 9),
)

BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}


def tier_of(rule: str, tiers: Mapping[str, RuleTier]) -> RuleTier:
    """Where finds of `rule` go: the override where there is one, else the rule's own tier."""
    return tiers.get(rule, BY_NAME[rule].tier)
