import { repeatBucket } from '../look-up/repeat-bucket.js';

/** A value as a row carries it, and the text by which it is recognised once ClickHouse has read it. */
export interface Probe {
  readonly column: string;
  readonly type: string;
  /** JSON text of the member; undefined for the columns that encodeRows adds. */
  readonly sent?: string;
  /** Expression with the value's text, whatever the settings of output formats. */
  readonly read: string;
  /** The expected text. JSON is compared as a value. */
  readonly expected: string;
}

/** The place in Kafka of the probing row. */
export const probePlace = { partition: 65_535, offset: '9007199254740991', timestamp: '1700000000012' } as const;
/** Moment of the row's own time, and of its arrival: both in the form of the gateway. */
const ownTime = '2026-03-01T23:59:59.999Z';
const arrival = '2026-03-02T00:00:00.001Z';
/** Text that looks like other types, or breaks careless writers. */
const oddText = 'سلام "\\ \u0000 \u{1F680} 2024-01-05';

const [sourceId, userId] = ['AbCdEf123456', oddText];
/** The bucket that a migration computes in ClickHouse, and this process for look-ups: docs/decisions/0027-repeats.md. */
const bucket = String(repeatBucket(Buffer.from(`${sourceId}:${userId}`)));
const keyHash = `bitAnd(kafkaMurmurHash(concat(source_id, ':', user_id)), 2147483647)`;

const textProbe = (column: string, type: string, value: string): Probe => ({
  column,
  type,
  sent: JSON.stringify(value),
  read: `base64Encode(${column})`,
  expected: Buffer.from(value).toString('base64'),
});

const numberProbe = (column: string, type: string, sent: string): Probe => ({
  column,
  type,
  sent,
  read: `toString(${column})`,
  expected: sent,
});

const timeProbe = (column: string, type: string, time: string): Probe => ({
  column,
  type,
  sent: JSON.stringify(time),
  read: `toString(toUnixTimestamp64Milli(${column}))`,
  expected: String(Date.parse(time)),
});

/** Prices: text, so that no digit is lost. */
const decimalProbe = (column: string, type: string, value: string): Probe => ({
  column,
  type,
  sent: JSON.stringify(value),
  // Text of a decimal obeys settings; the number of its last digits does not.
  read: `toString(reinterpretAsInt128(assumeNotNull(${column})))`,
  expected: String(BigInt(value.replace('.', ''))),
});

/** Values of free form, each of a kind that some setting or version would change. */
const freeForm = {
  text: 'x',
  date: '2024-01-05',
  time: 'Jan 5 2024 10:00:00 +0200',
  number_text: '1',
  integer: 1,
  max_integer: 9007199254740991,
  negative: -1,
  float: 1.5,
  exponent: 1e300,
  yes: true,
  texts: ['2024-01-05', 'x'],
  mixed: [true, 'x', null],
  numbers: [1, true, null],
  floats: [1.5, false],
  nested: [[1, 'a'], [true]],
  items: [{ id: 'a', price: 1.5 }, { id: 7 }],
  level: { inside: { deepest: 'x' } },
};

/** The documented way to read a value is by its type, which a wrong inference changes even if the text stays. */
const typed = [
  ['date', '2024-01-05', 'traits.date.:String'],
  ['number_text', '1', 'traits.number_text.:String'],
  ['integer', 1, 'toString(traits.integer.:Int64)'],
  ['float', 1.5, 'toString(traits.float.:Float64)'],
  ['texts', ['2024-01-05', 'x'], "arrayStringConcat(traits.texts.:`Array(Nullable(String))`, ' ')"],
  ['numbers', [1, 2], "arrayStringConcat(arrayMap(n -> toString(n), traits.numbers.:`Array(Nullable(Int64))`), ' ')"],
  ['items', [{ id: 'a' }, { id: 'b' }], "arrayStringConcat(traits.items[].id.:String, ' ')"],
] as const;
const typedExpected = '2024-01-05,1,1,1.5,2024-01-05 x,1 2,a b';

/**
 * One column of each type that the tables of the consumers have. Its values are the ones that a default of ClickHouse,
 * or of a user's profile, is known to change.
 */
export const probes: readonly Probe[] = [
  {
    column: 'kafka_partition',
    type: 'UInt16',
    read: 'toString(kafka_partition)',
    expected: String(probePlace.partition),
  },
  { column: 'kafka_offset', type: 'UInt64', read: 'toString(kafka_offset)', expected: probePlace.offset },
  {
    column: 'kafka_timestamp',
    type: "DateTime64(3, 'UTC')",
    read: 'toString(toUnixTimestamp64Milli(kafka_timestamp))',
    expected: probePlace.timestamp,
  },
  textProbe('source_id', 'LowCardinality(String)', sourceId),
  {
    column: 'message_id',
    type: 'UUID',
    sent: '"01a2237f-a913-7da0-bb82-00f8ea7e507c"',
    read: 'toString(message_id)',
    expected: '01a2237f-a913-7da0-bb82-00f8ea7e507c',
  },
  textProbe('user_id', 'String', userId),
  {
    column: 'repeat_bucket',
    type: 'UInt8',
    sent: bucket,
    read: `toString(${keyHash} % 12 * 4 + intDiv(${keyHash} % 48, 12))`,
    expected: bucket,
  },
  timeProbe('timestamp', "DateTime64(3, 'UTC')", ownTime),
  timeProbe('received_at', "DateTime64(3, 'UTC')", arrival),
  timeProbe('created_at', "Nullable(DateTime64(3, 'UTC'))", '1970-01-01T00:00:00.000Z'),
  numberProbe('version', 'UInt64', '1795892565949001'),
  // Values of the watch: seconds since 1970, and shares.
  {
    column: 'began',
    type: "DateTime('UTC')",
    sent: '1772409600',
    read: 'toString(toUnixTimestamp(began))',
    expected: '1772409600',
  },
  numberProbe('observed', 'Float64', '0.1'),
  // Values of the canary: numbers of probes by step.
  {
    column: 'latencies',
    type: 'Array(UInt64)',
    sent: '[0,7,18446744073709551615]',
    read: "arrayStringConcat(arrayMap(count -> toString(count), latencies), ' ')",
    expected: '0 7 18446744073709551615',
  },
  numberProbe('plan_version', 'UInt32', '4294967295'),
  numberProbe('level', 'Int32', '-2147483648'),
  numberProbe('button', 'Nullable(UInt8)', '2'),
  decimalProbe('price', 'Decimal(38, 9)', '12345678901234567890123456789.123456789'),
  decimalProbe('discounted_price', 'Nullable(Decimal(38, 9))', '0.100000001'),
  { column: 'is_active', type: 'Bool', sent: 'true', read: 'toString(toUInt8(is_active))', expected: '1' },
  {
    column: 'violations',
    type: 'Array(LowCardinality(String))',
    sent: '["wrong_type:total","2024-01-05"]',
    read: "base64Encode(arrayStringConcat(violations, '|'))",
    expected: Buffer.from('wrong_type:total|2024-01-05').toString('base64'),
  },
  {
    column: 'additional_media',
    type: 'Array(String)',
    sent: '["a","1"]',
    read: "base64Encode(arrayStringConcat(additional_media, '|'))",
    expected: Buffer.from('a|1').toString('base64'),
  },
  // A null, an absent column and one that the table does not have.
  { column: 'national_id', type: 'String', sent: 'null', read: "toString(national_id = '')", expected: '1' },
  { column: 'absent', type: 'UInt32', read: 'toString(absent)', expected: '0' },
  {
    column: 'properties',
    type: 'JSON(max_dynamic_paths = 256)',
    sent: JSON.stringify(freeForm),
    read: 'toJSONString(properties)',
    expected: JSON.stringify(freeForm),
  },
  {
    column: 'traits',
    type: 'JSON(max_dynamic_paths = 256)',
    sent: JSON.stringify(Object.fromEntries(typed.map(([name, value]) => [name, value]))),
    read: `arrayStringConcat([${typed.map(([, , read]) => `ifNull(${read}, '')`).join(', ')}], ',')`,
    expected: typedExpected,
  },
  {
    column: 'context',
    type: 'JSON(max_dynamic_paths = 128)',
    sent: '{"page":{"url":"https://shop.example/"}}',
    read: 'toString(context.page.url.:String)',
    expected: 'https://shop.example/',
  },
];

/** The row as a gateway writes it, without its place in Kafka. */
export function probeValue(): Buffer {
  const members = probes.flatMap(({ column, sent }) => (sent === undefined ? [] : [`"${column}":${sent}`]));
  return Buffer.from(`{${members.join(',')},"no_such_column":"x"}`);
}
