"""The row groups of a batch's files, divided over scan tasks.

S  a.parquet   0 1 2 │ 3 4       each task has about as many rows as the others,
S  b.parquet         │ 0         and they are in the order of the files
U  c.parquet         │ 0 │ 1 2
   task          0   │ 1 │  2
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import pyarrow as pa

from slackwater.run.input.feeds import Feed
from slackwater.run.input.intake import Intake
from slackwater.run.input.plain_files import LeftToSpark, files_by_feed, opened, read_groups

LEAST_ROWS = 20_000
"""A task takes longer to start than to read fewer rows than these."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some row groups of a file."""

    source: int
    """The place of its source in the plan."""
    path: str
    groups: tuple[int, ...]


Share = tuple[Piece, ...]
"""What one task reads."""


@dataclass(frozen=True, slots=True)
class Group:
    source: int
    path: str
    number: int
    rows: int


def shares_of(
    feeds: Sequence[Feed], places: Sequence[int], files: Sequence[str], most: int
) -> list[Share] | None:
    """The shares of at most so many tasks in a batch; None where Spark has to read it.

    The places are those of the feeds in the plan.
    """
    own = files_by_feed(feeds, files)
    if own is None:
        return None
    try:
        groups = [
            group
            for feed, place, paths in zip(feeds, places, own, strict=True)
            for path in paths
            for group in _groups(feed.intake, place, path)
        ]
    except LeftToSpark:
        return None
    return divided(groups, most)


def _groups(intake: Intake, source: int, path: str) -> list[Group]:
    with opened(intake, path) as file:
        facts = file.metadata
        return [
            Group(source, path, number, facts.row_group(number).num_rows)
            for number in range(facts.num_row_groups)
        ]


def divided(groups: Sequence[Group], most: int) -> list[Share]:
    """The groups in their order, divided by the rows before the middle of each; at least one share."""
    total = max(1, sum(group.rows for group in groups))
    count = max(1, min(most, len(groups), total // LEAST_ROWS))
    shares: list[list[Group]] = [[] for _ in range(count)]
    before = 0
    for group in groups:
        shares[min(count - 1, (2 * before + group.rows) * count // (2 * total))].append(group)
        before += group.rows
    return [_share(share) for share in shares if share] or [()]


def _share(groups: Sequence[Group]) -> Share:
    by_file = groupby(groups, lambda group: (group.source, group.path))
    return tuple(
        Piece(source, path, tuple(group.number for group in of_file)) for (source, path), of_file in by_file
    )


def read_share(intakes: Sequence[Intake], share: Share, most_rows: int) -> Iterator[tuple[int, pa.Table]]:
    """The rows of a share, by the place of their source, about so many at a time; raises LeftToSpark."""
    for source, pieces in groupby(share, lambda piece: piece.source):
        held: list[pa.Table] = []
        for piece in pieces:
            for table in read_groups(intakes[source], piece.path, piece.groups, most_rows):
                held.append(table)
                if sum(part.num_rows for part in held) >= most_rows:
                    yield source, pa.concat_tables(held)
                    held = []
        if held:
            yield source, pa.concat_tables(held)
