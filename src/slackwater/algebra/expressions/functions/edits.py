"""Texts that are composed, changed and compared; the meaning is Spark's."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, BOOLEAN, DOUBLE, GREATEST, STRING

_TEXT, _INT = Family.TEXT, Family.INTEGER
_WORDS, _COUNT = s.always(STRING), s.always(BIGINT)

FUNCTIONS = (
    Function(
        "concat_ws",
        (_TEXT, _TEXT),
        _WORDS,
        "the others that are not NULL, with the first between them; NULL if that is NULL",
        optional=1,
        variadic=True,
        strict=False,
    ),
    Function(
        "elt",
        (_INT, _TEXT),
        _WORDS,
        "the n-th of the others, from 1; NULL if there is none",
        variadic=True,
        strict=False,
        partial=True,
    ),
    Function(
        "find_in_set",
        (_TEXT, _TEXT),
        _COUNT,
        "the position of the first in the list of texts between commas, from 1; 0 if it is not there",
        range=r.within(0, GREATEST),
    ),
    Function(
        "initcap",
        (_TEXT,),
        _WORDS,
        "in lower case, the first letter of each word between blanks in upper case",
    ),
    Function(
        "levenshtein",
        (_TEXT, _TEXT, _INT),
        _COUNT,
        "how many characters are to be inserted, removed or replaced; -1 if that is more than the third",
        optional=1,
        range=r.within(-1, GREATEST),
    ),
    Function(
        "soundex", (_TEXT,), _WORDS, "the Soundex code; the text itself if it does not begin with a letter"
    ),
    Function("luhn_check", (_TEXT,), s.always(BOOLEAN), "whether its digits pass the check of Luhn"),
    Function(
        "mask",
        (_TEXT,) * 5,
        _WORDS,
        "with capitals, small letters, digits and other characters replaced by these (X, x, n, as they are); "
        "NULL leaves them",
        optional=4,
        strict=False,
    ),
    Function(
        "overlay",
        (_TEXT, _TEXT, _INT, _INT),
        _WORDS,
        "with the second in place of its characters from that position on, as many as it or the fourth says",
        optional=1,
    ),
    Function("quote", (_TEXT,), _WORDS, "in single quotes, a backslash before each quote in it"),
    Function(
        "substring_index",
        (_TEXT, _TEXT, _INT),
        _WORDS,
        "what is before the n-th delimiter, or after the n-th from the end if n is negative; all if there is "
        "none",
    ),
    Function(
        "translate",
        (_TEXT, _TEXT, _TEXT),
        _WORDS,
        "with each character of the second replaced by that at its place in the third, or removed",
    ),
    Function(
        "split_index",
        (_TEXT, _TEXT, _INT),
        _WORDS,
        "the n-th part between delimiters, from 0; NULL if there is none",
        partial=True,
    ),
    Function(
        "format_number",
        (Family.NUMBER, _INT),
        _WORDS,
        "with so many digits after the point, halves to the even digit, and commas between thousands; NULL "
        "if their number is negative",
        partial=True,
    ),
    Function(
        "format_string",
        (Family.PRINTF, Family.PRINTED),
        _WORDS,
        "the format with the others in place of %s, %d, %.2f, %x, %e, %b, as Java's Formatter writes them",
        variadic=True,
        strict=False,
        also="`printf`",
    ),
    Function(
        "number_text",
        (_TEXT, Family.DIGITS),
        _WORDS,
        "the number that a text has in a format (of 9 0 , G . D $ S MI PR) as a plain text; NULL if it has "
        "none; `to_number(a, b)` is a DECIMAL of it",
        partial=True,
    ),
    Function(
        "jaro_winkler_similarity",
        (_TEXT, _TEXT),
        s.always(DOUBLE),
        "the similarity of Jaro and Winkler, 0 to 1",
    ),
)
