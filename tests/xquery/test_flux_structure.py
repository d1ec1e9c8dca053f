"""Every function over queries and handlers of FluX handles all kinds of them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.printer import print_flux
from slackwater.flux.plan.printer import query as printed
from slackwater.flux.plan.syntax import Handler, ProcessStream, Query
from slackwater.flux.plan.terms import query_free, renamed
from slackwater.flux.plan.traversal import map_expressions
from slackwater.flux.rewrite.handlers import symbols
from slackwater.flux.rewrite.lift import lifted, lifted_query
from slackwater.flux.rewrite.reads import Reads
from slackwater.language.xquery import syntax as ast
from slackwater.schema.schema import UNKNOWN

X = ast.Variable("x")
A = flux.Test("a")
PATH = ast.Path(X, (ast.Step("child", ast.NameTest("a")),))
COUNT = ast.Call("count", (PATH,))
TAG = flux.StartTag("t", (ast.Attribute("n", (X,)),))
WINDOW = ast.CountWindow(2, 1)
TIME = ast.DiffWindow((ast.Step("child", ast.NameTest("t")),), Decimal(2), Decimal(1))
SAMPLES: tuple[Query, ...] = (
    flux.Sequence((flux.Text("s"), flux.EndTag("t"))), flux.Text("s"), TAG, flux.EndTag("t"), flux.Boundary(),
    flux.Copy("x"), flux.Value(PATH), flux.Feed(COUNT, X), flux.If(COUNT, flux.Copy("x")),
    flux.Loop("x", (flux.Branch(A, "y", flux.Copy("y")), flux.Branch(flux.Test("b"), "z", TAG))),
    flux.For("y", PATH, flux.Copy("y"), "i"),
    flux.Windowed("w", "x", (A,), TIME, flux.Value(ast.Variable("w")), "y", COUNT),
)  # fmt: skip
COPY = ProcessStream("y", UNKNOWN, (flux.CopyThrough(COUNT),), simple=True)
HANDLERS: tuple[Handler, ...] = (
    flux.On("a", "y", COPY), flux.OnFirst(frozenset({"a"}), TAG), flux.CopyThrough(),
    flux.OnWindow("w", (A,), WINDOW, TAG, flux.EndTag("t"), True),
    flux.OnEach("w", (A,), WINDOW, TAG),
)  # fmt: skip


def test_there_is_a_sample_of_everything() -> None:
    assert {type(sample) for sample in SAMPLES} == set(flux.QUERIES)
    assert {type(handler) for handler in HANDLERS} == set(flux.HANDLERS)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)
def test_every_query_is_printed_followed_and_changed(sample: Query) -> None:
    assert isinstance(printed(sample), str)
    Reads({}, {}).query(sample)
    lifted_query(sample, {})
    assert map_expressions(sample, lambda expr: expr) == sample
    assert renamed(renamed(sample, {"x": "q"}), {"q": "x"}) == sample
    assert query_free(renamed(sample, {"x": "q"})) == {
        "q" if name == "x" else name for name in query_free(sample)
    }


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda handler: type(handler).__name__)
def test_every_handler_is_printed_and_lifted(handler: Handler) -> None:
    body = ProcessStream("x", UNKNOWN, (handler,))
    assert print_flux(lifted(body, {}))
    assert symbols(handler)
