"""From rows as Spark read them to elements: in the driver, or in a worker beside the scan.

    rows ─► that fit ─► not too far ahead ─► no punctuation ─► not late ─► elements, by source
              └ malformed   └ ahead             └ the largest time  └ late

Nothing here needs Spark or its DataFrames, so that workers can do it with a description of the sources.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl
import pyarrow as pa
from pyspark.sql.types import StructType

from slackwater.base.diagnostic import EngineError
from slackwater.base.time import INFINITY, Clock
from slackwater.bind.catalog import Source
from slackwater.kernels import relations
from slackwater.kernels.expressions.nested.maps import in_order
from slackwater.kernels.frames import FROM, TO, N, frame_schema
from slackwater.run.input.aside import Aside
from slackwater.run.input.misfits import ExpectedRows, Misfits, file_name, split_misfits
from slackwater.run.input.tags import AHEAD, PUNCTUATION, SOURCE, TIME, UNDECODED, UNTIL
from slackwater.run.input.undecoded import decoded
from slackwater.sources.misfits import line_with, why
from slackwater.sources.open_quotes import cut_field, open_lines, quoting_of
from slackwater.sources.readers import FILE, RAW


@dataclass(frozen=True, slots=True)
class Intake:
    """A source, as far as its rows have to be understood after Spark has read them."""

    source: Source
    read: tuple[str, ...]
    """The columns that were read."""
    clock: Clock
    schema: StructType
    """The columns of the files."""
    ops: tuple[str, ...] | None = None
    """The changes that a row may be; None where rows are no changes."""
    kind: str | None = None
    """The format of its files, if it has any."""
    reader: Mapping[str, str] = field(default_factory=dict)
    """The options of that format."""
    until: str | None = None
    punctuation: str | None = None
    max_ahead: int | None = None
    sequence: str | None = None
    is_ordered: bool = False
    is_clocked: bool = False
    read_ahead: int | None = None

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def expected(self) -> ExpectedRows:
        return ExpectedRows(self.name, self.read, self.clock, self.ops, self.why, self.place)

    def why(self, raw: str) -> str | None:
        """Why a row could not be read; None where that is unknown."""
        return None if self.kind is None else why(raw, self.kind, self.schema, self.reader)

    def place(self, file: str, row: dict[str, Any], time: int | None) -> str:
        """The place of the row: its file, with the line where that is known."""
        if self.kind != "csv" or self.source.time is None:
            return file
        names = [name for name in self.schema.names if name not in (RAW, FILE)]
        return line_with(file, {**row, self.source.time: time}, names, self.reader)


@dataclass(frozen=True, slots=True)
class Seen:
    """What has been seen of the rows of a source, in a batch or in a part of it."""

    rows: int = 0
    """Rows that are elements, late ones included."""
    largest: int | None = None
    """The largest time; where there are punctuations, theirs."""
    least: int | None = None
    late: int = 0
    malformed: int = 0
    ahead: int = 0
    files: tuple[str, ...] = ()
    """The files of CSV that the rows are from."""
    malformed_lines: tuple[str, ...] = ()
    """Malformed rows of them that end inside of quotes."""
    latest: tuple[int, ...] = ()
    """The latest times, one more than rows may be read ahead."""

    @classmethod
    def of(cls, values: Sequence[Any]) -> Seen:
        """From the values of its fields, as JSON has them."""
        *_, files, lines, latest = values
        return replace(cls(*values), files=tuple(files), malformed_lines=tuple(lines), latest=tuple(latest))

    def __add__(self, other: Seen) -> Seen:
        return Seen(
            self.rows + other.rows,
            max((time for time in (self.largest, other.largest) if time is not None), default=None),
            min((time for time in (self.least, other.least) if time is not None), default=None),
            self.late + other.late,
            self.malformed + other.malformed,
            self.ahead + other.ahead,
            tuple(dict.fromkeys((*self.files, *other.files))),
            (*self.malformed_lines, *other.malformed_lines),
            (*self.latest, *other.latest),
        )


class MalformedRow(EngineError):
    """A malformed row in a batch from which rows were dropped on the promise that there is none."""


@dataclass(frozen=True, slots=True)
class SourceRows:
    """The rows of a source as elements, late ones included, and what was seen of it."""

    elements: pl.DataFrame
    seen: Seen


def take_in(
    batch: pa.Table,
    intakes: Sequence[Intake],
    aside: Aside,
    *,
    is_whole: bool = True,
    filtered: Collection[str] = (),
) -> dict[str, SourceRows]:
    """The elements of a batch, by source; rows that cannot enter are set aside.

    Whether a line that is cut in a quoted field is malformed can be seen in the whole batch only. Malformed
    rows of `filtered` sources are not set aside, but raise `MalformedRow`.
    """
    frame = pl.from_arrow(decoded(batch))
    assert isinstance(frame, pl.DataFrame)
    by_source: dict[str, SourceRows] = {}
    parts = [_rows_of(frame, place, intake) for place, intake in enumerate(intakes)]
    splits = [split_misfits(whole, intake.expected) for whole, intake in zip(parts, intakes, strict=True)]
    for _, misfits in splits:
        if misfits is not None and misfits.expected.name in filtered:
            raise MalformedRow(misfits.diagnostic)
    for intake, whole, (rows, misfits) in zip(intakes, parts, splits, strict=True):
        files = _files_in(whole, intake)
        seen = Seen(files=files, malformed_lines=_open_among(misfits, files, intake))
        if is_whole:
            check_lines(intake, seen)
        if misfits is not None:
            aside.malformed_rows(misfits)
        near = _near(rows, intake, aside)
        data, largest = _without_punctuations(near, intake)
        elements = _elements(data, intake)
        least: Any = elements[FROM].min()
        malformed = 0 if misfits is None else misfits.rows.height
        ahead = rows.height - near.height
        counts = Seen(
            elements.height, largest, least, malformed=malformed, ahead=ahead, latest=_latest(data, intake)
        )
        by_source[intake.name] = SourceRows(elements, seen + counts)
    return by_source


def split_late(elements: pl.DataFrame, lo: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The elements from lo on, and those before it."""
    is_late = pl.col(FROM) < lo
    if not elements.select(is_late.any()).item():
        return elements, elements.clear()  # the usual case: nothing is copied
    return elements.filter(~is_late), elements.filter(is_late)


def check_lines(intake: Intake, seen: Seen) -> None:
    """Raise EngineError for a line of CSV that is cut in a quoted field, and not malformed."""
    malformed = set(seen.malformed_lines)
    for path in seen.files:
        quoting = quoting_of(path, intake.reader)
        for number, line in open_lines(path, quoting) if quoting is not None else ():
            if line not in malformed:
                raise EngineError(cut_field(intake.name, f"{path}:{number}", line))


def _files_in(rows: pl.DataFrame, intake: Intake) -> tuple[str, ...]:
    if intake.kind != "csv" or FILE not in rows.columns:
        return ()
    return tuple(map(file_name, rows[FILE].drop_nulls().unique(maintain_order=True)))


def _open_among(misfits: Misfits | None, files: Sequence[str], intake: Intake) -> tuple[str, ...]:
    """The malformed rows of CSV that end inside of quotes."""
    quoting = quoting_of(files[0], intake.reader) if files else None
    if misfits is None or quoting is None or RAW not in misfits.rows.columns:
        return ()
    return tuple(line for line in misfits.rows[RAW].drop_nulls() if quoting.is_open(line))


def _rows_of(frame: pl.DataFrame, place: int, intake: Intake) -> pl.DataFrame:
    """The rows of one source, with the names of its columns."""
    if SOURCE not in frame.columns:
        return frame
    rows = frame.filter(pl.col(SOURCE) == place)
    rows = rows.rename({f"{place}@{name}": name for name in intake.read})
    if UNDECODED in frame.columns:
        rows = rows.with_columns(pl.col(UNDECODED).str.strip_prefix(f"{place}@"))
    return rows


def _near(rows: pl.DataFrame, intake: Intake, aside: Aside) -> pl.DataFrame:
    """The rows that are not too far ahead of the clock; the others are set aside."""
    if intake.max_ahead is None:
        return rows
    is_far = pl.col(AHEAD).fill_null(False)
    far = rows.filter(is_far)
    if far.height:
        aside.ahead_rows(intake.name, far.select(TIME, *intake.read))
    return rows.filter(~is_far)


def _without_punctuations(rows: pl.DataFrame, intake: Intake) -> tuple[pl.DataFrame, int | None]:
    """The rows that are data, and the largest time: of punctuations where the source has them."""
    punctuations = rows
    if intake.punctuation is not None:
        is_one = pl.col(PUNCTUATION).fill_null(False)
        punctuations, rows = rows.filter(is_one), rows.filter(~is_one)
    largest: Any = punctuations[TIME].max()
    return rows, largest


def _latest(rows: pl.DataFrame, intake: Intake) -> tuple[int, ...]:
    """The latest times, where the watermark follows them."""
    return () if intake.read_ahead is None else tuple(rows[TIME].top_k(intake.read_ahead + 1))


def _elements(rows: pl.DataFrame, intake: Intake) -> pl.DataFrame:
    types = dict(intake.source.plan.schema)
    schema = frame_schema(intake.source.plan.schema)
    row = {name: kind for name, kind in schema.items() if not name.startswith("@")}
    columns = [
        in_order((pl.col(name) if name in intake.read else pl.lit(None)).cast(kind), types[name]).alias(name)
        for name, kind in row.items()
    ]
    end = pl.lit(INFINITY, pl.Int64) if intake.until is None else pl.col(UNTIL).fill_null(INFINITY)
    times = [pl.col(TIME).cast(pl.Int64).alias(FROM), end.cast(pl.Int64).alias(TO)]
    tags = [] if intake.ops is None else [pl.col(relations.OP), *_order(intake)]
    return rows.select(*columns, *times, pl.lit(1, pl.Int64).alias(N), *tags)


def _order(intake: Intake) -> list[pl.Expr]:
    """The order of changes of one instant, and the piece within which the order of rows counts."""
    rank = pl.lit(0) if intake.sequence is None else pl.col(relations.RANK)
    by_itself = pl.lit(0) if intake.is_ordered else pl.lit(None)
    piece = by_itself if intake.kind is None else pl.col(relations.PIECE)
    return [rank.cast(pl.Int64).alias(relations.RANK), piece.cast(pl.Int64).alias(relations.PIECE)]
