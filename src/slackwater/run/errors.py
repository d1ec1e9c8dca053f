"""Errors of Spark, as diagnostics."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from pathlib import Path
from subprocess import Popen, TimeoutExpired

from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext
from pyspark.errors import AnalysisException, PySparkException, PythonException
from pyspark.errors.exceptions.base import StreamingQueryException

from slackwater.base.diagnostic import Diagnostic, EngineError, SlackwaterError, did_you_mean
from slackwater.run import problems
from slackwater.run.checkpoint.files import unwritable_checkpoint

_HEADER = re.compile(
    r"CSV header does not conform.*?Expected: (.*?) but found: (.*?)\s*CSV file: (\S+)", re.DOTALL
)
_WIDTH = re.compile(
    r"Number of column in CSV header.*?length: (\d+), schema size: (\d+).*?CSV file: (\S+)", re.DOTALL
)
_FILESYSTEM = re.compile(r'No FileSystem for scheme "(\w+)"|ClassNotFoundException: Class (\S+) not found')
_CONNECTORS = {
    "s3": "hadoop-aws", "s3a": "hadoop-aws", "s3n": "hadoop-aws", "S3AFileSystem": "hadoop-aws",
    "abfs": "hadoop-azure", "abfss": "hadoop-azure", "wasb": "hadoop-azure", "wasbs": "hadoop-azure",
    "AzureBlobFileSystem": "hadoop-azure", "SecureAzureBlobFileSystem": "hadoop-azure",
    "NativeAzureFileSystem": "hadoop-azure",
}  # fmt: skip
"""The packages of Hadoop's filesystems, by their schemes and classes."""
_OLD = ("s3", "s3n")
_FILE = re.compile(r"FAILED_READ_FILE.*?reading file (\S+?)\.\s", re.DOTALL)
_TYPE = re.compile(r"Parquet column \[(.+?)\]\. Expected Spark type (.+?), actual Parquet type (.+?)\.")
_MISSING = re.compile(r"Path does not exist: (\S+?)\.?\s")
_COLUMN = re.compile(
    r"UNRESOLVED_COLUMN.*?name `(.+?)` cannot be resolved.*?(?:\[(.*?)\])?\.? SQLSTATE", re.DOTALL
)
_PYTHON = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)+(\w[\w.]*.*)")
_SOCKET = re.compile(r"Connection refused")
_FULL = re.compile(r"No space left on device|Disk quota exceeded|Read-only file system|File too large")
_TASK = re.compile(r"Job aborted|stage failure")
_JAVA = re.compile(r"An error occurred while calling \S+\s+: (?:[\w.$]+: )?(.*)")
_CONDITION = re.compile(r"\[([A-Z_.]+)\] ?(.*?)(?: SQLSTATE|\n|$)", re.DOTALL)
_STOPPED = re.compile(r"terminated with exception: (.*?)(?: SQLSTATE|\n|$)", re.DOTALL)
_MEMORY = re.compile(r"OutOfMemoryError|Java heap space|GC overhead limit")
_OUTER = ("STREAM_FAILED", "FOREACH_BATCH_USER_FUNCTION_ERROR")


def translated(error: BaseException, log: Path | None = None) -> SlackwaterError:
    """The error as a user sees it; ours are unchanged. `log` is where Spark writes its progress."""
    if isinstance(error, SlackwaterError):
        return error
    translation = EngineError(_diagnosed(error, log))
    translation.__cause__ = error
    return translation


def cause_of(failure: BaseException, error: BaseException) -> BaseException | None:
    """What a failure is raised from, where `error` was caught: its own cause, such as that of a user."""
    if failure.__cause__ is not None or failure is error:
        return failure.__cause__
    return error


def is_spark(error: BaseException) -> bool:
    """Whether Spark, or the connection to it, failed."""
    ours = type(error).__module__.startswith(("py4j", "pyspark"))
    return isinstance(error, PySparkException | ConnectionError) or ours


def is_lost(error: BaseException) -> bool:
    """Whether Spark cannot be reached: its process has ended, or the connection is lost."""
    return isinstance(error, Py4JNetworkError | ConnectionError) or (
        is_spark(error) and java_exit_code() is not None
    )


def java_exit_code(timeout: float = 0.0) -> int | None:
    """The exit code of the Java process that this one started; None while it runs."""
    process: Popen[bytes] | None = getattr(SparkContext._gateway, "proc", None)
    with contextlib.suppress(TimeoutExpired):
        return None if process is None else process.wait(timeout)
    return None


def _diagnosed(error: BaseException, log: Path | None) -> Diagnostic:
    if is_lost(error):
        return lost_java(java_exit_code(timeout=2.0))
    if _MEMORY.search(_with_causes(error)):
        return problems.FULL_HEAP.at()
    if (match := _FILESYSTEM.search(_with_causes(error))) and (
        diagnostic := _no_filesystem(match[1], match[2])
    ):
        return diagnostic
    text = str(error)
    if match := _HEADER.search(text):
        return problems.OTHER_HEADER.at(
            where=_local(match[3]), expected=match[1].strip(), actual=match[2].strip()
        )
    if match := _WIDTH.search(text):
        return problems.OTHER_HEADER.at(
            where=_local(match[3]), expected=f"a line of {match[2]} columns", actual=match[1]
        )
    if (match := _FULL.search(text)) and log is not None and not _TASK.search(text):
        return unwritable_checkpoint(log, OSError(match[0]))
    if _FULL.search(text):
        return problems.SPARK_FAILED.at(
            why="the disk is full or read-only",
            hint="Make room and start again: committed epochs are not lost.",
        )
    if match := _FILE.search(text):
        return _of_file(_local(match[1]), text)
    if match := _MISSING.search(text):
        return problems.GONE_PATH.at(path=_local(match[1]))
    if match := _COLUMN.search(text):
        return _unresolved(match[1], match[2] or "")
    if isinstance(error, PythonException) and (match := _PYTHON.search(text)):
        return problems.SPARK_FAILED.at(why=f"a Python function of the input failed: {match[1]}")
    if _SOCKET.search(text):
        return problems.NO_CONNECTION.at()
    if is_spark(error) and (code := java_exit_code(timeout=1.0)) is not None:
        return lost_java(code)  # it ended a moment after the error was raised
    return problems.SPARK_FAILED.at(why=_summary(error))


def _with_causes(error: BaseException) -> str:
    """The error with its causes in Java, which its text leaves out."""
    parts = [str(error)]
    with contextlib.suppress(Exception):
        java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
        while java is not None and len(parts) < 20:
            parts.append(java.toString())
            java = java.getCause()
    if error.__cause__ is not None:
        parts.append(str(error.__cause__))
    return "\n".join(parts)


def _of_file(file: str, text: str) -> Diagnostic:
    if "FILE_NOT_EXIST" in text:
        return problems.GONE_PATH.at(path=file)
    if match := _TYPE.search(text):
        return problems.OTHER_TYPE.at(where=file, column=match[1], expected=match[2], actual=match[3])
    return problems.BROKEN_FILE.at(where=file)


def _summary(error: BaseException) -> str:
    """The innermost error condition of Spark, or the first line."""
    conditions = [(name, text) for name, text in _CONDITION.findall(str(error)) if name not in _OUTER]
    stopped = _STOPPED.search(str(error))
    java = _JAVA.search(str(error))
    plain = stopped[1] if stopped else java[1] if java else str(error).split("\n")[0]
    text = conditions[-1][1] if conditions and conditions[-1][1] else plain
    if isinstance(error, StreamingQueryException | AnalysisException) or conditions or java:
        return " ".join(text.split())[:300].rstrip(".")
    return f"{type(error).__name__}: {' '.join(text.split())[:300]}".rstrip(".: ")


def _local(address: str) -> str:
    from slackwater.run.input.misfits import file_name

    return file_name(address)


def _no_filesystem(scheme: str | None, name: str | None) -> Diagnostic | None:
    """Of a scheme that Hadoop does not know, or the class of one; None where the class is another."""
    known = scheme or (name or "").rpartition(".")[2]
    package = _CONNECTORS.get(known)
    if scheme is None and package is None:
        return None
    diagnostic = problems.NO_FILESYSTEM.at(what=known, package=package or "PACKAGE")
    return (
        replace(diagnostic, hint=f"Write s3a:// instead of {scheme}://. {diagnostic.hint}")
        if package and scheme in _OLD
        else diagnostic
    )


def _unresolved(column: str, near: str) -> Diagnostic:
    columns = [name.strip(" `") for name in near.split(",") if name.strip()]
    return problems.UNRESOLVED_COLUMN.at(column=column, hint=did_you_mean(column, columns))


def lost_java(code: int | None) -> Diagnostic:
    how = "" if code is None else f"Signal {-code} ended it." if code < 0 else f"Its exit code is {code}."
    return problems.LOST_JAVA.at(detail=how or None)
