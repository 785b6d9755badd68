"""What leaves a machine is unreadable without the passphrase, and readable on all machines."""

from __future__ import annotations

from base64 import b85decode
from pathlib import Path

import pytest

from cortex_core.base.errors import SyncError, UsageError
from cortex_core.sync.carriers.folder import FolderCarrier
from cortex_core.sync.encryption import (
    KEY_FILE,
    NoCipher,
    change_passphrase,
    checked_passphrase,
    saved,
    unlock,
)

PASSPHRASE = "correct horse battery"

WRAPPED = b85decode(
    "VP|D6Wo~0~d2n=TZ*DGca%V4gF$yg{Aai4Kd2n<fRWU~~GI3&abV)Wcc1B@PcWq*3IZ+@nFbXp?MKD=uXKyfUOJX=hMOIowaB"
    "5Y0X*X9hG*WJ7a7aR0ZdOZfbwg=NSqd#JEg(ZyFjqEuaZE8dW=CUfdSpU)Qg|>>b!mBVb9pjzQAc<+az%Pbc4BWYI0{k^6M4OmFH"
    "4sd_M99b{4~AKOw7DiI=%LbJdd7p4i$=h(iVbG!<j+Y_jKDxH|BQJTwSXEmAS+vbjI&u{r>-)W}yi|;_;f~7YwmRX58myhpa7l7D"
    "ofSU3V|UN)D@PU4=ws=;S1;"
)
"""A key that `PASSPHRASE` opens, made with the least work that the format allows."""


@pytest.fixture
def carrier(tmp_path: Path) -> FolderCarrier:
    made = FolderCarrier(tmp_path / "shared")
    made.prepare()
    return made


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "laptop"


def test_machines_with_the_passphrase_read_each_other(
    carrier: FolderCarrier, keys: Path, tmp_path: Path
) -> None:
    carrier.claim(KEY_FILE, WRAPPED)
    assert saved(keys) is None
    one = unlock(carrier, keys, f"{PASSPHRASE}\n")
    two = unlock(carrier, tmp_path / "other", PASSPHRASE)
    kept = saved(keys)
    assert kept is not None
    sealed = one.seal(b"memory" * 9)
    assert b"memory" not in sealed != one.seal(b"memory" * 9)
    assert two.open(sealed) == kept.open(sealed) == b"memory" * 9
    assert keys.stat().st_mode & 0o777 == 0o600


def test_a_wrong_passphrase_changes_nothing(carrier: FolderCarrier, keys: Path) -> None:
    carrier.claim(KEY_FILE, WRAPPED)
    with pytest.raises(SyncError, match="passphrase is not the one"):
        unlock(carrier, keys, "correct horse batterie")
    assert not keys.exists()
    assert dict(carrier.read([KEY_FILE])) == {KEY_FILE: WRAPPED}


@pytest.mark.parametrize("damaged", [WRAPPED[:60], b"junk", b"x" * 9_999])
def test_a_damaged_key_is_said_in_words(carrier: FolderCarrier, keys: Path, damaged: bytes) -> None:
    carrier.claim(KEY_FILE, damaged)
    with pytest.raises(SyncError, match="cannot be opened: damaged"):
        unlock(carrier, keys, PASSPHRASE)
    assert not keys.exists()


def test_damaged_files_and_those_of_another_key_are_said_in_words(
    carrier: FolderCarrier, keys: Path
) -> None:
    import pyrage

    carrier.claim(KEY_FILE, WRAPPED)
    cipher = unlock(carrier, keys, PASSPHRASE)
    sealed = cipher.seal(b"memory")
    foreign = pyrage.encrypt(b"memory", [pyrage.x25519.Identity.generate().to_public()])
    flipped = sealed[:-1] + bytes([sealed[-1] ^ 1])
    for data in (sealed[:-1], flipped, foreign, b"", b"plain"):
        with pytest.raises(SyncError, match="cannot be decrypted"):
            cipher.open(data)
    keys.write_text("AGE-SECRET-KEY-1NONE")
    with pytest.raises(SyncError, match="key of the encryption is damaged"):
        saved(keys)


def test_without_a_key_no_other_passphrase_is_set(carrier: FolderCarrier, keys: Path) -> None:
    carrier.claim(KEY_FILE, WRAPPED)
    with pytest.raises(SyncError, match="has no key"):
        change_passphrase(carrier, keys, "another passphrase")
    assert dict(carrier.read([KEY_FILE])) == {KEY_FILE: WRAPPED}


def test_passphrases(carrier: FolderCarrier, keys: Path) -> None:
    assert checked_passphrase("pa\u0308sswort\r\n") == checked_passphrase("pässwort")
    for short in ("", "short", "a      \n"):
        with pytest.raises(UsageError, match="8 letters"):
            unlock(carrier, keys, short)
    assert carrier.names() == []


def test_without_encryption_files_stay_as_they_are() -> None:
    assert NoCipher().open(NoCipher().seal(b"memory")) == b"memory"
