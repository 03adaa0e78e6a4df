-- A time outside of what Date holds must not hide rows from conditions on its day: docs/decisions/0079-times.md.
ALTER TABLE push_interactions MODIFY SETTING auto_statistics_types = '';
ALTER TABLE push_devices MODIFY SETTING auto_statistics_types = '';
