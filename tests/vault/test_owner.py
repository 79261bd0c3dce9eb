"""The owner thread: everything on one thread, in order, and a stop that always ends."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fernvault.errors import LockedError, WrongPassphraseError
from fernvault.memory import Vault
from fernvault.vault.owner import CAPACITY, OwnerThread
from tests.vaults import PASSPHRASE

ROOT = Path(__file__).parents[2]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


class Held:
    """What the thread holds: notes which threads opened, used, interrupted and closed it."""

    def __init__(self) -> None:
        self.opened_by = threading.get_ident()
        self.used_by: set[int] = set()
        self.closed_by: int | None = None
        self.interrupts = 0
        self.released = threading.Event()

    def close(self) -> None:
        assert self.closed_by is None
        self.closed_by = threading.get_ident()

    def interrupt(self) -> None:
        assert self.closed_by is None
        self.interrupts += 1
        self.released.set()


@contextmanager
def running() -> Iterator[OwnerThread[Held]]:
    owner = OwnerThread(Held, Held.close, Held.interrupt)
    owner.start()
    try:
        yield owner
    finally:
        owner.stop()


def test_all_of_it_happens_on_one_thread_that_is_not_ours() -> None:
    with running() as owner:
        held = owner.submit(lambda it: it).result()
        ran_on = owner.submit(lambda _: threading.get_ident()).result()
        assert ran_on == held.opened_by != threading.get_ident()
    assert held.closed_by == held.opened_by


def test_a_jobs_result_or_error_reaches_its_submitter_and_the_thread_goes_on() -> None:
    def fails(_: Held) -> None:
        raise KeyError("mine")

    def leaves(_: Held) -> None:
        raise SystemExit(3)

    with running() as owner:
        with pytest.raises(KeyError, match="mine"):
            owner.submit(fails).result()
        with pytest.raises(SystemExit):
            owner.submit(leaves).result()
        assert owner.submit(lambda _: 7).result() == 7


def test_each_submitters_jobs_run_in_its_order() -> None:
    done: list[tuple[int, int]] = []

    def submitter(owner: OwnerThread[Held], me: int) -> None:
        def job(n: int) -> Callable[[Held], None]:
            return lambda _: done.append((me, n))

        futures = [owner.submit(job(n)) for n in range(300)]
        for future in futures:
            future.result()

    with running() as owner:
        threads = [threading.Thread(target=submitter, args=(owner, me)) for me in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(done) == 3_000
    for me in range(10):
        assert [n for who, n in done if who == me] == list(range(300))


@pytest.mark.parametrize("queued", [0, 5, CAPACITY, CAPACITY + 20])
def test_stop_ends_the_running_job_and_refuses_the_queued_ones(queued: int) -> None:
    owner = OwnerThread(Held, Held.close, Held.interrupt)
    owner.start()
    begun = threading.Event()

    def waits(held: Held) -> str:
        begun.set()
        held.released.wait()
        return "let go"

    running_one = owner.submit(waits)
    begun.wait()
    ran: list[int] = []
    outcomes: list[BaseException] = []

    def submitter() -> None:
        try:
            owner.submit(lambda _: ran.append(1)).result()
        except BaseException as error:  # noqa: BLE001
            outcomes.append(error)

    # More than fit wait in submit: stop must not wait for them, nor leave them waiting.
    threads = [threading.Thread(target=submitter) for _ in range(queued)]
    for thread in threads:
        thread.start()
    while owner._jobs.qsize() < min(queued, CAPACITY):
        time.sleep(0.001)
    owner.stop()
    for thread in threads:
        thread.join()
    assert running_one.result() == "let go"
    assert ran == []
    assert [type(error) for error in outcomes] == [LockedError] * queued


def test_after_stop_everything_is_refused_and_stop_may_come_again() -> None:
    with running() as owner:
        held = owner.submit(lambda it: it).result()
        owner.stop()
        closed_by = held.closed_by
        assert closed_by == held.opened_by
        for _ in range(CAPACITY + 2):
            owner.stop()
        with pytest.raises(LockedError):
            owner.submit(lambda _: 1).result(timeout=5)


def test_many_may_stop_at_once() -> None:
    with running() as owner:
        held = owner.submit(lambda it: it).result()
        threads = [threading.Thread(target=owner.stop) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert held.closed_by == held.opened_by


def test_what_opening_raises_is_raised_by_start() -> None:
    def fails() -> Held:
        raise WrongPassphraseError("no slot opens")

    owner = OwnerThread(fails, Held.close, Held.interrupt)
    with pytest.raises(WrongPassphraseError, match="no slot"):
        owner.start()
    with pytest.raises(LockedError):
        owner.submit(lambda _: 1).result(timeout=5)
    owner.stop()
    owner.stop()


def test_stop_before_start_is_a_stop() -> None:
    owner = OwnerThread(Held, Held.close, Held.interrupt)
    owner.stop()
    with pytest.raises(LockedError):
        owner.submit(lambda _: 1).result(timeout=5)
    owner.start()
    owner.stop()


def test_a_cancelled_job_never_runs_and_never_keeps_the_vault_open() -> None:
    owner = OwnerThread(Held, Held.close, Held.interrupt)
    owner.start()
    begun = threading.Event()
    ran: list[int] = []

    def waits(held: Held) -> Held:
        begun.set()
        held.released.wait()
        return held

    first = owner.submit(waits)
    begun.wait()
    futures = [owner.submit(lambda _: ran.append(1)) for _ in range(3)]
    assert all(future.cancel() for future in futures)
    owner.stop()
    held = first.result()
    assert ran == []
    assert held.closed_by == held.opened_by
    for future in futures:
        with pytest.raises(CancelledError):
            future.result(timeout=5)


def test_stop_interrupts_an_endless_query_wherever_it_comes_in(folder: Path) -> None:
    for delay in (0.0, 0.0, 0.0, 0.001, 0.01):
        owner = OwnerThread(lambda: Vault.open(folder, PASSPHRASE), Vault.close, Vault.interrupt)
        owner.start()
        endless = owner.submit(lambda vault: vault._connection.execute(ENDLESS).fetchall())
        with pytest.raises(FutureTimeoutError):
            endless.result(timeout=delay)
        owner.stop()
        with pytest.raises(Exception, match=r"interrupted|locked"):
            endless.result(timeout=5)
    with Vault.open(folder, PASSPHRASE) as vault:
        assert vault.doctor() == []


def test_an_interrupted_transaction_is_undone_and_has_a_name(folder: Path) -> None:
    owner = OwnerThread(lambda: Vault.open(folder, PASSPHRASE), Vault.close, Vault.interrupt)
    owner.start()
    begun = threading.Event()

    def job(vault: Vault) -> None:
        with vault.transaction():
            vault._connection.execute("INSERT INTO source (name) VALUES ('half')")
            begun.set()
            vault._connection.execute(ENDLESS).fetchall()

    future = owner.submit(job)
    begun.wait()
    owner.stop()
    with pytest.raises(LockedError):
        future.result()
    with Vault.open(folder, PASSPHRASE) as vault:
        assert vault._connection.execute("SELECT count(*) FROM source").fetchone() == (0,)


# The process must end by itself, with code 0: a connection closed under a running statement ends it otherwise.
HAMMER = """
import sys, threading
from pathlib import Path
from fernvault.errors import FernError, LockedError
from fernvault.event import Event
from fernvault.memory import Vault
from fernvault.vault.owner import OwnerThread

folder, passphrase, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
made = 0

def write(round, me, n):
    def job(vault):
        name = f"s{me}"
        if not any(surface.name == name for surface in vault.surfaces()):
            vault.add_surface(name)
        event = Event(f"{round}-{me}-{n}", 1_700_000_000_000_000 + n, "buy", None, ("pref:oat", f"pref:n{n % 7}"), 1.0)
        vault.surface(name).record([event], source="hammer")
        vault.surface(name).card()
        return event.id
    return job

acknowledged = {me: set() for me in range(8)}

def hammer(owner, round, me, started):
    n = 0
    while True:
        try:
            acknowledged[me].add(owner.submit(write(round, me, n)).result())
        except LockedError:
            return
        except Exception as error:
            assert "interrupt" in str(error), error
        n += 1
        started.release()

for round in range(rounds):
    owner = OwnerThread(lambda: Vault.open(folder, passphrase), Vault.close, Vault.interrupt)
    owner.start()
    started = threading.Semaphore(0)
    threads = [threading.Thread(target=hammer, args=(owner, round, me, started)) for me in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(round % 5):
        started.acquire()
    owner.stop()
    for thread in threads:
        thread.join()

with Vault.open(folder, passphrase) as vault:
    assert vault.doctor() == []
    for surface in vault.surfaces():
        written = {row.id for row in surface.journal()}
        missing = acknowledged[int(surface.name[1:])] - written
        assert not missing, missing
    print(sum(map(len, acknowledged.values())), vault.event_count())
"""


def test_fifty_stops_under_eight_hammering_threads_lose_nothing_acknowledged(folder: Path) -> None:
    command: list[Any] = [sys.executable, "-X", "faulthandler", "-c", HAMMER, folder, PASSPHRASE, "50"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    acknowledged, written = map(int, done.stdout.split())
    assert 0 < acknowledged <= written
