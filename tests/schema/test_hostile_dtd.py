"""A hostile DTD ends in a diagnostic; each runs in its own process, with bounded memory and time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable

import pytest

MANY = 200_000
MEMORY = 1 << 29
SECONDS = 30
READING = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
from slackwater.base.span import Text
from slackwater.schema.dtd import read_dtd, read_internal_dtd
from slackwater.schema.errors import SchemaError
try:
    (read_internal_dtd if sys.argv[1] == "document" else read_dtd)(Text("hostile", sys.stdin.read()))
except SchemaError as error:
    print(*(each.code for each in error.diagnostics))
"""


def codes(text: str, how: str = "file") -> str:
    """The codes of the diagnostics for a DTD."""
    done = subprocess.run(
        [sys.executable, "-c", READING, how], input=text, capture_output=True, text=True, timeout=SECONDS
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def chain(declared: Callable[[int], str], many: int = MANY) -> str:
    return "".join(map(declared, range(many)))


def doubled(times: int, first: str, middle: str = "") -> Iterable[str]:
    """Entities, each of which holds the one before it twice."""
    yield f'<!ENTITY % e0 "{first}">'
    for number in range(times):
        yield f'<!ENTITY % e{number + 1} "%e{number};{middle}%e{number};">'


GENERAL = chain(lambda number: f'<!ENTITY e{number} "&e{number + 1};">')
PARAMETER = chain(lambda number: f'<!ENTITY % e{number} "&#37;e{number + 1};">')
INNER = chain(lambda number: f"<!ENTITY e{number} '&#38;e{number + 1};'>")
USE = '<!ELEMENT a EMPTY><!ATTLIST a x CDATA "&e0;">'

DEEP = {
    "written out": f"<!ELEMENT a {'(' * MANY}b{')' * MANY}>",
    "without end": f"<!ELEMENT a {'(' * MANY}",
    "by doubling": "".join(doubled(18, "(")) + "<!ELEMENT a %e18;",
    "by halves": f'<!ENTITY % l "{"(" * 50}"><!ENTITY % r "{")" * 50}">'
    f"<!ELEMENT a {'%l;' * 4000}b{'%r;' * 4000}>",
    "by nesting": '<!ENTITY % e0 "b">'
    + "".join(f'<!ENTITY % e{number + 1} "{"(" * 90}%e{number};{")" * 90}">' for number in range(100))
    + "<!ELEMENT a (%e100;)>",
    "late": '<!ENTITY % e0 "&#40;&#37;e1;"><!ENTITY % e1 "' + "(" * MANY + '"><!ELEMENT a %e0;',
}
BOMBS = {
    "a chain of entities": GENERAL + USE,
    "a chain of parameter entities": PARAMETER + "%e0;<!ELEMENT a EMPTY>",
    "a chain inside the text of an entity": PARAMETER + '<!ENTITY x "%e0;"><!ELEMENT a EMPTY>',
    "a chain that an entity declares and uses": f"""<!ENTITY % all "{INNER}
        <!ATTLIST a x CDATA '&#38;e0;'>">%all;""",
    "names that double": "".join(doubled(40, "b", "|")) + "<!ELEMENT a (%e40;)>",
    "names that double a little": "".join(doubled(19, "b", "|")) + "<!ELEMENT a (%e19;)>",
    "names in many elements": "".join(doubled(9, "b", "|"))
    + chain(lambda number: f"<!ELEMENT a{number} (%e9;)>", 3000),
    "attributes in many elements": f'<!ENTITY % all "{chain(lambda i: f"x{i} CDATA #IMPLIED ", 3000)}">'
    + chain(lambda number: f"<!ATTLIST a{number} %all;>", 3000),
    "a default value": '<!ENTITY e0 "x">'
    + "".join(f'<!ENTITY e{number + 1} "{f"&e{number};" * 10}">' for number in range(12))
    + USE.replace("e0", "e12"),
    "the same, many times": f'<!ENTITY e0 "{"x" * 60_000}">' + USE.replace("&e0;", "&e0;" * 50_000),
}


@pytest.mark.parametrize("name", DEEP)
def test_parentheses_may_not_nest_beyond_all_bounds(name: str) -> None:
    assert codes(DEEP[name]) == "oversized-content"


@pytest.mark.parametrize("name", BOMBS)
def test_entities_may_not_grow_beyond_all_bounds(name: str) -> None:
    assert codes(BOMBS[name]) == "entity-bomb"


@pytest.mark.parametrize("declared", ["", '<?xml version="1.0" standalone="yes"?>'])
def test_a_document_cannot_do_what_a_file_cannot(declared: str) -> None:
    assert codes(f"{declared}<!DOCTYPE a [{GENERAL + USE}]>", "document") == "entity-bomb"
    assert codes(f"{declared}<!DOCTYPE a [{PARAMETER}%e0;]>", "document") == "entity-bomb"
    assert codes(f"{declared}<!DOCTYPE a [{DEEP['written out']}]>", "document") == "oversized-content"


@pytest.mark.parametrize("use", [GENERAL + USE, PARAMETER + "%e0;"], ids=["general", "parameter"])
def test_nothing_is_read_after_a_mistake(use: str) -> None:
    assert codes(f"%unknown;{use}") == "unknown-entity"
    assert codes(f"<!ELEMENT b EMPTY><!ELEMENT b EMPTY>{use}") == "bad-schema"


def test_sections_may_nest() -> None:
    text = "<![INCLUDE[" * MANY + "<!ELEMENT a EMPTY>" + "]]>" * MANY
    assert codes(text) == ""


def test_a_model_may_not_be_wider_than_an_automaton_can_be() -> None:
    names = "|".join(f"b{number}" for number in range(MANY))
    assert codes(f"<!ELEMENT a ({names})*>") == "oversized-content"
    assert codes(f"<!ELEMENT a (#PCDATA|{names})*>") == "oversized-content"
