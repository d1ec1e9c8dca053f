"""XML cut into records: the elements at a path, their values, and where each stands in the document.

    <photons> <photon><ra>130.9</ra> …</photon> <photon> …          RECORD '/photons/photon'
              └──────────── a record ────────┘

A value is the text of the element, or the value of the attribute, that is called like the column, anywhere
in the record. A record with two of a name does not fit its columns.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from slackwater.xml.errors import XmlError
from slackwater.xml.events import Attributes, Parser
from slackwater.xml.serialize import end_tag, start_tag

Values = list[str | None]
_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_DECLARATION = re.compile(r"\A\ufeff?<\?xml[^>]*\?>")


@dataclass(slots=True)
class Cut:
    """What a document has given: the records' values and bytes; those that do not fit; what broke it off."""

    values: list[Values] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """From where to where in the document the record stands."""
    misfits: list[tuple[int, int]] = field(default_factory=list)
    around: tuple[str, str] = ("", "")
    """The tags of the elements that the last record stands in."""
    error: XmlError | None = None


def cut(content: bytes, path: tuple[str, ...], columns: Sequence[str], name: str) -> Cut:
    """The records of a document, up to where it breaks off, if it does."""
    parser = Parser(content, name=name)
    cutter = _Cutter(parser, path, columns)
    try:
        parser.run()
    except XmlError as error:
        cutter.found.error = error
    return cutter.found


class _Cutter:
    """Expat's handlers: those around the records, and those inside one."""

    def __init__(self, parser: Parser, path: tuple[str, ...], columns: Sequence[str]) -> None:
        self._parser, self._path = parser, path
        self._columns = {name: place for place, name in enumerate(columns)}
        self.found = Cut()
        self._open: list[tuple[str, str]] = []
        self._begin = 0
        self._depth = 0
        self._values: Values = []
        self._is_misfit = False
        self._text: list[str] = []
        self._reading: tuple[int, int] | None = None
        """The column that is being read, and the depth at which it began."""
        parser.handle(self._outer_start, self._outer_end)

    def _outer_start(self, name: str, attributes: Attributes) -> None:
        path, depth = self._path, len(self._open)
        if depth == len(path) - 1 and name == path[-1] and tuple(tag for tag, _ in self._open) == path[:-1]:
            self._begin, self._depth = self._parser.offset, 0
            self._values, self._is_misfit = [None] * len(self._columns), False
            self._parser.handle(self._start, self._end)
            self._take(attributes)
        else:
            self._open.append((name, start_tag(name, attributes.items())))

    def _outer_end(self, name: str) -> None:
        self._open.pop()

    def _start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        place = self._columns.get(name)
        if place is not None and self._reading is None:
            self._text = []
            self._reading = place, self._depth
            self._parser.on_text(self._text.append)
        if attributes:
            self._take(attributes)

    def _take(self, attributes: Attributes) -> None:
        for name, value in attributes.items():
            if name in self._columns:
                self._put(self._columns[name], value)

    def _put(self, place: int, value: str) -> None:
        self._is_misfit |= self._values[place] is not None
        self._values[place] = value

    def _end(self, name: str) -> None:
        if self._reading is not None and self._reading[1] == self._depth:
            self._put(self._reading[0], "".join(self._text))
            self._reading = None
            self._parser.on_text(None)
        if self._depth == 0:
            self._finish(name)
        self._depth -= 1

    def _finish(self, name: str) -> None:
        span = self._begin, self._parser.offset
        if self._is_misfit:
            self.found.misfits.append(span)
        else:
            self.found.values.append(self._values)
            self.found.spans.append(span)
        opened = "".join(tag for _, tag in self._open)
        self.found.around = opened, "".join(end_tag(name) for name, _ in reversed(self._open))
        self._parser.handle(self._outer_start, self._outer_end)


def source_text(content: bytes, span: tuple[int, int]) -> bytes:
    """A record as it stands in its document; a span ends where the end tag begins."""
    start, end = span
    last = _TAG.match(content, end)
    return content[start : last.end() if last else end]


def documents(found: Cut, content: bytes) -> Iterator[bytes]:
    """Each record that fits, inside the elements it stands in: a document of its own."""
    before, after = (tags.encode() for tags in found.around)
    for span in found.spans:
        yield before + source_text(content, span) + after


def in_utf8(content: bytes) -> bytes:
    """The document in UTF-8, whichever encoding it declares; a declaration of another one is left out."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _DECLARATION.sub("", content.decode("utf-16")).encode()
    declared = _ENCODING.match(content)
    encoding = declared[1].decode() if declared else "utf-8"
    if encoding.lower() in ("utf-8", "us-ascii", "ascii"):
        return content
    try:
        return _DECLARATION.sub("", content.decode(encoding)).encode()
    except (LookupError, UnicodeDecodeError):
        return content  # The parser says what is wrong with it.
