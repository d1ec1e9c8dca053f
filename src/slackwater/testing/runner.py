"""Runs a case: binds its views and queries, answers them in several ways, compares with the checks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from slackwater.algebra import Operator
from slackwater.base.diagnostic import Diagnostic, QueryError, SlackwaterError
from slackwater.bind import catalog as catalogs
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.engines.engine import Engine
from slackwater.reference.bags import Changes, up_to
from slackwater.reference.snapshot import Snapshots
from slackwater.testing.case import Case, Check, Declarations, Question, Sql
from slackwater.testing.compare import Difference, bag_differences, change_differences
from slackwater.testing.on_spark import Spark, SparkCase
from slackwater.testing.tables import expected_changes
from slackwater.testing.tagged import Tagged, expected_tagged, tagged_differences
from slackwater.texts.cutouts import restored

MOST_EPOCHS = 100
"""How many epochs an input is cut into at most: each is answered from the beginning."""
RANDOM_CUTS = 2
SPARK_CUTS = 2
"""How many times an input is cut for Spark, where a batch is slow."""


Expectation = tuple[Check, Changes | Tagged]


@dataclass(frozen=True, slots=True)
class Way:
    """How an answer was computed: by which engine, with which cuts."""

    engine: str
    cuts: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that does not hold: the differing rows, or another reason."""

    check: Check
    names: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    way: Way | None = None
    reason: str = ""


@dataclass(slots=True)
class Outcome:
    """The result of a case."""

    case: Case
    failures: list[Failure] = field(default_factory=list)
    mistakes: list[Diagnostic] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.failures and not self.mistakes


def run(case: Case, engines: Sequence[Engine | Spark], seed: int) -> Outcome:
    """Run every check of the case, with every engine and several ways to cut the input into epochs."""
    outcome = Outcome(case, mistakes=list(case.mistakes))
    if case.mistakes:
        return outcome
    catalog = Catalog(case.clock)
    for source in case.sources.values():
        catalog.declare(catalogs.Source(source.plan))
    runnable = _with_spark(case, engines, seed)
    for statement in case.statements:
        if isinstance(statement, Question):
            _QueryChecks(outcome, statement, runnable, seed).check(catalog)
            continue
        try:
            if isinstance(statement, Declarations):
                _declare(statement.sql, catalog)
                continue
            plan = _bound(statement.sql, catalog)
            catalog.declare(catalogs.View(statement.name, plan))
        except QueryError as error:
            outcome.mistakes += error.diagnostics
            break
    return outcome


@dataclass(frozen=True, slots=True)
class _OnSpark:
    """A case in a session on Spark, with the way its input is cut there."""

    way: Way
    case: SparkCase


def _with_spark(case: Case, engines: Sequence[Engine | Spark], seed: int) -> list[Engine | _OnSpark]:
    """The engines for one case: Spark answers all its queries together."""
    runnable: list[Engine | _OnSpark] = []
    edges = _edges(sorted({t for changes in case.inputs.values() for t in changes}))
    draw = random.Random(f"{seed} {case.name}")
    for engine in engines:
        if isinstance(engine, Spark):
            cuts = sorted(draw.sample(edges, min(len(edges), SPARK_CUTS)))
            runnable.append(_OnSpark(Way(engine.name, _cut_at(cuts)), engine.open_case(case, cuts)))
        else:
            runnable.append(engine)
    return runnable


def _edges(instants: list[int]) -> list[int]:
    """Where an input may be cut: before and after each instant."""
    return sorted({edge for t in instants for edge in (t, t + 1)})


def _cut_at(cuts: list[int]) -> str:
    return f"cut at {', '.join(map(str, cuts))}" if cuts else "all at once"


def _bound(sql: Sql, catalog: Catalog) -> Operator:
    with _at_its_place(sql):
        return bind_query(sql.text, catalog).plan


def _declare(sql: Sql, catalog: Catalog) -> None:
    with _at_its_place(sql):
        bind(sql.text, catalog)


@contextmanager
def _at_its_place(sql: Sql) -> Iterator[None]:
    """Errors in a text of SQL are at their places in the file."""
    try:
        yield
    except QueryError as error:
        raise QueryError(restored(error.diagnostics, sql.piece.text, sql.piece)) from None


class _QueryChecks:
    """The checks of one query of a case."""

    def __init__(
        self, outcome: Outcome, question: Question, engines: Sequence[Engine | _OnSpark], seed: int
    ) -> None:
        self.outcome, self.question, self.engines = outcome, question, engines
        self.inputs, self.until = outcome.case.inputs, outcome.case.until
        self.random = random.Random(f"{seed} {outcome.case.name} {question.span.start}")

    def check(self, catalog: Catalog) -> None:
        refusal = next((check for check in self.question.checks if check.kind == "error"), None)
        try:
            plan = _bound(self.question.sql, catalog)
            if refusal is None:
                self._answers(plan)
        except SlackwaterError as error:
            if refusal is None:
                self.outcome.mistakes += self._located(error)
            else:
                self._is_expected(error, refusal)
            return
        if refusal is not None:
            self._refused_by_all(plan, refusal)

    def _located(self, error: SlackwaterError) -> list[Diagnostic]:
        piece = self.question.sql.piece
        return restored(error.diagnostics, piece.text, piece)

    def _refused_by_all(self, plan: Operator, check: Check) -> None:
        """Every engine has to refuse the query; the first that does not is reported."""
        for engine in self.engines:
            try:
                if isinstance(engine, _OnSpark):
                    engine.case.answer(self.question)
                else:
                    engine.run(plan, self.inputs, [], self.until)
            except SlackwaterError as error:
                if not self._is_expected(error, check):
                    return
            else:
                self._fail(check, reason=f"the query is not refused; {check.code} was expected")
                return

    def _is_expected(self, error: SlackwaterError, check: Check) -> bool:
        diagnostics = self._located(error)
        codes = list(dict.fromkeys(diagnostic.code for diagnostic in diagnostics))
        if check.code not in codes:
            reason = f"the query is refused with {', '.join(codes)}, not with {check.code}:"
            self._fail(check, reason="\n\n".join([reason, *map(str, diagnostics)]))
        return check.code in codes

    def _answers(self, plan: Operator) -> None:
        expectations: list[Expectation] = []
        for check in self.question.checks:
            read = expected_tagged if check.kind == "tagged" else expected_changes
            answer = read(check, plan, self.outcome.mistakes)
            if answer is not None:
                expectations.append((check, answer))
        left = self._defined(plan, expectations)
        answers = [answer.instants if isinstance(answer, Tagged) else answer for _, answer in expectations]
        instants = {t for changes in (*self.inputs.values(), *answers) for t in changes}
        for way, changes in self._ways(plan, sorted(instants)):
            left = [
                (check, answer) for check, answer in left if self._holds(check, answer, changes, way, plan)
            ]

    def _defined(self, plan: Operator, expectations: list[Expectation]) -> list[Expectation]:
        """Compare the checks at an instant with the definition; returns those that hold."""
        snapshots = Snapshots(self.inputs, self.until)
        left: list[Expectation] = []
        for check, answer in expectations:
            differences: list[Difference] = []
            if check.kind == "at" and not isinstance(answer, Tagged):
                actual = snapshots.relation(plan, check.instant)
                differences = bag_differences(answer.get(check.instant, {}), actual)
            if differences:
                self._fail(check, plan.schema.names, differences, Way("definition", "at that instant"))
            else:
                left.append((check, answer))
        return left

    def _ways(self, plan: Operator, instants: list[int]) -> Iterator[tuple[Way, Changes]]:
        cuts = [("all at once", []), ("one epoch per instant", _at_most(instants))]
        edges = _edges(instants)
        for _ in range(RANDOM_CUTS if instants else 0):
            some = sorted(self.random.sample(edges, self.random.randint(1, min(len(edges), MOST_EPOCHS))))
            cuts.append((_cut_at(some), some))
        for engine in self.engines:
            if isinstance(engine, _OnSpark):
                yield engine.way, engine.case.answer(self.question)
                continue
            for name, cut in cuts:
                yield Way(engine.name, name), engine.run(plan, self.inputs, cut, self.until)

    def _holds(
        self, check: Check, answer: Changes | Tagged, changes: Changes, way: Way, plan: Operator
    ) -> bool:
        if isinstance(answer, Tagged):
            differences = tagged_differences(answer, changes)
        elif check.kind == "at":
            differences = bag_differences(answer.get(check.instant, {}), up_to(changes, check.instant))
        else:
            differences = change_differences(answer, changes)
        if differences:
            self._fail(check, plan.schema.names, differences, way)
        return not differences

    def _fail(
        self,
        check: Check,
        names: tuple[str, ...] = (),
        differences: Sequence[Difference] = (),
        way: Way | None = None,
        reason: str = "",
    ) -> None:
        self.outcome.failures.append(Failure(check, names, tuple(differences), way, reason))


def _at_most(instants: list[int]) -> list[int]:
    """The instants, or evenly spread ones where there are too many."""
    step = -(-len(instants) // MOST_EPOCHS)
    return instants[::step] if instants else []
