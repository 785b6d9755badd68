"""Passwords and keys that a sentence states, in nine languages: “the root password is now …”.

Between the word and the value may be what it belongs to, and a word that links both (“is”, “changed
to”, “lautet”, “на”). The value must look like one: a word of prose is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cortex_core.language.patterns import Pattern
from cortex_core.redaction.spans import SearchedText, SecretSpan
from cortex_core.redaction.values import (
    is_chosen,
    is_credential,
    is_hash_like,
    is_random,
    names_issuer,
)

PASSWORDS = (
    "passw",
    "requirepass",
    "passphrase",
    "passcode",
    "pwd",
    "pw",
    "kennwort",
    "contraseña",
    "clave",
    "mots de passe",
    "mot de passe",
    "mdp",
    "senha",
    "palavra-passe",
    "palavra passe",
    "парол",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "暗証番号",
    "wachtwoord",
    "hasło",
    "heslo",
    "lösenord",
    "adgangskode",
    "şifre",
    "비밀번호",
    "암호",
    "패스워드",
)
"""How words for password begin, in lower case. A new one is one more word."""

KEYS = (
    "schlüssel",
    "geheimnis",
    "llave",
    "clave",
    "clé",
    "clef",
    "jeton",
    "chave",
    "segredo",
    "ключ",
    "токен",
    "секрет",
    "key for",
    "token for",
    "secret for",
    "key of",
    "token of",
    "secret of",
    "token",
    "api key",
    "account key",
    "signing secret",
    "webhook secret",
    "hmac secret",
    "client secret",
    "unseal key",
    "art-api",
    "my pat",
    "new pat",
    "recovery code",
    "backup code",
    "密钥",
    "密鑰",
    "秘钥",
    "令牌",
    "キー",
    "トークン",
    "シークレット",
    "秘密鍵",
    "키",
    "토큰",
    "시크릿",
)
"""How words for key begin, the English ones with what separates them from their value: of those
next to it `assignments` knows more."""

_HINTS = tuple(
    (words, words.split()[0], words in PASSWORDS) for words in dict.fromkeys((*PASSWORDS, *KEYS))
)
"""Each of the words, its first part, and whether it is one for password."""
_ASCII_HINTS = tuple(hint for hint in _HINTS if hint[0].isascii())

USING = Pattern(
    "what is before the word where its value follows at once",
    r"\b(?:with|the|use|using|mit|dem|das|con|la|avec|le|com|a|с|под|мой|наш)[ \t]{1,3}\Z"
    r"|(?:\A|[\n,;(])[ \t]{0,4}(?:[-*]|and)?[ \t]{0,4}\Z",
    finds="with the ",
    spares="within ",
)

_MARKS = r"[\"'`“„«「『‘]{0,2}"
_HAS_SIGN = r"(?=[!-~]{0,200}?[0-9@#$%^&*+=~!?]|(?:[A-Za-z]{1,40}-){3})"
_VALUE = rf"{_HAS_SIGN}(?P<v>[!#-&(-_a-~][!#-&(-~]{{3,200}})"
AFTER = Pattern(
    "what a sentence states after a word for password or key",
    r"\w{0,4}(?!\w)(?:"
    r"(?:(?:[^\n.!?;:=<>`\"—–|\[\]]|\.(?=\w)){0,60}?[^\w\n.])?"
    r"(?:is|was|it['’]s|to|as|are|be|now|from|lautet|ist|war|auf|jetzt|es|era|è|a|por|ahora|est|était|en|par|é|para"
    rf"|agora|em|на|это|теперь)[ \t]+{_MARKS}{_VALUE}"
    r"|[^\n.!?;:=<>`\"—–|\[\]]{0,60}?[ \t]*\*{0,2}(?:[:：=—–]|-(?=[ \t]))\*{0,2}[ \t]*"
    rf"{_MARKS}(?P<w>{_HAS_SIGN}[!-~]{{4,200}})"
    rf"|[ \t]+(?:[057][ \t]+)?{_MARKS}(?P<once>[!#-&(-_a-~][!#-&(-~]{{3,200}}))",
    finds=" was changed to hunter2-9",
    spares=" is on\nus!",
)
SPACELESS = Pattern(
    "the same in Chinese, Japanese and Korean: particles, with or without spaces",
    rf"[^!-~\n。！？]{{0,14}}[:=]?[^!-~\n。！？]{{0,3}}{_MARKS}{_VALUE}",
    finds="改成了hunter2-9",
    spares="改成了。",
    flags=0,
)
STATED: dict[str, Pattern] = {
    **dict.fromkeys(
        ("pass", "token", "key"),
        Pattern(
            "use … as the password; … is the password",
            r"(?<![!-~])(?P<sure>use[ \t]+)?[\"'`“]?(?P<v>[!-_a-~]{4,80}?)[\"'`”]?[ \t]+"
            r"(?(sure)as|(?:is|\((?:that['’]s|this is)))[ \t]+(?:(?:the|a|my|your|our)[ \t])?"
            r"(?:\w{1,20}[ \t]){0,2}(?:pass(?:word|phrase)|token|(?:api|access|secret)[ \-]key)",
            finds="use hunter2-9 as the password",
            spares="use it as the base",
        ),
    ),
    **dict.fromkeys(
        ("log", "cred", "sign", "zugang", "identifiant"),
        Pattern(
            "user and password",
            r"\b(?:log(?:ged)?[ -]?ins?|sign(?:ed)?[ -]?in|credentials?|creds|zugangsdaten"
            r"|credenciales|identifiants)\b(?:[^\n./]{0,30}?(?::|\bare|\bis|\bwith|\bas|—))?[ \t]*"
            r"[\w.@\-]{1,60}(?P<sure>[ \t]{1,4}/[ \t]{1,4}|:)?"
            r"(?(sure)|[ \t]+(?:(?:with|and)[ \t]+)?)(?P<v>[!-.0-~][!-~]{3,79})",
            finds="login: bob / hunter2-9",
            spares="the login",
        ),
    ),
}
"""Sentences that state a password in another order, by a string that is in every text with one."""
SIGN = Pattern(
    "what a text contains that states a password",
    r"[0-9@#$%^&*+=~]|[!?]\S|-[A-Za-z]+-[A-Za-z]+-",
    finds="hunter2",
    spares="Which one? The first-rate one!",
    flags=0,
)
OF_API = Pattern(
    "what shows that a key is one of an interface, no key of a table or a cache",
    r"\b(?:api|access|client|webhook|signing|hmac|unseal|pat)\b|token\b|jeton|токен|トークン|令牌|토큰",
    finds="the API key is ",
    spares="the key of the cache is ",
)
_ENDS = ".,;:)”»’]}'\"`>*|"
_SHORTEST_KEY = 10
_LOOK_BACK = 80


def statements(reading: SearchedText) -> Iterator[SecretSpan]:
    """The passwords and keys that sentences state."""
    text, lower = reading.text, reading.lower
    if not SIGN.regex.search(text):
        return
    for words, first, is_password in _ASCII_HINTS if text.isascii() else _HINTS:
        if first in reading.hints:
            yield from _after(text, lower, words, is_password)
    for hint, row in STATED.items():
        if hint in lower:
            for match in row.regex.finditer(text):
                value = match["v"].rstrip(_ENDS)
                is_sure = match["sure"] or is_chosen(value)
                is_key = len(value) >= 20 and (is_hash_like(value) or is_random(value))
                if (is_sure or is_key) and is_credential(value, "password", "loose"):
                    yield SecretSpan(match.start("v"), match.start("v") + len(value), "password")


def _after(text: str, lower: str, hint: str, is_password: bool) -> Iterator[SecretSpan]:
    """What is stated after each place where `hint` begins a word for password or key."""
    is_spaceless = ord(hint[0]) > 0x2E80
    position = lower.find(hint)
    while position >= 0:
        end = position + len(hint)
        starts = is_spaceless or len(hint) > 5 or not lower[position - 1 : position].isalnum()
        match = (SPACELESS if is_spaceless else AFTER).regex.match(text, end) if starts else None
        if match and (span := _span(text, position, match, is_password)):
            yield span
            end = span.end
        position = lower.find(hint, end)


def _span(text: str, word: int, match: re.Match[str], is_password: bool) -> SecretSpan | None:
    """The secret of `match`, which follows the word at `word`, if it looks like one."""
    group = match.lastgroup or "v"
    value = match[group].rstrip(_ENDS)
    if group == "once" and not USING.regex.search(text, max(0, word - 12), word):
        is_plain = not (is_chosen(value) if is_password else is_hash_like(value))
        if is_plain:
            return None
    start = match.start(group)
    is_secret = (
        is_credential(value, "password", "loose")
        if is_password
        else _is_key(value, text[max(0, start - _LOOK_BACK) : start])
    )
    name = "password" if is_password else "key"
    return SecretSpan(start, start + len(value), name) if is_secret else None


def _is_key(value: str, before: str) -> bool:
    """Whether `value` is a key, given the text before it: a hash is one only of a known issuer."""
    if len(value) < _SHORTEST_KEY:
        return False
    if is_hash_like(value):
        return names_issuer(before) or bool(OF_API.regex.search(before))
    return is_credential(value, "token", "loose")
