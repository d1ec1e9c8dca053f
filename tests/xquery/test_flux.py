"""The examples of chapter 3 and the queries of appendix C as FluX queries with their buffers."""

from __future__ import annotations

import pytest

from golden import REWRITES
from slackwater.base.span import Text
from slackwater.flux.oracle.safety import unsafe
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.guards import pushed
from slackwater.flux.rewrite.handlers import rewritten
from slackwater.flux.rewrite.normal import normal
from slackwater.flux.rewrite.simplify import simplified
from slackwater.language.xquery import parse
from xquery.flux_examples import Example, examples, rewritten_example

EXAMPLES = examples()
SECTIONS = [
    (example, name) for example in EXAMPLES for name in example.sections if name not in ("schema", "query")
]


@pytest.mark.parametrize(
    ("example", "section"), SECTIONS, ids=[f"{example.path.stem} {name}" for example, name in SECTIONS]
)
def test_a_section_is_the_outcome_of_the_query(example: Example, section: str) -> None:
    if REWRITES:
        example.path.write_text(rewritten_example(example), encoding="utf-8")
        return
    assert example.outcome(section) == example.sections[section]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_the_translated_query_is_safe(example: Example) -> None:
    query = normal(parse(Text("query", example.sections["query"])), example.schema)
    facts = Facts.of(query)
    for body in (query.body, pushed(query.body), simplified(query.body, facts)):
        assert unsafe(rewritten(body, facts), facts) == []
