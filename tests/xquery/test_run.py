"""Running queries: over any kind of source, incrementally, and several at a time."""

from __future__ import annotations

import io
import itertools
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import slackwater
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.flux.run import XQuery, xqueries, xquery
from slackwater.flux.runtime.nodes import NODE_BYTES
from slackwater.language.xquery.parse import parse
from slackwater.schema import read_schema
from slackwater.xml.errors import XmlError
from xquery.engine import expected, streamed

BOOKS = "<bib>{}{}</bib>".format(
    "<book><title>one</title><price>1</price></book>", "<book><title>two</title><price>2</price></book>"
)
TITLES = "<t>{ for $b in /bib/book where $b/price > 1 return $b/title }</t>"
ANSWER = "<t><title>two</title></t>"
DTD = (
    "<!ELEMENT bib (book*)><!ELEMENT book (title, price)><!ELEMENT title (#PCDATA)><!ELEMENT price (#PCDATA)>"
)


def test_a_document_may_be_bytes_a_text_a_path_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "books.xml"
    path.write_text(BOOKS, encoding="utf-8")
    query = xquery(TITLES)
    for source in (BOOKS.encode(), BOOKS, f"\n {BOOKS}", path, str(path), io.BytesIO(BOOKS.encode())):
        assert query.answer(source) == ANSWER
    with path.open("rb") as file:
        assert query.answer(file) == ANSWER


def test_a_query_is_shown_in_one_line() -> None:
    assert repr(slackwater.xquery("for $e in /log/e\n  return $e")) == "<xquery for $e in /log/e return $e>"
    assert repr(slackwater.xquery(f"({', '.join(map(str, range(99)))})")).endswith("…>")
    assert len(repr(slackwater.xquery(f"({', '.join(map(str, range(99)))})"))) == 69
    assert repr(slackwater.xqueries(["1", "2"])) == "<2 xqueries>"


def test_a_document_may_be_pieces_of_bytes() -> None:
    data = BOOKS.encode()
    assert xquery(TITLES).answer(data[at : at + 1] for at in range(len(data))) == ANSWER
    assert xquery(TITLES).answer([b"", data, b""]) == ANSWER


def test_a_document_may_come_through_a_pipe() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as source, os.fdopen(writing, "wb", buffering=0) as target:
        target.write(b"<log><e>1</e>")
        answer = xquery("for $e in /log/e return $e").run(source)
        assert next(answer) == "<e>1</e>"
        target.write(b"<e>2</e><e>")
        assert next(answer) == "<e>2</e><e"
        target.write(b"3</e></log>")
        target.close()
        assert "".join(answer) == ">3</e>"


def test_a_document_may_come_through_a_socket() -> None:
    mine, yours = socket.socketpair()
    with mine, yours:
        sender = threading.Thread(target=lambda: (yours.sendall(BOOKS.encode()), yours.close()))
        sender.start()
        assert xquery(TITLES).answer(mine) == ANSWER
        sender.join()


def test_a_source_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="not int"):
        xquery(TITLES).answer(7)


def endless() -> Iterator[bytes]:
    yield b"<log>"
    for number in itertools.count():
        yield f"<e n='{number % 7}'>{number}</e>".encode()


def test_input_need_not_end_and_does_not_accumulate() -> None:
    query = xquery("for $e in /log/e where $e/@n = 6 return <six>{$e/text()}</six>")
    answer = query.run(endless())
    first = "".join(itertools.islice(answer, 2000))
    assert first.startswith("<six>6</six><six>13</six>")
    assert query.stats.peak < 2 * NODE_BYTES
    assert query.stats.elements > 1000


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("/log/e[3]/text()", "2"),
        ("(/log/e)[position() > 1]/text()", "1"),
        ('for $e at $n in /log/e return <n e="{$e}">{$n}</n>', '<n e="0">1</n>'),
    ],
)
def test_positions_are_known_before_the_input_ends(query: str, first: str) -> None:
    compiled = XQuery(query)
    assert next(compiled.run(endless())).startswith(first)
    assert compiled.stats.peak < 500


def test_a_query_can_be_run_again_and_while_it_runs() -> None:
    query = XQuery(TITLES, read_schema(Text("dtd", DTD)))
    one, other = query.run(BOOKS), query.run(BOOKS.replace("two", "zwei"))
    assert "".join(text for pair in itertools.zip_longest(one, other) for text in pair if text)
    assert [query.answer(BOOKS) for _ in range(3)] == [ANSWER] * 3


def test_a_run_after_a_failed_one_starts_fresh() -> None:
    query = xquery("<t>{ for $b in /bib/book return <p>{ $b/price * 2 }</p> }</t>")
    with pytest.raises(EngineError):
        query.answer(BOOKS.replace("<price>2", "<price>dear"))
    assert query.answer(BOOKS) == "<t><p>2</p><p>4</p></t>"


def test_the_answer_up_to_an_error_is_written() -> None:
    chunks: list[str] = []
    with pytest.raises(XmlError):
        chunks.extend(xquery("/bib/book/title").run(BOOKS.replace("</bib>", "</bob>")))
    assert "".join(chunks) == "<title>one</title><title>two</title>"


def test_several_queries_are_answered_in_one_pass() -> None:
    together = xqueries([TITLES, "count(/bib/book)", TITLES], read_schema(Text("dtd", DTD)))
    answers = ["", "", ""]
    for number, text in together.run(BOOKS):
        answers[number] += text
    assert answers == [ANSWER, "2", ANSWER]


def test_a_document_beside_the_streamed_one_is_read_before_it(tmp_path: Path) -> None:
    query = xquery(
        'for $b in stream("books")/bib/book, $r in doc("reviews.xml")/reviews/review '
        "where $r/title = $b/title return <r>{$b/price, $r/stars}</r>"
    )
    reviews = b"<reviews><review><title>two</title><stars>5</stars></review></reviews>"
    answer = "<r><price>2</price><stars>5</stars></r>"
    assert query.answer(BOOKS, {"reviews.xml": reviews}) == answer


def test_a_named_document_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "more.xml").write_text("<m>3</m>", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert xquery('(stream("s")/bib/book/price, doc("more.xml")/m)').answer(BOOKS).endswith("<m>3</m>")


def test_functions_and_variables_may_be_passed() -> None:
    def median(items: list[object]) -> list[object]:
        return [sorted(float(item.value) for item in items)[len(items) // 2]]  # type: ignore[attr-defined]

    query = xquery(
        "declare variable $what external; <m>{ $what, udf:median(/bib/book/price) }</m>",
        functions={"udf:median": median},  # type: ignore[dict-item]
        variables={"what": ["median"]},
    )
    assert query.answer(BOOKS) == "<m>median 2</m>"


def test_the_schema_of_a_doctype_is_used() -> None:
    query = xquery("for $b in /bib/book return ($b/title, $b/price)")
    assert query.answer(f"<!DOCTYPE bib [{DTD}]>{BOOKS}") == query.answer(BOOKS)
    assert query.stats.peak > 0
    list(query.run(f"<!DOCTYPE bib [{DTD}]>{BOOKS}"))
    assert query.stats.peak == 0
    with pytest.raises(XmlError, match="unexpected-element"):
        query.answer(f"<!DOCTYPE bib [{DTD}]>{BOOKS.replace('title', 'name')}")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (BOOKS.replace("<price>1</price>", "<price>1</price><isbn/>"), "unexpected-element"),
        (BOOKS.replace("<price>1</price>", ""), "missing-element"),
        (BOOKS.replace("<book>", "<book>text", 1), "unexpected-text"),
    ],
)
def test_validate_checks_the_whole_document(document: str, code: str) -> None:
    query = xquery("count(/bib/book)", read_schema(Text("dtd", DTD)))
    assert list(query.run(document)) == list(query.run(BOOKS, validate=True)) == ["2"]
    with pytest.raises(XmlError, match=code):
        list(query.run(document, validate=True))


def test_stats_of_a_run() -> None:
    query = xquery(TITLES, read_schema(Text("dtd", DTD)))
    assert query.answer(BOOKS) == ANSWER
    stats = query.stats
    assert (stats.bytes, stats.elements, stats.output) == (len(BOOKS), 7, len(ANSWER))
    assert stats.first is not None
    assert stats.throughput > 0


def test_the_package_and_the_function_have_one_name() -> None:
    assert slackwater.xquery("1 + 1").answer("<a/>") == "2"
    assert "ps $ROOT" in slackwater.xquery(TITLES).explain()


NAMESPACED = (
    '<p:r xmlns:p="urn:p" xmlns="urn:d"><a p:n="1">x</a><p:a/><b xmlns=""><a>y</a></b>'
    '<a xmlns:q="urn:q" xml:lang="de"><q:c/></a></p:r>'
)


@pytest.mark.parametrize(
    "query",
    [
        'declare namespace z = "urn:p"; /z:r',
        'declare namespace z = "urn:p"; declare namespace d = "urn:d"; <o>{ /z:r/d:a }</o>',
        'declare namespace z = "urn:p"; <o xmlns="urn:o">{ /z:r/b/a }</o>',
        'declare namespace z = "urn:p"; declare default element namespace "urn:d"; /z:r/a/@*/name()',
        'declare namespace z = "urn:p"; <o xmlns:p="urn:p">{ /z:r/z:a }</o>',
        'declare namespace z = "urn:p"; for $a in /z:r/* order by local-name($a) return $a',
        "count(/r), count(/*/a), count(/*/*:a)",
    ],
)
def test_names_are_compared_by_their_namespaces(query: str) -> None:
    reference = expected(parse(Text("query", query)), NAMESPACED)
    assert reference is not None
    assert streamed(query, NAMESPACED, sizes=[5]) == reference


def test_a_document_may_be_a_text_whatever_encoding_it_declares(tmp_path: Path) -> None:
    query = XQuery("/a/text()")
    latin = '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'
    path = tmp_path / "latin.xml"
    path.write_text(latin, encoding="latin-1")
    assert query.answer(latin) == query.answer(latin.replace("iso-8859-1", "utf-16")) == "é"
    assert query.answer(f"\ufeff{latin}") == query.answer(io.StringIO(latin)) == "é"
    with path.open(encoding="latin-1") as file:
        assert query.answer(file) == query.answer(path) == "é"


def test_pieces_of_text_are_no_document() -> None:
    with pytest.raises(TypeError, match="pieces of bytes, not of text"):
        XQuery("/a").answer(["<a>", "</a>"])
