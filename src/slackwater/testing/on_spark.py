"""A case on a real Spark: in its own session, with its input as files that Spark reads one by one.

time  1   4 │ 7   9 │ 12      cuts at 5 and 10 make three files of every source, and three batches
"""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Sequence
from contextlib import suppress
from itertools import count, pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import polars as pl

from slackwater.algebra import Kind, Relation, Schema, Stream
from slackwater.algebra.types import is_comparable
from slackwater.base.diagnostic import SlackwaterError
from slackwater.base.time import BEGIN, INFINITY
from slackwater.engines.epochs import frame_of
from slackwater.kernels import relations
from slackwater.kernels.expressions.values import values_of
from slackwater.kernels.frames import FROM
from slackwater.reference.bags import Changes, record
from slackwater.run.answers import repeated, seen_as
from slackwater.testing.case import Case, Declarations, Question, View

if TYPE_CHECKING:
    from slackwater.run.query import Query
    from slackwater.session import Session

TIME, OP = "_time", "_op"
"""The columns of a file beside those of its source."""


class Spark:
    """The engine as users run it: sessions on one Spark session, passed in or started when needed."""

    name = "spark"

    def __init__(self, spark: Any = None, placement: str | None = None) -> None:
        self._spark, self._placement = spark, placement
        self._folder = Path(mkdtemp(prefix="slackwater-test-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._numbers = count()

    def open_case(self, case: Case, cuts: Sequence[int]) -> SparkCase:
        """The case in its own session, with its input cut into batches."""
        from slackwater.session import connect

        session = connect(self._spark, chronon=str(case.clock.chronon), placement=self._placement)
        self._spark = session.spark
        folder = self._folder / str(next(self._numbers))
        for source in case.sources.values():
            _write(
                folder / source.plan.name,
                _with_maps(frame_of(source.plan, source.changes), source.plan),
                cuts,
            )
            _declare(session, source.plan, folder / source.plan.name)
        return SparkCase(session, case)


class SparkCase:
    """A case in a session. Its queries that have answers are started as one graph."""

    def __init__(self, session: Session, case: Case) -> None:
        self._session, self._until = session, case.until
        self._queries: dict[int, Query] = {}
        for statement in case.statements:
            # The runner reports what cannot be bound; such a query is not run here.
            with suppress(SlackwaterError):
                if isinstance(statement, View):
                    session.sql(f'CREATE VIEW "{statement.name}" AS {statement.sql.text.content}')
                elif isinstance(statement, Declarations):
                    session.sql(statement.sql.text.content)
                elif all(check.kind != "error" for check in statement.checks):
                    self._queries[statement.span.start] = self._query(statement)
        with suppress(SlackwaterError):
            # Where one fails, each is answered by itself later, and the error is reported there.
            session.answer(*self._queries.values())

    def _query(self, question: Question) -> Query:
        query = self._session.query(question.sql.text.content, f"query at {question.span.start}")
        return query if self._until is None else query.until(self._until)

    def answer(self, question: Question) -> Changes:
        """The changes (or elements) of a query of the case; raises SlackwaterError."""
        return _changes(self._queries.get(question.span.start) or self._query(question))


def _changes(query: Query) -> Changes:
    answer = query.emits() if query.kind is Kind.STREAM else query.changes()
    frame = answer.to_polars()
    before = len(frame.columns) - len(query.schema)
    columns = [values_of(frame.to_series(before + at), type_) for at, type_ in enumerate(query.schema.types)]
    rows = list(zip(*columns, strict=True)) if columns else [()] * frame.height
    signs = frame.to_series(1).to_list() if before > 1 else ["+"] * frame.height
    changes: Changes = {}
    for at, sign, row in zip(frame.to_series(0).to_list(), signs, rows, strict=True):
        record(changes, at, row, -1 if sign == "-" else 1)
    return changes


def _with_maps(frame: pl.DataFrame, plan: Stream | Relation) -> pl.DataFrame:
    """The rows with maps as files have them."""
    kinds = {name: seen_as(type_) for name, type_ in plan.schema if not is_comparable(type_)}
    return frame.with_columns(pl.col(name).cast(kind) for name, kind in kinds.items())


def _write(folder: Path, frame: pl.DataFrame, cuts: Sequence[int]) -> None:
    """A file for each batch, in the order in which Spark is to read them."""
    folder.mkdir(parents=True)
    frame = repeated(frame)
    row = [name for name in frame.columns if not name.startswith("@")]
    marks = [pl.col(FROM).alias(TIME), *(pl.col(name).alias(OP) for name in _ops(frame))]
    edges = [BEGIN, *(cut for cut in sorted(set(cuts)) if BEGIN < cut < INFINITY), INFINITY]
    instants = pl.selectors.datetime()
    for number, (low, high) in enumerate(pairwise(edges)):
        part = frame.filter(pl.col(FROM).is_between(low, high, closed="left")).select(*marks, *row)
        path = folder / f"{number:06d}.parquet"
        part.with_columns(instants.dt.replace_time_zone("UTC")).write_parquet(path)
        os.utime(path, (number + 1, number + 1))


def _ops(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if name == relations.OP]


def _declare(session: Session, plan: Stream | Relation, folder: Path) -> None:
    """Declare the source as a user does, and register its files as a streaming DataFrame."""
    columns = _column_list(plan.schema, '"')
    is_relation = isinstance(plan, Relation)
    key = f" KEY ({', '.join(plan.key)})" if isinstance(plan, Relation) and plan.key else ""
    op = f" OP {OP}" if is_relation else ""
    kind = "RELATION" if is_relation else "STREAM"
    session.sql(f'CREATE {kind} "{plan.name}" ({columns}){key} TIME {TIME} INT{op}')
    marks = [f"`{TIME}` bigint", *([f"`{OP}` string"] if is_relation else [])]
    reader = session.spark.readStream.schema(", ".join([*marks, _column_list(plan.schema, "`")]))
    # One partition: rows of one instant keep their order.
    frame = reader.option("maxFilesPerTrigger", 1).parquet(str(folder)).coalesce(1)
    register = session.relation if is_relation else session.stream
    register(plan.name, frame)


def _column_list(schema: Schema, quote: str) -> str:
    from slackwater.sources.spark_types import spark_type

    return ", ".join(f"{quote}{name}{quote} {spark_type(type_).simpleString()}" for name, type_ in schema)
