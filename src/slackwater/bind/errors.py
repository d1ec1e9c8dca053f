"""The errors of binding, one function each."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.algebra.schema import Schema
from slackwater.algebra.types import INTERVAL, MAX_PRECISION, Type
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.base.time import Clock, Duration
from slackwater.bind import problems
from slackwater.bind.windowing.names import misplaced
from slackwater.language.cql.foreign import FUNCTIONS
from slackwater.language.cql.nodes import STREAM_OPERATORS


def unknown_source(name: str, known: Iterable[str], span: Span | None) -> Diagnostic:
    names = sorted(known)
    return problems.UNKNOWN_SOURCE.at(
        span,
        name=name,
        declared=quoted(names),
        detail=None if names else "Nothing has been declared yet.",
        hint=did_you_mean(name, names),
    )


def unknown_column(
    name: str, tables: list[tuple[str, list[str]]], span: Span, declaration: str | None = None
) -> Diagnostic:
    """A column that no source has; `declaration` would declare the time column of this name."""
    sources = [(f'"{alias}"' if alias else "the subquery", columns) for alias, columns in tables]
    hint = declaration and f"It is a time column; to use it, declare it among the columns: {declaration}."
    hint = hint or _hint_for_column(name, [column for _, columns in tables for column in columns], span)
    if not sources:
        return problems.COLUMN_WITHOUT_FROM.at(span, name=name, hint=hint)
    label = f"no such column in {sources[0][0]}" if len(sources) == 1 else None
    details = [f"{alias[:1].upper()}{alias[1:]} has columns {quoted(columns)}." for alias, columns in sources]
    return problems.UNKNOWN_COLUMN.at(span, name=name, columns=" ".join(details), label=label, hint=hint)


def _hint_for_column(name: str, known: list[str], span: Span) -> str | None:
    if name.lower() in STREAM_OPERATORS:
        return f"Put the whole select list into it: SELECT {name}(a, b)."
    near = did_you_mean(name, known)
    if near is None and name.lower() == "ts":
        return "TS, the time of a row, is a column of the relation of a stream, R(S), and in FINAL."
    if near is None and name.lower() == "window":
        return "Select the start and the end of a window: window.start, window.end."
    if near is None and span.content.startswith('"'):
        return f"Write strings in single quotes: '{name}'. Double quotes are for names."
    return near


def empty_select_list(span: Span) -> Diagnostic:
    return problems.EMPTY_SELECT_LIST.at(span)


def no_columns(span: Span) -> Diagnostic:
    """`*` of sources without columns, such as matches of a pattern without measures."""
    return problems.EMPTY_SELECT_LIST.at(span, hint="Name what to select: a match has its measures.")


def unknown_alias(name: str, known: list[str], span: Span) -> Diagnostic:
    return problems.UNKNOWN_ALIAS.at(
        span,
        name=name,
        known=quoted(known),
        detail=None if known else "The query has no FROM.",
        hint=did_you_mean(name, known),
    )


def ambiguous_column(name: str, aliases: list[str], span: Span) -> Diagnostic:
    return problems.AMBIGUOUS_COLUMN.at(span, name=name, aliases=quoted(aliases), first=aliases[0])


def duplicate_alias(name: str, span: Span) -> Diagnostic:
    return problems.DUPLICATE_ALIAS.at(span, name=name)


def duplicate_column(name: str, span: Span) -> Diagnostic:
    return problems.DUPLICATE_COLUMN.at(span, name=name)


def duplicate_source(name: str, span: Span) -> Diagnostic:
    return problems.DUPLICATE_SOURCE.at(span, name=name)


def unknown_type(name: str, span: Span) -> Diagnostic:
    return problems.UNKNOWN_TYPE.at(span, name=name)


def unknown_function(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    if (window := misplaced(name, span)) is not None:
        return window
    return problems.UNKNOWN_FUNCTION.at(
        span, name=name, hint=FUNCTIONS.get(name.lower()) or did_you_mean(name, [*known, *STREAM_OPERATORS])
    )


def refused_function(name: str, why: str, span: Span) -> Diagnostic:
    """A function of Spark that is not one here."""
    return problems.REFUSED_FUNCTION.at(span, name=name, why=why, hint=FUNCTIONS.get(name.lower()))


def wrong_form(name: str, span: Span) -> Diagnostic:
    """A call of a known function in a form it does not have."""
    return problems.WRONG_FORM.at(span, name=name, hint=FUNCTIONS.get(name.lower()))


def clock_function(name: str, span: Span) -> Diagnostic:
    return problems.CLOCK_FUNCTION.at(span, name=name)


def wrong_arguments(name: str, takes: str, span: Span, argument_types: list[Type]) -> Diagnostic:
    types = ", ".join(map(str, argument_types)) or "nothing"
    return problems.WRONG_ARGUMENTS.at(span, name=name, types=types, takes=takes)


def type_mismatch(what: str, left: Type, right: Type, span: Span) -> Diagnostic:
    # There is no cast to an interval: it is written as one.
    lengths = "Write a length of time as INTERVAL 3 MINUTES." if INTERVAL in (left, right) else None
    return problems.TYPE_MISMATCH.at(span, what=what, left=left, right=right, hint=lengths)


def impossible_cast(source: Type, target: Type, span: Span) -> Diagnostic:
    return problems.IMPOSSIBLE_CAST.at(span, source=source, target=target)


def not_boolean(clause: str, type_: Type, span: Span) -> Diagnostic:
    return problems.NOT_BOOLEAN.at(span, clause=clause, type=type_)


def unknown_unit(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    return problems.UNKNOWN_UNIT.at(span, name=name, known=quoted(known), hint=did_you_mean(name, known))


def bad_literal(text: str, why: str, span: Span, hint: str | None = None) -> Diagnostic:
    return problems.BAD_LITERAL.at(span, text=text, why=why, hint=hint)


def large_integer(value: int, span: Span) -> Diagnostic:
    digits = len(str(abs(value)))
    hint = (
        f"Write CAST('{value}' AS DECIMAL({digits}, 0)), or {value}.0 for a double."
        if digits <= MAX_PRECISION
        else "Write it as a double: 1e30."
    )
    return bad_literal(str(value), "does not fit into 64 bits", span, hint)


def not_grouped(name: str, span: Span) -> Diagnostic:
    return problems.NOT_GROUPED.at(span, name=name)


def misplaced_aggregate(where: str, span: Span) -> Diagnostic:
    return problems.MISPLACED_AGGREGATE.at(span, place=where)


def window_on_relation(name: str, span: Span) -> Diagnostic:
    return problems.WINDOW_ON_RELATION.at(span, name=name)


def window_on_changing_query(span: Span) -> Diagnostic:
    return problems.WINDOW_ON_CHANGING_QUERY.at(span)


def correlated_window(names: Iterable[str], span: Span) -> Diagnostic:
    return problems.CORRELATED_WINDOW.at(span, names=quoted(sorted(names)))


def long_duration(duration: Duration, longest: Duration, span: Span) -> Diagnostic:
    return problems.LONG_DURATION.at(span, duration=str(duration).lower(), longest=str(longest).lower())


def many_rows(most: int, span: Span) -> Diagnostic:
    return problems.MANY_ROWS.at(span, most=most)


def uneven_duration(duration: Duration, clock: Clock, span: Span) -> Diagnostic:
    return problems.UNEVEN_DURATION.at(
        span,
        duration=str(duration).lower(),
        chronon=str(clock.chronon).lower(),
        hint="Write whole microseconds." if clock.calendar else None,
    )


def column_counts(what: str, left: int, right: int, span: Span) -> Diagnostic:
    return problems.COLUMN_COUNT.at(span, what=what, left=left, right=right)


def subquery_columns(expected: int, schema: Schema, span: Span) -> Diagnostic:
    return problems.SUBQUERY_COLUMNS.at(
        span,
        expected=expected,
        s="s" if expected > 1 else "",
        count=len(schema),
        names=quoted(schema.names),
    )


def ordered_rows(operator: str, span: Span) -> Diagnostic:
    return problems.ROW_COMPARISON.at(span, operator=operator)


def unsupported_clause(clause: str, span: Span, why: str, hint: str) -> Diagnostic:
    return problems.UNSUPPORTED_CLAUSE.at(span, clause=clause, why=why, instead=hint)


_ENDINGS = (".csv", ".json", ".parquet", ".orc", ".txt", ".xml")


def unsupported_source(span: Span) -> Diagnostic:
    """An item of FROM that is neither a name nor a subquery: a function, or a name of several parts."""
    called = span.content.partition("(")[0].strip().lower()
    hint = FUNCTIONS.get(called)
    if span.content.startswith("'") or span.content.lower().endswith(_ENDINGS):
        hint = f"Declare it first: CREATE STREAM … FROM '{span.content.strip(chr(39))}'."
    elif hint is None and "(" not in span.content and "." in span.content:
        hint = f"Write only the last part: {span.content.split()[0].rpartition('.')[2]}."
    return unsupported_clause(
        "this source",
        span,
        "FROM takes declared streams and relations, views and subqueries.",
        hint or "Declare it with CREATE STREAM or CREATE RELATION.",
    )


def unsupported_expression(what: str, span: Span, hint: str | None = None) -> Diagnostic:
    return problems.UNSUPPORTED_EXPRESSION.at(span, what=what, hint=hint)


def bad_ordinal(place: int, count: int, span: Span, clause: str = "GROUP BY") -> Diagnostic:
    return problems.BAD_ORDINAL.at(span, clause=clause, place=place, count=count)


def calendar_chronon(span: Span) -> Diagnostic:
    return problems.CALENDAR_CHRONON.at(span)


def late_chronon(measured: Clock, span: Span) -> Diagnostic:
    return problems.LATE_CHRONON.at(span, chronon=str(measured.chronon).lower())


def unitless_chronon(span: Span) -> Diagnostic:
    return problems.UNITLESS_CHRONON.at(span)


def mixed_time(name: str, span: Span) -> Diagnostic:
    return problems.MIXED_TIME.at(span, name=name)


def unknown_format(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    return problems.UNKNOWN_FORMAT.at(span, name=name, known=quoted(known), hint=did_you_mean(name, known))


def bad_time_column(name: str, type_: Type, span: Span) -> Diagnostic:
    return problems.BAD_TIME_COLUMN.at(span, name=name, type=type_)


def unknown_key_column(name: str, schema: Schema, span: Span) -> Diagnostic:
    return problems.UNKNOWN_KEY_COLUMN.at(
        span, name=name, names=quoted(schema.names), hint=did_you_mean(name, schema.names)
    )


def unknown_counted_column(name: str, schema: Schema, span: Span) -> Diagnostic:
    return problems.UNKNOWN_COUNTED_COLUMN.at(
        span, name=name, names=quoted(schema.names), hint=did_you_mean(name, schema.names)
    )


def not_one_query(count: int, span: Span) -> Diagnostic:
    content = {0: "nothing", 1: "a declaration"}.get(count, f"{count} statements")
    return problems.NOT_ONE_QUERY.at(span, content=content)


def default_window(name: str, span: Span) -> Diagnostic:
    return problems.DEFAULT_WINDOW.at(span, name=name)


def default_unit(length: str, span: Span) -> Diagnostic:
    return problems.DEFAULT_UNIT.at(span, length=length.lower())


def default_istream(what: str, span: Span) -> Diagnostic:
    return problems.DEFAULT_ISTREAM.at(span, what=what)
