"""Which leaf of a query is which of a view: equal leaves, in every order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from slackwater.optimize.sharing.form import Form

MOST_ORDERS = 24
"""In how many orders equal leaves are tried, at most."""


def orders(query: Form, view: Form) -> Iterator[dict[int, int] | None]:
    """By number of a leaf of the view, that of the query: all ways to pair equal leaves."""
    if len(set(query.leaves)) == len(query.leaves):
        mine = {id(leaf): at for at, leaf in enumerate(query.block.leaves)}
        places = {at: mine[id(leaf)] for at, leaf in enumerate(view.block.leaves)}
        yield None if all(old == new for old, new in places.items()) else places
        return
    ours: dict[int, list[int]] = {}
    theirs: dict[int, list[int]] = {}
    for numbers, form in ((ours, query), (theirs, view)):
        for at, leaf in enumerate(form.block.leaves):
            numbers.setdefault(id(leaf), []).append(at)
    choices = [
        [dict(zip(theirs[leaf], order, strict=True)) for order in permutations(ours[leaf])] for leaf in ours
    ]
    for number, parts in enumerate(product(*choices)):
        if number >= MOST_ORDERS:
            return
        yield {old: new for part in parts for old, new in part.items()}
