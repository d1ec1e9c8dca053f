"""What can be wrong with paths to fields, constructors of nested values, and schemas."""

from __future__ import annotations

from slackwater.base.problem import Problem

UNKNOWN_FIELD = Problem(
    "unknown-field",
    'field "{name}" does not exist',
    label="no such field",
    detail="The struct has fields {known}.",
    means="A path such as s.a names a field that the struct does not have; upper and lower case are the same "
    "in names of fields.",
)
NOT_A_STRUCT = Problem(
    "not-a-struct",
    'a value of type {type} has no field "{name}"',
    label="not a field",
    hint="Only structs, declared as STRUCT<a INT, …>, and arrays of them have fields.",
    means="A path such as s.a was written after a value that is no struct.",
)
NOT_COMPARABLE = Problem(
    "not-comparable",
    "values of type {type} cannot be compared",
    label="a map is neither equal to another nor less",
    hint="Compare its entries: map_entries(m), or the value of a key: m['k'].",
    means="Maps, and what has maps in it, cannot be compared, grouped by, sorted or made distinct.",
)
BAD_SCHEMA = Problem(
    "bad-json-schema",
    "{text} is no list of columns and no type",
    label="not a schema",
    hint="Write the columns as in a declaration: from_json(a, 'x INT, y ARRAY<STRING>').",
    means="The second argument of from_json is a constant text with the columns of the struct, or with a "
    "type that is a STRUCT, ARRAY or MAP; there are no further arguments.",
)
BAD_NAMES = Problem(
    "bad-struct",
    "named_struct takes a constant name before each value",
    label="names and values in turn",
    hint="Write named_struct('a', x, 'b', y).",
    means="The names of the fields of a struct are part of its type, so they are constants.",
)
BAD_LAMBDA = Problem(
    "bad-lambda",
    "{name} is not called with such functions",
    label="takes {takes}",
    means="A function of functions, such as transform, was called without a function (x -> …), with one of "
    "another number of values, or with two values of one name.",
)
LAMBDA_TYPE = Problem(
    "bad-lambda",
    "the function of {name} gives {needed}, not a value of type {type}",
    label="of type {type}",
    hint="Compare, or cast the value.",
)
LAMBDA_PLACE = Problem(
    "misplaced-lambda",
    "a function x -> … is no value",
    label="a function",
    hint="Give it to transform, filter, exists, forall, aggregate, zip_with, array_sort, map_filter, "
    "transform_keys, transform_values or map_zip_with.",
    means="A function was written where a value is needed, or as an argument of a function that takes none.",
)
LAMBDA_QUERY = Problem(
    "misplaced-lambda",
    "a function x -> … has no subquery in it",
    label="a query inside a function",
    hint="Join the query, or query the elements as rows: FROM …, UNNEST(a) AS e (x).",
)
