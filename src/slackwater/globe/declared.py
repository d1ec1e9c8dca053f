"""The schema of a published stream of rows: one CREATE STREAM, and nothing else."""

from __future__ import annotations

from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.globe.compute import problems
from slackwater.language.cql import CreateSource, parse


def declare_stream(name: str, schema: str, catalog: Catalog) -> None:
    """Add a stream to a catalog; raises QueryError or EngineError.

    Others wrote the schema: a function that it declared would be imported here.
    """
    statements = parse(Text(name, schema))
    if len(statements) != 1 or not isinstance(statements[0], CreateSource) or statements[0].kind != "stream":
        raise EngineError(problems.NOT_ONE_STREAM.at(name=name))
    bind(Text(name, schema), catalog)
