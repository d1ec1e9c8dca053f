"""A declared sink: where the answer of one query is written, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.algebra import Schema
from slackwater.base.span import Span


@dataclass(frozen=True, slots=True)
class Sink:
    """A folder for the answers of one query."""

    name: str
    path: str
    format: str = "csv"
    mode: str | None = None
    key: tuple[str, ...] = ()
    options: Mapping[str, bool] = field(default_factory=dict)
    schema: Schema | None = None
    """The columns that it declares; None for those of its query."""
    is_written: bool = False
    uses: frozenset[str] = frozenset()
    """The names of what its query reads, in lower case."""
    origin: Span | None = field(default=None, compare=False)
