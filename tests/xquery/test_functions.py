"""What the records of functions say about nodes: enough of each is buffered for the call."""

from __future__ import annotations

import pytest

from slackwater.base.span import Text
from slackwater.language.xquery.functions import FUNCTIONS, Function
from slackwater.language.xquery.parse import parse
from xquery.engine import expected, streamed

DOCUMENT = """\
<rs xmlns:p="urn:p">
<r><x k="1"><y>6</y>5</x><n>2</n><z>1</z></r>
<r><x><y/>7</x><n>1</n><z>0</z></r>
<r><x>8</x><x k="1">8</x><n>1</n><z>2</z></r>
<r><p:w/><x k="2"><y>6</y>7</x><n>1</n><z>1</z></r>
</rs>
"""
MORE = DOCUMENT.replace("<z>2</z>", "<z>1</z>")
"""Here an item has two x, which is an error for some functions."""
_OTHERS = {"start", "length", "place", "digits", "value", "part", "old", "new", "between", "zero"}


def _calls(function: Function) -> list[str]:
    """Calls of the function on nodes that come before the node that decides whether it is called."""
    arguments = [f"$r/{'n' if name in _OTHERS else 'x'}" for name, _ in function.parameters]
    sizes = range(max(function.least, 1), len(arguments) + 1)
    calls = [f"{function.name}({', '.join(arguments[:size])})" for size in sizes]
    return calls if function.least else [*calls, f"$r/x/{function.name}()", f"$r/*[{function.name}()]"]


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_enough_is_buffered_of_the_arguments_of_a_function(function: Function) -> None:
    for call in _calls(function):
        for around in (call, f"count({call})", f"string(({call})[1])", f"({call})/@k", f"({call})/y"):
            query = f"<o>{{ for $r in /rs/r where $r/z = 1 return <a>{{ {around} }}</a> }}</o>"
            for document in (DOCUMENT, MORE):
                answer = expected(parse(Text("query.xq", query)), document)
                assert streamed(query, document) == answer, query
