"""What is wrong with a query that can be read: names that mean nothing, wrong numbers of arguments."""

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
    """What may be named: variables, prefixes, and functions with how many arguments they take."""

    variables: frozenset[str]
    prefixes: Mapping[str, str]
    functions: Mapping[str, tuple[int, int | None]]

    def with_variables(self, *names: str) -> Scope:
        return Scope(self.variables | {*names}, self.prefixes, self.functions)

    def with_prefixes(self, declared: Mapping[str, str]) -> Scope:
        return Scope(self.variables, {**self.prefixes, **declared}, self.functions)


def misuses(module: ast.Module) -> list[Diagnostic]:
    """Everything wrong, in the order of the text."""
    found = [*_of_module(module)]
    return sorted(found, key=lambda each: each.span.start if each.span else 0)


def _of_module(module: ast.Module) -> Iterator[Diagnostic]:
    functions = {name: (each.least, each.most) for name, each in FUNCTIONS.items()}
    functions |= dict.fromkeys(CASTS, (1, 1))
    declared: set[object] = set()
    prefixes = dict(PREFIXES)
    yield from _of_namespaces(module.declarations, prefixes)
    for each in module.declarations:
        if isinstance(each, ast.FunctionDeclaration):
            size = len(each.parameters)
            if each.name in declared:
                yield errors.declared_twice(_at(each), f'function "{each.name}"')
            declared.add(each.name)
            functions[each.name] = (size, size)
    scope = Scope(frozenset({"ROOT"}), prefixes, functions)
    for each in module.declarations:
        if isinstance(each, ast.VariableDeclaration):
            yield from _of_variable(each, scope)
            scope = scope.with_variables(each.name)
    for function in module.functions:
        yield from _of_function(function, scope)
    yield from _of(module.body, scope)


def _of_namespaces(
    declarations: tuple[ast.Declaration, ...], prefixes: dict[str, str]
) -> Iterator[Diagnostic]:
    """Declared prefixes are added to the known ones; one without a namespace is known no more."""
    seen: set[str] = set()
    for each in declarations:
        match each:
            case ast.NamespaceDeclaration(prefix, uri):
                if prefix in seen:
                    yield errors.declared_twice(_at(each), f'prefix "{prefix}"')
                seen.add(prefix)
                prefixes[prefix] = uri
                if not uri:
                    del prefixes[prefix]
            case ast.DefaultNamespace(kind, uri):
                prefix = f"default {kind}"
                if prefix in seen:
                    yield errors.declared_twice(_at(each), f"the {prefix} namespace")
                seen.add(prefix)
                prefix = ""
            case _:
                continue
        if why := wrong_binding(prefix, uri):
            yield errors.bad_namespace(_at(each), why)


def _of_variable(declaration: ast.VariableDeclaration, scope: Scope) -> Iterator[Diagnostic]:
    if declaration.name in scope.variables:
        yield errors.declared_twice(_at(declaration), f'variable "${declaration.name}"')
    if declaration.type:
        yield from _of(declaration.type, scope)
    if declaration.value:
        yield from _of(declaration.value, scope)


def _of_function(function: ast.FunctionDeclaration, scope: Scope) -> Iterator[Diagnostic]:
    names = [each.name for each in function.parameters]
    yield from _of_prefix(function, function.name, scope)
    for index, parameter in enumerate(function.parameters):
        if parameter.name in names[:index]:
            yield errors.declared_twice(_at(parameter), f'parameter "${parameter.name}"')
        if parameter.type:
            yield from _of(parameter.type, scope)
    if function.result:
        yield from _of(function.result, scope)
    if function.body:
        yield from _of(function.body, scope.with_variables(*names))


def _of(node: ast.Node, scope: Scope) -> Iterator[Diagnostic]:
    """What is wrong at a node or below it."""
    match node:
        case ast.Variable(name):
            if name not in scope.variables:
                yield errors.unbound_variable(_at(node), name, scope.variables)
        case ast.Call():
            yield from _of_call(node, scope)
        case ast.Flwor(clauses, result):
            yield from _of_clauses(clauses, result, scope)
            return
        case ast.Quantified(_, bindings, condition):
            for each in bindings:
                for part in ast.children(each):
                    yield from _of(part, scope)
                scope = scope.with_variables(each.variable)
            yield from _of(condition, scope)
            return
        case ast.Element():
            scope = scope.with_prefixes(_declared(node))
            yield from _of_element(node, scope)
        case ast.Computed(kind, ast.String(name) as written, _):
            yield from _of_computed(kind, name, written, scope)
        case ast.NameTest(name) if not name.startswith("*"):
            yield from _of_prefix(node, name, scope)
        case ast.KindTest("element" | "attribute", str(name)):
            yield from _of_prefix(node, name, scope)
        case ast.Typed("cast" | "castable", _, type_) if type_.item in TYPES and type_.item not in CASTS:
            yield errors.no_cast(_at(type_), type_.item)
        case ast.SequenceType():
            yield from _of_type(node, scope)
        case _:
            pass
    for child in ast.children(node):
        yield from _of(child, scope)


def _of_clauses(clauses: tuple[ast.Clause, ...], result: ast.Expr, scope: Scope) -> Iterator[Diagnostic]:
    for clause in clauses:
        for child in ast.children(clause):
            yield from _of(child, scope)
        match clause:
            case ast.For(variable, _, at):
                scope = scope.with_variables(variable, *([at] if at else []))
            case ast.Let(variable):
                scope = scope.with_variables(variable)
            case _:
                pass
    yield from _of(result, scope)


def _of_call(call: ast.Call, scope: Scope) -> Iterator[Diagnostic]:
    name = call.name
    span = Span(_at(call).text, _at(call).start, _at(call).start + len(name)) if call.span else _NOWHERE
    if call.span and call.span.content.startswith("fn:"):
        span = Span(span.text, span.start, span.end + 3)
    # What `udf:` names is handed over when the query is run.
    known = (1, None) if name.startswith("udf:") else scope.functions.get(name)
    if known is None:
        wrong_prefix = [*_of_prefix(call, name, scope)]
        yield from wrong_prefix or [errors.unknown_function(span, name, scope.functions)]
        return
    least, most = known
    given = len(call.arguments)
    if given < least or (most is not None and given > most):
        yield errors.wrong_arguments(span, name, least, most, given)


def _of_element(element: ast.Element, scope: Scope) -> Iterator[Diagnostic]:
    yield from _of_prefix(element, element.name, scope)
    seen: set[tuple[str, str]] = set()
    for attribute in element.attributes:
        name = attribute.name
        if declares_namespace(name):
            yield from _of_declaration(attribute)
        else:
            yield from _of_prefix(attribute, name, scope)
        prefix, colon, local = name.rpartition(":")
        expanded = (scope.prefixes.get(prefix, prefix) if colon else "", local)
        if expanded in seen:
            yield errors.repeated_attribute(_at(attribute), name)
        seen.add(expanded)


def _of_declaration(attribute: ast.Attribute) -> Iterator[Diagnostic]:
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
        each.name.removeprefix("xmlns:"): each.constant or ""
        for each in element.attributes
        if each.name.startswith("xmlns:")
    }


def _of_computed(kind: str, name: str, written: ast.String, scope: Scope) -> Iterator[Diagnostic]:
    """A constructor whose name is known before it runs."""
    if not NAME.fullmatch(name):
        yield errors.bad_name(_at(written), name)
    elif kind == "attribute" and declares_namespace(name):
        yield errors.declaring_attribute(_at(written), name)
    else:
        yield from _of_prefix(written, name, scope)


def _of_prefix(node: ast.Node, name: str, scope: Scope) -> Iterator[Diagnostic]:
    prefix, colon, _ = name.partition(":")
    if colon and prefix not in scope.prefixes:
        yield errors.unknown_prefix(_at(node), prefix)


def _of_type(type_: ast.SequenceType, scope: Scope) -> Iterator[Diagnostic]:
    kind, parenthesis, inside = type_.item.partition("(")
    if not parenthesis and type_.item not in TYPES:
        yield errors.unknown_type(_at(type_), type_.item, TYPES)
    elif parenthesis and kind not in KINDS:
        yield errors.unknown_type(_at(type_), type_.item, [f"{each}()" for each in KINDS])
    elif parenthesis and (name := inside.removesuffix(")")) and not name.startswith("*"):
        yield from _of_prefix(type_, name, scope)


def _at(node: ast.Node) -> Span:
    return node.span or _NOWHERE
