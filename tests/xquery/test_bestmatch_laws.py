"""Best-match joins: streamed = by the definitions = in plain XQuery."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.base.span import Text
from slackwater.flux.compile.grid import Grid
from slackwater.flux.oracle.read import read
from slackwater.flux.oracle.safety import unsafe
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.handlers import rewritten
from slackwater.flux.rewrite.normal import normal
from slackwater.flux.rewrite.translate import flux_of
from slackwater.flux.run import XQuery
from slackwater.language.xquery.parse import parse
from slackwater.schema import NO_SCHEMA, Schema, read_schema
from xquery.best_matches import DIMENSIONS, FUNCTIONS, Join, documents, joins
from xquery.engine import expected, pieces, streamed
from xquery.flux_interpreter import interpret
from xquery.test_joins import calls

SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=4)
SCHEMA = read_schema(
    Text(
        "schema",
        """
<!ELEMENT w (s*, r*)>
<!ELEMENT r (x?, y?, t*)> <!ELEMENT s (x?, y?, t*)>
<!ATTLIST r id CDATA #IMPLIED u CDATA #IMPLIED> <!ATTLIST s id CDATA #IMPLIED u CDATA #IMPLIED>
<!ELEMENT x (#PCDATA)> <!ELEMENT y (#PCDATA)> <!ELEMENT t (#PCDATA)>
""",
    ),
    "w",
)


def by_definition(join: Join, document: str) -> str:
    answer = expected(parse(Text("query", str(join))), document)
    assert answer is not None, str(join)
    event(f"{join.kind or 'inner'}, {len(join.dimensions)} dimensions, {min(answer.count('<p'), 5)} pairs")
    return answer


@given(joins(), documents(), SIZES)
@trying(300)
def test_streamed_is_by_definition(join: Join, document: str, sizes: list[int]) -> None:
    assert streamed(str(join), document, NO_SCHEMA, sizes) == by_definition(join, document)


@given(joins(FUNCTIONS | DIMENSIONS), documents(6), SIZES)
@trying(100)
def test_an_order_may_be_a_function(join: Join, document: str, sizes: list[int]) -> None:
    assert streamed(str(join), document, NO_SCHEMA, sizes) == by_definition(join, document)


@given(joins(), documents(orders=("sr",)), SIZES)
@trying(150)
def test_a_schema_changes_no_answer(join: Join, document: str, sizes: list[int]) -> None:
    """The partners come first, so that the elements r are streamed."""
    assert streamed(str(join), document, SCHEMA, sizes) == by_definition(join, document)


@given(joins(), documents(), documents(), SIZES)
@trying(150)
def test_the_partners_may_be_in_another_document(
    join: Join, stream: str, partners: str, sizes: list[int]
) -> None:
    apart = str(replace(join, sources=("/w/r", 'doc("partners")/w/s')))
    whole = f"<v>{stream}<o>{partners[3:-4]}</o></v>"
    inside = replace(join, sources=("/v/w/r", "/v/o/s"))
    answer = "".join(XQuery(apart).run(pieces(stream, sizes), {"partners": partners.encode()}))
    assert answer == by_definition(inside, whole)


@given(joins(), documents(6, ("sr",)), st.sampled_from([SCHEMA, NO_SCHEMA]))
@trying(100)
def test_the_translated_join_is_safe(join: Join, document: str, schema: Schema) -> None:
    module = parse(Text("query", str(join)))
    query = normal(module, schema)
    facts = Facts.of(query)
    assert unsafe(rewritten(query.body, facts), facts) == []
    assert interpret(flux_of(module, schema), read(document)) == by_definition(join, document)


@pytest.mark.slow
@given(joins(FUNCTIONS | DIMENSIONS), documents(6))
@trying(300)
def test_by_definition_is_plain_xquery(join: Join, document: str) -> None:
    from xquery.saxon import saxon_answer

    assert by_definition(join, document) == saxon_answer(join.plain(), document), join.plain()


FINITE = st.floats(-1e300, 1e300) | st.integers(-4, 4).map(float)


@given(
    st.lists(st.floats(0, 1e9) | st.just(0.5), min_size=1, max_size=3).flatmap(
        lambda bounds: st.tuples(
            st.just(bounds),
            st.lists(st.tuples(*[FINITE] * len(bounds)), max_size=8),
            st.tuples(*[FINITE] * len(bounds)),
        )
    )
)
@trying(300)
def test_a_grid_misses_no_partner(
    drawn: tuple[list[float], list[tuple[float, ...]], tuple[float, ...]],
) -> None:
    bounds, points, probe = drawn
    columns = [[point[axis] for point in points] for axis in range(len(bounds))]
    grid = Grid([*enumerate(bounds)], columns)
    near = {
        place
        for place, point in enumerate(points)
        if all(abs(one - other) <= bound for one, other, bound in zip(point, probe, bounds, strict=True))
    }
    event(f"{len(near)} near")
    assert near <= {*grid.near(probe)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["left outer", "right outer", "full outer", ""])
def test_a_bounded_join_takes_steps_in_proportion(kind: str) -> None:
    """Steps are calls of functions: 4 times the items, as dense as before, would take 16 times as many."""

    def steps(size: int) -> int:
        items = "".join(f'<{name} x="{n * 7 % size}" y="{n % 10}"/>' for name in "sr" for n in range(size))
        query = XQuery(
            f"for $r in /w/r for $s in /w/s where $r {kind} bestmatch join $s "
            "on (abs($r/@x - $s/@x)) min 2, (abs($r/@y - $s/@y)) min return <p/>"
        )
        return calls(lambda: query.answer(f"<w>{items}</w>"))

    steps(100)
    assert steps(1_200) < 5 * steps(300)
