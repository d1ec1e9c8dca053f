"""Joins: a loop with a comparison between its variable and what lies outside looks its items up.

    for $t in e where $t/buyer = $p/id …        e does not change while $p does

The items of e are kept by their keys: in a hash table for `=`, sorted for `<` and the like. What compares as
XQuery says is decided by types, so tables are made for texts and for numbers, and where neither fits (a text
beside a number, a key that is an error) the loop goes over all items.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from slackwater.base.diagnostic import SlackwaterError
from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.compare import MIRRORED
from slackwater.flux.compile.context import Making, Run, Scope
from slackwater.flux.plan.terms import free, uses_focus
from slackwater.flux.runtime.nodes import number
from slackwater.flux.values.atomic import Atomic, Items, Untyped, atomized, is_number, to_double
from slackwater.flux.values.errors import Wrong
from slackwater.language.xquery import syntax as ast

_EXACT = 1 << 53
_MOST_KEPT = 16
"""Tables of one loop that are kept at a time, for different values of what its source looks at."""


@dataclass(frozen=True)
class Condition:
    """`key op probe`, where the key looks at the loop's variable and the probe does not."""

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
    """The expression looks at variables only, whose values tell whether its own has changed."""
    return not uses_focus(expr) and not any(
        isinstance(each, ast.Expr) and each in scope.computed for each in ast.walk(expr)
    )


class Lookup:
    """The items of a loop that may fulfil its condition, by position."""

    def __init__(self, found: Condition, source: Run, slot: int, deps: Iterable[str], making: Making) -> None:
        self.op = found.op
        self.source = source
        self.slot = slot
        self.env = making.scope.env
        self.key = compiler.items(found.key, making)
        self.probe = compiler.items(found.probe, making)
        names = sorted({*deps} | free(found.key) - {found.variable})
        self.deps = [_value(name, making) for name in names]
        self.cache: dict[tuple[int, ...], tuple[list[Any], Table]] = {}
        making.scope.remember(names, self.cache)

    def table(self) -> Table:
        """The items and their keys, as they were found the first time."""
        values = [value() for value in self.deps]
        stamp = tuple(map(id, values))
        entry = self.cache.get(stamp)
        if entry is None:
            if len(self.cache) >= _MOST_KEPT:
                del self.cache[next(iter(self.cache))]
            entry = self.cache[stamp] = (values, self._made())
        return entry[1]

    def _made(self) -> Table:
        found = self.source()
        env, slot, key = self.env, self.slot, self.key
        keys: list[list[Atomic]] = []
        try:
            for item in found:
                env[slot] = item
                keys.append([*atomized(key())])
        except (Wrong, SlackwaterError):
            return Table(found, None, self.op)
        return Table(found, keys, self.op)

    def matches(self) -> tuple[Items, Sequence[int], bool]:
        """All items, the positions of those to be looked at, and whether these fulfil the condition."""
        table = self.table()
        positions = table.positions([*atomized(self.probe())]) if table.items else ()
        if positions is None:
            return table.items, range(len(table.items)), False
        return table.items, positions, True


def _value(name: str, making: Making) -> Callable[[], Any]:
    """What a variable is bound to: the same thing as long as it is not bound anew."""
    if not making.scope.is_item(name):
        return compiler.items(ast.Variable(name), making)
    env, number = making.scope.env, making.scope.slots[name].number
    counter = making.scope.places.get(name)
    if counter is None:
        return lambda: env[number]
    # Of a node of which only its place is looked at, nothing is kept.
    return lambda: counter.count if env[number] is None else env[number]


class Table:
    """Items by their keys."""

    def __init__(self, items: Items, keys: list[list[Atomic]] | None, op: str) -> None:
        self.items = items
        self.op = op
        self.keys = keys or []
        self.kind = _kind([each for key in keys for each in key]) if keys is not None else None
        self.made: dict[str, Callable[[list[Any]], Sequence[int]] | None] = {}

    def positions(self, probe: list[Atomic]) -> Sequence[int] | None:
        """Where the items are that compare; None where that is not known."""
        if not probe or self.kind == "nothing":
            return () if self.kind is not None else None
        kinds = (self.kind, _kind(probe))
        if kinds in _TEXTS:
            return self._find("text", [_text(each) for each in probe])
        if kinds in _NUMBERS:
            try:
                values = [_double(each) for each in probe]
            except Wrong:
                return None
            return self._find("number", [each for each in values if not math.isnan(each)])
        return None

    def _find(self, kind: str, probe: list[Any]) -> Sequence[int] | None:
        if kind not in self.made:
            self.made[kind] = self._made(_text if kind == "text" else _double)
        find = self.made[kind]
        if find is None:
            return None
        return find(probe) if probe else ()

    def _made(self, convert: Callable[[Atomic], Any]) -> Callable[[list[Any]], Sequence[int]] | None:
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
    if all(isinstance(each, Untyped) for each in values):
        return "untyped"
    if all(isinstance(each, str | Untyped) for each in values):
        return "string" if all(isinstance(each, str) for each in values) else "text"
    return "number" if all(map(_is_plain_number, values)) else "other"


def _is_plain_number(value: Atomic) -> bool:
    """A number that is the same as a double."""
    return is_number(value) and (isinstance(value, float) or (isinstance(value, int) and abs(value) < _EXACT))


def _text(value: Atomic) -> str:
    return value.text if isinstance(value, Untyped) else str(value)


def _double(value: Atomic) -> float:
    return number(value.text) if isinstance(value, Untyped) else to_double(value)
