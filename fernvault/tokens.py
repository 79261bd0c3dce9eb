"""Token counts of a card in a named tokenizer, for the person who wants to know what it costs; never on a write.

Counts add up: a card costs what its pieces do (``Card.pieces``), so one count per attribute is kept, and reading adds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

TOKENIZER: Final = "o200k_base"
ESTIMATE: Final = "characters/4"

FIXED: Final = {"likes": 1, "avoids": 2, "maybe": 1, "due": 1, " avoids": 1, " maybe": 1, " due": 1, ",": 1, ";": 1}
"""What the card's own words cost in TOKENIZER, first on the line or after another; a test counts them again."""


class Count(NamedTuple):
    """A number of tokens, and the tokenizer that counted it (or ESTIMATE when none is installed)."""

    tokens: int
    tokenizer: str


@cache
def is_exact() -> bool:
    """Whether a tokenizer is installed; does not load it."""
    return find_spec("bpe_openai") is not None


def of_pieces(pieces: Sequence[str], known: Mapping[str, int]) -> Count:
    """What a text cut into pieces costs; ``known`` has counts of pieces, and only others need the tokenizer."""
    counts = {**known, **FIXED}
    missing = [piece for piece in pieces if piece not in counts]
    if missing and not is_exact():
        return count("".join(pieces))
    return Count(sum(counts[piece] if piece in counts else _piece(piece) for piece in pieces), TOKENIZER)


@lru_cache(maxsize=4096)
def _piece(piece: str) -> int:
    return count(piece).tokens


def count(text: str) -> Count:
    """How many tokens a text costs. The first call loads the vocabulary, about a second."""
    encoding = _encoding()
    if encoding is None:
        return Count(-(-len(text) // 4), ESTIMATE)
    return Count(len(encoding.encode(text)), TOKENIZER)


@cache
def _encoding() -> Any:
    try:
        import bpe_openai  # noqa: PLC0415 - optional, and its vocabulary takes a second
    except ImportError:
        return None
    return bpe_openai.get_encoding(TOKENIZER)
