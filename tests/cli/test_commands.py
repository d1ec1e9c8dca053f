"""What a user of the command line sees, and with which exit code it ends.

In `errors`, NAME.input is a command line, run among the files below, and NAME.txt all it prints.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import called, started
from golden import golden

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "errors"
NAMES = sorted(path.stem for path in FOLDER.glob("*.input"))
STORY = "stream s\ntime | a\n1 | 1\n\nquery\nSELECT a FROM s [NOW]\n\nat 1\na\n1\n"
TABLE = "table : register stream S (A integer);\nsource : S.dat\n"
FILES = {
    "good.cql": "CREATE STREAM S (a INT);\nSELECT a FROM S [ROWS 5];\n",
    "defaults.cql": "CREATE STREAM S (a INT);\nSELECT a FROM S;\n",
    "sharing.cql": "SET CHRONON 1 SECOND; CREATE STREAM S (a INT);\n"
    "SELECT a, COUNT(*) AS n FROM S [RANGE 5 SECONDS] GROUP BY a; SELECT a FROM S [RANGE 5 SECONDS];\n",
    "priced.cql": "SET CHRONON 1 SECOND; CREATE STREAM S (a INT) WITH (rate = '600 per minute');\n"
    "SELECT a, COUNT(*) AS n FROM S [RANGE 5 SECONDS] GROUP BY a;\n",
    "views.cql": "CREATE STREAM S (a INT); CREATE VIEW V AS SELECT a FROM S [NOW];\n"
    "CREATE VIEW W AS SELECT a FROM V;\n",
    "wrong.cql": "CREATE STREAM S (a INT);\nSELECT b FROM S;\nSELECT a FROM T;\n",
    "run.cql": "CREATE STREAM S (a INT) TIME t INT;\n"
    "SELECT ISTREAM(COUNT(*) AS n) FROM S [RANGE 1] GROUP BY a > 0;\n",
    "clock.cql": "CREATE STREAM S (a INT) TIME t INT FROM 'S.csv'; CREATE STREAM T OVER S KEY NULL;\n"
    "CREATE STREAMED VIEW Sync AS SELECT Timepoint FROM R(clockStr) WHERE Timepoint MOD 3 = 0;\n"
    "SELECT STREAMED a, Timepoint FROM R(S) SYNC BY Sync, R(Sync) WHERE Timepoint >= TS;\n",
    "idle.cql": "CREATE STREAM S (a INT) TIME t INT FROM 'S.csv';\nCREATE SINK o (a INT) INTO 'o';\n"
    "CREATE SINK p AS SELECT a FROM S [NOW] INTO 'p' FORMAT json MODE table;\n",
    "sinks.cql": "CREATE STREAM S (a INT) TIME t INT FROM 'S.csv';\n"
    "CREATE SINK large AS SELECT a FROM S [ROWS 1] WHERE a > :least INTO 'large' MODE changes;\n"
    "CREATE SINK counts (key INT, n BIGINT) INTO 'counts' FORMAT json KEY (key);\n"
    "INSERT INTO counts SELECT a, COUNT(*) FROM S [RANGE 1] GROUP BY a; SELECT a FROM S [ROWS 1];\n",
    "nothing.cql": "CREATE STREAM S (a INT) TIME t INT;\n",
    "books.xq": "for $b in /bib/book where $b/price > 9 return <b>{$b/title}</b>\n",
    "unbound.xq": "for $b in /bib/book return $c\n",
    "never.xq": "for $b in /bib/book return $b/titel\n",
    "named.xq": 'count(doc("auction.xml")/bib/book)\n',
    "growing.cql": "CREATE STREAM S (a INT) TIME t INT; CREATE STREAM R (b INT) TIME t INT;\n"
    "SELECT a, b FROM S [RANGE UNBOUNDED], R [RANGE UNBOUNDED] WHERE a = b;\n",
    "books.dtd": "<!ELEMENT bib (book*)> <!ELEMENT book (title, price)>\n"
    "<!ELEMENT title (#PCDATA)> <!ELEMENT price (#PCDATA)>\n",
    "books.xml": "<bib><book><title>one</title><price>8</price></book>"
    "<book><title>two</title><price>10</price></book></bib>\n",
    "S.csv": "t,a\n1,5\n2,6\n4,7\n",
    "passing.cqt": STORY,
    "failing.cqt": STORY.replace("a\n1\n", "a\n2\n"),
    "broken.cqt": STORY.replace("query", "querry"),
    "S.dat": "i,i\n1,1\n2,2\n",
    "bad.dat": "i,i\n1,x\n",
    "script": f"{TABLE}query : select * from S [Now];\ndest : out/answer\nquery : select * from S where A=2",
    "nul.dat": "i,i\n1,1\0\n",
    "nul-data": TABLE.replace("S.dat", "nul.dat") + "query : select A from S;\n",
    "unreadable-type": TABLE.replace("integer", "date") + "query : select A from S;\n",
    "missing-data": TABLE.replace("S.dat", "T.dat") + "query : select A from S;\n",
    "bad-data": TABLE.replace("S.dat", "bad.dat") + "query : select A from S;\n",
    "not-a-table": TABLE.replace("register stream S (A integer)", "select 1") + "query : select 1;\n",
    "duplicate-table": f"{TABLE}vquery : select A from S;\nvtable : register stream S (B integer);\n"
    "query : select A from S;\n",
    "other-columns": f"{TABLE}vquery : select A from S;\nvtable : register stream V (B char(3));\n"
    "query : select B from V;\n",
    "wrong-query": f"{TABLE}\nquery : select A,\n         B\n    from S;\n",
    "wrong-vquery": f"{TABLE}vquery : select A from S [Now] where B > 1;\n"
    "vtable : register relation V (A integer);\n"
    "vquery : select A, count(*) from V group by A;\nvtable : register relation W (A integer, n integer);\n"
    "vquery : Istream(select A from V);\nvtable : register stream R (A integer);\n"
    "query : select * from V, W where V.A = W.A;\nquery : select A from R [Range 5];\n",
    "wrong-vtable": f"{TABLE}vquery : select A from S [Now];\nvtable : register relation V (A integr);\n"
    "vquery : Istream(select A from V);\nvtable : register stream R (A integer);\n"
    "query : select * from V;\nquery : select A from R [Range 5];\n",
    "wrong-table": "table : register stream S (A integr);\nsource : S.dat\nquery : select A from S;\n",
    "U.dat": "i,i,c4\n1,1,ab\n2,2,it's\n",
    "quotes": "table : register stream T (A integer, C char(4));\nsource : U.dat\n"
    """query : select A from T [Now] where C = "ab" or C = "it's";\n""",
    "unwritable": f"{TABLE}query : select A from S;\ndest : script/answer\n",
    "refused": f"{TABLE}qery : select A from S;\n",
}


@pytest.fixture(autouse=True)
def _among_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    for name in ("latin.cql", "latin.cqt"):
        (tmp_path / name).write_bytes(b"-- \xe4\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_the_error_text_of_a_command(name: str) -> None:
    arguments = (FOLDER / f"{name}.input").read_text(encoding="utf-8").split()
    outcome = called(*(word.replace("over-long-name", "x" * 300) for word in arguments))
    text = f"{outcome.stdout}{outcome.stderr}exit code {outcome.returncode}\n".replace(
        "x" * 300, "over-long-name"
    )
    assert text == golden(FOLDER / f"{name}.txt", text)
    assert "Traceback" not in text


def test_a_good_program_is_checked_in_silence() -> None:
    outcome = called("check", "good.cql")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")


def test_a_check_tells_the_defaults_and_writes_them_out() -> None:
    outcome = called("check", "defaults.cql")
    assert outcome.returncode == 0
    assert "note[default-window]" in outcome.stdout
    assert "note[default-istream]" in outcome.stdout
    assert "RANGE UNBOUNDED" in outcome.stdout
    assert "ISTREAM(" in outcome.stdout


def test_an_endless_query_is_run_up_to_an_instant() -> None:
    outcome = started("run", "clock.cql", "--until", "6")
    rows = ["3 | + | 5 | 3", "3 | + | 6 | 3", "6 | + | 5 | 6", "6 | + | 6 | 6", "6 | + | 7 | 6"]
    assert (outcome.returncode, outcome.stdout.splitlines()) == (0, ["time | op | a | Timepoint", *rows])


def test_a_dash_reads_the_standard_input() -> None:
    assert called("check", "-", stdin=b"SELECT 1 AS a").returncode == 0
    outcome = called("check", "-", stdin=b"SELECT \xff")
    assert outcome.returncode == 2
    assert '"<stdin>" is not UTF-8 text' in outcome.stderr


def test_an_explanation_shows_kind_schema_plan_and_defaults() -> None:
    outcome = called("explain", "defaults.cql")
    assert outcome.returncode == 0
    assert outcome.stdout.startswith("query 1: stream (a int)\n\n  Istream\n")
    assert "Stream S (a int)" in outcome.stdout
    assert 'note: [Range Unbounded] is applied to "S"' in outcome.stdout


def test_an_explanation_shows_stages_with_their_exchanges_and_what_queries_share() -> None:
    outcome = called("explain", "sharing.cql")
    assert outcome.returncode == 0
    together = outcome.stdout.partition("\nall together, in stages:\n")[2]
    exchanges = "exchange 2 by S.a\n    exchange 2 by S.a, as partial sums for 3 if these are fewer"
    assert f"\n  stage 0\n    {exchanges}\n" in together
    assert "\nrules applied:\n\n  merge_project_into_aggregate: " in together
    assert "π f (π g R) = π (f ∘ g) R" in together
    assert together.endswith(
        "\nshared by several queries:\n\n"
        "  0  read S (a int): query 1, query 2\n"
        "  1  window range 5 seconds: query 1, query 2\n"
    )


def test_an_explanation_says_what_would_bound_state_that_grows() -> None:
    outcome = called("explain", "growing.cql")
    grows = outcome.stdout.partition("\nstate that grows without bound:\n")[2]
    assert "[RANGE UNBOUNDED]: a join keeps every row of a stream for ever. Give the stream a window" in grows


def test_an_explanation_is_text_json_or_a_picture() -> None:
    explained = json.loads(called("explain", "sharing.cql", "--format", "json").stdout)
    assert [query["name"] for query in explained["queries"]] == ["query 1", "query 2"]
    picture = called("explain", "sharing.cql", "--format", "svg").stdout
    assert picture.startswith("<svg ")
    assert picture.endswith("</svg>\n")
    assert "sharing.cql" in picture
    outcome = called("explain", "sharing.cql", "--format", "pdf")
    assert (outcome.returncode, outcome.stdout) == (2, "")


def test_a_cost_is_estimated_from_what_the_sources_declare() -> None:
    outcome = called("explain", "priced.cql", "--cost")
    assert outcome.returncode == 0
    assert "Stream S (a int)   [10/s, 10 alive, work 10/s]" in outcome.stdout
    assert "Range 5 Seconds   [10/s, 60 alive, work 10/s]" in outcome.stdout
    assert outcome.stdout.rstrip().splitlines()[-1].startswith("  in all: ")
    assert "sources without statistics have defaults" in called("explain", "sharing.cql", "--cost").stdout
    priced = json.loads(called("explain", "priced.cql", "--cost", "--format", "json").stdout)
    assert priced["cost"]["by_default"] is False


def test_an_explanation_of_a_program_of_views_has_the_views() -> None:
    explained = json.loads(called("explain", "views.cql", "--format", "json").stdout)
    assert [query["name"] for query in explained["queries"]] == ["V", "W"]


@pytest.mark.parametrize(
    "arguments",
    [["books.xq", "--format", "json"], ["books.xq", "--cost"], ["good.cql", "--steps", "--format", "svg"]],
)
def test_a_format_or_steps_without_effect_are_refused(arguments: list[str]) -> None:
    outcome = called("explain", *arguments)
    assert (outcome.returncode, outcome.stderr.split("]")[0]) == (2, "error[useless-option")


def test_an_explanation_of_an_xquery_shows_handlers_and_buffers() -> None:
    outcome = called("explain", "books.xq", "--schema", "books.dtd")
    assert outcome.returncode == 0
    assert outcome.stdout.startswith("{ ps $ROOT:\n  on bib as $bib return\n")
    assert "$b/title  whole  15 bytes and its text  until no price can follow" in outcome.stdout


def test_steps_of_an_xquery_show_its_normal_form() -> None:
    outcome = called("explain", "books.xq", "--steps")
    assert outcome.returncode == 0
    assert outcome.stdout.startswith("normal form:\n\n{ for $bib in $ROOT/bib return\n")


@pytest.mark.parametrize(
    ("arguments", "code"), [(["unbound.xq"], 1), (["books.xq", "--schema", "none.dtd"], 2)]
)
def test_mistakes_in_an_xquery_or_its_schema_are_reported(arguments: list[str], code: int) -> None:
    """As the help says: 1 where a query or its data are wrong, 2 where there is no such file."""
    outcome = called("explain", *arguments)
    assert outcome.returncode == code
    assert outcome.stderr.startswith("error[")


def test_a_query_over_a_document_is_answered() -> None:
    outcome = called("xquery", "books.xq", "--schema", "books.dtd", "--input", "books.xml")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout == "<b><title>two</title></b>\n"


def test_a_query_may_be_given_as_it_is_and_the_document_on_the_standard_input() -> None:
    outcome = called("xquery", "count(/a/b)", "--stats", stdin=b"<a><b/><b/></a>")
    assert outcome.stdout == "2\n"
    assert [line.split("  ")[0] for line in outcome.stderr.splitlines()] == [
        "read", "events", "peak buffer", "first output", "time", "written",
    ]  # fmt: skip


def test_several_queries_have_their_answers_one_after_the_other_or_in_files(tmp_path: Path) -> None:
    queries = ("books.xq", "count(/bib/book)")
    outcome = called("xquery", *queries, "--input", "books.xml")
    assert outcome.stdout == "<b><title>two</title></b>\n2\n"
    called("xquery", *queries, "--input", "books.xml", "--out", "one.xml", "--out", "two.xml")
    assert (tmp_path / "one.xml").read_text(encoding="utf-8") == "<b><title>two</title></b>\n"
    assert (tmp_path / "two.xml").read_text(encoding="utf-8") == "2\n"


def test_each_item_of_an_answer_is_a_line() -> None:
    stdin = b"<log><error>e0</error><x/><error>e1</error><error>e2</error></log>"
    outcome = called("xquery", "for $e in /log/error return $e/text()", stdin=stdin)
    assert (outcome.returncode, outcome.stdout) == (0, "e0\ne1\ne2\n")


def test_a_step_that_matches_nothing_is_warned_of_by_every_command(tmp_path: Path) -> None:
    (tmp_path / "wrong.xq").write_text("/bib/book/titel", encoding="utf-8")
    for arguments in (
        ["check", "wrong.xq"],
        ["explain", "wrong.xq"],
        ["xquery", "wrong.xq", "--input", "books.xml"],
    ):
        outcome = called(*arguments, "--schema", "books.dtd")
        output = outcome.stdout if "explain" in arguments else outcome.stderr
        assert outcome.returncode == 0
        assert 'warning[never-matches]: "titel" matches nothing in any document of the schema' in output
    outcome = called("check", "passing.cqt", "--schema", "books.dtd")
    assert (outcome.returncode, outcome.stderr.split("]")[0]) == (2, "error[useless-option")


def test_a_document_that_a_query_names_is_read() -> None:
    outcome = called("xquery", 'doc("missing.xml")/*', stdin=b"<r/>")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    outcome = called("xquery", 'doc("other.xml")/*', "--input", "books.xml")
    assert (outcome.returncode, outcome.stderr.split("]")[0]) == (1, "error[other-document")
    assert called("xquery", 'count(doc("books.xml")/bib/book)').stdout == "2\n"


def test_tests_are_found_in_folders_and_counted(tmp_path: Path) -> None:
    (tmp_path / "folder" / "deep").mkdir()
    (tmp_path / "folder" / "deep" / "story.cqt").write_text(STORY, encoding="utf-8")
    outcome = called("test", "folder", "passing.cqt", "passing.cqt")
    assert (outcome.returncode, outcome.stdout) == (0, "✓ story\n✓ passing\n2 passed, 0 failed\n")


def test_a_script_writes_its_answers(tmp_path: Path) -> None:
    outcome = called("script", "script")
    assert (outcome.returncode, outcome.stdout) == (0, "out/answer: 3 lines\n[2]:+:2\n")
    answer = (tmp_path / "out" / "answer").read_text(encoding="utf-8")
    assert answer == "[1]:+:1\n[2]:-:1\n[2]:+:2\n"


def test_a_script_has_texts_in_double_quotes() -> None:
    outcome = called("script", "quotes")
    assert (outcome.returncode, outcome.stdout) == (0, "[1]:+:1\n[2]:-:1\n[2]:+:2\n")


def test_the_demo_ends_with_tolls() -> None:
    outcome = started("demo", "--vehicles", "60", "--minutes", "15", "--seed", "2", "--plot", "road.png")
    assert outcome.returncode == 0, outcome.stderr
    assert "congested segments" in outcome.stdout
    assert "first of" in outcome.stdout
    assert Path("road.png").read_bytes().startswith(b"\x89PNG")


def test_the_demo_of_the_weather_ends_with_pairs() -> None:
    outcome = started("demo", "weather", "--sensors", "12", "--minutes", "15", "--plot", "weather.png")
    assert outcome.returncode == 0, outcome.stderr
    assert re.search(r"\n\d+ readings, [1-9]\d* pairs of \d+ temperatures", outcome.stdout)
    assert Path("weather.png").read_bytes().startswith(b"\x89PNG")


def test_an_unknown_demo_names_the_others() -> None:
    outcome = called("demo", "moon")
    assert outcome.returncode == 2
    assert "choose linear_road or weather" in outcome.stderr


def test_a_program_is_run_to_the_end_of_its_data(tmp_path: Path) -> None:
    outcome = started("run", "run.cql", "--source", "S=S.csv", "--out", "out", "--format", "json")
    assert outcome.returncode == 0, outcome.stderr
    assert "3 events" in outcome.stderr
    (folder,) = (tmp_path / "out").iterdir()
    lines = "".join(path.read_text() for path in sorted(folder.glob("*.json")))
    assert lines.splitlines() == ['{"time":1,"n":1}', '{"time":2,"n":2}', '{"time":3,"n":1}']


def test_steps_show_every_law_and_what_each_step_keeps() -> None:
    outcome = called("explain", "good.cql", "--steps")
    assert outcome.returncode == 0
    assert "by prune_columns" in outcome.stdout or "by merge_projects" in outcome.stdout
    assert "keeps the last 5 rows" in outcome.stdout


@pytest.mark.parametrize("command", [["--help"], ["check", "good.cql"], ["explain", "good.cql"]])
def test_what_needs_no_spark_does_not_load_it(command: list[str]) -> None:
    program = "import sys\nfrom slackwater.cli.app import app\n" + (
        f"try: app({command!r})\nexcept SystemExit: pass\nsys.exit('pyspark' in sys.modules)"
    )
    known = {"PYTHONPATH": str(ROOT / "src")}
    assert subprocess.run([sys.executable, "-c", program], env=known, capture_output=True).returncode == 0


def test_both_engines_answer_a_script() -> None:
    outcome = called("script", "script", "--engine", "reference")
    assert (outcome.returncode, outcome.stdout) == (0, "out/answer: 3 lines\n[2]:+:2\n")


@pytest.mark.parametrize("command", ["check", "explain", "run", "test", "script", "demo"])
def test_every_command_has_examples(command: str) -> None:
    outcome = called(command, "--help")
    assert outcome.returncode == 0
    assert f"Examples:\n    slackwater {command}" in outcome.stdout


def test_the_help_has_examples_that_are_commands() -> None:
    outcome = called("--help")
    examples = outcome.stdout.partition("Examples:\n")[2].split("\n\n")[0].splitlines()
    assert {line.split()[1] for line in examples} == {"demo", "check", "explain", "run", "test"}


def test_one_bad_row_fails_its_case_only(tmp_path: Path) -> None:
    stories = {"good": STORY, "bad": STORY.replace("1 | 1\n", "one | 1\n"), "better": STORY}
    text = "\n".join(f"case {name}\n{story}" for name, story in stories.items())
    (tmp_path / "rows.cqt").write_text(text, encoding="utf-8")
    outcome = called("test", "rows.cqt", "--engine", "reference")
    assert outcome.returncode == 1
    marked = [line for line in outcome.stdout.splitlines() if line.startswith(("✓", "✗"))]
    assert marked == ["✓ good", "✗ bad", "✓ better"]
    assert "error[cqt-bad-time]" in outcome.stdout
    assert outcome.stdout.endswith("2 passed, 1 failed\n")


def test_without_a_command_there_is_help() -> None:
    assert "Commands:" in called().stdout + called().stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    program = f"{sys.executable} -c 'from slackwater.cli import main; main()' explain defaults.cql | true"
    known = {"PYTHONPATH": str(ROOT / "src"), "PATH": os.environ["PATH"]}
    done = subprocess.run(program, shell=True, env=known, capture_output=True, check=False)
    assert done.stderr == b""


def test_a_bug_is_reported_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import slackwater.bind.program as program\n"
        "def bind(*given): raise RuntimeError('out of order')\n"
        "program.bind = bind\n"
    )
    path = f"{ROOT / 'src'}{os.pathsep}{tmp_path}"
    outcome = started("check", "good.cql", PYTHONPATH=path)
    assert outcome.returncode == 1
    assert outcome.stderr == (FOLDER / "bug.txt").read_text(encoding="utf-8")


def test_wrong_usage_ends_with_two() -> None:
    outcome = called("demo", "--vehicles", "none")
    assert outcome.returncode == 2
    assert "--vehicles" in outcome.stderr


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from slackwater.cli.output import coloured, has_colours

    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert has_colours(Terminal())  # type: ignore[arg-type]
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colours(Terminal())  # type: ignore[arg-type]
    painted = coloured("error[x]: wrong\n --> a:1:1\n  |\n1 | b\n  | ^")
    assert painted.startswith("\x1b[1;31merror[x]\x1b[0m")
    assert "1 |" in painted


def test_check_warns_of_a_join_without_bounds_and_exits_with_0(tmp_path: Path) -> None:
    program = tmp_path / "join.cql"
    program.write_text(
        "CREATE STREAM S (a INT); CREATE STREAM T (a INT);\n"
        "CREATE VIEW j AS SELECT S.a FROM S [RANGE UNBOUNDED] JOIN T [RANGE 5] ON S.a = T.a;\n"
        "SELECT ISTREAM(a) FROM j;\n"
    )
    result = called("check", str(program))
    assert result.returncode == 0
    assert result.stderr.count("warning[unbounded-state]: a join keeps every row of a stream for ever") == 1
    assert "^^^^^^^^^^^^^^^^^ no row ever leaves this window" in result.stderr


def test_a_program_writes_to_its_sinks_and_prints_the_rest() -> None:
    outcome = started("run", "sinks.cql", "--param", "least=5")
    assert (outcome.returncode, outcome.stdout.splitlines()[:2]) == (0, ["time | op | a", "1 | + | 5"])
    large = "".join(path.read_text() for path in sorted(Path("large").glob("*.csv")))
    assert large.replace("time,op,a\n", "").split() == ["2,+,6", "4,-,6", "4,+,7"]
    counts = "".join(path.read_text() for path in sorted(Path("counts").glob("*.json")))
    assert json.loads(counts.split("\n")[0]) == {"time": 1, "op": "+", "key": 5, "n": 1}
