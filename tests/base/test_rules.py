"""The driver of rules, on trees of sums: where rules are tried, when it ends, and what it records."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from slackwater.base import rules
from slackwater.base.diagnostic import Bug
from slackwater.base.rules import Driver, Step, rule, whole


@dataclass(frozen=True)
class Sum:
    """A number, or the sum of what stands below."""

    value: int = 0
    terms: tuple[Sum, ...] = field(default=())


class SumDriver(Driver[Sum]):
    def children(self, node: Sum) -> tuple[Sum, ...]:
        return node.terms

    def with_children(self, node: Sum, children: tuple[Sum, ...]) -> Sum:
        return node if children == node.terms else replace(node, terms=children)


@rule
def add(node: Sum) -> Sum | None:
    """x + y = z for numbers"""
    is_ready = node.terms and not any(term.terms for term in node.terms)
    return Sum(sum(term.value for term in node.terms)) if is_ready else None


@rule
def lower(node: Sum, least: int) -> Sum | None:
    """x = x - 1 if x is above the context's number"""
    return replace(node, value=node.value - 1) if not node.terms and node.value > least else None


@whole
def negate(tree: Sum) -> Sum:
    """x = -x"""
    return Sum(-tree.value)


ONE, TWO, THREE = Sum(1), Sum(2), Sum(3)


def test_inner_nodes_are_rewritten_first_and_each_step_shows_the_whole_tree() -> None:
    trace: list[Step[Sum]] = []
    result = SumDriver((add,), trace=trace).rewrite(Sum(terms=(Sum(terms=(ONE, TWO)), Sum(terms=(THREE,)))))
    assert result == Sum(6)
    assert trace == [
        Step("add", add.law, Sum(terms=(THREE, Sum(terms=(THREE,))))),
        Step("add", add.law, Sum(terms=(THREE, THREE))),
        Step("add", add.law, Sum(6)),
    ]


def test_a_result_is_rewritten_again_and_rules_see_the_context() -> None:
    assert SumDriver((lower,), (1,)).rewrite(Sum(terms=(TWO, Sum(5)))) == Sum(terms=(ONE, ONE))


def test_a_node_at_two_places_is_rewritten_once_unless_there_is_a_trace() -> None:
    calls: list[Sum] = []

    @rule
    def count(node: Sum) -> Sum | None:
        """x + y = z, and the call is counted"""
        calls.append(node)
        return add(node)

    inner = Sum(terms=(ONE, TWO))
    tree = Sum(terms=(inner, inner))
    assert SumDriver((count,)).rewrite(tree) == Sum(6)
    once = calls.count(inner)
    calls.clear()
    assert SumDriver((count,), trace=[]).rewrite(tree) == Sum(6)
    assert (once, calls.count(inner)) == (1, 2)


def test_rules_that_undo_each_other_are_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    @rule
    def raise_(node: Sum) -> Sum | None:
        """x = x + 1"""
        return Sum(node.value + 1)

    monkeypatch.setattr(rules, "MOST_STEPS", 10)
    with pytest.raises(Bug, match="rules do not come to an end: raise_"):
        SumDriver((raise_,)).rewrite(ONE)


def test_a_pass_is_recorded_where_it_changes_the_tree() -> None:
    trace: list[Step[Sum]] = []
    driver = SumDriver((), trace=trace)
    assert driver.passed(negate, ONE) == Sum(-1)
    assert driver.passed(negate, Sum(0)) == Sum(0)
    assert [step.plan for step in trace] == [Sum(-1)]


def test_a_rule_without_a_law_is_refused() -> None:
    def merge_nothing(node: Sum) -> None:
        """Merges nothing."""

    with pytest.raises(Bug, match="does not begin with its law"):
        rule(merge_nothing)
