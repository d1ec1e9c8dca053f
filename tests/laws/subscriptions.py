"""Random subscriptions to photons, and random photons: few names and numbers, so that much coincides."""

from __future__ import annotations

from hypothesis import strategies as st

NUMBER = st.integers(-1, 4)
PART = st.sampled_from(["ra", "dec", "en", "pos/x", "@id"])
SIGN = st.sampled_from(["<", "<=", ">", ">=", "="])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Photons whose parts may be missing or come twice, in the order of time."""
    records = []
    time = 0
    for _ in range(draw(st.integers(0, 8))):
        time += draw(st.integers(0, 3))
        identity = draw(st.sampled_from(["", ' id="1"', ' id="3"']))
        parts = [
            f"<{name}>{draw(NUMBER)}</{name}>"
            for name in ("ra", "dec", "en")
            for _ in range(draw(st.sampled_from([1, 1, 1, 0, 2])))
        ]
        inside = "".join(f"<x>{draw(NUMBER)}</x>" for _ in range(draw(st.integers(0, 2))))
        note = draw(st.sampled_from(["", "note"]))
        records.append(f"<photon{identity}>{''.join(parts)}{note}<pos>{inside}</pos><t>{time}</t></photon>")
    return f"<photons>{''.join(records)}</photons>"


@st.composite
def conditions(draw: st.DrawFn, record: str) -> str:
    """A comparison of a part with a number, or something that is no range."""
    part, number = draw(PART), draw(NUMBER)
    path = f"{record}{part}"
    return draw(
        st.sampled_from(
            [
                f"{path} {draw(SIGN)} {number}",
                f"{number} {draw(SIGN)} {path}",
                f"{path} {draw(SIGN)} {number}.5",
                f"({path} > {number} or {record}en = 1)",
                f"count({record}ra) = 1",
                f"not({path})",
                f"{path} = {record}dec",
            ]
        )
    )


RESULTS = [
    "<r>{$q/ra}{$q/dec}</r>", "<r>{$q/en}{$q/ra}</r>", "<r>{$q}</r>", "$q/pos/x",
    "<r id='{$q/@id}'>{$q/t}</r>",
    "<r>{count($q/en), $q/t/text()}</r>", "<r>{sum($q/*)}</r>", "<r>{string($q)}</r>",
    "<r>{for $x in $q/ra where $x > 1 return <y>{$x/text()}</y>}</r>",
]  # fmt: skip
AGGREGATES = ["avg($w/en)", "count($w)", "sum($w/ra)", "max($w/dec)"]


@st.composite
def subscriptions(draw: st.DrawFn) -> str:
    """A query over each photon, or over windows of them."""
    predicates = draw(st.lists(conditions(""), max_size=2))
    inside = f"[{' and '.join(predicates)}]" if predicates else ""
    source = f'stream("photons")/photons/photon{inside}'
    if draw(st.booleans()) and draw(st.booleans()):
        value, least = draw(st.sampled_from(AGGREGATES)), draw(NUMBER)
        return (
            f"<out>{{ for $w in {source}|t diff 4 step 2| let $a := {value} where $a >= {least} "
            "return <w>{$a}</w> }</out>"
        )
    checks = draw(st.lists(conditions("$q/"), max_size=3))
    where = f"where {' and '.join(checks)} " if checks else ""
    return f"<out>{{ for $q in {source} {where}return {draw(st.sampled_from(RESULTS))} }}</out>"
