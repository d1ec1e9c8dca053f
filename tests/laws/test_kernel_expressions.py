"""Expressions over columns have the values, NULLs and errors of evaluation row by row."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater import algebra
from slackwater.algebra import types as t
from slackwater.algebra.expressions import Aggregation, Call, Case, Cast, Column, Expression, Literal
from slackwater.algebra.expressions.functions import (
    AGGREGATES,
    FUNCTIONS,
    UNITS,
    Family,
    aggregate_type,
    castable,
    result_type,
)
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import Type
from slackwater.algebra.values import canonical, map_value
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.kernels.expressions.columns import column, dtype, predicate
from slackwater.kernels.expressions.values import column_of, values_of
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize.facts.failing import may_fail
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes, record
from slackwater.reference.casts import single
from slackwater.reference.elements import Element, changes_of
from slackwater.reference.expressions import compiled
from slackwater.reference.history import Histories

MONEY, WIDE, WHOLE = t.decimal(9, 2), t.decimal(38, 10), t.decimal(38, 0)
WIDEST = t.decimal(38, 2)
LIST, PAIR = t.array(t.DOUBLE), t.struct(a=t.INT, b=t.STRING)
MAP = t.map_of(t.STRING, t.INT)
WORDS, LISTS, PAIRS = t.array(t.STRING), t.array(t.array(t.INT)), t.array(PAIR)
TYPES = (
    *(t.BOOLEAN, t.TINYINT, t.SMALLINT, t.INT, t.BIGINT, t.FLOAT, t.DOUBLE, MONEY, WIDE, WHOLE),
    *(t.STRING, t.BINARY, t.DATE, t.TIMESTAMP, t.INTERVAL, LIST, PAIR, WORDS, LISTS, PAIRS, MAP),
)
SCHEMA = Schema(tuple((f"{side}.{type_}", type_) for side in "ab" for type_ in TYPES))
LIBM = {
    *("power", "exp", "ln", "log10", "log2", "log", "sin", "cos", "tan"),
    *("asin", "acos", "atan", "atan2", "cbrt", "expm1", "log1p", "hypot", "cot", "sec", "csc"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
}
ORIGIN = Text("<query>", "SELECT something").span(7, 16)


def integers(bits: int) -> st.SearchStrategy[int]:
    half = 1 << (bits - 1)
    extremes = [-half, -half + 1, half - 1, 0, -1, 1]
    return st.integers(-12, 12) | st.sampled_from(extremes) | st.integers(-half, half - 1)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10**precision - 1
    powers = st.integers(0, most.bit_length() - 2).map(lambda k: 1 << k)
    units = (
        st.integers(-500, 500) | st.sampled_from([most, -most, 10**scale]) | powers | st.integers(-most, most)
    )
    return units.map(lambda n: Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -scale)))


floats = (
    st.floats(-100, 100)
    | st.integers(-40, 40).map(lambda n: n / 8)
    | st.integers(-9999, 9999).map(lambda n: n / 1000)
    | st.sampled_from([math.nan, math.inf, -math.inf, 0.0, 1e300, -1e300, 5e-324, 2.0**63, 1e16, 0.285])
    | st.floats()
)
TEXTS = (
    *("", "12", " -7\t", "+0012", "1e3", "-.5E-2", "nan", "-Infinity", "1e999", "9223372036854775808", "1_0"),
    *("true", " NO ", "t", "2024-02-29", "2023-02-29", "0000-01-01", "9999-12-31 23:59:59.999999"),
    *("2024-02-29T12:30", "2024-02-29 12:30:45.5+02:30", "0001-01-01 00:00Z", "0001-01-01 00:00+01", "1.005"),
)
texts = st.sampled_from(TEXTS) | st.text("aAbß %_\\é1Σ\n.", max_size=6) | st.text(max_size=3)
texts = texts.filter(lambda text: text.upper() == pl.Series([text]).str.to_uppercase()[0])
times = (
    st.datetimes()
    | st.datetimes(datetime(1960, 1, 1), datetime(2030, 1, 1))
    | st.sampled_from([datetime.min, datetime.max, datetime(1969, 12, 31, 23, 59, 59, 999999)])
)
intervals = st.timedeltas(timedelta(-400), timedelta(400)) | st.timedeltas(
    timedelta(-(10**7)), timedelta(10**7)
)
VALUES: dict[Type, st.SearchStrategy[Any]] = {
    t.BOOLEAN: st.booleans(),
    t.TINYINT: integers(8),
    t.SMALLINT: integers(16),
    t.INT: integers(32),
    t.BIGINT: integers(64),
    t.FLOAT: floats.map(single),
    t.DOUBLE: floats,
    **{type_: decimals(type_.precision, type_.scale) for type_ in (MONEY, WIDE, WHOLE)},
    t.STRING: texts,
    t.BINARY: st.binary(max_size=3) | st.sampled_from([b"a", "é".encode()]),
    t.DATE: st.dates() | st.sampled_from([date.min, date.max, date(2024, 2, 29)]),
    t.TIMESTAMP: times,
    t.INTERVAL: intervals,
    LIST: st.lists(st.none() | floats, max_size=2).map(tuple),
    PAIR: st.tuples(st.none() | integers(32), st.none() | texts),
    MAP: st.dictionaries(texts, st.none() | integers(32), max_size=3).map(lambda m: map_value(m.items())),
    WORDS: st.lists(st.none() | texts, max_size=3).map(tuple),
    LISTS: st.lists(st.none() | st.lists(st.none() | integers(3), max_size=3).map(tuple), max_size=3).map(
        tuple
    ),
    PAIRS: st.lists(st.none() | st.tuples(st.none() | integers(2), st.none() | texts), max_size=3).map(tuple),
}


def values(type_: Type) -> st.SearchStrategy[Any]:
    return (st.none() | VALUES[type_]).map(canonical)


Signature = tuple[str, tuple[Type, ...], Type]
BOUND: list[Signature] = [
    ("field", (PAIR, t.STRING), t.STRING),
    ("field", (PAIRS, t.STRING), WORDS),
    ("from_json", (t.STRING, t.STRING), PAIR),
]
"""Functions whose type depends on a constant."""


@cache
def signatures() -> list[Signature]:
    """Every function with every list of argument types it takes, out of those of the schema."""
    typed = []
    for function in FUNCTIONS.values():
        least = len(function.parameters) - function.optional
        for count in {least, len(function.parameters), *((2, 3) if function.variadic else ())}:
            families = [function.family(index) for index in range(count)]
            choices = [[type_ for type_ in (*TYPES, t.NULL) if family.takes(type_)] for family in families]
            for types in product(*choices):
                result = result_type(function.name, types)
                if isinstance(result, Type):
                    typed.append((function.name, types, result))
    return [*typed, *BOUND]


@cache
def by_name() -> dict[str, list[Signature]]:
    return {name: [signature for signature in signatures() if signature[0] == name] for name in FUNCTIONS}


@cache
def by_result() -> dict[Type, list[Signature]]:
    exact = [signature for signature in signatures() if signature[0] not in {*LIBM, "struct"}]
    return {
        type_: [signature for signature in exact if signature[2] == type_]
        for type_ in {signature[2] for signature in exact}
    }


JSON = (
    '{"a": [{"b": 1.50}, {"b": null}, "x"], "é": {}}', "[[1, [2]], {'a': 'it\\'s'}, [3]]",
    '{"a": 1, "a": 2} x', "[1e400]", '["\\ud83d\\ude00", "\\u001f", -0]', "nul", "1.5 ", '"a"', "[tru]",
    "",
    "[" * 201 + "]" * 201, "[" * 200 + "]" * 200,
)  # fmt: skip
JSONS = (
    *(
        '{"a": 1, "b": "x"}',
        "{'a': 2}",
        '{"b": {"c": [1, 2 ]}, "a": "7"}',
        '{"a": 1.5, "b": null} rest',
        "[]",
    ),
    *('{"a": 1', "", "null", '{"b": "\\u00e9\\n", "b": true}', '{"a": 99999999999, "b": 1e3, "c": {}}'),
)
PATTERNS = st.text("ab%_\\é", max_size=4) | st.sampled_from(["a%", "%b", "%a%", "", "%", "a_", "a\\%", "\\"])
SPECIAL: dict[tuple[str, int], st.SearchStrategy[Any]] = {
    **{(name, 1): PATTERNS for name in ("like", "ilike")},
    **{(name, 2): st.sampled_from(["\\", "", "b"]) for name in ("like", "ilike")},
    **{(name, 1): st.integers(-2, 12) for name in ("lpad", "rpad", "repeat")},
    **{(name, 0): st.sampled_from([*UNITS, "fortnight"]) for name in ("date_trunc", "date_diff")},
}
SPECIAL |= {
    ("sha2", 1): st.sampled_from([0, 7]),
    **{(name, 1): st.sampled_from(["utf-8", "UTF-16", "us-ascii", "koi8"]) for name in ("encode", "decode")},
    ("conv", 1): st.integers(0, 37),
    ("conv", 2): st.integers(-37, 37),
    ("format_number", 1): st.integers(-1, 20),
    ("number_text", 0): st.sampled_from(["1,234.5", "-12", "<5>", "$7", "12-", " 1 2", "٣", ".5", "1,,2"]),
    ("hmac", 2): st.sampled_from(["sha-256", "MD5", "sha1", "x"]),
    ("to_binary", 0): st.sampled_from(["YQ==", "YW Jj", "YQ=", "0aF", "x"]),
    ("to_binary", 1): st.sampled_from(["hex", "BASE64", "utf-8", "x"]),
    ("parse_url", 0): st.sampled_from(
        ["http://u@h.x:8/p?a=1#f", "http://a_b/?a=", "//[::1]", "a b", "a:b", ""]
    ),
    ("parse_url", 1): st.sampled_from(["HOST", "QUERY", "PATH", "FILE", "AUTHORITY", "x"]),
    ("parse_url", 2): st.sampled_from(["a", "b", ""]),
    ("get_json_object", 1): st.sampled_from(["$", "$.a", "$[*]", "$[0]['a']", "$[*][*].a", "$.a[*].b", "x"]),
    **{
        (name, 0): st.sampled_from(JSON)
        for name in ("get_json_object", "json_array_length", "json_object_keys")
    },
}
CONSTANTS: dict[Family, list[Any]] = {
    Family.PATTERN: ["(a)b?", "([^a])", "(?i)(x)|B", "(?:é|(1))+", r"([a-c]{2,3}?)", r"(\d+)\.?"],
    Family.GROUP: [0, 1],
    Family.REPLACEMENT: ["", "-", "$1$0", r"\$x"],
    Family.FORMAT: ["yyyy-MM-dd", "dd.MM.yy HH:mm", "MMM d yyyy hh:mm:ss.SSS a", "HHmm"],
    Family.PRINTF: ["%1$s", "<%1$5s>", "%1$-6.3s%%", "%1$b|%<S"],
    Family.DIGITS: ["9,999.9", "S99", "9PR", "$9", "99MI", "099", ".9"],
    Family.ZONE: ["UTC", "Europe/Berlin", "-03:30"],
    Family.FIELD: ["b"],
    Family.SCHEMA: ["a INT, b STRING"],
}
SPECIAL |= {
    (function.name, place): st.sampled_from(CONSTANTS[family])
    for function in FUNCTIONS.values()
    for place, family in enumerate(function.parameters)
    if family in CONSTANTS
}
SPECIAL |= {(name, 1): st.integers(-4, 4) for name in ("get", "element_at", "array_insert", "array_repeat")}
SPECIAL |= {("slice", place): st.integers(-3, 4) for place in (1, 2)}
SPECIAL |= {("sequence", place): st.integers(-3, 4) for place in range(3)}
SPECIAL[("from_json", 0)] = st.sampled_from(JSONS)
SPECIAL[("timestampadd", 0)] = SPECIAL[("date_trunc", 0)]
SMALL = {("lpad", 1), ("rpad", 1), ("repeat", 1)}
SMALL |= {("array_repeat", 1), ("array_insert", 1), *(("sequence", place) for place in range(3))}
SMALL |= {key for key in SPECIAL if FUNCTIONS[key[0]].family(key[1]) in CONSTANTS}
"""Arguments that must be small, for no text has 2^63 characters, or constant."""


@st.composite
def calls(draw: st.DrawFn, signature: Signature, depth: int) -> Expression:
    name, types, result = signature
    return Call(
        result,
        name,
        tuple(draw(arguments(name, index, type_, depth)) for index, type_ in enumerate(types)),
        origin=draw(st.sampled_from([None, ORIGIN])),
    )


@st.composite
def arguments(draw: st.DrawFn, name: str, index: int, type_: Type, depth: int) -> Expression:
    special = SPECIAL.get((name, index))
    if special is not None and type_ != t.NULL and ((name, index) in SMALL or draw(st.integers(0, 3))):
        return Literal(type_, draw(special))
    return draw(expressions(type_, depth))


@st.composite
def expressions(draw: st.DrawFn, type_: Type, depth: int) -> Expression:
    if type_ == t.NULL:
        return Literal(t.NULL, None)
    kinds = (
        ["column"] * 3
        + ["literal"] * 2
        + ["null"]
        + ["call", "call", "case", "cast", "try"] * bool(depth) * 2
    )
    match draw(st.sampled_from(kinds)):
        case "call" if type_ in by_result():
            return draw(calls(draw(st.sampled_from(by_result()[type_])), depth - 1))
        case "case":
            branches = draw(st.integers(1, 2))
            pairs = [
                (draw(expressions(t.BOOLEAN, depth - 1)), draw(expressions(type_, depth - 1)))
                for _ in range(branches)
            ]
            return Case(type_, tuple(pairs), draw(expressions(type_, depth - 1)))
        case ("cast" | "try") as kind:
            sources = [source for source in (*TYPES, *by_result()) if castable(source, type_)]
            source = draw(st.sampled_from(sources))
            if source not in TYPES:
                operand = draw(calls(draw(st.sampled_from(by_result()[source])), depth - 1))
            else:
                operand = draw(expressions(source, depth - 1))
            return Cast(type_, operand, lenient=kind == "try", origin=ORIGIN)
        case "literal":
            return Literal(type_, draw(values(type_)))
        case "null":
            return Literal(type_, None)
    return Column(type_, f"{draw(st.sampled_from('ab'))}.{type_}")


Row = tuple[Any, ...]


def _never() -> tuple[algebra.Aggregate, list[Row]]:
    """COUNT(DISTINCT CASE WHEN 0 IS NULL THEN NULLIF(-3, a) END): a branch that is never taken."""
    a = Column(t.INT, "a.int")
    never = Call(t.BOOLEAN, "is_null", (Literal(t.INT, 0),))
    then = Call(t.INT, "nullif", (Literal(t.INT, -3), a))
    call = Aggregation(t.BIGINT, "count", Case(t.INT, ((never, then),), Literal(t.INT, None)), True)
    source = algebra.Range(algebra.Stream("T", SCHEMA), INFINITY)
    row = tuple(1 if name == a.name else None for name in SCHEMA.names)
    return algebra.Aggregate(source, (), (("n", call),)), [row, row, row]


NEVER = _never()


def rows_for(expr: Expression) -> st.SearchStrategy[list[Row]]:
    """Rows of the schema, with values in the columns that the expression uses."""
    used = {part.name for part in expr.walk() if isinstance(part, Column)}
    row = [values(type_) if name in used else st.none() for name, type_ in SCHEMA]
    return st.lists(st.tuples(*row), max_size=4)


def frame_of(rows: list[Row]) -> pl.DataFrame:
    columns = [column_of([row[i] for row in rows], type_) for i, type_ in enumerate(SCHEMA.types)]
    return pl.DataFrame([c.alias(name) for c, name in zip(columns, SCHEMA.names, strict=True)])


def by_reference(expr: Expression, rows: list[Row]) -> list[Any] | tuple[Diagnostic, ...]:
    evaluate = compiled(expr, SCHEMA)
    try:
        return [evaluate(row, {}) for row in rows]
    except EngineError as error:
        return error.diagnostics


def by_kernel(expr: Expression, frame: pl.DataFrame) -> list[Any] | tuple[Diagnostic, ...]:
    try:
        answer = frame.select(column(expr).alias("answer"))["answer"]
    except EngineError as error:
        return error.diagnostics
    assert answer.dtype == dtype(expr.type)
    return values_of(answer, expr.type)


def same(a: Any, b: Any, nearly: bool) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y, nearly) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        exactly = (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
        return exactly or (nearly and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-322))
    return type(a) is type(b) and a == b


def beyond_64_bits(expr: Expression, rows: list[Row]) -> bool:
    """Whether an intermediate interval is longer than a column can hold: Python's may be longer."""
    lengths = [part for part in expr.walk() if part.type == t.INTERVAL]
    for part, row in product(lengths, rows):
        value = by_reference(part, [row])
        length = value[0] if isinstance(value, list) else None
        if length is not None and not -(2**63) <= length // timedelta(microseconds=1) < 2**63:
            return True
    return False


def check(expr: Expression, rows: list[Row]) -> None:
    expected = by_reference(expr, rows)
    actual = by_kernel(expr, frame_of(rows))
    if isinstance(expected, list) and isinstance(actual, list):
        nearly = isinstance(expr, Call) and expr.function in LIBM
        assert len(actual) == len(expected)
        for a, b in zip(actual, expected, strict=True):
            assert same(a, b, nearly), (actual, expected)
    elif actual != expected:
        assert beyond_64_bits(expr, rows), (actual, expected)


Cases = st.SearchStrategy[tuple[Expression, list[Row]]]


def cases(exprs: st.SearchStrategy[Expression]) -> Cases:
    return exprs.flatmap(lambda expr: st.tuples(st.just(expr), rows_for(expr)))


def called(name: str, depth: int) -> st.SearchStrategy[Expression]:
    return st.sampled_from(by_name()[name]).flatmap(lambda signature: calls(signature, depth))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_columns_is_the_reference_s(name: str) -> None:
    @trying(20)
    @given(cases(called(name, 0)))
    def holds(case: tuple[Expression, list[Row]]) -> None:
        check(*case)

    holds()


@pytest.mark.parametrize("target", TYPES, ids=str)
def test_every_cast_of_columns_is_the_reference_s(target: Type) -> None:
    sources = st.sampled_from([source for source in (*TYPES, t.NULL) if castable(source, target)])
    operands = sources.flatmap(lambda source: expressions(source, 0))
    casts = st.builds(lambda x, lenient: Cast(target, x, lenient, origin=ORIGIN), operands, st.booleans())

    @trying(40)
    @given(cases(casts))
    def holds(case: tuple[Expression, list[Row]]) -> None:
        check(*case)

    holds()


@trying(100)
@given(cases(st.sampled_from(list(FUNCTIONS)).flatmap(lambda name: called(name, 2))))
def test_nested_calls_over_columns_are_the_reference_s(case: tuple[Expression, list[Row]]) -> None:
    check(*case)


@trying(100)
@given(cases(st.sampled_from(TYPES).flatmap(lambda type_: expressions(type_, 3))))
def test_branches_and_casts_over_columns_are_the_reference_s(case: tuple[Expression, list[Row]]) -> None:
    check(*case)


NINES, CENT = Column(WHOLE, f"a.{WHOLE}", origin=ORIGIN), Column(MONEY, f"b.{MONEY}", origin=ORIGIN)
"""38 digits before the point, and two after it: no decimal has room for both."""


@pytest.mark.parametrize(
    "expr",
    [
        *(Call(WIDEST, name, (NINES, CENT)) for name in ("coalesce", "greatest", "least")),
        Call(t.BOOLEAN, "in_list", (NINES, CENT)),
        Call(t.BOOLEAN, "in_list", (CENT, Literal(WHOLE, Decimal("9" * 38), origin=ORIGIN))),
        Case(WIDEST, ((Literal(t.BOOLEAN, True), NINES),), CENT),
    ],
    ids=str,
)
def test_a_number_that_does_not_fit_the_type_in_common_is_an_error(expr: Expression) -> None:
    values = {NINES.name: Decimal("9" * 38), CENT.name: Decimal("0.01")}
    row = tuple(values.get(name) for name in SCHEMA.names)
    (diagnostic,) = by_reference(expr, [row])
    assert isinstance(diagnostic, Diagnostic)
    assert (diagnostic.code, diagnostic.span) == ("bad-cast", ORIGIN)
    assert may_fail(expr)
    check(expr, [row])
    check(expr, [])


CALLS = [
    (name, type_, result)
    for name in AGGREGATES
    for type_ in TYPES
    if isinstance(result := aggregate_type(name, type_), Type)
]


@st.composite
def aggregates(draw: st.DrawFn) -> tuple[algebra.Aggregate, list[Row]]:
    """An aggregate of an expression, alone or by groups of one, and rows for it."""
    name, type_, result = draw(st.sampled_from(CALLS))
    argument = draw(expressions(type_, 2))
    keys = draw(st.lists(expressions(draw(st.sampled_from(TYPES)), 1), max_size=1))
    call = Aggregation(result, name, argument, draw(st.booleans()))
    source = algebra.Range(algebra.Stream("T", SCHEMA), INFINITY)
    plan = algebra.Aggregate(source, tuple(("k", key) for key in keys), (("n", call),))
    used = {part.name for expr in (argument, *keys) for part in expr.walk() if isinstance(part, Column)}
    row = [values(type_) if name in used else st.none() for name, type_ in SCHEMA]
    return plan, draw(st.lists(st.tuples(*row), max_size=4))


def by_machine(plan: algebra.Aggregate, rows: list[Row]) -> Changes:
    frame = frame_of(rows).with_columns(
        pl.lit(1, pl.Int64).alias(FROM), pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    )
    out = Machine(lowered({"answer": plan})).epoch({"T": frame}, 0, INFINITY)["answer"]
    columns = [values_of(out[name], type_) for name, type_ in plan.schema]
    times = zip(out[FROM], out[TO], out[N], strict=True)
    return changes_of(
        [Element(row, *when) for row, when in zip(zip(*columns, strict=True), times, strict=True)]
    )


@trying(100)
@example(NEVER)
@given(aggregates())
def test_aggregates_of_expressions_are_the_reference_s(case: tuple[algebra.Aggregate, list[Row]]) -> None:
    plan, rows = case
    stream: Changes = {}
    for row in rows:
        record(stream, 1, row, 1)
    try:
        expected = Histories({"T": stream}).changes(plan)
    except EngineError:
        assume(False)  # which error comes first is the subject of another test
        raise
    assume(not any(beyond_64_bits(expr, rows) for expr in plan.expressions))
    assert by_machine(plan, rows) == expected


@trying(50)
@given(cases(expressions(t.BOOLEAN, 3)))
def test_a_predicate_keeps_the_rows_where_the_expression_is_true(case: tuple[Expression, list[Row]]) -> None:
    expr, rows = case
    check(expr, rows)
    expected = by_reference(expr, rows)
    if isinstance(expected, list) and not beyond_64_bits(expr, rows):
        selected = frame_of(rows).with_row_index("@row").filter(predicate(expr))["@row"].to_list()
        assert selected == [i for i, value in enumerate(expected) if value is True]
