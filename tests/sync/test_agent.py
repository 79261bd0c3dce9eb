"""The agent as a process: it answers its owner, survives strangers, and locks itself whatever is going on."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fernvault.memory import Vault
from fernvault.vault.lock import VaultLock
from fernvault_sync import agent as agent_module
from fernvault_sync import frame
from fernvault_sync.admin import AdminClient, NoAgentError, RemoteError
from fernvault_sync.frame import FrameError
from tests.cli.support import PASSPHRASE, SURFACE, World, filled_world


@pytest.fixture
def world() -> Iterator[World]:
    with filled_world() as made:
        yield made


@pytest.fixture(scope="module")
def shared() -> Iterator[World]:
    with filled_world() as made:
        made.start_agent()
        yield made


def _events(prefix: str, count: int) -> list[dict[str, Any]]:
    now = time.time_ns() // 1000
    return [
        {"id": f"{prefix}-{n}", "at": now - (count - n) * 1_000_000, "item": f"i{n % 50}",
         "attributes": [f"pref:a{n % 40}", "pref:all"]}
        for n in range(count)
    ]  # fmt: skip


def _record(client: AdminClient, prefix: str, count: int) -> list[str]:
    answers = client.call("record", {"surface": SURFACE, "events": _events(prefix, count), "source": "test"})
    return [answer["id"] for answer in answers if answer["status"] == "recorded"]


def _ids(world: World) -> set[str]:
    with Vault.open(world.vault, PASSPHRASE) as vault:
        assert vault.doctor() == []
        return {row.id for row in vault.surface(SURFACE).journal()}


def _is_locked_cleanly(world: World) -> None:
    """The log is folded in, the socket and the note are gone, the lock is free."""
    wal = world.vault / "vault.db-wal"
    assert not wal.exists() or wal.stat().st_size == 0
    assert not (world.vault / "agent.json").exists()
    assert list(world.runtime.rglob("*.sock")) == []
    with VaultLock(world.folder):
        pass
    with pytest.raises(NoAgentError):
        world.client()


def _raw(world: World) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(json.loads((world.vault / "agent.json").read_text())["socket"])
    return connection


def _error(world: World, request: Any) -> dict[str, Any]:
    with closing(_raw(world)) as connection:
        connection.sendall(frame.encode(request))
        size = struct.unpack(">I", connection.recv(4, socket.MSG_WAITALL))[0]
        answer = json.loads(connection.recv(size, socket.MSG_WAITALL))
        assert set(answer) == {"error"}
        assert set(answer["error"]) == {"code", "message", "next", "exit"}
        return dict(answer["error"])


# --- what it is asked ---


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"v": frame.VERSION, "op": "dance", "args": {}}, "usage"),
        ({"v": frame.VERSION, "op": "__class__", "args": {}}, "usage"),
        ({"v": frame.VERSION + 1, "op": "status", "args": {}}, "usage"),
        ({"op": "status", "args": {}}, "usage"),
        ({"v": frame.VERSION, "op": "status", "args": []}, "usage"),
        ({"v": frame.VERSION, "op": "status", "args": "x"}, "usage"),
        ({"v": frame.VERSION, "op": "status"}, "usage"),
        ({"v": frame.VERSION, "op": 5, "args": {}}, "usage"),
        ({"v": frame.VERSION, "op": None, "args": {}}, "usage"),
        ({"v": frame.VERSION, "op": "status", "args": {"more": 1}}, "usage"),
        ({"v": frame.VERSION, "op": "card", "args": {"surface": 5}}, "usage"),
        ({"v": frame.VERSION, "op": "card", "args": {"surface": "x" * 500}}, "usage"),
        ({"v": frame.VERSION, "op": "card", "args": {}}, "usage"),
        ({"v": frame.VERSION, "op": "card", "args": {"vault": "x", "surface": "s"}}, "failed"),
        ({"v": frame.VERSION, "op": "record", "args": {"surface": SURFACE, "events": [{}] * 1001, "source": "t"}},
         "usage"),
        ([], "usage"), ("status", "usage"), (None, "usage"), (7, "usage"), ({}, "usage"),
    ],
)  # fmt: skip
def test_a_call_that_is_none_is_refused_and_the_connection_goes_on(shared: World, request_: Any, code: str) -> None:
    assert _error(shared, request_)["code"] in (code, "usage")
    client = shared.client()
    assert client.call("status", {})["state"] == "unlocked"
    with pytest.raises(RemoteError):
        client.call("dance", {})
    assert client.call("status", {})["events"] == 60
    client.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=64),
        st.binary(max_size=40).map(lambda body: len(body).to_bytes(4, "big") + body),
        st.integers(frame.MAX_FRAME + 1, 2**32 - 1).map(lambda size: size.to_bytes(4, "big") + b"{}"),
        st.integers(1, 2000).map(lambda size: size.to_bytes(4, "big") + b"{"),
    )
)
def test_bytes_that_are_no_frame_end_the_connection_and_nothing_else(shared: World, sent: bytes) -> None:
    with closing(_raw(shared)) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        said = b""
        while part := connection.recv(4096):
            said += part
    assert b"Traceback" not in said
    client = shared.client()
    assert client.call("status", {})["events"] == 60
    client.close()


def test_an_answer_over_the_limit_is_an_error_and_not_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "MAX_FRAME", 1000)
    told = frame.decode(agent_module._encoded({"ok": "x" * 2000})[frame.HEADER :])
    assert told["error"]["code"] == "failed"
    assert "--no-agent" in told["error"]["next"]
    assert frame.decode(agent_module._encoded({"ok": 1})[frame.HEADER :]) == {"ok": 1}


def test_more_connections_than_it_takes(shared: World) -> None:
    held = [_raw(shared) for _ in range(agent_module.MAX_CONNECTIONS + 8)]
    closed = 0
    for connection in held:
        connection.setblocking(False)
    for connection in held[agent_module.MAX_CONNECTIONS :]:
        connection.settimeout(30)
        closed += connection.recv(1) == b""
    assert closed == 8
    for connection in held:
        connection.close()
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with closing(shared.client()) as client, suppress(FrameError):
            assert client.call("status", {})["events"] == 60
            return
    raise AssertionError("it takes no connection any more")


STRANGER = """
import os, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(30)
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    connection.connect(sys.argv[1])
    connection.sendall(bytes.fromhex(sys.argv[2]))
    print("answered" if connection.recv(1) else "hung up")
except (PermissionError, BrokenPipeError, ConnectionResetError) as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_gets_no_answer(world: World) -> None:
    world.start_agent()
    place = Path(json.loads((world.vault / "agent.json").read_text())["socket"])
    call = frame.encode({"v": frame.VERSION, "op": "status", "args": {}}).hex()

    def ask() -> str:
        done = subprocess.run(
            [sys.executable, "-c", STRANGER, str(place), call], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    assert ask() == "PermissionError", "the folder and the socket are closed to others"
    # Even with both open to all, the kernel tells the agent who it is.
    place.chmod(0o777)
    for folder in (place.parent, *place.parent.parents):
        if str(folder).startswith(str(world.root)):
            folder.chmod(0o755)
    assert ask() in ("hung up", "ConnectionResetError", "BrokenPipeError")
    client = world.client()
    assert client.call("status", {})["state"] == "unlocked"
    client.close()


# --- locking ---


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_locks_cleanly(world: World, name: str) -> None:
    process = world.start_agent()
    client = world.client()
    acknowledged = _record(client, "e", 100)
    process.send_signal(signal.Signals[name])
    assert process.wait(30) == 0
    client.close()
    _is_locked_cleanly(world)
    assert set(acknowledged) <= _ids(world)


def test_asking_for_the_lock_is_answered_when_it_is_locked(world: World) -> None:
    process = world.start_agent()
    client = world.client()
    _record(client, "e", 10)
    assert client.call("lock", {}) == {"state": "locked"}
    _is_locked_cleanly(world)
    assert process.wait(30) == 0
    client.close()


def test_several_may_ask_at_once(world: World) -> None:
    process = world.start_agent()
    clients = [world.client() for _ in range(5)]
    for client in clients:
        client.send("lock", {})
    assert [client.receive() for client in clients] == [{"state": "locked"}] * 5
    assert process.wait(30) == 0
    for client in clients:
        client.close()


def test_one_that_never_reads_its_answer_holds_nothing_up(world: World) -> None:
    process = world.start_agent()
    silent = _raw(world)
    for _ in range(2_000):
        try:
            silent.setblocking(False)
            silent.sendall(frame.encode({"v": frame.VERSION, "op": "ls", "args": {"surface": SURFACE}}))
        except BlockingIOError:
            break
    client = world.client()
    assert client.call("lock", {}) == {"state": "locked"}
    client.close()
    assert process.wait(30) == 0
    silent.close()


def test_an_idle_agent_locks_itself(world: World) -> None:
    started = time.monotonic()
    process = world.start_agent("--idle", "0.7")
    ready = time.monotonic()
    assert process.wait(30) == 0
    assert time.monotonic() - ready >= 0.5
    assert time.monotonic() - started >= 0.7
    _is_locked_cleanly(world)


def test_work_winds_the_idle_clock_and_looking_does_not(world: World) -> None:
    process = world.start_agent("--idle", "1.5")
    client = world.client()
    end = time.monotonic() + 3.0
    while time.monotonic() < end:
        assert client.call("card", {"surface": SURFACE, "at": None})["surface"] == SURFACE
    assert process.poll() is None
    looked = 0
    with pytest.raises((FrameError, RemoteError)):
        while True:
            left = client.call("status", {})["locks_in"]["idle"]
            assert left <= 2
            looked += 1
    assert looked > 3
    assert process.wait(30) == 0
    client.close()


def test_the_longest_time_counts_however_busy_it_is(world: World) -> None:
    process = world.start_agent("--idle", "60", "--max", "1.2")
    client = world.client()
    acknowledged: list[str] = []
    with pytest.raises((FrameError, RemoteError)):
        for number in range(100_000):
            acknowledged += _record(client, f"b{number}", 20)
    assert process.wait(30) == 0
    client.close()
    _is_locked_cleanly(world)
    assert acknowledged
    assert set(acknowledged) <= _ids(world)


@pytest.mark.parametrize("op", ["doctor", "rebuild"])
def test_locking_in_the_middle_of_a_long_operation(world: World, op: str) -> None:
    process = world.start_agent()
    client = world.client()
    acknowledged: list[str] = []
    for number in range(8):
        acknowledged += _record(client, f"b{number}", 1000)
    client.send("doctor", {"rebuild": op == "rebuild"})
    other = world.client()
    started = time.monotonic()
    assert other.call("lock", {}) == {"state": "locked"}
    assert process.wait(60) == 0
    assert time.monotonic() - started < 30
    try:
        client.receive()
    except RemoteError as error:
        assert error.document["code"] == "locked"
    except FrameError:
        pass
    client.close()
    other.close()
    _is_locked_cleanly(world)
    assert set(acknowledged) <= _ids(world)


@pytest.mark.parametrize("how", ["lock", "SIGTERM"])
def test_locking_while_eight_clients_write(world: World, how: str) -> None:
    process = world.start_agent()
    acknowledged: list[list[str]] = [[] for _ in range(8)]
    ended: list[str] = []
    under_way = threading.Barrier(9, timeout=30)

    def hammer(number: int) -> None:
        client = world.client()
        for turn in range(100_000):
            if turn == 3:
                under_way.wait()
            try:
                acknowledged[number] += _record(client, f"c{number}-{turn}", 10)
                client.call("card", {"surface": SURFACE})
            except RemoteError as error:
                ended.append(error.document["code"])
                break
            except FrameError:
                ended.append("hung up")
                break
        client.close()

    threads = [threading.Thread(target=hammer, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    under_way.wait()
    if how == "lock":
        client = world.client()
        assert client.call("lock", {}) == {"state": "locked"}
        client.close()
    else:
        process.terminate()
    assert process.wait(60) == 0
    for thread in threads:
        thread.join(30)
    assert len(ended) == 8
    assert set(ended) <= {"locked", "hung up"}
    _is_locked_cleanly(world)
    known = _ids(world)
    for written in acknowledged:
        assert written
        assert set(written) <= known
