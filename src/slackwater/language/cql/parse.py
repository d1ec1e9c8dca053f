"""Text -> statements, or all its syntax errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp
from sqlglot.errors import ErrorLevel
from sqlglot.tokenizer_core import Token, TokenType

from slackwater.base.diagnostic import Diagnostic, QueryError, did_you_mean
from slackwater.base.span import Span, Text
from slackwater.language.cql import errors
from slackwater.language.cql.check import misuse
from slackwater.language.cql.declarations import CLAUSES
from slackwater.language.cql.dialect import CQL
from slackwater.language.cql.foreign import foreign
from slackwater.language.cql.lexemes import lexemes
from slackwater.language.cql.numbers import whole_numbers
from slackwater.language.cql.parser import CQLParser
from slackwater.language.cql.sinks import SINK_CLAUSES
from slackwater.language.cql.streams import NAMED_OPERATIONS
from slackwater.language.cql.windows import Refused
from slackwater.language.cql.words import KEYWORDS, PHRASES, RESERVED, is_name

_NUMBER = re.compile(r"\d{1,400}(\.\d{0,400})?([eE][+-]?\d{1,3})?")
_UNCLOSED = {"'": "a string", '"': "a quoted name", "`": "a quoted name", "/*": "a comment"}
_CLOSERS = {TokenType.R_PAREN: TokenType.L_PAREN, TokenType.R_BRACKET: TokenType.L_BRACKET}
_DEEPEST = 40
# fmt: off
_STARTS = (
    "SELECT", "WITH", "VALUES", "PIVOT", "UNPIVOT", "CREATE", "INSERT", "REGISTER", "SET", "DROP", "SHOW",
    "DESCRIBE", "ISTREAM", "DSTREAM", "RSTREAM",
)
_FOREIGN = {
    "ALTER", "ANALYZE", "BEGIN", "CALL", "COMMIT", "COPY", "DELETE", "EXECUTE",
    "EXPLAIN", "GRANT", "LOAD", "MERGE", "REPLACE", "REVOKE", "ROLLBACK", "TRUNCATE",
    "UPDATE", "UPSERT", "USE", "VACUUM",
}
# fmt: on
_WORDS = sorted({*RESERVED, *KEYWORDS, *PHRASES} - {"FOR"})
_NEVER_BEFORE_AS = (
    TokenType.SELECT, TokenType.DISTINCT, TokenType.ALL, TokenType.WITH, TokenType.COMMA, TokenType.L_PAREN,
)  # fmt: skip
"""sqlglot drops an AS that follows one of these."""
_BEHIND = {
    **dict.fromkeys(("WHERE", "HAVING", "ON", "AND", "OR", "NOT", "WHEN"), "a condition"),
    **dict.fromkeys(("=", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "*", "/", "THEN", "ELSE"), "a value"),
    "FROM": "a stream or a relation",
}
"""What is expected where a statement ends too early."""


def parse(text: Text, *, double_quotes: bool = False) -> list[exp.Expression]:
    """The statements of a text; raises QueryError with the errors of all of them.

    With `double_quotes`, these enclose a text, as in the STREAM prototype, and not a name.
    """
    tokens, mistakes = _tokens(text)
    for token in tokens if double_quotes else ():
        if token.token_type == TokenType.IDENTIFIER and text.content[token.start] == '"':
            token.token_type = TokenType.STRING
    statements: list[exp.Expression] = []
    for chunk in _chunks(tokens):
        try:
            statements.append(_statement(chunk, text))
        except Refused as refused:
            mistakes.append(refused.diagnostic)
    if mistakes:
        raise QueryError(sorted(mistakes, key=lambda mistake: mistake.span.start if mistake.span else 0))
    return statements


def _tokens(text: Text) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens, up to the statement in which a quote is left open."""
    content, mistakes = text.content, []
    for lexeme in lexemes(content):
        if lexeme.text in _UNCLOSED:
            span = text.span(lexeme.start, lexeme.end)
            mistakes.append(errors.never_closed(span, _UNCLOSED[lexeme.text]))
            content = content[: content.rfind(";", 0, lexeme.start) + 1]
            break
    try:
        return whole_numbers(CQL().tokenize(content)), mistakes
    except Exception:
        # Any failure of the tokenizer is reported as a text that cannot be read.
        return [], [*mistakes, errors.unreadable(text.span())]


def _chunks(tokens: list[Token]) -> Iterator[list[Token]]:
    chunk: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            if chunk:
                yield chunk
            chunk = []
        else:
            # sqlglot interprets some comments; here they have no meaning.
            token.comments = []
            chunk.append(token)
    if chunk:
        yield chunk


def _statement(chunk: list[Token], text: Text) -> exp.Expression:
    whole = text.span(chunk[0].start, chunk[-1].end + 1)
    _check_tokens(chunk, text)
    _name_tokens(chunk)
    parser = CQLParser(error_level=ErrorLevel.IMMEDIATE, dialect=CQL())
    parser.text = text
    try:
        (statement,) = parser.parse(chunk, text.content)
        if wrong := misuse(statement, text):
            raise Refused(wrong)
        assert isinstance(statement, exp.Expression)
    except Refused as refused:
        raise Refused(_explained(refused.diagnostic, chunk, text)) from None
    except RecursionError:
        raise Refused(errors.too_deep(whole)) from None
    except Exception as cause:
        # sqlglot may raise any exception on a text that is not a query.
        raise Refused(_explained(errors.unreadable(whole), chunk, text)) from cause
    return statement


def _check_tokens(chunk: list[Token], text: Text) -> None:
    """Refuse tokens that sqlglot would parse as a name, as a command, or too slowly."""
    first = chunk[0]
    word = first.text.upper()
    if first.token_type != TokenType.IDENTIFIER and word in _FOREIGN:
        raise Refused(errors.unsupported_statement(_span(first, text)))
    names_operands = len(chunk) > 1 and chunk[1].token_type in NAMED_OPERATIONS
    if first.token_type != TokenType.L_PAREN and word not in (*_STARTS, "DESC") and not names_operands:
        hint = did_you_mean(word, _STARTS)
        raise Refused(errors.unexpected(_span(first, text), "a statement", hint))
    depth = 0
    for before, token in pairwise([first, *chunk]):
        if token.token_type == TokenType.ALIAS and before.token_type in _NEVER_BEFORE_AS:
            raise Refused(errors.unexpected(_span(token, text)))
        if token.token_type == TokenType.END and before.token_type == TokenType.ELSE:
            raise Refused(errors.unexpected(_span(token, text), "a value"))
        if token.token_type == TokenType.VAR and not is_name(token.text):
            raise Refused(errors.not_a_name(_span(token, text)))
        if token.token_type == TokenType.NUMBER and not _NUMBER.fullmatch(token.text):
            raise Refused(errors.not_a_number(_span(token, text)))
        if token.token_type == TokenType.PLACEHOLDER and not _is_quantifier(token, chunk):
            raise Refused(errors.unexpected(_span(token, text), hint="Name the parameter: :name."))
        depth += (token.token_type in _CLOSERS.values()) - (token.token_type in _CLOSERS)
        if depth > _DEEPEST:
            raise Refused(errors.too_deep(_span(token, text)))


def _is_quantifier(token: Token, chunk: list[Token]) -> bool:
    """Whether a question mark stands in a pattern of MATCH_RECOGNIZE."""
    before = [other.text.upper() for other in chunk if other.start < token.start]
    return "MATCH_RECOGNIZE" in before and "PATTERN" in before[before.index("MATCH_RECOGNIZE") :]


def _name_tokens(chunk: list[Token]) -> None:
    """WINDOW and FETCH are names unless they begin their clauses: WINDOW w AS, FETCH FIRST."""
    for place, token in enumerate(chunk):
        after = [other.text.upper() for other in chunk[place + 1 : place + 3]]
        if token.token_type == TokenType.WINDOW and after[1:] != ["AS"]:
            token.token_type = TokenType.VAR
        if token.token_type == TokenType.FETCH and after[:1] not in (["FIRST"], ["NEXT"]):
            token.token_type = TokenType.VAR


def _explained(diagnostic: Diagnostic, chunk: list[Token], text: Text) -> Diagnostic:
    """A better reason for a syntax error: an open bracket, a word of another language, a misspelt word."""
    if diagnostic.code not in ("syntax", "bad-window") or diagnostic.span is None:
        return diagnostic
    bracket = _unbalanced(chunk, text)
    if bracket is not None and bracket.span is not None and bracket.span.start <= diagnostic.span.start:
        return bracket
    if diagnostic.hint is None and (words := foreign(chunk, diagnostic.span.start, text)) is not None:
        return errors.not_ours(*words)
    if diagnostic.code == "syntax" and not diagnostic.span.content and not diagnostic.label:
        expected = _BEHIND.get(chunk[-1].text.upper(), "")
        return errors.unexpected(diagnostic.span, expected)
    if diagnostic.hint or diagnostic.label or not diagnostic.message.startswith("unexpected"):
        return diagnostic
    start = diagnostic.span.start
    if diagnostic.span.content.upper() in _STARTS and start > chunk[0].start:
        return errors.second_statement(diagnostic.span)
    before = [token for token in chunk if token.start <= start][-2:]
    for token in reversed(before):
        is_word = token.token_type == TokenType.VAR and len(token.text) > 3
        if is_word and (hint := did_you_mean(token.text, _words(chunk))):
            return errors.unexpected(_span(token, text), hint=hint)
    return diagnostic


def _words(chunk: list[Token]) -> list[str]:
    """The words that a statement may have; for a declaration also its clauses."""
    kind = chunk[1].text.upper() if len(chunk) > 1 else ""
    clauses = CLAUSES if kind in ("STREAM", "RELATION") else SINK_CLAUSES if kind == "SINK" else ()
    return [*_WORDS, *clauses]


def _unbalanced(chunk: list[Token], text: Text) -> Diagnostic | None:
    opened: list[Token] = []
    for token in chunk:
        if token.token_type in _CLOSERS.values():
            opened.append(token)
        elif token.token_type in _CLOSERS:
            if not opened:
                return errors.never_opened(_span(token, text))
            if opened[-1].token_type != _CLOSERS[token.token_type]:
                return errors.never_closed(_span(opened[-1], text), f'"{opened[-1].text}"')
            opened.pop()
    return errors.never_closed(_span(opened[-1], text), f'"{opened[-1].text}"') if opened else None


def _span(token: Token, text: Text) -> Span:
    return text.span(token.start, token.end + 1)
