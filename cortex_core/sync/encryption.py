"""Encryption of what leaves this machine: age, with a key that a passphrase opens once a machine.

`key.age` at the other end is the key of all machines, encrypted with the passphrase; the standard
tool `age` opens it too. Its public half is nowhere, so whoever keeps the files cannot add any.
"""

import unicodedata
from pathlib import Path

from cortex_core.base import hook_io
from cortex_core.base.errors import SyncError, UsageError
from cortex_core.sync.carriers.protocol import Carrier

try:
    import pyrage
except ImportError:
    # Windows on ARM has no wheel: there only files that are not encrypted can be exchanged.
    pyrage = None

KEY_FILE = "key.age"

SHORTEST = 8
"""Letters of the shortest passphrase."""

_MOST_BYTES = 4096
"""Bytes of the largest file that can be a key."""


SEALED = b"age-encryption.org/"
"""How each file begins that age encrypted."""


class NoCipher:
    """Leaves files as they are, where only their user can read them anyway."""

    def seal(self, data: bytes) -> bytes:
        """`data` itself."""
        return data

    def open(self, data: bytes) -> bytes:
        """`data` itself."""
        return data


class AgeCipher:
    """Encrypts files with the key of a remote."""

    def __init__(self, secret: str) -> None:
        """Use the key `secret`, an identity of age (`AGE-SECRET-KEY-1…`).

        Raises:
            SyncError: it is none, or pyrage is missing.
        """
        _check_age()
        try:
            self._identity = pyrage.x25519.Identity.from_str(secret.strip())
        except pyrage.IdentityError as error:
            raise SyncError(
                "The key of the encryption is damaged. Nothing was changed. Remove the remote, "
                "add it again and give the passphrase."
            ) from error

    @property
    def secret(self) -> str:
        """The key, for the file that only this user reads."""
        return str(self._identity)

    def seal(self, data: bytes) -> bytes:
        """`data`, encrypted; each time different."""
        return bytes(pyrage.encrypt(data, [self._identity.to_public()]))

    def open(self, data: bytes) -> bytes:
        """What was sealed.

        Raises:
            SyncError: it was sealed with another key, or is damaged.
        """
        try:
            return bytes(pyrage.decrypt(data, [self._identity]))
        except pyrage.DecryptError as error:
            raise SyncError(
                f"A file cannot be decrypted: it was encrypted with another key, or is damaged "
                f"({error}). Nothing was changed. If the other machine was added without this "
                "one's key, remove the remote there and add it again."
            ) from error


Cipher = AgeCipher | NoCipher


def saved(keys: Path) -> AgeCipher | None:
    """The cipher whose key this machine keeps in the file `keys`; None where it has none yet.

    Raises:
        SyncError: the file is damaged or cannot be read.
    """
    try:
        return AgeCipher(keys.read_text("ascii"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SyncError(
            f"The key in {keys} cannot be read: {error}. Nothing was changed. Remove the file, "
            "and give the passphrase again."
        ) from error


def unlock(carrier: Carrier, keys: Path, passphrase: str) -> AgeCipher:
    """The cipher of a remote, whose key is kept in the file `keys` from now on.

    The first machine makes the key; every other one opens it with the same passphrase. It takes
    about a second and, for a moment, up to a gigabyte of memory: so guessing is slow as well.

    Raises:
        UsageError: the passphrase is too short.
        SyncError: pyrage is missing, the passphrase is wrong, the key is damaged, or the carrier
            fails.
    """
    words = checked_passphrase(passphrase)
    wrapped = _wrapped(carrier)
    if not wrapped:
        made = saved(keys) or AgeCipher(str(pyrage.x25519.Identity.generate()))
        if carrier.claim(KEY_FILE, _wrap(made, words)):
            return _keep(made, keys)
        wrapped = _wrapped(carrier)  # another machine was quicker
    return _keep(_opened(wrapped, words), keys)


def change_passphrase(carrier: Carrier, keys: Path, passphrase: str) -> None:
    """Let another passphrase open the key from now on; the machines that have it need nothing.

    The key itself stays: who opened it before, or has an old copy of its file and the old
    passphrase, can still read.

    Raises:
        UsageError: the passphrase is too short.
        SyncError: this machine has no key, or the carrier fails; nothing is changed.
    """
    words = checked_passphrase(passphrase)
    cipher = saved(keys)
    if cipher is None:
        raise SyncError(
            "This machine has no key of the remote yet. Nothing was changed. Open it with the "
            "passphrase of today first."
        )
    carrier.fetch()
    carrier.publish({KEY_FILE: _wrap(cipher, words)})


def checked_passphrase(text: str) -> str:
    """The passphrase in `text`, the same whichever keyboard or file it comes from.

    Raises:
        UsageError: it is shorter than `SHORTEST`.
        SyncError: pyrage is missing.
    """
    _check_age()
    words = unicodedata.normalize("NFC", text.rstrip("\r\n"))
    if len(words.strip()) < SHORTEST:
        raise UsageError(
            f"The passphrase is too short: it needs {SHORTEST} letters or more. Nothing was "
            "changed. Four or five words that do not belong together are good."
        )
    return words


def _check_age() -> None:
    if pyrage is None:
        raise SyncError(
            "Encryption needs the package pyrage, which is not installed (Windows on ARM has no "
            "build of it). Nothing was changed. Install it, or set the remote up with "
            "--no-encrypt."
        )


def _wrapped(carrier: Carrier) -> bytes:
    """The encrypted key that is at the other end; empty where there is none."""
    carrier.fetch()
    return dict(carrier.read([KEY_FILE])).get(KEY_FILE, b"")


def _wrap(cipher: AgeCipher, passphrase: str) -> bytes:
    return bytes(pyrage.passphrase.encrypt(cipher.secret.encode(), passphrase))


def _opened(wrapped: bytes, passphrase: str) -> AgeCipher:
    """The key that `passphrase` opens.

    Raises:
        SyncError: it does not, or what it opens is no key.
    """
    try:
        if len(wrapped) > _MOST_BYTES:
            raise ValueError("it is too long for a key")
        return AgeCipher(pyrage.passphrase.decrypt(wrapped, passphrase).decode("ascii"))
    except (pyrage.DecryptError, ValueError) as error:
        is_wrong = str(error) == "Decryption failed"
        why = "the passphrase is not the one it was made with" if is_wrong else f"damaged: {error}"
        raise SyncError(
            f"The key {KEY_FILE} cannot be opened: {why}. Nothing was changed. Give the "
            "passphrase with which the first machine was added, or the one it was changed to."
        ) from error


def _keep(cipher: AgeCipher, keys: Path) -> AgeCipher:
    """Keep the key where only this user reads it."""
    try:
        hook_io.private_folder(str(keys.parent))
        hook_io.replace(str(keys), f"{cipher.secret}\n")
    except OSError as error:
        raise SyncError(
            f"The key cannot be kept in {keys}: {error.strerror}. Nothing else was changed. Make "
            "the folder writable."
        ) from error
    return cipher
