"""A document that a query names is never read from the source of another one."""

from __future__ import annotations

from pathlib import Path

import pytest

import slackwater as sw
from slackwater.base.diagnostic import EngineError
from slackwater.flux.run import XQueries, XQuery

A, B = "<a>1</a>", "<b>2</b>"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.xml").write_text(A, encoding="utf-8")
    Path("b.xml").write_text(B, encoding="utf-8")


def refused(query: XQuery | XQueries, *arguments: object) -> str:
    with pytest.raises(EngineError) as caught:
        [*query.run(*arguments)]  # type: ignore[call-overload]
    (diagnostic,) = caught.value.diagnostics
    return diagnostic.code


def test_a_file_of_another_name_is_refused() -> None:
    assert refused(sw.xquery('doc("a.xml")/*'), "b.xml") == "other-document"
    assert refused(sw.xquery('doc("missing.xml")/*'), "b.xml") == "other-document"
    assert refused(sw.xquery('(doc("a.xml")/*, doc("b.xml")/*)'), "b.xml") == "other-document"


def test_a_file_of_the_name_is_read_from_any_folder(tmp_path: Path) -> None:
    assert sw.xquery('doc("a.xml")/*').answer("a.xml") == A
    assert sw.xquery('doc("a.xml")/*').answer(tmp_path / "a.xml") == A
    assert sw.xquery('(doc("a.xml")/*, doc("b.xml")/*)').answer("a.xml") == A + B


def test_a_source_without_a_name_is_the_only_document() -> None:
    assert sw.xquery('doc("other")/*').answer(A) == A
    assert sw.xquery('(doc("x")/*, doc("y")/*)').answer(A, {"y": B}) == A + B
    assert refused(sw.xquery('(doc("x")/*, doc("y")/*)'), A) == "other-document"
    assert refused(sw.xquery('(doc("x")/*, doc("y")/*)'), B, {"x": A}) == "other-document"


def test_the_context_item_is_the_source() -> None:
    assert sw.xquery('(./a, doc("b.xml")/b)').answer(A) == A + B
    assert sw.xquery('(a, doc("b.xml")/b)').answer("a.xml") == A + B
    assert sw.xquery('doc("b.xml")/b[/b]').answer(B) == B


def test_queries_of_different_documents_do_not_share_a_source() -> None:
    both = XQueries([sw.xquery('doc("a.xml")/*'), sw.xquery('doc("b.xml")/*')])
    assert refused(both, A) == "other-document"
    assert refused(both, "a.xml") == "other-document"
    assert (
        "".join(text for _, text in XQueries([sw.xquery("/a"), sw.xquery('doc("a.xml")/a')]).run("a.xml"))
        == A + A
    )


def test_a_function_may_name_a_document() -> None:
    query = 'declare function local:f() { doc("b.xml")/b }; (/a, local:f())'
    assert sw.xquery(query).answer(A) == A + B
