"""JSON, formats and numbers in texts: the kernels read and write what the reference does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from laws.effort import trying
from laws.test_kernel_expressions import SCHEMA, VALUES, by_kernel, by_reference, frame_of, same
from slackwater.algebra import types as t
from slackwater.algebra.expressions import Call, Expression, Literal
from slackwater.algebra.expressions.printf import Refused, check
from slackwater.algebra.types import Type
from slackwater.algebra.values import canonical

_NAMES = st.sampled_from(["a", "b", "a b", "é", "😀"])
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
DOCUMENTS = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)
STEPS = st.sampled_from(
    ["[*]", "[*]", "[0]", "[1]", ".a", ".b", "['a b']", ".é", ".*", "[ 0]", " ['a']", ".a b"]
)
FLAGS = st.lists(st.sampled_from("-+ 0,(#"), unique=True, max_size=3).map("".join)
PRINTED = (t.BOOLEAN, t.TINYINT, t.SMALLINT, t.INT, t.BIGINT, t.DOUBLE, t.STRING)
ROW = [(None,) * len(SCHEMA.types)]


def agree(call: Expression) -> Any:
    """The answer of both, which is one."""
    (expected,), actual = by_reference(call, ROW), by_kernel(call, frame_of(ROW))
    assert isinstance(actual, list)
    assert same(expected, actual[0], nearly=False), (expected, actual)
    return expected


def of_texts(name: str, *texts: str) -> Call:
    return Call(t.STRING, name, tuple(Literal(t.STRING, text) for text in texts))


@trying(300)
@given(
    DOCUMENTS, st.lists(STEPS, max_size=4).map("".join), st.booleans(), st.sampled_from(["", " ", "]", "x"])
)
def test_a_path_leads_to_the_same_part_of_a_document(
    document: Any, path: str, is_ascii: bool, after: str
) -> None:
    text = json.dumps(document, ensure_ascii=is_ascii)
    agree(of_texts("get_json_object", text + after, f"${path}"))


@trying(300)
@given(st.text("[]{},:\"'\\ \nab01-.eE+tfnu", max_size=12), st.sampled_from(["$", "$.a", "$[0]", "$[*]"]))
@example("{'a':'\\''}", "$.a")
@example('{"a":1,}', "$.a")
@example("[1.]", "$")
@example('"\\ud800"', "$")
def test_what_is_hardly_json_is_read_alike(text: str, path: str) -> None:
    agree(of_texts("get_json_object", text, path))
    agree(Call(t.BIGINT, "json_array_length", (Literal(t.STRING, text),)))
    agree(Call(t.array(t.STRING), "json_object_keys", (Literal(t.STRING, text),)))


@pytest.mark.parametrize("type_", PRINTED, ids=str)
def test_a_format_writes_the_same(type_: Type) -> None:
    @trying(150)
    @given(
        FLAGS,
        st.sampled_from(["", "4", "13"]),
        st.sampled_from(["", ".0", ".2", ".9"]),
        st.sampled_from("sSbBdoxXeEf"),
        st.none() | VALUES[type_],
    )
    def holds(flags: str, width: str, digits: str, kind: str, value: Any) -> None:
        text = f"<%{flags}{width}{digits}{kind}>"
        try:
            check(text, [type_])
        except Refused:
            assume(False)
        agree(Call(t.STRING, "format_string", (Literal(t.STRING, text), Literal(type_, canonical(value)))))

    holds()


@trying(300)
@given(
    st.text("0123456789,.$+-<> ", max_size=8),
    st.text("09,.$", max_size=6),
    st.sampled_from(["", "S", "MI", "PR"]),
)
def test_a_number_in_a_format_is_read_alike(text: str, form: str, sign: str) -> None:
    agree(of_texts("number_text", text, form + sign))
    agree(of_texts("number_text", text, ("" if sign == "PR" else sign) + form))


@trying(300)
@given(
    st.text("ahtp:/?#@[]%.&=1_é -", max_size=14)
    | st.tuples(
        st.sampled_from(["http://", "//", "a:", ""]),
        st.text("ab1.:@-_[]%é", max_size=8),
        st.text("/?#&=a%2 ", max_size=8),
    ).map("".join),
    st.sampled_from(["PROTOCOL", "AUTHORITY", "USERINFO", "HOST", "PATH", "FILE", "QUERY", "REF"]),
)
@example("http://[::ffff:1.2.3.4]/", "HOST")
@example("http://[1:2:3:4:5:6:7::]/", "HOST")
def test_a_url_has_the_same_parts(url: str, part: str) -> None:
    agree(of_texts("parse_url", url, part))
    agree(of_texts("parse_url", url, "QUERY", "a"))
