import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BrokerConnection, type ConnectionClass, connectionWith } from './response-bytes.js';

interface Answer {
  readonly size: number;
  readonly correlationId: number;
  readonly payload: Buffer;
}

// kafkajs' own connection, without our changes.
const require = createRequire(import.meta.url);
const Original = require('kafkajs/src/network/connection.js') as ConnectionClass;
const Ours = connectionWith(Original);

/** A connection without a socket: its input comes out as answers, or goes to the authentication handlers. */
function aConnection(Class: ConnectionClass, authHandlers: unknown = null) {
  const answers: Answer[] = [];
  const blank = Object.create((Class as { prototype: object }).prototype) as BrokerConnection;
  const connection: BrokerConnection = Object.assign(blank, {
    chunks: [],
    bytesBuffered: 0,
    bytesNeeded: 4,
    socket: {},
    authHandlers,
    authExpectResponse: true,
    requestQueue: { fulfillRequest: (answer: Answer) => answers.push(answer) },
  });
  return { connection, answers };
}

const frame = (correlationId: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeInt32BE(4 + payload.length, 0);
  head.writeInt32BE(correlationId, 4);
  return Buffer.concat([head, payload]);
};

/** Feeds each piece in a buffer that is overwritten afterwards, as the one of socket.ts is. */
function feed({ connection }: ReturnType<typeof aConnection>, pieces: readonly Buffer[]): void {
  for (const piece of pieces) {
    const reused = Buffer.from(piece);
    connection.processData(reused);
    reused.fill(0xee);
  }
}

function cutAt(bytes: Buffer, ends: readonly number[]): Buffer[] {
  const sorted = [0, ...[...ends].sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, i) => bytes.subarray(sorted[i], end));
}

function readAnswers(Class: ConnectionClass, pieces: readonly Buffer[]): Answer[] {
  const connection = aConnection(Class);
  // kafkajs keeps the pieces it is given.
  if (Class === Ours) feed(connection, pieces);
  else for (const piece of pieces) connection.connection.processData(piece);
  return connection.answers.map((answer) => ({ ...answer, payload: Buffer.from(answer.payload) }));
}

const answer = fc.record({
  correlationId: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  payload: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
});

describe('processData', () => {
  it('assembles the same answers as kafkajs from any bytes in any pieces', () => {
    const stream = fc
      .array(answer, { minLength: 1, maxLength: 8 })
      .map((answers) => Buffer.concat(answers.map((answer) => frame(answer.correlationId, answer.payload))));
    const cuts = fc.array(fc.nat(), { maxLength: 20 });
    fc.assert(
      fc.property(stream, cuts, fc.nat(), (bytes, ends, missing) => {
        const pieces = cutAt(
          bytes.subarray(0, bytes.length - (missing % 5)),
          ends.map((end) => end % (bytes.length - 4)),
        );
        expect(readAnswers(Ours, pieces)).toEqual(readAnswers(Original, pieces));
      }),
      { numRuns: 500 },
    );
  });

  const three = [Buffer.from('first'), Buffer.alloc(0), Buffer.from('third')];
  const bytes = Buffer.concat(three.map((payload, i) => frame(i, payload)));
  const expected = three.map((payload, i) => ({ size: 4 + payload.length, correlationId: i, payload }));

  it.each(Array.from({ length: bytes.length + 1 }, (_, at) => at))('splits an answer at byte %i', (at) =>
    expect(readAnswers(Ours, cutAt(bytes, [at]))).toEqual(expected),
  );

  it('assembles answers that arrive byte by byte', () => {
    const each = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(readAnswers(Ours, each)).toEqual(expected);
    expect(readAnswers(Original, each)).toEqual(expected);
  });

  it('forgets an answer that began on a former socket', () => {
    const connection = aConnection(Ours);
    feed(connection, [bytes.subarray(0, 6)]);
    Object.assign(connection.connection, { socket: {} });
    feed(connection, [bytes]);
    expect(connection.answers).toEqual(expected);
  });

  it('gives each answer memory of its own', () => {
    const { connection, answers } = aConnection(Ours);
    feed({ connection, answers }, [bytes]);
    expect(new Set(answers.map(({ payload }) => payload.buffer)).size).toBe(answers.length);
    expect(answers.map(({ payload }) => payload.buffer.byteLength)).toEqual(answers.map(({ size }) => size));
  });

  it('leaves authentication answers to kafkajs, as copies that it can keep', () => {
    const payloads: Buffer[] = [];
    const authHandlers = { onSuccess: (answer: Buffer) => payloads.push(answer) };
    const framed = frame(7, Buffer.from('challenge'));
    feed(aConnection(Ours, authHandlers), [framed.subarray(0, 9), framed.subarray(9)]);
    expect(payloads).toEqual([framed]);
  });
});
