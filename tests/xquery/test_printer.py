"""What is printed says what was parsed."""

from __future__ import annotations

from hypothesis import given

from laws.effort import trying
from slackwater.base.span import Text
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import read
from slackwater.language.xquery.printer import print_query
from xquery.trees import MODULES


@given(MODULES)
@trying(300)
def test_a_printed_query_parses_to_the_same_tree(module: ast.Module) -> None:
    text = print_query(module)
    assert read(Text("printed", text)) == module, text
