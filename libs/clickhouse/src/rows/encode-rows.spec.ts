import { expect, it } from 'vitest';
import { encodeRows } from './encode-rows.js';

it('adds the place in Kafka to each row and leaves the rest as it is', () => {
  const values = ['{"event":"سلام","properties":{"a":[1,{"b":"}\\n"}]}}', '{"event":"b"}'];
  const rows = values.map((value, i) => ({
    value: Buffer.from(value),
    offset: String(7 + i),
    timestamp: '1700000000012',
  }));

  const lines = Buffer.concat([...encodeRows({ id: 'x', partition: 3, rows })])
    .toString()
    .split('\n');

  expect(lines.map((line) => line && (JSON.parse(line) as unknown))).toEqual([
    {
      kafka_partition: 3,
      kafka_offset: 7,
      kafka_timestamp: '2023-11-14T22:13:20.012Z',
      event: 'سلام',
      properties: { a: [1, { b: '}\n' }] },
    },
    { kafka_partition: 3, kafka_offset: 8, kafka_timestamp: '2023-11-14T22:13:20.012Z', event: 'b' },
    '',
  ]);
});
