"""The sources that a query can read, and the schema in a document's own DOCTYPE."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from slackwater.base.span import Text
from slackwater.flux.plan.syntax import Flux
from slackwater.flux.values.errors import duplicate_input, other_document, unclear_source
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
"""A document up to the end of a DOCTYPE with an internal subset."""


def source_of(document: Any) -> Source:
    """A source for a path, bytes, a document as a text, a file, a socket, or pieces of bytes."""
    if isinstance(document, str) and _is_document(document):
        return BytesSource(document.encode("utf-8", "surrogatepass"), encoding="utf-8")
    if isinstance(document, io.TextIOBase):
        return _of_text_file(document)
    if isinstance(document, bytearray | memoryview):
        return opened(bytes(document))
    if (
        isinstance(document, str | Path | bytes | Source)
        or hasattr(document, "read")
        or hasattr(document, "recv")
    ):
        return opened(document)
    if isinstance(document, Iterable):
        return StreamSource(_Pieces(iter(document)), "<input>")  # type: ignore[arg-type]
    raise TypeError(
        f"a document is a path, bytes, a text, a file or pieces of bytes, not {type(document).__name__}"
    )


def _of_text_file(file: io.TextIOBase) -> Source:
    """A file that was opened as text: its bytes where it has some, otherwise its text."""
    if isinstance(file, io.TextIOWrapper):
        return opened(file.buffer)
    return BytesSource(file.read().encode("utf-8", "surrogatepass"), encoding="utf-8")


def check_source(queries: Sequence[Flux], source: Any, inputs: Mapping[str, Any]) -> None:
    """Raises where the source is not, or not certainly, the document that the queries name.

    `/` and a stream stand for any source. `doc("a")` is a source called a, or one without a name where no
    other document could be meant.
    """
    name = _path_of(source)
    for query in queries:
        input_ = query.input
        if input_ is None:
            continue
        others = [
            other for other in query.inputs.values() if other.kind == "doc" and other.name not in inputs
        ]
        if input_.kind == "doc" and name is not None:
            if not _is_called(name, input_.name):
                raise other_document(input_, name)
        elif input_.kind == "doc" and input_.name in inputs:
            raise duplicate_input(input_)
        elif any(other.input != input_ for other in queries) or (input_.kind == "doc" and others):
            raise unclear_source(input_)


def _path_of(source: Any) -> str | None:
    """The path of a source; None where it has none."""
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


class PeekableSource(Source):
    """A source whose first piece can be read ahead."""

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


def peekable(source: Source) -> PeekableSource:
    return source if isinstance(source, PeekableSource) else PeekableSource(source)


def declared_schema(source: PeekableSource) -> Schema | None:
    """The schema in the internal subset of a document's DOCTYPE, if there is one in its first piece."""
    first = source.peek()
    doctype = _SUBSET.match(first)
    if doctype is None or b"<!ELEMENT" not in doctype[1]:
        return None
    if b"xmlns" in first[doctype.end() :]:
        # DTDs have no namespaces, so the document may not be valid by it.
        return None
    try:
        return read_internal_dtd(Text(source.name, doctype[0].decode("utf-8-sig")))
    except (UnicodeDecodeError, SchemaError):
        # The schema is optional here; the parser reports what is wrong with it.
        return None
