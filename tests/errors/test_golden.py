"""Each error has a query that causes it, and a golden file with its exact text."""

from __future__ import annotations

import re
from ast import literal_eval
from pathlib import Path

import pytest

from golden import golden
from slackwater.base.diagnostic import Diagnostic, QueryError, render
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.parameters.values import Unread
from slackwater.bind.program import bind

HERE = Path(__file__).parent
QUERIES = sorted(HERE.glob("*.cql"))


def values_of(text: Text) -> dict[str, object]:
    """The values of parameters, in comments: `-- args n=5`, or `-- param n=5` as on the command line."""
    passed = re.findall(r"^-- (args|param) (\w+)=(.*)$", text.content, re.MULTILINE)
    return {name: literal_eval(value) if how == "args" else Unread(value) for how, name, value in passed}


def diagnostics_of(text: Text) -> list[Diagnostic]:
    """The errors of a text or, where it has none, its notes."""
    try:
        return [note for query in bind(text, Catalog(), values_of(text)) for note in query.notes]
    except QueryError as error:
        return list(error.diagnostics)


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: path.stem)
def test_the_text_is_that_of_the_golden_file(query: Path) -> None:
    diagnostics = diagnostics_of(Text(query.name, query.read_text(encoding="utf-8")))
    rendered = "\n\n".join(map(render, diagnostics)) + "\n"
    assert rendered == golden(query.with_suffix(".txt"), rendered)


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: path.stem)
def test_a_query_causes_the_error_it_is_named_after(query: Path) -> None:
    if query.stem == "many-at-once":
        pytest.skip("named after what it shows, not after a code")
    codes = {
        diagnostic.code for diagnostic in diagnostics_of(Text(query.name, query.read_text(encoding="utf-8")))
    }
    assert any(query.stem.startswith(code) for code in codes)


def test_no_diagnostic_is_without_a_golden_file() -> None:
    root = HERE.parent.parent
    made = re.compile(r'Diagnostic\(\s*(?:code=)?"([a-z-]+)"')
    codes = {
        code
        for path in (root / "src").rglob("*.py")
        for code in made.findall(path.read_text(encoding="utf-8"))
    }
    shown = re.compile(r"^(?:error|warning|note)\[([a-z-]+)\]", re.MULTILINE)
    golden = {
        code
        for path in (root / "tests").rglob("*.txt")
        for code in shown.findall(path.read_text(encoding="utf-8"))
    }
    assert codes - golden == set()
