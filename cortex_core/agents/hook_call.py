"""What an agent's hook asks Cortex, and what Cortex answers, in words that fit every agent.

Hooks load this module: plain classes, because dataclasses cost more than a hook's whole answer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class HookCall:
    """One firing of a hook."""

    def __init__(
        self,
        event: str,
        session: str = "",
        *,
        folder: str = "",
        started_in: str = "",
        transcript: str = "",
        source: str = "",
        prompt: str = "",
        tool: str = "",
        tool_input: Mapping[str, Any] | None = None,
        also: Sequence[tuple[str, Mapping[str, Any]]] = (),
        agent: str = "",
        reason: str = "",
        is_repeated: bool = False,
        takes_text: bool = True,
        learn_call: str = "",
        firing: str = "",
        entry: str = "",
        problem: str = "",
    ) -> None:
        """What is not given stays empty.

        Args:
            event: one of `base.hook_words`.
            session: the session's id.
            folder: where the session is.
            started_in: where it was started, as far as the agent says so.
            transcript: the path of its transcript, or of the sub-agent's that has ended.
            prompt: what the user typed; empty for commands and notices of the agent. Of a
                sub-agent that begins, what it is to do.
            source: how it begins: `startup`, `resume`, `clear`, `compact` or `fork`.
            tool: the tool that is about to be called, by its name in `base.tools`.
            also: what else this call does, as tools and their arguments: a patch of several files.
            agent: the id of the sub-agent that this is about.
            reason: why the session ends or is summarised.
            takes_text: whether the agent can be given text now; if not, only a decision counts.
            is_repeated: whether the agent goes on because a hook asked it to, and has ended again.
            learn_call: the id of the call of our tool `learn` that is about to be made.
            firing: what distinguishes this event of the session from the next.
            entry: what ran this process; the same event may be sent by two ways of installation.
            problem: why the call contradicts itself, so that it is not answered.
        """
        # By hand: a dataclass would load `inspect`, which takes longer than a hook may.
        self.event = event
        self.session = session
        self.folder = folder
        self.started_in = started_in
        self.transcript = transcript
        self.source = source
        self.prompt = prompt
        self.tool = tool
        self.tool_input: Mapping[str, Any] = tool_input or {}
        self.also = also
        self.agent = agent
        self.reason = reason
        self.is_repeated = is_repeated
        self.takes_text = takes_text
        self.learn_call = learn_call
        self.firing = firing
        self.entry = entry
        self.problem = problem
        self.is_learned_from = True
        """Whether the user lets Cortex learn from sessions of this agent."""

    @property
    def context(self) -> str:
        """The name of the context: the session's id, for a sub-agent followed by `/` and its id."""
        return f"{self.session}/{self.agent}" if self.agent else self.session


class HookAnswer:
    """What to answer; an agent's hooks write it in the agent's form."""

    def __init__(
        self, text: str = "", message: str = "", decision: str = "", reason: str = ""
    ) -> None:
        """What is not given stays empty.

        Args:
            text: what the agent is given to read; after its answer, what to go on with.
            message: what the user is shown.
            decision: what the agent is to do with the tool call, `ask` or `deny`.
            reason: why, or what to do.
        """
        self.text = text
        self.message = message
        self.decision = decision
        self.reason = reason
