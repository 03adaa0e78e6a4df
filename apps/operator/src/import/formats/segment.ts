import { type ToItems } from './format.js';

/** Segment's raw data, such as its archive in a bucket: each line is a call as a client sent it. */
export const fromSegment: ToItems = (record) => [{ ...record, type: String(record['type']) }];
