"""Answers in each of their forms: changes, tagged changes, a stream, a table, elements.

a, b, @from, @to, @n   ─►   time | op | a | b
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from slackwater.algebra import Schema
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.types import TIMESTAMP, Type
from slackwater.base.diagnostic import Diagnostic, EngineError, quoted
from slackwater.base.time import INFINITY, Clock
from slackwater.kernels.expressions.columns import dtype
from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.kernels.instants import at_shared_instants
from slackwater.kernels.stacked import FRAME, changed_by_type, with_names
from slackwater.kernels.sweep import is_before
from slackwater.run import problems
from slackwater.run.notebook import table
from slackwater.sinks.values import format_value
from slackwater.sources.frames import spark_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

MOST_ROWS = 50
"""How many rows of an answer are shown."""


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A finished table: rows in order, to be read with any library."""

    frame: pl.DataFrame
    spark: SparkSession | None = None

    def to_polars(self) -> pl.DataFrame:
        return self.frame

    def to_arrow(self) -> pa.Table:
        return self.frame.to_arrow()

    def to_pandas(self) -> pd.DataFrame:
        return self.frame.to_pandas()

    def to_df(self) -> DataFrame:
        """As a Spark DataFrame."""
        from pyspark.sql import SparkSession

        return spark_frame(self.spark or SparkSession.active(), self.frame.to_arrow())

    @property
    def columns(self) -> list[str]:
        return self.frame.columns

    def rows(self) -> list[tuple[Any, ...]]:
        return self.frame.rows()

    def show(self) -> None:
        """Print the first rows as a table."""
        print(self)

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        return f"<answer: {len(self)} row{'s' * (len(self) != 1)} of {', '.join(self.columns)}>"

    def __str__(self) -> str:
        """The rows as a text table, as in a .cqt file."""
        cells = [self.columns, *self._first()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [" | ".join(map(str.ljust, line, widths)).rstrip() for line in cells]
        return "\n".join([*lines, *self._more()])

    def _repr_html_(self) -> str:
        return table(self.columns, self._first()) + "".join(f"<p>{more}</p>" for more in self._more())

    def _first(self) -> list[list[str]]:
        shown = self.frame.head(MOST_ROWS).with_columns(
            pl.col(name).cast(kind) for name, kind in self._entries()
        )
        return [[format_value(value) for value in row] for row in shown.rows()]

    def _entries(self) -> Iterator[tuple[str, pl.DataType]]:
        """The columns of maps, and their types as lists of entries: a dict of Python would be a struct."""
        for name, kind in self.frame.schema.items():
            if isinstance(kind, pl.Map):
                yield name, pl.List(pl.Struct({"key": kind.key, "value": kind.value}))

    def _more(self) -> list[str]:
        rest = len(self) - MOST_ROWS
        return [f"… {rest} more row{'s' * (rest != 1)}"] if rest > 0 else []


def changes_of(elements: pl.DataFrame) -> pl.DataFrame:
    """The changes of a relation, as elements: `@n` copies added at `@from`, or removed where negative."""
    row = columns_of(elements)
    ends = elements.filter(pl.col(TO) < INFINITY)
    edges = pl.concat(
        [
            elements.select(*row, FROM, N),
            ends.select(*row, pl.col(TO).alias(FROM), (-pl.col(N)).alias(N)),
        ]
    )
    summed = edges.group_by(*row, FROM, maintain_order=True).agg(pl.col(N).sum())
    return summed.filter(pl.col(N) != 0)


def up_to(elements: pl.DataFrame, last: int) -> pl.DataFrame:
    """The elements that begin up to the instant; what ends later has no end yet."""
    elements = elements.filter(pl.col(FROM) <= last)
    if TO not in elements.columns:
        return elements
    end = pl.when(pl.col(TO) > last).then(pl.lit(INFINITY, pl.Int64)).otherwise(pl.col(TO))
    return elements.with_columns(end.alias(TO))


def as_changes(changes: pl.DataFrame, clock: Clock) -> pl.DataFrame:
    """time | op | columns, a line for each copy, removals before additions."""
    changes = within_time(changes, clock)
    row = columns_of(changes)
    time, op = free_names(("time", "op"), row)
    whole = repeated(_in_order(changes, pl.col(N) > 0, *_sortable(changes)))
    return whole.select(moment(FROM, clock).alias(time), _sign().alias(op), *row)


def all_as_changes(frames: Sequence[pl.DataFrame], clock: Clock) -> list[pl.DataFrame]:
    """`as_changes` of each of several frames of few rows."""

    def change(places: list[int], whole: pl.DataFrame) -> pl.DataFrame:
        changes = within_time(whole, clock)
        by = [FRAME, FROM, pl.col(N) > 0, *_sortable(changes)]
        ordered = repeated(changes.sort(by, maintain_order=True))
        return ordered.select(FRAME, moment(FROM, clock), _sign().alias(N), *columns_of(changes))

    rows = [columns_of(frame) for frame in frames]
    parts = zip(changed_by_type(frames, change), rows, strict=True)
    return [with_names(part, [*free_names(("time", "op"), row), *row]) for part, row in parts]


def _sign() -> pl.Expr:
    return pl.when(pl.col(N) > 0).then(pl.lit("+")).otherwise(pl.lit("-"))


def as_stream(elements: pl.DataFrame, clock: Clock) -> pl.DataFrame:
    """time | columns, a line for each copy."""
    elements = within_time(elements, clock)
    row = columns_of(elements)
    (time,) = free_names(("time",), row)
    whole = repeated(_in_order(elements, *_sortable(elements)))
    return whole.select(moment(FROM, clock).alias(time), *row)


def as_elements(elements: pl.DataFrame, clock: Clock) -> pl.DataFrame:
    """columns | from | to | n; without an end, `to` is NULL."""
    elements = within_time(elements, clock)
    row = columns_of(elements)
    start, end, copies = free_names(("from", "to", "n"), row)
    last = pl.when(pl.col(TO) <= clock.last).then(pl.col(TO)).alias(TO)
    times = elements.with_columns(last).sort(FROM, *_sortable(elements), TO, N, maintain_order=True)
    return times.select(
        *row, moment(FROM, clock).alias(start), moment(TO, clock).alias(end), pl.col(N).alias(copies)
    )


def as_table(elements: pl.DataFrame, instant: int) -> pl.DataFrame:
    """The relation at an instant."""
    row = columns_of(elements)
    alive = elements.filter((pl.col(FROM) <= instant) & (pl.col(TO) > instant))
    if not row:
        summed = alive.select(pl.col(N).sum())
    else:
        summed = alive.group_by(*row, maintain_order=True).agg(pl.col(N).sum())
    table = summed.filter(pl.col(N) > 0)
    return repeated(table.sort(*_sortable(table)) if _sortable(table) else table).select(row)


def as_tagged(changes: pl.DataFrame, key: Sequence[str], clock: Clock) -> pl.DataFrame:
    """time | op | columns, with a `u` where a row replaces one with the same key."""
    changes = within_time(changes, clock)
    row = columns_of(changes)
    unknown = [name for name in key if name not in row]
    if unknown:
        raise EngineError(problems.NO_SUCH_KEY.at(unknown=quoted(unknown), row=quoted(row)))
    time, op = free_names(("time", "op"), row)
    added, removed = (repeated(changes.filter(pl.col(N) * sign > 0)) for sign in (1, -1))
    for side in (added, removed):
        twice = side.filter(pl.struct(FROM, *key).is_duplicated())
        if twice.height:
            raise EngineError(
                not_a_key(key, twice.select(row).row(0, named=True), clock.format(twice[FROM][0]))
            )
    replaced = removed.select(FROM, *key, pl.lit(True).alias("@old"))
    additions = added.join(replaced, on=[FROM, *key], how="left", nulls_equal=True)
    additions = additions.with_columns(
        pl.when(pl.col("@old")).then(pl.lit("u")).otherwise(pl.lit("+")).alias(op)
    )
    removals = removed.join(added.select(FROM, *key), on=[FROM, *key], how="anti", nulls_equal=True)
    removals = removals.with_columns(pl.lit("-").alias(op))
    both = pl.concat([removals.select(*row, FROM, op), additions.select(*row, FROM, op)]).sort(
        FROM, maintain_order=True
    )
    return both.select(moment(FROM, clock).alias(time), op, *row)


def _in_order(frame: pl.DataFrame, *by: str | pl.Expr) -> pl.DataFrame:
    """The rows in order of time, those of one instant in the order of the other columns."""
    return at_shared_instants(frame, FROM, lambda rows: rows.sort(FROM, *by, maintain_order=True))


def _sortable(frame: pl.DataFrame) -> list[str]:
    """The columns that order the rows of one instant, so that an answer is always the same."""
    return [name for name in columns_of(frame) if not frame.schema[name].is_nested()]


def repeated(frame: pl.DataFrame) -> pl.DataFrame:
    """Each row repeated |`@n`| times."""
    copies = frame[N].to_numpy()
    if bool((np.abs(copies) == 1).all()):
        return frame
    places = frame.select(pl.int_range(pl.len()).repeat_by(pl.col(N).abs()).explode().alias("p"))["p"]
    return frame[places]


def within_time(elements: pl.DataFrame, clock: Clock) -> pl.DataFrame:
    """The elements that start within the clock's range.

    A window may reach past the year 9999, where the calendar ends: changes after it never happen.
    """
    if is_before(elements[FROM], clock.last + 1):
        return elements
    return elements.filter(pl.col(FROM) <= clock.last)


def moment(name: str, clock: Clock) -> pl.Expr:
    """An instant as the session's clock has it: a timestamp, with a zone or without, or a whole number."""
    if not clock.calendar:
        return pl.col(name)
    return pl.col(name).cast(pl.Datetime("us", "UTC" if clock.zoned else None))


def presented(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """The columns in the types readers get: instants have the zone UTC, so that no library shifts them."""
    kinds = frame.schema
    seen = {name: seen_as(type_) for name, type_ in schema if name in kinds}
    casts = [pl.col(name).cast(kind) for name, kind in seen.items() if kind != kinds[name]]
    return frame.with_columns(casts) if casts else frame


def seen_as(type_: Type) -> pl.DataType:
    """How a reader sees a column of the type; the kernels have instants without a zone."""
    if type_ == TIMESTAMP:
        return pl.Datetime("us", "UTC")
    if type_.name == "map":
        key, value = map(seen_as, inner_types(type_))
        return pl.Map(pl.String() if key == pl.Null else key, value)  # a map without keys
    match dtype(type_), inner_types(type_):
        case pl.List(), (inner,):
            return pl.List(seen_as(inner))
        case pl.Struct(fields=fields), inner:
            return pl.Struct({field.name: seen_as(child) for field, child in zip(fields, inner, strict=True)})
        case kind, _:
            return kind


def free_names(names: Sequence[str], used: Sequence[str]) -> list[str]:
    """Names for additional columns: `time`, or `_time` if the answer has a `time`."""
    free: list[str] = []
    for name in names:
        while name in used:
            name = f"_{name}"
        free.append(name)
    return free


def not_a_key(key: Sequence[str], row: dict[str, object], at: str) -> Diagnostic:
    values = ", ".join(f"{name} = {value}" for name, value in row.items())
    return problems.NOT_A_KEY.at(key=quoted(key), at=at, values=values)
