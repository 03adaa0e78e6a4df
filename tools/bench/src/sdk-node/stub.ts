import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A service that answers 200 to everything, and counts events. */
export interface Stub {
  readonly url: string;
  taken(): number;
  close(): void;
}

export async function openStub(): Promise<Stub> {
  let taken = 0;
  const server = createServer((request, answer) => {
    void buffer(request).then((body) => {
      const text = (body[0] === 0x1f ? gunzipSync(body) : body).toString();
      const { list, batch } = JSON.parse(text || '{}') as { list?: unknown[]; batch?: unknown[] };
      taken += (list ?? batch ?? []).length;
      answer.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"QUEUED"}');
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
