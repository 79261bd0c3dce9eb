"""Prior files: what is taken, and one line for what is not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fernvault.errors import InputError
from fernvault.portable.prior_file import read_prior
from fernvault.prior import Prior

GOOD: dict[str, Any] = {
    "format": "fernvault-prior", "version": 1, "surface": "shop.example", "users": 40,
    "means": {"pref:oat": 1.25, "!pref:upsells": 0.5, "ctx:morning": 9.0, "pref:none": 0.0}, "signature": "later",
}  # fmt: skip


def write(tmp_path: Path, document: object) -> Path:
    """A file with this document."""
    path = tmp_path / "prior.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def test_a_prior_is_read_without_its_context_and_its_zeros(tmp_path: Path) -> None:
    means = {"pref:oat": 1.25, "!pref:upsells": 0.5}
    assert read_prior(write(tmp_path, GOOD)) == Prior("shop.example", 40, means, None)
    assert read_prior(write(tmp_path, {**GOOD, "kappa": 0.8})).kappa == 0.8


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"}, {"version": 2}, {"users": 0}, {"users": "many"}, {"kappa": -1}, {"kappa": float("nan")},
        {"means": {"Not a slug": 1.0}}, {"means": {"pref:oat": 9.5}}, {"means": {"pref:oat": float("inf")}},
        {"means": {"pref:oat": "1"}}, {"means": [1]}, {"surface": ""},
    ],
)  # fmt: skip
def test_anything_else_is_one_line(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(InputError) as raised:
        read_prior(write(tmp_path, {**GOOD, **change}))
    assert "\n" not in raised.value.message
    assert raised.value.message.startswith("prior.json: ")


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00"])
def test_what_is_no_json_object_is_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_prior(write(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_prior(tmp_path / "none.json")


def test_a_pipe_a_device_or_a_folder_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(InputError, match="no regular file"):
            read_prior(path)
