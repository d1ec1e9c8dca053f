"""Functions of users: over columns they have the values, NULLs and errors of a call for each row."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given
from hypothesis import strategies as st

from slackwater.algebra import types as t
from slackwater.algebra.expressions import Expression
from slackwater.algebra.operator import Operator
from slackwater.algebra.rows import Project
from slackwater.algebra.schema import Schema
from slackwater.algebra.users.functions import ARROW, POLARS, ROWS, UserFunction
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.expressions.columns import column
from slackwater.kernels.expressions.values import column_of, values_of
from slackwater.reference.expressions import compiled

SCHEMA = Schema((("S.a", t.INT), ("S.b", t.STRING), ("S.x", t.array(t.INT))))
TEXT = st.sampled_from(["", "u", "vw"])
ROW = st.tuples(st.none() | st.integers(-2, 2), st.none() | TEXT, st.none() | st.tuples(st.integers(0, 3)))


def repeated(a: int | None, b: str | None) -> str | None:
    if a == 2:
        raise ValueError("too often")
    return None if a is None or b is None else b * a


def lengths(x: list[int] | None) -> object:
    return "no number" if x == [3] else None if x is None else len(x)


def added(a: pl.Series, b: pl.Series) -> pl.Series:
    if (a == 1).any():
        raise ValueError("one")
    return a.fill_null(7) + b.str.len_chars().cast(pl.Int32)


def negated(a: pa.Array) -> pa.Array:
    return pc.negate(a)


def here(name: str) -> str:
    return f"{__name__}:{name}"


FUNCTIONS = (
    UserFunction("repeated", here("repeated"), ROWS, t.STRING),
    UserFunction("strictly", here("repeated"), ROWS, t.STRING, (t.INT, t.STRING), strict=True),
    UserFunction("lengths", here("lengths"), ROWS, t.BIGINT, (t.array(t.INT),)),
    UserFunction("added", here("added"), POLARS, t.BIGINT, (t.INT, t.STRING)),
    UserFunction("fully", here("added"), POLARS, t.BIGINT, (t.INT, t.STRING), strict=True),
    UserFunction("negated", here("negated"), ARROW, t.INT, (t.INT,)),
    UserFunction("narrow", here("negated"), ARROW, t.TINYINT, (t.INT,)),
)
TEXTS = (
    "repeated(a, b)",
    "strictly(a, b)",
    "lengths(x)",
    "added(a, b)",
    "fully(a, b)",
    "negated(a)",
    "narrow(a)",
    "repeated(1, b)",
    "CASE WHEN a < 2 THEN repeated(a, b) ELSE 'many' END",
    "CASE WHEN a > 1 THEN added(a, b) WHEN b = 'u' THEN lengths(x) END",
    "COALESCE(negated(a), 5) + negated(negated(a))",
    "repeated(added(a, b) - 3, 'z')",
)


def expression(text: str) -> Expression:
    catalog = Catalog()
    catalog.functions |= {function.name: function for function in FUNCTIONS}
    declared = "CREATE STREAM S (a INT, b STRING, x ARRAY<INT>) TIME t INT;"
    [query] = bind(Text("q", f"{declared} SELECT {text} AS y FROM S [NOW]"), catalog)
    plan: Operator = query.plan
    while not isinstance(plan, Project):
        (plan,) = plan.inputs
    return plan.columns[0][1]


def outcome(compute: Any) -> list[Any] | list[Diagnostic]:
    try:
        return compute()
    except EngineError as error:
        return list(error.diagnostics)


@given(st.lists(ROW, max_size=6), st.sampled_from(TEXTS))
def test_columns_are_rows(rows: list[tuple[Any, ...]], text: str) -> None:
    expr = expression(text)
    frame = pl.DataFrame(
        [column_of([row[at] for row in rows], type_).alias(name) for at, (name, type_) in enumerate(SCHEMA)]
    )
    whole = outcome(lambda: values_of(frame.select(column(expr).alias("y"))["y"], expr.type))
    evaluate = compiled(expr, SCHEMA)
    assert whole == outcome(lambda: [evaluate(row, {}) for row in rows])
