"""The documentation is true: its queries bind, its examples run, its lists are complete."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import indent

import pytest

from docs import errors_page, spark_page
from docs.bestmatch_picture import best_pairs, picture
from docs.functions_page import names_in, page
from docs.xquery_functions import with_table
from golden import golden
from slackwater.algebra.expressions.aggregates import AGGREGATES
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.base.diagnostic import QueryError, render
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.functions import CLOCK_FUNCTIONS, known_functions
from slackwater.bind.program import bind
from slackwater.bind.refused import REFUSED
from slackwater.engines.engine import Reference
from slackwater.language.cql.words import RESERVED
from slackwater.physical.explain.explanation import AsWritten, explanation
from slackwater.physical.explain.picture.svg import as_svg
from slackwater.testing.cqt import parse
from slackwater.testing.report import report
from slackwater.testing.runner import run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = ("language.md", "functions.md", "errors.md", "cqt.md", "README.md")
LANGUAGES = {"cql", "cqt", "text", "console", "python"}
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_DECLARES = re.compile(r"^\s*(CREATE|SET|REGISTER)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its place, its language, its mark, its content."""

    place: str
    language: str
    mark: str
    content: str


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[Block]:
    text = read(name)
    fenced: list[Block] = []
    for match in _FENCE.finditer(text):
        language, _, mark = match[1].partition(" ")
        line = text.count("\n", 0, match.start()) + 1
        fenced.append(Block(f"{name}:{line}", language, mark.strip(), match[2]))
    return fenced


BLOCKS = [block for name in PAGES for block in blocks(name)]
CQL = [block for block in BLOCKS if block.language == "cql"]
CQT = [block for block in BLOCKS if block.language == "cqt"]


def catalog_for(block: Block) -> Catalog:
    """What a query may name: its own declarations, or those the page begins with."""
    catalog = Catalog()
    if not _DECLARES.match(block.content):
        first = next(other for other in CQL if other.place.split(":")[0] == block.place.split(":")[0])
        bind(Text(first.place, first.content), catalog)
    return catalog


@pytest.mark.parametrize("block", CQL, ids=lambda block: block.place)
def test_a_query_is_accepted_or_refused_as_the_page_says(block: Block) -> None:
    text = Text(block.place, block.content)
    key, _, code = block.mark.partition("=")
    assert key in ("", "refused", "expanded")
    if key != "refused":
        bind(text, catalog_for(block))
        return
    with pytest.raises(QueryError) as refusal:
        bind(text, catalog_for(block))
    assert {diagnostic.code for diagnostic in refusal.value.diagnostics} == {code}


@pytest.mark.parametrize("block", CQT, ids=lambda block: block.place)
def test_an_example_gives_the_answers_it_shows(block: Block) -> None:
    for case in parse(Text(f"{block.place}.cqt", block.content)):
        outcome = run(case, [Reference()], seed=0)
        assert outcome.passed, report(outcome)


def test_the_notes_and_the_expanded_query_are_those_a_user_sees() -> None:
    pairs = [(one, other) for one, other in pairwise(BLOCKS) if one.mark == "expanded"]
    assert pairs
    for block, seen in pairs:
        (query,) = bind(Text("query.cql", block.content.rstrip("\n")), catalog_for(block))
        assert seen.language == "text"
        expanded = indent(query.expanded, "    ")
        shown = [*map(render, query.notes), "with its defaults written out:", expanded]
        assert seen.content == "\n\n".join(shown) + "\n"


@pytest.mark.parametrize("name", PAGES)
def test_every_block_says_what_it_is(name: str) -> None:
    assert {block.language for block in blocks(name)} <= LANGUAGES
    assert read(name).count("\n```") == 2 * len(blocks(name))


def test_every_list_of_problems_is_on_the_page_of_errors() -> None:
    files = (ROOT / "src").rglob("problems.py")
    modules = {".".join(file.relative_to(ROOT / "src").with_suffix("").parts) for file in files}
    listed = {module.__name__ for modules in errors_page.SECTIONS.values() for module in modules}
    assert modules == listed


def test_the_page_of_errors_is_what_the_catalogues_say() -> None:
    page = errors_page.page()
    assert page == golden(DOCS / "errors.md", page), "make golden rewrites the page"


def test_every_code_is_a_heading_of_the_page_of_errors() -> None:
    assert sorted(re.findall(r"^### ([a-z0-9-]+)$", read("errors.md"), re.MULTILINE)) == sorted(
        errors_page.by_code()
    )


def test_every_code_the_page_names_exists() -> None:
    refused = read("language.md").partition("## What is not supported")[2].partition("## Diagnostics")[0]
    named_codes = set(re.findall(r"^\|.*?\| `([a-z-]+)` \|", refused, re.MULTILINE))
    assert named_codes
    assert named_codes <= errors_page.by_code().keys()


def test_the_page_of_functions_is_what_the_tables_say() -> None:
    assert page() == golden(DOCS / "functions.md", page()), "make golden rewrites the page"


def test_the_page_of_spark_s_functions_is_what_the_tables_say() -> None:
    content = spark_page.page()
    assert content == golden(DOCS / "spark_functions.md", content), "make golden rewrites the page"


def test_what_is_refused_is_a_function_of_spark_and_not_supported() -> None:
    assert REFUSED.keys() <= set(spark_page.names())
    assert not REFUSED.keys() & (set(known_functions()) | CLOCK_FUNCTIONS)
    assert spark_page.DIFFERENT.keys() <= {
        name for name in spark_page.names() if spark_page.kind(name) == "supported"
    }


def test_the_table_of_xquery_functions_is_what_the_records_say() -> None:
    page_with_table = with_table(read("xquery.md"))
    assert page_with_table == golden(DOCS / "xquery.md", page_with_table), "make golden rewrites the table"


def test_every_function_is_listed_once_and_nothing_else() -> None:
    assert sorted(names_in(read("functions.md"))) == sorted([*FUNCTIONS, *AGGREGATES])


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        (record.name, call)
        for record in (*FUNCTIONS.values(), *AGGREGATES.values())
        for call in re.findall(r"`([^`]+)`", record.also)
        if re.fullmatch(r"\w+", call)
    ],
)
def test_another_spelling_means_the_same(name: str, spelling: str) -> None:
    declared = "CREATE STREAM S (i INT, s STRING, t TIMESTAMP, l ARRAY<INT>) TIME at INT;"
    one, other = _bound(declared, name, name), _bound(declared, spelling, name)
    assert one == other


def _bound(declared: str, spelling: str, name: str) -> object:
    """The plan of a call with arguments of the right types."""
    families = (AGGREGATES[name].parameter,) if name in AGGREGATES else FUNCTIONS[name].parameters
    columns = {
        "a string": "s",
        "a binary value": "CAST(s AS BINARY)",
        "a string or binary value": "s",
        "a constant regular expression": "'(a)'",
        "a constant text with $1": "'-'",
        "a constant number of a group": "1",
        "a constant format of times": "'yyyy'",
        "a constant time zone": "'UTC'",
        "a constant format with %s": "'%s'",
        "a date, timestamp or string": "t",
        "an integer, string or binary value": "s",
        "a date or timestamp": "t",
        "a unit of time": "'day'",
        "an array": "l",
        "an array or map": "l",
    }
    optional = 0 if name in AGGREGATES else FUNCTIONS[name].optional
    arguments = [columns.get(str(family), "i") for family in families[: len(families) - optional]]
    if name == "coalesce":
        arguments *= 2
    query = bind(
        Text("q", f"{declared} SELECT {spelling}({', '.join(arguments)}) AS x FROM S [NOW]"), Catalog()
    )
    return query[-1].plan


def test_the_reserved_words_are_those_listed() -> None:
    text = read("language.md").partition("Reserved are the words")[2].partition("`)")[0]
    assert set(text.partition("(`")[2].split()) == set(RESERVED)


def test_the_index_names_every_page() -> None:
    pages = [path.name for path in DOCS.glob("*.md") if path.name != "README.md"]
    assert [name for name in pages if f"]({name})" not in read("README.md")] == []


def test_the_picture_of_linear_road_is_what_explain_draws() -> None:
    text = (ROOT / "src/slackwater/cli/linear_road.cql").read_text(encoding="utf-8")
    catalog = Catalog()
    queries = bind(Text("linear_road.cql", text), catalog)
    plans = [AsWritten(query.name or "", query.plan) for query in queries]
    picture = as_svg(explanation(plans, catalog.clock), "linear_road.cql")
    assert golden(DOCS / "pictures" / "linear_road.svg", picture) == picture
    assert len(picture) < 100_000


def test_the_picture_of_best_matches_shows_the_pairs_of_the_answer() -> None:
    assert best_pairs("") == [("A", "a"), ("A", "b"), ("A", "c")]
    assert best_pairs("LEFT OUTER") == [("A", "a"), ("A", "b"), ("A", "c"), ("B", "d")]
    assert golden(DOCS / "pictures" / "bestmatch.svg", picture()) == picture()
