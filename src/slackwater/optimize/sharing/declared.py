"""Views that are declared and not run: computed where several queries are cheaper with one than without.

    HotRooms   σ (t > 80) (ω 5 S)       declared          computed once, for both:
    Boil       σ (t > 100) (ω 5 S)      run               σ (t > 100) HotRooms
    Melt       σ (t > 90 ∧ …) (ω 5 S)   run               σ (t > 90 ∧ …) HotRooms

A view pays if it costs less than what it saves the queries that can be computed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slackwater.algebra import Kind, Operator
from slackwater.optimize.sharing.cost import MARGIN
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.match import Match, matched
from slackwater.optimize.sharing.sites import Site, Sites, relation_of


class Declared:
    """The views of a session as candidates."""

    def __init__(self, sites: Sites, views: Mapping[str, Operator]) -> None:
        self._sites = sites
        self._views: dict[str, Form] = {}
        for name, plan in views.items():
            root = relation_of(sites.intern(plan))
            if root.kind is Kind.RELATION and not sites.form(root).block.is_bare:
                self._views[name] = sites.form(root)

    def adopt(self, may_use: Callable[[Site], bool]) -> None:
        """Compute the views that pay, the most saving first, and the blocks that may use them from them."""
        while self._views:
            uses = {name: self._uses(form, may_use) for name, form in self._views.items()}
            name = max(uses, key=lambda name: self._saved(self._views[name], uses[name]))
            if self._saved(self._views[name], uses[name]) <= 0:
                return
            view = Site(self._views.pop(name), name, is_whole=True)
            self._sites.add(view)
            for site, match in uses[name]:
                site.match, site.target = match, view
            self._sites.match(view)

    def _uses(self, view: Form, may_use: Callable[[Site], bool]) -> list[tuple[Site, Match]]:
        """The blocks that are cheaper over the view."""
        if self._sites.has(view.root):
            return []
        costs = self._sites.costs
        free = [site for site in self._sites if site.is_free and may_use(site)]
        matches = [(site, matched(site.form, view)) for site in free if site.form.leaves == view.leaves]
        known = [(site, match) for site, match in matches if match is not None]
        return [(site, match) for site, match in known if costs.over(match) < costs.alone(site.form)]

    def _saved(self, view: Form, uses: list[tuple[Site, Match]]) -> float:
        """What is saved by computing the view, at least."""
        costs = self._sites.costs
        alone = sum(costs.alone(site.form) for site, _ in uses)
        return MARGIN * alone - costs.alone(view) - sum(costs.over(match) for _, match in uses)
