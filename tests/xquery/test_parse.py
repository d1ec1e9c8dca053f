"""Texts and their syntax trees."""

from __future__ import annotations

from decimal import Decimal

import pytest

from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse, read
from slackwater.language.xquery.printer import print_query

IN = "for $r in a for $s in b"
LOOPS = f"{IN} where $r"


def tree(text: str) -> ast.Expr:
    return read(Text("query", text)).body


def children(*names: str) -> tuple[ast.Step, ...]:
    return tuple(ast.Step("child", ast.NameTest(name)) for name in names)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("@a", "attribute::a"),
        ("a//b", "a/descendant-or-self::node()/child::b"),
        ("../a", "parent::node()/a"),
        ("a/.", "a/self::node()"),
        ("fn:count(a)", "count(a)"),
        ('document("d")', 'doc("d")'),
        ("for $a in x, $b in y return 1", "for $a in x for $b in y return 1"),
        ("a union b", "a | b"),
        ("if (a) then b", "if (a) then b else ()"),
        ("for $x in a return { $x/b } { $x/c }", "for $x in a return ($x/b, $x/c)"),
        ("{ for $x in a return <b/> <c/> }", "for $x in a return (<b/>, <c/>)"),
        ("<a>{ <b/> }</a>", "<a><b/></a>"),
        ("a|count 4|", "a|count 4 step 4|"),
        ("<a>x&#x20;y</a>", "<a>x y</a>"),
        ("<a><![CDATA[<&]]></a>", "<a>&lt;&amp;</a>"),
        ("element a { 1 }", 'element { "a" } { 1 }'),
        ("1 (: one (: two :) :) + 2", "1 + 2"),
        ("((1))", "1"),
        (
            f"{LOOPS} constrained bestmatch join $s on (1) min 4 return 2",
            f"{LOOPS} bestmatch join $s on (1) min 4 return 2",
        ),
        (
            f"{LOOPS} bestmatch join $s on (1) min and 3 return 2",
            f"{IN} where 3 where $r bestmatch join $s on (1) min return 2",
        ),
        (
            f"{IN} where 3 and 4 and $r bestmatch join $s on (1) fn:max return 2",
            f"{IN} where 3 and 4 where $r bestmatch join $s on (1) max return 2",
        ),
        ("a - b", "a -b"),
        ("<a b='it''s \"{{\"'/>", '<a b="it\'s ""{{"""/>'),
    ],
)
def test_two_spellings_are_one_tree(one: str, other: str) -> None:
    if "|count" in one:
        one, other = (f"for $w in {path} return $w" for path in (one, other))
    assert tree(one) == tree(other)


@pytest.mark.parametrize(
    "text",
    [
        "for/return/if[then = else]/div",
        "div div div",
        "a and and",
        "for $for in for return return",
        "let $let := let return $let/return",
        "text/text()/element",
        "declare/function",
        "if/then",
        "some/every[satisfies]",
        "count + count(count)",
        "union union union",
        "stream/doc/step/diff",
        "left/outer/bestmatch/join[on = min]/constrained",
        "for $left in on where on return bestmatch - join",
    ],
)
def test_no_word_is_reserved(text: str) -> None:
    assert tree(print_query(tree(text))) == tree(text)


def test_a_star_is_a_name_test_or_an_operator() -> None:
    assert tree("* * *") == ast.Arithmetic("*", tree("*"), tree("*"))


def test_a_name_may_have_hyphens_and_points() -> None:
    assert tree("a-b.c") == ast.Path(ast.ContextItem(), children("a-b.c"))


def test_less_than_is_no_tag_after_an_operand() -> None:
    assert tree("$x <a") == ast.Compare("<", ast.Variable("x"), tree("a"))


def test_a_lone_slash_is_the_root() -> None:
    assert tree("(/)") == ast.Root()
    assert tree("/a/b") == ast.Path(ast.Root(), children("a", "b"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", ast.Integer(7)),
        ("7.50", ast.Fixed(Decimal("7.5"))),
        (".5", ast.Fixed(Decimal("0.5"))),
        ("7e1", ast.Double(70.0)),
        ('"a""b&lt;&#65;"', ast.String('a"b<A')),
        ("'a''b\"'", ast.String("a'b\"")),
        ("()", ast.Sequence()),
    ],
)
def test_literals(text: str, value: ast.Expr) -> None:
    assert tree(text) == value


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("1 + 2 * 3", "1 + (2 * 3)"),
        ("1 - 2 - 3", "(1 - 2) - 3"),
        ("-1 + 2", "(-1) + 2"),
        ("a or b and c", "a or (b and c)"),
        ("a = b and c < d", "(a = b) and (c < d)"),
        ("1 to 2 + 3", "1 to (2 + 3)"),
        ("a | b except c", "a | (b except c)"),
        ("-a/b", "-(a/b)"),
        ("1 + 2 cast as xs:string", "1 + (2 cast as xs:string)"),
    ],
)
def test_operators_bind_as_in_xquery(text: str, like: str) -> None:
    assert tree(text) == tree(like)


def test_boundary_white_space_is_layout() -> None:
    assert tree("<a> { 1 } <b/> x </a>") == ast.Element(
        "a", (), (ast.Integer(1), ast.Element("b"), ast.Characters(" x "))
    )


def test_white_space_by_reference_or_in_cdata_is_text() -> None:
    assert tree("<a>&#x20;<![CDATA[ ]]></a>") == ast.Element("a", (), (ast.Characters("  "),))


def test_boundary_white_space_is_kept_where_it_is_declared() -> None:
    assert tree("declare boundary-space preserve; <a> {1}</a>") == ast.Element(
        "a", (), (ast.Characters(" "), ast.Integer(1))
    )


def test_line_ends_are_line_feeds() -> None:
    assert tree('<a b="1\r\n2">x\r\ny\rz</a>') == ast.Element(
        "a", (ast.Attribute("b", (ast.Characters("1 2"),)),), (ast.Characters("x\ny\nz"),)
    )


def test_windows() -> None:
    flwor = tree("for $w in /a/b|t/@u diff 60 step 1.5| return $w")
    reference = (ast.Step("child", ast.NameTest("t")), ast.Step("attribute", ast.NameTest("u")))
    window = ast.DiffWindow(reference, Decimal(60), Decimal("1.5"))
    assert flwor == ast.Flwor(
        (ast.For("w", ast.Path(ast.Root(), children("a", "b")), None, window),), ast.Variable("w")
    )


def test_best_match_joins() -> None:
    flwor = tree(
        f"{LOOPS} left  outer bestmatch join $s on (1, 2) subset, (3) min 2.5, (4) max (5 - 6) return 7"
    )
    assert isinstance(flwor, ast.Flwor)
    assert flwor.clauses[2:] == (
        ast.BestMatch(
            ast.Variable("r"),
            ast.Variable("s"),
            "left",
            (
                ast.Dimension((tree("1"), tree("2")), "subset"),
                ast.Dimension((tree("3"),), "min", tree("2.5")),
                ast.Dimension((tree("4"),), "max", tree("5 - 6")),
            ),
        ),
    )


def test_a_bar_before_an_element_named_count_is_a_union() -> None:
    assert tree("a|count") == ast.SetOperation("union", tree("a"), tree("count"))


def test_a_whole_module() -> None:
    module = parse(
        Text(
            "query",
            """xquery version "1.0" encoding "utf-8";
            declare namespace p = "urn:p";
            declare variable $least as xs:integer external;
            declare function local:twice($x as xs:decimal?) as xs:decimal? { 2 * $x };
            for $a at $i in /p:a order by $a/b descending empty least, $i return local:twice($a)""",
        )
    )
    kinds = [type(declaration).__name__ for declaration in module.declarations]
    assert kinds == ["NamespaceDeclaration", "VariableDeclaration", "FunctionDeclaration"]
    assert isinstance(module.body, ast.Flwor)
    assert module.body.clauses[1] == ast.OrderBy(
        (ast.OrderKey(tree("$a/b"), True, False), ast.OrderKey(ast.Variable("i")))
    )


def test_an_expression_has_a_span() -> None:
    compare = read(Text("query", "1,\n  $x/a = 5")).body
    assert isinstance(compare, ast.Sequence)
    span = compare.items[1].span
    assert span is not None
    assert (span.content, span.line, span.column) == ("$x/a = 5", 2, 3)


def test_walking_meets_every_node_once() -> None:
    body = tree("for $x in a where $x = 1 return <b c='{ $x }'>{ $x }</b>")
    nodes = [*ast.walk(body)]
    assert len([node for node in nodes if isinstance(node, ast.Variable)]) == 3
    assert len({id(node) for node in nodes}) == len(nodes)


@pytest.mark.parametrize("query", ["'a\x01'", "<a>\ufffe</a>", "(: \x0c :) 1", "'\ud800'"])
def test_a_query_is_made_of_characters_of_xml(query: str) -> None:
    with pytest.raises(QueryError, match="is not a character of XML"):
        parse(Text("query", query))
