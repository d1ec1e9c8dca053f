"""The examples of chapter 3 and the queries of appendix C as FluX queries with their buffers."""

from __future__ import annotations

import os

import pytest

from slackwater.base.span import Text
from slackwater.flux.oracle.safety import unsafe
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.handlers import rewritten
from slackwater.flux.rewrite.normal import normal, pushed
from slackwater.flux.rewrite.simplify import simplified
from slackwater.language.xquery import parse
from xquery.flux_stories import Story, rewritten_story, stories

STORIES = stories()
ASKED = [(each, name) for each in STORIES for name in each.sections if name not in ("schema", "query")]


@pytest.mark.parametrize(
    ("story", "section"), ASKED, ids=[f"{each.path.stem} {name}" for each, name in ASKED]
)
def test_a_query_becomes_what_is_written_down(story: Story, section: str) -> None:
    if os.environ.get("SLACKWATER_GOLDEN"):
        story.path.write_text(rewritten_story(story), encoding="utf-8")
        return
    assert story.outcome(section) == story.sections[section]


@pytest.mark.parametrize("story", STORIES, ids=lambda each: each.path.stem)
def test_what_it_becomes_is_safe(story: Story) -> None:
    query = normal(parse(Text("query", story.sections["query"])), story.schema)
    facts = Facts.of(query)
    for body in (query.body, pushed(query.body), simplified(query.body, facts)):
        assert unsafe(rewritten(body, facts), facts) == []
