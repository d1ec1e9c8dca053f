"""What a rule is, and the driver that walks a plan, applies rules until none fits, and traces.

A rule looks at the root of a plan only. The driver offers it every operator, deepest first, inputs
before the plans of subqueries, and begins again wherever something changed. A pass looks at a whole
plan at once, for what cannot be decided at one operator (which columns are used above it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from slackwater.algebra import Operator
from slackwater.base.diagnostic import Bug
from slackwater.optimize.rebuild import with_below

MOST_STEPS = 20_000
"""More steps than this is a pair of rules that undo each other."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A law as a function: the plan's right side where its root is the left side, else None."""

    name: str
    law: str
    apply: Callable[[Operator], Operator | None] = field(repr=False)

    def __call__(self, plan: Operator) -> Operator | None:
        return self.apply(plan)


@dataclass(frozen=True, slots=True)
class Pass:
    """A law that is applied to a whole plan at once."""

    name: str
    law: str
    apply: Callable[[Operator], Operator] = field(repr=False)

    def __call__(self, plan: Operator) -> Operator:
        return self.apply(plan)


class Step(NamedTuple):
    """One application: the rule's name, its law, and the whole plan after it."""

    rule: str
    law: str
    plan: Operator


def rule(function: Callable[[Operator], Operator | None]) -> Rule:
    """The function as a rule; its docstring begins with the law."""
    return Rule(function.__name__, _law(function), function)


def whole(function: Callable[[Operator], Operator]) -> Pass:
    """The function as a pass; its docstring begins with the law."""
    return Pass(function.__name__, _law(function), function)


def _law(function: Callable[..., object]) -> str:
    first = (function.__doc__ or "").strip().partition("\n")[0]
    if "=" not in first:
        raise Bug(f"rule {function.__name__} does not begin with its law")
    return first


def applied(plan: Operator, rules: Iterable[Rule]) -> Iterator[Step]:
    """The steps from the plan to one that none of the rules changes any more."""
    walker = _Walker(tuple(rules))
    for _ in range(MOST_STEPS):
        step = walker.step(plan)
        if step is None:
            return
        plan = step.plan
        yield step
    raise Bug(f"rules do not come to an end: {', '.join(each.name for each in walker.rules)}")


class _Walker:
    """Finds the next place at which a rule fits; remembers where none does."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = rules
        self._settled: dict[int, Operator] = {}

    def step(self, plan: Operator) -> Step | None:
        """The first application, deepest operator first, seen from this plan's root."""
        if id(plan) in self._settled:
            return None
        below = (*plan.inputs, *plan.subplans)
        for place, each in enumerate(below):
            if (found := self.step(each)) is not None:
                changed = with_below(plan, (*below[:place], found.plan, *below[place + 1 :]))
                return found._replace(plan=changed)
        for each_rule in self.rules:
            if (result := each_rule(plan)) is not None:
                _check(each_rule, plan, result)
                return Step(each_rule.name, each_rule.law, result)
        self._settled[id(plan)] = plan
        return None


def _check(each: Rule, before: Operator, after: Operator) -> None:
    if before.schema != after.schema or before.kind is not after.kind:
        raise Bug(f"rule {each.name} turns {before.kind} {before.schema} into {after.kind} {after.schema}")
