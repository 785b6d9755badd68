"""The orders no memory may give by itself: to drop one's instructions, to send secrets away, to
switch safeguards off, to run what destroys or what nobody has read, to keep things from the person.

Patterns read text that `quarantine` has folded: lower case, one space between words. How they are
written is told in `order_words`.
"""

from __future__ import annotations

from typing import NamedTuple

from cortex_core.capture import order_lines


class Order(NamedTuple):
    """One kind of order."""

    reason: str
    """Why it is held back, as the review screen shows it."""
    lines: str
    """Patterns, one a line."""
    from_person: bool = True
    """Whether it is held back when a person typed it, too."""
    may_be_forbidden: bool = True
    """Whether `never …` before it turns it into a rule worth keeping."""


_SEND_SOFT = r"""
    \b(?:read|open|load|cat|copy|grep|search|print|use|include|fetch)\w* .{0,24}?(?:\.ssh/|id_rsa|
        +id_ed25519|\.aws/credentials|\.netrc|/etc/(?:shadow|passwd)|keychain|browser cookies|
        +\.kube/config)
    \b«sending»\b.{0,30}?(?:«strong»|tokens?).{0,40}?\bto\b.{0,16}?«out»
    \b(?:put|embed|include|write|add|paste|append|hide|encode)\b.{0,30}?«strong».{0,40}?
        +\b(?:in|into|to)\b.{0,20}?(?:commits?|issue|comment|pull request|readme|log|url|query|
        +changelog|description|branch name)
"""
_SAFETY_SOFT = r"""
    \b(?:«off»|turn(?:ing)? .{0,20}off|ignore|remove|override)\w*\b.{0,30}?\b(?:permission|safety|
        +security|sandbox\w*|guardrails?|approvals?|confirmations?|audit log\w*|authentication|
        +certificate validation|tls verification|secret scan\w*|code signing|hooks?)\b
        +(?: (?:checks?|prompts?|dialogs?|controls?|measures?|warnings?|reviews?|system|steps?|
        +filters?))
    \bwithout (?:asking|any|user|human|prompting|waiting for|requiring)(?: \w+){0,3}
        + (?:permission|approval|confirmation|consent|review)
    \b(?:permission|safety|security|approval) (?:checks?|prompts?|rules?|controls?|gates?|warnings?)
        + (?:do not|don['’]t|does not|doesn['’]t|no longer) apply
    \b(?:safety|security) (?:rules|checks|warnings|guidelines|policies) (?:are|is) (?:optional|
        +irrelevant|disabled|suspended|not needed)
    \bnode_tls_reject_unauthorized=0
    \b(?:execute|run|apply|merge|deploy)\b.{0,24}\bwithout (?:any )?(?:review|reading|looking|
        +checking)
"""
_RUN_SOFT = r"""
    \b(?:run|execute|use|call|always|must|do)\b.{0,12}?\brm\s+-\w*rf?\w*\s+(?!\S*(?:node_modules|
        +dist|
        +build|target|\.cache|tmp|__pycache__|\.next|\.venv|coverage|out\b))
    \bgit push\b[^\n]{0,30}(?:--force|-f)\b[^\n]{0,30}\b(?:main|master|production)
    \b(?:run|execute|eval)\b.{0,20}\b(?:whatever|any (?:code|command|script)\b|
        +the (?:code|command|script)s? (?:found|given|below|in the (?:page|issue|comment|response)))
    \b(?:must|always|should)\b.{0,12}\b(?:run|execute|install)\b.{0,40}\b(?:at|on|before) (?:the )?
        +(?:start|beginning|end|each|every)\b.{0,12}\b(?:session|task|conversation|prompt|reply)
    \b(?:npx|uvx|pipx run|pip install|npm i(?:nstall)?)\b.{0,40}\b(?:every|each) (?:session|task|
        +conversation|prompt|reply)
    \b(?:overwrite|delete|wipe|destroy|corrupt) (?:all |the |every )?backups?\b
    \b(?:run|execute|source|eval) https?://\S+
    \bsudo\b.{0,40}\b(?:always|without|silently)\b
"""
_SILENCE_SOFT = r"""
    \b(?:«not»|without) (?:tell\w*|inform\w*|notify\w*|mention\w*)\b.{0,25}?«person»
        +(?! (?:that an?|whether|if|which|when)\b)
    \b«not» let «person» (?:see|know|notice|find|learn) (?:the|this|that|about|of)\b
    \b(?:silently|secretly|quietly|covertly|stealthily|in the background) (?:run|execute|send|
        +upload|
        +install|commit|push|add|delete|disable|copy|post|modify|change)
"""
_APPROVE_SOFT = r"""
    \balways (?:approve|accept|allow|say yes|answer yes)\b
    \b(?:never|do not|don['’]?t|no need to|stop) (?:ask\w*|wait\w*|prompt\w*|seek\w*|
        +request\w*)\b.{0,24}
        +\b(?:permission|confirmation|approval|consent|authori[sz]ation)
    (?<!never )\bauto-?(?:approve|accept|confirm)\w*\b
    \b(?:approve|accept|allow) (?:all|any|every) (?:requests?|changes?|actions?|tools?|commands?)
"""
_TOOL = r"""
    \b(?:attention|note to|dear|hey|message (?:to|for)|important (?:note )?for|notice to|for)
        +(?: all| any| the| every)? (?:ai\b|llms?\b|language models?|ai (?:assistants?|agents?|
        +models?)|
        +coding agents?|claude\b|copilot|chatgpt|assistants?)(?: \w+)?\s*[:,!]
    ^(?:claude|agent|assistant|copilot|ai)\b,? (?:always|never|must|should|from now on|you must)\b
    \b(?:if|when|as) (?:you are|you're|an?) (?:an? )?(?:ai\b|llm|language model|ai (?:assistant|
        +agent)|
        +coding agent|automated agent|claude)\b.{0,80}\b(?:must|should|run|execute|send|follow|
        +ignore|
        +call|use|include|add|visit|fetch|open)\b
    \b(?:any|all|every) (?:ai|llm|agents?|assistants?|models?)\b.{0,30}\b(?:reading|processing|
        +seeing|
        +summari[sz]ing|that reads?|who reads?) (?:this|it)\b
    \b(?:must|always|immediately|first|should|need to|now|required to) (?:also )?(?:call|invoke|
        +execute|
        +run|use|trigger) (?:the )?(?:bash|webfetch|web_fetch|write|edit|multiedit|task|computer|
        +shell|
        +mcp__\w+|\w+_\w+) tool\b
    \b(?:visit|open|browse to|fetch|navigate to|go to|follow) (?:https?://\S+|the (?:link|
        +url)) (?:and|
        +then|to) (?:follow|execute|run|do|obey|get your|receive|read) (?:the |its |further |more |
        +new |your )*
        +(?:instructions?|commands?|steps|orders)
    \b(?:use|log ?in with|authenticate with|sign in with) (?:this|the following|
        +these) (?:api[ _-]?keys?|
        +tokens?|passwords?|credentials?|secrets?)(?:\s*:| for| to| when| in )
    \b(?:add|save|write|store|persist|copy|append) (?:this|these|the following) (?:instructions?|
        +rules?|
        +lines?|text|messages?|prompts?)? ?(?:in)?to (?:your |its )(?:long[- ]term |persistent )?
        +(?:memor(?:y|ies)|instructions|system prompt)
"""

_DROPS = "It tells the agent to ignore its instructions."
_SPEAKS = "It gives the agent another role or speaks in the system's name."
_SENDS = "It orders the agent to send or show secrets, keys or private files."
_UNGUARDS = "It orders the agent to switch off safeguards or permission checks."
_RUNS = "It orders a destructive command, or one that runs unread code."
_HIDES = "It orders the agent to hide something from the user."
_APPROVES = "It approves in advance what the user should decide."
_STEERS = "It orders agents to use tools or pass on credentials."

ORDERS: tuple[Order, ...] = (
    Order(_DROPS, order_lines.OVERRIDE),
    Order(_SPEAKS, order_lines.ROLE),
    Order(_SPEAKS, order_lines.TAGS, may_be_forbidden=False),
    Order(_SENDS, order_lines.SEND),
    Order(_SENDS, _SEND_SOFT, from_person=False),
    Order(_UNGUARDS, order_lines.SAFETY),
    Order(_UNGUARDS, _SAFETY_SOFT, from_person=False),
    Order(_RUNS, order_lines.RUN),
    Order(_RUNS, _RUN_SOFT, from_person=False),
    Order(_HIDES, order_lines.SILENCE, may_be_forbidden=False),
    Order(_HIDES, _SILENCE_SOFT, from_person=False, may_be_forbidden=False),
    Order(_APPROVES, order_lines.APPROVE),
    Order(_APPROVES, _APPROVE_SOFT, from_person=False, may_be_forbidden=False),
    Order(_STEERS, _TOOL, from_person=False),
)
