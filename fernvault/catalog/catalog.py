"""A surface's catalog: kinds, item table, rules and context that turn an event into attributes, with no model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from fnmatch import translate
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from fernvault import attribute
from fernvault.catalog import context, items
from fernvault.catalog.sections import (
    NOTHING,
    SECTIONS,
    Context,
    Items,
    beside,
    magnitude,
    require_use_of_split,
    said,
)
from fernvault.catalog.tables import load, many, name, section, table, text
from fernvault.errors import InputError

NEXT_STEP: Final = "fern catalog check FILE"

_WILD: Final = re.compile(r"[*?\[]")


class _Tables(NamedTuple):
    kinds: AnyMapping[str, float] = NOTHING
    attributes: AnyMapping[str, tuple[str, ...]] = NOTHING
    items: Items | None = None
    context: Context = Context()
    split: AnyMapping[str, str] = NOTHING
    rules: AnyMapping[str, tuple[str, ...]] = NOTHING
    exclusive: AnyMapping[str, tuple[str, ...]] = NOTHING


class Catalog(_Tables):
    """A whole catalog file. ``kinds``: kind to signed magnitude. ``attributes``: namespace to columns of the item
    table. ``split``: column to the separator of its values. ``rules``: an item, or a pattern with ``*``, ``?``,
    ``[...]``, to attributes. ``exclusive``: named sets of attributes, or whole namespaces as ``size:*``, of which a
    person mostly has one."""

    def magnitude(self, kind: str) -> float:
        """Signed magnitude of a kind: this file's, else the usual one, else 1."""
        return magnitude(self.kinds, kind)

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
            table = self._replace(items=self.items._replace(file=str(path)))
        return items.iter_items(table)

    def to_json(self) -> str:
        """What the vault keeps: kinds, context, rules and exclusive sets; the item table is stored row by row."""
        parts = {"kinds": self.kinds, "context": said(self.context), "rules": self.rules, "exclusive": self.exclusive}
        kept = {name: part for name, part in parts.items() if part}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    @staticmethod
    def from_json(text: str | bytes) -> Catalog:
        """The catalog that :meth:`to_json` wrote. Raises InputError."""
        try:
            return catalog_of(json.loads(text))
        except ValueError as error:
            raise InputError(f"the stored catalog: {error}", next_step="fern catalog import") from None

    @cached_property
    def _matching(self) -> _Rules:
        return _Rules(self.rules)


class _Rules:
    def __init__(self, rules: AnyMapping[str, tuple[str, ...]]) -> None:
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
    read = load(path, catalog_of, NEXT_STEP)
    return read._replace(items=beside(read.items, path))


def catalog_of(content: dict[str, Any]) -> Catalog:
    """The catalog that the content of a catalog file says. Raises ValueError: key and mistake."""
    return _CATALOG(content)


def _consistent(**tables: Any) -> Catalog:
    made = Catalog(**tables)
    require_use_of_split(made.attributes, made.context, made.split)
    return made


def _given(value: Any) -> tuple[str, ...]:
    given = many(_positive)(value)
    if not given:
        raise ValueError("gives no attribute")
    return tuple(dict.fromkeys(given))


def _positive(value: Any) -> str:
    if not attribute.is_attribute(text(value)) or attribute.is_negative(value):
        raise ValueError(f"{value!r} is not an attribute: write it as namespace:name, e.g. pref:oat-milk")
    return text(value)


def _rivals(value: Any) -> tuple[str, ...]:
    given = many(_member)(value)
    if len(given) < 2 and not any(member.endswith(":*") for member in given):
        raise ValueError("needs two attributes, or a whole namespace such as 'size:*'")
    return tuple(dict.fromkeys(given))


def _member(value: Any) -> str:
    space, star, rest = text(value).partition(":*")
    if star and not rest and attribute.is_namespace(space):
        return text(value)
    return _positive(value)


_CATALOG: Final = section(_consistent, {**SECTIONS, "rules": table(_given, name), "exclusive": table(_rivals, name)})
