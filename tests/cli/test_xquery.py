"""`slackwater xquery` with pipes, files and disks that fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer import Exit

from slackwater.cli.check import check
from slackwater.cli.explain import explain

COMMAND = [sys.executable, "-c", "from slackwater.cli.app import main; main()", "xquery"]


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "log.xml"
    path.write_text(f"<log>{'<e>é</e>' * 20_000}</log>", encoding="utf-8")
    return str(path)


def test_a_reader_may_have_had_enough(document: str) -> None:
    with subprocess.Popen(
        [*COMMAND, "/log/e", "--input", document], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.read(4) == b"<e>\xc3"
        run.stdout.close()
        assert run.stderr.read() == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
@pytest.mark.parametrize("query", ["/log/e", "count(/log/e)"])
def test_a_full_disk_is_reported(document: str, query: str) -> None:
    with open("/dev/full", "wb") as full:
        run = subprocess.run([*COMMAND, query, "--input", document], stdout=full, stderr=subprocess.PIPE)
    assert run.stderr.decode().startswith('error[unwritable-file]: "<stdout>" cannot be written')
    assert run.returncode == 1


def test_a_closed_input_is_reported() -> None:
    script = f'exec {sys.executable} -c "from slackwater.cli.app import main; main()" xquery / <&-'
    run = subprocess.run(["sh", "-c", script], capture_output=True)
    assert run.stderr.decode().startswith('error[unreadable-input]: the document "<stdin>" cannot be read')
    assert run.returncode == 2


@pytest.mark.parametrize(
    "query",
    [
        "1 + 1",
        "let $x := <a>2</a> return $x/text()",
        "declare variable $x := /a; 2",
        "declare variable $x := 2; declare function local:f() { $x }; local:f()",
    ],
)
def test_a_query_that_reads_nothing_waits_for_nothing(query: str) -> None:
    with subprocess.Popen([*COMMAND, query], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.read() == b"2\n", "while its input is open"
        assert run.wait() == 0


@pytest.mark.parametrize(
    "query",
    [
        "exists(/)",
        "count(/a)",
        "declare variable $x := exists(/); $x",
        ".",
        "name()",
        "<a>{string()}</a>",
        "for $b in /a return 1",
    ],
)
def test_a_query_that_reads_its_input_misses_it(query: str) -> None:
    run = subprocess.run([*COMMAND, query], stdin=subprocess.DEVNULL, capture_output=True)
    assert run.stderr.startswith(b"error[cut-off-document]")


def test_what_a_terminal_cannot_show_is_a_reference(document: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    run = subprocess.run([*COMMAND, "(/log/e)[1]", "--input", document], env=environment, capture_output=True)
    assert run.stdout == b"<e>&#233;</e>\n"


def test_an_xquery_is_checked_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = tmp_path / "right.xq", tmp_path / "wrong.xq"
    right.write_text("for $b in /bib/book return <t>{$b/title}</t>")
    wrong.write_text("for $b in /bib/book return $c")
    with pytest.raises(Exit) as ended:
        check([str(right), str(wrong)])
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err.startswith('error[unknown-variable]: variable "$c" is not bound')


def test_the_plan_is_that_of_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A DTD whose names are not those of the query is not used, and the plan says so."""
    query, schema = tmp_path / "q.xq", tmp_path / "s.dtd"
    query.write_text('declare namespace p = "urn:p"; for $r in /p:r return <t>{$r/p:b}{$r/p:a}</t>')
    schema.write_text("<!ELEMENT r (a, b)> <!ELEMENT a (#PCDATA)> <!ELEMENT b (#PCDATA)>")
    explain(str(query), schema=str(schema))
    plan = capsys.readouterr().out
    assert plan.endswith("the schema is not used: its names are not those of the query\n")
    assert "on p:r as $r" in plan
