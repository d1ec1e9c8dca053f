"""Errors of the data: a query, two rows, and the exact text of the error."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import golden
from slackwater.base.diagnostic import EngineError, render
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

QUERIES = sorted((Path(__file__).parent / "running").glob("*.cql"))
ROWS = {"s": {1: {(5_000_000_000, "x"): 1}, 2: {(7, "12"): 1}}}


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: path.stem)
@pytest.mark.parametrize("evaluator", [Histories, Snapshots])
def test_the_text_is_that_of_the_golden_file(query: Path, evaluator: type[Histories | Snapshots]) -> None:
    [bound] = bind(Text(query.name, query.read_text(encoding="utf-8")), Catalog())
    with pytest.raises(EngineError) as caught:
        evaluator(ROWS).changes(bound.plan)
    rendered = "\n\n".join(map(render, caught.value.diagnostics)) + "\n"
    assert rendered == golden(query.with_suffix(".txt"), rendered)
    assert any(query.stem.startswith(diagnostic.code) for diagnostic in caught.value.diagnostics)
