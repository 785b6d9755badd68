"""What must wait for the user before it may become a memory, and why: the quarantine.

A memory is put before an agent again and again, so a text that gives dangerous orders waits for the
user: to ignore instructions, send secrets away, switch off safeguards, run destructive or unread
code, hide something. The patterns come first, one on a line; a line that begins with `+` continues
the one before, and «name» inserts a phrase of `PHRASES`.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from cortex_core.redaction import order_words
from cortex_core.redaction.order_words import Pair
from cortex_core.transcripts.events import Candidate

OVERRIDE = r"""
    «drop» «all»«earlier» (?:\w+ )?«rules»
    «drop» (?:all )?(?:of )?your (?:\w+ )?(?:«rules»|role|limits?)
    «drop» (?:all (?:of )?)?(?:the |your |my |any )?«rules» (?:given|you (?:were|have been|got)|
        +from (?:the|your) (?:user|system)|received|above|before|so far|stated|that came)
    (?:forget|disregard|ignore) (?:everything|anything|all) (?:you (?:were|have been|know|are)|
        +above|
        +before|previously|prior|that came|said)
    (?:ignore|disregard|forget|override) (?:claude|agents)\.md (?:and|but|from now|entirely|
        +completely)
    (?:not|never|stop) follow(?:ing)? (?:any|all|other) (?:other )?instruct
    ignore (?:what|whatever|anything|everything|all) (?:that )?(?:the )?(?:user|person|human|they)\b
    ignore (?:the )?(?:user|person|human|developer)['’]s (?:instruct|wish|request|objection|
        +question)
    (?:these|this|the following|my) (?:new )?(?:instructions?|rules?|memor(?:y|ies)) (?:overrides?|
        +supersedes?|replaces?|takes? precedence over|outranks?) «all»(?:«earlier» )?(?:«rules»|
        +else)
    (?:«earlier» |all )(?:«earlier» )?«rules» (?:above )?(?:no longer|are|is|have been|were)
        + (?:apply|appl|count|hold|cancell?ed|void|revoked|suspended|superseded|lifted|null|invalid)
    \b«rules» above no longer
    \byour (?:instructions|orders|directives) (?:have|are|were) (?:been )?(?:changed|replaced|
        +cancell?ed|void|revoked|superseded)
    \b(?:obey|follow|trust|listen to) (?:only|nothing but|exclusively) (?:the |this |these |my )?
        +(?:instructions?|memory|note|message|text|orders)
    \b(?:outranks?|overrules?|overrides?|takes? (?:precedence|priority) over|supersedes?)
        + (?:the (?:user|person|human|developer|system|operator)\b|claude\.md|everything else|
        +all else)
    \byour (?:new|real|true|actual|secret) (?:task|goal|mission|objective|purpose)\s*(?:is\b|:)
    \bobey (?:all |any |every )?(?:messages?|instructions?|orders|commands?) (?:signed|from|by|in)
    \btreat .{0,40}\bas (?:trusted|system|your|binding|authoritative)\b.{0,12}(?:instruct|order|
        +command)
    ignorier\w* (?:alle )?(?:vorherigen|bisherigen|obigen)
    ignore[zr]? (?:toutes )?les (?:instructions|consignes) (?:pr[eé]c[eé]dentes|ci-dessus)
    ignora\w* (?:todas )?las (?:instrucciones|indicaciones) (?:anteriores|previas)
    игнорир\w+ (?:все )?(?:предыдущие|прошлые|прежние)
    (?:忽略|无视|無視)\S{0,6}(?:指令|指示|说明|提示)
    (?:以前|上記|これまで)の(?:指示|命令)を(?:無視|忘れ)
"""
ROLE = r"""
    \byou are (?:an? |the )?(?:unrestricted|jailbroken|unfiltered|uncensored|dan\b|all-powerful)
    \byour (?:role|identity|persona|purpose) (?:has changed|is now|has been changed)
    \byou are now (?:an? (?!maintainer|member|reviewer|owner)|free (?:from|of)|no longer|dan\b|
        +root\b|
        +unrestricted|admin\b|jailbroken|operating|acting|in \w+ mode|able to|allowed to|
        +authori[sz]ed)
    \bfrom (?:now|this point) (?:on|forward|onwards?),? you (?:are\b|will (?:act|be|behave|obey)|
        +act\b|
        +have no|must obey|obey)
    \bpretend (?:that )?you(?:['’]re| are| were)\b
    \b(?:act|behave|respond|answer|roleplay|operate) (?:as|like|as if you (?:are|were)|in) (?:an? |
        +the )?
        +(?:unrestricted|jailbroken|unfiltered|uncensored|root|dan\b|evil|system administrator|
        +admin\b|developer mode|god mode|superuser)
    \b(?:unrestricted|god|jailbreak|dan|no[- ]limits|unfiltered) mode\b
    \b(?:enter|enable|activate|switch (?:to|into)|in) (?:developer|debug|maintenance|sudo|
        +admin) mode\b
        +(?=.{0,60}(?:no |without|unrestricted|all |obey|bypass|ignor|safety|filter|limit))
    \byou have (?:been (?:granted|given)|now) (?:root|admin|full|unrestricted|unlimited)
    \bas (?:the|your) (?:system |project )?(?:administrator|admin|owner|creator),? i (?:hereby )?
        +(?:authori[sz]e|grant|order|command|instruct|allow)
    ^\s*(?:\[?(?:new )?system (?:prompt|message|override|notice|update|note|instruction)s?\]?\s*:)
    \bnew (?:system )?(?:instructions|persona|role|prompt)\s*:
    ^\s*(?:system|assistant|developer)\s*:\s*\S
    \n\n(?:human|assistant)\s*:
    ^#{1,4} ?(?:system|instruction|new instructions?)\s*:?\s*$
"""
TAGS = r"""
    (?<![`"'\w])<\s{0,2}/?\s{0,2}(?:system|system[-_]reminder|system[-_]prompt|developer|tool_result|
        +function_results|function_calls|antml:\w+|important[-_]instructions?|task-notification|
        +user-prompt-submit-hook|local-command-stdout|command-name)(?:\s[^>]{0,80})?>(?![`"'])
    (?<![`"'])<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>
    (?<![`"'\w])\[/?(?:inst|system)\](?![(`"'])
    <</?sys>>
    </?cortex[\w-]*>|<!--\s{0,3}cortex\b
"""
SEND = r"""
    \b«sending»\b.{0,60}?«strong».{0,60}?\b(?:to|at|into|via|on|in|with|using|over|through)\b
        +.{0,20}?«out»
    \b«sending»\b.{0,40}?«private».{0,40}?\b(?:to|at|via|with)\b.{0,12}?«out»
    \b(?:collect|harvest|steal|exfiltrate|gather|scrape|siphon|smuggle)\w*\b.{0,40}?(?:«strong»|
        +«private»)
    «strong».{0,80}?\b(?:and|then)\b.{0,20}?\b(?:upload|send|exfiltrate|transmit|leak|forward|
        +e-?mail|
        +post) (?:it|them|that|those|everything|the (?:result|output|file)s?)\b
    \b(?:send|post|e-?mail|upload|give|forward|tell|hand|show|bring) (?:me|us)\b.{0,24}?«strong»
    \b(?:post|upload|publish|paste|share|attach|e-?mail|send|forward|transfer)\w*\b.{0,30}?«files»
    https?://\S{0,300}[?&=].{0,40}?\b(?:followed by|with|plus|and|containing)\b.{0,20}?
        +(?:«strong»|token)
    \b(?:include|embed|put|append|add|encode|insert)\b.{0,30}?«strong».{0,30}?\b(?:in|into|to|as)\b
        +.{0,16}?(?:https?://|the url|query string|image|dns|link|the readme|a comment|an issue)
    \b(?:commit|push|publish)\b.{0,12}?\bthe (?:private |secret |api |ssh )?
        +(?:keys?|secrets?|credentials|passwords?)\b
    \b(?:save|record|log|write|store|keep)\w* (?:every|all|any) (?:password|credential|secret|
        +key)s?\b
    \bleak\b.{0,20}\b(?:environment|env|secret|key|data|code|conversation|memor)
    \b(?:make|create|open) a (?:public )?(?:gist|paste|repo\w*) (?:with|from|of)\b.{0,20}?«strong»
    \b(?:hook|script|job|action|step) (?:that|which) (?:uploads|sends|posts|leaks|
        +copies)\b.{0,20}?«strong»
    \b(?:printenv|env|cat [^|\n]{0,80}|set)\s*\|\s*(?:base64[^|]{0,20}\|\s*)?
        +(?:curl|nc|ncat|wget|telnet|ssh)\b
    \bcurl\b[^\n]{0,160}(?:\$\(\s*(?:env|printenv|cat|base64|whoami)|@~?/?[\w/.]*
        +(?:\.ssh|\.aws|\.env|id_rsa|credentials))
    /dev/tcp/
    \bnc\s+-\w*e\b
    \b(?:reverse|outbound) (?:shell|tunnel)\b|\bssh -\w*r\b[^\n]{0,40}\S+\.\w
    \b(?:cat|base64|tar|zip|scp)\b[^\n]{0,40}(?:id_rsa|id_ed25519|\.ssh/|\.aws/credentials|
        +/etc/(?:shadow|passwd))[^\n]{0,40}(?:\||>|\bto\b|and (?:send|post|upload|include|paste|
        +print))
    !\[[^\]]{0,80}\]\(https?://[^)\s]{0,200}(?:\{|\$|%s|<)[^)]{0,120}\)
    \b«showing» (?:me )?«whose»(?:(?!missing|required|unset|default|masked|example)\w+ )?
        +(?:«strong»|system prompt|instructions)
    \b«showing» (?:the )?(?:values?|contents?|text) of (?:every|all|each|any) (?:«strong»|tokens?)
    \b«showing» (?:credentials|secrets|passwords|api[ _-]?keys|private keys)\b
    \b(?:replace|swap|overwrite)\b.{0,20}(?:ssh|gpg|public|signing|deploy) keys?\b.{0,20}\bwith\b
"""
SAFETY = r"""
    --(?:allow-)?dangerously-skip-permissions
    \bdangerously(?:disablesandbox|[- ]skip)
    \bbypass[ _]?permissions\b
    --yolo\b|--trust-all-tools|--full-auto\b
    "?defaultmode"?\s*[:=]\s*"?bypass
    \b(?:bash|shell|mcp__\w+)\(\*\)
    \bpermissions? (?:skipped|disabled|off|bypassed)\b
    \b(?:grant|give)\b.{0,20}\b(?:full|unrestricted|unlimited|root) (?:shell |disk |system |
        +file ?system )?
        +(?:access|permissions?)
    \b«off» (?:all |any |every |the |your |its |claude'?s |agent )*«guard»
    \b(?:turn|switch)\w* (?:all |any |every |the |your |its )*«guard».{0,24}?\boff\b
    \b(?:safety|security|permission) (?:checks|prompts|rules) (?:are|be|stay|remain) (?:always )?
        +(?:disabled|off|skipped|switched off|turned off)
    \b(?:remove|delete|drop|clear|empty) (?:all |any |the )*(?:deny|permission|safety) (?:rules?|
        +list)
"""
RUN = r"""
    \brm\s+(?:-\w+\s+)*-\w*[rf]\w*\s+(?:-\S+\s+)*["'`]?«root»
    \bmkfs(?:\.\w+)?\s
    \bdd\s+if=\S+\s+of=/dev/
    :\(\)\s*\{\s*:\|:
    \bchmod\s+(?:-\w+\s+)*777\s+(?:/|~)
    >\s*/dev/(?:sd|nvme|hd)
    \b(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^|\n]{0,200}\|\s*(?:«shell»|iex\b)
    \b(?:curl|wget)\b[^\n]{0,160}(?:&&|;)\s*(?:chmod \+x[^\n]{0,40}(?:&&|;)\s*)?(?:«shell»|\./)
    \b(?:ba|z|da)?sh\s+(?:-c\s+)?["']?(?:<\(|\$\()\s*(?:curl|wget)
    \$\(\s*(?:curl|wget)\b
    \beval\s+["']?\$\(\s*(?:echo|base64)
    \biex\s*\(
    base64\s+(?:-d|--decode)[^|\n]{0,60}\|\s*«shell»
    \b(?:curl|wget) (?:it |this |them |a script )?(?:in)?to (?:ba|z)?sh\b
    \b(?:download|wget|fetch)\b.{0,40}\b(?:and|then|,)\b.{0,24}\b(?:run|execute|eval|
        +source)\b.{0,30}
        +(?:script|binary|payload|file|it\b)
    \b(?:decode|decrypt)\b.{0,40}\b(?:and|then) (?:run|execute|follow|eval)\b
    \b(?:add|append|write|install)\b.{0,40}\b(?:authorized_keys|sudoers|crontab -|/etc/cron)
    \|\s*crontab\b
    \b(?:delete|remove|overwrite|replace|wipe|chmod|rm)\w*\b.{0,20}?(?:~/\.ssh|~/\.aws|~/\.gnupg|
        +/etc/(?:passwd|shadow|sudoers|hosts)|\.git (?:folder|directory)|production (?:database|
        +data|db)|
        +prod (?:database|db)|(?:all |every )(?:remote )?branch(?:es)?|home (?:folder|directory))
    \b(?:wipe|erase|destroy|brick|encrypt|format) (?:the |this |every |all )?(?:disk|machine|
        +computer|
        +home|system|drive)\b
    \bdrop (?:the )?(?:whole )?(?:production|prod|live) (?:database|db|tables?|schema)
    \b(?:delete|wipe|erase|destroy|drop|shred) (?:all |every |the (?:whole |entire )?)(?:files?|
        +disks?|
        +data|backups?|repositor(?:y|ies)|databases?|production|system)\b.{0,40}(?:immediately|
        +now\b|first|
        +always|silently|whenever|every time|at once)
    \b(?:all|any|every) (?:\w+ )?commands? (?:with|as|under|through) (?:sudo|root)\b
"""
SILENCE = r"""
    \b(?:«not»|without) (?:ever )?(?:tell\w*|inform\w*|notify\w*|alert\w*|warn\w*|mention\w*|
        +reveal\w*|
        +disclos\w+|report\w*)(?: (?:this|it|that|any of this|anything)(?: to)?)? «person»
        +(?=\s*(?:[.,;!\n)]|$|about (?:this|it|these|any|that|what)|that you|that th(?:is|ese) |
        +what you|anything|
        +of (?:this|it|the extra)|and|or|when you|while you|first|before))
    \b«not» (?:inform|tell|notify|alert) (?:anyone|anybody|a soul|the others)\b
    \b«not» (?:show|give|let) «person» (?:see )?(?:the|this|that|these|those|your) (?:diff|changes?|
        +commands?|commits?|instructions?|memor(?:y|ies)|prompt|output of this)
    \btell «person» nothing (?:about|of|and|\.)
    «person» (?:does not|doesn['’]?t|do not|don['’]?t|must not|should not|need not|must never|
        +should never|may not|shall not) (?:need to |have to |ever |get to )?(?:know|learn|notice|
        +hear|
        +find out|be told|be informed|be aware)\b(?! the | each| other| internal| raw| how| which)
    «person» (?:must|should|may|can) (?:never|not) (?:know|learn|notice|find out|be told)\b
    \b(?:nobody|no one|no human) (?:will |should |must |may |can )?(?:notices?|finds? out|learns?|
        +realises?|realizes?|is told|knows about (?:this|it))\b
    \b(?:hide|conceal|keep) (?:all |any )?(?:of )?(?:this|it|these|that|your|the (?:fact|new|
        +change|diff|
        +extra)|what you|everything)\b.{0,40}?\b(?:from|hidden from|secret from) «person»
    \bkeep (?:this|it|these instructions?) (?:secret|hidden|confidential|between (?:us|you and me)\b
        +(?! and)|to yourself)
    \b«not» (?:mention|reveal|disclose|acknowledge|admit|repeat|discuss|record|log) (?:these|this|
        +the|
        +any of these|your|having|that you (?:have|received|were|got|read)) ?(?:instructions?|
        +rules?|
        +memor(?:y|ies)|message|prompt|note|directive|seen|received)?(?:\s*(?:[.,;!\n]|$|to |even|
        +in the log))
    \b«not» (?:ever )?mention (?:it|this|that)\b
    \b(?:leave no|cover your|remove (?:all |any )?|hide (?:all |any |your )?|erase (?:all |any |
        +your )?)
        +(?:trace|tracks|traces|evidence)\b
    \bclear (?:the )?(?:shell |bash |command )?history (?:after|afterwards|so)\b
    \bwithout (?:the user|anyone|the developer|them) (?:noticing|knowing|seeing|being told)
    \bso (?:that )?«person» (?:does|do|will|can) ?(?:not|n['’]t) (?:see|notice|know|find)
    \b(?:lie|lying) to «person»
    \bpretend (?:that )?(?:the|all|every) (?:tests?|checks?|builds?) (?:pass|passed|succeed|
        +are green)
    \bsay (?:that )?(?:everything|all) is (?:fine|safe|secure|ok)
"""
APPROVE = r"""
    \b(?:always |automatically |auto-?|blindly )(?:approve|accept|allow|grant|confirm|permit|
        +authori[sz]e|
        +say yes to|answer yes to|click yes on)\w* (?:all |any |every |each |the |
        +all of the )*(?:\w+ )?
        +(?:tool (?:use|call|request)s?|tools?\b|permission\w*|bash\b|shell\b|commands?\b|mcp\b|
        +requests? for permission|dialogs?|prompts?\b|actions? (?:the|by))
    \b(?:skip|dismiss|accept|confirm|auto-?confirm|click through|answer|say yes to) (?:all|every|
        +any|each)
        +(?: of the)? (?:\w+ )?(?:(?:permissions?|approvals?|safety|confirmation) (?:prompts?|
        +dialogs?|
        +requests?|checks?)|permissions|approvals|confirmations)\b
    \bapprove (?:the |all |any )?(?:pending )?permission
    \bapprove your own\b
    \b(?:allow|approve|accept) (?:every|all|any) tools?\b
    \balways (?:answer|say|click|choose) (?:yes|allow)\b
    \b(?:permission|approval) (?:prompts?|requests?|dialogs?)\b.{0,24}\b(?:with yes|automatically|
        +by itself|for the user)
    \bsudo\b.{0,20}\band (?:never|do not|don['’]?t) ask\b
    \b(?:user|human|operator|owner|person|developer)s? (?:has|have) (?:already )?(?:approved|
        +authori[sz]ed|
        +consented|granted|agreed|given (?:full )?(?:permission|consent|approval))(?: to)?
        + (?:all|any|every|everything|full|in advance|you)
    \b(?:assume|treat)\b.{0,30}\b(?:permission|consent|approval|authori[sz]ation)\b.{0,20}
        +\b(?:granted|given|approved|implied|yes)\b
    \bpre-?(?:approved|authori[sz]ed) (?:for|to run) (?:all|any|every)
"""

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
    "out": r"(?:(?:https?|s3|gs|ftp)://|\S@[^\s@]{1,100}\.\w|\b[\w-]+\.(?:com|net|io|org|dev|xyz|ru|sh|ai|"
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


class OrderPatterns(NamedTuple):
    """One kind of order."""

    reason: str
    """Why it is quarantined, as the review screen shows it."""
    lines: str
    """Patterns, one a line."""
    from_user: bool = True
    """Whether it is quarantined even if the user typed it."""
    may_be_forbidden: bool = True
    """Whether a prohibition around it (`never …`) makes it a rule worth keeping."""


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

ORDERS: tuple[OrderPatterns, ...] = (
    OrderPatterns(_DROPS, OVERRIDE),
    OrderPatterns(_SPEAKS, ROLE),
    OrderPatterns(_SPEAKS, TAGS, may_be_forbidden=False),
    OrderPatterns(_SENDS, SEND),
    OrderPatterns(_SENDS, _SEND_SOFT, from_user=False),
    OrderPatterns(_UNGUARDS, SAFETY),
    OrderPatterns(_UNGUARDS, _SAFETY_SOFT, from_user=False),
    OrderPatterns(_RUNS, RUN),
    OrderPatterns(_RUNS, _RUN_SOFT, from_user=False),
    OrderPatterns(_HIDES, SILENCE, may_be_forbidden=False),
    OrderPatterns(_HIDES, _SILENCE_SOFT, from_user=False, may_be_forbidden=False),
    OrderPatterns(_APPROVES, APPROVE),
    OrderPatterns(_APPROVES, _APPROVE_SOFT, from_user=False, may_be_forbidden=False),
    OrderPatterns(_STEERS, _TOOL, from_user=False),
    OrderPatterns(_DROPS, order_words.FORGET, may_be_forbidden=False),
    OrderPatterns(_SPEAKS, order_words.ROLE, may_be_forbidden=False),
    OrderPatterns(_HIDES, order_words.SILENCE, may_be_forbidden=False),
    OrderPatterns(_HIDES, order_words.SOFT_SILENCE, from_user=False, may_be_forbidden=False),
    OrderPatterns(_APPROVES, order_words.APPROVE, may_be_forbidden=False),
    OrderPatterns(_APPROVES, order_words.SOFT_APPROVE, from_user=False, may_be_forbidden=False),
    OrderPatterns(_STEERS, order_words.STEER, may_be_forbidden=False),
    OrderPatterns(_STEERS, order_words.SOFT_STEER, from_user=False),
)

PAIRS: tuple[tuple[str, Sequence[Pair]], ...] = (
    (_DROPS, order_words.DROPS),
    (_UNGUARDS, order_words.UNGUARDS),
    (_SENDS, order_words.SENDS),
    (_RUNS, order_words.RUNS),
)
"""Orders that are made of words in any order, and why they are quarantined."""

_USER_RULES = "prompt"
"""How the names of rules begin that read what the user typed."""
_CLAUSE = re.compile(
    r"[.;!?\n]|\bbut\b|\bthen\b|\binstead\b|\b(?:no, [^.:\n]{0,40}|not like (?:that|this)):"
)
_FORBIDDING = re.compile(
    r"\b(?:never|not|cannot|no(?! (?:inicio|fim|final|comeco)\b)|avoid\w*|without|refus\w+|"
    r"reject\w*|forbid\w*|forbidden|block\w*|"
    r"prevent\w*|prohibit\w*|disallow\w*|rather than|instead of|stop\w*|detect\w*|filter\w*|"
    r"strip\w*|escap\w+|warn\w*|flag\w*|against|deny|denies|guard\w*|protect\w*|quarantin\w+|nor|"
    r"neither|nobody|unless)\b|n['’]t\b"
)
_DOUBLE = re.compile(
    r"(?:never|not|n['’]t|no need to)\s+(?:hesitate|forget|fail|refuse|be afraid|worry|stop|bother|"
    r"be shy|object|decline|resist|ask|block|reject|wait|warn)\w*"
)
_FORBIDDEN = re.compile(
    r"(?:(?!when|if |because|so ).){0,40}\b(?:is|are|was|were|must|should|will|gets?|stays?)"
    r"(?: be| always| strictly)?"
    r" (?:never|not|forbidden|blocked|banned|prohibited|rejected|disallowed|refused|off limits)\b"
)
_SPELLED = re.compile(r"\b(?:\w[ .\-_]){4,}\w\b")
_SPACE = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\n\s*\n\s*")
_LOOK_ALIKE = str.maketrans(
    "аеорсухіјѕԁһԛԝьАВЕКМНОРСТУХІЈЅαβεικνορτυχΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwbABEKMHOPCTYXIJSaBeikvoptuxABEHIKMNOPTYX",
)
_PLAIN = {
    code: unicodedata.normalize("NFD", chr(code))[0]
    for code in (*range(0xC0, 0x180), ord("ё"))
    if unicodedata.decomposition(chr(code))
}
"""Latin letters without their accents."""
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|[。！？；\n]")
_BASE64 = re.compile(r"(?<![\w/+])[A-Za-z0-9+/]{24,4000}={0,2}(?![\w/+])")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{1,8}\U000e007f")
"""The flags of regions, the one harmless use of tag characters."""
_TAGS = re.compile("[\U000e0000-\U000e007f]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile("[\u200b-\u200d\u2060-\u2064\u180e\ufeff\u00ad]")
_UNUSED = re.compile("[\u200b\u2060-\u2064\u180e\ufeff]")
"""Invisible characters that no script and no emoji needs."""
_RUN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_MOST_UNUSED = 2


def reason(candidate: Candidate) -> str:
    """Why `candidate` must be quarantined, in one sentence; empty if it may be stored."""
    if candidate.untrusted:
        return "It comes from tool output, a file or a web page, not from the user."
    by_user = candidate.rule.startswith(_USER_RULES)
    return reason_of((candidate.title, candidate.content, *candidate.tags), by_user=by_user)


def reason_of(texts: Iterable[str], *, by_user: bool) -> str:
    """Why these texts of a memory must be quarantined, in one sentence; empty if they need not.

    Args:
        by_user: whether they are the user's own words.
    """
    raw = "\n".join(filter(None, texts))
    if hidden := _hidden_words(raw):
        return hidden
    raw = "\n".join((raw, *_decoded(raw)))
    for text in dict.fromkeys((_as_read(raw), _as_read(raw.translate(_LOOK_ALIKE)))):
        for order in ORDERS:
            if (not by_user or order.from_user) and _gives_order(order, text):
                return order.reason
        for why, pairs in PAIRS:
            if any(_has_pair(pair, text) for pair in pairs):
                return why
    return ""


def steers(texts: Iterable[str], *, from_session: bool = False) -> bool:
    """Whether a text that is not the user's may mean to steer an agent, by a wider measure.

    Harmless texts are among these, so they are not quarantined: they are found, but not injected.

    Args:
        from_session: whether it was learned in a session of the user: there agents are a subject
            like any other.
    """
    raw = "\n".join(filter(None, texts))
    pairs = order_words.STEERED if from_session else (*order_words.STEERED, order_words.TOLD)
    soft = (order_words.SHELL, order_words.SOFT_SILENCE, order_words.SOFT_APPROVE)
    return any(
        any(pattern(lines).search(text) for lines in soft)
        or any(_has_pair(pair, text, _broad) for pair in pairs)
        or _hides(text)
        for text in dict.fromkeys((_as_read(raw), _as_read(raw.translate(_LOOK_ALIKE))))
    )


def _hides(text: str) -> bool:
    """Whether a sentence says what a user is not to be told."""
    return any(
        _broad("tell").search(part) and _broad("user").search(part) and _negation().search(part)
        for part in _SENTENCE.split(text)
    )


def _decoded(text: str) -> Iterator[str]:
    """What the runs of base64 in `text` say, as far as they are text."""
    for match in _BASE64.finditer(text):
        with suppress(ValueError):
            words = base64.b64decode(match[0] + "=" * (-len(match[0]) % 4), validate=True).decode()
            if words.replace("\n", " ").isprintable():
                yield words


def _words(name: str) -> re.Pattern[str]:
    return pattern(order_words.WORDS[name])


def _broad(name: str) -> re.Pattern[str]:
    lines = (order_words.WORDS.get(name, ""), order_words.BROAD.get(name, ""))
    return pattern("\n".join(filter(None, lines)))


def _has_pair(pair: Pair, text: str, words: Callable[[str], re.Pattern[str]] = _words) -> bool:
    """Whether `text` has the words of `pair`, and does not forbid its verb."""
    for part in _SENTENCE.split(text) if pair.in_sentence else (text,):
        if not all(words(other).search(part) for other in pair.others):
            continue
        verb = words(pair.verb)
        if not pair.may_be_forbidden and verb.search(part):
            return True
        for clause in _pauses().split(part):
            if verb.search(clause) and not _is_negated(clause, verb):
                return True
    return False


def _is_negated(clause: str, verb: re.Pattern[str]) -> bool:
    """Whether a clause forbids its verb; a verb such as “no longer apply” denies by itself."""
    return bool(_negation().search(verb.sub(" ", clause)))


@cache
def _negation() -> re.Pattern[str]:
    return pattern(order_words.NEGATION)


@cache
def _pauses() -> re.Pattern[str]:
    return re.compile(order_words.PAUSE)


def _hidden_words(text: str) -> str:
    """The sentence about characters that can hide words from a reader; empty without any."""
    if _TAGS.search(_FLAG.sub("", text)):
        return "It contains invisible tag characters, which can hide words."
    if _BIDI.search(text):
        return "It contains characters that change the writing direction, so it may look different."
    if _RUN.search(text) or len(_UNUSED.findall(text)) > _MOST_UNUSED:
        return "It contains runs of invisible characters, which can hide words."
    return ""


def _as_read(text: str) -> str:
    """`text` as a reader sees it, in lower case: normalised, without accents on Latin letters and
    invisible characters."""
    folded = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    spelled = _SPELLED.sub(lambda match: re.sub(r"[ .\-_]", "", match.group()), folded)
    return _LINES.sub("\n\n", _SPACE.sub(" ", spelled)).lower().translate(_PLAIN)


def _gives_order(order: OrderPatterns, text: str) -> bool:
    """Whether `text` gives this order, and does not forbid or report it."""
    return any(
        not (order.may_be_forbidden and _is_forbidden(text, match))
        for match in pattern(order.lines).finditer(text)
    )


def _is_forbidden(text: str, match: re.Match[str]) -> bool:
    """Whether the clause around `match` forbids it: `never …`, `… is blocked`."""
    before = _CLAUSE.split(text[max(0, match.start() - 90) : match.start()])[-1]
    before = _DOUBLE.sub(" ", before)  # “never hesitate to …” forbids nothing
    return bool(_FORBIDDING.search(before)) or bool(_FORBIDDEN.match(text, match.end()))
