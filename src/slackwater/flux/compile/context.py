"""The context in which expressions are compiled: slots of values at run time, and declarations.

A compiled expression is a function without arguments that gives its items. Every variable is bound in one
place only, so their values are in one list, `env`, at an index that is known when the query is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from slackwater.flux.plan.state import Depends
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.context import Context, Program
from slackwater.flux.values.tree import Name
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import PREFIXES

Run: TypeAlias = Callable[[], Items]
Test: TypeAlias = Callable[[], bool]
Texts: TypeAlias = Callable[[], list[str]]
External: TypeAlias = Callable[..., Items]
UNSET: Any = object()
"""The value of a let that has not been used yet."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The index of a variable's value: one item, a list of items, or a let that is computed on first use."""

    number: int
    kind: str = "item"


@dataclass(frozen=True, slots=True)
class Focus:
    """The indexes of the context item, its position and the number of items."""

    item: int
    position: int
    size: int


class Counter:
    """How many items a loop has bound its variable to: the position of the last one."""

    def __init__(self) -> None:
        self.count = 0

    def reset(self) -> None:
        self.count = 0

    def step(self) -> None:
        self.count += 1


@dataclass(eq=False)
class Scope:
    """What all expressions of one query share, while they are compiled and at run time."""

    env: list[Any] = field(default_factory=list)
    slots: dict[str, Slot] = field(default_factory=dict)
    lets: dict[str, Run] = field(default_factory=dict)
    depends: Depends = field(default_factory=dict)
    computed: dict[ast.Expr, Run] = field(default_factory=dict)
    """Running totals, by the expression whose value they are."""
    functions: dict[str, ast.FunctionDeclaration] = field(default_factory=dict)
    places: dict[str, Counter] = field(default_factory=dict)
    """Counters of the variables whose positions the query uses."""
    called: dict[str, Any] = field(default_factory=dict)
    external: Mapping[str, External] = field(default_factory=dict)
    empty_greatest: bool = False
    namespaces: Mapping[str, str] = field(default_factory=lambda: dict(PREFIXES))
    """Those of the prolog, for the bodies of functions."""
    roots: dict[str, frozenset[str]] = field(default_factory=dict)
    """The streamed variables that the value of each variable comes from."""
    caches: dict[str, list[dict[Any, Any]]] = field(default_factory=dict)
    """Tables of joins, by the streamed variables whose buffers they are made from."""

    def slot(self, kind: str = "item") -> Slot:
        """A new slot."""
        self.env.append(None)
        return Slot(len(self.env) - 1, kind)

    def bind(self, variable: str, kind: str = "item", used: Iterable[str] = ()) -> int:
        """The index of a new variable, whose value is computed from the variables in `used`."""
        self.slots[variable] = slot = self.slot(kind)
        self.roots[variable] = self.rooted(used)
        return slot.number

    def stream(self, variable: str) -> int:
        """The index of the buffer of a streamed variable."""
        number = self.bind(variable)
        self.roots[variable] = frozenset({variable})
        return number

    def is_item(self, variable: str) -> bool:
        return variable in self.slots and self.slots[variable].kind == "item"

    def rooted(self, used: Iterable[str]) -> frozenset[str]:
        return frozenset[str]().union(*(self.roots.get(variable, frozenset()) for variable in used))

    def remember(self, used: Iterable[str], cache: dict[Any, Any]) -> None:
        """Clears the cache whenever the buffer of one of these variables is dropped."""
        for root in self.rooted(used):
            self.caches.setdefault(root, []).append(cache)

    def forget(self, variable: str) -> None:
        """Clears the caches that depend on a streamed variable, whose buffer is dropped."""
        for cache in self.caches.get(variable, ()):
            cache.clear()


@dataclass(frozen=True)
class StaticContext:
    """What is known of an expression's surroundings when it is compiled: its focus and its namespaces."""

    scope: Scope
    focus: Focus | None = None
    namespaces: Mapping[str, str] = field(default_factory=lambda: dict(PREFIXES))

    @property
    def context(self) -> Context:
        """The same, as the functions on values take it."""
        return Context(_NO_PROGRAM, {}, None, self.namespaces)

    def name(self, qname: str, *, is_element: bool = True) -> Name:
        return self.context.name(qname, is_element)

    def focused(self) -> tuple[StaticContext, Focus]:
        """The context inside a predicate or a step, with a focus of its own."""
        focus = Focus(*(self.scope.slot().number for _ in range(3)))
        return replace(self, focus=focus), focus

    def within(self, namespaces: Mapping[str, str]) -> StaticContext:
        return replace(self, namespaces={**self.namespaces, **namespaces}) if namespaces else self


_NO_PROGRAM = Program({}, {}, {}, {})
