-- One row per person with the latest value of each trait: SELECT traits.plan FROM user_traits WHERE user_id = 'u1'
-- The settings read each value as the INSERT of its message did, whatever the reader's settings and whoever else is asked
-- for: docs/decisions/0078-rows-and-neighbours.md. A path that two traits have, such as a.b and a, has the first value.
DROP VIEW IF EXISTS user_traits;
CREATE VIEW IF NOT EXISTS user_traits AS
SELECT
    source_id,
    user_id,
    anonymous_id,
    concat('{', arrayStringConcat(groupArray(concat(toJSONString(trait), ':', value)), ','), '}')::JSON(max_dynamic_paths = 256) AS traits,
    max(said_at) AS updated_at
FROM users FINAL
GROUP BY source_id, user_id, anonymous_id
SETTINGS
    input_format_try_infer_dates = 0,
    input_format_try_infer_datetimes = 0,
    input_format_json_infer_array_of_dynamic_from_array_of_different_types = 1,
    input_format_json_read_bools_as_strings = 0,
    input_format_json_read_bools_as_numbers = 0,
    input_format_json_read_numbers_as_strings = 0,
    type_json_skip_duplicated_paths = 1,
    max_dynamic_subcolumns_in_json_type_parsing = 0;
