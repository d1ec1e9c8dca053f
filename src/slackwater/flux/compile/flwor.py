"""FLWOR and quantified expressions as functions: each clause calls the next for every tuple."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cmp_to_key

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import joins as compile_join
from slackwater.flux.compile.context import Making, Run, Test
from slackwater.flux.plan.terms import free
from slackwater.flux.rewrite.conditions import conjuncts
from slackwater.flux.values import types as tree_types
from slackwater.flux.values.atomic import Atomic, Item, Items, Untyped, at_most_one
from slackwater.flux.values.equality import ordered
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.windows import windows
from slackwater.language.xquery import syntax as ast

Next = Callable[[list[Item]], None]
"""Adds what the tuple that is bound gives to the items."""
Finish = Callable[[], Next]
"""Compiles what comes after the clauses, when their variables are known."""
Keys = list[Atomic | None]


def flwor(expr: ast.Flwor, making: Making) -> Run:
    clauses = _Clauses(making)
    begin = clauses.all(expr.clauses, lambda: clauses.result(expr.result))

    def run() -> Items:
        found: list[Item] = []
        try:
            begin(found)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return found

    return run


def counted(expr: ast.Expr, making: Making) -> Run | None:
    """count(for $x in e where χ return $x), where items are looked up: they need not be gone through."""
    match expr:
        case ast.Flwor((ast.For(variable, source, None, None, None), ast.Where(where)), ast.Variable(name)):
            found = compile_join.condition(where, variable, (), making.scope)
            if name != variable or found is None or not compile_join.is_steady(source, making.scope):
                return None
        case _:
            return None
    lookup = _Clauses(making).lookup(found, source, variable)
    holds, env, slot = compiler.test(where, making), making.scope.env, lookup.slot

    def run() -> Items:
        items, positions, exact = lookup.matches()
        if exact:
            return [len(positions)]
        count = 0
        for item in items:
            env[slot] = item
            count += holds()
        return [count]

    return run


class _Clauses:
    """Compiles clauses in their order, since each binds variables for the next."""

    def __init__(self, making: Making) -> None:
        self.making = making
        self.env = making.scope.env
        self.bound: list[int] = []

    def all(self, clauses: Sequence[ast.Clause], finish: Finish) -> Next:
        for index, each in enumerate(clauses):
            if isinstance(each, ast.OrderBy):
                return self.ordered(clauses[:index], each.keys, clauses[index + 1 :], finish)
        if not clauses:
            return finish()
        first, rest = clauses[0], clauses[1:]
        match first:
            case ast.For(window=None):
                return self.loop(first, rest, finish)
            case ast.For():
                return self.windowed(first, rest, finish)
            case ast.Let():
                return self.let(first, rest, finish)
            case ast.Where(condition):
                return _where(compiler.test(condition, self.making), self.all(rest, finish))
        raise TypeError(f"no clause of XQuery: {first!r}")

    def result(self, result: ast.Expr) -> Next:
        match result:
            case ast.Variable(name) if self.making.scope.is_item(name):
                env, number = self.env, self.making.scope.slots[name].number
                return lambda out: out.append(env[number])
        value = compiler.items(result, self.making)
        return lambda out: out.extend(value())

    def bind(self, variable: str, source: ast.Expr | None, kind: str = "item") -> int:
        number = self.making.scope.bind(variable, kind, free(source) if source else ())
        self.bound.append(number)
        return number

    def loop(self, clause: ast.For, rest: Sequence[ast.Clause], finish: Finish) -> Next:
        joined = self.joined(clause, rest)
        if joined is not None:
            return self.looked_up(clause, *joined, finish)
        source = compiler.items(clause.source, self.making)
        slot = self.bind(clause.variable, clause.source)
        place = self.bind(clause.at, None) if clause.at else None
        typed = self.typed(clause.type)
        then = self.all(rest, finish)
        env = self.env
        if place is None and typed is None:

            def run(out: list[Item]) -> None:
                for item in source():
                    env[slot] = item
                    then(out)

            return run

        def numbered(out: list[Item]) -> None:
            for position, item in enumerate(source(), 1):
                env[slot] = typed([item])[0] if typed else item
                if place is not None:
                    env[place] = position
                then(out)

        return numbered

    def typed(self, type_: ast.SequenceType | None) -> Callable[[Items], Items] | None:
        if type_ is None:
            return None
        context = self.making.context
        return lambda items: tree_types.checked(items, type_, context)

    def windowed(self, clause: ast.For, rest: Sequence[ast.Clause], finish: Finish) -> Next:
        source = compiler.items(clause.source, self.making)
        reference = compile_reference(clause.window, self.making)
        slot = self.bind(clause.variable, clause.source, "items")
        place = self.bind(clause.at, None) if clause.at else None
        typed = self.typed(clause.type)
        then = self.all(rest, finish)
        env, window = self.env, clause.window
        assert window is not None

        def run(out: list[Item]) -> None:
            for position, each in enumerate(windows(source(), window, reference), 1):
                env[slot] = typed(each) if typed else each
                if place is not None:
                    env[place] = position
                then(out)

        return run

    def let(self, clause: ast.Let, rest: Sequence[ast.Clause], finish: Finish) -> Next:
        value = compiler.items(clause.value, self.making)
        slot = self.bind(clause.variable, clause.value, "items")
        typed = self.typed(clause.type)
        then = self.all(rest, finish)
        env = self.env

        def run(out: list[Item]) -> None:
            env[slot] = typed(value()) if typed else value()
            then(out)

        return run

    # Order.

    def ordered(
        self,
        before: Sequence[ast.Clause],
        keys: Sequence[ast.OrderKey],
        after: Sequence[ast.Clause],
        finish: Finish,
    ) -> Next:
        """Tuples are gathered with their keys, sorted, and bound again one after the other."""
        env, rows = self.env, self.making.scope.slot().number
        compiled: list[Next] = []
        slots: list[int] = []

        def gathering() -> Next:
            runs = [compiler.items(each.key, self.making) for each in keys]
            slots.extend(self.bound)
            compiled.append(self.all(after, finish))

            def gather(out: list[Item]) -> None:
                env[rows].append(([env[slot] for slot in slots], [_key(run()) for run in runs]))

            return gather

        begin = self.all(before, gathering)
        sort = sorting(keys, empty_greatest=self.making.scope.empty_greatest)

        def run(out: list[Item]) -> None:
            env[rows] = []
            begin(out)
            for values, _ in sort(env[rows]):
                for slot, value in zip(slots, values, strict=True):
                    env[slot] = value
                compiled[0](out)

        return run

    # Joins.

    def joined(
        self, clause: ast.For, rest: Sequence[ast.Clause]
    ) -> tuple[compile_join.Condition, ast.Expr, list[ast.Clause]] | None:
        """The condition that items are looked up by, and the clauses without it."""
        later = [clause.at] if clause.at else []
        scope = self.making.scope
        if clause.type is not None or not compile_join.is_steady(clause.source, scope):
            return None
        for index, each in enumerate(rest):
            match each:
                case ast.For(variable, at=at):
                    later += [variable, *([at] if at else [])]
                case ast.Let(variable):
                    later.append(variable)
                case ast.Where(condition):
                    parts = conjuncts(condition)
                    for part in parts:
                        found = compile_join.condition(part, clause.variable, later, scope)
                        if found is not None:
                            others = [ast.Where(other) for other in parts if other is not part]
                            return found, part, [*rest[:index], *others, *rest[index + 1 :]]
        return None

    def lookup(self, found: compile_join.Condition, source: ast.Expr, variable: str) -> compile_join.Lookup:
        items = compiler.items(source, self.making)
        slot = self.bind(variable, source)
        return compile_join.Lookup(found, items, slot, free(source), self.making)

    def looked_up(
        self,
        clause: ast.For,
        found: compile_join.Condition,
        conjunct: ast.Expr,
        rest: list[ast.Clause],
        finish: Finish,
    ) -> Next:
        lookup = self.lookup(found, clause.source, clause.variable)
        holds = compiler.test(conjunct, self.making)
        slot, env = lookup.slot, self.env
        place = self.bind(clause.at, None) if clause.at else None
        then = self.all(rest, finish)

        def run(out: list[Item]) -> None:
            items, positions, exact = lookup.matches()
            for position in sorted(positions):
                env[slot] = items[position]
                if place is not None:
                    env[place] = position + 1
                if exact or holds():
                    then(out)

        return run


def _where(holds: Test, then: Next) -> Next:
    def run(out: list[Item]) -> None:
        if holds():
            then(out)

    return run


def compile_reference(window: ast.Window | None, making: Making) -> Callable[[object], Items]:
    """What a time-based window measures: the path's value below the item, or the item's own."""
    steps = window.reference if isinstance(window, ast.DiffWindow) else ()
    inside, focus = making.focused()
    expr: ast.Expr = ast.Path(ast.ContextItem(), steps) if steps else ast.ContextItem()
    value, env = compiler.items(expr, inside), making.scope.env

    def run(item: object) -> Items:
        env[focus.item] = item
        return value()

    return run


def _key(items: Items) -> Atomic | None:
    found = at_most_one(items, "order by")
    return found.text if isinstance(found, Untyped) else found


Row = tuple[list[object], Keys]


def sorting(keys: Sequence[ast.OrderKey], *, empty_greatest: bool) -> Callable[[list[Row]], list[Row]]:
    """Stable; texts and doubles are sorted as they are, everything else by comparing it."""
    greatest = [empty_greatest if key.empty_greatest is None else key.empty_greatest for key in keys]

    def compare(one: Row, other: Row) -> int:
        for key, least, left, right in zip(keys, greatest, one[1], other[1], strict=True):
            if order := ordered(left, right, empty_greatest=least):
                return -order if key.descending else order
        return 0

    def sort(rows: list[Row]) -> list[Row]:
        if len(keys) == 1 and _are_alike([row[1][0] for row in rows]):
            return sorted(rows, key=lambda row: row[1][0], reverse=keys[0].descending)  # type: ignore[arg-type, return-value]
        return sorted(rows, key=cmp_to_key(compare))

    return sort


def _are_alike(values: Keys) -> bool:
    return all(type(each) is str for each in values) or all(
        type(each) is float and each == each for each in values
    )


def quantified(expr: ast.Quantified, making: Making) -> Test:
    wanted = expr.kind == "some"
    scope = making.scope
    sources: list[tuple[Run, int]] = []
    for binding in expr.bindings:
        source = _all_typed(compiler.items(binding.source, making), binding.type, making)
        sources.append((source, scope.bind(binding.variable, "item", free(binding.source))))
    holds = compiler.test(expr.condition, making)
    for source, slot in reversed(sources):
        holds = _some(source, slot, holds, scope.env, wanted=wanted)
    return holds


def _all_typed(source: Run, type_: ast.SequenceType | None, making: Making) -> Run:
    """The items, each of which must be of the type."""
    if type_ is None:
        return source
    each, context = replace(type_, occurrence="*"), making.context

    def run() -> Items:
        try:
            return tree_types.checked(source(), each, context)
        except Wrong as wrong:
            raise wrong.at(type_.span) from None

    return run


def _some(source: Run, slot: int, inner: Test, env: list[object], *, wanted: bool) -> Test:
    """Whether the inner condition is once as wanted; `every` is that it never is false."""

    def run() -> bool:
        for item in source():
            env[slot] = item
            if inner() is wanted:
                return wanted
        return not wanted

    return run
