"""Which known word was meant: few slips of the finger away, or a beginning of it."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 3
"""Of shorter words nothing can be guessed."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one known word that `name` may be a slip of; never the word itself.

    >>> nearest("dealy", ["delay", "idle"]), nearest("max_files", ["maxFiles", "maxBytes"])
    ('delay', 'maxFiles')
    >>> nearest("temp", ["temperature", "time"]), nearest("window", ["isodow", "minute"])
    ('temperature', None)
    """
    words = {word: _plain(word) for word in known if word != name}
    plain = _plain(name)
    if len(plain) < _SHORTEST:
        return None
    most = _most_slips(plain)
    slips = {word: _slips(plain, other, most) for word, other in words.items()}
    near = [word for word, count in slips.items() if count <= most]
    if near:
        return min(near, key=lambda word: (slips[word], words[word][:1] != plain[:1], word))
    begun = [word for word, other in words.items() if _is_beginning(plain, other)]
    return begun[0] if len(begun) == 1 else None


def _plain(word: str) -> str:
    return "".join(char for char in word.lower() if char not in "_- ")


def _most_slips(word: str) -> int:
    return 1 if len(word) < 6 else 2 if len(word) < 10 else 3


def _is_beginning(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= max(_SHORTEST, len(long) / 3) and long.startswith(short)


def _slips(one: str, other: str, most: int) -> int:
    """The letters to put in, leave out, replace or swap with the next: optimal string alignment.

    Where it is more than `most`, some number above: known words are many, and few are near.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        further, before, row = before, row, [i]
        for j, b in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, further[j - 2] + 1)
            row.append(cost)
        # A cell is at least the least of the two rows above.
        if min(row) > most and min(before) > most:
            return most + 1
    return row[-1]
