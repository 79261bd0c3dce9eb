"""A person's own little world for one test: a home, a runtime folder, a vault, and the real `fern` run in it."""

from __future__ import annotations

import ctypes
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pexpect

from fernvault.event import Event
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.vault.creation import create_vault
from fernvault.vault.kdf import Kdf
from fernvault.vault.layout import VaultFolder
from fernvault_sync.admin import AdminClient, NoAgentError, RemoteError
from fernvault_sync.frame import FrameError

FERN: Final = str(Path(sys.executable).with_name("fern"))
PASSPHRASE: Final = "stapler Quokka 7 lemonade"
SURFACE: Final = "shop.example"
DEMO: Final = Path(__file__).parents[2] / "cli" / "fernvault_cli" / "demo"
LIMIT: Final = 60.0
"""Seconds after which any one command is taken to hang."""


class Result(NamedTuple):
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        """The JSON Lines on stdout."""
        return [json.loads(line) for line in self.out.splitlines()]


class World:
    """Where one person lives; ``root`` is short, so that socket paths fit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.runtime = root / "run"
        self.data = self.home / "data"
        self.vault = self.data / "fernvault"
        self.work = root / "work"
        self.secret = root / "secret"
        for folder in (self.home, self.runtime, self.data, self.work):
            folder.mkdir(mode=0o700)
        self.secret.write_text(PASSPHRASE + "\n")
        plain = root / "plain"
        plain.mkdir()
        # As most people have it, without the optional tokenizer, which takes a second to load.
        (plain / "bpe_openai.py").write_text("raise ImportError\n")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_DATA_HOME": str(self.data),
            "TMPDIR": str(root),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TZ": "UTC",
            "PYTHONPATH": str(plain),
            "FERN_PASSPHRASE_COMMAND": f"cat {self.secret}",
        }
        self.children: list[subprocess.Popen[bytes]] = []

    @property
    def folder(self) -> VaultFolder:
        """The vault's folder."""
        return VaultFolder(self.vault)

    def fern(
        self,
        *words: str,
        code: int = 0,
        stdin: bytes = b"",
        env: dict[str, str | None] | None = None,
        **options: Any,
    ) -> Result:
        """Run the command without a terminal and check its exit code and its manners."""
        done = subprocess.run(
            [FERN, *words],
            input=stdin,
            capture_output=True,
            env=self._env(env),
            cwd=self.work,
            start_new_session=True,
            timeout=LIMIT,
            check=False,
            **options,
        )
        result = Result(done.returncode, done.stdout.decode(errors="backslashreplace"), done.stderr.decode())
        assert result.code == code, result
        check_manners(result.out, result.err)
        return result

    def error(self, *words: str, code: int, stdin: bytes = b"", **options: Any) -> dict[str, str]:
        """Run the command with --json and require the one error document; its content."""
        result = self.fern("--json", *words, code=code, stdin=stdin, **options)
        assert result.err == ""
        assert result.out.count("\n") == 1
        document = result.json()
        assert list(document) == ["error"]
        assert list(document["error"]) == ["code", "message", "next"]
        assert all(isinstance(value, str) and value and "\n" not in value for value in document["error"].values())
        return dict(document["error"])

    def popen(self, *words: str, env: dict[str, str | None] | None = None, **options: Any) -> subprocess.Popen[bytes]:
        """Start the command with pipes; the test ends it."""
        settings: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "cwd": self.work,
            "start_new_session": True,
            **options,
        }
        process = subprocess.Popen([FERN, *words], env=self._env(env), **settings)
        self.children.append(process)
        return process

    def terminal(self, *words: str, env: dict[str, str | None] | None = None) -> pexpect.spawn[str]:
        """Start the command on a terminal of its own, with nothing that answers for the person."""
        changes: dict[str, str | None] = {"FERN_PASSPHRASE_COMMAND": None, **(env or {})}
        child = pexpect.spawn(
            FERN,
            list(words),
            env=self._env(changes),
            cwd=str(self.work),
            encoding="utf-8",
            timeout=LIMIT,
            dimensions=(40, 120),
        )
        child.delaybeforesend = None
        return child

    def start_agent(self, *words: str, passphrase: str = PASSPHRASE) -> subprocess.Popen[bytes]:
        """An agent that is our own child, so that its end can be waited for; returns when it is ready, or has ended."""
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "fernvault_sync.agent", "--vault", str(self.vault), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._env(None),
            cwd="/",
            start_new_session=True,
        )
        self.children.append(process)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(passphrase.encode() + b"\n")
        process.stdin.close()
        self.said = json.loads(process.stdout.readline() or b"{}")
        return process

    def client(self) -> AdminClient:
        """A connection to the running agent."""
        return AdminClient(str(self.vault))

    def agent_pid(self) -> int:
        """The running agent's process id."""
        client = self.client()
        client.close()
        return client.pid

    def lock(self) -> None:
        """End the agent, if one runs, and see it gone."""
        try:
            client = self.client()
        except NoAgentError:
            return
        try:
            client.call("lock", {})
        except (FrameError, RemoteError):
            pass
        finally:
            client.close()
        wait_gone(client.pid)

    def file(self, name: str, content: str | bytes) -> Path:
        """A file in the working folder."""
        path = self.work / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def close(self) -> None:
        """End what this world started, check that nothing stays, and remove it."""
        self.lock()
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.wait(LIMIT)
            for stream in (child.stdin, child.stdout, child.stderr):
                if stream is not None:
                    stream.close()
        try:
            # One that was told to lock a moment ago may be on its way out.
            for pid in agents_of(self.root):
                wait_gone(pid, 5)
        finally:
            for pid in agents_of(self.root):
                os.kill(pid, signal.SIGKILL)
            shutil.rmtree(self.root, ignore_errors=True)

    def _env(self, changes: dict[str, str | None] | None) -> dict[str, str]:
        merged: dict[str, str | None] = {**self.env, **(changes or {})}
        return {name: value for name, value in merged.items() if value is not None}


@contextmanager
def new_world() -> Iterator[World]:
    """A world with nothing in it."""
    world = World(Path(tempfile.mkdtemp(prefix="fv", dir="/tmp")))
    try:
        yield world
    finally:
        world.close()


@contextmanager
def filled_world() -> Iterator[World]:
    """A world with a locked vault in it that knows a little; unlocking it costs next to nothing."""
    with new_world() as world:
        shutil.copytree(_template(), world.vault)
        yield world


@cache
def _template() -> Path:
    """A vault with one surface and 60 recent events, made once per process."""
    root = Path(tempfile.mkdtemp(prefix="fvt", dir="/tmp"))
    import atexit

    atexit.register(shutil.rmtree, root, ignore_errors=True)
    path = root / "vault"
    make_vault(path)
    with Vault.open(path, PASSPHRASE) as vault:
        vault.add_surface(SURFACE).record(some_events(60, vault.now()), source="template")
    for left in ("vault.lock", "agent.json"):
        (path / left).unlink(missing_ok=True)
    return path


def make_vault(path: Path, passphrase: str = PASSPHRASE) -> str:
    """A vault whose passphrase slot is as cheap as can be; its recovery words."""
    now = time.time_ns() // 1000
    sheet = create_vault(VaultFolder(path), passphrase, zone="UTC", now=now, kdf=Kdf(64, 1, 1), allow_weak_kdf=True)
    return sheet.words


def some_events(count: int, now: int, seed: int = 1) -> list[Event]:
    """Events of the last two months, three attributes of falling frequency among them."""
    rng = random.Random(seed)
    slugs = ("pref:oat-milk", "pref:oat-milk", "pref:oat-milk", "pref:rye-bread", "pref:rye-bread", "fit:size-l")
    events = []
    for number in range(count):
        slug = rng.choice(slugs)
        at = now - rng.randrange(60 * DAY)
        events.append(Event(f"event-{seed}-{number}", at, "buy", slug.partition(":")[2], (slug,), 1.0))
    return sorted(events, key=lambda event: event.at)


def check_manners(out: str, err: str) -> None:
    """No traceback reaches a person, and nothing of Python's own, of SQLCipher's, or of a terminal's codes."""
    for text in (out, err):
        assert "Traceback" not in text, text
        assert "\x1b" not in text, text
    assert "Exception ignored" not in err, err
    assert "Warning:" not in err, err
    assert "ERROR CORE" not in err, err


def wait_gone(pid: int, limit: float = 20.0) -> None:
    """Wait for the end of a process that is not our child."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ready, _, _ = select.select([handle], [], [], limit)
    finally:
        os.close(handle)
    assert ready, f"process {pid} did not end"


def agents_of(root: Path) -> list[int]:
    """The agents that run for vaults under a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"fernvault_sync.agent" in line and os.fsencode(root) + b"/" in line:
                found.append(int(entry.name))
    return found


def without_capabilities() -> None:
    """Make a child of root obey permission bits like anybody else; call it as ``preexec_fn``."""
    libc = ctypes.CDLL(None)
    for capability in range(41):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP: gone at the next exec


def tree(folder: Path) -> dict[str, bytes]:
    """Every file under a folder with its bytes, the lock file aside, which a mere attempt to open makes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name != "vault.lock"
    }


def csv_of(rows: Sequence[tuple[str, str, str]]) -> str:
    """A csv file of (time, item, category) rows, which a guess of the mapping understands."""
    return "date,item,category\n" + "".join(f"{at},{item},{kind}\n" for at, item, kind in rows)


def many_rows(count: int, seed: int = 7) -> list[tuple[str, str, str]]:
    """Rows in rising order of time, all different."""
    rng = random.Random(seed)
    start = int(time.time()) - 200 * 86_400
    rows = []
    for number in range(count):
        moment = time.gmtime(start + number * 60)
        kind = rng.choice(("oat milk", "rye bread", "soft drinks", "dog food", "kids cereal", "candles"))
        rows.append((time.strftime("%Y-%m-%dT%H:%M:%SZ", moment), f"item-{rng.randrange(500)}", kind))
    return rows


def state(folder: Path) -> dict[str, Any]:
    """All that a vault knows, without what depends on when it was written down: journal, entries and edges."""
    with Vault.open(folder, PASSPHRASE) as vault:
        connection = vault._connection  # the state behind every door is what is compared
        for surface in vault.surfaces():
            surface.views()
        surfaces = connection.execute("SELECT id, name, preset, catalog FROM surface ORDER BY name").fetchall()
        events = connection.execute(
            "SELECT surface.name, event.id, at, kind, item, magnitude, quantity, value, undone IS NULL,"
            " (SELECT group_concat(slug) FROM (SELECT slug FROM attribute JOIN json_each(event.attributes)"
            "  ON attribute.id = json_each.value ORDER BY slug))"
            " FROM event JOIN surface ON surface.id = event.surface_id ORDER BY surface.name, event.id"
        ).fetchall()
        entries = connection.execute(
            "SELECT slug, edge_event.at, event.id, act, amount FROM edge_event"
            " JOIN attribute ON attribute.id = attribute_id JOIN event ON event.seq = edge_event.seq"
            " ORDER BY slug, edge_event.at, event.id"
        ).fetchall()
        edges = connection.execute(
            "SELECT slug, hex(traces), at, hits, fresh, first, hex(times), pinned, owner, gone, stale"
            " FROM edge JOIN attribute ON attribute.id = attribute_id ORDER BY slug"
        ).fetchall()
        assert vault.doctor() == []
    return {"surfaces": surfaces, "events": events, "entries": entries, "edges": edges}
