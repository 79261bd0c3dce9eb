"""One key slot: the master secret sealed under a key, and the signs that tell a wrong key from a changed slot.

A plain checksum shows damage before any key is derived. After that, verifier and seal both fail for a wrong key;
only one of them fails for a slot that somebody changed and gave a fitting checksum.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from typing import Any, Final, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import BaseModel, ConfigDict, ValidationError

from fernvault.errors import SlotTamperedError, WrongPassphraseError
from fernvault.vault.kdf import SALT_BYTES, Kdf

# Of the file and of what each slot authenticates.
VERSION: Final = 1
SECRET_BYTES: Final = 32
_TAG_BYTES: Final = 16
_VERIFIER_BYTES: Final = 16
# A file asks for no more than this before it is believed: a changed cost must not stop the computer.
_MOST_KIB, _MOST_PASSES, _MOST_LANES = 4 * 1024 * 1024, 100, 64
# Every wrapping key seals exactly once, because every slot has a salt of its own; so the nonce may be fixed.
_NONCE: Final = bytes(12)

SlotKind = Literal["passphrase", "recovery"]


class _Cost(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    memory_kib: int
    passes: int
    lanes: int


class Slot(BaseModel):
    """One slot as vault.keys holds it: bytes in base64, the checksum in hexadecimal. Nothing in it is secret."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    type: SlotKind
    kdf: _Cost | None
    salt: str
    verifier: str
    wrapped: str
    checksum: str

    @property
    def cost(self) -> Kdf:
        """What the passphrase's key costs. Raises SlotTamperedError when there is none, or an absurd one."""
        if self.kdf is None:
            raise tampered(f"the {self.type} slot has no Argon2id cost")
        if self.kdf.memory_kib > _MOST_KIB or self.kdf.passes > _MOST_PASSES or self.kdf.lanes > _MOST_LANES:
            raise tampered(f"the {self.type} slot asks for an absurd Argon2id cost")
        try:
            return Kdf(self.kdf.memory_kib, self.kdf.passes, self.kdf.lanes)
        except ValueError as error:
            raise tampered(str(error)) from None

    @property
    def salt_bytes(self) -> bytes:
        """The salt, decoded."""
        return _decoded(self.type, self.salt)


def wipe(secret: bytearray) -> None:
    """Overwrite a secret in place with zeros."""
    secret[:] = bytes(len(secret))


def expand(secret: bytearray, info: bytes, *, salt: bytes = b"", length: int = 32) -> bytearray:
    """HKDF-SHA256, into memory that can be wiped: the key of ``length`` bytes for the purpose ``info``."""
    key = bytearray(length)
    HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive_into(secret, key)
    return key


def new_salt() -> bytes:
    """A salt that no other slot has."""
    return secrets.token_bytes(SALT_BYTES)


def seal(
    vault_id: str, kind: SlotKind, secret: bytearray, *, key: bytearray, salt: bytes, kdf: Kdf | None
) -> dict[str, Any]:
    """The fields of a new slot that wraps ``secret`` (32 bytes) under ``key``; ``key`` is wiped.

    Raises ValueError for a secret that is too short or was wiped: it would lock the owner out.
    """
    if len(secret) != SECRET_BYTES or not any(secret):
        raise ValueError("the master secret is not 32 bytes, or was wiped")
    cost = kdf and {"memory_kib": kdf.memory_kib, "passes": kdf.passes, "lanes": kdf.lanes}
    header = {"type": kind, "kdf": cost, "salt": base64.b64encode(salt).decode()}
    wrapping, verifier = _keys(key, salt, kind)
    wrapped = ChaCha20Poly1305(wrapping).encrypt(_NONCE, secret, _canonical(vault_id, header))
    wipe(wrapping)
    wipe(key)
    fields = {
        **header,
        "verifier": base64.b64encode(verifier).decode(),
        "wrapped": base64.b64encode(wrapped).decode(),
    }
    return {**fields, "checksum": _checksum(vault_id, fields)}


def checked(vault_id: str, fields: dict[str, Any]) -> Slot:
    """The slot of these fields, when they are the ones that were written. Raises SlotTamperedError."""
    kind = fields["type"]
    try:
        slot = Slot.model_validate(fields)
    except ValidationError as error:
        raise tampered(f"{kind} slot, {first_line(error)}") from None
    own = _checksum(vault_id, slot.model_dump(exclude={"checksum"}))
    if not hmac.compare_digest(own.encode(), slot.checksum.encode()):
        raise tampered(f"the {kind} slot does not match its checksum")
    if slot.type == "passphrase":
        _ = slot.cost
    lengths = [len(_decoded(kind, text)) for text in (slot.salt, slot.verifier, slot.wrapped)]
    if lengths != [SALT_BYTES, _VERIFIER_BYTES, SECRET_BYTES + _TAG_BYTES]:
        raise tampered(f"the {kind} slot has fields of the wrong length")
    return slot


def unseal(vault_id: str, slot: Slot, key: bytearray, *, wrong: str) -> bytearray:
    """The 32-byte secret in a checked slot; ``key`` is wiped.

    Raises WrongPassphraseError with the message ``wrong``, or SlotTamperedError.
    """
    header = slot.model_dump(include={"type", "kdf", "salt"})
    wrapping, verifier = _keys(key, slot.salt_bytes, slot.type)
    wipe(key)
    verified = hmac.compare_digest(verifier, _decoded(slot.type, slot.verifier))
    secret = bytearray(SECRET_BYTES)
    try:
        wrapped = _decoded(slot.type, slot.wrapped)
        ChaCha20Poly1305(wrapping).decrypt_into(_NONCE, wrapped, _canonical(vault_id, header), secret)
    except InvalidTag:
        if not verified:
            raise WrongPassphraseError(wrong) from None
        verified = False
    finally:
        wipe(wrapping)
    if not verified:
        wipe(secret)
        raise tampered(f"the {slot.type} slot was given other content than it was written with")
    return secret


def tampered(reason: str) -> SlotTamperedError:
    """The error for vault.keys with its reason, in one short line."""
    # The reason may quote a name from the file, which could otherwise speak to the terminal.
    said = "".join(c if c.isprintable() else "?" for c in reason)
    return SlotTamperedError(f"vault.keys was changed or damaged: {said[:150]}")


def first_line(error: ValidationError) -> str:
    """Where and what of the first thing that pydantic found, without the input."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def _keys(key: bytearray, salt: bytes, kind: SlotKind) -> tuple[bytearray, bytearray]:
    purpose = f"fern/slot/{kind}/".encode()
    wrapping = expand(key, purpose + b"wrap", salt=salt)
    return wrapping, expand(key, purpose + b"verify", salt=salt, length=_VERIFIER_BYTES)


def _checksum(vault_id: str, fields: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical(vault_id, fields)).hexdigest()


def _canonical(vault_id: str, fields: dict[str, Any]) -> bytes:
    whole = {"version": VERSION, "vault": vault_id, **fields}
    return json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()


def _decoded(kind: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise tampered(f"a field of the {kind} slot is not base64") from None
