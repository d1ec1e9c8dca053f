"""Nodes of FROM that take rows, and not only tables: UNNEST, LATERAL, MATCH_RECOGNIZE; the query VALUES."""

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
    """UNNEST(arrays) [WITH ORDINALITY], explode(array) or posexplode(array) in FROM."""

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
