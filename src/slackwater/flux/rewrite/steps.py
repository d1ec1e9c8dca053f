"""Which children a step of a path takes, as far as a schema tells; which predicates are conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import BOOLEAN, CASTS, FUNCTIONS, PASSING, Use
from slackwater.schema import TEXT, Type
from slackwater.schema.paths import resolve_descendants
from slackwater.schema.schema import UNKNOWN

MOST_BRANCHES = 32
"""A step that stands for more paths than this is not taken apart."""
_ATOMIC = {name for name, each in FUNCTIONS.items() if each.gives_values} | set(CASTS)
"""Functions that give values."""
UPWARD = {
    "parent", "ancestor", "ancestor-or-self", "following-sibling", "preceding-sibling", "following",
    "preceding",
}  # fmt: skip
_UPWARD_FUNCTIONS = {
    name for name, each in FUNCTIONS.items() if Use.DOCUMENT in each.uses(len(each.parameters))
}
_DEEP = ast.Step("descendant-or-self", ast.KindTest("node"))

AnyStep = ast.Step | ast.ExprStep


@dataclass(frozen=True)
class Taken:
    """The paths of child names that the first steps of a path stand for, and what follows them."""

    paths: tuple[tuple[str, ...], ...]
    predicates: tuple[ast.Expr, ...]
    rest: tuple[AnyStep, ...]

    @property
    def is_here(self) -> bool:
        """There is no step left."""
        return self.paths == ((),)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the next step."""
        return tuple(dict.fromkeys(path[0] for path in self.paths))

    def is_last(self, name: str) -> bool:
        return (name,) in self.paths

    def below(self, name: str) -> Taken:
        """What is left of it in a child of this name."""
        inner = tuple(path[1:] for path in self.paths if path[0] == name)
        return Taken(inner, self.predicates, self.rest)


def taken(type: Type, path: Sequence[AnyStep]) -> Taken | None:
    """The first step of a path below a node of this type; none where it cannot be taken apart."""
    first, rest = path[0], tuple(path[1:])
    if first == _DEEP and rest and isinstance(rest[0], ast.Step) and rest[0].axis == "child":
        found = _below(type, rest[0].test)
        return _checked(found, rest[0].predicates, rest[1:])
    if isinstance(first, ast.ExprStep):
        return _alternatives(type, first.expr, rest)
    match first.axis:
        case "child":
            return _checked(_children(type, first.test), first.predicates, rest)
        case "descendant":
            return _checked(_below(type, first.test), first.predicates, rest)
        case "self" if first.test == ast.KindTest("node"):
            return _checked(((),), first.predicates, rest)
    return None


def is_divisible(path: Sequence[AnyStep]) -> bool:
    """$y/a/π = for $x in $y/a return $x/π, as far as expressions among the steps of π allow it.

    They do where all nodes that they give lie below $x, and where they do not ask how many $x there are.
    """
    inner = [each.expr for each in path[1:] if isinstance(each, ast.ExprStep)]
    return all(_stays_below(each) and not asks(each, "position") and not asks(each, "last") for each in inner)


def _stays_below(expr: ast.Expr) -> bool:
    """All nodes that the expression gives are new, or the context item and what is in it."""
    match expr:
        case (
            ast.ContextItem() | ast.Element() | ast.Computed() | ast.Comment() | ast.String() | ast.Integer()
        ):
            return True
        case ast.Path(ast.ContextItem(), steps):
            return all(isinstance(each, ast.Step) and each.axis not in UPWARD for each in steps)
        case ast.Filter(source, _):
            return _stays_below(source)
        case ast.Sequence(items):
            return all(map(_stays_below, items))
        case ast.If(_, then, otherwise):
            return _stays_below(then) and _stays_below(otherwise)
        case ast.SetOperation(_, left, right):
            return _stays_below(left) and _stays_below(right)
        case ast.Compare() | ast.Logical() | ast.Quantified() | ast.Arithmetic() | ast.Unary() | ast.Range():
            return True
        case ast.Call(name, arguments):
            return name in _ATOMIC or (
                name in PASSING and all(map(_stays_below, FUNCTIONS[name].passed(arguments)))
            )
    return False


def counted(type: Type, path: Sequence[AnyStep]) -> Taken | None:
    """As `taken`, for a step whose first predicate is about positions: `a[1]`, `a[position() < 3][χ]`.

    Children of several names, and texts, are counted by no handler.
    """
    deep = len(path) > 1 and path[0] == _DEEP
    step, rest = path[deep], tuple(path[deep + 1 :])
    if not isinstance(step, ast.Step) or step.axis != "child" or not step.predicates:
        return None
    first, *others = step.predicates
    condition = _place_condition(first)
    if condition is None or not are_boolean(others):
        return None
    found = taken(type, (*path[:deep], replace(step, predicates=()), *rest))
    if found is None or (TEXT,) in found.paths or not (deep or len(found.paths) == 1):
        return None
    return Taken(found.paths, (condition, *others), rest)


def _place_condition(predicate: ast.Expr) -> ast.Expr | None:
    """[n] is [position() = n]; none where a predicate is no condition on the position."""
    if isinstance(predicate, ast.Integer):
        return ast.Compare("=", ast.Call("position", ()), predicate, span=predicate.span)
    if not _is_boolean(predicate) or asks(predicate, "last"):
        return None
    return predicate if asks(predicate, "position") else None


def with_predicates(path: ast.Path, predicates: tuple[ast.Expr, ...]) -> ast.Path:
    """($x/a/b)[χ] = $x/a/b[χ], if all b are children of one node"""
    *before, last = path.steps
    assert isinstance(last, ast.Step)
    return replace(path, steps=(*before, replace(last, predicates=predicates)))


def only_path(type: Type, path: Sequence[AnyStep]) -> bool:
    """Of all nodes on the path but the last there is one at most: its last ones are children of one node."""
    for place, step in enumerate(path):
        found = taken(type, [step])
        if found is None or found.predicates or not isinstance(step, ast.Step) or step.axis != "child":
            return False
        if len(found.paths) != 1:
            return False
        ((name,),) = found.paths
        if place == len(path) - 1:
            return name != TEXT
        if not type.automaton.at_most_one(name):
            return False
        type = type.child(name) or UNKNOWN
    return False


def _checked(
    paths: tuple[tuple[str, ...], ...] | None, predicates: tuple[ast.Expr, ...], rest: tuple[AnyStep, ...]
) -> Taken | None:
    if paths is None or len(paths) > MOST_BRANCHES or not are_boolean(predicates):
        return None
    return Taken(paths, predicates, rest)


def _children(type: Type, test: ast.NameTest | ast.KindTest) -> tuple[tuple[str, ...], ...] | None:
    match test:
        case ast.KindTest("text"):
            return ((TEXT,),)
        case ast.KindTest("element", None) | ast.NameTest("*"):
            return tuple((name,) for name in type.names) if type.is_known else (("*",),)
        case ast.KindTest("element", name) if name is not None and "*" not in name:
            return ((name,),)
        case ast.NameTest(name) if "*" not in name:
            return ((name,),)
        case ast.NameTest(name) if type.is_known:
            return tuple((each,) for each in type.names if _fits(each, name))
    return None


def _fits(name: str, pattern: str) -> bool:
    prefix, _, local = pattern.partition(":")
    own_prefix, _, own_local = name.rpartition(":")
    return prefix in ("*", own_prefix) and local in ("*", own_local)


def _below(type: Type, test: ast.NameTest | ast.KindTest) -> tuple[tuple[str, ...], ...] | None:
    """The paths to descendants; none where one may stand in another, since loops would mix up their order."""
    match test:
        case ast.NameTest(name) if "*" not in name:
            found = resolve_descendants(type, name)
        case _:
            return None
    if found is None:
        return None
    paths = tuple(path for path, _ in found)
    nested = any(a != b and b[: len(a)] == a for a in paths for b in paths)
    return None if nested else paths


def _alternatives(type: Type, expr: ast.Expr, rest: tuple[AnyStep, ...]) -> Taken | None:
    """`(a | b)` as a step, and `.`."""
    if isinstance(expr, ast.ContextItem):
        return Taken(((),), (), rest)
    tests = _tests(expr)
    if tests is None:
        return None
    found = [_children(type, each) for each in tests]
    if any(each is None for each in found):
        return None
    paths = tuple(dict.fromkeys(path for each in found for path in each or ()))
    if ("*",) in paths:
        # All elements: what is named beside them is one of them, unless it is text.
        paths = tuple(path for path in paths if path in (("*",), (TEXT,)))
    return _checked(paths, (), rest)


def _tests(expr: ast.Expr) -> list[ast.NameTest | ast.KindTest] | None:
    match expr:
        case ast.Path(ast.ContextItem(), (ast.Step("child", test, ()),)):
            return [test]
        case ast.SetOperation("union", left, right):
            first, second = _tests(left), _tests(right)
            return None if first is None or second is None else [*first, *second]
    return None


def as_path(expr: ast.Expr) -> ast.Path | None:
    """$x/a | $x/b = $x/(a | b)"""
    sides = _sides(expr)
    first = sides[0]
    if not isinstance(first, ast.Path):
        return None
    steps: list[ast.Expr] = []
    for each in sides:
        if not isinstance(each, ast.Path) or each.source != first.source:
            return None
        if each.steps[:-1] != first.steps[:-1]:
            return None
        steps.append(ast.Path(ast.ContextItem(), each.steps[-1:]))
    union = steps[0]
    for step in steps[1:]:
        union = ast.SetOperation("union", union, step)
    return ast.Path(first.source, (*first.steps[:-1], ast.ExprStep(union)))


def _sides(expr: ast.Expr) -> list[ast.Expr]:
    if isinstance(expr, ast.SetOperation):
        return [*_sides(expr.left), *_sides(expr.right)] if expr.op == "union" else [expr]
    return [expr]


@dataclass(frozen=True)
class WindowPath:
    """The child names that lead to the items of windows, and what an item must fulfil."""

    names: tuple[str, ...]
    predicates: tuple[ast.Expr, ...]
    type: Type = field(repr=False)


def window_path(type: Type, path: Sequence[AnyStep]) -> WindowPath | None:
    """A path of names, with conditions at its end only; none where it is more than that."""
    names: list[str] = []
    for place, step in enumerate(path):
        found = taken(type, [step])
        if found is None or len(found.paths) != 1 or len(found.paths[0]) != 1:
            return None
        if found.predicates and place < len(path) - 1:
            return None
        (name,) = found.paths[0]
        names.append(name)
        type = type.child(name) or UNKNOWN
    last = path[-1]
    return WindowPath(tuple(names), last.predicates if isinstance(last, ast.Step) else (), type)


def are_boolean(predicates: Sequence[ast.Expr]) -> bool:
    """The predicates are conditions, none a position."""
    return all(
        _is_boolean(each) and not asks(each, "position") and not asks(each, "last") for each in predicates
    )


def _is_boolean(expr: ast.Expr) -> bool:
    match expr:
        case ast.Compare() | ast.Logical() | ast.Quantified():
            return True
        case ast.Typed(op):
            return op in ("castable", "instance")
        case ast.Call(name):
            return name in BOOLEAN
    return gives_nodes(expr)


def gives_nodes(expr: ast.Expr) -> bool:
    """The expression can give nothing but nodes."""
    match expr:
        case ast.Path(_, (*_, last)):
            return isinstance(last, ast.Step) or gives_nodes(last.expr)
        case ast.Filter(source, _):
            return gives_nodes(source)
        case ast.SetOperation() | ast.Element() | ast.Computed() | ast.Comment() | ast.ContextItem():
            return True
        case ast.Sequence(items):
            return all(map(gives_nodes, items))
        case ast.Flwor(_, result):
            return gives_nodes(result)
        case ast.If(_, then, otherwise):
            return gives_nodes(then) and gives_nodes(otherwise)
        case ast.Call(name, arguments) if name in PASSING:
            return all(map(gives_nodes, FUNCTIONS[name].passed(arguments)))
    return False


def is_obvious(clause: ast.Clause) -> bool:
    """The type that a clause gives its variable, if any, says nothing that the path does not say already."""
    match clause:
        case ast.For(_, source, type=type):
            counts = True
        case ast.Let(_, source, type):
            counts = type is not None and type.occurrence == "*"
        case _:
            return True
    if type is None or (type.item == "item()" and type.occurrence == "*"):
        return True
    if not counts or not isinstance(source, ast.Path) or not isinstance(source.steps[-1], ast.Step):
        return False
    last = source.steps[-1]
    is_element = last.axis in ("child", "descendant") and isinstance(last.test, ast.NameTest)
    kinds = {"item()", "node()"} | ({"element()", f"element({last.test.name})"} if is_element else set())
    return type.item in kinds


def asks(expr: ast.Expr, function: str) -> bool:
    """`position()` or `last()` of the focus that the predicate is evaluated in."""
    match expr:
        case ast.Call(name, ()) if name == function:
            return True
        case ast.Path(source, _) | ast.Filter(source, _):
            return asks(source, function)
        case _:
            return any(_asks_inside(each, function) for each in ast.children(expr))


def _asks_inside(node: ast.Node, function: str) -> bool:
    if isinstance(node, ast.Expr):
        return asks(node, function)
    return any(_asks_inside(each, function) for each in ast.children(node))


def looks_upward(node: ast.Node) -> bool:
    """The query walks to parents, siblings or roots, which may lie outside of what is buffered."""
    for each in ast.walk(node):
        if isinstance(each, ast.Root) or (isinstance(each, ast.Step) and each.axis in UPWARD):
            return True
        if isinstance(each, ast.Call) and each.name in _UPWARD_FUNCTIONS:
            return True
    return False


def variable(name: str) -> str:
    """A variable's name for what a step binds."""
    return {TEXT: "text", "*": "child"}.get(name, name)
