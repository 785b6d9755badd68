"""Whether a value is a secret: how random it looks, what its name asks of it, how it is written.

Words of any European language, identifiers and paths consist of letter pairs that often follow
each other; keys do not. The share of unusual pairs separates the two far better than Shannon's
entropy, which a path of thirty letters reaches as easily as a key. How random a value must look
depends on its name: nothing may be asked of the value of `password`, much of the value of `key`.
The corpus of `benchmarks/secrets.py` holds the thresholds.
"""

import base64
import binascii
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from cortex_core.language.patterns import Pattern

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
TOKEN = Pattern(
    "a token long enough to be judged",
    rf"[A-Za-z0-9+/_\-]{{{SHORTEST_TOKEN},}}={{0,2}}",
    finds="abcdefghij0123456789==",
    spares="abcdefghij.0123456789",
    flags=0,
)
PIECE = Pattern("letters and digits", "[A-Za-z0-9]+", finds="-ab12-", spares="-_/+=", flags=0)
WORDS = Pattern(
    "words written together",
    r"(?=.{3})(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+)++\Z",
    finds="submitOrder",
    spares="x7Yk2",
    flags=0,
)
URL_BEFORE = Pattern(
    "a web address that is not at its end",
    r"[a-z][a-z0-9+.\-]{1,20}://[^\s\"'<>?]*\Z|\bwww\.[^\s\"'<>?]*\Z",
    finds="see https://example.test/a/",
    spares="see https://example.test/a?key=",
)
CHECKSUM_BEFORE = Pattern(
    "what announces a checksum, a public key or an id",
    r"(?:sha-?\d{1,3}|md5|integrity|checksum|digest|hash|etag|fingerprint|base64|h1"
    r"|ssh-(?:rsa|ed25519|dss)|ecdsa-[\w\-]+|signature|cursor"
    r"|(?:request|trace|span|version|message|event|object|node|host|\bx)id|\bid-2|\bkid|\b(?:iv|tag)"
    r"|[{,] ?\"[nxy]|\bbh"
    r"|(?<!secret.)(?<!key.)(?<!session.)(?<![a-z])id|-verification|\bpeer|\bdid:[a-z]{2,9}"
    r"|(?:public|site|applicationserver|websocket)[ _\-]?(?:keys?|accept)"
    r"|_acme-challenge[\w.\-]{0,40}(?:[ \t]+\d{1,6})?(?:[ \t]+in)?[ \t]+txt"
    r"|\bx5[tc][\w#]{0,5}|\bsecure|;[ ]?b|nonce|challenge|eui|\bocid1\.[\w.\-]{0,50}"
    r"|=\?[\w\-]{2,20}\?B\?|\bDNSKEY[ \d]{6,12}|\bNSEC3(?:[ ][\d\-]{1,8}){3,4}"
    r"|\bstate|\|1\|(?:[\w+/]{27}=\|)?|\bW/(?=\")|\b(?:vin|imei|serial(?:[ ]?(?:no|number))?)\b\.?"
    r"|\b(?:g|fb)clid|\bENC[(\[](?:\w{2,20},data:)?|\benc:v\d|\{cipher\})"
    r"[\"'\]]{0,2}[\s:=,\-\"'(<]{0,4}(?:W/\"|content=\"|[\w.\-]{1,40}-\d:)?\Z",
    finds="integrity: sha512-",
    spares="password: ",
)
SEALED = r"SHA256:|phc_|enc:v\d|Ag[\w+/]{98}|ENC[\[(]|\{cipher\}|!vault\b"
"""How a value begins that only who has a key elsewhere can open, or a fingerprint."""
SPARED = Pattern(
    "how ids, public keys, pictures and file trees begin, after a short path or a name, too",
    r"\A(?:(?:/?[a-z\d]{1,12}/)+|[A-Za-z_]{2,12}=)?(?:AAAA[BCE][23]Nza"  # public SSH keys
    r"|MIGfMA0GCS|MII[BC]IjANBg|MFkwEwYHKo|MHYwEAYHKo|MCowBQYDK2"  # and others, as DER
    r"|LS0tLS1CRUdJTiB(?:DRV|QVUJM)"  # certificates and public keys, encoded once more
    r"|MII[\w+/]{3}CC[\w+/]{3}gAwIBAg"
    rf"|{SEALED}"
    r"|file-[A-Za-z0-9]{22,24}\Z|[0-9a-f]{6,}[A-Z][a-z]+\Z"
    r"|(?:srv|mcp)?toolu_|(?:agent_)?msg_|req_|session_|call_|chatcmpl-|resp_|asst_|thread_|run_"
    r"|(?:ses|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}\Z"
    r"|(?:evt|cus|acct|price|prod|pi|sub|ch|cs|in|seti|pm|txn|re|po|dpl|prj|rnw)_|PVT[A-Z]*_"
    r"|sha\d+[-_=/]|Q1[\w+/]{27}=\Z"
    r"|(?:[a-z]{2,12}_)?0[0-7](?:[0-9A-HJKMNP-TV-Z]{24}|[0-9a-hjkmnp-tv-z]{24})(?:\.[a-z]{2,8}|\.{2,3}0[0-7]\w{24})?\Z"
    r"|0x[0-9a-fA-F]+\Z|[A-Z]{1,6}_kw[A-Z]|k51[a-z0-9]|Qm[1-9A-HJ-NP-Za-km-z]{44}\Z"
    r"|baf[ky][a-z2-7]{20}|R[UW][\w+/]{54}(?:[\w+/]{40,50}=*)?\Z|eJ[w-z]|H4sI|ocid1\.|-{4}|AGFzbQ|AAA[A-Za-z0-9+/]{15}\Z|\d{4}[A-Z0-9]{14}\d\d\Z|[a-z]+-(?:site|domain)-verification=|css-[a-z0-9]{5,8}(?:-[A-Za-z]+)*\Z|age1[a-z0-9]{58}\Z|iVBORw0KGgo|R0lGODlh|nonce-"
    # KSUID, nanoid, cuid and cuid2, ids of Twilio, extensions of Chrome
    r"|[0-3][A-Za-z0-9]{26}(?:\.[a-z]{2,8})?\Z|[\w\-]{21}\Z|c[a-z0-9]{24}\Z|(?=[a-z]*\d)[a-z][a-z0-9]{23}\Z"
    r"|(?:(?!SK)[A-Z]{2}[0-9a-f]{32}(?:/[A-Z][a-z]+/)?)+(?:\.json\Z|&|\Z)|[a-p]{32}\Z"
    # cursors, names that compilers make, ids of AWS, parcels, disks, proteins and chemicals
    r"|Y3Vyc29y|_ZN\d|[EQZ](?=[A-Z]*\d)[A-Z0-9]{13,20}\Z|1Z[A-Z0-9]{16}\Z|wwn-|[A-Z\-]{20,}\Z"
    r"|(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}[_/\-]?)+\Z"
    # addresses of Bitcoin and Solana, public keys of wallets
    r"|[13][1-9A-HJ-NP-Za-km-z]{25,33}\Z|bc1[a-z0-9]{38,58}\Z|[1-9A-HJ-NP-Za-km-z]{43,44}\Z"
    r"|[xyz]pub[1-9A-HJ-NP-Za-km-z]{107}\Z|npub1[a-z0-9]{58}\Z"
    # cipher suites, brands of films, positions of chess, folders of Nix
    r"|(?:TLS|SSL)_|PBKDF2With|[A-Z]{3}[A-Za-z]{0,5}/(?:CBC|GCM|ECB|CTR)/|(?:isom|iso\d|avc1|hvc1|mp4\d|dash){2,}\Z|(?:EC)?DHE-(?:RSA|ECDSA)-|(?:[1-8pnbrqkPNBRQK]{1,8}/){7}|(?=[0-9a-f]*[g-z])[0-9a-df-np-sv-z]{32}-[a-z]{3}"
    r"|pk_(?:live|test)_|ph[cx]-|phc_|org-[A-Za-z0-9]{24}\Z|db-[A-Z0-9]{26}\Z|\d{12}-[a-z0-9]{32}(?:\Z|\.apps)"
    r"|z6Mk[1-9A-HJ-NP-Za-km-z]{40}|/(?:tmp|home|Users|var|usr|private|opt|etc|nix|proc|dev|mnt|root"
    r"|workspaces?)/"
    # a wheel, a transcript named after its time and session, a pod of Kubernetes
    r"|[\w+\-]{1,60}-(?:cp|pp|py)\d{1,3}-\w{3,12}-\w{3,40}\Z"
    r"|(?:[\w/\-]*/)?[a-z]+-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z"
    r"|[a-z][a-z0-9\-]*-[b-df-hj-np-tv-xz2-9]{8,10}-[b-df-hj-np-tv-xz2-9]{5}\Z)",
    finds="chatcmpl-x7Yk2",
    spares="x7Yk2-chatcmpl-",
    flags=0,
)
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
        for match in TOKEN.regex.finditer(text, position, position + len(word)):
            start = match.start()
            if text.startswith("\x1b[", start - 2):  # a terminal's colour code is not a part of it
                start = text.find("m", start, match.end()) + 1 or start
            yield start, match.end()
        position += len(word)


_FEWEST = 8
"""Different characters of a key: fewer are a pattern or a typed nonsense such as `zzzzxxxx1234`."""


def is_candidate(token: str) -> bool:
    """Whether `token` can be a secret: no known id, and more than hashes and words."""
    if len(set(token)) < _FEWEST or SPARED.regex.match(token) or token.count("A") * 2 > len(token):
        return False  # base64 of zeros, such as a bit field, is half of “A” and more
    return len(_without_words(token)) >= 16


def is_random(token: str) -> bool:
    """Whether `token` looks random: at least 20 characters besides hashes and words, oddly paired.

    Hashes, uuids, dates, identifiers, file paths and base64 of plain text do not.
    """
    rest = _without_words(token)
    if len(rest) < SHORTEST_TOKEN or SPARED.regex.match(token) or _is_encoded_text(token):
        return False
    # Most characters of an alphabet follow the one before: `abcdefgh…`, `0123456789abc…`.
    steps = sum(ord(second) - ord(first) == 1 for first, second in pairwise(token))
    if steps >= len(token) * 0.8 or ("/" in token and token[-1] != "=" and is_path(token)):
        return False
    # Limits measured on the corpus of benchmarks/secrets.py: a short token, or one without digits,
    # must be odder to count.
    limit = 0.40 if len(rest) < 28 else 0.36
    return oddness(rest) >= limit + (0.0 if any(map(str.isdigit, rest)) else 0.06)


PARTED = Pattern(
    "runs that are parted as no name is",
    r"[\w+/\-]+(?:[=~.]{1,3}[\w+/\-]+)+=*",
    finds="b6j00jueew=2dg8rk8gc",
    spares="b6j00jueew:2dg8rk8gc",
)
SHORTEST_PARTED = 30
SIGNED = Pattern(
    "letters of both cases, a digit and two signs, as in a password that a program made",
    r"(?!\S*[Aa]-[Zz])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)"
    r"(?=[\w.=\-]*([!-&*+?^~]).*(?!\1)[!-&*+?^~])"
    r"[\w!@#$%^*~+?.=\-]{10,40}\Z",
    finds="kX9#mP2$vL",
    spares="Meadow!7013!",
    flags=0,
)


def is_random_word(word: str) -> bool:
    """Whether `word`, which has no letters around it, is random though its runs are short.

    It is of 14 to 19 letters and digits, odder if it has one number only, or parted by `=`, `~` or
    dots as no name is, or of 10 characters and more with several signs.
    """
    if SIGNED.regex.match(word):
        return oddness(word) >= 0.4
    if len(set(word)) < _FEWEST or SPARED.regex.match(word) or _is_encoded_text(word):
        return False
    if (
        14 <= len(word) < SHORTEST_TOKEN
        and word.isascii()
        and word.isalnum()
        and not word.isalpha()
    ):
        numbers = "".join(char if char.isdigit() else " " for char in word).split()
        # An id of Sumo Logic looks like a name in code, so that its rest must be random.
        rest = word.removeprefix("su") if len(word) == 14 else word
        is_mixed = rest.lower() != rest != rest.upper()
        of_issuer = rest != word and is_mixed and oddness(rest) >= 0.4
        least = 0.4 if len(numbers) > 1 else 0.5
        return not _is_hex(word) and (of_issuer or oddness(word) >= least)
    is_parted = len(word) >= SHORTEST_PARTED and bool(PARTED.regex.fullmatch(word))
    rest = word.translate(dict.fromkeys(map(ord, "=~.")))
    return is_parted and len(_without_words(word)) >= SHORTEST_PARTED and oddness(rest) >= 0.5


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
    before = text[max(0, start - _LOOK_BACK) : start]
    return (
        text.startswith("://", start - 1)  # the host is a part of the token
        or bool(CHECKSUM_BEFORE.regex.search(before[-64:]))
        or ("/" in before and bool(URL_BEFORE.regex.search(before)))
    )


def _without_words(token: str) -> str:
    """`token` without the pieces between its separators that are hashes, numbers or words."""
    pieces = PIECE.regex.findall(token)
    return "-".join(piece for piece in pieces if not (_is_hex(piece) or _is_word(piece)))


def _is_hex(piece: str) -> bool:
    """Whether letters and digits are a number, or a piece of a hash of at least six characters."""
    return piece.isdigit() or (
        len(piece) >= 6 and (_LOWER_HEX.issuperset(piece) or _UPPER_HEX.issuperset(piece))
    )


_LOWER_HEX, _UPPER_HEX = frozenset("0123456789abcdef"), frozenset("0123456789ABCDEF")


@lru_cache(maxsize=4096)
def _is_word(piece: str) -> bool:
    """Whether `piece` is words: its pairs are usual, its vowels neither few nor many."""
    vowels = sum(letter in "aeiouyAEIOUY" for letter in piece)
    is_spoken = 0.15 * len(piece) <= vowels <= 0.75 * len(piece)
    return is_spoken and bool(WORDS.regex.match(piece)) and oddness(piece) <= 0.15


def is_name(value: str) -> bool:
    """Whether `value` is a name of code or a word: letters that are words, with `_` or one `-`."""
    # Shortened words (`htpasswd`, `genCert`) have fewer rare pairs than 0.4; random letters, 0.7.
    pieces = value.replace("-", "_", 1).strip("_").split("_")
    return all(piece.isalpha() and oddness(piece) < 0.4 for piece in pieces)


def is_path(token: str) -> bool:
    """Whether words of at least four letters are a fifth of `token`."""
    segments = PIECE.regex.findall(token)
    return sum(len(s) for s in segments if len(s) >= 4 and _is_word(s)) >= len(token) / 5


def _is_encoded_text(token: str) -> bool:
    """Whether `token` is base64 of printable text: an example, a cursor or a data field."""
    folded = token.rstrip("=").replace("-", "+").replace("_", "/")
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
    "kennwort",
    "senha",
    "wachtwoord",
    "heslo",
    "haslo",
    "contrasena",
    "mdp",
    "losenord",
    "jelszo",
    "parol",
    "sifre",
    "secret",
    "token",
    "credential",
    "key",
    "auth",
    "sig",
    "session",
    "cookie",
    "cle_",
    "_cle",
    "clave",
    "chave",
    "chiave",
    "klucz",
    "schluessel",
    "kulcs",
    "geheimnis",
    "segredo",
    "jeton",
    "sid",
    "dsn",
    "psk",
    "recovery",
)
"""Lowercase strings: every name of a secret contains one of them."""

PART = Pattern(
    "a word of a name",
    "[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+",
    finds="dbPassword_2",
    spares="_-.",
    flags=0,
)
_PASSWORD_ENDS = tuple(
    """
    password passwords passwd passphrase passcode pass pwd pw psk masterauth passwort kennwort senha
    wachtwoord heslo haslo contrasena mdp losenord jelszo sifre passord salasana adgangskode passe
    """.split()
)
_NO_PASSWORDS = frozenset(
    "bypass compass encompass impasse overpass surpass trespass underpass".split()
)
_TOKEN_ENDS = (
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "sessid",
    "jsessionid",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "authtok",
    "geheimnis",
    "segredo",
    "secreto",
    "jeton",
)
KEY_KINDS = frozenset(
    """
    api access private auth account encryption decryption signing master service shared license
    deploy app storage subscription publish admin hmac aes client secret webhook session write
    ingest ingestion integration recovery jwt fernet vault root cipher crypto cookie wallet
    activation bot functions join registration enrollment host relay stream pairing provisioning
    licence unseal cluster push preshared nonce logged
    """.split()
)
_RANDOM = frozenset(
    """
    key keys auth sig signature session sessionid cookie sid dsn
    """.split()
)
_METADATA = frozenset(
    """
    name type id url uri link path file filename dir folder field header param parameter prefix
    suffix len length count limit size expiry expire expiration expired ttl policy policie
    format env var variable label hint endpoint error required min max regex pattern rotation
    age manager management store storage provider version ref arn description reset usage budget
    backend index column enabled disabled strategy clas algorithm kind mode cost source stage
    statu lifetime window scheme scope generator validation validator validate handler input
    page form fn func callback exist valid invalid in per total used estimate estimator rate
    ratio bucket hash hashed confirm confirmation visible change changed update rule checker
    strength message placeholder title text list map table set cache lookup pres pressed binding
    up down code event encryption board word pair vault stream parser hasher re regexp
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
    mistral mixpanel netlify newrelic notion npm nvidia nytimes octopus okta openai openrouter
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


KINDS = _ISSUERS | KEY_KINDS | {"public"}
"""What a word before `key` or `token` may tell: whose, or of what kind, public ones included."""


def names_issuer(words: list[str]) -> bool:
    """Whether one of `words`, or two of them together (`OpenAI`), is the name of an issuer."""
    return any(word in _ISSUERS for word in (*words, *map("".join, pairwise(words))))


def parts(name: str) -> list[str]:
    """The words a name is made of, in lower case: `dbPassword_2` is db, password, 2."""
    return [word.lower() for word in PART.regex.findall(name)]


PUBLIC = frozenset(("public", "continuation"))
"""What stands before `key` or `token` where everybody may know it, as of every assembly of .NET."""
_PUBLIC_KEYS = (["site", "key"], ["socket", "key"])
"""Names of keys that are sent to whoever visits a page, or opens a connection."""


@lru_cache(maxsize=4096)
def demand(name: str) -> Demand | None:
    """What `name` asks of its value; None if it names no secret (`color`, `tokenLimit`)."""
    words = parts(name)
    if not PUBLIC.isdisjoint(words) or words[-2:] in _PUBLIC_KEYS:
        return None
    strongest: Demand | None = None
    end = 0
    for index, word in enumerate(words):
        of_word = _demand_of_word(word, words[:index], words[index + 1 :])
        if of_word and (strongest is None or of_word != "random"):
            strongest, end = of_word, index + 1
    # An id of a secret is the secret at Vault and Consul.
    rest = [] if words[-2:] == ["secret", "id"] else words[end:]
    if strongest is None or not _METADATA.isdisjoint(word.removesuffix("s") for word in rest):
        return "token" if _is_of_issuer(words) else None
    return "token" if strongest == "random" and _is_of_issuer(words) else strongest


def _is_of_issuer(words: list[str]) -> bool:
    """Whether `words` are a key, or the id of a client, of a known issuer."""
    before, last = ["", "", *words][-2:]
    is_key = (
        last in ("key", "keys", "oauth", "auth")
        or (last == "id" and before in _IDS_OF_ISSUERS)
        or (last == "hash" and before == "api")
        or (last == "com" and before == "contribsys")
    )
    return is_key and names_issuer(words)


def _demand_of_word(word: str, before: list[str], after: list[str]) -> Demand | None:
    # “Parola” is also an Italian word; next to another word of a name it is a password.
    if (word.endswith(_PASSWORD_ENDS) and word not in _NO_PASSWORDS) or (
        word in ("parol", "parola") and (before or after)
    ):
        return "password"
    is_key = (
        (word in ("key", "keys", "salt") and not KEY_KINDS.isdisjoint(before))
        or (word in ("code", "codes") and "recovery" in before)
        or (
            word in ("cle", "clave", "chave", "chiave", "klucz", "schluessel", "kulcs")
            and not KEY_KINDS.isdisjoint((*before, *after))
        )
    )
    if is_key or word.endswith(_TOKEN_ENDS):
        return "token"
    return "random" if word in _RANDOM else None


def label(name: str, demand: Demand) -> str:
    """The word that replaces the value of `name` in the text: `password`, `secret` …"""
    if demand == "password":
        return "password"
    return next((word for word in ("secret", "token") if word in name.lower()), "key")


Style = Literal["quoted", "tight", "loose", "argument", "line"]
"""How the value is written: in quotes; `A=b`; with spaces or in prose; as an argument of a call;
or alone on a line of a configuration file."""

PLACEHOLDER = Pattern(
    "what stands for a secret",
    r"\b(?-i:x{3,}|X{3,})|(?-i:x{5,}|X{5,})|\*{3,}|•{2,}|\.{3}|…|_{4,}|your|example|placeholder|\[(?:filtered|masked|hidden)\]"
    r"|change[_\-]?(?:me|it|this)|redacted|replace|insert|todo|dummy|fixme|sample|\bfake|\bmock"
    r"|<[^>]*>?|\{\{|\$\{|\$\(|%\(|not[_\-]?set|n/a\Z|lorem|\bhere\b|goes[_\-]here"
    r"|\\[sdwb][*+{\])]|\[\^|\[(?:a-z|0-9)"  # an expression that finds such
    r"|12345678(?:9|\Z)(?!\d*[a-z])|\A\d{1,3}(?:\.\d{1,3}){2,3}\Z",
    finds="your-token",
    spares="hunter2-9",
)
REFERENCE = Pattern(
    "a reference to a secret, in quotes or out of them, or a public key",
    rf"\A(?:{SEALED}"
    r"|\$(?:[({]|[A-Z_][A-Z0-9_]*\}?\Z|[a-z_]+\Z)|<|\{|%(?:[({sd]|[A-Z_]+%)|\[redacted"
    r"|pk(?:\.eyJ|_live_|_test_)"
    r"|(?:vault|op|ssm|arn|file|aws|gcp|ref|env|kms|secretsmanager):|https?://[^\s@]*\Z)",
    finds="op://vault/item",
    spares="hunter2$9",
    flags=0,
)
EXPRESSION = Pattern(
    "how an expression of code begins that computes a value",
    r"\A(?!@[A-Za-z]*\d[\w.!]*\Z)(?!\w*\d\w*\.(?:tar\.)?(?:tar|txt|zip|log|sql|bak|t?gz|xz|7z|ovpn|pdf|p12)\Z)"
    r"(?![#*][A-Z][a-z]+[A-Z]?[a-z]*\d{2,4}\Z)(?![%^&*#]+\w*[!@#$%^&*][\w!@#$%^&*]*\Z)(?!(?!\w+\.(?:u?int|float|sha|base|utf|md)\d)[A-Za-z]{3,}\.[A-Za-z]{3,}\d{2,}\Z)(?![A-Za-z\d]*[a-z\d][A-Z]{2,}\d[A-Za-z\d]*\.)(?:[$%{}<>(\[\]?^|&*@#~,;=+]|![a-z]+\Z|:[a-z_]+\Z|\\|[\w.\->:]+\(|[a-z][a-z0-9+.\-]*://"
    r"|(?:process|os|env|vars|secrets?|config|settings|self|this|params|request|req|args|options"
    r"|opts|ctx|context|data|props|input|event|Deno|import|System|ENV|viper|st)\b[.\[(:]"
    r"|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+[;,)\]]*\Z)",
    finds="os.environ['TOKEN']",
    spares="hunter2-9",
    flags=0,
)
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
    option flag argument new-password current-password
    passwort kennwort contraseña senha wachtwoord пароль 密码 パスワード
    """.split()
)
TERM = Pattern(
    "a term, a version or a number with its unit",
    r"\A(?:(?:base\d+|1password|sha-?\d+|md5|o?auth\d?|utf-?\d+|https?\d?|argon2\w*|saml\d?|(?-i:Test[A-Z])\w*|b?s?crypt\d?|pbkdf2"
    r"|aes-?\d+|utf8mb\d|x86_64|rsa-?\d+|x509|ed25519|secp\d+[kr]1|u?int\d+\w*|float\d+\w*|[hrep]s\d{3}|ipv\d|k8s|s3|ec2"
    r"|v\d+(?:\.\d+)*|[a-z]+(?:[.:][a-z]+)+[.:]v\d|i18n|jwt|python\d|web\d|chacha20)(?:[-/].*)?\Z"
    r"|(?:p\d\d|\d+(?:st|nd|rd|th)|\d+(?:\.\d+)*(?:[a-z]{1,3}|%)?|\d+-[a-z]+"
    r"|[\w/\-]+@\d+(?:\.\d+)+|(?:pr|mr|gh|ci|issue|ticket|bug)#\d+"
    r"|\d{4}-\d\d(?:-\d\d.*)?|0x[0-9a-f]{1,16}|osc\d+|cve-\d{4}-\d+"
    r"|ghsa(?:-[2-9a-z]{4}){3})\Z)",
    finds="aes-256",
    spares="hunter2-9",
)
FILE_NAME = Pattern(
    "the name of a file",
    r"\A[\w\-./\\~]+\.(?:[a-z]{1,4}|json|yaml|toml|lock|local|swift|properties)\Z",
    finds="conf/db.yaml",
    spares="hunter2-9",
    flags=0,
)
FILLER = Pattern(
    "words that fill the place of a token",
    r"\A(?:my|the|a|test|some|this|new|old|refresh|bearer|app|user|admin|value|string|token|key|secret|api|access"
    r"|auth|password|pass|id|name|demo|dev|prod|local|default|client|db|for|is|[_\-\d.])+\Z",
    finds="my-test-token_1",
    spares="hunter2-9",
)
UUID_OR_HASH = Pattern(
    "a UUID or a hash",
    r"\A(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
    r"|[0-9a-f]{7,40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})\Z",
    finds="0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f",
    spares="hunter2-9",
)


def is_hash_like(value: str) -> bool:
    """Whether `value` is a hash, a UUID or a long number: a key only where a name says so."""
    return bool(UUID_OR_HASH.regex.match(value)) or (value.isdigit() and len(value) >= 12)


def is_placeholder(value: str) -> bool:
    """Whether `value` only represents a secret: `<token>`, `xxxx`, `$TOKEN`, `changeme`."""
    return (
        len(set(value)) <= 2
        or bool(PLACEHOLDER.regex.search(value))
        or bool(REFERENCE.regex.match(value))
        or value.casefold().strip("-_.!") in _NAME_WORDS
    )


def is_credential(value: str, demand: Demand, style: Style) -> bool:
    """Whether `value`, written in `style` next to a name with `demand`, must be redacted."""
    value = value[:_JUDGED]
    # Words with dots are code, unless nothing else is on their line.
    is_phrased = style == "line" and is_phrase(value.replace(".", "-"), 3)
    is_code = (
        style != "quoted" and not (is_phrased or is_jumble(value)) and EXPRESSION.regex.match(value)
    )
    is_none = (is_code or is_placeholder(value) or _is_label(value)) and not (
        _is_dense(value) or SIGNED.regex.match(value)
    )
    if is_none or len(value) < (4 if demand == "password" else 6):
        return False
    judge = {"password": _is_password, "token": _is_token, "random": _is_random_value}[demand]
    # A long word of another language, such as “gewijzigd”, has as many rare pairs as 0.5.
    is_letters = (
        (demand != "random" and len(value) >= 8 and value.isascii() and value.isalpha())
        and not is_name(value)
        and not (value.islower() and oddness(value) <= 0.5)
    )
    return is_letters or judge(value, style)


def _is_label(value: str) -> bool:
    """Whether `value` is words with letters outside ASCII, as a translation is: “API-Schlüssel”."""
    return not value.isascii() and all(
        char.isalpha() or not char.isascii() or char in " -'.,?!" for char in value
    )


_JUDGED = 200
"""Characters of a value that are judged: more than the longest hash has. What follows another name
in it is judged with that name, so that a text of nothing but names is not read once for each."""
_SAMPLE = 100
"""Characters of a value whose density is judged."""
DENSE = Pattern(
    "a long run of visible characters, no template",
    rf"\A(?!{SEALED}|pk(?:\.eyJ|_live_|_test_))"
    r"(?!.{0,40}\$[({])(?!<[\w \-]{1,60}>)[!-~](?:[ ]?[!-~]){31,}",
    finds="x7Yk" * 8,
    spares="x7Yk" * 4 + "${HOME}" + "x7Yk" * 4,
    flags=0,
)


def _is_dense(value: str) -> bool:
    """Whether `value` is long and random, so that what it begins with or contains says nothing."""
    sample = value[:_SAMPLE]
    return bool(
        any(map(str.isdigit, sample)) and DENSE.regex.match(sample) and oddness(sample) >= 0.5
    )


def _is_password(value: str, style: Style) -> bool:
    if " " in value:
        return style in ("quoted", "tight") and is_passphrase(value)
    # A file may be named after its password: `password=x7Yk2QbV9.txt`.
    is_file = (
        _is_path_like(value)
        and not is_jumble(value)
        and ("/" in value or not CHOSEN.regex.match(value))
    )
    if style == "quoted" or (style == "tight" and not is_file):
        return True
    if TERM.regex.match(value) or (_is_path_like(value) and not is_jumble(value)):
        return value.isdigit() and len(value) >= 6
    return (
        (style == "line" and not (value.istitle() or value.isdigit()))
        or is_mixed(value)
        or _is_symbol_rich(value)
        or value.count("-") >= 3
        or is_phrase(value, 3)
        or is_jumble(value)
    )


def is_jumble(value: str) -> bool:
    """Whether letters of both cases follow each other as in no word and no name of code."""
    letters = "".join(filter(str.isalnum, value.strip("!")))
    is_long = len(letters) >= 10 and letters.lower() != letters != letters.upper()
    return is_long and not WORDS.regex.match(letters) and oddness(letters) >= 0.4


def _is_token(value: str, style: Style) -> bool:
    if " " in value:
        return style == "quoted" and (
            is_phrase(value, 4)
            or _is_dense(value)
            or (any(map(str.isdigit, value)) and is_passphrase(value))
        )
    if TERM.regex.match(value) or _is_path_like(value) or FILLER.regex.match(value):
        return False
    if style == "quoted":
        is_word = (value.isalpha() and value.islower() and len(value) >= 8) or is_phrase(value, 3)
        return is_word or is_mixed(value) or _is_symbol_rich(value) or oddness(value) >= 0.3
    if style == "tight" or is_hash_like(value):
        return value.lower() not in _ISSUERS  # `FORCE_TOKEN=github` says whose token counts
    is_odd = oddness(value) >= (0.25 if value[0].isascii() and value.isidentifier() else 0.2) or (
        _is_symbol_rich(value) and bool(CHOSEN.regex.match(value))
    )
    is_code = is_odd and is_mixed(value) and len(value) >= 8
    return is_code or is_jumble(value) or is_phrase(value, 4)


def _is_random_value(value: str, style: Style) -> bool:
    if any(one.regex.match(value) for one in (UUID_OR_HASH, TERM, SPARED)) or " " in value:
        return False
    rest = _without_words(value)
    return is_random(value) or (len(rest) >= 16 and is_mixed(rest) and oddness(rest) >= 0.45)


def is_mixed(value: str) -> bool:
    """Whether `value` has both a letter and a digit."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_symbol_rich(value: str) -> bool:
    """Whether it mixes letters with characters that neither words nor identifiers have."""
    has_symbol = any(char in "!@#$%^&*+=?~" for char in value[1:])
    return has_symbol and len(value) >= 6 and any(map(str.isalnum, value))


CHOSEN = Pattern(
    "a password as people choose them",
    r"(?:[A-Z][a-z]+){3,}[!?#]\Z"
    r"|(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])(?:(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=(?:\D*\d){2})"
    r"|(?:[A-Z][a-z]+\d?-){2,}[A-Z][a-z]+\d?\Z|(?=\D*[A-Z])(?:[A-Za-z\d]{6}-){2}[A-Za-z\d]{6}\Z"
    r"|[a-z]{3,}\d{3}|[a-z]{3,}[._\-][a-z]{3,}(?:[._]?\d\d|-\d{3}\Z)|\S*[!@#$%^&*+=?~])\S*\Z",
    finds="Meadow7013",
    spares="jsx-a11y",
    flags=0,
)


def is_chosen(value: str) -> bool:
    """Whether a value that nothing names looks like a password."""
    return bool(CHOSEN.regex.match(value)) and is_credential(value, "password", "loose")


def is_shown(value: str, kind: Literal["password", "key"]) -> bool:
    """Whether `value` looks like a secret of `kind` where a name is near that may not be its."""
    if is_jumble(value) or is_random(value) or _is_shuffled(value):
        return True
    if kind == "key":
        return len(value) >= 16 and is_credential(value, "random", "loose")
    return is_chosen(value) or (len(value) >= 24 and is_hash_like(value))


def _is_shuffled(value: str) -> bool:
    """Whether letters and digits follow each other as in no word with a number: `zb7i99au2k`."""
    is_plain = len(value) >= 10 and value.isascii() and value.isalnum() and is_mixed(value)
    return is_plain and not is_hash_like(value) and oddness(value) >= 0.6


_OF_MESSAGES = _NAME_WORDS | frozenset(
    """
    enter your please character characters chars digit digits letter letters word words zeichen
    caracteres caractères caratteri day days hour hours minute minutes second seconds ms min max
    minimum maximum mindestens least most more than time times attempt attempts try tries request
    requests users step steps page pages chapter part line lines limit expires rotates every per
    after before ago until use uses used needs need wrong issued reached failed took asks closes
    version
    """.split()
)
"""Words of what programs say about passwords; no passphrase has one."""


OF_NAMES = (
    _OF_MESSAGES
    | _METADATA
    | KEY_KINDS
    | _RANDOM
    | frozenset(
        """
        read write only team group role user users client service services cluster region stage
        staging production internal external primary secondary open close left right start end
        color text background border form login logout sign page view add remove fix feature test
        backend frontend web mobile github gitlab docker postgres postgresql mysql redis admin
        data base work worker json yaml html long short live well out off over under step case
        """.split()
    )
)
"""Words that names in code and settings are made of; a passphrase of dashes has none of them."""


def is_phrase(value: str, least: int) -> bool:
    """Whether `value` is `least` plain words or more, parted by dashes or blanks, and no name."""
    words = value.replace("-", " ").split()
    is_plain = all(3 <= len(word) <= 12 and word.isalpha() and word.islower() for word in words)
    return len(words) >= least and is_plain and OF_NAMES.isdisjoint(words)


def is_passphrase(value: str) -> bool:
    """Whether `value` is three to ten words in no sentence; a capital begins it only where each of
    four has one, or a number is among them, since a message of a program begins so too."""
    words = value.split()
    if not 3 <= len(words) <= 10 or not value.replace(" ", "").isalnum():
        return False
    is_named = len(words) >= 4 and all(map(str.istitle, words))
    if value[0].isupper() and not is_named and not any(map(str.isdigit, words)):
        return False
    return not any(word.lower() in _OF_MESSAGES for word in words)


def _is_path_like(value: str) -> bool:
    return bool(FILE_NAME.regex.match(value)) or ("/" in value and is_path(value))
