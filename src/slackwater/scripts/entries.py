"""Scripts of the STREAM prototype: a list of `key : value` entries.

    table  : register stream S (A integer);      declares a source
    source : data/S.dat                          where the rows of the table before it come from
    vquery : select A/2 from S;                  a query ...
    vtable : register stream V (half integer);   ... that gets a name, a kind and column names
    query  : select half from V;                 a query ...
    dest   : out/V                               ... whose answer goes there

A value may go on over the next lines; a line that begins with `#` is a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from slackwater.base.diagnostic import Diagnostic, QueryError, did_you_mean
from slackwater.base.span import Span, Text
from slackwater.scripts import problems
from slackwater.texts.cutouts import cutout

KEYS = ("table", "source", "vquery", "vtable", "query", "dest")
_ENTRY = re.compile(r"[ \t]*(\w+)[ \t]*:")
_BELONGS = {"source": "table", "vtable": "vquery", "dest": "query"}


@dataclass(slots=True)
class Entry:
    """A key with its value; `follower` is the source, vtable or dest that belongs to it."""

    key: str
    key_span: Span
    lines: list[Span]
    follower: Entry | None = None

    @property
    def piece(self) -> Span:
        """The value, from its first character to its last."""
        spans = [span for span in self.lines if span.content.strip()]
        if not spans:
            return self.key_span
        first, last = spans[0], spans[-1]
        indent = len(first.content) - len(first.content.lstrip())
        return first.text.span(first.start + indent, last.start + len(last.content.rstrip()))

    @property
    def text(self) -> Text:
        """The value alone, every character at its place in the script."""
        return cutout(self.key_span.text, self.lines)

    @property
    def path(self) -> str:
        """The value as a path."""
        return " ".join(span.content.strip() for span in self.lines).strip().removesuffix(";").rstrip()


def read_script(text: Text) -> list[Entry]:
    """The tables, vqueries and queries in order, each with its follower; raises QueryError."""
    mistakes: list[Diagnostic] = []
    heads: list[Entry] = []
    for entry in _entries(text, mistakes):
        if entry.key not in KEYS:
            mistakes.append(_unknown_key(entry))
        elif not entry.path:
            mistakes.append(problems.SCRIPT_NO_VALUE.at(entry.key_span, key=entry.key))
        elif entry.key not in _BELONGS:
            heads.append(entry)
        elif not heads or heads[-1].key != _BELONGS[entry.key]:
            before = _BELONGS[entry.key]
            mistakes.append(problems.NOTHING_BEFORE.at(entry.key_span, key=entry.key, before=before))
        elif heads[-1].follower:
            head = heads[-1].key
            mistakes.append(problems.SECOND_FOLLOWER.at(entry.key_span, head=head, key=entry.key))
        else:
            heads[-1].follower = entry
    needed = {"table": "source", "vquery": "vtable"}
    if not mistakes:
        mistakes += [
            problems.SCRIPT_INCOMPLETE.at(entry.key_span, head=entry.key, missing=needed[entry.key])
            for entry in heads
            if entry.key in needed and not entry.follower
        ]
        if not any(entry.key == "query" for entry in heads):
            mistakes.append(problems.SCRIPT_NO_QUERY.at(where=text.name))
    if mistakes:
        raise QueryError(mistakes)
    return heads


def _entries(text: Text, mistakes: list[Diagnostic]) -> list[Entry]:
    entries: list[Entry] = []
    start = 0
    for line in text.content.split("\n"):
        end = start + len(line)
        match = _ENTRY.match(line)
        if match:
            key = text.span(start + match.start(1), start + match.end(1))
            entries.append(Entry(match[1].lower(), key, [text.span(start + match.end(), end)]))
        elif line.strip() and not line.lstrip().startswith("#"):
            if entries:
                entries[-1].lines.append(text.span(start, end))
            else:
                mistakes.append(problems.SCRIPT_NO_KEY.at(text.span(start, end)))
        start = end + 1
    return entries


def _unknown_key(entry: Entry) -> Diagnostic:
    return problems.SCRIPT_UNKNOWN_KEY.at(
        entry.key_span, key=entry.key, keys=", ".join(KEYS), hint=did_you_mean(entry.key, KEYS)
    )
