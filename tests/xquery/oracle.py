"""The answer of the reference evaluator to the text of a query."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.flux.values.tree import Node
from slackwater.globe import astronomy
from slackwater.language.xquery.parse import parse

HERE = Path(__file__).parent


@cache
def _tree(document: str) -> Node:
    return read(document)


def oracle_answer(query: str, document: str = "<r/>") -> str:
    return answer(parse(Text("query.xq", query)), _tree(document))


CHAPTER_2 = Path(astronomy.__file__).parent


def query_in(name: str) -> str:
    path = HERE / name
    # The subscriptions of chapter 2 are part of the package.
    return (path if path.exists() else CHAPTER_2 / path.name).read_text(encoding="utf-8")
