"""Functions of users: registered or declared, in both placements, failing, and in checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
from pyspark.sql.types import IntegerType

import slackwater as sw
from one_spark import imported
from slackwater.session import Session

MODULE = """
def doubled(x):
    return None if x is None else 2 * x

def halves(column):
    return column / 2
"""
ROWS = [(1, "A", 10), (4, "B", None), (7, "A", 20)]


@pytest.fixture
def functions(spark: SparkSession, tmp_path: Path) -> Iterator[ModuleType]:
    """A module with functions, that the workers can import."""
    with imported(spark, tmp_path / "functions_of_a_user.py", MODULE) as module:
        yield module


def with_rows(s: Session) -> Session:
    s.stream("S", ROWS, time="t", columns=["t", "k", "x"])
    return s


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_functions_are_called_in_both_placements(
    spark: SparkSession, functions: ModuleType, placement: str
) -> None:
    s = with_rows(sw.connect(spark, placement=placement, partitions=2))
    least = 15
    s.register_function("large", lambda x: x > least, returns=bool, strict=True)
    s.register_function("twice", functions.doubled, returns="bigint", arguments=["bigint"])
    s.sql(
        "CREATE FUNCTION half (x BIGINT) RETURNS DOUBLE LANGUAGE PYTHON AS 'functions_of_a_user:halves' "
        "WITH (kind = 'polars', strict = TRUE)"
    )
    q = s.query("SELECT k, twice(SUM(x)) AS two, half(MAX(x)) AS half FROM S [ROWS 3] WHERE NOT large(x) "
                "OR x IS NULL GROUP BY k")  # fmt: skip
    assert sorted(q.at(7).rows()) == [("A", 20, 5.0), ("B", None, None)]


@pytest.mark.parametrize(
    ("kind", "function", "returns"),
    [
        ("rows", lambda x: 0 if x is None else -x, "bigint"),
        ("polars", lambda x: -x.fill_null(0), int),
        ("arrow", lambda x: pc.negate(pc.fill_null(x, 0)), "bigint"),
    ],
)
def test_a_function_takes_rows_or_columns(
    s: Session, kind: str, function: Callable[..., Any], returns: Any
) -> None:
    with_rows(s).register_function("opposite", function, returns=returns, kind=kind)
    assert s.query("SELECT ISTREAM(opposite(x) AS y) FROM S [NOW]").emits().rows() == [
        (1, -10),
        (4, 0),
        (7, -20),
    ]


def test_functions_are_registered_as_in_spark(s: Session) -> None:
    with_rows(s).udf.register("length_of", udf(lambda k: len(k), IntegerType()))
    s.udf.register("exclaimed", lambda k: f"{k}!")

    def price(x: int | None) -> float | None:
        return None if x is None else x / 4

    s.udf.register("priced", price, "double")
    q = s.query("SELECT ISTREAM(length_of(k) AS n, exclaimed(k) AS e, priced(x) AS p) FROM S [NOW]")
    assert str(q.schema) == "(n int, e string, p double)"
    assert q.emits().rows() == [(1, 1, "A!", 2.5), (4, 1, "B!", None), (7, 1, "A!", 5.0)]
    with pytest.raises(sw.EngineError, match="deterministic"):
        s.udf.register("drawn", udf(lambda: 1, IntegerType()).asNondeterministic())


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_a_failing_function_is_an_error_at_its_call(spark: SparkSession, placement: str) -> None:
    s = with_rows(sw.connect(spark, placement=placement, partitions=2))
    s.register_function("inverse", lambda x: 1 / (x - 20), returns=float, strict=True)
    s.register_function("wrong", lambda x: "x", returns="int")
    s.register_function("short", lambda x: x.head(1), returns="bigint", kind="polars")
    with pytest.raises(sw.EngineError, match="function-failed") as failed:
        s.query("SELECT inverse(x) AS y FROM S [ROWS 1]").at(9)
    text = str(failed.value)
    assert 'the function "inverse" failed: it raised ZeroDivisionError: ' in text
    assert "It was called with (20)." in text
    assert "SELECT inverse(x) AS y" in text
    if placement == "driver":
        assert isinstance(failed.value.__cause__, ZeroDivisionError)
    guarded = s.query("SELECT CASE WHEN x < 20 THEN inverse(x) ELSE 0 END AS y FROM S [ROWS 1]")
    assert guarded.at(9).rows() == [(0.0,)]
    with pytest.raises(sw.EngineError, match="it returned 'x', which is not of type int"):
        s.query("SELECT wrong(x) AS y FROM S [ROWS 1]").at(9)
    with pytest.raises(sw.EngineError, match=r"it returned 1 values for \d rows"):
        s.query("SELECT ISTREAM(short(x) AS y) FROM S [NOW]").emits().rows()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("upper", len, int), '"upper" is not a valid value of the option "name"'),
        (("minus", len, int), '"minus" is not a valid value of the option "name"'),
        (("f", 5, int), '"5" is not a valid value of the option "function"'),
        (("f", len), '"None" is not a valid value of the option "returns"'),
        (("f", len, "colour"), '"colour" is not a valid value of the option "returns"'),
        (("f", len, int, ["int", "int"]), '"2" is not a valid value of the option "arguments"'),
        (("f", len, int, None, "pandas"), '"pandas" is not a valid value of the option "kind"'),
    ],
)
def test_what_cannot_be_registered_is_refused(s: Session, arguments: tuple[Any, ...], text: str) -> None:
    with pytest.raises(sw.EngineError, match="bad-option") as refused:
        s.register_function(*arguments)
    assert text in str(refused.value)


def test_a_checkpoint_knows_functions_by_their_signature(
    spark: SparkSession, functions: ModuleType, tmp_path: Path
) -> None:
    def start(returns: str, function: Callable[..., Any]) -> None:
        s = sw.connect(spark, placement="driver")
        s.sql(f"CREATE STREAM S (k STRING, x INT) TIME t INT FROM '{tmp_path}/in'")
        s.register_function("twice", function, returns=returns)
        q = s.query("SELECT ISTREAM(twice(x) AS y) FROM S [NOW]", "Q")
        q.start(sw.Memory(), checkpoint=tmp_path / "state", follow=False).await_termination()

    (tmp_path / "in").mkdir()
    pl.DataFrame({"t": [1], "k": ["a"], "x": [1]}).write_csv(tmp_path / "in" / "1.csv")
    with pytest.raises(sw.EngineError, match="local-function"):
        start("bigint", lambda x: x)
    start("bigint", functions.doubled)
    with pytest.raises(sw.EngineError, match="twice\\(…\\) returns bigint"):
        start("double", functions.doubled)
    start("bigint", functions.doubled)
