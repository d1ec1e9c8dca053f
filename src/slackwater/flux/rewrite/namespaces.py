"""A schema in the words of a query: its names with the prefixes that the query has for their namespaces.

    declare namespace o = "urn:orders";         for $i in /o:orders/o:item return $i
    <xs:schema targetNamespace="urn:orders" …>  element orders, element item

XML Schema knows the namespaces of its elements, so what the query calls `o:item` is found whatever prefix a
document has for it. A DTD knows prefixes only: it is of use where those of the query are the same, and where
nothing hints at a namespace without a prefix.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from slackwater.flux.values.construct import declared_namespaces
from slackwater.flux.values.context import declared
from slackwater.language.xquery import syntax as ast
from slackwater.schema import NO_SCHEMA, Schema
from slackwater.schema.paths import reachable


def renames(module: ast.Module) -> bool:
    """A start tag of the query changes the namespace of names without a prefix, or that of a known prefix."""
    known = dict(declared(module.declarations))
    for each in ast.walk(module):
        if isinstance(each, ast.Element):
            for prefix, uri in declared_namespaces(each).items():
                if not prefix or known.setdefault(prefix, uri) != uri:
                    return True
    return False


def in_words_of(module: ast.Module, schema: Schema) -> tuple[ast.Module, Schema]:
    """The query, which may get prefixes that it does not use, and the schema: none where it is no help."""
    if not schema.is_known:
        return module, schema
    used = _prefixes(module)
    namespaces = _namespaces(module)
    if schema.prefixes is None:
        return module, schema if _is_about(schema, module, namespaces) else NO_SCHEMA
    prefixes: dict[str, str] = {}
    new: list[ast.Declaration] = []
    for uri in schema.prefixes:
        fitting = [prefix for prefix in used if namespaces.get(prefix) == uri]
        if namespaces.get("", "") == uri:
            fitting.append("")
        if len(fitting) > 1:
            return module, NO_SCHEMA
        if not fitting:
            fitting.append(_fresh(namespaces))
            namespaces[fitting[0]] = uri
            new.append(ast.NamespaceDeclaration(fitting[0], uri))
        prefixes[uri] = fitting[0]
    if new:
        module = dataclasses.replace(module, declarations=(*new, *module.declarations))
    return module, schema if prefixes == schema.prefixes else schema.spelled(prefixes)


def _fresh(namespaces: Mapping[str, str]) -> str:
    number = 1
    while f"ns{number}" in namespaces:
        number += 1
    return f"ns{number}"


def _namespaces(module: ast.Module) -> dict[str, str]:
    """Prefix -> namespace, as the prolog and the start tags of a query declare them."""
    found = dict(declared(module.declarations))
    for each in ast.walk(module):
        if isinstance(each, ast.Element):
            found = declared_namespaces(each) | found
    return found


def _names(module: ast.Module) -> set[str]:
    """The names of elements and attributes that the query asks for."""
    tests = (each for each in ast.walk(module) if isinstance(each, ast.NameTest | ast.KindTest))
    return {each.name for each in tests if each.name}


def _prefixes(module: ast.Module) -> list[str]:
    return sorted({name.partition(":")[0] for name in _names(module) if ":" in name} - {"*"})


def _is_about(schema: Schema, module: ast.Module, namespaces: Mapping[str, str]) -> bool:
    """The names of a query are those of a DTD."""
    types = reachable(schema.document)
    if namespaces.get("") or any("xmlns" in each.attributes for each in types):
        return False
    known = {name for each in types for name in each.names}
    if any(":" in name for name in known) and _asks_any(module):
        return False
    return {name for name in _names(module) if ":" in name} <= known


def _asks_any(module: ast.Module) -> bool:
    """The query has a step to elements of any name."""
    return any(
        each == ast.KindTest("element") or (isinstance(each, ast.NameTest) and "*" in each.name)
        for each in ast.walk(module)
    )
