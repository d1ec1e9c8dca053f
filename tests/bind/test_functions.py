"""Every spelling of a function leads to its one name, with its arguments in the table's order."""

from __future__ import annotations

import pytest
from sqlglot import exp

from slackwater.algebra.expressions.functions import AGGREGATES, FUNCTIONS
from slackwater.algebra.expressions.higher import SPELLINGS as HIGHER
from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.bind.collected import PAIRS
from slackwater.bind.functions import (
    CLOCK_FUNCTIONS,
    AggregateCall,
    FunctionCall,
    aggregate_call,
    function_call,
    known_functions,
)
from slackwater.bind.macros import MACROS, expansion
from slackwater.bind.nested.constructors import CONSTRUCTORS
from slackwater.language.cql import parse
from spark.functions.scalars import FAMILIES

BOUND_APART = {
    "in_list": "IN is bound with its subqueries",
    "field": "a path is bound with its names",
    "array_concat": "concat is bound with the types of its arguments",
    "array_reverse": "so is reverse",
    "map_value": "so is element_at",
}
"""Functions that the binder reaches by itself."""


def node(text: str) -> exp.Expression:
    (select,) = parse(Text("<query>", f"SELECT {text} FROM t"))
    assert isinstance(select, exp.Select)
    return select.selects[0]


def shown(call: FunctionCall | None) -> str:
    """The call as `name(arguments)`, with calls inside it translated too."""
    assert call is not None
    return f"{call.name}({', '.join(map(_argument, call.arguments))})"


def _argument(argument: exp.Expression) -> str:
    inner = function_call(argument)
    return argument.sql() if inner is None else shown(inner)


SPELLINGS = {
    "a + b": "add(a, b)",
    "a - b": "subtract(a, b)",
    "a * b": "multiply(a, b)",
    "a / b": "divide(a, b)",
    "a % b": "modulo(a, b)",
    "mod(a, b)": "modulo(a, b)",
    "a div b": "truncate(divide(a, b))",
    "-a": "negate(a)",
    "a = b": "eq(a, b)",
    "a == b": "eq(a, b)",
    "a <> b": "ne(a, b)",
    "a != b": "ne(a, b)",
    "a < b": "lt(a, b)",
    "a <= b": "le(a, b)",
    "a > b": "gt(a, b)",
    "a >= b": "ge(a, b)",
    "a <=> b": "is_not_distinct_from(a, b)",
    "a is not distinct from b": "is_not_distinct_from(a, b)",
    "a is distinct from b": "not(is_not_distinct_from(a, b))",
    "a and b": "and(a, b)",
    "a or b": "or(a, b)",
    "not a": "not(a)",
    "a is null": "is_null(a)",
    "a is not null": "not(is_null(a))",
    "isnull(a)": "is_null(a)",
    "a is true": "is_not_distinct_from(a, TRUE)",
    "a is not false": "not(is_not_distinct_from(a, FALSE))",
    "a like b": "like(a, b)",
    "a not like b": "not(like(a, b))",
    "a like b escape '!'": "like(a, b, '!')",
    "a not like b escape '!'": "not(like(a, b, '!'))",
    "a ilike b": "ilike(a, b)",
    "a not ilike b": "not(ilike(a, b))",
    "coalesce(a, b, c)": "coalesce(a, b, c)",
    "ifnull(a, b)": "coalesce(a, b)",
    "nvl(a, b)": "coalesce(a, b)",
    "nullif(a, b)": "nullif(a, b)",
    "greatest(a, b)": "greatest(a, b)",
    "least(a, b)": "least(a, b)",
    "upper(a)": "upper(a)",
    "lcase(a)": "lower(a)",
    "len(a)": "length(a)",
    "char_length(a)": "length(a)",
    "character_length(a)": "length(a)",
    "trim(a)": "trim(a)",
    "trim(both 'x' from a)": "trim(a, 'x')",
    "trim(leading 'x' from a)": "ltrim(a, 'x')",
    "trim(trailing from a)": "rtrim(a)",
    "btrim(a, 'x')": "trim(a, 'x')",
    "ltrim(a)": "ltrim(a)",
    "rtrim(a, 'x')": "rtrim(a, 'x')",
    "substring(a, 2)": "substring(a, 2)",
    "substring(a from 2 for 3)": "substring(a, 2, 3)",
    "substr(a, 2, 3)": "substring(a, 2, 3)",
    "mid(a, 2, 3)": "substring(a, 2, 3)",
    "concat(a, b, c)": "concat(a, b, c)",
    "a || b": "concat(a, b)",
    "replace(a, b, c)": "replace(a, b, c)",
    "left(a, 1)": "left(a, 1)",
    "right(a, 1)": "right(a, 1)",
    "starts_with(a, b)": "starts_with(a, b)",
    "startswith(a, b)": "starts_with(a, b)",
    "prefix(a, b)": "starts_with(a, b)",
    "endswith(a, b)": "ends_with(a, b)",
    "contains(a, b)": "contains(a, b)",
    "position(a in b)": "position(a, b)",
    "locate(a, b)": "position(a, b)",
    "locate(a, b, 3)": "position(a, b, 3)",
    "strpos(b, a)": "position(a, b)",
    "instr(b, a)": "position(a, b)",
    "reverse(a)": "reverse(a)",
    "lpad(a, 1)": "lpad(a, 1)",
    "rpad(a, 1, b)": "rpad(a, 1, b)",
    "repeat(a, 3)": "repeat(a, 3)",
    "split_part(a, b, 1)": "split_part(a, b, 1)",
    "struct(a, b)": "struct(a, b)",
    "split_index(a, b, 1)": "split_index(a, b, 1)",
    "a & b": "bitwise_and(a, b)",
    "a at time zone 'UTC'": "at_time_zone(a, 'UTC')",
    "a << 2": "shiftleft(a, 2)",
    "abs(a)": "abs(a)",
    "ceil(a)": "ceil(a)",
    "ceiling(a)": "ceil(a)",
    "floor(a)": "floor(a)",
    "floor(a, 2)": "floor(a, 2)",
    "round(a)": "round(a)",
    "round(a, 2)": "round(a, 2)",
    "trunc(a)": "truncate(a)",
    "truncate(a, 2)": "truncate(a, 2)",
    "sign(a)": "sign(a)",
    "signum(a)": "sign(a)",
    "sqrt(a)": "sqrt(a)",
    "power(a, b)": "power(a, b)",
    "pow(a, b)": "power(a, b)",
    "exp(a)": "exp(a)",
    "ln(a)": "ln(a)",
    "log(a)": "log10(a)",
    "log(b, a)": "log(b, a)",
    "log(2, a)": "log2(a)",
    "log2(a)": "log2(a)",
    "log10(a)": "log10(a)",
    "sin(a)": "sin(a)",
    "cos(a)": "cos(a)",
    "tan(a)": "tan(a)",
    "asin(a)": "asin(a)",
    "acos(a)": "acos(a)",
    "atan(a)": "atan(a)",
    "atan2(a, b)": "atan2(a, b)",
    "pi()": "pi()",
    "degrees(a)": "degrees(a)",
    "radians(a)": "radians(a)",
    "year(a)": "year(a)",
    "extract(month from a)": "month(a)",
    "extract(hours from a)": "hour(a)",
    "extract(dow from a)": "modulo(day_of_week(a), 7)",
    "extract(isodow from a)": "day_of_week(a)",
    "date_part('day', a)": "day(a)",
    "dayofmonth(a)": "day(a)",
    "hour(a)": "hour(a)",
    "minute(a)": "minute(a)",
    "second(a)": "second(a)",
    "day_of_week(a)": "day_of_week(a)",
    "isodow(a)": "day_of_week(a)",
    "dayofyear(a)": "day_of_year(a)",
    "extract(doy from a)": "day_of_year(a)",
    "week(a)": "week(a)",
    "weekofyear(a)": "week(a)",
    "quarter(a)": "quarter(a)",
    "epoch(a)": "epoch(a)",
    "extract(epoch from a)": "epoch(a)",
    "date_trunc('hours', a)": "date_trunc('hour', a)",
    "datetrunc('HOUR', a)": "date_trunc('hour', a)",
    "timestamp_trunc(a, hour)": "date_trunc('hour', a)",
    "date_diff('day', a, b)": "date_diff('day', a, b)",
    "date_diff('day', t.a, t.b)": "date_diff('day', t.a, t.b)",
    "date_diff('day', a, b + c)": "date_diff('day', a, add(b, c))",
    "datediff(day, a, b)": "date_diff('day', a, b)",
    "datediff(a, b)": "date_diff('day', b, a)",
    "timestamp_diff(a, b, hour)": "date_diff('hour', b, a)",
    "make_date(1, 2, 3)": "make_date(1, 2, 3)",
    "number_text(a, '99')": "number_text(a, '99')",
    "angular_distance(a, b, c, d)": "angular_distance(a, b, c, d)",
    "cone_search(a, b, c, d, 1)": "cone_search(a, b, c, d, 1)",
    "celestial_x(a, b)": "celestial_x(a, b)",
    "celestial_y(a, b)": "celestial_y(a, b)",
    "celestial_z(a, b)": "celestial_z(a, b)",
    "date_add(a, interval '1' day)": "add(a, INTERVAL '1' DAY)",
    "date_sub(a, interval '1' day)": "subtract(a, INTERVAL '1' DAY)",
    "a + interval '1' day": "add(a, INTERVAL '1' DAY)",
}


@pytest.mark.parametrize(("text", "call"), SPELLINGS.items())
def test_a_spelling_leads_to_its_function(text: str, call: str):
    assert shown(function_call(node(text))) == call


def test_an_anonymous_call_is_resolved():
    anonymous = exp.Anonymous(
        this="DATE_DIFF", expressions=[exp.Literal.string("DAYS"), exp.column("A"), exp.column("B")]
    )
    assert shown(function_call(anonymous)) == "date_diff('day', A, B)"


def test_every_function_is_reached_by_a_spelling():
    compared = [text for family in FAMILIES.values() for text in family]
    reached = {
        call.name
        for text in (*SPELLINGS, *compared)
        for part in node(text).walk()
        if isinstance(part, exp.Expression) and (call := function_call(part))
    }
    assert reached | BOUND_APART.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "1",
        "xpath(a, b)",
        "nothing(a)",
        "add(a, b)",
        "current_date",
        "assert_true(a)",
        "cast(a as int)",
        "sum(a)",
    ],
)
def test_an_expression_that_calls_no_function_is_none(text: str):
    assert function_call(node(text)) is None


AGGREGATE_SPELLINGS = {
    "count(*)": ("count", None, False),
    "count(a)": ("count", "a", False),
    "count(distinct a)": ("count", "a", True),
    "count(distinct a, b)": ("count", "(a, b)", True),
    "min(a, b)": ("min", "(a, b)", False),
    "sum(distinct a)": ("sum", "a", True),
    "avg(a)": ("avg", "a", False),
    "mean(a)": ("avg", "a", False),
    "min(a)": ("min", "a", False),
    "max(a)": ("max", "a", False),
    "stddev(a)": ("stddev", "a", False),
    "std(a)": ("stddev", "a", False),
    "stddev_samp(a)": ("stddev", "a", False),
    "stddev_pop(a)": ("stddev_pop", "a", False),
    "variance(a)": ("variance", "a", False),
    "var_samp(a)": ("variance", "a", False),
    "var(a)": ("variance", "a", False),
    "var_pop(a)": ("var_pop", "a", False),
    "median(a)": ("median", "a", False),
    "mode(a)": ("mode", "a", False),
    "collect_set(a)": ("collect_set", "a", False),
    "bit_and(a)": ("bit_and", "a", False),
    "bit_or(a)": ("bit_or", "a", False),
    "bit_xor(a)": ("bit_xor", "a", False),
    "skewness(a)": ("skewness", "a", False),
    "kurtosis(a)": ("kurtosis", "a", False),
    "try_avg(a)": ("avg", "a", False),
    "approx_count_distinct(a)": ("count", "a", True),
    "count_if(a)": ("count", "CASE WHEN a THEN 1 END", False),
    "bool_and(a)": ("min", "CASE WHEN a THEN TRUE WHEN a IS NULL THEN NULL ELSE FALSE END", False),
    "bool_or(a)": ("max", "CASE WHEN a THEN TRUE WHEN a IS NULL THEN NULL ELSE FALSE END", False),
    "min_by(a, b)": ("min_by", "CASE WHEN NOT b IS NULL THEN STRUCT(b, a) END", False),
    "arg_max(a, b)": ("max_by", "CASE WHEN NOT b IS NULL THEN STRUCT(b, a) END", False),
    "percentile(a, 0.5)": (
        "percentile",
        "CASE WHEN NOT a IS NULL THEN STRUCT(a, CAST(0.5 AS DOUBLE)) END",
        False,
    ),
    "percentile_disc(0.25) within group (order by a desc)": (
        "percentile_disc",
        "CASE WHEN NOT a IS NULL THEN STRUCT(a, CAST(0.75 AS DOUBLE)) END",
        False,
    ),
    "listagg(a, ',') within group (order by b desc)": (
        "string_agg",
        "CASE WHEN NOT a IS NULL THEN STRUCT(a, ',', 'd', b) END",
        False,
    ),
    **{
        f"{name}(a)": (name, "a", False)
        for name in ("try_sum", "bitmap_construct_agg", "bitmap_or_agg", "bitmap_and_agg")
    },
    "any_value(a, true)": ("min", "a", False),
    "any(a)": ("max", "CASE WHEN a THEN TRUE WHEN a IS NULL THEN NULL ELSE FALSE END", False),
    "array_agg(distinct a)": ("array_agg", "CASE WHEN NOT a IS NULL THEN STRUCT(a, '') END", True),
    **{
        f"{name}(a, b)": (
            name,
            "CASE WHEN NOT a IS NULL AND NOT b IS NULL THEN STRUCT(CAST(a AS DOUBLE), CAST(b AS DOUBLE)) END",
            False,
        )
        for name in PAIRS
    },
}


@pytest.mark.parametrize(("text", "expected"), AGGREGATE_SPELLINGS.items())
def test_a_spelling_leads_to_its_aggregate(text: str, expected: tuple[str, str | None, bool]):
    aggregate = aggregate_call(node(text))
    assert aggregate is not None
    assert (
        aggregate.name,
        aggregate.argument.sql() if aggregate.argument else None,
        aggregate.distinct,
    ) == expected


def test_every_aggregate_is_reached_by_a_spelling():
    assert {name for name, _, _ in AGGREGATE_SPELLINGS.values()} == AGGREGATES.keys()


@pytest.mark.parametrize("text", ["upper(a)", "a", "histogram_numeric(a)"])
def test_an_expression_that_calls_no_aggregate_is_none(text: str):
    assert aggregate_call(node(text)) is None


def resolved(name: str) -> FunctionCall | AggregateCall | None:
    """The function of any call by that name."""
    arguments = [
        "",
        "a",
        "'day', a",
        "a, b",
        "a, interval '1' day",
        "a, day",
        "a, b, c",
        "day from a",
        "a, 0.5",
        "0.5",
    ]
    for text in arguments:
        try:
            call = node(f"{name}({text})")
        except QueryError:
            continue
        within = exp.WithinGroup(
            this=call.copy(),
            expression=exp.Order(expressions=[exp.Ordered(this=exp.column("a"), nulls_first=True)]),
        )
        function = function_call(call) or aggregate_call(call) or aggregate_call(within)
        if function is not None:
            return function
    return None


@pytest.mark.parametrize("name", known_functions())
def test_every_known_name_can_be_called(name: str):
    if name in MACROS:
        numbers = (
            exp.Anonymous(this=name, expressions=[exp.column(c) for c in "abcd"[:n]]) for n in range(5)
        )
        assert any(map(expansion, numbers)) or expansion(node(f"{name}(a, 'month')"))
        return
    if name in CONSTRUCTORS and name not in FUNCTIONS:
        return  # bound with their types, see tests/queries/structs.cqt
    if name in HIGHER and name not in FUNCTIONS:
        return  # bound with their functions, see tests/queries/lambdas.cqt
    answer = resolved(name)
    assert answer is not None
    assert answer.name in FUNCTIONS.keys() | AGGREGATES.keys()


def test_the_names_in_use_are_known():
    names = {
        text.partition("(")[0]
        for text in (*SPELLINGS, *AGGREGATE_SPELLINGS)
        if " " not in text.partition("(")[0]
    }
    assert {name for name in names if name.isidentifier()} <= set(known_functions())


@pytest.mark.parametrize("name", sorted(CLOCK_FUNCTIONS))
def test_a_clock_function_is_unknown(name: str):
    assert name not in known_functions()
    assert function_call(node(f"{name}()")) is None
