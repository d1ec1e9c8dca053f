"""Copies: elements that are written while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slackwater.flux.compile.context import Test
from slackwater.flux.runtime.demands import Attributes, Demand, Enter, Leave
from slackwater.flux.runtime.writer import Writer
from slackwater.flux.values.tree import Name
from slackwater.schema import Automaton, Type
from slackwater.xml.events import BETWEEN
from slackwater.xml.serialize import escape_text

if TYPE_CHECKING:
    from slackwater.flux.compile.program import Program


class Copy(Demand):
    """{$x} while $x is read; the condition is evaluated at its start tag."""

    rank = 4
    whole = True

    def __init__(
        self, variable: str, program: Program, holds: Test | None, *, inside: bool = False, group: Any = None
    ) -> None:
        self.key = ("copied" if inside else "copy", id(program), variable)
        self.inside = inside
        self.variable = variable
        self.program = program
        self.holds = holds
        self.gate = holds is not None
        self.group = group if group is not None else self.key if self.gate else None
        self.text = program.copy.text
        self.comment = program.copy.comment
        self.instruction = program.copy.instruction

    def enter(self, raw: str | None) -> Enter | None:
        holds = self.holds
        start = _copy_start(raw, self.program)
        if not self.inside and self.program.writer.ending is not None:
            start = _as_item(start, self.program)
        if holds is None:
            return start

        def enter(attributes: Attributes) -> bool:
            if not holds():
                return True
            start(attributes)
            return False

        return enter

    def leave(self, automaton: Automaton, state: int) -> Leave:
        apart = not self.inside and self.program.writer.ending is not None
        return _ending_item(self.program) if apart else self.program.copy.end

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        return (Copy(self.variable, self.program, None, inside=True),)


def _as_item(start: Enter, program: Program) -> Enter:
    """An item that is being copied counts as an open element of a constructor."""
    writer = program.writer

    def enter(attributes: Attributes) -> None:
        writer.item()
        start(attributes)
        writer.depth += 1

    return enter


def _ending_item(program: Program) -> Leave:
    writer, end = program.writer, program.copy.end

    def leave(raw: str) -> None:
        end(raw)
        writer.depth -= 1

    return leave


def _copy_start(raw: str | None, program: Program) -> Enter:
    if raw is None:
        return lambda _: None
    writer, reading, scopes = program.writer, program.reading, program.writer.scopes
    append = writer.pieces.append
    if BETWEEN in raw:
        return lambda attributes: writer.copy_start(raw, reading.namespaces, attributes)
    open_tag, closed_open_tag = f"<{raw}", f"><{raw}"

    def start(attributes: Attributes) -> None:
        if attributes or scopes or reading.namespaces:
            writer.copy_start(raw, reading.namespaces, attributes)
            return
        append(closed_open_tag if writer.open else open_tag)
        writer.open = True
        writer.attributes = None

    return start


@dataclass(frozen=True, slots=True)
class CopyActions:
    """Write the events inside a copied element."""

    text: Callable[[str], None]
    end: Leave
    comment: Callable[[str], None]
    instruction: Callable[[str, str], None]


def copy_actions(writer: Writer) -> CopyActions:
    append, scopes = writer.pieces.append, writer.scopes

    def text(text: str) -> None:
        if writer.open:
            append(">")
            writer.open = False
        append(escape_text(text))

    def end(raw: str) -> None:
        if scopes or BETWEEN in raw:
            writer.copy_end(raw)
        elif writer.open:
            append("/>")
            writer.open = False
        elif raw:
            append(f"</{raw}>")
        writer.after_value = False

    def comment(text: str) -> None:
        writer.begin()
        append(f"<!--{text}-->")

    def instruction(target: str, text: str) -> None:
        writer.begin()
        append(f"<?{target} {text}?>" if text else f"<?{target}?>")

    return CopyActions(text, end, comment, instruction)
