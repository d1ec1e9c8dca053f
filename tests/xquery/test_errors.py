"""Each error of XQuery has a query that causes it and a file with the exact text a user sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import golden
from slackwater.base.diagnostic import Diagnostic, EngineError, QueryError, render
from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.language.xquery.parse import parse

HERE = Path(__file__).parent / "errors"
QUERIES = sorted(HERE.glob("*.xq"))
RUNNING = sorted((HERE / "running").glob("*.xq"))
DOCUMENT = '<r n="1"><a>x</a><b>7</b><b>3</b></r>'


def text_in(path: Path) -> Text:
    return Text(path.name, path.read_text(encoding="utf-8").rstrip("\n"))


def refused(path: Path) -> list[Diagnostic]:
    with pytest.raises(QueryError) as caught:
        parse(text_in(path))
    return list(caught.value.diagnostics)


def failed(path: Path) -> list[Diagnostic]:
    with pytest.raises(EngineError) as caught:
        answer(parse(text_in(path)), read(DOCUMENT))
    return list(caught.value.diagnostics)


def compare(diagnostics: list[Diagnostic], path: Path) -> None:
    text = "\n\n".join(map(render, diagnostics)) + "\n"
    assert text == golden(path, text)


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_an_author_sees_exactly_this(path: Path) -> None:
    compare(refused(path), path.with_suffix(".txt"))


@pytest.mark.parametrize("path", RUNNING, ids=lambda path: path.stem)
def test_a_user_sees_exactly_this_while_it_runs(path: Path) -> None:
    compare(failed(path), path.with_suffix(".txt"))


@pytest.mark.parametrize("path", [*QUERIES, *RUNNING], ids=lambda path: path.stem)
def test_a_query_causes_the_error_it_is_named_after(path: Path) -> None:
    if path.stem == "many-at-once":
        pytest.skip("named after what it shows, not after a code")
    diagnostics = failed(path) if path in RUNNING else refused(path)
    assert any(path.stem.startswith(diagnostic.code) for diagnostic in diagnostics)


def test_malformed_xml_is_reported_with_its_position() -> None:
    with pytest.raises(EngineError) as caught:
        read("<r>\n  <a></b></r>", "data.xml")
    compare(list(caught.value.diagnostics), HERE / "running" / "malformed-xml.txt")


def test_nothing_is_fetched_for_an_external_entity() -> None:
    document = '<!DOCTYPE r [<!ENTITY x SYSTEM "other.xml">]><r>&x;</r>'
    with pytest.raises(EngineError, match="external"):
        read(document)
