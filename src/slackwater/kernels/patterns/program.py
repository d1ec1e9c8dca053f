"""A pattern as a program for a search with backtracking.

    A (B | C)+      0 row A    1 row? 2 or 4    2 row B    3 jump 5    4 row C    5 again? 1 or 6    6 done

`Split` tries its first branch first, so that the first match is the preferred one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from slackwater.algebra.patterns import Choice, Pattern, Repeated, Sequence, Variable


@dataclass(frozen=True, slots=True)
class Take:
    """the next row, mapped to the variable"""

    variable: str


@dataclass(frozen=True, slots=True)
class Split:
    """go on here or there; the first is preferred"""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Jump:
    """go on there"""

    to: int


@dataclass(frozen=True, slots=True)
class Mark:
    """remember how many rows there are"""

    slot: int


@dataclass(frozen=True, slots=True)
class Progress:
    """give up unless there are more rows than at the mark"""

    slot: int


Instruction = Take | Split | Jump | Mark | Progress
Program = tuple[Instruction, ...]
Marks = tuple[tuple[int, int], ...]


def compiled(pattern: Pattern) -> Program:
    """The program of a pattern; it is done behind its last instruction."""
    code: list[Instruction] = []
    _write(pattern, code)
    return tuple(code)


def _write(pattern: Pattern, code: list[Instruction]) -> None:
    match pattern:
        case Variable(name):
            code.append(Take(name))
        case Sequence(parts):
            for part in parts:
                _write(part, code)
        case Choice(parts):
            _write_choice(parts, code)
        case Repeated():
            for _ in range(pattern.least):
                _write(pattern.part, code)
            if pattern.most is None:
                _write_loop(pattern, code)
            else:
                _write_optional(pattern, code, pattern.most - pattern.least)


def _write_choice(parts: tuple[Pattern, ...], code: list[Instruction]) -> None:
    ends = []
    for part in parts[:-1]:
        place = len(code)
        code.append(Jump(0))
        _write(part, code)
        ends.append(len(code))
        code.append(Jump(0))
        code[place] = Split(place + 1, len(code))
    _write(parts[-1], code)
    for end in ends:
        code[end] = Jump(len(code))


def _write_loop(pattern: Repeated, code: list[Instruction]) -> None:
    place = len(code)
    code.append(Jump(0))
    _write_part(pattern.part, code, place)
    code.append(Jump(place))
    code[place] = _split(pattern, place + 1, len(code))


def _write_optional(pattern: Repeated, code: list[Instruction], count: int) -> None:
    places = []
    for _ in range(count):
        places.append(len(code))
        code.append(Jump(0))
        _write_part(pattern.part, code, places[-1])
    for place in places:
        code[place] = _split(pattern, place + 1, len(code))


def _write_part(part: Pattern, code: list[Instruction], slot: int) -> None:
    """A part that is repeated; only one that may have no rows could be repeated without end."""
    if part.shortest:
        _write(part, code)
        return
    code.append(Mark(slot))
    _write(part, code)
    code.append(Progress(slot))


def _split(pattern: Repeated, again: int, on: int) -> Split:
    return Split(on, again) if pattern.reluctant else Split(again, on)


def search(program: Program, accepts: Callable[[str, list[str]], bool], *, forgets: bool) -> list[str] | None:
    """The variables of the rows of the preferred match from a start; None without a match.

    `accepts` says whether the next row may be mapped to a variable after the rows so far. If it `forgets`
    what those are mapped to, a place of the program that did not lead to a match is not tried again.
    """
    mapping: list[str] = []
    waiting: list[tuple[int, int, Marks]] = [(0, 0, ())]
    tried: set[tuple[int, int, Marks]] = set()
    while waiting:
        place, count, marks = waiting.pop()
        while True:
            if place == len(program):
                if count:
                    return mapping[:count]
                break
            match program[place]:
                case Take(variable):
                    del mapping[count:]
                    if not accepts(variable, mapping):
                        break
                    mapping.append(variable)
                    place, count = place + 1, count + 1
                case Split(first, second):
                    # Between two of these there is one way, so that remembering them is enough.
                    if forgets:
                        if (place, count, marks) in tried:
                            break
                        tried.add((place, count, marks))
                    waiting.append((second, count, marks))
                    place = first
                case Jump(to):
                    place = to
                case Mark(slot):
                    others = tuple(pair for pair in marks if pair[0] != slot)
                    marks, place = (*others, (slot, count)), place + 1
                case Progress(slot):
                    if dict(marks)[slot] == count:
                        break
                    marks = tuple(pair for pair in marks if pair[0] != slot)
                    place += 1
    return None
