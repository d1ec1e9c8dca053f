"""Row patterns by their definition: all matches from a start, in the order in which they are preferred.

A search that needs a row after the instant it is made at is `Undecided`: the row could come later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from slackwater import algebra
from slackwater.algebra.errors import endless_skip
from slackwater.algebra.expressions import Column, Expression
from slackwater.algebra.patterns import Choice, Pattern, Read, Reading, Repeated, Sequence, Skip, Variable
from slackwater.algebra.schema import Schema
from slackwater.base.diagnostic import Bug, EngineError
from slackwater.base.time import INFINITY
from slackwater.reference.aggregates import make_accumulator
from slackwater.reference.bags import Changes, Row, record
from slackwater.reference.windows import in_order

Value = Callable[[Expression, Schema], Callable[[Row], Any]]
Mapping = tuple[str, ...]
"""The variables of the rows of a match, from its first row on."""


class Undecided(Exception):
    """The search needs a row that may still come."""


def recognized(plan: algebra.Recognize, stream: Changes, value: Value, last: int) -> Changes:
    """The matches that are decided up to the instant `last`, by the instants at which they are."""
    key = [plan.source.schema.index(name) for name in plan.partition]
    partitions: dict[Row, list[tuple[int, Row]]] = {}
    for u, row in in_order(stream):
        partitions.setdefault(tuple(row[at] for at in key), []).append((u, row))
    result: Changes = {}
    for part, rows in partitions.items():
        for t, measures in _Partition(plan, rows, value).matches(last):
            record(result, t, part + measures, 1)
    return dict(sorted(result.items()))


class _Partition:
    """The rows of a partition, in order."""

    def __init__(self, plan: algebra.Recognize, rows: list[tuple[int, Row]], value: Value) -> None:
        self.plan, self.rows, self.value = plan, rows, value
        self.conditions = {name: value(condition, plan.context) for name, condition in plan.conditions}
        self.measures = [value(measure, plan.context) for _, measure in plan.measures]

    def matches(self, last: int) -> Iterator[tuple[int, Row]]:
        start, number, t = 0, 1, self.rows[0][0]
        while start < len(self.rows):
            first = self.rows[start][0]
            ends = [first + self.plan.within - 1] if self.plan.within < INFINITY else []
            earliest = max(first, t)
            later = {u for u in (*(u for u, _ in self.rows), *ends) if u > earliest}
            for t in (earliest, *sorted(later)):
                try:
                    mapping = next(self._all(start, number, t), None)
                    break
                except Undecided:
                    continue
            else:
                return
            if t > last:
                return
            if mapping is None:
                start += 1
                continue
            yield (
                t,
                tuple(
                    measure(self._context(expr, start, mapping, number))
                    for (_, expr), measure in zip(self.plan.measures, self.measures, strict=True)
                ),
            )
            start, number = self._next(start, mapping), number + 1

    def _all(self, start: int, number: int, t: int) -> Iterator[Mapping]:
        """All matches from a start, the preferred one first, among the rows up to t."""
        known = [row for row in self.rows if row[0] <= t]
        first = self.rows[start][0]

        def search(pattern: Pattern, mapping: Mapping) -> Iterator[Mapping]:
            match pattern:
                case Variable(name):
                    place = start + len(mapping)
                    if place >= len(known):
                        if t < first + self.plan.within - 1:
                            raise Undecided
                        return
                    if known[place][0] - first >= self.plan.within:
                        return
                    longer = (*mapping, name)
                    if name not in self.conditions or self._holds(name, start, longer, number):
                        yield longer
                case Sequence(parts):
                    if not parts:
                        yield mapping
                        return
                    for longer in search(parts[0], mapping):
                        yield from search(Sequence(parts[1:]), longer)
                case Choice(parts):
                    for part in parts:
                        yield from search(part, mapping)
                case Repeated():
                    yield from repeated(pattern, mapping, 0)

        def repeated(pattern: Repeated, mapping: Mapping, times: int) -> Iterator[Mapping]:
            def more() -> Iterator[Mapping]:
                if pattern.most is None or times < pattern.most:
                    for longer in search(pattern.part, mapping):
                        # An empty repetition beyond the least number of them changes nothing.
                        if len(longer) > len(mapping) or times < pattern.least:
                            yield from repeated(pattern, longer, times + 1)

            if pattern.reluctant:
                if times >= pattern.least:
                    yield mapping
                yield from more()
            else:
                yield from more()
                if times >= pattern.least:
                    yield mapping

        return (mapping for mapping in search(self.plan.pattern, ()) if mapping)

    def _holds(self, name: str, start: int, mapping: Mapping, number: int) -> bool:
        condition = dict(self.plan.conditions)[name]
        return self.conditions[name](self._context(condition, start, mapping, number)) is True

    def _context(self, expr: Expression, start: int, mapping: Mapping, number: int) -> Row:
        """What a condition or measure looks at, after the rows of the mapping."""
        names = {part.name for part in expr.walk() if isinstance(part, Column)}
        return tuple(
            self._read(read, start, mapping, number) if name in names else None
            for name, read in self.plan.reads
        )

    def _read(self, read: Read, start: int, mapping: Mapping, number: int) -> Any:
        places = [start + at for at, name in enumerate(mapping) if read.variable in ("", name)]
        match read.reading:
            case Reading.NUMBER:
                return number
            case Reading.CLASSIFIER:
                return mapping[-1] if mapping else None
            case Reading.AGGREGATE:
                assert read.aggregation is not None
                accumulator = make_accumulator(read.aggregation)
                for place in places:
                    argument = read.aggregation.argument
                    accumulator.add(True if argument is None else self._value(argument, place), 1)
                return accumulator.value()
            case Reading.FIRST | Reading.LAST:
                if read.reading is Reading.LAST:
                    places.reverse()
                if read.offset >= len(places):
                    return None
                assert read.value is not None
                place = places[read.offset] - read.before
                return self._value(read.value, place) if place >= 0 else None
        raise Bug(f"no reading {read.reading}")

    def _value(self, expr: Expression, place: int) -> Any:
        return self.value(expr, self.plan.source.schema)(self.rows[place][1])

    def _next(self, start: int, mapping: Mapping) -> int:
        match self.plan.skip:
            case Skip.PAST_LAST:
                return start + len(mapping)
            case Skip.TO_NEXT:
                return start + 1
        places = [at for at, name in enumerate(mapping) if name == self.plan.target]
        at = (places[0] if self.plan.skip is Skip.TO_FIRST else places[-1]) if places else 0
        if not at:
            raise EngineError(endless_skip(self.plan.origin, self.plan.target))
        return start + at
