"""Names for the shell's Tab key, from a running agent only: completing must never ask for a passphrase."""

from __future__ import annotations

from typing import Any

from fernvault_cli.options import take


def complete_surface(incomplete: str) -> list[str]:
    """Surfaces that begin so."""
    return [row["surface"] for row in _ask("surface.list", {}) if row["surface"].startswith(incomplete)]


def complete_attribute(ctx: Any, incomplete: str) -> list[str]:
    """Attributes of the surface already typed that begin so."""
    rows = _ask("ls", {"surface": ctx.params.get("surface") or ""})
    return [row["attribute"] for row in rows if row["attribute"].startswith(incomplete)]


def _ask(op: str, args: dict[str, Any]) -> list[Any]:
    from fernvault_cli.session import folder_of, running_agent
    from fernvault_sync.admin import RemoteError
    from fernvault_sync.frame import FrameError

    options, _ = take([])
    agent = running_agent(folder_of(options))
    if agent is None:
        return []
    try:
        return list(agent.call(op, args))
    except (RemoteError, FrameError):
        return []
    finally:
        agent.close()
