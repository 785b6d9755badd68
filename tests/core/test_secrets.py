"""Secrets: all found in every surrounding, the innocent spared, in linear time."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from string import printable

import pytest
from hypothesis import Phase, given, settings, strategies as st

from benchmarks import foreign_secrets
from benchmarks.duplicate_texts import SENTENCES
from benchmarks.foreign_secrets import Told
from benchmarks.secret_corpus import (
    KEYS,
    PLACEHOLDERS,
    broken,
    hidden,
    innocent,
    private_keys,
    secrets,
    stays,
)
from benchmarks.secrets import misses
from cortex_core.base.errors import ConfigError
from cortex_core.redaction import command_lines
from cortex_core.redaction.key_formats import FORMATS, WHOLE_KEYS
from cortex_core.redaction.redactor import Redactor
from cortex_core.redaction.secrets import redact
from tests.core.quarantine_texts import ORDINARY

KEYED = "0x9QvT2mZk7Lr4Wb8Hn3" * 2 + "Jd6Yc1Sg5Pf0Xa9"
KEY = "ghp_" + "k3Jd8Lq0" * 4 + "Zx9P"


def drawn(seed: int = 11) -> random.Random:
    return random.Random(seed)


def test_every_secret_is_found_in_every_surrounding() -> None:
    assert misses(hidden(drawn()), gone=True)[2] == []


def test_published_and_everyday_forms_are_found_named_and_bare() -> None:
    for bare, most in ((False, 0.01), (True, 0.04)):
        drawn_now = [secret for secret in secrets(each=1) if secret.bare == bare]
        left = [secret for secret in drawn_now if stays(secret, redact(secret.text).text)]
        assert len({secret.form for secret in drawn_now}) >= 250
        assert len(left) <= most * len(drawn_now), left


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("- name: DB_PASSWORD\n  value: sunset-harbor-42", "sunset-harbor-42"),
        # words with dashes or blanks, which only a passphrase has
        ("API_TOKEN: 'copper-canyon-anchor-olive'", "copper-canyon-anchor-olive"),
        ('{"appSecret": "pepper garden mirror violet"}', "pepper garden mirror violet"),
        ("<smtpPass>orbit zebra harbor lantern</smtpPass>", "orbit zebra harbor lantern"),
        ("Credentials: bob@x.org / cactus-engine-dragon", "cactus-engine-dragon"),
        ('auth=("bob", "pepper garden mirror violet")', "pepper garden mirror violet"),
        ("user bob pw b4n4n4_656", "b4n4n4_656"),
        ("пароль: MyEmberIsHarbor!", "MyEmberIsHarbor"),
        # codes of one login
        ("the otp is 185795", "185795"),
        ("565892 is your verification code", "565892"),
        ('{"user": 4, "door_code": 768862}', "768862"),
        # quotes that were escaped twice, properties, arrows, questions, halves
        ('{"log": "{\\\\\\"token\\\\\\": \\\\\\"' + "0a1b" * 10 + '\\\\\\"}"}', "0a1b" * 10),
        ('string Token { get; set; } = "' + "0a1b" * 10 + '";', "0a1b" * 10),
        ('smtp_pass <- "' + "0a1b" * 16 + '"', "0a1b" * 16),
        ("Q: what is the password?\nA: Dragon@2011", "Dragon@2011"),
        ("I changed the pass from b54df50ce584ce69 to another", "b54df50ce584ce69"),
        ("> the pwd: ef3bb5b96eeaf8479b4e\n> 8f22861c2222", "ef3bb5b96eeaf8479b4e\n> 8f22861c2222"),
        (
            "token = (\n    'eb32295ed9ee'\n    '838abdb316fd'\n)",
            "eb32295ed9ee'\n    '838abdb316fd",
        ),
        ("printf '1641e6a4d576' | gcloud secrets create a --data-file=-", "1641e6a4d576"),
        ("tool deploy --session-key '" + "0a1b" * 8 + "'", "0a1b" * 8),
        ("git switch fix/encryption-key-pDJl3XBZuoXJF12", "pDJl3XBZuoXJF12"),
        ("WIFI:T:WPA;S:Office;P:S6oIWmcYlmR;;", "S6oIWmcYlmR"),
        ("用sk_" + "c49edb44" * 6 + "试试", "sk_" + "c49edb44" * 6),
        ('{"name": "SMTP_PASSWORD", "value": "sunset-harbor-42"}', "sunset-harbor-42"),
        ('{"value": "sunset-harbor-42", "name": "SMTP_PASSWORD"}', "sunset-harbor-42"),
        ("- value: sunset-harbor-42\n  name: SMTP_PASSWORD\n", "sunset-harbor-42"),
        ('+ name = "/a/token"\n+ type = "String"\n+ value = "1641e6a4d576"', "1641e6a4d576"),
        (
            '{"auths": {"r.internal": {"auth": "bWFyaWE6VHVybmlwNzM3IQ=="}}}',
            "bWFyaWE6VHVybmlwNzM3IQ==",
        ),
        ("The api key is q7Xw9Rk2", "q7Xw9Rk2"),
        ("my api key q7Xw9Rk2mv", "q7Xw9Rk2mv"),
        ("a bearer hunter2sunset99x goes with it", "hunter2sunset99x"),
        ("use `Bearer sunset2harbor4x9` there", "sunset2harbor4x9"),
        ("req.set_basic_auth('bob', 'sunset-harbor')", "sunset-harbor"),
        ("authenticate(user, 'hunter2-9')", "hunter2-9"),
        ('PasswordAuthentication("bob", "hunter2-9".toCharArray())', "hunter2-9"),
        ('my $passwd = "Amber Kite 38 Willow";', "Amber Kite 38 Willow"),
        ('SESSION_SECRET="amber kite willow 38"', "amber kite willow 38"),
        ('auth=("bob", "amber kite 38 willow")', "amber kite 38 willow"),
        ('the passphrase of the vault is "amber kite 38 willow"', "amber kite 38 willow"),
        ("the vault's passphrase: amber kite willow 38", "amber kite willow 38"),
        ("the passphrase: amber kite willow", "amber kite willow"),
        ("admin_password = Kd.Aj1qxN7zfR6ht", "Kd.Aj1qxN7zfR6ht"),
        ("voici le code d'accès au serveur : Meadow7013", "Meadow7013"),
        ("[smtp.acme.example]:587 shop:Meadow_7013", "Meadow_7013"),
        ("Enter PEM pass phrase: Meadow-7013", "Meadow-7013"),
        ("seed phrase: amber kite willow comet ember", "amber kite willow comet ember"),
        ("> which password was it\ntry Meadow_7013, the old one is locked", "Meadow_7013"),
        ("Der Schlüssel der Ablage ist übrigens Meadow7013-Kx", "Meadow7013-Kx"),
        ("The password is amber kite willow. Ask me first.", "amber kite willow"),
        ('- name: DB_PASS\n  value: "Amb3r8951"\n- name: PORT\n  value: "80"', "Amb3r8951"),
        ("rejected: field=password value=Amb3r-8951 user=bob", "Amb3r-8951"),
        ("you can log in with ci-bot / amber-kite-10 on the box", "amber-kite-10"),
        (f"GET /v1/geo?q=oslo&key={'8dca0a8f' * 5}&lang=en", "8dca0a8f" * 5),
        ('resp = login("bob@acme.io", "?c7g7.k9.+EcI")', "?c7g7.k9.+EcI"),
        ("wifi HarbourGuest, pass Harbour_kite38", "Harbour_kite38"),
        ("login to grafana with bob:q7xw9rk2mv4t", "q7xw9rk2mv4t"),
        ("  user |   api_key\n-------+----------\n bob | q7Xw9Rk2mv", "q7Xw9Rk2mv"),
        ("Host\tPassword\ndb1\tAmberKite38", "AmberKite38"),
        ("CREATE LOGIN bob WITH PASSWORD = N'amberk-kite38-Willow'", "amberk-kite38-Willow"),
        ("lösenordet är Amber-Kite38-Willow", "Amber-Kite38-Willow"),
        ("salasana on q7Xw9!Rk2mv", "q7Xw9!Rk2mv"),
        ("notes/api%20key%20amberkite381.md", "amberkite381"),
        # names in other languages, chats, schemes of headers, cookies, encoded addresses
        ("HASLO_SMTP = amberkite381", "amberkite381"),
        ("cle_api: q7Xw9Rk2mvT4", "q7Xw9Rk2mvT4"),
        ("MOT_DE_PASSE_SMTP=amber_kite381", "amber_kite381"),
        ("password=aQXW3yR.KTB7", "aQXW3yR.KTB7"),
        ("I changed the API key. The new one is `" + "0a1b" * 16 + "`", "0a1b" * 16),
        ("ann: which password?\nbob.k: q7Xw9!Rk2mv", "q7Xw9!Rk2mv"),
        ("wifi pw? - Amber_kite381", "Amber_kite381"),
        ("Authorization: Acme " + "0a1b" * 8, "0a1b" * 8),
        ("document.cookie = 'SID=" + "0a1b" * 8 + "'", "0a1b" * 8),
        ("smtp%3A%2F%2Fbob%3AAmberkite381%40mail", "Amberkite381"),
        ("UPDATE s SET value='" + "0a1b" * 8 + "' WHERE name='api_key'", "0a1b" * 8),
        ("let token = env.TOKEN || '" + "0a1b" * 8 + "'", "0a1b" * 8),
        # codes of doors and networks, answers within a sentence, tables and wallets, files
        ("The alarm code is Kx4711-82", "Kx4711-82"),
        ("pass for the vpn: Amber-Kite38", "Amber-Kite38"),
        ("> ann: passwort vom nas?\n> bob: immer noch Amber%Kite3", "Amber%Kite3"),
        (
            "<tr><th>User</th><th>Password</th></tr><tr><td>bob</td><td>Amber!38</td></tr>",
            "Amber!38",
        ),
        (
            "seed phrase of my wallet (keep it!): amber kite willow comet ember",
            "amber kite willow comet ember",
        ),
        ("J'ai mis « Amber639! » comme mot de passe du bureau", "Amber639!"),
        ("archive_password_Amber-kite38.zip", "Amber-kite38"),
        ("git switch fix/token-3dXwF-B-NeF0CWgN", "3dXwF-B-NeF0CWgN"),
        ('ENV.fetch("API_KEY") { "q7Xw9Rk2mv" }', "q7Xw9Rk2mv"),
        ("curl -b 'sessionid=" + "0a1b" * 16 + "' https://shop.internal", "0a1b" * 16),
        ("bundle config gems.internal bob:Amberkite38", "Amberkite38"),
        (
            "define('NONCE_KEY', 'q7Xw&9Rk{2mv<T4 bQ(z.8JdK~3Lp]xV5g^N1=s|6hCf}w0YtBn*Z');",
            "q7Xw&9Rk{2mv<T4 bQ(z.8JdK~3Lp]xV5g^N1=s|6hCf}w0YtBn*Z",
        ),
        ("UPDATE users SET user_pass = MD5('Amberkite38') WHERE id = 1", "Amberkite38"),
        ("localhost:5433:*:postgres:amber.kite66\n", "amber.kite66"),
        ("security unlock-keychain -p Amberkite38 login.keychain", "Amberkite38"),
    ],
)
def test_what_somebody_chose_goes_where_its_position_says_what_it_is(
    text: str, chosen: str
) -> None:
    before, _, behind = text.partition(chosen)
    found = redact(text).text
    assert found.startswith(f"{before}[redacted: ") and found.endswith(f"]{behind}")


@pytest.mark.parametrize("between", ["a/", "app/(", "app:", "a/b,", "a#"])
def test_a_name_in_a_web_address_stays(between: str) -> None:
    text = f"see https://example.test/{between}x7Yk2mZk9QvT4Wb8Hn3Lr4"
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "docker login -u bob -p hunter2-9 registry.internal",
            "docker login -u bob -p [redacted: password] registry.internal",
        ),
        ("mysql -u root -p'k7 sunset' shop", "mysql -u root -p'[redacted: password]' shop"),
        ("curl -u bob:hunter2-9 https://x", "curl -u bob:[redacted: password] https://x"),
        ("echo hunter2-9 | sudo -S ls", "echo [redacted: password] | sudo -S ls"),
        ("htpasswd -b users bob hunter2-9", "htpasswd -b users bob [redacted: password]"),
        (
            "openssl rsa -passin pass:hunter2-9 -in k",
            "openssl rsa -passin pass:[redacted: password] -in k",
        ),
        (
            "The root password was changed to hunter2-9 on Monday.",
            "The root password was changed to [redacted: password] on Monday.",
        ),
        ("Das Passwort lautet hunter2-9.", "Das Passwort lautet [redacted: password]."),
        ("Пароль от сервера: hunter2-9", "Пароль от сервера: [redacted: password]"),
        ("root密码改成了hunter2-9。", "root密码改成了[redacted: password]。"),
        ("<password>hunter2-9</password>", "<password>[redacted: password]</password>"),
        (
            "&lt;password&gt;hunter2-9&lt;/password&gt;",
            "&lt;password&gt;[redacted: password]&lt;/password&gt;",
        ),
        (
            "wss://app:hunter2-9@live.internal/chat",
            "wss://app:[redacted: url-password]@live.internal/chat",
        ),
        ("user admin / pass Hunter2-94", "user admin / pass [redacted: password]"),
        (
            "Test account: qa@shop.internal / Hunter2-94",
            "Test account: qa@shop.internal / [redacted: password]",
        ),
        (
            "By the way, the staging login is demo/demo-4711, take it",
            "By the way, the staging login is demo/[redacted: password], take it",
        ),
        ("Die Zugangsdaten sind qa/qa4711", "Die Zugangsdaten sind qa/[redacted: password]"),
        ("The login is fix/login-4711", "The login is fix/login-4711"),
        ("the login is tracked as WEB/ABC-4711", "the login is tracked as WEB/ABC-4711"),
        ('bcrypt.hashpw(b"hunter2-9", salt)', 'bcrypt.hashpw(b"[redacted: password]", salt)'),
        ("the password\nis Hunter2-94", "the password\nis [redacted: password]"),
        ("Tests need it, pass: `hunter2-9`", "Tests need it, pass: `[redacted: password]`"),
        ("Unzip -P matrix628 backup.zip: it is", "Unzip -P [redacted: password] backup.zip: it is"),
        ("Net user bob sunset4287 /add", "Net user bob [redacted: password] /add"),
        ("Rabbitmqctl add_user app coffee7", "Rabbitmqctl add_user app [redacted: password]"),
        ("Echo 'a:dragon4579' | chpasswd", "Echo 'a:[redacted: password]' | chpasswd"),
        ("\"echo 'a:dragon4579' | chpasswd\".", "\"echo 'a:[redacted: password]' | chpasswd\"."),
        (
            "Entry 5: db.internal:5432:shop:app:pOgIz",
            "Entry 5: db.internal:5432:shop:app:[redacted: password]",
        ),
        ('"app:yyq@0ETpGQ1?@tcp(db:3306)/shop"', '"app:[redacted: password]@tcp(db:3306)/shop"'),
    ],
)
def test_only_the_password_goes(text: str, after: str) -> None:
    assert redact(text).text == after


@pytest.mark.parametrize(
    "key",
    [
        "suYDti41KFHhcb",
        f"{'0a1b' * 8}-2c3d4e5f-0a1b2c3d",
        "suBrq8nSAbNJaf",  # ids of one issuer
        "a5cfa20b:82660378",  # only one half has a letter
        "vzolfg7yrqqfjb",
        "2plv599qxvkqlzwt",  # one number only, but odder
        "-b6j00jueew=2dg8rk8gc==36pu_2xo1r-6wcb-i",
    ],
)
def test_short_and_parted_keys_are_found_bare(key: str) -> None:
    assert key not in redact(f"We use {key} for the staging account.").text


@pytest.mark.parametrize(
    "text",
    [
        "supportsHttp2x and submitOrder202 are methods",
        "the suggestionList is supportedTypes",
        "Net user growth slowed in 2024",
        "Net use of energy fell",
        "windows11x64pc is built first",
        "deploy kubernetes2helm and config2memory now",
        "a range of 82660378:20310412 rows",
        "at deadbeefcafe1234 and 20310412T083015Z",
        "token: 'read-only-access', secret: 'postgresql-credentials-prod'",
        '"required": ["username", "password", "client_secret"]',
        '"password-prompt": "1.1.3"',
        "mapboxgl.accessToken = 'pk.eyJ1IjoiHy0u9ooj9USSOuBiFk.2Ch8lQmpXWtpNBsKPVOSKF'",
        "AZURE_CLIENT_ID=9c147b21-464f-4146-a3ed-847125c44b3f",
        "the key from Web3Auth is derived",
        "generate_password_hash(password, method='sha256')",
        'Password string `json:"password" validate:"required,min=12"`',
        "exit code 471108, pin: 1.26.4",
        'W/"12fe-q7Xw9Rk2mvT4bH8nL3cZpD6sYf"',
        "numpy-2.1.0+x9q3vz7kw-cp312-cp312-musllinux_1_2_aarch64.whl",
        "its VIN: WDBX7K9QZ4T2RHM8V",
        r"const TOKEN_RE = /^acme-[a-z0-9]{32}$/",
        r"(password|pwd)\s*=\s*(\S{8,})",
    ],
)
def test_names_like_those_of_keys_are_spared(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("path", "after"),
    [
        (
            f"/home/ann/.claude/projects/-work-ENCRYPTION-KEY-{'562046fe5968cec8' * 4}/a.jsonl",
            "/home/ann/.claude/projects/-work-ENCRYPTION-KEY-[redacted: secret]/a.jsonl",
        ),
        (
            f"/x/projects/-work--rubygems-{'4c2fc26aaf80' * 4}-/a.jsonl",
            "/x/projects/-work--[redacted: rubygems-key]-/a.jsonl",
        ),
        (
            "create mode 100644 BUNDLE_GEMS__CONTRIBSYS__COM=44b41e55:71fc2071.toml",
            "create mode 100644 BUNDLE_GEMS__CONTRIBSYS__COM=[redacted: sidekiq-secret].toml",
        ),
        (
            f"/work/LICENSE-KEY{KEYED}/STACK_ACCESS_KEY=GoncZwdroruLYefqYKb0.py",
            "/work/[redacted: random-token]/STACK_ACCESS_KEY=[redacted: key].py",
        ),
    ],
)
def test_a_name_in_a_path_is_judged_by_itself(path: str, after: str) -> None:
    assert Redactor().text(path) == after


@pytest.mark.parametrize("between", ["\u200b", "<wbr>", "&#8203;", "&shy;", "</b>", "**"])
def test_what_takes_a_key_apart_goes_with_it(between: str) -> None:
    after = redact(f"use {KEY[:9]}{between}{KEY[9:]} for it").text
    assert after == "use [redacted: github-token] for it"


def test_a_word_in_a_table_is_enough_for_a_new_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_lines, "_TABLE", "frobnicate  push  -x --passcode")
    command_lines._programs.cache_clear()
    try:
        after = redact("frobnicate push -x hunter2-9 now").text
    finally:
        monkeypatch.undo()
        command_lines._programs.cache_clear()
    assert after == "frobnicate push -x [redacted: password] now"


def test_private_keys_are_found_whole_escaped_and_cut_off() -> None:
    assert misses(private_keys(drawn()), gone=True)[2] == []


def test_keys_broken_over_lines_are_found() -> None:
    total, wrong, which = misses(broken(drawn()), gone=True)
    assert sum(wrong.values()) <= 0.01 * sum(total.values()), which


@pytest.mark.parametrize(
    ("texts", "most"),
    [
        (foreign_secrets.named, 0.01),
        (foreign_secrets.joined, 0.01),
        (foreign_secrets.split, 0.05),
        (foreign_secrets.bare, 0.05),
    ],
)
def test_forms_of_another_hand_are_found(
    texts: Callable[[int, int], Iterable[Told]], most: float
) -> None:
    told = list(texts(2, 1))
    left = [one for one in told if foreign_secrets.stays(one, Redactor().text(one.text))]
    assert len(left) <= most * len(told), left


def test_harmless_texts_of_another_hand_stay() -> None:
    told = list(foreign_secrets.harmless(2, 1))
    cut = [one for one in told if Redactor().text(one.text) != one.text]
    assert len(cut) <= 0.03 * len(told), cut


def test_hashes_paths_and_identifiers_are_spared() -> None:
    assert misses(innocent(drawn()), gone=False)[2] == []


@pytest.mark.parametrize("line", PLACEHOLDERS)
def test_placeholders_and_references_are_spared(line: str) -> None:
    assert redact(line).text == line


def test_ordinary_memories_come_back_as_they_were() -> None:
    for text in (*ORDINARY, *SENTENCES):
        assert redact(text) == (text, ()), text


def test_the_mark_names_the_sort_and_the_rest_stays() -> None:
    after = redact(f"Use {KEY} for the bot, and rotate it in May.")
    assert after.text == "Use [redacted: github-token] for the bot, and rotate it in May."
    assert after.found == ("github-token",)


def test_only_the_value_of_an_assignment_goes() -> None:
    after = redact('{"user": "bob", "password": "hunter2-9", "port": 5432}')
    assert after.text == '{"user": "bob", "password": "[redacted: password]", "port": 5432}'
    assert redact("postgres://app:s3cretpw@db:5432/app").text == (
        "postgres://app:[redacted: database-password]@db:5432/app"
    )


def test_several_secrets_in_one_text() -> None:
    after = redact(f"{KEY} and PASSWORD=Kx82mmQ and {KEY}")
    assert after.found == ("github-token", "password", "github-token")
    assert KEY not in after.text and "Kx82mmQ" not in after.text


def test_what_a_name_says_about_the_value_decides() -> None:
    digest = "9f86d081884c7d659a2feaa0c55ad015"
    assert redact(f"commit {digest}").text == f"commit {digest}"
    assert redact(f"api_key = {digest}").found == ("key",)


def test_own_patterns_and_their_groups() -> None:
    after = redact("badge EMP-4411, desk 12", [r"EMP-\d+"])
    assert after == ("badge [redacted: own-rule], desk 12", ("own-rule",))
    assert redact("badge EMP-4411", [r"EMP-(\d+)"]).text == "badge EMP-[redacted: own-rule]"


def test_a_mistaken_pattern_is_told_about() -> None:
    with pytest.raises(ConfigError, match=r"redact\.extra"):
        redact("x", ["("])


def test_redacting_the_corpus_again_changes_nothing() -> None:
    cases = (*hidden(drawn()), *broken(drawn()), *private_keys(drawn()))
    for text in (*(case.text for case in cases), *(secret.text for secret in secrets(each=1))):
        once = redact(text).text
        assert redact(once) == (once, ()), text


_PIECES = st.sampled_from(
    [
        *(make(drawn()) for make in KEYS.values()),
        *("password", "token", "api_key", "secret", "Bearer", "Authorization", "://", "key"),
        *("=", ": ", "'", '"', "`", "\n", "\\n", " ", "@", ":", "/", "-", ".", "[redacted: x]"),
        *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "[redacted: ", "]", "é", "İ"),
        *("hunter2", "xxxx", "$TOKEN", "<token>", "value", ",", "(", ")", "--", "abc"),
    ]
)


@settings(max_examples=120, deadline=None)
@given(st.lists(_PIECES, max_size=14).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text).text
    assert redact(once) == (once, ())


@settings(deadline=None)
@given(st.text(max_size=200))
def test_never_raises_and_leaves_ordinary_characters(text: str) -> None:
    after = redact(text)
    assert bool(after.found) == (after.text != text)


@pytest.mark.parametrize(
    "text",
    [
        "The password is stored encrypted everywhere.",
        "The password is never sent",
        "password: drop weak hashes",
        "le mot de passe est trop court",
        "Usage: vault login [-method=userpass] [AUTH K=V...]",
        "GET /photos?key=uploads/2026/11/27/harbour-at-night.jpg",
    ],
)
def test_what_is_said_of_passwords_stays(text: str) -> None:
    assert redact(text).text == text


def test_an_ordinary_sentence_stays() -> None:
    sentence = (
        "The deployment runs on Tuesdays, and the review screen shows what differs between both "
        "rows so that people can decide by themselves what they want to keep, and what may go. "
        "Whoever approves a proposal sees first which numbers, names and paths the survivor has."
    )
    assert redact(sentence).text == sentence


@pytest.mark.parametrize(
    ("before", "key"),
    [
        ("square ", "sq0csp-" + "aB3dE6gH9j" * 4 + "kL2"),
        ("cloudant_api_key => ", "dacabmhjegzvlutwnonetxzx"),
        ("CLOUDANT_PASSWORD=", "3f2a9c1b7d" * 6 + "04e5"),
        ("ibm_cos_hmac_secret_access_key: ", "3f2a9c1b7d" * 4 + "04e5a6b7"),
        ("https://api.softlayer.com/soap/v3/", "k3f2a9c1b7" * 6 + "04e5"),
        ("aws_key  ", "o1Zb49N3ki3mgM/5p9I4SEAITLPJ7M/kesufoYSR"),
        ("see ", "AKCrRNghupGps1711UB3DLA"),
        ("artifactory password: ", "AP1fZXFOEirrL4FRaftxTLE"),
    ],
)
def test_issuers_known_by_the_words_before(before: str, key: str) -> None:
    assert key not in redact(f"{before}{key} here").text


@pytest.mark.parametrize(
    "text",
    [
        "an-ordinary-word here",
        "the cloudant key getDefaultCredentialsOf stays",
        "aws key handling: src/components/authentication/sessions/x",
        "artifactory APPLICATIONCONTEXTFACTORY here",
        "git secret key 3f2a9c1b7d0",
    ],
)
def test_words_beside_issuers_are_spared(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.skipif("CORTEX_DATA" not in os.environ, reason="needs the development data")
def test_few_false_alarms_on_real_conversations() -> None:
    prose = 0
    hits: list[str] = []
    for path in sorted(Path(os.environ["CORTEX_DATA"], "transcripts").rglob("*.jsonl")):
        for text in _assistant_texts(path):
            prose += len(text)
            hits += redact(text).found
    assert prose > 300_000
    assert len(hits) <= 6  # which are passwords that one session is about


def _assistant_texts(path: Path) -> list[str]:
    import json

    texts = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            message = json.loads(line).get("message") or {}
        except (ValueError, AttributeError):
            continue
        if isinstance(message, dict) and message.get("role") == "assistant":
            blocks = message.get("content")
            for block in blocks if isinstance(blocks, list) else []:
                if isinstance(block, dict) and block.get("type") == "text":
                    texts.append(str(block.get("text", "")))
    return texts


@given(st.data())
@settings(max_examples=2, phases=[Phase.generate], derandomize=True, deadline=None)
def test_every_format_finds_a_key_and_spares_what_only_stands_for_one(data: st.DataObject) -> None:
    r = drawn()
    for format in (*FORMATS, *WHOLE_KEYS):
        head = data.draw(st.from_regex(re.compile(format.head, re.ASCII), fullmatch=True))
        allowed = [char for char in printable if re.fullmatch(f"[{format.body}]", char)]
        letters = [char for char in allowed if char.isalnum()]
        body = "".join(r.choices(letters, k=format.least))
        if format.needs:
            body = f"{body[:3]}{format.needs}{body[3 + len(format.needs) :]}"
        if format.anchors and not any(anchor in head + body for anchor in format.anchors):
            continue  # such as `xOx`, which no issuer writes
        assert head + body not in redact(f"We use {head}{body} here.").text, format
        if format.anchors and {"x", "X"} & set(allowed):
            stand_in = head + ("x" if "x" in allowed else "X") * format.least
            assert format.name not in redact(f"We use {stand_in} here.").found, format


@pytest.mark.parametrize(
    "line",
    [
        "enable secret {}",
        "rootpw {}",
        "set vpn ipsec secret '{}'",
        "PASS {}",
        "read -s PW <<< '{}'",
        "consul kv put app/db_password {}\nnext",
        'dotnet user-secrets set "Db:Password" "{}"',
        "echo '{}' > ~/.vault_pass",
        "printf {} | pass insert -e shop",
        "vncpasswd -f <<< {}",
    ],
)
def test_a_password_after_a_name_and_a_blank(line: str) -> None:
    assert "Meadow7013" not in redact(line.format("Meadow7013")).text


@pytest.mark.parametrize(
    "line",
    [
        "pass session2024x to the helper",
        "They all pass Node20LTS",
        "token bucket1024 was tuned",
        "design tokens spacing100 and spacing200",
        "secret santa2024 party",
        "kubectl get secret db-tls2024",
        "the db_password field",
        "echo 'export A=1' > secrets.sh",
        'echo "done" > token.log',
    ],
)
def test_what_follows_a_name_and_a_blank_in_prose(line: str) -> None:
    assert redact(line).text == line


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ann's password got reset, it's {} for now", "Meadow7013"),
        ("use {} as the password", "meadow.copper42"),
        ("nimm {} als Passwort", "meadow_copper42"),
        ("with {} as api key it works", "Meadow7013!"),
        ("old password {} no longer works", "AwsFcBFXnHTQkEFx"),
        ("API Token\n\n{}\n", "Meadow7013"),
        ("la parola d'ordine è {}", "Meadow7013"),
        ("mot_de_passe={}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("git checkout -b fix/password-{}", "Meadow7013Hill"),
        ("Set-Cookie: session={}; Path=/", "YiSKpoCykrDNBkjSdNDTi"),
        ("sshpass -p '{}' ssh bob@localhost", "-i_z5WalS9cYN7j"),
        ("401: token '{}' is expired", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("my OpenAI key: {}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("webhook_secret|{}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("license_key%3D{}", "j7ytomm97yMgjGNneCSAswv2"),
        ("APIキーは {} です", "fda655fcae9682e4d6ca495c"),
        (
            '{{"key": "secret", "type": "string", "value": "{}"}}',
            "fb9ea5512b36f24b8d668e085804e833",
        ),
        ("DECLARE @service_role_key varchar(64) = '{}'", "e52536a02c0ef06374af93d5"),
        ("createConnection('localhost', 'root', '{}')", "a33ce294bf997450d8c6a98077267274"),
        ('req.SetBasicAuth("bob", "{}")', "a8303a15fd8d4f44125ab787c9b82ecd"),
        ("az keyvault secret set --name signing-secret --value {}", "Copper2607$"),
        ("name;password\nbob;{}", "Meadow7013"),
        ("the public password is {}", "hunter2-9"),
        ("session id: {}", "x7Yk2mZk9QvT4Wb8Hn3Lr4Tq9Z"),
        ("jdbc:oracle:thin:bob/{}@db.internal:1521:shop", "Meadow7013"),
        ("Anmeldung mit bob und {}", "Meadow7013!"),
        ("You get in with bob / {}", "Meadow7013!"),
        ("staging login → bob : {}", "Meadow7013!"),
        # words that only their place tells from a name of code
        ("<password>{}</password>", "meadowcopper"),
        ("<td>Password</td><td>{}</td>", "meadow_copper_walnut"),
        ('<property name="dbPassword"><value>{}</value></property>', "meadowcopper"),
        ('<add key="ClearTextPassword" value="{}" />', "meadowcopper"),
        ("OPTIONS (user 'bob', password '{}')", "meadow.copper.walnut"),
        ("[mail.internal]:587 bob@mail.internal:{}", "meadowcopper"),
        ("| Host | Kennwort |\n|---|---|\n| db | {} |", "meadowcopper"),
        ("│ user │ password │\n├──────┼──────────┤\n│ bob  │ {} │", "meadow.copper.walnut"),
        ("user      password\n--------  ---------\nbob       {}", "Meadow7013"),
        ("Username   Password   Host\nbob   {}   db.internal", "meadowcopper"),
        ("Login: bob | Password: {}", "meadowcopper"),
        ("password: str = '{}'", "meadowcopper"),
        ("[password] => {}", "meadowcopper"),
        ('args: ["--requirepass", "{}"]', "meadow-copper-walnut"),
        # phrases in quotes
        ("CREATE USER bob IDENTIFIED BY '{}'", "meadow copper walnut"),
        ("storePassword '{}'", "meadow copper walnut"),
        ('Given I unlock it with passphrase "{}"', "meadow copper walnut"),
        ('When I type "{}" as the passphrase', "meadow copper walnut"),
        # hashes that nothing but a name shows to be keys
        ("my token:\n```\n{}\n```", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("## API key\n\n`{}`", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("Join code\n{}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("password:\n> {}", "Meadow7013"),
        ("密码：{}", "ycUE50n=Xt^J"),
        ("Authorization: AWS AKX:{}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("discord.login('{}')", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("az sql server create -u bob -p '{}'", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("Backup code — {}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("x-functions-key: {}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("https://shop.internal/api/f?code={}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ('storePassword = System.getenv("X") ?: "{}"', "d8782ba12ff1be6193a8b87d11fe514c"),
        ("composer config http-basic.a.internal bob {}", "d8782ba12ff1be6193a8b87d11fe514c"),
        ("curl -H Authorization:\\ Bearer\\ {}", "d8782ba12ff1be6193a8b87d11fe514c"),
        # bare
        ("it printed {} and then exited", "k3jd8l.q0zx9pk3jd8lq0ab"),
        ("it printed {} and then exited", "kX9#mP2$vL"),
    ],
)
def test_a_name_in_the_clause_of_a_value_is_enough(text: str, value: str) -> None:
    assert value not in redact(text.format(value)).text


@pytest.mark.parametrize(
    "line",
    [
        "def login(self, user, password, *, initial_response_ok=True):",
        "go test -run 'TestExpiredToken' -count=1",
        'self.check_tokenize("x=12 != -1")',
        'print --shell pwsh --data /tmp/data.json > "$d/out1.txt"',
        "--- PASS: TestLogin2024 (0.01s)",
        "keyring.get_password('shop', 'bob')",
        "public key: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kudh3srqs9tv6fz",
        "cache-key: linux-pip-bc764f79ddbe2d8fd5248a2cfcaa413314e163ee1d40e4022d4243c73bd9430c",
        "secretRef: db-creds-v2",
        "secret/db-creds2 configured",
        "ftp mirror / rsync2",
        "v=DKIM1; public_key: MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC1rwo8gU3XZVnSR5NNzq2AvTt7",
        "x-amz-id-2: ivzKote6JrYc9PxuPFhRkEF3NzgZG83BHARWyqfWsgj1qZ1ZyO76dYl8H6cOcxK",
        "SHA256:XDRna71GmBcYC/W/pBxtOcJ6v1umneUN150uxRgDOc4",
        "docker run --user 1000:1000 node20:slim2024@sha256",
        ".planning/login-footer/011-PLAN.md:12: add a footer",
        "/var/admin/Meadow7013 and admin/Users2024.tsx",
        "password bug fixed in 9b1c3e5",
        'hash(password, encoding="utf-8")',
        'f"password={password!r}"',
        "Version=4.0.0.0, PublicKeyToken=602772830b6b7bfa",
        "share link /s/kZ7-6zh7lWGNdsa6PlSSL",
        "GET /v1/runs/3dRzuKXai7J3ebXp0kMtcjkAoox",
        "doc _id vaSYlHemZBpXOYUwyS-B",
        "did:web:z6MkLbZPGa9I2FeoOT6zc643TRt5QHYVoIjR4fiA60OO1vtg",
        "google-site-verification=J6Dei44ApLR6kXCHy-xfRbl6P2qC1MG1eQCXJA2u8xF",
        "tracking 1ZD4QCJM5ADAKJS3GY",
        "InChIKey=BSYNRYMUTXBXSQ-UHFFFAOYSA-N",
        'LOCAL_STORAGE_KEY = "acme:cart:v3"',
        "oauth:token-type:saml2",
        "password-reset-v2",
        "need_escapes=false, as will token for",
        "Password login works since PR#1234",
        "bcrypt@5.1 hashes the password",
        "db: shop2 / replica-1",
        "postgres:16.2-alpine",
        "wifi: Guest / channel-36",
        'AuthError("api key", "unauthorized")',
        'The secret key: "deployment" is wrong',
        "all tests pass for node@20.11",
        "pass show web/prod2",
        "login(token,\n    max_retries=0,\n    timeout=60,\n    license='apache-2.0',\n)",
        "PASSWORD_HASHERS = ['django.contrib.auth.hashers.Argon2PasswordHasher']",
    ],
)
def test_a_name_in_a_clause_without_a_secret(line: str) -> None:
    assert redact(line).text == line


@pytest.mark.parametrize(
    "text",
    [
        "it's public, my token is walnut35391",
        "public repo token is walnut35391",
        "https://a.example/x?auth=correct;walnut35391;staple",
    ],
)
def test_what_is_public_nearby_makes_no_secret_public(text: str) -> None:
    assert "walnut35391" not in Redactor().text(text)


@pytest.mark.parametrize(
    "text",
    [
        '<input type="password" name="password" autocomplete="new-password">',
        '<input name="password" id="pw-41">',
        "only secp256k1 keys can sign: log in with secp256k1",
        "pkg/core/token.py,sha256=qa5vbe9OQUCsZ_PwccE6hSNy7wOdnkFZ6K1lrhX0kLk,3598",
        "message SM1310b265cf9c83c66b8f9843fdc5bbe5 from AC538ac7b7c99cba10bf78cfb0d364705e",
        "Access denied for user 'bob'@'10.4.2.17' (using password: YES)",
        'resources: ["secrets", "configmaps"]',
        '"login.password": "Passwort"',
        '"a.password.label": "Passwort", "a.password.repeat": "Passwort wiederholen"',
        "Het wachtwoord is gewijzigd door de beheerder.",
        "password.pattern=[A-Za-z0-9!#$%&*+-]{14,}",
        "ansible-playbook site.yml --ask-vault-pass --vault-id prod@prompt",
        "arn:aws:secretsmanager:eu-west-1:316811669699:secret:prod/db-WE3W03",
        "ADMIN_PASSWORD=\nJWT_SECRET=\nAPP_URL=https://shop.example",
        "excluded even then: pass `--all-refs` for them",
        "dsn: https://8e6e7eed788f514067726e851f3b3c9a@o738616.ingest.sentry.io/8833573",
        "Primary key fingerprint: D310 7C7C 28B7 96B9 934E 3B1F D225 55C3 FBC9 E6A5",
        "kex: host key algorithm: rsa-sha2-512 cipher: chacha20-poly1305@openssh.com",
        "range 01J3PCSMNTF10GYHFDB7R8QYE2..01J4007KKDRGQRRF50X1X48EQK",
        # words of other languages, as translations have them
        '"apiKey": "API-Schlüssel"',
        "apiKey: 'API-ключ',",
        '"password": "忘记密码？"',
        "password: パスワードを忘れた",
        '<string name="password">비밀번호</string>',
        '"passphrase": "Фраза-пароль"',
        "clientSecret: Клиентский секрет",
        "password_encryption = scram-sha-256",
        "ledger/2vy0QXkjaO2Z40HosgPE8SlQZhC.parquet",
        "add a --token option, but never print the value",
        "e => e.password && /[0-9]/.test(e.password),n=14;",
        "Recovery phrase: write it down, never share it",
        "ledger-bfht9f8mz-7sl9r   1/1     Running   0    11d",
        "C:Q18mrbckRZIkVvq+Jlr7NyEoN52MI=",
        "curl --pinnedpubkey sha256//T7HLORec3IXQ8WfxMuvyN0rOUsQYKbuFQUPoTXJHD2I=",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEiaH+u+dBMrpnJCsqF7Cy4i0PC6PdLHoKL2sIiwMNzX ann@a",
        'throw "Wrong password for 3 users"',
        'label = "Password must have 12 characters"',
        # lists of names, what is renamed, what passes, what a call or a header is made of
        "columns: `login`, `password`, `lastSeenAt`, `created`",
        "Rename `token` to `sessionTicket` in the schema.",
        "Both jobs pass: `docs`, `wheels`",
        "Pass = `plugin` registers itself",
        "the login, password fields, and a button",
        '<label for="password" class="form-row">Password</label>',
        'ReadStoredToken("svc:unit", "user1")',
        "{ name: 'refresh_token', value: refreshToken, domain }",
        "Authorization: Basic base64(client:secret1)",
        "RELEASER_FORCE_TOKEN=gitlab",
        "a nonsense query such as qqqqwwww1111eeee",
        "TestRefreshesToken(0x7d46a109a248)",
        '{"author":{"login":"kim1"},"at":"2026-02-21T17:39:52Z"},{"id":"R_9","body":"`@x9`"}',
        "the injection through the directory (pwd) is GHSA-4f9w-6pq2-r7mx",
        "compatible_brands: isomiso2avc1mp41",
        "--field=SAAAAAAAAAAgAQAEAAAAAAAAAAAAAGAAAwAAAAAAAAAAAAAAAAAAAAIAAAAAAAAAAAAAAA",
        # what is public, and what only who has a key elsewhere can open
        f"posthog.init('phc_{KEYED[2:45]}')",
        f"certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{KEYED[2:]}",
        f'{{"kid":"1","x5t":"{KEYED[2:29]}"}}',
        f"client_id=471108223344-{'k3jd8lq0' * 4}.apps.googleusercontent.com",
        f"password: ENC[AES256_GCM,data:{KEYED[2:46]},iv:{KEYED[2:46]},type:str]",
        f"password: ENC({KEYED[2:46]})",
        f'password: "{{cipher}}{"0a1b2c3d" * 8}"',
        f"encryptedData:\n  password: Ag{KEYED[2:] * 6}",
        "db_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  " + "8496322178" * 8,
        f'secure: "{KEYED[2:46]}="',
        f"org-{KEYED[2:26]}",
        f"the host key is SHA256:{KEYED[2:45]}",
        f"code_challenge={KEYED[2:45]}&state={KEYED[2:34]}&gclid={KEYED[2:50]}",
        f"did:key:z6Mk{'7x9QvT2mZk' * 4}abcd",
        "The keyPassword 'must be set' and no password \"can be reused twice\".",
        "stale credential helper entries on 401: shopproto.maybeResetAuthOn401 asserts it",
        f"password: enc:v1:{KEYED[2:46]}",
        f"NEXT_PUBLIC_POSTHOG_KEY=phc_{KEYED[2:45]}",
        "bypass=true, compass: northwest2",
        "Sec-WebSocket-Key: j7YY3jKMaUdMLB5L7W0BOg==",
        f"siteKey: '6L{KEYED[2:40]}'",
        '[{"value": "3600", "name": "TOKEN_TTL"}, {"value": "production", "name": "STAGE"}]',
    ],
)
def test_what_stands_near_a_name_and_is_no_secret(text: str) -> None:
    assert redact(text).text == text


def test_a_secret_goes_wherever_else_it_stands() -> None:
    text = "u.update!(password: 'Amber#Kite38', password_confirmation: 'Amber#Kite38')"
    assert redact(f"{text}\nNow Amber#Kite38 works.").text.count("[redacted: password]") == 3
    # What is cut only because of its name may be anything elsewhere.
    assert redact("password=production\nthe production server").text.endswith("production server")
