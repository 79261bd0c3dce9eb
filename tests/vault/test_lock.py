"""One process holds a vault; a killed one holds nothing."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fernvault.errors import AlreadyRunningError
from fernvault.vault.layout import VaultFolder
from fernvault.vault.lock import Holder, VaultLock, holder, is_alive

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from fernvault.vault.layout import VaultFolder
from fernvault.vault.lock import VaultLock
with VaultLock(VaultFolder(Path(sys.argv[1])), socket=Path("/run/x.sock")):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def _other_process(folder: VaultFolder) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD, str(folder.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


@pytest.fixture
def folder(tmp_path: Path) -> VaultFolder:
    return VaultFolder(tmp_path)


def test_while_held_the_note_names_this_process(folder: VaultFolder) -> None:
    assert holder(folder) is None
    with VaultLock(folder, socket=Path("/run/a.sock")) as lock:
        assert json.loads(folder.agent.read_bytes()) == {"pid": os.getpid(), "socket": "/run/a.sock"}
        assert holder(folder) == Holder(os.getpid(), Path("/run/a.sock"))
        lock.announce(None)
        assert holder(folder) == Holder(os.getpid(), None)
        for path in (folder.agent, folder.lock):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert holder(folder) is None
    assert not folder.agent.exists()


def test_a_second_lock_is_refused_with_the_pid_and_changes_nothing(folder: VaultFolder) -> None:
    with VaultLock(folder):
        note = folder.agent.read_bytes()
        second = VaultLock(folder)
        with pytest.raises(AlreadyRunningError) as caught:
            second.acquire()
        second.release()
        assert caught.value.pid == os.getpid()
        assert caught.value.exit_code == 8
        assert folder.agent.read_bytes() == note
    with VaultLock(folder):
        pass


def test_another_process_holds_it_until_it_is_killed(folder: VaultFolder) -> None:
    with _other_process(folder) as process:
        with pytest.raises(AlreadyRunningError, match=str(process.pid)) as caught:
            VaultLock(folder).acquire()
        assert caught.value.pid == process.pid
        assert holder(folder) == Holder(process.pid, Path("/run/x.sock"))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert folder.agent.exists()
        assert holder(folder) is None
        with VaultLock(folder):
            assert holder(folder) == Holder(os.getpid(), None)


def test_another_process_lets_go_when_it_is_done(folder: VaultFolder) -> None:
    with _other_process(folder) as process:
        process.communicate("")
        assert process.returncode == 0
    assert not folder.agent.exists()
    with VaultLock(folder):
        pass


def test_without_a_readable_note_the_refusal_names_no_pid(folder: VaultFolder) -> None:
    with VaultLock(folder):
        folder.agent.unlink()
        with pytest.raises(AlreadyRunningError) as caught:
            VaultLock(folder).acquire()
    assert caught.value.pid is None


def test_another_thread_may_release(folder: VaultFolder) -> None:
    lock = VaultLock(folder)
    lock.acquire()
    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join()
    with VaultLock(folder):
        pass


@pytest.mark.parametrize(
    "note",
    ["", "{}", "[]", "null", "7", '{"pid": 1}', '{"pid": "1", "socket": null}', '{"pid": 0, "socket": null}',
     '{"pid": -1, "socket": null}', '{"pid": true, "socket": null}', '{"pid": 1, "socket": 7}',
     '{"pid": 99999999999999999999999, "socket": null}', "[" * 5000, "\x00"],
)  # fmt: skip
def test_a_note_of_another_form_says_nobody(folder: VaultFolder, note: str) -> None:
    folder.agent.write_text(note)
    assert holder(folder) is None
    with VaultLock(folder):
        assert holder(folder) == Holder(os.getpid(), None)


def test_liveness() -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    assert not is_alive(process.pid)
    assert is_alive(os.getpid())
    assert is_alive(1)
    assert not is_alive(0)
    assert not is_alive(-1)
