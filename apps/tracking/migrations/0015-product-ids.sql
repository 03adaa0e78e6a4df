-- The gateway names the products of an event. It was the table that did, from arrays whose type another row of the same
-- INSERT could change, so that nothing was found in them: docs/decisions/0078-rows-and-neighbours.md.
-- Rows of earlier gateways have no product_ids; theirs come from the text of the properties, which no other row changes.
ALTER TABLE events MODIFY COLUMN product_ids Array(String) DEFAULT arrayDistinct(arrayFilter(id -> id != '', arrayMap(
        id -> multiIf(startsWith(id, '"'), JSONExtractString(id), match(id, '^-?[0-9]+$'), id, ''),
        arrayFlatten(arrayMap(object -> [JSONExtractRaw(object, 'product_id'), JSONExtractRaw(object, 'productId')], arrayConcat(
            [toJSONString(properties)],
            JSONExtractArrayRaw(toJSONString(properties), 'products'),
            JSONExtractArrayRaw(toJSONString(properties), 'items'))))))) COMMENT 'The products that properties names as product_id or productId, itself or in its arrays products and items' CODEC(ZSTD(1));

-- Only rows in whose arrays nothing was found. ClickHouse looks for them in the background, reads just the two arrays of
-- each part for that, and writes only parts that have such rows.
ALTER TABLE events UPDATE product_ids = arrayDistinct(arrayFilter(id -> id != '', arrayMap(
        id -> multiIf(startsWith(id, '"'), JSONExtractString(id), match(id, '^-?[0-9]+$'), id, ''),
        arrayFlatten(arrayMap(object -> [JSONExtractRaw(object, 'product_id'), JSONExtractRaw(object, 'productId')], arrayConcat(
            [toJSONString(properties)],
            JSONExtractArrayRaw(toJSONString(properties), 'products'),
            JSONExtractArrayRaw(toJSONString(properties), 'items')))))))
    WHERE dynamicType(properties.products) = 'Array(Dynamic)' OR dynamicType(properties.items) = 'Array(Dynamic)';
