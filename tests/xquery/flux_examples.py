"""Reads examples of FluX: the stages of translating a query on documents of a schema.

    # Example 3.5.3: …

    schema
    <!ELEMENT …>

    query
    …

    normal
    <its normal form>

    direct
    <the FluX query without algebraic optimization>

    flux
    <the FluX query with it, as in the thesis>

    runs
    <the FluX query that is run: conditions lifted, handlers of one time merged>

    buffers
    <what is buffered, in bytes per element>

An example has a schema (or `none`), a query, and any of the other sections; one example per file. The name of
a section is alone on its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from slackwater.base.span import Text
from slackwater.flux.explain import explained_buffers
from slackwater.flux.plan.printer import print_flux
from slackwater.flux.plan.printer import query as printed
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.guards import pushed
from slackwater.flux.rewrite.handlers import rewritten
from slackwater.flux.rewrite.normal import normal
from slackwater.flux.rewrite.simplify import simplified
from slackwater.flux.rewrite.translate import flux_of
from slackwater.language.xquery import parse
from slackwater.schema import NO_SCHEMA, Schema, read_schema

HERE = Path(__file__).parent / "flux"
WORDS = ("schema", "query", "normal", "direct", "flux", "runs", "buffers")
_SECTION = re.compile(
    rf"^({'|'.join(WORDS)})\n(.*?)(?=\n\n(?:{'|'.join(WORDS)})\n|\Z)", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Example:
    path: Path
    sections: dict[str, str]

    @property
    def schema(self) -> Schema:
        text = self.sections["schema"].strip()
        if text.endswith(".dtd"):
            return read_schema(Path(__file__).parents[2] / "benchmarks" / text)
        return NO_SCHEMA if text == "none" else read_schema(Text("schema", text))

    def outcome(self, section: str) -> str:
        """The actual content of a section."""
        module = parse(Text(self.path.name, self.sections["query"]))
        match section:
            case "runs":
                return print_flux(flux_of(module, self.schema).body)
            case "buffers":
                return explained_buffers(flux_of(module, self.schema))
        query = normal(module, self.schema)
        facts = Facts.of(query)
        body = pushed(query.body)
        match section:
            case "normal":
                return printed(body)
            case "direct":
                return print_flux(rewritten(body, facts, laws=()))
            case "flux":
                return print_flux(rewritten(simplified(body, facts), facts))
        return self.sections[section]


def examples() -> list[Example]:
    return [example(path) for path in sorted(HERE.glob("*.txt"))]


def example(path: Path) -> Example:
    text = path.read_text(encoding="utf-8")
    return Example(path, {section[1]: section[2].rstrip() for section in _SECTION.finditer(text)})


def rewritten_example(example: Example) -> str:
    """The file's text with the actual outcomes."""
    text = example.path.read_text(encoding="utf-8")
    head = text[: text.index("\nschema\n") + 1]
    return head + "\n\n".join(f"{name}\n{example.outcome(name)}" for name in example.sections) + "\n"
