"""Steps of a path as paths of child names, as far as a schema determines them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from slackwater.flux.rewrite.shapes import UPWARD, are_boolean, calls_in_focus, is_boolean, uses_position
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import CASTS, FUNCTIONS, PASSING
from slackwater.schema import TEXT, Type
from slackwater.schema.paths import resolve_descendants
from slackwater.schema.schema import UNKNOWN

MOST_BRANCHES = 32
"""A step that stands for more paths than this is not divided into branches."""
_ATOMIC = {name for name, function in FUNCTIONS.items() if function.gives_values} | set(CASTS)
"""Functions that give values, not nodes."""

AnyStep = ast.Step | ast.ExprStep


@dataclass(frozen=True)
class ChildPaths:
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

    def below(self, name: str) -> ChildPaths:
        """What remains of the paths in a child of this name."""
        inner = tuple(path[1:] for path in self.paths if path[0] == name)
        return ChildPaths(inner, self.predicates, self.rest)


def child_paths(type: Type, path: Sequence[AnyStep]) -> ChildPaths | None:
    """The first step of a path below a node of this type; None where it cannot be divided."""
    first, rest = path[0], tuple(path[1:])
    if first == ast.DOUBLE_SLASH and rest and isinstance(rest[0], ast.Step) and rest[0].axis == "child":
        paths = _below(type, rest[0].test)
        return _checked(paths, rest[0].predicates, rest[1:])
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

    They do where all nodes that they give are below $x, and where they do not use the position of $x.
    """
    inner = [step.expr for step in path[1:] if isinstance(step, ast.ExprStep)]
    return all(_stays_below(expr) and not uses_position(expr) for expr in inner)


def _stays_below(expr: ast.Expr) -> bool:
    """All nodes that the expression gives are new, or the context item and its descendants."""
    match expr:
        case (
            ast.ContextItem() | ast.Element() | ast.Computed() | ast.Comment() | ast.String() | ast.Integer()
        ):
            return True
        case ast.Path(ast.ContextItem(), steps):
            return all(isinstance(step, ast.Step) and step.axis not in UPWARD for step in steps)
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


def counted_paths(type: Type, path: Sequence[AnyStep]) -> ChildPaths | None:
    """As `child_paths`, for a step whose first predicate is about positions: `a[1]`, `a[position() < 3][χ]`.

    No handler counts children of several names, or texts.
    """
    deep = len(path) > 1 and path[0] == ast.DOUBLE_SLASH
    step, rest = path[deep], tuple(path[deep + 1 :])
    if not isinstance(step, ast.Step) or step.axis != "child" or not step.predicates:
        return None
    first, *others = step.predicates
    condition = _place_condition(first)
    if condition is None or not are_boolean(others):
        return None
    children = child_paths(type, (*path[:deep], replace(step, predicates=()), *rest))
    if children is None or (TEXT,) in children.paths or not (deep or len(children.paths) == 1):
        return None
    return ChildPaths(children.paths, (condition, *others), rest)


def _place_condition(predicate: ast.Expr) -> ast.Expr | None:
    """[n] is [position() = n]; None where a predicate is no condition on the position."""
    if isinstance(predicate, ast.Integer):
        return ast.Compare("=", ast.Call("position", ()), predicate, span=predicate.span)
    if not is_boolean(predicate) or calls_in_focus(predicate, "last"):
        return None
    return predicate if calls_in_focus(predicate, "position") else None


def with_predicates(path: ast.Path, predicates: tuple[ast.Expr, ...]) -> ast.Path:
    """($x/a/b)[χ] = $x/a/b[χ], if all b are children of one node"""
    *before, last = path.steps
    assert isinstance(last, ast.Step)
    return replace(path, steps=(*before, replace(last, predicates=predicates)))


def only_path(type: Type, path: Sequence[AnyStep]) -> bool:
    """All steps but the last select at most one node: the last ones are children of one node."""
    for place, step in enumerate(path):
        children = child_paths(type, [step])
        if children is None or children.predicates or not isinstance(step, ast.Step) or step.axis != "child":
            return False
        if len(children.paths) != 1:
            return False
        ((name,),) = children.paths
        if place == len(path) - 1:
            return name != TEXT
        if not type.automaton.at_most_one(name):
            return False
        type = type.child(name) or UNKNOWN
    return False


def _checked(
    paths: tuple[tuple[str, ...], ...] | None, predicates: tuple[ast.Expr, ...], rest: tuple[AnyStep, ...]
) -> ChildPaths | None:
    if paths is None or len(paths) > MOST_BRANCHES or not are_boolean(predicates):
        return None
    return ChildPaths(paths, predicates, rest)


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
            return tuple((child,) for child in type.names if _fits(child, name))
    return None


def _fits(name: str, pattern: str) -> bool:
    prefix, _, local = pattern.partition(":")
    own_prefix, _, own_local = name.rpartition(":")
    return prefix in ("*", own_prefix) and local in ("*", own_local)


def _below(type: Type, test: ast.NameTest | ast.KindTest) -> tuple[tuple[str, ...], ...] | None:
    """The paths to descendants; None where one may be in another: loops would mix up their order."""
    match test:
        case ast.NameTest(name) if "*" not in name:
            resolved = resolve_descendants(type, name)
        case _:
            return None
    if resolved is None:
        return None
    paths = tuple(path for path, _ in resolved)
    nested = any(a != b and b[: len(a)] == a for a in paths for b in paths)
    return None if nested else paths


def _alternatives(type: Type, expr: ast.Expr, rest: tuple[AnyStep, ...]) -> ChildPaths | None:
    """`(a | b)` as a step, and `.`."""
    if isinstance(expr, ast.ContextItem):
        return ChildPaths(((),), (), rest)
    tests = _tests(expr)
    if tests is None:
        return None
    alternatives = [_children(type, test) for test in tests]
    if any(alternative is None for alternative in alternatives):
        return None
    paths = tuple(dict.fromkeys(path for alternative in alternatives for path in alternative or ()))
    if ("*",) in paths:
        # All elements: further names are among them, except text.
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
    for side in sides:
        if not isinstance(side, ast.Path) or side.source != first.source:
            return None
        if side.steps[:-1] != first.steps[:-1]:
            return None
        steps.append(ast.Path(ast.ContextItem(), side.steps[-1:]))
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
    """The child names that lead to the items of windows, and the conditions on an item."""

    names: tuple[str, ...]
    predicates: tuple[ast.Expr, ...]
    type: Type = field(repr=False)


def window_path(type: Type, path: Sequence[AnyStep]) -> WindowPath | None:
    """A path of names, with conditions only at its end; None for any other path."""
    names: list[str] = []
    for place, step in enumerate(path):
        children = child_paths(type, [step])
        if children is None or len(children.paths) != 1 or len(children.paths[0]) != 1:
            return None
        if children.predicates and place < len(path) - 1:
            return None
        (name,) = children.paths[0]
        names.append(name)
        type = type.child(name) or UNKNOWN
    last = path[-1]
    return WindowPath(tuple(names), last.predicates if isinstance(last, ast.Step) else (), type)


def variable(name: str) -> str:
    """A name for the variable that a step binds."""
    return {TEXT: "text", "*": "child"}.get(name, name)
