"""A surface's catalog: kinds, item table, rules and context that turn an event into attributes, with no model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from fernvault import attribute
from fernvault.catalog import context, items
from fernvault.catalog.sections import File, Name, explain, load, one_or_many
from fernvault.errors import InputError

NEXT_STEP: Final = "fern catalog check FILE"

_STORED: Final = {"kinds", "context", "rules", "exclusive"}
_WILD: Final = re.compile(r"[*?\[]")


def _positive(text: str) -> str:
    if not attribute.is_attribute(text) or attribute.is_negative(text):
        raise ValueError(f"{text!r} is not an attribute: write it as namespace:name, e.g. pref:oat-milk")
    return text


def _member(text: str) -> str:
    space, star, rest = text.partition(":*")
    if star and not rest and attribute.is_namespace(space):
        return text
    return _positive(text)


def _rivals(given: tuple[str, ...]) -> tuple[str, ...]:
    if len(given) < 2 and not any(member.endswith(":*") for member in given):
        raise ValueError("needs two attributes, or a whole namespace such as 'size:*'")
    return tuple(dict.fromkeys(given))


def _some(given: tuple[str, ...]) -> tuple[str, ...]:
    if not given:
        raise ValueError("gives no attribute")
    return tuple(dict.fromkeys(given))


Given = Annotated[
    tuple[Annotated[str, AfterValidator(_positive)], ...], BeforeValidator(one_or_many), AfterValidator(_some)
]


Rivals = Annotated[
    tuple[Annotated[str, AfterValidator(_member)], ...], BeforeValidator(one_or_many), AfterValidator(_rivals)
]


class Catalog(File):
    """A whole catalog file. ``rules``: an item, or a pattern with ``*``, ``?``, ``[...]``, to attributes.

    ``exclusive``: named sets of attributes, or whole namespaces as ``size:*``, of which a person mostly has one.
    """

    rules: dict[Name, Given] = Field(default_factory=dict)
    exclusive: dict[Name, Rivals] = Field(default_factory=dict)

    def rule_attributes(self, item: str) -> tuple[str, ...]:
        """What the rules give an item: its own rule first, then every pattern that fits, in the file's order."""
        return self._matching(item)

    def exclusive_sets(self, attributes: Iterable[str]) -> list[frozenset[str]]:
        """The declared sets of rivals, whole namespaces filled in with those of these attributes that they hold."""
        if not self.exclusive:
            return []
        held = [name for name in attributes if not attribute.is_negative(name)]
        return [
            frozenset(
                name
                for member in members
                for name in (
                    [one for one in held if one.startswith(member[:-1])] if member.endswith(":*") else [member]
                )
            )
            for members in self.exclusive.values()
        ]

    def context_attributes(self, at: int, zone: ZoneInfo) -> tuple[str, ...]:
        """The ``ctx:`` attributes of an instant (µs) for an owner in this zone."""
        wanted = self.context
        if wanted.zone is not None:
            zone = ZoneInfo(wanted.zone)
        return context.time_attributes(at, zone, time_of_day=wanted.time_of_day, weekend=wanted.weekend)

    def iter_items(self, path: Path | None = None) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The rows of the item table, or of another one at a path, as ``catalog.items.iter_items`` gives them."""
        table = self
        if path is not None and self.items is not None:
            table = self.model_copy(update={"items": self.items.model_copy(update={"file": str(path)})})
        return items.iter_items(table)

    def to_json(self) -> str:
        """What the vault keeps: kinds, context and rules; the item table is stored row by row."""
        return self.model_dump_json(include=_STORED, exclude_defaults=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> Catalog:
        """The catalog that :meth:`to_json` wrote. Raises InputError."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise InputError(f"the stored catalog: {explain(error)}", next_step="fern catalog import") from None

    @cached_property
    def _matching(self) -> _Rules:
        return _Rules(self.rules)


class _Rules:
    def __init__(self, rules: dict[str, tuple[str, ...]]) -> None:
        self._exact = rules
        self._patterns = [(re.compile(translate(key)), given) for key, given in rules.items() if _WILD.search(key)]
        self._match = lru_cache(maxsize=8192)(self._every)

    def __call__(self, item: str) -> tuple[str, ...]:
        return self._match(item)

    def _every(self, item: str) -> tuple[str, ...]:
        found = dict.fromkeys(self._exact.get(item, ()))
        for pattern, given in self._patterns:
            if pattern.match(item):
                found.update(dict.fromkeys(given))
        return tuple(found)


def load_catalog(path: Path) -> Catalog:
    """Read a catalog file; ``items.file`` comes back as a path beside it. Raises InputError: file, key, mistake."""
    return load(path, Catalog, NEXT_STEP)
