import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type LocalEntry } from './local-file.js';
import { rowsQuery } from './rows-query.js';

/** The pages, read as data: no tool of the server imports an SDK. The path is the same from src and from dist. */
const folder = new URL('../../../sdks/web/example/', import.meta.url);
const defaultPort = 8090;

/** Ports to try in order: the requested one; without a request the default, then any free one. */
const portsToTry = (requestedPort: number | undefined): number[] =>
  requestedPort === undefined ? [defaultPort, 0] : [requestedPort];

/** A shop whose page tracks with the Web SDK of the gateway, in the name of the demo source. */
export class ExampleShop {
  private constructor(private readonly server: Server) {}

  /** @param describe gives the values of the page at each request, since it opens before the stack is complete */
  static async open(requestedPort: number | undefined, describe: () => LocalEntry | undefined): Promise<ExampleShop> {
    const server = createServer((request, response) => {
      const content = chooseContent(request.url ?? '/', describe());
      if (!content) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': content.type, 'cache-control': 'no-store' }).end(content.body);
    });
    const [firstPort = 0, ...fallbackPorts] = portsToTry(requestedPort);
    await listen(server, firstPort).catch((error: unknown) => {
      const [fallbackPort] = fallbackPorts;
      if (fallbackPort === undefined) throw error;
      return listen(server, fallbackPort);
    });
    return new ExampleShop(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function chooseContent(url: string, local: LocalEntry | undefined): { type: string; body: string } | undefined {
  const [path] = url.split('?');
  if (path === '/shop.js') return { type: 'text/javascript; charset=utf-8', body: readExampleFile('shop.js') };
  if (path !== '/' || !local) return undefined;
  const { gateway, clickhouse, source } = local;
  const values: Partial<Record<string, string>> = {
    gateway: gateway.url,
    clickhouse: clickhouse.url,
    query: rowsQuery(clickhouse.database),
    apiKey: source.apiKey,
    sourceIdentifier: source.sourceIdentifier,
  };
  const body = readExampleFile('index.html').replace(/\{\{(\w+)\}\}/g, (_, name: string) =>
    escapeHtml(values[name] ?? ''),
  );
  return { type: 'text/html; charset=utf-8', body };
}

const readExampleFile = (name: string): string => readFileSync(fileURLToPath(new URL(name, folder)), 'utf8');

/** Escapes text for HTML, also inside quotes. */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
