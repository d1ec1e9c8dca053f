"""Packages that come with an extra of ours: what is missing is named where it is needed."""

from __future__ import annotations

from slackwater.base import problems
from slackwater.base.diagnostic import EngineError


def missing_extra(what: str, package: str, extra: str) -> EngineError:
    """What to raise where a package cannot be imported; `what` needs it."""
    return EngineError(problems.MISSING_EXTRA.at(what=what, package=package, extra=extra))
