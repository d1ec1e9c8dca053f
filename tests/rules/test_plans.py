"""Every rule on small queries: the plan it gives, and the plans it leaves alone."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from golden import REWRITES
from rules.plans import HERE, RULES, UNCHANGED, Case, cases, cases_of, rewritten
from slackwater.base.rules import Pass, Rule
from slackwater.optimize import rules

FILES = sorted(module.name for module in pkgutil.iter_modules(rules.__path__))


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.path.stem}: {case.rule}")
def test_a_rule_gives_the_plan_that_is_written_down(case: Case) -> None:
    if REWRITES:
        case.path.write_text(rewritten(case.path), encoding="utf-8")
        return
    assert case.outcome() == case.gives


@pytest.mark.parametrize("name", FILES)
def test_every_rule_of_a_file_has_a_plan_it_changes(name: str) -> None:
    module = importlib.import_module(f"{rules.__name__}.{name}")
    defined = {law.name for law in vars(module).values() if isinstance(law, Rule | Pass)}
    shown = {case.rule for case in cases_of(HERE / f"{name}.plan") if case.gives != UNCHANGED}
    assert defined == shown
    assert defined <= RULES.keys(), "a rule that is in no phase"


def test_every_rule_begins_with_its_law() -> None:
    assert all("=" in law.law for law in RULES.values())
