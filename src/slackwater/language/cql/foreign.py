"""Words of other systems, and what to write instead in CQL.

They are looked up only after a syntax error or for an unknown name, because each of them may be a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from slackwater.base.span import Span, Text
from slackwater.base.time import unit_named

_TUMBLE = (
    "Write TUMBLE(stream, ts, INTERVAL '5' MINUTE) in FROM, or TUMBLE(ts, INTERVAL '5' MINUTE) in GROUP BY. "
    "For the rows since the last five minutes began, write a window in brackets after the stream: "
    "[FIXED 5 MINUTES]."
)
_HOP = (
    "Write HOP(stream, ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE) in FROM. For the rows of the last ten "
    "minutes, seen every five, write a window in brackets after the stream: "
    "[RANGE 10 MINUTES SLIDE 5 MINUTES]."
)
_EMIT = "Remove it: an answer always includes its changes. SELECT ISTREAM(…) gives the new rows as a stream."
_ORDER = "Write ORDER BY … LIMIT n after the conditions."
_NEWEST = "For the newest rows of each value write [PARTITION BY column ROWS 1] after the stream."
_INSERT = (
    "Write INSERT INTO sink SELECT …, after CREATE SINK sink (columns) INTO 'path'; rows come from sources."
)
JOINS = ("GLOBAL", "POSITIONAL")
"""Words before JOIN in other systems, which would be read as an alias."""
_JOINED = "Remove it: a join always uses the relation as of each instant."

WINDOWS: dict[str, str] = {
    **dict.fromkeys(("tumble", "tumbling", "window"), _TUMBLE),
    **dict.fromkeys(("hop", "hopping", "cumulate"), _HOP),
}
"""Windows of other systems, where a window in brackets is expected."""
FUNCTIONS: dict[str, str] = {
    "tumbling": _TUMBLE,
    "hopping": _HOP,
    **dict.fromkeys(("first", "last", "latest_by_offset", "earliest_by_offset"), _NEWEST),
    "count_distinct": "Write COUNT(DISTINCT column): it is exact.",
    "quantile": "Write percentile(column, 0.5).",
    **dict.fromkeys(("list_agg", "group_concat"), "Write string_agg(column, ',')."),
    **dict.fromkeys(("json_value", "json_extract"), "Write get_json_object(column, '$.name')."),
    **dict.fromkeys(
        ("json_extract_path_text", "jsonb_extract_path_text"), "Write get_json_object(column, '$.name')."
    ),
    **dict.fromkeys(
        ("jsonb_array_elements", "json_array_elements"),
        "Write FROM …, UNNEST(from_json(column, 'ARRAY<STRING>')) AS e (x).",
    ),
    "mz_now": "Write a window after the stream instead of a condition on the time: FROM s [RANGE 5 MINUTES].",
    "unix_timestamp": "Write unix_timestamp(ts), of a time in the data.",
}
"""Functions, and table functions, of other systems."""

_PHRASES: dict[str, str] = {
    **dict.fromkeys(
        ("ISTREAM SELECT", "DSTREAM SELECT", "RSTREAM SELECT"),
        "Put the query in parentheses: ISTREAM(SELECT …).",
    ),
    "EMIT": _EMIT,
    "WATERMARK": "Write WITH (delay = '5 seconds') after the declaration.",
    "WITHIN": "Give each stream of the join a window: a [RANGE 5 MINUTES] JOIN b [RANGE 5 MINUTES] ON ….",
    "FOR SYSTEM_TIME": _JOINED,
    **dict.fromkeys(JOINS, "Remove it, or write an alias after AS."),
    "MATERIALIZED": "Remove it: a query that is used several times is computed once.",
    "TUMBLING": _TUMBLE,
    "HOPPING": _HOP,
    "TOP": _ORDER,
    "LATERAL": "Write LATERAL (SELECT …), or LATERAL VIEW explode(array) name AS column.",
    "TABLESAMPLE": "Remove it: a sample would differ each time. Filter by a column instead.",
    "PRIMARY KEY": "Write KEY (column) after the list of columns.",
    "TIMESTAMP": "Name the time column after the list of columns: TIME ts, or TIME ts INT.",
}
_STATEMENTS: dict[str, str] = {
    "TEMPORARY": "Write CREATE VIEW: a view lasts as long as its session.",
    "TEMP": "Write CREATE VIEW: a view lasts as long as its session.",
    "MATERIALIZED": "Write CREATE VIEW: its answer is kept up to date wherever it is used.",
    "TABLE": (
        "Write CREATE STREAM for rows that arrive, CREATE RELATION for a table that changes, "
        "CREATE VIEW for a query."
    ),
    "EXTERNAL": "Write CREATE STREAM or CREATE RELATION, with FROM 'path'.",
    "SOURCE": "Write CREATE STREAM or CREATE RELATION, with FROM 'path'.",
    "INSERT": _INSERT,
    "EXPLAIN": "Run slackwater explain FILE, or print(q.explain()).",
    "DROP": "Write DROP STREAM, DROP RELATION, DROP VIEW, DROP SINK or DROP FUNCTION.",
    "UPDATE": "Send changes as rows of a relation: CREATE RELATION … KEY (column), or OP column.",
    "DELETE": "Send changes as rows of a relation: CREATE RELATION … OP column.",
}
_WINDOWS = ("RANGE", "ROWS", "NOW", "UNBOUNDED", "SLIDING", "FIXED", "SESSION")
"""Words that begin a window in brackets."""
_ORDINARY = ("TIMESTAMP",)
"""Words of CQL that are wrong only at this place."""
FOREIGN, BARE = "not part of CQL", "a window without its brackets"
_BACK = 3
"""How many words before the syntax error may be its cause."""


def foreign(tokens: Sequence[Token], start: int, text: Text) -> tuple[Span, str, str] | None:
    """The foreign words at or just before a syntax error, their description, and what to write instead."""
    at = next((place for place, token in enumerate(tokens) if token.end >= start), len(tokens))
    for place in range(min(at + 1, len(tokens) - 1), max(-1, at - _BACK - 1), -1):
        if (window := bare_window(tokens, place, text)) is not None:
            return window, BARE, in_brackets(window)
    is_pattern = any(token.text.upper() == "MATCH_RECOGNIZE" for token in tokens[: at + 1])
    for token, following in () if is_pattern else pairwise(tokens):
        if token.start < start and following.text == "(" and token.text.lower() in FUNCTIONS:
            return text.span(token.start, token.end + 1), FOREIGN, FUNCTIONS[token.text.lower()]
    for place in range(min(at, len(tokens) - 1), max(-1, at - _BACK - 1), -1):
        token, following = tokens[place], tokens[min(place + 1, len(tokens) - 1)]
        if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
            continue
        for last in (following, token):
            span = text.span(token.start, last.end + 1)
            phrase = " ".join(span.content.upper().split())
            if phrase in _PHRASES and (place == at or phrase not in _ORDINARY) and not is_pattern:
                return span, FOREIGN, _PHRASES[phrase]
    return None


def hint_for_clause(words: str) -> str:
    """What to write instead of a clause of another language."""
    return _PHRASES.get(words.upper()) or f"Remove {words}."


def hint_for_statement(words: str) -> str | None:
    """What to write instead of a statement of another language."""
    upper = words.upper()
    known = {**_PHRASES, **_STATEMENTS}
    hints = [hint for phrase, hint in known.items() if f" {phrase} " in f" {upper} "]
    return hints[-1] if hints else None


def bare_window(tokens: Sequence[Token], place: int, text: Text) -> Span | None:
    """The window without brackets that begins there, if any."""
    word = tokens[place].text.upper()
    opened = sum((token.text == "[") - (token.text == "]") for token in tokens[:place])
    if word not in _WINDOWS or opened > 0:
        return None
    end = place
    while end + 1 < len(tokens) and _is_of_window(tokens[end + 1]):
        end += 1
    if end == place and word not in ("NOW", "UNBOUNDED"):
        return None
    return text.span(tokens[place].start, tokens[end].end + 1)


def in_brackets(window: Span) -> str:
    words = " ".join(window.content.split())
    return f"Write the window in brackets, [{words}], or an alias after AS."


def _is_of_window(token: Token) -> bool:
    is_number = token.token_type == TokenType.NUMBER
    return is_number or unit_named(token.text) is not None or token.text.upper() in ("SLIDE", "UNBOUNDED")
