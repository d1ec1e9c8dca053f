"""Reads cases of laws: a schema for all of them, then a law, a query and its result, or `unchanged`.

    schema
    <!ELEMENT …>

    law keep_if_true
    first simplify_if
    query
    …
    gives
    …

`first` names laws that are applied along with it. The laws of `normal.txt` have titles only: there, a query
gives its normal form, and the lets that stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from slackwater.base.rules import Step
from slackwater.base.span import Text
from slackwater.flux.plan.printer import query as printed
from slackwater.flux.plan.syntax import Query
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.guards import pushed
from slackwater.flux.rewrite.normal import normal
from slackwater.flux.rewrite.requirements import drop_impossible
from slackwater.flux.rewrite.simplify import LAWS, QueryDriver
from slackwater.language.xquery import parse
from slackwater.language.xquery.printer import print_query
from slackwater.schema import read_schema

HERE = Path(__file__).parent / "laws"
LAWS_BY_NAME = {law.name: law for law in LAWS}
UNCHANGED = "unchanged"
_CASE = re.compile(
    r"^law (?P<law>[^\n]+)\n(?:first (?P<first>[\w ]+)\n)?"
    r"query\n(?P<query>.*?)\ngives\n(?P<gives>.*?)(?=\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Case:
    path: Path
    law: str
    first: tuple[str, ...]
    schema: str
    query: str
    gives: str

    def outcome(self) -> str:
        query = normal(parse(Text("case", self.query)), read_schema(Text("schema", self.schema)))
        body = pushed(query.body)
        if self.path.stem == "normal":
            lets = [f"${let.variable} := {print_query(let.value)}, per ${let.scope}" for let in query.lets]
            return "\n".join([printed(body), *lets])
        facts = Facts.of(query)
        trace: list[Step[Query]] = []
        driver = QueryDriver(tuple(LAWS_BY_NAME[name] for name in self._rules), (facts,), trace)
        driver.rewrite(body)
        if self.law == drop_impossible.name:
            driver.passed(drop_impossible, body)
        fired = any(step.rule == self.law for step in trace)
        return (printed(trace[-1].plan) or "nothing") if fired else UNCHANGED

    @property
    def _rules(self) -> tuple[str, ...]:
        return tuple(name for name in (*self.first, self.law) if name != drop_impossible.name)


def cases_of(path: Path) -> list[Case]:
    text = path.read_text(encoding="utf-8")
    schema = re.search(r"^schema\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert schema
    return [
        Case(path, m["law"], tuple((m["first"] or "").split()), schema[1], m["query"], m["gives"].rstrip())
        for m in _CASE.finditer(text)
    ]


def cases() -> list[Case]:
    return [case for path in sorted(HERE.glob("*.txt")) for case in cases_of(path)]


def rewritten_cases(path: Path) -> str:
    """The file's text with the actual outcomes."""
    text = path.read_text(encoding="utf-8")
    outcomes = iter([case.outcome() for case in cases_of(path)])
    updated = _CASE.sub(lambda m: m[0][: m.start("gives") - m.start()] + next(outcomes), text)
    return updated.rstrip() + "\n"
