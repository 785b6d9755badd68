"""Passwords and keys that a sentence states, in nine languages: “the root password is now …”.

Between the word and the value may be what it belongs to, and a word that links both (“is”, “changed
to”, “lautet”, “на”). The value must look like one: a word of prose is none.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from cortex_core.language.patterns import Pattern
from cortex_core.redaction.keys import compiled
from cortex_core.redaction.spans import SearchedText, SecretSpan
from cortex_core.redaction.values import (
    KEY_KINDS,
    KINDS,
    PUBLIC,
    is_chosen,
    is_credential,
    is_hash_like,
    is_passphrase,
    is_phrase,
    is_shown,
    names_issuer,
    parts,
)

PASSWORDS = (
    "passw",
    "requirepass",
    "passphrase",
    "passcode",
    "wpa2",
    "wpa3",
    "pass for",
    *(f"{kind} code" for kind in "wifi wi-fi door access alarm gate unlock".split()),
    *(f"pin {of}" for of in "for of del der du".split()),
    "pass phrase",
    *(f"{user} pass" for user in "sudo root admin".split()),
    "seed phrase",
    "recovery phrase",
    "pwd",
    "pw",
    "kennwort",
    "contraseña",
    "contrase%c3%b1a",
    "clave",
    "mots de passe",
    "code d'acc",
    "code d’acc",
    "mot de passe",
    "mdp",
    "senha",
    "palavra-passe",
    "palavra passe",
    "парол",
    "parola",
    "identified by",
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
    "passord",
    "salasana",
    "jelszó",
    "kata sandi",
    "mật khẩu",
    "κωδικ",
    "סיסמ",
    "הסיסמ",
    "كلمة المرور",
    "كلمة السر",
    "รหัสผ่าน",
    "비밀번호",
    "비번",
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
    "key of",
    "token",
    "secret",
    "with key",
    "use the key",
    "use this key",
    "nyckel",
    "sleutel",
    "klucz",
    "klíč",
    "nøkkel",
    "nøgle",
    "anahtar",
    "with the key",
    "chiave",
    "key",
    "apikey",
    "art-api",
    "my pat",
    "new pat",
    *(f"{kind} code" for kind in "recovery backup activation join pairing enrollment".split()),
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
"""How words for key begin. “Key” alone is one where the word before it says what it opens."""

_HINTS = tuple(
    (words, words.split()[0], words in PASSWORDS) for words in dict.fromkeys((*PASSWORDS, *KEYS))
)
"""Each of the words, its first part, and whether it is one for password."""
_ASCII_HINTS = tuple(hint for hint in _HINTS if hint[0].isascii())

USING = Pattern(
    "what is before the word where its value follows at once",
    r"\b(?:with|the|use|using|mit|dem|das|con|la|avec|le|comme|com|a|o|il|um|с|под|мой|наш)"
    r"[ \t]{1,3}\Z"
    r"|\buser(?:name)?[ \t:]{1,3}[\w.@\-]{1,24},?[ \t](?:and[ \t])?\Z"
    r"|(?:\A|[\n,;(])[ \t]{0,4}(?:[-*]|and)?[ \t]{0,4}\Z",
    finds="with the ",
    spares="within ",
)

RUN = Pattern(
    "what can be a value", "[!#-&(-_a-~À-ɏ]{4,200}", finds="hunter2-9", spares="the", flags=0
)
CLAUSE_END = Pattern(
    "where a clause ends",
    r"[.!?;](?=[\s\"')\]]|\Z)(?!\):|[ ](?:(?:[Tt]he )?[Nn]ew (?:one|value) is\b|[—–=→-][ ]))"
    r"|[\n。！？]",
    finds="said. Then",
    spares="hunt.er2",
    flags=0,
)
LINK = Pattern(
    "what links a name, or what it belongs to, and its value",
    r"(?:(?<!\w)(?:is|was|it['’]s|to|as|are|be|now|actually|currently|übrigens|from|lautet|heißt|ist|war|auf|jetzt|es|era|è|a"
    r"|por|ahora|är|er|je|jest|este|still|είναι|هي|est|était|en|par|é|para|agora|em|на|это"
    r"|теперь)[ \t]+"
    r"|(?:[:：=—–→›👉]|->)[ \t*]*|-[ \t]+)\Z",
    finds=" was changed to ",
    spares=" of the box",
)
BELOW = Pattern(
    "a value alone on its line, below its name",
    r"[^\n]{0,100}?[:：]?[ \t*]*\r?\n\s{0,40}(?:```\w{0,10}\s{1,4}|>[ ])?"
    r"(?:(?:(?:new )?(?:value|password|passphrase|secret|key|answer|a|user|human):"
    r"|(?:(?<=\?\n)|\[\d{1,2}:\d\d\][ ]?)<?[\w.\-]{1,20}[:>](?:[ ][^\W\d_][\w']{1,7},?){0,2}"
    r"|[\w.\-*]{1,24},?[ ]\d{1,2}:\d\d\n|try|use|is|ist|lautet|est|es|è|é|to)[ \t]?(?<=\s)"
    r"|[\w.\-]{1,20}[ ]?[:>][ ](?:[^\n]{1,60}?[ ])?)?"
    r"[\"'`*]{0,3}(?P<v>[!-~À-ɏ]{5,199}?[^\s\"'`*])[\"'`*]{0,3}(?:[ ][^ -~\n]{1,4}|[ \t]*)"
    r"(?=\r?\n|\Z|,[ ])",
    finds=(":\n\nhunter2-9\n", "?\n[09:15] bob: hunter2-9\n"),
    spares=":\nhunter2-9 is old",
)
BEFORE = Pattern(
    "a value before its name",
    r"(?<![!-~])(?P<v>[\"“][^\"”\n]{4,80}[\"”]|[!-~]{4,80})[ \t]+(?:»[ ])?"
    r"(?:(?P<sure>as|als|como|comme|come|when[ \t]asked[ \t]for)"
    r"|<-|←|is|was|into|in|ist|es|est|è|é|\((?!using ))(?:[ \t]{0,2}[\w']{1,12}){0,3}[ \t]{0,2}"
    r"[\"'“]?\Z",
    finds="use hunter2-9 as the ",
    spares="use it as a ",
)
OPTION = Pattern(
    "an argument that is given by its name",
    r"\A(?:[a-z_,]{2,}|[A-Z_,]{2,}|[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)*)=(?!=*[,;]?\Z)|\A[A-Z]{2,6}-\d{1,6}\Z|\A(?:[a-z_]+|[A-Z_]+)=\Z|\A[A-Za-z_]\w*,\w+:|\A[)\]}]",
    finds="size=1",
    spares="x7Yk2==",
    flags=0,
)
SIGN = Pattern(
    "what a text contains that states a password",
    r"[0-9@#$%^&*+=~]|[!?]\S|[A-Za-z]-[A-Za-z]{3,}-[A-Za-z]|[a-z][A-Z]+[a-z]+[A-Z]"
    r"|[\"“](?:[a-z]+ ){2,}[a-z]+[\"”]|(?:[Pp]assword|phrase)(?: is|[^\n:]{0,40}:) (?:[a-z]+ ){2}",
    finds=("hunter2", "the password is pepper anchor rain"),
    spares="Which one? The first-rate one!",
    flags=0,
)
OF_API = Pattern(
    "what shows that a key is one of an interface, no key of a table or a cache",
    r"(?<![a-z])(?:api(?:key|(?![a-z]))|secret|(?:access|client|webhook|signing|hmac|recovery|pat)\b"
    r"|(?:backup|activation|join|pairing|enrollment) code\b"
    rf"|(?:{'|'.join(sorted(KEY_KINDS))})[ _\-]key\b)"
    r"|\bwlan|wi-?fi|token\b|(?:use|with) (?:the |this )?key|chiave|jeton|токен|トークン|令牌|토큰"
    r"|密[钥鑰]|秘密鍵|シークレット",
    finds="the API key is ",
    spares="the key of the cache is ",
)
_OPENS = "\"'`(<[*:=,>|-"
"""What may be before a value that is not a part of it."""
_ENDS = ".,;:)”»’]}'\"`>*|"
_SHORTEST_KEY = 10
_LOOK_BACK = 80
_REACH = 80
"""Characters after a name, and before it, within which its value begins: a clause."""
_LONGEST = 200
_LONG_WORD = 5
"""Letters of a name that may end another word: “Zugriffstoken”, but no “rpw”."""
_SPACELESS = "\u2e80"
"""The last character before those of Chinese, Japanese and Korean."""


def statements(reading: SearchedText) -> Iterator[SecretSpan]:
    """The passwords and keys that sentences state."""
    text = reading.text
    if not SIGN.regex.search(text):
        return
    for words, first, is_password in _ASCII_HINTS if text.isascii() else _HINTS:
        if first in reading.hints:
            for name in compiled(_name(words)).finditer(text):
                before = text[max(0, name.start() - 24) : name.start()].lower().rstrip(" _-")
                kind = parts(before.removesuffix("key"))[-1:]
                is_meant = (
                    is_password
                    or (
                        PUBLIC.isdisjoint(kind)
                        and (words != "key" or not KINDS.isdisjoint(kind))
                        # The name of a secret at AWS: `arn:…:316811669699:secret:prod/db-WE3W03`.
                        and not (len(before) > 12 and before[-13:-1].isdigit())
                    )
                )
                if is_meant and (span := _stated(text, *name.span(), is_password)):
                    yield span


@cache
def _name(words: str) -> str:
    """The expression of a name that begins with `words`, to its end."""
    plain = f"(?i:{re.escape(words).replace(chr(92) + ' ', '[ _]')})"
    if words[0] > _SPACELESS:
        return plain
    begins = "" if len(words) >= _LONG_WORD else r"(?<![^\W_])"
    return (
        rf"{begins}{plain}(?!i[sz]e|sh)(?:[^\W\d_A-Z]{{0,4}}|[A-Z]{{0,4}})"
        rf"(?:(?<=[^ -~]\w)_[^\W\d_]{{1,12}})?(?!\w|[-.][a-z]|\+|%[C-F])"
    )


def _stated(text: str, begin: int, end: int, is_password: bool) -> SecretSpan | None:
    """The secret that the clause around the word from `begin` to `end` states, if any."""
    name: Literal["password", "key"] = "password" if is_password else "key"
    close = CLAUSE_END.regex.search(text, end, end + _REACH + _LONGEST)
    stop = close.start() if close else min(len(text), end + _REACH + _LONGEST)
    for run in RUN.regex.finditer(text, end, stop):
        start = run.end() - len(run.group().lstrip(_OPENS))
        value = text[start : run.end()].rstrip(_ENDS)
        gap = text[end:start]
        if len(gap) > _REACH or not _BARRED.isdisjoint(gap.strip(_AROUND)):
            break
        if is_password and (phrase := _phrase(text, text[begin:end], start, gap)):
            return SecretSpan(start, start + len(phrase), name)
        # An argument, a path, what is joined to its name, or the next attribute of an element.
        is_other = (
            OPTION.is_in(value)
            or value.startswith("/")
            or gap == "-"
            or (gap.startswith(("'", '"')) and gap.rstrip("\"'=")[-1:].isalnum() and "=" in gap)
        )
        if not is_other and _is_stated(value, text, begin, start, gap, is_password):
            return SecretSpan(start, start + len(value), name)
    below = BELOW.regex.match(text, end) if close else None
    if (
        (close and below and not OPTION.is_in(below["v"]))
        and (
            is_shown(below["v"], "password")
            # What is asked for, or is alone below its name, need not look like a password.
            or (
                (close.group() == "?" or not text[end : below.start("v")].strip(_AROUND + "\n"))
                and is_credential(below["v"], "password", "loose")
            )
        )
    ):
        return SecretSpan(*below.span("v"), name)
    least = max(0, begin - _REACH)
    if before := SIGN.regex.search(text, least, begin) and BEFORE.regex.search(text, least, begin):
        start = before.end("v") - len(before["v"].lstrip(_OPENS))
        value = text[start : before.end("v")].rstrip(_ENDS)
        is_sure = before["sure"] and is_credential(value, "password", "loose")
        if not OPTION.is_in(value) and (
            is_sure or is_shown(value, name) or (is_password and is_passphrase(value))
        ):
            return SecretSpan(start, start + len(value), name)
    return None


_QUOTES = "\"'`"


def _phrase(text: str, name: str, start: int, gap: str) -> str:
    """The passphrase at `start`, which `gap` parts from its `name`; "" where there is none.

    It is in quotes or what is left of the line, and has a number among its words or nothing that a
    sentence about passwords has.
    """
    mark = text[start - 1] if text[start - 1] in _QUOTES else "\n"
    is_named = name.lower().endswith("phrase") and ":" in gap
    rest = text[start : start + _LONGEST].partition(" — ")[0]
    phrase = (CLAUSE_END.regex.split(rest)[0] if mark == "\n" else rest.partition(mark)[0]).rstrip(
        _ENDS
    )
    is_numbered = any(map(str.isdigit, phrase.split())) and is_passphrase(phrase)
    # “The password is stored encrypted everywhere” says what is done with it.
    is_told = any(word.endswith(("ed", "ing", "ly")) for word in phrase.split())
    is_secret = (is_numbered and (is_named or mark != "\n")) or (
        (is_named or gap.endswith("is ")) and is_phrase(phrase, 3) and not is_told
    )
    return phrase if is_secret and LINK.is_in(gap.rstrip(_QUOTES)) else ""


_BARRED = frozenset('<>`"|{}[]=;')
"""What no sentence has between a name and its value."""
_AROUND = " \t\"'`“„«「『‘([{<*:=,>-→—–|"
"""What may be around the words between a name and its value."""


def _is_stated(value: str, text: str, name: int, start: int, gap: str, is_password: bool) -> bool:
    """Whether `value`, which `gap` parts from the name at `name`, is the secret that is meant."""
    words = gap.strip(_AROUND)
    is_linked = LINK.regex.search(gap.replace("« ", "").rstrip("\"'`“„«「『‘([{<*")) or (
        text[name] > _SPACELESS or (not words and not is_password and gap.strip())
    )
    if is_linked or (not words and USING.regex.search(text, max(0, name - 36), name)):
        if is_password:
            # “MyCatIsBlue!” is no name of code: only a password ends so.
            return is_credential(value, "password", "loose") or (
                value.isalpha() and is_chosen(text[start : start + len(value) + 1])
            )
        if is_hash_like(value):  # a hash is a key only of an interface, or of a known issuer
            before = text[max(0, name - _LOOK_BACK) : start]
            return names_issuer(parts(before)) or bool(OF_API.regex.search(before))
        is_long = len(value) >= _SHORTEST_KEY and is_credential(value, "token", "loose")
        return is_long or bool(is_linked and is_chosen(value))
    return is_shown(value, "password" if is_password else "key") and (is_password or not words)
