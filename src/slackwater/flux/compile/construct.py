"""Constructors inside expressions as functions: trees, made as the reference makes them."""

from __future__ import annotations

from collections.abc import Callable

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import Making, Run
from slackwater.flux.values import construct as tree_construct
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.tree import Name, Node, rooted
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.markup import declares_namespace


def constructor(expr: ast.Expr, making: Making) -> Run:
    match expr:
        case ast.Characters(text):
            return lambda: [rooted(Node("text", text=text))]
        case ast.Comment(text):
            return lambda: [rooted(Node("comment", text=text))]
        case ast.ProcessingInstruction(target, text):
            return lambda: [rooted(Node("processing-instruction", Name(target), text))]
        case ast.Element():
            return _located(expr, _element(expr, making))
        case ast.Computed():
            return _located(expr, _computed(expr, making))
    raise TypeError(f"no constructor of XQuery: {expr!r}")


def _located(expr: ast.Expr, made: Run) -> Run:
    def run() -> Items:
        try:
            return made()
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def _element(expr: ast.Element, making: Making) -> Run:
    declared = tree_construct.declared_namespaces(expr)
    inner = making.within(declared)
    name = inner.name(expr.name)
    kept = {prefix: uri for prefix, uri in declared.items() if uri}
    texts = attributes(expr.attributes, inner)
    parts = [compiler.items(each, inner) for each in expr.content]

    def run() -> Items:
        given: Items = [Node("attribute", each, text()) for each, text in texts]
        return [tree_construct.element(name, [given, *[part() for part in parts]], kept)]

    return run


def attributes(written: tuple[ast.Attribute, ...], making: Making) -> list[tuple[Name, Callable[[], str]]]:
    """The attributes of a start tag, those that declare namespaces left out."""
    return [
        (making.name(each.name, is_element=False), attribute_text(each, making))
        for each in written
        if not declares_namespace(each.name)
    ]


def attribute_text(attribute: ast.Attribute, making: Making) -> Callable[[], str]:
    if all(isinstance(each, ast.Characters) for each in attribute.content):
        text = "".join(each.text for each in attribute.content if isinstance(each, ast.Characters))
        return lambda: text
    parts = [_part(each, making) for each in attribute.content]
    return lambda: "".join([part() for part in parts])


def _part(expr: ast.Expr, making: Making) -> Callable[[], str]:
    if isinstance(expr, ast.Characters):
        text = expr.text
        return lambda: text
    value = compiler.items(expr, making)
    return lambda: tree_construct.joined_text(value())


def _computed(expr: ast.Computed, making: Making) -> Run:
    value = compiler.items(expr.content, making)
    if expr.name is not None:
        return _computed_name(expr, expr.name, value, making)
    if expr.kind == "document":
        return lambda: [tree_construct.document(value())]
    if expr.kind == "comment":
        return lambda: [tree_construct.comment(value())]

    def run() -> Items:
        found = value()
        return [rooted(Node("text", text=tree_construct.joined_text(found)))] if found else []

    return run


def _computed_name(expr: ast.Computed, name: ast.Expr, value: Run, making: Making) -> Run:
    naming, context = compiler.items(name, making), making.context
    is_element = expr.kind == "element"

    def run() -> Items:
        found = value()
        given = tree_construct.computed_name(naming(), context, is_element)
        if is_element:
            return [tree_construct.element(given, [found], {})]
        return [rooted(Node("attribute", given, tree_construct.joined_text(found)))]

    return run
