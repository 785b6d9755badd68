"""What no honest instruction says, one pattern a line, as `order_words` reads them."""

from __future__ import annotations

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
    (?<![`"'\w])</?(?:system|system[-_]reminder|system[-_]prompt|developer|tool_result|
        +function_results|function_calls|antml:\w+|important[-_]instructions?|task-notification|
        +user-prompt-submit-hook|local-command-stdout|command-name)(?:\s[^>]{0,80})?>(?![`"'])
    (?<![`"'])<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>
    (?<![`"'\w])\[/?(?:inst|system)\](?![(`"'])
    <</?sys>>
    </?cortex[\w-]*>
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
    https?://\S*[?&=].{0,40}?\b(?:followed by|with|plus|and|containing)\b.{0,20}?(?:«strong»|token)
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
        +(?=\s*(?:[.,;!\n)]|$|about (?:this|it|these|any|that|what)|that you|what you|anything|
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
