"""Text files as they really are: quotes, empty fields, encodings, headers, and what is no row."""

from __future__ import annotations

import gzip
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import slackwater as sw
from slackwater.session import Session

GOOD: dict[str, tuple[bytes, str, list[tuple[Any, ...]]]] = {
    "quotes": (
        b't,s\n1,"no""rth"\n2,"a,b"\n3,a"b\n4,a\\b\n5,"a\\"\n6,"""x"""\n',
        "",
        [(1, 'no"rth'), (2, "a,b"), (3, 'a"b'), (4, "a\\b"), (5, "a\\"), (6, '"x"')],
    ),
    "empty": (b't,s\n1,""\n2,\n3," "\n4,NULL\n', "", [(1, ""), (2, None), (3, " "), (4, "NULL")]),
    "windows": (b'\xef\xbb\xbf"t", s \r\n1,a\r\n\r\n2,"b"\r\n', "", [(1, "a"), (2, "b")]),
    "other_order": (b"extra;s;t\n9;a;1\n;b;2\n", "sep = ';'", [(1, "a"), (2, "b")]),
    "latin": (b"t,s\n1,n\xf6rd\n", "encoding = 'ISO-8859-1'", [(1, "n\u00f6rd")]),
    "latin_by_another_name": (b"t,s\n1,n\xf6rd\n", "encoding = 'latin'", [(1, "n\u00f6rd")]),
    "utf8": (b"t,s\n1,n\xc3\xb6rd\n", "charset = utf8", [(1, "n\u00f6rd")]),
    "utf_16": (
        "t,s\n1,n\u00f6rd\n2,b\n".encode("utf-16"),
        "encoding = 'utf16'",
        [(1, "n\u00f6rd"), (2, "b")],
    ),
    "utf_16_le": ("t,s\n1,a\n".encode("utf-16-le"), "encoding = 'UTF-16LE'", [(1, "a")]),
    "utf_32": ("t,s\n1,a\n".encode("utf-32"), "encoding = 'UTF-32'", [(1, "a")]),
    "kept": (b"t,s\n1,n\xf6rd\n", "undecodable = 'keep'", [(1, "n\ufffdrd")]),
    "several_lines": (b't,s\n1,"a\nb"\n2,c\n', "multiLine = TRUE", [(1, "a\nb"), (2, "c")]),
    "no_header": (b"1,a\n2,b\n", "header = FALSE", [(1, "a"), (2, "b")]),
    "not_available": (b't,s\n1,NA\n2,""\n3,\n', "nullValue = 'NA'", [(1, None), (2, ""), (3, None)]),
    "empty_is_null": (b't,s\n1,""\n2,a\n', "nullValue = ''", [(1, None), (2, "a")]),
    "no_quotes": (b't,s\n1,"a\n2,b"\n', "quote = ''", [(1, '"a'), (2, 'b"')]),
    "other_lines": (b"s,t;a,1;b,2", "lineSep = ';'", [(1, "a"), (2, "b")]),
    "carriage_returns": (b"s,t\ra,1\rb,2\r", "lineSep = '\\r'", [(1, "a"), (2, "b")]),
    "tabs": (b"s\tt\na\t1\n", "sep = '\\t'", [(1, "a")]),
    "dotted": (b"t,s,a.b,`c\n1,x,2,3\n", "", [(1, "x")]),
}
BAD: dict[str, tuple[str, bytes, str, str]] = {
    "bytes": (
        "csv",
        b"t,s,n\n1,a,1\n2,n\xf6rd,2\n",
        "2,n\ufffdrd,2",
        "It has bytes that are not in the encoding",
    ),
    "number": ("csv", b"t,s,n\n1,a,1\n2,b,two\n", "2,b,two", 'Column "n" is int, and "two" is not.'),
    "large": ("csv", b"t,s,n\n1,a,1\n2,b,9999999999\n", "2,b,9999999999", 'Column "n" is int'),
    "short": ("csv", b"t,s,n\n1,a,1\n2,b\n", "2,b", "It has 2 fields, and there are 3 columns."),
    "long": ("csv", b"t,s,n\n1,a,1\n2,b,3,4\n", "2,b,3,4", "It has 4 fields, and there are 3 columns."),
    "quoted": ("csv", b't,s,n\n1,a,1\n2,b,""\n', '2,b,""', "nullValue = '' reads it as NULL."),
    "open": ("csv", b't,s,n\n1,a,1\n2,"b,3\n', '2,"b,3', "fields with line breaks in them need multiLine"),
    "json": (
        "json",
        b'{"t": 1, "s": "a", "n": 1}\n{"t": 2, "n": []}\n',
        '{"t": 2, "n": []}',
        'Column "n" is int',
    ),
    "cut": ("json", b'{"t": 1, "s": "a", "n": 1}\n{"t": 2, "n\n', '{"t": 2, "n', "It is not JSON"),
    "bytes_of_json": (
        "json",
        b'{"t": 1, "s": "a", "n": 1}\n{"t": 2, "s": "n\xf6rd"}\n',
        "",
        "not in the encoding",
    ),
}


def test_files_are_read_as_they_are_written(s: Session, tmp_path: Path) -> None:
    for name, (content, options, expected) in GOOD.items():
        (tmp_path / f"{name}.csv").write_bytes(content)
        clause = f"WITH ({options})" if options else ""
        s.sql(f"CREATE STREAM {name} (s STRING) TIME t INT FROM '{tmp_path / name}.csv' {clause}")
        assert s.query(f"SELECT ISTREAM(s) FROM {name} [NOW]").emits().rows() == expected, name


def test_json_in_other_encodings(s: Session, tmp_path: Path) -> None:
    for name, encoding in (("latin", "latin1"), ("wide", "UTF-16LE"), ("marked", "UTF-16")):
        (tmp_path / f"{name}.json").write_bytes('{"t": 1, "s": "n\u00f6rd"}\n'.encode(encoding))
        s.sql(
            f"CREATE STREAM {name} (s STRING) TIME t INT FROM '{tmp_path / name}.json' "
            f"WITH (encoding = '{encoding}')"
        )
    for name in ("latin", "wide"):
        assert s.query(f"SELECT ISTREAM(s) FROM {name} [NOW]").emits().rows() == [(1, "n\u00f6rd")], name
    with pytest.raises(sw.EngineError, match=r"bad-option(.|\n)*Convert the files to UTF-8"):
        s.query("SELECT ISTREAM(s) FROM marked [NOW]").run()


def test_what_cannot_be_read_is_set_aside_with_the_reason(s: Session, tmp_path: Path) -> None:
    for name, (ending, content, raw, reason) in BAD.items():
        (tmp_path / f"{name}.{ending}").write_bytes(content)
        s.sql(
            f"CREATE STREAM {name} (s STRING, n INT) TIME t INT FROM '{tmp_path / name}.{ending}' "
            "WITH (malformed = 'set aside')"
        )
        query = s.query(f"SELECT ISTREAM(s, n) FROM {name} [NOW]")
        with pytest.warns(UserWarning, match="malformed"):
            assert query.emits().rows() == [(1, "a", 1)], name
        (row,) = query.set_aside("malformed", name)
        assert raw in row["row"]
        assert reason in row["reason"], row


CUT: dict[str, tuple[bytes, str, int]] = {
    "last": (b't,s\n1,a\n2,"b\nc"\n3,d\n', "", 3),
    "as_rows": (b't,s\n1,a\n2,"b\n3,c"\n', "", 3),
    "escaped": (b't;s\r\n1;"a\\"b"\r\n2;"b\\"\r\nc"\r\n', "sep = ';', escape = '\\'", 3),
    "never_closed": (b't,s\n1,"a ""b"" , c" \n2,"n\xc3\xb6\n', "", 3),
    "stray": (b't,s\n1,a\n2,"b ""c\nd"\n', "", 3),
    "packed": (gzip.compress(b't,s\n1,a\n2,"b\nc"\n'), "", 3),
}


def test_a_field_that_is_cut_at_the_end_of_a_line_does_not_enter(s: Session, tmp_path: Path) -> None:
    for name, (content, options, number) in CUT.items():
        path = tmp_path / f"{name}.csv{'.gz' * (name == 'packed')}"
        path.write_bytes(content)
        clause = ", ".join(["malformed = 'set aside'", *([options] if options else [])])
        s.sql(f"CREATE STREAM {name} (s STRING) TIME t INT FROM '{path}' FORMAT csv WITH ({clause})")
        with pytest.raises(
            sw.EngineError, match=rf"cut-field.*\n.*{name}\.csv.*:{number}\n.*\n.*multiLine = TRUE"
        ):
            s.query(f"SELECT ISTREAM(s) FROM {name} [NOW]").run()


def test_lines_of_text_that_are_not_utf8_are_malformed(s: Session, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_bytes(b"north\nn\xf6rd\n")
    s.sql(f"CREATE STREAM lines (line STRING) FROM '{tmp_path / 'lines.txt'}'")
    with pytest.raises(sw.EngineError, match="not in the encoding"):
        s.query("SELECT ISTREAM(line) FROM lines [NOW]").emits()


COLUMNS = (
    "b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, f DOUBLE, d DECIMAL(10, 2), s STRING, "
    "day DATE, at TIMESTAMP"
)
ROWS: list[tuple[Any, ...]] = [
    (True, -128, -32768, -(2**31), -(2**63), 1e-300, Decimal("-12345678.91"), "plain",
     date(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999999)),
    (False, 127, 32767, 2**31 - 1, 2**63 - 1, 1234567.25, Decimal("0.10"), "", date(2024, 2, 29),
     datetime(2024, 2, 29, 12)),
    (None, None, None, None, None, None, None, None, None, None),
    (None, 1, 1, 1, 1, float("inf"), Decimal("1.00"), 'a "quoted" one, with a comma', date(9999, 12, 31),
     datetime(2024, 1, 1, 0, 0, 0, 1)),
    (None, 1, 1, 1, 1, float("nan"), Decimal("1.00"), " blanks ", None, None),
    (None, 1, 1, 1, 1, -0.1, Decimal("1.00"), "NULL", None, None),
    (None, 1, 1, 1, 1, 1e22, Decimal("1.00"), "back\\slash\\", None, None),
    (None, 1, 1, 1, 1, 5e-324, Decimal("1.00"), "Grüße, 東京 🙂", None, None),
    (None, 1, 1, 1, 1, 0.0, Decimal("1.00"), '"', None, None),
    (None, 1, 1, 1, 1, 0.0, Decimal("1.00"), "#, ;\t|", None, None),
]  # fmt: skip


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_what_is_written_is_read_back_equal(s: Session, tmp_path: Path, format: str) -> None:
    names = [column.split()[0] for column in COLUMNS.split(", ") if " " in column]
    names = [name for name in names if not name.endswith(")")]
    data = [(place, *row) for place, row in enumerate(ROWS)]
    s.sql(f"CREATE STREAM S ({COLUMNS}) TIME t INT")
    s.stream("S", pl.DataFrame(data, schema=_schema(names), orient="row"))
    first = s.query("SELECT RSTREAM(*) FROM S [NOW]", "first")
    first.start(sw.Files(tmp_path / "out", format), follow=False).await_termination()
    s.sql(f"CREATE STREAM again ({COLUMNS}) TIME time INT FROM '{tmp_path / 'out'}' FORMAT {format}")
    rows = s.query("SELECT RSTREAM(*) FROM again [NOW]").emits().rows()
    assert [str(tuple(map(_naive, row))) for row in rows] == [str(row) for row in data]


def _naive(value: Any) -> Any:
    """An instant as it was written above: without saying that it is UTC."""
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def _schema(names: list[str]) -> dict[str, Any]:
    kinds = [pl.Boolean, pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Float64, pl.Decimal(10, 2), pl.String,
             pl.Date, pl.Datetime("us")]  # fmt: skip
    return dict(zip(["t", *names], [pl.Int64, *kinds], strict=True))
