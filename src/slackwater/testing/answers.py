"""The expected answer of a check: its table, read by the columns of the query."""

from __future__ import annotations

from slackwater.algebra import Kind, Operator
from slackwater.base.diagnostic import Diagnostic
from slackwater.reference.bags import Changes, record
from slackwater.testing import errors, problems
from slackwater.testing.case import Check
from slackwater.testing.tables import instant_of, is_heading, op_of, row_of

_BEFORE = {"at": (), "changes": ("time", "op"), "emits": ("time",)}
"""The columns of a check's table before those of the query."""


def expected(check: Check, plan: Operator, mistakes: list[Diagnostic]) -> Changes | None:
    """The changes or elements a check lists; for `at`, the answer, at that instant.

    None, and a diagnostic, where the check does not fit the query.
    """
    before = len(mistakes)
    fits = (check.kind == "emits") == (plan.kind is Kind.STREAM)
    if not fits:
        mistakes.append(errors.wrong_check(check.span, plan.kind))
        return None
    assert check.table is not None
    heading = [*_BEFORE[check.kind], *plan.schema.names]
    if not is_heading(check.table, heading):
        mistakes.append(problems.CQT_WRONG_HEADING.at(check.table.heading_span, wanted=" | ".join(heading)))
        return None
    changes: Changes = {}
    for cells in check.table.rows:
        time = check.instant if check.kind == "at" else instant_of(cells[0], mistakes)
        op = op_of(cells[1], "+-", mistakes) if check.kind == "changes" else "+"
        row = row_of(cells[len(_BEFORE[check.kind]) :], plan.schema, mistakes)
        record(changes, time, row, -1 if op == "-" else 1)
    return changes if len(mistakes) == before else None
