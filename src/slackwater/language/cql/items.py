"""Nodes of FROM that take rows, and not only tables: UNNEST, PIVOT, MATCH_RECOGNIZE; the query VALUES."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp


class ValueRows(exp.Expression, exp.Query):
    """VALUES (a, b), (c, d): a query of these rows."""

    arg_types: ClassVar[dict[str, bool]] = {
        "with_": False,
        "expressions": True,
        "order": False,
        "limit": False,
        "offset": False,
        "locks": False,
    }


class Unnested(exp.Expression):
    """UNNEST(arrays) [WITH ORDINALITY], explode(array), posexplode(array) or a table function in FROM."""

    arg_types: ClassVar[dict[str, bool]] = {
        "function": True,
        "expressions": True,
        "ordinality": False,
        "alias": False,
        "joins": False,
    }

    @property
    def function(self) -> str:
        return str(self.args["function"])

    @property
    def ordinality(self) -> bool:
        return bool(self.args.get("ordinality"))


class LateralQuery(exp.Expression):
    """LATERAL (query): it may look at the items of FROM before it."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "alias": False, "joins": False}


class Pivoted(exp.Expression):
    """source PIVOT (aggregates FOR field IN (values) … GROUP BY keys).

    A field is an In of a column or a tuple of columns; a value may be an Alias, which names its columns.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "expressions": True,
        "fields": True,
        "keys": False,
        "alias": False,
        "joins": False,
    }

    @property
    def fields(self) -> list[exp.In]:
        return self.args.get("fields") or []

    @property
    def keys(self) -> list[exp.Expression]:
        return self.args.get("keys") or []


class Unpivoted(exp.Expression):
    """source UNPIVOT [INCLUDE NULLS] (values FOR name IN (columns)); an Alias of columns is their name."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "values": True,
        "name": True,
        "expressions": True,
        "nulls": False,
        "alias": False,
        "joins": False,
    }

    @property
    def values(self) -> list[exp.Identifier]:
        return self.args.get("values") or []

    @property
    def keeps_nulls(self) -> bool:
        return bool(self.args.get("nulls"))


class Recognized(exp.Expression):
    """source MATCH_RECOGNIZE (…): `pattern` is its text, `skip` the words after AFTER MATCH SKIP."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "partition_by": False,
        "order": False,
        "measures": False,
        "skip": False,
        "target": False,
        "pattern": True,
        "within": False,
        "define": False,
        "alias": False,
        "joins": False,
    }
