"""The engines that a case may be run on."""

from __future__ import annotations

from slackwater.base.diagnostic import EngineError
from slackwater.engines.engine import Engine, engines, unknown_engine
from slackwater.testing.on_spark import Spark

__all__ = ["NAMES", "choose_engines", "engines"]

NAMES = ("reference", "kernels", "spark", "both", "all")
"""The names of engines for users; `both` is reference and kernels."""


def choose_engines(name: str) -> list[Engine | Spark]:
    """The engines that a name stands for; raises EngineError."""
    if name not in NAMES:
        raise EngineError(unknown_engine(name, NAMES))
    plain = [engine for engine in engines() if name in (engine.name, "both", "all")]
    return [*plain, *([Spark()] if name in (Spark.name, "all") else [])]
