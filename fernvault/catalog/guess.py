"""A mapping guessed from the names in a header, and its text as a mapping file that a person can keep and change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as AnyMapping
from typing import Final

from fernvault.catalog.mapping import Columns, Mapping, Time
from fernvault.catalog.sections import said

# In order of preference: the first name of a list that the header has is taken.
_TIME: Final = (
    "uts", "epoch", "timestamp", "ts", "time", "datetime", "date_time", "event_time", "occurred_at", "created_at",
    "watched_at", "played_at", "purchased_at", "order_date", "purchase_date", "invoice_date", "invoicedate",
    "transaction_date", "date_watched", "watched_date", "date_read", "date_rated",
    "utc_time", "start_time", "date", "day", "created",
)  # fmt: skip
_EPOCH: Final = frozenset({"uts", "epoch"})
_ITEM: Final = (
    "item", "item_id", "product", "product_id", "product_name", "asin", "sku", "stock_code", "stockcode", "title",
    "name", "track", "track_name", "film", "movie", "book", "article", "item_name", "description",
)  # fmt: skip
_KIND: Final = ("kind", "event", "event_type", "action", "interaction", "type")
_QUANTITY: Final = ("quantity", "qty", "count", "units", "amount_ordered")
# Not "id" or an order's number: those are often the same for different rows, which would become one event.
_ID: Final = ("event_id", "event_uuid", "uuid")
_SPACES: Final = {
    "pref": (
        "category", "categories", "subcategory", "sub_category", "product_category", "product_type", "department",
        "genre", "genres", "tag", "tags", "cuisine", "topic",
    ),
    "brand": ("brand", "manufacturer"),
    "artist": ("artist", "artist_name", "artistname"),
    "author": ("author",),
}  # fmt: skip


def guess_mapping(header: Sequence[str]) -> Mapping | None:
    """A mapping for a file with these column names, or None when no column looks like a time, or none says what.

    Only names are looked at, never values, so times must be ISO 8601 (or seconds, in a column called uts or epoch).
    """
    found = {re.sub(r"[\W_]+", "_", name.strip().casefold()).strip("_"): name for name in reversed(header)}
    time = _first(found, _TIME)
    item = _first(found, _ITEM)
    spaces = {
        space: tuple(found[name] for name in names if name in found)
        for space, names in _SPACES.items()
        if any(name in found for name in names)
    }
    if not spaces and item is not None:
        spaces = {"pref": (item,)}
    if time is None or not spaces:
        return None
    own_id = _first(found, _ID)
    return Mapping(
        columns=Columns(
            time=time,
            item=item,
            kind=_first(found, _KIND),
            quantity=_first(found, _QUANTITY),
            id=None if own_id is None else (own_id,),
        ),
        time=Time(format=("epoch",)) if any(found.get(name) == time for name in _EPOCH) else Time(),
        attributes=spaces,
    )


def _first(found: dict[str, str], names: Iterable[str]) -> str | None:
    return next((found[name] for name in names if name in found), None)


def to_toml(mapping: Mapping) -> str:
    """The text of the mapping file that reads back as this mapping; what is left at its default is left out."""
    tables = []
    for table, content in sorted(said(mapping).items()):
        keys = content if isinstance(content, AnyMapping) else said(content)
        lines = [f"{_key(key)} = {_value(value)}" for key, value in keys.items()]
        tables.append("\n".join([f"[{table}]", *lines]) + "\n")
    return "\n".join(tables)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: object) -> str:
    match value:
        case str():
            # A JSON string is a TOML string, but for the one control character that JSON leaves bare.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case tuple():
            return "[" + ", ".join(_value(one) for one in value) + "]"
        case AnyMapping():
            return "{ " + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + " }"
        case bool():
            return "true" if value else "false"
        case _:
            return repr(value)
