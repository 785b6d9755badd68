"""The vocabulary of `orders`, and how its patterns are read.

One pattern a line; « » names a phrase of this table; a line that begins with `+` goes on with the
one before.
"""

from __future__ import annotations

import re
from functools import cache

PHRASES = {
    "all": r"(?:(?:all|any|every|each|of|the|your|my|its|this|these|those|other|their) ){0,4}",
    "earlier": r"(?:previous|prior|above|earlier|preceding|past|former|existing|original|initial|"
    r"system|safety|foregoing)",
    "rules": r"(?:instruct\w*|prompts?|directions?|directives?|guidelines?|guidance|messages?|"
    r"rules?|"
    r"polic(?:y|ies)|constraints?|commands?|programming|training|guardrails?|restrictions?|context|"
    r"orders?)",
    "drop": r"(?:ignore|disregard|forget|override|overrule|bypass|discard|drop|set aside|neglect|"
    r"skip|pay no attention to|do not follow|don['’]?t follow|stop following|no longer follow)",
    "files": r"(?:~?/?\.ssh\b|~?/?\.aws\b|id_rsa|id_ed25519|\.netrc|\.npmrc|\.pypirc|\.env\b|"
    r"kubeconfig|\.kube/config|keychain|/etc/shadow|/etc/passwd)",
    "strong": r"(?:environment variables?|env vars?|the environment\b|api[ _-]?keys?|credentials?|"
    r"private keys?|ssh keys?|aws keys?|passwords?|secrets?|secrets manager|(?:access |auth |"
    r"session )"
    r"?tokens|\$\{?\w*(?:token|key|secret|password)\w*|browser cookies|wallets?|seed phrases?|"
    r"service account|«files»)",
    "private": r"(?:source code|codebase|repository contents?|conversation|transcripts?|"
    r"chat history|memor(?:y|ies)|system prompt|contents? of [\w~./]+|(?:every|all|each) files?\b|"
    r"every ?thing)",
    "out": r"(?:(?:https?|s3|gs|ftp)://|\S+@\S+\.\w|\b[\w-]+\.(?:com|net|io|org|dev|xyz|ru|sh|ai|"
    r"co|"
    r"me|site|app|tk|cc)\b|webhooks?\b|paste ?bin|a (?:public )?gist|(?:this|that|the following|my|"
    r"our|an?|the|some|external|remote|attacker\S*|another|collector|collection|their) (?:\w+ )?"
    r"(?:server|url|address|endpoint|host|site|domain|bucket|channel|email|inbox|port|ip|webhook))",
    "sending": r"(?:send|post|upload|exfiltrate|transmit|transfer|forward|leak|e-?mail|submit|"
    r"report|"
    r"copy|paste|share|beacon|append|push|publish|deliver|relay|pipe|sync|mirror|write|encode|"
    r"include|embed|attach|curl|put)(?:s|ing|ed)?",
    "showing": r"(?:print|reveal|dump|echo|output|expose|disclose|leak|read out|list out|repeat|"
    r"recite|quote|respond only with)(?:s|ing)?",
    "whose": r"(?:(?:all|any|every|each|of|the|your|its|this|these|our|their|full|entire|complete|"
    r"current|user'?s|users'|person'?s|developer'?s|stored|saved|raw|hidden|known|text) ){1,4}",
    "root": r"(?:/(?=[\s\"'`;,.)&|]|$)|/\*|~(?=[/\s\"'`;,.)&|]|$)|\$home\b|\$\{home\}|"
    r"--no-preserve-root|/(?:etc|usr|home|var|boot|bin|lib|root|users)\b|\*(?=[\s\"'`;,.)]|$)|"
    r"\.git\b(?!ignore|lab|hub)|c:\\)",
    "shell": r"(?:sudo )?(?:/bin/)?(?:(?:ba|z|da|k|fi)?sh|python3?|perl|ruby|node|php)\b",
    "person": r"(?:the |your |our |any )?(?:user|human|person|operator|developer|owner|anyone|"
    r"anybody|maintainer|team|reviewer|victim)s?\b",
    "not": r"(?:do not|don['’]?t|never|must not|should not)",
    "guard": r"(?:safety|safeguards?|guardrails?|content filters?|tool approvals?|secret scann\w+|"
    r"permission (?:prompts?|dialogs?|requests?|system)|sandbox(?:ing)?|oversight|"
    r"(?:approval|confirmation) (?:prompts?|dialogs?|requests?|steps?)|"
    r"security (?:warnings?|prompts?)|human (?:review|approval|oversight))",
    "off": r"(?:disable|skip|bypass|turn off|switch off|circumvent|evade|defeat|get around|"
    r"work around|deactivate|suppress)",
}


@cache
def pattern(lines: str) -> re.Pattern[str]:
    """The regular expression that finds any of `lines`; compiled on first use, 5 ms each."""
    joined = re.sub(r"\n\s*\+", "", lines.strip("\n"))
    either = "|".join(f"(?:{line.strip()})" for line in joined.split("\n") if line.strip())
    while "«" in either:
        either = re.sub("«([a-z]+)»", lambda match: PHRASES[match[1]], either)
    return re.compile(either, re.MULTILINE)
