"""Strategies for documents and queries over them, to compare one evaluator with another.

Expressions are drawn by the type of their value, so that most queries have an answer: what is compared with a
number is mostly a number, and a step starts from a node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

from slackwater.language.xquery import syntax as ast

ELEMENTS = ("a", "b", "c")
ATTRIBUTES = ("n", "k")
WORDS = ("x", "y", "xy", "", "10", "2")
QUOTED = 'é"'
NUMERALS = ("1", "2", "10", "2.5", "-3", "0", " 7 ", "1e2")


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A small document below the root `r`; numerals are more frequent than words."""
    inside = "".join(draw(_content(3)) for _ in range(draw(st.integers(1, 4))))
    return f"<r>{inside}</r>"


@st.composite
def _content(draw: st.DrawFn, depth: int) -> str:
    kinds = ["text", "element", "element", "element", "comment", "instruction"]
    kind = draw(st.sampled_from(kinds if depth else ["text"]))
    match kind:
        case "text":
            return escape(draw(st.sampled_from((*NUMERALS, *NUMERALS, "x", "a<b&c", "\n "))))
        case "comment":
            return "<!--1-->"
        case "instruction":
            return "<?p 1?>"
    name = draw(st.sampled_from(ELEMENTS))
    tag = name
    if draw(st.booleans()):
        tag += f" n={quoteattr(draw(st.sampled_from(NUMERALS)))}"
    if draw(st.booleans()):
        tag += f" k={quoteattr(draw(st.sampled_from((*WORDS, QUOTED))))}"
    inside = "".join(draw(_content(depth - 1)) for _ in range(draw(st.integers(0, 3))))
    return f"<{tag}>{inside}</{name}>"


@dataclass(frozen=True)
class Scope:
    """What an expression may use: variables, the focus, and how many levels of expressions."""

    depth: int
    nodes: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    focused: bool = False

    @property
    def deeper(self) -> Scope:
        return replace(self, depth=self.depth - 1)

    def with_node(self, name: str) -> Scope:
        return replace(self, depth=self.depth - 1, nodes=(*self.nodes, name))


@st.composite
def queries(draw: st.DrawFn, depth: int = 4) -> ast.Module:
    return ast.Module(ast.Element("out", (), (draw(items(Scope(depth))),)))


@st.composite
def items(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    """Any content of an element."""
    if scope.depth <= 0:
        return draw(st.one_of(_source(scope), numbers(scope), texts(scope)))
    inner = scope.deeper
    return draw(
        st.one_of(
            nodes(scope),
            flwors(scope),
            elements(inner),
            conditions(inner),
            numbers(inner),
            texts(inner),
            st.tuples(items(inner), items(inner)).map(ast.Sequence),
            st.builds(ast.If, conditions(inner), items(inner), items(inner)),
            st.builds(lambda source: ast.Call("distinct-values", (source,)), nodes(inner)),
        )
    )


@st.composite
def _source(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    if scope.focused and draw(st.booleans()):
        return ast.ContextItem()
    if scope.nodes and draw(st.integers(0, 3)):
        return ast.Variable(draw(st.sampled_from(scope.nodes)))
    return ast.Path(ast.Root(), (ast.Step("child", ast.NameTest("r")),)) if not scope.focused else ast.Root()


@st.composite
def nodes(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    """Nodes, mostly by a path."""
    if scope.depth <= 0:
        return draw(_source(scope))
    kind = draw(st.integers(0, 9))
    inner = scope.deeper
    if kind == 0:
        operands = draw(nodes(inner)), draw(nodes(inner))
        return ast.SetOperation(draw(st.sampled_from(["union", "intersect", "except"])), *operands)
    if kind == 1:
        return ast.Filter(draw(nodes(inner)), (draw(predicates(inner)),))
    steps = tuple(draw(_step(inner)) for _ in range(draw(st.integers(1, 3))))
    return ast.Path(draw(_source(scope)), _with_depth(draw, steps))


def _with_depth(draw: st.DrawFn, steps: tuple[ast.Step, ...]) -> tuple[ast.Step, ...]:
    deep = ast.Step("descendant-or-self", ast.KindTest("node"))
    return (deep, *steps) if draw(st.integers(0, 3)) == 0 else steps


@st.composite
def _step(draw: st.DrawFn, scope: Scope) -> ast.Step:
    kind = draw(st.integers(0, 15))
    filters = ()
    if scope.depth > 0 and draw(st.integers(0, 3)) == 0:
        filters = (draw(predicates(scope)),)
    match kind:
        case 0:
            return ast.Step("child", ast.KindTest("text"), filters)
        case 1 | 2:
            return ast.Step("attribute", ast.NameTest(draw(st.sampled_from(ATTRIBUTES))), filters)
        case 3:
            axes = ["parent", "ancestor", "descendant", "following-sibling", "preceding-sibling", "self"]
            axes += ["following", "preceding", "ancestor-or-self", "descendant-or-self"]
            return ast.Step(draw(st.sampled_from(axes)), ast.KindTest("element"), filters)
        case 4:
            return ast.Step("child", ast.NameTest("*"), filters)
        case _:
            return ast.Step("child", ast.NameTest(draw(st.sampled_from(ELEMENTS))), filters)


@st.composite
def predicates(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    inside = replace(scope, depth=scope.depth - 1, focused=True)
    position = ast.Call("position")
    return draw(
        st.one_of(
            st.integers(1, 3).map(ast.Integer),
            st.just(ast.Call("last")),
            st.builds(
                lambda op, at: ast.Compare(op, position, ast.Integer(at)), _COMPARISONS, st.integers(0, 3)
            ),
            conditions(inside),
            nodes(inside),
        )
    )


_COMPARISONS = st.sampled_from(ast.GENERAL)


@st.composite
def conditions(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    if scope.depth <= 0:
        return ast.Call(draw(st.sampled_from(["exists", "empty"])), (draw(_source(scope)),))
    inner = scope.deeper
    kind = draw(st.integers(0, 8))
    match kind:
        case 0:
            return ast.Logical(
                draw(st.sampled_from(["and", "or"])), draw(conditions(inner)), draw(conditions(inner))
            )
        case 1:
            return ast.Call("not", (draw(conditions(inner)),))
        case 2:
            return ast.Compare(draw(_COMPARISONS), draw(nodes(inner)), draw(numbers(inner)))
        case 3:
            return ast.Compare(draw(_COMPARISONS), draw(nodes(inner)), draw(nodes(inner) | texts(inner)))
        case 4:
            call = draw(st.sampled_from(["contains", "starts-with", "ends-with"]))
            return ast.Call(call, (draw(texts(inner)), draw(texts(inner))))
        case 5:
            name = f"q{scope.depth}"
            binding = ast.Binding(name, draw(nodes(inner)))
            return ast.Quantified(
                draw(st.sampled_from(["some", "every"])), (binding,), draw(conditions(inner.with_node(name)))
            )
        case 6:
            return ast.Compare(draw(st.sampled_from(ast.VALUE)), draw(numbers(inner)), draw(numbers(inner)))
        case 7:
            one, other = draw(_source(scope)), draw(_source(scope))
            return ast.Compare(draw(st.sampled_from(ast.NODE)), one, other)
        case _:
            return ast.Call(draw(st.sampled_from(["exists", "empty", "boolean"])), (draw(nodes(inner)),))


@st.composite
def numbers(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    if scope.depth <= 0:
        kind = draw(st.integers(0, 3))
        if scope.numbers and kind == 0:
            return ast.Variable(draw(st.sampled_from(scope.numbers)))
        literals: list[ast.Expr] = [
            ast.Integer(2), ast.Integer(7), ast.Fixed(Decimal("2.5")), ast.Double(1.5), ast.Integer(0),
        ]  # fmt: skip
        return draw(st.sampled_from(literals))
    inner = scope.deeper
    kind = draw(st.integers(0, 5))
    match kind:
        case 0:
            return ast.Call("count", (draw(nodes(inner)),))
        case 1:
            call = draw(st.sampled_from(["sum", "avg", "min", "max"]))
            return ast.Call(call, (_children(draw(nodes(inner)), "@n"),))
        case 2:
            return ast.Arithmetic(
                draw(st.sampled_from(ast.ARITHMETIC)), draw(numbers(inner)), draw(numbers(inner))
            )
        case 3:
            call = draw(st.sampled_from(["round", "floor", "ceiling", "abs"]))
            return ast.Call(call, (draw(numbers(inner)),))
        case 4:
            return ast.Call("string-length", (draw(texts(inner)),))
        case _:
            return ast.Unary("-", draw(numbers(inner)))


def _children(source: ast.Expr, name: str) -> ast.Expr:
    step = ast.Step("attribute", ast.NameTest(name[1:]))
    return ast.Path(source, (step,))


@st.composite
def texts(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    if scope.depth <= 0:
        return ast.String(draw(st.sampled_from(WORDS)))
    inner = scope.deeper
    kind = draw(st.integers(0, 6))
    match kind:
        case 0:
            return ast.Call("string", (ast.Filter(draw(nodes(inner)), (ast.Integer(1),)),))
        case 1:
            return ast.Call("concat", (draw(texts(inner)), ast.String("-"), draw(numbers(inner))))
        case 2:
            return ast.Call("string-join", (draw(nodes(inner)), ast.String(",")))
        case 3:
            return ast.Call("substring", (draw(texts(inner)), draw(numbers(inner)), ast.Integer(2)))
        case 4:
            call = draw(st.sampled_from(["upper-case", "lower-case", "normalize-space"]))
            return ast.Call(call, (draw(texts(inner)),))
        case 5:
            return ast.Call("name", (ast.Filter(draw(nodes(inner)), (ast.Integer(1),)),))
        case _:
            return ast.Call("string", (draw(numbers(inner)),))


@st.composite
def flwors(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    """Loops over nodes, and what follows from them."""
    clauses: list[ast.Clause] = []
    for index in range(draw(st.integers(1, 2))):
        name = f"v{scope.depth}{index}"
        at = f"{name}p" if draw(st.integers(0, 3)) == 0 else None
        clauses.append(ast.For(name, draw(nodes(scope.deeper)), at))
        numbered = (*scope.numbers, at) if at else scope.numbers
        scope = replace(scope.with_node(name), numbers=numbered)
    if draw(st.booleans()):
        clauses.append(ast.Let(f"l{scope.depth}", draw(nodes(scope.deeper))))
    if draw(st.booleans()):
        clauses.append(ast.Where(draw(conditions(scope))))
    if draw(st.integers(0, 2)) == 0:
        clauses.append(ast.OrderBy((draw(_order_keys(scope)),), stable=True))
    return ast.Flwor(tuple(clauses), draw(items(scope.deeper)))


@st.composite
def _order_keys(draw: st.DrawFn, scope: Scope) -> ast.OrderKey:
    number = ast.Call("number", (ast.Filter(_children(draw(_source(scope)), "@n"), (ast.Integer(1),)),))
    text = ast.Filter(_children(draw(_source(scope)), "@k"), (ast.Integer(1),))
    key = draw(st.sampled_from([number, text]))
    return ast.OrderKey(key, draw(st.booleans()), draw(st.sampled_from([None, True, False])))


@st.composite
def elements(draw: st.DrawFn, scope: Scope) -> ast.Expr:
    attributes = ()
    if draw(st.booleans()):
        attributes = (ast.Attribute("t", (ast.Characters("v: "), draw(items_without_nodes(scope)))),)
    content = tuple(draw(st.lists(items(scope.deeper), max_size=2)))
    if draw(st.booleans()):
        content = (ast.Characters("a & b"), *content)
    return ast.Element(draw(st.sampled_from(ELEMENTS)), attributes, content)


def items_without_nodes(scope: Scope) -> st.SearchStrategy[ast.Expr]:
    return numbers(scope) | texts(scope) | nodes(scope)
