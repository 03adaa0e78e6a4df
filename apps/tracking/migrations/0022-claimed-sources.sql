-- What a refused request says about itself and has not proven, and the website that a source does not accept:
-- docs/tables.md#refusals-refused_requests.
ALTER TABLE refused_requests
    ADD COLUMN IF NOT EXISTS claimed_source LowCardinality(String) COMMENT 'Source that a request without a valid key names; never counted as its own' AFTER source_id,
    ADD COLUMN IF NOT EXISTS origin String COMMENT 'Scheme, host and port of a refused Origin' CODEC(ZSTD(1)) AFTER user_agent;
