"""Calls of scalar functions that mean the same in Spark SQL, for all rows of `columns`."""

from __future__ import annotations

from spark.functions import documents
from spark.functions.lambdas import LAMBDAS
from spark.functions.nested import ARRAYS, JSONS, MAPS, STRUCTS
from spark.functions.patterns import CALENDAR, MATCHING

BITS = (
    "l & i", "i | n", "l ^ p", "~ l", "shiftleft(l, n)", "shiftleft(i, n)", "shiftright(l, p)",
    "shiftright(i, n)", "shiftrightunsigned(l, p)", "shiftrightunsigned(i, n)", "i << n", "l >> p",
    "bit_count(l)", "bit_count(i)", "bit_get(l, p)", "getbit(i, n & 7)", "bitmap_bit_position(l)",
    "bitmap_bit_position(i)", "bitmap_bucket_number(l)", "bitmap_bucket_number(i)", "bitmap_count(k)",
)  # fmt: skip
CODES = (
    "ascii(s)", "chr(i)", "char(p)", "bin(l)", "bin(i)", "conv(v, 16, 10)", "conv(v, 10, -16)",
    "conv(v, p, 2)", "conv(v, 36, n)", "hex(l)", "hex(i)", "hex(s)", "hex(k)", "unhex(v)", "base64(k)",
    "base64(CAST(s AS BINARY))", "unbase64(base64(k))", "to_base32(k)", "from_base32(to_base32(k))",
    "encode(s, 'UTF-8')", "encode(s, 'utf-16be')", "encode(s, 'UTF-16')", "encode(s, 'utf-32')",
    "decode(encode(s, 'UTF-16'), 'UTF-16')", "decode(k, 'ISO-8859-1')", "octet_length(s)",
    "octet_length(k)", "bit_length(s)", "bit_length(k)", "md5(s)", "md5(k)", "sha(s)", "sha1(k)",
    "sha2(s, 0)", "sha2(k, 224)", "sha2(s, 256)", "sha2(s, 384)", "sha2(s, 512)", "sha2(s, 5)",
    "crc32(s)", "crc32(k)", "url_encode(s)", "to_binary(hex(s))", "to_binary(s, 'UTF-8')",
    "try_to_binary(v, 'hex')", "try_to_binary(concat(s, u), 'base64')",
    "try_to_binary(base64(k), 'base64')", "try_to_binary(concat(u, '=='), 'base64')",
    "url_decode(url_encode(s))", "try_url_decode(concat('%', hex(k)))", "url_decode('a%20b+c')",
)  # fmt: skip
EDITS = (
    "concat_ws(',', s, u, v)", "concat_ws(u, s)", "concat_ws(',')", "elt(n, s, u, v)", "find_in_set(u, s)",
    "find_in_set(s, 'a,ab,,x')", "initcap(s)", "locate(u, s)", "levenshtein(s, u)", "levenshtein(s, v, 3)",
    "soundex(s)", "soundex(u)", "luhn_check(v)", "luhn_check('79927398713')", "mask(s)",
    "mask(s, 'Q', 'q', 'd', '*')", "mask(s, NULL)", "overlay(s, u, p)", "overlay(s, u, p, n)",
    "quote(concat(u, chr(39), s))", "substring_index(s, u, n)", "substring_index(s, ',', n)",
    "translate(s, 'abé', 'xy')", "translate(s, u, v)", "format_number(x, 2)", "format_number(l, 0)",
    "format_number(m, 1)", "format_number(w, 3)", "format_number(i, n)", "jaro_winkler_similarity(s, u)",
    "jaro_winkler_similarity(s, v)", "replace(s, u)", "space(n)", "locate(u, s, 2)",
    "locate(u, s, coalesce(p, 1))",
)  # fmt: skip
TEXTS = (
    "upper(u)", "ucase(u)", "lower(s)", "lcase(s)", "length(s)", "len(s)", "char_length(s)",
    "character_length(s)", "trim(s)", "btrim(s)", "btrim(s, u)", "ltrim(s)", "rtrim(s)", "substring(s, n)",
    "substring(s, n, p)", "substr(s, 2, n)", "concat(s, u)", "s || u", "replace(s, u, v)", "left(s, n)",
    "right(s, n)", "startswith(s, u)", "endswith(s, u)", "contains(s, u)", "position(u, s)", "instr(s, u)",
    "reverse(s)", "lpad(s, n, u)", "lpad(s, p)", "rpad(s, n, u)", "rpad(s, p)", "repeat(s, n)",
    "split_part(s, ',', p)", "s LIKE '%a_'", "s ILIKE 'A%'",
)  # fmt: skip
MATHS = (
    "x + y", "x - y", "x * y", "l % p", "mod(i, n)", "-x", "negative(i % 1000)", "positive(x)", "abs(x)",
    "sqrt(abs(x))", "cbrt(x)", "exp(y)", "expm1(y)", "ln(p)", "log2(p)", "log10(p)", "log1p(p)",
    "log(p + 1, x * x + 1)", "pow(x, n)", "power(p, y)", "hypot(x, y)", "sin(x)", "cos(x)", "tan(x)",
    "asin(y)", "acos(y)", "atan(x)", "atan2(x, y)", "sinh(y)", "cosh(y)", "tanh(x)", "asinh(x)", "acosh(p)",
    "atanh(y / 3)", "cot(y)", "sec(x)", "csc(y)", "degrees(x)", "radians(x)", "pi()", "e()", "rint(x)",
    "rint(w)", "round(m, 1)", "round(x)", "bround(m)", "bround(x)", "bround(p, -1)", "bround(m, 1)",
    "pmod(i, n)", "pmod(l, p)", "pmod(x, y)", "pmod(m, n)", "factorial(n)", "width_bucket(x, 0, 10, p)",
    "width_bucket(y, 2.0, -2.0, 8)", "nanvl(w, x)", "isnan(w)", "isnan(x)",
)  # fmt: skip
LOGIC = (
    "i = n", "i <> n", "i != n", "i == n", "i < n", "i <= n", "i > n", "i >= n", "i <=> n", "b AND i > 0",
    "b OR i > 0", "NOT b", "! b", "coalesce(i, n)", "ifnull(s, u)", "nvl(s, u)", "nvl2(i, s, u)",
    "nullif(n, 1)", "nullifzero(n)", "zeroifnull(n)", "isnull(i)", "isnotnull(i)", "equal_null(i, n)",
    "if(b, s, u)", "greatest(i, n)", "least(i, n)", "decode(n, 1, 'one', 2, 'two')",
    "decode(n, 1, 'one', NULL, 'none', 'other')", "n IN (1, 2)", "n BETWEEN 1 AND 3",
    "CASE WHEN b THEN s ELSE u END", "CAST(i AS STRING)", "string(i)", "bigint(i)", "int(n)",
    "smallint(n)", "tinyint(n)", "double(i)", "float(n)", "boolean(n)", "date(ts)", "timestamp(d)",
    "binary(s)", "l DIV p", "try_divide(x, y)", "try_mod(i, n)", "is_valid_utf8(s)", "make_valid_utf8(s)",
    "validate_utf8(s)", "try_validate_utf8(s)",
)  # fmt: skip

TIMES = (
    "year(ts)", "quarter(d)", "month(ts)", "day(d)", "dayofmonth(ts)", "hour(ts)", "minute(ts)",
    "second(ts)", "dayofyear(ts)", "weekofyear(d)", "extract(YEAR FROM ts)", "extract(WEEK FROM d)",
    "date_part('month', ts)", "datepart('hour', ts)", "date_trunc('month', ts)", "date_trunc('week', ts)",
    "date_trunc('hour', ts)", "datediff(d, e)", "make_date(2000 + n, p, p)", "ts + INTERVAL 3 HOURS",
    "ts - INTERVAL 90 SECONDS", "time_bucket(INTERVAL 15 MINUTES, ts)",
    "time_bucket(INTERVAL 2 WEEKS, tz)",
    "time_bucket(INTERVAL 7 HOURS, ts, TIMESTAMP '2024-01-03 05:00:00')",
    "time_bucket(INTERVAL 5 DAYS, CAST(ts AS TIMESTAMP_NTZ))", "tz + make_dt_interval(n, p, i % 1000, y)",
    "tz + make_dt_interval()", "tz + make_dt_interval(n, p, n, m)", "tz + make_dt_interval(n, p)",
)  # fmt: skip

OTHER = (
    "concat(s, n)", "u || i || b", "concat(n, m, l)", "str_to_map(concat('a:', n, ',b'))",
    "str_to_map(concat('x=', i, ';y'), ';', '=')", "str_to_map(concat('x: ', u))['x']",
)  # fmt: skip
"""Values of other types in texts, and texts as maps."""
FAMILIES: dict[str, tuple[str, ...]] = {
    "bits": BITS,
    "codes": CODES,
    "edits": EDITS,
    "texts": TEXTS,
    "maths": MATHS,
    "logic": LOGIC,
    "times": TIMES,
    "calendar": CALENDAR,
    "matching": MATCHING,
    **documents.FAMILIES,
    "structs": STRUCTS,
    "arrays": ARRAYS,
    "maps": MAPS,
    "lambdas": LAMBDAS,
    "json": JSONS,
    "other": OTHER,
}
