"""What can be wrong with a `.cqt` file itself, one function each."""

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


def bad_type(span: Span) -> Diagnostic:
    return problems.CQT_BAD_TYPE.at(span, word=span.content)


def duplicate_source(span: Span) -> Diagnostic:
    return problems.CQT_DUPLICATE_SOURCE.at(span, word=span.content)


def duplicate_column(span: Span) -> Diagnostic:
    return problems.CQT_DUPLICATE_COLUMN.at(span, word=span.content)


def unknown_key(span: Span, names: Iterable[str]) -> Diagnostic:
    known = list(names)
    return problems.CQT_UNKNOWN_KEY.at(
        span, word=span.content, known=quoted(known), hint=did_you_mean(span.content, known)
    )


def missing_heading(span: Span, wanted: str) -> Diagnostic:
    return problems.CQT_MISSING_HEADING.at(span, wanted=wanted)


def wrong_heading(span: Span, wanted: str) -> Diagnostic:
    return problems.CQT_WRONG_HEADING.at(span, wanted=wanted)


def wrong_cells(span: Span, given: int, wanted: int, looks_like_block: bool) -> Diagnostic:
    return problems.CQT_WRONG_CELLS.at(
        span,
        given=given,
        s="s" * (given != 1),
        wanted=wanted,
        label="too few" if given < wanted else "too many",
        hint="A block ends with a blank line." if looks_like_block else None,
    )


def bad_cell(span: Span, column: str, type_: str, why: object) -> Diagnostic:
    return problems.CQT_BAD_CELL.at(span, column=column, type=type_, why=why)


def bad_time(span: Span) -> Diagnostic:
    return problems.CQT_BAD_TIME.at(span, word=span.content)


def bad_op(span: Span, allowed: str) -> Diagnostic:
    return problems.CQT_BAD_OP.at(span, word=span.content, allowed=allowed)


def bad_chronon(span: Span) -> Diagnostic:
    return problems.CQT_BAD_CHRONON.at(span)


def second_chronon(span: Span) -> Diagnostic:
    return problems.CQT_SECOND_CHRONON.at(span)


def no_name(span: Span, what: str) -> Diagnostic:
    return problems.CQT_NO_NAME.at(span, word=span.content, what=what)


def not_a_name(span: Span) -> Diagnostic:
    return problems.CQT_NOT_A_NAME.at(span, word=span.content)


def no_text(span: Span) -> Diagnostic:
    return problems.CQT_NO_TEXT.at(span, word=span.content.split()[0])


def unexpected_words(span: Span) -> Diagnostic:
    return problems.CQT_UNEXPECTED_WORDS.at(span)


def stray_check(span: Span) -> Diagnostic:
    return problems.CQT_STRAY_CHECK.at(span, word=span.content.split()[0])


def no_query(span: Span) -> Diagnostic:
    return problems.CQT_NO_QUERY.at(span)


def no_check(span: Span) -> Diagnostic:
    return problems.CQT_NO_CHECK.at(span)


def lonely_error(span: Span) -> Diagnostic:
    return problems.CQT_LONELY_ERROR.at(span)


def wrong_check(span: Span, kind: Kind) -> Diagnostic:
    other = {
        Kind.STREAM: 'A stream is checked with "emits".',
        Kind.RELATION: 'A relation is checked with "at" and "changes".',
    }
    return problems.CQT_WRONG_CHECK.at(span, word=span.content.split()[0], kind=kind, instead=other[kind])
