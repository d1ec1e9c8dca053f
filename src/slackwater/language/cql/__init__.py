"""CQL and SyncSQL: text -> syntax tree, as a dialect of sqlglot."""

from slackwater.language.cql.dialect import CQL, to_sql
from slackwater.language.cql.nodes import (
    CreateSource,
    CreateView,
    Length,
    MaxUnion,
    SetChronon,
    StreamOf,
    StreamWindow,
    StrictExcept,
    Windowed,
)
from slackwater.language.cql.parse import parse
from slackwater.language.cql.spans import span_of

__all__ = [
    "CQL",
    "CreateSource",
    "CreateView",
    "Length",
    "MaxUnion",
    "SetChronon",
    "StreamOf",
    "StreamWindow",
    "StrictExcept",
    "Windowed",
    "parse",
    "span_of",
    "to_sql",
]
