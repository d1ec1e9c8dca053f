"""Orders of users in best-match joins: in both placements, and failing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.session import Session
from slackwater.storage.mapped import mapped

MODULE = '''
import polars as pl

def shared_words(r, s, other_r, other_s):
    """At least as good: it has all the words that the other pair has in common."""
    both = r.str.split(" ").list.set_intersection(s.str.split(" "))
    others = other_r.str.split(" ").list.set_intersection(other_s.str.split(" "))
    return others.list.set_difference(both).list.len() == 0

def divided(r, s, other_r, other_s):
    raise ValueError("these are not divisible")

def missing(r, s, other_r, other_s):
    return pl.DataFrame({"r": r}).lazy().select("q").collect()["q"]

def numbers(r, s, other_r, other_s):
    return pl.Series([1] * len(r), dtype=pl.Int64)
'''
QUERY = "SELECT A.text AS a, B.text AS b FROM A LEFT OUTER BESTMATCH JOIN B ON (A.text, B.text) {order}"
BEST = {("red sun", "red sun set"), ("blue sea", "the sea"), ("blue sea", "blue")}


@pytest.fixture
def orders(spark: SparkSession, tmp_path: Path) -> Iterator[ModuleType]:
    """A module with orders, that the workers can import."""
    file = tmp_path / "orders_of_a_user.py"
    file.write_text(MODULE, encoding="utf-8")
    spark.sparkContext.addPyFile(str(file))
    module = __import__(file.stem)
    yield module
    del sys.modules[file.stem]


def with_texts(s: Session) -> Session:
    s.relation("A", [(0, "red sun"), (2, "blue sea")], time="t", columns=["t", "text"])
    words = ["red", "red sun set", "the sea", "blue", "green"]
    s.relation("B", [(1, word) for word in words], time="t", columns=["t", "text"])
    return s


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_a_user_compares_pairs(spark: SparkSession, orders: ModuleType, placement: str) -> None:
    s = with_texts(sw.connect(spark, placement=placement, partitions=2))
    s.register_order("Shared_Words", orders.shared_words)
    assert set(s.query(QUERY.format(order="shared_words")).at(2).rows()) == BEST


@pytest.mark.parametrize("placement", ["driver", "workers"])
@pytest.mark.parametrize(
    ("option", "value"), [("read_ahead", "2"), ("delay", "3"), ("punctuation", "'done'")]
)
def test_pairs_of_fuzzy_ordered_streams_are_final_as_they_are_in_order(
    spark: SparkSession, tmp_path: Path, option: str, value: str, placement: str
) -> None:
    """By value, by read-ahead and by punctuations, thesis 4.3.3: a file is a batch."""
    files = {
        "T": ["1,10,false", "4,30,false", "2,20,false", "5,50,false\n5,0,true", "9,90,false", "12,1,false"],
        "H": ["3,11,false", "1,22,false", "2,31,false", "6,52,false\n5,0,true", "8,91,false", "12,2,false"],
    }
    for name, lines in files.items():
        (tmp_path / name).mkdir()
        for number, line in enumerate(lines):
            rows = line if option == "punctuation" else line.partition("\n")[0]
            file = tmp_path / name / f"{number}.csv"
            file.write_text(f"t,x,done\n{rows}\n", encoding="utf-8")
            os.utime(file, (number + 1, number + 1))
    s = sw.connect(spark, placement=placement, partitions=2)
    for name in files:
        options = f"header = TRUE, order = 'name', maxFilesPerTrigger = 1, late = 'fail', {option} = {value}"
        s.sql(f"CREATE STREAM {name} (x INT) TIME t INT FROM '{tmp_path / name}' FORMAT csv WITH ({options})")
    query = s.query(
        "SELECT FINAL(T.t AS t, H.t AS h) FROM T LEFT OUTER BESTMATCH JOIN H "
        "ON (ABS(T.t - H.t)) MIN 2, (ABS(T.x - H.x)) MIN"
    )
    seen = sw.Memory()
    query.start(seen, follow=False).await_termination()
    first = [(3, 1, 1), (3, 1, 3), (4, 2, 1), (4, 2, 2), (6, 4, 2), (6, 4, 3), (7, 5, 6)]
    assert sorted(seen.rows) == [*first, (11, 9, 8), (14, 12, 12)]
    assert len(seen.frames) > 1, "nothing was final before the end"


def test_of_an_error_of_polars_the_first_line_is_shown(s: Session, orders: ModuleType) -> None:
    with_texts(s).register_order("near", orders.missing)
    with pytest.raises(sw.EngineError) as caught:
        s.query(QUERY.format(order="near")).run()
    assert "ColumnNotFoundError" in str(caught.value)
    assert "SELECT" not in str(caught.value).replace(QUERY.format(order="near"), "")


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_windows_on_disk_have_the_same_best_pairs(
    spark: SparkSession, placement: str, tmp_path: Path
) -> None:
    files = {name: tmp_path / name for name in ("P", "Q")}
    for at, folder in enumerate(files.values()):
        folder.mkdir()
        for number in range(3):
            rows = [f"{5 * number + t},{(7 * t + 3 * at + number) % 11}" for t in range(5)]
            (folder / f"{number}.csv").write_text("\n".join(["t,x", *rows, ""]), encoding="utf-8")
    answers = []
    for memory in (None, 1):
        s = sw.connect(spark, placement=placement, partitions=2, match_memory=memory)
        for name, folder in files.items():
            options = "header = TRUE, order = 'name', maxFilesPerTrigger = 1"
            s.sql(f"CREATE STREAM {name} (x INT) TIME t INT FROM '{folder}' FORMAT csv WITH ({options})")
        query = s.query(
            "SELECT P.x AS p, Q.x AS q FROM P [RANGE 8] LEFT OUTER BESTMATCH JOIN Q [RANGE 8] "
            "ON (ABS(P.x - Q.x)) MIN 2"
        )
        seen = sw.Memory()
        checkpoint = tmp_path / f"state {memory}"
        query.start(seen, follow=False, checkpoint=checkpoint).await_termination()
        answers.append(sorted(seen.rows))
    assert answers[0] == answers[1] != []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "missing"))
    with pytest.raises(sw.EngineError, match=r"unwritable-spill[\s\S]*missing[\s\S]*No such file"):
        mapped(pl.DataFrame({"a": [1]}))


@pytest.mark.parametrize(
    ("choose", "why"),
    [
        (lambda orders: orders.divided, "ValueError: these are not divisible"),
        (lambda orders: orders.numbers, "booleans"),
    ],
)
def test_a_function_that_fails_is_named(
    s: Session, orders: ModuleType, choose: Callable[[ModuleType], Callable[..., sw.Memory]], why: str
) -> None:
    with_texts(s).register_order("near", choose(orders))  # type: ignore[arg-type]
    with pytest.raises(sw.EngineError, match=rf"order-failed.*near.*{why}"):
        s.query(QUERY.format(order="near")).run()


def test_a_bound_on_timestamps_is_a_length_of_time(s: Session) -> None:
    def minute(number: int) -> datetime:
        return datetime(2026, 1, 1, 12, number)

    s.sql("CREATE STREAM T (x BIGINT) TIME ts; CREATE STREAM H (x BIGINT, v BIGINT) TIME ts")
    s.stream("T", [(minute(2), 0)], columns=["ts", "x"])
    s.stream("H", [(minute(1), 70, 60), (minute(3), 5, 61), (minute(30), 0, 62)], columns=["ts", "x", "v"])
    query = s.query(
        "SELECT FINAL(H.v) FROM T LEFT OUTER BESTMATCH JOIN H "
        "ON (ABS(T.ts - H.ts)) MIN 10 MINUTES, (ABS(T.x - H.x)) MIN 100"
    )
    ((emitted, value),) = query.emits().rows()
    assert (str(emitted)[:16], value) == ("2026-01-01 12:12", 61)
