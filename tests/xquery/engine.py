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
    """The document in pieces of these sizes; the last size is that of all further pieces."""
    data = document.encode()
    cut = [*sizes]
    chunks: list[bytes] = []
    while data:
        size = cut.pop(0) if len(cut) > 1 else (cut[0] if cut else len(data))
        chunks.append(data[:size])
        data = data[size:]
    return chunks


def expected(module: ast.Module, document: str) -> str | None:
    """The answer of the reference; None where the query raises an error."""
    try:
        return answer(module, read(document))
    except EngineError:
        return None


def streamed(query: str, document: str, schema: Schema = NO_SCHEMA, sizes: Iterable[int] = ()) -> str | None:
    """The answer of the engine; None where the query raises an error, other than an unknown variable."""
    try:
        return XQuery(Text("query", query), schema).answer(pieces(document, sizes))
    except XmlError:
        raise
    except EngineError as error:
        if any(diagnostic.code == "unknown-input" for diagnostic in error.diagnostics):
            raise
        return None
