"""Which best matches are as-of joins; bestmatch-nearest.cqt has where the nearest is not the best."""

from __future__ import annotations

import pytest

from slackwater.algebra import BestMatch, Kind
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.optimize import optimized
from slackwater.optimize.facts.distances import are_searched
from slackwater.physical import steps
from slackwater.physical.explain.words import node_described
from slackwater.physical.lower import lowered

DECLARED = """
CREATE RELATION R (a INT, v INT, c STRING, t TIMESTAMP);
CREATE RELATION S (a INT, v INT, c STRING, t TIMESTAMP);
"""


@pytest.mark.parametrize(
    ("on", "is_as_of", "is_searched"),
    [
        ("(ABS(r.a - s.a)) MIN", True, True),
        ("(ABS(s.a - r.a - 1)) MIN 3", False, False),
        ("(ABS(s.a - (r.a + 1))) MIN 3", True, True),
        ("(ABS(r.a - s.a)) MIN AND r.c = s.c", True, True),
        ("(ABS(r.a - s.a)) MIN AND r.v < s.v", False, False),
        ("(ABS(r.a - s.a)) MIN, (ABS(r.v - s.v)) MIN", False, True),
        ("(ABS(r.a - s.a)) MIN, (s.v) MAX", False, False),
        ("(ABS(r.a - r.v)) MIN", False, False),
        ("(ABS(r.a - s.a)) MAX", False, False),
        ("(ABS(r.t - s.t)) MIN", False, False),
    ],
)
def test_one_distance_is_an_as_of_join(on: str, is_as_of: bool, is_searched: bool) -> None:
    known = Catalog()
    bind(Text("declared", DECLARED), known)
    text = f"SELECT r.a, s.a AS b FROM R r LEFT OUTER BESTMATCH JOIN S s ON {on}"
    plan = optimized(bind_query(Text("query", text), known, Kind.RELATION).plan)
    [best] = [below for below in plan.walk() if isinstance(below, BestMatch)]
    assert are_searched(best) == is_searched
    graph = lowered({"answer": plan})
    [place] = [at for at, node in enumerate(graph.nodes) if isinstance(node.step, steps.BestMatch)]
    assert node_described(graph, place).endswith(", as an as-of join") == is_as_of
