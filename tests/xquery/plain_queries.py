"""Queries of XQuery⁻ and a little more, as texts: loops, conditions, joins, aggregates, over few names."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d")
AGGREGATES = ("count", "sum", "min", "max", "avg", "exists", "empty")


@st.composite
def plain_queries(draw: st.DrawFn) -> str:
    inner = draw(_items(("r0",), 3))
    return f"<out>{{ for $r0 in $ROOT/r return ({inner}) }}</out>"


@st.composite
def _items(draw: st.DrawFn, variables: tuple[str, ...], depth: int) -> str:
    kinds = ["path", "copy", "text", "value", "attribute"]
    if depth > 0:
        kinds += ["for"] * 6 + ["element"] * 3 + ["if", "sequence", "sequence", "fold", "let", "any"]
    kind = draw(st.sampled_from(kinds))
    source = draw(st.sampled_from(variables))
    inner = depth - 1
    match kind:
        case "path":
            return draw(_path(variables))
        case "copy":
            return f"${source}"
        case "text":
            return f"${source}/{draw(st.sampled_from(NAMES))}/text()"
        case "value":
            return f"{draw(st.sampled_from(AGGREGATES))}({draw(_path(variables))})"
        case "attribute":
            return f"string(${source}/@n)"
        case "element":
            first, second = draw(_items(variables, inner)), draw(_items(variables, inner))
            name = f"{{{draw(_path(variables))}/@n}}" if draw(st.booleans()) else "y"
            return f'<e x="{name}">{{{first}}}<f/>{{{second}}}</e>'
        case "if":
            return (
                f"if ({draw(_condition(variables))}) then {draw(_items(variables, inner))} "
                f"else {draw(_items(variables, inner))}"
            )
        case "sequence":
            return f"({draw(_items(variables, inner))}, {draw(_items(variables, inner))})"
        case "let":
            new = f"v{len(variables)}"
            body = draw(_items(variables, inner))
            return f"let ${new} := {draw(_path(variables))} return (count(${new}), {body}, ${new})"
        case "any":
            new = f"v{len(variables)}"
            step = draw(st.sampled_from(["*", "(a | b)", "/c", "/d", "a[n]", "b[1]"]))
            return f"for ${new} in ${source}/{step} return {draw(_items((*variables, new), inner))}"
        case "fold":
            new = f"v{len(variables)}"
            more = (*variables, new)
            name = draw(st.sampled_from(AGGREGATES))
            where = f"where {draw(_condition(more))} " if draw(st.booleans()) else ""
            return f"{name}(for ${new} in {draw(_path(variables))} {where}return {draw(_path(more))})"
    new = f"v{len(variables)}"
    more = (*variables, new)
    where = f"where {draw(_condition(more))} " if draw(st.integers(0, 2)) == 0 else ""
    return f"for ${new} in {draw(_path(variables))} {where}return {draw(_items(more, inner))}"


@st.composite
def _path(draw: st.DrawFn, variables: tuple[str, ...]) -> str:
    """A path below a variable, mostly the nearest one."""
    source = variables[-1] if draw(st.integers(0, 2)) else draw(st.sampled_from(variables))
    steps = "/".join(draw(st.sampled_from(NAMES)) for _ in range(draw(st.sampled_from([1, 1, 1, 2]))))
    return f"${source}/{steps}"


@st.composite
def _condition(draw: st.DrawFn, variables: tuple[str, ...], depth: int = 1) -> str:
    kinds = ["compare", "join", "exists", "empty", "attribute", "count"]
    kind = draw(st.sampled_from([*kinds, "and", "or", "not"] if depth else kinds))
    operator = draw(st.sampled_from(["=", "!=", "<", ">="]))
    match kind:
        case "compare":
            return f"{draw(_path(variables))} {operator} {draw(st.integers(0, 12))}"
        case "join":
            return f"{draw(_path(variables))} {operator} {draw(_path(variables))}"
        case "exists" | "empty":
            return f"{kind}({draw(_path(variables))})"
        case "attribute":
            return f"${draw(st.sampled_from(variables))}/@n {operator} {draw(st.integers(0, 9))}"
        case "count":
            return f"count({draw(_path(variables))}) {operator} {draw(st.integers(0, 3))}"
        case "not":
            return f"not({draw(_condition(variables, depth - 1))})"
    left, right = draw(_condition(variables, depth - 1)), draw(_condition(variables, depth - 1))
    return f"({left} {kind} {right})"
