"""Taking out of the bytes what no one wants, before a parser sees it, as fast as memory is read.

    … <people> <item id="1"> … </item> <person> …       names = {item}
    … <people> <item/> <person> …                        what is left

`bytes.find` and one compiled pattern do the work; there is no loop over tags. An element taken out leaves an
empty one behind, so that automata still see it, or nothing at all, where it is also in `dropped`.

What is taken out is not checked: it must be balanced and must not hold an element of its own name, which a
schema can promise (`schema.prune`). A document that breaks the promise leaves an end tag without its start
tag, which the parser then reports.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable

_SPECIAL = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_SPECIALS = re.compile(rb"<(?:!--|!\[CDATA\[|\?)")
_REST_OF_TAG = re.compile(rb"""(?:[^>"'/]|"[^"]*"|'[^']*'|/(?!>))*+(/?)>""")
_PROLOG = re.compile(
    rb"""(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->
    |<!DOCTYPE(?:[^\[\]"'<>]|"[^"]*"|'[^']*')*+
      (?:\[(?:[^\]"'<]|"[^"]*"|'[^']*'|<!--.*?-->|<\?.*?\?>|<!(?=[A-Z]))*+\]\s*+)?>)*+
    (?=<[^!?])""",
    re.DOTALL | re.VERBOSE,
)
_ENCODING = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']""")
_ASCII_LIKE = re.compile(rb"utf-?8|us-ascii|ascii|iso-?8859-?\d+|windows-125\d|latin-?1", re.IGNORECASE)
_LONGEST_SPECIAL = len(b"<![CDATA[")
_MOST_HELD = 1 << 20
"""A tag or a prolog that is longer is not looked through: then nothing more is taken out."""
_TRIAL = 256
_WORTH = 160
"""A name whose elements are on average shorter than this, in bytes, is parsed faster than taken out."""


class Skipper:
    """Takes elements of the given names out of a document that comes in pieces."""

    def __init__(self, names: Iterable[str], dropped: Iterable[str] = ()) -> None:
        self.passes_all = False
        """Nothing is taken out any more."""
        self.inside: str | None = None
        """The element that is being taken out."""
        gone = frozenset(dropped)
        self._left = {name: b"" if name in gone else f"<{name}/>".encode() for name in names}
        self._gains = {name: [0, 0] for name in self._left}
        self._held = b""
        self._in_prolog = True
        self._until = b""
        self._special = 0
        self._entered = 0
        self._taken = 0
        self._given = 0
        self._breaks: list[tuple[int, float]] = [(0, 0)]
        self._seek = self._pattern()

    @property
    def removed(self) -> int:
        """Bytes taken out so far, less those left in their place."""
        return self._taken - self._given

    def original(self, offset: int) -> int:
        """Where the byte at `offset` of the output stood in the input; asked of what was given last."""
        given, taken = self._breaks[bisect_right(self._breaks, (offset, math.inf)) - 1]
        return int(taken) + offset - given

    def feed(self, data: bytes) -> bytes:
        """What is left of the next piece of input."""
        if self.passes_all:
            return data
        buffer = self._held + data if self._held else data
        self._held = b""
        self._special = 0 if b"!" in buffer or b"?" in buffer else len(buffer)
        del self._breaks[:-1]
        kept = self._prolog(buffer) if self._in_prolog else self._run(buffer, 0)
        self._given += len(kept)
        self._taken += len(buffer) - len(self._held)
        if self.inside is None and not self._in_prolog:
            self._weigh()
        return kept

    def close(self) -> bytes:
        """What was held back: the input has ended in the middle of something."""
        self.passes_all = True
        return b"" if self.inside is not None else self._held

    def _pattern(self) -> re.Pattern[bytes]:
        names = b"|".join(re.escape(name.encode()) for name in sorted(self._left))
        return re.compile(rb"<(?:(" + names + rb")(?=[ \t\r\n/>])|!--|!\[CDATA\[|\?)")

    def _weigh(self) -> None:
        """Gives up names that cost more than they save."""
        light = [
            name for name, (count, size) in self._gains.items() if count >= _TRIAL and size < count * _WORTH
        ]
        for name in light:
            del self._left[name], self._gains[name]
        if light:
            self._seek = self._pattern()
            self.passes_all = not self._left and not self._held

    def _prolog(self, buffer: bytes) -> bytes:
        """Nothing is taken out before the root element; bytes that are not like ASCII are left alone."""
        declared = _ENCODING.match(buffer)
        if b"\0" in buffer[:4] or (declared and not _ASCII_LIKE.fullmatch(declared[1])):
            self.passes_all = True
            return buffer
        found = _PROLOG.match(buffer)
        if found is None:
            return self._hold(buffer, 0, 0, [])
        self._in_prolog = False
        return self._run(buffer, found.end())

    def _hold(self, buffer: bytes, begun: int, end: int, kept: list[bytes]) -> bytes:
        """Keeps back what begins at `end`; what is before it is given, from `begun` on."""
        if len(buffer) - end > _MOST_HELD and self.inside is None:
            self.passes_all = True
            end = len(buffer)
        self._held = buffer[end:]
        kept.append(buffer[begun:end])
        return b"".join(kept)

    def _run(self, buffer: bytes, at: int) -> bytes:
        kept: list[bytes] = []
        begun = given = 0
        while True:
            if self.inside is not None:
                end = self._end(buffer, at)
                if end < 0:
                    return b"".join(kept)
                self._leave(given, end)
                at = begun = end
            elif self._until:
                end = buffer.find(self._until, at)
                if end < 0:
                    return self._hold(buffer, begun, max(at, len(buffer) - 2), kept)
                at, self._until = end + len(self._until), b""
            else:
                found = self._seek.search(buffer, at)
                if found is None:
                    return self._hold(buffer, begun, _unfinished(buffer, at), kept)
                if found[1] is None:
                    at, self._until = found.end(), _SPECIAL[found[0]]
                    continue
                tag = _REST_OF_TAG.match(buffer, found.end())
                if tag is None:
                    return self._hold(buffer, begun, found.start(), kept)
                name = found[1].decode()
                left = self._left[name]
                kept += buffer[begun : found.start()], left
                given += found.start() - begun + len(left)
                at = begun = tag.end()
                self.inside, self._entered = name, self._taken + found.start()
                if tag[1]:
                    self._leave(given, at)

    def _leave(self, given: int, end: int) -> None:
        """The element that was being taken out ends at `end` of the buffer."""
        original = self._taken + end
        self._breaks.append((self._given + given, original))
        gain = self._gains[self.inside or ""]
        gain[0] += 1
        gain[1] += original - self._entered
        self.inside = None

    def _end(self, buffer: bytes, at: int) -> int:
        """Behind the end tag of the element that is being taken out; -1 where it is not in the buffer."""
        needle = f"</{self.inside}".encode()
        while True:
            if self._until:
                end = buffer.find(self._until, at)
                if end < 0:
                    return self._drop(buffer, max(at, len(buffer) - 2))
                at, self._until = end + len(self._until), b""
            found = buffer.find(needle, at)
            special = self._next_special(buffer, at)
            if special < (found if found >= 0 else len(buffer)):
                mark = _SPECIALS.match(buffer, special)
                assert mark is not None
                at, self._until = mark.end(), _SPECIAL[mark[0]]
                continue
            if found < 0:
                return self._drop(buffer, max(at, len(buffer) - max(len(needle), _LONGEST_SPECIAL)))
            behind = found + len(needle)
            end = buffer.find(b">", behind)
            if end < 0:
                return self._drop(buffer, found)
            if buffer[behind] in b" \t\r\n>":
                return end + 1
            at = behind

    def _drop(self, buffer: bytes, end: int) -> int:
        self._held = buffer[end:]
        return -1

    def _next_special(self, buffer: bytes, at: int) -> int:
        """The next comment, CDATA section or instruction; it is looked for once, and none is the usual."""
        if self._special < at or (self._special == 0 and at == 0):
            found = _SPECIALS.search(buffer, at)
            self._special = found.start() if found else len(buffer)
        return self._special


def _unfinished(buffer: bytes, at: int) -> int:
    """Where a tag begins that may go on in the next piece; the end where there is none."""
    start = buffer.rfind(b"<", at)
    return start if start >= 0 and buffer.find(b">", start) < 0 else len(buffer)
