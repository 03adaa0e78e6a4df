import { randomUUID } from 'node:crypto';
import { header, type TrackMessage, trackTopic } from '@sluice/contracts';
import { createKafka, type OutgoingMessage, Publisher, Sender } from '@sluice/kafka';
import Fastify from 'fastify';

// The least that any gateway in Node has to do with a request: read it, JSON.parse it, and hand as many messages of as
// many bytes to the same publisher. No credentials, no validation, no row. A batch goes out as equal slices of its raw
// body, one for each item: that copies and re-serialises nothing, which no gateway that stores the items could match.

const { FLOOR_PORT = '', FLOOR_BROKERS = '' } = process.env;

const publisher = new Publisher(
  new Sender(createKafka({ KAFKA_BROKERS: FLOOR_BROKERS.split(',') }, 'floor'), [trackTopic.name]),
);
await publisher.start();

const server = Fastify({ bodyLimit: 1024 * 1024 });
server.removeAllContentTypeParsers();
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
  done(null, body);
});

// Contract and request id are on the gateway's messages too: the publisher and Kafka have the same work with both.
const headers = { [header.contract]: trackTopic.contract, [header.requestId]: randomUUID() };
const messageOf = ({ userId }: TrackMessage, value: Buffer): OutgoingMessage => ({
  topic: trackTopic.name,
  key: userId ?? '',
  value,
  headers,
});

server.post<{ Body: Buffer }>('/track', async ({ body }) => {
  await publisher.publish([messageOf(JSON.parse(body.toString()) as TrackMessage, body)]);
  return { status: 'QUEUED' };
});

server.post<{ Body: Buffer }>('/trackBatch', async ({ body }) => {
  await publisher.publish(slicesOf(body));
  return { status: 'QUEUED' };
});

/** Apart from what waits, so that the parsed list is garbage by then. */
function slicesOf(body: Buffer): OutgoingMessage[] {
  const { list } = JSON.parse(body.toString()) as { list: TrackMessage[] };
  const size = Math.floor(body.length / list.length);
  return list.map((item, i) => messageOf(item, body.subarray(i * size, (i + 1) * size)));
}

server.get('/ready', () => ({}));
process.once('SIGTERM', () => process.exit(0));
await server.listen({ port: Number(FLOOR_PORT), host: '127.0.0.1' });
