import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

interface Manifest {
  files: Record<string, { file: string; integrity: string }>;
}

const bundles = new URL('../../../../sdks/web/dist/bundle/', import.meta.url);

/** Files of the SDK, as `npm run build:sdk` made them. */
export const manifest = JSON.parse(readFileSync(new URL('manifest.json', bundles), 'utf8')) as Manifest;

export interface Site {
  readonly url: string;
  /** Pages by path; any other path gets a page that only loads the bundle. */
  readonly pages: Map<string, { body: string; headers?: Record<string, string>; type?: string }>;
  /** Requested paths, with their queries. */
  readonly requests: string[];
  close(): void;
}

/** A website with the bundle, on another origin than the gateway. */
export async function openSite(): Promise<Site> {
  const pages: Site['pages'] = new Map();
  const requests: string[] = [];
  const { file, integrity } = manifest.files['sluice.js'] ?? { file: '', integrity: '' };
  const fallback = `<!doctype html><title>Shop</title><script src="/sdk/${file}" integrity="${integrity}"></script><p>Shop</p>`;
  const server = createServer((request, response) => {
    requests.push(request.url ?? '/');
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const send = (type: string, body: string | Buffer, headers: Record<string, string> = {}): void => {
      response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*', ...headers }).end(body);
    };
    const name = /^\/sdk\/([\w.-]+\.js)$/.exec(path)?.[1];
    const page = pages.get(path);
    if (name !== undefined) send('text/javascript', readFileSync(new URL(name, bundles)));
    else send(page?.type ?? 'text/html', page?.body ?? fallback, page?.headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, pages, requests, close: () => server.close() };
}
