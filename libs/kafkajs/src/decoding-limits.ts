// Adds to kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js: memory limits, of which it has none.

/**
 * Upper bound of the memory of one batch's records. A send of Sluice has 1 MB before compression. A batch of another
 * producer can have `max.message.bytes` (2 MiB) after compression: 64 MiB at 32:1. Rows reach 8:1 to 12:1, zeros
 * 10,000:1.
 */
export const maxBatchBytes = 64 * 1024 * 1024;

/**
 * Memory after which no further batch of an answer is decoded; the others are fetched again. An answer of 4 MiB reaches
 * it at 8:1, so that ordinary rows are not fetched twice.
 */
export const enoughAnswerBytes = 32 * 1024 * 1024;

/** Memory of a record in addition to its bytes (measured): its object, and its place in lists. */
export const recordBytes = 150;
