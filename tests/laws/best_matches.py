"""Generated best-match joins, as CQL and as the SQL of the definitions: pairs for which no better one exists.

`R LEFT OUTER BESTMATCH JOIN S ON d` is `FROM R x, S y WHERE NOT EXISTS (SELECT 1 FROM S y' WHERE …)` in SQL
(definition 4.2.5 of the thesis). Inputs are other queries, best-match joins among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import polars as pl
from hypothesis import strategies as st

from laws.relational import SCHEMAS, STREAMS, WINDOWS, Generated, Source, Values, catalog, relations, streams
from slackwater.algebra.orders import Order
from slackwater.algebra.types import DOUBLE, INT, STRING
from slackwater.bind.catalog import Catalog
from slackwater.reference.bags import Changes

CORNER = Order("corner", "laws.best_matches:corner")


def corner(r: pl.Series, s: pl.Series, other_r: pl.Series, other_s: pl.Series) -> pl.Series:
    """An order of a user: the smaller r and the greater s the better."""
    return (r <= other_r) & (s >= other_s)


def with_orders() -> Catalog:
    """The declarations of generated queries, with the order of a user."""
    declarations = catalog()
    declarations.orders[CORNER.name] = CORNER
    return declarations


near = st.sampled_from([0, 1, 2, -1, 1, 0, 2, None])
values: Values = {INT: near, STRING: st.none(), DOUBLE: st.none()}
"""Values that are often equal and seldom NULL."""


def data_of(size: int) -> st.SearchStrategy[dict[str, Changes]]:
    """Inputs in which most pairs have a rival."""
    return st.fixed_dictionaries(
        {
            name: (streams if name in STREAMS else relations)(schema, size, 4, values, least=4)
            for name, schema in SCHEMAS.items()
        }
    )


class Written(NamedTuple):
    """A query of two integer columns, p and q, in either language."""

    cql: str
    sql: str


@dataclass
class BestMatches(Generated):
    """A query whose text in SQL is not its text in CQL."""

    plain: str = ""

    def sql(self, table: dict[str, str]) -> str:
        return self.plain.format(**table)


LONG = ("RANGE UNBOUNDED", "RANGE 5", "RANGE 5", "SLIDING 6", "ROWS 4", "ROWS 4")
"""Windows that hold several rows, so that there are pairs to compare."""
VALUES = ("ABS(x.p - y.p)", "ABS(x.q - y.q)", "x.p + y.q", "x.q - y.p", "y.p", "x.q", "NULLIF(y.q, 1)",
          "ABS(x.p + y.p)", "x.p * y.p")  # fmt: skip
CONDITIONS = (
    "",
    "",
    "x.p = y.p",
    "y.q > 0",
    "x.q <> y.q",
    "x.p = y.p AND x.q >= 0",
    "x.p IS NULL OR y.q = 1",
)
FILTERS = ("", "", "", "", "", "", "x.p > 0", "y.q <= 1", "x.q IS NOT NULL AND y.p < 2")
COLUMNS = (
    "x.p AS p, y.q AS q",
    "10 * x.p + x.q AS p, 10 * y.p + y.q AS q",
    "y.p AS p, x.q AS q",
    "x.p AS p, y.p AS q",
)
OVER = (
    *["{}"] * 6,
    "SELECT DISTINCT q AS p, p AS q FROM ({}) AS o",
    "SELECT p, MAX(q) AS q FROM ({}) AS o GROUP BY p",
    "SELECT q AS p, COUNT(*) AS q FROM ({}) AS o GROUP BY q",
    "SELECT p, q FROM ({}) AS o WHERE p = q OR q IS NULL",
)


class Dimension(NamedTuple):
    """A dimension in CQL, and in SQL what admits a pair and when one pair is at least as good as another."""

    cql: str
    admits: str
    at_least: str
    """Of the pair x, y against the pair u, v."""


def _other(text: str) -> str:
    """The text about the other pair."""
    return text.replace("x.", "u.").replace("y.", "v.")


class Writer:
    """Generates one query from Hypothesis' draws."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.sources: list[Source] = []

    def pick(self, options: tuple[str, ...]) -> str:
        return self.draw(st.sampled_from(options))

    def coin(self) -> bool:
        return self.draw(st.booleans())

    def dimension(self) -> Dimension:
        if not self.draw(st.integers(0, 5)):
            at_least = "x.p <= u.p AND y.q >= v.q"
            return Dimension("(x.p, y.q) corner", "x.p IS NOT NULL AND y.q IS NOT NULL", at_least)
        value, order = self.pick(VALUES), self.pick(("MIN", "MAX"))
        sign = "<=" if order == "MIN" else ">="
        at_least = f"{value} {sign} {_other(value)}"
        if self.draw(st.integers(0, 2)):
            return Dimension(f"({value}) {order}", f"{value} IS NOT NULL", at_least)
        least = 1 if value.startswith("ABS") else -2
        bound = self.draw(st.integers(least, 3))
        return Dimension(f"({value}) {order} {bound}", f"{value} {sign} {bound}", at_least)

    def operand(self, depth: int) -> Written:
        """An input of a best-match join."""
        if depth and not self.draw(st.integers(0, 2)):
            return self.best(depth - 1)
        name = self.pick(tuple(SCHEMAS))
        window = self.pick((*WINDOWS, *LONG, *LONG, *LONG)) if name in STREAMS else None
        source = Source(f"s{len(self.sources) + 1}", "z", name, window)
        self.sources.append(source)
        text = f"SELECT z.a AS p, z.{'a' if name == 'T' else 'b'} AS q FROM {{{source.placeholder}}} AS z"
        return Written(text, text)

    def best(self, depth: int) -> Written:
        left, right = self.operand(depth), self.operand(depth)
        side = self.pick(("", "LEFT", "RIGHT", "FULL"))
        count = self.draw(st.sampled_from([1, 2, 2, 3, 4, 5]))
        dimensions = [self.dimension() for _ in range(count)]
        condition, where, columns = self.pick(CONDITIONS), self.pick(FILTERS), self.pick(COLUMNS)
        keep = bool(side) and self.coin()
        pairs = _pairs(left.sql, right.sql, side, dimensions, condition, keep)
        on = ", ".join(dimension.cql for dimension in dimensions) + (
            f" AND ({condition})" if condition else ""
        )
        over = self.pick(OVER)
        joined = f"({left.cql}) AS x {side} BESTMATCH JOIN ({right.cql}) AS y ON {on}"
        joined += " KEEP UNMATCHED" if keep else ""
        return Written(
            over.format(f"SELECT {columns} FROM {joined}" + (f" WHERE {where}" if where else "")),
            over.format(f"SELECT {_flat(columns)} FROM ({pairs}) AS j{_where(_flat(where))}"),
        )


def _where(condition: str) -> str:
    return f" WHERE {condition}" if condition else ""


def _and(condition: str) -> str:
    return f" AND ({condition})" if condition else ""


def _flat(text: str) -> str:
    return text.replace("x.", "j.x").replace("y.", "j.y")


def _pairs(left: str, right: str, side: str, dimensions: list[Dimension], condition: str, keep: bool) -> str:
    """The pairs as SQL, with the columns xp, xq, yp and yq."""
    admits = " AND ".join(f"({one.admits})" for one in dimensions) + (
        f" AND ({condition})" if condition else ""
    )
    forth = " AND ".join(f"({_swapped(one.at_least)})" for one in dimensions)
    back = " AND ".join(f"({one.at_least})" for one in dimensions)
    beats = f"({_other(admits)}) AND ({forth}) AND NOT ({back})"
    all_others = f"NOT EXISTS (SELECT 1 FROM ({left}) AS u, ({right}) AS v WHERE {beats})"
    others_of_x = f"NOT EXISTS (SELECT 1 FROM ({right}) AS v WHERE {beats.replace('u.', 'x.')})"
    others_of_y = f"NOT EXISTS (SELECT 1 FROM ({left}) AS u WHERE {beats.replace('v.', 'y.')})"
    best = {
        "": all_others,
        "LEFT": others_of_x,
        "RIGHT": others_of_y,
        "FULL": f"({others_of_x} OR {others_of_y})",
    }[side]
    text = (
        "SELECT x.p AS xp, x.q AS xq, y.p AS yp, y.q AS yq "
        f"FROM ({left}) AS x, ({right}) AS y WHERE {admits} AND {best}"
    )
    if keep and side in ("LEFT", "FULL"):
        text += f" UNION ALL SELECT x.p, x.q, NULL, NULL FROM ({left}) AS x WHERE NOT EXISTS (SELECT 1 FROM "
        text += f"({right}) AS y WHERE {admits})"
    if keep and side in ("RIGHT", "FULL"):
        text += f" UNION ALL SELECT NULL, NULL, y.p, y.q FROM ({right}) AS y WHERE NOT EXISTS (SELECT 1 FROM "
        text += f"({left}) AS x WHERE {admits})"
    return text


def _swapped(at_least: str) -> str:
    """That the other pair is at least as good as this one."""
    return (
        at_least.replace("x.", "1.").replace("y.", "2.").replace("u.", "x.").replace("v.", "y.")
        .replace("1.", "u.").replace("2.", "v.")
    )  # fmt: skip


@st.composite
def best_matches(draw: st.DrawFn, depth: int = 1) -> BestMatches:
    """A best-match join with something over it, of sources or of other best-match joins."""
    writer = Writer(draw)
    cql, sql = writer.best(depth)
    return BestMatches(cql, writer.sources, sql)


@st.composite
def streamed_matches(draw: st.DrawFn) -> str:
    """A stream of best matches, or an aggregate over a window on it."""
    query: BestMatches = draw(best_matches(0))
    text = f"{draw(st.sampled_from(['ISTREAM', 'DSTREAM']))}({query.cql})"
    if draw(st.booleans()):
        window = draw(st.sampled_from(WINDOWS)).replace("BY a", "BY p")
        text = f"SELECT p, COUNT(*) AS n, MAX(q) AS m FROM ({text}) [{window}] AS w GROUP BY p"
    return text
