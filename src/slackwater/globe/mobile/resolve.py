"""The functions of modules in the text of a subscription, named by their digests.

f(en)                          f_e3b0c44298fc1c14(en)                       in CQL
call-module("f", $p/en)        call-module("f_e3b0c44298fc1c14", $p/en)     in XQuery

So texts that are equal compute the same, whatever a module is called at another peer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from slackwater.algebra.users.mobile import module_functions
from slackwater.algebra.users.mobile.calls import name_of
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.base.tree import rebuild
from slackwater.globe.mobile import problems
from slackwater.globe.model import Language
from slackwater.language.cql import parse as parse_cql
from slackwater.language.cql import to_sql
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse as parse_xquery
from slackwater.language.xquery.printer import print_query


def resolved(text: str, language: Language, digests: Sequence[str]) -> str:
    """The text with the names of functions in these modules; raises QueryError or EngineError."""
    names = {name: name_of(name, digest) for digest in digests for name in module_functions(digest)}
    changed = _in_cql(text, names) if language == "cql" else _in_xquery(text, names)
    for digest in digests:
        if digest not in changed.lower():
            known = sorted(module_functions(digest))
            listed = ", ".join(f'"{name}"' for name in known)
            raise EngineError(
                problems.UNKNOWN_MODULE_FUNCTION.at(name=digest, functions=listed, first=known[0])
            )
    return changed


def _in_cql(text: str, names: dict[str, str]) -> str:
    (statement,) = parse_cql(Text("<query>", text))
    lowered = {name.lower(): known for name, known in names.items()}
    for call in statement.find_all(exp.Anonymous):
        if call.name.lower() in lowered:
            call.set("this", lowered[call.name.lower()])
    return to_sql(statement)


def _in_xquery(text: str, names: dict[str, str]) -> str:
    def changed(node: ast.Node) -> ast.Node:
        inside = rebuild(node, ast.Node, changed)
        match inside:
            case ast.Call("call-module", (ast.String(value=name) as first, *others)) if name in names:
                return replace(inside, arguments=(replace(first, value=names[name]), *others))
        return inside

    module = changed(parse_xquery(Text("<query>", text)))
    assert isinstance(module, ast.Module)
    return print_query(module)
