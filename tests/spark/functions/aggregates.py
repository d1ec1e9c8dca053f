"""Aggregates, and what Spark SQL calls them, by groups of `n % 3`."""

from __future__ import annotations

SAME = (
    "bool_and(b)", "every(i > 0)", "bool_or(b)", "count_if(i > 0)", "approx_count_distinct(n)",
    "bit_and(i)", "bit_or(l)", "bit_xor(i)", "skewness(y)", "kurtosis(y)", "corr(x, y)",
    "covar_pop(x, y)", "covar_samp(x, p)", "regr_count(x, y)", "regr_avgx(x, y)", "regr_avgy(x, y)",
    "regr_sxx(x, y)", "regr_syy(x, y)", "regr_sxy(x, y)", "regr_slope(x, y)", "regr_intercept(x, y)",
    "regr_r2(x, y)", "percentile(x, 0.3)", "percentile(i, 0.5)",
    "percentile_cont(0.25) WITHIN GROUP (ORDER BY x)",
    "percentile_cont(0.25) WITHIN GROUP (ORDER BY y DESC)",
    "percentile_disc(0.4) WITHIN GROUP (ORDER BY x)", "try_avg(x)", "count(i)", "min(x)", "max(s)",
    "avg(y)", "listagg(u, ';') WITHIN GROUP (ORDER BY u)",
    "string_agg(u, '') WITHIN GROUP (ORDER BY u DESC)", "try_sum(i)", "try_sum(m)", "try_sum(y)",
    "try_sum(9223372036854775807)", "any_value(n % 3)", "any_value(n % 3, true)", "any(i > 400)",
    "some(b)", "bitmap_construct_agg(p * 800)", "bitmap_or_agg(k)", "bitmap_and_agg(k)",
    "bitmap_count(bitmap_construct_agg(bitmap_bit_position(l)))", "min_by(l, ts)", "max_by(d, ts)",
)  # fmt: skip
SPELLED = {
    "mode(n)": "mode(n, true)",
    "array_agg(i)": "sort_array(array_agg(i))",
    "collect_list(u)": "sort_array(collect_list(u))",
    "collect_set(s)": "sort_array(collect_set(s))",
    "collect_list(DISTINCT u)": "sort_array(collect_list(DISTINCT u))",
    "approx_percentile(i, 0.5)": "approx_percentile(i, 0.5, 1000000)",
    "percentile_approx(p, 0.9)": "percentile_approx(p, 0.9, 1000000)",
}
"""Where Spark leaves the order open, and how it is fixed there."""
CALLS = {**dict(zip(SAME, SAME, strict=True)), **SPELLED}
