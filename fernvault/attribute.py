"""Attributes: the closed grammar ``[!]namespace:name`` in which everything the graph knows is spelt."""

from __future__ import annotations

import re
from typing import Final

from fernvault.digest import blake2b
from fernvault.errors import InputError

NAMESPACE_LENGTH: Final = 16
NAME_LENGTH: Final = 48
CONTEXT: Final = "ctx"

PATTERN: Final = (
    rf"!?[a-z](?:[a-z0-9-]{{0,{NAMESPACE_LENGTH - 2}}}[a-z0-9])?:[a-z0-9](?:[a-z0-9-]{{0,{NAME_LENGTH - 2}}}[a-z0-9])?"
)
_ATTRIBUTE: Final = re.compile(PATTERN)
_PLAIN: Final = re.compile(r"[A-Za-z0-9 _-]*")
_RUN: Final = re.compile(r"[a-z0-9]+")
_NAMESPACE: Final = re.compile(rf"[a-z](?:[a-z0-9-]{{0,{NAMESPACE_LENGTH - 2}}}[a-z0-9])?")


def is_attribute(text: str) -> bool:
    """Whether the text is exactly one attribute."""
    return _ATTRIBUTE.fullmatch(text) is not None


def is_namespace(text: str) -> bool:
    """Whether the text can stand before the colon."""
    return _NAMESPACE.fullmatch(text) is not None


def require(text: str) -> str:
    """The text itself. Raises InputError when it is not an attribute."""
    if not is_attribute(text):
        shown = text if len(text) <= 60 else text[:57] + "..."
        raise InputError(
            f"not an attribute: {shown!r}",
            next_step="write it as namespace:name in small letters, digits and hyphens, e.g. pref:oat-milk",
        )
    return text


def is_negative(attribute: str) -> bool:
    """Whether it is the negative one of a pair."""
    return attribute.startswith("!")


def opposite(attribute: str) -> str:
    """``x`` for ``!x`` and ``!x`` for ``x``."""
    return attribute[1:] if attribute.startswith("!") else "!" + attribute


def namespace(attribute: str) -> str:
    """The part before the colon, without the sign."""
    return attribute.removeprefix("!").partition(":")[0]


def name(attribute: str) -> str:
    """The part after the colon, without the sign."""
    return attribute.partition(":")[2]


def from_value(space: str, value: str) -> str | None:
    """The attribute of a namespace for a value as a file spells it, or None when nothing in it can be spelt.

    Letters outside ASCII are transliterated. A name over the limit is cut and ends in six hexadecimal digits of its
    digest, so that two long values do not become one attribute (one pair in 16 million would).
    """
    slug = "-".join(_RUN.findall(value.lower())) if _PLAIN.fullmatch(value) else _transliterated(value)
    if not slug:
        return None
    if len(slug) > NAME_LENGTH:
        digest = blake2b(slug.encode(), digest_size=3).hexdigest()
        slug = slug[: NAME_LENGTH - 7].rstrip("-") + "-" + digest
    return f"{space}:{slug}"


def _transliterated(value: str) -> str:
    from slugify import slugify  # noqa: PLC0415 - loads its tables, and most values are plain

    return slugify(value)
