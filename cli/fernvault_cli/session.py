"""How a verb reaches the vault: the running agent, one that it starts, or (--no-agent) this very process."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol

import typer

from fernvault.errors import AlreadyRunningError, FernError, LockedError, VaultMissingError
from fernvault.vault import layout
from fernvault.vault.layout import VaultFolder
from fernvault.vault.lock import VaultLock, holder
from fernvault_cli import prompts
from fernvault_cli.calls import Call
from fernvault_cli.options import Options
from fernvault_sync.admin import AdminClient, NoAgentError
from fernvault_sync.clocks import IDLE, MAXIMUM

PATIENCE: Final = 30.0
"""Seconds that an agent which another command started is given to open the vault."""


class Session(Protocol):
    """Calls to one open vault; answers come in order of the calls."""

    def call(self, op: str, args: dict[str, Any]) -> Any:
        """One operation's result."""

    def send(self, op: str, args: dict[str, Any]) -> None:
        """Start an operation without waiting for its answer."""

    def receive(self) -> Any:
        """The next answer."""

    def close(self) -> None:
        """End the session; an agent goes on."""


class HeldSession:
    """Calls to a vault that is open in this process; its owner closes it."""

    def __init__(self, vault: Any) -> None:
        from fernvault_sync.operations import perform

        self._perform = perform
        self._vault = vault
        self._answers: deque[Any] = deque()

    def call(self, op: str, args: dict[str, Any]) -> Any:
        """One operation's result. Raises FernError."""
        return self._perform(self._vault, op, args)

    def send(self, op: str, args: dict[str, Any]) -> None:
        """Do it now, and keep the answer."""
        self._answers.append(self.call(op, args))

    def receive(self) -> Any:
        """The oldest kept answer."""
        return self._answers.popleft()

    def close(self) -> None:
        """Leave the vault as it is."""


class LocalSession(HeldSession):
    """The vault opened in this process, which holds its lock meanwhile."""

    def __init__(self, folder: VaultFolder, passphrase: str) -> None:
        from fernvault.memory import Vault
        from fernvault_sync.hardening import harden

        harden()
        self._lock = VaultLock(folder)
        self._lock.acquire()
        try:
            super().__init__(Vault.open(folder.path, passphrase))
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Close the vault and give the lock back."""
        try:
            self._vault.close()
        finally:
            self._lock.release()


def folder_of(options: Options) -> VaultFolder:
    """The vault's folder that the options name, or the platform's."""
    return VaultFolder(Path(options.vault).absolute()) if options.vault else layout.default_folder()


def running_agent(folder: VaultFolder) -> AdminClient | None:
    """A connection to the agent of a folder, or None."""
    try:
        return AdminClient(str(folder.path))
    except NoAgentError:
        return None


def open_session(options: Options) -> Session:
    """Reach the vault, asking for the passphrase if need be. Raises FernError."""
    folder = folder_of(options)
    agent = running_agent(folder)
    if not options.agent:
        if agent is not None:
            pid = agent.pid
            agent.close()
            raise AlreadyRunningError(f"the agent (process {pid}) holds the vault", pid=pid)
        require_vault(folder)
        return LocalSession(folder, prompts.passphrase(options))
    if agent is not None:
        return agent
    require_vault(folder)
    return start(folder, prompts.passphrase(options))


def start(folder: VaultFolder, passphrase: str, *, idle: float = IDLE, maximum: float = MAXIMUM) -> AdminClient:
    """Start the agent and connect to it, or to the one that was quicker; seconds for both clocks. Raises FernError."""
    from fernvault_sync.starting import start_agent

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            start_agent(folder, passphrase, idle=idle, maximum=maximum)
        except AlreadyRunningError:
            agent = _the_quicker(folder, deadline)
            if agent is None and time.monotonic() >= deadline:
                raise
        else:
            agent = running_agent(folder)
            if agent is None:
                raise LockedError("the agent was locked again at once", next_step="fern unlock")
        if agent is not None:
            return agent


def _the_quicker(folder: VaultFolder, deadline: float) -> AdminClient | None:
    """The agent that another command is starting, once it answers; None when it does not come to that.

    Raises AlreadyRunningError when no agent holds the vault, but a command run with ``--no-agent``.
    """
    while time.monotonic() < deadline:
        agent = running_agent(folder)
        if agent is not None:
            return agent
        known = holder(folder)
        if known is None:
            return None
        if known.socket is None:
            raise AlreadyRunningError(f"process {known.pid} holds the vault in {folder.path}", pid=known.pid)
        time.sleep(0.02)
    return None


def require_vault(folder: VaultFolder) -> None:
    """Raise VaultMissingError, or UnsafeFolderError, before anybody is asked for a passphrase."""
    if not layout.exists(folder):
        raise VaultMissingError(f"there is no vault in {folder.path}")
    layout.check(folder)


class Opened:
    """A session as a context manager."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._session: Session | None = None

    def __enter__(self) -> Session:
        self._session = open_session(self._options)
        return self._session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is None:
            return
        try:
            self._session.close()
        except FernError:
            # What went wrong first is the one to tell.
            if error is None:
                raise


def perform(options: Options, call: Call) -> None:
    """Make one call and show its answer. Raises typer.Exit for an answer that is bad news."""
    with Opened(options) as session:
        code = call.show(session.call(call.op, call.args), options)
    if code:
        raise typer.Exit(code)
