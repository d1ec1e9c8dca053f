"""Before the first batch: checks that Spark's Python workers can run slackwater.

Their Python is not ours: on a cluster it is another machine's, and with a session of the user's own it is
whatever PYSPARK_PYTHON said when Spark was started.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module

from pyspark import SparkContext, cloudpickle

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.run import problems
from slackwater.run.cluster.parcels import HASHING
from slackwater.run.errors import translated

_OTHER_PYTHON = re.compile(r"Python in worker has different version: (\S+) than that in driver: (\S+?),")
_NO_PYTHON = re.compile(r'Cannot run program "(.+?)"')
_fit: set[tuple[str, str]] = set()
"""The applications of Spark that passed, with the Python of their workers."""


def ensure_fit(context: SparkContext) -> None:
    """Raise EngineError where a worker cannot run slackwater; checked once for each Spark, on every core."""
    application = str(context.applicationId), context.pythonExec
    if application in _fit:
        return
    for python, version, hashing, failure in _answers(context):
        if failure:
            raise EngineError(unfit_workers(f"Their Python, {python}, says: {failure}."))
        if version != our_version():
            raise EngineError(unfit_workers(f"They have slackwater {version}, in {python}."))
        if hashing != HASHING:  # equal keys would go to different partitions
            raise EngineError(unfit_workers(f"They have {hashing}, in {python}, and not {HASHING}."))
    _fit.add(application)


def _answers(context: SparkContext) -> list[tuple[str, str, str, str]]:
    module = sys.modules[__name__]
    # Sent by value: a worker that has no slackwater has no module to look the function up in.
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    try:
        count = context.defaultParallelism
        return sorted(set(context.parallelize(range(count), count).mapPartitions(_describe_worker).collect()))
    except Exception as error:
        raise EngineError(failed(error)) from error
    finally:
        cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]


def _describe_worker(_: Iterable[int]) -> Iterator[tuple[str, str, str, str]]:
    """In a worker: its Python, our version there, how it hashes, and why it cannot run us."""
    import importlib
    import sys

    try:
        importlib.import_module("slackwater.run.cluster.workers")
        hashing = importlib.import_module("slackwater.run.cluster.parcels").HASHING
        yield sys.executable, importlib.import_module("slackwater").__version__, hashing, ""
    except Exception as error:
        yield sys.executable, "", "", str(error).rstrip(".") or type(error).__name__


def failed(error: Exception) -> tuple[Diagnostic, ...]:
    """Why workers could not be checked."""
    if match := _OTHER_PYTHON.search(str(error)):
        return (unfit_workers(f"Their Python is {match[1]}, and that of this process {match[2]}."),)
    if match := _NO_PYTHON.search(str(error)):
        return (unfit_workers(f'Their Python, "{match[1]}", cannot be started.'),)
    return translated(error).diagnostics


def our_version() -> str:
    return str(import_module("slackwater").__version__)


def unfit_workers(why: str) -> Diagnostic:
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    return problems.UNFIT_WORKERS.at(python=python, version=our_version(), why=why)
