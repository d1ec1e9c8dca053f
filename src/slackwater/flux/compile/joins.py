"""Joins: a loop that compares its variable with something outside looks its items up.

    for $t in e where $t/buyer = $p/id …        e does not change while $p does

The items of e are indexed by their keys: in a hash table for `=`, sorted for `<` and the like. Comparisons of
XQuery depend on types, so there are tables for texts and for numbers; where neither fits (a text beside a
number, a key that is an error) the loop runs over all items.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from slackwater.base.diagnostic import SlackwaterError
from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.compare import MIRRORED
from slackwater.flux.compile.context import Run, Scope, StaticContext
from slackwater.flux.plan.terms import free, uses_focus
from slackwater.flux.runtime.nodes import number
from slackwater.flux.values.atomic import Atomic, Items, Untyped, atomized, is_number
from slackwater.flux.values.casts import to_double
from slackwater.flux.values.errors import Wrong
from slackwater.language.xquery import syntax as ast

_EXACT = 1 << 53
_MOST_TABLES = 16
"""Most tables of one loop in its cache, for different values of the variables that its source uses."""


@dataclass(frozen=True)
class Condition:
    """`key op probe`, where the key uses the loop's variable and the probe does not."""

    variable: str
    op: str
    key: ast.Expr
    probe: ast.Expr


def condition(conjunct: ast.Expr, variable: str, later: Iterable[str], scope: Scope) -> Condition | None:
    """The conjunct as a condition that items can be looked up by."""
    if not isinstance(conjunct, ast.Compare) or conjunct.op not in MIRRORED or conjunct.op == "!=":
        return None
    if conjunct in scope.computed:
        return None
    for op, key, probe in (
        (conjunct.op, conjunct.left, conjunct.right),
        (MIRRORED[conjunct.op], conjunct.right, conjunct.left),
    ):
        inside = free(key)
        unknown = {variable, *later}
        apart = not (inside & {*later}) and not (free(probe) & unknown)
        if variable in inside and apart and is_steady(key, scope):
            return Condition(variable, op, key, probe)
    return None


def is_steady(expr: ast.Expr, scope: Scope) -> bool:
    """Whether the expression depends on variables only: its value is the same as long as theirs are."""
    return not uses_focus(expr) and not any(
        isinstance(node, ast.Expr) and node in scope.computed for node in ast.walk(expr)
    )


T = TypeVar("T")


class Cache(Generic[T]):
    """What `build` makes of variables, for their current values."""

    def __init__(self, names: Iterable[str], build: Callable[[], T], static: StaticContext) -> None:
        self.build = build
        used = sorted(names)
        self.deps = [_value(name, static) for name in used]
        self.entries: dict[tuple[int, ...], tuple[list[Any], T]] = {}
        static.scope.remember(used, self.entries)

    def current(self) -> T:
        values = [value() for value in self.deps]
        stamp = tuple(map(id, values))
        entry = self.entries.get(stamp)
        if entry is None:
            if len(self.entries) >= _MOST_TABLES:
                del self.entries[next(iter(self.entries))]
            entry = self.entries[stamp] = (values, self.build())
        return entry[1]


class Lookup:
    """The items of a loop that may fulfil its condition, by position."""

    def __init__(
        self, condition: Condition, source: Run, slot: int, deps: Iterable[str], static: StaticContext
    ) -> None:
        self.op = condition.op
        self.source = source
        self.slot = slot
        self.env = static.scope.env
        self.key = compiler.items(condition.key, static)
        self.probe = compiler.items(condition.probe, static)
        names = {*deps} | free(condition.key) - {condition.variable}
        self.tables = Cache(names, self._build, static)

    def _build(self) -> Table:
        items = self.source()
        env, slot, key = self.env, self.slot, self.key
        keys: list[list[Atomic]] = []
        try:
            for item in items:
                env[slot] = item
                keys.append([*atomized(key())])
        except (Wrong, SlackwaterError):
            return Table(items, None, self.op)
        return Table(items, keys, self.op)

    def matches(self) -> tuple[Items, Sequence[int], bool]:
        """All items, the positions of candidates, and whether these are known to fulfil the condition."""
        table = self.tables.current()
        positions = table.positions([*atomized(self.probe())]) if table.items else ()
        if positions is None:
            return table.items, range(len(table.items)), False
        return table.items, positions, True


def _value(name: str, static: StaticContext) -> Callable[[], Any]:
    """The value of a variable: the same object until it is bound again."""
    if not static.scope.is_item(name):
        return compiler.items(ast.Variable(name), static)
    env, number = static.scope.env, static.scope.slots[name].number
    counter = static.scope.places.get(name)
    if counter is None:
        return lambda: env[number]
    # A node of which only its position is used has no buffer.
    return lambda: counter.count if env[number] is None else env[number]


class Table:
    """Items by their keys."""

    def __init__(self, items: Items, keys: list[list[Atomic]] | None, op: str) -> None:
        self.items = items
        self.op = op
        self.keys = keys or []
        self.kind = _kind([value for key in keys for value in key]) if keys is not None else None
        self.finders: dict[str, Callable[[list[Any]], Sequence[int]] | None] = {}

    def positions(self, probe: list[Atomic]) -> Sequence[int] | None:
        """The positions of the items that match; None where the table cannot decide."""
        if not probe or self.kind == "nothing":
            return () if self.kind is not None else None
        kinds = (self.kind, _kind(probe))
        if kinds in _TEXTS:
            return self._find("text", [_text(value) for value in probe])
        if kinds in _NUMBERS:
            try:
                values = [_double(value) for value in probe]
            except Wrong:
                return None
            return self._find("number", [value for value in values if not math.isnan(value)])
        return None

    def _find(self, kind: str, probe: list[Any]) -> Sequence[int] | None:
        if kind not in self.finders:
            self.finders[kind] = self._finder(_text if kind == "text" else _double)
        find = self.finders[kind]
        if find is None:
            return None
        return find(probe) if probe else ()

    def _finder(self, convert: Callable[[Atomic], Any]) -> Callable[[list[Any]], Sequence[int]] | None:
        try:
            pairs = [
                (value, place)
                for place, key in enumerate(self.keys)
                for value in map(convert, key)
                if value == value
            ]
        except Wrong:
            return None
        return _hashed(pairs) if self.op == "=" else _ordered(pairs, self.op)


def _hashed(pairs: list[tuple[Any, int]]) -> Callable[[list[Any]], Sequence[int]]:
    table: dict[Any, list[int]] = {}
    for value, place in pairs:
        places = table.setdefault(value, [])
        if not places or places[-1] != place:
            places.append(place)

    def find(probe: list[Any]) -> Sequence[int]:
        if len(probe) == 1:
            return table.get(probe[0], ())
        return sorted({place for value in probe for place in table.get(value, ())})

    return find


def _ordered(pairs: list[tuple[Any, int]], op: str) -> Callable[[list[Any]], Sequence[int]]:
    """key < probe for some pair: the least key of an item is below the greatest probe."""
    below = op in ("<", "<=")
    best: dict[int, Any] = {}
    for value, place in pairs:
        if place not in best or (value < best[place]) is below:
            best[place] = value
    rows = sorted((value, place) for place, value in best.items())
    values, places = [value for value, _ in rows], [place for _, place in rows]
    bisect = bisect_left if op in ("<", ">=") else bisect_right
    choose = max if below else min

    def find(probe: list[Any]) -> Sequence[int]:
        at = bisect(values, choose(probe))
        return places[:at] if below else places[at:]

    return find


_TEXTS = {(one, other) for one in ("untyped", "string", "text") for other in ("untyped", "string", "text")}
_NUMBERS = {("untyped", "number"), ("number", "untyped"), ("number", "number")}


def _kind(values: list[Atomic]) -> str:
    if not values:
        return "nothing"
    if all(isinstance(value, Untyped) for value in values):
        return "untyped"
    if all(isinstance(value, str | Untyped) for value in values):
        return "string" if all(isinstance(value, str) for value in values) else "text"
    return "number" if all(map(_is_plain_number, values)) else "other"


def _is_plain_number(value: Atomic) -> bool:
    """Whether a number is exact as a double."""
    return is_number(value) and (isinstance(value, float) or (isinstance(value, int) and abs(value) < _EXACT))


def _text(value: Atomic) -> str:
    return value.text if isinstance(value, Untyped) else str(value)


def _double(value: Atomic) -> float:
    return number(value.text) if isinstance(value, Untyped) else to_double(value)
