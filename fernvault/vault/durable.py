"""Files that a crash leaves whole: the old content or the new one, and nothing between."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def replace(path: Path, content: bytes) -> None:
    """Write ``path`` with mode 0600 in one step that lasts through a power cut. Raises OSError, nothing changed."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make what was last renamed, made or removed in ``folder`` last through a power cut. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
