"""Lines of CSV that end inside of quotes."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.sources.open_quotes import open_lines, quoting_of

CLOSED = [
    "",
    "1,a",
    '1,"a"',
    '1,""',
    '1,"a ""b"""',
    '"a,b",c',
    '1,"a" ',
    '1,a"b',
    'a"b,c"d',
    '1,"a"b"',
    '"a" ,"b"',
]
OPEN = ['"', '1,"', '1,"a', '1,"a ""b""', '1,"a,2', 'a"b,"c', '"a","b', '1,"a"b']


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_lines_that_end_inside_of_quotes_are_found(tmp_path: Path, ending: str) -> None:
    (tmp_path / "0.csv").write_bytes(ending.join([*CLOSED, *OPEN]).encode())
    quoting = quoting_of("0.csv", {})
    assert quoting is not None
    first = len(CLOSED) + 1
    assert list(open_lines(str(tmp_path / "0.csv"), quoting)) == list(enumerate(OPEN, first))


def test_where_fields_may_have_line_breaks_or_no_quotes_nothing_is_looked_for() -> None:
    for options in ({"multiLine": "TRUE"}, {"quote": ""}, {"encoding": "UTF-16"}, {"lineSep": ";"}):
        assert quoting_of("0.csv", options) is None
