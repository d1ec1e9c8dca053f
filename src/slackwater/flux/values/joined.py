"""Concatenated sequences without a list of all their items: `(1 to 3000000000, 5)`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import TypeVar, overload

from slackwater.flux.values.errors import too_long

T = TypeVar("T", covariant=True)
LONG = 10_000
"""Shorter ranges become lists, which are faster."""


class Joined(Sequence[T]):
    """The items of the parts, in order; an index is looked up in its part."""

    def __init__(self, parts: Sequence[Sequence[T]]) -> None:
        self.parts = parts
        self._ends = [*accumulate(map(len, parts))]
        if self._ends[-1] > sys.maxsize:
            raise too_long()

    def __len__(self) -> int:
        return self._ends[-1]

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self.parts)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return self._sliced(*place.indices(len(self)))
        at = range(len(self))[place]
        number = next(number for number, end in enumerate(self._ends) if at < end)
        return self.parts[number][at - self._ends[number] + len(self.parts[number])]

    def _sliced(self, start: int, stop: int, step: int) -> Sequence[T]:
        if step < 0:
            backwards = Joined([part[::-1] for part in reversed(self.parts)])
            last = len(self) - 1
            return backwards._sliced(last - start, last - stop, -step)
        if step != 1:
            return [self[at] for at in range(start, stop, step)]
        begins = [0, *self._ends]
        return joined(
            [
                part[max(0, start - begin) : max(0, stop - begin)]
                for begin, part in zip(begins, self.parts, strict=False)
            ]
        )


def joined(parts: Sequence[Sequence[T]]) -> Sequence[T]:
    """The parts as one sequence: a list, unless one of them is long and not stored as a list."""
    if any(type(part) is not list and len(part) > LONG for part in parts):
        return Joined([part for part in parts if part])
    return [item for part in parts for item in part]
