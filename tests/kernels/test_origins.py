"""An error of the data points into the text of its own program, not into that of an equal one."""

from __future__ import annotations

import polars as pl
import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.frames import frame_schema
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered


def span_of_error(name: str, query: str) -> tuple[str, str]:
    """The span of the error of a program over one bad row: the text's name, and the underlined part."""
    (bound,) = bind(Text(name, f"CREATE STREAM S (s STRING);\n{query};"), Catalog())
    plan = optimized(bound.plan)
    source = next(node for node in plan.walk() if not node.inputs)
    bad = pl.DataFrame([("x", 1, INFINITY, 1)], schema=frame_schema(source.schema), orient="row")
    with pytest.raises(EngineError) as caught:
        Machine(lowered({"answer": plan})).epoch({"S": bad}, 0, INFINITY)
    span = caught.value.diagnostics[0].span
    assert span is not None
    return span.text.name, span.content


@pytest.mark.parametrize(
    ("query", "cause"),
    [
        ("SELECT CAST(s AS INT) AS n FROM S [NOW]", "CAST(s AS INT)"),
        ("SELECT s FROM S [NOW] WHERE CAST(s AS INT) > 0", "CAST(s AS INT)"),
        ("SELECT x.s FROM S [NOW] AS x JOIN S [NOW] AS y ON CAST(x.s || y.s AS INT) > 0",
         "CAST(x.s || y.s AS INT)"),
    ],
)  # fmt: skip
def test_equal_expressions_of_two_programs_fail_each_in_its_own_text(query: str, cause: str) -> None:
    for name in ("one.cql", "two.cql", "one.cql"):
        assert span_of_error(name, query) == (name, cause)
