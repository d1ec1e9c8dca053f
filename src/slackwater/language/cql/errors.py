"""What can be wrong with a text before anybody knows what its names mean."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.base.time import UNITS, unit_named
from slackwater.language.cql.foreign import WINDOWS, hint_for_statement
from slackwater.language.cql.words import TYPES

_UNEVEN = dict.fromkeys(
    ("month", "year", "quarter"), "Months and years have no fixed length: write days or weeks."
)


def unexpected(span: Span, expected: str = "", hint: str | None = None) -> Diagnostic:
    """A word or sign that cannot stand where it stands."""
    found = f'unexpected "{_shortened(span.content)}"' if span.content else "unexpected end of statement"
    return Diagnostic("syntax", found, span, f"expected {expected}" if expected else "", hint=hint)


def not_ours(span: Span, label: str, instead: str) -> Diagnostic:
    """Words of another language, or a window without its brackets."""
    words = " ".join(_shortened(span.content).split())
    return Diagnostic("syntax", f'unexpected "{words}"', span, label, hint=instead)


def not_a_type(span: Span) -> Diagnostic:
    return unexpected(span, "a type", did_you_mean(span.content.upper(), TYPES))


def second_statement(span: Span) -> Diagnostic:
    return unexpected(span, hint='Statements have ";" between them.')


def never_closed(span: Span, what: str) -> Diagnostic:
    return Diagnostic("syntax", f"{what} is never closed", span, "opened here")


def never_opened(span: Span) -> Diagnostic:
    return Diagnostic("syntax", f'unexpected "{span.content}"', span, "nothing to close")


def unreadable(span: Span) -> Diagnostic:
    return Diagnostic("syntax", "the statement cannot be read", span)


def not_a_name(span: Span) -> Diagnostic:
    return Diagnostic(
        "syntax",
        f"unexpected {_shortened(span.content)!r}",
        span,
        "not a name",
        hint="Put names with unusual characters in double quotes.",
    )


def not_a_number(span: Span) -> Diagnostic:
    return Diagnostic("syntax", f'"{_shortened(span.content)}" is not a number', span)


def bare_subquery(span: Span) -> Diagnostic:
    return Diagnostic(
        "syntax", "a query in FROM stands in parentheses", span, hint="Write FROM (SELECT ...)."
    )


def misplaced(span: Span, what: str) -> Diagnostic:
    return Diagnostic("syntax", f"{what} cannot stand here", span)


def repeated_clause(span: Span, name: str) -> Diagnostic:
    return Diagnostic("syntax", f"{name} is given twice", span, "already given")


def clause_of_relations(span: Span, name: str) -> Diagnostic:
    return Diagnostic("syntax", f"a stream has no {name}", span, "only a relation has one")


def too_deep(span: Span) -> Diagnostic:
    return Diagnostic(
        "too-deep",
        "the statement is nested too deeply",
        span,
        hint="Name the inner queries with CREATE VIEW or WITH.",
    )


def unsupported_statement(span: Span) -> Diagnostic:
    words = " ".join(span.content.upper().split())
    return Diagnostic(
        "unsupported-statement",
        f"{words} is not a statement of this language",
        span,
        detail="A statement is a query, CREATE STREAM, CREATE RELATION, CREATE VIEW or SET CHRONON.",
        hint=hint_for_statement(words),
    )


def several_items(span: Span, operator: str) -> Diagnostic:
    name = operator.capitalize()
    return Diagnostic(
        "stream-operator-place",
        f"{name} must be the only item of its select list",
        span,
        hint=f"Put the whole list into it: SELECT {name}(a, b).",
    )


def operator_in_expression(span: Span, operator: str) -> Diagnostic:
    name = operator.capitalize()
    return Diagnostic(
        "stream-operator-place",
        f"{name} cannot stand inside an expression",
        span,
        "it makes a stream of a relation, not a value",
        hint=f"Write SELECT {name}(...) or {name}(SELECT ...).",
    )


def bad_count(span: Span) -> Diagnostic:
    return Diagnostic("bad-window", "a number of rows is a positive whole number", span, "not one")


def negative_length(span: Span) -> Diagnostic:
    return Diagnostic("bad-window", "a window cannot be shorter than nothing", span, "negative")


def zero_length(span: Span) -> Diagnostic:
    return Diagnostic("bad-window", "this length must be longer than nothing", span, "zero")


def unknown_unit(span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-window",
        f'"{_shortened(span.content)}" is not a unit of time',
        span,
        "no such unit",
        detail=f"The units are {quoted(UNITS)}.",
        hint=did_you_mean(span.content, UNITS) or _UNEVEN.get(span.content.lower().removesuffix("s")),
    )


def not_closed_here(span: Span, kind: str) -> Diagnostic:
    """Something in a window behind what could be its end."""
    word = span.content.upper()
    hint = None
    if span.content == ",":
        hint = "Drop the comma: [RANGE 5 MINUTES SLIDE 1 MINUTE]."
    elif word == "PARTITION BY":
        hint = "PARTITION BY comes first: [PARTITION BY column ROWS 5]."
    elif word in ("STEP", "EVERY", "ADVANCE", "HOP"):
        hint = "Write SLIDE: [RANGE 5 MINUTES SLIDE 1 MINUTE]."
    elif kind == "rows" and unit_named(span.content) is not None:
        hint = "ROWS counts rows. A length of time has RANGE: [RANGE 5 MINUTES]."
    return unexpected(span, '"]"', hint)


def not_a_length(span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-window", "this is not a length of time", span, hint="Write a number and a unit: 5 MINUTES."
    )


def not_a_window(span: Span, word: str) -> Diagnostic:
    known = ("Range", "Rows", "Now", "Unbounded", "Partition By", "Sliding", "Fixed")
    return Diagnostic(
        "bad-window",
        f'"{_shortened(span.content)}" does not begin a window' if span.content else "a window is missing",
        span,
        f"expected {', '.join(known[:-1])} or {known[-1]}",
        hint=(WINDOWS.get(word.lower()) or did_you_mean(word, known) or "For example [RANGE 5 MINUTES]."),
    )


def _shortened(content: str, size: int = 40) -> str:
    line = content.split("\n")[0]
    return line if len(line) <= size else f"{line[:size]}…"
