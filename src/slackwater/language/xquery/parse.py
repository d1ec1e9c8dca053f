"""Text -> syntax tree, or the diagnostics of the text."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic, QueryError, did_you_mean
from slackwater.base.span import Text
from slackwater.language.xquery import errors, problems
from slackwater.language.xquery.build import Build
from slackwater.language.xquery.check import misuses
from slackwater.language.xquery.errors import Refused
from slackwater.language.xquery.lalr import UnexpectedToken, parse_tokens
from slackwater.language.xquery.markup import NOT_XML
from slackwater.language.xquery.scan import words
from slackwater.language.xquery.scan.expressions import tokens
from slackwater.language.xquery.scan.scanner import Scanner
from slackwater.language.xquery.scan.tokens import END, Token
from slackwater.language.xquery.syntax import Module, children
from slackwater.language.xquery.tables import tables

_DEEPEST = 150
_KEYWORDS = (*words.OPERATOR_WORDS, "order by", "element", "attribute", "if", "some", "every")


def parse(text: Text) -> Module:
    """Parse and check a query; a QueryError lists everything wrong with it."""
    try:
        module = read(text)
    except Refused as refused:
        raise QueryError(refused.diagnostic) from None
    except RecursionError:
        raise QueryError(errors.too_deep(text.span())) from None
    if diagnostics := misuses(module):
        raise QueryError(diagnostics)
    return module


def read(text: Text) -> Module:
    """Parse a query without checking its names; Refused at the first syntax error."""
    if wrong := NOT_XML.search(text.content):
        raise Refused(errors.bad_character(text.span(wrong.start(), wrong.end())))
    scanner = Scanner(text)
    try:
        module: Module = parse_tokens(tokens(scanner), tables(), Build(scanner))
    except UnexpectedToken as error:
        raise Refused(_explain(error, scanner)) from None
    _check_depth(module)
    return module


def _check_depth(module: Module) -> None:
    level, depth = [*children(module)], 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise Refused(errors.too_deep(level[0].span or Text("", "").span()))
        level = [child for node in level for child in children(node)]


def _explain(error: UnexpectedToken, scanner: Scanner) -> Diagnostic:
    """The diagnostic of a syntax error: what was expected, and a hint at the likely mistake."""
    token, accepted, text = error.token, error.accepted, scanner.text
    if token.kind == END:
        if scanner.brackets:
            opened = scanner.brackets[-1]
            span = text.span(opened.start, opened.start + 1)
            return errors.never_closed(span, f'"{opened.kind}"')
        size = len(text.content.rstrip())
        hint = _missing(accepted, "") or _lonely_word(scanner.last)
        return errors.unexpected(text.span(size, size), words.expected(accepted), hint)
    span = text.span(token.start, token.end)
    if token.kind == "WINDOW":
        return problems.MISPLACED_WINDOW.at(span)
    if token.kind == "BEST_MATCH":
        return problems.MISPLACED_BEST_MATCH.at(span)
    before = scanner.last[:-1] if scanner.last and scanner.last[-1] is token else scanner.last
    return errors.unexpected(span, words.expected(accepted), _hint(token, before, accepted))


def _hint(token: Token, before: list[Token], accepted: set[str]) -> str | None:
    previous = str(before[-1]) if before else ""
    word = token.split()[0] if token.split() else ""
    if token == "=" and previous == "=":
        return 'Values are compared with "=", or one by one with "eq".'
    if token == "=" and "_ASSIGN" in accepted:
        return 'A variable is bound with ":=".'
    if token == ":=":
        return 'A for binds with "in".' if "_IN" in accepted else 'Values are compared with "=".'
    if token.kind == "STRANGE":
        return {"&": 'Conditions are joined with "and".', "!": 'Write "not( ... )".'}.get(str(token))
    if token == "|" and previous == "|":
        return 'Conditions are joined with "or".'
    if token.kind == "NAME" and (near := did_you_mean(word, _KEYWORDS)) and word not in _KEYWORDS:
        return near
    if accepted == {"NAME"} and previous == ")":
        return "Write the order of the dimension after its parenthesis, such as min or max."
    return _lonely_word(before) or _missing(accepted, word)


def _lonely_word(before: list[Token]) -> str | None:
    """A hint for a keyword that was read as a name because something is missing after it."""
    previous = str(before[-1]) if before and before[-1].kind == "NAME" else ""
    if previous in words.BINDERS:
        return f'Variables begin with "$": write {previous} $x.'
    if previous == "if":
        return "Put the condition of an if in parentheses."
    return None


def _missing(accepted: set[str], word: str) -> str | None:
    if "_RETURN" in accepted:
        return 'A for or let ends with "return" and what it gives.'
    if "_THEN" in accepted and word != "then":
        return 'An if needs "then" after its condition.'
    if "_SATISFIES" in accepted:
        return 'A quantified expression ends with "satisfies" and a condition.'
    return None
