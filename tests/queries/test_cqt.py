"""Every case of every .cqt file in this folder, run by every engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.engines.engine import engines
from slackwater.testing.case import Case
from slackwater.testing.cqt import parse
from slackwater.testing.report import report
from slackwater.testing.runner import run

HERE = Path(__file__).parent
SEED = 0


def _cases() -> Iterator[object]:
    """One parameter per case; a file that cannot be parsed is a case that fails."""
    for path in sorted(HERE.rglob("*.cqt")):
        name = path.relative_to(HERE).with_suffix("").as_posix()
        try:
            cases: list[Case | QueryError] = [*parse(Text(path.name, path.read_text(encoding="utf-8")))]
        except QueryError as error:
            cases = [error]
        for case in cases:
            title = case.name if isinstance(case, Case) else "cannot be read"
            yield pytest.param(case, id=name if title == path.stem else f"{name}: {title}")


@pytest.mark.parametrize("case", list(_cases()))
def test_the_answers_are_those_of_the_case(case: Case | QueryError) -> None:
    if isinstance(case, QueryError):
        raise case
    outcome = run(case, engines(), SEED)
    assert outcome.passed, report(outcome)


def test_there_are_cases() -> None:
    assert any(HERE.rglob("*.cqt"))
