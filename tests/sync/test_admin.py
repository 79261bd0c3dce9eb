"""The owner's client: whom it believes, and what it makes of answers."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from fernvault_sync import frame
from fernvault_sync.admin import AdminClient, NoAgentError, RemoteError


@contextmanager
def _server(folder: Path, *answers: bytes) -> Iterator[list[object]]:
    """Something on a socket that says these things, one per request; what it was asked."""
    place = folder / "s"
    asked: list[object] = []
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(place))
        listening.listen()
        (folder / "agent.json").write_text(json.dumps({"pid": 4242, "socket": str(place)}))

        def serve() -> None:
            connection, _ = listening.accept()
            with connection, connection.makefile("rb") as reading:
                for answer in answers:
                    size = frame.length(reading.read(frame.HEADER))
                    asked.append(frame.decode(reading.read(size)))
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield asked
        finally:
            thread.join(30)


def test_a_call_is_one_frame_each_way(tmp_path: Path) -> None:
    with _server(tmp_path, frame.encode({"ok": [1]}), frame.encode({"ok": None})) as asked:
        client = AdminClient(str(tmp_path))
        assert client.pid == 4242
        assert client.call("card", {"surface": "s"}) == [1]
        assert client.call("x", {}) is None
        client.close()
    assert asked == [
        {"v": frame.VERSION, "op": "card", "args": {"surface": "s"}},
        {"v": frame.VERSION, "op": "x", "args": {}},
    ]


def test_an_error_is_raised_with_its_document(tmp_path: Path) -> None:
    document = {"code": "denied", "message": "no", "next": "fern status", "exit": 7}
    with _server(tmp_path, frame.encode({"error": document})):
        client = AdminClient(str(tmp_path))
        with pytest.raises(RemoteError, match="no") as raised:
            client.call("x", {})
        client.close()
    assert raised.value.document == document


@pytest.mark.parametrize(
    "answer",
    [
        frame.encode([]), frame.encode(5), frame.encode(None), frame.encode({}), frame.encode("ok"),
        frame.encode({"error": {}}), frame.encode({"error": "text"}), frame.encode({"error": {"code": "x"}}),
        frame.encode({"error": {"code": 1, "message": 2, "next": 3, "exit": 4}}),
        b"\xff\xff\xff\xff", b"\x00\x00\x00\x09{", b"\x00", b"", b"\x00\x00\x00\x01{",
    ],
)  # fmt: skip
def test_what_is_no_answer_is_a_frame_error(tmp_path: Path, answer: bytes) -> None:
    with _server(tmp_path, answer):
        client = AdminClient(str(tmp_path))
        with pytest.raises(frame.FrameError):
            client.call("x", {})
        client.close()


def test_calls_may_be_under_way_together(tmp_path: Path) -> None:
    with _server(tmp_path, *(frame.encode({"ok": number}) for number in range(3))):
        client = AdminClient(str(tmp_path))
        for _ in range(3):
            client.send("x", {})
        assert [client.receive() for _ in range(3)] == [0, 1, 2]
        client.close()


def test_a_peer_that_hung_up_is_a_frame_error_on_sending_too(tmp_path: Path) -> None:
    with _server(tmp_path):
        client = AdminClient(str(tmp_path))
    with pytest.raises(frame.FrameError):
        for _ in range(100):
            client.send("x", {"long": "y" * 100_000})
    client.close()


def test_nobody_there(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing", tmp_path / ("a" * 200)):
        with pytest.raises(NoAgentError):
            AdminClient(str(folder))


def test_a_socket_that_nobody_listens_on(tmp_path: Path) -> None:
    place = tmp_path / "s"
    with closing(socket.socket(socket.AF_UNIX)) as bound:
        bound.bind(str(place))
    (tmp_path / "agent.json").write_text(json.dumps({"pid": 1, "socket": str(place)}))
    with pytest.raises(NoAgentError):
        AdminClient(str(tmp_path))


def test_a_note_or_a_socket_of_another_user_is_not_believed(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    with _server(tmp_path) as asked:
        note, place = tmp_path / "agent.json", tmp_path / "s"
        for path in (note, place):
            os.chown(path, 65534, 65534)
            with pytest.raises(NoAgentError):
                AdminClient(str(tmp_path))
            os.chown(path, 0, 0)
        AdminClient(str(tmp_path)).close()
    assert asked == []


def test_a_link_in_the_notes_place_is_not_followed(tmp_path: Path) -> None:
    with _server(tmp_path):
        (tmp_path / "agent.json").rename(tmp_path / "real.json")
        (tmp_path / "agent.json").symlink_to("real.json")
        with pytest.raises(NoAgentError):
            AdminClient(str(tmp_path))
        (tmp_path / "agent.json").unlink()
        (tmp_path / "real.json").rename(tmp_path / "agent.json")
        AdminClient(str(tmp_path)).close()
