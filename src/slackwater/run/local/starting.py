"""While Spark starts: what is interrupted then leaves no Java process behind.

Java ends when its standard input does, which is when this process ends, but only once it can be reached.
pyspark, interrupted before that, removes the folder to which Java writes where it can be reached; Java fails
at that, and stays for ever.
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
"""The exit code of a process that was asked to end, as shells have it."""


@contextmanager
def leaving_no_java() -> Iterator[None]:
    """End the Java process that is started inside if the block does not come to its end."""
    begun: list[Popen[bytes]] = []

    def popen(*arguments: Any, **options: Any) -> Popen[bytes]:
        begun.append(Popen(*arguments, **options))
        return begun[-1]

    java_gateway.Popen = popen  # type: ignore[assignment, attr-defined]
    try:
        with _ended_by_exception():
            yield
    except BaseException:
        for process in begun:
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

    Spark would let it cancel all jobs, which fails while another call of Java is under way.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(_TERMINATED)
