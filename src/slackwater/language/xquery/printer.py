"""Syntax tree -> text that parses to the same tree.

Parentheses are printed only where they are needed. Line ends within texts are printed as references, so that
the layout of a query can change without changing its meaning.
"""

from __future__ import annotations

import re
from decimal import Decimal
from textwrap import indent

from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.markup import NAME

_WIDE = 90
_SINGLE, _OR, _AND, _COMPARE, _RANGE, _ADD, _MULTIPLY, _UNION, _INTERSECT = range(9)
_INSTANCE, _TREAT, _CASTABLE, _CAST, _UNARY, _PATH, _PRIMARY = range(9, 16)
_TYPED = {"instance": _INSTANCE, "treat": _TREAT, "castable": _CASTABLE, "cast": _CAST}
_TYPED_WORDS = {"instance": "instance of", "treat": "treat as", "castable": "castable as", "cast": "cast as"}
_UP = ast.KindTest("node")


def print_query(node: ast.Module | ast.Expr) -> str:
    """The text of a query or of an expression."""
    if isinstance(node, ast.Module):
        return "\n".join(
            [*(f"{_declaration(declaration)};" for declaration in node.declarations), _print_list(node.body)]
        )
    return _print_list(node)


def _declaration(node: ast.Declaration) -> str:
    match node:
        case ast.FunctionDeclaration(name, parameters, result, body):
            listed = ", ".join(f"${parameter.name}{_as(parameter.type)}" for parameter in parameters)
            does = "external" if body is None else _braces(body)
            return f"declare function {name}({listed}){_as(result)} {does}"
        case ast.VariableDeclaration(name, type_, value):
            return f"declare variable ${name}{_as(type_)} " + (
                "external" if value is None else f":= {_expr(value)}"
            )
        case ast.NamespaceDeclaration(prefix, uri):
            return f"declare namespace {prefix} = {_string(uri)}"
        case ast.DefaultNamespace(kind, uri):
            return f"declare default {kind} namespace {_string(uri)}"
        case ast.BoundarySpace(preserve):
            return f"declare boundary-space {'preserve' if preserve else 'strip'}"
        case ast.EmptyOrder(greatest):
            return f"declare default order empty {'greatest' if greatest else 'least'}"


def _as(type_: ast.SequenceType | None) -> str:
    return f" as {type_.item}{type_.occurrence}" if type_ else ""


def _print_list(node: ast.Expr) -> str:
    """An expression where commas need no parentheses."""
    if isinstance(node, ast.Sequence):
        return ", ".join(map(_expr, node.items)) if node.items else "()"
    return _expr(node)


def _braces(node: ast.Expr) -> str:
    inside = "" if node == ast.Sequence() else _print_list(node)
    return f"{{\n{indent(inside, '  ')}\n}}" if "\n" in inside else f"{{ {inside} }}" if inside else "{}"


def _expr(node: ast.Expr, level: int = _SINGLE) -> str:
    """The text of an expression where operators weaker than `level` need parentheses."""
    own, text = _print_with_level(node)
    return f"({text})" if own < level else text


def _print_with_level(node: ast.Expr) -> tuple[int, str]:
    match node:
        case ast.Flwor():
            return _SINGLE, _flwor(node)
        case ast.Quantified(kind, bindings, condition):
            listed = ", ".join(
                f"${binding.variable}{_as(binding.type)} in {_expr(binding.source)}" for binding in bindings
            )
            return _SINGLE, f"{kind} {listed} satisfies {_expr(condition)}"
        case ast.If(condition, then, otherwise):
            return _SINGLE, f"if ({_print_list(condition)}) then {_expr(then)} else {_expr(otherwise)}"
        case ast.Logical(op, left, right):
            return _binary(op, left, right, _OR if op == "or" else _AND)
        case ast.Compare(op, left, right):
            return _COMPARE, f"{_expr(left, _RANGE)} {op} {_expr(right, _RANGE)}"
        case ast.Range(left, right):
            return _RANGE, f"{_expr(left, _ADD)} to {_expr(right, _ADD)}"
        case ast.Arithmetic(op, left, right):
            return _binary(op, left, right, _ADD if op in "+-" else _MULTIPLY)
        case ast.SetOperation(op, left, right):
            return _binary("|" if op == "union" else op, left, right, _UNION if op == "union" else _INTERSECT)
        case ast.Typed(op, operand, type_):
            text = f"{_expr(operand, _TYPED[op] + 1)} {_TYPED_WORDS[op]} {type_.item}{type_.occurrence}"
            return _TYPED[op], text
        case ast.Unary(op, operand):
            return _UNARY, f"{op}{_expr(operand, _UNARY)}"
        case ast.Path():
            return _PATH, _path(node)
        case ast.Root():
            # A name after a bare `/` would be its step.
            return _PRIMARY, "(/)"
        case _:
            return _PRIMARY, _primary(node)


def _binary(op: str, left: ast.Expr, right: ast.Expr, level: int) -> tuple[int, str]:
    return level, f"{_expr(left, level)} {op} {_expr(right, level + 1)}"


def _flwor(node: ast.Flwor) -> str:
    parts = [*map(_clause, node.clauses), f"return {_expr(node.result)}"]
    line = " ".join(parts)
    if len(line) <= _WIDE and "\n" not in line:
        return line
    return "\n".join([part.replace("\n", "\n  ") for part in parts])


def _clause(clause: ast.Clause) -> str:
    match clause:
        case ast.For(variable, source, at, window, type_):
            position = f" at ${at}" if at else ""
            windowed = _window(window) if window else ""
            return f"for ${variable}{_as(type_)}{position} in {_expr(source)}{windowed}"
        case ast.Let(variable, value, type_):
            return f"let ${variable}{_as(type_)} := {_expr(value)}"
        case ast.Where(condition):
            return f"where {_expr(condition)}"
        case ast.OrderBy(keys, stable):
            return f"{'stable ' if stable else ''}order by {', '.join(map(_order_key, keys))}"
        case ast.BestMatch(left, right, kind, dimensions):
            outer = "" if kind == "inner" else f"{kind} outer "
            head = f"where {_expr(left)} {outer}bestmatch join {_expr(right)} on"
            listed = [*map(_dimension, dimensions)]
            line = f"{head} {', '.join(listed)}"
            return line if len(line) <= _WIDE else ",\n".join([f"{head}\n{listed[0]}", *listed[1:]])


def _dimension(dimension: ast.Dimension) -> str:
    return f"({', '.join(map(_expr, dimension.values))}) {dimension.order}{_bound(dimension.bound)}"


def _bound(bound: ast.Expr | None) -> str:
    """After a name, only literals, variables and parentheses are read as a bound."""
    match bound:
        case None:
            return ""
        case ast.String() | ast.Integer() | ast.Fixed() | ast.Double() | ast.Variable() | ast.Sequence():
            return f" {_expr(bound)}"
        case _:
            return f" ({_expr(bound)})"


def _order_key(key: ast.OrderKey) -> str:
    text = _expr(key.key) + (" descending" if key.descending else "")
    if key.empty_greatest is None:
        return text
    return f"{text} empty {'greatest' if key.empty_greatest else 'least'}"


def _window(window: ast.Window) -> str:
    match window:
        case ast.CountWindow(size, slide):
            step = f" step {slide}" if slide != size else ""
            return f"|count {size}{step}|"
        case ast.DiffWindow(reference, width, slide):
            path = "/".join(map(_step, reference))
            step = f" step {slide:f}" if slide != width else ""
            return f"|{path}{' ' if path else ''}diff {width:f}{step}|"


def _path(path: ast.Path) -> str:
    """`//` for descendant-or-self::node() between steps; a relative path begins with its first step."""
    match path.source:
        case ast.Root():
            text, before = "", True
        case ast.ContextItem() if isinstance(path.steps[0], ast.Step) and not _abbreviates(path.steps, 0):
            text, before = "", False
        case source:
            text, before = _expr(source, _PRIMARY), True
    for index, step in enumerate(path.steps):
        if _abbreviates(path.steps, index):
            text += "/"
            continue
        text += ("/" if before else "") + _step(step)
        before = True
    return text


def _abbreviates(steps: tuple[ast.Step | ast.ExprStep, ...], index: int) -> bool:
    return (
        steps[index] == ast.DOUBLE_SLASH and index + 1 < len(steps) and steps[index + 1] != ast.DOUBLE_SLASH
    )


def _step(step: ast.Step | ast.ExprStep) -> str:
    if isinstance(step, ast.ExprStep):
        return _expr(step.expr, _PRIMARY)
    predicates = "".join(f"[{_print_list(predicate)}]" for predicate in step.predicates)
    is_attribute = isinstance(step.test, ast.KindTest) and step.test.kind == "attribute"
    match step.axis:
        case "child" if not is_attribute:
            return f"{_test(step.test)}{predicates}"
        case "attribute":
            return f"@{_test(step.test)}{predicates}"
        case "parent" if step.test == _UP:
            return f"..{predicates}"
        case axis:
            return f"{axis}::{_test(step.test)}{predicates}"


def _test(test: ast.NameTest | ast.KindTest) -> str:
    return test.name if isinstance(test, ast.NameTest) else f"{test.kind}({test.name or ''})"


def _primary(node: ast.Expr) -> str:
    match node:
        case ast.String(value):
            return _string(value)
        case ast.Integer(value):
            return str(value)
        case ast.Fixed(value):
            return _fixed(value)
        case ast.Double(value):
            text = repr(value)
            return text if "e" in text else f"{text}e0"
        case ast.Variable(name):
            return f"${name}"
        case ast.ContextItem():
            return "."
        case ast.Input(kind, name):
            return f"{kind}({_string(name)})"
        case ast.Sequence():
            return f"({_print_list(node)})" if node.items else "()"
        case ast.Filter(source, predicates):
            return _expr(source, _PRIMARY) + "".join(
                f"[{_print_list(predicate)}]" for predicate in predicates
            )
        case ast.Call(name, arguments):
            return f"{name}({', '.join(map(_expr, arguments))})"
        case ast.Characters(text):
            return _string(text)
        case ast.Computed(kind, name, content):
            name_text = f" {_computed_name(name)}" if name else ""
            return f"{kind}{name_text} {_braces(content)}"
        case _:
            return _constructor(node)


def _constructor(node: ast.Expr) -> str:
    match node:
        case ast.Element(name, attributes, content):
            tag = f"<{name}" + "".join(f" {_attribute(attribute)}" for attribute in attributes)
            inside = "".join(map(_content, content))
            return f"{tag}>{inside}</{name}>" if inside else f"{tag}/>"
        case ast.Comment(text):
            return f"<!--{text}-->"
        case ast.ProcessingInstruction(target, text):
            return f"<?{target} {text}?>" if text else f"<?{target}?>"
    raise TypeError(f"no expression of XQuery: {node!r}")


def _attribute(attribute: ast.Attribute) -> str:
    parts = [
        _escape(part.text).replace('"', "&quot;") if isinstance(part, ast.Characters) else _braces(part)
        for part in attribute.content
    ]
    return f'{attribute.name}="{"".join(parts)}"'


def _content(node: ast.Expr) -> str:
    match node:
        case ast.Characters(text):
            # White space alone would be parsed as layout.
            return f"&#x{ord(text[0]):X};{_escape(text[1:])}" if text.isspace() else _escape(text)
        case ast.Element() | ast.Comment() | ast.ProcessingInstruction():
            return _constructor(node)
        case _:
            return _braces(node)


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("{", "{{").replace("}", "}}")
    return _escape_white_space(text)


def _escape_white_space(text: str) -> str:
    return re.sub(r"[\t\r\n]", lambda match: f"&#x{ord(match[0]):X};", text)


def _string(value: str) -> str:
    quoted = value.replace("&", "&amp;").replace('"', '""')
    return f'"{_escape_white_space(quoted)}"'


def _fixed(value: Decimal) -> str:
    text = f"{value:f}"
    return text if "." in text else f"{text}.0"


def _computed_name(name: ast.Expr) -> str:
    is_name = isinstance(name, ast.String) and NAME.fullmatch(name.value)
    return name.value if is_name and isinstance(name, ast.String) else _braces(name)
