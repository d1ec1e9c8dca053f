"""What can go wrong, as data: each stage lists its problems in a module `problems`.

From these lists come the texts a user sees and the page docs/errors.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter

from slackwater.base.diagnostic import Diagnostic, Severity
from slackwater.base.span import Span


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of diagnostic. Its texts are templates: `{name}` stands for a fact of the case.

    Several problems may share a code; one of them says what the code means.
    """

    code: str
    message: str
    label: str = ""
    detail: str = ""
    hint: str = ""
    severity: Severity = Severity.ERROR
    means: str = ""
    """For the page: what has happened, and, where no hint says so, what to do."""

    def at(
        self,
        span: Span | None = None,
        *,
        where: str | None = None,
        label: str | None = None,
        detail: str | None = None,
        hint: str | None = None,
        **facts: object,
    ) -> Diagnostic:
        """The diagnostic of one case, at a span or else at a place in words.

        A label, detail or hint given here replaces the general one.
        """
        return Diagnostic(
            self.code,
            self.message.format(**facts),
            span,
            label or self.label.format(**facts),
            detail or self.detail.format(**facts) or None,
            hint or self.hint.format(**facts) or None,
            self.severity,
            where if span is None else None,
        )

    @property
    def facts(self) -> frozenset[str]:
        """The names of the facts that the templates need."""
        texts = (self.message, self.label, self.detail, self.hint)
        return frozenset(name for text in texts for _, name, _, _ in Formatter().parse(text) if name)
