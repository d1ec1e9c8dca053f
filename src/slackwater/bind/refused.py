"""Functions of Spark SQL that are not supported, each with the reason.

Functions that depend on the clock or on chance are in `CLOCK_FUNCTIONS`; window and table functions are no
scalar functions. A test compares the names with the list of the Spark that is installed.
"""

from __future__ import annotations

_GROUPS: dict[str, str] = {
    "Its result depends on the order of rows, and a bag has none; write min_by(a, ts) or max_by(a, ts).": """
        first last""",
    "Its result depends on the session, the cluster or the file that is read, not on the data.": """
        collations current_catalog current_database current_path current_schema current_timezone
        current_user input_file_block_length input_file_block_start input_file_name
        monotonically_increasing_id session_user spark_partition_id user version python_worker_logs
        sql_keywords measure""",
    "It gives a random value, another one each time it is computed.": "randstr shuffle uniform",
    "It calls code by name; register a function instead.": "java_method reflect try_reflect",
    "It ends the query in an error; filter the rows, or test the data where they are read.": """
        assert_true raise_error""",
    "Encryption needs a random start and a key in the query's text.": """
        aes_decrypt aes_encrypt try_aes_decrypt""",
    "A sketch is an approximation in a form of its own; the aggregates here are exact.": """
        approx_top_k approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate
        count_min_sketch histogram_numeric hll_sketch_agg hll_sketch_estimate
        hll_union hll_union_agg kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float
        kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kll_sketch_get_n_bigint
        kll_sketch_get_n_double kll_sketch_get_n_float kll_sketch_get_quantile_bigint
        kll_sketch_get_quantile_double kll_sketch_get_quantile_float kll_sketch_get_rank_bigint
        kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_merge_bigint
        kll_sketch_merge_double kll_sketch_merge_float kll_sketch_to_string_bigint
        kll_sketch_to_string_double kll_sketch_to_string_float theta_difference theta_intersection
        theta_intersection_agg theta_sketch_agg theta_sketch_estimate theta_union theta_union_agg
        tuple_difference_double tuple_difference_integer tuple_difference_theta_double
        tuple_difference_theta_integer tuple_intersection_agg_double tuple_intersection_agg_integer
        tuple_intersection_double tuple_intersection_integer tuple_intersection_theta_double
        tuple_intersection_theta_integer tuple_sketch_agg_double tuple_sketch_agg_integer
        tuple_sketch_estimate_double tuple_sketch_estimate_integer tuple_sketch_summary_double
        tuple_sketch_summary_integer tuple_sketch_theta_double tuple_sketch_theta_integer
        tuple_union_agg_double tuple_union_agg_integer tuple_union_double tuple_union_integer
        tuple_union_theta_double tuple_union_theta_integer""",
    "There is no type for places on the earth.": """
        st_asbinary st_geogfromwkb st_geomfromwkb st_setsrid st_srid""",
    "There is no type VARIANT.": """
        is_valid_variant is_variant_null parse_json schema_of_variant schema_of_variant_agg
        to_variant_object try_parse_json try_variant_array_append try_variant_get try_variant_insert
        try_variant_set variant_array_append variant_delete variant_get variant_insert variant_set
        variant_strip_nulls""",
    "XML is queried with XQuery, see xquery.md.": """
        from_xml schema_of_xml to_xml xpath xpath_boolean xpath_double xpath_float xpath_int
        xpath_long xpath_number xpath_short xpath_string""",
    "A format of records is an option of a source, see sources.md.": """
        from_avro from_csv from_protobuf schema_of_avro schema_of_csv schema_of_json to_avro to_csv
        to_protobuf""",
    "There is no type for the time of a day.": """
        make_time time time_diff time_from_micros time_from_millis time_from_seconds time_to_micros
        time_to_millis time_to_seconds time_trunc to_time try_to_time""",
    "Times are exact to the microsecond.": "timestamp_nanos unix_nanos",
    "An interval is a length of time, without months and years.": """
        make_interval make_ym_interval try_make_interval""",
    "Texts are compared by code point.": "collate collation",
    "It depends on a language of people.": "sentences",
    "There is no type for vectors of floats.": """
        vector_avg vector_cosine_similarity vector_inner_product vector_l2_distance vector_norm
        vector_normalize vector_sum""",
    "It is not implemented yet.": "collect_union",
}

REFUSED: dict[str, str] = {name: why for why, names in _GROUPS.items() for name in names.split()}
