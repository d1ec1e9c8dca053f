"""Instants as values of a column: a number of chronons, or a timestamp."""

from __future__ import annotations

from datetime import datetime, timedelta

from slackwater.algebra.types import Type

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def value_at(instant: int, type_: Type) -> int | datetime:
    """The instant as a value of a time column's type."""
    return instant if type_.is_integer else _EPOCH + instant * _MICROSECOND


def instant_at(value: int | datetime) -> int:
    """The instant that a value of a time column is."""
    return (value - _EPOCH) // _MICROSECOND if isinstance(value, datetime) else value
