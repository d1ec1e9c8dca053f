"""Queries over buffers as functions that write: what on-first handlers do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import joins as compile_join
from slackwater.flux.compile.buffers import fits
from slackwater.flux.compile.construct import attributes
from slackwater.flux.compile.context import Making
from slackwater.flux.compile.flwor import compile_reference
from slackwater.flux.compile.guards import guards, regrouped, unguarded
from slackwater.flux.compile.totals import Total
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.terms import free, through
from slackwater.flux.runtime.machine import Act
from slackwater.flux.runtime.writer import MANY, Writer
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.construct import declared_namespaces
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.tree import Node
from slackwater.flux.values.windows import windows
from slackwater.language.xquery import syntax as ast
from slackwater.schema import TEXT

Chosen = Callable[[Node], Sequence[Node]]


class Queries:
    """Compiles the queries of one FluX query, which write to one writer."""

    def __init__(self, writer: Writer, folds: dict[ast.Call, Total], begin: Mapping[str, list[Act]]) -> None:
        self.writer = writer
        self.folds = folds
        self.begin = begin
        """What begins anew when a variable is bound: lets that look at it."""

    def compiled(self, query: flux.Query, making: Making) -> Act:
        return self.of(regrouped(query, making.scope.depends), making)

    def of(self, query: flux.Query, making: Making) -> Act:
        writer = self.writer
        match query:
            case flux.Sequence(parts):
                return self.sequence(parts, making)
            case flux.Text(text):
                return lambda: writer.text(text)
            case flux.StartTag(name, given):
                return self.start(name, given, making)
            case flux.EndTag(name):
                written = str(making.name(name))
                return lambda: writer.end(written)
            case flux.Boundary():
                return self.boundary
            case flux.Copy(variable):
                return self.copy(variable, making)
            case flux.Value(expr):
                return self.value(expr, making)
            case flux.Feed(fold, value):
                return self.feed(fold, value, making)
            case flux.If(condition, body):
                holds, then = compiler.test(condition, making), self.of(body, making)

                def choose() -> None:
                    if holds():
                        then()

                return choose
            case flux.Loop():
                return self.loop(query, making)
            case flux.For():
                return self.each(query, making)
            case flux.Windowed():
                return self.windowed(query, making)
        raise TypeError(f"no query of FluX: {query!r}")

    def sequence(self, parts: Sequence[flux.Query], making: Making) -> Act:
        """Parts in their order; the namespaces of a start tag hold until its end tag."""
        acts: list[Act] = []
        around: list[Making] = []
        for part in parts:
            acts.append(self.of(part, making))
            match part:
                case flux.StartTag(name, given):
                    around.append(making)
                    making = making.within(declared_namespaces(ast.Element(name, given)))
                case flux.EndTag() if around:
                    making = around.pop()
        if len(acts) == 1:
            return acts[0]

        def run() -> None:
            for act in acts:
                act()

        return run

    def boundary(self) -> None:
        self.writer.after_value = False

    def start(self, written: str, given: tuple[ast.Attribute, ...], making: Making) -> Act:
        declared = declared_namespaces(ast.Element(written, given))
        inner = making.within(declared)
        name = inner.name(written)
        texts = attributes(given, inner)
        own = {prefix: uri for prefix, uri in declared.items() if uri}
        for each in (name, *(each for each, _ in texts)):
            if each.uri and each.prefix != "xml":
                own.setdefault(each.prefix, each.uri)
        writer = self.writer
        if not texts:
            return lambda: writer.start(name, own, ())
        return lambda: writer.start(name, own, [(each, text()) for each, text in texts])

    def copy(self, variable: str, making: Making) -> Act:
        writer = self.writer
        if making.scope.is_item(variable):
            env, number = making.scope.env, making.scope.slots[variable].number
            return lambda: writer.node(env[number])
        return self.value(ast.Variable(variable), making)

    def value(self, expr: ast.Expr, making: Making) -> Act:
        value, writer = compiler.items(expr, making), self.writer

        def write() -> None:
            try:
                writer.items(value())
            except Wrong as wrong:
                raise wrong.at(expr.span) from None

        return write

    def feed(self, fold: ast.Call, expr: ast.Expr | None, making: Making) -> Act:
        total = self.folds[fold]
        if expr is None:

            def count() -> None:
                total.count += 1

            return count
        value = compiler.items(expr, making)
        return lambda: total.feed(value())

    # Loops.

    def begun(self, body: Act, variable: str) -> Act:
        """What a loop does with each node; what belongs to its variable begins anew before."""
        begin = self.begin.get(variable)
        if not begin:
            return body

        def run() -> None:
            for act in begin:
                act()
            body()

        return run

    def loop(self, query: flux.Loop, making: Making) -> Act:
        scope = making.scope
        env, source = scope.env, scope.slots[query.source].number
        if len(query.branches) > 1:
            return self.branches(query, making)
        (branch,) = query.branches
        chosen = _chosen(branch.test, making)
        joined = self.joined(branch, query.source, chosen, making)
        if joined is not None:
            return joined
        slot = scope.bind(branch.variable, "item", [query.source])
        body = self.begun(self.of(branch.body, making), branch.variable)
        pieces, relieve = self.writer.pieces, self.writer.relieve
        counter = scope.places.get(branch.variable)

        def run() -> None:
            if counter is not None:
                counter.reset()
            for node in chosen(env[source]):
                env[slot] = node
                body()
                if len(pieces) > MANY:
                    relieve()

        return run

    def branches(self, query: flux.Loop, making: Making) -> Act:
        """Several branches: nodes come in document order, and each runs the one that it passes."""
        scope = making.scope
        env, source = scope.env, scope.slots[query.source].number
        compiled: list[tuple[Callable[[Node], bool], int, Act]] = []
        for branch in query.branches:
            slot = scope.bind(branch.variable, "item", [query.source])
            body = self.begun(self.of(branch.body, making), branch.variable)
            compiled.append((_passing(branch.test, making), slot, body))
        counters = [scope.places[each.variable] for each in query.branches if each.variable in scope.places]

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

    def joined(self, branch: flux.Branch, source: str, chosen: Chosen, making: Making) -> Act | None:
        """Items looked up by a condition that guards all that is written for them (section 3.7.2.3).

        Places count all items, also those that a lookup would pass over.
        """
        if branch.variable in making.scope.places:
            return None
        for guard in guards(branch.body, making.scope.depends):
            if branch.variable in through(guard, making.scope.depends) - free(guard):
                continue
            found = compile_join.condition(guard, branch.variable, (), making.scope)
            if found is not None:
                break
        else:
            return None
        scope = making.scope
        env, number = scope.env, scope.slots[source].number
        slot = scope.bind(branch.variable, "item", [source])

        def all_items() -> Items:
            return [*chosen(env[number])]

        lookup = compile_join.Lookup(found, all_items, slot, [source], making)
        holds = compiler.test(guard, making)
        body = self.of(unguarded(branch.body, [guard]), making)
        begin = self.begin.get(branch.variable, ())

        def run() -> None:
            items, positions, exact = lookup.matches()
            for position in sorted(positions):
                env[slot] = items[position]
                for act in begin:
                    act()
                if exact or holds():
                    body()

        return run

    def each(self, query: flux.For, making: Making) -> Act:
        """A loop over what an expression gives; items are looked up where a condition allows it."""
        if query.at is not None:
            # Positions count all items, also those that a lookup would pass over.
            return self.plain(query, making)
        clauses: list[ast.Clause] = [ast.For(query.variable, query.source)]
        found = guards(query.body, making.scope.depends)
        if any(compile_join.condition(each, query.variable, (), making.scope) for each in found):
            clauses += [ast.Where(each) for each in found]
            query = replace(query, body=unguarded(query.body, found))
        if len(clauses) > 1:
            query = replace(query, source=ast.Flwor(tuple(clauses), ast.Variable(query.variable)))
        return self.plain(query, making)

    def plain(self, query: flux.For, making: Making) -> Act:
        scope = making.scope
        source = compiler.items(query.source, making)
        slot = scope.bind(query.variable, "item", free(query.source))
        place = scope.bind(query.at) if query.at else None
        body, env = self.of(query.body, making), scope.env
        pieces, relieve = self.writer.pieces, self.writer.relieve

        def run() -> None:
            for position, item in enumerate(source(), 1):
                env[slot] = item
                if place is not None:
                    env[place] = position
                body()
                if len(pieces) > MANY:
                    relieve()

        return run

    def windowed(self, query: flux.Windowed, making: Making) -> Act:
        scope = making.scope
        env, source = scope.env, scope.slots[query.source].number
        steps = [_chosen(test, making) for test in query.path]
        item = scope.bind(query.item, "item", [query.source])
        holds = compiler.test(query.where, making) if query.where is not None else None
        reference = compile_reference(query.window, making)
        slot = scope.bind(query.variable, "items", [query.source])
        body, window = self.of(query.body, making), query.window

        def taken(node: Node) -> bool:
            env[item] = node
            return holds is None or holds()

        def run() -> None:
            nodes: Sequence[Node] = [env[source]]
            for step in steps:
                nodes = [found for node in nodes for found in step(node)]
            for each in windows([*filter(taken, nodes)], window, reference):
                env[slot] = each
                body()

        return run


def _passing(test: flux.Test, making: Making) -> Callable[[Node], bool]:
    if test.name == TEXT:
        return lambda node: node.kind == "text"
    fitting = fits(test.name, making)
    return lambda node: node.kind == "element" and node.name is not None and fitting(node.name)


def _chosen(test: flux.Test, making: Making) -> Chosen:
    """The children of a node that pass a test."""
    if "*" in test.name or test.name == TEXT:
        passes = _passing(test, making)
        return lambda node: [child for child in node.children if passes(child)]
    name = making.name(test.name)
    local, uri = name.local, name.uri

    def run(node: Node) -> Sequence[Node]:
        return [
            child
            for child in node.children
            if (found := child.name) is not None
            and found.local == local
            and child.kind == "element"
            and found.uri == uri
        ]

    return run
