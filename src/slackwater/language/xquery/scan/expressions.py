"""Text -> tokens. XQuery has no reserved words, so the kind of a word depends on what is before it.

    for $for in /for/return return <return for="{ $for }"> for </return>
    ──────── ── ───────────        ────────────────────────────────────
    keyword, variable, names       a tag, a brace, characters of text

After an operand only an operator may follow, elsewhere only an operand: this decides whether `*` is a
wildcard or a product, and `return` a name or a keyword. Tags, attribute values and element content have
rules of their own (`tags`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from slackwater.base.diagnostic import Diagnostic
from slackwater.language.xquery import errors, problems
from slackwater.language.xquery.errors import Refused
from slackwater.language.xquery.markup import NAME
from slackwater.language.xquery.scan import tags, words
from slackwater.language.xquery.scan.scanner import Frame, Scanner
from slackwater.language.xquery.scan.tokens import END, Token


def tokens(scanner: Scanner) -> Iterator[Token]:
    """The tokens of the scanner's text, and one for its end."""
    while True:
        mode = scanner.frames[-1].kind if scanner.frames else "braces"
        token = _expression(scanner) if mode == "braces" else tags.READERS[mode](scanner)
        if token is None:
            yield Token(END, "", scanner.position, scanner.position)
            return
        scanner.last = [*scanner.last[-2:], token]
        yield token


def _expression(scanner: Scanner) -> Token | None:
    scanner.position = scanner.skip(scanner.position)
    if scanner.position >= len(scanner.content):
        return None
    if scanner.previous in ("", "VERSION", "_SEMI") and (token := _prolog(scanner)):
        return token
    if scanner.previous in ("_AS", "INSTANCE_OF", "TREAT_AS") and (token := scanner.take(words.TYPE, "TYPE")):
        return token
    if scanner.previous in ("CAST_AS", "CASTABLE_AS") and (token := scanner.take(words.SINGLE_TYPE, "TYPE")):
        return token
    if scanner.frames and (match := words.END_TAG.match(scanner.content, scanner.position)):
        raise Refused(_open_brace(scanner, match.end()))
    after = scanner.previous in words.OPERANDS
    token = _operator(scanner) if after else _operand(scanner)
    return token or _anywhere(scanner)


def _open_brace(scanner: Scanner, end: int) -> Diagnostic:
    """An end tag in an expression: as an expression, `a </b> c` would make no sense."""
    start = scanner.frames[-1].start
    tag = scanner.content[scanner.position : end]
    hint = f'A "}}" is missing before "{tag}".'
    return replace(errors.never_closed(scanner.span(start, start + 1), '"{"'), hint=hint)


def _prolog(scanner: Scanner) -> Token | None:
    for pattern, kind in words.PROLOG:
        if token := scanner.take(pattern, kind):
            if kind == "BOUNDARY_SPACE":
                scanner.preserve = token.endswith("preserve")
            return token
    _refuse(scanner, words.FOREIGN_PROLOG)
    return None


def _refuse(scanner: Scanner, foreign: re.Pattern[str]) -> None:
    """Raise if a construct of XQuery that is not supported begins here."""
    if match := foreign.match(scanner.content, scanner.position):
        what = " ".join(match[0].split())
        raise Refused(errors.unsupported(scanner.span(match.start(), match.end()), f'"{what}"'))


def _operator(scanner: Scanner) -> Token | None:
    """A token that only follows an operand."""
    if match := NAME.match(scanner.content, scanner.position):
        for pattern, kind in words.OPERATOR_PHRASES:
            if token := scanner.take(pattern, kind):
                return token
        _refuse(scanner, words.FOREIGN_CLAUSE)
        if match[0] in words.OPERATOR_WORDS:
            return scanner.take(NAME, words.OPERATOR_WORDS[match[0]])
    if scanner.previous in words.UNITS and (token := tags.start_constructor(scanner)):
        return token
    if token := scanner.take(words.WINDOW, "WINDOW"):
        return token
    if match := words.ALMOST_WINDOW.match(scanner.content, scanner.position):
        raise Refused(problems.NOT_A_WINDOW.at(scanner.span(match.start(), match.end())))
    return None


def _operand(scanner: Scanner) -> Token | None:
    """A token that never follows an operand."""
    _refuse(scanner, words.FOREIGN)
    if scanner.previous == "NAMED" and (token := scanner.take(NAME, "NAME")):
        return token
    if token := tags.start_constructor(scanner):
        return token
    for pattern, kind in ((words.AXIS, "AXIS"), (words.WILDCARD, "NAME"), (words.KIND_TEST, "KIND_TEST")):
        if token := scanner.take(pattern, kind):
            return token
    if match := NAME.match(scanner.content, scanner.position):
        return scanner.take(NAME, _word(scanner, match[0], match.end()))
    return None


def _word(scanner: Scanner, word: str, end: int) -> str:
    """The kind of a word in the place of an operand: it depends on what follows."""
    after = scanner.skip(end)
    following = scanner.content[after : after + 1]
    if following == "$" and word in words.BINDERS:
        return words.BINDERS[word]
    if following == "(":
        return "_IF" if word == "if" else "FUNCTION"
    if following == "{" and word in ("text", "document", "comment"):
        return "UNNAMED"
    if word in ("element", "attribute"):
        name = NAME.match(scanner.content, after)
        brace = scanner.skip(name.end()) if name else after
        if scanner.content[brace : brace + 1] == "{":
            return "NAMED"
    return "NAME"


def _anywhere(scanner: Scanner) -> Token:
    """Literals, variables and signs; the parser reports those that are not allowed here."""
    for pattern, kind in (*words.LITERALS, (words.VARIABLE, "VARIABLE"), (NAME, "NAME")):
        if token := scanner.take(pattern, kind):
            return token
    start = scanner.position
    if scanner.content[start] in "\"'":
        raise Refused(errors.never_closed(scanner.span(start, start + 1), "a string"))
    if match := words.SIGN.match(scanner.content, start):
        scanner.position = match.end()
        _bracket(scanner, match[0], start)
        return scanner.token(words.SIGNS[match[0]], start)
    scanner.position += 1
    return scanner.token("STRANGE", start)


def _bracket(scanner: Scanner, sign: str, start: int) -> None:
    if sign in "([{":
        scanner.brackets.append(Frame(sign, "", start))
    elif sign in ")]}" and scanner.brackets:
        scanner.brackets.pop()
    if sign == "{":
        scanner.frames.append(Frame("braces", "", start))
    elif sign == "}" and scanner.frames:
        scanner.frames.pop()
