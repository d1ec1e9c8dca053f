"""OVER at one instant: the rows of each partition, in order, and what each function says of each row."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from slackwater import algebra
from slackwater.algebra.expressions import Column
from slackwater.algebra.expressions.over import Frame, Framed, OverCall, Placed, SortKey, Unit
from slackwater.algebra.schema import Schema
from slackwater.reference.aggregates import make_accumulator
from slackwater.reference.bags import Bag, Row, add
from slackwater.reference.casts import EXACT
from slackwater.reference.comparison import as_timestamp
from slackwater.reference.values import row_key, sort_key


def over(plan: algebra.Over, source: Bag) -> Bag:
    """Each row with the values of the calls, and only the rows within the limit."""
    schema = plan.source.schema
    indexes = [schema.index(name) for name in plan.partition]
    partitions: dict[Row, list[Row]] = {}
    for row, copies in source.items():
        rows = partitions.setdefault(tuple(row[index] for index in indexes), [])
        rows.extend([row] * copies)
    result: Bag = {}
    for rows in partitions.values():
        partition = Partition(schema, plan.order, in_order(rows, schema, plan.order))
        for place, row in enumerate(partition.rows):
            values = {name: partition.value(call, place) for name, call in plan.calls}
            if plan.limit is None or values[plan.limit[0]] <= plan.limit[1]:
                add(result, row + tuple(values.values()), 1)
    return result


def in_order(rows: list[Row], schema: Schema, order: tuple[SortKey, ...]) -> list[Row]:
    """The rows sorted by the order and, where that does not tell them apart, by all columns."""
    ordered = sorted(rows, key=row_key)
    for key in reversed(order):
        index = schema.index(key.column)
        # Sorting is stable, also in reverse.
        ordered.sort(key=lambda row: sort_key(row[index]), reverse=key.descending)
        ordered.sort(key=lambda row: (row[index] is None) != key.nulls_first)
    return ordered


class Partition:
    """The rows of a partition, in order."""

    def __init__(self, schema: Schema, order: tuple[SortKey, ...], rows: list[Row]) -> None:
        self.rows = rows
        self._schema = schema
        self._order = order
        indexes = [schema.index(key.column) for key in order]
        self._keys = [row_key(tuple(row[index] for index in indexes)) for row in rows]

    def value(self, call: OverCall, place: int) -> Any:
        """The value of a call for the row at a place."""
        if isinstance(call, Placed):
            return _FUNCTIONS[call.function](self, call, place)
        return self._aggregate(call, place)

    def _aggregate(self, call: Framed, place: int) -> Any:
        aggregation = call.aggregation
        accumulator = make_accumulator(aggregation)
        for row in self.frame(call.frame, place):
            value = True if aggregation.argument is None else self.column(aggregation.argument, row)
            accumulator.add(value, 1)
        return accumulator.value()

    def column(self, column: Any, place: int) -> Any:
        assert isinstance(column, Column)
        return self.rows[place][self._schema.index(column.name)]

    def peers(self, place: int) -> range:
        """The rows that the order does not tell apart from the row at a place."""
        equal = [other for other, key in enumerate(self._keys) if key == self._keys[place]]
        return range(equal[0], equal[-1] + 1)

    def groups_before(self, place: int) -> int:
        """How many groups of peers come before the row's."""
        return len(set(self._keys[: self.peers(place).start]))

    def frame(self, frame: Frame, place: int) -> range:
        """The places of the rows of the frame of the row at a place."""
        count = len(self.rows)
        start = 0 if frame.start is None else self._start(frame.unit, frame.start.value, place)
        end = count if frame.end is None else self._end(frame.unit, frame.end.value, place)
        return range(max(start, 0), min(end, count))

    def _start(self, unit: Unit, distance: Any, place: int) -> int:
        if unit is Unit.ROWS:
            return place + int(distance)
        if not distance:
            return self.peers(place).start
        key = self._order[0]
        value = self._moved(place, distance)
        others = (other for other in range(len(self.rows)) if not _precedes(self._at(other), value, key))
        return next(others, len(self.rows))

    def _end(self, unit: Unit, distance: Any, place: int) -> int:
        """The place after the last row."""
        if unit is Unit.ROWS:
            return place + int(distance) + 1
        if not distance:
            return self.peers(place).stop
        key = self._order[0]
        value = self._moved(place, distance)
        others = (other for other in range(len(self.rows)) if _precedes(value, self._at(other), key))
        return next(others, len(self.rows))

    def _at(self, place: int) -> Any:
        """The value that rows are ordered by."""
        return as_timestamp(self.rows[place][self._schema.index(self._order[0].column)])

    def _moved(self, place: int, distance: Any) -> Any:
        """The value at a distance from the row's, in the direction of the order; NULL stays NULL."""
        value = self._at(place)
        if value is None:
            return None
        return moved(value, -distance if self._order[0].descending else distance)


def _precedes(one: Any, other: Any, key: SortKey) -> bool:
    """Whether a value comes before another one in the order."""
    if one is None or other is None:
        return one is not other and (one is None) == key.nulls_first
    return sort_key(one) > sort_key(other) if key.descending else sort_key(one) < sort_key(other)


def moved(value: Any, distance: Any) -> Any:
    """The sum; beyond the first and last timestamp, these."""
    if isinstance(value, Decimal):
        return EXACT.add(value, Decimal(distance))
    if isinstance(value, date):
        try:
            return value + distance
        except OverflowError:
            return datetime.max if distance.days > 0 else datetime.min
    return value + distance


def _neighbour(partition: Partition, call: Placed, places: range) -> Any:
    """The argument of the n-th of these rows, counting those that are not NULL if only these count."""
    for place in _counting(partition, call, places)[call.count - 1 : call.count]:
        return partition.column(call.argument, place)
    return None


def _counting(partition: Partition, call: Placed, places: range) -> list[int]:
    if not call.ignore_nulls:
        return list(places)
    return [place for place in places if partition.column(call.argument, place) is not None]


def _shifted(partition: Partition, call: Placed, place: int, before: range, after: range) -> Any:
    """The row n rows away among those before it, or if n is negative among those after it."""
    places = before if call.count >= 0 else after
    if call.count == 0:
        return partition.column(call.argument, place)
    counting = _counting(partition, call, places)
    distance = abs(call.count)
    if distance <= len(counting):
        return partition.column(call.argument, counting[distance - 1])
    return None if call.default is None else partition.column(call.default, place)


def _before(place: int) -> range:
    return range(place - 1, -1, -1)


def _lag(partition: Partition, call: Placed, place: int) -> Any:
    after = range(place + 1, len(partition.rows))
    return _shifted(partition, call, place, _before(place), after)


def _lead(partition: Partition, call: Placed, place: int) -> Any:
    after = range(place + 1, len(partition.rows))
    return _shifted(partition, call, place, after, _before(place))


def _tile(partition: Partition, call: Placed, place: int) -> int:
    """The first parts have one row more where the rows cannot be divided evenly."""
    size, larger = divmod(len(partition.rows), call.count)
    if place < larger * (size + 1):
        return place // (size + 1) + 1
    return larger + (place - larger * (size + 1)) // size + 1


def _percent_rank(partition: Partition, call: Placed, place: int) -> float:
    others = len(partition.rows) - 1
    return partition.peers(place).start / others if others else 0.0


def _last_value(partition: Partition, call: Placed, place: int) -> Any:
    return _neighbour(partition, call, partition.frame(call.frame, place)[::-1])


def _nth_value(partition: Partition, call: Placed, place: int) -> Any:
    return _neighbour(partition, call, partition.frame(call.frame, place))


_FUNCTIONS: dict[str, Callable[[Partition, Placed, int], Any]] = {
    "row_number": lambda partition, call, place: place + 1,
    "rank": lambda partition, call, place: partition.peers(place).start + 1,
    "dense_rank": lambda partition, call, place: partition.groups_before(place) + 1,
    "percent_rank": _percent_rank,
    "cume_dist": lambda partition, call, place: partition.peers(place).stop / len(partition.rows),
    "ntile": _tile,
    "lag": _lag,
    "lead": _lead,
    "first_value": _nth_value,
    "last_value": _last_value,
    "nth_value": _nth_value,
}
