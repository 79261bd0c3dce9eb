"""The key slots: what opens them, and that every change to vault.keys is told from a wrong passphrase."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from hypothesis import given, settings
from hypothesis import strategies as st

from fernvault.errors import (
    ExistsError,
    FernError,
    InputError,
    KeysMissingError,
    SlotTamperedError,
    VaultMissingError,
    VaultTooNewError,
    WrongPassphraseError,
)
from fernvault.vault import recovery, seal, slots
from fernvault.vault.kdf import FLOOR, Kdf
from fernvault.vault.layout import VaultFolder

CHEAP = Kdf(64, 1, 1)
PASSPHRASE = "na\u00efve caf\u00e9 1987"
WORDS = (
    "void come effort suffer camp survey warrior heavy shoot primary clutch crush "
    "open amazing screen patrol group space point ten exist slush involve unfold"
)
OTHER_WORDS = "zoo " * 23 + "vote"
VAULT = "0123456789abcdef" * 2


def _make(path: Path, *, vault_id: str = VAULT, words: str = WORDS) -> tuple[VaultFolder, bytes]:
    path.mkdir(mode=0o700)
    folder = VaultFolder(path)
    secret = slots.create_keys(folder, PASSPHRASE, words, kdf=CHEAP, vault_id=vault_id, allow_weak=True)
    return folder, bytes(secret)


@pytest.fixture
def made(tmp_path: Path) -> tuple[VaultFolder, bytes]:
    return _make(tmp_path / "v")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[VaultFolder, bytes, bytes]:
    folder, secret = _make(tmp_path_factory.mktemp("slots") / "v")
    return folder, secret, folder.keys.read_bytes()


def _edit(folder: VaultFolder, change: Callable[[dict[str, Any]], object], *, checksums: bool = False) -> None:
    """Change the document as somebody would who can write the file; ``checksums``: and who knows its format."""
    document = json.loads(folder.keys.read_bytes())
    change(document)
    if checksums:
        for slot in document["slots"]:
            fields = {name: value for name, value in slot.items() if name != "checksum"}
            whole = {"version": 1, "vault": document["vault"], **fields}
            slot["checksum"] = hashlib.sha256(_canonical(whole)).hexdigest()
    folder.keys.write_text(json.dumps(document))


def _canonical(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()


def _hkdf(key: bytes, info: bytes, salt: bytes, length: int) -> bytes:
    """RFC 5869 for up to 32 bytes, apart from the library's."""
    extracted = hmac.digest(salt or bytes(32), key, "sha256")
    return hmac.digest(extracted, info + b"\1", "sha256")[:length]


def test_hkdf_is_that_of_rfc_5869() -> None:
    key = bytearray(b"\x0b" * 22)
    salt, info = bytes(range(13)), bytes(range(0xF0, 0xFA))
    assert seal.expand(key, info, salt=salt, length=42).hex() == (
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    )
    assert _hkdf(bytes(key), info, salt, 32).hex() == (
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
    )


def test_either_slot_gives_the_secret(made: tuple[VaultFolder, bytes]) -> None:
    folder, secret = made
    assert len(secret) == 32
    assert slots.unlock_with_passphrase(folder, PASSPHRASE) == secret
    assert slots.unlock_with_words(folder, WORDS.upper()) == secret
    assert isinstance(slots.unlock_with_words(folder, WORDS), bytearray)
    assert slots.damaged_slots(folder) == []


def test_two_vaults_share_nothing(tmp_path: Path) -> None:
    (first, one), (second, two) = _make(tmp_path / "a"), _make(tmp_path / "b")
    assert one != two
    left, right = (json.loads(folder.keys.read_bytes())["slots"] for folder in (first, second))
    for name in ("salt", "verifier", "wrapped", "checksum"):
        assert len({slot[name] for slot in (*left, *right)}) == 4


def test_the_file_can_be_opened_by_its_description_alone(made: tuple[VaultFolder, bytes]) -> None:
    folder, secret = made
    document = json.loads(folder.keys.read_bytes())
    for slot in document["slots"]:
        salt = base64.b64decode(slot["salt"])
        if slot["type"] == "passphrase":
            key = Argon2id(salt=salt, length=32, iterations=1, lanes=1, memory_cost=64).derive(PASSPHRASE.encode())
        else:
            key = bytes.fromhex("f585c11aec520db57dd353c69554b21a89b20fb0650966fa0a9d6f74fd989d8f")
        purpose = f"fern/slot/{slot['type']}/".encode()
        header = {"version": 1, "vault": VAULT, "type": slot["type"], "kdf": slot["kdf"], "salt": slot["salt"]}
        wrapping = _hkdf(key, purpose + b"wrap", salt, 32)
        wrapped = base64.b64decode(slot["wrapped"])
        assert ChaCha20Poly1305(wrapping).decrypt(bytes(12), wrapped, _canonical(header)) == secret
        assert base64.b64decode(slot["verifier"]) == _hkdf(key, purpose + b"verify", salt, 16)


def test_the_database_key_is_hkdf_of_the_secret(made: tuple[VaultFolder, bytes]) -> None:
    _, secret = made
    assert slots.database_key(bytearray(secret)) == _hkdf(secret, b"fern/db", b"", 32)


def test_the_file_is_private_and_holds_no_secret(made: tuple[VaultFolder, bytes]) -> None:
    folder, secret = made
    assert stat.S_IMODE(folder.keys.stat().st_mode) == 0o600
    content = folder.keys.read_bytes()
    key = recovery.secret_from_words(WORDS)
    for hidden in (secret, bytes(key), bytes(slots.database_key(bytearray(secret)))):
        assert hidden not in content
        assert base64.b64encode(hidden) not in content
        assert hidden.hex().encode() not in content
    assert b"1987" not in content


@pytest.mark.parametrize("spelling", ["nai\u0308ve cafe\u0301 1987", "na\u00efve caf\u00e9 \uff11\uff19\uff18\uff17"])
def test_every_spelling_of_the_passphrase_opens(made: tuple[VaultFolder, bytes], spelling: str) -> None:
    folder, secret = made
    assert slots.unlock_with_passphrase(folder, spelling) == secret


@pytest.mark.parametrize(
    "wrong", ["", " ", "naive cafe 1987", PASSPHRASE + " ", PASSPHRASE.upper(), "x" * 10_000, "\0"]
)
def test_a_wrong_passphrase_is_said_plainly(made: tuple[VaultFolder, bytes], wrong: str) -> None:
    folder, _ = made
    before = folder.keys.read_bytes()
    with pytest.raises(WrongPassphraseError) as caught:
        slots.unlock_with_passphrase(folder, wrong)
    assert caught.value.exit_code == 4
    assert folder.keys.read_bytes() == before


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_no_other_text_opens(shared: tuple[VaultFolder, bytes, bytes], text: str) -> None:
    with pytest.raises((WrongPassphraseError, InputError)):
        slots.unlock_with_passphrase(shared[0], text)


def test_the_words_of_another_vault_are_wrong_and_bad_words_are_input(made: tuple[VaultFolder, bytes]) -> None:
    folder, _ = made
    with pytest.raises(WrongPassphraseError, match="recovery words"):
        slots.unlock_with_words(folder, OTHER_WORDS)
    with pytest.raises(InputError, match="word 1"):
        slots.unlock_with_words(folder, WORDS.replace("void", "voiid"))


def test_every_changed_byte_is_an_error_of_ours_or_changes_nothing(
    shared: tuple[VaultFolder, bytes, bytes], tmp_path: Path
) -> None:
    _, secret, content = shared
    folder = VaultFolder(tmp_path)
    folder.db.touch()
    opened = 0
    for place, byte in enumerate(content):
        for other in {byte ^ 1, byte ^ 0x20, byte ^ 0x80, ord("0"), ord(" ")} - {byte}:
            folder.keys.write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
            ways: list[Callable[[], bytearray]] = [
                lambda: slots.unlock_with_passphrase(folder, PASSPHRASE),
                lambda: slots.unlock_with_words(folder, WORDS),
            ]
            for way in ways:
                try:
                    assert way() == secret
                    opened += 1
                except (SlotTamperedError, VaultTooNewError) as error:
                    assert "vault.keys" in error.message
                    assert "\n" not in error.message
    # One slot's damage leaves the other usable.
    assert opened > len(content)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_cut_and_inserted_bytes_are_errors_of_ours(
    shared: tuple[VaultFolder, bytes, bytes], data: st.DataObject
) -> None:
    original, secret, content = shared
    folder = VaultFolder(original.path.parent / "edited")
    folder.path.mkdir(exist_ok=True)
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    folder.keys.write_bytes(content[:start] + data.draw(st.binary(max_size=20)) + content[end:])
    try:
        assert slots.unlock_with_passphrase(folder, PASSPHRASE) == secret
    except FernError as error:
        assert isinstance(error, SlotTamperedError | VaultTooNewError)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 60_000,
        b" " * 70_000,
        b'{"version": NaN, "vault": "x", "slots": []}',
        b'{"version": true, "vault": "x", "slots": []}',
        b'{"version": 1.0, "vault": "x", "slots": []}',
        b'{"version": 0, "vault": "x", "slots": []}',
        b'{"version": -3, "vault": "x", "slots": []}',
        b'{"version": 1, "vault": 5, "slots": []}',
        b'{"version": 1, "vault": "x", "slots": []}',
        b'{"version": 1, "vault": "x", "slots": [3]}',
        b'{"version": 1, "vault": "x", "slots": {}}',
        b'{"version": 1, "vault": "x"}',
        b'{"version": 1, "vault": "x", "slots": [{"type": "passphrase"}]}',
        b'{"version": 1, "vault": "x", "slots": [], "more": 1}',
        b'{"version": 1, "vault": "x", "slots": [], "\\u001b[2J\\ud800\\n": 1}',
        b'{"version": 1, "vault": "x", "slots": [], "' + b"long" * 500 + b'": 1}',
        b'{"version": 1, "vault": "\\ud800", "slots": []}',
        b'{"version": 1, "version": 1, "vault": "x", "slots": []}',
        b'{"version": 1' + b"0" * 5000 + b', "vault": "x", "slots": []}',
    ],
)
def test_what_is_no_keys_file_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    folder = VaultFolder(tmp_path)
    folder.keys.write_bytes(content)
    with pytest.raises(SlotTamperedError) as caught:
        slots.unlock_with_passphrase(folder, PASSPHRASE)
    assert caught.value.message.startswith("vault.keys was changed or damaged: ")
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 200


def test_a_folder_in_the_place_of_the_keys(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path)
    folder.keys.mkdir()
    with pytest.raises(SlotTamperedError, match="folder"):
        slots.read_keys(folder)


def test_a_newer_file_is_too_new_whatever_else_it_holds(made: tuple[VaultFolder, bytes]) -> None:
    folder, _ = made
    _edit(folder, lambda document: document.update(version=2, slots="of another form"))
    with pytest.raises(VaultTooNewError):
        slots.unlock_with_passphrase(folder, PASSPHRASE)


def test_missing_keys_are_told_from_a_missing_vault(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path / "none")
    with pytest.raises(VaultMissingError):
        slots.unlock_with_passphrase(folder, PASSPHRASE)
    assert not folder.path.exists()
    folder.path.mkdir()
    folder.db.write_bytes(b"x")
    with pytest.raises(KeysMissingError) as caught:
        slots.unlock_with_passphrase(folder, PASSPHRASE)
    assert caught.value.exit_code == 6
    assert [entry.name for entry in folder.path.iterdir()] == ["vault.db"]


LOWERED: list[dict[str, object]] = [
    {"memory_kib": 32},
    {"passes": 0},
    {"lanes": -1},
    {"memory_kib": 2**40},
    {"passes": 10**9},
    {"lanes": 65},
    {"memory_kib": "64"},
]


@pytest.mark.parametrize("change", LOWERED)
def test_a_changed_cost_is_seen_before_anything_is_derived(
    made: tuple[VaultFolder, bytes], change: dict[str, object]
) -> None:
    folder, secret = made
    _edit(folder, lambda document: document["slots"][0]["kdf"].update(change))
    with pytest.raises(SlotTamperedError):
        slots.unlock_with_passphrase(folder, PASSPHRASE)
    assert slots.unlock_with_words(folder, WORDS) == secret
    assert len(slots.damaged_slots(folder)) == 1


@pytest.mark.parametrize("change", LOWERED[1:6])
def test_an_absurd_cost_is_refused_though_its_checksum_fits(
    made: tuple[VaultFolder, bytes], change: dict[str, object]
) -> None:
    folder, _ = made
    _edit(folder, lambda document: document["slots"][0]["kdf"].update(change), checksums=True)
    with pytest.raises(SlotTamperedError, match=r"absurd|no such"):
        slots.unlock_with_passphrase(folder, PASSPHRASE)


def test_a_lowered_cost_with_a_fitting_checksum_opens_nothing(made: tuple[VaultFolder, bytes]) -> None:
    folder, _ = made
    _edit(folder, lambda document: document["slots"][0]["kdf"].update(memory_kib=32), checksums=True)
    with pytest.raises(WrongPassphraseError):
        slots.unlock_with_passphrase(folder, PASSPHRASE)


@pytest.mark.parametrize("field", ["verifier", "wrapped"])
@pytest.mark.parametrize("checksums", [False, True])
def test_a_changed_field_is_tampering_and_not_a_wrong_passphrase(
    made: tuple[VaultFolder, bytes], field: str, checksums: bool
) -> None:
    folder, _ = made

    def flip(document: dict[str, Any]) -> None:
        for slot in document["slots"]:
            raw = bytearray(base64.b64decode(slot[field]))
            raw[3] ^= 16
            slot[field] = base64.b64encode(raw).decode()

    _edit(folder, flip, checksums=checksums)
    with pytest.raises(SlotTamperedError):
        slots.unlock_with_passphrase(folder, PASSPHRASE)
    with pytest.raises(SlotTamperedError):
        slots.unlock_with_words(folder, WORDS)


@pytest.mark.parametrize("field", ["salt", "verifier", "wrapped"])
@pytest.mark.parametrize("value", ["", "AAAA", "not base64!", "A", "AAAA" * 40])
def test_a_field_of_another_length_is_tampering(made: tuple[VaultFolder, bytes], field: str, value: str) -> None:
    folder, _ = made
    _edit(folder, lambda document: document["slots"][0].update({field: value}), checksums=True)
    with pytest.raises(SlotTamperedError, match=r"base64|wrong length"):
        slots.unlock_with_passphrase(folder, PASSPHRASE)


@pytest.mark.parametrize("checksums", [False, True])
@pytest.mark.parametrize("which", [0, 1])
def test_a_slot_moved_from_another_vault_is_tampering(tmp_path: Path, checksums: bool, which: int) -> None:
    (folder, _), (other, _) = _make(tmp_path / "a"), _make(tmp_path / "b", vault_id="f" * 32)
    foreign = json.loads(other.keys.read_bytes())["slots"][which]
    _edit(folder, lambda document: document["slots"].__setitem__(which, foreign), checksums=checksums)
    with pytest.raises(SlotTamperedError):
        if which:
            slots.unlock_with_words(folder, WORDS)
        else:
            slots.unlock_with_passphrase(folder, PASSPHRASE)


def test_the_whole_file_under_another_vault_id_is_tampering(made: tuple[VaultFolder, bytes]) -> None:
    folder, _ = made
    _edit(folder, lambda document: document.update(vault="f" * 32), checksums=True)
    with pytest.raises(SlotTamperedError):
        slots.unlock_with_passphrase(folder, PASSPHRASE)


def test_a_slot_that_is_twice_or_not_there_is_tampering(made: tuple[VaultFolder, bytes]) -> None:
    folder, secret = made
    _edit(folder, lambda document: document["slots"].append(document["slots"][0]))
    with pytest.raises(SlotTamperedError, match="2 passphrase slots"):
        slots.unlock_with_passphrase(folder, PASSPHRASE)
    _edit(folder, lambda document: document.update(slots=document["slots"][1:2]))
    with pytest.raises(SlotTamperedError, match="0 passphrase slots"):
        slots.unlock_with_passphrase(folder, PASSPHRASE)
    assert slots.unlock_with_words(folder, WORDS) == secret


def test_a_new_passphrase_replaces_the_old_one_only(made: tuple[VaultFolder, bytes]) -> None:
    folder, secret = made
    recovery_slot = json.loads(folder.keys.read_bytes())["slots"][1]
    slots.replace_passphrase(folder, bytearray(secret), "another one", kdf=CHEAP, allow_weak=True)
    assert slots.unlock_with_passphrase(folder, "another one") == secret
    with pytest.raises(WrongPassphraseError):
        slots.unlock_with_passphrase(folder, PASSPHRASE)
    assert slots.unlock_with_words(folder, WORDS) == secret
    assert json.loads(folder.keys.read_bytes())["slots"][1] == recovery_slot
    assert stat.S_IMODE(folder.keys.stat().st_mode) == 0o600
    assert [entry.name for entry in folder.path.iterdir()] == ["vault.keys"]


def test_the_words_mend_a_damaged_passphrase_slot(made: tuple[VaultFolder, bytes]) -> None:
    folder, _ = made
    _edit(folder, lambda document: document["slots"][0].update(type="passphrasf"))
    secret = slots.unlock_with_words(folder, WORDS)
    slots.replace_passphrase(folder, secret, "another one", kdf=CHEAP, allow_weak=True)
    assert slots.unlock_with_passphrase(folder, "another one") == secret
    assert slots.damaged_slots(folder) == []


@pytest.mark.parametrize(
    ("secret", "passphrase", "kdf", "error"),
    [
        (b"\1" * 32, "x", CHEAP, ValueError),
        (b"\1" * 32, "", FLOOR, InputError),
        (bytes(32), "x", FLOOR, ValueError),
        (b"\1" * 31, "x", FLOOR, ValueError),
    ],
)
def test_a_refused_replacement_changes_nothing(
    made: tuple[VaultFolder, bytes], secret: bytes, passphrase: str, kdf: Kdf, error: type[Exception]
) -> None:
    folder, _ = made
    before = folder.keys.read_bytes()
    with pytest.raises(error):
        slots.replace_passphrase(folder, bytearray(secret), passphrase, kdf=kdf)
    assert folder.keys.read_bytes() == before


def test_a_weak_or_empty_beginning_writes_nothing(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path)
    with pytest.raises(ValueError, match="at least"):
        slots.create_keys(folder, PASSPHRASE, WORDS, kdf=CHEAP, vault_id=VAULT)
    with pytest.raises(InputError, match="empty"):
        slots.create_keys(folder, "", WORDS, kdf=CHEAP, vault_id=VAULT, allow_weak=True)
    with pytest.raises(InputError):
        slots.create_keys(folder, PASSPHRASE, "too few", kdf=CHEAP, vault_id=VAULT, allow_weak=True)
    assert list(tmp_path.iterdir()) == []


def test_keys_are_never_overwritten(made: tuple[VaultFolder, bytes], tmp_path: Path) -> None:
    folder, _ = made
    before = folder.keys.read_bytes()
    with pytest.raises(ExistsError):
        slots.create_keys(folder, PASSPHRASE, WORDS, kdf=CHEAP, vault_id=VAULT, allow_weak=True)
    assert folder.keys.read_bytes() == before
    shutil.copytree(folder.path, tmp_path / "copy")
    assert slots.unlock_with_passphrase(VaultFolder(tmp_path / "copy"), PASSPHRASE)


def test_wiping_leaves_zeros() -> None:
    secret = bytearray(b"secret")
    slots.wipe(secret)
    assert secret == bytes(6)
