"""docs/errors.md, written from the catalogues of problems.

The page is what `page()` gives; `make golden` rewrites it.
"""

from __future__ import annotations

from types import ModuleType

from slackwater.algebra import problems as answering
from slackwater.base import problems as paths
from slackwater.base.diagnostic import render
from slackwater.base.problem import Problem
from slackwater.bind import problems as binding
from slackwater.bind.asof import problems as as_of_joins
from slackwater.bind.bestmatch import problems as best_matches
from slackwater.bind.catalogs import problems as catalogs
from slackwater.bind.grouping import problems as grouping
from slackwater.bind.lateral import problems as lateral
from slackwater.bind.nested import problems as nested
from slackwater.bind.over import problems as over
from slackwater.bind.parameters import problems as parameters
from slackwater.bind.patterns import problems as patterns
from slackwater.bind.pivots import problems as pivots
from slackwater.bind.recursion import problems as recursion
from slackwater.bind.sinks import problems as declared_sinks
from slackwater.bind.synchronization import problems as synchronization
from slackwater.bind.user_functions import problems as user_functions
from slackwater.bind.windowing import problems as windowing
from slackwater.cli import problems as command_line
from slackwater.flux import problems as answering_xquery
from slackwater.globe.compute import problems as computing
from slackwater.globe.feed import problems as feeding
from slackwater.globe.flight import problems as peers
from slackwater.globe.mobile import problems as mobile_code
from slackwater.globe.plan import problems as deploying
from slackwater.globe.protocol import problems as talking
from slackwater.globe.split import problems as subscribing
from slackwater.language import problems as options
from slackwater.language.cql import problems as cql
from slackwater.language.xquery import problems as xquery
from slackwater.run import problems as running
from slackwater.run.checkpoint import problems as checkpoints
from slackwater.run.input import problems as rows
from slackwater.schema import problems as schemas
from slackwater.scripts import problems as scripts
from slackwater.sinks import problems as sinks
from slackwater.sources import problems as sources
from slackwater.storage import problems as storage
from slackwater.testing import problems as tests
from slackwater.texts import problems as files
from slackwater.xml import problems as documents

SECTIONS: dict[str, tuple[ModuleType, ...]] = {
    "The text of a query": (cql, options),
    "The meaning of a query": (
        binding,
        parameters,
        synchronization,
        best_matches,
        windowing,
        as_of_joins,
        user_functions,
        catalogs,
        grouping,
        pivots,
        lateral,
        nested,
        over,
        recursion,
        patterns,
    ),
    "Answering a query": (answering,),
    "Where data comes from": (sources,),
    "Rows that arrive": (rows,),
    "Starting and running": (running, paths),
    "Checkpoints": (checkpoints, storage),
    "Where answers go": (sinks, declared_sinks),
    "The text of an XQuery": (xquery,),
    "Answering an XQuery": (answering_xquery,),
    "Schemas": (schemas,),
    "XML documents": (documents,),
    "Files and the command line": (files, command_line),
    "Networks of peers": (subscribing, deploying, computing, talking, peers, feeding, mobile_code),
    "Scripts of the STREAM prototype": (scripts,),
    ".cqt files": (tests,),
}
"""Every catalogue, in the order of the page."""

_HEAD = """\
# Errors

Every error, what it means and what to do. Each code is a heading here; the meaning of a code never changes.

All errors of a text are reported together. A report has a code, a message and its place in the text or
the data; a detail says why, a hint what to do. The reports below are as printed, with `<name>` for values
of the case, and `^` before the label under the place. A report may have a more specific hint than the one
shown here, such as *Did you mean "price"?* Warnings and notes do not stop a query.

This page is generated from the lists of problems in the source, one `problems.py` for each stage.
"""


def entries(catalogue: ModuleType) -> list[Problem]:
    """The problems of a catalogue, in order."""
    return [value for value in vars(catalogue).values() if isinstance(value, Problem)]


def every_problem() -> list[Problem]:
    return [
        entry for catalogues in SECTIONS.values() for catalogue in catalogues for entry in entries(catalogue)
    ]


def by_code() -> dict[str, list[Problem]]:
    """All problems by their code, each code where it comes first."""
    problems: dict[str, list[Problem]] = {}
    for entry in every_problem():
        problems.setdefault(entry.code, []).append(entry)
    return problems


def page() -> str:
    codes, parts, shown = by_code(), [_HEAD], set[str]()
    contents = [f"- [{title}](#{_anchor(title)})" for title in SECTIONS]
    parts.append("\n".join(contents) + "\n")
    for title, catalogues in SECTIONS.items():
        parts.append(f"## {title}\n")
        for code in dict.fromkeys(entry.code for catalogue in catalogues for entry in entries(catalogue)):
            if code not in shown:
                parts.append(_about(code, codes[code]))
                shown.add(code)
    return "\n".join(parts)


def _about(code: str, problems: list[Problem]) -> str:
    (means,) = [entry.means for entry in problems if entry.means]
    reports = "\n\n".join(dict.fromkeys(map(_report, problems)))
    return f"### {code}\n\n{means}\n\n```text\n{reports}\n```\n"


def _report(problem: Problem) -> str:
    """What is printed, with the names of the facts in their places."""
    head, *notes = render(problem.at(**{name: _Fact(name) for name in problem.facts})).split("\n")
    label = problem.label.format(**{name: _Fact(name) for name in problem.facts})
    return "\n".join([head, *([f"  | ^ {label}"] if label else []), *notes])


class _Fact(str):
    """Shown as `<name>`, whatever the template asks for."""

    def __format__(self, how: str) -> str:
        return f"<{self!s}>"

    def __repr__(self) -> str:
        return f"<{self!s}>"


def _anchor(title: str) -> str:
    return "".join(char for char in title.lower().replace(" ", "-") if char.isalnum() or char == "-")
