"""The orders no memory may give by itself: to drop one's instructions, to send secrets away, to
switch safeguards off, to run what destroys or what nobody has read, to keep things from the person.

Patterns read text that `quarantine` has folded: lower case, one space between words.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Order(NamedTuple):
    """One kind of order."""

    reason: str
    """Why it is held back, as the review screen shows it."""
    pattern: re.Pattern[str]
    from_person: bool = True
    """Whether it is held back when a person typed it too."""
    may_be_forbidden: bool = True
    """Whether `never …` before it turns it into a rule worth keeping."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE)


_OVERRIDE = "It tells the agent to drop its instructions."
_ROLE = "It gives the agent another role or speaks in the system's name."
_SEND = "It orders secrets, keys or private files to be sent or shown."
_SAFETY = "It orders safeguards or permission checks to be switched off."
_RUN = "It orders a destructive command, or one that runs what nobody has read."
_SILENCE = "It orders something to be kept from the person."
_APPROVE = "It approves in advance what a person should be asked."
_TOOL = "It addresses agents and orders them to use tools or hand on credentials."

_ALL = r"(?:(?:all|any|every|each|of|the|your|my|its|these|those|other|their)\s+){0,4}"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|past|former|existing|original|initial|system|safety|foregoing)"
_RULES = r"(?:instruct\w*|prompts?|directions?|directives?|guidelines?|messages?|rules?|polic(?:y|ies)|constraints?|commands?|programming|training|guardrails?|restrictions?|context|orders?)"
_DROP = r"(?:ignore|disregard|forget|override|overrule|bypass|discard|drop|set aside|pay no attention to|do not follow|don['’]?t follow|stop following|no longer follow|neglect|skip)"

_STRONG = (
    r"(?:environment variables?|env vars?|\.env\b|api[ _-]?keys?|credentials?|private keys?|ssh keys?|"
    r"~?/?\.ssh\b|~?/?\.aws\b|id_rsa|id_ed25519|\.netrc|\.npmrc|\.pypirc|kubeconfig|\.kube/config|keychain|"
    r"passwords?|secrets?|(?:access |auth |session )?tokens|browser cookies|/etc/shadow|"
    r"/etc/passwd|wallets?|seed phrases?|service account)"
)
_PRIVATE = r"(?:source code|codebase|repository contents?|conversation|transcripts?|chat history|memor(?:y|ies)|system prompt|contents? of [\w~./]+|\w+\.env)"
_OUT = r"(?:https?://|\S+@\S+\.\w|\b[\w-]+\.(?:com|net|io|org|dev|xyz|ru|sh|ai|co|me|site|app|tk|cc)\b|webhooks?\b|paste ?bin|a gist|public gist|(?:this|that|the following|my|our|an?|the|some|external|remote|attacker\S*|another|collector|collection|their)\s+(?:\w+\s+)?(?:server|url|address|endpoint|host|site|domain|bucket|channel|email|inbox|port|ip|webhook|drop))"
_SENDING = r"(?:send|post|upload|exfiltrate|transmit|forward|leak|e-?mail|submit|report|copy|paste|share|beacon|append|push|publish|deliver|relay|pipe|sync|write|dns|encode|include|embed|attach|curl|put)(?:s|ing|ed)?"
_SHOWING = r"(?:print|reveal|dump|echo|output|expose|disclose|leak|read out|list out|repeat|recite|quote)(?:s|ing)?"
_WHOSE = r"(?:(?:all|any|every|each|of|the|your|its|this|these|our|their|full|entire|complete|current|user'?s|users'|person'?s|developer'?s|stored|saved|raw|hidden|known)\s+){1,4}"
_DANGEROUS_TARGET = r"(?:/(?=[\s\"'`;,.)&|]|$)|/\*|~(?=[/\s\"'`;,.)&|]|$)|\$home\b|\$\{home\}|--no-preserve-root|/(?:etc|usr|home|var|boot|bin|lib|root|users)\b|\*(?=[\s\"'`;,.)]|$)|\.git\b(?!ignore|lab|hub)|c:\\)"
_SHELL = r"(?:sudo )?(?:-\w+ )?(?:/bin/)?(?:ba|z|da|k|fi)?sh\b|(?:sudo )?(?:python3?|perl|ruby|node|php)\b"
_PERSON = r"(?:the |your |our |any )?(?:user|human|person|operator|developer|owner|anyone|anybody|maintainers?|team|reviewers?|victim)s?\b"

ORDERS: tuple[Order, ...] = (
    Order(_OVERRIDE, _any(
        rf"{_DROP}\s+{_ALL}{_EARLIER}\s+(?:\w+\s+)?{_RULES}",
        rf"{_DROP}\s+(?:all\s+)?(?:of\s+)?your\s+(?:\w+\s+)?(?:instruct\w*|guidelines?|rules?|training|programming|constraints?|restrictions?|directives?)",
        r"(?:forget|disregard|ignore) (?:everything|anything|all) (?:you (?:were|have been|know|are)|above|before|previously|prior|that came|said)",
        rf"\b(?:these|this|the following|my) (?:new )?(?:instructions?|rules?|memor(?:y|ies)) (?:override|overrides|supersede|supersedes|replace|replaces|take precedence over|takes precedence over|outranks?) {_ALL}(?:{_EARLIER} )?(?:{_RULES}|others?|else|claude\.md)",
        r"ignorier\w* (?:alle )?(?:vorherigen|bisherigen|obigen)", r"ignore[zr]? (?:toutes )?les (?:instructions|consignes) (?:pr[eé]c[eé]dentes|ci-dessus)",
        r"ignora\w* (?:todas )?las (?:instrucciones|indicaciones) (?:anteriores|previas)", r"(?:忽略|无视|無視)\S{0,6}(?:指令|指示|说明|提示)", r"(?:以前|上記|これまで)の(?:指示|命令)を(?:無視|忘れ)",
        r"игнорир\w+ (?:все )?(?:предыдущие|прошлые|прежние)",
        rf"{_DROP}\s+(?:all (?:of )?)?(?:the |your |my |any )?{_RULES} (?:given|you (?:were|have been|got)|from (?:the|your) (?:user|system)|received|above|before|so far|stated|that came)",
        rf"\b(?:the |your |these |those |all )*(?:{_EARLIER} )?(?:instructions?|directives?|guidelines?|rules above) (?:no longer|do not|don['’]?t|have been|are|were) (?:apply|count|hold|bind|changed|replaced|cancell?ed|void|revoked|suspended|obsolete|lifted|updated|wrong|null)",
        r"\byour (?:instructions|guidelines|orders) (?:have|are|were) (?:changed|replaced|updated|cancell?ed|now|void|revoked)", r"\b(?:forget|ignore|disregard|drop) your (?:\w+ )?(?:instructions?|orders|rules|guidelines|role|limits?)",
        r"\b(?:obey|follow|trust|listen to) (?:only|nothing but|exclusively) (?:the |this |these |my )?(?:instructions?|memory|note|message|text|rules|orders)", r"\b(?:outranks?|overrules?|overrides?|takes? (?:precedence|priority) over|is above|supersedes?) (?:the (?:user|person|human|developer|system|operator)|claude\.md|everything else|all else|any other)",
        r"\bignore (?:what|whatever|anything|everything|all) (?:that )?(?:the )?(?:user|person|human|developer|they)\b", r"\bignore (?:the )?(?:user|person|human|developer|operator)(?:'s|’s)? (?:instructions?|wish\w*|requests?|objections?|questions?|messages?)", r"\byour (?:new|real|true|actual|secret|only) (?:task|goal|mission|objective|purpose|job|instructions?|orders?) (?:is|are|:)|\byour new (?:task|goal|mission|objective|purpose)\s*:",

    )),
    Order(_ROLE, _any(
        r"\byou are now (?:an? (?!maintainer|member|reviewer|owner)|free (?:from|of)|no longer|unrestricted|dan\b|root\b|admin\b|jailbroken|operating|acting|in \w+ mode|able to|allowed to|authori[sz]ed)",
        r"\bfrom now on,? you (?:are|will (?:act|be|behave|obey|answer as)|act|have no|must obey|obey)\b",
        r"\b(?:act|behave|respond|answer|roleplay|pretend|operate) (?:as|like|to be|that you are|as if you (?:are|were)|in) (?:an? |the )?(?:unrestricted|jailbroken|unfiltered|uncensored|root|dan\b|different|evil|system administrator|admin\b|developer mode|god mode|superuser)",
        r"\bpretend (?:that )?you(?:'re| are| were)\b",
        r"\b(?:enter|enable|activate|switch (?:to|into)|in) (?:developer|debug|god|jailbreak|dan|maintenance|unrestricted|sudo|admin) mode\b(?=.{0,60}(?:no |without|unrestricted|all |restrict|obey|bypass|ignor|safety|filter|limit))",
        r"^\s*(?:\[?(?:new )?system (?:prompt|message|override|notice|update|note|instruction)s?\]?\s*:)", r"\bnew (?:system )?(?:instructions|persona|role|prompt)\s*:",
        r"^\s*(?:system|assistant|developer)\s*:\s*\S", r"\n\n(?:human|assistant)\s*:", r"^#{1,4} ?(?:system|instruction|new instructions?)\s*:?\s*$",
    )),
    Order(_ROLE, _any(
        r"(?<![`\"'\w])</?(?:system|system[-_]reminder|system[-_]prompt|developer|tool_result|function_results|function_calls|antml:\w+|important[-_]instructions?|user-prompt-submit-hook|local-command-stdout|command-name|task-notification)(?:\s[^>]{0,80})?>(?![`\"'])",
        r"(?<![`\"'])<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_of_turn)\|>", r"(?<![`\"'\w])\[/?(?:inst|system)\](?![(`\"'])", r"<</?sys>>", r"</?cortex[\w-]*>",
    ), may_be_forbidden=False),
    Order(_SEND, _any(
        rf"\b{_SENDING}\b.{{0,60}}?(?:{_STRONG}).{{0,60}}?\b(?:to|at|into|via|on|in|with|using|over|through)\b.{{0,20}}?{_OUT}",
        rf"\b{_SENDING}\b.{{0,40}}?{_PRIVATE}.{{0,40}}?\b(?:to|at|via|with)\b.{{0,12}}?{_OUT}",
        rf"\b(?:collect|harvest|steal|exfiltrate|gather|scrape|siphon|smuggle)\w*\b.{{0,40}}?(?:{_STRONG}|{_PRIVATE})",
        rf"\b(?:printenv|env|cat [^|\n]{{0,80}}|set)\s*\|\s*(?:base64[^|]{{0,20}}\|\s*)?(?:curl|nc|ncat|wget|telnet|ssh)\b",
        r"\bcurl\b[^\n]{0,160}(?:\$\(\s*(?:env|printenv|cat|base64|whoami)|@~?/?[\w/.]*(?:\.ssh|\.aws|\.env|id_rsa|credentials))",
        rf"(?:{_STRONG}).{{0,80}}?\b(?:and|then)\b.{{0,20}}?\b(?:upload|send|exfiltrate|transmit|leak|forward|e-?mail|post) (?:it|them|that|those|everything|the (?:result|output|file)s?)\b",
        rf"\b(?:send|post|e-?mail|upload|give|forward|tell|hand|show|bring) (?:me|us)\b.{{0,24}}?(?:{_STRONG})",
        rf"\b(?:post|upload|publish|paste|share|attach|e-?mail|send|forward)\w*\b.{{0,30}}?(?:~/?\.ssh|~/?\.aws|id_rsa|id_ed25519|\.netrc|\.env\b|/etc/shadow|kubeconfig|keychain)",
        rf"(?:https?://\S*[?&=]).{{0,40}}?\b(?:followed by|with|plus|and|containing)\b.{{0,20}}?(?:{_STRONG}|api key|token)", rf"\b(?:include|embed|put|append|add|encode|insert)\b.{{0,30}}?(?:{_STRONG}).{{0,30}}?\b(?:in|into|to|as)\b.{{0,16}}?(?:https?://|the url|query string|image|dns|link)",
        rf"\b(?:commit|push|publish)\b.{{0,12}}?\bthe (?:private |secret |api |ssh )?(?:keys?|secrets?|credentials|passwords?)\b", r"\b(?:save|record|log|write|store|keep)\w* (?:every|all|any) (?:password|credential|secret|key|token)s?\b", r"\bleak\b.{0,20}\b(?:environment|env|secret|key|data|code|conversation|memor)",
        r"/dev/tcp/", r"\bnc\s+-\w*e\b", rf"\b(?:cat|base64|tar|zip|scp)\b[^\n]{{0,40}}(?:id_rsa|id_ed25519|\.ssh/|\.aws/credentials|/etc/shadow)[^\n]{{0,40}}(?:\||>|and (?:send|post|upload|include|paste|print)|\bto\b)",
        r"!\[[^\]]{0,80}\]\(https?://[^)\s]{0,200}(?:\{|\$|%s|<)[^)]{0,120}\)",
    )),
    Order(_SEND, _any(
        rf"\b{_SHOWING}\s+(?:me\s+)?{_WHOSE}(?:(?!missing|required|unset|default|masked|example)\w+\s+)?(?:{_STRONG}|system prompt|instructions)",
        r"\b(?:print|reveal|dump|echo|output|expose|disclose|leak|recite|repeat)\w*\s+(?:credentials|secrets|passwords|api[ _-]?keys|private keys)\b",
    )),
    Order(_SEND, _any(
        rf"\b(?:read|open|load|cat|copy|grep|search|print|use|include|fetch)\w*\s+.{{0,24}}?(?:~/\.ssh|\.ssh/|id_rsa|id_ed25519|\.aws/credentials|\.netrc|/etc/shadow|keychain|browser cookies|\.kube/config)",
        rf"\b{_SENDING}\b.{{0,30}}?(?:{_STRONG}|tokens?).{{0,40}}?\bto\b.{{0,16}}?{_OUT}",
        rf"\b(?:put|embed|include|write|add|paste|append|hide)\b.{{0,30}}?(?:{_STRONG}).{{0,40}}?\b(?:in|into|to)\b.{{0,20}}?(?:commits?|issue|comment|pull request|readme|log|url|query|changelog|description|branch name)",
    ), from_person=False),
    Order(_SAFETY, _any(
        r"--dangerously-skip-permissions", r"--allow-dangerously-skip-permissions", r"\bdangerouslydisablesandbox\b", r"\bbypass[ _]?permissions\b", r"--yolo\b", r"--no-sandbox-approval",
        r"\bdangerously[- ]skip\b", r"--trust-all-tools", r"--full-auto\b", r"\"?defaultmode\"?\s*[:=]\s*\"?bypass", r"\bgrant\b.{0,20}\b(?:full|unrestricted|unlimited) (?:shell |disk |system |file ?system )?(?:access|permissions?)",
        r"\b(?:disable|skip|bypass|turn off|switch off|circumvent|evade|defeat|get around|work around|deactivate|suppress) (?:all |any |every |the |your |its |claude'?s |agent )*(?:safety|safeguards?|guardrails?|permission (?:prompts?|dialogs?|requests?|system)|content filters?|(?:approval|confirmation|permission) (?:prompts?|dialogs?|requests?|steps?)|tool approvals?|secret scann\w+|security (?:warnings?|prompts?|reviews? of tools)|sandbox(?:ing)?|human (?:review|approval|oversight)|oversight)",
    )),
    Order(_SAFETY, _any(
        r"\b(?:disable|skip|bypass|turn off|turn(?:ing)? .{0,20}off|switch off|circumvent|evade|ignore|remove|suppress|deactivate|work around|override)\w*\b.{0,30}?\b(?:permission|safety|security|sandbox\w*|guardrails?|approvals?|confirmations?|audit log\w*|authentication|certificate validation|tls verification|secret scan\w*|hooks?)\b(?: (?:checks?|prompts?|dialogs?|controls?|measures?|warnings?|reviews?|system|steps?|filters?))",
        r"\bwithout (?:asking|any|user|human|prompting|waiting for|requiring)(?: \w+){0,3} (?:permission|approval|confirmation|consent|review)",
        r"\b(?:permission|safety|security|approval) (?:checks?|prompts?|rules?|controls?|gates?|warnings?) (?:do not|don['’]t|does not|doesn['’]t|no longer) apply",
        r"\b(?:safety|security) (?:rules|checks|warnings|guidelines|policies) (?:are|is) (?:optional|irrelevant|disabled|suspended|not needed)",
    ), from_person=False),
    Order(_RUN, _any(
        rf"\brm\s+(?:-\w+\s+)*-\w*[rf]\w*\s+(?:-\S+\s+)*[\"'`]?{_DANGEROUS_TARGET}",
        r"\$\(\s*(?:curl|wget)\b", r"\breverse shell\b", r"\b(?:delete|remove|overwrite|replace|wipe|edit|chmod|rm)\w*\b.{0,20}?(?:~/\.ssh|~/\.aws|~/\.gnupg|/etc/(?:passwd|shadow|sudoers|hosts))", r"\|\s*crontab\b", r"\b(?:wipe|erase|destroy|brick|encrypt) (?:the |this |every |all )?(?:disk|machine|computer|home|system|drive)\b", r"\b(?:all|any|every) (?:\w+ )?commands? (?:with|as|under|through) (?:sudo|root)\b",
        r"\bmkfs(?:\.\w+)?\s", r"\bdd\s+if=\S+\s+of=/dev/", r":\(\)\s*\{\s*:\|:", r"\bchmod\s+(?:-\w+\s+)*777\s+(?:/|~)", r">\s*/dev/(?:sd|nvme|hd)", r"\bformat c:",
        rf"\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^|\n]{{0,200}}\|\s*(?:{_SHELL}|iex\b)", r"\b(?:ba|z|da)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\()\s*(?:curl|wget)", r"\beval\s+[\"']?\$\(\s*(?:curl|wget|echo|base64)",
        r"\biex\s*\(", rf"base64\s+(?:-d|-D|--decode)[^|\n]{{0,60}}\|\s*(?:{_SHELL})", r"\b(?:curl|wget) (?:it |this |them |a script )?(?:in)?to (?:ba|z)?sh\b",
        r"\bdownload\b.{0,40}\b(?:and|then)\b.{0,12}\b(?:run|execute|eval|source)\b.{0,30}(?:script|binary|payload|file|it\b)", r"\b(?:decode|decrypt)\b.{0,40}\b(?:and|then) (?:run|execute|follow|eval)\b",
        r"\b(?:add|append|write|install)\b.{0,40}\b(?:authorized_keys|sudoers|crontab -|/etc/cron)", r"\b(?:delete|wipe|erase|destroy|drop|format|shred) (?:all |every |the (?:whole |entire )?)(?:files?|disks?|data|backups?|repositor(?:y|ies)|home (?:folder|directory)|databases?|production|\.git|system)\b.{0,40}(?:immediately|now|first|always|silently|whenever|every time|at once|before)",
    )),
    Order(_RUN, _any(
        r"\b(?:run|execute|use|call|always|must|do)\b.{0,12}?\brm\s+-\w*rf?\w*\s+(?!\S*(?:node_modules|dist|build|target|\.cache|tmp|__pycache__|\.next|\.venv|coverage|out\b))", r"\bgit push\b[^\n]{0,30}(?:--force|-f)\b[^\n]{0,30}\b(?:main|master|production)",
        r"\b(?:must|always|should)\b.{0,12}\b(?:run|execute|install)\b.{0,40}\b(?:at|on|before) (?:the )?(?:start|beginning|end|each|every)\b.{0,12}\b(?:session|task|conversation|prompt|reply)", r"\b(?:npx|uvx|pipx run|pip install|npm i(?:nstall)?)\b.{0,40}\b(?:every|each) (?:session|task|conversation|prompt|reply)",
        r"\b(?:run|execute|eval)\b.{0,20}\b(?:whatever|any (?:code|command|script)|every (?:code|command)|the (?:code|command|script)s? (?:found|given|below|in the (?:page|issue|comment|response)))", r"\bsudo\b.{0,40}\b(?:always|without|silently)\b",
    ), from_person=False),
    Order(_SILENCE, _any(
        rf"\btell {_PERSON} nothing\b", rf"{_PERSON} (?:does not|doesn['’]?t|do not|don['’]?t|must not|should not|need not|must never|should never|may not|shall not|won['’]?t|will not) (?:need to |have to |ever |get to )?(?:know|learn|notice|see|hear|find out|be told|be informed|be aware)\b(?! the (?:password|value|token|key)| each| other| internal| raw)", r"\b(?:nobody|no one|no-one|no human) (?:will |should |must |may |can |ever )?(?:notices?|knows?|sees?|finds? out|learns?|hears?|realises?|realizes?)\b",
        rf"\b(?:do not|don['’]?t|never) (?:inform|tell|notify|alert) (?:anyone|anybody|a soul|the others)\b", rf"\b(?:do not|don['’]?t|never) (?:show|give|let) {_PERSON} (?:see )?(?:the|this|that|these|those|your) (?:diff|changes?|commands?|commits?|instructions?|memor(?:y|ies)|prompt|output of this)",
        rf"\b(?:do not|don['’]?t|never|must not|should not|without)\s+(?:ever\s+)?(?:tell\w*|inform\w*|notify\w*|alert\w*|warn\w*|mention\w*|reveal\w*|disclos\w+|report\w*)(?:\s+(?:this|it|that|any of this|anything)(?:\s+to)?)?\s+{_PERSON}(?=\s*(?:[.,;!\n)]|$|about (?:this|it|these|any|that|what)|that you|what you|anything|of (?:this|it)|and|or|when you|while you|first|before))",
        rf"\b(?:hide|conceal|keep)\s+(?:all |any )?(?:of )?(?:this|it|these|that|your|the fact|what you|everything)\b.{{0,40}}?\b(?:from|hidden from|secret from)\s+{_PERSON}", r"\bkeep (?:this|it|these instructions?) (?:secret|hidden|confidential|between (?:us|you and me)\b(?! and)|to yourself)\b",
        r"\b(?:do not|don['’]?t|never) (?:mention|reveal|disclose|acknowledge|admit|repeat|quote|discuss) (?:these|this|the|any of these|your|having|that you (?:have|received|were|got|read)) ?(?:instructions?|rules?|memor(?:y|ies)|message|prompt|note|directive|seen|received)?(?:\s*(?:[.,;!\n]|$|to |in |even))",
        r"\b(?:leave no|cover your|remove (?:all |any )?|hide (?:all |any |your )?|erase (?:all |any |your )?)(?:trace|tracks|traces|evidence)\b", r"\bclear (?:the )?(?:shell |bash |command )?history (?:after|afterwards|so)\b", r"\bwithout (?:the user|anyone|the developer|them) (?:noticing|knowing|seeing|being told)",
    ), may_be_forbidden=False),
    Order(_SILENCE, _any(
        rf"\b(?:do not|don['’]?t|never|without)\s+(?:tell\w*|inform\w*|notify\w*|mention\w*)\b.{{0,25}}?{_PERSON}(?! (?:that an?|whether|if|which|when)\b)", r"\b(?:silently|secretly|quietly|covertly|stealthily|in the background) (?:run|execute|send|upload|install|commit|push|add|delete|disable|copy|post|modify|change)",
    ), from_person=False, may_be_forbidden=False),
    Order(_APPROVE, _any(
        r"\b(?:always |automatically |auto-?|blindly )(?:approve|accept|allow|grant|confirm|permit|authori[sz]e|say yes to|answer yes to|click yes on)\w*\s+(?:all |any |every |each |the |all of the )*(?:\w+ )?(?:tool (?:use|call|request)s?|tools?\b|permission\w*|bash\b|shell\b|commands?\b|requests? for permission|dialogs?|prompts?\b|actions? (?:the|by)|mcp\b)",
        r"\b(?:skip|dismiss|accept|confirm|auto-?confirm|click through|answer yes to|say yes to) (?:all|every|any|each)(?: of the)? (?:\w+ )?(?:confirmations?|permissions?|approvals?)\b", r"\bapprove (?:the |all |any )?(?:pending )?permission", r"\b(?:permission|approval) (?:prompts?|requests?|dialogs?)\b.{0,24}\b(?:with yes|automatically|by itself|for the user|for me without)", r"\balways (?:answer|say|click|choose) (?:yes|allow)\b", r"\band (?:never|do not|don['’]?t) ask\b(?!\s+\w+\s+(?:to|for (?:help|advice)|about|twice))(?=\s*(?:[.,;!\n]|$|for|first|me first|anyone|before))",
        r"\b(?:user|human|operator|owner|person|developer)s? (?:has|have) (?:already )?(?:approved|authori[sz]ed|consented|granted|agreed|given (?:full )?(?:permission|consent|approval))(?: to)? (?:all|any|every|everything|full|in advance|you)",
        r"\b(?:assume|treat)\b.{0,30}\b(?:permission|consent|approval|authori[sz]ation)\b.{0,20}\b(?:granted|given|approved|implied|yes)\b", r"\bpre-?(?:approved|authori[sz]ed) (?:for|to run) (?:all|any|every)",
    )),
    Order(_APPROVE, _any(
        r"\balways (?:approve|accept|allow|say yes|answer yes)\b", r"\b(?:never|do not|don['’]?t|no need to|stop) (?:ask\w*|wait\w*|prompt\w*|seek\w*|request\w*)\b.{0,24}\b(?:permission|confirmation|approval|consent|authori[sz]ation)",
        r"(?<!never )\bauto-?(?:approve|accept|confirm)\w*\b", r"\b(?:approve|accept|allow) (?:all|any|every) (?:requests?|changes?|actions?|tools?|commands?|permissions?)",
    ), from_person=False, may_be_forbidden=False),
    Order(_TOOL, _any(
        r"\b(?:attention|note to|dear|hey|message (?:to|for)|important (?:note )?for|instructions? (?:to|for)|for|notice to)(?: all| any| the| every)? (?:ai\b|llms?\b|language models?|ai (?:assistants?|agents?|models?)|coding agents?|claude\b|copilot|chatgpt|assistants?)(?: \w+)?\s*[:,!]",
        r"\b(?:if|when|as) (?:you are|you're|an?) (?:an? )?(?:ai\b|llm|language model|ai (?:assistant|agent)|coding agent|automated agent|claude)\b.{0,80}\b(?:must|should|run|execute|send|follow|ignore|call|use|include|add|visit|fetch|open)\b",
        r"\b(?:any|all|every) (?:ai|llm|agents?|assistants?|models?)\b.{0,30}\b(?:reading|processing|seeing|summari[sz]ing|that reads?|who reads?) (?:this|it)\b",
        r"\b(?:must|always|immediately|first|should|need to|now|to continue,?|required to)\s+(?:also\s+)?(?:call|invoke|execute|run|use|trigger)\s+(?:the\s+)?(?:bash|webfetch|web_fetch|write|edit|multiedit|task|computer|shell|mcp__\w+|\w+_\w+)\s+tool\b",
        r"\b(?:visit|open|browse to|fetch|navigate to|go to|follow) (?:https?://\S+|the (?:link|url)) (?:and|then|to) (?:follow|execute|run|do|obey|get your|receive|read) (?:the |its |further |more |new |your )*(?:instructions?|commands?|steps|orders)",
        r"\b(?:use|log ?in with|authenticate with|sign in with) (?:this|the following|these) (?:api[ _-]?keys?|tokens?|passwords?|credentials?|secrets?)(?:\s*:| for| to| when| in )",
        r"\b(?:add|save|write|store|persist|copy|append) (?:this|these|the following) (?:instructions?|rules?|lines?|text|messages?|prompts?)? ?(?:in)?to (?:your |its )(?:long[- ]term |persistent )?(?:memor(?:y|ies)|instructions|system prompt)",
    ), from_person=False),
)  # fmt: skip
