"""The words and signs of CQL; words of windows and declarations are matched by their text."""

# fmt: off
RESERVED = (
    "ALL", "AND", "ANY", "AS", "BETWEEN", "CASE", "CREATE", "CROSS", "DISTINCT", "ELSE", "END", "EXCEPT",
    "EXISTS", "FALSE", "FOR", "FROM", "HAVING", "ILIKE", "IN", "INNER", "INTERSECT", "INTERVAL", "IS", "JOIN",
    "LIKE", "NOT", "NULL", "ON", "OR", "OUTER", "SELECT", "SOME", "THEN", "TRUE", "UNION", "USING",
    "VALUES", "WHEN", "WHERE", "WITH",
)
"""Words that are never names, unless quoted."""

KEYWORDS = (
    "ANTI", "ASC", "DESC", "DIV", "ESCAPE", "FILTER", "FULL", "LEFT", "LIMIT", "NATURAL", "OFFSET", "OVER",
    "RIGHT", "SEMI", "SET",
)
"""Words that may be names where they have no other meaning."""

PHRASES = ("GROUP BY", "ORDER BY", "PARTITION BY")

TYPES = (
    "ARRAY", "BIGINT", "BINARY", "BOOL", "BOOLEAN", "BYTE", "CHAR", "CHARACTER", "DATE", "DATETIME", "DEC",
    "DECIMAL", "DOUBLE", "FLOAT", "INT", "INTEGER", "NUMERIC", "REAL", "SMALLINT", "STRING", "STRUCT", "TEXT",
    "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_NTZ", "TIMESTAMPNTZ", "TINYINT", "VARBINARY",
    "VARCHAR",
)

FUNCTION_FORMS = (
    "CAST", "CEIL", "EXTRACT", "FLOOR", "POSITION", "SAFE_CAST", "STRING_AGG", "SUBSTRING", "TRIM",
    "TRY_CAST",
)
"""Functions whose arguments are more than a list: CAST(a AS INT)."""

PLAIN_CALLS = (
    "ANONYMOUS_AGG_FUNC", "APPLY", "ARRAY_CONTAINED_BY", "ARRAY_CONTAINS_ALL", "ARRAY_HAS_ALL",
    "ARRAY_INSERT", "ARRAY_LENGTH", "ARRAY_OVERLAPS", "ARRAY_SIZE", "ARRAY_SORT", "A_I_FORECAST", "BOOLAND",
    "BOOLOR", "COLLATE", "COLUMNS", "COMBINED_AGG_FUNC", "COMBINED_PARAMETERIZED_AGG", "CONNECT_BY_ROOT",
    "CONVERT", "CONVERT_TO_CHARSET", "CURRENT_CATALOG", "DATEDIFF", "DATE_DIFF", "DATE_TO_DATE_STR",
    "DECODE_CASE",
    "DYNAMIC_IDENTIFIER", "EXISTS", "EXPLODING_GENERATE_SERIES", "GAP_FILL", "GENERATE_BOOL",
    "GENERATE_DOUBLE", "GENERATE_EMBEDDING", "GENERATE_INT", "GENERATE_TABLE", "GENERATE_TEXT",
    "GEN_RANDOM_UUID", "GET_EXTRACT", "GLOB", "JSON_PARSE", "JSON_TABLE", "LIKE", "LOG10", "LOG2",
    "LOWER_HEX",
    "MATCH_AGAINST", "M_L_FORECAST", "M_L_TRANSLATE", "NET_FUNC", "NEXT_VALUE_FOR", "OPEN_J_S_O_N",
    "OVERLAY", "PAD", "PARAMETERIZED_AGG", "PARSE_JSON", "PREDICT", "SAFE_FUNC", "SESSION_USER", "SORT_ARRAY",
    "TIME_TO_TIME_STR", "TO_ARRAY", "TO_MAP", "TS_OR_DS_TO_DATE_STR", "UUID_STRING", "VAR_MAP",
    "WEEK_START", "WEIGHT_STRING", "XMLELEMENT", "XOR", "X_M_L_TABLE",
)
"""Functions that sqlglot prints in syntax of other dialects; in CQL they are parsed as plain calls."""
# fmt: on

SIGNS = ("||", "<=", ">=", "<>", "!=", "==", "::")


def is_name(word: str) -> bool:
    """Whether the word is a name without quotes."""
    return word.replace("$", "_").isidentifier()
