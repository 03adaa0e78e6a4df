import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { type Sdk } from './sdk.js';

const folder = new URL('../../published/', import.meta.url);

export interface Bundle {
  readonly code: string;
  readonly version: string;
  /** Size with gzip -9. */
  readonly bytes: number;
}

/** All of the SDK in one minified script, with `sdk.start(host, isTuned)` and `sdk.track(n)` of its page. */
export async function bundleOf({ page, packageName }: Sdk): Promise<Bundle> {
  const bundle = await rolldown({ input: new URL(`pages/${page}.js`, folder).pathname, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'iife', name: 'sdk', minify: true, codeSplitting: false });
  await bundle.close();
  const { code } = output[0];
  return { code, version: await versionOf(packageName), bytes: gzipSync(code, { level: 9 }).length };
}

async function versionOf(packageName: string): Promise<string> {
  // Packages whose `exports` hide package.json are found by their folder.
  const paths = createRequire(new URL('package.json', folder)).resolve.paths(packageName) ?? [];
  for (const path of paths) {
    const text = await readFile(`${path}/${packageName}/package.json`, 'utf8').catch(() => undefined);
    if (text !== undefined) return (JSON.parse(text) as { version: string }).version;
  }
  throw new Error(`${packageName} is not installed`);
}

/** A website of its own origin. A page is `/<visitor>`; its head is made at each request. */
export class Site {
  readonly heads = new Map<string, () => string>();
  private readonly scripts = new Map<string, string>();
  private readonly server = createServer((request, response) => {
    const path = (request.url ?? '/').slice(1);
    const script = this.scripts.get(path);
    if (script !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=3600' }).end(script);
      return;
    }
    const head = this.heads.get(path)?.();
    if (head === undefined) response.writeHead(404).end();
    else {
      response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
      response.end(`<!doctype html><title>Shop</title>${head}<p>Shop</p>`);
    }
  });

  static async start(): Promise<Site> {
    const site = new Site();
    site.addScript('clock.js', await readFile(new URL('pages/clock.js', folder), 'utf8'));
    site.server.listen(0, '127.0.0.1');
    await once(site.server, 'listening');
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  addScript(name: string, code: string): void {
    this.scripts.set(name, code);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
