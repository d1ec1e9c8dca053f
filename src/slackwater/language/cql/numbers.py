"""Numbers that sqlglot splits into a number and a word: 0x1F, 0b101, 0o17."""

from __future__ import annotations

import re

from sqlglot.tokenizer_core import Token, TokenType

_BASES = {"x": (16, "[0-9a-f]"), "o": (8, "[0-7]"), "b": (2, "[01]")}
_LONGEST = 400
"""Python does not print very long numbers."""


def whole_numbers(tokens: list[Token]) -> list[Token]:
    """The tokens, with each number in another base as one token, of its decimal digits.

    As in PostgreSQL and DuckDB, an underscore may separate two digits.
    """
    whole: list[Token] = []
    for token in tokens:
        value = _value(token) if whole and is_attached(whole[-1], token) and whole[-1].text == "0" else None
        if value is None:
            whole.append(token)
        else:
            number = whole[-1]
            number.text, number.end = str(value), token.end
    return whole


def is_attached(number: Token, word: Token) -> bool:
    """Whether the word follows the number without a space, as in 5x."""
    is_number = number.token_type == TokenType.NUMBER
    return is_number and word.start == number.end + 1 and word.token_type != TokenType.NUMBER


def _value(word: Token) -> int | None:
    """The number of which the word is all but the leading 0."""
    base, digit = _BASES.get(word.text[:1].lower(), (10, ""))
    digits = word.text[1:].lower()
    is_number = digit and re.fullmatch(rf"_?{digit}+(_{digit}+)*", digits) and len(digits) <= _LONGEST
    return int(digits.replace("_", ""), base) if is_number else None
