"""The type of a rule's parameter says on which nodes it is tried: no pattern of the rule is left out."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

import pytest

from slackwater.algebra import OPERATORS, Operator
from slackwater.base.rules import Rule
from slackwater.flux.rewrite.simplify import LAWS
from slackwater.optimize import PHASES

RULES: dict[str, Rule[Any]] = {
    law.name: law
    for law in (*LAWS, *(law for phase in PHASES for law in phase.rules))
    if isinstance(law, Rule)
}
ANYWHERE = {"turn_not_any_into_all"}
"""Rules on the expressions of any operator."""


def patterns(law: Rule[Any]) -> set[type]:
    """The classes that the patterns of a rule begin with; none where it has no `match` on its parameter."""
    function = ast.parse(textwrap.dedent(inspect.getsource(law.apply))).body[0]
    assert isinstance(function, ast.FunctionDef)
    name = function.args.args[0].arg
    matches = [
        node
        for node in function.body
        if isinstance(node, ast.Match) and isinstance(node.subject, ast.Name) and node.subject.id == name
    ]
    classes = [text for match in matches for case in match.cases for text in _classes(case.pattern)]
    return {eval(text, inspect.unwrap(law.apply).__globals__) for text in classes}


def _classes(pattern: ast.pattern) -> list[str]:
    match pattern:
        case ast.MatchClass():
            return [ast.unparse(pattern.cls)]
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _classes(inner)
        case ast.MatchOr():
            return [text for inner in pattern.patterns for text in _classes(inner)]
    return ["object"]


@pytest.mark.parametrize("law", RULES.values(), ids=RULES)
def test_a_rule_is_tried_on_every_node_that_its_patterns_begin_with(law: Rule[Any]) -> None:
    assert [kind for kind in patterns(law) if not issubclass(kind, law.roots)] == []


def test_rules_on_plans_say_on_which_operators_they_are_tried() -> None:
    for phase in PHASES:
        for law in phase.rules:
            if isinstance(law, Rule) and law.name not in ANYWHERE:
                assert Operator not in law.roots, law.name
                assert all(any(issubclass(kind, root) for kind in OPERATORS) for root in law.roots)


def test_most_rules_are_checked_by_their_patterns() -> None:
    assert sum(1 for law in RULES.values() if patterns(law)) > 40
