"""The `.cqt` format: text to cases, or all mistakes in the text.

case a time window forgets by the clock

stream trades (symbol STRING, price INT)
time | symbol | price
1    | A      | 10

query
SELECT symbol FROM trades [RANGE 5 SECONDS]

changes
time | op | symbol
1    | +  | A
7    | -  | A
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import PurePath

from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.base.span import Text
from slackwater.base.time import Clock, Duration, unit_named
from slackwater.testing import errors, problems
from slackwater.testing.case import Case, Check, Declarations, Question, Sql, View
from slackwater.testing.inputs import NAME, source_of, split
from slackwater.testing.lines import Line, groups
from slackwater.testing.tables import BLOCKS, instant_of, table_of

_CHRONON = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*([a-z]+)", re.IGNORECASE | re.ASCII)
_ONE_LINE = ("case", "chronon", "until", "error")
_HEADINGS = {
    "at": "column | …",
    "changes": "time | op | column | …",
    "tagged": "time | op | column | …",
    "emits": "time | column | …",
}


def parse(text: Text) -> list[Case]:
    """The cases of a file, in order; raises QueryError with every mistake in it."""
    cases = read(text)
    mistakes = [mistake for case in cases for mistake in case.mistakes]
    if mistakes:
        raise QueryError(sorted(mistakes, key=lambda mistake: mistake.span.start if mistake.span else 0))
    return cases


def read(text: Text) -> list[Case]:
    """The cases of a file, in order, each with its mistakes: a bad row does not stop other cases."""
    reader = _Reader(text)
    for group in groups(text):
        lines = group
        # `case`, `chronon`, `until` and `error` end with their line; what follows needs no blank line.
        while lines:
            size = 1 if lines[0].word.content in _ONE_LINE else len(lines)
            reader.block(lines[:size])
            lines = lines[size:]
    reader.finish()
    return reader.cases


class _Reader:
    """The cases read so far; the last one is being read."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.cases: list[Case] = []
        self._names: set[str] = set()
        self._has_chronon = False

    @property
    def mistakes(self) -> list[Diagnostic]:
        """Those of the case that is being read."""
        return self.cases[-1].mistakes

    def block(self, lines: list[Line]) -> None:
        head = lines[0]
        word = head.word.content
        if word == "case":
            self._case(head)
            return
        if not self.cases:
            self._begin(Case(PurePath(self.text.name).stem, head.word))
        match word:
            case "chronon":
                self._chronon(head)
            case "until":
                self._until(head)
            case "stream" | "relation":
                self._source(lines)
            case "view":
                self._view(lines)
            case "declare":
                self._declarations(lines)
            case "query":
                self._query(lines)
            case "at" | "changes" | "tagged" | "emits" | "error":
                self._check(lines)
            case _:
                self.mistakes.append(errors.unknown_block(head.word, BLOCKS))

    def finish(self) -> None:
        """Add the mistakes that are known only at the end."""
        if not self.cases:
            self._begin(Case(PurePath(self.text.name).stem, self.text.span(0, 0)))
        for case in self.cases:
            if not case.questions and not case.mistakes:
                case.mistakes.append(problems.CQT_NO_QUERY.at(case.span))
            for question in case.questions:
                refused = [check for check in question.checks if check.kind == "error"]
                if not question.checks and not case.mistakes:
                    case.mistakes.append(problems.CQT_NO_CHECK.at(question.span))
                elif refused and len(question.checks) > 1:
                    case.mistakes.append(problems.CQT_MIXED_CHECKS.at(refused[0].span))

    def _begin(self, case: Case) -> None:
        self.cases.append(case)
        self._names = set()
        self._has_chronon = False

    def _case(self, head: Line) -> None:
        self._begin(Case(head.rest.content, head.span))
        if not head.rest.content:
            self.mistakes.append(errors.no_name(head.word, "a name"))

    def _chronon(self, head: Line) -> None:
        match = _CHRONON.fullmatch(head.rest.content)
        unit = unit_named(match[2]) if match else None
        if match is None or unit is None or not Fraction(match[1]):
            self.mistakes.append(problems.CQT_BAD_CHRONON.at(head.span))
        elif self._has_chronon:
            self.mistakes.append(problems.CQT_SECOND_CHRONON.at(head.span))
        else:
            self.cases[-1].clock = Clock(Duration(Fraction(match[1]), unit))
        self._has_chronon = True

    def _until(self, head: Line) -> None:
        case = self.cases[-1]
        if not head.rest.content:
            self.mistakes.append(errors.no_name(head.word, "an instant"))
        elif case.until is not None:
            self.mistakes.append(problems.CQT_SECOND_UNTIL.at(head.span))
        elif case.questions:
            self.mistakes.append(problems.CQT_LATE_UNTIL.at(head.span))
        else:
            case.until = instant_of(head.rest, self.mistakes)

    def _declarations(self, lines: list[Line]) -> None:
        self._nothing_after(lines[0])
        if len(lines) == 1:
            self.mistakes.append(errors.no_text(lines[0].span))
        else:
            self.cases[-1].statements.append(Declarations(_sql(lines)))

    def _source(self, lines: list[Line]) -> None:
        source = source_of(lines, self.mistakes)
        if source is not None:
            self._declare(lines[0], source.plan.name)
            self.cases[-1].sources[source.plan.name] = source

    def _view(self, lines: list[Line]) -> None:
        head = lines[0]
        if not head.rest.content:
            self.mistakes.append(errors.no_name(head.word, "a name"))
        elif not NAME.fullmatch(head.rest.content):
            self.mistakes.append(errors.not_a_name(head.rest))
        else:
            self._declare(head, head.rest.content)
        if len(lines) == 1:
            self.mistakes.append(errors.no_text(head.span))
        else:
            self.cases[-1].statements.append(View(head.rest.content, _sql(lines)))

    def _query(self, lines: list[Line]) -> None:
        head = lines[0]
        self._nothing_after(head)
        if len(lines) == 1:
            self.mistakes.append(errors.no_text(head.span))
        else:
            self.cases[-1].statements.append(Question(head.span, _sql(lines)))

    def _check(self, lines: list[Line]) -> None:
        head = lines[0]
        kind = head.word.content
        if not self.cases[-1].questions:
            self.mistakes.append(errors.stray_check(head.span))
            return
        instant = 0
        if kind in ("changes", "emits"):
            self._nothing_after(head)
        elif not head.rest.content:
            needs = {"at": "an instant", "tagged": "the columns of a key"}
            self.mistakes.append(errors.no_name(head.word, needs.get(kind, "a diagnostic's code")))
        elif kind == "at":
            instant = instant_of(head.rest, self.mistakes)
            last = self.cases[-1].until
            if last is not None and instant > last:
                self.mistakes.append(problems.CQT_AFTER_UNTIL.at(head.span, last=last))
        table = table_of(lines[1:], self.mistakes)
        if table is None and kind != "error":
            self.mistakes.append(problems.CQT_MISSING_HEADING.at(head.span, heading=_HEADINGS[kind]))
        key = tuple(split(head.rest)) if kind == "tagged" else ()
        check = Check(kind, head.span, instant, head.rest.content, table, key)
        self.cases[-1].questions[-1].checks.append(check)

    def _nothing_after(self, head: Line) -> None:
        if head.rest.content:
            self.mistakes.append(problems.CQT_UNEXPECTED_WORDS.at(head.rest))

    def _declare(self, head: Line, name: str) -> None:
        if name.lower() in self._names:
            start = head.rest.start
            place = self.text.span(start, start + len(name))
            self.mistakes.append(problems.CQT_DUPLICATE_SOURCE.at(place, word=name))
        self._names.add(name.lower())


def _sql(lines: list[Line]) -> Sql:
    return Sql(tuple(line.sql for line in lines[1:]))
