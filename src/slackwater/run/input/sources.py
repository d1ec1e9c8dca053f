"""Feeds from declarations and data: checks that the columns exist and the types fit."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

from slackwater.algebra import Relation, Schema, Stream
from slackwater.algebra.types import BIGINT, BOOLEAN, DATE, STRING, TIMESTAMP, TIMESTAMP_NTZ, Type
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.places import plain
from slackwater.base.time import Clock
from slackwater.bind.catalog import Source
from slackwater.language.option_values import wrong_value
from slackwater.language.options import TABLE, Use, format_by_name, useless_option, wrong_option
from slackwater.run.input import problems
from slackwater.run.input.feeds import Feed, kind_of
from slackwater.sources import frame_errors as errors
from slackwater.sources.frames import frame_of
from slackwater.sources.options import COLUMNS, Options, options_of
from slackwater.sources.readers import FILE, RAW, Location, Reading, RecordQuery, read
from slackwater.sources.spark_types import fits, spark_type, type_of
from slackwater.sources.zones import is_utc


@dataclass(frozen=True, slots=True)
class SourceData:
    """The data of a source as the user passed it: a table, or a path."""

    data: Any
    format: str | None = None
    columns: Sequence[str] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    query: RecordQuery | None = None
    """The query that workers run on each XML record, in a subscription."""
    is_ordered: bool = False
    """Whether the order of the rows counts, although they are a DataFrame by now."""

    @property
    def has_order(self) -> bool:
        return self.is_ordered or not (self.is_location or isinstance(self.data, DataFrame | Reading))

    @property
    def is_location(self) -> bool:
        return isinstance(self.data, str) or hasattr(self.data, "__fspath__") or self.format is not None


def check_options(name: str, kind: str, source_data: SourceData, time: str | None) -> None:
    """Refuse keywords that are not options of such a source, or have no effect on it."""
    is_path = (
        source_data.data is None
        or isinstance(source_data.data, str)
        or hasattr(source_data.data, "__fspath__")
    )
    by_name = format_by_name(plain(source_data.data)) if is_path and source_data.data is not None else None
    format = (source_data.format or "").lower() or by_name if source_data.is_location else TABLE
    use = Use(kind, format, time is not None)
    refusals = [
        wrong_option(option, use) or (None if value is None else wrong_value(option, str(value)))
        for option, value in source_data.options.items()
    ]
    if source_data.format is not None and not is_path:
        refusals.append(useless_option("format", "The data is a table, not a path to files.", "Drop it."))
    if source_data.columns is not None and (is_path or hasattr(source_data.data, "columns")):
        why = "Only rows that are tuples get their columns' names so; this data has names of its own."
        refusals.append(useless_option("columns", why, "Drop it."))
    mistakes = [
        replace(refusal, label="", where=f'source "{name}"') for refusal in refusals if refusal is not None
    ]
    if mistakes:
        raise EngineError(mistakes)


def check_again(source: Source, time: str | None, key: Sequence[str], op: str | None) -> None:
    """Refuse data for a declared source whose time, op or key differs from the declaration."""
    plan = source.plan
    declared = {"time": source.time, "op": source.op, "key": ", ".join(getattr(plan, "key", ()))}
    stated = {"time": time, "op": op, "key": ", ".join(key)}
    mistakes = [
        errors.declared_otherwise(
            source.name, clause, str(stated[clause]), str(declared[clause]), plan.origin
        )
        for clause in stated
        # A time or op that the declaration leaves open may come with the data; a key may not.
        if stated[clause]
        and (declared[clause] or clause == "key")
        and str(stated[clause]).lower() != str(declared[clause]).lower()
    ]
    if mistakes:
        raise EngineError(mistakes)


def rows_of(
    spark: SparkSession,
    source: Source | None,
    name: str,
    source_data: SourceData,
    options: Options,
    inherited: Collection[str] = (),
    *,
    is_timeless: bool = False,
) -> DataFrame | Reading:
    """The rows as a DataFrame or as files; of a source that is not declared, with the columns they have.

    Without a time column, one file is a table that does not grow; a folder or a pattern may.
    """
    if isinstance(source_data.data, Reading):
        return source_data.data
    if not source_data.is_location:
        return frame_of(spark, name, source_data.data, source_data.columns)
    columns = None if source is None else file_columns(source, options)
    origin = None if source is None else source.plan.origin
    path = "" if source_data.data is None else plain(source_data.data)
    location = Location(name, path, source_data.format, options.reader, origin, inherited, source_data.query)
    rows = read(spark, location, columns)
    if is_timeless and isinstance(rows, Reading) and os.path.isfile(path):
        return replace(rows, frame=rows.whole())
    return rows


def frame_in(rows: DataFrame | Reading) -> DataFrame:
    return rows.frame if isinstance(rows, Reading) else rows


def file_columns(source: Source, options: Options) -> StructType:
    """The columns a file must have: time, op, those declared, and those the options name."""
    moment = (TIMESTAMP if source.zoned else TIMESTAMP_NTZ) if source.calendar else BIGINT
    extra = [
        (source.time, moment),
        (source.op, STRING),
        (options.until, moment),
        (options.sequence, BIGINT),
        (options.punctuation, BOOLEAN),
    ]
    declared = {name.lower() for name in source.plan.schema.names}
    beside = [(name, type_) for name, type_ in extra if name is not None and name.lower() not in declared]
    return StructType(
        [StructField(name, spark_type(type_)) for name, type_ in [*beside, *source.plan.schema.columns]]
    )


def declared(name: str, frame: DataFrame, time: str | None, stream: bool, key: Sequence[str], op: str | None,
             options: Mapping[str, str]) -> Source:  # fmt: skip
    """A source for data without a declaration, with the data's columns.

    A relation's row does not include its time, nor its sequence where there are deletions: a deletion names
    the row, not when it came. What is part of the key is always there.
    """
    types = {
        field.name: type_of(field.dataType) for field in frame.schema.fields if field.name not in (RAW, FILE)
    }
    option_columns = {options.get(option) for option in COLUMNS if option != "sequence" or op is not None}
    beside = {op, *option_columns, *([] if stream else [time])} - {None}
    lowered = {str(column).lower() for column in beside} - {column.lower() for column in key}
    columns: list[tuple[str, Type]] = []
    mistakes: list[Diagnostic] = []
    for column, type_ in types.items():
        if column.lower() in lowered:
            continue
        if column.startswith("@"):
            mistakes.append(errors.unnamed_column(name, column))
        elif type_ is None:
            mistakes.append(
                errors.unknown_column_type(name, column, frame.schema[column].dataType.simpleString())
            )
        else:
            columns.append((column, type_))
    mistakes += [
        errors.missing_column(name, required, role, types)
        for required, role in (
            (time, "the time"),
            (op, "the operation"),
            *((column, "the key") for column in key),
        )
        if required is not None and required.lower() not in {column.lower() for column in types}
    ]
    if mistakes:
        raise EngineError(mistakes)
    schema = Schema(tuple(columns))
    names = {column.lower(): column for column in schema.names}
    plan = (
        Stream(name, schema)
        if stream
        else Relation(name, schema, tuple(names[column.lower()] for column in key))
    )
    times = [_kind(frame, column) for column in (time, options.get("until")) if column is not None]
    zoned = not times or TIMESTAMP in times
    return Source(
        plan, time, op, options=options, calendar=_is_calendar(name, frame, time, stream), zoned=zoned
    )


def _is_calendar(name: str, frame: DataFrame, time: str | None, stream: bool) -> bool | None:
    """Whether the time is a timestamp; without one it is the time of arrival, or a table always holds."""
    if time is None:
        return True if stream or frame.isStreaming else None
    kind = _kind(frame, time)
    if kind is None or not (kind.is_integer or kind.is_time):
        raise EngineError(errors.wrong_time_type(name, time, str(kind), "a whole number or a timestamp"))
    return kind.is_time


def _kind(frame: DataFrame, column: str) -> Type | None:
    types = [field.dataType for field in frame.schema.fields if field.name.lower() == column.lower()]
    return type_of(types[0]) if types else None


def feed_of(spark: SparkSession, source: Source, source_data: SourceData | None, clock: Clock) -> Feed:
    """The feed of a source: its rows checked against what is declared; raises EngineError."""
    options = options_of(
        source.name, {**source.options, **(source_data.options if source_data else {})}, clock
    )
    origin = source.plan.origin
    inherited = source.options.keys() - source_data.options.keys() if source_data is not None else set()
    if source_data is None:
        if source.location is None and (source.format or "").lower() != "rate":
            raise EngineError(errors.no_data(source.name, origin))
        source_data = SourceData(source.location, source.format)
        source_data = source_data if source_data.is_location else replace(source_data, data="")
    if options.until is not None and isinstance(source.plan, Relation) and source.plan.key:
        raise EngineError(errors.key_with_until(source.name))
    is_timeless = source.time is None and isinstance(source.plan, Relation)
    rows = rows_of(spark, source, source.name, source_data, options, inherited, is_timeless=is_timeless)
    frame = frame_in(rows)
    is_always = is_timeless and not frame.isStreaming
    if source.time is None and not source.calendar and not is_always:
        raise EngineError(problems.NO_TIME.at(name=source.name))
    mistakes = list(_misfits(source, frame, options))
    if clock.calendar and clock.zoned and options.zone is None:
        mistakes += _unzoned(source, frame, options, str(spark.conf.get("spark.sql.session.timeZone")))
    if mistakes:
        raise EngineError(mistakes)
    return Feed(
        source, frame, options.delay, options.until, options.punctuation, options.read_ahead, options.idle,
        files=rows if isinstance(rows, Reading) else None, order=options.order, sequence=options.sequence,
        is_ordered=source_data.has_order, max_ahead=_micros_ahead(source, options), zone=options.zone,
        clock=clock, is_always=is_always, reader=options.reader,
    )  # fmt: skip


def _unzoned(source: Source, frame: DataFrame, options: Options, zone: str) -> list[Diagnostic]:
    """Times without a zone that are declared as instants, where Spark's session zone is not UTC."""
    if is_utc(zone):
        return []
    times = [name for name in (source.time, options.until) if name is not None]
    times += [name for name, type_ in source.plan.schema if type_ == TIMESTAMP and name not in times]
    kinds = {name: _kind(frame, name) for name in times}
    return [
        errors.unzoned_time(source.name, name, str(kind), zone, source.plan.origin)
        for name, kind in kinds.items()
        if kind in (DATE, TIMESTAMP_NTZ)
    ]


def _micros_ahead(source: Source, options: Options) -> int | None:
    if options.max_ahead is None:
        return None
    if not source.calendar:
        hint = "It is measured against the clock: it needs a time that is a timestamp."
        raise EngineError(
            errors.bad_option(f'source "{source.name}"', "max_ahead", f"{options.max_ahead:g} seconds", hint)
        )
    return int(options.max_ahead * 1_000_000)


def _misfits(source: Source, frame: DataFrame, options: Options) -> list[Diagnostic]:
    name, origin = source.name, source.plan.origin
    columns = [column for column in frame.columns if column not in (RAW, FILE)]
    known = {column.lower() for column in columns}
    mistakes: list[Diagnostic] = []
    extra = [(source.time, "the time"), (source.op, "the operation"), (options.until, "the end of a row"),
             (options.sequence, "the sequence"), (options.punctuation, "the punctuation")]  # fmt: skip
    for column, role in [*((column, "declared here") for column in source.plan.schema.names), *extra]:
        if column is not None and column.lower() not in known:
            mistakes.append(errors.missing_column(name, column, role, columns, origin))
    if mistakes:
        return mistakes
    for column, type_ in source.plan.schema:
        kind = _kind(frame, column)
        if kind is None:
            raw = kind_of(frame, column).simpleString()
            mistakes.append(errors.unknown_column_type(name, column, raw))
        elif not fits(kind, type_):
            mistakes.append(errors.wrong_type(name, column, kind, type_, origin))
    for column in (source.time, options.until):
        kind = _kind(frame, column) if column is not None else None
        if column is not None and (
            kind is None
            or not (kind.is_time if source.calendar else kind.is_integer)
            or (kind == TIMESTAMP and not source.zoned)
        ):
            expected = "a timestamp" if source.calendar else "a whole number"
            expected += "" if source.zoned else " without a zone"
            mistakes.append(errors.wrong_time_type(name, column, str(kind), expected, origin))
    kind = _kind(frame, options.sequence) if options.sequence is not None else None
    if options.sequence is not None and (kind is None or not (kind.is_time or kind.is_integer)):
        hint = "Name a column of whole numbers or timestamps."
        mistakes.append(errors.bad_option(f'source "{name}"', "sequence", options.sequence, hint))
    if options.punctuation is not None and _kind(frame, options.punctuation) != BOOLEAN:
        hint = "Name a column of booleans."
        mistakes.append(errors.bad_option(f'source "{name}"', "punctuation", options.punctuation, hint))
    return mistakes
