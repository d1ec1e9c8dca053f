"""The language is closed: whatever it has, everything that must know it knows."""

from __future__ import annotations

import pytest

from slackwater.flux.oracle import evaluate as tree_eval
from slackwater.flux.values import functions as tree_functions
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import FUNCTIONS


def below(kind: type) -> set[type]:
    return {each for child in kind.__subclasses__() for each in ({child} | below(child))}


def test_every_expression_is_listed() -> None:
    # A slotted dataclass is made anew from its class, so that there are two of one name.
    names = {each.__name__ for each in below(ast.Expr) if each.__module__ == ast.__name__}
    assert names == {each.__name__ for each in ast.EXPRESSIONS}


@pytest.mark.parametrize("kind", ast.EXPRESSIONS, ids=lambda kind: kind.__name__)
def test_every_expression_has_a_value(kind: type[ast.Expr]) -> None:
    assert tree_eval._value.dispatch(kind) is not tree_eval._value.dispatch(ast.Expr)


def test_every_function_is_defined() -> None:
    assert set(tree_functions.FUNCTIONS) == set(FUNCTIONS)
