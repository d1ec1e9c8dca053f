"""Reads `.plan` files: declarations, then cases of one rule each, before => after.

    declare
    CREATE STREAM S (a INT, b INT);

    rule merge_selects
    first push_select_below_project
    query
    SELECT …
    gives
    <the plan as `explain` prints it, or the word unchanged>

`first` names rules that are applied along with it, to bring the plan into the shape it looks for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from slackwater.algebra import Operator
from slackwater.algebra.explain import explained
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.bind.statistics import statistics_of
from slackwater.optimize import PHASES, Pass, Rule, Step, steps
from slackwater.optimize.cost.statistics import Statistics
from slackwater.optimize.driver import applied

HERE = Path(__file__).parent
RULES: dict[str, Rule[Operator] | Pass[Operator]] = {
    rule.name: rule for phase in PHASES for rule in phase.rules
}
BY_COST = [law for phase in PHASES if phase.by_cost for law in phase.rules]
UNCHANGED = "unchanged"
_CASE = re.compile(
    r"^rule (?P<rule>\w+)\n(?:first (?P<first>[\w ]+)\n)?"
    r"query\n(?P<query>.*?)\ngives\n(?P<gives>.*?)(?=\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Case:
    path: Path
    rule: str
    first: tuple[str, ...]
    declarations: str
    query: str
    gives: str

    def plan(self) -> Operator:
        return bind(Text("case", f"{self.declarations}\n{self.query};"), Catalog())[-1].plan

    def statistics(self) -> Statistics:
        """What the declarations say of their sources."""
        catalog = Catalog()
        bind(Text("case", self.declarations), catalog)
        return statistics_of(catalog.sources, catalog.clock)

    def all_steps(self) -> list[Step[Operator]]:
        """The steps of optimizing the query's plan."""
        return steps(self.plan(), self.statistics())

    def steps(self) -> list[Step[Operator]]:
        """The steps of the rule and of those that come along, from the query's plan."""
        plan = self.plan()
        rules = [RULES[name] for name in (*self.first, self.rule)]
        trace, plan = applied(plan, [law for law in rules if isinstance(law, Rule)])
        for law in rules:
            if isinstance(law, Pass):
                before, plan = plan, law(plan, self.statistics()) if law in BY_COST else law(plan)
                trace += [Step(law.name, law.law, plan)] if law not in BY_COST or plan != before else []
        return trace

    def outcome(self) -> str:
        trace = self.steps()
        fired = any(step.rule == self.rule for step in trace)
        return explained(trace[-1].plan) if fired else UNCHANGED


def cases_of(path: Path) -> list[Case]:
    text = path.read_text(encoding="utf-8")
    declared = re.search(r"^declare\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert declared, f"{path.name} declares nothing"
    return [
        Case(path, m["rule"], tuple((m["first"] or "").split()), declared[1], m["query"], m["gives"].rstrip())
        for m in _CASE.finditer(text)
    ]


def cases() -> list[Case]:
    return [case for path in sorted(HERE.glob("*.plan")) for case in cases_of(path)]


def rewritten(path: Path) -> str:
    """The file's text with the outcomes there are."""
    text = path.read_text(encoding="utf-8")
    outcomes = iter([case.outcome() for case in cases_of(path)])
    return _CASE.sub(lambda m: m[0][: m.start("gives") - m.start()] + next(outcomes), text)
