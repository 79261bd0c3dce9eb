"""A prior as a JSON file from outside: checked once, here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fernvault.attribute import CONTEXT, PATTERN, namespace
from fernvault.edge import CEILING
from fernvault.errors import InputError
from fernvault.prior import Prior

LARGEST: Final = 16 << 20
"""Bytes; a vocabulary of 100,000 attributes takes a fifth of it."""

_NEXT: Final = "ask the surface's operator for its prior file"
_Slug = Annotated[str, Field(pattern=rf"^(?:{PATTERN})$", max_length=66)]


class _Document(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    format: Literal["fernvault-prior"]
    version: Literal[1]
    surface: Annotated[str, Field(min_length=1, max_length=64)]
    users: Annotated[int, Field(ge=1, lt=2**53)]
    kappa: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = None
    means: dict[_Slug, Annotated[float, Field(ge=0, le=CEILING, allow_inf_nan=False)]]


def read_prior(path: Path) -> Prior:
    """The prior in a file. Context attributes are left out: they are nobody's taste. Raises InputError, one line."""
    if path.exists() and not path.is_file():
        # A pipe or a device would hold up whoever waits for the vault.
        raise InputError(f"cannot read {path}: it is no regular file", next_step=_NEXT)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step=_NEXT) from None
    if len(content) > LARGEST:
        raise InputError(f"{path.name}: larger than a prior can be ({LARGEST >> 20} MiB)", next_step=_NEXT)
    try:
        found = _Document.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(ascii(str(part))[1:-1][:80] for part in first["loc"])
        raise InputError(f"{path.name}: {where or 'the file'}: {first['msg']}", next_step=_NEXT) from None
    means = {name: mean for name, mean in found.means.items() if namespace(name) != CONTEXT and mean > 0.0}
    return Prior(found.surface, found.users, means, found.kappa)
