"""Errors that only the data can bring: a query, two rows, and the exact text a user sees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
def test_a_user_sees_exactly_this(query: Path, evaluator: type[Histories | Snapshots]) -> None:
    [bound] = bind(Text(query.name, query.read_text(encoding="utf-8")), Catalog())
    with pytest.raises(EngineError) as caught:
        evaluator(ROWS).changes(bound.plan)
    seen = "\n\n".join(map(render, caught.value.diagnostics)) + "\n"
    golden = query.with_suffix(".txt")
    if os.environ.get("SLACKWATER_GOLDEN"):
        golden.write_text(seen, encoding="utf-8")
    assert seen == golden.read_text(encoding="utf-8")
    assert query.stem in {each.code for each in caught.value.diagnostics}
