"""Every word of a query, and every argument of its syntax tree, has a meaning or is an error."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import lru_cache

import pytest
from sqlglot import exp
from sqlglot.parser import Parser

from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.bind import program
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.language.cql import parse
from slackwater.language.cql.check import misuse
from slackwater.language.cql.consumed import CONSUMED, is_read
from slackwater.language.cql.words import KEYWORDS, PHRASES, RESERVED, TYPES

DECLARED = """
CREATE STREAM s (a INT, b STRING, c DOUBLE, t TIMESTAMP, l ARRAY<INT>, m MAP<STRING, INT>,
    n STRUCT<o STRUCT<x INT, p STRUCT<q STRUCT<r INT>>>>) TIME ts TIMESTAMP;
CREATE RELATION r (a INT, d STRING) KEY (a) TIME ts TIMESTAMP;
CREATE RELATION q (a INT, d STRING) TIME ts TIMESTAMP;
"""
SAMPLES = """
SELECT DISTINCT a, s.b AS x, c FROM s [ROWS 5] WHERE b LIKE 'x' AND a BETWEEN 1 AND 2
SELECT a, SUM(c) AS x, COUNT(DISTINCT b) FROM s [ROWS 5] GROUP BY a HAVING COUNT(*) > 1
SELECT a, COUNT(*) FROM s [ROWS 5] GROUP BY ALL
SELECT SUM(c) FILTER (WHERE a > 1), COUNT(DISTINCT a) FROM s [ROWS 5]
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY c), percentile(c, 0.5) FROM s [ROWS 5]
SELECT t AT TIME ZONE 'UTC', t FROM s [NOW]
SELECT STREAMED s.a FROM s [ROWS 5] AS s JOIN r ON s.a = r.a
SELECT a FROM r LEFT JOIN q USING (a)
SELECT a FROM r NATURAL JOIN q
SELECT x.a FROM s [NOW] AS x JOIN r FOR SYSTEM_TIME AS OF x.ts AS y ON x.a = y.a
SELECT x.a FROM s AS x ASOF JOIN s AS y MATCH_CONDITION (x.t >= y.t) ON x.a = y.a
SELECT r.a FROM r SEMI JOIN q ON r.a = q.a
SELECT x FROM (SELECT a, d FROM r) AS z (x, y)
SELECT a, d FROM r UNION SELECT a, d FROM q
SELECT a FROM r UNION ALL SELECT a FROM q
SELECT a, d FROM r UNION BY NAME SELECT d, a FROM q
SELECT a, d FROM r WHERE (a, d) IN ((1, 'x')) AND (a, d) <> (2, 'y')
SELECT a FROM r EXCEPT SELECT a FROM q
SELECT a FROM r EXCEPT ALL SELECT a FROM q
SELECT a FROM r INTERSECT SELECT a FROM q
SELECT a FROM r INTERSECT ALL SELECT a FROM q
SELECT a FROM r UNION MAX SELECT a FROM q
SELECT a FROM r EXCEPT STRICT SELECT a FROM q
WITH w AS (SELECT a FROM r) SELECT a FROM w EXCEPT SELECT a FROM q
WITH w AS (SELECT a FROM r) SELECT a FROM w INTERSECT SELECT a FROM q
WITH w AS (SELECT a FROM r) SELECT a FROM w UNION SELECT a FROM q
WITH w AS (SELECT a FROM r) SELECT a FROM w UNION MAX SELECT a FROM q
WITH w AS (SELECT a FROM r) SELECT a FROM w EXCEPT STRICT SELECT a FROM q
WITH w (z) AS (SELECT a FROM r) SELECT z FROM w
WITH RECURSIVE w (z) AS (SELECT a FROM r UNION SELECT z + 1 FROM w WHERE z < 9) SELECT z FROM w
(WITH w AS (SELECT a FROM r) SELECT a FROM w) UNION SELECT a FROM q
SELECT a FROM (r JOIN q USING (a))
SELECT a FROM ((r) JOIN q USING (a))
SELECT z.a FROM r AS z
SELECT a FROM db.r
SELECT a FROM catalog.db.r
SELECT -a, NOT a = 1, a + 1, a - 1, a * 2, a / 2, a DIV 2, a % 2, b || 'x' FROM s [NOW]
SELECT a = 1, a <> 1, a < 1, a <= 1, a > 1, a >= 1, a IS DISTINCT FROM 2 FROM s [NOW]
SELECT a IS NOT DISTINCT FROM 2, a IS NULL, a = 1 OR a = 2, TRUE, NULL, (a), 'x', 1.5 FROM s [NOW]
SELECT b NOT LIKE 'x', b ILIKE 'y', b NOT ILIKE 'y', b LIKE 'x!%' ESCAPE '!' FROM s [NOW]
SELECT a IN (1, 2), a IN (SELECT a FROM r), (a, b) IN (SELECT a, d FROM r) FROM s [NOW]
SELECT a = ANY (SELECT a FROM r) FROM s [NOW]
SELECT a >= ALL (SELECT a FROM r), EXISTS (SELECT a FROM r), (SELECT MAX(a) FROM r) FROM s [NOW]
SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END, CASE WHEN a = 1 THEN 2 END, IF(a = 1, 2, 3) FROM s [NOW]
SELECT CAST(a AS DECIMAL(5, 2)), TRY_CAST(b AS INT), a::DOUBLE, t + INTERVAL '5' MINUTE FROM s [NOW]
SELECT DATE_PART('year', t), "a", `b`, EXTRACT(year FROM t), DATE_TRUNC('hour', t) FROM s [NOW]
SELECT a & 1, a | 1, a ^ 1, a << 1, a >> 1, ~a FROM s [NOW]
SELECT l[0], ARRAY[a, 2], array(a), struct(a, b AS x).x, ROW(a, b), named_struct('y', a).y FROM s [NOW]
SELECT n.o.x, s.n.o.x, s.n.o.p.q, (s.n.o).x, z.n.o.p.q.r FROM s [NOW] AS z, s [NOW]
SELECT map(a, b)[1], map_keys(map(a, b)), m['x'], m.x, from_json(b, 'x INT').x, to_json(n) FROM s [NOW]
SELECT CAST(NULL AS ROW(x INT, y MAP<STRING, INT>)), CAST(NULL AS STRUCT<x: INT>), key FROM s [NOW], UNNEST(m)
SELECT transform(l, x -> x + 1), aggregate(l, 0, (x, y) -> x + y) FROM s [NOW]
SELECT * FROM s [NOW]
SELECT s.* FROM s [NOW], r
SELECT s.* EXCEPT (b) REPLACE (a + 1 AS a) FROM s [NOW]
SELECT a BETWEEN SYMMETRIC 2 AND 1 FROM r
CREATE STREAM n (a INT NOT NULL, b ARRAY<INT>, c STRUCT<x INT>, d DECIMAL(7, 2)) TIME ts TIMESTAMP
SELECT a FROM r ORDER BY a DESC NULLS FIRST LIMIT 1
SELECT a FROM r LIMIT 5
SELECT a FROM r ORDER BY a LIMIT 3 OFFSET 5
SELECT a FROM r FOR UPDATE
(SELECT a FROM r) ORDER BY a
(SELECT a FROM r) LIMIT 5
(SELECT a FROM r) OFFSET 5
(SELECT a FROM r) FOR UPDATE
SELECT a FROM r UNION SELECT a FROM q ORDER BY a LIMIT 5 OFFSET 5
SELECT a FROM r EXCEPT SELECT a FROM q ORDER BY a LIMIT 5 OFFSET 5
SELECT a FROM r INTERSECT SELECT a FROM q ORDER BY a LIMIT 5 OFFSET 5
SELECT a FROM r UNION MAX SELECT a FROM q ORDER BY a LIMIT 5 OFFSET 5
SELECT a FROM r EXCEPT STRICT SELECT a FROM q ORDER BY a LIMIT 5 OFFSET 5
SELECT SUM(a) OVER (PARTITION BY d ORDER BY a ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) FROM r
SELECT SUM(a) OVER (w ORDER BY a), SUM(a) OVER w FROM r WINDOW w AS (PARTITION BY d)
SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM r
SELECT a FROM r QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1
SELECT DISTINCT ON (d) a FROM r ORDER BY d, a DESC
SELECT a FROM r ORDER BY a FETCH FIRST 5 ROWS WITH TIES
SELECT a FROM r LIMIT 5 BY d
SELECT FIRST_VALUE(a) IGNORE NULLS OVER (ORDER BY a), LAST_VALUE(a) RESPECT NULLS OVER (ORDER BY a) FROM r
SELECT a FROM r LIMIT 5, 3
SELECT t + INTERVAL '5' DAY TO SECOND FROM s [NOW]
SELECT l[1] FROM s [NOW]
SELECT * FROM (VALUES (1, 2)) AS v (x, y)
""".strip().splitlines()
SETTINGS = {
    (exp.DataType, "nested"), (exp.Div, "safe"), (exp.Div, "typed"), (exp.DPipe, "safe"),
    (exp.TryCast, "safe"), (exp.Identifier, "quoted"),
    (exp.Fetch, "direction"), (exp.LimitOptions, "rows"), (exp.Window, "over"),
}  # fmt: skip
"""Arguments that the parser sets by itself, or reads itself."""
EXCEPTIONS = SETTINGS | {
    (exp.Version, "this"), (exp.Version, "kind"),       # others are refused by the parser
    (exp.Order, "this"),            # an aggregate over ordered rows is refused
    (exp.Table, "catalog"),         # a table with a catalog has a database, which is refused
    (exp.In, "field"), (exp.In, "unnest"),      # refused: there is no list
    (exp.ColumnDef, "constraints"), (exp.ColumnConstraint, "kind"),     # NOT NULL is not checked
}  # fmt: skip
REFUSED = {
    exp.Lock, exp.IntervalSpan,
}  # fmt: skip
"""Nodes of which binding says that they are not supported, whatever their arguments."""
LOCKED = {(kind, "locks") for kind in CONSUMED}
"""FOR UPDATE is parsed only after SELECT, by sqlglot."""
NOISE = {
    "ALL": "SELECT ALL is SELECT", "AS": "before an alias", "DISTINCT": "UNION DISTINCT is UNION",
    "INNER": "INNER JOIN is JOIN", "OUTER": "LEFT OUTER JOIN is LEFT JOIN",
    "PRECEDING": "after the size of a window",
    "ASYMMETRIC": "BETWEEN ASYMMETRIC is BETWEEN",
    "INTERVAL": "before a length of time",
}  # fmt: skip
"""Words without a meaning of their own."""


def outcome(statement: exp.Expr, text: Text) -> object:
    """The plans of a statement, or its errors; whatever else is raised means that an argument was read."""
    catalog = Catalog()
    bind(Text("declared", DECLARED), catalog)
    before = program.parse
    program.parse = lambda *_arguments, **_options: [statement]  # type: ignore[assignment]
    try:
        queries = bind(text, catalog)
        return [(query.plan, query.output) for query in queries], catalog._entries
    except QueryError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]
    except Exception as error:
        return type(error)
    finally:
        program.parse = before


@lru_cache
def parsed(source: str) -> tuple[exp.Expr, Text]:
    text = Text("sample", source)
    (statement,) = parse(text)
    return statement, text


def nodes_of(kind: type[exp.Expr]) -> Iterator[tuple[exp.Expr, Text, int]]:
    """The statements with a node of that type, and the place of the node in their walk."""
    for source in SAMPLES:
        statement, text = parsed(source)
        for place, node in enumerate(statement.walk()):
            if type(node) is kind:
                yield statement, text, place


def changed(statement: exp.Expr, place: int, key: str, value: object) -> exp.Expr:
    copy = statement.copy()
    for original, node in zip(statement.walk(), copy.walk(), strict=True):
        node.update_positions(original)
    list(copy.walk())[place].set(key, value)
    return copy


def is_read_in(statement: exp.Expr, text: Text, place: int, key: str) -> bool:
    """Whether the statement means something else without the argument."""
    node = list(statement.walk())[place]
    if not node.args.get(key):
        return False
    without = changed(statement, place, key, None)
    return outcome(without, text) != outcome(statement, text)


@pytest.mark.parametrize("kind", CONSUMED, ids=lambda kind: kind.__name__)
def test_an_argument_that_is_not_listed_is_refused(kind: type[exp.Expr]) -> None:
    statement, text, place = next(nodes_of(kind))
    for key in kind.arg_types.keys() - set(CONSUMED[kind]):
        injected = changed(statement, place, key, exp.to_identifier("injected"))
        assert misuse(injected, text) is not None, key


@pytest.mark.parametrize(
    "kind", [kind for kind in CONSUMED if kind not in REFUSED], ids=lambda kind: kind.__name__
)
def test_an_argument_that_is_listed_is_read(kind: type[exp.Expr]) -> None:
    places = list(nodes_of(kind))
    for key in CONSUMED[kind]:
        if (kind, key) not in EXCEPTIONS | LOCKED:
            assert any(is_read_in(*place, key) for place in places), key


@pytest.mark.parametrize(
    "kind", sorted(REFUSED, key=lambda kind: kind.__name__), ids=lambda kind: kind.__name__
)
def test_a_node_that_is_not_supported_is_refused(kind: type[exp.Expr]) -> None:
    for statement, text, _ in nodes_of(kind):
        assert isinstance(outcome(statement, text), list), text.content


def kinds(base: type[exp.Expr]) -> Iterator[type[exp.Expr]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_a_node_that_is_not_listed_is_refused() -> None:
    others = {kind for kind in kinds(exp.Expression) if kind.__module__.startswith("sqlglot.")}
    unlisted = [kind for kind in others if not issubclass(kind, exp.Func) and kind not in CONSUMED]
    assert len(unlisted) > 300
    for kind in unlisted:
        statement, text = parsed.__wrapped__("SELECT a FROM r")
        node = kind(this=exp.column("a"), expression=exp.column("a"), expressions=[exp.column("a")])
        assert not is_read(node)
        statement.set("expressions", [node])
        assert not isinstance(outcome(statement, text), tuple), kind.__name__


def words() -> list[str]:
    """The words that sqlglot's parser recognizes, and those of this language."""
    source = inspect.getsource(Parser)
    matched = re.findall(r"_match_text_seq\(((?:\s*\"[A-Z_]+\",?)+)\s*[,)]", source)
    sequences = {" ".join(re.findall(r'"([A-Z_]+)"', match)) for match in matched}
    assert len(sequences) > 150
    return sorted(
        {*sequences, *RESERVED, *KEYWORDS, *PHRASES, *TYPES, "1_000", "0x1F", "+", "SYMMETRIC", "ASOF"}
    )


TEXTS = [
    "SELECT a , SUM ( c ) FROM s [ ROWS 5 ] WHERE b LIKE 'x' GROUP BY a HAVING a > 1",
    "SELECT CASE WHEN a BETWEEN 1 AND 2 THEN 3 END FROM r LEFT JOIN q USING ( a )",
    "WITH w AS ( SELECT DISTINCT a FROM r ) SELECT CAST ( a AS INT ) FROM w UNION SELECT a FROM q",
]


@pytest.mark.parametrize("source", TEXTS)
def test_no_word_is_dropped(source: str) -> None:
    parts = source.split()
    tree, _ = parsed(source)
    dropped = []
    for word in words():
        for place in range(len(parts) + 1):
            text = " ".join([*parts[:place], word, *parts[place:]])
            try:
                (statement,) = parse(Text("words", text))
            except QueryError:
                continue
            if statement == tree and word not in NOISE:
                dropped.append(text)
    assert "\n".join(dropped) == ""
