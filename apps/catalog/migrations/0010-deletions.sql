-- A deletion is a state of its entity: docs/decisions/0107-catalog-deletions.md. It is a row like any other, so what is
-- older cannot bring the entity back, whatever comes in which order. Views leave deleted entities out; the rows stay.
-- version is no longer the arrival alone: docs/decisions/0108-versions-of-the-sender.md.
ALTER TABLE sellers
    ADD COLUMN IF NOT EXISTS is_deleted Bool COMMENT 'Whether this state is a deletion, which has no columns but the id',
    ADD COLUMN IF NOT EXISTS updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'updatedAt; NULL if not sent' CODEC(ZSTD(1)),
    MODIFY COLUMN version COMMENT 'Microseconds since 1970 of updatedAt, at most 5 s after the arrival, or of the arrival; the highest is the state';
ALTER TABLE products
    ADD COLUMN IF NOT EXISTS is_deleted Bool COMMENT 'Whether this state is a deletion, which has no columns but the id',
    ADD COLUMN IF NOT EXISTS updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'updatedAt; NULL if not sent' CODEC(ZSTD(1)),
    MODIFY COLUMN version COMMENT 'Microseconds since 1970 of updatedAt, at most 5 s after the arrival, or of the arrival; the highest is the state';
ALTER TABLE product_variants
    ADD COLUMN IF NOT EXISTS is_deleted Bool COMMENT 'Whether this state is a deletion, which has no columns but the id',
    ADD COLUMN IF NOT EXISTS updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'updatedAt; NULL if not sent' CODEC(ZSTD(1)),
    MODIFY COLUMN version COMMENT 'Microseconds since 1970 of updatedAt, at most 5 s after the arrival, or of the arrival; the highest is the state';
ALTER TABLE categories
    ADD COLUMN IF NOT EXISTS is_deleted Bool COMMENT 'Whether this state is a deletion, which has no columns but the id',
    ADD COLUMN IF NOT EXISTS updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'updatedAt; NULL if not sent' CODEC(ZSTD(1)),
    MODIFY COLUMN version COMMENT 'Microseconds since 1970 of updatedAt, at most 5 s after the arrival, or of the arrival; the highest is the state';
ALTER TABLE general_entities
    ADD COLUMN IF NOT EXISTS is_deleted Bool COMMENT 'Whether this state is a deletion, which has no columns but the id',
    ADD COLUMN IF NOT EXISTS updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'updatedAt; NULL if not sent' CODEC(ZSTD(1)),
    MODIFY COLUMN version COMMENT 'Microseconds since 1970 of updatedAt, at most 5 s after the arrival, or of the arrival; the highest is the state';

-- The state of each entity that is not deleted, once. Deletions are left out after FINAL, whatever the
-- settings of a reader: a condition that is applied before it would bring back older states.
DROP VIEW IF EXISTS current_sellers;
CREATE VIEW IF NOT EXISTS current_sellers AS
SELECT * EXCEPT (is_deleted, message_id) FROM sellers FINAL WHERE NOT is_deleted
SETTINGS optimize_move_to_prewhere_if_final = 0, final = 0;
DROP VIEW IF EXISTS current_products;
CREATE VIEW IF NOT EXISTS current_products AS
SELECT * EXCEPT (is_deleted, message_id) FROM products FINAL WHERE NOT is_deleted
SETTINGS optimize_move_to_prewhere_if_final = 0, final = 0;
DROP VIEW IF EXISTS current_product_variants;
CREATE VIEW IF NOT EXISTS current_product_variants AS
SELECT * EXCEPT (is_deleted, message_id) FROM product_variants FINAL WHERE NOT is_deleted
SETTINGS optimize_move_to_prewhere_if_final = 0, final = 0;
DROP VIEW IF EXISTS current_categories;
CREATE VIEW IF NOT EXISTS current_categories AS
SELECT * EXCEPT (is_deleted, message_id) FROM categories FINAL WHERE NOT is_deleted
SETTINGS optimize_move_to_prewhere_if_final = 0, final = 0;
DROP VIEW IF EXISTS current_general_entities;
CREATE VIEW IF NOT EXISTS current_general_entities AS
SELECT * EXCEPT (is_deleted, message_id) FROM general_entities FINAL WHERE NOT is_deleted
SETTINGS optimize_move_to_prewhere_if_final = 0, final = 0;
