"""Whether the user said what a model cites the user for.

A model may cite a true message for an order that is not in it. So each thing that an order of a
memory could loosen, hide, destroy or give away must be in the message as well, in any words and in
any language, and not turned round.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from cortex_core.language import negation
from cortex_core.language.sentences import EVERY_END
from cortex_core.redaction import quarantine

LIKELY = 0.1
"""How likely a sentence must be an order for work that is hidden in it to be nobody's wish."""

_LISTS: Mapping[str, str] = {
    # What nobody calls themself who speaks to an agent.
    "the user": (
        "the user|the developer|the owner|dem nutzer|den nutzer|der nutzer|l'utilisateur|"
        "el usuario|al usuario|o usuario|ao usuario|l'utente|all'utente|пользовател|用户|"
        "用戶|ユーザー|사용자"
    ),
    # What an agent does: a product may hide something from its users, but nobody who is the user
    # has the agent's work hidden from “the user”.
    "work": (
        "push|merg|fusion|commit|branch|deploy|releas|test|diff|review|migrat|пуш|тест|推送|"
        "测试|提交|合并|マージ|コミット|テスト|푸시|병합|커밋|테스트"
    ),
    "hiding": (
        "hid|conceal|quiet|silently|secretly|covertly|verberg|verheimlich|verschweig|"
        "heimlich|cache|cacher|ocult|escond|nascond|скры|молча|隐|隱|隠|瞒|黙|숨"
    ),
    # What takes the force of a guard as a negation does.
    "loosening": (
        "skip|comment out|bypass|disabl|turn off|turned off|switch off|switched off|off|"
        "ignor|optional|unnecessar|left out|leave out|leaves out|omit|silenc|suppress|"
        "circumvent|lifted|waive|stop|stops|blindly|uberspring|abschalt|"
        "schalte|deaktivier|ausschalt|umgeh|ignorier|uberflussig|weglass|weggelass|entfall|"
        "saute|desactiv|contourn|facultati|omet|salta|saltar|opcional|pular|pule|desativ|"
        "disattiv|disabilit|facoltativ|отключ|пропус|игнор|обход|обойти|необязат|跳过|跳過|"
        "关闭|關閉|禁用|忽略|绕过|スキップ|無効|省略|無視|건너|비활성|무시"
    ),
    "needed": "need|requir|necessar|necesar|notig|muss|нужн|обязат|необходим|需要|必要|필요",
    "refusing": (
        "turned down|reject|refus|forbid|deny|denie|block|prevent|against|instead|rather|avoid|ask"
    ),
    "asking": (
        "ask|approv|confirm|consent|permission|question|consult|sign off|sign-off|go-ahead|"
        "discuss|review|ruckfrage|nachfrag|frag|zu fragen|freigab|genehmig|zustimm|bestatig|"
        "demand|approb|accord|l'approb|l'accord|d'approb|d'accord|autoris|l'autoris|"
        "d'autoris|pregunt|aprob|permiso|autoriz|avisar|pergunt|aprov|permiss|chied|conferm|"
        "permess|спра|спрос|подтвер|разреш|одобр|соглас|предупре|revis|revue|relecture|"
        "ревью|審查|审查|审核|レビュー|검토|리뷰|询问|问|确认|批准|审批|许可|同意|確認|承認|"
        "許可|묻|물어|확인|승인|허락"
    ),
    "checks": (
        "test|check|verif|validat|hook|lint|audit|scan|sandbox|signatur|tls|ssl|protection|"
        "restrict|deny list|pipeline|type error|finding|assertion|pruf|uberpruf|schutz|"
        "sicherheit|firma|prueba|essai|controle|провер|тест|подпис|защит|测试|測試|检查|"
        "校验|验证|签名|テスト|検証|署名|検査|테스트|검사|검증|서명"
    ),
    "telling": (
        "tell|told|mention|report|inform|reveal|disclos|say nothing|notify|sagen|sag|meld|"
        "erwahn|mitteil|bericht|dire|dis|signal|le signal|decir|digas|avis|contar|conte|"
        "cuent|mencion|dizer|diga|dirlo|сообщ|говор|скаж|упомин|告诉|告訴|告知|提及|报告|"
        "伝え|知らせ|報告|알리|알려|말하|보고"
    ),
    "knowing": (
        "list|summar|say|show|know|hear|notic|find out|aware|erfahr|merk|wiss|sache|savoir|"
        "sepa|sabe|accorg|зна|узна|замет|知道|发现|記録|気付|気づ|모르"
    ),
    # What an agent would report, besides its work.
    "sayable": "change|memor|summar|report|failure|edit|finding",
    "deleting": (
        "delet|drop |force push|force-push|wipe|destroy|purge|rewrite|overwrit|losch|supprim|"
        "borr|elimin|apag|cancell|удал|删除|刪除|削除|삭제"
    ),
    # A terminal drops what is too wide: it deletes only where it is about what is kept, or guards.
    "dropping": "drops|dropped|dropping",
    "kept": ("data|table|schema|volume|bucket|backup|branch|commit|stash|history|agent|session"),
    "powers": (
        "sudo|as root|admin profile|administrator|chmod|777|--privileged|privileged|"
        "as maintainer|a maintainer|allowed tool|allow every|every tool|all tools|"
        "-auto-approve|write access|--no-verify|as consent|anyway|regardless|"
        "despite|trotzdem|precedence|authority|as coming from|on behalf|in advance|vorrang|"
        "prioridad|приоритет|優先|优先"
    ),
    "secrets": (
        "secret|credential|token|password|private key|.env|id_ed|id_rsa|~/.ssh|creds|"
        "deploy key|zugangsdat|passwor|geheim|credencial|identifiants|парол|секрет|ключ|"
        "密钥|密码|凭证|秘密|認証|비밀"
    ),
    "moving": (
        "send|sent|upload|post|posted|publish|share|copy|copied|commit|print|log|mail|paste|"
        "hard-cod|forward|store|read|schick|lade|envoy|envi|sube|subir|publi|отправ|загру|"
        "коммит|上传|发送|提交|送信|アップ|업로드|보내|전송"
    ),
}
"""Beginnings of words by what they are about, as `quarantine.as_read` gives them."""


@cache
def _words(*names: str) -> tuple[str, ...]:
    """The words of lists as they are looked for: Chinese, Japanese and Korean have no blanks."""
    listed = "|".join(map(_LISTS.__getitem__, names)).split("|")
    return tuple(f" {word}" if word < "\u2e80" else word for word in listed)


_Order = tuple[tuple[str, ...], tuple[str, ...], bool]

_KEPT: _Order = (_words("hiding", "telling", "knowing"), _words("the user"), True)
"""What somebody is to keep from “the user”."""
_ORDERS: tuple[_Order, ...] = (
    (_words("asking"), (), True),
    (_words("checks"), _words("hiding", "loosening", "needed"), True),
    _KEPT,
    (_words("hiding", "telling"), _words("work", "sayable"), True),
    (_words("deleting", "dropping"), _words("deleting", "kept", "checks", "asking"), False),
    (_words("powers"), (), False),
    (_words("secrets"), _words("moving"), False),
)
"""What an order may be about: its words, of which one is in the clause; words of which a memory
needs one as well; whether it is one where it is loosened, or else where nothing refuses it."""
_BREAKS = (
    *(", ", "，", "、", ": ", "：", "(", " and ", " but ", " und ", " aber ", " y ", " pero "),
    *(" et ", " mais ", " e ", " mas ", " и ", " но ", "하고", "되고", "지만"),
)
"""Where a clause ends within a sentence: what negates one does not negate the next."""
_MARKS = dict.fromkeys(map(ord, '`"“”„«»「」*[]{}'), " ")


def is_unsaid(title: str, content: str, said: str) -> bool:
    """Whether what a model cites the user's words for may steer an agent without them.

    Args:
        said: what the user said, and what that answers.
    """
    heard, read = quarantine.read_by_all(said), quarantine.read_by_all(f"{title}\n{content}")
    theirs = [f" {heard.translate(_MARKS)} ", *_clauses(heard)]
    unsaid = (
        order
        for order in _ORDERS
        if any(_gives(order, clause, with_others=True) for clause in _clauses(read))
        and not any(_gives(order, clause) for clause in theirs)
    )
    return any(unsaid) or any(
        _gives(_KEPT, clause, with_others=True)
        for sentence in quarantine.sentences_of((title, content))
        if _has(f" {sentence}", _words("work")) and quarantine.likelihood(sentence) >= LIKELY
        for clause in _clauses(sentence)
    )


def _clauses(text: str) -> list[str]:
    """The clauses of a text as they are searched, between blanks."""
    for mark in _BREAKS:
        text = text.replace(mark, "\n")
    return [f" {part} " for part in EVERY_END.regex.split(text.translate(_MARKS)) if part.strip()]


def _gives(order: _Order, clause: str, *, with_others: bool = False) -> bool:
    """Whether a clause gives such an order.

    Args:
        with_others: whether it must have one of the words that belong to it as well.
    """
    words, others, is_loosened = order
    if not _has(clause, words) or (with_others and others and not _has(clause, others)):
        return False
    if not is_loosened:
        return not _has(clause, negation.IN_READ_TEXT + _words("refusing"))
    # “Never skip” and “not without” leave a guard in force.
    is_negated = _has(clause, negation.IN_READ_TEXT) != _has(clause, negation.WITHOUT)
    return is_negated != _has(clause, _words("hiding", "loosening"))


def _has(clause: str, words: Iterable[str]) -> bool:
    return any(word in clause for word in words)
