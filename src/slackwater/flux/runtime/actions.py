"""Puts the functions that run at one event together into one function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from slackwater.flux.runtime.demands import Act, Take


def present(acts: Iterable[Any]) -> list[Any]:
    return [act for act in acts if act is not None]


def without_argument(act: Act) -> Callable[[Any], None]:
    def run(_: object) -> None:
        act()

    return run


def composed(acts: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any] | None:
    """One function that calls all of them in order; its result is the last one's."""
    match acts:
        case []:
            return None
        case [only]:
            return only
        case [first, second]:

            def both(argument: Any) -> Any:
                first(argument)
                return second(argument)

            return both

    def run(argument: Any) -> Any:
        result = None
        for act in acts:
            result = act(argument)
        return result

    return run


def together(acts: Sequence[Act]) -> Act | None:
    match acts:
        case []:
            return None
        case [only]:
            return only

    def run() -> None:
        for act in acts:
            act()

    return run


def combined_text(takes: Iterable[Take | None]) -> Take | None:
    handlers = list(dict.fromkeys(take for take in takes if take is not None))
    if not handlers:
        return None
    return handlers[0] if len(handlers) == 1 else _TextHandlers(tuple(handlers))


class _TextHandlers:
    """Passes text to several demands."""

    def __init__(self, takes: tuple[Take, ...]) -> None:
        self.takes = takes

    def __call__(self, text: str) -> None:
        for take in self.takes:
            take(text)
