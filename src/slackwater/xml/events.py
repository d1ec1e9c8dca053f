"""Reading XML as events: expat, fed in pieces, with bounds on what a document may make it do.

How expat is driven, and what was measured for it (50 MB auction document, 1.1 million elements, CPython 3.11,
expat 2.5; megabytes a second):

    no handlers at all                      220
    start                                   127
    start and end                            99     what skipping has to beat
    start, end, text                         81     a fifth more: the handler is set only while needed
    … with buffer_text, any buffer size      81     but fewer calls where text has entities and line ends
    … with ordered_attributes, intern        82     no gain; attributes come as a dict
    … with namespaces on                     81     no loss: so prefixes are checked by expat itself
    chunks of 16 kB to 4 MB                  80     no difference; 256 kB, to skip in one go
    all removed beforehand (`skip`)        1900     `<regions/>` instead of 25 MB of items
    45,000 items, persons, auctions removed 410     2 µs for each

Names are as in the document, with their prefixes. They are rebuilt from those of expat only after a
declaration of a namespace, or where the bytes contain `xml:`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from xml.parsers import expat

from slackwater.base.diagnostic import Diagnostic
from slackwater.xml import errors
from slackwater.xml.errors import XmlError
from slackwater.xml.skip import Skipper
from slackwater.xml.source import WIDE, Place, Source, opened

Attributes = dict[str, str]
Start = Callable[[str, Attributes], Any]
End = Callable[[str], Any]
Characters = Callable[[str], Any]

BETWEEN = "\1"
"""Separates the namespace, the local name and the prefix of a name: no document can contain it."""
LONGEST_TOKEN = 1 << 25
_MOST_ENTITY = 1 << 16
"""How many characters an entity may expand to."""
_MOST_LINKS = 1000
"""How many entities may refer to others: expat recurses for each nested one."""
_TEXT_BUFFER = 1 << 16
_LONGEST_CHARACTER = 4
_MARK = codecs.BOM_UTF16_LE


class Parser:
    """Parses a document with expat.

    Handlers are set with `handle`, also from within handlers: text is delivered only while it has a handler.
    `steps` reads a piece at a time, `run` all of it; both raise XmlError where the document is wrong, after
    all events before that place. `stopped` ends reading after the current piece.
    """

    def __init__(self, source: Any, skip: Skipper | None = None, name: str | None = None) -> None:
        self.source: Source = opened(source, name)
        self.bytes = 0
        """Bytes read so far."""
        self.stopped = False
        self.raw = False
        """Whether names are those of expat: namespace, local name and prefix, where there is one."""
        self._skip = skip
        self._encoding = self.source.encoding or "utf-8"
        self._head = b""
        self._start: Start | None = None
        self._end: End | None = None
        self._names: dict[str, str] | None = None
        self._declared: Attributes = {}
        self._entities: dict[str, int] = {}
        self._links = 0
        self._before = b""
        self._last = b""
        self._tail = b""
        self._fed = 0
        self._ended = False
        self.expat = self._made()

    def handle(self, start: Start | None, end: End | None, text: Characters | None = None) -> None:
        """Sets all handlers."""
        self._start, self._end = start, end
        self._wire()
        self.expat.CharacterDataHandler = text

    def on_text(self, text: Characters | None) -> None:
        """Sets the handler of text alone."""
        self.expat.CharacterDataHandler = text

    def run(self) -> None:
        for _ in self.steps():
            pass

    def steps(self) -> Iterator[None]:
        """Reads piece by piece, and pauses after each, so that its output can be consumed."""
        try:
            while not self.stopped and (chunk := self.source.read()):
                self.feed(chunk)
                yield
            if not self.stopped:
                self.close()
                yield
        finally:
            self.source.close()

    def feed(self, chunk: bytes) -> None:
        """The next piece of the document."""
        if self.bytes < len(_MARK):
            self._head += chunk[: len(_MARK)]
            self._encoding = _wide(self._head) or self._encoding
        self.bytes += len(chunk)
        self._before = (self._before + self._last)[-_LONGEST_CHARACTER:]
        self._last = chunk
        self._parse(self._skip.feed(chunk) if self._skip else chunk, False)
        if self._fed - self.expat.CurrentByteIndex > LONGEST_TOKEN:
            raise self.error(errors.oversized_token(LONGEST_TOKEN))
        self.source.forget(self.offset, self._encoding)

    def close(self) -> None:
        """The document has ended."""
        self._ended = True
        self._parse(self._skip.close() if self._skip else b"", True)
        if self._skip is not None and self._skip.inside is not None:
            raise self.error(errors.cut_off(self.bytes), self.bytes)

    @property
    def offset(self) -> int:
        """The byte of the document at which the current event begins."""
        index = self.expat.CurrentByteIndex
        return self._skip.original(index) if self._skip else index

    def place(self, offset: int | None = None) -> Place:
        """Line and column of the current event, or of a byte."""
        return self.source.place(self.offset if offset is None else offset, self._encoding)

    def error(self, diagnostic: Diagnostic, offset: int | None = None) -> XmlError:
        """The diagnostic as an error, at the current event or at a byte."""
        place = self.place(offset)
        span, where = errors.excerpt(self.source.name, place.line, place.column, place.content)
        return XmlError(replace(diagnostic, span=span, where=where))

    def _made(self) -> expat.XMLParserType:
        parser = expat.ParserCreate(self.source.encoding, BETWEEN)
        parser.namespace_prefixes = True
        parser.buffer_size = _TEXT_BUFFER
        parser.buffer_text = True
        parser.XmlDeclHandler = self._xml_declaration
        parser.EntityDeclHandler = self._entity_declaration
        parser.ExternalEntityRefHandler = self._external_entity
        parser.SkippedEntityHandler = self._skipped_entity
        parser.StartNamespaceDeclHandler = self._namespace_declaration
        if hasattr(parser, "SetReparseDeferralEnabled"):
            # Events are delivered at once: no token waits for bytes that may never arrive.
            parser.SetReparseDeferralEnabled(False)
        return parser

    def _parse(self, data: bytes, final: bool) -> None:
        if self._names is None and (b"xml:" in data or b"xml:" in self._tail + data[:3] or b"\0" in data[:4]):
            self._translate()
        self._tail = data[-3:]
        self._fed += len(data)
        try:
            self.expat.Parse(data, final)
        except expat.ExpatError as error:
            # What was buffered stood before the error.
            self.expat.buffer_text = False
            raise self._failed(error) from error
        except (LookupError, ValueError) as error:
            if not _is_of_codec(error):
                raise
            raise self.error(errors.wrong_encoding(_refused(str(error))), 0) from error

    def _failed(self, error: expat.ExpatError) -> XmlError:
        if self._ended and errors.is_cut_off(error.code):
            return self.error(errors.cut_off(self.bytes), self.bytes)
        index = self.expat.ErrorByteIndex
        offset = self._skip.original(index) if self._skip else index
        diagnostic = errors.from_expat(error.code, expat.ErrorString(error.code) or "it cannot be read")
        if errors.is_invalid_token(error.code) and self._is_no_text(offset):
            diagnostic = errors.wrong_encoding(f"It should be {self._encoding.upper()}.")
        return self.error(diagnostic, offset)

    def _is_no_text(self, offset: int) -> bool:
        """Whether the bytes at `offset`, in the last two pieces, are not a character of the encoding."""
        recent = self._before + self._last
        start = offset - (self.bytes - len(recent))
        near = recent[start : start + _LONGEST_CHARACTER] if start >= 0 else b""
        try:
            near.decode(self._encoding)
        except UnicodeDecodeError as error:
            return error.start == 0
        return False

    def _xml_declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if self._encoding not in WIDE and self.source.encoding is None:
            with suppress(LookupError):
                self._encoding = codecs.lookup(encoding or "utf-8").name

    def _entity_declaration(
        self, name: str, is_parameter: int, value: str | None, base: object, system: object, *rest: object
    ) -> None:
        """Adds up the length of an entity's expansion; the limit is checked before it is used."""
        if value is None or is_parameter:
            return
        size = len(value) + sum(
            self._entities.get(part.partition(";")[0], 0) for part in value.split("&")[1:]
        )
        if size > _MOST_ENTITY:
            detail = f'Entity "{name}" stands for more than {_MOST_ENTITY:,} characters.'
            raise self.error(errors.entity_bomb(detail))
        self._entities.setdefault(name, size)
        self._links += "&" in value
        if self._links > _MOST_LINKS:
            raise self.error(errors.entity_bomb(f"More than {_MOST_LINKS:,} of them refer to others."))

    def _external_entity(
        self, context: str | None, base: object, system: str | None, public: str | None
    ) -> int:
        raise self.error(errors.external_entity(system or public or "?"))

    def _skipped_entity(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            raise self.error(errors.unknown_entity(name))

    def _namespace_declaration(self, prefix: str | None, uri: str | None) -> None:
        if self._names is None:
            self._translate()
        self._declared[f"xmlns:{prefix}" if prefix else "xmlns"] = uri or ""

    def _translate(self) -> None:
        self._names = {}
        self._wire()

    def _wire(self) -> None:
        """Handlers take names as expat gives them, unless these have to be put together first."""
        plain = self._names is None or self.raw
        self.expat.StartElementHandler = self._start if plain or not self._start else self._named_start
        self.expat.EndElementHandler = self._end if plain or not self._end else self._named_end

    def _named_start(self, name: str, attributes: Attributes) -> None:
        spelling = {self._spell(key): value for key, value in attributes.items()}
        declared, self._declared = self._declared, {}
        assert self._start is not None
        self._start(self._spell(name), {**declared, **spelling})

    def _named_end(self, name: str) -> None:
        assert self._end is not None
        self._end(self._spell(name))

    def _spell(self, name: str) -> str:
        """A name with a namespace as it stood in the document."""
        assert self._names is not None
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = spelled(name)
        return known


def spelled(name: str) -> str:
    """A name as expat gives it, with prefix and local name as in the document."""
    parts = name.split(BETWEEN)
    return f"{parts[2]}:{parts[1]}" if len(parts) == 3 else parts[-1]


def _is_of_codec(error: Exception) -> bool:
    """Whether an encoding could not be used: pyexpat itself, or the codec, raised it, and not a handler."""
    inner = error.__traceback__ and error.__traceback__.tb_next
    return inner is None or str(inner.tb_frame.f_globals.get("__name__")).startswith("encodings.")


def _refused(reason: str) -> str:
    """Why an encoding cannot be read; what codecs report differs from one Python to the next."""
    if reason.startswith(("unknown encoding", "multi-byte encodings")):
        return f"{reason.capitalize()}."
    return "The encoding that it declares is not one for documents."


def _wide(head: bytes) -> str | None:
    """The encoding that the first bytes show, if it is one of two bytes a character."""
    if head.startswith((codecs.BOM_UTF16_LE, b"<\0")):
        return "utf-16-le"
    return "utf-16-be" if head.startswith((codecs.BOM_UTF16_BE, b"\0<")) else None
