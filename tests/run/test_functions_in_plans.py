"""The functions of users that a checkpoint has to name, wherever a query calls them."""

from __future__ import annotations

import math

import pytest

from slackwater.algebra import Kind
from slackwater.algebra.operator import Operator
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.run.functions import functions_in, identity_of, refuse_local_functions, register

PLACES = {
    "a condition": "SELECT a FROM R WHERE f(a) > 1",
    "a subquery": "SELECT a FROM R WHERE a IN (SELECT f(a) FROM R)",
    "the start of a recursion": "WITH RECURSIVE z(n) AS (SELECT f(a) FROM R UNION SELECT n FROM z)"
    " SELECT n FROM z",
    "a recursion": "WITH RECURSIVE z(n) AS (SELECT a FROM R UNION SELECT f(n) FROM z WHERE n < 4)"
    " SELECT n FROM z",
    "a recursion in a subquery": "SELECT a FROM R WHERE a > (WITH RECURSIVE z(n) AS (SELECT a FROM R UNION "
    "SELECT f(n) FROM z WHERE n < 4) SELECT MAX(n) FROM z)",
}


def plan_of(text: str, function: object) -> Operator:
    catalog = Catalog()
    bind(Text("declarations", "CREATE RELATION R (a INT)"), catalog)
    register(catalog, "f", function, "int", ["int"])
    return bind_query(Text("query", text), catalog, Kind.RELATION).plan


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_functions_are_found_wherever_they_are_called(text: str) -> None:
    local = plan_of(text, lambda x: x)
    assert [function.name for function in functions_in(local)] == ["f"]
    with pytest.raises(EngineError, match="local-function"):
        refuse_local_functions([local])
    one, other = (plan_of(text, function) for function in (math.floor, math.ceil))
    assert identity_of(text, one) != identity_of(text, other)
