"""Every failure that a person can meet: one class, one exit code, one next step.

The message says what is wrong in one line; ``next_step`` names the command to try. The exit codes are the table in
docs/exit-codes.md, and ``code`` is the stable name that ``--json`` prints.
"""

from __future__ import annotations

from typing import ClassVar


class FernError(Exception):
    """Something failed; the root of all errors of this package."""

    exit_code: ClassVar[int] = 1
    code: ClassVar[str] = "failed"
    default_next: ClassVar[str] = "fern doctor"

    def __init__(self, message: str, *, next_step: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = self.default_next if next_step is None else next_step


class InputError(FernError):
    """The words of a command or the content of a file are not usable; nothing was changed."""

    exit_code = 2
    code = "usage"
    default_next = "fern --help"


class LockedError(FernError):
    """The vault is locked and there is no way to ask for the passphrase."""

    exit_code = 3
    code = "locked"
    default_next = "fern unlock"


class WrongPassphraseError(FernError):
    """No key slot opens with this passphrase or these recovery words."""

    exit_code = 4
    code = "wrong-passphrase"
    default_next = "try again, or: fern recover"


class VaultDamagedError(FernError):
    """The encrypted file does not hold what it must hold."""

    exit_code = 5
    code = "vault-damaged"
    default_next = "keep this folder as it is, and put back a copy of it made earlier"


class VaultEmptyError(VaultDamagedError):
    """The vault's file has no bytes in it, which is what a failed copy or a full disk leaves."""

    code = "vault-empty"
    default_next = "put back a copy of vault.db, and keep this folder until then"


class PlaintextVaultError(VaultDamagedError):
    """The file is an ordinary, unencrypted database, so it is not the vault."""

    code = "vault-plaintext"
    default_next = "put back the vault.db that belongs to this folder"


class SlotTamperedError(VaultDamagedError):
    """A key slot was changed or damaged after it was written."""

    code = "slot-tampered"
    default_next = "fern recover"


class VaultMismatchError(VaultDamagedError):
    """vault.db and vault.keys belong to different vaults."""

    code = "vault-mismatch"
    default_next = "put back the vault.keys that belongs to this vault.db"


class VaultTooNewError(FernError):
    """The vault was written by a newer fernvault than this one."""

    exit_code = 11
    code = "vault-too-new"
    default_next = "pip install --upgrade fernvault"


class NotFoundError(FernError):
    """No such surface or attribute."""

    exit_code = 6
    code = "not-found"
    default_next = "fern surface list"


class VaultMissingError(NotFoundError):
    """There is no vault in this folder."""

    code = "vault-missing"
    default_next = "fern init"


class KeysMissingError(NotFoundError):
    """vault.db is there, and vault.keys, without which nothing opens it, is not."""

    code = "keys-missing"
    default_next = "put back the vault.keys that belongs to this vault.db"


class DeniedError(FernError):
    """The owner did not allow this."""

    exit_code = 7
    code = "denied"
    default_next = "fern status"


class ExistsError(FernError):
    """It is there already, and is never overwritten."""

    exit_code = 8
    code = "exists"
    default_next = "choose another name or folder"


class AlreadyRunningError(ExistsError):
    """Another process holds the vault."""

    code = "already-running"
    default_next = "fern lock"

    def __init__(self, message: str, *, pid: int | None = None, next_step: str | None = None) -> None:
        super().__init__(message, next_step=next_step)
        self.pid = pid


class DiskFullError(FernError):
    """No room left; what was acknowledged before is kept."""

    exit_code = 9
    code = "disk-full"
    default_next = "free some space, then run the same command again"


class ReadOnlyError(DiskFullError):
    """The folder or file cannot be written."""

    code = "read-only"
    default_next = "check the permissions of the vault's folder: fern status"


class UnsafeFolderError(FernError):
    """The vault's folder or a file in it belongs to, or can be changed by, someone else."""

    exit_code = 7
    code = "unsafe-folder"
    default_next = "chmod -R go= the vault's folder, owned by you"


class PartlyRejectedError(FernError):
    """Some input was not usable; what was good is kept."""

    exit_code = 10
    code = "partly-rejected"
    default_next = "look at the rejects file"
