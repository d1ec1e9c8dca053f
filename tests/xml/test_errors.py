"""The exact text of every error in a document, with line and column: errors/NAME.xml and NAME.txt.

However the document arrives, and whether or not parts of it are skipped, the words are the same.
"""

from __future__ import annotations

import io
import subprocess
import sys
from itertools import repeat
from pathlib import Path

import pytest

from golden import golden
from slackwater.schema import NO_SCHEMA, read_schema
from slackwater.xml import Parser, Skipper, Source
from slackwater.xml.errors import InputError, XmlError
from slackwater.xml.source import BytesSource, FileSource, StreamSource
from slackwater.xml.validate import Validator

FOLDER = Path(__file__).parent / "errors"
DOCUMENTS = sorted(FOLDER.glob("*.xml"))
BIB = read_schema(FOLDER / "bib.dtd")
INVALID = ("unexpected", "missing")


class Dripping(io.RawIOBase):
    """Gives a byte at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, 1))


def error_text(source: Source, name: str, skip: Skipper | None = None) -> str:
    source.name = name
    parser = Parser(source, skip)
    Validator(parser, BIB if name.startswith(INVALID) else NO_SCHEMA).handle()
    with pytest.raises(XmlError) as caught:
        parser.run()
    return f"{caught.value}\n"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_mistake_is_reported_in_these_words(path: Path) -> None:
    text = error_text(FileSource(path), path.name)
    assert text == golden(path.with_suffix(".txt"), text)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("skipped", [None, "nothing", "note"])
def test_the_words_are_the_same_however_it_arrives(path: Path, skipped: str | None) -> None:
    data, name = path.read_bytes(), path.name
    if skipped == "note" and not name.startswith(INVALID):
        data = data.replace(b"<bib>", b"<bib><note>\n<!-- </note> -->\xc3\xa4</note>")
    expected = error_text(BytesSource(data), name)
    skips = [Skipper([skipped]) if skipped else None for _ in range(2)]
    assert error_text(BytesSource(data), name, skips[0]) == expected
    if name.startswith("unexpected-text"):
        return  # Text is checked in the pieces in which it arrives.
    dripping: io.RawIOBase = Dripping(data)
    text = error_text(StreamSource(dripping, name), name, skips[1])  # type: ignore[arg-type]
    assert text.splitlines()[:2] == expected.splitlines()[:2], "the rest of the line has not yet come"


def test_an_oversized_token_is_reported() -> None:
    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self._parts = iter([b"<bib><!-- "])

        def read(self, size: int = -1) -> bytes:
            return next(self._parts, b" " * (1 << 20))

    parser = Parser(StreamSource(Endless(), "<input>"))  # type: ignore[arg-type]
    with pytest.raises(XmlError) as caught:
        parser.run()
    assert f"{caught.value}\n" == (FOLDER / "oversized-token.txt").read_text(encoding="utf-8")


def test_a_missing_document_is_reported() -> None:
    with pytest.raises(InputError) as caught:
        Parser("no/such/document.xml")
    assert f"{caught.value}\n" == (FOLDER / "unreadable-input.txt").read_text(encoding="utf-8")


def test_what_stood_before_a_mistake_has_been_handed_on() -> None:
    seen: list[str] = []
    parser = Parser(b"<a>one<b/>two &wrong;</a>")
    parser.handle(
        lambda name, _: seen.append(f"<{name}>"), lambda name: seen.append(f"</{name}>"), seen.append
    )
    with pytest.raises(XmlError):
        parser.run()
    assert "".join(seen) == "<a>one<b></b>two "


def test_many_references_to_one_entity_are_stopped_in_time() -> None:
    """No entity is large; only together they are."""
    seen = 0

    def count(text: str) -> None:
        nonlocal seen
        seen += len(text)

    head = f'<!DOCTYPE a [<!ENTITY x "{"x" * 60_000}">]><a>'.encode()
    parser = Parser(b"".join([head, *repeat(b"&x;" * 1000, 100), b"</a>"]))
    parser.handle(None, None, count)
    with pytest.raises(XmlError) as caught:
        parser.run()
    assert caught.value.diagnostics[0].code == "entity-bomb"
    assert seen < 100_000_000


@pytest.mark.parametrize("use", ["<a>&e0;</a>", "<a b='&e0;'/>"])
def test_entities_that_nest_do_not_end_the_process(use: str) -> None:
    """In a process of its own, since that is what they attack."""
    chain = "".join(f'<!ENTITY e{number} "&e{number + 1};">' for number in range(100_000))
    code = "import sys; from slackwater.xml import Parser; Parser(sys.stdin.buffer).run()"
    done = subprocess.run(
        [sys.executable, "-c", code], input=f"<!DOCTYPE a [{chain}]>{use}".encode(), capture_output=True
    )
    assert done.returncode == 1
    assert b"error[entity-bomb]" in done.stderr


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_lines_of_two_byte_characters_are_counted_far_into_a_stream(encoding: str, tmp_path: Path) -> None:
    """Ċ and ਊ have the byte of a line feed in them; what has gone by is no longer kept."""
    text = "<bib>\n" + "<a>Ċ ਊ</a>\n" * 50_000 + "ਊ</b>"
    data = text.encode(encoding)
    path = tmp_path / "wide.xml"
    path.write_bytes(data)
    pieces = [data[start : start + 9_999] for start in range(0, len(data), 9_999)]
    dealing = StreamSource(_Dealing(pieces), "wide.xml")  # type: ignore[arg-type]
    for source in (FileSource(path), BytesSource(data), dealing):
        _, where, _, line, *_ = error_text(source, "wide.xml").splitlines()
        assert (where.strip(), line) == ("--> wide.xml:50002:4", "50002 | ਊ</b>")


class _Dealing(io.RawIOBase):
    """Gives one piece after the other."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = iter(pieces)

    def read(self, size: int = -1) -> bytes:
        return next(self._pieces, b"")
