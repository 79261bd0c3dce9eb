"""From a passphrase to a key: Argon2id, and how much of it this computer can bear."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from fernvault.errors import FernError, InputError

KEY_BYTES: Final = 32
SALT_BYTES: Final = 16
_STEP_KIB: Final = 16 * 1024


@dataclass(frozen=True, slots=True)
class Kdf:
    """Argon2id's cost: memory in KiB, passes over it, lanes. Raises ValueError when no Argon2id has such a cost."""

    memory_kib: int
    passes: int
    lanes: int

    def __post_init__(self) -> None:
        if self.passes < 1 or self.lanes < 1 or self.memory_kib < 8 * self.lanes:
            raise ValueError(f"no such Argon2id cost: {self.memory_kib} KiB, {self.passes} passes, {self.lanes} lanes")

    @property
    def weak(self) -> bool:
        """Whether any of the three lies below FLOOR."""
        return self.memory_kib < FLOOR.memory_kib or self.passes < FLOOR.passes or self.lanes < FLOOR.lanes

    def derive(self, passphrase: str, salt: bytes) -> bytes:
        """The 32-byte key of a passphrase, the same for every Unicode spelling of it (NFKC).

        Raises InputError for text that is not Unicode, FernError when the memory is not to be had.
        """
        try:
            text = unicodedata.normalize("NFKC", passphrase).encode()
        except UnicodeEncodeError:
            # Not chained: the original error carries the passphrase.
            raise InputError("the passphrase holds bytes that are not valid Unicode text") from None
        kdf = Argon2id(
            salt=salt, length=KEY_BYTES, iterations=self.passes, lanes=self.lanes, memory_cost=self.memory_kib
        )
        try:
            return kdf.derive(text)
        except MemoryError:
            raise FernError(
                f"unlocking takes {self.memory_kib // 1024} MiB of memory, and they are not free",
                next_step="close some programs, then try again",
            ) from None


# RFC 9106 section 4, the second recommended choice: the least that a new slot may cost.
FLOOR: Final = Kdf(64 * 1024, 3, 4)
# More would shut the vault on a smaller computer of the same person.
CAP: Final = Kdf(512 * 1024, 3, 4)


def calibrate(timer: Callable[[], float], target: float = 0.8) -> Kdf:
    """The cost that takes about ``target`` seconds here, never below FLOOR, never above CAP.

    ``timer`` reads a clock in seconds (time.perf_counter). Takes about 0.4 s plus ``target`` on a usual computer.
    """
    kdf = FLOOR
    # The second round corrects the first: a larger memory leaves the cache and costs more than its size says.
    for _ in range(2):
        start = timer()
        kdf.derive("calibration", bytes(SALT_BYTES))
        kdf = scaled(kdf, timer() - start, target)
        if kdf == FLOOR:
            break
    return kdf


def scaled(measured: Kdf, seconds: float, target: float) -> Kdf:
    """The memory, in steps of 16 MiB from FLOOR to CAP, that takes ``target`` when ``measured`` took ``seconds``."""
    ratio = target / max(seconds, 1e-6)
    steps = int(measured.memory_kib * ratio) // _STEP_KIB
    return Kdf(min(max(steps * _STEP_KIB, FLOOR.memory_kib), CAP.memory_kib), FLOOR.passes, FLOOR.lanes)
