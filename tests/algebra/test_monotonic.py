"""What is known never to lose a row, and what is not."""

from __future__ import annotations

import pytest

from slackwater import algebra
from slackwater.algebra import Operator, Schema
from slackwater.algebra.monotonic import is_monotonic
from slackwater.algebra.types import INT
from slackwater.base.time import INFINITY

STREAM = algebra.Stream("S", Schema.of(a=INT))
OTHER = algebra.Relation("T", Schema.of(b=INT), append_only=True)
GROWING = algebra.Range(STREAM, INFINITY)


@pytest.mark.parametrize(
    ("plan", "known"),
    [
        (GROWING, True),
        (algebra.Range(STREAM, 5), False),
        (algebra.Rows(STREAM, INFINITY), True),
        (algebra.Rows(STREAM, INFINITY, within=5), False),
        (algebra.Rows(STREAM, 5), False),
        (algebra.Sliding(STREAM, 5), False),
        (OTHER, True),
        (algebra.Relation("R", Schema.of(a=INT)), False),
        (algebra.Unit(), True),
        (algebra.Product(GROWING, OTHER), True),
        (algebra.Distinct(GROWING), True),
        (algebra.Union(GROWING, GROWING), True),
        (algebra.Intersect(GROWING, GROWING), True),
        (algebra.MaxUnion(GROWING, GROWING), True),
        (algebra.Except(GROWING, GROWING), False),
        (algebra.StrictDifference(GROWING, GROWING), False),
        (algebra.Aggregate(GROWING, (), ()), False),
        (algebra.Distinct(algebra.Range(STREAM, 5)), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_monotonic_is_a_promise(plan: Operator, known: bool) -> None:
    assert is_monotonic(plan) is known
