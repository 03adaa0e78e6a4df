import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A service that counts the events that it took. */
export interface Stub {
  readonly url: string;
  taken(): number;
  close(): void;
}

/** Answers a batch: resolves with the body of a 200, or rejects. */
export type Answering = (request: IncomingMessage, text: string) => Promise<string>;

const queued: Answering = () => Promise.resolve('{"status":"QUEUED"}');

export async function openStub(answering: Answering = queued): Promise<Stub> {
  let taken = 0;
  const server = createServer((request, answer) => {
    const served = async (): Promise<void> => {
      const body = await buffer(request);
      const text = (body[0] === 0x1f ? gunzipSync(body) : body).toString();
      const { list, batch } = JSON.parse(text || '{}') as { list?: unknown[]; batch?: unknown[] };
      const events = (list ?? batch ?? []).length;
      const answered = events > 0 ? await answering(request, text) : '{}';
      taken += events;
      answer.writeHead(200, { 'content-type': 'application/json' }).end(answered);
    };
    served().catch((error: unknown) => {
      console.error(error);
      answer.writeHead(503).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: () => taken,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
