import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

interface Manifest {
  files: Record<string, { file: string }>;
}

const bundles = new URL('../../../../sdks/web/dist/bundle/', import.meta.url);

export interface FaultSite {
  readonly url: string;
  close(): void;
}

/** A website of one page, with the bundle that `npm run build:sdk` made. */
export async function openFaultSite(page: string): Promise<FaultSite> {
  const { files } = JSON.parse(readFileSync(new URL('manifest.json', bundles), 'utf8')) as Manifest;
  const bundle = readFileSync(new URL(files['sluice.js']?.file ?? '', bundles));
  const server = createServer(({ url }, response) => {
    const [type, body] = url === '/sluice.js' ? ['text/javascript', bundle] : ['text/html', page];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
