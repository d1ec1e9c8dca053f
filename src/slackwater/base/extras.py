"""Packages that come with an extra of ours: what is missing is named where it is needed."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic, EngineError


def missing_extra(what: str, package: str, extra: str) -> EngineError:
    """What to raise where a package cannot be imported; `what` needs it."""
    return EngineError(
        Diagnostic(
            "missing-extra",
            f"{what} needs the package {package}, which is not installed",
            hint=f'Run: pip install "slackwater[{extra}]"',
        )
    )
