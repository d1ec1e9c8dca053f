"""What an XQuery over a stream of records needs of it: ranges, other conditions, and parts of a record.

    for $p in stream("s")/photons/photon[en > 1.3] where $p/ra > 130 and $p/ra < 135 return <x>{$p/dec}</x>

    ranges  en: 1.3 < , ra: 130 < < 135          parts  dec

A query that reads more of the stream than its records one by one, such as their parents, needs all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from slackwater.flux import across
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.terms import bound, free, substituted, with_focus
from slackwater.flux.rewrite.places import Place
from slackwater.flux.rewrite.reads import Reads
from slackwater.flux.rewrite.shapes import are_boolean, looks_upward
from slackwater.globe.model import Condition, Properties, Range
from slackwater.globe.properties.compare import comparison
from slackwater.globe.properties.contain import WHOLE, top
from slackwater.globe.properties.ranges import EVERYTHING, narrowed
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import FUNCTIONS
from slackwater.language.xquery.printer import print_query

RECORD = "p"
"""The variable of a record in conditions and filters."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a query needs of its stream, and the same query without the conditions that are in the need."""

    properties: Properties
    path: tuple[str, ...]
    rest: ast.Module
    documents: tuple[str, ...]


def need_of(module: ast.Module) -> Need:
    """What a subscription needs; raises QueryError where it is none."""
    subscription = across.subscription(module)
    flwor = across.inner(module.body)
    assert isinstance(flwor, ast.Flwor)
    first = flwor.clauses[0]
    assert isinstance(first, ast.For)
    assert isinstance(first.source, ast.Path)
    name, path, documents = subscription.stream, subscription.path, subscription.documents
    everything = Need(Properties(name, "xml"), path, module, documents)
    if not _is_divisible(module, first.source.steps):
        return everything
    conditions, rest = _divided(module, flwor, first)
    ranges, others = _ranges(conditions)
    parts = _parts(module, rest)
    if parts is None:
        return everything
    properties = Properties(name, "xml", ranges, others, parts)
    return Need(properties, path, _with_inner(module, rest), documents)


def _is_divisible(module: ast.Module, steps: Sequence[ast.Step | ast.ExprStep]) -> bool:
    """Whether records can be selected and cut down before the query sees them.

    A cut-down record has a new start tag inside new ancestors, and its parts one after the other by name.
    """
    names = [*bound(module.body)]
    spaces = ast.NamespaceDeclaration | ast.DefaultNamespace
    around = steps[:-1]
    ordered = ast.SetOperation | ast.ExprStep
    return not (
        len(names) > len({*names})
        or looks_upward(module)
        or any(isinstance(one, spaces) for one in module.declarations)
        or any(isinstance(step, ast.Step) and step.predicates for step in around)
        or any(isinstance(node, ordered) for node in ast.walk(module))
        or any(isinstance(node, ast.Compare) and node.op in ast.NODE for node in ast.walk(module))
    )


def _divided(module: ast.Module, flwor: ast.Flwor, first: ast.For) -> tuple[list[ast.Expr], ast.Flwor]:
    """The conditions on single records, with the record as `$p`, and the query without them."""
    declared = {function.name for function in module.functions}
    item, record = ast.Variable(first.variable), ast.Variable(RECORD)
    assert isinstance(first.source, ast.Path)
    last = first.source.steps[-1]
    assert isinstance(last, ast.Step)
    conditions: list[ast.Expr] = []
    if last.predicates and are_boolean(last.predicates):
        split = [
            _split(predicate, lambda one: _is_plain(with_focus(one, record), RECORD, declared))
            for predicate in last.predicates
        ]
        conditions += [with_focus(one, record) for moved, _ in split for one in moved]
        last = replace(last, predicates=tuple(left for _, left in split if left is not None))
        path = replace(first.source, steps=(*first.source.steps[:-1], last))
        first = replace(first, source=path)
    clauses: list[ast.Clause] = [first]
    for clause in flwor.clauses[1:]:
        if isinstance(clause, ast.Where) and first.window is None:
            moved, left = _split(clause.condition, lambda one: _is_plain(one, item.name, declared))
            conditions += [substituted(one, {item.name: record}) for one in moved]
            clauses += [] if left is None else [replace(clause, condition=left)]
        else:
            clauses.append(clause)
    return conditions, replace(flwor, clauses=tuple(clauses))


def _split(condition: ast.Expr, moves: Callable[[ast.Expr], bool]) -> tuple[list[ast.Expr], ast.Expr | None]:
    """The conjuncts that move, and the conjunction of the others."""
    every = [*_conjuncts(condition)]
    left = [one for one in every if not moves(one)]
    return [one for one in every if moves(one)], conjunction(left)


def _conjuncts(condition: ast.Expr) -> Iterator[ast.Expr]:
    if isinstance(condition, ast.Logical) and condition.op == "and":
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def conjunction(conditions: Sequence[ast.Expr]) -> ast.Expr | None:
    """All of the conditions as one."""
    both: ast.Expr | None = None
    for one in conditions:
        both = one if both is None else ast.Logical("and", both, one)
    return both


def _is_plain(condition: ast.Expr, record: str, declared: set[str]) -> bool:
    """Whether the condition reads the record only, by functions that every peer has."""
    calls = (node.name for node in ast.walk(condition) if isinstance(node, ast.Call))
    return (
        free(condition) == {record}
        and not any(bound(condition))
        and all(name in FUNCTIONS and name not in declared for name in calls)
        and not any(isinstance(node, ast.Input | ast.Root | ast.Element) for node in ast.walk(condition))
    )


def _ranges(
    conditions: Sequence[ast.Expr],
) -> tuple[tuple[tuple[str, Range], ...], tuple[Condition, ...]]:
    """The conditions as ranges of paths, and those that are none."""
    ranges: dict[str, Range] = {}
    others: dict[Condition, None] = {}
    for condition in conditions:
        known = comparison(condition, RECORD)
        both = None if known is None else narrowed(ranges.get(known[0], EVERYTHING), known[1])
        if known is None or both is None:
            others[Condition(print_query(condition), _read({}, condition))] = None
        else:
            ranges[known[0]] = both
    return tuple(ranges.items()), tuple(others)


def _parts(module: ast.Module, rest: ast.Flwor) -> tuple[str, ...] | None:
    """The parts of a record that the rest of the query reads; None if its ancestors are read."""
    first = rest.clauses[0]
    assert isinstance(first, ast.For)
    assert isinstance(first.source, ast.Path)
    item = ast.Variable(first.variable)
    last = first.source.steps[-1]
    assert isinstance(last, ast.Step)
    exprs = [with_focus(one, item) for one in last.predicates]
    if isinstance(first.window, ast.DiffWindow):
        exprs.append(ast.Path(item, first.window.reference) if first.window.reference else item)
    exprs.append(across.behind(rest.clauses[1:], rest.result))
    functions = {function.name: function for function in module.functions}
    return _read(functions, *exprs, record=first.variable)


def _read(
    functions: dict[str, ast.FunctionDeclaration], *exprs: ast.Expr, record: str = RECORD
) -> tuple[str, ...]:
    reads = Reads({}, functions)
    for expr in exprs:
        reads.query(flux.Value(expr))
    return _names(reads.root(record))


def _names(place: Place) -> tuple[str, ...]:
    """Children and attributes of a record; the whole record where it is read in another way."""
    if place.whole or place.value or place.text or place.below or "*" in {*place.children, *place.attributes}:
        return (WHOLE,)
    return (*(f"@{name}" for name in sorted(place.attributes)), *(top(name) for name in place.children))


def _with_inner(module: ast.Module, inside: ast.Expr) -> ast.Module:
    """The module with another query inside its constructors."""

    def change(expr: ast.Expr) -> ast.Expr:
        if not isinstance(expr, ast.Element) or across.inner(expr) is expr:
            return inside
        content = tuple(part if isinstance(part, ast.Characters) else change(part) for part in expr.content)
        return replace(expr, content=content)

    return replace(module, body=change(module.body))
