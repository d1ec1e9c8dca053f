"""FLWOR expressions as functions: each clause calls the next for every tuple."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import joins
from slackwater.flux.compile.context import Run, StaticContext, Test
from slackwater.flux.compile.order import order_key, sorter
from slackwater.flux.plan.terms import free
from slackwater.flux.rewrite.conditions import conjuncts
from slackwater.flux.values import types as value_types
from slackwater.flux.values.atomic import Item, Items
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.windows import windows
from slackwater.language.xquery import syntax as ast

Next = Callable[[list[Item]], None]
"""Appends the result for the current tuple to the items."""
Finish = Callable[[], Next]
"""Compiles what follows the clauses, once their variables are bound."""
Loop = Callable[[ast.For, Sequence[ast.Clause], Finish], Next]
"""Compiles a loop and the clauses after it."""


def flwor(expr: ast.Flwor, static: StaticContext) -> Run:
    clauses = Clauses(static)
    begin = clauses.all(expr.clauses, lambda: clauses.result(expr.result))

    def run() -> Items:
        items: list[Item] = []
        try:
            begin(items)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return items

    return run


def counted(expr: ast.Expr, static: StaticContext) -> Run | None:
    """count(for $x in e where χ return $x) by a lookup, without a loop over the items."""
    match expr:
        case ast.Flwor((ast.For(variable, source, None, None, None), ast.Where(where)), ast.Variable(name)):
            condition = joins.condition(where, variable, (), static.scope)
            if name != variable or condition is None or not joins.is_steady(source, static.scope):
                return None
        case _:
            return None
    lookup = Clauses(static).lookup(condition, source, variable)
    holds, env, slot = compiler.test(where, static), static.scope.env, lookup.slot

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


class Clauses:
    """Compiles clauses in their order, since each binds variables for the next."""

    def __init__(self, static: StaticContext) -> None:
        self.static = static
        self.env = static.scope.env
        self.bound: list[int] = []
        self.special: dict[str, Loop] = {}
        """How the loops of best-match joins are compiled, by variable, where they look their items up."""

    def all(self, clauses: Sequence[ast.Clause], finish: Finish) -> Next:
        for index, clause in enumerate(clauses):
            if isinstance(clause, ast.OrderBy):
                return self.ordered(clauses[:index], clause.keys, clauses[index + 1 :], finish)
        if not clauses:
            return finish()
        place = ast.best_match_at(clauses)
        if place is not None:
            from slackwater.flux.compile.matching import best_match  # most queries have none

            return best_match(self, clauses, place, finish)
        first, rest = clauses[0], clauses[1:]
        match first:
            case ast.For(window=None):
                return self.loop(first, rest, finish)
            case ast.For():
                return self.windowed(first, rest, finish)
            case ast.Let():
                return self.let(first, rest, finish)
            case ast.Where(condition):
                return _where(compiler.test(condition, self.static), self.all(rest, finish))
        raise TypeError(f"no clause of XQuery: {first!r}")

    def result(self, result: ast.Expr) -> Next:
        match result:
            case ast.Variable(name) if self.static.scope.is_item(name):
                env, number = self.env, self.static.scope.slots[name].number
                return lambda out: out.append(env[number])
        value = compiler.items(result, self.static)
        return lambda out: out.extend(value())

    def bind(self, variable: str, source: ast.Expr | None, kind: str = "item") -> int:
        number = self.static.scope.bind(variable, kind, free(source) if source else ())
        self.bound.append(number)
        return number

    def loop(self, clause: ast.For, rest: Sequence[ast.Clause], finish: Finish) -> Next:
        joined = self.joined(clause, rest)
        if joined is not None:
            return self.looked_up(clause, *joined, finish)
        if clause.variable in self.special:
            return self.special[clause.variable](clause, rest, finish)
        source = compiler.items(clause.source, self.static)
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
        context = self.static.context
        return lambda items: value_types.checked(items, type_, context)

    def windowed(self, clause: ast.For, rest: Sequence[ast.Clause], finish: Finish) -> Next:
        source = compiler.items(clause.source, self.static)
        reference = compile_reference(clause.window, self.static)
        slot = self.bind(clause.variable, clause.source, "items")
        place = self.bind(clause.at, None) if clause.at else None
        typed = self.typed(clause.type)
        then = self.all(rest, finish)
        env, window = self.env, clause.window
        assert window is not None

        def run(out: list[Item]) -> None:
            for position, items in enumerate(windows(source(), window, reference), 1):
                env[slot] = typed(items) if typed else items
                if place is not None:
                    env[place] = position
                then(out)

        return run

    def let(self, clause: ast.Let, rest: Sequence[ast.Clause], finish: Finish) -> Next:
        value = compiler.items(clause.value, self.static)
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
        """Collects tuples with their keys, sorts them, and binds them again one after the other."""
        env, rows = self.env, self.static.scope.slot().number
        compiled: list[Next] = []
        slots: list[int] = []

        def gathering() -> Next:
            runs = [compiler.items(key.key, self.static) for key in keys]
            slots.extend(self.bound)
            compiled.append(self.all(after, finish))

            def gather(out: list[Item]) -> None:
                env[rows].append(([env[slot] for slot in slots], [order_key(run()) for run in runs]))

            return gather

        begin = self.all(before, gathering)
        sort = sorter(keys, empty_greatest=self.static.scope.empty_greatest)

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
    ) -> tuple[joins.Condition, ast.Expr, list[ast.Clause]] | None:
        """The condition that items are looked up by, and the clauses without it."""
        later = [clause.at] if clause.at else []
        scope = self.static.scope
        if clause.type is not None or not joins.is_steady(clause.source, scope):
            return None
        for index, following in enumerate(rest):
            match following:
                case ast.For(variable, at=at):
                    later += [variable, *([at] if at else [])]
                case ast.Let(variable):
                    later.append(variable)
                case ast.Where(condition):
                    parts = conjuncts(condition)
                    for part in parts:
                        join = joins.condition(part, clause.variable, later, scope)
                        if join is not None:
                            others = [ast.Where(other) for other in parts if other is not part]
                            return join, part, [*rest[:index], *others, *rest[index + 1 :]]
        return None

    def lookup(self, condition: joins.Condition, source: ast.Expr, variable: str) -> joins.Lookup:
        items = compiler.items(source, self.static)
        slot = self.bind(variable, source)
        return joins.Lookup(condition, items, slot, free(source), self.static)

    def looked_up(
        self,
        clause: ast.For,
        condition: joins.Condition,
        conjunct: ast.Expr,
        rest: list[ast.Clause],
        finish: Finish,
    ) -> Next:
        lookup = self.lookup(condition, clause.source, clause.variable)
        holds = compiler.test(conjunct, self.static)
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


def compile_reference(window: ast.Window | None, static: StaticContext) -> Callable[[object], Items]:
    """The time of an item in a window with `diff`: the value of the path below it, or its own."""
    steps = window.reference if isinstance(window, ast.DiffWindow) else ()
    inside, focus = static.focused()
    expr: ast.Expr = ast.Path(ast.ContextItem(), steps) if steps else ast.ContextItem()
    value, env = compiler.items(expr, inside), static.scope.env

    def run(item: object) -> Items:
        env[focus.item] = item
        return value()

    return run
