"""The values of options, by kind: any other value is an error at its place.

header = 'yes'           ─►  Write TRUE or FALSE.
comment = '##'           ─►  Write one character.
maxFilesPerTrigger = 0   ─►  Write a whole number greater than 0.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.time import length_in
from slackwater.language import problems


@dataclass(frozen=True, slots=True)
class Kind:
    """Values of one kind: which texts are valid, and what to write."""

    holds: Callable[[str], bool]
    hint: str


def _matching(pattern: str, hint: str) -> Kind:
    return Kind(lambda text: re.fullmatch(pattern, text, re.IGNORECASE) is not None, hint)


def _one_of(*words: str) -> Kind:
    *others, last = (f"'{word}'" for word in words)
    return Kind(lambda text: text.lower() in words, f"Write {', '.join(others)} or {last}.")


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _is_rate(text: str) -> bool:
    """Whether the text is a number, alone or per a length of time."""
    number, per, length = text.lower().partition(" per ")
    period = length_in(length) or length_in(f"1 {length}")
    is_length = period is not None and period.duration is not None and period.duration.amount > 0
    return re.fullmatch(r"\s*[0-9]+(\.[0-9]+)?\s*", number) is not None and (not per or is_length)


def unescaped(separator: str) -> str:
    """A separator with its escapes replaced: a text of SQL cannot contain a tab or a line end otherwise."""
    for escape, character in (("\\t", "\t"), ("\\r", "\r"), ("\\n", "\n")):
        separator = separator.replace(escape, character)
    return separator


_ENCODINGS = ("UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32")
"""The encodings that Spark reads."""


def spark_encoding(name: str) -> str | None:
    """Spark's name of an encoding, from any of its names: utf8, latin1."""
    try:
        canonical = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return next((encoding for encoding in _ENCODINGS if codecs.lookup(encoding).name == canonical), None)


def spark_value(option: str, value: str) -> str:
    """The value of an option in the form that Spark takes."""
    if option.lower() in _SEPARATORS:
        return unescaped(value)
    return spark_encoding(value) or value if option.lower() in _NAMES_OF_ENCODING else value


BOOLEAN = _matching("true|false", "Write TRUE or FALSE.")
CHARACTER = Kind(lambda text: len(text) <= 1, "Write one character, or '' for none.")
TEXT = Kind(bool, "Write at least one character.")
LINE_END = Kind(
    lambda text: 0 < len(unescaped(text)) <= 2,
    "Write one character, or '\\r\\n'; ordinary line ends need no lineSep.",
)
POSITIVE = _matching("0*[1-9][0-9]*", "Write a whole number greater than 0.")
BYTES = _matching("0*[1-9][0-9]*", "Write a number of bytes without a unit: 1048576 is one MiB.")
NUMBER = _matching("[0-9]+", "Write a whole number, 0 or greater.")
LIMIT = _matching("0*[1-9][0-9]*|-1", "Write a whole number greater than 0, or -1 for no limit.")
SHARE = Kind(_is_share, "Write a number from 0 to 1.")
AGE = _matching(r"\s*[0-9]+(us|ms|s|m|min|h|d)?\s*", "Write a number and one of s, min, h and d, as '7d'.")
ENCODING = Kind(
    lambda text: spark_encoding(text) is not None,
    f"Write one of {', '.join(_ENCODINGS)}; convert files in other encodings.",
)
RATE = Kind(_is_rate, "Write a number and a length of time, as '1000 per second' or '5 per 10 minutes'.")
DISTINCT = _matching(
    r"\s*[^\s,]+\s+[0-9]*[1-9][0-9]*\s*(,\s*[^\s,]+\s+[0-9]*[1-9][0-9]*\s*)*",
    "Write columns and numbers, as 'symbol 500, venue 12'.",
)
REBASE = _one_of("exception", "corrected", "legacy")

_KINDS: dict[Kind, tuple[str, ...]] = {
    BOOLEAN: (
        "fileNameOnly", "recursiveFileLookup", "ignoreCorruptFiles", "ignoreMissingFiles", "header",
        "ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace", "multiLine", "preferDate",
        "enableDateTimeParsingFallback", "allowComments", "allowUnquotedFieldNames", "allowSingleQuotes",
        "allowNumericLeadingZeros", "allowBackslashEscapingAnyCharacter", "allowUnquotedControlChars",
        "allowNonNumericNumbers", "primitivesAsString", "prefersDecimal", "dropFieldIfAllNull",
        "inferTimestamp", "mergeSchema", "wholetext",
    ),
    CHARACTER: ("quote", "escape", "comment", "charToEscapeQuoteEscaping"),
    TEXT: ("sep", "delimiter"),
    LINE_END: ("lineSep",),
    POSITIVE: (
        "maxFilesPerTrigger", "maxColumns", "inputBufferSize", "rowsPerSecond", "numPartitions", "row_count",
        "row_bytes",
    ),
    RATE: ("rate",),
    DISTINCT: ("distinct_values",),
    BYTES: ("maxBytesPerTrigger",),
    NUMBER: ("maxCachedFiles", "read_ahead"),
    LIMIT: ("maxCharsPerColumn",),
    SHARE: ("discardCachedInputRatio", "samplingRatio"),
    AGE: ("maxFileAge", "rampUpTime"),
    ENCODING: ("encoding", "charset"),
    REBASE: ("datetimeRebaseMode", "int96RebaseMode"),
    _one_of("archive", "delete", "off"): ("cleanSource",),
    _one_of("stop_at_closing_quote", "back_to_delimiter", "stop_at_delimiter", "skip_value", "raise_error"): (
        "unescapedQuoteHandling",
    ),
}  # fmt: skip
_SEPARATORS = ("sep", "delimiter", "linesep")
_NAMES_OF_ENCODING = ("encoding", "charset")
KINDS = {name.lower(): kind for kind, names in _KINDS.items() for name in names}
"""By the options' names in lower case. Any other option takes any text."""


def wrong_value(option: str, value: str) -> Diagnostic | None:
    """The error of an option of Spark with a wrong value; the caller adds the span."""
    kind = KINDS.get(option.lower())
    return (
        None
        if kind is None or kind.holds(value)
        else problems.BAD_OPTION.at(value=value, option=option, expected=kind.hint)
    )
