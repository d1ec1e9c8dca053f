"""The command line, as a user calls it: in a process of its own, or, many times faster, in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from slackwater.cli import main

ROOT = Path(__file__).parents[1]


def started(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[str]:
    """What the command does in a process of its own: for what starts Spark, or concerns the process."""
    program = [sys.executable, "-c", "from slackwater.cli import main; main()", *arguments]
    path = os.environ.get("PATH", "")
    known = {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80", "PATH": path, **environment}
    done = subprocess.run(program, input=stdin, env=known, capture_output=True, check=False)
    return subprocess.CompletedProcess(program, done.returncode, _text(done.stdout), _text(done.stderr))


def called(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """What the command does in this process, from `main` to its exit code."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    program = ["slackwater", *arguments]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", program)
        patch.setattr(sys, "path", list(sys.path))
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin), encoding="utf-8"))
        patch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as end:
            main()
    code = end.value.code
    assert isinstance(code, int)
    texts = [_text(stream.buffer.getvalue()) for stream in (out, err)]  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(program, code, *texts)


def _text(output: bytes) -> str:
    return output.decode().replace("\r\n", "\n")
