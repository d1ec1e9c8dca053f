"""Full validation (section 3.7.1): a demand on every element, so that none is skipped and each is checked.

Without it, validation is lazy, the default: what no handler reads is not checked against the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from slackwater.base.diagnostic import Diagnostic
from slackwater.flux.runtime.demands import Demand
from slackwater.flux.values.tree import Name
from slackwater.schema import Type
from slackwater.schema.schema import UNKNOWN
from slackwater.schema.validate import unexpected_text

Wrong = Callable[[Diagnostic], Exception]


class Check(Demand):
    """Checks that the automaton of an element allows its children, and that text is where text may be."""

    rank = -2
    whole = True

    def __init__(self, type: Type, wrong: Wrong) -> None:
        self.type = type
        self.wrong = wrong
        self.key = ("check", id(type))
        if type.is_known and not type.has_text:
            self.text = self._take

    def _take(self, text: str) -> None:
        if not text.isspace():
            raise self.wrong(unexpected_text(self.type, self.type.name))

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        qname = str(name)
        child = type.child(qname if qname in type.names else name.local) or UNKNOWN
        return (Check(child, self.wrong),) if child.is_known else ()
