"""What can be wrong with a `.cqt` file itself, one function each."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.algebra.operator import Kind
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span


def unknown_block(span: Span, known: Iterable[str]) -> Diagnostic:
    words = list(known)
    return Diagnostic(
        "cqt-unknown-block",
        f'"{span.content}" begins no block',
        span,
        "not a block",
        hint=did_you_mean(span.content, words)
        or f"A block begins with {', '.join(words[:-1])} or {words[-1]}.",
    )


def bad_declaration(span: Span, kind: str) -> Diagnostic:
    key = " key symbol" if kind == "relation" else ""
    return Diagnostic(
        "cqt-bad-declaration",
        f"this does not declare a {kind}",
        span,
        "cannot be read",
        hint=f"For example: {kind} trades (symbol STRING, price INT){key}.",
    )


def bad_type(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-bad-type",
        f"there is no type {span.content}",
        span,
        "not a type of a column",
        hint="Use BOOLEAN, INT, BIGINT, DOUBLE, DECIMAL(p, s), STRING, BINARY, DATE, TIMESTAMP or ARRAY.",
    )


def duplicate_source(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-duplicate-source",
        f'"{span.content}" is already a stream, relation or view of this case',
        span,
        "declared before",
        hint='Choose another name, or begin a new story with "case".',
    )


def duplicate_column(span: Span) -> Diagnostic:
    return Diagnostic("cqt-duplicate-column", f'column "{span.content}" is named twice', span, "named before")


def unknown_key(span: Span, names: Iterable[str]) -> Diagnostic:
    known = list(names)
    return Diagnostic(
        "cqt-unknown-key",
        f'the key names "{span.content}", which is not a column',
        span,
        "not a column",
        detail=f"The columns are {quoted(known)}.",
        hint=did_you_mean(span.content, known),
    )


def missing_heading(span: Span, wanted: str) -> Diagnostic:
    return Diagnostic(
        "cqt-missing-heading",
        "the table has no heading",
        span,
        "no line with the names of the columns",
        hint=f"Begin the table with: {wanted}.",
    )


def wrong_heading(span: Span, wanted: str) -> Diagnostic:
    return Diagnostic(
        "cqt-wrong-heading",
        "the heading does not name the columns there are",
        span,
        "other columns, or another order",
        hint=f"Write: {wanted}.",
    )


def wrong_cells(span: Span, given: int, wanted: int, looks_like_block: bool) -> Diagnostic:
    return Diagnostic(
        "cqt-wrong-cells",
        f"this row has {given} cell{'s' * (given != 1)}, the heading {wanted}",
        span,
        "too few" if given < wanted else "too many",
        hint="A block ends with a blank line."
        if looks_like_block
        else "A bar inside a string needs double quotes.",
    )


def bad_cell(span: Span, column: str, type_: str, why: object) -> Diagnostic:
    return Diagnostic("cqt-bad-cell", f'column "{column}" holds {type_} here', span, str(why))


def bad_time(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-bad-time",
        f'"{span.content}" is not an instant',
        span,
        "not a whole number from 0 on",
        detail="Time begins at instant 0 and counts chronons.",
    )


def bad_op(span: Span, allowed: str) -> Diagnostic:
    return Diagnostic("cqt-bad-op", f'"{span.content}" is not a change', span, f"not one of {allowed}")


def bad_chronon(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-bad-chronon",
        "this is not a length of time",
        span,
        "not a number and a unit",
        hint="For example: chronon 1 second.",
    )


def second_chronon(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-second-chronon",
        "a case has one chronon",
        span,
        "the second one",
        hint="All sources share one time.",
    )


def no_name(span: Span, what: str) -> Diagnostic:
    return Diagnostic("cqt-no-name", f'"{span.content}" needs {what}', span, "nothing follows")


def not_a_name(span: Span) -> Diagnostic:
    return Diagnostic("cqt-not-a-name", f'"{span.content}" is not a name', span, "letters, digits and _ only")


def no_text(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-no-text",
        f"this {span.content.split()[0]} has no text",
        span,
        "the query stands on the lines below",
        hint="No blank line may come between.",
    )


def unexpected_words(span: Span) -> Diagnostic:
    return Diagnostic("cqt-unexpected-words", "nothing may follow here", span, "not expected")


def stray_check(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-stray-check",
        f'"{span.content.split()[0]}" checks the query before it, and there is none',
        span,
        "no query in this case yet",
    )


def no_query(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-no-query", "this case asks nothing", span, "no query in this case", hint='Add a "query".'
    )


def no_check(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-no-check",
        "nothing is said of this query's answer",
        span,
        "no check under it",
        hint='Add "at", "changes", "emits" or "error".',
    )


def lonely_error(span: Span) -> Diagnostic:
    return Diagnostic(
        "cqt-lonely-error",
        "a query that must be refused has no answers",
        span,
        "beside other checks",
        hint="Keep the error or the answers.",
    )


def wrong_check(span: Span, kind: Kind) -> Diagnostic:
    other = {
        Kind.STREAM: 'A stream is checked with "emits".',
        Kind.RELATION: 'A relation is checked with "at" and "changes".',
    }
    return Diagnostic(
        "cqt-wrong-check",
        f'"{span.content.split()[0]}" does not check a {kind}',
        span,
        f"the query gives a {kind}",
        hint=other[kind],
    )
