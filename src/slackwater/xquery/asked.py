"""A query that is asked of many small documents: compiled once in a process."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from slackwater.base.span import Text
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.xquery.tree_eval import answer
from slackwater.xquery.tree_read import read


@lru_cache(maxsize=64)
def asked(text: str) -> Callable[[bytes], str]:
    """What answers a query over one document after the other."""
    module = parse(Text("<subscription>", text))
    return lambda document: answer_over(module, document)


def answer_over(module: ast.Module, document: bytes) -> str:
    tree = read(document)
    streams = {node.name: tree for node in ast.walk(module) if isinstance(node, ast.Input)}
    return answer(module, tree, streams)
