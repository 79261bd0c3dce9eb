"""The one door: an open vault and its surfaces. One thread opens it, uses it and closes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from zoneinfo import ZoneInfo

from fernvault import documents
from fernvault.catalog.catalog import Catalog
from fernvault.clock import wall_clock
from fernvault.errors import FernError, InputError, NotFoundError, VaultDamagedError
from fernvault.instant import to_text
from fernvault.portable.export import write_export
from fernvault.rule import ADAPTIVE, Rule
from fernvault.surface import Surface
from fernvault.vault import doctor, erasing, history, schema
from fernvault.vault import surfaces as surface_rows
from fernvault.vault.faults import named, translate
from fernvault.vault.integrity import Finding
from fernvault.vault.layout import VaultFolder
from fernvault.vault.opening import close_database, open_database
from fernvault.vault.slots import damaged_slots, unlock_with_passphrase, wipe
from fernvault.vault.warm import Shared


class Undone(NamedTuple):
    """What an undo took back: the surface, how many journal entries, and what they were, in words."""

    surface: str
    entries: int
    what: str


class Vault:
    """An open vault. Use it as a context manager, or call ``close``; not from another thread."""

    def __init__(self, folder: VaultFolder, connection: Any, *, clock: Callable[[], int]) -> None:
        self.folder = folder
        self._file = folder.db
        self._connection = connection
        self._clock = clock
        self._surfaces: dict[str, Surface] = {}
        self._shared = Shared()
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        self.id: str = meta["vault_id"]
        self.created = int(meta["created"])
        self.zone = ZoneInfo(meta["zone"])

    @classmethod
    def open(cls, folder: Path, passphrase: str, *, clock: Callable[[], int] = wall_clock) -> Self:
        """Open the vault in a folder. Raises the errors of ``slots`` and ``opening``; never makes a vault."""
        place = VaultFolder(folder)
        return cls.open_with(place, unlock_with_passphrase(place, passphrase), clock=clock)

    @classmethod
    def open_with(cls, folder: VaultFolder, secret: bytearray, *, clock: Callable[[], int] = wall_clock) -> Self:
        """Open with the vault master secret, which is wiped."""
        try:
            connection = open_database(folder, secret)
        finally:
            wipe(secret)
        try:
            return cls(folder, connection, clock=clock)
        except BaseException:
            close_database(connection)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except FernError:
            # What went wrong first is the one to tell.
            if error is None:
                raise

    def close(self) -> None:
        """Fold the write-ahead log into the file and close it."""
        self._surfaces.clear()
        with named(self._file):
            close_database(self._connection)

    def interrupt(self) -> None:
        """Stop the statement that is running; the one method that another thread may call."""
        self._connection.interrupt()

    def now(self) -> int:
        """The vault's clock, in microseconds."""
        return self._clock()

    def surfaces(self) -> list[Surface]:
        """All surfaces, by name."""
        return [self.surface(row.name) for row in surface_rows.every(self._connection)]

    def surface(self, name: str) -> Surface:
        """The surface of that name. Raises NotFoundError."""
        if name not in self._surfaces:
            self._surfaces[name] = self._reach(surface_rows.get(self._connection, name), self._clock)
        return self._surfaces[name]

    def _reach(self, row: surface_rows.SurfaceRow, clock: Callable[[], int]) -> Surface:
        return Surface(
            self._connection,
            row,
            zone=self.zone,
            transaction=self.transaction,
            clock=clock,
            shared=self._shared,
        )

    def add_surface(
        self,
        name: str,
        *,
        rule: Rule = ADAPTIVE,
        catalog: Catalog | None = None,
        items: Iterable[tuple[str, Sequence[str]]] = (),
    ) -> Surface:
        """Add a surface with its catalog and item table. Raises InputError, ExistsError."""
        with self.transaction():
            row = surface_rows.add(
                self._connection,
                name,
                rule=rule,
                catalog=None if catalog is None else catalog.to_json(),
                now=self._clock(),
            )
            surface_rows.replace_catalog(self._connection, row.id, items)
        return self.surface(name)

    def remove_surface(self, name: str) -> int:
        """Delete a surface with everything it brought; how many journal entries went. Raises NotFoundError."""
        row = surface_rows.get(self._connection, name)
        count = history.count(self._connection, row.id)
        self._surfaces.pop(name, None)
        with self.transaction():
            surface_rows.remove(self._connection, row.id)
        self._shared.clear()  # the sources that nothing names any more went with it
        with named(self._file):
            erasing.settle_file(self._connection)
        return count

    def undo(self, *, surface: str | None = None, since: int | None = None) -> Undone:
        """Take back the latest correction, or with ``since`` all events that a surface's journal took in since then.

        The latter leaves the owner's corrections alone. Raises NotFoundError when there is nothing to take back,
        InputError for ``since`` without a surface.
        """
        chosen = None if surface is None else self.surface(surface)
        if since is not None:
            if chosen is None:
                raise InputError("--since needs a surface", next_step="fern undo --surface ID --since TIME")
            seqs = history.recorded_since(self._connection, chosen.row.id, since)
            count = chosen.undo(seqs, note="since") if seqs else 0
            if not count:
                raise NotFoundError(
                    f"{chosen.name} has recorded nothing since then", next_step=f"fern ls {chosen.name}"
                )
            return Undone(chosen.name, count, "events")
        found = history.last_correction(self._connection, None if chosen is None else chosen.row.id)
        if found is None:
            raise NotFoundError("there is no correction to take back", next_step="fern ls SURFACE")
        surface_id, seq = found
        name = next(row.name for row in surface_rows.every(self._connection) if row.id == surface_id)
        target = self.surface(name)
        slugs = dict(surface_rows.slugs(self._connection, surface_id))
        entry = history.by_seq(self._connection, [seq], slugs)[seq]
        target.undo([seq], note=entry.id)
        return Undone(name, 1, f"{entry.kind} {' '.join(entry.attributes)}".strip())

    def redo(self, *, surface: str | None = None) -> Undone:
        """Put back what the latest undo took, of one surface or of any. Raises NotFoundError when none holds."""
        found = history.last_undo(self._connection, None if surface is None else self.surface(surface).row.id)
        if found is None:
            raise NotFoundError("there is no undo to take back", next_step="fern undo --help")
        surface_id, seq = found
        name = next(row.name for row in surface_rows.every(self._connection) if row.id == surface_id)
        return Undone(name, self.surface(name).redo(seq), "entries")

    def event_count(self, surface: str | None = None) -> int:
        """How many events the vault, or one surface of it, has recorded and not taken back; no corrections."""
        return history.count(self._connection, None if surface is None else self.surface(surface).row.id)

    def attribute_count(self, surface: str) -> int:
        """How many attributes a surface has ever used."""
        return surface_rows.attribute_count(self._connection, self.surface(surface).row.id)

    def item_count(self, surface: str) -> int:
        """How many items a surface's item table holds."""
        return surface_rows.item_count(self._connection, self.surface(surface).row.id)

    def schema(self) -> int:
        """The schema's number."""
        return schema.VERSION

    def export(self, to: Path) -> dict[str, Any]:
        """Write the whole vault in readable form to a new folder; its manifest. See ``portable.export``."""
        now = self._clock()
        # Everything in it is of one instant.
        surfaces = [self._reach(row, lambda: now) for row in surface_rows.every(self._connection)]
        cards = ((surface, surface.card()) for surface in surfaces)
        header = {
            "exported": to_text(now),
            "vault": self.id,
            "created": to_text(self.created),
            "zone": self.zone.key,
            "schema": schema.VERSION,
        }
        return write_export(
            to,
            header,
            {
                "surfaces.jsonl": (documents.surface_document(surface) for surface in surfaces),
                "priors.jsonl": (
                    documents.prior_document(adopted) for surface in surfaces if (adopted := surface.prior) is not None
                ),
                "events.jsonl": (
                    {"surface": surface.name, **documents.journal_document(row)}
                    for surface in surfaces
                    for row in surface.journal()
                ),
                "edges.jsonl": (
                    {"surface": surface.name, **documents.view_document(view)}
                    for surface in surfaces
                    for view in surface.views()
                ),
                "cards.jsonl": (documents.card_document(card, surface.cost(card)) for surface, card in cards),
            },
        )

    def doctor(self) -> list[Finding]:
        """Check the key slots, the pages, the structure, and every edge against its journal; what is wrong."""
        slots = [Finding("slot", detail) for detail in damaged_slots(self.folder)]
        try:
            with named(self._file):
                return slots + doctor.examine(self._connection, self._clock())
        except VaultDamagedError as error:
            # After one bad page SQLCipher answers nothing more on a connection; a fresh one can name the pages.
            detail = f"{error.message}; fern lock, then fern doctor names the pages"
            return [*slots, Finding("damage", detail)]

    def sweep(self) -> int:
        """Delete the rows of edges that have faded away, and count tokens; how many went. Reading does not change."""
        swept = 0
        for surface in self.surfaces():
            swept += surface.sweep()
            surface.count_tokens()
        return swept

    def rebuild(self) -> None:
        """Make every edge again from the journal."""
        for surface in self.surfaces():
            surface.rebuild()

    def transaction(self) -> AbstractContextManager[None]:
        """One durable transaction: all of it or nothing. Raises DiskFullError, ReadOnlyError, VaultDamagedError."""
        return _Transaction(self._connection, self._file)


class _Transaction:
    __slots__ = ("_connection", "_file")

    def __init__(self, connection: Any, file: Path) -> None:
        self._connection = connection
        self._file = file

    def __enter__(self) -> None:
        with named(self._file):
            self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with named(self._file):
            if error is None:
                try:
                    self._connection.execute("COMMIT")
                except BaseException:
                    self._roll_back()
                    raise
            else:
                self._roll_back()
        if isinstance(error, Exception) and (known := translate(error, self._file)) is not None:
            raise known from error

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
