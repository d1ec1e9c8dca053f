"""Events are those of the document, however it arrives: files, bytes, pipes, sockets, encodings, prefixes."""

from __future__ import annotations

import io
import os
import socket
import threading
from pathlib import Path

import pytest

from slackwater.xml import Parser, Skipper


def events(source: object, skip: Skipper | None = None) -> str:
    """The document as its events tell it; text that comes in pieces is one again."""
    seen: list[str] = []
    parser = Parser(source, skip)

    def start(name: str, attributes: dict[str, str]) -> None:
        seen.append(f"<{' '.join([name, *(f'{k}={v}' for k, v in attributes.items())])}>")

    parser.handle(start, lambda name: seen.append(f"</{name}>"), seen.append)
    parser.run()
    return "".join(seen)


PLAIN = b'<a x="1"><b>one &amp; <![CDATA[<two>]]></b><!-- no --><c/>\r\n</a>'
TOLD = "<a x=1><b>one & <two></b><c></c>\n</a>"


def test_a_document_in_bytes() -> None:
    assert events(PLAIN) == TOLD


def test_a_document_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "doc.xml"
    path.write_bytes(PLAIN)
    assert events(path) == events(str(path)) == TOLD


def test_a_document_in_a_file_object() -> None:
    assert events(io.BytesIO(PLAIN)) == TOLD


def test_a_document_from_a_pipe() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as out:
        os.write(writing, PLAIN)
        os.close(writing)
        assert events(out) == TOLD


def test_a_document_from_a_socket() -> None:
    here, there = socket.socketpair()
    with here, there:
        here.sendall(PLAIN)
        here.shutdown(socket.SHUT_WR)
        assert events(there) == TOLD


def test_what_has_arrived_is_handed_on_before_more_arrives() -> None:
    here, there = socket.socketpair()
    seen: list[str] = []
    arrived = threading.Event()

    def start(name: str, _: dict[str, str]) -> None:
        seen.append(name)
        if name == "b":
            arrived.set()

    with here, there:
        parser = Parser(there, Skipper(["unwanted"]))
        parser.handle(start, None)
        reader = threading.Thread(target=parser.run)
        reader.start()
        here.sendall(b"<a><b/>")
        assert arrived.wait(10)
        here.sendall(b"</a>")
        here.shutdown(socket.SHUT_WR)
        reader.join(10)
    assert seen == ["a", "b"]


def test_reading_can_be_stopped() -> None:
    class Endless(io.RawIOBase):
        chunks = 0

        def read(self, size: int = -1) -> bytes:
            Endless.chunks += 1
            return b"<a>" if Endless.chunks == 1 else b"<b/>" * 1000

    parser = Parser(Endless())
    seen = 0

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal seen
        seen += 1
        parser.stopped = seen > 5000

    parser.handle(start, None)
    parser.run()
    assert Endless.chunks < 10


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "iso-8859-1", "windows-1252"]
)
@pytest.mark.parametrize("skip", [None, "u"])
def test_encodings_are_read_and_only_those_like_ascii_are_skipped_in(encoding: str, skip: str | None) -> None:
    declared = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{declared}"?><ä xml:lang="de"><u>ö</u>ü</ä>'
    data = ("\ufeff" + text if encoding == "utf-16-le" else text).encode(encoding)
    shown = events(data, Skipper([skip]) if skip else None)
    full = "<ä xml:lang=de><u>ö</u>ü</ä>"
    assert shown == (full.replace("ö", "") if skip and "16" not in encoding else full)


def test_names_keep_their_prefixes_and_declarations_are_attributes() -> None:
    data = b'<a xmlns="urn:x"><p:b xmlns:p="urn:p" p:c="1" d="2"/><e xml:space="preserve"/></a>'
    expected = "<a xmlns=urn:x><p:b xmlns:p=urn:p p:c=1 d=2></p:b><e xml:space=preserve></e></a>"
    assert events(data) == expected
    assert events(io.BytesIO(data)) == expected


def test_handlers_may_be_changed_on_the_way_also_where_there_are_prefixes() -> None:
    seen: list[str] = []
    parser = Parser(b'<a xmlns:p="urn:p">no<p:b>yes</p:b>no</a>')

    def start(name: str, _: dict[str, str]) -> None:
        if name == "p:b":
            parser.on_text(seen.append)

    parser.handle(start, lambda name: parser.on_text(None))
    parser.run()
    assert seen == ["yes"]


def test_entities_that_are_small_are_written_out() -> None:
    assert (
        events(b'<!DOCTYPE a [<!ENTITY x "y&#33;"><!ENTITY z "(&x;)">]><a b="&x;">&z;</a>')
        == "<a b=y!>(y!)</a>"
    )


def test_a_declared_external_subset_is_not_read() -> None:
    assert events(b'<!DOCTYPE a SYSTEM "http://example.org/nothing.dtd"><a/>') == "<a></a>"


def test_what_is_skipped_may_be_longer_than_any_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slackwater.xml.events.LONGEST_TOKEN", 1000)
    parser = Parser(b"", Skipper(["b"]))
    for piece in (b"<a><b>", *[b"x" * 300] * 10, b"</b>", b"</a>"):
        parser.feed(piece)
    parser.close()


def test_a_handlers_own_error_is_not_taken_for_the_documents() -> None:
    parser = Parser(b"<a/>")
    parser.handle(lambda name, _: {}[name], None)
    with pytest.raises(KeyError):
        parser.run()


def test_an_event_knows_its_place() -> None:
    places: list[tuple[int, int]] = []
    parser = Parser("<a>\n  <ä/><b>\r\n</b>\r<c/></a>".encode())

    def start(name: str, _: dict[str, str]) -> None:
        place = parser.place()
        places.append((place.line, place.column))

    parser.handle(start, None)
    parser.run()
    assert places == [(1, 1), (2, 3), (2, 7), (4, 1)]
