"""A start of Spark that is interrupted leaves no Java process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
PROGRAM = "CREATE STREAM S (a INT) TIME t INT FROM 'S.csv'; SELECT a FROM S [NOW];"
JAVA = """#!/bin/sh
case "$*" in
  *org.apache.spark.launcher.Main*) printf '\\n%s\\0%s\\0' "$0" gateway ;;
  *) echo $$ > "{0}/pid.new" && mv "{0}/pid.new" "{0}/pid"; exec sleep 600 ;;
esac
"""
"""A Java that never connects, and does not look at its standard input either."""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_is_interrupted_leaves_no_java(tmp_path: Path, number: signal.Signals, code: int) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(JAVA.format(tmp_path), encoding="utf-8")
    java.chmod(0o755)
    (tmp_path / "S.csv").write_text("t,a\n1,5\n", encoding="utf-8")
    program = tmp_path / "program.cql"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-c", "from slackwater.cli import main; main()", "run", program.name]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SRC), "JAVA_HOME": str(tmp_path)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment) as process:
        while not (tmp_path / "pid").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait() == code
    assert is_gone(int((tmp_path / "pid").read_text()))


def is_gone(pid: int) -> bool:
    """Whether there is no such process; one that is left is ended."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return True
    return False
