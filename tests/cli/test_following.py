"""`slackwater run --follow`: files come, answers appear, Ctrl-C ends it, and a restart resumes."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from slackwater.cli.progress import watch
from slackwater.run.progress import QueryProgress

SRC = Path(__file__).parents[2] / "src"
PROGRAM = (
    "CREATE STREAM S (a INT) TIME t INT FROM 'in' FORMAT csv;\n"
    "CREATE VIEW counted AS SELECT a, COUNT(*) AS n FROM S [RANGE 5] GROUP BY a;\n"
)
WANTED = ["1,+,7,1", "2,-,7,1", "2,+,7,2", "3,+,8,1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "program.cql").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "in").mkdir()
    return tmp_path


def put(folder: Path, number: int, text: str) -> None:
    draft = folder / f"{number}.draft"
    draft.write_text(f"t,a\n{text}", encoding="utf-8")
    draft.rename(folder / "in" / f"{number}.csv")


def started(folder: Path, *options: str, stderr: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from slackwater.cli import main; main()", "run", "program.cql"]
    known = {
        **os.environ, "PYTHONPATH": str(SRC), "COLUMNS": "150", "TERM": "xterm",
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }  # fmt: skip
    known.pop("NO_COLOR", None)
    return subprocess.Popen(
        [*command, *options], cwd=folder, env=known, stdout=subprocess.DEVNULL, stderr=stderr,
        start_new_session=True,
    )  # fmt: skip


def answers(folder: Path) -> list[str]:
    texts = (path.read_text(encoding="utf-8") for path in sorted((folder / "out").rglob("*.csv")))
    return [line for text in texts for line in text.splitlines()[1:]]


def until(what: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 600
    while not what() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.05)
    assert what(), process.stderr.read() if process.poll() is not None and process.stderr else "in time"


class Terminal:
    """A terminal that a process writes its standard error to; `text` is what it has shown."""

    def __init__(self) -> None:
        self._ours, self.theirs = pty.openpty()
        self.text = ""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while chunk := os.read(self._ours, 4096):
                self.text += chunk.decode(errors="replace")
        except OSError:
            return  # the other side is closed


def test_answers_appear_while_it_runs_and_a_restart_resumes(folder: Path) -> None:
    options = ("--follow", "--out", "out", "--checkpoint", "state")
    put(folder, 0, "1,7\n2,7\n")
    process = started(folder, *options)
    until(lambda: answers(folder) == WANTED[:1], process)
    put(folder, 1, "3,8\n")
    until(lambda: answers(folder) == WANTED[:3], process)
    # As a terminal does it: to the whole group, Spark's Java with it.
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    *_, stopped, summary = errors.decode().splitlines()
    assert (process.returncode, stopped) == (0, "stopped"), errors
    assert re.fullmatch(r"3 events · [\d,]+ a second · watermark 3 · state \d+ rows, .*", summary)
    assert b"\x1b" not in errors, "control characters are for terminals"

    terminal = Terminal()
    again = started(folder, *options, stderr=terminal.theirs)
    os.close(terminal.theirs)
    put(folder, 2, "4,9\n")
    until(lambda: answers(folder) == WANTED, again)
    until(lambda: bool(re.search(r"1 events · .* a second · watermark 4 · state", terminal.text)), again)
    assert "\x1b[" in terminal.text, "the line moves"
    os.killpg(again.pid, signal.SIGINT)
    assert again.wait(timeout=600) == 0
    until(lambda: "stopped" in terminal.text, again)
    assert "Traceback" not in terminal.text


class Endless:
    """A running query that is interrupted as soon as it is waited for."""

    def __init__(self) -> None:
        self.is_stopped = False

    def await_termination(self, timeout: float | None = None) -> bool:
        raise KeyboardInterrupt

    def stop(self) -> None:
        self.is_stopped = True

    progress = QueryProgress(1, 3, 1.0, 2, 1, 7, "7", 1, 2_500, ())
    notices = ('2 late rows of "S" were set aside',)
    remarks = ()


@pytest.mark.parametrize("follow", [True, False])
def test_an_interrupted_run_has_failed_unless_it_follows(
    follow: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    running, code = Endless(), 0
    try:
        watch(running, follow=follow)  # type: ignore[arg-type]
    except typer.Exit as end:
        code = end.exit_code
    assert (running.is_stopped, code) == (True, 0 if follow else 128 + signal.SIGINT)
    summary = "3 events · 1 a second · watermark 7 · state 1 rows, 2.5 kB · 2 late · 1 malformed"
    warning = 'warning: 2 late rows of "S" were set aside'
    assert capsys.readouterr().err == f"stopped\n{summary}\n{warning}\n"
