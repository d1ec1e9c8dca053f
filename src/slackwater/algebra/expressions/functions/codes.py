"""Characters by number, numbers in other bases, encodings of bytes, checksums and URLs.

A text stands for its bytes in UTF-8 where bytes are expected.
"""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, BINARY, GREATEST, STRING

_TEXT, _INT, _CODED = Family.TEXT, Family.INTEGER, Family.CODED
_WORDS, _BYTES, _COUNT = s.always(STRING), s.always(BINARY), s.always(BIGINT)

FUNCTIONS = (
    Function(
        "ascii",
        (_TEXT,),
        _COUNT,
        "the code point of the first character; 0 of none",
        range=r.within(0, 0x10FFFF),
    ),
    Function(
        "chr",
        (_INT,),
        _WORDS,
        "the character with that number modulo 256; empty if the number is negative",
        also="`char`",
    ),
    Function("bin", (_INT,), _WORDS, "in binary, in two's complement of 64 bits if it is negative"),
    Function(
        "conv",
        (_TEXT, _INT, _INT),
        _WORDS,
        "a number in the first base (2 to 36) written in the second, in unsigned 64 bits unless that is "
        "negative; digits are read as far as there are some; NULL of an unknown base",
        partial=True,
    ),
    Function(
        "hex",
        (Family.CODE,),
        _WORDS,
        "the bytes in hexadecimal, in upper case; an integer in two's complement of 64 bits",
    ),
    Function(
        "unhex", (_TEXT,), _BYTES, "the bytes written in hexadecimal; NULL if they are not", partial=True
    ),
    Function("base64", (_CODED,), _WORDS, "the bytes in base 64"),
    Function(
        "unbase64",
        (_TEXT,),
        _BYTES,
        "the bytes written in base 64, other characters ignored; NULL if cut",
        partial=True,
    ),
    Function(
        "to_binary",
        (_TEXT, _TEXT),
        _BYTES,
        "the bytes written in hexadecimal, or in the second: hex, base64 or utf-8; NULL if they are not",
        optional=1,
        partial=True,
        also="`try_to_binary`",
    ),
    Function("to_base32", (_CODED,), _WORDS, "the bytes in base 32"),
    Function(
        "from_base32", (_TEXT,), _BYTES, "the bytes written in base 32; NULL if they are not", partial=True
    ),
    Function(
        "encode",
        (_TEXT, _TEXT),
        _BYTES,
        "the bytes in that character set: US-ASCII, ISO-8859-1, UTF-8, UTF-16, UTF-16BE, "
        "UTF-16LE or UTF-32; NULL if it has no such character",
        partial=True,
    ),
    Function(
        "decode",
        (_CODED, _TEXT),
        _WORDS,
        "the text with these bytes in that character set; with more arguments, the choice of a value",
        partial=True,
    ),
    Function("octet_length", (_CODED,), _COUNT, "the number of bytes", range=r.within(0, GREATEST)),
    Function("bit_length", (_CODED,), _COUNT, "the number of bits", range=r.within(0, GREATEST)),
    Function("md5", (_CODED,), _WORDS, "the MD5 digest in hexadecimal"),
    Function("sha1", (_CODED,), _WORDS, "the SHA-1 digest in hexadecimal", also="`sha`"),
    Function(
        "sha2",
        (_CODED, _INT),
        _WORDS,
        "the SHA-2 digest of so many bits (224, 256, 384, 512; 0 is 256) in hexadecimal; NULL of others",
        partial=True,
    ),
    Function("crc32", (_CODED,), _COUNT, "the cyclic redundancy check", range=r.within(0, (1 << 32) - 1)),
    Function("url_encode", (_TEXT,), _WORDS, "as a part of a query in a URL, blanks as +"),
    Function(
        "url_decode",
        (_TEXT,),
        _WORDS,
        "the text of a part of a query in a URL; NULL if it is malformed",
        partial=True,
        also="`try_url_decode`",
    ),
    Function(
        "parse_url",
        (_TEXT, _TEXT, _TEXT),
        _WORDS,
        "a part of a URL: PROTOCOL, AUTHORITY, USERINFO, HOST, PATH, FILE, QUERY (of which the third names a "
        "value) or REF; NULL if it has none",
        optional=1,
        partial=True,
        also="`try_parse_url`",
    ),
)
