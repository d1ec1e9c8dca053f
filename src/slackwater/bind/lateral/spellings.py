"""Functions from arrays to rows, as they are written."""

from __future__ import annotations

from sqlglot import exp

TABLE_CALLS = {
    "Unnest": "unnest",
    "Explode": "explode",
    "ExplodeOuter": "explode_outer",
    "Posexplode": "posexplode",
    "PosexplodeOuter": "posexplode_outer",
    "Inline": "inline",
}
"""Functions from arrays to rows, by the names of sqlglot's nodes, of which one begins with an underscore."""


def table_function(node: exp.Expr) -> str | None:
    """The function from arrays to rows that a node calls."""
    return TABLE_CALLS.get(type(node).__name__.removeprefix("_"))
