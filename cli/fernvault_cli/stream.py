"""Events from a pipe: as many lines as have arrived, so that each is acknowledged as soon as it can be."""

from __future__ import annotations

import json
import os

from fernvault.clock import wall_clock
from fernvault.guard.limits import MAX_BATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Kept off the short path: `typing` alone costs as long as half a call.
    from collections.abc import Iterator
    from typing import Any

LINE = 256 * 1024


class Line:
    """One line that is not empty, with its number in the stream, from 1."""

    def __init__(self, number: int, text: bytes) -> None:
        self.number = number
        self.text = text


def batches(descriptor: int) -> Iterator[list[Line]]:
    """Lists of up to 1,000 whole lines, each list as soon as its lines are there.

    A line over 256 KiB is cut to its beginning, which then is no JSON, so that it is refused and memory stays bounded.
    """
    rest = b""
    overlong = False
    number = 0
    while part := os.read(descriptor, 1 << 16):
        *lines, rest = (rest + part).split(b"\n")
        if overlong and lines:
            lines, overlong = lines[1:], False
        found = [Line(number + place, line) for place, line in enumerate(lines, 1) if line.strip()]
        number += len(lines)
        for start in range(0, len(found), MAX_BATCH):
            yield found[start : start + MAX_BATCH]
        if len(rest) > LINE:
            if not overlong:
                number += 1
                yield [Line(number, rest[:100])]
            rest, overlong = b"", True
    if rest.strip() and not overlong:
        yield [Line(number + 1, rest)]


def prepared(line: bytes | str, *, dated: bool = False) -> tuple[dict[str, Any] | None, str | None]:
    """(the event's document with its time and id, None), or (None, what is wrong with the line).

    A line without a time is of now, and each time another event; with ``dated`` it must have one.
    """
    if len(line) > LINE:
        return None, f"longer than {LINE // 1024} KiB"
    try:
        document = json.loads(line, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return None, f"not a JSON object: {error}" if isinstance(error, _NotStrictError) else "not a JSON object"
    if not isinstance(document, dict):
        return None, "not a JSON object"
    if "at" not in document:
        if dated:
            return None, "at: history needs a time, e.g. 2026-12-01T09:30:00Z"
        document["at"] = wall_clock()
        document.setdefault("id", os.urandom(16).hex())
    elif not isinstance(document["at"], str):
        # Inside, a number counts microseconds; from outside it could be seconds or milliseconds as well.
        return None, "at: must be an RFC 3339 time with a zone, e.g. 2026-12-01T09:30:00Z"
    elif "id" not in document:
        from fernvault.digest import blake2b

        content = json.dumps(document, sort_keys=True).encode("utf-8", "surrogatepass")
        document["id"] = blake2b(content, digest_size=16).hexdigest()
    return document, None


class _NotStrictError(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise _NotStrictError("a key stands twice")
    return document


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _NotStrictError("a number is too large")
    return number


def _refuse(name: str) -> Any:
    raise _NotStrictError(f"{name} is not a number")
