"""Calls of hashes, of JSON, URLs and formats in texts, and of arithmetic that gives NULL."""

from __future__ import annotations

HASHES = (
    "hash(i)", "hash(l)", "hash(x)", "hash(w)", "hash(m)", "hash(b)", "hash(s)", "hash(k)", "hash(d)",
    "hash(ts)", "hash(s, u, NULL, i)", "hash(CAST(m AS DECIMAL(20, 2)))",
    "hash(CAST(l AS DECIMAL(38, 3)))", "hash(j, z)", "hash(smallint(n), tinyint(p))",
    "hash(split(s, ','), i)", "hash(struct(s, x), b)", "hash(1, 'a', NULL)", "xxhash64(i)", "xxhash64(l)",
    "xxhash64(x)", "xxhash64(w)", "xxhash64(m)", "xxhash64(b)", "xxhash64(s)", "xxhash64(k)",
    "xxhash64(d)", "xxhash64(ts)", "xxhash64(s, u, NULL, i)", "xxhash64(j, z)",
    "xxhash64(CAST(l AS DECIMAL(38, 3)))", "xxhash64(repeat(s, 9), k)",
    "xxhash64(split(s, ','), struct(i, u))", "hash(hash(s))", "hmac('key', s)",
    "hmac(concat('k', s), k, 'sha-1')", "hmac(repeat('k', 200), s, 'MD5')", "hmac('k', s, 'SHA384')",
    "hmac('k', k, 'SHA-512')", "hmac('k', u, 'sha224')",
)  # fmt: skip
_PATHS = (
    "$", "$.a", "$.b", "$[`a`]", "$.a.b", "$.a[0]", "$[0]", "$[1].a", "$[*]", "$[*].a", "$.a[*]",
    "$.a[*].b", "$[*][*]", "$[*][*].a", "$[*].a[*]", "$[*][0]", "$[0][*]", "$.a[*][*]", "$[*][*][*]",
    "$.*", "$[`*`]", "$.c d", "$.é", "$.a ", "$. a", " $.a", "$a", "", "$.", "$[ 0]", "$[0 ]", "$ [`a`] ",
    "$[`c d`][0]", "$[0].a[1][*]", "$.a.b[*].c",
)  # fmt: skip
DOCUMENTS = (
    *(f"get_json_object(j, replace('{path}', '`', chr(39)))" for path in _PATHS),
    "get_json_object(j, concat('$.', u))", "get_json_object(s, '$.a')", "json_array_length(j)",
    "json_object_keys(j)", "json_array_length(v)", "json_array_length('[1, [2]] x')",
    "get_json_object(v, '$')",
)  # fmt: skip
_PARTS = ("PROTOCOL", "AUTHORITY", "USERINFO", "HOST", "PATH", "FILE", "QUERY", "REF", "host")
URLS = (
    *(f"parse_url(z, '{part}')" for part in _PARTS),
    "parse_url(z, 'QUERY', 'a')", "parse_url(z, 'QUERY', 'x')", "parse_url(z, 'HOST', 'a')",
    "try_parse_url(z, 'HOST')", "parse_url(s, 'PATH')", "parse_url(z, 'QUERY', 'b')",
    "parse_url(v, 'HOST')",
)  # fmt: skip
PRINTED = (
    "format_string('%s|%S|%8s|%-8s|%.2s', s, u, s, u, v)", "format_string('%s %s %s', i, b, l)",
    "format_string('%s', y)", "printf('%.2s|%.3S', s, s)",
    "format_string('%d|%5d|%-7d|%07d|%+d|% d', i, l, n, p, n, n)",
    "format_string('%,d|%(d|%,012d|%(,9d', l, n, i, n)",
    "format_string('%x|%X|%o|%#x|%#o|%012x', i, l, n, p, p, i)",
    "format_string('%x %x', smallint(n), tinyint(n))",
    "format_string('%f|%.0f|%.1f|%.2f|%10.3f|%-9.1f|', x, x, y, y, x, w)",
    "format_string('%,.2f|%(.1f|%+.3f|% .2f', w, x, y, y)",
    "format_string('%012.2f|%(,015.1f|%.12f', x, w, y)",
    "format_string('%e|%.2e|%E|%12.0e|%+.10e', x, y, w, x, w)",
    "format_string('%b|%B|%5b|%-6.1b|%b', b, b, s, b, i)", "printf('%2$s-%1$s-%<s-%s', s, u)",
    "printf('100%% of %s%n', s)", "format_string('%5s|%-5s|%05d|%S', NULL, s, n, b)",
    "printf('%1$d %1$s %1$x', i)",
)  # fmt: skip
TRYING = (
    "try_add(l, l)", "try_add(l, p)", "try_add(x, y)", "try_add(m, m)", "try_add(ts, INTERVAL 3 HOURS)",
    "try_subtract(l, p)", "try_subtract(m, n)", "try_subtract(x, i)", "try_multiply(l, l)",
    "try_multiply(l, n)", "try_multiply(m, m)", "try_multiply(x, y)", "try_divide(i, n)",
    "try_divide(l, p)", "try_divide(x, n)", "typeof(i)", "typeof(l)", "typeof(s)", "typeof(m)",
    "typeof(ts)", "typeof(d)", "typeof(k)", "typeof(b)", "typeof(x)", "typeof(split(s, ','))",
    "typeof(NULL)", "decimal(n)", "decimal(x)", "typeof(decimal(n))",
)  # fmt: skip
_FORMATS = (
    "999", "099", "9,999", "0,000", "9,099", "99.9", "9G999D99", "9.", "S99", "99S", "MI99", "99MI", "99PR",
    "$99", "S$9,999.9", "$9.9PR",
)  # fmt: skip
NUMBERS = (
    *(f"try_to_number({text}, '{form}')" for form in _FORMATS for text in ("v", "q")),
    "to_number('12', '99')",
)  # fmt: skip
FAMILIES: dict[str, tuple[str, ...]] = {
    "hashes": HASHES,
    "documents": DOCUMENTS,
    "urls": URLS,
    "printed": PRINTED,
    "trying": TRYING,
    "numbers": NUMBERS,
}
