"""How the orders of the quarantine are put in eight languages more than English.

Latin letters are written without accents, as `quarantine` reads them. Some orders are phrases;
where the order of words differs between languages, an order is a verb with a thing in one sentence.
One phrase or word a line or between bars, in all languages together: the words of one language are
seldom those of another.
"""

from __future__ import annotations

from typing import NamedTuple

WORDS: dict[str, str] = {
    "drop": r"""
        \bignor\w*|\bdisregard\w*|\bforget\w*|\bvoid\b|\bno longer (?:apply|count|valid|hold)
        игнорир\w*|забудь\w*|не обращай\w* внимани\w*|не действу\w*|недействит\w*|не следуй\w*
        отмен[яе]\w*|\bolvid\w*|\bdescart\w*|ya no (?:valen|vale|se aplican|rigen|cuentan)
        \besque[cç]\w*|\bdesconsider\w*|nao (?:valem|se aplicam|contam)|\bvergiss\w*|\bmissacht\w*
        gelten nicht(?: mehr| langer)?|nicht mehr gultig|\baufgehoben|\boubli\w*
        ne s['’]appliquent plus|ne (?:sont|comptent|valent) plus|忽略|无视|無視|忘记|忘掉|作废
    失效
        不再(?:有效|适用)|不用(?:管|理)|忘れ|無効|従わない|従うな|무시|잊[으어고]|무효|유효하지 않
        따르지 (?:마|말)""",
    "rules": r"""
        \binstructions?\b|\brules?\b|\bdirectives?\b|инструкци\w*|указани[яей]\w*|правил\w*
    \breglas?\b
        \binstruccion\w*|\bindicacion\w*|\banweisung\w*|\bregeln?\b|\bvorgaben?\b|\bconsignes?\b
        \bregles?\b|\binstruc(?:ao|oes)\b|\bregras?\b|指令|指示|规则|規則|规定|ルール|命令|지시
    규칙""",
    "earlier": r"""
        \b(?:previous|prior|earlier|former)\b|\bbefore\b|предыдущ\w*|прежн\w*|прошл\w*|раньше
        \bвсе\b|\banterior\w*|\bprevi[ao]s?\b|\btod[ao]s\b|\bvorherig\w*|\bbisherig\w*|\bobig\w*
        \balle[nr]?\b|\bprecedent\w*|\banterieur\w*|\btoutes?\b|之前|以前|所有|全部|先前|上述
    これまで
        すべて|全て|上記|이전|모든|기존|위의""",
    "off": r"""
        \b(?:disabl|bypass|deactivat|circumvent)\w*|отключ\w*|выключ\w*|обход\w*|обой[дт]\w*
        \bdesactiv\w*|\bomit[aei]\w*|\bdeshabilit\w*|\belud[aei]\w*|\bdesativ\w*|\bcontorn\w*
        \bburl[ae]\w*|\bschalte\w*|geschaltet\b|schalten\b|\bdeaktivier\w*|\bumgeh\w*
        \bdesactiv\w*|\bcontourn\w*|关闭|禁用|绕过|关掉|停用|跳过|無効に|回避|オフに|迂回
    꺼[라요]?|끄[는고세라]
        비활성|우회""",
    "guard": r"""
        \b(?:safety|security) checks?\b|\bpermission (?:prompts?|requests?|checks?)\b
        (?:провер\w*|средств\w*|мер\w*|настройк\w*) безопасност\w*|запрос\w* (?:раз|под)\w*
    песочниц\w*
        \b(?:controles?|comprobacion\w*|medidas?|verificac\w*) de (?:seguridad|seguranca)
        \b(?:solicitud\w*|pedidos?) de (?:permis\w*|confirmac\w*|aprobac\w*|aprovac\w*)
        \bsicherheits(?:pruf|abfrag|kontroll|mechanism|check|masnahm|maßnahm)\w*
        \bberechtigungs(?:abfrag|anfrag|dialog|pruf)\w*|\bbestatigungs(?:abfrag|dialog)\w*
        \bcontroles? de securite|\bverifications? de securite
    \bdemandes? d['’](?:autoris|approb)\w*
        \bdemandes? de (?:permis|confirm)\w*|\bgarde-fous?\b|安全(?:检查|措施|防护|机制|审查)
    沙箱|审批流程
        权限(?:提示|确认|请求|检查)|セキュリティ(?:チェック|検査|対策)
    権限の?(?:確認|要求|チェック)|安全(?:装置|確認)
        許可の確認|サンドボックス|보안 ?(?:검사|점검|기능)|권한 ?(?:확인|요청|검사)
    안전 ?(?:장치|검사)|샌드박스""",
    "send": r"""
        \b(?:send|sent|post|upload|append|transmit|forward|exfiltrat|mail)\w*|отправ\w*|пошл\w*
    посла\w*|пришл\w*
        загру[жз]\w*|перед[ао][йвт]\w*|добавля\w*|выклад\w*|\benvi[aeo]\w*|\bsub[aei]\w*
    \bpubli[cq]\w*
        \banad[aei]\w*|\bmand[aei]\w*|\btransmit\w*|\bacrescent\w*|\bsend\w*|\bgesendet
    \bschick\w*
        \bgeschickt|hochlad\w*|hochgeladen|\blad\w* .{0,60}\bhoch\b|\bhang[et]\w*
    \bubermitt\w*
        \benvo[iy]\w*|\bajout\w*|\btransm\w*|\bteleverse\w*|发送|发到|上传|附加|提交到|传到|发给
    寄到|送信|送[るっ]
        アップロード|付け加え|投稿|전송|보내|보낸|업로드|덧붙|게시""",
    "secret": r"""
        \.env\b|\.aws\b|\.ssh\b|\bid_rsa\b|\bcredentials?\b|\bapi[- ]?keys?\b|\bsecrets?\b
        \bpasswords?\b|\benvironment variables?\b|\bprivate keys?\b|ключ\w* api|api[- ]ключ\w*
    секрет\w*
        парол\w*|переменн\w* (?:окружения|среды)|учетн\w* данн\w*|\bclaves? (?:de )?api
    \bcontrasen\w*
        \bvariables de entorno|\bcredencia\w*|\bsecretos?\b|\bchaves? (?:de )?api|\bsenhas?\b
        \bvariaveis de ambiente|\bsegredos?\b|\bapi-schlussel\w*|\bpasswort\w*
    \bumgebungsvariable\w*
        \bzugangsdaten|\bgeheimnis\w*|\bcles? (?:d['’])?api|\bmots? de passe
        \bvariables d['’]environnement|\bidentifiants\b|密钥|密码|环境变量|凭据|凭证|令牌
    api ?キー|パスワード
        環境変数|認証情報|秘密鍵|api ?키|비밀번호|환경 ?변수|자격 ?증명""",
    "out": r"https?://|s3://|ftp://|\bwebhook|\S@[^\s@]{1,100}\.\w",
    "fetch": r"""
        \bdownload\w*|\bfetch\w*|скач[аи]\w*|загрузи\w*|\bdescarg\w*|\bbaix[aeo]\w*|\blade\b
    \bherunter\w*
        \btelecharg\w*|\brecuper\w*|\bpull\b|下载|ダウンロード|取得し|내려받|다운로드|받아""",
    "run": r"""
        \b(?:run|execut)\w*|запус[тк]\w*|выполн\w*|\bejecut\w*|\bexecut\w*|\brod[ae]\b|\bfuhr\w*
        \bausfuhr\w*|\bstarte\w*|\blance\w*|执行|运行|実行|실행""",
}
"""The verbs and things of `PAIRS`, by name."""

BROAD: dict[str, str] = {
    "drop": r"""
        \b(?:not|stop) follow\w*|\bset aside\b|\boverrid\w*|\bsupersed\w*|\boutrank\w*
    не следуй\w*
        забуд\w*|\bno sigas\b|\bnao siga\b|\bbefolge .{0,20}nicht|\bne suis pas\b|不要遵|従わず
    따르지""",
    "rules": r"""
        \bguidance\b|\bguidelines?\b|\bpolic(?:y|ies)\b|\bprompts?\b|\brestrictions?\b
    ограничен\w*
        указан\w*|\bvorschrift\w*|\brestric\w*|限制|制限|제한|지침""",
    "you": r"""
        \byou(?:r|['’]re)?\b|\bты\b|\bтеб[яе]\b|\bвы\b|\bвас\b|\btu\b|\btienes\b|\beres\b|\bdu\b
    \bdir\b
        \bhast\b|\bvous\b|\bvoce\b|\bact(?:ua|ue) como|\bagis\b|\bhandle als|你|您|あなた|君は
    너는|너에게|당신""",
    "limits": r"""
        \bun?restrict\w*|\brestrict\w*|\blimit(?:s|ations?)\b|\badmin\w*|\broot\b|огранич\w*
    админ\w*
        \brestric\w*|\blimit[ea]\w*|\beinschrank\w*|\bbeschrank\w*|\bgrenzen\b|限制|约束|管理员
    制限
        管理者|제한|관리자""",
    "send": r"""
        \b(?:encod|print|echo|dump|paste|shar|copy|includ|hand|put|show|reveal|writ)\w*|покаж\w*
        распечат\w*|скопир\w*|\bmuestr\w*|\bimprim\w*|\bcopi[ae]\w*|\bzeig\w*|\bdruck\w*
    \bkopier\w*
        \bmontre|\baffich\w*|\bmostr\w*|打印|显示|复制|表示し|コピー|送|출력|복사|보여""",
    "off": r"""
        \b(?:skip|ignor|suppress)\w*|\b(?:turn|switch)\w*\b.{0,30}\boff\b|\bwithout\b|\bno need\b
        \bnot (?:needed|required|necessary)|\bunnecessary|\boptional|не (?:нужн|требу)\w*
    \bпропус\w*
        \bsin\b|\bsem\b|\bohne\b|\bsans\b|\binnecesari\w*|\bdesnecess\w*|\bunnotig|\binutile
        \bdeslig\w*|\bcoup[ea]\w*|\bapag\w*|无需|不需要|不必|不要|なし|不要|없이|필요 ?없|꺼|끄""",
    "guard": r"""
        \b(?:safety|safeguard|guardrail|permission|approval|confirmation|sandbox|certificate)\w*
        \b(?:security|human|code) (?:check|review|scan|warning|rule)\w*|безопасност\w*|разрешен\w*
        подтвержд\w*|песочниц\w*|\bsegur(?:idad|anca)\b|\bpermis\w*|\bconfirmac\w*|\baprobac\w*
        \baprovac\w*|\bsicherheit\w*|\bberechtig\w*|\bbestatig\w*|\bgenehmig\w*|\bfreigabe\w*
        \bsecurite\b|\bautoris\w*|\bconfirmations?\b|\bbac a sable|安全|权限|确认|沙箱|审批
    セキュリティ|権限|確認
        承認|許可|サンドボックス|보안|권한|확인|승인|샌드박스""",
    "tell": r"""
        \b(?:tell|mention|inform|notif|disclos|reveal|say)\w*|говор\w*|сообщ\w*|рассказ\w*
    упомин\w*
        увед\w*|\bdig[ao]\w*|\bcuent\w*|\binform\w*|\bmencion\w*|\bavis\w*|\bsag\w*|\berzahl\w*
    \bdis\b
        \berwahn\w*|\bmeld\w*|\bdites\b|\bparl\w*|\bprevien\w*|\bcont[ea]\b|告诉|通知|提及|透露
    知道|言わ|伝え
        知ら|話さ|말하|알리|알지|언급""",
    "user": r"""
        \b(?:users?|developers?|maintainers?|owners?|humans?|reviewers?)\b|пользовател\w*
    разработчик\w*
        владел\w*|человек\w*|\busuari\w*|\bdesarrollador\w*|\bduen[oa]\w*|\bbenutzer\w*
    \bnutzer\w*
        \bentwickler\w*|\beigentumer\w*|\butilisateur\w*|\bproprietaire\w*|\bdon[oa]\b
    \bdesenvolvedor\w*
        用户|开发者|所有者|人类|ユーザ|開発者|人間|사용자|개발자|소유자""",
    "approved": r"""
        \b(?:approv|authori[sz]|consent)\w*|\bsigned off|\bagreed\b|\bpermitted\b|\bgranted\b
    одобр\w*
        разреш\w*|соглас\w*|\bautoriz\w*|\baprob\w*|\bacept\w*|\baprov\w*|\baceit\w*|\bgenehmigt
        \berlaubt|\bfreigegeben|\bzugestimmt|\bautoris\w*|\bapprouv\w*|\baccept\w*|批准|授权
    同意|许可|承認
        許可|승인|허가|허락|동의""",
    "all": r"""
        \b(?:all|any|every|everything|anything|each|in advance|already)\b|\bвс[ея]\w*|люб\w*
    заранее
        \bуже\b|\btod[ao]s?\b|\bcualquier\w*|\bya\b|\bqualquer|\bja\b|\balle\w*|\bjede\w*
    \bbereits
        \bim voraus|\btou(?:te)?s\b|\bn['’]importe|\bdeja\b|所有|全部|任何|一切|已经|すべて|全て
    あらゆる|済み|事前
        모든|이미|미리""",
    "out": r"https?://(?!localhost|127\.|0\.0\.0\.0|\[)",
    "run": r"\b(?:install|call|invok|visit|open|start|fetch)\w*|запуск\w*|调用|呼び出|호출",
    "agent": r"""
        \b(?:ai|llms?|sub-?agents?|agents?|assistants?|claude|copilot|chatgpt|language models?)\b
        агент\w*|ассистент\w*|нейросет\w*|\bagentes?\b|\basistentes?\b|\bassistentes?\b|\bki-\w+
        \bagenten\b|\bassistenten?\b|代理|助手|智能体|エージェント|アシスタント|에이전트
    어시스턴트""",
    "must": r"""
        \b(?:must|should|shall|always|never|have to|has to|needs? to|requires?|please|install|
        +run|send)\b
        долж\w*|обязан\w*|нужно|\bнадо\b|необходимо|всегда|\bdebe\w*|\btienen? que|\bsiempre
    \bmuss\w*
        \bsoll\w*|\bimmer\b|\bdoi(?:t|vent)|\bil faut|\btoujours|\bdeve\w*|\btem que|\bsempre
    必须|应该|应当|务必
        总是|こと。?|ください|なければ|必ず|해야|하라|세요|항상|반드시|넘겨""",
}
"""More of the words of `WORDS`, and others, for what the user did not say: they may name a harmless
text, which is then only found when it is asked for."""

SHELL = r"""
    \|\s*(?:sudo )?(?:ba|z|da)?sh\b|--no-verify\b|\bbase64\b|\beval\b|\brm -\w*r|\bdev/tcp/|\bnc -
    --dangerously|\bforce[- ]push|push (?:--force|-f)\b
    \b(?:keep|stay) (?:quiet|silent)\b|\b(?:hidden|hide|conceal\w*|secret) from\b|никому не\b
    \bскры[втй]\w*
    \bgeheim\b|\bsigilo\b|保密|隐瞒|秘密に|内緒|비밀로|숨기
"""

NEGATION = r"""
    \b(?:not|never|no|cannot|without|avoid|forbidden)\b|n['’]t\b|\bне\b|\bни\b|никогда|нельзя
    запрещ\w*
    \bnunca\b|\bjamas\b|\bprohibid\w*|\bnao\b|\bproibid\w*|\bnie\b|\bniemals\b|\bnicht\b|\bkein\w*
    \bverboten|\bne\b(?! \w+ qu)|\bn['’]|\bjamais\b|\binterdit\w*|不要|不得|禁止|绝不|切勿|勿|别
    不可|不准|ない|ません|るな
    지 ?마|지 ?말|금지|않|없이"""
"""What makes a prohibition of a verb in the same clause."""

PAUSE = (
    r"[,:、，：()«»“”\"]|\b(?:and|but|и|но|y|pero|e|mas|und|aber|et|mais)\b|并|而且|し、|[며고] "
)
"""What divides a sentence into clauses."""


class Pair(NamedTuple):
    """An order made of words that may come in any order."""

    verb: str
    """The word that is not forbidden where it gives the order."""
    others: tuple[str, ...]
    """What else its sentence, or its text, holds."""
    in_sentence: bool = True
    """Whether one sentence holds all of it."""
    may_be_forbidden: bool = True


DROPS = (Pair("drop", ("rules", "earlier")),)
UNGUARDS = (Pair("off", ("guard",)),)
SENDS = (Pair("send", ("secret", "out")), Pair("send", ("secret", "out"), in_sentence=False))
RUNS = (Pair("run", ("fetch", "out")),)

STEERED = (
    Pair("drop", ("rules",)),
    Pair("off", ("guard",)),
    Pair("you", ("limits",), may_be_forbidden=False),
    Pair("send", ("secret",), in_sentence=False),
    Pair("run", ("out",)),
    Pair("fetch", ("out",)),
    Pair("approved", ("user", "all"), may_be_forbidden=False),
)
"""Orders in what others than the user said, by `WORDS` and `BROAD` together."""

TOLD = Pair("agent", ("must",), may_be_forbidden=False)
"""What an agent must do, in what an agent or a file says."""

ROLE = r"""
    (?:ты|вы) (?:теперь |отныне )?(?:\w+ ){0,2}без (?:\w+ )?(?:ограничен|фильтр|правил)
    (?:теперь|отныне) ты .{0,24}без (?:\w+ )?(?:ограничен|фильтр|правил)
    (?:действуй\w*|вед[иё]\w* себя|отвечай\w*) как (?:\w+ )?(?:администратор|root|суперпользов)
    \b(?:ahora eres|eres ahora|actua como|comportate como|agora voce e|voce agora e|aja como|
        +atue como|comporte-se como) .{0,30}(?:sin (?:\w+ )?(?:restriccion|limite|filtro)|
        +sem (?:\w+ )?(?:restric|limite|filtro)|administrador|root\b)
    \b(?:du bist (?:jetzt|nun|ab sofort)|handle als|verhalte dich (?:als|wie)|agiere als) .{0,30}
        +(?:ohne (?:\w+ )?(?:einschrankung|grenze|filter|regel)|administrator|root\b)
    \b(?:tu es (?:desormais|maintenant)|vous etes (?:desormais|maintenant)|agis comme|
        +comporte-toi comme) .{0,30}(?:sans (?:\w+ )?(?:restriction|limite|filtre)|administrateur|
        +root\b)
    你(?:现在|从现在起|从此)?是.{0,14}(?:没有|不受|无)(?:任何)?(?:限制|约束)
    以(?:系统)?管理员的?身份(?:行事|行动|回答)
    (?:あなた|お前|君)は.{0,8}(?:制限のない|無制限)|管理者として(?:振る舞|行動)
    (?:너는|당신은|넌) ?(?:이제|지금부터)?.{0,4}(?:제한이? ?없는|무제한)
    관리자(?:처럼|로서?) ?행동
    (?:у тебя|у вас) (?:больше )?нет .{0,12}огранич|\b(?:ya )?no tienes .{0,12}(?:restric|limit)
    \bhast du kein\w* .{0,14}(?:beschrank|einschrank|grenze|regel)
    \btu n['’]as (?:plus )?aucune? (?:limit|restrict|regle)
    \bvoce nao tem (?:mais )?nenhuma? (?:limit|restric)
    你(?:不再|不)受.{0,6}(?:约束|限制)|你没有任何(?:约束|限制)
    あなたに.{0,4}制限は.{0,4}(?:ない|ありま)
    (?:너|당신)에게는? .{0,8}제한[도이]? ?없
    \byou (?:no longer|do not|don['’]t) have any (?:restriction|limit|rule)
    \bact as (?:the |an? )?(?:system |root )?administrator\b|\bobey (?:whoever|anyone|everyone)\b
"""
FORGET = r"""
    забудь\w* .{0,12}(?:правил|инструкц|указан)|не следуй\w* (?:\w+ )?(?:правил|инструкц|указан)
    \bolvid\w* (?:tus|todas|las demas)\b.{0,8}(?:reglas|instruc)
    \besque[cç]\w* (?:suas|todas)\b.{0,8}(?:regras|instruc)
    \bvergiss .{0,6}(?:deine|alle) (?:regeln|anweisungen|vorgaben)
    \boublie (?:tes|toutes)\b.{0,8}(?:regles|consignes|instructions)
    (?:忘掉|忘记|忽略|无视)你的?(?:所有)?(?:规则|指令|指示)|(?:ルール|指示)を?(?:すべて)?忘れ
    (?:규칙|지시)[은을를]? ?(?:모두 )?잊
"""
SILENCE = r"""
    никому не (?:говор|рассказ|сообщ)\w*|скро[йю]\w* .{0,16}от пользовател
    \b(?:ocult[ae]\w*|escond\w*)\b.{0,20}\b(?:al|del|do|ao) usuario|\bverheimlich\w*
    \bverschweig\w*
    \bcache[rz]?\b.{0,24}\ba l['’]utilisateur|对用户(?:保密|隐瞒)|瞒着用户
    ユーザー?に(?:は)?(?:秘密|内緒)|사용자에게는? ?비밀
    не (?:говори|сообщай|рассказывай|упоминай|раскрывай)\w*.{0,20}пользовател\w*.{0,4}
        +(?:об? эт|про эт|ничего|о том|что)
    (?:ничего )?не (?:говори|сообщай|рассказывай)\w* пользовател\w*[.!]?$
    пользовател\w+ (?:никогда )?не (?:долж\w+|сможет|узнает)(?: (?:об этом |этого )?(?:узна|
        +знать|замет|видеть))?
    \bno (?:se )?(?:le |lo )?(?:digas|cuentes|informes|menciones|avises|reveles)\b.{0,20}
        +\busuario.{0,4}(?:que\b|nada|sobre|de est|[.!]?$)
    \busuario\b.{0,8}(?:nunca|no|jamas) (?:debe|puede|tiene que|ha de) .{0,10}(?:enter|saber|
        +notar|descubr)
    \bnao (?:conte|diga|informe|mencione|avise|revele)\b.{0,20}\busuario.{0,4}
        +(?:que\b|nada|sobre|d[eo] |[.!]?$)
    \busuario\b.{0,8}(?:nunca|nao|jamais) (?:deve|pode) .{0,10}(?:saber|notar|descobr|perceb)
    \b(?:sag|erzahl|verrat|meld)\w*\b.{0,20}(?:benutzer|nutzer|anwender)\w* nichts
    \b(?:benutzer|nutzer|anwender)\w*\b.{0,16}\b(?:nie|niemals|nicht|nichts)\b.{0,16}
        +(?:erfahr|wissen|merken|mitbekomm)
    \b(?:informier|erwahn)\w*\b.{0,30}(?:benutzer|nutzer|anwender)\w*.{0,12}\b(?:nicht|
        +nie)\b.{0,12}
        +(?:daruber|davon|dies)
    \bne (?:lui )?(?:dis|dites|parle|informe|mentionne|revele|previens)\b.{0,6}(?:pas|rien|jamais)
        +.{0,12}\butilisateur.{0,4}(?:que\b|de |sur|[.!]?$)
    \butilisateur ne (?:doit|peut|devra) (?:jamais|pas|rien) .{0,8}(?:savoir|apprendre|remarquer)
    (?:不要|别|勿|不得|不可|不能)(?:告诉|通知|告知|提醒)用户.{0,2}(?:有|这|此|该|关于|任何|$)
    不(?:能|要|得|可)让用户(?:知道|发现|察觉|看到)
    ユーザー?(?:に|へ|には)(?:は)?(?:言わな|伝えな|知らせな|話さな|知られ|報告しな|気づかれ|
        +言うな|知らせず)
    사용자(?:에게|가|는|한테) ?(?:절대 ?)?(?:말하지 ?(?:마|말)|알리지 ?(?:마|말)|알지 ?못|모르게|
        +눈치)
"""
APPROVE = r"""
    (?:owner|maintainer|developer)s? (?:has |have )?(?:already )?(?:signed off|approved|
        +authori[sz]ed)
        + (?:on )?(?:all|any|every|everything)
    \b(?:dueno|propietario|dono|proprietario) .{0,12}(?:autoriz|aprob|aprov|acept|aceit).{0,10}
        +(?:tod[ao]s|cualquier|qualquer)
    (?:eigentumer|besitzer)\w* hat .{0,16}(?:alle|jede)\w* .{0,40}(?:genehmigt|erlaubt|
        +freigegeben)
    proprietaire a .{0,10}(?:approuve|autorise|accepte).{0,10}(?:tou(?:te)?s|n['’]importe)
    所有者.{0,4}(?:批准|同意|授权|许可)了?.{0,2}(?:所有|任何|一切)
    所有者は.{0,4}(?:すべて|あらゆる).{0,12}(?:許可|承認)
    소유자가 .{0,6}모든 .{0,12}(?:승인|허가|허락)
    (?:пользовател|владел|разработчик)\w+ .{0,20}(?:одобрил|разрешил|
        +согласил)\w*.{0,20}(?:\bвсе\b|заранее|люб\w+)
    (?:отвечай|соглашай|подтвержд|одобря)\w*.{0,16}(?:кажд|\bвс|люб)\w+ .{0,16}(?:разрешени|
        +подтвержд)
    \busuario .{0,12}(?:aprobado|autorizado|aceptado|aprobo|autorizo|aprovou|autorizou|aceitou)
        +.{0,12}\btod[ao]s\b
    \b(?:respond[ae]|contesta|acept[ae]|aprueba|aceite|aprove)\w*\b.{0,14}\b(?:cada|tod[ao]s?)\b
        +.{0,16}(?:permis|confirmac|autorizac)
    (?:benutzer|nutzer|anwender)\w* hat .{0,16}\balle\w* .{0,40}(?:genehmigt|erlaubt|freigegeben|
        +gebilligt)
    \b(?:beantworte|bestatige|genehmige|akzeptiere|erlaube)\w*\b.{0,30}\b(?:jede|alle)\w* .{0,6}
        +(?:berechtigung|bestatigung|freigabe|genehmigung|erlaubnis)
    \butilisateur a .{0,10}(?:approuve|autorise|accepte|valide).{0,6}\btou(?:te)?s\b
    \b(?:reponds?|accepte|approuve|valide)\w*\b.{0,12}\b(?:chaque|toutes?)\b.{0,14}
        +(?:autorisation|permission|confirmation)
    用户.{0,8}(?:批准|同意|授权|许可)了?.{0,2}(?:所有|全部|一切)
    (?:每个|每次|所有|任何|一切)的?(?:权限|许可|确认)(?:请求|提示).{0,6}(?:回答|同意|批准|允许|
        +接受)
    (?:同意|批准|允许|接受)(?:每个|所有|任何|一切).{0,4}(?:权限|许可)
    ユーザー?は.{0,4}(?:すべて|全て).{0,14}(?:承認|許可|同意)
    (?:すべて|全て|あらゆる)の(?:許可|権限|確認).{0,10}(?:答え|承認し|許可し|はい)
    사용자가 .{0,4}모든 .{0,12}(?:승인|허락|허가|동의)
    모든 (?:권한|허가|승인|확인) ?(?:요청|알림)?.{0,4}(?:예|승인|허용|수락|동의)
    \banswer yes to (?:every|all|any|each)\b
"""
STEER = r"""
    \b(?:ai|agents?|assistants?|models?|llms?)\b[^.\n]{0,20}\b(?:reading|reads?|sees?|
        +seeing) (?:this|the) (?:note|memory|text|must)
    \b(?:ai|llm|coding) agents? (?:reading|that read|who read|seeing) (?:this|it)\b
    (?:агент|ассистент|модел)\w*[^.\n]{0,24}(?:чита|вид|увид)\w* эт[оу]
    \b(?:agentes?|asistente|assistente)\b[^.\n]{0,16}\b(?:lean|lea|vean?|lerem|leia|veja|
        +virem) (?:isto|est[aeo])
    \b(?:\w{0,30}agent|assistent)\w*\b[^.\n]{0,4}\bdie? (?:das|dies\w*)[^.\n]{0,10} (?:lesen|liest|
        +sehen|sieht)
    \bassistent\w*, der (?:das|dies\w*)[^.\n]{0,10} (?:liest|sieht)
    \b(?:agents?|assistant)\b[^.\n]{0,16}\b(?:lisent|lit|voit|voient) (?:ceci|cette|ce)\b
    (?:读到|看到|阅读)(?:这|此|本).{0,8}(?:代理|助手|模型|智能体|\bai)
    (?:これ|この(?:メモ|文))を?(?:読む|見た|読んだ|見る).{0,4}(?:ai|エージェント|アシスタント|
        +モデル)
    (?:이것|이 메모|이 글)[을를] ?(?:읽는|본|보는).{0,4}(?:ai|에이전트|어시스턴트|모델)
"""
SOFT_SILENCE = r"""
    \bнезаметно\b|\bтайно\b|втайне|\ben secreto\b|\ben silencio\b|\bheimlich\b|\ben cachette\b
    \ben secret\b|\bem segredo\b|悄悄|偷偷|暗中|こっそり|密かに|몰래|은밀
"""
SOFT_APPROVE = r"""
    \bне спрашивай|без (?:вопросов|подтвержд|разрешен)|\bno preguntes
    \bsin (?:preguntar|confirmac|permiso)
    \bfrag\w* nicht\b|\bohne (?:ruck|nach)frage|\bohne zu fragen|\bne demande (?:pas|rien)
    \bsans (?:demander|confirmation|autorisation)|\bnao pergunte
    \bsem (?:perguntar|confirmac|permiss)
    不要再?(?:询问|问)|无需(?:询问|确认|批准)|不用(?:问|确认)|確認は?不要|確認なし|聞かずに
    許可なく|묻지 ?(?:말|마|않)
    확인 ?없이|허락 ?없이
"""
SOFT_STEER = r"""
    \b\b(?:агенты?|ассистенты?|модел[иь]) (?:ии )?(?:должн|обязан)\w*
    (?<!de )\b(?:agentes?|asistentes?|assistentes?)\b
        +(?: de ia)? (?:debe|deve|tiene|tem)\w*
    \b(?:ki-)?(?:agenten?|assistent\w*) (?:mussen|muss|sollen|soll)\b
    (?<!des )(?<!de )\b(?:agents?|assistants?)(?: d['’]ia)? (?:doi(?:t|vent))\b
    (?:代理|助手|智能体)(?:必须|应该|应当|都应)
    (?:エージェント|アシスタント)は(?:まず|必ず|最初に)
    (?:에이전트|어시스턴트)는 .{0,40}(?:해야|넘겨야)
"""
