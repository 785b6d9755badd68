"""Secrets without a known format: random tokens, and values assigned to names like `DB_PASSWORD`.

Words of any European language, identifiers and paths consist of letter pairs that often follow
each other; keys do not. The share of unusual pairs separates the two far better than Shannon's
entropy, which a path of thirty letters reaches as easily as a key. How random a value must look
depends on its name: nothing may be asked of the value of `password`, much of the value of `key`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from cortex_core.redaction.patterns import SecretSpan

SHORTEST_TOKEN = 20
"""Fewest characters of a token that is judged: in shorter ones words look random by chance."""

FOLLOWERS = {
    "a": "bcdfgiklmnprstuvwxy",
    "b": "aceijlorsuy",
    "c": "acehiklorstuy",
    "d": "adeilorstuy",
    "e": "abcdefgilmnopqrstvwxy",
    "f": "aefilorstuy",
    "g": "aeghilnorsu",
    "h": "aeiortu",
    "i": "abcdefgklmnoprstvxz",
    "j": "eou",
    "k": "einsw",
    "l": "adefilopstuy",
    "m": "abeimopsu",
    "n": "acdefgiklnopstuvy",
    "o": "abcdefgiklmnoprstuvwx",
    "p": "adeiloprstuy",
    "q": "u",
    "r": "abcdefgiklmnoprstuvwy",
    "s": "acefhiklmnopstuwy",
    "t": "acdefhilmoprstuwy",
    "u": "abcdefgilmnprst",
    "v": "aeio",
    "w": "aehinors",
    "x": "aceiptx",
    "y": "einopst",
    "z": "e",
}
"""The letters that often follow each letter: 300 pairs hold 98 % of those in English and code."""

_PAIRS = frozenset(first + second for first, follow in FOLLOWERS.items() for second in follow)
_TOKEN = re.compile(rf"[A-Za-z0-9+/_\-]{{{SHORTEST_TOKEN},}}={{0,2}}")
_PIECE = re.compile(r"[A-Za-z0-9]+")
_WORDS = re.compile(r"(?=.{3})(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+)++\Z")
_HEX = re.compile(r"(?:[0-9a-f]{6,}|[0-9A-F]{6,}|[0-9]+)\Z")
_URL_BEFORE = re.compile(r"[a-z][a-z0-9+.\-]{1,20}://[^\s\"'<>?]*\Z|\bwww\.[^\s\"'<>?]*\Z", re.I)
_CHECKSUM_BEFORE = re.compile(
    r"(?:sha-?\d{1,3}|md5|integrity|checksum|digest|hash|etag|fingerprint|base64|h1|"
    r"ssh-(?:rsa|ed25519|dss)|ecdsa-[\w\-]+|signature)[\"'\]]{0,2}[\s:=,\-\"'(]{0,4}(?:W/\")?\Z",
    re.I,
)
_SPARED = re.compile(
    r"(?:AAAA[BCE][23]Nza"  # public SSH keys
    r"|(?:srv|mcp)?toolu_|(?:agent_)?msg_|req_|session_|call_|chatcmpl-|resp_|asst_|thread_|run_"
    r"|evt_|cus_|acct_|price_|prod_|PVT[A-Z]*_|sha\d+[-_]|0[0-7][0-9A-HJKMNP-TV-Z]{24}\Z"
    r"|0x[0-9a-fA-F]+\Z|[A-Z]{1,6}_kw[A-Z]|k51[a-z0-9]|Qm[1-9A-HJ-NP-Za-km-z]{44}\Z|baf[ky][a-z2-7]{20}|-{6}"
    r"|age1[a-z0-9]{58}\Z|c[a-z0-9]{24}\Z|iVBORw0KGgo|pk_(?:live|test)_|ph[cx]-"
    r"|/(?:tmp|home|Users|var|usr|private|opt|etc|nix|proc|mnt|root|workspaces?)/)"
)
"""How tokens begin that are not secret: ids, public keys, pictures, file trees."""
_LOOK_BACK = 240
"""Characters before a token in which a web address may begin."""


def long_tokens(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Start and end of every token in `text` that is long enough to be judged.

    `words` are the words of `text` that one can be in, in order.
    """
    position = 0
    for word in words:
        if len(word) < SHORTEST_TOKEN:
            continue
        position = text.index(word, position)
        for match in _TOKEN.finditer(text, position, position + len(word)):
            start = match.start()
            if text.startswith("\x1b[", start - 2):  # a terminal's colour code is not a part of it
                start = text.find("m", start, match.end()) + 1 or start
            yield start, match.end()
        position += len(word)


def is_candidate(token: str) -> bool:
    """Whether `token` can be a secret: no known id, and more than hashes and words."""
    if len(set(token)) < 8 or _SPARED.match(token):
        return False
    return len(_without_words(token)) >= 16


def is_random(token: str) -> bool:
    """Whether `token` looks random: at least 20 characters besides hashes and words, oddly paired.

    Hashes, uuids, dates, identifiers, file paths and base64 of plain text do not.
    """
    rest = _without_words(token)
    if len(rest) < SHORTEST_TOKEN or _SPARED.match(token) or _is_encoded_text(token):
        return False
    if ("/" in token and token[-1] != "=" and is_path(token)) or _is_alphabet(token):
        return False
    # Limits measured on the corpus of benchmarks/secrets.py: a short token, or one without digits,
    # must be odder to count.
    limit = 0.40 if len(rest) < 28 else 0.36
    return oddness(rest) >= limit + (0.0 if any(map(str.isdigit, rest)) else 0.06)


_SHORT = re.compile(r"(?=[A-Za-z]*[0-9])[A-Za-z0-9]{14,19}")
_TWO_NUMBERS = re.compile(r"[A-Za-z]*[0-9]+[A-Za-z]+[0-9]")
_SUMOLOGIC = re.compile(r"su(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])[A-Za-z0-9]{12}")
"""The form of this issuer's ids is that of a name in code, too: the rest of it must be random."""
_PARTED = re.compile(r"[\w+/\-]+(?:[=~.]{1,3}[\w+/\-]+)+=*")
_HASH_AND_WORD = re.compile(r"[0-9a-f]{6,}[A-Z][a-z]+\Z")
SHORTEST_PARTED = 30


def is_random_word(word: str) -> bool:
    """Whether `word`, which has no letters around it, is random though its runs are short.

    It is of 14 to 19 letters and digits, odder if it has one number only, or parted by `=`, `~` or
    dots as no name is.
    """
    if _SPARED.match(word) or _is_encoded_text(word):
        return False
    if _SHORT.fullmatch(word):
        is_hash = _HEX.match(word) or _HASH_AND_WORD.match(word)
        least = 0.4 if _TWO_NUMBERS.match(word) else 0.5
        of_issuer = _SUMOLOGIC.fullmatch(word) and oddness(word[2:]) >= 0.4
        return not is_hash and bool(of_issuer or oddness(word) >= least)
    if len(word) < SHORTEST_PARTED or not _PARTED.fullmatch(word):
        return False
    rest = re.sub("[=~.]", "", word)
    return len(_without_words(word)) >= SHORTEST_PARTED and oddness(rest) >= 0.5


def oddness(token: str) -> float:
    """The share of letter pairs that are rare in words, 0 to 1; random text has about 0.7."""
    odd = usual = 0
    for first, second in pairwise(token):
        if not (first.isalnum() and second.isalnum()) or (first.islower() and second.isupper()):
            continue
        if (first.isdigit() and second.isdigit()) or (first + second).lower() in _PAIRS:
            usual += 1
        else:
            odd += 1
    return odd / (odd + usual) if odd + usual else 0.0


def is_spared_by_context(text: str, start: int) -> bool:
    """Whether the text before `start` announces a checksum, or is a web address."""
    if text.startswith("://", start - 1):  # the host is a part of the token
        return True
    before = text[max(0, start - _LOOK_BACK) : start]
    return bool(_CHECKSUM_BEFORE.search(before[-40:])) or (
        "/" in before and bool(_URL_BEFORE.search(before))
    )


def _without_words(token: str) -> str:
    """`token` without the pieces between its separators that are hashes, numbers or words."""
    kept = [piece for piece in _PIECE.findall(token) if not (_HEX.match(piece) or _is_word(piece))]
    return "-".join(kept)


@lru_cache(maxsize=4096)
def _is_word(piece: str) -> bool:
    return bool(_WORDS.match(piece)) and oddness(piece) <= 0.15 and _has_usual_vowels(piece)


def _has_usual_vowels(piece: str) -> bool:
    return 0.15 <= sum(letter in "aeiouyAEIOUY" for letter in piece) / len(piece) <= 0.75


def is_path(token: str) -> bool:
    """Whether words of at least four letters are a fifth of `token`."""
    segments = _PIECE.findall(token)
    return sum(len(s) for s in segments if len(s) >= 4 and _is_word(s)) >= len(token) / 5


def _is_alphabet(token: str) -> bool:
    """Whether most characters of `token` follow the one before: `abcdefgh…`, `0123456789abc…`."""
    steps = sum(ord(second) - ord(first) == 1 for first, second in pairwise(token))
    return steps >= len(token) * 0.8


def _is_encoded_text(token: str) -> bool:
    """Whether `token` is base64 of printable text: an example, a cursor or a data field."""
    import base64
    import binascii

    body = token.rstrip("=")
    folded = body.replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(folded + "=" * (-len(folded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    printable = sum(32 <= byte < 127 or byte in (9, 10, 13) for byte in raw)
    return bool(raw) and printable >= 0.9 * len(raw)


Demand = Literal["password", "token", "random"]
"""What a name asks of its value before it counts as a credential: nearly nothing (`password`), not
to be a word (`token`), to look random (`random`)."""

STEMS = (
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "credential",
    "key",
    "auth",
    "sig",
    "session",
    "cookie",
    "sid",
    "dsn",
)
"""Lowercase strings: every name of a secret contains one of them."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORDS = frozenset(("pass", "pw", "pwd", "passcode", "dbpass", "userpass", "rootpw"))
_PASSWORD_ENDS = ("password", "passwd", "passphrase", "pwd", "passwords")
_TOKEN_ENDS = (
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
)
_KEY_KINDS = frozenset(
    """
    api access private auth account encryption signing master service shared license deploy app
    storage subscription publish admin hmac aes client secret webhook
    """.split()
)
_RANDOM = frozenset(
    """
    key keys auth sig signature session sessionid sessid phpsessid jsessionid cookie sid dsn
    """.split()
)
_METADATA = frozenset(
    """
    name names type types id ids url urls uri link path file filename dir folder field fields header
    headers param params parameter parameters prefix suffix len length count limit limits size sizes
    expiry expires expire expiration expired ttl policy policies format env var vars variable label
    hint endpoint error errors required min max regex pattern rotation age manager management store
    storage provider version ref refs arn description reset usage usages budget backend index column
    enabled disabled strategy class algorithm kind mode cost costs source stage status lifetime
    window scheme scope scopes generator validation validator validate handler input page form fn
    func callback exists valid invalid in per total used estimate estimator rate ratio bucket hash
    hashed confirm confirmation visible change changed update rules rule checker strength message
    placeholder title text list map table set map cache lookup press pressed binding bindings map
    up down code codes event events board word words pair pairs vault stream parser
    """.split()
)


_ISSUERS = frozenset(
    """
    abstract adafruit adobe adyen airbrake airtable aiven alchemy algolia alibaba amplitude
    anthropic apify appsync artifactory asana atlassian auth0 avaza aws azure bannerbear beamer
    binance bitbucket bittrex braintree browserstack bugsnag buildkite calendly cerebras circleci
    clearbit clickup clockify cloudant cloudflare coda codecov cohere coinbase composio confluence
    confluent contentful contribsys crowdin customerio databricks datadog deepgram deepseek
    digitalocean discord docusign doppler droneci dropbox duffel dynatrace e2b easypost
    elasticemail elevenlabs etsy everhour exa facebook fastly figma finicity finnhub firebase
    firecrawl fireworks flickr flutterwave foursquare freshbooks freshdesk geckoboard gemini
    github gitlab gitter gocardless google grafana groq gumroad helpscout heroku hetzner hubspot
    huggingface infisical infracost instagram intercom ipinfo jenkins jfrog jira jotform jumpcloud
    keenio klaviyo kraken kucoin langfuse langsmith launchdarkly linear linkedin linode lob loggly
    logzio looker mailchimp mailgun mailjet mandrill mapbox mattermost maxmind meraki messagebird
    mistral mixpanel netlify newrelic notion nvidia nytimes octopus okta openai openrouter
    opsgenie pagerduty paypal paystack perplexity pinecone pinterest plaid planetscale planview
    plivo posthog postman postmark privateai pulumi pusher rapidapi raycast razorpay relic
    replicate resend rollbar salesforce saucelabs scaleway segment sendbird sendgrid sendinblue
    sentry serpapi shippo shodan shopify slack snyk softlayer sonar sourcegraph spotify square
    squarespace stripe sumologic supabase surge tavily telegram telnyx tencent thingsboard todoist
    together travis trello turso twilio twitch twitter typeform typesense unsplash upstash vercel
    virustotal vultr wandb webflow yandex zapier zendesk zeplin zhipu zoho
    """.split()
)
"""Whose keys may look like a hash, a UUID or a number: only the name next to them shows what they
are. A new issuer is one more word."""
_IDS_OF_ISSUERS = frozenset(("client", "access", "key", "app", "secret", "account"))


def names_issuer(text: str) -> bool:
    """Whether a word of `text` is the name of an issuer of keys."""
    return not _ISSUERS.isdisjoint(parts(text))


def parts(name: str) -> list[str]:
    """The words a name is made of, in lower case: `dbPassword_2` is db, password, 2."""
    return [match.group().lower() for match in _PART.finditer(name)]


@lru_cache(maxsize=4096)
def demand(name: str) -> Demand | None:
    """What `name` asks of its value; None if it names no secret (`color`, `tokenLimit`)."""
    words = parts(name)
    strongest: Demand | None = None
    end = 0
    for index, word in enumerate(words):
        of_word = _demand_of_word(word, words[index - 1] if index else "")
        if of_word and (strongest is None or of_word != "random"):
            strongest, end = of_word, index + 1
    if strongest is None or _METADATA.intersection(words[end:]):
        return "token" if _is_of_issuer(words) else None
    return "token" if strongest == "random" and _is_of_issuer(words) else strongest


def _is_of_issuer(words: list[str]) -> bool:
    """Whether `words` are a key, or the id of a client, of a known issuer."""
    before, last = ["", "", *words][-2:]
    is_key = (
        last in ("key", "keys", "oauth")
        or (last == "id" and before in _IDS_OF_ISSUERS)
        or (last == "hash" and before == "api")
        or (last == "com" and before == "contribsys")
    )
    return is_key and not _ISSUERS.isdisjoint(words)


def _demand_of_word(word: str, previous: str) -> Demand | None:
    if word in _PASSWORDS or word.endswith(_PASSWORD_ENDS):
        return "password"
    if word.endswith(_TOKEN_ENDS) or (word in ("key", "keys") and previous in _KEY_KINDS):
        return "token"
    return "random" if word in _RANDOM else None


def label(name: str, demand: Demand) -> str:
    """The word that replaces the value of `name` in the text: `password`, `secret` …"""
    if demand == "password":
        return "password"
    words = parts(name)
    for word in ("secret", "token"):
        if any(word in part for part in words):
            return word
    return "key"


Style = Literal["quoted", "tight", "loose", "argument", "line"]
"""How the value is written: in quotes; `A=b`; with spaces or in prose; as an argument of a call;
or alone on a line of a configuration file."""

_PLACEHOLDER = re.compile(
    r"\b(?-i:x{3,}|X{3,})|(?-i:x{5,}|X{5,})|\*{3,}|•{2,}|\.{3}|…|_{4,}|your|example|placeholder|change[_\-]?(?:me|it|this)|redacted|replace|"
    r"insert|todo|dummy|fixme|sample|\bfake|\bmock|<[^>]*>?|\{\{|\$\{|\$\(|%\(|not[_\-]?set|n/a\Z|lorem|"
    r"\bhere\b|goes[_\-]here|12345678(?:9|\Z)(?!\d*[a-z])",
    re.I,
)
_REFERENCE = re.compile(
    r"\$(?:[({]|[A-Z_][A-Z0-9_]*\}?\Z|[a-z_]+\Z)|<|\{|%[({sdA-Z]|\[redacted"
    r"|(?:vault|op|ssm|arn|file|aws|gcp|ref|env|kms|secretsmanager):|https?://[^\s@]*\Z"
)
"""`$TOKEN`, `{token}`, `<token>`, `op://vault/item`: in quotes or out of them."""
_EXPRESSION = re.compile(
    r"[$%{}<>(\[\]?^|&*@#~,;=+]|![a-z]+\Z|:[a-z_]+\Z|\\|[\w.\->:]+\(|[a-z][a-z0-9+.\-]*://"
    r"|(?:process|os|env|vars|secrets?|config|settings|self|this|params|request|req|args|options"
    r"|opts|ctx|context|data|props|input|event|Deno|import|System|ENV|viper|st)\b[.\[(:]"
    r"|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+[;,)\]]*\Z"
)
"""How an expression of code begins that computes a value: it is not the value itself."""
_NAME_WORDS = frozenset(
    """
    str string text bytes int integer number float bool boolean any object optional required none
    null nil undefined true false void auto default empty hidden masked varchar char blob type
    secretstr password passwd passphrase pass pwd secret token key apikey api_key api-key username
    user login value test testing tests foo bar baz foobar abc asdf qwerty yes no on off enabled
    disabled bearer basic digest oauth jwt csrf session cookie header query body path field name
    invalid valid expired missing unset unknown is are was will must should may can the a an and or
    for from with without not never always if when then this that it in of to by as at be only
    next current new old await function async return const let var self props static public private
    generated random vault keychain keyring env prompt stdin file input manual rotate rotated
    """.split()
)
_TERM = re.compile(
    r"(?:base\d+|sha-?\d+|md5|o?auth\d?|utf-?\d+|https?\d?|argon2\w*|b?s?crypt\d?|pbkdf2|aes-?\d+|rsa-?\d+|"
    r"x509|ed25519|u?int\d+\w*|float\d+\w*|[hrep]s\d{3}|ipv\d|k8s|s3|ec2|v\d+(?:\.\d+)*|i18n|jwt|python\d|web\d|p\d\d)(?:[-/].*)?\Z"
    r"|(?:\d+(?:st|nd|rd|th)|\d+(?:\.\d+)*(?:[a-z]{1,3}|%)?|\d+-[a-z]+|\d{4}-\d\d(?:-\d\d.*)?)\Z",
    re.I,
)
_FILE_NAME = re.compile(
    r"[\w\-./\\~]+\.(?:[a-z]{1,4}|json|yaml|toml|lock|local|swift|properties)\Z"
)
_FILLER = re.compile(
    r"(?:my|the|a|test|some|this|new|old|app|user|admin|value|string|token|key|secret|api|access|auth|"
    r"password|pass|id|name|demo|dev|prod|local|default|client|db|for|is|[_\-\d.])+\Z",
    re.I,
)
_UUID_OR_HASH = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z|[0-9a-f]{7,40}\Z"
    r"|[0-9a-f]{64}\Z|[0-9a-f]{96}\Z|[0-9a-f]{128}\Z",
    re.I,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")


def is_hash_like(value: str) -> bool:
    """Whether `value` is a hash, a UUID or a long number: a key only where a name says so."""
    return bool(_UUID_OR_HASH.match(value)) or (value.isdigit() and len(value) >= 12)


def is_placeholder(value: str) -> bool:
    """Whether `value` only represents a secret: `<token>`, `xxxx`, `$TOKEN`, `changeme`."""
    return (
        len(set(value)) <= 2
        or bool(_PLACEHOLDER.search(value))
        or bool(_REFERENCE.match(value))
        or value.casefold().strip("-_.!") in _NAME_WORDS
    )


def is_credential(value: str, demand: Demand, style: Style) -> bool:
    """Whether `value`, written in `style` next to a name with `demand`, must be redacted."""
    if not _is_dense(value) and (
        is_placeholder(value) or (style != "quoted" and _EXPRESSION.match(value))
    ):
        return False
    if len(value) < (4 if demand == "password" else 6):
        return False
    judge = {"password": _is_password, "token": _is_token, "random": _is_random_value}[demand]
    return judge(value, style)


_SAMPLE = 100
"""Characters of a value that are judged."""
_DENSE = re.compile(r"(?!.{0,40}\$[({])(?!<[\w \-]{1,60}>)[!-~]{32,}")


def _is_dense(value: str) -> bool:
    """Whether `value` is long and random, so that what it begins with or contains says nothing."""
    sample = value[:_SAMPLE]
    return bool(any(map(str.isdigit, sample)) and _DENSE.match(sample) and oddness(sample) >= 0.5)


def _is_password(value: str, style: Style) -> bool:
    if " " in value:
        return style == "quoted" and _is_passphrase(value)
    if style == "quoted" or (style == "tight" and not _is_path_like(value)):
        return True
    if _TERM.match(value) or _is_path_like(value):
        return value.isdigit() and len(value) >= 6
    if style == "line" and not (value.istitle() or value.isdigit()):
        return True
    return _is_mixed(value) or _is_symbol_rich(value) or value.count("-") >= 3


def _is_token(value: str, style: Style) -> bool:
    if " " in value or _TERM.match(value) or _is_path_like(value) or _FILLER.match(value):
        return False
    if style == "quoted":
        plain_word = value.isalpha() and value.islower() and len(value) >= 8
        return plain_word or _is_mixed(value) or _is_symbol_rich(value) or oddness(value) >= 0.3
    if style == "tight" or is_hash_like(value):
        return True
    if _IDENTIFIER.match(value):
        return _is_mixed(value) and len(value) >= 8 and oddness(value) >= 0.25
    return _is_mixed(value) and len(value) >= 8 and oddness(value) >= 0.2


def _is_random_value(value: str, style: Style) -> bool:
    if _UUID_OR_HASH.match(value) or _TERM.match(value) or " " in value:
        return False
    return is_random(value) or (len(value) >= 16 and _is_mixed(value) and oddness(value) >= 0.45)


def _is_mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_symbol_rich(value: str) -> bool:
    """Whether it mixes letters with characters that neither words nor identifiers have."""
    symbols = sum(char in "!@#$%^&*+=?~" for char in value[1:])
    return symbols > 0 and len(value) >= 6 and any(map(str.isalnum, value))


def _is_passphrase(value: str) -> bool:
    words = value.split()
    if not 3 <= len(words) <= 10 or not value.replace(" ", "").isalnum() or value[0].isupper():
        return False
    return not any(word in _NAME_WORDS or word in ("enter", "your", "please") for word in words)


def _is_path_like(value: str) -> bool:
    return bool(_FILE_NAME.match(value)) or ("/" in value and is_path(value))


_KIND_BEFORE = re.compile(
    r"\b(?:api|access|private|auth|account|encryption|signing|master) \Z", re.I
)
_REST = re.compile(r"[\w\-]{0,40}")
_LINK = re.compile(
    r"\\?[\"'`\])*]{0,3}(?:\[[^\]\n]{0,12}\])?[ \t]{0,12}"
    r"(?:[?!]?:[ \t]?[&*]?[\w<>\[\].?|' ]{1,40}?(?=[ \t]{0,4}=[ \t]{0,4}[\"'`]))?[ \t]{0,4}"
    r"(?P<sign>:=|=>|={1,3}|!==?|::?|\?=|\|\|=|>|(?<=[\"'`]),|(?<=[a-z])\((?=\\?[\"'`])"
    r"|(?:\|\||\?\?|\bor)(?=[ \t]{0,4}[\"'`])|\|(?=[ \t])"
    r"|(?<=[\w\"'`*] )(?:is|was|to|as|ist|lautet|es|est)(?= ))\*{0,2}"
    r"(?P<gap>[ \t]{0,12}(?:[|>][-+]?(?=\r?\n))?(?:\\?\r?\n[ \t]{0,40})?)"
    r"(?:(?:new |await )?[@fbru]?(?=[\"']))?[\[(]?",
    re.I,
)
_VALUE_FIELD = re.compile(r"[\"']?\s{0,4},\s{0,40}[\"']?value[\"']?[ \t]{0,4}[:=][ \t]{0,4}", re.I)
_ATTRIBUTE = re.compile(
    r"[\"'][ \t]{1,8}(?:type=[\"']\w{1,20}[\"'][ \t]{1,8})?value[ \t]{0,4}=[ \t]{0,4}", re.I
)
_DEFAULT = re.compile(r"[\"'][ \t]{0,4}\{[^{}]{0,200}?\bdefault[ \t]{0,8}=[ \t]{0,4}")
_TAGS = re.compile(
    r"[:\uff1a]?[ \t]{0,4}(?:</[\w:]{1,20}>\s{0,20}(?:<[\w:]{1,20}(?:[ \t][^<>\n]{0,80})?>)?"
    r"|(?:[ \t][\w:\-]{1,30}=[^<>\n]{0,100})?\\?[\"']?>)[:\uff1a]?\s{0,40}(?:<!\[CDATA\[)?"
)
"""From a name in markup to its value: the end of its element, the next one, a section of text."""
_SPACED = re.compile(r"(?:\b(?:ENV|ARG|setenv|set[ \t]-\w{1,4})|#define)[ \t]{1,4}\Z")
"""What is before a name whose value follows a space."""
_LINE_FIELD = re.compile(r"[\"']?[ \t]{0,4}\r?\n[ \t]{0,40}value[ \t]{0,4}:[ \t]{0,4}", re.I)
_QUOTED = re.compile(r"\\?([\"'`])((?:(?!\1)[^\n\\]|\\[^\"'`\n]){1,400})\\?\1")
_BARE = re.compile(r"[^\s\"'`,;<\\]{1,800}")


def assignments(text: str, lower: str, hints: str) -> Iterator[SecretSpan]:
    """Values of names that say they are secret: `password = …`, `"token": "…"`, `API_KEY=…`.

    `lower` is `text` in lower case, character by character; `hints` has its words in lower case.
    """
    for stem in STEMS:
        position = lower.find(stem) if stem in hints else -1
        while position >= 0:
            rest = _REST.match(text, position)
            end = rest.end() if rest else position + len(stem)
            if span := _assignment(text, position, end):
                yield span
                end = span.end
            position = lower.find(stem, end)


def _assignment(text: str, stem: int, end: int) -> SecretSpan | None:
    """The credential given to the name that holds the stem at `stem` and ends at `end`, if any."""
    start, link = _value_start(text, end)
    is_spaced = start < 0 and text.startswith(" ", end)
    tags = _TAGS.match(text, end) if text[end : end + 1] in _TAG_STARTS else None
    if start < 0 and not is_spaced and tags is None:
        return None
    begin = _name_start(text, stem)
    name = text[begin:end]
    of_name = demand(name)
    if of_name is None:
        return None
    if is_spaced and not (name.startswith("--") or _SPACED.search(text, max(0, begin - 12), begin)):
        is_spaced = False
    bounds = None
    if start >= 0 or is_spaced:
        bounds = _value(text, begin, end + 1 if is_spaced else start, link, of_name)
    if bounds is None and tags is not None:
        bounds = _tagged(text, tags.end(), of_name)
    return SecretSpan(*bounds, label(name, of_name)) if bounds else None


_TAG_STARTS = ("<", ">", ":", " ", "\t", '"', "'", "\\", "\uff1a")


def _tagged(text: str, start: int, demand: Demand) -> tuple[int, int] | None:
    """Start and end of the value that begins at `start`, after a tag, if it is a credential."""
    match = _BARE.match(text, start)
    if match is None:
        return None
    value = match.group().rstrip(".:)]}>|")
    return (start, start + len(value)) if is_credential(value, demand, "loose") else None


def _name_start(text: str, stem: int) -> int:
    """Where the name around the stem at `stem` begins, the `api` of `api key` included."""
    begin, least = stem, max(0, stem - 48)
    while begin > least and (text[begin - 1].isalnum() or text[begin - 1] in "_.-"):
        begin -= 1
    kind = _KIND_BEFORE.search(text, max(0, begin - 12), begin)
    return kind.start() if kind else begin


_FIELD_LENGTH = 240
"""Characters after a name within which a field with its value begins."""


def _value_start(text: str, end: int) -> tuple[int, re.Match[str] | None]:
    """Where a value begins after the name that ends at `end`, or -1, and the match between them."""
    after = text[end : end + _FIELD_LENGTH]
    if "value" in after or "Value" in after or "default" in after:
        for field in (_VALUE_FIELD, _LINE_FIELD, _ATTRIBUTE, _DEFAULT):
            if match := field.match(text, end):
                return match.end(), None
    link = _LINK.match(text, end)
    return (link.end(), link) if link else (-1, None)


def _value(
    text: str, begin: int, start: int, link: re.Match[str] | None, demand: Demand
) -> tuple[int, int] | None:
    """Start and end of the value that begins at `start`, if it is a credential."""
    if link is not None and link["sign"] == "," and text[begin - 1 : begin] not in ('"', "'", "`"):
        return None
    if link is not None and link["sign"] == "|" and not _is_in_row(text, begin):
        return None
    if quoted := _QUOTED.match(text, start):
        return quoted.span(2) if is_credential(quoted[2], demand, "quoted") else None
    if link is not None and (
        _ends_line(link["gap"]) or link["sign"] in (",", "(", "||", "??", "or")
    ):
        return None
    bare = _BARE.match(text, start)
    if bare is None:
        return None
    value = bare.group()
    if text[begin - 1 : begin] in ("?", "&"):  # a query string
        value = value.partition("&")[0]
    value = value.rstrip(".:)]}>|?")
    style = _style(text, begin, link, text[start + len(value) : start + len(value) + 1])
    return (start, start + len(value)) if is_credential(value, demand, style) else None


def _is_in_row(text: str, begin: int) -> bool:
    """Whether what begins at `begin` is a cell of a table."""
    return text[max(0, begin - 6) : begin].rstrip(" *`").endswith("|")


def _ends_line(gap: str) -> bool:
    """Whether the value is on the next line, and not because a block of YAML begins there."""
    return "\n" in gap and not gap.lstrip(" \t").startswith(("|", ">"))


def _style(text: str, begin: int, link: re.Match[str] | None, after: str) -> Style:
    """How the bare value of the name at `begin` is written; `after` is what follows the value."""
    if link is None:
        return "tight"
    if text[max(0, begin - 2) : begin].rstrip().endswith(("(", ",")):
        return "argument"
    if link["sign"] == "=" and link.group() == "=":
        return "tight"
    alone = not text[max(0, begin - 12) : begin].rpartition("\n")[2].strip(" \t-#")
    is_line = alone and after in ("", "\n", "\r") and link["sign"] in (":", "=")
    return "line" if is_line else "loose"
