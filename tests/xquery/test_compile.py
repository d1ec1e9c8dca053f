"""Every expression can be compiled, and conditions are evaluated once."""

from __future__ import annotations

import pytest

from slackwater.base.span import Text
from slackwater.flux.compile import expressions as compile_expr
from slackwater.flux.compile.guards import guards, regrouped
from slackwater.flux.compile.program import Program
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.printer import query as printed
from slackwater.flux.rewrite.translate import flux_of
from slackwater.flux.runtime.pruning import prunable_elements
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.schema import NO_SCHEMA, read_schema


def condition(text: str) -> ast.Expr:
    return parse(Text("condition", f"let $x := 1 let $y := 2 let $z := 3 return {text}")).body.result  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("kind", ast.EXPRESSIONS)
def test_every_expression_is_compiled(kind: type[ast.Expr]) -> None:
    assert compile_expr._items.dispatch(kind) is not compile_expr._items.dispatch(ast.Expr)


def test_a_condition_on_neighbours_is_evaluated_once() -> None:
    one, other = condition("$x = 1"), condition("$y = 2")
    copied = flux.If(ast.Logical("and", one, other), flux.Copy("b"))
    body = flux.sequence(
        flux.If(one, flux.StartTag("a")),
        flux.Loop("x", (flux.Branch(flux.Test("b"), "b", copied),)),
        flux.If(one, flux.EndTag("a")),
        flux.Text("end"),
    )
    assert printed(regrouped(body, {})) == (
        "{ if ($x = 1) then\n  <a>\n  { if ($y = 2) then { for $b in $x/b return {$b} } }\n  </a> }\nend"
    )


def test_a_condition_on_the_variable_of_a_loop_stays_in_it() -> None:
    inner = flux.If(condition("$y = 2"), flux.Copy("y"))
    loop = flux.Loop("x", (flux.Branch(flux.Test("b"), "y", inner),))
    assert guards(loop, {}) == []
    assert regrouped(loop, {}) == loop


SCHEMA = read_schema(
    Text(
        "dtd",
        "<!ELEMENT r (a*, b*, c*)> <!ELEMENT a (d)> <!ELEMENT b (d, a)> <!ELEMENT c (#PCDATA)>"
        "<!ELEMENT d (#PCDATA)>",
    ),
    "r",
)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("/r/c", {"a", "b"}),
        ("/r/a/d", {"b", "c"}),
        ("/r/b/d", {"a", "c"}),
        ("count(/r/a)", {"b", "c", "d"}),
        ("count(//d)", {"c"}),
        ("/r", set()),
        ("1", {"r"}),
    ],
)
def test_what_no_handler_reads_is_skipped(query: str, names: set[str]) -> None:
    program = Program(flux_of(parse(Text("query", query)), SCHEMA))
    assert prunable_elements(program.demands, SCHEMA) == names


def test_without_a_schema_nothing_is_skipped() -> None:
    program = Program(flux_of(parse(Text("query", "/r/c"))))
    assert prunable_elements(program.demands, NO_SCHEMA) == frozenset()
