"""XML cut into records while it is read: in pieces of any size, once, with what a query answers to each."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import IntegerType, StructField, StructType

from slackwater.base.diagnostic import SlackwaterError
from slackwater.flux.records import RecordQueries, parse_once
from slackwater.sources.xml.documents import RecordSource
from slackwater.sources.xml.frames import XmlRows, _rows
from slackwater.sources.xml.records import Misfit, Row, Values, read_records
from slackwater.xml import events

PATH = ("log", "day", "e")


class Pieces(BytesIO):
    """A file that is read in pieces of a size."""

    def __init__(self, content: bytes, size: int) -> None:
        super().__init__(content)
        self.size = size

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self.size)

    read1 = read


def as_row(values: Values, answer: str | None) -> Row:
    """The values and the answer; a value that is no number does not fit."""
    return [*(None if value is None else int(value) for value in values), answer]


def rows_of(
    content: str | bytes, query: str | None = None, size: int = 1 << 18, columns: tuple[str, ...] = ("t",)
) -> list[Row | Misfit]:
    data = content.encode() if isinstance(content, str) else content
    queries = None if query is None else RecordQueries(parse_once(query))
    source = RecordSource(Pieces(data, size), "log.xml")
    return [row for rows in read_records(source, PATH, columns, as_row, queries) for row in rows]


QUERIES = [
    'for $e in stream("s")/log/day/e return <r>{$e/@n, $e/a}</r>',
    'for $e in stream("s")/log/day/e where $e/t > 3 return string($e/../@date)',
    'for $e in stream("s")/log/day/e return $e',
    'for $e in stream("s")/log/day/e let $a := $e//a where exists($a) return (string($a[1]), count($a))',
    'declare namespace p = "urn:p"; for $e in stream("s")/log/day/e return <x>{$e/p:a}</x>',
    'for $e in stream("s")/log/day/e order by $e/t return concat("|", string-join($e/a, ","))',
]
INSIDE = st.lists(
    st.sampled_from(
        ["<a>1</a>", "<a>x &amp; <b>y</b></a>", "<!-- c -->", "text ", "<p:a>2</p:a>", "<?pi x?>",
         "<c><a/></c>", '<a xmlns="urn:q">3</a>', "<![CDATA[<e>]]>"]
    ),
    max_size=4,
)  # fmt: skip
RECORD = st.tuples(st.integers(0, 9), INSIDE).map(
    lambda drawn: f'<e n="{drawn[0]}"><t>{drawn[0]}</t>{"".join(drawn[1])}</e>'
)
DAY = st.tuples(st.integers(1, 3), st.lists(st.one_of(RECORD, st.sampled_from([" ", "<!-- no -->", "<f/>"]))))


def document(days: list[tuple[int, list[str]]]) -> tuple[str, list[str]]:
    """A log of days, and each of its records as a document of its own."""
    start = '<log xmlns:p="urn:p">'
    whole, alone = [], []
    for date, parts in days:
        day = f'<day date="{date}" xmlns:d="urn:d{date}">'
        whole.append(f"{day}{''.join(parts)}</day>")
        alone += [f"{start}{day}{part}</day></log>" for part in parts if part.startswith("<e")]
    return f"{start}\n{''.join(whole)}</log>", alone


@given(st.lists(DAY, max_size=3), st.sampled_from(QUERIES), st.integers(1, 300))
def test_a_record_answers_what_it_would_answer_as_a_document_of_its_own(
    days: list[tuple[int, list[str]]], query: str, size: int
) -> None:
    whole, alone = document(days)
    expected = [parse_once(query).answer(record.encode()) for record in alone]
    assert [row[-1] for row in rows_of(whole, query, size) if isinstance(row, list)] == expected


@given(st.lists(DAY, max_size=3), st.integers(1, 300))
def test_pieces_of_any_size_give_the_same_rows(days: list[tuple[int, list[str]]], size: int) -> None:
    whole, _ = document(days)
    cut_off = whole[: len(whole) * 2 // 3]
    for content in (whole, cut_off):
        assert rows_of(content, size=size, columns=("t", "n")) == rows_of(content, columns=("t", "n"))


def test_the_elements_around_a_record_are_its_own() -> None:
    whole, _ = document([(1, ["<e><t>1</t></e>"]), (2, ["<e><t>2</t></e>", "<e><t>3</t></e>"])])
    query = 'for $e in stream("s")/log/day/e return string($e/../@date)'
    assert rows_of(whole, query) == [[1, "1"], [2, "2"], [3, "2"]]


def test_a_query_reads_entities_of_the_document() -> None:
    text = '<!DOCTYPE log [<!ENTITY a "b">]><log><day><e><t>1</t>&a;</e></day></log>'
    assert rows_of(text, 'for $e in stream("s")/log/day/e return <x>{string($e)}</x>') == [[1, "<x>1b</x>"]]


def test_a_document_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsers: list[Any] = []
    make = events.expat.ParserCreate
    monkeypatch.setattr(
        events.expat, "ParserCreate", lambda *arguments: parsers.append(arguments) or make(*arguments)
    )
    whole, alone = document([(1, ["<e><t>1</t></e>"] * 5)])
    assert len(rows_of(whole, QUERIES[0])) == len(alone) == 5
    assert len(parsers) == 1


def test_only_the_current_record_is_kept() -> None:
    record = f"<e><t>1</t>{'x' * 200}</e>\n"
    whole = f"<log><day>{record * 20_000}</day></log>".encode()
    source, sizes = RecordSource(BytesIO(whole), "log.xml"), []
    count = 0
    for rows in read_records(source, PATH, ("t",), as_row, RecordQueries(parse_once(QUERIES[0]))):
        sizes.append(sum(map(len, source._chunks)))
        count += len(rows)
        assert len(rows) < 2_000
    assert count == 20_000
    assert max(sizes) < 1 << 20 < len(whole) // 4


@pytest.mark.parametrize("size", [1, 7, 1 << 18])
def test_what_does_not_fit_comes_in_its_place_as_it_stands_in_the_document(size: int) -> None:
    twice, wrong, empty = '<e n=">"><t>1</t><t>2</t></e  >', "<e><t>ü</t></e>", '<e t="x" />'
    parts = ["<e><t>1</t></e>", twice, wrong, "<e><t>2</t></e>", empty, "<e><t>3</t>"]
    *rows, last = rows_of(f"<log>\n<day>{''.join(parts)}", size=size)
    assert rows == [[1, None], Misfit(twice), Misfit(wrong), [2, None], Misfit(empty)]
    assert isinstance(last, Misfit)
    assert last.text.startswith("line 2, column 104: ")


@pytest.mark.parametrize("size", [1, 5, 1 << 18])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "shift_jis", "windows-1252"])
def test_a_document_in_another_encoding(encoding: str, size: int) -> None:
    name = "ｶﾅ" if encoding == "shift_jis" else "ü"
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?>\n<log><day><e><t>1</t><a>{name}</a></e>'
        f"<e><t>{name}</t></e></day></log>"
    )
    assert rows_of(text.encode(encoding), 'for $e in stream("s")/log/day/e return <x>{$e/a}</x>', size) == [
        [1, f"<x><a>{name}</a></x>"], Misfit(f"<e><t>{name}</t></e>"),
    ]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-16-le", "shift_jis", "hex", "no-such"])
def test_bytes_that_are_no_text_of_the_encoding_end_the_document_there(encoding: str) -> None:
    codec = {"hex": "ascii", "no-such": "ascii", "utf-16-le": "utf-16"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<log><day><e><t>1</t></e>\n<e><t>2'
    bad = {"windows-1252": b"\x81", "utf-16-le": b"\x00\xdc<\x00", "shift_jis": b"\x80\xff"}
    content = text.encode(codec) + bad.get(encoding, b"\xff<")
    *rows, last = rows_of(content, columns=("t",))
    assert isinstance(last, Misfit)
    assert rows == ([] if codec == "ascii" else [[1, None]])
    assert last.text.startswith("line 1, column 1: " if codec == "ascii" else "line 3, column 8: ")


@pytest.mark.parametrize("is_mounted", [True, False])
def test_a_worker_opens_the_file_or_gets_its_content_from_spark(tmp_path: Path, is_mounted: bool) -> None:
    path = tmp_path / "a b%20ü#.xml"
    path.write_text(f"<log><day>{'<e><t>1</t></e>' * 40_000}<e><t>x</t></e></day></log>", encoding="utf-8")
    columns = StructType([StructField("t", IntegerType())])
    file: dict[str, Any] = {"path": f"file:{path}"}
    file |= {} if is_mounted else {"content": path.read_bytes()}
    batches = _rows(XmlRows(PATH, columns, "raw", "file"), True, [pa.RecordBatch.from_pylist([file])])
    sizes, last = [], {}
    for batch in batches:
        sizes.append(batch.num_rows)
        last = batch.slice(batch.num_rows - 1).to_pylist()[0]
    assert sum(sizes) == 40_001
    assert len(sizes) > 1
    assert last == {"t": None, "raw": "<e><t>x</t></e>", "file": f"file:{path}"}


FAILING = 'for $e in stream("s")/log/day/e return <x>{$e/t + 1}</x>'


def test_an_error_of_the_query_is_raised_where_the_record_fits() -> None:
    parts = ["<e><t>1</t></e>", "<e><t>one</t></e>"]
    with pytest.raises(SlackwaterError, match="one"):
        rows_of(f"<log><day>{''.join(parts)}</day></log>", FAILING, columns=("a",))


def test_an_error_of_the_query_does_not_count_where_the_record_does_not_fit() -> None:
    """Two times: no row, and no number for the query either. The next record is queried as ever."""
    parts = ["<e><t>1</t></e>", "<e><t>2</t><t>3</t></e>", "<e><t>4</t></e>", "<e><t>5</t><t>6</t>"]
    rows = rows_of(f'<log xmlns:p="u"><day>{"".join(parts)}', FAILING)
    assert rows[:-1] == [[1, "<x>2</x>"], Misfit(parts[1]), [4, "<x>5</x>"]]
    assert isinstance(rows[-1], Misfit)
