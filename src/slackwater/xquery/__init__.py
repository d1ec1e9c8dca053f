"""XQuery over XML streams: what a query means, and how it is computed with the smallest buffers.

`slackwater.xquery` is this package, and it is also what a user calls: `slackwater.xquery(text).run(file)`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Called(ModuleType):
    """A module that can be called: importing a package binds its name, so no function can have it."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        from slackwater.xquery.run import xquery

        return xquery(*arguments, **named)


sys.modules[__name__].__class__ = _Called
