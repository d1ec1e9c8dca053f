"""Functions of dates, timestamps and intervals."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.functions.ranges import Rule
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, DATE, DOUBLE, INTERVAL

_TIME, _UNIT = Family.TIME, Family.UNIT
_COUNT = s.always(BIGINT)


def _field(name: str, meaning: str, range: Rule, also: str = "", monotone: tuple[int, ...] = ()) -> Function:
    return Function(name, (_TIME,), _COUNT, meaning, range=range, also=also, monotone=monotone)


FUNCTIONS = (
    _field(
        "year",
        "the year",
        also="`extract(YEAR FROM a)`, `date_part('year', a)`, and so for the other fields",
        range=r.within(1, 9999),
        monotone=(0,),
    ),
    _field("month", "the month, 1 to 12", range=r.within(1, 12)),
    _field("day", "the day of the month", also="`dayofmonth`", range=r.within(1, 31)),
    _field("hour", "the hour; 0 of a date", range=r.within(0, 23)),
    _field("minute", "the minute; 0 of a date", range=r.within(0, 59)),
    _field("second", "the whole second; 0 of a date", range=r.within(0, 59)),
    _field(
        "day_of_week",
        "the ISO day of the week, Monday 1 to Sunday 7",
        also="`dayofweek`, `isodow`; `extract(dow FROM a)` counts from Sunday, 0",
        range=r.within(1, 7),
    ),
    _field("day_of_year", "the day of the year, from 1", also="`dayofyear`, `doy`", range=r.within(1, 366)),
    _field("week", "the ISO week", also="`weekofyear`", range=r.within(1, 53)),
    _field("quarter", "the quarter, 1 to 4", range=r.within(1, 4)),
    Function(
        "epoch",
        (Family.LENGTH,),
        s.always(DOUBLE),
        "the seconds since 1970, or of an interval",
        monotone=(0,),
    ),
    Function(
        "date_trunc",
        (_UNIT, _TIME),
        s.truncated,
        "the start of the unit",
        also="`datetrunc`",
        error="unknown-unit",
        monotone=(1,),
    ),
    Function(
        "time_bucket",
        (Family.INTERVAL, _TIME, _TIME),
        s.truncated,
        "the start of the bucket of that length, counted from the third (1970); NULL if it is not positive",
        optional=1,
        partial=True,
        monotone=(1,),
    ),
    Function(
        "date_diff",
        (_UNIT, _TIME, _TIME),
        _COUNT,
        "the number of unit boundaries between the two",
        also="`datediff(end, start)` counts days",
        error="unknown-unit",
        monotone=(2,),
    ),
    Function(
        "make_date",
        (Family.INTEGER,) * 3,
        s.always(DATE),
        "that year, month and day; NULL if there is none",
        also="`date_from_parts`",
        partial=True,
    ),
    Function(
        "make_dt_interval",
        (Family.INTEGER, Family.INTEGER, Family.INTEGER, Family.NUMBER),
        s.always(INTERVAL),
        "so many days, hours, minutes and seconds; NULL if it is too long",
        optional=4,
        partial=True,
    ),
)
