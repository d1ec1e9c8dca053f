"""Rules that rewrite trees, and the driver that applies them: wherever one fits, until none does.

A rule looks at the root of a tree only; the type of its parameter says which nodes can be that root. The
driver offers it every such node, children before their parent, and visits a result again. A pass changes a
whole tree at once, for what cannot be decided at one node (which columns are used above it). Both may need a
context, such as what a schema says of variables, which the driver passes on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Concatenate, Generic, NamedTuple, TypeVar, get_args, get_type_hints

from slackwater.base.diagnostic import Bug
from slackwater.base.tree import walk_once

N = TypeVar("N")
Root = TypeVar("Root")
MOST_STEPS = 20_000
"""More steps, beyond one for each pair of nodes, are those of rules that undo each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule(Generic[N]):
    """A law as a function: the right side where the root of a tree is the left side, else None."""

    name: str
    law: str
    apply: Callable[..., N | None] = field(repr=False)
    roots: tuple[type, ...] = (object,)
    """The types of nodes that the left side can begin with."""

    def __call__(self, node: N, *context: object) -> N | None:
        return self.apply(node, *context) if isinstance(node, self.roots) else None


@dataclass(frozen=True, slots=True)
class Pass(Generic[N]):
    """A law that is applied to a whole tree at once."""

    name: str
    law: str
    apply: Callable[..., N] = field(repr=False)

    def __call__(self, tree: N, *context: object) -> N:
        return self.apply(tree, *context)


class Step(NamedTuple, Generic[N]):
    """One application: the rule's name, its law, and the whole tree after it."""

    rule: str
    law: str
    plan: N


def rule(function: Callable[Concatenate[Root, ...], N | None]) -> Rule[N]:
    """The function as a rule: its docstring begins with the law, its parameter has the type of the root."""
    return Rule(function.__name__, _law(function), function, _roots(function))


def whole(function: Callable[Concatenate[N, ...], N]) -> Pass[N]:
    """The function as a pass; its docstring begins with the law."""
    return Pass(function.__name__, _law(function), function)


def _roots(function: Callable[..., object]) -> tuple[type, ...]:
    """`(Select,)` for `plan: Select`, and `(SemiJoin, AntiJoin)` for `plan: SemiJoin | AntiJoin`."""
    first = next(iter(get_type_hints(function).values()))
    return get_args(first) or (first,)


def _law(function: Callable[..., object]) -> str:
    first = (function.__doc__ or "").strip().partition("\n")[0]
    if "=" not in first:
        raise Bug(f"rule {function.__name__} does not begin with its law")
    return first


class _ByType(dict[type, tuple[Rule[Any], ...]]):
    """The rules whose left side can begin with a node of a type, in their order."""

    def __init__(self, rules: tuple[Rule[Any], ...]) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, kind: type) -> tuple[Rule[Any], ...]:
        self[kind] = tuple(law for law in self._rules if issubclass(kind, law.roots))
        return self[kind]


_by_type = cache(_ByType)
"""Drivers of the same rules look them up in one table."""


class Driver(Generic[N]):
    """Applies rules to trees of one kind of node; remembers what became of each node."""

    def __init__(
        self, rules: tuple[Rule[N], ...], context: tuple[object, ...] = (), trace: list[Step[N]] | None = None
    ) -> None:
        self.rules = rules
        self._by_type: Mapping[type, tuple[Rule[N], ...]] = _by_type(rules)
        self.context = context
        self.trace = trace
        self.at_each_place = trace is not None
        """Whether a node that stands at several places is rewritten at each, as a trace shows it."""
        self._around: list[Callable[[N], N]] = []
        """From the node being rewritten to the whole tree, the innermost last."""
        self._settled: dict[Hashable, tuple[N, N]] = {}
        self._steps_left = 0

    def children(self, node: N) -> tuple[N, ...]:
        raise NotImplementedError

    def with_children(self, node: N, children: tuple[N, ...]) -> N:
        """The node over other children; itself where they are the same objects."""
        raise NotImplementedError

    def key(self, node: N) -> Hashable:
        """Equal for nodes that become the same; valid as long as the node lives."""
        return id(node)

    def accepts(self, rule: Rule[N], before: N, after: N) -> bool:
        """Whether a rule may replace this node by that one."""
        return True

    def tried_on(self, node: N) -> tuple[Rule[N], ...]:
        """The rules whose left side can begin with the node, in their order."""
        return self._by_type[type(node)]

    def rewrite(self, tree: N) -> N:
        """The tree that none of the rules changes any more."""
        nodes = list(walk_once(tree, self.children))
        if not any(map(self.tried_on, nodes)):
            return tree
        self._steps_left = MOST_STEPS + len(nodes) ** 2
        return self.settled(tree)

    def passed(self, law: Pass[N], tree: N) -> N:
        """The tree after a pass."""
        after = law(tree, *self.context)
        if self.trace is not None and after != tree:
            self.trace.append(Step(law.name, law.law, after))
        return after

    def settled(self, node: N) -> N:
        """The node with all below it, rewritten until no rule fits."""
        before, key = node, self.key(node)
        if (known := self._settled.get(key)) is not None:
            return known[1]
        node = self._with_settled_children(node)
        while (result := self._step(node)) is not None:
            node = self._with_settled_children(result)
        if node is not before:
            self._settled[self.key(node)] = (node, node)
        if node is before or not self.at_each_place:
            self._settled[key] = (before, node)
        return node

    def _with_settled_children(self, node: N) -> N:
        before = self.children(node)
        children = [*before]
        for place, child in enumerate(before):

            def around(new: N, place: int = place) -> N:
                return self.with_children(node, (*children[:place], new, *children[place + 1 :]))

            self._around.append(around)
            children[place] = self.settled(child)
            self._around.pop()
        is_same = all(new is old for new, old in zip(children, before, strict=True))
        return node if is_same else self.with_children(node, tuple(children))

    def _step(self, node: N) -> N | None:
        """What the first rule that fits makes of the node."""
        for law in self.tried_on(node):
            result = law(node, *self.context)
            if result is not None and self.accepts(law, node, result):
                self._record(law, result)
                return result
        return None

    def _record(self, law: Rule[N], result: N) -> None:
        self._steps_left -= 1
        if self._steps_left < 0:
            raise Bug(f"rules do not come to an end: {', '.join(law.name for law in self.rules)}")
        if self.trace is not None:
            for around in reversed(self._around):
                result = around(result)
            self.trace.append(Step(law.name, law.law, result))
