-- A createdAt after 2149-06-06 must not hide rows from conditions on its day: docs/decisions/0079-times.md.
ALTER TABLE sellers MODIFY SETTING auto_statistics_types = '';
ALTER TABLE products MODIFY SETTING auto_statistics_types = '';
