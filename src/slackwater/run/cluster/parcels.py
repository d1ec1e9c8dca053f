"""Parcels: whole frames as bytes on their way to a partition, and the partition that each row belongs to.

Between tasks Spark moves few large binaries, never a row:

    target | sender | place | what    | content
    2      | 0      | 0     | move 1  | a packed frame: elements for partition 2 of the next stage
    2      | 0      | 1     | seen    | what the sender saw of each source
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

HASHING = f"polars {pl.__version__}"
"""Equal values have equal hashes within this version, in every process; NULLs, NaNs and zeros as one each."""
MOST_ROWS = 1_000_000
"""The most rows in a parcel. A parcel is a row of Spark, which is limited to two gigabytes."""
SCHEMA = pa.schema(
    [
        ("target", pa.int32()),
        ("sender", pa.int64()),
        ("place", pa.int32()),
        ("what", pa.string()),
        ("content", pa.large_binary()),
    ]
)
COLUMNS = "target int, sender long, place int, what string, content binary"
_TARGET = "@target"


@dataclass(frozen=True, slots=True)
class Parcel:
    """A message for a partition of the next stage, or for the driver."""

    target: int
    sender: int
    place: int
    """Its place among the parcels of its sender."""
    what: str
    """What it contains: elements that move, an output, a report, a failure, …"""
    content: bytes

    @property
    def order(self) -> tuple[str, int, int]:
        return self.what, self.sender, self.place


def to_arrow(parcels: Iterable[Parcel]) -> Iterator[pa.RecordBatch]:
    """A batch for each parcel, so that none is too large."""
    for parcel in parcels:
        values = (parcel.target, parcel.sender, parcel.place, parcel.what, parcel.content)
        yield pa.RecordBatch.from_arrays(
            [pa.array([value], kind) for value, kind in zip(values, SCHEMA.types, strict=True)],
            schema=SCHEMA,
        )


def from_arrow(batches: Iterable[pa.RecordBatch]) -> list[Parcel]:
    """The parcels in their order: by what they contain, by sender, and by place."""
    parcels = [
        Parcel(*(column[row].as_py() for column in batch.columns))
        for batch in batches
        for row in range(batch.num_rows)
    ]
    return sorted(parcels, key=lambda parcel: parcel.order)


def target(key: Sequence[str], partitions: int) -> pl.Expr:
    """The partition of the key's values; without a key the first."""
    if not key:
        return pl.lit(0, pl.UInt64)
    # Each column has a seed of its own: XOR alone would send (x, x) to one place for every x.
    mixed = pl.col(key[0]).hash(1)
    for seed, name in enumerate(key[1:], start=2):
        mixed = mixed ^ pl.col(name).hash(seed)
    return mixed % partitions


def split(frame: pl.DataFrame, key: Sequence[str] | None, partitions: int) -> dict[int, pl.DataFrame]:
    """The rows by partition, where it has any; without a key at all, equal slices."""
    if not frame.height:
        return {}
    if partitions == 1 or key == ():
        return {0: frame}
    if key is None:
        size = -(-frame.height // partitions)
        return {at: frame.slice(at * size, size) for at in range(-(-frame.height // size))}
    where = frame.select(target(key, partitions).cast(pl.Int32).alias(_TARGET)).to_series()
    parts = frame.with_columns(where).partition_by(_TARGET, as_dict=True, include_key=False)
    return {int(at): part for (at,), part in parts.items()}
