"""Removing elements that no query reads from the bytes, before they are parsed, at the speed of memory.

    … <people> <item id="1"> … </item> <person> …       names = {item}
    … <people> <item/> <person> …                        what is left

`bytes.find` and one compiled pattern do the work; there is no loop over tags. A removed element
leaves an empty one, so that automata still see it, or nothing at all, where it is also in `dropped`.

What is removed is not checked: it must be balanced and must not contain an element of its own name, which a
schema can guarantee (`schema.prune`). An invalid document leaves an end tag without its start tag, which the
parser then reports.
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
"""A longer tag or prolog is not buffered: from there on nothing is removed."""
_TRIAL = 256
_WORTH = 160
"""A name whose elements are on average shorter than this, in bytes, is parsed faster than removed."""


class Skipper:
    """Removes elements of the given names from a document that arrives in pieces."""

    def __init__(self, names: Iterable[str], dropped: Iterable[str] = ()) -> None:
        self.passes_all = False
        """Nothing is removed any more."""
        self.inside: str | None = None
        """The element that is being removed."""
        without_trace = frozenset(dropped)
        self._left = {name: b"" if name in without_trace else f"<{name}/>".encode() for name in names}
        self._gains = {name: [0, 0] for name in self._left}
        self._held = b""
        self._in_prolog = True
        self._until = b""
        self._special = 0
        self._entered = 0
        self._consumed = 0
        self._emitted = 0
        self._breaks: list[tuple[int, float]] = [(0, 0)]
        self._seek = self._pattern()

    @property
    def removed(self) -> int:
        """Bytes removed so far, less those left in their place."""
        return self._consumed - self._emitted

    def original(self, offset: int) -> int:
        """The input offset of an output offset; only for the output of the last call."""
        emitted, consumed = self._breaks[bisect_right(self._breaks, (offset, math.inf)) - 1]
        return int(consumed) + offset - emitted

    def feed(self, data: bytes) -> bytes:
        """What is left of the next piece of input."""
        if self.passes_all:
            return data
        buffer = self._held + data if self._held else data
        self._held = b""
        self._special = 0 if b"!" in buffer or b"?" in buffer else len(buffer)
        del self._breaks[:-1]
        output = self._prolog(buffer) if self._in_prolog else self._run(buffer, 0)
        self._emitted += len(output)
        self._consumed += len(buffer) - len(self._held)
        if self.inside is None and not self._in_prolog:
            self._weigh()
        return output

    def close(self) -> bytes:
        """What was held back: the input has ended in the middle of something."""
        self.passes_all = True
        return b"" if self.inside is not None else self._held

    def _pattern(self) -> re.Pattern[bytes]:
        names = b"|".join(re.escape(name.encode()) for name in sorted(self._left))
        return re.compile(rb"<(?:(" + names + rb")(?=[ \t\r\n/>])|!--|!\[CDATA\[|\?)")

    def _weigh(self) -> None:
        """Drops names whose removal costs more than it saves."""
        light = [
            name for name, (count, size) in self._gains.items() if count >= _TRIAL and size < count * _WORTH
        ]
        for name in light:
            del self._left[name], self._gains[name]
        if light:
            self._seek = self._pattern()
            self.passes_all = not self._left and not self._held

    def _prolog(self, buffer: bytes) -> bytes:
        """Nothing is removed before the root element, nor in encodings that do not extend ASCII."""
        declared = _ENCODING.match(buffer)
        if b"\0" in buffer[:4] or (declared and not _ASCII_LIKE.fullmatch(declared[1])):
            self.passes_all = True
            return buffer
        prolog = _PROLOG.match(buffer)
        if prolog is None:
            return self._hold(buffer, 0, 0, [])
        self._in_prolog = False
        return self._run(buffer, prolog.end())

    def _hold(self, buffer: bytes, begun: int, end: int, output: list[bytes]) -> bytes:
        """Keeps back what begins at `end`; what is before it is output, from `begun` on."""
        if len(buffer) - end > _MOST_HELD and self.inside is None:
            self.passes_all = True
            end = len(buffer)
        self._held = buffer[end:]
        output.append(buffer[begun:end])
        return b"".join(output)

    def _run(self, buffer: bytes, at: int) -> bytes:
        output: list[bytes] = []
        begun = emitted = 0
        while True:
            if self.inside is not None:
                end = self._end(buffer, at)
                if end < 0:
                    return b"".join(output)
                self._leave(emitted, end)
                at = begun = end
            elif self._until:
                end = buffer.find(self._until, at)
                if end < 0:
                    return self._hold(buffer, begun, max(at, len(buffer) - 2), output)
                at, self._until = end + len(self._until), b""
            else:
                match = self._seek.search(buffer, at)
                if match is None:
                    return self._hold(buffer, begun, _unfinished(buffer, at), output)
                if match[1] is None:
                    at, self._until = match.end(), _SPECIAL[match[0]]
                    continue
                tag = _REST_OF_TAG.match(buffer, match.end())
                if tag is None:
                    return self._hold(buffer, begun, match.start(), output)
                name = match[1].decode()
                left = self._left[name]
                output += buffer[begun : match.start()], left
                emitted += match.start() - begun + len(left)
                at = begun = tag.end()
                self.inside, self._entered = name, self._consumed + match.start()
                if tag[1]:
                    self._leave(emitted, at)

    def _leave(self, emitted: int, end: int) -> None:
        """The element that was being removed ends at `end` of the buffer."""
        original = self._consumed + end
        self._breaks.append((self._emitted + emitted, original))
        gain = self._gains[self.inside or ""]
        gain[0] += 1
        gain[1] += original - self._entered
        self.inside = None

    def _end(self, buffer: bytes, at: int) -> int:
        """The offset after the end tag of the removed element; -1 where it is not in the buffer."""
        needle = f"</{self.inside}".encode()
        while True:
            if self._until:
                end = buffer.find(self._until, at)
                if end < 0:
                    return self._drop(buffer, max(at, len(buffer) - 2))
                at, self._until = end + len(self._until), b""
            start = buffer.find(needle, at)
            special = self._next_special(buffer, at)
            if special < (start if start >= 0 else len(buffer)):
                mark = _SPECIALS.match(buffer, special)
                assert mark is not None
                at, self._until = mark.end(), _SPECIAL[mark[0]]
                continue
            if start < 0:
                return self._drop(buffer, max(at, len(buffer) - max(len(needle), _LONGEST_SPECIAL)))
            behind = start + len(needle)
            end = buffer.find(b">", behind)
            if end < 0:
                return self._drop(buffer, start)
            if buffer[behind] in b" \t\r\n>":
                return end + 1
            at = behind

    def _drop(self, buffer: bytes, end: int) -> int:
        self._held = buffer[end:]
        return -1

    def _next_special(self, buffer: bytes, at: int) -> int:
        """The next comment, CDATA section or instruction; searched once, as most buffers have none."""
        if self._special < at or (self._special == 0 and at == 0):
            match = _SPECIALS.search(buffer, at)
            self._special = match.start() if match else len(buffer)
        return self._special


def _unfinished(buffer: bytes, at: int) -> int:
    """Where a tag begins that may go on in the next piece; the end where there is none."""
    start = buffer.rfind(b"<", at)
    return start if start >= 0 and buffer.find(b">", start) < 0 else len(buffer)
