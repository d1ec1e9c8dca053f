"""Whatever text comes, it is bound or refused with diagnostics; nothing else ever happens."""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import Generated, catalog, queries
from slackwater.base.diagnostic import Diagnostic, QueryError, render
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind

quick = trying(150)
ERRORS = Path(__file__).parent.parent / "errors"
CORPUS = [path.read_text(encoding="utf-8") for path in sorted(ERRORS.glob("*.cql"))]
WORDS = """
    SELECT FROM WHERE GROUP BY HAVING [ ] ( ) , ; . * = <> RANGE ROWS NOW UNBOUNDED SLIDE PARTITION ISTREAM
    RSTREAM DISTINCT UNION ALL EXCEPT IN EXISTS ANY NOT NULL CASE WHEN THEN END CAST AS INT JOIN LEFT USING ON
    NATURAL WITH CREATE STREAM RELATION VIEW TIME KEY COUNT SUM a b S T R x1 'x' 1 2.5 - / || INTERVAL 'day'
""".split()  # noqa: SIM905


def refused_or_bound(text: str, known: Catalog) -> None:
    diagnostics: tuple[Diagnostic, ...] | None = None
    try:
        bind(Text("<fuzz>", text), known)
    except QueryError as error:
        diagnostics = error.diagnostics
    assert diagnostics is None or all(render(diagnostic).startswith("error[") for diagnostic in diagnostics)
    assert diagnostics != ()


@quick
@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
@example("SELECT * FROM S USING (a)")
def test_words_in_any_order_are_bound_or_refused(text: str) -> None:
    refused_or_bound(text, catalog())


@quick
@given(queries(), st.data())
def test_a_valid_query_with_a_word_changed_is_bound_or_refused(query: Generated, data: st.DataObject) -> None:
    words = query.cql.split()
    place = data.draw(st.integers(0, len(words) - 1))
    words[place] = data.draw(st.sampled_from(WORDS))
    refused_or_bound(" ".join(words), catalog())


@quick
@given(st.sampled_from(CORPUS), st.data())
def test_a_program_cut_anywhere_or_with_noise_in_it_is_bound_or_refused(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    noise = data.draw(st.text(max_size=4))
    refused_or_bound(text[:start] + noise + text[end:], Catalog())
