"""Every error that binding can find, one function each."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.algebra.schema import Schema
from slackwater.algebra.types import MAX_PRECISION, Type
from slackwater.base.diagnostic import Diagnostic, Severity, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.base.time import Clock, Duration
from slackwater.language.cql.foreign import FUNCTIONS
from slackwater.language.cql.nodes import STREAM_OPERATORS


def unknown_source(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    names = sorted(known)
    return Diagnostic(
        "unknown-source",
        f'stream, relation or view "{name}" does not exist',
        span,
        "not declared",
        detail=f"Declared are {quoted(names)}." if names else "Nothing has been declared yet.",
        hint=did_you_mean(name, names) or "Declare it with CREATE STREAM, CREATE RELATION or CREATE VIEW.",
    )


def unknown_column(name: str, tables: list[tuple[str, list[str]]], span: Span) -> Diagnostic:
    named = [(f'"{alias}"' if alias else "the subquery", columns) for alias, columns in tables]
    label = f"no such column in {named[0][0]}" if len(named) == 1 else "no such column here"
    details = [f"{alias[:1].upper()}{alias[1:]} has columns {quoted(columns)}." for alias, columns in named]
    return Diagnostic(
        "unknown-column",
        f'column "{name}" does not exist',
        span,
        label,
        detail=" ".join(details) or "There is nothing to take a column from: the query has no FROM.",
        hint=_hint_for_column(name, [column for _, columns in tables for column in columns], span),
    )


def _hint_for_column(name: str, known: list[str], span: Span) -> str | None:
    if name.lower() in STREAM_OPERATORS:
        return f"Put the whole select list into it: SELECT {name}(a, b)."
    near = did_you_mean(name, known)
    if near is None and span.content.startswith('"'):
        return f"Texts stand in single quotes: '{name}'. Double quotes are for names."
    return near


def empty_select_list(span: Span) -> Diagnostic:
    return Diagnostic(
        "empty-select-list",
        "SELECT names no column",
        span,
        "nothing is selected",
        hint="Write SELECT * for all.",
    )


def unknown_alias(name: str, known: list[str], span: Span) -> Diagnostic:
    return Diagnostic(
        "unknown-alias",
        f'"{name}" is not one of the sources of this query',
        span,
        "not in FROM",
        detail=f"FROM names {quoted(known)}." if known else "The query has no FROM.",
        hint=did_you_mean(name, known),
    )


def ambiguous_column(name: str, aliases: list[str], span: Span) -> Diagnostic:
    return Diagnostic(
        "ambiguous-column",
        f'column "{name}" could be more than one',
        span,
        f"found in {quoted(aliases)}",
        hint=f'Say which one, for example "{aliases[0]}.{name}".',
    )


def duplicate_alias(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "duplicate-alias",
        f'two sources of this query are both called "{name}"',
        span,
        "already used in this FROM",
        hint="Give one of them another name with AS.",
    )


def duplicate_column(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "duplicate-column",
        f'column "{name}" is declared twice',
        span,
        "declared before",
        hint="Rename one of them.",
    )


def duplicate_source(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "duplicate-source",
        f'"{name}" already exists',
        span,
        "declared before",
        hint="Choose another name; a declaration is not replaced.",
    )


def unknown_type(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "unknown-type",
        f"there is no type {name}",
        span,
        "not a type of a column",
        hint="Use BOOLEAN, INT, BIGINT, DOUBLE, DECIMAL(p, s), STRING, BINARY, DATE or TIMESTAMP.",
    )


def unknown_function(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    return Diagnostic(
        "unknown-function",
        f'function "{name}" does not exist',
        span,
        "no such function",
        hint=FUNCTIONS.get(name.lower())
        or did_you_mean(name, [*known, *STREAM_OPERATORS])
        or "docs/functions.md lists the functions there are.",
    )


def wrong_form(name: str, span: Span) -> Diagnostic:
    """A call of a function there is, with arguments that it does not take."""
    return Diagnostic(
        "wrong-arguments",
        f"{name} does not take these arguments",
        span,
        "wrong arguments",
        hint=FUNCTIONS.get(name.lower()) or "docs/functions.md says what it takes.",
    )


def clock_function(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "clock-function",
        f"{name} depends on when it is computed",
        span,
        "not the same at every evaluation",
        detail="An answer is exact at every instant of the data's time, whenever it is computed.",
        hint="For what is recent write a window, [RANGE 5 MINUTES]; the time of a row is its time column.",
    )


def wrong_arguments(name: str, takes: str, span: Span, given: list[Type]) -> Diagnostic:
    types = ", ".join(map(str, given)) or "nothing"
    return Diagnostic(
        "wrong-arguments", f"{name} does not take ({types})", span, "wrong arguments", detail=takes
    )


def type_mismatch(what: str, one: Type, other: Type, span: Span) -> Diagnostic:
    return Diagnostic(
        "type-mismatch",
        f"{what} {one} and {other} do not go together",
        span,
        "no common type",
        hint=f"Convert one of them, for example CAST(… AS {one}).",
    )


def impossible_cast(source: Type, target: Type, span: Span) -> Diagnostic:
    return Diagnostic(
        "impossible-cast",
        f"a value of type {source} cannot become one of type {target}",
        span,
        f"this is {source}",
    )


def not_boolean(clause: str, given: Type, span: Span) -> Diagnostic:
    return Diagnostic(
        "not-boolean",
        f"{clause} takes a condition, not a value of type {given}",
        span,
        f"this is {given}",
        hint="Compare it with something.",
    )


def unknown_unit(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    return Diagnostic(
        "unknown-unit",
        f'"{name}" is not a unit of time',
        span,
        "no such unit",
        detail=f"The units are {quoted(known)}.",
        hint=did_you_mean(name, known),
    )


def bad_literal(text: str, why: str, span: Span, hint: str | None = None) -> Diagnostic:
    return Diagnostic("bad-literal", f"{text} is not a value that can be used here", span, why, hint=hint)


def large_integer(value: int, span: Span) -> Diagnostic:
    digits = len(str(abs(value)))
    hint = (
        f"Write CAST('{value}' AS DECIMAL({digits}, 0)), or {value}.0 for a double."
        if digits <= MAX_PRECISION
        else "Write it as a double: 1e30."
    )
    return bad_literal(str(value), "does not fit into 64 bits", span, hint)


def not_grouped(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "not-grouped",
        f'"{name}" has many values in a group',
        span,
        "neither grouped by nor aggregated",
        hint="Add it to GROUP BY, or aggregate it, for example MAX(…).",
    )


def misplaced_aggregate(where: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "misplaced-aggregate",
        f"an aggregate cannot stand in {where}",
        span,
        "not allowed here",
        hint="Filter groups with HAVING; aggregate an aggregate in a query around this one.",
    )


def window_on_relation(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "window-on-relation",
        f'"{name}" is a relation and takes no window',
        span,
        "a window turns a stream into a relation",
        hint="Drop the window, or make a stream of the relation first: (Istream(…)) [Range …].",
    )


def window_on_changing_query(span: Span) -> Diagnostic:
    return Diagnostic(
        "window-on-changing-query",
        "this subquery gives a relation that may lose rows, so a window on it has no one meaning",
        span,
        "not known to be monotonic",
        detail="Only where rows are never taken back is an omitted Istream put in (CQL, section 6.4).",
        hint="Say which stream is meant: (Istream(…)) [Range …], or Dstream or Rstream.",
    )


def correlated_window(names: Iterable[str], span: Span) -> Diagnostic:
    return Diagnostic(
        "correlated-window",
        "a window in a subquery depends on a row outside",
        span,
        f"what is below looks at {quoted(sorted(names))} of the enclosing query",
        detail="A window is kept once for the whole query; it cannot be another one for each row.",
        hint="Move the condition on the outer column above the window.",
    )


def long_duration(duration: Duration, longest: Duration, span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-window",
        f"{str(duration).lower()} is too long",
        span,
        f"the longest is {str(longest).lower()}",
        hint="Write a shorter one; [RANGE UNBOUNDED] keeps everything.",
    )


def many_rows(most: int, span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-window",
        "this number of rows is too large",
        span,
        f"the largest is {most}",
        hint="Write a smaller one; [ROWS UNBOUNDED] keeps everything.",
    )


def uneven_duration(duration: Duration, clock: Clock, span: Span) -> Diagnostic:
    return Diagnostic(
        "uneven-duration",
        f"{str(duration).lower()} is not a whole number of chronons",
        span,
        f"one chronon is {str(clock.chronon).lower()}",
        hint="Write whole microseconds."
        if clock.calendar
        else "Use a multiple of the chronon, or a finer one: SET CHRONON 1 MILLISECOND.",
    )


def column_counts(what: str, left: int, right: int, span: Span) -> Diagnostic:
    return Diagnostic(
        "column-count",
        f"{what} needs the same number of columns on both sides, not {left} and {right}",
        span,
        f"{left} here and {right} there",
    )


def subquery_columns(wanted: int, schema: Schema, span: Span) -> Diagnostic:
    return Diagnostic(
        "subquery-columns",
        f"this subquery must give {wanted} column{'s' if wanted > 1 else ''}, not {len(schema)}",
        span,
        f"gives {quoted(schema.names)}",
    )


def ordered_rows(operator: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "row-comparison",
        f"rows of several columns can be compared with = and <> only, not {operator}",
        span,
        "several columns",
    )


def unsupported_clause(clause: str, span: Span, why: str, hint: str) -> Diagnostic:
    return Diagnostic("unsupported-clause", f"{clause} is not part of CQL", span, "not supported", why, hint)


_ENDINGS = (".csv", ".json", ".parquet", ".orc", ".txt", ".xml")


def unsupported_source(span: Span) -> Diagnostic:
    """Something in FROM that is neither a name nor a subquery: a function, or a name of several parts."""
    called = span.content.partition("(")[0].strip().lower()
    hint = FUNCTIONS.get(called)
    if span.content.startswith("'") or span.content.lower().endswith(_ENDINGS):
        hint = f"Declare it first: CREATE STREAM … FROM '{span.content.strip(chr(39))}'."
    elif hint is None and "(" not in span.content and "." in span.content:
        hint = f"Write its last part alone: {span.content.split()[0].rpartition('.')[2]}."
    return unsupported_clause(
        "this source",
        span,
        "FROM takes declared streams and relations, views and subqueries.",
        hint or "Declare it with CREATE STREAM or CREATE RELATION.",
    )


def unsupported_expression(what: str, span: Span, hint: str | None = None) -> Diagnostic:
    return Diagnostic(
        "unsupported-expression",
        f"{what} cannot be used in a query",
        span,
        "not supported",
        hint=hint or "docs/language.md lists what an expression may be.",
    )


def window_function(span: Span) -> Diagnostic:
    return Diagnostic(
        "unsupported-expression",
        "a window function (OVER) cannot be used in a query",
        span,
        "not supported",
        hint=FUNCTIONS["row_number"],
    )


def bad_ordinal(place: int, count: int, span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-ordinal",
        f"there is no column {place} to group by",
        span,
        f"the select list has {count}",
    )


def calendar_chronon(span: Span) -> Diagnostic:
    return Diagnostic(
        "calendar-chronon",
        "the chronon of timestamps is always one microsecond",
        span,
        "a source with a timestamp has been declared",
        hint="Drop SET CHRONON; durations may be written in any unit.",
    )


def late_chronon(measured: Clock, span: Span) -> Diagnostic:
    return Diagnostic(
        "late-chronon",
        "this changes how long a chronon is, after durations have been measured",
        span,
        f"it was {str(measured.chronon).lower()} so far",
        detail="One program has one time; a view above already counts by the former chronon.",
        hint="Put it before the first view or query.",
    )


def unitless_chronon(span: Span) -> Diagnostic:
    return Diagnostic(
        "unitless-chronon",
        "a chronon is a length of time, with a unit",
        span,
        "a number without a unit counts chronons",
        hint="For example SET CHRONON 100 MILLISECONDS.",
    )


def mixed_time(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "mixed-time",
        f'"{name}" counts time in another way than the sources declared before it',
        span,
        "one is a timestamp, another an integer",
        detail="All sources share one time, or instants of one could not be compared with another's.",
        hint="Convert one of the time columns before it enters.",
    )


def unknown_format(name: str, known: Iterable[str], span: Span) -> Diagnostic:
    return Diagnostic(
        "unknown-format",
        f'there is no format "{name}"',
        span,
        "no such format",
        detail=f"The formats are {quoted(known)}.",
        hint=did_you_mean(name, known),
    )


def bad_time_column(name: str, given: Type, span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-time-column",
        f'"{name}" cannot be the time: it is {given}',
        span,
        "neither an integer nor a timestamp",
        hint="Declare it as TIMESTAMP, or as an integer type that counts chronons.",
    )


def unknown_key_column(name: str, schema: Schema, span: Span) -> Diagnostic:
    return Diagnostic(
        "unknown-key-column",
        f'the key names "{name}", which is not a column',
        span,
        "not declared",
        detail=f"The columns are {quoted(schema.names)}.",
        hint=did_you_mean(name, schema.names),
    )


def not_one_query(count: int, span: Span) -> Diagnostic:
    found = {0: "nothing", 1: "a declaration"}.get(count, f"{count} statements")
    return Diagnostic("not-one-query", f"one query is expected here, not {found}", span, f"this is {found}")


def default_window(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "default-window",
        f'[Range Unbounded] is applied to "{name}"',
        span,
        "a stream without a window",
        detail="A stream where a relation is needed is taken from its beginning (CQL, section 6.4).",
        severity=Severity.NOTE,
    )


def default_unit(length: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "default-unit",
        f"the length is {length.lower()}",
        span,
        "a number without a unit",
        detail="Where time is a timestamp, a chronon is a microsecond.",
        hint="Write the unit that is meant: [RANGE 5 MINUTES].",
        severity=Severity.NOTE,
    )


def default_istream(what: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "default-istream",
        f"Istream is applied to {what}",
        span,
        "its rows are never taken back",
        detail="A monotonic result is given as the stream of its new rows (CQL, section 6.4).",
        severity=Severity.NOTE,
    )
