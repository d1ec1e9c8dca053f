"""`tagged` checks: the changes of a relation by a key, `u` where a row replaces another.      SyncSQL 2.1

tagged RoomID
time | op | RoomID | Temperature
2    | +  | a      | 105
5    | -  | a      |                 in a row of `-`, cells outside the key may be empty: not compared
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from slackwater.algebra import Operator, Schema
from slackwater.base.diagnostic import Diagnostic
from slackwater.reference.bags import Bag, Changes, Row
from slackwater.testing import errors
from slackwater.testing.case import Check
from slackwater.testing.compare import Difference, bag_differences
from slackwater.testing.tables import fits, instant_of, op_of, row_of

_ANY = "…"
"""In place of a value that is not compared."""


@dataclass(slots=True)
class Tagged:
    """Tagged changes: by instant and op, the rows; the places of the key's columns."""

    key: tuple[int, ...]
    rows: dict[tuple[int, str], Bag] = field(default_factory=dict)

    @property
    def instants(self) -> list[int]:
        return [instant for instant, _ in self.rows]

    def add(self, instant: int, op: str, row: Row, copies: int = 1) -> None:
        bag = self.rows.setdefault((instant, op), {})
        bag[row] = bag.get(row, 0) + copies

    def of_key(self, row: Row) -> tuple[Any, ...]:
        return tuple(row[place] for place in self.key)


def expected_tagged(check: Check, plan: Operator, mistakes: list[Diagnostic]) -> Tagged | None:
    """The tagged changes that a check lists; None, and a diagnostic, where it does not fit the query."""
    before = len(mistakes)
    if not fits(check, plan, mistakes):
        return None
    places = {name.lower(): place for place, name in enumerate(plan.schema.names)}
    for column in check.key:
        if column.content.lower() not in places:
            mistakes.append(errors.unknown_key(column, plan.schema.names))
    if len(mistakes) > before:
        return None
    tagged = Tagged(tuple(places[column.content.lower()] for column in check.key))
    assert check.table is not None
    for cells in check.table.rows:
        time, op = instant_of(cells[0], mistakes), op_of(cells[1], "+-u", mistakes)
        is_blank = [
            op == "-" and place not in tagged.key and not cell.content for place, cell in enumerate(cells[2:])
        ]
        compared = [place for place, blank in enumerate(is_blank) if not blank]
        schema = Schema(tuple(plan.schema.columns[place] for place in compared))
        values = row_of([cells[2 + place] for place in compared], schema, mistakes)
        row = dict(zip(compared, values, strict=True))
        tagged.add(time, op, tuple(row.get(place, _ANY) for place in range(len(plan.schema))))
    return tagged if len(mistakes) == before else None


def tagged_differences(expected: Tagged, changes: Changes) -> list[Difference]:
    """The tagged changes by which an answer differs."""
    actual = Tagged(expected.key)
    for instant, bag in changes.items():
        _tag(actual, instant, bag)
    differences: list[Difference] = []
    for instant, op in sorted({*expected.rows, *actual.rows}):
        expected_rows = expected.rows.get((instant, op), {})
        rows = _blanked(actual, actual.rows.get((instant, op), {}), expected_rows)
        differences += bag_differences(expected_rows, rows, instant, op)
    return differences


def _tag(tagged: Tagged, instant: int, bag: Bag) -> None:
    added = [(row, copies) for row, copies in bag.items() if copies > 0]
    removed = [(row, -copies) for row, copies in bag.items() if copies < 0]
    old, new = ({tagged.of_key(row) for row, _ in side} for side in (removed, added))
    for row, copies in added:
        tagged.add(instant, "u" if tagged.of_key(row) in old else "+", row, copies)
    for row, copies in removed:
        if tagged.of_key(row) not in new:
            tagged.add(instant, "-", row, copies)


def _blanked(tagged: Tagged, rows: Bag, expected_rows: Iterable[Row]) -> Bag:
    """The rows with the values left out that are not compared."""
    masks = {tagged.of_key(row): [value is _ANY for value in row] for row in expected_rows if _ANY in row}
    blanked: Bag = {}
    for row, copies in rows.items():
        mask: Sequence[bool] = masks.get(tagged.of_key(row), [False] * len(row))
        key = tuple(_ANY if hidden else value for value, hidden in zip(row, mask, strict=True))
        blanked[key] = blanked.get(key, 0) + copies
    return blanked
