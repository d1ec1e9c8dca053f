"""Diagnostics of a `.cqt` file with a computed part; the others are entries of `problems`."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.algebra.operator import Kind
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.testing import problems


def unknown_block(span: Span, known: Iterable[str]) -> Diagnostic:
    words = list(known)
    return problems.CQT_UNKNOWN_BLOCK.at(
        span,
        word=span.content,
        known=", ".join(words[:-1]),
        last=words[-1],
        hint=did_you_mean(span.content, words),
    )


def bad_declaration(span: Span, kind: str) -> Diagnostic:
    key = " key symbol" if kind == "relation" else ""
    return problems.CQT_BAD_DECLARATION.at(span, kind=kind, key=key)


def unknown_key(span: Span, names: Iterable[str]) -> Diagnostic:
    known = list(names)
    return problems.CQT_UNKNOWN_KEY.at(
        span, word=span.content, known=quoted(known), hint=did_you_mean(span.content, known)
    )


def wrong_cells(span: Span, count: int, width: int, looks_like_block: bool) -> Diagnostic:
    return problems.CQT_WRONG_CELLS.at(
        span,
        count=count,
        s="s" * (count != 1),
        expected=width,
        label="too few" if count < width else "too many",
        hint="End a block with a blank line." if looks_like_block else None,
    )


def no_name(span: Span, what: str) -> Diagnostic:
    return problems.CQT_NO_NAME.at(span, word=span.content, what=what)


def not_a_name(span: Span) -> Diagnostic:
    return problems.CQT_NOT_A_NAME.at(span, word=span.content)


def no_text(span: Span) -> Diagnostic:
    return problems.CQT_NO_TEXT.at(span, word=span.content.split()[0])


def stray_check(span: Span) -> Diagnostic:
    return problems.CQT_STRAY_CHECK.at(span, word=span.content.split()[0])


def wrong_check(span: Span, kind: Kind) -> Diagnostic:
    other = {
        Kind.STREAM: 'Check a stream with "emits".',
        Kind.RELATION: 'Check a relation with "at", "changes" and "tagged".',
    }
    return problems.CQT_WRONG_CHECK.at(span, word=span.content.split()[0], kind=kind, instead=other[kind])
