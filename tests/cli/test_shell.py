"""The shell: statements one after the other, what they print, and errors that do not end it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.cli.problems import UNKNOWN_COMMAND
from slackwater.cli.shell.shell import Shell
from slackwater.cli.shell.statements import is_complete, split
from slackwater.cli.shell.terminal import words
from slackwater.session import connect

ROOT = Path(__file__).parents[2]
STATEMENTS = """\\?
CREATE STREAM S (a INT, b STRING) TIME t INT FROM 'S.csv';
CREATE VIEW V AS SELECT a FROM S [ROWS 1]; SHOW TABLES;
SHOW STREAMS; SHOW VIEWS; SHOW RELATIONS;
DESCRIBE s;
SELECT nothing
FROM S;
SHOW NOTHING; \\x
AT 2 SELECT a, b -- one ; comment
FROM S [ROWS 1];
SUBSCRIBE SELECT a FROM V;
SELECT ';' AS c FROM S [NOW] WHERE b = 'x;y';
EXPLAIN SELECT a FROM S [NOW];
DESCRIBE T;
CREATE SINK o AS SELECT a FROM V INTO 'o' MODE changes;
\\q
SELECT 1;
"""


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("", [], ""),
        ("SELECT 1", [], "SELECT 1"),
        ("SELECT 1; ;\nSELECT ';' -- ;\n; x", ["SELECT 1", "SELECT ';' -- ;"], "x"),
        ("SELECT 'it''s;'; /* ; */ SELECT \"a;b\";", ["SELECT 'it''s;'", 'SELECT "a;b"'], ""),
        ("-- first\nSHOW TABLES; SELECT 1 -- one\n;", ["SHOW TABLES", "SELECT 1 -- one"], ""),
        ("SELECT 'open;", [], "SELECT 'open;"),
        ("/* a /* b; */ c; */ SELECT 1; /* open; SELECT 2;", ["SELECT 1"], "/* open; SELECT 2;"),
        ("\\q\nSELECT 1;", ["\\q", "SELECT 1"], ""),
    ],
)
def test_a_semicolon_ends_a_statement(text: str, statements: list[str], rest: str) -> None:
    assert split(text) == (statements, rest)
    assert is_complete(text) == (rest == "")


def test_a_command_of_the_shell_needs_no_semicolon() -> None:
    assert is_complete("\\q")
    assert not is_complete("SELECT a\nFROM S")


def test_names_columns_and_functions_are_completed() -> None:
    session = connect()
    session.sql("CREATE STREAM Readings (room INT) TIME ts INT; CREATE SINK late (a INT) INTO 'late'")
    session.register_function("warmer", abs, returns=int)
    wanted_words = {"SELECT", "GROUP BY", "SUBSCRIBE", "Readings", "room", "late", "warmer", "coalesce"}
    assert wanted_words <= set(words(session))


def test_statements_are_read_from_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "S.csv").write_text("t,a,b\n1,5,x\n2,6,x;y\n", encoding="utf-8")
    known = {"PYTHONPATH": str(ROOT / "src"), "PATH": os.environ.get("PATH", "")}
    program = [sys.executable, "-c", "from slackwater.cli import main; main()", "sql"]
    done = subprocess.run(
        program, input=STATEMENTS, env=known, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    out, errors = done.stdout, done.stderr
    assert done.returncode == 1
    shown = out[out.index("\nS\nV\n") + 1 :]
    assert shown.startswith("S\nV\nS\nV\na int\nb string\n")
    answers = shown.removeprefix("S\nV\nS\nV\na int\nb string\n")
    assert answers.startswith("a | b\n6 | x;y\ntime | op | a\n1 | + | 5\n2 | - | 5\n2 | + | 6\n")
    assert "2    | +  | ;" in answers or "2    | ;" in answers
    assert "drop_project_of_all" in answers
    assert answers.endswith("o is written\n")
    codes = re.findall(r"^error\[([a-z-]+)\]", errors, re.MULTILINE)
    assert codes == ["unknown-column", "syntax", "unknown-command", "unknown-source"]
    assert list((tmp_path / "o").glob("*.csv"))


def test_a_sink_whose_start_failed_can_be_declared_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*queries: object, **options: object) -> None:
        raise EngineError(UNKNOWN_COMMAND.at(command="start", instead="something else"))

    session = connect()
    monkeypatch.setattr(session, "start", fail)
    shell = Shell(session, StringIO())
    shell.execute("CREATE STREAM S (a INT) TIME t INT")
    for failures in (1, 2):
        shell.execute(f"CREATE SINK o AS SELECT a FROM S [NOW] INTO '{tmp_path}/o'")
        assert (shell.failures, session.sinks) == (failures, [])


def test_a_program_that_only_lists_is_printed(tmp_path: Path) -> None:
    (tmp_path / "p.cql").write_text(
        "CREATE STREAM S (a INT) TIME t INT; SHOW STREAMS; DESCRIBE S", encoding="utf-8"
    )
    program = [sys.executable, "-c", "from slackwater.cli import main; main()", "run", "p.cql"]
    known = {"PYTHONPATH": str(ROOT / "src"), "PATH": os.environ.get("PATH", "")}
    done = subprocess.run(program, env=known, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "name\nS\ncolumn | type\na      | int\n"), done.stderr


def test_functions_are_imported_from_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text("def area(w, h):\n    return w * h\n", encoding="utf-8")
    text = (
        "CREATE FUNCTION area (w INT, h INT) RETURNS BIGINT LANGUAGE PYTHON AS 'shapes:area'; SHOW FUNCTIONS;"
    )
    known = {"PYTHONPATH": str(ROOT / "src"), "PATH": os.environ.get("PATH", "")}
    program = [sys.executable, "-P", "-c", "from slackwater.cli import main; main()", "sql"]
    done = subprocess.run(
        program, input=text, env=known, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, "area\n"), done.stderr
