"""The record of an aggregate function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from slackwater.algebra.expressions.signatures import Family
from slackwater.algebra.types import Type


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate function of one argument; NULLs are left out first."""

    name: str
    parameter: Family
    result: Callable[[Type], Type]
    meaning: str
    of_rows: bool = False
    """Whether the argument may be missing: the function then counts rows."""
    error: str = ""
    """The code of the error that some arguments make of it."""
    also: str = ""
    """Other ways to write it."""
    syntax: str = ""
    """Its syntax, if it has more than one argument."""

    @property
    def takes(self) -> str:
        return f'Aggregate "{self.name}" takes {self.parameter}{", or * for rows" if self.of_rows else ""}.'
