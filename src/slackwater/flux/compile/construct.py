"""Constructors inside expressions as functions that build trees."""

from __future__ import annotations

from collections.abc import Callable

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import Run, StaticContext
from slackwater.flux.values import construct as value_construct
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.tree import Name, Node, rooted
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.markup import declares_namespace


def constructor(expr: ast.Expr, static: StaticContext) -> Run:
    match expr:
        case ast.Characters(text):
            return lambda: [rooted(Node("text", text=text))]
        case ast.Comment(text):
            return lambda: [rooted(Node("comment", text=text))]
        case ast.ProcessingInstruction(target, text):
            return lambda: [rooted(Node("processing-instruction", Name(target), text))]
        case ast.Element():
            return _located(expr, _element(expr, static))
        case ast.Computed():
            return _located(expr, _computed(expr, static))
    raise TypeError(f"no constructor of XQuery: {expr!r}")


def _located(expr: ast.Expr, construct: Run) -> Run:
    def run() -> Items:
        try:
            return construct()
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def _element(expr: ast.Element, static: StaticContext) -> Run:
    declared = value_construct.declared_namespaces(expr)
    inner = static.within(declared)
    name = inner.name(expr.name)
    namespaces = {prefix: uri for prefix, uri in declared.items() if uri}
    texts = attribute_texts(expr.attributes, inner)
    parts = [compiler.items(part, inner) for part in expr.content]

    def run() -> Items:
        attribute_nodes: Items = [Node("attribute", attribute_name, text()) for attribute_name, text in texts]
        return [value_construct.element(name, [attribute_nodes, *[part() for part in parts]], namespaces)]

    return run


def attribute_texts(
    attributes: tuple[ast.Attribute, ...], static: StaticContext
) -> list[tuple[Name, Callable[[], str]]]:
    """The attributes of a start tag, those that declare namespaces left out."""
    return [
        (static.name(attribute.name, is_element=False), attribute_text(attribute, static))
        for attribute in attributes
        if not declares_namespace(attribute.name)
    ]


def attribute_text(attribute: ast.Attribute, static: StaticContext) -> Callable[[], str]:
    if all(isinstance(part, ast.Characters) for part in attribute.content):
        text = "".join(part.text for part in attribute.content if isinstance(part, ast.Characters))
        return lambda: text
    parts = [_part(part, static) for part in attribute.content]
    return lambda: "".join([part() for part in parts])


def _part(expr: ast.Expr, static: StaticContext) -> Callable[[], str]:
    if isinstance(expr, ast.Characters):
        text = expr.text
        return lambda: text
    value = compiler.items(expr, static)
    return lambda: value_construct.joined_text(value())


def _computed(expr: ast.Computed, static: StaticContext) -> Run:
    value = compiler.items(expr.content, static)
    if expr.name is not None:
        return _computed_name(expr, expr.name, value, static)
    if expr.kind == "document":
        return lambda: [value_construct.document(value())]
    if expr.kind == "comment":
        return lambda: [value_construct.comment(value())]

    def run() -> Items:
        content = value()
        return [rooted(Node("text", text=value_construct.joined_text(content)))] if content else []

    return run


def _computed_name(expr: ast.Computed, name: ast.Expr, value: Run, static: StaticContext) -> Run:
    naming, context = compiler.items(name, static), static.context
    is_element = expr.kind == "element"

    def run() -> Items:
        content = value()
        node_name = value_construct.computed_name(naming(), context, is_element)
        if is_element:
            return [value_construct.element(node_name, [content], {})]
        return [rooted(Node("attribute", node_name, value_construct.joined_text(content)))]

    return run
