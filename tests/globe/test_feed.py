"""Files of rows are published and subscribed to from the command line; what is wrong in them is reported."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from golden import golden
from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.base.span import Text
from slackwater.cli.app import app
from slackwater.globe import Config, Peer
from slackwater.globe.compute.items import unpack_rows
from slackwater.globe.feed.declare import declared, format_of, from_columns
from slackwater.globe.feed.epochs import MOST_SHOWN, Feeding
from slackwater.globe.feed.read import Row

ERRORS = Path(__file__).parent / "feed_errors"
PROGRAM = """CREATE STREAM readings (segment STRING, speed INT) TIME ts FROM '{file}';
CREATE VIEW congested AS
  SELECT segment FROM readings [RANGE 5 MINUTES] GROUP BY segment HAVING AVG(speed) < 40;
SELECT ISTREAM(*) FROM congested;
"""
CSV = """ts,segment,speed
2024-01-01 08:00:00,north,60
2024-01-01 08:01:00,north,30
2024-01-01 08:02:00,north,20
2024-01-01 08:04:00,"so|uth",35
"""
QUERY = "SELECT segment FROM readings [RANGE 5 MINUTES] GROUP BY segment HAVING AVG(speed) < 40"
ANSWER = """time                 | op | segment
2024-01-01 08:02:00Z | +  | north
2024-01-01 08:04:00Z | +  | so|uth
2024-01-01 08:07:00.000001Z | -  | north
2024-01-01 08:09:00.000001Z | -  | so|uth
"""


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    with Peer(Config("SP1", super=True, data=str(tmp_path / "SP1"), beat=0.1)) as running:
        yield running


Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(peer: Peer) -> Run:
    def command(*arguments: str, input: str | None = None) -> tuple[str, str]:
        """What a command prints, and what it reports."""
        result = CliRunner().invoke(
            app, [*arguments, "--at", peer.address], input=input, catch_exceptions=False
        )
        assert result.exit_code == 0, result.output
        return result.stdout, result.stderr

    return command


def test_a_program_publishes_its_file_and_rows_are_printed_as_a_table(run: Run, tmp_path: Path) -> None:
    file, program = tmp_path / "readings.csv", tmp_path / "congestion.cql"
    file.write_text(CSV)
    program.write_text(PROGRAM.format(file=file))
    _, report = run("publish", "readings", "--schema", str(program), "--epoch", "2", "--end")
    assert report == "readings: 4 rows in 2 epochs, up to 2024-01-01 08:04:00.000001Z\n"
    assert run("subscribe", QUERY, "--name", "slow")[0].split() == ANSWER.split()


FILES = {
    "csv": "segment,ts,other,SPEED\na,1,x,30\nb,2,,\n",
    "json": '{"segment": "a", "ts": 1, "speed": 30, "other": [1]}\n\n{"ts": 2, "segment": "b"}\n',
}


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_every_format_is_read_and_written(format: str, run: Run, tmp_path: Path) -> None:
    file, out = tmp_path / f"readings.{format}", tmp_path / f"out.{format}"
    if format == "parquet":
        pl.DataFrame({"ts": [1, 2], "segment": ["a", "b"], "speed": [30, None]}).write_parquet(file)
    else:
        file.write_text(FILES[format])
    columns = ("--columns", "segment STRING, speed INT", "--time", "ts INT")
    run("publish", "readings", "--input", str(file), *columns, "--end")
    query = "SELECT segment, speed FROM readings"
    run("subscribe", query, "--name", "all", "--out", str(out))
    read = {"csv": pl.read_csv, "json": pl.read_ndjson, "parquet": pl.read_parquet}[format]
    assert read(out).rows() == [(1, "a", 30), (2, "b", None)]
    assert list(read(out).columns) == ["time", "segment", "speed"]
    assert run("subscribe", "--name", "all", "--format", "json")[0] == (
        '{"time":1,"segment":"a","speed":30}\n{"time":2,"segment":"b","speed":null}\n'
    )


def test_stdin_is_appended_to_what_there_is(run: Run) -> None:
    columns = ("--columns", "v INT", "--time", "t INT", "--input", "-")
    run("publish", "S", *columns, input="t,v\n1,10\n2,20\n")
    _, report = run("publish", "S", *columns, input="t,v\n2,21\n3,30\n")
    assert "line 2 of <stdin> is late: its time 2 is before 3" in report
    assert report.endswith("S: 1 rows in 1 epochs, up to 4; 1 rows were left out\n")
    rows, _ = run("subscribe", "SELECT v FROM S", "--name", "all", "--format", "csv", "--available")
    until = 200
    while len(rows.splitlines()) < 4 and (until := until - 1):
        rows, _ = run("subscribe", "--name", "all", "--format", "csv", "--available")
    assert rows == "time,v\n1,10\n2,20\n3,30\n"


def test_streams_with_other_clocks_do_not_concern_a_subscription(run: Run) -> None:
    run("publish", "S", "--columns", "v INT", "--time", "t INT", "--input", "-", "--end", input="t,v\n1,5\n")
    moment = "t,v\n2024-01-01,6\n"
    run("publish", "T", "--columns", "v INT", "--time", "t", "--input", "-", "--end", input=moment)
    assert run("subscribe", "SELECT v FROM S", "--name", "s", "--format", "csv")[0] == "time,v\n1,5\n"
    answer = "time,v\n2024-01-01T00:00:00.000000Z,6\n"
    assert run("subscribe", "SELECT v FROM T", "--name", "t", "--format", "csv")[0] == answer


BAD = """t,v,d
1,7,1.50
x,7,1
2,many,1
3,7
,7,1
4,7,1.555
5,8,2
99,9,3
1,9,3
6,"8
"""


def test_what_is_wrong_with_rows_is_reported_and_the_rest_goes_on(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(BAD)
    columns = ("--columns", "v INT, d DECIMAL(5, 2)", "--time", "t INT", "--input", str(file))
    _, report = run("publish", "S", *columns, "--epoch", "2", "--end")
    shown = report.replace(f"{tmp_path}/", "")
    assert shown == golden(ERRORS / "bad-rows.txt", shown)
    rows, _ = run("subscribe", "SELECT v, d FROM S", "--name", "all", "--format", "csv")
    assert rows == "time,v,d\n1,7,1.50\n5,8,2.00\n99,9,3.00\n"


def test_lines_that_are_no_objects_are_reported(run: Run) -> None:
    lines = ['{"t": 1, "v": 5}', "{", "[1]", '{"t": 2, "v": "x"}', '{"t": 2, "v": true}', '{"t": 3, "v": 6}']
    columns = ("--columns", "v INT", "--time", "t INT", "--input", "-", "--format", "json")
    _, report = run("publish", "S", *columns, "--end", input="\n".join(lines))
    assert report == golden(ERRORS / "bad-lines.txt", report)
    rows, _ = run("subscribe", "SELECT v FROM S", "--name", "all", "--format", "csv")
    assert rows == "time,v\n1,5\n3,6\n"


def feed(times: list[int], delay: str = "0", size: int = 2) -> tuple[list[list[int]], list[int], int]:
    """The times in each epoch, their edges, and how many rows were left out."""
    program = f"CREATE STREAM S (v INT) TIME t INT FROM 'x.csv' WITH (delay = '{delay}')"
    feeding = Feeding(declared("S", Text("p", program)), lambda problem: None, size=size)
    epochs = list(feeding.of([Row("here", time, (0,)) for time in times]))
    frames = [unpack_rows(epoch.items) for epoch in epochs]
    return (
        [frame["@from"].to_list() for frame in frames if frame is not None],
        [epoch.edge for epoch in epochs],
        feeding.left_out,
    )


def test_rows_may_go_back_as_far_as_the_delay() -> None:
    times = [1, 3, 2, 5, 4, 7]
    assert feed(times, size=2) == ([[1, 2], [3, 4, 5], [7]], [3, 7, 8], 0)
    assert feed(times, size=1) == ([[1], [3, 4], [5, 7]], [3, 5, 8], 1)
    assert feed(times, size=1, delay="3") == ([[1], [2, 3], [4, 5, 7]], [2, 4, 8], 0)
    assert feed([5, 5, 5, 5]) == ([[5, 5, 5, 5]], [6], 0)


def test_rows_ahead_of_the_clock_are_left_out_where_that_is_declared() -> None:
    program = "CREATE STREAM S (v INT) TIME t FROM 'x.csv' WITH (max_ahead = '1 hour')"
    noted: list[str] = []
    feeding = Feeding(declared("S", Text("p", program)), lambda problem: noted.append(str(problem)))
    year = 365 * 86_400 * 1_000_000
    assert len(list(feeding.of([Row("row 1", 0, (1,)), Row("row 2", 200 * year, (1,))]))) == 1
    assert noted == [golden(ERRORS / "row-ahead.txt", "\n".join(noted) + "\n").removesuffix("\n")]


def test_only_some_of_many_bad_rows_are_shown() -> None:
    noted: list[object] = []
    feeding = Feeding(from_columns("S", "v INT", "t INT"), noted.append, size=1)
    assert len(list(feeding.of([Row("", 9, (1,)), Row("", 10, (1,)), *[Row("", 1, (1,))] * 50]))) == 2
    assert (feeding.left_out, len(noted)) == (50, MOST_SHOWN)


def fails() -> None:
    program = "CREATE STREAM S (v INT) TIME t INT FROM 'x.csv' WITH (late = 'fail')"
    rows = [Row("line 2", 9, (1,)), Row("line 3", 10, (1,)), Row("line 4", 1, (1,))]
    list(Feeding(declared("S", Text("p", program)), print, size=1).of(rows))


REFUSED: dict[str, Callable[[], object]] = {
    "no-declaration": lambda: declared("T", Text("p", "CREATE STREAM S (v INT) TIME t")),
    "no-stream-time": lambda: from_columns("S", "v INT", ""),
    "other-chronon": lambda: declared(
        "S", Text("p", "SET CHRONON 1 MINUTE; CREATE STREAM S (v INT) TIME t INT")
    ),
    "no-row-format": lambda: format_of(from_columns("S", "v INT", "t").source, "readings.doc"),
    "unused-option": lambda: declared(
        "S", Text("p", "CREATE STREAM S (v INT) TIME t FROM 'x.csv' WITH (idle = '5 seconds')")
    ),
    "late-published-row": fails,
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_declaration_that_cannot_be_published_is_refused(name: str) -> None:
    with pytest.raises(SlackwaterError) as caught:
        REFUSED[name]()
    text = str(caught.value.diagnostics[0]) + "\n"
    assert text == golden(ERRORS / f"{name}.txt", text)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("--columns", "v INT", "--time", "t"), "no-input"),
        (("--columns", "v INT, w INT", "--time", "t", "--input", "-"), "missing-column"),
    ],
)
def test_a_file_that_cannot_be_published_is_refused(arguments: tuple[str, ...], name: str, run: Run) -> None:
    with pytest.raises(EngineError) as caught:
        run("publish", "S", *arguments, input="v,t\n1,2\n")
    text = str(caught.value.diagnostics[0]) + "\n"
    assert text == golden(ERRORS / f"{name}.txt", text)


def test_a_declaration_is_published_alone_with_the_type_of_its_time() -> None:
    program = (
        "CREATE STREAM A (v INT) TIME t FROM 'a.csv';"
        "CREATE STREAM s (v DECIMAL(5, 2), a ARRAY<INT>) TIME t FROM 'x.csv' WITH (delay = '1 second');"
    )
    one = declared("S", Text("p", program))
    again = declared("s", Text("p", one.schema))
    assert (again.source.plan, again.clock) == (one.source.plan, one.clock)
    assert "x.csv" not in one.schema
    assert one.settings.delay == 1_000_000


def test_json_values_are_those_of_their_types(tmp_path: Path) -> None:
    from slackwater.globe.feed.epochs import frame_of_rows
    from slackwater.globe.feed.read import rows_of

    types = (
        "a ARRAY<INT>, s STRUCT<x: DOUBLE, y: STRING>, m MAP<STRING, INT>, b BINARY, d DATE, n DECIMAL(9, 2)"
    )
    row = {"t": 1, "a": [1, None], "s": {"x": 1.5}, "m": {"k": 2}, "b": "AP8=", "d": "2024-02-29", "n": 1.25}
    one = from_columns("S", types, "t INT")
    path = tmp_path / "x.json"
    path.write_text(json.dumps(row))
    with path.open("rb") as file:
        (read,) = rows_of(file, "x", "json", one)
    assert isinstance(read, Row)
    assert frame_of_rows(one, [read]).height == 1
    assert read.values[:4] == ((1, None), (1.5, None), (("k", 2),), b"\x00\xff")
    assert list(map(str, read.values[4:])) == ["2024-02-29", "1.25"]
