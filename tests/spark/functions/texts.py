"""Random texts of JSON and URLs, right and wrong ones."""

from __future__ import annotations

import random

BAD_JSON = (
    "", " ", "{", "[1,]", '{"a":1', '{"a":01}', '{"a":NaN}', "{'a': 'it\\'s \"b\"'}", '{"a":1} x', "1b",
    "true1", "tru", '"x"y', " 12 ", "null", '{"a":null,"a":[2]}', '{"a":"\\ud83d"}',
    '{"a":"\\ud83d\\ude00"}', '{"a":"\\q"}', "[1]]",
    '{"a":-0,"b":[1e2,1.10,1E-5,-0.0,12345678901234567890,1e400]}', '{"a":"\x01\x7f\\u001f/\\/"}',
    "[[[1],2],[[3]]]", '{"a":{"b":[{"c":1},{"c":[2,3]},{"d":4}]}}', '[{"a":[]},{"a":[1]},{"a":[2,3]}]',
    "[]", "{}", "-", "[1 2]",
)  # fmt: skip
URLS = (
    "", "a b", "http://", "http:///a", "mailto:a@b.c#d", "//h/p", "a:b", ":a", "1a:b", "a/b:c", "?x=1",
    "#f", "http://[::1]:8/", "http://[::1%25en0]/", "http://[1:2:3]/", "http://ex_a.com/p",
    "http://1.2.3.4:80/", "http://1.2.3.256/", "http://a.1/", "http://a..b/", "http://-a.com/",
    "http://a-.com/", "http://a.com.:99/", "http://a:b@c:d@e/", "http://@h/", "http://h:/x",
    "http://h:99999999999/", "http://ü.de/ä?ö=ß#é", "http://h/%zz", "http://h/%41?q=%20",
    "http://h/a?x=1&y=&xx=3&x=4#x=5", "http://h/p^", "http://h?a=b", "http://h#", "http://h/?",
    "ftp://u:p@h.x/f;a=b", "HTTP://H/", "http://u%@h/", "http://[::1]x/", "http://[1::2:1.2.3.4]/",
    "http://h:8x/", "http://1/", "http://1./", "http://x.y1/", "http://[]/", "jdbc:mysql://h/d?a=1",
)  # fmt: skip


def json_text(draw: random.Random, depth: int = 3) -> str:
    """JSON with few names, so that paths lead somewhere."""
    kind = draw.choice("onas" if depth == 3 else "oaasnw" if depth else "snw")
    if kind == "o":
        names = [draw.choice(("a", "b", "c d", "é", "a")) for _ in range(draw.randint(0, 3))]
        fields = (f'{draw.choice(("", " "))}"{name}":{json_text(draw, depth - 1)}' for name in names)
        return "{" + ",".join(fields) + "}"
    if kind == "a":
        return "[" + ", ".join(json_text(draw, depth - 1) for _ in range(draw.randint(0, 3))) + "]"
    words = ('"x"', '"a\\n\\"é"', "''", '"\\u00e9\\t"') if kind == "s" else ("true", "false", "null")
    return draw.choice(words) if kind != "n" else draw.choice(("0", "-12", "3.50", "1e3", "0.001", "2.5e-7"))


def amount(draw: random.Random) -> str:
    """A number as people write it, more or less."""
    digits = "".join(draw.choices("0123456789,,. ", k=draw.randint(0, 5)))
    before, after = draw.choice((("", ""), ("-", ""), ("", "-"), ("<", ">"), ("+", ""), ("", "+"), (" ", "")))
    return before + draw.choice(("", "", "$")) + digits + after


def url(draw: random.Random) -> str:
    scheme = draw.choice(("http:", "https:", "", "a+b:", "s3:"))
    place = draw.choice(
        ("//h.example.com", "//u:p@h:80", "//10.0.0.1", "//b_c", "", "//[fe80::1]:1", "//é.x")
    )
    path = draw.choice(("", "/", "/a/b", "/a%20b", "/ä", "/a b", "x"))
    query = draw.choice(("", "?", "?a=1&b=2", "?b=%26&a", "?ab=1&a=x=y", "?a=1|2"))
    return scheme + place + path + query + draw.choice(("", "#", "#f", "#a?b"))
