"""What a query may be run over, and the schema that a document brings with it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from slackwater.base.span import Text
from slackwater.flux.plan.syntax import Flux
from slackwater.flux.values.errors import given_twice, other_document, unclear_source
from slackwater.schema import Schema
from slackwater.schema.dtd import read_internal_dtd
from slackwater.schema.errors import SchemaError
from slackwater.xml import Source, opened
from slackwater.xml.source import BytesSource, Place, StreamSource

_SUBSET = re.compile(
    rb"""(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->)*+
    <!DOCTYPE(?:[^\[\]"'<>]|"[^"]*"|'[^']*')*+
    (\[(?:[^\]"'<]|"[^"]*"|'[^']*'|<!--.*?-->|<\?.*?\?>|<!(?=[A-Z]))*+\])\s*+>""",
    re.DOTALL | re.VERBOSE,
)
"""A document up to the end of its DOCTYPE, where that has declarations of its own."""


def source_of(given: Any) -> Source:
    """A source for a path, bytes, a document as a text, a file, a socket, or pieces of bytes."""
    if isinstance(given, str) and _is_document(given):
        return BytesSource(given.encode("utf-8", "surrogatepass"), encoding="utf-8")
    if isinstance(given, io.TextIOBase):
        return _of_text_file(given)
    if isinstance(given, bytearray | memoryview):
        return opened(bytes(given))
    if isinstance(given, str | Path | bytes | Source) or hasattr(given, "read") or hasattr(given, "recv"):
        return opened(given)
    if isinstance(given, Iterable):
        return StreamSource(_Pieces(iter(given)), "<input>")  # type: ignore[arg-type]
    raise TypeError(
        f"a document is a path, bytes, a text, a file or pieces of bytes, not {type(given).__name__}"
    )


def _of_text_file(given: io.TextIOBase) -> Source:
    """A file that was opened as text: its bytes, if nothing has been read of it, or else its text."""
    if isinstance(given, io.TextIOWrapper):
        return opened(given.buffer)
    return BytesSource(given.read().encode("utf-8", "surrogatepass"), encoding="utf-8")


def check_source(queries: Sequence[Flux], source: Any, inputs: Mapping[str, Any]) -> None:
    """Refuses a source that is not, or not surely, the document that queries would read from it.

    `/` and a stream are whatever is given. `doc("a")` is a source called a, or one without a name where no
    other document could be meant.
    """
    name = _called(source)
    for query in queries:
        asked = query.input
        if asked is None:
            continue
        others = [each for each in query.inputs.values() if each.kind == "doc" and each.name not in inputs]
        if asked.kind == "doc" and name is not None:
            if not _is_called(name, asked.name):
                raise other_document(asked, name)
        elif asked.kind == "doc" and asked.name in inputs:
            raise given_twice(asked)
        elif any(each.input != asked for each in queries) or (asked.kind == "doc" and others):
            raise unclear_source(asked)


def _called(source: Any) -> str | None:
    """The path of a source; none where it has none."""
    if isinstance(source, Path):
        return str(source)
    is_path = isinstance(source, str) and source != "-" and not _is_document(source)
    return source if is_path else None


def _is_called(path: str, name: str) -> bool:
    """Whether a path is that of a document's name, which may leave out the folder."""
    return Path(path) == Path(name) or (Path(name).name == name and Path(path).name == name)


def _is_document(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("<")


class _Pieces:
    """Pieces of bytes, read like a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces

    def read1(self, size: int) -> bytes:
        """The next piece that is not empty."""
        piece = next((piece for piece in self.pieces if piece), b"")
        if isinstance(piece, str):
            raise TypeError("a document comes in pieces of bytes, not of text: encode them")
        return piece


class Ahead(Source):
    """A source whose first piece can be looked at before it is read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name
        self.encoding = source.encoding
        self.first: bytes | None = None

    def peek(self) -> bytes:
        if self.first is None:
            self.first = self.source.read()
        return self.first

    def read(self) -> bytes:
        if self.first is not None:
            self.read = self.source.read  # type: ignore[method-assign]
            return self.first
        return self.source.read()

    def place(self, offset: int, encoding: str = "utf-8") -> Place:
        return self.source.place(offset, encoding)

    def forget(self, offset: int, encoding: str = "utf-8") -> None:
        self.source.forget(offset, encoding)

    def close(self) -> None:
        self.source.close()


def ahead(source: Source) -> Ahead:
    return source if isinstance(source, Ahead) else Ahead(source)


def declared_schema(source: Ahead) -> Schema | None:
    """The schema in the internal subset of a document's DOCTYPE, if there is one in its first piece."""
    first = source.peek()
    found = _SUBSET.match(first)
    if found is None or b"<!ELEMENT" not in found[1]:
        return None
    if b"xmlns" in first[found.end() :]:
        # A DTD knows nothing of namespaces, and it is not known whether the document keeps to it.
        return None
    try:
        return read_internal_dtd(Text(source.name, found[0].decode("utf-8-sig")))
    except (UnicodeDecodeError, SchemaError):
        # This schema was not asked for; what is wrong with it is reported by the parser.
        return None
