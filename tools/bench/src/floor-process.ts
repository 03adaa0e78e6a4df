import { randomUUID } from 'node:crypto';
import { header, type TrackMessage, trackTopic } from '@sluice/contracts';
import { createKafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';
import Fastify from 'fastify';

// The floor: the minimum that any gateway in Node has to do. It reads a request, parses its JSON and hands the same
// number of messages and bytes to the same publisher. It checks no credentials, validates nothing and makes no row.
// It sends a batch as equal slices of its raw body, one for each item. Slices avoid copying and serialising, which no
// gateway that stores the items can avoid.

const { FLOOR_PORT = '', FLOOR_BROKERS = '' } = process.env;

const publisher = new Publisher(
  new Sender(createKafka({ KAFKA_BROKERS: FLOOR_BROKERS.split(',') }, 'floor'), [trackTopic.name]),
);
await publisher.start();

const server = Fastify({ bodyLimit: 1024 * 1024 });
server.removeAllContentTypeParsers();
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

// The gateway's messages carry these headers too, so the publisher and Kafka do the same work for both.
const headers = { [header.contract]: trackTopic.contract, [header.requestId]: randomUUID() };
const makeMessage = ({ userId }: TrackMessage, value: Buffer): OutgoingMessage => ({
  topic: trackTopic.name,
  key: userId ?? '',
  value,
  headers,
});

server.post<{ Body: Buffer }>('/track', async ({ body }) => {
  await publisher.publish([makeMessage(JSON.parse(body.toString()) as TrackMessage, body)]);
  return { status: 'QUEUED' };
});

server.post<{ Body: Buffer }>('/trackBatch', async ({ body }) => {
  await publisher.publish(splitBatch(body));
  return { status: 'QUEUED' };
});

/** A separate function, so that the parsed list is garbage while the request waits for Kafka. */
function splitBatch(body: Buffer): OutgoingMessage[] {
  const { list } = JSON.parse(body.toString()) as { list: TrackMessage[] };
  const size = Math.floor(body.length / list.length);
  return list.map((item, i) => makeMessage(item, body.subarray(i * size, (i + 1) * size)));
}

server.get('/ready', () => ({}));
process.once('SIGTERM', () => process.exit(0));
await server.listen({ port: Number(FLOOR_PORT), host: '127.0.0.1' });
