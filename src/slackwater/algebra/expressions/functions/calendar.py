"""The calendar: dates moved, times read and written by formats, time zones.

A text that is no time, and a time outside the years 1 to 9999, is NULL.
"""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, DATE, DOUBLE, STRING, TIMESTAMP, TIMESTAMP_NTZ

_TIME, _INT, _TEXT, _NUM = Family.TIME, Family.INTEGER, Family.TEXT, Family.NUMBER
_FORMAT, _ZONE = Family.FORMAT, Family.ZONE
_WORDS, _COUNT, _DAY, _INSTANT = s.always(STRING), s.always(BIGINT), s.always(DATE), s.always(TIMESTAMP)
_CLOCK = (_INT, _INT, _INT, _INT, _INT, _NUM)

FUNCTIONS = (
    Function("date_add", (_TIME, _INT), _DAY, "so many days later", partial=True, also="`dateadd`"),
    Function("date_sub", (_TIME, _INT), _DAY, "so many days earlier", partial=True),
    Function(
        "timestampadd",
        (Family.UNIT, _INT, _TIME),
        s.moved_third,
        "so many units later; a month later it is the same day, or the last",
        partial=True,
        error="unknown-unit",
    ),
    Function(
        "add_months",
        (_TIME, _INT),
        _DAY,
        "so many months later, the same day or the last of the month",
        partial=True,
    ),
    Function("last_day", (_TIME,), _DAY, "the last day of its month", monotone=(0,)),
    Function(
        "next_day",
        (_TIME, _TEXT),
        _DAY,
        "the first day after it that is the day of the week of this name: Monday, Mon or Mo",
        partial=True,
    ),
    Function("dayname", (_TIME,), _WORDS, "the day of the week, three letters"),
    Function("monthname", (_TIME,), _WORDS, "the month, three letters"),
    Function("weekday", (_TIME,), _COUNT, "the day of the week, Monday 0 to Sunday 6", range=r.within(0, 6)),
    Function(
        "months_between",
        (_TIME, _TIME, Family.BOOLEAN),
        s.always(DOUBLE),
        "the months from the second to the first, with 31 days as a month for the rest, rounded to 8 digits "
        "unless the third is false",
        optional=1,
    ),
    Function("unix_date", (_TIME,), _COUNT, "the days since 1970", monotone=(0,)),
    Function("unix_seconds", (_TIME,), _COUNT, "the whole seconds since 1970, rounded down", monotone=(0,)),
    Function("unix_millis", (_TIME,), _COUNT, "the milliseconds since 1970, rounded down", monotone=(0,)),
    Function("unix_micros", (_TIME,), _COUNT, "the microseconds since 1970", monotone=(0,)),
    Function("date_from_unix_date", (_INT,), _DAY, "the day so many days after 1970-01-01", partial=True),
    Function(
        "timestamp_seconds",
        (_NUM,),
        _INSTANT,
        "the instant so many seconds after 1970; parts of a microsecond are cut",
        partial=True,
    ),
    Function(
        "timestamp_millis", (_INT,), _INSTANT, "the instant so many milliseconds after 1970", partial=True
    ),
    Function(
        "timestamp_micros", (_INT,), _INSTANT, "the instant so many microseconds after 1970", partial=True
    ),
    Function(
        "make_timestamp",
        _CLOCK,
        _INSTANT,
        "that year, month, day, hour, minute and second, in UTC; NULL if there is none",
        partial=True,
        also="`make_timestamp_ltz`, `try_make_timestamp`, `try_make_timestamp_ltz`",
    ),
    Function(
        "make_timestamp_ntz",
        _CLOCK,
        s.always(TIMESTAMP_NTZ),
        "as make_timestamp, without a zone",
        partial=True,
        also="`try_make_timestamp_ntz`",
    ),
    Function(
        "date_format",
        (_TIME, _FORMAT),
        _WORDS,
        "written in the format: yyyy MM MMM dd D E HH hh a mm ss SSS Q, 'text'",
    ),
    Function(
        "to_timestamp",
        (_TEXT, _FORMAT),
        _INSTANT,
        "the time that the text has in the format; without one, as CAST reads it",
        partial=True,
        also="`to_timestamp_ltz`, `try_to_timestamp`",
    ),
    Function(
        "to_timestamp_ntz",
        (_TEXT, _FORMAT),
        s.always(TIMESTAMP_NTZ),
        "as to_timestamp, without a zone",
        partial=True,
    ),
    Function(
        "to_date",
        (_TEXT, _FORMAT),
        _DAY,
        "the day that the text has in the format; without one, as CAST reads it",
        partial=True,
        also="`try_to_date`",
    ),
    Function(
        "to_unix_timestamp",
        (Family.MOMENT, _FORMAT),
        _COUNT,
        "the whole seconds since 1970 of a time, or of a text in the format (yyyy-MM-dd HH:mm:ss)",
        optional=1,
        partial=True,
        also="`unix_timestamp`",
    ),
    Function(
        "from_unixtime",
        (_INT, _FORMAT),
        _WORDS,
        "the time so many seconds after 1970, in the format (yyyy-MM-dd HH:mm:ss)",
        optional=1,
        partial=True,
    ),
    Function(
        "from_utc_timestamp",
        (_TIME, _ZONE),
        _INSTANT,
        "what clocks in the zone show at that time of UTC",
        partial=True,
    ),
    Function(
        "to_utc_timestamp",
        (_TIME, _ZONE),
        _INSTANT,
        "the time of UTC when clocks in the zone show it; the first of two, and what they skip is moved",
        partial=True,
    ),
    Function(
        "convert_timezone",
        (_ZONE, _ZONE, _TIME),
        s.always(TIMESTAMP_NTZ),
        "a time in the first zone as one in the second; of two arguments, from UTC",
        partial=True,
    ),
    Function(
        "at_time_zone",
        (_TIME, _ZONE),
        s.zoned,
        "of an instant, what clocks in the zone show; of a time without zone, the instant when they show it",
        partial=True,
        syntax="a AT TIME ZONE b",
    ),
)
