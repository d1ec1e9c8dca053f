"""The blocks of the queries of a session: which of them is computed from which.

A block may be rewritten over any other one that does not use it, so nothing is ever computed from itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from slackwater.algebra import Operator
from slackwater.algebra.streams import ToStream
from slackwater.optimize.rebuild import with_inputs
from slackwater.optimize.sharing.compensate import compensated, over
from slackwater.optimize.sharing.cost import Costs
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.index import Index
from slackwater.optimize.sharing.match import Match
from slackwater.optimize.sharing.normal import Interner, Normalizer


@dataclass(slots=True)
class Site:
    """A block of some query: where it stands, and what it is computed from."""

    form: Form
    query: str
    is_whole: bool
    is_fixed: bool = False
    """Whether it is computed as it is: others may be computed from it."""
    match: Match | None = None
    target: Site | None = field(default=None, repr=False)
    covered: Operator | None = field(default=None, repr=False)
    """The block over a cover that the session makes."""

    @property
    def is_free(self) -> bool:
        """Whether nothing has been decided of it."""
        return not self.is_fixed and self.match is None and self.covered is None

    @property
    def title(self) -> str:
        return self.query if self.is_whole else f"a part of {self.query}"


class Sites:
    """The blocks of all queries."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.intern = Interner()
        self._normalizer = Normalizer(self.intern)
        self._sites: dict[int, Site] = {}
        self._index: Index[Site] = Index(costs)
        self._final: dict[int, Operator] = {}

    def __iter__(self) -> Iterator[Site]:
        return iter(self._sites.values())

    def register(self, name: str, plan: Operator, *, is_fixed: bool = False) -> None:
        """Add the blocks of an interned plan."""
        top = relation_of(plan)
        for root, block in self._normalizer.blocks(plan):
            self.add(Site(Form(root, block), name, root is top, is_fixed))

    def form(self, plan: Operator) -> Form:
        """The normal form of an interned relation."""
        return Form(plan, self._normalizer.block(plan))

    def add(self, site: Site) -> None:
        """Add a block, unless it is known."""
        if id(site.form.root) not in self._sites:
            self._sites[id(site.form.root)] = site
            self._index.add(site.form, site)

    def has(self, plan: Operator) -> bool:
        return id(plan) in self._sites

    def match(self, site: Site, *, groups: bool = True) -> None:
        """Rewrite a block over the cheapest one that it can be computed from, by grouping it if it may be."""

        def accepts(match: Match, target: Site) -> bool:
            is_allowed = groups or match.regrouped is None
            return is_allowed and target is not site and not self.uses(target, site)

        for match, target in self._index.matches(site.form, self.costs.alone(site.form), accepts):
            site.match, site.target = match, target
            return

    def uses(self, site: Site, other: Site) -> bool:
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

    def rewritten(self, plan: Operator) -> Operator:
        """The plan as it is run."""
        if id(plan) not in self._final:
            site = self._sites.get(id(plan))
            if site is not None and site.match is not None and site.target is not None:
                view = self.rewritten(site.target.form.root)
                self._final[id(plan)] = over(compensated(site.match), view)
            elif site is not None and site.covered is not None:
                self._final[id(plan)] = self.rewritten(site.covered)
            else:
                below = tuple(self.rewritten(source) for source in plan.inputs)
                self._final[id(plan)] = with_inputs(plan, below)
        return self._final[id(plan)]


def relation_of(plan: Operator) -> Operator:
    """The relation that a stream operator streams."""
    while isinstance(plan, ToStream):
        plan = plan.source
    return plan
