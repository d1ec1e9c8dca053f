"""A schema with the prefixes of a query: its names spelled as the query spells their namespaces.

    declare namespace o = "urn:orders";         for $i in /o:orders/o:item return $i
    <xs:schema targetNamespace="urn:orders" …>  element orders, element item

XML Schema has the namespaces of its elements, so that `o:item` of the query matches whatever prefix a
document uses. A DTD has only prefixes: it is used where those of the query are the same, and where no default
namespace is declared.
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
    for node in ast.walk(module):
        if isinstance(node, ast.Element):
            for prefix, uri in declared_namespaces(node).items():
                if not prefix or known.setdefault(prefix, uri) != uri:
                    return True
    return False


def with_prefixes_of(module: ast.Module, schema: Schema) -> tuple[ast.Module, Schema]:
    """The query, perhaps with more prefixes, and the schema with them; NO_SCHEMA if it does not fit."""
    if not schema.is_known:
        return module, schema
    used = _prefixes(module)
    namespaces = _namespaces(module)
    if schema.prefixes is None:
        return module, schema if _fits(schema, module, namespaces) else NO_SCHEMA
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
    namespaces = dict(declared(module.declarations))
    for node in ast.walk(module):
        if isinstance(node, ast.Element):
            namespaces = declared_namespaces(node) | namespaces
    return namespaces


def _names(module: ast.Module) -> set[str]:
    """The names of elements and attributes in the query's steps."""
    tests = (node for node in ast.walk(module) if isinstance(node, ast.NameTest | ast.KindTest))
    return {test.name for test in tests if test.name}


def _prefixes(module: ast.Module) -> list[str]:
    return sorted({name.partition(":")[0] for name in _names(module) if ":" in name} - {"*"})


def _fits(schema: Schema, module: ast.Module, namespaces: Mapping[str, str]) -> bool:
    """The prefixes of a query are those of a DTD."""
    types = reachable(schema.document)
    if namespaces.get("") or any("xmlns" in type_.attributes for type_ in types):
        return False
    known = {name for type_ in types for name in type_.names}
    if any(":" in name for name in known) and _tests_any_name(module):
        return False
    return {name for name in _names(module) if ":" in name} <= known


def _tests_any_name(module: ast.Module) -> bool:
    """The query has a step to elements of any name."""
    return any(
        node == ast.KindTest("element") or (isinstance(node, ast.NameTest) and "*" in node.name)
        for node in ast.walk(module)
    )
