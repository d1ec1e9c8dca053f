"""Tokens of direct constructors: tags, attribute values and element content.

    <a b="x{$y}">text {$z}</a>

    TAG <a   ATTRIBUTE b="   CHARACTERS x   { … }   "   >   CHARACTERS   { … }   END_TAG

References are resolved and white space at the boundaries is left out here, so that no other module needs to
know how the text was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from slackwater.base.diagnostic import Diagnostic
from slackwater.language.xquery import errors
from slackwater.language.xquery.errors import Refused
from slackwater.language.xquery.markup import NCNAME, QNAME, is_character
from slackwater.language.xquery.scanner import Frame, Scanner
from slackwater.language.xquery.tokens import Token

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


def begun(scanner: Scanner) -> Token | None:
    """A direct constructor that begins here."""
    content, start = scanner.content, scanner.position
    if content.startswith(("<!--", "<?"), start):
        return _markup(scanner)
    if found := _START.match(content, start):
        scanner.position = found.end()
        scanner.frames.append(Frame("tag", found[1], start))
        return scanner.token("TAG", start)
    return None


def resolved(scanner: Scanner, start: int) -> tuple[str, int]:
    """The character a reference at `start` stands for, and where it ends."""
    found = _REFERENCE.match(scanner.content, start)
    if found is None:
        raise Refused(errors.raw_ampersand(scanner.span(start, start + 1)))
    span = scanner.span(start, found.end())
    if found["name"]:
        if found["name"] not in ENTITIES:
            raise Refused(errors.unknown_entity(span, found["name"], ENTITIES))
        return ENTITIES[found["name"]], found.end()
    digits = found["hex"] or found["dec"]
    code = int(digits, 16 if found["hex"] else 10) if len(digits) < 9 else 0
    if not is_character(code):
        raise Refused(errors.bad_character(span))
    return chr(code), found.end()


def unquoted(scanner: Scanner, token: Token) -> str:
    """The string that a string literal stands for."""
    quote, position, parts = token[0], token.start + 1, []
    end = token.end - 1
    while position < end:
        char = scanner.content[position]
        if char == "&":
            char, position = resolved(scanner, position)
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
    if found := _ATTRIBUTE.match(scanner.content, start):
        scanner.position = found.end()
        scanner.frames.append(Frame("attribute", found[2], start))
        return scanner.token("ATTRIBUTE", start, found[1])
    if found := _BARE_ATTRIBUTE.match(scanner.content, start):
        raise Refused(errors.unquoted_attribute(scanner.span(start, found.end()), found[1]))
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
        char, scanner.position = resolved(scanner, start)
        return char
    if char == "}" and not doubled:
        raise Refused(errors.lonely_brace(scanner.span(start, start + 1)))
    if char == "<":
        message = errors.unexpected(scanner.span(start, start + 1), hint='In a value "<" is written "&lt;".')
        raise Refused(message)
    crlf = scanner.content.startswith("\r\n", start)
    scanner.position += 2 if crlf or (doubled and char in doubling) else 1
    # Every white space character of a value as written is a space (XML 1.0, 3.3.3).
    return " " if char in "\t\r\n" else char


def _content(scanner: Scanner) -> Token:
    """Inside an element: characters, an expression, a constructor, or the end tag."""
    start, parts, written = scanner.position, [], True
    while scanner.position < len(scanner.content):
        char = scanner.content[scanner.position]
        if char == "<":
            cdata = _CDATA.match(scanner.content, scanner.position)
            if cdata is None:
                break
            scanner.position = cdata.end()
            parts.append(_LINE_END.sub("\n", cdata[1]))
            written = False
        elif char in "{}" and not scanner.content.startswith(char * 2, scanner.position):
            if char == "}":
                raise Refused(errors.lonely_brace(scanner.span(scanner.position, scanner.position + 1)))
            break
        else:
            written = written and char != "&"
            parts.append(_character(scanner, char))
    text = "".join(parts)
    if not text or (written and not scanner.preserve and not text.strip(" \t\n")):
        return _markup(scanner)
    return scanner.token("CHARACTERS", start, text)


def _character(scanner: Scanner, char: str) -> str:
    """One character of an element's content."""
    if char == "&":
        char, scanner.position = resolved(scanner, scanner.position)
        return char
    crlf = scanner.content.startswith("\r\n", scanner.position)
    scanner.position += 2 if char in "{}" or crlf else 1
    return "\n" if char == "\r" else char


def _markup(scanner: Scanner) -> Token:
    """What begins with `<` or `{`."""
    start = scanner.position
    if start >= len(scanner.content):
        raise Refused(_open(scanner, scanner.frames[-1]))
    if scanner.content[start] == "{":
        return _brace(scanner)
    for pattern, kind in ((_COMMENT, "COMMENT"), (_INSTRUCTION, "INSTRUCTION")):
        if token := scanner.take(pattern, kind):
            return token
    if found := _BAD_COMMENT.match(scanner.content, start):
        raise Refused(errors.bad_comment(scanner.span(found.start(1), found.end(1))))
    for opening, what in _UNCLOSED.items():
        if scanner.content.startswith(opening, start):
            raise Refused(errors.never_closed(scanner.span(start, start + len(opening)), what))
    if found := _END.match(scanner.content, start):
        return _end_tag(scanner, found)
    if token := begun(scanner):
        return token
    hint = 'In text "<" is written "&lt;".'
    raise Refused(errors.unexpected(scanner.span(start, start + 1), "a tag", hint))


def _end_tag(scanner: Scanner, found: re.Match[str]) -> Token:
    frame = scanner.frames[-1]
    if found[1] != frame.name or not found[0].endswith(">"):
        raise Refused(errors.other_end_tag(scanner.span(found.start(), found.end()), frame.name))
    scanner.position = found.end()
    scanner.frames.pop()
    return scanner.token("END_TAG", found.start())


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
