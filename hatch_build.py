"""Makes the tables of the XQuery parser when the package is built or installed."""

from __future__ import annotations

import json
from pathlib import Path
from runpy import run_path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_XQUERY = Path("src", "slackwater", "language", "xquery")


class Tables(BuildHookInterface):
    """Grammar -> tables.json, beside it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.root) / _XQUERY
        make_tables = run_path(str(folder / "analyse.py"))["make_tables"]
        grammar = (folder / "grammar.lark").read_text(encoding="utf-8")
        tables = json.dumps(make_tables(grammar), separators=(",", ":"))
        (folder / "tables.json").write_text(tables, encoding="utf-8")
        build_data["artifacts"].append((_XQUERY / "tables.json").as_posix())
