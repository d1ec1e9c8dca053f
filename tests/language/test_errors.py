"""The errors of texts that are not CQL, and their spans."""

from __future__ import annotations

import pytest
from sqlglot import exp

from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.base.span import Text
from slackwater.language.cql import StreamWindow, Windowed, parse, span_of, to_sql


def diagnostics_of(source: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(QueryError) as caught:
        parse(Text("<query>", source))
    return caught.value.diagnostics


def test_a_syntax_error_is_rendered_as_a_diagnostic() -> None:
    (diagnostic,) = diagnostics_of("SELECT a\nFROM s WHRE x > 1")
    assert str(diagnostic) == (
        'error[syntax]: unexpected "WHRE"\n'
        " --> <query>:2:8\n"
        "  |\n"
        "2 | FROM s WHRE x > 1\n"
        "  |        ^^^^\n"
        '  = hint: Did you mean "WHERE"?'
    )


@pytest.mark.parametrize(
    ("source", "marked", "label", "hint"),
    [
        ("SELCT a FROM b", "SELCT", "expected a statement", 'Did you mean "SELECT"?'),
        ("SELECT a FORM b", "FORM", "", 'Did you mean "FROM"?'),
        ("SELECT f(a FROM b", "(", "opened here", None),
        ("SELECT a) FROM b", ")", "nothing to close", None),
        ("SELECT 'abc FROM b", "'", "opened here", None),
        ("SELECT 'it''s FROM b", "'", "opened here", None),
        ('SELECT "abc FROM b', '"', "opened here", None),
        ("SELECT a /* b", "/*", "opened here", None),
        ("SELECT a FROM", "", "expected a stream or a relation", None),
        ("SELECT a FROM b,", "", "expected a stream or a relation", None),
        ("SELECT a,, b FROM c", ",", 'expected an item after ","', None),
        ("SELECT a FROM b JOIN c ON", "", "expected a condition", None),
        ("SELECT a FROM b GROUP BY", "", "expected a list of expressions", None),
        ("SELECT a FROM b WHERE", "", "expected a condition", None),
        ("SELECT a FROM b UNION", "", "", None),
        ("SELECT a b c FROM d", "c", "", None),
        ("SELECT a FROM s AS from", "from", "expected a name", None),
        ("SELECT ? FROM s", "?", "", "Name the parameter: :name."),
        ("SELECT {a} FROM s", "{", "", None),
        ("SELECT a {# hidden #} FROM s", "{", "", None),
        ("SELECT 1e FROM s", "1e", "", None),
        ("SELECT CAST(a AS colour) FROM s", "colour", "", None),
        ("SELECT 'a' 'b' FROM s", "'b'", 'expected one string, or "||" between two', None),
        ("SELECT a FROM s t (5)", "5", "not a name", "Put names with unusual characters in double quotes."),
        ("SELECT Istream() FROM s", ")", "expected a select list", None),
        ("SELECT a FROM (s WHERE a > 1)", "a > 1", "", None),
        ("(SELECT 1 AS a) JOIN b", "", "expected ON or USING", None),
        ("a + 1", "a", "expected a statement", None),
    ],
)
def test_a_syntax_error_points_at_its_cause(source: str, marked: str, label: str, hint: str | None) -> None:
    (diagnostic,) = diagnostics_of(source)
    assert diagnostic.code == "syntax"
    assert diagnostic.span is not None
    assert (diagnostic.span.content, diagnostic.label, diagnostic.hint) == (marked, label, hint)
    assert "\x1b" not in str(diagnostic)


FOREIGN = [
    ("INSERT INTO a VALUES (1)", "INSERT"),
    ("update a set b = 1", "update"),
    ("DROP TABLE a", "DROP TABLE"),
    ("EXPLAIN SELECT a FROM b", "EXPLAIN"),
    ("CREATE TABLE a (b INT)", "CREATE TABLE"),
    ("CREATE OR REPLACE TABLE a (b INT)", "CREATE OR REPLACE TABLE"),
    ("CREATE OR UPDATE VIEW v AS SELECT 1", "CREATE OR"),
    ("SET a = 1", "SET a"),
    ("REGISTER QUERY q", "REGISTER QUERY"),
]


@pytest.mark.parametrize(("source", "marked"), FOREIGN)
def test_an_unsupported_statement_is_reported_with_its_words(source: str, marked: str) -> None:
    (diagnostic,) = diagnostics_of(source)
    assert diagnostic.code == "unsupported-statement"
    assert diagnostic.span is not None
    assert diagnostic.span.content == marked


def test_one_bad_statement_does_not_hide_another() -> None:
    diagnostics = diagnostics_of(
        "SELECT a FROM;\nSELECT b FROM t;\nDROP TABLE x;\nSELECT c FROM s [Rows 0];\nSELECT 'open"
    )
    assert [diagnostic.code for diagnostic in diagnostics] == [
        "syntax",
        "unsupported-statement",
        "bad-window",
        "syntax",
    ]
    assert [diagnostic.span.line for diagnostic in diagnostics if diagnostic.span] == [1, 3, 4, 5]


@pytest.mark.parametrize("source", ["", "  \n", ";;;", "-- nothing", "/* nothing */ ; -- more"])
def test_nothing_is_no_statement(source: str) -> None:
    assert parse(Text("<query>", source)) == []


def test_statements_are_separated_by_semicolons_outside_quotes() -> None:
    statements = parse(Text("<query>", "SELECT ';' FROM s; -- a; b\n;SELECT /* ; */ b FROM t;"))
    assert [to_sql(statement) for statement in statements] == ["SELECT ';' FROM s", "SELECT b FROM t"]


@pytest.mark.parametrize(
    "source",
    [
        "(" * 100_000,
        "SELECT " + "(" * 100_000,
        "SELECT " + "f(" * 500 + "a" + ")" * 500,
        "SELECT " + "char(" * 30 + "a" + ")" * 30,
        "SELECT " + "NOT " * 5_000 + "a",
        "SELECT " + "+".join(["a"] * 5_000),
        "SELECT " + "CASE " * 5_000,
    ],
    ids=["parens", "paren expressions", "calls", "types or calls", "nots", "sums", "cases"],
)
def test_deep_nesting_is_an_error(source: str) -> None:
    assert [diagnostic.code for diagnostic in diagnostics_of(source)] == ["too-deep"]


def test_a_hundred_conditions_are_not_too_deep() -> None:
    (query,) = parse(Text("<query>", "SELECT a FROM s WHERE " + " AND ".join(["a = 1"] * 100)))
    assert parse(Text("<query>", to_sql(query))) == [query]


SPANNED = (
    "SELECT a; SELECT\n istream(Length(b), .5, *, NULL)\nFROM s [Range 5 Minutes] x, R WHERE f(g(c)) >= (d+1)"
)


@pytest.mark.parametrize(
    ("kind", "contents"),
    [
        (exp.Column, ["b", "c", "d"]),
        (exp.Length, ["Length(b)"]),
        (exp.Literal, [".5", "1"]),
        (exp.Star, ["*"]),
        (exp.Null, ["NULL"]),
        (exp.Table, ["R", "s"]),
        (Windowed, ["s [Range 5 Minutes] x"]),
        (StreamWindow, ["[Range 5 Minutes]"]),
        (exp.Anonymous, ["f(g(c))", "g(c)"]),
        (exp.Paren, ["(d+1)"]),
        (exp.GTE, ["f(g(c)) >= (d+1)"]),
    ],
)
def test_a_span_is_the_text_of_its_node(kind: type[exp.Expr], contents: list[str]) -> None:
    text = Text("<query>", SPANNED)
    query = parse(text)[1]
    assert sorted(span_of(node, text).content for node in query.find_all(kind)) == sorted(contents)


def test_a_node_without_a_position_has_the_span_of_its_parent() -> None:
    text = Text("<query>", "SELECT a FROM s")
    (query,) = parse(text)
    column = query.expressions[0]
    column.set("table", exp.Identifier(this="unseen"))
    assert span_of(column.args["table"], text).content == "a"
    assert span_of(exp.Literal.number(1), text) == text.span()
