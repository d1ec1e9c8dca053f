"""The style of pictures, for light and dark backgrounds; only what every viewer of SVG has."""

LIGHT = {
    "paper": "#fdfdfc", "lane": "#f1f4f8", "card": "#ffffff", "edge": "#c9d1da", "ink": "#1c2430",
    "soft": "#66717f",
    "line": "#8a96a5", "source": "#2f6fdb", "rows": "#8793a3", "window": "#0f8f86", "join": "#7a4fd0",
    "group": "#c2570c", "stream": "#c02672", "exchange": "#fff3d6", "amber": "#a86400", "grows": "#c81e1e",
}  # fmt: skip
DARK = {
    "paper": "#12161c", "lane": "#1a2028", "card": "#232b35", "edge": "#3a4552", "ink": "#e8edf3",
    "soft": "#9aa7b5",
    "line": "#6f7d8c", "source": "#6ea3ff", "rows": "#90a0b3", "window": "#3fc9bd", "join": "#b194ff",
    "group": "#ff9d5c", "stream": "#ff7ab8", "exchange": "#3a3016", "amber": "#f0b95a", "grows": "#ff7b72",
}  # fmt: skip
QUERIES = ("#2563eb", "#d9480f", "#0b7a4b", "#9333ea", "#be185d", "#0e7490", "#8a6100", "#475569")
"""The colours of queries, dark enough for white digits; with more queries they repeat."""
_MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
_SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',Arial,sans-serif"
_FAMILIES = ("source", "rows", "window", "join", "group", "stream")


def style() -> str:
    """The style sheet."""
    fonts = (
        f"text{{font:11px {_MONO}}}"
        f".title{{font:600 17px {_SANS}}}.sub,.lane,.note,.who{{font-family:{_SANS}}}"
        ".sub{font-size:12px}.lane{font-size:12px;font-weight:600}.note{font-size:11px}"
        ".who{font-size:9px;font-weight:700;fill:#fff;text-anchor:middle}.answer{font-weight:600;fill:#fff}"
        ".word{font-weight:600}.mid{text-anchor:middle}.end{text-anchor:end}"
    )
    return f"{fonts}{_colours(LIGHT)}@media(prefers-color-scheme:dark){{{_colours(DARK)}}}"


def _colours(of: dict[str, str]) -> str:
    rules = {
        ".paper": f"fill:{of['paper']}",
        ".band": f"fill:{of['lane']}",
        ".card": f"fill:{of['card']};stroke:{of['edge']}",
        "text,.title,.lane": f"fill:{of['ink']}",
        ".soft,.sub,.note": f"fill:{of['soft']}",
        ".line": f"fill:none;stroke:{of['line']};stroke-width:1.3",
        ".head": f"fill:{of['line']}",
        ".moves": f"fill:none;stroke:{of['amber']};stroke-width:1.8",
        ".arrives": f"fill:{of['amber']}",
        ".pill": f"fill:{of['exchange']};stroke:{of['amber']}",
        ".way": f"fill:{of['amber']}",
        ".keeps": f"fill:{of['soft']}",
        ".grows": f"fill:{of['grows']}",
        ".disk": f"fill:none;stroke:{of['soft']}",
        ".ring": f"stroke:{of['card']};stroke-width:1.5",
        **{f".{name}": f"fill:{of[name]}" for name in _FAMILIES},
    }
    return "".join(f"{selector}{{{rule}}}" for selector, rule in rules.items())
