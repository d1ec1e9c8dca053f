"""Where XML comes from: a file, bytes, or something that is read as it arrives (a pipe, a socket).

A source also gives the place of a byte: line and column, counted as expat counts them, and the line itself.
Files and bytes are read again for that; what arrives only once is counted as it passes, and what
the parser has not finished with is kept.
"""

from __future__ import annotations

import codecs
import os
import socket
import stat
import sys
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from slackwater.xml.errors import unreadable_input

CHUNK = 1 << 18
_LONGEST_LINE = 1 << 16
"""A longer line is not shown: only its number is given."""

WIDE = ("utf-16-le", "utf-16-be")
"""Encodings in which the bytes of a line end may be part of other characters."""

Input = str | Path | bytes | BinaryIO | socket.socket


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a byte; lines and columns count from 1, columns are characters."""

    line: int
    column: int
    content: str | None = None
    """The line, where it is not too long to be kept."""


class Source(ABC):
    """Bytes, chunk by chunk; an empty one is the end."""

    name: str
    encoding: str | None = None
    """What the bytes are in, whatever the document declares: it was a text before."""

    @abstractmethod
    def read(self) -> bytes: ...

    @abstractmethod
    def place(self, offset: int, encoding: str = "utf-8") -> Place:
        """The place of the byte at `offset`."""

    @abstractmethod
    def forget(self, offset: int, encoding: str = "utf-8") -> None:
        """No byte before `offset` will be needed."""

    @abstractmethod
    def close(self) -> None:
        """Closes what was opened here."""


class BytesSource(Source):
    def __init__(self, data: bytes, name: str = "<input>", encoding: str | None = None) -> None:
        self.name = name
        self.encoding = encoding
        self._data = data
        self._at = 0

    def read(self) -> bytes:
        start = self._at
        self._at += CHUNK
        return self._data[start : self._at]

    def place(self, offset: int, encoding: str = "utf-8") -> Place:
        return _Lines().place(self._data[: offset + _LONGEST_LINE], offset, encoding)

    def forget(self, offset: int, encoding: str = "utf-8") -> None:
        return

    def close(self) -> None:
        return


class FileSource(Source):
    """A regular file, read unbuffered; it is read once more to find a place."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._file = path.open("rb", buffering=0)

    def read(self) -> bytes:
        try:
            return self._file.read(CHUNK)
        except OSError as error:
            raise unreadable_input(self.name, error) from error

    def place(self, offset: int, encoding: str = "utf-8") -> Place:
        counter = _Lines()
        with self._path.open("rb") as file:
            left = offset
            while left > _LONGEST_LINE:
                chunk = file.read(min(CHUNK, left - _LONGEST_LINE))
                if not chunk:
                    break
                counter.pass_by(chunk, encoding)
                left -= len(chunk)
            return counter.place(file.read(left + _LONGEST_LINE), left, encoding)

    def forget(self, offset: int, encoding: str = "utf-8") -> None:
        return

    def close(self) -> None:
        self._file.close()


class StreamSource(Source):
    """Input that can be read only once and may be endless: a chunk is what has arrived."""

    def __init__(self, stream: BinaryIO | socket.socket, name: str, owned: bool = False) -> None:
        self.name = name
        self._owned = owned
        self._stream = stream
        self._chunks: deque[bytes] = deque()
        self._start = 0
        self._lines = _Lines()

    def read(self) -> bytes:
        chunk = self._read()
        self._chunks.append(chunk)
        return chunk

    def _read(self) -> bytes:
        stream = self._stream
        if isinstance(stream, socket.socket):
            return stream.recv(CHUNK)
        if hasattr(stream, "read1"):
            return bytes(stream.read1(CHUNK))
        return stream.read(CHUNK) or b""

    def forget(self, offset: int, encoding: str = "utf-8") -> None:
        while self._chunks and self._start + len(self._chunks[0]) <= offset - _LONGEST_LINE:
            chunk = self._chunks.popleft()
            self._start += len(chunk)
            self._lines.pass_by(chunk, encoding)

    def between(self, start: int, end: int) -> bytes:
        """Bytes that were read and not yet forgotten."""
        offset, pieces = self._start, []
        for chunk in self._chunks:
            pieces.append(chunk[max(0, start - offset) : max(0, end - offset)])
            offset += len(chunk)
        return b"".join(pieces)

    def place(self, offset: int, encoding: str = "utf-8") -> Place:
        return self._lines.place(b"".join(self._chunks), offset - self._start, encoding)

    def close(self) -> None:
        if self._owned:
            self._stream.close()


class _Lines:
    """Counts lines as bytes pass; keeps the beginning of the current line."""

    def __init__(self) -> None:
        self.line = 1
        self.begun = b""
        self.columns = 0
        """Characters of the line that are no longer kept."""
        self._decoder: codecs.IncrementalDecoder | None = None

    def pass_by(self, chunk: bytes, encoding: str = "utf-8") -> None:
        if encoding in WIDE:
            chunk = self._narrow(chunk, encoding)
        if self.begun.endswith(b"\r") and chunk.startswith(b"\n"):
            self.line -= 1
        self.line += line_ends(chunk)
        last = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        if last < 0:
            self.begun += chunk
        else:
            self.begun, self.columns = chunk[last:], -1
        if len(self.begun) > _LONGEST_LINE:
            self.columns += _characters(self.begun, "utf-8")
            self.begun = b""

    def _narrow(self, data: bytes, encoding: str) -> bytes:
        """The same text as UTF-8, in which a line end is a byte; half a character waits for the rest."""
        self._decoder = self._decoder or codecs.getincrementaldecoder(encoding)("replace")
        return self._decoder.decode(data).encode("utf-8", "replace")

    def place(self, data: bytes, offset: int, encoding: str) -> Place:
        if encoding in WIDE:
            before, after = self._narrow(data[:offset], encoding), self._narrow(data[offset:], encoding)
            self._decoder = None
            data, offset, encoding = before + after, len(before), "utf-8"
        begun = self.begun.lstrip(b"\r\n")
        place = _placed(begun + data, len(begun) + offset, encoding)
        if place.line > 1:
            return Place(self.line + place.line - 1, place.column, place.content)
        dropped = max(self.columns, 0)
        return Place(self.line, place.column + dropped, None if dropped else place.content)


def line_ends(data: bytes) -> int:
    """How many lines end in the data: at a line feed, a carriage return, or both together."""
    count = data.count(b"\n")
    return count + data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else count


def _placed(data: bytes, offset: int, encoding: str) -> Place:
    before = data[:offset]
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    ends = [end for end in (data.find(b"\n", offset), data.find(b"\r", offset)) if end >= 0]
    line = data[start : min(ends, default=len(data))]
    column = _characters(data[start:offset], encoding) + 1
    content = _decoded(line, encoding) if len(line) <= _LONGEST_LINE else None
    return Place(line_ends(before) + 1, column, content)


def _characters(data: bytes, encoding: str) -> int:
    """Characters, as expat counts them: in UTF-8, every byte that does not continue another."""
    if encoding.lower() in ("utf-8", "utf8"):
        return sum(1 for byte in data if byte & 0xC0 != 0x80)
    return len(_decoded(data, encoding))


def _decoded(data: bytes, encoding: str) -> str:
    """The bytes as text, as well as can be: a document may declare whatever it likes."""
    try:
        return data.decode(encoding, "replace")
    except (LookupError, UnicodeError):
        return data.decode("utf-8", "replace")


def opened(source: Input | Source, name: str | None = None) -> Source:
    """A source for a path (`-` is standard input), bytes, a file object, a pipe or a socket."""
    if isinstance(source, Source):
        return source
    if isinstance(source, bytes):
        return BytesSource(source, name or "<input>")
    if isinstance(source, str | Path):
        return _from_path(str(source))
    return StreamSource(source, name or str(getattr(source, "name", "<input>")))


def _from_path(path: str) -> Source:
    if path == "-":
        if sys.stdin is None:
            raise unreadable_input("<stdin>", ValueError("the standard input is closed"))
        return StreamSource(sys.stdin.buffer, "<stdin>")
    try:
        if stat.S_ISREG(os.stat(path).st_mode):
            return FileSource(Path(path))
        return StreamSource(open(path, "rb", buffering=0), path, owned=True)
    except (OSError, ValueError) as error:
        raise unreadable_input(path, error) from error
