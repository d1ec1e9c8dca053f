"""From the normal form to FluX: when each part can be written (section 3.5.2, appendices B and D).

The algorithm of appendix B, for each part of a sequence. It differs from the thesis in this:

* before a loop over outer data runs, everything that it reads and everything before it must be past; the
  thesis filters that by an order among children of another element (line 21);
* `a` is never before `a`, even where there is only one: a condition on it, or another output of it, cannot
  be decided while it is read (see `Facts.before`);
* {$x} is copied while it is read, as long as nothing before it needs the content of $x; any query may follow
  it, since all of $x is known then. In definition 3.4.10 only strings may follow.
"""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.base.rules import Rule
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.syntax import (
    EVERYTHING,
    NOTHING,
    ROOT,
    CopyThrough,
    Handler,
    On,
    OnFirst,
    Past,
    ProcessStream,
    Query,
)
from slackwater.flux.rewrite import streaming
from slackwater.flux.rewrite.facts import Facts, joined
from slackwater.flux.rewrite.guards import push
from slackwater.flux.rewrite.simplify import use_the_only_one
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import ACCUMULATING


def rewritten(query: Query, facts: Facts, laws: Sequence[Rule[Query]] = (use_the_only_one,)) -> ProcessStream:
    """rewrite($ROOT, ⊥, Q); the laws are tried on loops that conditions were pushed into."""
    return Rewriting(facts, laws).scope(ROOT, query)


class Rewriting:
    def __init__(self, facts: Facts, laws: Sequence[Rule[Query]] = (use_the_only_one,)) -> None:
        self.facts = facts
        self.laws = laws

    def scope(self, variable: str, query: Query) -> ProcessStream:
        """The handlers that write a query while the children of the variable's node are read."""
        parts = _parts(query)
        type = self.facts.type(variable)
        if (simple := self.simple(variable, parts)) is not None:
            return ProcessStream(variable, type, tuple(simple), simple=True)
        handlers: list[Handler] = []
        before = NOTHING
        for part in parts:
            for handler in self.handlers(variable, before, part):
                handlers.append(handler)
                before = joined(before, symbols(handler))
        return ProcessStream(variable, type, tuple(handlers))

    def simple(self, variable: str, parts: Sequence[Query]) -> list[Handler] | None:
        """αβγ, with {$x} or nothing as β (definitions 3.4.10, 3.8.2); None where the query is not simple."""
        ready = 0
        while ready < len(parts) and self.is_ready(variable, parts[ready]):
            ready += 1
        if ready < len(parts) and (copy := self.copy(variable, parts[ready])) is not None:
            return [
                *self.once(variable, NOTHING, parts[:ready]),
                copy,
                *self.once(variable, EVERYTHING, parts[ready + 1 :]),
            ]
        if all(map(_is_fixed, parts)) and (ready == len(parts) or variable != ROOT):
            return [
                *self.once(variable, NOTHING, parts[:ready]),
                *self.once(variable, EVERYTHING, parts[ready:]),
            ]
        return None

    def is_ready(self, variable: str, part: Query) -> bool:
        """The part can be written at the start tag."""
        return self.facts.dep(variable, part) == NOTHING

    def copy(self, variable: str, part: Query) -> CopyThrough | None:
        match part:
            case flux.Copy(name) if name == variable:
                return CopyThrough()
            case flux.If(condition, flux.Copy(name)) if name == variable:
                known = self.facts.dep_of(variable, condition) == NOTHING
                return CopyThrough(condition) if known else None
        return None

    def once(self, variable: str, past: Past, parts: Sequence[Query]) -> list[Handler]:
        if not parts:
            return []
        query = flux.sequence(*parts)
        return [OnFirst(past, query, self.facts.dep(variable, query))]

    def handlers(self, variable: str, before: Past, part: Query) -> Sequence[Handler]:
        """rewrite($x, H, β) of one part; `before` is H, the children that the parts before it wait for."""
        into = push(part.condition, part.body) if isinstance(part, flux.If) else part
        match into:
            case flux.Loop(source) if source == variable:
                return self.loop(variable, before, into, part)
            case flux.Windowed(source=source) if source == variable:
                return self.windows(variable, before, into, part)
        return self.once(variable, joined(self.facts.dep(variable, part), before), [part])

    def loop(self, variable: str, before: Past, loop: flux.Loop, part: Query) -> Sequence[Handler]:
        """Handlers for its children if everything that it needs is before them, else one when all is past.

        The loop is the part with conditions pushed into it; a delayed loop keeps its conditions outside.
        """
        loop = self.with_laws(loop)
        names = frozenset(branch.test.name for branch in loop.branches)
        needed = joined(before, *(self.facts.dep(variable, branch.body) for branch in loop.branches))
        if self.are_before(variable, needed, names):
            return [
                On(branch.test.name, branch.variable, self.scope(branch.variable, branch.body), place > 0)
                for place, branch in enumerate(loop.branches)
            ]
        return self.delayed(variable, joined(before, self.facts.dep(variable, part) - names), names, part)

    def with_laws(self, loop: flux.Loop) -> flux.Loop:
        for law in self.laws:
            changed = law(loop, self.facts)
            loop = changed if isinstance(changed, flux.Loop) else loop
        return loop

    def are_before(self, variable: str, needed: Past, names: Past) -> bool:
        """X = ∅"""
        return all(self.facts.all_before(variable, needed, name) for name in names)

    def delayed(self, variable: str, needed: Past, names: Past, part: Query) -> Sequence[Handler]:
        """on-first past(X ∪ {a}), and also past the children that X ∪ {a} does not settle."""
        late = {b for b in needed if not all(self.facts.before(variable, b, a) for a in names)}
        past = joined(late, names)
        rest = {b for b in needed if not self.facts.settles(variable, past, b)}
        return self.once(variable, joined(past, rest), [part])

    def windows(self, variable: str, before: Past, part: flux.Windowed, whole: Query) -> Sequence[Handler]:
        """Streamed windows (section 3.8.2.3), if everything that they need is before their items."""
        name = part.path[0].name
        needed = joined(before, self.facts.dep(variable, part.body))
        if not self.are_before(variable, needed, frozenset({name})):
            return self.delayed(variable, needed, frozenset({name}), whole)
        if (streamed := self.streamed_windows(part)) is not None:
            return [streamed]
        return [flux.OnEach(part.variable, part.path, part.window, part.body, part.item, part.where)]

    def streamed_windows(self, part: flux.Windowed) -> flux.OnWindow | None:
        """on-window, where windows do not overlap and nothing of an item is needed later (3.8.16, 3.8.17)."""
        window = part.window
        if not isinstance(window, ast.CountWindow) or window.size > window.slide:
            return None
        if part.where is not None and self.facts.dep_of(part.item, part.where) != NOTHING:
            return None
        parts = flux.parts_of(part.body)
        ready = 0
        while ready < len(parts) and part.variable not in self.facts.reads(parts[ready]):
            ready += 1
        copied = ready < len(parts) and parts[ready] == flux.Value(ast.Variable(part.variable))
        after = parts[ready + copied :]
        if any(streaming.needs_buffer(part.variable, query, self.facts) for query in after):
            return None
        first, last = flux.sequence(*parts[:ready]), flux.sequence(*after)
        return flux.OnWindow(part.variable, part.path, window, first, last, copied, part.item, part.where)


def _parts(query: Query) -> tuple[Query, ...]:
    """The parts of a sequence; a condition on a whole sequence is pushed to its parts."""
    return tuple(
        inner
        for part in flux.parts_of(query)
        for inner in (
            flux.parts_of(push(part.condition, part.body))
            if isinstance(part, flux.If) and isinstance(part.body, flux.Sequence)
            else (part,)
        )
    )


def symbols(handler: Handler) -> Past:
    """hsymb: the children that a handler waits for (definitions 3.5.2, 3.8.21), and those that it reads."""
    match handler:
        case On(name):
            return frozenset({name})
        case OnFirst(past, _, reads):
            return joined(past, reads)
        case flux.OnWindow(path=path) | flux.OnEach(path=path):
            return frozenset({path[0].name})
    return EVERYTHING


def _is_fixed(part: Query) -> bool:
    """A string, or the result of an aggregate, perhaps with a condition."""
    match part:
        case flux.If(_, body):
            return _is_fixed(body)
        case flux.Value(ast.Call(name)):
            return name in ACCUMULATING
        case flux.StartTag(_, attributes):
            return all(attribute.constant is not None for attribute in attributes)
    return isinstance(part, flux.Text | flux.EndTag | flux.Boundary | flux.Feed)
