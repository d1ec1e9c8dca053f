"""Facts about a query's variables: types, what is read below them, the order of their children."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from slackwater.flux.plan.state import Depends, Let
from slackwater.flux.plan.syntax import EVERYTHING, NOTHING, Past, Query
from slackwater.flux.plan.terms import depends
from slackwater.flux.rewrite.normal import Normal
from slackwater.flux.rewrite.places import Place, dependencies
from slackwater.flux.rewrite.reads import Reads
from slackwater.language.xquery import syntax as ast
from slackwater.schema import TEXT, Type
from slackwater.schema.schema import UNKNOWN


@dataclass
class Facts:
    """Facts about a query in normal form."""

    types: dict[str, Type]
    lets: dict[str, Let]
    functions: dict[str, ast.FunctionDeclaration]
    _known: dict[int, tuple[Query, dict[str, Place]]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(query: Normal) -> Facts:
        functions = {
            declaration.name: declaration
            for declaration in query.prepared.declarations
            if isinstance(declaration, ast.FunctionDeclaration)
        }
        lets = {let.variable: let for let in query.lets}
        return Facts(query.types, lets, functions)

    @property
    def depends(self) -> Depends:
        return depends(self.lets.values())

    def type(self, variable: str) -> Type:
        return self.types.get(variable, UNKNOWN)

    def reads(self, query: Query) -> dict[str, Place]:
        """The trees of paths that a query reads, by free variable."""
        if id(query) not in self._known:
            reading = Reads(self.lets, self.functions)
            reading.query(query)
            self._known[id(query)] = (query, reading.roots)
        return self._known[id(query)][1]

    def dep(self, variable: str, query: Query) -> Past:
        """dep($x, α): the children of $x that α reads."""
        place = self.reads(query).get(variable)
        return NOTHING if place is None else dependencies(place, self.type(variable))

    def dep_of(self, variable: str, expr: ast.Expr) -> Past:
        """dep($x, χ) of a condition."""
        reading = Reads(self.lets, self.functions)
        reading.of(expr, [])
        place = reading.roots.get(variable)
        return NOTHING if place is None else dependencies(place, self.type(variable))

    def before(self, variable: str, first: str, second: str) -> bool:
        """Ord_$x(first, second), and they differ: all of the first are read before a second begins.

        At most one `a`, which is Ord(a, a), is not enough: while it is read, it is not yet complete. Text may
        occur anywhere: white space does even where a schema allows no text.
        """
        if first == second or TEXT in (first, second) or "*" in (first, second):
            return False
        return self.type(variable).automaton.ordered(first, second)

    def all_before(self, variable: str, names: Past, second: str) -> bool:
        return all(self.before(variable, name, second) for name in names)

    def settles(self, variable: str, past: Past, name: str) -> bool:
        """When no child of `past` can follow any more, none of this name can.

        Definition 3.4.18 requires `name ∈ past ∨ ∃a ∈ past: Ord(name, a)`, which ((b, a) | (c, b)) fulfils
        for b and {a}; but after c no a can follow, and a b must.
        """
        if past == EVERYTHING or name in past:
            return True
        if name in (TEXT, "*"):
            return False
        automaton = self.type(variable).automaton
        names = tuple(past)
        return all(
            not automaton.past(state, names) or automaton.past(state, [name])
            for state in range(automaton.end + 1)
        )

    def at_most_one(self, variable: str, name: str) -> bool:
        return name not in (TEXT, "*") and self.type(variable).automaton.at_most_one(name)

    def exactly_one(self, variable: str, name: str) -> bool:
        return name not in (TEXT, "*") and self.type(variable).automaton.exactly_one(name)


def joined(*sets: Iterable[str]) -> Past:
    """The union; with `*` it is everything, and also with text, which may follow until the end."""
    union = frozenset[str]().union(*sets)
    return EVERYTHING if "*" in union or TEXT in union else union
