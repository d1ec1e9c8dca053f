"""Generated queries with subqueries within subqueries: IN, ANY, ALL, EXISTS, NOT, NULL, two levels out.

What other generators draw rarely is drawn here often: operands of enclosing rows, values that are NULL or
become so, quantifiers in every place, and few different values, so that many are equal and many are NULL.
"""

from __future__ import annotations

from hypothesis import strategies as st

from laws.relational import COMPARISONS, SCHEMAS, STREAMS, Generated, Source, _Writer, relations, streams
from slackwater.algebra.types import DOUBLE, INT, STRING

few = {
    INT: st.sampled_from([None, 0, 1, 2]),
    STRING: st.sampled_from([None, "a", "ab"]),
    DOUBLE: st.sampled_from([None, 0.0, 1.0]),
}
few_inputs = st.fixed_dictionaries(
    {
        name: (streams if name in STREAMS else relations)(schema, size=5, last=2, values=few, least=2)
        for name, schema in SCHEMAS.items()
    }
)
QUANTIFIERS = ("IN", "NOT IN", *(f"{op} {word}" for op in COMPARISONS for word in ("ANY", "ALL")))
PLACES = ("{}", "{}", "{}", "NOT ({})", "({}) IS NULL", "({}) IS NOT NULL", "NOT (({}) IS NULL)",
          "({} OR {})", "({} AND {})", "CASE WHEN {} THEN {} ELSE {} END")  # fmt: skip


class _SubqueryWriter(_Writer):
    """Writes subqueries of subqueries; `levels` are the sources of each enclosing query."""

    def source(self) -> Source:
        source = super().source()
        if source.window:
            source.window = self.pick(("RANGE 1", "RANGE UNBOUNDED", "ROWS 3"))
        return source

    def value(self, scope: list[Source]) -> str:
        """An integer of any level, the outermost as often as the innermost; often NULL."""
        level = self.draw(st.sampled_from(scope))
        leaf = self.pick(self.columns([level], INT))
        forms = ("{}", "{}", "{}", "{}", "NULLIF({}, 1)", "({} {{div}} 0)", "COALESCE({}, 1)", "({} + 1)",
                 "CAST(NULL AS INT)", "1", f"CASE WHEN {{}} = 0 THEN {leaf} END")  # fmt: skip
        return self.pick(forms).replace("{{div}}", "{div}").replace("{}", leaf)

    def clause(self, scope: list[Source], depth: int) -> str:
        place = self.pick(PLACES)
        while "{}" in place:
            place = place.replace("{}", self.predicate(scope, depth), 1)
        return place

    def predicate(self, scope: list[Source], depth: int) -> str:
        """A condition, with a subquery while there is depth."""
        plain = ("compare", "null", "in")
        kinds = ("compare", *["quantified"] * 6, "exists", "exists", "scalar", "pair") if depth else plain
        match self.pick(kinds):
            case "quantified":
                return f"{self.value(scope)} {self.pick(QUANTIFIERS)} ({self.rows(scope, depth - 1)})"
            case "exists":
                return f"{self.pick(('EXISTS', 'NOT EXISTS'))} ({self.rows(scope, depth - 1)})"
            case "scalar":
                return f"{self.value(scope)} {self.pick(COMPARISONS)} {self.single(scope, depth - 1)}"
            case "pair":
                pair = f"({self.value(scope)}, {self.value(scope)})"
                return f"{pair} {self.pick(('IN', 'NOT IN'))} ({self.rows(scope, depth - 1, 2)})"
            case "null":
                return f"{self.value(scope)} IS {self.pick(('', 'NOT '))}NULL"
            case "in":
                listed = f"({self.value(scope)}, {self.value(scope)})"
                return f"{self.value(scope)} {self.pick(('IN', 'NOT IN'))} {listed}"
            case _:
                return f"{self.value(scope)} {self.pick(COMPARISONS)} {self.value(scope)}"

    def rows(self, outer: list[Source], depth: int, columns: int = 1) -> str:
        """A subquery's rows; their values may be of enclosing rows too."""
        text, scope, inner = self.where(outer, depth)
        values = ", ".join(f"{self.value(self.pick_scope(scope, inner))} AS v{n}" for n in range(columns))
        word = self.pick(("", "", "", "DISTINCT "))
        if columns == 1 and self.draw(st.integers(0, 5)) == 0:
            call = self.pick(("COUNT(*)", "CAST(SUM({}) AS INT)", "MAX({})")).replace(
                "{}", self.value([inner])
            )
            return f"SELECT {call} AS v0 {text}{self.pick(('', f' GROUP BY {inner.alias}.a'))}"
        return f"SELECT {word}{values} {text}"

    def pick_scope(self, scope: list[Source], inner: Source) -> list[Source]:
        return self.draw(st.sampled_from([[inner], [inner], scope]))

    def single(self, outer: list[Source], depth: int) -> str:
        text, _, inner = self.where(outer, depth)
        call = self.pick(("COUNT(*)", "COUNT({})", "CAST(SUM({}) AS INT)", "MAX({})"))
        return f"(SELECT {call.replace('{}', self.value([inner]))} AS v {text})"

    def where(self, outer: list[Source], depth: int) -> tuple[str, list[Source], Source]:
        inner = self.source()
        scope = [*outer, inner]
        condition = f" WHERE {self.clause(scope, depth)}" if self.draw(st.integers(0, 4)) else ""
        return f"FROM {{{inner.placeholder}}} AS {inner.alias}{condition}", scope, inner

    def whole(self) -> Generated:
        outermost = self.source()
        scope, text = [outermost], f"FROM {{{outermost.placeholder}}} AS {outermost.alias}"
        match self.pick(("value", "truth", "single", "single")):
            case "truth":
                p = f"CASE WHEN {self.clause(scope, 2)} THEN 1 WHEN {self.value(scope)} = 1 THEN 2 END"
            case "single":
                p = self.single(scope, 2)
            case _:
                p, text = self.value(scope), f"{text} WHERE {self.clause(scope, 2)}"
        self.query.text = f"SELECT {p} AS p, {self.value(scope)} AS q {text}"
        return self.query


@st.composite
def subqueries(draw: st.DrawFn) -> Generated:
    """Queries with subqueries nested up to three levels, over rows of any level."""
    return _SubqueryWriter(draw).whole()
