"""A piece of a file, parsed as if it stood alone and reported where it stands.

A cutout is the whole file with everything but the piece blanked out: every character keeps its
place, so a span of the cutout is a span of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span, Text

_NOT_A_LINE_END = re.compile(r"[^\r\n]")


def cutout(text: Text, kept: Iterable[Span]) -> Text:
    """The text with everything but the kept spans blank."""
    pieces: list[str] = []
    done = 0
    for span in kept:
        pieces += [_blank(text.content[done : span.start]), span.content]
        done = span.end
    return Text(text.name, "".join(pieces) + _blank(text.content[done:]))


def restored(diagnostics: Iterable[Diagnostic], text: Text, piece: Span) -> list[Diagnostic]:
    """Diagnostics of a cutout, on the text it was cut from; a span that leaves the piece is its whole."""
    found: list[Diagnostic] = []
    for each in diagnostics:
        span = each.span
        if span is not None and span.text.name == text.name:
            inside = piece.start <= span.start < piece.end
            span = text.span(span.start, min(span.end, piece.end)) if inside else piece
        found.append(replace(each, span=span))
    return found


def _blank(content: str) -> str:
    return _NOT_A_LINE_END.sub(" ", content)
