"""A scan task: the rows of one partition of a batch become elements, and move to where they are needed.

    rows as Arrow ─► elements, by source ─► steps beside the sources ─► parcels, by the hash of a key
                     └ late and malformed rows are set aside here        └ what was seen, to every partition

The rows are those that Spark has read, or row groups of Parquet files that the task reads itself.

Independent of Spark; workers and tests call it.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace

import polars as pl
import pyarrow as pa

from slackwater.base.diagnostic import SlackwaterError
from slackwater.kernels.machine import read_beside
from slackwater.kernels.partial import outgoing
from slackwater.physical.stages.plan import BESIDE_SOURCES, Move
from slackwater.run.cluster.job import Job
from slackwater.run.cluster.packing import packed
from slackwater.run.cluster.parcels import MOST_ROWS, Parcel, split
from slackwater.run.input.intake import Seen, split_late, take_in
from slackwater.run.input.row_groups import Share, read_share
from slackwater.run.watermarks import clocked

SEEN, FAILURE = "seen", "failure"
CHUNK = 500_000
"""How many rows a scan turns into parcels at a time: its memory does not grow with its partition."""
SCANS = 1 << 32
"""The senders of a scan are numbered from this many times its place among the scans."""


def scan_rows(
    job: Job, sources: Sequence[int], sender: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[Parcel]:
    """The parcels of a partition of a batch of Spark's, with rows of the sources at these places."""
    return _scan(job, sender, ((sources, table) for table in _chunks(batches)))


def scan_files(job: Job, share: Share, sender: int) -> Iterator[Parcel]:
    """The parcels of row groups that are read here."""
    tables = read_share(job.plan.intakes, share, CHUNK)
    return _scan(job, sender, (([source], table) for source, table in tables))


def _scan(job: Job, sender: int, tables: Iterable[tuple[Sequence[int], pa.Table]]) -> Iterator[Parcel]:
    """The parcels of rows of sources at some places."""
    seen: dict[str, Seen] = {}
    place = 0
    try:
        for number, (sources, table) in enumerate(tables):
            frames = _elements(job, sources, part_name(sender, number), table, seen)
            for parcel in move_in(job, frames, sender, place):
                place += 1
                yield parcel
    except SlackwaterError as error:
        # To all of them: no stage computes anything from a part of the rows.
        for target in range(job.partitions):
            yield failure(target, sender, BESIDE_SOURCES, error)
    yield from saw(job, sender, seen)


def _elements(
    job: Job, sources: Sequence[int], part: str, table: pa.Table, seen: dict[str, Seen]
) -> dict[str, pl.DataFrame]:
    """The elements of a part of the rows, by source, without late ones; notes what was seen."""
    plan = job.plan
    assert plan.aside is not None
    aside = replace(plan.aside, number=job.number, part=part)
    frames: dict[str, pl.DataFrame] = {}
    intakes = [plan.intakes[at] for at in sources]
    times = {time.name: time for time in job.times}
    for name, rows in take_in(table, intakes, aside, is_whole=False, filtered=job.filtered).items():
        elements, late = split_late(clocked(rows.elements, times[name]), job.lo)
        if late.height:
            aside.set_aside(job.number, name, late)
        seen[name] = seen.get(name, Seen()) + replace(rows.seen, late=late.height)
        frames[name] = elements
    return frames


def part_name(sender: int, chunk: int) -> str:
    """Part of the name of a file of rows that a scan sets aside; names are in the order of the rows."""
    return f"-{sender // SCANS}-{sender % SCANS:06d}-{chunk:06d}"


def _chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(part.num_rows for part in held) >= CHUNK:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def move_in(job: Job, frames: Mapping[str, pl.DataFrame], sender: int, place: int = 0) -> Iterator[Parcel]:
    """The parcels of elements of sources, after the steps beside them."""
    stages = job.plan.stages
    beside = read_beside(stages, frames)
    moves = [move for move in stages.entries if job.plan.adds_up or move.sums_for is None]
    for move, frame in outgoing(stages, moves, beside):
        for parcel in send(job, frame, move, sender, place):
            place += 1
            yield parcel


def send(
    job: Job, frame: pl.DataFrame, move: Move, sender: int, place: int, here: int | None = None
) -> Iterator[Parcel]:
    """The parcels of a frame; without a key they stay `here`, where that is a partition."""
    what = what_moves(job, move)
    for targets, share in _shares(job, frame, move, here):
        for rows in share.iter_slices(MOST_ROWS):
            content = packed(rows)
            for target in targets:
                yield Parcel(target, sender, place, what, content)
                place += 1


def _shares(
    job: Job, frame: pl.DataFrame, move: Move, here: int | None
) -> list[tuple[Sequence[int], pl.DataFrame]]:
    """The rows for some partitions each."""
    if not frame.height:
        return []
    if move.is_broadcast:
        return [(range(job.partitions), frame)]
    if move.key is None and here is not None:
        return [([here], frame)]
    return [([target], share) for target, share in split(frame, move.key, job.partitions).items()]


def what_moves(job: Job, move: Move) -> str:
    return f"move {job.plan.stages.moves.index(move)}"


def saw(job: Job, sender: int, seen: Mapping[str, Seen]) -> Iterator[Parcel]:
    """What a scan saw, for every partition of the first stage."""
    content = json.dumps({name: astuple(of_source) for name, of_source in seen.items()}).encode()
    for target in range(job.partitions):
        yield Parcel(target, sender, 0, SEEN, content)


def failure(target: int, sender: int, stage: int, error: SlackwaterError) -> Parcel:
    """The failure of a task; its place is the stage, since failures of later stages may follow from it."""
    return Parcel(target, sender, stage, FAILURE, pickle.dumps(error))
