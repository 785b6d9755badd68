"""A session as the rules see it, built event by event in code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cortex_core.agents.claude import speakers, tools
from cortex_core.extract.rules import extract
from cortex_core.records.captures import RuleTier
from cortex_core.records.events import Candidate, Event, Extraction, Role


class Session:
    """Collects events; `found` extracts them. Every method but the last ones gives it back."""

    def __init__(self, cwd: str = "/home/dev/shop", branch: str = "main") -> None:
        self.cwd, self.branch = cwd, branch
        self.events: list[Event] = []
        self._tools = 0

    def _add(self, role: Role, text: str = "", **more: Any) -> Session:
        number = len(self.events)
        self.events.append(
            Event(
                role=role,
                text=text,
                uuid=f"u{number}",
                session="s1",
                time=1000.0 + number,
                offset=number * 100,
                cwd=self.cwd,
                branch=self.branch,
                **more,
            )
        )
        return self

    def human(self, text: str) -> Session:
        return self._add("human", text)

    def queues(self, text: str) -> Session:
        """What the user types while the agent works."""
        return self._add("queued", text)

    def says(self, text: str, sidechain: bool = False) -> Session:
        return self._add("assistant", text, sidechain=sidechain)

    def titled(self, text: str, sidechain: bool = False) -> Session:
        return self._add("title", text, sidechain=sidechain)

    def compacts(self, text: str) -> Session:
        return self._add("compaction", text)

    def uses(
        self, tool: str, arguments: Mapping[str, Any], result: str = "", failed: bool = False
    ) -> Session:
        """A tool's use and its result."""
        self._tools += 1
        name = f"t{self._tools}"
        own = {"tool": tools.name_of(tool), "tool_name": tool, "tool_id": name}
        asked = speakers.questions_of(arguments)
        self._add("tool_use", input=tools.arguments_of(tool, arguments), **own)
        return self._add(
            "tool_result",
            result,
            failed=failed,
            input={} if failed else speakers.outcome_of(own["tool"], result, {}, asked),
            denied=failed and speakers.is_denied(result, {}, own["tool"]),
            interrupted=failed and speakers.was_interrupted(result),
            timed_out=failed and result.startswith(speakers.TIMED_OUT),
            **own,
        )

    def runs(self, command: str, result: str = "", failed: bool = False) -> Session:
        return self.uses("Bash", {"command": command}, result, failed)

    def edits(self, path: str, old: str = "a", new: str = "b") -> Session:
        arguments = {"file_path": f"{self.cwd}/{path}", "old_string": old, "new_string": new}
        return self.uses("Edit", arguments, "updated")

    def asks(
        self,
        question: str,
        answer: str,
        header: str = "",
        options: tuple[str, ...] = (),
        **more: Any,
    ) -> Session:
        asked = {
            "question": question,
            "header": header,
            "options": [{"label": one, "description": ""} for one in options],
            **more,
        }
        result = f'User has answered your questions: "{question}"="{answer}". You can now continue'
        return self.uses("AskUserQuestion", {"questions": [asked]}, result)

    def commits(self, message: str, commit: str = "1a2b3c4") -> Session:
        """A commit made through a here-document, with git's own answer."""
        subject = message.split("\n", 1)[0]
        return self.runs(
            f"git add -A && git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\"",
            f"[{self.branch} {commit}] {subject}\n 2 files changed, 9 insertions(+)",
        )

    def extracted(self, final: bool = True, tiers: Mapping[str, RuleTier] = {}) -> Extraction:
        return extract(self.events, final=final, tiers=tiers)

    def found(self, *rules: str, final: bool = True) -> list[Candidate]:
        """What these rules, or all of them, find."""
        candidates = self.extracted(final).candidates
        return [one for one in candidates if not rules or one.rule in rules]


def statements(*prompts: str) -> list[Candidate]:
    """What a session of these prompts alone yields."""
    session = Session()
    for prompt in prompts:
        session.human(prompt)
    return session.found()
