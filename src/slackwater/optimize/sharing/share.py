"""The queries of a session, rewritten over each other.

    Hot:   σ (t > 80) (ω 5 S)                           Hot:   σ (t > 80) (ω 5 S)
    Boil:  σ (t > 100) (ω 5 S)          ═►              Boil:  σ (t > 100) Hot

A session runs all its queries as one graph in which equal steps are one, so a query shares the work of
another if the plan of that one stands inside its own. Which plan is chosen depends on estimated costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.algebra import Operator
from slackwater.base.depth import deep
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.optimize.sharing.compensate import compensated, law, over, words
from slackwater.optimize.sharing.cost import MARGIN, Costs
from slackwater.optimize.sharing.declared import Declared
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.join_cover import LAW as JOINS
from slackwater.optimize.sharing.join_cover import covers, joined
from slackwater.optimize.sharing.match import matched
from slackwater.optimize.sharing.normal import Interner, Normalizer
from slackwater.optimize.sharing.pane_cover import LAW as PANES
from slackwater.optimize.sharing.pane_cover import Cover
from slackwater.optimize.sharing.panes import Paned, families, paned
from slackwater.optimize.sharing.row_windows import LAW as ROWS
from slackwater.optimize.sharing.row_windows import RowWindows
from slackwater.optimize.sharing.sites import Site, Sites

NOTHING: Mapping[str, Operator] = {}


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A query that is answered from another one."""

    query: str
    view: str
    words: str
    law: str
    is_whole: bool = True
    """Whether all of the query is; else a part of it."""
    cost: float | None = field(default=None, compare=False)
    """What is estimated to be done for it per chronon; of a cover, for all that it is made for."""
    alone: float | None = field(default=None, compare=False)
    """The same without the rewriting."""

    def __str__(self) -> str:
        subject = "answered" if self.is_whole else "partly answered"
        return f"{subject} from {self.view}{', ' + self.words if self.words else ''}"


@dataclass(frozen=True, slots=True)
class Shared:
    """The plans of a session as they are run, and what became of each."""

    plans: dict[str, Operator]
    rewritings: tuple[Rewriting, ...] = ()

    def of(self, query: str) -> list[Rewriting]:
        """What is answered from others, of a query."""
        return [one for one in self.rewritings if one.query == query]


@deep()
def shared(
    plans: Mapping[str, Operator],
    statistics: Statistics = NO_STATISTICS,
    views: Mapping[str, Operator] = NOTHING,
    running: Mapping[str, Operator] = NOTHING,
) -> Shared:
    """Optimized plans, each rewritten over what others compute where that is cheaper.

    At every instant each plan has the rows that it had. `views` are declared: one is computed if that makes
    the queries cheaper. `running` plans are computed anyway, as they are.
    """
    return _Session(plans, statistics, views, running).shared()


@deep()
def contained(query: Operator, view: Operator) -> Operator | None:
    """The query computed from the view, whatever it costs; None if it is not known to be contained in it."""
    intern = Interner()
    normalizer = Normalizer(intern)
    forms = [Form(root, normalizer.block(root)) for root in map(intern, (query, view))]
    match = matched(*forms)
    return None if match is None else over(compensated(match), view)


class _Session:
    def __init__(
        self,
        plans: Mapping[str, Operator],
        statistics: Statistics,
        views: Mapping[str, Operator],
        running: Mapping[str, Operator],
    ) -> None:
        self._costs = Costs(statistics)
        self._sites = Sites(self._costs)
        self._running = [*running.values()]
        for name, plan in running.items():
            self._sites.register(name, self._sites.intern(plan), is_fixed=True)
        self._plans = {name: self._sites.intern(plan) for name, plan in plans.items()}
        for name, plan in self._plans.items():
            self._sites.register(name, plan)
        self._declared = Declared(self._sites, views)
        self._covered: list[Rewriting] = []

    def shared(self) -> Shared:
        # The last first: of two that can be answered from each other, the later is.
        sites = [site for site in reversed([*self._sites]) if not site.is_fixed]
        aggregates = {id(site): one for site in sites if (one := paned(site.form)) is not None}
        for site in sites:
            self._sites.match(site, groups=id(site) not in aggregates)
        self._declared.adopt(lambda site: id(site) not in aggregates)
        self._in_panes([aggregates[id(site)] for site in sites if id(site) in aggregates and site.is_free])
        for site in sites:
            if site.is_free:
                self._sites.match(site)
        self._declared.adopt(lambda site: True)
        self._joined([site for site in self._sites if site.is_free])
        plans = {name: self._sites.rewritten(plan) for name, plan in self._plans.items()}
        rewritings = [
            Rewriting(
                site.query, site.target.title, words(site.match), law(site.match), site.is_whole,
                self._costs.over(site.match), self._costs.alone(site.form),
            )
            for site in self._sites
            if site.match is not None and site.target is not None
        ]  # fmt: skip
        windows = RowWindows(plans, self._running, self._costs)
        partly = [
            Rewriting(name, one.title, "kept once", ROWS, False, *one.costs(self._costs))
            for name, one in windows.uses()
        ]
        return Shared(windows.plans(), (*rewritings, *self._covered, *partly))

    def _in_panes(self, aggregates: list[Paned]) -> None:
        """Compute aggregates over windows of one stream from panes, where that is cheaper."""
        sites = {id(site.form): site for site in self._sites}
        for family in families(aggregates):
            cover = Cover(family)
            alone = sum(self._costs.alone(one.form) for one in family)
            if (cost := cover.cost(self._costs)) < MARGIN * alone:
                for one in family:
                    site, plan = sites[id(one.form)], cover.member(one)
                    line = Rewriting(
                        site.query, cover.title, cover.words(one), PANES, site.is_whole, cost, alone
                    )
                    self._cover(site, plan, line)

    def _joined(self, sites: list[Site]) -> None:
        """Compute joins of the same inputs once, where that is cheaper."""
        numbers: dict[int, int] = {}
        joins = {id(join): (site, join) for site in sites if (join := joined(site.form, numbers)) is not None}
        for cover in covers((join for _, join in joins.values()), self._costs):
            alone = sum(self._costs.alone(one.form) for one in cover.members)
            for one in cover.members:
                site, plan = joins[id(one)][0], cover.member(one)
                line = Rewriting(
                    site.query, cover.title, cover.words(one), JOINS, site.is_whole, cover.cost, alone
                )
                self._cover(site, plan, line)

    def _cover(self, site: Site, plan: Operator, line: Rewriting) -> None:
        site.covered = plan
        self._covered.append(line)
