"""Functions of functions over the columns of `nested`, written as Spark SQL writes them."""

from __future__ import annotations

LAMBDAS = (
    "transform(li, x -> x + 1)", "transform(li, (x, i) -> x * i + n)", "transform(lw, x -> concat(x, s))",
    "transform(ls, x -> x.a)", "transform(ls, x -> struct(x.b AS q, n AS r))",
    "transform(ll, x -> size(x))", "transform(ll, x -> transform(x, (y, i) -> y + i + size(x)))",
    "transform(li, n -> n + 1)", "transform(li, i -> transform(lj, i -> i * 2))",
    "transform(li, x -> NULL = x)", "transform(li, X -> x)",
    "transform(li, x -> CASE WHEN x > 0 THEN x ELSE n END)", "transform(array(1, 2), x -> x + n)",
    "filter(li, x -> x > 0)", "filter(li, (x, i) -> i % 2 = 0)", "filter(lw, x -> x <> u)",
    "filter(ls, x -> x.a > n)", "filter(li, x -> NOT exists(lj, y -> y = x))", "filter(ld, x -> x > 0.5)",
    "exists(li, x -> x > 2)", "exists(lw, x -> x IS NULL)", "exists(ld, x -> x = w)", "exists(li, x -> b)",
    "forall(li, x -> x > 0)", "forall(lw, x -> x IS NOT NULL)", "forall(li, x -> NULL)",
    "aggregate(li, bigint(0), (acc, x) -> acc + x)",
    "aggregate(li, bigint(0), (acc, x) -> acc + coalesce(x, n))",
    "aggregate(li, bigint(0), (acc, x) -> coalesce(acc, 0) + 1, acc -> acc * 10)",
    "aggregate(lw, '', (acc, x) -> concat(acc, coalesce(x, '?')))",
    "reduce(ld, double(1), (a, x) -> a * x)",
    "aggregate(ll, bigint(0), (acc, x) -> acc + aggregate(x, bigint(0), (a, y) -> a + coalesce(y, 1)))",
    "reduce(li, named_struct('s', bigint(0), 'n', bigint(0)), (a, x) -> named_struct('s', a.s + x, 'n', "
    "a.n + 1), a -> a.s)",
    "zip_with(li, lj, (x, y) -> x + y)", "zip_with(li, lw, (x, y) -> concat(y, CAST(x AS STRING)))",
    "zip_with(li, lj, (x, y) -> coalesce(x, y, n))",
    "array_sort(li, (x, y) -> coalesce(y, 0) - coalesce(x, 0))",
    "array_sort(lw, (x, y) -> CASE WHEN length(coalesce(x, '')) < length(coalesce(y, '')) THEN -1 WHEN "
    "length(coalesce(x, '')) > length(coalesce(y, '')) THEN 1 ELSE 0 END)",
    "map_filter(ms, (k, v) -> v > 0)", "map_filter(ms, (k, v) -> k <> u)",
    "transform_keys(ms, (k, v) -> concat(k, '!'))", "transform_values(ms, (k, v) -> v + n)",
    "transform_values(ms, (k, v) -> concat(k, u))",
    "map_zip_with(ms, map('a', p, 'q', n), (k, v, w) -> v + w)",
    "map_zip_with(ms, ms, (k, v, w) -> coalesce(v, w) + length(k))",
)  # fmt: skip
