"""Lines of CSV that end inside of quotes: Spark reads line by line and silently truncates the field.

2,"no     ─►  (2, no)       the rest of the field is in the next line
rth"      ─►  malformed, or a row of its own
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, cast

from slackwater.base.diagnostic import Diagnostic
from slackwater.sources import problems

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Quoting:
    """How fields are quoted in a file."""

    sep: str
    quote: str
    escape: str
    encoding: str
    comment: str

    def is_open(self, line: str) -> bool:
        """Whether the line ends inside of a quoted field."""
        if self.comment and line.startswith(self.comment):
            return False
        place = 0
        while 0 <= place <= len(line):
            if line.startswith(self.quote, place):
                place = self._closed(line, place + 1)
                if place < 0:
                    return True
            place = line.find(self.sep, place)
            place += len(self.sep) if place >= 0 else 0
        return False

    def _closed(self, line: str, place: int) -> int:
        """Behind the quote that ends the field: one before a separator or the end; -1 where there is none."""
        while place < len(line):
            if line[place] == self.escape and line[place + 1 : place + 2] in (self.quote, self.escape):
                place += 2
            elif line[place] == self.quote and self._is_end(line[place + 1 :].lstrip(" \t")):
                return place + 1
            else:
                place += 1
        return -1

    def _is_end(self, rest: str) -> bool:
        return not rest or rest.startswith(self.sep)


def quoting_of(path: str, options: Mapping[str, str]) -> Quoting | None:
    """How a file is read by its options; None where quotes may go over lines, or there are none."""
    settings = {key.lower(): value for key, value in options.items()}
    sep = settings.get("sep", settings.get("delimiter", "\t" if path.endswith(".tsv") else ","))
    quote, encoding = settings.get("quote", '"'), settings.get("encoding", settings.get("charset", "UTF-8"))
    is_by_lines = settings.get("multiline", "false").lower() != "true" and "linesep" not in settings
    if not is_by_lines or len(quote) != 1 or not sep or not _is_like_ascii(encoding):
        return None
    return Quoting(sep, quote, settings.get("escape", '"'), encoding, settings.get("comment", ""))


def _is_like_ascii(encoding: str) -> bool:
    try:
        return codecs.encode('"\n', encoding) == b'"\n'
    except (LookupError, UnicodeError):
        return False


def open_lines(path: str, quoting: Quoting) -> Iterator[tuple[int, str]]:
    """The lines of a local file that end inside of quotes, with their numbers."""
    marks = [text.encode(quoting.encoding) for text in (quoting.quote, quoting.sep, quoting.escape)]
    number = 0
    with contextlib.suppress(OSError, EOFError), opened(path) as file:
        while piece := file.read(_PIECE):
            piece += file.readline()
            if marks[0] in piece:
                for place, line in enumerate(piece.splitlines(), number + 1):
                    if _may_be_open(line, *marks):
                        text = line.decode(quoting.encoding, "replace")
                        if quoting.is_open(text):
                            yield place, text
            number += piece.count(b"\n")


def _may_be_open(line: bytes, quote: bytes, sep: bytes, escape: bytes) -> bool:
    """A quick test that is false for most lines; where it is true, the line is parsed."""
    before, mark, after = line.rpartition(quote)
    if not mark:
        return False
    is_closing = not after or after.startswith(sep)
    is_plain = escape == quote or escape not in line
    return not is_closing or not is_plain or before.endswith(sep) or bool(line.count(quote) % 2)


def opened(path: str) -> BinaryIO:
    """The bytes of a file, unpacked where it is compressed."""
    if path.endswith((".gz", ".bz2")):
        return cast(BinaryIO, gzip.open(path) if path.endswith(".gz") else bz2.open(path))
    return open(path, "rb")


def cut_field(source: str, place: str, line: str) -> Diagnostic:
    return problems.CUT_FIELD.at(where=place, source=source, line=line)
