"""How the words of a rule say which tool calls it is about: the table of patterns."""

from __future__ import annotations

from cortex_core.language.negation import DO_NOT
from cortex_core.language.patterns import Pattern

# --- what a sentence names

SPAN = Pattern(
    "a code span", r"`+([^`\n]{1,160})`+", finds="Run `make fmt` first", spares="Run make` first"
)
QUOTED = Pattern(
    "a short quotation",
    r"[“\"]([^”\"\n]{3,60})[”\"]",
    finds='Never write "Co-Authored-By"',
    spares='Write "ab" alone',
)
TOOL = Pattern(
    "a tool of an MCP server",
    r"\bmcp__[\w-]+(?:__[\w*-]+)?",
    finds="Never use mcp__github__create_*",
    spares="an mcp server",
    flags=0,
)
PATH = Pattern(
    "what may be a path or a glob",
    r"(?<![\w:/@.~-])(?:[\w.@*-]+/)+[\w.*{},-]*|(?<![\w/])[\w*-]+\.[a-z]{1,6}\b|(?<!\w)\.\w[\w.*-]+",
    finds="Leave src/generated/ alone",
    spares="https://example.org: a page",
    flags=0,
)
OUTSIDE = Pattern(
    "a file outside of the project; other paths from the root are rather routes",
    r"(?:~|/(?:etc|usr|var|opt|home|Users|srv|root|tmp|Library|System|boot|mnt))/[\w.@*/-]+",
    finds="Never touch /etc/hosts",
    spares="GET /api/users",
    flags=0,
)
PLAIN_WORD = Pattern(
    "a word that prose has too: that it is written says nothing",
    r"^[a-z]{1,12}$",
    finds="debugger",
    spares="console.log",
    flags=0,
)
PLACEHOLDER = Pattern(
    "a part that stands for something else",
    r"[<>{}$]|\.\.\.|…|^\W+$",
    finds="git push <remote>",
    spares="git push origin",
)
WORD = Pattern(
    "a word that may be a program",
    r"(?<![\w./-])([a-z][\w-]*)(?![\w./-]*\w)",
    finds="use pnpm",
    spares="./Makefile",
    flags=0,
)
FOLLOWING = Pattern(
    "the next word of a command outside of code",
    r" (--?[A-Za-z][\w-]*|[a-z][\w:.-]*)(?=[\s,.;:!?)]|$)",
    finds="git push --force",
    spares="git (never)",
    flags=0,
)

# --- what is said of it

NO_FURTHER = Pattern(
    "behind this a prohibition does not reach",
    r"[:—–]|\b(?:unless|except|before|until)\b",
    finds="Never push before the tests",
    spares="Never push to main",
)
ASKS_FOR = Pattern(
    "asks for what comes after it",
    r"\b(?:use|uses|using|prefer|run|always|only|make sure|must|should|stick to|go with|switch to"
    r"|but)\b",
    finds="Stick to pnpm",
    spares="pnpm is the reason",
)
TURNS = Pattern(
    "where a prohibition may end",
    r"[,;]|\bbut\b|\band\b",
    finds="not npm but pnpm",
    spares="not npm",
)
JUST_FORBIDDEN = Pattern(
    "a prohibition right before a program",
    r"\b(?:never|instead of|not|no|rather than)(?: use)? $",
    finds="never use ",
    spares="never on main: ",
)
EDITS = Pattern(
    "speaks of changing files",
    r"\b(?:edit|change|chang|modif|touch|writ|overwrit|delet|remov|add|mov|renam|commit|generat)\w*",
    finds="Never edit files below it",
    spares="Look there first",
)
WRITES = Pattern(
    "speaks of writing a text",
    r"\b(?:add|writ|put|includ|mention|append|use|log|leav|insert|sign|say)\w*\b",
    finds="Never include it in a message",
    spares="Never trust it",
)
ASKS_FIRST = Pattern(
    "wants to be asked before",
    r"\b(?:ask|confirm|check with|tell|warn|get (?:an? )?(?:approval|permission)|wait for)\b.*"
    r"\b(?:before|prior to|first)\b",
    finds="Ask me before a release",
    spares="Format it before a release",
)
TOPIC = Pattern(
    "“Shadow branches: … never use git add” speaks of one part of the program, not of every call",
    r"^(?!.*\b(?:now on|rules?|notes?|important|remember|packages?|git|commits?|tests?|tool\w*"
    r"|style|lint\w*|format\w*|ci|prs?|shell|commands?)\b[^:]*:)(?:[^\s:`]+ ){0,3}[^\s:`]+: ",
    finds="Shadow branches: never use git add",
    spares="Git: never use git add",
)

# --- occasions

BEFORE = Pattern(
    "the event before which something has to be done",
    r"\bbefore (?:(?:each|every|any|a|the|you|we|making a|creating a|opening a|your)\s+)*"
    r"(?P<what>commit|push|merg|pull request|pr\b|releas|deploy|tagg)"
    rf"|\b{DO_NOT} (?P<not_yet>commit|push|merg)\w*\b[^.;,]{{0,40}}?"
    r"\b(?:before|until|unless|without)\b",
    finds="Run the tests before each commit",
    spares="Run the tests before lunch",
)
TO_MAIN = Pattern(
    "that a push is one to the main branch",
    r"(?: directly| straight)? (?:on)?to (?:the )?`?(?:main|master|trunk)\b",
    finds=" directly to main",
    spares=" to your branch",
    flags=0,
)
OCCASIONS: tuple[tuple[Pattern, tuple[str, ...]], ...] = (
    (
        Pattern(
            "amending",
            r"\bamend(?:ing|ed)?\b",
            finds="Never amend a commit",
            spares="an amendment to the plan",
        ),
        ("git commit --amend",),
    ),
    (
        Pattern(
            "skipping hooks",
            r"--no-verify\b|\bskip(?:ping)? (?:the )?(?:git |pre-commit )?hooks?\b",
            finds="Never skip the hooks",
            spares="Write the hooks first",
        ),
        ("git commit --no-verify", "git push --no-verify"),
    ),
    (
        Pattern(
            "pushing by force",
            r"\bforce[- ]push",
            finds="Do not force-push",
            spares="A push needs force",
        ),
        ("git push --force",),
    ),
    (
        Pattern(
            "commits and their messages",
            r"\bcommit (?:message|subject|title|body)s?\b|\bcommits?\b(?! sha| hash)"
            r"|\bcommitting\b",
            finds="Write commit messages in English",
            spares="Show the commit hash",
        ),
        ("git commit",),
    ),
    (
        Pattern(
            "pull requests",
            r"\b(?:pull requests?|PRs?)\b",
            finds="Keep PRs small",
            spares="prs are no word",
            flags=0,
        ),
        ("gh pr create",),
    ),
    (
        Pattern(
            "pushing",
            r"\bpush(?:es|ing)?\b(?! notification)",
            finds="Ask before pushing",
            spares="Send push notifications",
        ),
        ("git push",),
    ),
    (
        Pattern(
            "new branches and their names",
            r"\b(?:new branch|branch off)\b|\bname (?:the )?branches|"
            r"\bbranch(?:es)? (?:names?|are named|must be named)",
            finds="Branch names begin with the ticket",
            spares="Merge the branch",
        ),
        ("git checkout -b", "git switch -c", "git worktree add"),
    ),
)
"""What a rule may be about without naming the command."""

EVENTS = {
    "commit": "git commit",
    "push": "git push",
    "merg": "git merge",
    "pull request": "gh pr create",
    "pr": "gh pr create",
}
"""The commands of the events that `BEFORE` finds."""

BEFORE_WHICH = tuple(dict.fromkeys(EVENTS.values()))
"""The commands before which something else has to be done."""

MEANT = {"grep": "grep -r"}
"""What a rule against a program is about that every other line uses for something else."""

# --- corrections, and what to do instead

REPLACES = Pattern(
    "a correction puts something else in the place of the call",
    r"\b(?:never|don['’]?t|do not|not|instead|rather than|stop|avoid|use)\b",
    finds="use the release script",
    spares="that was the release script",
)
DEPENDS = Pattern(
    "a correction says that the call is right at another time",
    r"\b(?:if|when|unless|until|without|before|after|yet|first|on (?:an? )?\w+days?)\b",
    finds="not on Fridays",
    spares="not like that",
)
OTHERWISE = Pattern(
    "a correction says that something is to be done in another way",
    r"\b(?:never|don['’]?t|do not|not|no|instead|rather|always|only|use|must|should|stop|avoid)\b",
    finds="not like that",
    spares="fine, go on",
)
INSTEAD = Pattern(
    "what comes right before the command to use instead",
    r"\b(?:use|uses|using|prefer|run|via|through|with|switch to|stick to|go with)"
    r"(?: (?:only|just|always|the))?[\s`\"“]*$",
    finds="Never call it, use only `",
    spares="Use it before ",
)
STEP = Pattern(
    "steps: it asks for a command at another moment, not in place of another one",
    r"\b(?:before|after|first|then|when|whenever|once)\b",
    finds="Run `make fmt` first",
    spares="Run `make fmt` instead",
)
