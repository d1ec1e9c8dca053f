"""Schemas, and documents that they allow, for properties."""

from __future__ import annotations

from hypothesis import strategies as st

from slackwater.base.span import Text
from slackwater.schema import Schema, Type, read_schema

MODELS = (
    "({0}*, {1}*, {2}*)", "({0} | {1} | {2})*", "({0}, {1}?, {2})", "({0}?, ({1} | {2}))", "({1}*, {0})",
    "(({0}, {1}) | ({2}, {1}))", "({0} | ({0}, {0}))", "({0}+ | {1}+)", "(#PCDATA | {0} | {1} | {2})*",
    "(#PCDATA)", "({0}, {0})", "({2}?, {1}, {0}?)",
)  # fmt: skip
ORDER = ("r", "a", "b", "c", "d")


@st.composite
def schemas(draw: st.DrawFn) -> str:
    """A DTD without cycles: an element holds only those after it in ORDER."""
    lines = [f"<!ELEMENT {name} {draw(_model(ORDER[place + 1 :]))}>" for place, name in enumerate(ORDER)]
    lines += [f"<!ATTLIST {name} n CDATA #IMPLIED k CDATA #IMPLIED>" for name in ORDER]
    return "\n".join(lines)


@st.composite
def _model(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    if not names:
        return "(#PCDATA)"
    chosen = [*names, *names, *names][draw(st.integers(0, len(names) - 1)) :][:3]
    model = draw(st.sampled_from(MODELS))
    if "#PCDATA" in model and "{" in model:
        return f"(#PCDATA | {' | '.join(dict.fromkeys(chosen))})*"
    return model.format(*chosen) if len({*chosen}) == 3 or "|" not in model else f"({chosen[0]}*)"


def schema_of(text: str) -> Schema:
    return read_schema(Text("schema", text), "r")


@st.composite
def documents_of(draw: st.DrawFn, schema: Schema) -> str:
    """A document that the schema allows."""
    return draw(elements("r", schema.roots["r"]))


@st.composite
def elements(draw: st.DrawFn, name: str, type: Type) -> str:
    """An element that its type allows."""
    attributes = "".join(
        f' {attribute}="{draw(st.integers(0, 9))}"' for attribute in ("n", "k") if draw(st.booleans())
    )
    inside: list[str] = []
    state, automaton = 0, type.automaton
    for _ in range(40):
        if type.has_text and draw(st.booleans()):
            inside.append(str(draw(st.integers(0, 12))))
        moves = automaton.expected(state)
        if not moves or (automaton.may_end(state) and draw(st.integers(0, 2)) == 0):
            break
        child = draw(st.sampled_from(moves))
        inside.append(draw(elements(child, type.child(child) or type)))
        state = automaton.moves[state][child]
    while not automaton.may_end(state):
        child = automaton.expected(state)[-1]
        inside.append(draw(elements(child, type.child(child) or type)))
        state = automaton.moves[state][child]
    return f"<{name}{attributes}>{''.join(inside)}</{name}>"
