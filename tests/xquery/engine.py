"""The engine beside the reference: the same query, the same document, in pieces of any size."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.flux.run import XQuery
from slackwater.language.xquery import syntax as ast
from slackwater.schema import NO_SCHEMA, Schema
from slackwater.xml.errors import XmlError


def pieces(document: str, sizes: Iterable[int] = ()) -> list[bytes]:
    """The document cut into pieces; the last size counts for all that is left."""
    data = document.encode()
    cut = [*sizes]
    found: list[bytes] = []
    while data:
        size = cut.pop(0) if len(cut) > 1 else (cut[0] if cut else len(data))
        found.append(data[:size])
        data = data[size:]
    return found


def expected(module: ast.Module, document: str) -> str | None:
    """What the reference answers; None where it finds an error."""
    try:
        return answer(module, read(document))
    except EngineError:
        return None


def streamed(query: str, document: str, schema: Schema = NO_SCHEMA, sizes: Iterable[int] = ()) -> str | None:
    """What the engine answers; None where the query goes wrong on it. Variables are never unknown to it."""
    try:
        return XQuery(Text("query", query), schema).answer(pieces(document, sizes))
    except XmlError:
        raise
    except EngineError as error:
        if any(each.code == "unknown-input" for each in error.diagnostics):
            raise
        return None
