"""Regular expressions, in the syntax of Java as far as linear engines have it (see `regexes`)."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, BOOLEAN, GREATEST, STRING, array

_TEXT, _PATTERN = Family.TEXT, Family.PATTERN
_WORDS, _COUNT, _LIST = s.always(STRING), s.always(BIGINT), s.always(array(STRING))

FUNCTIONS = (
    Function(
        "regexp_like",
        (_TEXT, _PATTERN),
        s.always(BOOLEAN),
        "whether the pattern matches a part of the text",
        also="`rlike`, `regexp`; `a RLIKE b`",
    ),
    Function(
        "regexp_extract",
        (_TEXT, _PATTERN, Family.GROUP),
        _WORDS,
        "the text of that group (1) in the first match, of 0 the whole match; empty if there is none",
        optional=1,
    ),
    Function(
        "regexp_extract_all",
        (_TEXT, _PATTERN, Family.GROUP),
        _LIST,
        "the texts of that group (1) in every match",
        optional=1,
    ),
    Function(
        "regexp_replace",
        (_TEXT, _PATTERN, Family.REPLACEMENT),
        _WORDS,
        "with every match replaced; $1 in the new text is the first group",
    ),
    Function("regexp_count", (_TEXT, _PATTERN), _COUNT, "the number of matches", range=r.within(0, GREATEST)),
    Function(
        "regexp_instr",
        (_TEXT, _PATTERN),
        _COUNT,
        "the position of the first match, from 1; 0 if there is none",
        range=r.within(0, GREATEST),
    ),
    Function(
        "regexp_substr", (_TEXT, _PATTERN), _WORDS, "the first match; NULL if there is none", partial=True
    ),
    Function(
        "split",
        (_TEXT, _PATTERN, Family.INTEGER),
        _LIST,
        "the parts between matches, at most as many as the third says if that is above 0",
        optional=1,
    ),
)
