"""Strategies for best-match joins and documents for them, and the same joins in plain XQuery."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

KINDS = ("", "left outer", "right outer", "full outer")
ORDER = """declare function local:as_good($r, $s, $other_r, $other_s) as xs:boolean? {
  if (count($r) + count($s) = count($other_r) + count($other_s)) then $r[1] <= $other_r[1]
  else if (empty($r) or empty($other_r)) then () else count($r) < count($other_r)
};
"""
"""Neither total nor transitive: incomparable where a side is missing."""


@dataclass(frozen=True)
class Dimension:
    """A dimension; `$r` and `$s` in its texts are the two sides."""

    values: str
    order: str
    bound: str = ""

    def __str__(self) -> str:
        return f"({self.values}) {self.order} {self.bound}".strip()

    def candidate(self) -> str:
        """The condition on a pair in plain XQuery."""
        if self.order not in ("min", "max"):
            return "true()"
        number = self.number()
        # NaN differs from itself.
        exists = f"{number} = {number}"
        limit = f" and {number} {'<=' if self.order == 'min' else '>='} {self.bound}"
        return f"({exists}{limit if self.bound else ''})"

    def number(self) -> str:
        """The value of min or max: untyped values would be compared as texts."""
        return f"(({self.values}) + 0)"

    def as_good(self, better: tuple[str, str], worse: tuple[str, str]) -> str:
        """Whether one pair of variables is at least as good as another, in plain XQuery."""
        values = self.number() if self.order in ("min", "max") else self.values
        one, other = of(values, *better), of(values, *worse)
        match self.order:
            case "min":
                return f"{one} <= {other}"
            case "max":
                return f"{one} >= {other}"
            case "subset":
                return _includes(one, other)
            case "superset":
                return _includes(other, one)
        return f"boolean({self.order}({one}, {other}))"


def of(text: str, left: str, right: str) -> str:
    """The text without the variables that a join binds, for other sides."""
    for name, value in LETS.items():
        text = text.replace(name, value)
    return text.replace("$r", f"${left}").replace("$s", f"${right}")


def _includes(outer: str, inner: str) -> str:
    """The values that both sides of `inner` have are values that both sides of `outer` have."""
    (left, right), (first, second) = (sides.split(", ") for sides in (outer, inner))
    return f"(every $v in ({first})[. = {second}] satisfies ($v = {left} and $v = {right}))"


NUMBERS = st.sampled_from(["0", "1", "2", "2.5", "3", "3.0", "7", "100000000000000000", "NaN", "-1"])
BOUNDS = st.sampled_from(["", "0", "1", "2.5", "3e0", "1e30"])
DIMENSIONS = st.one_of(
    st.builds(Dimension, st.just("abs($r/x - $s/x)"), st.just("min"), BOUNDS),
    st.builds(Dimension, st.just("abs($s/y - $r/y)"), st.just("min"), BOUNDS),
    st.builds(Dimension, st.just("abs($r/@u - ($s/@u + 1))"), st.just("min"), BOUNDS),
    st.builds(Dimension, st.just("$s/x"), st.just("max"), st.sampled_from(["", "1", "2"])),
    st.builds(Dimension, st.just("$r/y + $s/y"), st.sampled_from(["min", "max"])),
    st.builds(Dimension, st.just("if ($r/@u > 2) then 2.5 else $s/@u + 0"), st.just("min")),
    st.builds(Dimension, st.just("$r/t, $s/t"), st.sampled_from(["subset", "superset"])),
    st.builds(Dimension, st.sampled_from(["abs($k - $m)", "abs($k - $s/y)"]), st.just("min"), BOUNDS),
    st.builds(Dimension, st.just("$k + $m"), st.just("max")),
)
LETS = {"$k": "($r/y + 1)", "$m": "($s/y * 2)"}
"""Variables that a join binds, after its loops or each after its own."""
FUNCTIONS = st.just(Dimension("$r/t, $s/t", "local:as_good"))
CONDITIONS = st.sampled_from(["", "$r/@u = $s/@u", "$r/y >= $s/y", "$s/t = 'a'", "$r/x"])


@dataclass(frozen=True)
class Join:
    """A best-match join of the elements `r` and `s` of a document."""

    kind: str
    dimensions: tuple[Dimension, ...]
    condition: str = ""
    sources: tuple[str, str] = ("/w/r", "/w/s")
    swapped: bool = False
    """Whether the loop of `$s` is the first."""
    lets_last: bool = False

    def loops(self) -> list[str]:
        loops = [f"for $r in {self.sources[0]}", f"for $s in {self.sources[1]}"]
        return loops[::-1] if self.swapped else loops

    def bound(self) -> str:
        """The loops with the lets."""
        lets = [f"let {name} := {value}" for name, value in LETS.items()]
        (first, second), own = self.loops(), lets[::-1] if self.swapped else lets
        return " ".join([first, second, *lets] if self.lets_last else [first, own[0], second, own[1]])

    def __str__(self) -> str:
        listed = ", ".join(map(str, self.dimensions))
        condition = f" and {self.condition}" if self.condition else ""
        join = f"$r {self.kind} bestmatch join $s on {listed}{condition}"
        return f'{ORDER}{self.bound()} where {join} return <p r="{{$r/@id}}" s="{{$s/@id}}"/>'

    def plain(self) -> str:
        """The join in plain XQuery: all pairs that no pair dominates (compare examples 4.2.7 and 4.2.8)."""
        groups = {"": ["true()"], "left outer": ["$r2 is $r"], "right outer": ["$s2 is $s"]}
        groups["full outer"] = groups["left outer"] + groups["right outer"]
        best = " or ".join(f"not({self._dominated(group)})" for group in groups[self.kind])
        return (
            f"{ORDER}{' '.join(self.loops())} where {self._candidate('r', 's')} and ({best}) "
            'return <p r="{$r/@id}" s="{$s/@id}"/>'
        )

    def _candidate(self, left: str, right: str) -> str:
        conditions = [dimension.candidate() for dimension in self.dimensions]
        conditions += [f"boolean({self.condition})"] if self.condition else []
        return of(" and ".join(conditions), left, right)

    def _dominated(self, group: str) -> str:
        one, other = ("r2", "s2"), ("r", "s")
        better = " and ".join(dimension.as_good(one, other) for dimension in self.dimensions)
        worse = " and ".join(dimension.as_good(other, one) for dimension in self.dimensions)
        return (
            f"some $r2 in {self.sources[0]}, $s2 in {self.sources[1]} satisfies "
            f"({self._candidate('r2', 's2')} and {group} and {better} and not({worse}))"
        )


def joins(dimensions: st.SearchStrategy[Dimension] = DIMENSIONS) -> st.SearchStrategy[Join]:
    return st.builds(
        Join,
        st.sampled_from(KINDS),
        st.lists(dimensions, min_size=1, max_size=3).map(tuple),
        CONDITIONS,
        swapped=st.booleans(),
        lets_last=st.booleans(),
    )


@st.composite
def elements(draw: st.DrawFn, name: str, most: int) -> list[str]:
    listed: list[str] = []
    for number in range(draw(st.integers(0, most))):
        attribute = draw(st.sampled_from(["", ' u="1"', ' u="2"', ' u="3.5"']))
        parts = [f"<{child}>{draw(NUMBERS)}</{child}>" for child in "xy" if draw(st.integers(0, 5))]
        parts += [f"<t>{tag}</t>" for tag in draw(st.lists(st.sampled_from("abc"), max_size=3))]
        listed.append(f'<{name} id="{name}{number}"{attribute}>{"".join(parts)}</{name}>')
    return listed


@st.composite
def documents(draw: st.DrawFn, most: int = 12, orders: tuple[str, ...] = ("rs", "sr", "mixed")) -> str:
    """A document with elements `r` and `s`: the one kind after the other, or mixed."""
    left, right = draw(elements("r", most)), draw(elements("s", most))
    order = draw(st.sampled_from(orders))
    if order == "mixed":
        return f"<w>{''.join(draw(st.permutations(left + right)))}</w>"
    return f"<w>{''.join(left + right if order == 'rs' else right + left)}</w>"
