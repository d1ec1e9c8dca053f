"""A piece of a file, parsed by itself, with errors at their place in the file.

A cutout is the whole file with everything but the piece blanked out: every character keeps its
position, so a span of the cutout is a span of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span, Text

_NOT_A_LINE_END = re.compile(r"[^\r\n]")


def cutout(text: Text, spans: Iterable[Span]) -> Text:
    """The text with everything but the spans blanked out."""
    pieces: list[str] = []
    done = 0
    for span in spans:
        pieces += [_blank(text.content[done : span.start]), span.content]
        done = span.end
    return Text(text.name, "".join(pieces) + _blank(text.content[done:]))


def restored(diagnostics: Iterable[Diagnostic], text: Text, piece: Span) -> list[Diagnostic]:
    """The diagnostics of a cutout with spans of the whole text; one outside the piece becomes the piece."""
    moved: list[Diagnostic] = []
    for diagnostic in diagnostics:
        span = diagnostic.span
        if span is not None and span.text.name == text.name:
            inside = piece.start <= span.start < piece.end
            span = text.span(span.start, min(span.end, piece.end)) if inside else piece
        moved.append(replace(diagnostic, span=span))
    return moved


def _blank(content: str) -> str:
    return _NOT_A_LINE_END.sub(" ", content)
