"""Queries: the paper's, the stream operators, set operations, and SQL around them."""

from __future__ import annotations

import pickle

import pytest
from sqlglot import exp

from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.language.cql import MaxUnion, StreamOf, StrictExcept, Windowed, parse, to_sql
from slackwater.language.cql.parser import CQLParser


def one(source: str) -> exp.Expression:
    (statement,) = parse(Text("<query>", source))
    return statement


# Arasu, Babu, Widom: The CQL Continuous Query Language, in the order of its pages.
PAPER = [
    "Select P.price From Items[Rows 5] as I, PriceTable as P Where I.itemID = P.itemID",
    "Select Istream(*) From S [Rows 1] Where a > 1",
    "Select Distinct vehicleId From PosSpeedStr [Range 30 Seconds]",
    "Select Istream(*) From PosSpeedStr [Range Unbounded] Where speed > 65",
    "Select Rstream(*) From PosSpeedStr [Now] Where speed > 65",
    "Select * From PosSpeedStr Where speed > 65",
    "Select Dstream(VehicleId) From PosSpeedStr [Range 30 Seconds]",
    "Select vehicleId, speed, xPos/5280 as segNo From PosSpeedStr",
    "Select vehicleId, segNo From SegSpeedStr [Range 30 Seconds]",
    "Select Istream(*) From ActiveVehicleSegRel",
    "Select segNo From SegSpeedStr [Range 5 Minutes] Group By segNo Having Avg(speed) < 40",
    "Select segNo, count(vehicleId) as numVehicles From ActiveVehicleSegRel Group By segNo",
    """Select Rstream(E.vehicleId, 2 * (V.numVehicles-50) * (V.numVehicles-50) as toll)
       From VehicleSegEntryStr [Now] as E, CongestedSegRel as C, SegVolRel as V
       Where E.segNo = C.segNo and C.segNo = V.segNo""",
    "Select Max(timestamp) - Min(timestamp) From PosSpeedStr [Rows 2]",
    "Select Rstream(Item.id, PriceTable.price) From Item [Now], PriceTable Where Item.id = PriceTable.itemId",
    "Select Istream(*) From S1 [Rows 5], S2 [Rows 10] Where S1.A = S2.A",
    "Select Istream(Count(*)) From PosSpeedStr [Range 1 Minute]",
    "Select Istream(Count(*)) From PosSpeedStr [Range 1 Minute\n Slide 1 Minute]",
    "(Select L From S Where C) [Range 10 Seconds]",
    "Select Rstream(*) From S1 [Now], S2 [Now] Where S1.A = S2.B",
    "Select Istream(Distinct *) From (Istream(Select a From Q)) [Range Unbounded]",
    "Select B, max(A) From S1 [Rows 50,000] Group By B",
    "Select Istream(*) From S1 [Rows 40,000], S2 [Range 600 Seconds] Where S1.A = S2.A",
    """Select S2.name, max(S1.num) From S1 [Rows 50,000], S2 [Rows 50,000]
       Where S1.name <= 'i' and S1.num = S2.num Group By S2.name""",
]

SQL = [
    "SELECT a FROM s FULL OUTER JOIN t ON s.a = t.a RIGHT JOIN u USING (a, b) CROSS JOIN v NATURAL JOIN w",
    "SELECT a FROM s SEMI JOIN t ON a = b LEFT ANTI JOIN u ON c = d LEFT SEMI JOIN v [Now] ON e = f",
    "SELECT a FROM (s [Now] JOIN t ON s.a = t.a) LEFT JOIN (u [Rows 1] AS x JOIN v ON TRUE) ON FALSE",
    "SELECT a FROM s [Now] JOIN t [Now] JOIN u [Now] ON t.a = u.a ON s.a = t.a",
    "SELECT CASE WHEN a BETWEEN 1 AND 2 THEN 'x' ELSE NULL END, CASE a WHEN 1 THEN 2 END FROM r",
    "SELECT a || b, a % 2, a / b, -a, a * (b + 1), a DIV b, NOT a AND b OR c, 1.5, .5, 1e3, 'it''s' FROM r",
    "SELECT CAST(a AS DOUBLE), a::INT, TRY_CAST(b AS VARCHAR(5)), CAST(c AS DECIMAL(10, 2)) FROM r",
    "SELECT EXISTS (SELECT 1 FROM s), a = ANY (SELECT b FROM r), a > ALL (SELECT b FROM r) FROM r",
    "SELECT a FROM r WHERE a = SOME (SELECT b FROM t) AND (a, b) IN (SELECT c, d FROM t) OR a IN (1, 2)",
    "SELECT a FROM r WHERE a NOT LIKE 'x%' ESCAPE '!' AND b IS NOT NULL AND c IS TRUE AND d NOT IN (1)",
    "SELECT a, (SELECT MAX(b) FROM t [Now]) AS m FROM s ORDER BY a DESC, m NULLS LAST LIMIT 5 OFFSET 2",
    "SELECT COUNT(DISTINCT a), SUM(a) FILTER (WHERE a > 1), F(a, G(b)) FROM s GROUP BY a, b + 1",
    "SELECT EXTRACT(YEAR FROM t), TRIM(BOTH 'x' FROM a), SUBSTRING(a FROM 1 FOR 2), IF(a, 1, 2) FROM s",
    "SELECT INTERVAL '5' MINUTE, DATE '2020-01-01', TIMESTAMP '2020-01-01 00:00:00', a[1] FROM s",
    'SELECT "a b", `c d`, "select" FROM "S" [Now] AS "x y"',
    "SELECT s.*, t.a FROM s, t",
    "WITH a AS (SELECT 1 AS x), b (y) AS (WITH c AS (SELECT 2 AS z) SELECT z FROM c) SELECT * FROM a, b",
    "WITH x AS (ISTREAM(SELECT a FROM s)) SELECT a FROM x [Now] UNION ALL SELECT b FROM t",
    "WITH x AS (SELECT 1 AS a) (SELECT a FROM x) [Range 5]",
    "((SELECT a FROM s))",
    "(SELECT a FROM s) UNION SELECT b FROM t ORDER BY 1",
    "((SELECT a FROM s) UNION SELECT b FROM t) [Rows 5]",
]


@pytest.mark.parametrize("source", [*PAPER, *SQL])
@pytest.mark.parametrize("pretty", [False, True])
def test_a_printed_query_parses_to_the_same_tree(source: str, pretty: bool) -> None:
    query = one(source)
    assert one(to_sql(query, pretty)) == query
    assert pickle.loads(pickle.dumps(query)) == query
    assert query.transform(lambda node: node) == query


LISTS = [
    ("SELECT Istream(a, b + 1 AS c) FROM S", "ISTREAM(SELECT a, b + 1 AS c FROM S)"),
    ("SELECT Istream(*) FROM S", "ISTREAM(SELECT * FROM S)"),
    ("SELECT dstream(a) FROM S WHERE b", "DSTREAM(SELECT a FROM S WHERE b)"),
    ("SELECT Istream(DISTINCT *) FROM S", "ISTREAM(SELECT DISTINCT * FROM S)"),
    ("SELECT DISTINCT Rstream(a, b) FROM S", "RSTREAM(SELECT DISTINCT a, b FROM S)"),
    ("SELECT Istream(COUNT(*)) AS c FROM S", "ISTREAM(SELECT COUNT(*) AS c FROM S)"),
    ("SELECT Istream(COUNT(*) c) FROM S", "ISTREAM(SELECT COUNT(*) AS c FROM S)"),
    ("SELECT Istream(a) FROM S ORDER BY a LIMIT 2", "ISTREAM(SELECT a FROM S ORDER BY a LIMIT 2)"),
    ("Rstream(SELECT a FROM S)", "RSTREAM(SELECT a FROM S)"),
    ("(Istream(SELECT a FROM S))", "(ISTREAM(SELECT a FROM S))"),
    ("Istream((SELECT a FROM S) [Now])", "ISTREAM((SELECT a FROM S) [NOW])"),
    ("SELECT * FROM Istream(SELECT a FROM S) x", "SELECT * FROM (ISTREAM(SELECT a FROM S)) AS x"),
    ("SELECT * FROM (SELECT Istream(a) FROM S) [Now]", "SELECT * FROM (ISTREAM(SELECT a FROM S)) [NOW]"),
    (
        "WITH x AS (SELECT 1 AS a) SELECT Istream(a) FROM x",
        "ISTREAM(WITH x AS (SELECT 1 AS a) SELECT a FROM x)",
    ),
    (
        "SELECT Istream(a) FROM S UNION ALL SELECT b FROM T",
        "ISTREAM(SELECT a FROM S) UNION ALL SELECT b FROM T",
    ),
    ("SELECT b FROM T EXCEPT SELECT Istream(a) FROM S", "SELECT b FROM T EXCEPT ISTREAM(SELECT a FROM S)"),
]


@pytest.mark.parametrize(("source", "normal"), LISTS, ids=[source for source, _ in LISTS])
def test_a_stream_operator_in_the_select_list_applies_to_the_query(source: str, normal: str) -> None:
    query = one(source)
    assert to_sql(query) == normal
    assert one(normal) == query


def test_a_stream_operator_belongs_to_its_operand_of_a_union() -> None:
    union = one("SELECT Istream(a) FROM S UNION ALL SELECT b FROM T")
    assert isinstance(union, exp.Union)
    assert isinstance(union.this, StreamOf)
    assert union.this.kind == "istream"
    assert isinstance(union.expression, exp.Select)


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        ("SELECT Istream(a), b FROM S", "Istream(a)"),
        ("SELECT Istream(a) AS x, b FROM S", "Istream(a)"),
        ("SELECT b, Istream(a) FROM S", "Istream(a)"),
        ("SELECT 1 + Istream(a) FROM S", "Istream(a)"),
        ("SELECT Rstream(a) + 1 FROM S", "Rstream(a)"),
        ("SELECT a FROM S WHERE Dstream(a) > 1", "Dstream(a)"),
        ("SELECT a FROM Istream(b)", "Istream(b)"),
    ],
)
def test_a_stream_operator_in_an_expression_is_an_error(source: str, marked: str) -> None:
    with pytest.raises(QueryError) as caught:
        one(source)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "stream-operator-place"
    assert diagnostic.span is not None
    assert diagnostic.span.content == marked


@pytest.mark.parametrize(
    ("operator", "node", "distinct"),
    [
        ("UNION", exp.Union, True),
        ("UNION ALL", exp.Union, False),
        ("UNION DISTINCT", exp.Union, True),
        ("UNION MAX", MaxUnion, False),
        ("EXCEPT", exp.Except, True),
        ("EXCEPT ALL", exp.Except, False),
        ("MINUS ALL", exp.Except, False),
        ("EXCEPT STRICT", StrictExcept, False),
        ("INTERSECT", exp.Intersect, True),
        ("INTERSECT ALL", exp.Intersect, False),
    ],
)
def test_a_set_operation_has_its_node(operator: str, node: type, distinct: bool) -> None:
    query = one(f"SELECT a FROM s {operator} SELECT b FROM t")
    assert type(query) is node
    assert query.args["distinct"] is distinct
    assert one(to_sql(query)) == query


def test_max_union_is_not_union() -> None:
    assert one("SELECT a FROM s UNION MAX SELECT a FROM t") != one(
        "SELECT a FROM s UNION ALL SELECT a FROM t"
    )


def test_intersect_binds_tighter_than_strict_difference() -> None:
    query = one("SELECT a FROM s EXCEPT STRICT SELECT b FROM t INTERSECT SELECT c FROM u")
    assert isinstance(query, StrictExcept)
    assert isinstance(query.expression.unnest(), exp.Intersect)


# fmt: off
NAMES = [
    "time", "range", "rows", "stream", "relation", "key", "op", "format", "timestamp", "now",
    "slide", "fixed", "sliding", "partition", "unbounded", "date", "text", "register", "chronon",
    "view", "append", "only", "istream", "set", "filter", "left", "table", "insert", "window",
]
# fmt: on


@pytest.mark.parametrize("name", NAMES)
def test_most_words_may_be_names(name: str) -> None:
    query = one(
        f"SELECT {name}, x.{name} AS {name} FROM {name} [Now] AS {name}, y AS {name} WHERE {name} > 1"
    )
    assert one(to_sql(query)) == query
    assert [column.name for column in query.find_all(exp.Column)] == [name, name, name]
    windowed = query.args["from_"].this
    assert isinstance(windowed, Windowed)
    assert (windowed.name, windowed.alias) == (name, name)


def test_every_function_prints_as_it_parses() -> None:
    parsed = set()
    for name in CQLParser.FUNCTIONS:
        for arguments in ("", "a", "a, b", "a, 'x'", "'x', a", "a, b, c"):
            try:
                query = one(f"SELECT {name}({arguments}) FROM s")
            except QueryError:
                continue  # too few or too many arguments for a function with its own grammar
            if name != "CEILING" or arguments != "a, b, c":  # sqlglot drops the second of three
                assert one(to_sql(query)) == query, f"{name}({arguments})"
            parsed.add(name)
    # Three are not calls, two take four arguments.
    assert CQLParser.FUNCTIONS.keys() - parsed <= {"AND", "OR", "CASE", "INSERT", "STUFF"}
