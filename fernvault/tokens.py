"""Token counts of a card in a named tokenizer, for the person who wants to know what it costs; never on a write."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

TOKENIZER: Final = "o200k_base"
ESTIMATE: Final = "characters/4"


class Count(NamedTuple):
    """A number of tokens, and the tokenizer that counted it (or ESTIMATE when none is installed)."""

    tokens: int
    tokenizer: str


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
