"""The digest that names what has no name of its own: BLAKE2b, as RFC 7693 has it."""

from __future__ import annotations

try:
    # The very object that `hashlib` has, without all of OpenSSL, which an import of one row would wait for.
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - an interpreter that keeps it elsewhere
    from hashlib import blake2b

__all__ = ["blake2b"]
