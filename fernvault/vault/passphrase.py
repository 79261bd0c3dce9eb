"""Whether a passphrase that a person chose is good enough to guard a vault."""

from __future__ import annotations

import unicodedata
from typing import Final

from fernvault.errors import InputError

_ENOUGH: Final = 3
# zxcvbn refuses longer input, and its time grows faster than the length.
_LONGEST: Final = 72


def check_strength(passphrase: str) -> None:
    """Raise InputError, with advice in one line, unless zxcvbn gives at least 3 of 4 (about 10^8 guesses).

    A passphrase over 72 characters is judged by its first and by its last 72: the whole is no weaker than the better.
    """
    # Takes 50 ms to import, and only a new passphrase needs it.
    from zxcvbn import zxcvbn  # noqa: PLC0415

    text = unicodedata.normalize("NFKC", passphrase)
    if not text.strip():
        raise InputError("the passphrase is empty", next_step=_next())
    parts = [text] if len(text) <= _LONGEST else [text[:_LONGEST], text[-_LONGEST:]]
    best = max((zxcvbn(part) for part in parts), key=lambda result: int(result["score"]))
    if best["score"] >= _ENOUGH:
        return
    advice = [best["feedback"]["warning"], *best["feedback"]["suggestions"]]
    said = ". ".join(line.rstrip(".") for line in advice if line)
    raise InputError(f"this passphrase is too easy to guess. {said}".rstrip(". "), next_step=_next())


def _next() -> str:
    return "choose a longer one, or press Enter at the prompt for six random words"
