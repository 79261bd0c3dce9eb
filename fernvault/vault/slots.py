"""vault.keys: the vault's master secret, wrapped once for the passphrase and once for the recovery words.

Either slot alone opens the vault, and damage to one does not shut the other.
"""

from __future__ import annotations

import json
import os
import secrets
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from fernvault.errors import (
    ExistsError,
    InputError,
    KeysMissingError,
    SlotTamperedError,
    VaultMissingError,
    VaultTooNewError,
)
from fernvault.vault import durable, faults, recovery, seal
from fernvault.vault.kdf import FLOOR, Kdf
from fernvault.vault.layout import VaultFolder
from fernvault.vault.seal import SECRET_BYTES, VERSION, Slot, SlotKind, wipe

__all__ = [
    "SECRET_BYTES",
    "VERSION",
    "Keys",
    "create_keys",
    "damaged_slots",
    "database_key",
    "read_keys",
    "replace_passphrase",
    "unlock_with_passphrase",
    "unlock_with_words",
    "wipe",
]

_LARGEST: Final = 64 * 1024


class Keys(BaseModel):
    """What vault.keys holds: the version, the vault's id, and slots that are judged when they are used."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    version: int
    vault: str
    slots: list[dict[str, Any]]


def database_key(secret: bytearray) -> bytearray:
    """The 32-byte raw key of vault.db, from the master secret; the caller wipes it."""
    return seal.expand(secret, b"fern/db")


def create_keys(
    folder: VaultFolder, passphrase: str, words: str, *, kdf: Kdf, vault_id: str, allow_weak: bool = False
) -> bytearray:
    """Draw a master secret, write vault.keys with both slots, and return the secret (32 bytes; the caller wipes it).

    Raises ExistsError when there are keys, InputError for an empty passphrase or unusable words, ValueError for a
    ``kdf`` under the floor unless ``allow_weak``, and what faults.named makes of a full or read-only disk.
    """
    if os.path.lexists(folder.keys):
        raise ExistsError(f"{folder.keys} is there already, and is never overwritten")
    recovery_key = recovery.secret_from_words(words)
    secret = bytearray(secrets.token_bytes(SECRET_BYTES))
    slots = [
        _passphrase_slot(vault_id, secret, passphrase, kdf, allow_weak=allow_weak),
        seal.seal(vault_id, "recovery", secret, key=recovery_key, salt=seal.new_salt(), kdf=None),
    ]
    _write(folder, Keys(version=VERSION, vault=vault_id, slots=slots))
    return secret


def replace_passphrase(
    folder: VaultFolder, secret: bytearray, new_passphrase: str, *, kdf: Kdf, allow_weak: bool = False
) -> None:
    """Wrap ``secret`` under a new passphrase; the recovery slot and the database stay as they are.

    ``secret`` must be what an unlock function returned for this same folder. A crash leaves the old passphrase or the
    new one. Raises as create_keys and read_keys do.
    """
    keys = read_keys(folder)
    slot = _passphrase_slot(keys.vault, secret, new_passphrase, kdf, allow_weak=allow_weak)
    kept = [other for other in keys.slots if other.get("type") == "recovery"]
    _write(folder, Keys(version=VERSION, vault=keys.vault, slots=[slot, *kept]))


def unlock_with_passphrase(folder: VaultFolder, passphrase: str) -> bytearray:
    """The master secret (32 bytes; the caller wipes it), after one Argon2id of the slot's cost.

    Raises WrongPassphraseError, SlotTamperedError, VaultTooNewError, VaultMissingError or KeysMissingError.
    """
    keys = read_keys(folder)
    slot = _slot(keys, "passphrase")
    key = bytearray(slot.cost.derive(passphrase, slot.salt_bytes))
    return seal.unseal(keys.vault, slot, key, wrong="this passphrase does not open the vault")


def unlock_with_words(folder: VaultFolder, words: str) -> bytearray:
    """The master secret (32 bytes; the caller wipes it).

    Raises InputError for words that are no recovery key, and what unlock_with_passphrase raises.
    """
    keys = read_keys(folder)
    slot = _slot(keys, "recovery")
    key = recovery.secret_from_words(words)
    return seal.unseal(keys.vault, slot, key, wrong="these recovery words do not open the vault")


def damaged_slots(folder: VaultFolder) -> list[str]:
    """One line for each slot that can no longer be used; needs no secret. Raises as read_keys does."""
    keys = read_keys(folder)
    lines = []
    kinds: tuple[SlotKind, ...] = ("passphrase", "recovery")
    for kind in kinds:
        try:
            _slot(keys, kind)
        except SlotTamperedError as error:
            lines.append(error.message)
    return lines


def read_keys(folder: VaultFolder) -> Keys:
    """Read vault.keys; its slots are not judged yet.

    Raises SlotTamperedError for a file that is not of the right form, VaultTooNewError for a newer version,
    VaultMissingError when the database is missing too, else KeysMissingError.
    """
    document = _parsed(_content(folder))
    version = document.get("version") if isinstance(document, dict) else None
    if type(version) is int and version > VERSION:
        raise VaultTooNewError(f"vault.keys has version {version}, and this fernvault knows up to {VERSION}")
    try:
        keys = Keys.model_validate(document)
    except ValidationError as error:
        raise seal.tampered(seal.first_line(error)) from None
    if keys.version != VERSION:
        raise seal.tampered(f"there is no version {keys.version}")
    return keys


def _content(folder: VaultFolder) -> bytes:
    try:
        with faults.named(folder.keys), folder.keys.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.lexists(folder.db):
            raise KeysMissingError(
                f"vault.keys is gone from {folder.path}, and nothing opens vault.db without it"
            ) from None
        raise VaultMissingError(f"there is no vault in {folder.path}") from None
    except IsADirectoryError:
        raise seal.tampered("it is a folder") from None
    if len(content) > _LARGEST:
        raise seal.tampered(f"it is larger than {_LARGEST // 1024} KiB")
    return content


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content.decode(), object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise seal.tampered("it is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise seal.tampered(f"it is not JSON: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a name appears twice in one object")
    return document


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _passphrase_slot(
    vault_id: str, secret: bytearray, passphrase: str, kdf: Kdf, *, allow_weak: bool
) -> dict[str, Any]:
    if not passphrase:
        raise InputError("the passphrase is empty", next_step="choose a passphrase")
    if kdf.weak and not allow_weak:
        raise ValueError(f"a passphrase slot must cost at least {FLOOR}, and not {kdf}")
    salt = seal.new_salt()
    key = bytearray(kdf.derive(passphrase, salt))
    return seal.seal(vault_id, "passphrase", secret, key=key, salt=salt, kdf=kdf)


def _slot(keys: Keys, kind: SlotKind) -> Slot:
    named = [fields for fields in keys.slots if fields.get("type") == kind]
    if len(named) != 1:
        raise seal.tampered(f"it has {len(named)} {kind} slots instead of one")
    return seal.checked(keys.vault, named[0])


def _write(folder: VaultFolder, keys: Keys) -> None:
    with faults.named(folder.keys):
        durable.replace(folder.keys, json.dumps(keys.model_dump(), indent=1).encode() + b"\n")
