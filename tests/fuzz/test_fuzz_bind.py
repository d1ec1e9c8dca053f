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
    STREAMED COMPLETE OVER SYNC EVERY AT FULL POINTS R( ℜ[ TS Timepoint clockStr MOD DROP REGISTER SOURCE OP <
""".split()  # noqa: SIM905
SYNCSQL = """
REGISTER SOURCE S ( char k , int v ) TIME t INT ;
CREATE STREAM T OVER S KEY k ;
CREATE STREAM U OVER S KEY NULL ;
CREATE STREAMED VIEW P AS SELECT C . Timepoint FROM R( clockStr ) C WHERE C . Timepoint MOD 2 = 0 ;
CREATE STREAMED VIEW E AS SELECT R . TS FROM R( U ) R WHERE R . v > 120 ;
CREATE STREAMED VIEW B AS SELECT TS FROM R( E ) UNION SELECT Timepoint FROM R( P ) ;
CREATE STREAMED VIEW N AS SELECT 1 AS one , MAX( T . Timepoint ) AS c FROM R( P ) T ;
CREATE STREAMED VIEW V AS SELECT k , v FROM ℜ[ P ]( T ) r WHERE r . v > 80 ;
SELECT STREAMED k , TS FROM R( V ) SYNC BY B x WHERE NOW - 5 < x . TS <= NOW ;
SELECT COMPLETE r . * FROM R( U ) SYNC BY EVERY 3 OFFSET 1 AS r , R( N ) n
  WHERE n . c - 5 < r . TS AND r . v > 1 AT FULL POINTS ;
SELECT STREAMED k , COUNT( * ) FROM R( U ) JOIN V USING ( k ) GROUP BY k HAVING NOW < MAX( TS ) + 5 ;
DROP VIEW V
""".split()  # noqa: SIM905


CATALOGS = """
CREATE OR REPLACE RELATION r ( k INT , q STRING , a INT ) ;
CREATE OR REPLACE VIEW v AS SELECT * FROM r PIVOT ( SUM( a ) AS s FOR q IN ( 'x' AS x , 'y' ) GROUP BY k ) ;
SELECT * FROM v UNPIVOT INCLUDE NULLS ( w FOR n IN ( x , y AS 'z' ) ) ;
PIVOT r ON q IN ( 'x' ) USING MAX( a ) GROUP BY k ;
UNPIVOT r ON a , k INTO NAME n VALUE w ;
WITH p ( i , t ) AS ( VALUES ( 1 , 'x' ) , ( 2 , NULL ) ) SELECT a FROM r JOIN p ON ( k , q ) = ( i , t ) ;
( SELECT k FROM r EXCEPT ALL VALUES ( 1 ) ) UNION BY NAME SELECT a FROM generate_series( 1 , 3 ) AS g( a ) ;
SHOW TABLES ; DESCRIBE v ; DESCRIBE SELECT k FROM r ;
DROP VIEW IF EXISTS v ; DROP RELATION IF EXISTS x1
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
@given(st.data())
def test_a_program_with_words_changed_is_bound_or_refused(data: st.DataObject) -> None:
    words = list(data.draw(st.sampled_from([SYNCSQL, CATALOGS])))
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(words) - 1))
        words[place] = data.draw(st.sampled_from([*WORDS, *words, ""]))
    refused_or_bound(" ".join(words), Catalog())


@quick
@given(st.sampled_from(CORPUS), st.data())
def test_a_program_cut_anywhere_or_with_noise_in_it_is_bound_or_refused(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    noise = data.draw(st.text(max_size=4))
    refused_or_bound(text[:start] + noise + text[end:], Catalog())
