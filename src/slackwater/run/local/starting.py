"""Starting Spark: an interrupted start leaves no Java process behind.

Java ends with its standard input, that is with this process, but only once it accepts connections. pyspark,
interrupted before that, removes the folder to which Java writes its port; Java fails there, and never exits.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen
from types import FrameType
from typing import Any

from pyspark import java_gateway

_TERMINATED = 128 + signal.SIGTERM
"""The exit code of a process that SIGTERM ended, as in shells."""


@contextmanager
def leaving_no_java() -> Iterator[None]:
    """Kill the Java process that is started inside if the block fails."""
    processes: list[Popen[bytes]] = []

    def popen(*arguments: Any, **options: Any) -> Popen[bytes]:
        processes.append(Popen(*arguments, **options))
        return processes[-1]

    java_gateway.Popen = popen  # type: ignore[assignment, attr-defined]
    try:
        with _ended_by_exception():
            yield
    except BaseException:
        for process in processes:
            process.kill()
            process.wait()
        raise
    finally:
        java_gateway.Popen = Popen  # type: ignore[attr-defined]


@contextmanager
def _ended_by_exception() -> Iterator[None]:
    """Make SIGTERM an exception, as Python makes Ctrl-C one, unless the program handles it."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def our_interrupts() -> Iterator[None]:
    """Keep what Ctrl-C does.

    Spark would make it cancel all jobs, which fails during another call to Java.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(_TERMINATED)
