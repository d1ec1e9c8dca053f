"""The queries of a session, rewritten over each other.

    Hot:   σ (t > 80) (ω 5 S)                           Hot:   σ (t > 80) (ω 5 S)
    Boil:  σ (t > 100) (ω 5 S)          ═►              Boil:  σ (t > 100) Hot

A session runs all its queries as one graph in which equal steps are one, so a query shares the work of
another if the plan of that one stands inside its own. A block may be rewritten over any other one that does
not use it, so nothing is ever computed from itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.algebra import Operator
from slackwater.algebra.streams import ToStream
from slackwater.base.depth import deep
from slackwater.optimize.rebuild import with_inputs
from slackwater.optimize.sharing.compensate import compensated, law, over, words
from slackwater.optimize.sharing.cost import work
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.index import Index
from slackwater.optimize.sharing.match import Match, matched
from slackwater.optimize.sharing.normal import Interner, Normalizer
from slackwater.optimize.sharing.pane_cover import LAW as PANES
from slackwater.optimize.sharing.pane_cover import Cover
from slackwater.optimize.sharing.panes import Paned, families, paned


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A query that is answered from another one."""

    query: str
    view: str
    words: str
    law: str
    is_whole: bool = True
    """Whether all of the query is; else a part of it."""

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
def shared(plans: Mapping[str, Operator]) -> Shared:
    """Optimized plans, each rewritten over what others compute where that is cheaper.

    At every instant each plan has the rows that it had.
    """
    return _Session(plans).shared()


@deep()
def contained(query: Operator, view: Operator) -> Operator | None:
    """The query computed from the view, whatever it costs; None if it is not known to be contained in it."""
    intern = Interner()
    normalizer = Normalizer(intern)
    forms = [Form(root, normalizer.block(root)) for root in map(intern, (query, view))]
    match = matched(*forms)
    return None if match is None else over(compensated(match), view)


@dataclass(slots=True)
class _Site:
    """A block of some query: where it stands."""

    form: Form
    query: str
    is_whole: bool
    match: Match | None = None
    target: _Site | None = field(default=None, repr=False)
    paned: Operator | None = field(default=None, repr=False)


class _Session:
    def __init__(self, plans: Mapping[str, Operator]) -> None:
        intern = Interner()
        self._plans = {name: intern(plan) for name, plan in plans.items()}
        self._normalizer = Normalizer(intern)
        self._sites: dict[int, _Site] = {}
        self._index: Index[_Site] = Index()
        self._final: dict[int, Operator] = {}
        for name, plan in self._plans.items():
            self._register(name, plan)

    def _register(self, name: str, plan: Operator) -> None:
        top = plan
        while isinstance(top, ToStream):
            top = top.source
        for root, block in self._normalizer.blocks(plan):
            if id(root) not in self._sites:
                site = _Site(Form(root, block), name, root is top)
                self._sites[id(root)] = site
                self._index.add(site.form, site)

    def shared(self) -> Shared:
        # The last first: of two that can be answered from each other, the later is.
        sites = [*reversed(self._sites.values())]
        aggregates = {id(site): one for site in sites if (one := paned(site.form)) is not None}
        for site in sites:
            self._match(site, groups=id(site) not in aggregates)
        covered = self._in_panes(list(aggregates.values()))
        for site in sites:
            if site.match is None and site.paned is None:
                self._match(site)
        plans = {name: self._rewritten(plan) for name, plan in self._plans.items()}
        rewritings = [
            Rewriting(site.query, _title(site.target), words(site.match), law(site.match), site.is_whole)
            for site in self._sites.values()
            if site.match is not None and site.target is not None
        ]
        return Shared(plans, tuple(rewritings) + covered)

    def _in_panes(self, aggregates: list[Paned]) -> tuple[Rewriting, ...]:
        """Compute aggregates over windows of one stream from panes, where there are enough of them."""
        sites = {id(s.form): s for s in self._sites.values() if s.match is None}
        rewritings: list[Rewriting] = []
        for family in families(one for one in aggregates if id(one.form) in sites):
            cover = Cover(family)
            for one in family if cover.pays else ():
                site = sites[id(one.form)]
                site.paned = cover.member(one)
                rewritings.append(Rewriting(site.query, cover.title, cover.words(one), PANES, site.is_whole))
        return tuple(rewritings)

    def _match(self, site: _Site, *, groups: bool = True) -> None:
        """Rewrite a block over the cheapest one that it can be computed from, by grouping it if it may be."""

        def accepts(match: Match, target: _Site) -> bool:
            is_allowed = groups or match.regrouped is None
            return is_allowed and target is not site and not self._uses(target, site)

        for match, target in self._index.matches(site.form, work(site.form), accepts):
            site.match, site.target = match, target
            return

    def _uses(self, site: _Site, other: _Site) -> bool:
        """Whether a block is computed from another, as far as has been decided."""
        seen: set[int] = set()
        waiting: list[Operator] = [site.form.root]
        while waiting:
            plan = waiting.pop()
            if plan is other.form.root:
                return True
            if id(plan) in seen:
                continue
            seen.add(id(plan))
            here = self._sites.get(id(plan))
            if here is not None and here.target is not None and here.match is not None:
                waiting += [here.target.form.root, *(partner.right for partner in here.match.partners)]
            else:
                waiting += plan.inputs
        return False

    def _rewritten(self, plan: Operator) -> Operator:
        if id(plan) not in self._final:
            site = self._sites.get(id(plan))
            if site is not None and site.match is not None and site.target is not None:
                view = self._rewritten(site.target.form.root)
                self._final[id(plan)] = over(compensated(site.match), view)
            elif site is not None and site.paned is not None:
                self._final[id(plan)] = self._rewritten(site.paned)
            else:
                below = tuple(self._rewritten(source) for source in plan.inputs)
                self._final[id(plan)] = with_inputs(plan, below)
        return self._final[id(plan)]


def _title(site: _Site) -> str:
    return site.query if site.is_whole else f"a part of {site.query}"
