"""Aggregates and table functions of users: in both placements, of Spark, failing, explained and resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import arrow_udf, pandas_udf, udtf
from pyspark.sql.types import LongType, StringType, StructType

import slackwater as sw
from errors.functions_of_users import Mean
from one_spark import imported
from slackwater.session import Session

MODULE = '''
import pandas as pd
from pyspark.sql.functions import pandas_udf, udf
from pyspark.sql.types import DoubleType, LongType

class Total:
    """SUM; of no rows 0."""

    def __init__(self):
        self.total = 0

    def add(self, x):
        self.total += x

    def finish(self):
        return self.total

class Running(Total):
    def retract(self, x):
        self.total -= x

def letters(text, times):
    for place, letter in enumerate(text):
        yield place, letter * times

@udf(LongType())
def doubled(x):
    return None if x is None else 2 * x

@pandas_udf(DoubleType())
def middle(x: pd.Series) -> float:
    return x.median()
'''
ROWS = [(1, "A", 10), (4, "B", None), (7, "A", 20), (8, "A", 1)]


@pytest.fixture
def functions(spark: SparkSession, tmp_path: Path) -> Iterator[ModuleType]:
    """A module with functions, that the workers can import."""
    with imported(spark, tmp_path / "aggregates_of_a_user.py", MODULE) as module:
        yield module


def with_rows(s: Session) -> Session:
    s.stream("S", ROWS, time="t", columns=["t", "k", "x"])
    return s


DECLARED = """
CREATE AGGREGATE FUNCTION total (x BIGINT) RETURNS BIGINT LANGUAGE PYTHON AS 'aggregates_of_a_user:Total'
  WITH (strict = TRUE);
CREATE AGGREGATE running (x BIGINT) RETURNS BIGINT LANGUAGE PYTHON AS 'aggregates_of_a_user:Running'
  WITH (strict = TRUE);
CREATE FUNCTION letters (text STRING, times INT) RETURNS TABLE (place INT, letter STRING)
  LANGUAGE PYTHON AS 'aggregates_of_a_user:letters';
CREATE FUNCTION doubled (x BIGINT) RETURNS BIGINT LANGUAGE PYTHON AS 'aggregates_of_a_user:doubled';
CREATE AGGREGATE middle (x BIGINT) RETURNS DOUBLE LANGUAGE PYTHON AS 'aggregates_of_a_user:middle'
  WITH (strict = TRUE);
"""


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_declared_functions_of_every_form_run_in_both_placements(
    spark: SparkSession, functions: ModuleType, placement: str
) -> None:
    s = with_rows(sw.connect(spark, placement=placement, partitions=2))
    s.sql(DECLARED)
    q = s.query(
        "SELECT k, total(x) AS a, running(DISTINCT x) AS b, doubled(SUM(x)) AS c, middle(x) AS d "
        "FROM S [ROWS 3] GROUP BY k HAVING total(x) >= 0"
    )
    assert sorted(q.at(7).rows()) == [("A", 30, 30, 60, 15.0), ("B", 0, 0, None, None)]
    assert sorted(q.at(8).rows()) == [("A", 21, 21, 42, 10.5), ("B", 0, 0, None, None)]
    rows = s.query("SELECT S.x, l.letter FROM S [ROWS 1], LATERAL letters(k || 'z', 2) AS l").changes()
    assert sorted(rows.rows())[:4] == [
        (1, "+", 10, "AA"),
        (1, "+", 10, "zz"),
        (4, "+", None, "BB"),
        (4, "+", None, "zz"),
    ]


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_a_class_without_a_path_is_sent_with_the_plan(spark: SparkSession, placement: str) -> None:
    class Longest:
        def __init__(self) -> None:
            self.texts: list[str] = []

        def add(self, text: str, suffix: str) -> None:
            self.texts.append(text + suffix)

        def finish(self) -> str | None:
            return max(self.texts, key=len, default=None)

    s = with_rows(sw.connect(spark, placement=placement, partitions=2))
    s.register_aggregate("longest", Longest, returns="string")
    s.register_table_function("up_to", lambda n: range(n), returns="i INT", arguments=["int"])
    q = s.query("SELECT longest(k, '!') AS v, longest(k, '') FILTER (WHERE x > 100) AS w FROM S [ROWS 2]")
    assert q.at(0).rows() == [(None, None)]
    assert q.at(8).rows() == [("A!", None)]
    rows = s.query("SELECT i FROM TABLE(up_to(3)) AS n WHERE i > 0").at(0).rows()
    assert sorted(rows) == [(1,), (2,)]


def test_spark_udfs_over_columns_are_scalar_or_aggregates(s: Session) -> None:
    @pandas_udf(LongType())
    def plus(x: pd.Series, y: pd.Series) -> pd.Series:
        return x + y

    @arrow_udf(LongType())
    def opposite(x: pa.Array) -> pa.Array:
        return pc.negate(x)

    @pandas_udf(LongType())
    def spread(x: pd.Series) -> int:
        return int(x.max() - x.min())

    @udtf(returnType=StructType().add("letter", StringType()).add("n", LongType()))
    class Letters:
        def eval(self, text: str) -> Iterator[tuple[str, int]]:
            yield text, len(text)

    with_rows(s)
    s.udf.register("plus", plus)
    s.udf.register("opposite", opposite)
    s.register_function("spread", spread)
    q = s.query("SELECT ISTREAM(plus(x, 1) AS p, opposite(x) AS o) FROM S [NOW]")
    assert q.emits().rows() == [(1, 11, -10), (4, None, None), (7, 21, -20), (8, 2, -1)]
    q = s.query("SELECT k, spread(x) AS v FROM S [ROWS 3] WHERE x IS NOT NULL GROUP BY k")
    assert str(q.schema) == "(k string, v bigint)"
    assert q.at(8).rows() == [("A", 19)]
    with pytest.raises(sw.EngineError, match="asDeterministic"):
        s.udtf.register("letters", Letters)
    s.udtf.register("letters", Letters.asDeterministic())
    assert s.query("SELECT l.* FROM S [ROWS 1], letters(k) AS l").at(8).rows() == [("A", 1)]
    with pytest.raises(sw.EngineError, match="deterministic"):
        s.udf.register("drawn", plus.asNondeterministic())


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_a_failing_aggregate_is_an_error_at_its_call(spark: SparkSession, placement: str) -> None:
    class Inverse:
        def add(self, x: int | None) -> None:
            self.value = 1 / (x - 20)  # type: ignore[operator]

        def finish(self) -> object:
            return "no number"

    s = with_rows(sw.connect(spark, placement=placement, partitions=2))
    s.register_aggregate("inverse", Inverse, returns="double", strict=True)
    s.register_table_function("wrong", lambda x: [("x", "y")], returns="i INT")
    with pytest.raises(sw.EngineError, match="function-failed") as failed:
        s.query("SELECT inverse(x) AS y FROM S [RANGE 0] GROUP BY k").changes()
    text = str(failed.value)
    assert 'the aggregate "inverse" failed in ' in text
    assert "SELECT inverse(x) AS y" in text
    with pytest.raises(sw.EngineError, match="function-failed") as failed:
        s.query("SELECT inverse(x) AS y FROM S [RANGE 0] WHERE x = 20 GROUP BY k").changes()
    assert "failed in add: it raised ZeroDivisionError" in str(failed.value)
    assert "It was called with (20)." in str(failed.value)
    if placement == "driver":
        assert isinstance(failed.value.__cause__, ZeroDivisionError)
    with pytest.raises(sw.EngineError, match="does not have 1 columns"):
        s.query("SELECT w.i FROM S [ROWS 1], LATERAL wrong(x) AS w").changes()


def test_a_group_without_rows_is_never_finished(s: Session) -> None:
    with_rows(s).register_aggregate("mean_of", Mean, returns="double")
    q = s.query("SELECT k, mean_of(x) AS v FROM S [RANGE 1] WHERE x IS NOT NULL GROUP BY k")
    assert q.at(8).rows() == [("A", 10.5)]
    assert q.at(11).rows() == []
    over = s.query("SELECT mean_of(x) OVER (PARTITION BY k) AS v FROM S [ROWS 2] WHERE x IS NOT NULL")
    assert over.at(8).rows() == [(10.5,), (10.5,)]


def test_values_may_be_null_or_nan_but_not_too_large(s: Session) -> None:
    def register(name: str, value: Any, returns: str) -> None:
        s.register_aggregate(name, lambda column: value, returns=returns, kind="polars")
        s.register_table_function(f"{name}_rows", lambda x: [value], returns=f"v {returns}")

    with_rows(s)
    register("nothing", None, "bigint")
    register("not_a_number", float("nan"), "double")
    register("large", 2**63, "bigint")
    assert s.query("SELECT nothing(x) AS v FROM S [ROWS 2]").at(8).rows() == [(None,)]
    (value,) = s.query("SELECT not_a_number(x) AS v FROM S [ROWS 2]").at(8).rows()[0]
    assert value != value
    assert s.query("SELECT v FROM S [ROWS 1], nothing_rows(x) AS f").at(8).rows() == [(None,)]
    for text in ("large(x) AS v FROM S [ROWS 1]", "v FROM S [ROWS 1], large_rows(x) AS f"):
        with pytest.raises(sw.EngineError, match="9223372036854775808, which is not of type bigint"):
            s.query(f"SELECT {text}").at(8)


def test_explain_says_what_is_recomputed(s: Session, functions: ModuleType) -> None:
    with_rows(s).sql(DECLARED)
    text = str(s.query("SELECT k, total(x) AS a, running(x) AS b FROM S [ROWS 3] GROUP BY k").explain())
    assert "keeps the rows of each group, from which total is recomputed when they change" in text
    over = str(s.query("SELECT running(x) OVER (PARTITION BY k) AS a FROM S [ROWS 3]").explain())
    assert "keeps the current rows, from which running is recomputed for each frame" in over


class Counted:
    """SUM that counts the calls of its methods."""

    calls: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.total = 0

    def add(self, x: int) -> None:
        self.calls.append("add")
        self.total += x

    def retract(self, x: int) -> None:
        self.calls.append("retract")
        self.total -= x

    def finish(self) -> int:
        return self.total


def test_with_retract_only_what_changes_is_added(spark: SparkSession) -> None:
    s = sw.connect(spark, placement="driver")
    s.stream("N", [(at, at) for at in range(100)], time="t", columns=["t", "x"])
    s.register_aggregate("counted", Counted, returns="bigint")
    Counted.calls.clear()
    assert s.query("SELECT counted(x) AS v FROM N [ROWS 10]").at(99).rows() == [(sum(range(90, 100)),)]
    assert len(Counted.calls) <= 200
    assert Counted.calls.count("retract") >= 80


@pytest.mark.parametrize(
    ("method", "arguments", "text"),
    [
        ("register_aggregate", ("f", len, "int"), 'It has no method "add"'),
        ("register_aggregate", ("upper", object, "int"), '"upper" is not a valid value of the option "name"'),
        ("register_table_function", ("f", len), '"None" is not a valid value of the option "returns"'),
        ("register_table_function", ("f", len, "colour"), 'is not a valid value of the option "returns"'),
        ("register_table_function", ("f", 5, "a INT"), "It is int"),
        ("register_table_function", ("f", len, "a INT", ["int", "int"]), 'value of the option "arguments"'),
    ],
)
def test_what_cannot_be_registered_is_refused(
    s: Session, method: str, arguments: tuple[Any, ...], text: str
) -> None:
    with pytest.raises(sw.EngineError, match="bad-option") as refused:
        getattr(s, method)(*arguments)
    assert text in str(refused.value)


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_a_stopped_query_goes_on_with_its_rows(
    spark: SparkSession, functions: ModuleType, tmp_path: Path, placement: str
) -> None:
    def start(declare: Callable[[Session], None], until: int) -> list[tuple[Any, ...]]:
        s = sw.connect(spark, placement=placement, partitions=2)
        s.sql(f"CREATE STREAM S (k STRING, x INT) TIME t INT FROM '{tmp_path}/in'")
        declare(s)
        memory = sw.Memory("table")
        q = s.query("SELECT k, running(x) AS a, total(x) AS b FROM S [ROWS 3] GROUP BY k", "Q")
        running = q.start(memory, checkpoint=tmp_path / "state")
        assert running.await_instant(until)
        running.stop()
        return sorted(memory.rows)

    def declared(s: Session) -> None:
        s.sql(DECLARED)

    def local(s: Session) -> None:
        s.sql(DECLARED.replace("total (x", "other (x"))
        s.register_aggregate(
            "total", type("Total", (functions.Total,), {}), returns="bigint", arguments=["bigint"]
        )

    (tmp_path / "in").mkdir()
    pl.DataFrame({"t": [1, 2], "k": ["a", "b"], "x": [1, 2]}).write_csv(tmp_path / "in" / "1.csv")
    with pytest.raises(sw.EngineError, match="local-function"):
        start(local, 1)
    start(declared, 1)
    pl.DataFrame({"t": [3, 4], "k": ["a", "a"], "x": [4, 8]}).write_csv(tmp_path / "in" / "2.csv")
    assert start(declared, 3) == [("a", 5, 5), ("b", 2, 2)]
