-- Traits are read as they were sent, whatever the settings of the reader: docs/decisions/0092-views-for-every-reader.md.

-- One row per person with the latest value of each trait: see 0016. A placeholder is not a person.
DROP VIEW IF EXISTS user_traits;
CREATE VIEW IF NOT EXISTS user_traits AS
SELECT
    source_id,
    user_id,
    anonymous_id,
    concat('{', arrayStringConcat(groupArray(concat(toJSONString(trait), ':', value)), ','), '}')::JSON(max_dynamic_paths = 256) AS traits,
    max(said_at) AS updated_at
FROM users FINAL
WHERE lower(if(user_id = '', anonymous_id, user_id)) NOT IN ('undefined', 'null', '(null)', '<null>', 'nil', '<nil>', 'none', 'nan', 'true', 'false', '-1', '[]', '{}', '[object object]', 'n/a', 'unknown', 'unset', 'anonymous', 'guest', 'not_authenticated', 'id', 'userid', 'user_id', 'anonymousid', 'anonymous_id', 'distinctid', 'distinct_id', 'deviceid', 'device_id', 'email', '9774d56d682e549c', '02:00:00:00:00:00') AND trimBoth(if(user_id = '', anonymous_id, user_id), '0-_.: ') != ''
GROUP BY source_id, user_id, anonymous_id
SETTINGS
    aggregate_functions_null_for_empty = 0, empty_result_for_aggregation_by_empty_set = 0,
    prefer_column_name_to_alias = 0, join_use_nulls = 0, group_by_use_nulls = 0, transform_null_in = 0,
    cast_keep_nullable = 0, enable_global_with_statement = 1, final = 0, input_format_try_infer_dates = 0,
    input_format_try_infer_datetimes = 0, input_format_json_infer_array_of_dynamic_from_array_of_different_types = 1,
    input_format_json_read_bools_as_strings = 0, input_format_json_read_bools_as_numbers = 0,
    input_format_json_read_numbers_as_strings = 0, type_json_skip_duplicated_paths = 1,
    max_dynamic_subcolumns_in_json_type_parsing = 0, input_format_try_infer_integers = 1,
    input_format_try_infer_variants = 0, input_format_json_infer_incomplete_types_as_strings = 1,
    input_format_json_try_infer_numbers_from_strings = 0, input_format_json_max_depth = 1000,
    input_format_json_throw_on_bad_escape_sequence = 1, json_type_escape_dots_in_keys = 0,
    schema_inference_make_columns_nullable = 3, schema_inference_make_json_columns_nullable = 0,
    type_json_allow_duplicated_key_with_literal_and_nested_object = 1;
