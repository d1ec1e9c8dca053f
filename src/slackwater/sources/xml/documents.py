"""XML files as workers read them: in pieces, in UTF-8, with access to the bytes of the current record."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from slackwater.xml.source import CHUNK, StreamSource

_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_DECLARATION = re.compile(r"\A\ufeff?<\?xml[^>]*\?>")
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PLAIN = ("utf-8", "us-ascii", "ascii")
_LONGEST_DECLARATION = 1024
_MARKING = "slackwater.mark"


def _mark(error: UnicodeError) -> tuple[str, int]:
    """Half a surrogate for bytes that are no character: no UTF-8, so the parser reports it in its place."""
    assert isinstance(error, UnicodeDecodeError)
    return "\udcff", error.end


codecs.register_error(_MARKING, _mark)


class RecordSource(StreamSource):
    """A document in pieces, of which those since the beginning of the current record are kept."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        super().__init__(in_utf8(file), name, owned=True)
        self.begin: int | None = None
        """The byte at which the current record begins, inside one."""

    def forget(self, offset: int, encoding: str = "utf-8") -> None:
        super().forget(offset if self.begin is None else min(offset, self.begin), encoding)

    def record(self, end: int, read: int) -> str:
        """The source text of the current record.

        `end` is where its end tag begins, or else where its only tag ends: `<e/>`.
        """
        assert self.begin is not None
        content, end = self.between(self.begin, read), end - self.begin
        first = _TAG.match(content)
        is_empty = first is not None and first.end() == end and first[0].endswith(b"/>")
        last = None if is_empty else _TAG.match(content, end)
        return content[: last.end() if last else end].decode(errors="replace")


def in_utf8(file: BinaryIO) -> BinaryIO:
    """The document in UTF-8, whichever encoding it declares; a declaration of another one is removed."""
    head = _head(file)
    declared = _ENCODING.match(head)
    encoding = "utf-16" if head.startswith(_MARKS) else declared[1].decode() if declared else "utf-8"
    if encoding.lower() in _PLAIN or not _is_text(encoding):
        return _Rest(head, file)  # type: ignore[return-value]
    return _Transcoded(head, file, encoding)  # type: ignore[return-value]


def _head(file: BinaryIO) -> bytes:
    """The first piece, long enough for an XML declaration."""
    head = b""
    while len(head) < _LONGEST_DECLARATION and (piece := file.read(CHUNK)):
        head += piece
    return head


def _is_text(encoding: str) -> bool:
    """Whether Python can decode it; if not, the parser reports the error."""
    try:
        b"<".decode(encoding, "replace")
        codecs.getincrementaldecoder(encoding)
    except (LookupError, UnicodeError):
        return False
    return True


class _Rest:
    """A file whose first piece has been read."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head, self._file = head, file

    def read(self, size: int) -> bytes:
        head, self._head = self._head, b""
        return head or self._file.read(size)

    def close(self) -> None:
        self._file.close()


class _Transcoded(_Rest):
    """A file in another encoding, read as UTF-8."""

    def __init__(self, head: bytes, file: BinaryIO, encoding: str) -> None:
        super().__init__(head, file)
        self._decoder = codecs.getincrementaldecoder(encoding)(_MARKING)
        self._is_first = True

    def read(self, size: int) -> bytes:
        """The next piece that is not empty, or nothing at the end."""
        while True:
            piece = super().read(size)
            text = self._decoder.decode(piece, final=not piece)
            if self._is_first:
                text, self._is_first = _DECLARATION.sub("", text), False
            if text or not piece:
                return text.encode(errors="surrogatepass")
