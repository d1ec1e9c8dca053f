"""Every function over expressions and functions handles all kinds of them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import slackwater.flux
from slackwater.flux.compile import totals
from slackwater.flux.oracle import evaluate as tree_eval
from slackwater.flux.values import functions as tree_functions
from slackwater.flux.values.texts import TEXTS
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import ACCUMULATING, COUNTING, FUNCTIONS, SECTIONS, Function

FLUX = Path(slackwater.flux.__file__).parent


def subclasses(kind: type) -> set[type]:
    return {descendant for child in kind.__subclasses__() for descendant in ({child} | subclasses(child))}


def test_every_expression_is_listed() -> None:
    # @dataclass(slots=True) makes a new class, so that there are two of one name.
    names = {kind.__name__ for kind in subclasses(ast.Expr) if kind.__module__.startswith(ast.__name__)}
    assert names == {kind.__name__ for kind in ast.EXPRESSIONS}


@pytest.mark.parametrize("kind", ast.EXPRESSIONS, ids=lambda kind: kind.__name__)
def test_every_expression_has_a_value(kind: type[ast.Expr]) -> None:
    assert tree_eval._value.dispatch(kind) is not tree_eval._value.dispatch(ast.Expr)


def test_every_function_is_defined_once() -> None:
    assert tree_functions.FUNCTIONS.keys() == FUNCTIONS.keys()
    assert not tree_functions.OTHERS.keys() & TEXTS.keys()
    assert len(FUNCTIONS) == sum(map(len, SECTIONS.values()))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_a_function_takes_the_arguments_that_its_record_says(function: Function) -> None:
    signature = inspect.signature(tree_functions.FUNCTIONS[function.name])
    most = function.least + 2 if function.most is None else function.most
    for size in range(function.least, most + 1):
        signature.bind(None, *[[]] * size)
        assert len(function.uses(size)) == size


def test_every_accumulating_function_has_a_total() -> None:
    assert totals._ADDS.keys() == ACCUMULATING
    assert {"count", "exists", "empty"} == COUNTING


def test_no_other_table_names_functions() -> None:
    """A list of several functions beside the records would drift from them."""
    listing = re.compile(r'[{(\[]\s*"([a-z-]+)",\s*"([a-z-]+)"')
    for path in sorted(FLUX.rglob("*.py")):
        for one, other in listing.findall(path.read_text(encoding="utf-8")):
            assert one == other or not {one, other} <= FUNCTIONS.keys(), (
                f"{path.name} lists {one} and {other}"
            )
