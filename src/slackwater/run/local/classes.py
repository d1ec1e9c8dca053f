"""An archive of Spark's classes, which Java maps into memory instead of loading each class from its jar.

Java writes it (class data sharing), and checks at every start that its bytes are whole and that it fits this
Java and these jars. Where it does not, Java starts without it.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyspark

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.run import problems
from slackwater.run.local.java import cache_folder, ensure_java, java_program

_CHECKED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifySharedSpaces")
_SILENT = "-Xlog:disable"
"""Java logs unused parts of an archive as warnings or errors."""
_ERRORS = "-Xlog:all=error:stderr"
_PROGRAM = "CREATE STREAM S (k STRING, v INT) TIME ts FROM '{file}'"
_QUERY = "SELECT k, SUM(v) AS total FROM S [RANGE 5 MINUTES] GROUP BY k"
_ROWS = "ts,k,v\n2024-02-29 08:00:00,a,1\n2024-02-29 08:01:00,b,2\n"


def mapped_classes() -> str:
    """The options of Java that use the archive; none where there is no archive."""
    archive = _archive()
    if not archive.is_file():
        return ""
    return " ".join(["", f'"-XX:SharedArchiveFile={archive}"', *_CHECKED, _SILENT])


def write_archive(connect: Callable[[], Any]) -> Path:
    """Start Spark, answer a query, and let Java write an archive of the classes that this loaded.

    `connect` makes a session, which is a layer above.
    """
    ensure_java()
    archive = _archive()
    archive.unlink(missing_ok=True)
    archive.parent.mkdir(parents=True, exist_ok=True)
    # Beside the archive: it is moved into place in one step.
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix="classes-") as folder:
        names, draft = Path(folder, "names"), Path(folder, "draft")
        class_path = _answer_a_query(connect(), Path(folder), names)
        files = (f"-XX:SharedClassListFile={names}", f"-XX:SharedArchiveFile={draft}")
        command = (java_program(), "-Xshare:dump", *files, _SILENT, _ERRORS, "-cp", class_path)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not draft.is_file():
            raise EngineError(no_archive(done.stderr.strip()))
        draft.replace(archive)
    return archive


def _archive() -> Path:
    """One for every pair of a Spark and a Java."""
    pair = sha256(f"{pyspark.__file__}\n{java_program()}".encode()).hexdigest()[:16]
    return cache_folder() / f"spark-{pyspark.__version__}-{pair}.jsa"


def _answer_a_query(session: Any, folder: Path, names: Path) -> str:
    """Write the names of the classes that Spark uses; the class path on which it found them."""
    from slackwater.sinks.files import Files

    source = folder / "rows.csv"
    source.write_text(_ROWS, encoding="utf-8")
    session.brief = True
    session.sql(_PROGRAM.format(file=str(source).replace("'", "''")))
    with _java_options(f'"-XX:DumpLoadedClassList={names}"'):
        session.query(_QUERY).start(Files(folder / "answers"), follow=False).await_termination()
    context = session.spark.sparkContext
    gateway = context._gateway
    assert gateway is not None
    class_path = str(gateway.jvm.System.getProperty("java.class.path"))
    context.stop()
    # The list is complete when Java has ended, which it does when its standard input ends.
    gateway.proc.stdin.close()
    gateway.proc.wait()
    return class_path


@contextmanager
def _java_options(more: str) -> Iterator[None]:
    before = os.environ.get("SPARK_SUBMIT_OPTS")
    os.environ["SPARK_SUBMIT_OPTS"] = f"{before or ''} {more}"
    try:
        yield
    finally:
        if before is None:
            del os.environ["SPARK_SUBMIT_OPTS"]
        else:
            os.environ["SPARK_SUBMIT_OPTS"] = before


def no_archive(message: str) -> Diagnostic:
    return problems.NO_CLASS_ARCHIVE.at(detail=f"Java said: {message}" if message else None)
