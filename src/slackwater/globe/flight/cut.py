"""XML files as records: the elements at a path, each as the text of its source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from slackwater.sources.xml.documents import RecordSource
from slackwater.xml.events import Attributes, Parser, spelled


class _Cutter:
    def __init__(self, parser: Parser, source: RecordSource, path: tuple[str, ...]) -> None:
        self._parser, self._source, self._path = parser, source, path
        self._open: list[str] = []
        self.records: list[bytes] = []
        parser.handle(self._start, self._end)

    def _start(self, name: str, attributes: Attributes) -> None:
        self._open.append(spelled(name))
        if self._source.begin is None and tuple(self._open) == self._path:
            self._source.begin = self._parser.offset

    def _end(self, name: str) -> None:
        if tuple(self._open) == self._path and self._source.begin is not None:
            self.records.append(self._source.record(self._parser.offset, self._parser.bytes).encode())
            self._source.begin = None
        self._open.pop()


def records_of(file: BinaryIO, name: str, path: tuple[str, ...]) -> Iterator[bytes]:
    """The records of a document as it is read; raises XmlError."""
    source = RecordSource(file, name)
    parser = Parser(source)
    cutter = _Cutter(parser, source, path)
    for _ in parser.steps():
        yield from cutter.records
        cutter.records.clear()
    yield from cutter.records
