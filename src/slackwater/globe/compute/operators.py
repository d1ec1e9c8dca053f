"""Operators as tasks: those of installed packages, by name, and functions of modules over texts."""

from __future__ import annotations

from importlib.metadata import entry_points

from slackwater.algebra.types import STRING
from slackwater.algebra.users.mobile import Refused, calls
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.globe.compute import problems
from slackwater.globe.compute.computation import Computation, Inputs
from slackwater.globe.compute.items import pack_records, unpack_records

OPERATORS = "slackwater.operators"
"""The group of entry points of installed operators: `name = package:function`, which makes a computation of
the text after its name."""
MOST_PROBLEMS = 20


def operator(text: str) -> Computation:
    """The operator that a text names: `name argument`; raises EngineError."""
    name, _, argument = text.partition(" ")
    for entry in entry_points(group=OPERATORS):
        if entry.name == name:
            made: Computation = entry.load()(argument)
            return made
    try:
        if calls.arguments_of(name, 1) == (STRING,):
            return ModuleOperator(name)
    except Refused:
        pass
    raise EngineError(problems.UNKNOWN_OPERATOR.at(name=name))


class ModuleOperator:
    """A function over texts, of a module, for each record; an empty text is no item."""

    is_stateful = False

    def __init__(self, name: str) -> None:
        self._name = name
        self._problems: list[Diagnostic] = []

    def epoch(self, inputs: Inputs, after: int, edge: int) -> bytes:
        (parts,) = inputs.values()
        items = [self._item(record) for part in parts for record in unpack_records(part)]
        return pack_records(item for item in items if item)

    def _item(self, record: bytes) -> bytes:
        try:
            text: str = calls.called(self._name, record.decode())
            return text.encode()
        except (Refused, UnicodeDecodeError) as why:
            if len(self._problems) < MOST_PROBLEMS:
                self._problems.append(problems.BAD_RECORD.at(why=why))
            return b""

    def snapshot(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> None:
        pass

    def take_problems(self) -> list[Diagnostic]:
        noted, self._problems = self._problems, []
        return noted
