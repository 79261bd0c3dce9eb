"""The recovery key: 256 bits as 24 words on a sheet of paper, and the drill that proves the paper is there."""

from __future__ import annotations

import random
import secrets
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from mnemonic import Mnemonic

from fernvault.errors import InputError

WORDS: Final = 24
_SECRET_BYTES: Final = 32
_SUGGESTED: Final = 6
_PER_LINE: Final = 4


@cache
def _language() -> Mnemonic:
    return Mnemonic("english")


def new_words() -> str:
    """A fresh recovery key: 24 words of the BIP-39 English list with a space between, from the system's randomness."""
    return _language().to_mnemonic(secrets.token_bytes(_SECRET_BYTES))


def secret_from_words(words: str) -> bytearray:
    """The 32 bytes that 24 words stand for, as they were typed or pasted.

    Case, white space, Unicode forms and the sheet's numbers (``7.``) do not matter. Raises InputError, which may name
    the place of a word and never a word.
    """
    typed = [word for word in _spelled(words) if not word.rstrip(".):").isdigit()]
    known = _places()
    if unknown := [str(place) for place, word in enumerate(typed, 1) if word not in known]:
        which = f"word {unknown[0]} is" if len(unknown) == 1 else f"words {', '.join(unknown)} are"
        raise _refused(f"{which} not on the list of recovery words")
    if len(typed) != WORDS:
        raise _refused(f"a recovery key has {WORDS} words, and here are {len(typed)}")
    try:
        return _language().to_entropy(typed)
    except ValueError:
        raise _refused("these recovery words do not belong together: one is wrong, or two are swapped") from None


def _spelled(words: str) -> list[str]:
    return unicodedata.normalize("NFKD", words).lower().split()


@cache
def _places() -> frozenset[str]:
    return frozenset(_language().wordlist)


def _refused(message: str) -> InputError:
    return InputError(message, next_step="read the words from the recovery sheet again")


@dataclass(frozen=True, slots=True)
class RecoverySheet:
    """What the owner keeps on paper. Its repr does not show the words."""

    vault_id: str
    words: str = field(repr=False)

    def text(self) -> str:
        """The sheet, ready to be printed: secret, several lines, ASCII."""
        words = self.words.split()
        width = max(map(len, words))
        numbered = [f"{place:2}. {word:{width}}" for place, word in enumerate(words, 1)]
        lines = ["  ".join(numbered[at : at + _PER_LINE]).rstrip() for at in range(0, len(numbered), _PER_LINE)]
        return "\n".join(
            [
                "fernvault recovery sheet",
                f"vault {self.vault_id}",
                "",
                *lines,
                "",
                "These words open the vault without the passphrase: fern recover",
                "Keep this sheet on paper, away from the computer. Whoever reads it can read the vault.",
                "",
            ]
        )


def rehearsal(words: str, rng: random.Random) -> tuple[tuple[int, str], ...]:
    """Three different (position from 1, word), in rising order, for the owner to type back from the sheet."""
    listed = words.split()
    return tuple((place, listed[place - 1]) for place in sorted(rng.sample(range(1, len(listed) + 1), 3)))


def suggest_passphrase(rng: random.Random) -> str:
    """Six words of the list of 2048 with hyphens between: 66 bits when ``rng`` is a random.SystemRandom."""
    return "-".join(rng.choice(_language().wordlist) for _ in range(_SUGGESTED))
