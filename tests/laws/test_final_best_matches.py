"""FINAL: of all pairs of rows that ever come, the best of each row, when its partners are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import catalog, inputs
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_workers_are_the_driver import outcome, partitions
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

Element = tuple[int, tuple]
Value = Callable[[Element, Element], int | None]


class Dimension(NamedTuple):
    """A dimension in CQL and in Python; the sign is -1 for MAX."""

    cql: str
    value: Value
    sign: int = 1
    bound: int | None = None


def _apart(x: int | None, y: int | None) -> int | None:
    return None if x is None or y is None else abs(x - y)


def _time(bound: int) -> Dimension:
    return Dimension(f"(ABS(S.TS - T.TS)) MIN {bound}", lambda r, s: abs(r[0] - s[0]), 1, bound)


OTHERS = (
    Dimension("(ABS(S.a - T.a)) MIN", lambda r, s: _apart(r[1][0], s[1][0])),
    Dimension("(ABS(T.a - S.b)) MIN 2", lambda r, s: _apart(r[1][1], s[1][0]), 1, 2),
    Dimension("(T.a) MAX", lambda r, s: s[1][0], -1),
    Dimension("(GREATEST(S.TS, T.TS)) MAX", lambda r, s: max(r[0], s[0]), -1),
)


class Final(NamedTuple):
    side: str
    reach: int
    dimensions: list[Dimension]
    keep: bool
    in_condition: bool
    """Whether the time between the rows is bounded by a condition, and no dimension."""

    @property
    def cql(self) -> str:
        dimensions = ", ".join(one.cql for one in self.dimensions)
        on = f" AND ABS(T.TS - S.TS) <= {self.reach}" if self.in_condition else ""
        keep = " KEEP UNMATCHED" if self.keep else ""
        joined = f"S {self.side} OUTER BESTMATCH JOIN T ON {dimensions}{on}{keep}"
        return f"SELECT FINAL(S.TS AS ts, S.a, S.b, T.TS AS u, T.a AS c) FROM {joined}"


@st.composite
def finals(draw: st.DrawFn) -> Final:
    reach, in_condition = draw(st.integers(0, 4)), draw(st.booleans())
    others = draw(st.lists(st.sampled_from(OTHERS), min_size=in_condition, max_size=3))
    time = [] if in_condition else [_time(reach)]
    side = draw(st.sampled_from(["LEFT", "RIGHT", "FULL"]))
    return Final(side, reach, draw(st.permutations([*time, *others])), draw(st.booleans()), in_condition)


def elements(changes: Changes) -> list[Element]:
    return [(t, row) for t, bag in changes.items() for row, copies in bag.items() for _ in range(copies)]


def emitted(final: Final, data: dict[str, Changes]) -> Counter[tuple]:
    """(instant, row) of each pair, by the definition."""
    left, right = elements(data["S"]), elements(data["T"])
    worth = {
        (i, j): values
        for i, r in enumerate(left)
        for j, s in enumerate(right)
        if abs(r[0] - s[0]) <= final.reach and (values := _values(final, r, s)) is not None
    }
    result: Counter[tuple] = Counter()
    for (i, j), values in worth.items():
        rivals_of_r = [other for (k, _), other in worth.items() if k == i]
        rivals_of_s = [other for (_, k), other in worth.items() if k == j]
        instants = []
        if final.side != "RIGHT" and not any(_beats(other, values) for other in rivals_of_r):
            instants.append(left[i][0])
        if final.side != "LEFT" and not any(_beats(other, values) for other in rivals_of_s):
            instants.append(right[j][0])
        if instants:
            result[min(instants) + final.reach, *_row(left[i], right[j])] += 1
    if final.keep and final.side != "RIGHT":
        for i in set(range(len(left))) - {i for i, _ in worth}:
            result[left[i][0] + final.reach, *_row(left[i], None)] += 1
    if final.keep and final.side != "LEFT":
        for j in set(range(len(right))) - {j for _, j in worth}:
            result[right[j][0] + final.reach, *_row(None, right[j])] += 1
    return result


def _values(final: Final, r: Element, s: Element) -> list[int] | None:
    """The values of a candidate, less is better; None for a pair that is none."""
    values: list[int] = []
    for one in final.dimensions:
        value = one.value(r, s)
        if value is None or (one.bound is not None and value > one.bound):
            return None
        values.append(value * one.sign)
    return values


def _beats(one: list[int], other: list[int]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def _row(r: Element | None, s: Element | None) -> tuple:
    own = (None, None, None) if r is None else (r[0], r[1][0], r[1][1])
    return (*own, *((None, None) if s is None else (s[0], s[1][0])))


def stamped(changes: Changes) -> Counter[tuple]:
    return Counter({(t, *row): n for t, bag in changes.items() for row, n in bag.items()})


@trying(100)
@given(finals(), inputs, cuts, partitions)
def test_every_row_has_its_best_pairs_once(
    final: Final, data: dict[str, Changes], at: list[int], count: int
) -> None:
    plan = bind_query(Text("<query>", final.cql), catalog()).plan
    expected = emitted(final, data)
    assert stamped(Histories(data).changes(plan)) == expected, final.cql
    assert stamped(ran(optimized(plan), data, at)) == expected, final.cql
    answer = outcome(optimized(plan), data, at, [count] * 8, False)
    assert isinstance(answer, dict)
    assert stamped(answer) == expected, final.cql
