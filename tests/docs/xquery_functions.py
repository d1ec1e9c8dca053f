"""The table of XQuery's functions in docs/xquery.md, written from their records."""

from __future__ import annotations

from slackwater.language.xquery.functions import SECTIONS, Function

BEGIN = "<!-- functions -->\n"
END = "<!-- end of functions -->\n"


def with_table(page: str) -> str:
    """The page with the table as the records have it."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.partition(END)[2]}"


def table() -> str:
    lines = ["| function | gives | meaning |", "| --- | --- | --- |"]
    for title, functions in SECTIONS.items():
        lines.append(f"| **{title}** | | |")
        lines += [
            f"| `{_call(function)}` | `{function.result}` | {_meaning(function)} |" for function in functions
        ]
    return "\n".join(lines) + "\n"


def _call(function: Function) -> str:
    names = [f", {name}" for name, _ in function.parameters]
    needed, others = names[: function.least], names[function.least :]
    inside = "".join(needed) + "".join(f"[{parameter}" for parameter in others) + "]" * len(others)
    inside = inside.replace(", ", "", 1) + (", …" if function.variadic else "")
    return f"{function.name}({inside})"


def _meaning(function: Function) -> str:
    return function.meaning + ("; streamed" if function.accumulates else "")
