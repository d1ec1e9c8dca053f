"""Queries over buffers as functions that write: the bodies of handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import joins
from slackwater.flux.compile.construct import attribute_texts
from slackwater.flux.compile.context import StaticContext
from slackwater.flux.compile.flwor import compile_reference
from slackwater.flux.compile.guards import guards, regrouped, unguarded
from slackwater.flux.compile.names import fits
from slackwater.flux.compile.paths import Walk, named_children
from slackwater.flux.compile.totals import Total
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.terms import free, through
from slackwater.flux.runtime.demands import Act
from slackwater.flux.runtime.writer import MANY, Writer
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.construct import declared_namespaces
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.tree import Node
from slackwater.flux.values.windows import windows
from slackwater.language.xquery import syntax as ast
from slackwater.schema import TEXT


class Queries:
    """Compiles the queries of one FluX query, which write to one writer."""

    def __init__(self, writer: Writer, folds: dict[ast.Call, Total], resets: Mapping[str, list[Act]]) -> None:
        self.writer = writer
        self.folds = folds
        self.resets = resets
        """What is reset when a variable is bound, such as the lets in its scope."""

    def compile(self, query: flux.Query, static: StaticContext) -> Act:
        return self.of(regrouped(query, static.scope.depends), static)

    def of(self, query: flux.Query, static: StaticContext) -> Act:
        writer = self.writer
        match query:
            case flux.Sequence(parts):
                return self.sequence(parts, static)
            case flux.Text(text):
                return lambda: writer.text(text)
            case flux.StartTag(name, attributes):
                return self.start(name, attributes, static)
            case flux.EndTag(name):
                qname = str(static.name(name))
                return lambda: writer.end(qname)
            case flux.Boundary():
                return self.boundary
            case flux.Copy(variable):
                return self.copy(variable, static)
            case flux.Value(expr):
                return self.value(expr, static)
            case flux.Feed(fold, value):
                return self.feed(fold, value, static)
            case flux.If(condition, body):
                holds, then = compiler.test(condition, static), self.of(body, static)

                def choose() -> None:
                    if holds():
                        then()

                return choose
            case flux.Loop():
                return self.loop(query, static)
            case flux.For():
                return self.for_(query, static)
            case flux.Windowed():
                return self.windowed(query, static)
        raise TypeError(f"no query of FluX: {query!r}")

    def sequence(self, parts: Sequence[flux.Query], static: StaticContext) -> Act:
        """The parts in order; the namespaces of a start tag are visible until its end tag."""
        acts: list[Act] = []
        around: list[StaticContext] = []
        for part in parts:
            acts.append(self.of(part, static))
            match part:
                case flux.StartTag(name, attributes):
                    around.append(static)
                    static = static.within(declared_namespaces(ast.Element(name, attributes)))
                case flux.EndTag() if around:
                    static = around.pop()
        if len(acts) == 1:
            return acts[0]

        def run() -> None:
            for act in acts:
                act()

        return run

    def boundary(self) -> None:
        self.writer.after_value = False

    def start(self, qname: str, attributes: tuple[ast.Attribute, ...], static: StaticContext) -> Act:
        declared = declared_namespaces(ast.Element(qname, attributes))
        inner = static.within(declared)
        name = inner.name(qname)
        texts = attribute_texts(attributes, inner)
        own = {prefix: uri for prefix, uri in declared.items() if uri}
        for used in (name, *(attribute for attribute, _ in texts)):
            if used.uri and used.prefix != "xml":
                own.setdefault(used.prefix, used.uri)
        writer = self.writer
        if not texts:
            return lambda: writer.start(name, own, ())
        return lambda: writer.start(name, own, [(attribute, text()) for attribute, text in texts])

    def copy(self, variable: str, static: StaticContext) -> Act:
        writer = self.writer
        if static.scope.is_item(variable):
            env, number = static.scope.env, static.scope.slots[variable].number
            return lambda: writer.node(env[number])
        return self.value(ast.Variable(variable), static)

    def value(self, expr: ast.Expr, static: StaticContext) -> Act:
        value, writer = compiler.items(expr, static), self.writer

        def write() -> None:
            try:
                writer.items(value())
            except Wrong as wrong:
                raise wrong.at(expr.span) from None

        return write

    def feed(self, fold: ast.Call, expr: ast.Expr | None, static: StaticContext) -> Act:
        total = self.folds[fold]
        if expr is None:

            def count() -> None:
                total.count += 1

            return count
        value = compiler.items(expr, static)
        return lambda: total.feed(value())

    # Loops.

    def with_reset(self, body: Act, variable: str) -> Act:
        """The body of a loop, preceded by the reset of what is in the scope of its variable."""
        resets = self.resets.get(variable)
        if not resets:
            return body

        def run() -> None:
            for act in resets:
                act()
            body()

        return run

    def loop(self, query: flux.Loop, static: StaticContext) -> Act:
        scope = static.scope
        env, source = scope.env, scope.slots[query.source].number
        if len(query.branches) > 1:
            return self.branches(query, static)
        (branch,) = query.branches
        walk = _walk(branch.test, static)
        joined = self.joined(branch, query.source, walk, static)
        if joined is not None:
            return joined
        slot = scope.bind(branch.variable, "item", [query.source])
        body = self.with_reset(self.of(branch.body, static), branch.variable)
        pieces, flush = self.writer.pieces, self.writer.flush
        counter = scope.places.get(branch.variable)

        def run() -> None:
            if counter is not None:
                counter.reset()
            for node in walk([env[source]]):
                env[slot] = node
                body()
                if len(pieces) > MANY:
                    flush()

        return run

    def branches(self, query: flux.Loop, static: StaticContext) -> Act:
        """Several branches: nodes come in document order, and each runs the one whose test it passes."""
        scope = static.scope
        env, source = scope.env, scope.slots[query.source].number
        compiled: list[tuple[Callable[[Node], bool], int, Act]] = []
        for branch in query.branches:
            slot = scope.bind(branch.variable, "item", [query.source])
            body = self.with_reset(self.of(branch.body, static), branch.variable)
            compiled.append((_passing(branch.test, static), slot, body))
        counters = [
            scope.places[branch.variable] for branch in query.branches if branch.variable in scope.places
        ]

        def run() -> None:
            for counter in counters:
                counter.reset()
            for node in list(env[source].children):
                for passes, slot, body in compiled:
                    if passes(node):
                        env[slot] = node
                        body()
                        break

        return run

    def joined(self, branch: flux.Branch, source: str, walk: Walk, static: StaticContext) -> Act | None:
        """A loop whose items are looked up by a condition around its whole body (section 3.7.2.3).

        Positions count all items, also those that a lookup would skip.
        """
        if branch.variable in static.scope.places:
            return None
        for guard in guards(branch.body, static.scope.depends):
            if branch.variable in through(guard, static.scope.depends) - free(guard):
                continue
            condition = joins.condition(guard, branch.variable, (), static.scope)
            if condition is not None:
                break
        else:
            return None
        scope = static.scope
        env, number = scope.env, scope.slots[source].number
        slot = scope.bind(branch.variable, "item", [source])

        def all_items() -> Items:
            return [*walk([env[number]])]

        lookup = joins.Lookup(condition, all_items, slot, [source], static)
        holds = compiler.test(guard, static)
        body = self.of(unguarded(branch.body, [guard]), static)
        resets = self.resets.get(branch.variable, ())

        def run() -> None:
            items, positions, exact = lookup.matches()
            for position in sorted(positions):
                env[slot] = items[position]
                for act in resets:
                    act()
                if exact or holds():
                    body()

        return run

    def for_(self, query: flux.For, static: StaticContext) -> Act:
        """A loop over the items of an expression, which are looked up where a condition allows it."""
        if query.at is not None:
            # Positions count all items, also those that a lookup would skip.
            return self.plain(query, static)
        clauses: list[ast.Clause] = [ast.For(query.variable, query.source)]
        conditions = guards(query.body, static.scope.depends)
        if any(joins.condition(condition, query.variable, (), static.scope) for condition in conditions):
            clauses += [ast.Where(condition) for condition in conditions]
            query = replace(query, body=unguarded(query.body, conditions))
        if len(clauses) > 1:
            query = replace(query, source=ast.Flwor(tuple(clauses), ast.Variable(query.variable)))
        return self.plain(query, static)

    def plain(self, query: flux.For, static: StaticContext) -> Act:
        scope = static.scope
        source = compiler.items(query.source, static)
        slot = scope.bind(query.variable, "item", free(query.source))
        place = scope.bind(query.at) if query.at else None
        body, env = self.of(query.body, static), scope.env
        pieces, flush = self.writer.pieces, self.writer.flush

        def run() -> None:
            for position, item in enumerate(source(), 1):
                env[slot] = item
                if place is not None:
                    env[place] = position
                body()
                if len(pieces) > MANY:
                    flush()

        return run

    def windowed(self, query: flux.Windowed, static: StaticContext) -> Act:
        scope = static.scope
        env, source = scope.env, scope.slots[query.source].number
        steps = [_walk(test, static) for test in query.path]
        item = scope.bind(query.item, "item", [query.source])
        holds = compiler.test(query.where, static) if query.where is not None else None
        reference = compile_reference(query.window, static)
        slot = scope.bind(query.variable, "items", [query.source])
        body, window = self.of(query.body, static), query.window

        def takes_part(node: Node) -> bool:
            env[item] = node
            return holds is None or holds()

        def run() -> None:
            nodes: list[Node] = [env[source]]
            for step in steps:
                nodes = step(nodes)
            for items in windows([*filter(takes_part, nodes)], window, reference):
                env[slot] = items
                body()

        return run


def _passing(test: flux.Test, static: StaticContext) -> Callable[[Node], bool]:
    if test.name == TEXT:
        return lambda node: node.kind == "text"
    fitting = fits(test.name, static)
    return lambda node: node.kind == "element" and node.name is not None and fitting(node.name)


def _walk(test: flux.Test, static: StaticContext) -> Walk:
    """The step from nodes to those of their children that pass a test."""
    if "*" in test.name or test.name == TEXT:
        passes = _passing(test, static)
        return lambda nodes: [child for node in nodes for child in node.children if passes(child)]
    return named_children(test.name, static)
