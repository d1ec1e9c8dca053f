"""Errors in a query that parses: unknown names, wrong numbers of arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span, Text
from slackwater.language.xquery import errors
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import CASTS, FUNCTIONS, KINDS, PREFIXES, TYPES
from slackwater.language.xquery.markup import NAME, declares_namespace, wrong_binding

_NOWHERE = Text("", "").span()


@dataclass(frozen=True, slots=True)
class Scope:
    """The names in scope: variables, prefixes, and functions with their numbers of arguments."""

    variables: frozenset[str]
    prefixes: Mapping[str, str]
    functions: Mapping[str, tuple[int, int | None]]

    def with_variables(self, *names: str) -> Scope:
        return Scope(self.variables | {*names}, self.prefixes, self.functions)

    def with_prefixes(self, declared: Mapping[str, str]) -> Scope:
        return Scope(self.variables, {**self.prefixes, **declared}, self.functions)


def misuses(module: ast.Module) -> list[Diagnostic]:
    """All diagnostics, in the order of the text."""
    diagnostics = [*_check_module(module)]
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.span.start if diagnostic.span else 0)


def _check_module(module: ast.Module) -> Iterator[Diagnostic]:
    functions = {name: (function.least, function.most) for name, function in FUNCTIONS.items()}
    functions |= dict.fromkeys(CASTS, (1, 1))
    declared: set[object] = set()
    prefixes = dict(PREFIXES)
    yield from _check_namespaces(module.declarations, prefixes)
    for declaration in module.declarations:
        if isinstance(declaration, ast.FunctionDeclaration):
            size = len(declaration.parameters)
            if declaration.name in declared:
                yield errors.declared_twice(_at(declaration), f'function "{declaration.name}"')
            declared.add(declaration.name)
            functions[declaration.name] = (size, size)
    scope = Scope(frozenset({"ROOT"}), prefixes, functions)
    for declaration in module.declarations:
        if isinstance(declaration, ast.VariableDeclaration):
            yield from _check_variable(declaration, scope)
            scope = scope.with_variables(declaration.name)
    for function in module.functions:
        yield from _check_function(function, scope)
    yield from _check(module.body, scope)


def _check_namespaces(
    declarations: tuple[ast.Declaration, ...], prefixes: dict[str, str]
) -> Iterator[Diagnostic]:
    """Add declared prefixes to `prefixes`; a declaration with an empty namespace removes one."""
    seen: set[str] = set()
    for declaration in declarations:
        match declaration:
            case ast.NamespaceDeclaration(prefix, uri):
                if prefix in seen:
                    yield errors.declared_twice(_at(declaration), f'prefix "{prefix}"')
                seen.add(prefix)
                prefixes[prefix] = uri
                if not uri:
                    del prefixes[prefix]
            case ast.DefaultNamespace(kind, uri):
                prefix = f"default {kind}"
                if prefix in seen:
                    yield errors.declared_twice(_at(declaration), f"the {prefix} namespace")
                seen.add(prefix)
                prefix = ""
            case _:
                continue
        if why := wrong_binding(prefix, uri):
            yield errors.bad_namespace(_at(declaration), why)


def _check_variable(declaration: ast.VariableDeclaration, scope: Scope) -> Iterator[Diagnostic]:
    if declaration.name in scope.variables:
        yield errors.declared_twice(_at(declaration), f'variable "${declaration.name}"')
    if declaration.type:
        yield from _check(declaration.type, scope)
    if declaration.value:
        yield from _check(declaration.value, scope)


def _check_function(function: ast.FunctionDeclaration, scope: Scope) -> Iterator[Diagnostic]:
    names = [parameter.name for parameter in function.parameters]
    yield from _check_prefix(function, function.name, scope)
    for index, parameter in enumerate(function.parameters):
        if parameter.name in names[:index]:
            yield errors.declared_twice(_at(parameter), f'parameter "${parameter.name}"')
        if parameter.type:
            yield from _check(parameter.type, scope)
    if function.result:
        yield from _check(function.result, scope)
    if function.body:
        yield from _check(function.body, scope.with_variables(*names))


def _check(node: ast.Node, scope: Scope) -> Iterator[Diagnostic]:
    """The diagnostics of a node and of all below it."""
    match node:
        case ast.Variable(name):
            if name not in scope.variables:
                yield errors.unbound_variable(_at(node), name, scope.variables)
        case ast.Call():
            yield from _check_call(node, scope)
        case ast.Flwor(clauses, result):
            yield from _check_clauses(clauses, result, scope)
            return
        case ast.Quantified(_, bindings, condition):
            for binding in bindings:
                for part in ast.children(binding):
                    yield from _check(part, scope)
                scope = scope.with_variables(binding.variable)
            yield from _check(condition, scope)
            return
        case ast.Element():
            scope = scope.with_prefixes(_declared(node))
            yield from _check_element(node, scope)
        case ast.Computed(kind, ast.String(name) as literal, _):
            yield from _check_computed(kind, name, literal, scope)
        case ast.NameTest(name) if not name.startswith("*"):
            yield from _check_prefix(node, name, scope)
        case ast.KindTest("element" | "attribute", str(name)):
            yield from _check_prefix(node, name, scope)
        case ast.Typed("cast" | "castable", _, type_) if type_.item in TYPES and type_.item not in CASTS:
            yield errors.no_cast(_at(type_), type_.item)
        case ast.SequenceType():
            yield from _check_type(node, scope)
        case _:
            pass
    for child in ast.children(node):
        yield from _check(child, scope)


def _check_clauses(clauses: tuple[ast.Clause, ...], result: ast.Expr, scope: Scope) -> Iterator[Diagnostic]:
    for place, clause in enumerate(clauses):
        for child in ast.children(clause):
            yield from _check(child, scope)
        match clause:
            case ast.BestMatch() if clause.variables <= scope.variables:
                from slackwater.language.xquery.bestmatch import check_best_match  # most queries have none

                yield from check_best_match(clause, clauses[:place], scope.functions)
            case ast.For(variable, _, at):
                scope = scope.with_variables(variable, *([at] if at else []))
            case ast.Let(variable):
                scope = scope.with_variables(variable)
            case _:
                pass
    yield from _check(result, scope)


def _check_call(call: ast.Call, scope: Scope) -> Iterator[Diagnostic]:
    name = call.name
    span = Span(_at(call).text, _at(call).start, _at(call).start + len(name)) if call.span else _NOWHERE
    if call.span and call.span.content.startswith("fn:"):
        span = Span(span.text, span.start, span.end + 3)
    # Functions of the prefix `udf:` are supplied when the query is run.
    known = (1, None) if name.startswith("udf:") else scope.functions.get(name)
    if known is None:
        wrong_prefix = [*_check_prefix(call, name, scope)]
        yield from wrong_prefix or [errors.unknown_function(span, name, scope.functions)]
        return
    least, most = known
    count = len(call.arguments)
    if count < least or (most is not None and count > most):
        yield errors.wrong_arguments(span, name, least, most, count)


def _check_element(element: ast.Element, scope: Scope) -> Iterator[Diagnostic]:
    yield from _check_prefix(element, element.name, scope)
    seen: set[tuple[str, str]] = set()
    for attribute in element.attributes:
        name = attribute.name
        if declares_namespace(name):
            yield from _check_declaration(attribute)
        else:
            yield from _check_prefix(attribute, name, scope)
        prefix, colon, local = name.rpartition(":")
        expanded = (scope.prefixes.get(prefix, prefix) if colon else "", local)
        if expanded in seen:
            yield errors.repeated_attribute(_at(attribute), name)
        seen.add(expanded)


def _check_declaration(attribute: ast.Attribute) -> Iterator[Diagnostic]:
    """An attribute that declares a namespace."""
    prefix, uri = attribute.name.partition(":")[2], attribute.constant
    if uri is None:
        yield errors.computed_namespace(_at(attribute))
    elif why := wrong_binding(prefix, uri):
        yield errors.bad_namespace(_at(attribute), why)
    elif prefix and not uri:
        yield errors.empty_namespace(_at(attribute), prefix)


def _declared(element: ast.Element) -> dict[str, str]:
    return {
        attribute.name.removeprefix("xmlns:"): attribute.constant or ""
        for attribute in element.attributes
        if attribute.name.startswith("xmlns:")
    }


def _check_computed(kind: str, name: str, literal: ast.String, scope: Scope) -> Iterator[Diagnostic]:
    """A constructor whose name is known before it runs."""
    if not NAME.fullmatch(name):
        yield errors.bad_name(_at(literal), name)
    elif kind == "attribute" and declares_namespace(name):
        yield errors.declaring_attribute(_at(literal), name)
    else:
        yield from _check_prefix(literal, name, scope)


def _check_prefix(node: ast.Node, name: str, scope: Scope) -> Iterator[Diagnostic]:
    prefix, colon, _ = name.partition(":")
    if colon and prefix not in scope.prefixes:
        yield errors.unknown_prefix(_at(node), prefix)


def _check_type(type_: ast.SequenceType, scope: Scope) -> Iterator[Diagnostic]:
    kind, parenthesis, inside = type_.item.partition("(")
    if not parenthesis and type_.item not in TYPES:
        yield errors.unknown_type(_at(type_), type_.item, TYPES)
    elif parenthesis and kind not in KINDS:
        yield errors.unknown_type(_at(type_), type_.item, [f"{known}()" for known in KINDS])
    elif parenthesis and (name := inside.removesuffix(")")) and not name.startswith("*"):
        yield from _check_prefix(type_, name, scope)


def _at(node: ast.Node) -> Span:
    return node.span or _NOWHERE
