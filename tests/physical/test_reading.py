"""Which columns of a source cross from the JVM to the kernels."""

from __future__ import annotations

import pytest

from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import INT, STRING
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered
from slackwater.physical.reading import columns_read


@pytest.mark.parametrize(
    ("queries", "read"),
    [
        (["SELECT a FROM S [RANGE 5]"], {"S": "a"}),
        (["SELECT a FROM S [RANGE 5] WHERE b > 1"], {"S": "a b"}),
        (["SELECT COUNT(*) AS n FROM S [RANGE 5]"], {"S": "a"}),
        (["SELECT * FROM S [RANGE 5]"], {"S": "a b c d"}),
        (["SELECT a FROM S [ROWS 2]"], {"S": "a b c d"}),
        (["SELECT a FROM S [RANGE 5]", "SELECT c FROM S [RANGE 9]"], {"S": "a c"}),
        (["SELECT S.a FROM S [RANGE 5], T [RANGE 5] WHERE S.b = T.a"], {"S": "a b", "T": "a"}),
        (["SELECT DISTINCT d FROM S [NOW]"], {"S": "d"}),
        (["SELECT b, SUM(d) AS s FROM S [RANGE 5] GROUP BY b"], {"S": "b d"}),
    ],
)
def test_only_what_some_step_looks_at_is_read(queries: list[str], read: dict[str, str]) -> None:
    catalog = Catalog()
    catalog.stream("S", Schema.of(a=INT, b=INT, c=STRING, d=INT))
    catalog.stream("T", Schema.of(a=INT, b=STRING))
    plans = {
        str(place): optimized(bind_query(Text("<query>", text), catalog, Kind.RELATION).plan)
        for place, text in enumerate(queries)
    }
    read_columns = columns_read(lowered(plans))
    assert {name: " ".join(columns) for name, columns in read_columns.items()} == read
