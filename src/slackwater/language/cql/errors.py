"""The errors of syntax, before names are resolved."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.base.time import UNITS, unit_named
from slackwater.language.cql import problems
from slackwater.language.cql.foreign import WINDOWS, hint_for_statement
from slackwater.language.cql.words import TYPES

_UNEVEN = dict.fromkeys(
    ("month", "year", "quarter"), "Months and years have no fixed length: write days or weeks."
)


def unexpected(span: Span, expected: str = "", hint: str | None = None) -> Diagnostic:
    """A word or sign that is not allowed at its place."""
    label = f"expected {expected}" if expected else None
    if not span.content:
        return problems.UNEXPECTED_END.at(span, label=label, hint=hint)
    return problems.UNEXPECTED.at(span, word=_shortened(span.content), label=label, hint=hint)


def not_ours(span: Span, label: str, instead: str | None) -> Diagnostic:
    """Words of another language, or a window without its brackets."""
    words = " ".join(_shortened(span.content).split())
    return problems.UNEXPECTED.at(span, word=words, label=label, hint=instead)


def not_a_type(span: Span) -> Diagnostic:
    return unexpected(span, "a type", did_you_mean(span.content.upper(), TYPES))


def second_statement(span: Span) -> Diagnostic:
    return unexpected(span, hint='Separate statements with ";".')


def never_closed(span: Span, what: str) -> Diagnostic:
    return problems.NEVER_CLOSED.at(span, what=what)


def never_opened(span: Span) -> Diagnostic:
    return problems.NEVER_OPENED.at(span, word=span.content)


def unreadable(span: Span) -> Diagnostic:
    return problems.UNREADABLE.at(span)


def not_a_name(span: Span) -> Diagnostic:
    return problems.NOT_A_NAME.at(span, word=_shortened(span.content))


def not_a_number(span: Span, hint: str | None = None) -> Diagnostic:
    return problems.NOT_A_NUMBER.at(span, word=_shortened(span.content), hint=hint)


def bare_subquery(span: Span) -> Diagnostic:
    return problems.BARE_SUBQUERY.at(span)


def bare_outer_join(span: Span) -> Diagnostic:
    return unexpected(span, hint="Write LEFT, RIGHT or FULL OUTER JOIN.")


def misplaced(span: Span, what: str) -> Diagnostic:
    return problems.MISPLACED.at(span, what=what)


def repeated_clause(span: Span, name: str) -> Diagnostic:
    return problems.REPEATED_CLAUSE.at(span, name=name)


def clause_of_relations(span: Span, name: str) -> Diagnostic:
    return problems.CLAUSE_OF_RELATIONS.at(span, name=name)


def too_deep(span: Span) -> Diagnostic:
    return problems.TOO_DEEP.at(span)


def unsupported_statement(span: Span) -> Diagnostic:
    words = " ".join(span.content.upper().split())
    return problems.UNSUPPORTED_STATEMENT.at(span, words=words, hint=hint_for_statement(words))


def pivot_without_list(span: Span) -> Diagnostic:
    return problems.PIVOT_WITHOUT_LIST.at(span)


def several_items(span: Span, operator: str) -> Diagnostic:
    name = operator.capitalize()
    return problems.SEVERAL_ITEMS.at(span, name=name)


def operator_in_expression(span: Span, operator: str) -> Diagnostic:
    name = operator.capitalize()
    return problems.OPERATOR_IN_EXPRESSION.at(span, name=name)


def bad_count(span: Span) -> Diagnostic:
    return problems.BAD_COUNT.at(span)


def negative_length(span: Span) -> Diagnostic:
    return problems.NEGATIVE_LENGTH.at(span)


def zero_length(span: Span) -> Diagnostic:
    return problems.ZERO_LENGTH.at(span)


def unknown_unit(span: Span, hint: str | None = None) -> Diagnostic:
    return problems.UNKNOWN_UNIT.at(
        span,
        word=_shortened(span.content),
        units=quoted(UNITS),
        hint=did_you_mean(span.content, UNITS) or _UNEVEN.get(span.content.lower().removesuffix("s"), hint),
    )


def not_closed_here(span: Span, kind: str) -> Diagnostic:
    """A word or sign after a complete window, before its bracket closes."""
    word = span.content.upper()
    hint = None
    if span.content == ",":
        hint = "Remove the comma: [RANGE 5 MINUTES SLIDE 1 MINUTE]."
    elif word == "PARTITION BY":
        hint = "Write PARTITION BY first: [PARTITION BY column ROWS 5]."
    elif word in ("STEP", "EVERY", "ADVANCE", "HOP"):
        hint = "Write SLIDE: [RANGE 5 MINUTES SLIDE 1 MINUTE]."
    elif kind == "rows" and unit_named(span.content) is not None:
        hint = "ROWS counts rows. Use RANGE for a length of time: [RANGE 5 MINUTES]."
    return unexpected(span, '"]"', hint)


def not_a_length(span: Span) -> Diagnostic:
    return problems.NOT_A_LENGTH.at(span)


def not_a_window(span: Span, word: str) -> Diagnostic:
    known = ("Range", "Rows", "Now", "Unbounded", "Partition By", "Sliding", "Fixed", "Session")
    hint = WINDOWS.get(word.lower()) or did_you_mean(word, known)
    if not span.content:
        return problems.NO_WINDOW.at(span, hint=hint)
    return problems.NOT_A_WINDOW.at(span, word=_shortened(span.content), hint=hint)


def _shortened(content: str, size: int = 40) -> str:
    line = content.split("\n")[0]
    return line if len(line) <= size else f"{line[:size]}…"
