"""Events as untrusted JSON: what a surface may say, checked once, at the wall."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fernvault import instant
from fernvault.attribute import PATTERN
from fernvault.errors import InputError
from fernvault.event import KIND_MAGNITUDE, OWNER_ID, OWNER_KINDS, Event
from fernvault.guard.limits import FUTURE, MAX_ATTRIBUTES

_Slug = Annotated[str, Field(pattern=rf"^(?:{PATTERN})$", max_length=66)]
_Finite = Annotated[float, Field(allow_inf_nan=False, ge=-1e9, le=1e9)]


_FORMS: Final = {
    "attributes": "must be namespace:name in small letters, digits and hyphens, e.g. pref:oat-milk",
    "id": "must be visible ASCII characters without spaces",
    "kind": "must be a word of small letters, digits, hyphens and underscores, e.g. buy",
    "item": "must not have control characters",
}


class Incoming(BaseModel):
    """One event as JSON: `at` (RFC 3339 with a zone) or its microseconds, and an item, attributes, or both."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[\x21-\x7e]+$")]
    at: Annotated[str, Field(max_length=40)] | Annotated[int, Field(ge=0, lt=2**63)]
    kind: Annotated[str, Field(pattern=r"^[a-z](?:[a-z0-9_-]{0,30}[a-z0-9])?$")] = "buy"
    item: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")] | None = None
    attributes: Annotated[list[_Slug], Field(max_length=MAX_ATTRIBUTES)] = []
    magnitude: Annotated[float, Field(allow_inf_nan=False, ge=-15, le=15)] | None = None
    quantity: _Finite | None = None
    value: _Finite | None = None


def event_from(document: Any, *, now: int, kinds: dict[str, float] | None = None) -> Event:
    """The event that a JSON document describes; ``kinds`` are the surface's own magnitudes.

    Raises InputError with one line that names the field. An attribute given as `!x` in a positive event is kept so.
    """
    try:
        found = Incoming.model_validate(document)
    except ValidationError as error:
        raise InputError(_one_line(error), next_step="fern record --help") from None
    at = _instant(found.at)
    if not 0 <= at <= now + FUTURE:
        raise InputError(f"at: {found.at!r} lies before 1970 or more than a day ahead", next_step="fern record --help")
    if OWNER_ID.fullmatch(found.id):
        raise InputError(f"id: {found.id!r} is spelt like the owner's own", next_step="fern record --help")
    if found.kind in OWNER_KINDS:
        raise InputError(f"kind: {found.kind!r} is the owner's own", next_step=f"fern {found.kind} --help")
    if found.item is None and not found.attributes:
        raise InputError("an event names an item or attributes", next_step="fern record --help")
    magnitude = found.magnitude
    if magnitude is None:
        magnitude = (kinds or {}).get(found.kind, KIND_MAGNITUDE.get(found.kind, 1.0))
        if found.quantity is not None and found.quantity < 0.0 < magnitude:
            # Minus three bought are three taken back, in JSON as in a csv file.
            magnitude = -magnitude
    if abs(magnitude) < 0.05:
        raise InputError(
            "magnitude: must be at least 0.05, below 0 for a negative event", next_step="fern record --help"
        )
    attributes = tuple(dict.fromkeys(found.attributes))
    return Event(found.id, at, found.kind, found.item, attributes, magnitude, found.quantity, found.value)


def _instant(at: str | int) -> int:
    if isinstance(at, int):
        return at
    try:
        return instant.from_text(at)
    except (ValueError, OverflowError):
        raise InputError(
            f"at: {at!r} is not an RFC 3339 time with a zone, e.g. 2026-12-01T09:30:00Z", next_step="fern record --help"
        ) from None


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    field, *inside = first["loc"] or ("event",)
    if field == "at" and inside:  # neither of its two forms; pydantic would complain of one of them only
        return "at: must be an RFC 3339 time with a zone, or microseconds since 1970"
    # A field that is not ours is the sender's text: shown short and escaped.
    known = field == "event" or field in Incoming.model_fields
    where = ".".join(str(part) for part in (field, *inside)) if known else ascii(str(field)[:40])
    message = _FORMS.get(str(field)) if first["type"] == "string_pattern_mismatch" else None
    return f"{where}: {message or first['msg'].removeprefix('Value error, ')}"
