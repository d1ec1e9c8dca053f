"""Tokens of direct constructors: tags, attribute values and element content.

    <a b="x{$y}">text {$z}</a>

    TAG <a   ATTRIBUTE b="   CHARACTERS x   { … }   "   >   CHARACTERS   { … }   END_TAG

References are resolved and boundary white space is dropped here, so that no other module depends on the
spelling of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from slackwater.base.diagnostic import Diagnostic
from slackwater.language.xquery import errors
from slackwater.language.xquery.errors import Refused
from slackwater.language.xquery.markup import NCNAME, QNAME, is_character
from slackwater.language.xquery.scan.scanner import Frame, Scanner
from slackwater.language.xquery.scan.tokens import Token

_START = re.compile(rf"<({QNAME})")
_END = re.compile(rf"</({QNAME})?\s*>?")
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!-))*-->")
_BAD_COMMENT = re.compile(r"<!--(?:[^-]|-(?!-))*(--)(?=.*?-->)", re.DOTALL)
_INSTRUCTION = re.compile(rf"<\?{NCNAME}(?:\s(?:[^?]|\?(?!>))*)?\?>")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_ATTRIBUTE = re.compile(rf"({QNAME})\s*=\s*([\"'])")
_BARE_ATTRIBUTE = re.compile(rf"({QNAME})(?:\s*=\s*)?")
_REFERENCE = re.compile(r"&(?:#x(?P<hex>[0-9A-Fa-f]+)|#(?P<dec>[0-9]+)|(?P<name>[\w.\-]+));")
_LINE_END = re.compile(r"\r\n?")
_UNCLOSED = {"<!--": "a comment", "<?": "a processing instruction", "<![CDATA[": "a CDATA section"}

ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def start_constructor(scanner: Scanner) -> Token | None:
    """A direct constructor that begins here."""
    content, start = scanner.content, scanner.position
    if content.startswith(("<!--", "<?"), start):
        return _markup(scanner)
    if match := _START.match(content, start):
        scanner.position = match.end()
        scanner.frames.append(Frame("tag", match[1], start))
        return scanner.token("TAG", start)
    return None


def resolve_reference(scanner: Scanner, start: int) -> tuple[str, int]:
    """The character of the reference at `start`, and where the reference ends."""
    match = _REFERENCE.match(scanner.content, start)
    if match is None:
        raise Refused(errors.raw_ampersand(scanner.span(start, start + 1)))
    span = scanner.span(start, match.end())
    if match["name"]:
        if match["name"] not in ENTITIES:
            raise Refused(errors.unknown_entity(span, match["name"], ENTITIES))
        return ENTITIES[match["name"]], match.end()
    digits = match["hex"] or match["dec"]
    code = int(digits, 16 if match["hex"] else 10) if len(digits) < 9 else 0
    if not is_character(code):
        raise Refused(errors.bad_character(span))
    return chr(code), match.end()


def unquote(scanner: Scanner, token: Token) -> str:
    """The value of a string literal."""
    quote, position, parts = token[0], token.start + 1, []
    end = token.end - 1
    while position < end:
        char = scanner.content[position]
        if char == "&":
            char, position = resolve_reference(scanner, position)
        else:
            position += 2 if char == quote or scanner.content.startswith("\r\n", position) else 1
            char = "\n" if char == "\r" else char
        parts.append(char)
    return "".join(parts)


def _tag(scanner: Scanner) -> Token:
    """Inside a start tag: an attribute, or the tag's end."""
    frame, begin = scanner.frames[-1], scanner.position
    while scanner.content[scanner.position : scanner.position + 1].isspace():
        scanner.position += 1
    start = scanner.position
    if scanner.content.startswith("/>", start):
        scanner.position += 2
        scanner.frames.pop()
        return scanner.token("TAG_EMPTY", start)
    if scanner.content.startswith(">", start):
        scanner.position += 1
        scanner.frames[-1] = Frame("content", frame.name, frame.start)
        return scanner.token("_TAG_END", start)
    if start == begin and _ATTRIBUTE.match(scanner.content, start):
        raise Refused(errors.unexpected(scanner.span(start, start + 1), "white space before an attribute"))
    if match := _ATTRIBUTE.match(scanner.content, start):
        scanner.position = match.end()
        scanner.frames.append(Frame("attribute", match[2], start))
        return scanner.token("ATTRIBUTE", start, match[1])
    if match := _BARE_ATTRIBUTE.match(scanner.content, start):
        raise Refused(errors.unquoted_attribute(scanner.span(start, match.end()), match[1]))
    if start >= len(scanner.content):
        raise Refused(_open(scanner, frame))
    raise Refused(errors.unexpected(scanner.span(start, start + 1), 'an attribute, ">" or "/>"'))


def _attribute(scanner: Scanner) -> Token:
    """Inside an attribute's value: characters, an expression, or the closing quote."""
    frame = scanner.frames[-1]
    start = scanner.position
    parts: list[str] = []
    while scanner.position < len(scanner.content):
        char = scanner.content[scanner.position]
        doubled = scanner.content.startswith(char * 2, scanner.position)
        if char == frame.name and not doubled:
            if not parts:
                scanner.position += 1
                scanner.frames.pop()
                return scanner.token("_ATTRIBUTE_END", start)
            break
        if char == "{" and not doubled:
            break
        parts.append(_piece(scanner, char, doubled, frame.name + "{}"))
    else:
        raise Refused(errors.never_closed(scanner.span(frame.start, frame.start + 1), "an attribute's value"))
    return scanner.token("CHARACTERS", start, "".join(parts)) if parts else _brace(scanner)


def _piece(scanner: Scanner, char: str, doubled: bool, doubling: str) -> str:
    """One character of an attribute's value."""
    start = scanner.position
    if char == "&":
        char, scanner.position = resolve_reference(scanner, start)
        return char
    if char == "}" and not doubled:
        raise Refused(errors.stray_brace(scanner.span(start, start + 1)))
    if char == "<":
        message = errors.unexpected(scanner.span(start, start + 1), hint='Write "&lt;" for "<" in a value.')
        raise Refused(message)
    crlf = scanner.content.startswith("\r\n", start)
    scanner.position += 2 if crlf or (doubled and char in doubling) else 1
    # Every literal white space character of a value is a space (XML 1.0, 3.3.3).
    return " " if char in "\t\r\n" else char


def _content(scanner: Scanner) -> Token:
    """Inside an element: characters, an expression, a constructor, or the end tag."""
    start, parts, is_literal = scanner.position, [], True
    while scanner.position < len(scanner.content):
        char = scanner.content[scanner.position]
        if char == "<":
            cdata = _CDATA.match(scanner.content, scanner.position)
            if cdata is None:
                break
            scanner.position = cdata.end()
            parts.append(_LINE_END.sub("\n", cdata[1]))
            is_literal = False
        elif char in "{}" and not scanner.content.startswith(char * 2, scanner.position):
            if char == "}":
                raise Refused(errors.stray_brace(scanner.span(scanner.position, scanner.position + 1)))
            break
        else:
            is_literal = is_literal and char != "&"
            parts.append(_character(scanner, char))
    text = "".join(parts)
    if not text or (is_literal and not scanner.preserve and not text.strip(" \t\n")):
        return _markup(scanner)
    return scanner.token("CHARACTERS", start, text)


def _character(scanner: Scanner, char: str) -> str:
    """One character of an element's content."""
    if char == "&":
        char, scanner.position = resolve_reference(scanner, scanner.position)
        return char
    crlf = scanner.content.startswith("\r\n", scanner.position)
    scanner.position += 2 if char in "{}" or crlf else 1
    return "\n" if char == "\r" else char


def _markup(scanner: Scanner) -> Token:
    """A token that begins with `<` or `{`."""
    start = scanner.position
    if start >= len(scanner.content):
        raise Refused(_open(scanner, scanner.frames[-1]))
    if scanner.content[start] == "{":
        return _brace(scanner)
    for pattern, kind in ((_COMMENT, "COMMENT"), (_INSTRUCTION, "INSTRUCTION")):
        if token := scanner.take(pattern, kind):
            return token
    if match := _BAD_COMMENT.match(scanner.content, start):
        raise Refused(errors.bad_comment(scanner.span(match.start(1), match.end(1))))
    for opening, what in _UNCLOSED.items():
        if scanner.content.startswith(opening, start):
            raise Refused(errors.never_closed(scanner.span(start, start + len(opening)), what))
    if match := _END.match(scanner.content, start):
        return _end_tag(scanner, match)
    if token := start_constructor(scanner):
        return token
    hint = 'In text "<" is written "&lt;".'
    raise Refused(errors.unexpected(scanner.span(start, start + 1), "a tag", hint))


def _end_tag(scanner: Scanner, match: re.Match[str]) -> Token:
    frame = scanner.frames[-1]
    if match[1] != frame.name or not match[0].endswith(">"):
        raise Refused(errors.other_end_tag(scanner.span(match.start(), match.end()), frame.name))
    scanner.position = match.end()
    scanner.frames.pop()
    return scanner.token("END_TAG", match.start())


def _brace(scanner: Scanner) -> Token:
    start = scanner.position
    scanner.position += 1
    scanner.frames.append(Frame("braces", "", start))
    scanner.brackets.append(Frame("{", "", start))
    return scanner.token("_LBRACE", start)


def _open(scanner: Scanner, frame: Frame) -> Diagnostic:
    span = scanner.span(frame.start, frame.start + len(frame.name) + 1)
    return errors.never_closed(span, f'"<{frame.name}>"')


READERS: dict[str, Callable[[Scanner], Token]] = {"tag": _tag, "attribute": _attribute, "content": _content}
