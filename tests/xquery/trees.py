"""Strategies for any syntax tree that a text can have, for properties of the printer."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, get_args

from hypothesis import strategies as st

from slackwater.language.xquery import syntax as ast

NAMES = st.sampled_from(
    ["a", "b-c", "for", "return", "if", "div", "text", "element", "count", "diff", "p:x", "step", "é", "in"]
)
VARIABLES = st.sampled_from(["x", "for", "in", "p:v", "ROOT"])
FUNCTIONS = st.sampled_from(["count", "local:f", "concat", "p:g", "xs:integer"])
TEXTS = st.text(alphabet="ab <>&{}\"'\n\r\t]é;#:(|", max_size=6)
TYPES = st.builds(
    ast.SequenceType,
    st.sampled_from(["xs:integer", "node()", "element(a)", "p:t", "element()"]),
    st.sampled_from(["", "?", "*", "+"]),
)
SINGLE_TYPES = st.builds(
    ast.SequenceType, st.sampled_from(["xs:integer", "xs:double"]), st.sampled_from(["", "?"])
)
MAYBE_TYPES = st.none() | TYPES
POSITIVE = st.decimals(min_value=Decimal("0.01"), max_value=1000, places=2)

LITERALS = st.one_of(
    st.builds(ast.String, TEXTS),
    st.builds(ast.Integer, st.integers(0, 10**20)),
    st.builds(ast.Fixed, st.decimals(min_value=0, max_value=10**9, places=3)),
    st.builds(ast.Double, st.floats(min_value=0, allow_infinity=False)),
)
LEAVES = st.one_of(
    LITERALS,
    st.builds(ast.Variable, VARIABLES),
    st.builds(ast.ContextItem),
    st.builds(ast.Root),
    st.builds(ast.Sequence),
    st.builds(ast.Input, st.sampled_from(["stream", "doc"]), TEXTS),
    st.builds(ast.Comment, st.sampled_from(["", " c ", "{x}"])),
    st.builds(ast.ProcessingInstruction, st.sampled_from(["t", "for"]), st.sampled_from(["", "x {y}"])),
)
NAME_TESTS = st.builds(ast.NameTest, NAMES | st.sampled_from(["*", "p:*", "*:a"]))
KIND_TESTS = st.one_of(
    st.builds(ast.KindTest, st.sampled_from(["node", "text", "comment", "document-node"])),
    st.builds(ast.KindTest, st.sampled_from(["element", "attribute"]), st.none() | NAMES),
    st.builds(ast.KindTest, st.just("processing-instruction"), st.none() | st.just("for")),
)
TESTS = NAME_TESTS | KIND_TESTS


def without_blanks(name: ast.Expr) -> ast.Expr:
    """A constant name as the parser gives it: blanks around it do not count."""
    return ast.String(name.value.strip(" \t\r\n")) if isinstance(name, ast.String) else name


def many(
    elements: st.SearchStrategy[Any], least: int = 0, most: int = 3
) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(elements, min_size=least, max_size=most).map(tuple)


def merged(parts: tuple[ast.Expr, ...]) -> tuple[ast.Expr, ...]:
    """Content as a text gives it: no two runs of characters side by side, and none empty."""
    content: list[ast.Expr] = []
    for part in parts:
        if isinstance(part, ast.Characters) and content and isinstance(content[-1], ast.Characters):
            content[-1] = ast.Characters(content[-1].text + part.text)
        else:
            content.append(part)
    return tuple(part for part in content if part != ast.Characters(""))


def _grown(inner: st.SearchStrategy[ast.Expr]) -> st.SearchStrategy[ast.Expr]:
    steps = _steps(inner)
    content = many(st.builds(ast.Characters, TEXTS) | inner).map(merged)
    attributes = many(st.builds(ast.Attribute, NAMES, content), most=2)
    return st.one_of(
        many(inner, 2, 3).map(ast.Sequence),
        st.builds(ast.Path, inner, many(steps, 1)),
        st.builds(ast.Filter, inner.filter(lambda expr: not isinstance(expr, ast.Filter)), many(inner, 1, 2)),
        _flwors(inner),
        st.builds(
            ast.Quantified,
            st.sampled_from(["some", "every"]),
            many(st.builds(ast.Binding, VARIABLES, inner), 1, 2),
            inner,
        ),
        st.builds(ast.If, inner, inner, inner),
        st.builds(ast.Logical, st.sampled_from(["and", "or"]), inner, inner),
        st.builds(ast.Compare, st.sampled_from(ast.GENERAL + ast.VALUE + ast.NODE), inner, inner),
        st.builds(ast.Arithmetic, st.sampled_from(ast.ARITHMETIC), inner, inner),
        st.builds(ast.Unary, st.sampled_from("+-"), inner),
        st.builds(ast.Range, inner, inner),
        st.builds(ast.SetOperation, st.sampled_from(ast.SETS), inner, inner),
        st.builds(ast.Typed, st.sampled_from(["treat", "instance"]), inner, TYPES),
        st.builds(ast.Typed, st.sampled_from(["cast", "castable"]), inner, SINGLE_TYPES),
        st.builds(ast.Call, FUNCTIONS, many(inner)),
        st.builds(ast.Element, NAMES, attributes, content),
        st.builds(
            ast.Computed,
            st.sampled_from(["element", "attribute"]),
            (inner | NAMES.map(lambda name: ast.String(name))).map(without_blanks),
            inner,
        ),
        st.builds(ast.Computed, st.sampled_from(["text", "document", "comment"]), st.none(), inner),
    )


def _steps(inner: st.SearchStrategy[ast.Expr]) -> st.SearchStrategy[ast.Step | ast.ExprStep]:
    axes: st.SearchStrategy[Any] = st.sampled_from(get_args(ast.Axis))
    deep = st.just(ast.Step("descendant-or-self", ast.KindTest("node")))
    axis_steps = st.builds(ast.Step, axes, TESTS, many(inner, most=2))
    # `a/.` is the step `self::node()`.
    expr_steps = st.builds(ast.ExprStep, inner.filter(lambda expr: not isinstance(expr, ast.ContextItem)))
    return axis_steps | deep | expr_steps


def _flwors(inner: st.SearchStrategy[ast.Expr]) -> st.SearchStrategy[ast.Flwor]:
    references = many(
        st.builds(ast.Step, st.sampled_from(["child", "attribute"]), st.builds(ast.NameTest, NAMES)), most=2
    )
    windows = st.one_of(
        st.none(),
        st.builds(ast.CountWindow, st.integers(1, 99), st.integers(1, 99)),
        st.builds(ast.DiffWindow, references, POSITIVE, POSITIVE),
    )
    fors = st.builds(ast.For, VARIABLES, inner, st.none() | VARIABLES, windows, MAYBE_TYPES)
    lets = st.builds(ast.Let, VARIABLES, inner, MAYBE_TYPES)
    keys = st.builds(ast.OrderKey, inner, st.booleans(), st.none() | st.booleans())
    orders = st.sampled_from(["min", "max", "subset", "local:f"])
    dimensions = many(st.builds(ast.Dimension, many(inner, 1, 2), orders, st.none() | inner), 1, 2)
    sides = st.builds(ast.Variable, VARIABLES)
    kinds = st.sampled_from(["inner", "left", "right", "full"])
    clauses = st.one_of(
        fors,
        lets,
        st.builds(ast.Where, inner),
        st.builds(ast.OrderBy, many(keys, 1, 2), st.booleans()),
        st.builds(ast.BestMatch, sides, sides, kinds, dimensions),
    )
    listed = st.builds(lambda first, rest: (first, *rest), fors | lets, many(clauses))
    return st.builds(ast.Flwor, listed, inner)


EXPRESSIONS: st.SearchStrategy[ast.Expr] = st.recursive(LEAVES, _grown, max_leaves=12)
DECLARATIONS = st.one_of(
    st.builds(
        ast.FunctionDeclaration,
        st.sampled_from(["local:f", "g"]),
        many(st.builds(ast.Parameter, VARIABLES, MAYBE_TYPES), most=2),
        MAYBE_TYPES,
        st.none() | EXPRESSIONS,
    ),
    st.builds(ast.VariableDeclaration, VARIABLES, MAYBE_TYPES, st.none() | EXPRESSIONS),
    st.builds(ast.NamespaceDeclaration, st.sampled_from(["p", "for"]), TEXTS),
    st.builds(ast.DefaultNamespace, st.sampled_from(["element", "function"]), TEXTS),
    st.builds(ast.BoundarySpace, st.booleans()),
    st.builds(ast.EmptyOrder, st.booleans()),
)
MODULES = st.builds(ast.Module, EXPRESSIONS, many(DECLARATIONS, most=2))
