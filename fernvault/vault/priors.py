"""The prior of a surface as a row: what the population is like, as far as the owner has adopted it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from fernvault.prior import Prior


class Adopted(NamedTuple):
    """A prior and the instant at which the owner adopted it."""

    prior: Prior
    at: int


def get(connection: Any, surface_id: int, name: str) -> Adopted | None:
    """The prior of the surface with this number and name, or None."""
    row = connection.execute(
        "SELECT users, kappa, means, adopted FROM prior WHERE surface_id = ?", (surface_id,)
    ).fetchone()
    return None if row is None else Adopted(Prior(name, row[0], json.loads(row[2]), row[1]), row[3])


def put(connection: Any, surface_id: int, prior: Prior, now: int) -> None:
    """Adopt a prior in the place of any before."""
    connection.execute(
        "INSERT INTO prior (surface_id, users, kappa, means, adopted) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (surface_id) DO UPDATE SET users = excluded.users, kappa = excluded.kappa,"
        " means = excluded.means, adopted = excluded.adopted",
        (surface_id, prior.users, prior.kappa, json.dumps(dict(prior.means)), now),
    )


def drop(connection: Any, surface_id: int) -> bool:
    """Give the surface's prior up; whether there was one."""
    return bool(connection.execute("DELETE FROM prior WHERE surface_id = ?", (surface_id,)).rowcount)
