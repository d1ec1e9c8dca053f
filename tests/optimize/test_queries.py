"""Every query of the .cqt files: unnested by the optimizer, and with the answers worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from slackwater.algebra.expressions import Outer, Subquery
from slackwater.algebra.operator import Operator
from slackwater.base.span import Text
from slackwater.engines.engine import Reference
from slackwater.optimize import optimized
from slackwater.reference.bags import Changes
from slackwater.testing.case import Case
from slackwater.testing.cqt import parse
from slackwater.testing.report import report
from slackwater.testing.runner import run

QUERIES = Path(__file__).parents[1] / "queries"


class Optimized:
    """The reference evaluator on optimized plans."""

    name = "optimized"

    def run(
        self, plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None = None
    ) -> Changes:
        better = optimized(plan)
        nodes = (node for below in better.walk() for expr in below.expressions for node in expr.walk())
        assert not any(isinstance(node, Subquery | Outer) for node in nodes)
        return Reference().run(better, inputs, cuts, until)


@pytest.mark.parametrize("path", sorted(QUERIES.rglob("*.cqt")), ids=lambda path: path.stem)
def test_optimizing_leaves_no_subquery_and_changes_no_answer(path: Path) -> None:
    cases: list[Case] = parse(Text(path.name, path.read_text(encoding="utf-8")))
    for case in cases:
        outcome = run(case, [Optimized()], seed=0)
        assert outcome.passed, report(outcome)
