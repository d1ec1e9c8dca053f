"""Every law of the normal form and of its simplification on small queries."""

from __future__ import annotations

import pytest

from golden import REWRITES
from slackwater.flux.rewrite.requirements import drop_impossible
from slackwater.flux.rewrite.simplify import LAWS
from xquery.flux_cases import HERE, UNCHANGED, Case, cases, cases_of, rewritten_cases


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.path.stem}: {case.law}")
def test_a_law_gives_the_query_of_its_case(case: Case) -> None:
    if REWRITES:
        case.path.write_text(rewritten_cases(case.path), encoding="utf-8")
        return
    assert case.outcome() == case.gives


def test_every_law_has_a_query_it_changes() -> None:
    shown = {case.law for case in cases_of(HERE / "simplify.txt") if case.gives != UNCHANGED}
    assert shown == {law.name for law in LAWS} | {drop_impossible.name}


def test_every_law_begins_with_its_equation() -> None:
    assert all("=" in law.law for law in (*LAWS, drop_impossible))
