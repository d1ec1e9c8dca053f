"""Rules of the grammar -> syntax tree."""

from __future__ import annotations

import re
from collections.abc import Sequence as Many
from decimal import Decimal
from typing import Any, cast, get_args

from slackwater.base.diagnostic import did_you_mean
from slackwater.base.span import Span
from slackwater.language.xquery import errors, problems
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.errors import Refused
from slackwater.language.xquery.functions import INPUTS
from slackwater.language.xquery.markup import is_target
from slackwater.language.xquery.scan import tags, words
from slackwater.language.xquery.scan.scanner import Scanner
from slackwater.language.xquery.scan.tokens import Token

_ANYTHING = ast.KindTest("node")
_AXES = frozenset(get_args(ast.Axis))


class Build:
    """One method per rule of the grammar: it takes the span of the rule and its parts, already built."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.text = scanner.text

    def __call__(self, rule: str, parts: list[Any], start: int, end: int) -> Any:
        return getattr(self, rule)(self.text.span(start, end), parts)

    def on(self, token: Token) -> Span:
        return self.text.span(token.start, token.end)

    # The module and its declarations.

    def module(self, span: Span, parts: list[Any]) -> ast.Module:
        _version, *declarations, body = parts
        return ast.Module(body, tuple(declarations), span=span)

    def function_declaration(self, span: Span, parts: list[Any]) -> ast.FunctionDeclaration:
        _declare, name, parameters, result, body = parts
        external = isinstance(body, Token)
        return ast.FunctionDeclaration(
            str(name),
            parameters or (),
            self.type_of(result),
            None if external else body,
            span=self.on(name),
        )

    def parameters(self, _span: Span, parts: list[Any]) -> tuple[ast.Parameter, ...]:
        return tuple(parts)

    def parameter(self, span: Span, parts: list[Any]) -> ast.Parameter:
        return ast.Parameter(_variable(parts[0]), self.type_of(parts[1]), span=span)

    def variable_declaration(self, _span: Span, parts: list[Any]) -> ast.VariableDeclaration:
        _declare, name, type_, value = parts
        bound = None if isinstance(value, Token) else value
        return ast.VariableDeclaration(_variable(name), self.type_of(type_), bound, span=self.on(name))

    def namespace_declaration(self, span: Span, parts: list[Any]) -> ast.NamespaceDeclaration:
        return ast.NamespaceDeclaration(str(parts[1]), self.quoted(parts[2]), span=span)

    def default_namespace(self, span: Span, parts: list[Any]) -> ast.DefaultNamespace:
        kind = parts[0].split()[2]
        return ast.DefaultNamespace(kind, self.quoted(parts[1]), span=span)

    def boundary_space(self, span: Span, parts: list[Any]) -> ast.BoundarySpace:
        return ast.BoundarySpace(parts[0].endswith("preserve"), span=span)

    def empty_order(self, span: Span, parts: list[Any]) -> ast.EmptyOrder:
        return ast.EmptyOrder(parts[0].endswith("greatest"), span=span)

    # Expressions that bind variables.

    def flwor(self, span: Span, parts: list[Any]) -> ast.Flwor:
        *groups, result = parts
        clauses = tuple(
            clause for group in groups for clause in (group if isinstance(group, list) else [group])
        )
        return ast.Flwor(clauses, result, span=span)

    def for_clause(self, _span: Span, parts: list[Any]) -> list[ast.For]:
        return parts

    def let_clause(self, _span: Span, parts: list[Any]) -> list[ast.Let]:
        return parts

    def for_binding(self, span: Span, parts: list[Any]) -> ast.For:
        name, type_, at, source, window = parts
        position = None if at is None else _variable(at)
        return ast.For(_variable(name), source, position, self.window(window), self.type_of(type_), span=span)

    def let_binding(self, span: Span, parts: list[Any]) -> ast.Let:
        return ast.Let(_variable(parts[0]), parts[2], self.type_of(parts[1]), span=span)

    def where(self, span: Span, parts: list[Any]) -> ast.Where:
        return ast.Where(parts[0], span=span)

    def where_best_match(self, span: Span, parts: list[Any]) -> list[ast.Clause]:
        """χ and $r bestmatch join $s on … and ψ: the conditions are on pairs, before the join."""
        before, _and, (join, after) = parts
        plain = after if before is None else [before, *after]
        return [*(ast.Where(condition, span=condition.span) for condition in plain), join]

    def best_match(self, span: Span, parts: list[Any]) -> tuple[ast.BestMatch, list[ast.Expr]]:
        """The join, and the conditions after it."""
        left, operator, right, *rest = parts
        dimensions = tuple(part for part in rest if isinstance(part, ast.Dimension))
        conditions = [part for part in rest if isinstance(part, ast.Expr)]
        if operator.startswith("constrained") and not any(part.bound for part in dimensions):
            raise Refused(problems.NOT_CONSTRAINED.at(self.on(operator)))
        outer = re.search("left|right|full", operator)
        one, other = (ast.Variable(_variable(token), span=self.on(token)) for token in (left, right))
        kind = cast(Any, outer[0] if outer else "inner")
        return ast.BestMatch(one, other, kind, dimensions, span=span), conditions

    def dimension(self, span: Span, parts: list[Any]) -> ast.Dimension:
        values, order, bound = parts
        return ast.Dimension(values, order.removeprefix("fn:"), bound, span=span)

    def order_by(self, span: Span, parts: list[Any]) -> ast.OrderBy:
        return ast.OrderBy(tuple(parts[1:]), parts[0].startswith("stable"), span=span)

    def order_key(self, span: Span, parts: list[Any]) -> ast.OrderKey:
        key, direction, empty = parts
        greatest = None if empty is None else empty.endswith("greatest")
        return ast.OrderKey(key, direction == "descending", greatest, span=span)

    def quantified(self, span: Span, parts: list[Any]) -> ast.Quantified:
        kind, *bindings, condition = parts
        return ast.Quantified(cast(Any, str(kind)), tuple(bindings), condition, span=span)

    def binding(self, span: Span, parts: list[Any]) -> ast.Binding:
        return ast.Binding(_variable(parts[0]), parts[2], self.type_of(parts[1]), span=span)

    def conditional(self, span: Span, parts: list[Any]) -> ast.If:
        condition, then, otherwise = parts
        return ast.If(condition, then, otherwise or ast.Sequence(), span=span)

    # Operators.

    def sequence(self, span: Span, parts: list[Any]) -> ast.Sequence:
        return ast.Sequence(tuple(parts), span=span)

    def logical(self, span: Span, parts: list[Any]) -> ast.Logical:
        left, op, right = parts
        return ast.Logical(cast(Any, str(op)), left, right, span=span)

    def compare(self, span: Span, parts: list[Any]) -> ast.Compare:
        left, *op, right = parts
        return ast.Compare(str(op[0]) if op else "=", left, right, span=span)

    def range(self, span: Span, parts: list[Any]) -> ast.Range:
        return ast.Range(parts[0], parts[1], span=span)

    def arithmetic(self, span: Span, parts: list[Any]) -> ast.Arithmetic:
        left, op, right = parts
        return ast.Arithmetic(str(op), left, right, span=span)

    def set_operation(self, span: Span, parts: list[Any]) -> ast.SetOperation:
        left, op, right = parts
        word = "union" if op == "|" else str(op)
        return ast.SetOperation(cast(Any, word), left, right, span=span)

    def typed(self, span: Span, parts: list[Any]) -> ast.Typed:
        operand, op, type_ = parts
        sequence_type = self.type_of(type_)
        assert sequence_type is not None
        return ast.Typed(cast(Any, op.split()[0]), operand, sequence_type, span=span)

    def unary(self, span: Span, parts: list[Any]) -> ast.Unary:
        return ast.Unary(cast(Any, str(parts[0])), parts[1], span=span)

    # Paths.

    def root(self, span: Span, _parts: list[Any]) -> ast.Root:
        return ast.Root(span=span)

    def rooted(self, span: Span, parts: list[Any]) -> ast.Path:
        root = ast.Root(span=self.on(parts[0]))
        return ast.Path(root, self.steps(parts), span=span)

    def relative(self, span: Span, parts: list[Any]) -> ast.Expr:
        first, *rest = parts
        if isinstance(first, ast.Step):
            source: ast.Expr = ast.ContextItem(span=first.span)
            return ast.Path(source, (first, *self.steps(rest)), span=span)
        expr = cast(ast.Expr, first)
        return ast.Path(expr, self.steps(rest), span=span) if rest else expr

    def steps(self, parts: Many[Any]) -> tuple[ast.Step | ast.ExprStep, ...]:
        """Steps from alternating separators and steps: `/ a // b`."""
        steps: list[ast.Step | ast.ExprStep] = []
        for separator, step in zip(parts[::2], parts[1::2], strict=True):
            if separator == "//":
                steps.append(ast.Step("descendant-or-self", _ANYTHING, span=self.on(separator)))
            if isinstance(step, ast.ContextItem):
                step = ast.Step("self", _ANYTHING, span=step.span)
            steps.append(step if isinstance(step, ast.Step) else ast.ExprStep(step, span=step.span))
        return tuple(steps)

    def child_step(self, span: Span, parts: list[Any]) -> ast.Step:
        test = self.test(parts[0])
        is_attribute = isinstance(test, ast.KindTest) and test.kind == "attribute"
        axis: ast.Axis = "attribute" if is_attribute else "child"
        return ast.Step(axis, test, tuple(parts[1:]), span=span)

    def attribute_step(self, span: Span, parts: list[Any]) -> ast.Step:
        return ast.Step("attribute", self.test(parts[0]), tuple(parts[1:]), span=span)

    def axis_step(self, span: Span, parts: list[Any]) -> ast.Step:
        axis = parts[0].removesuffix("::").strip()
        if axis not in _AXES:
            hint = did_you_mean(axis, _AXES)
            raise Refused(errors.unexpected(self.on(parts[0]), "an axis", hint))
        return ast.Step(axis, self.test(parts[1]), tuple(parts[2:]), span=span)

    def parent_step(self, span: Span, parts: list[Any]) -> ast.Step:
        return ast.Step("parent", _ANYTHING, tuple(parts[1:]), span=span)

    def test(self, token: Token) -> ast.NameTest | ast.KindTest:
        if token.kind == "NAME":
            return ast.NameTest(str(token), span=self.on(token))
        kind, _, inside = token.partition("(")
        name = inside.removesuffix(")").strip().strip("\"'")
        test_name = None if name in ("", "*") else name
        return ast.KindTest(cast(Any, kind.strip()), test_name, span=self.on(token))

    def filter(self, span: Span, parts: list[Any]) -> ast.Filter:
        return ast.Filter(parts[0], tuple(parts[1:]), span=span)

    # Primaries.

    def string(self, span: Span, parts: list[Any]) -> ast.String:
        return ast.String(self.quoted(parts[0]), span=span)

    def integer(self, span: Span, parts: list[Any]) -> ast.Integer:
        return ast.Integer(int(Decimal(parts[0])), span=span)

    def fixed(self, span: Span, parts: list[Any]) -> ast.Fixed:
        return ast.Fixed(Decimal(parts[0]), span=span)

    def double(self, span: Span, parts: list[Any]) -> ast.Double:
        return ast.Double(float(parts[0]), span=span)

    def variable(self, span: Span, parts: list[Any]) -> ast.Variable:
        return ast.Variable(_variable(parts[0]), span=span)

    def context_item(self, span: Span, _parts: list[Any]) -> ast.ContextItem:
        return ast.ContextItem(span=span)

    def parenthesized(self, span: Span, parts: list[Any]) -> ast.Expr:
        return ast.Sequence(span=span) if parts[0] is None else cast(ast.Expr, parts[0])

    enclosed = parenthesized

    def arguments(self, _span: Span, parts: list[Any]) -> tuple[ast.Expr, ...]:
        return tuple(parts)

    def call(self, span: Span, parts: list[Any]) -> ast.Expr:
        name = parts[0].removeprefix("fn:")
        arguments: tuple[ast.Expr, ...] = parts[1] or ()
        if name in INPUTS:
            if len(arguments) != 1 or not isinstance(arguments[0], ast.String):
                raise Refused(errors.unnamed_input(span, name))
            return ast.Input(cast(Any, INPUTS[name]), arguments[0].value, span=span)
        return ast.Call(name, arguments, span=span)

    def juxtaposed(self, span: Span, parts: list[Any]) -> ast.Expr:
        return cast(ast.Expr, parts[0]) if len(parts) == 1 else ast.Sequence(tuple(parts), span=span)

    # Constructors.

    def computed(self, span: Span, parts: list[Any]) -> ast.Computed:
        return ast.Computed(cast(Any, str(parts[0])), None, parts[1], span=span)

    def computed_named(self, span: Span, parts: list[Any]) -> ast.Computed:
        kind, name, content = parts
        if isinstance(name, Token):
            name = ast.String(str(name), span=self.on(name))
        elif isinstance(name, ast.String):
            name = ast.String(name.value.strip(" \t\r\n"), span=name.span)
        return ast.Computed(cast(Any, str(kind)), name, content, span=span)

    def direct(self, span: Span, parts: list[Any]) -> ast.Element:
        tag, *inside, _end = parts
        attributes = tuple(part for part in inside if isinstance(part, ast.Attribute))
        content = tuple(inside[len(attributes) :])
        return ast.Element(tag[1:], attributes, content, span=span)

    def attribute(self, span: Span, parts: list[Any]) -> ast.Attribute:
        return ast.Attribute(str(parts[0]), tuple(parts[1:]), span=span)

    def characters(self, span: Span, parts: list[Any]) -> ast.Characters:
        return ast.Characters(str(parts[0]), span=span)

    def comment(self, span: Span, parts: list[Any]) -> ast.Comment:
        return ast.Comment(parts[0][4:-3], span=span)

    def instruction(self, span: Span, parts: list[Any]) -> ast.ProcessingInstruction:
        target, _, rest = parts[0][2:-2].partition(" ")
        if not is_target(target):
            raise Refused(errors.bad_target(span, target))
        return ast.ProcessingInstruction(target, rest.lstrip(), span=span)

    # Tokens.

    def quoted(self, token: Token) -> str:
        return tags.unquote(self.scanner, token)

    def type_of(self, token: Token | None) -> ast.SequenceType | None:
        if token is None:
            return None
        spelling = "".join(token.split())
        occurrence = spelling[-1] if spelling[-1] in "?*+" else ""
        return ast.SequenceType(spelling.removesuffix(occurrence), occurrence, span=self.on(token))

    def window(self, token: Token | None) -> ast.Window | None:
        if token is None:
            return None
        match = words.WINDOW.fullmatch(token)
        assert match is not None
        span = self.on(token)
        size = Decimal(match["count"] or match["diff"])
        slide = Decimal(match["step"]) if match["step"] else size
        if size <= 0 or slide <= 0:
            raise Refused(problems.EMPTY_WINDOW.at(span))
        if match["diff"]:
            return ast.DiffWindow(_reference(match["path"]), size, slide, span=span)
        if slide != slide.to_integral_value():
            raise Refused(problems.UNEVEN_STEP.at(span))
        return ast.CountWindow(int(size), int(slide), span=span)


def _variable(token: Token) -> str:
    return token[1:].strip()


def _reference(path: str | None) -> tuple[ast.Step, ...]:
    """The steps of a window's reference path; none means the item's own content."""
    names = [name.strip() for name in path.split("/")] if path else []
    return tuple(
        ast.Step("attribute" if name.startswith("@") else "child", ast.NameTest(name.removeprefix("@")))
        for name in names
    )
