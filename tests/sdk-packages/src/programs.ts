import { type ProjectFiles } from './tarballs.js';

const events = 'interface Events { order_completed: { total: number }; page_left: {} }';
const credentials = `{ apiKey: 'key', sourceIdentifier: 'Source000001' }`;

/** Code of a page. It uses every entry of the package. */
export const webPage = `import { createClient, type WebClient } from '@sluice/web';
import { clicks, pageViews } from '@sluice/web/plugins';
import { push } from '@sluice/web/push';
${events}
export const sluice: WebClient<Events> = createClient<Events>({
  credentials: ${credentials},
  host: { apiPath: 'https://sluice.example' },
  plugins: [pageViews(), clicks(), push({ worker: '/worker.js' })],
});
export const isTaken: boolean = sluice.track('order_completed', { total: 49.9 });
sluice.track('page_left');
// @ts-expect-error another event
sluice.track('order_cancelled');
// @ts-expect-error no total
sluice.track('order_completed');
`;

/** Code of an app, without what only React Native has. */
export const app = `import { createClientOn, deepLinks, type NativeParts, type ReactNativeClient } from '@sluice/react-native/without-native';
${events}
export const clientOn = (native: NativeParts): ReactNativeClient<Events> =>
  createClientOn<Events>(native, {
    android: ${credentials},
    apiHost: 'https://sluice.example',
    storage: null,
    plugins: [deepLinks()],
  });
`;

/** Code of an app's entry. */
export const nativeApp = `import { createClient, mmkvStorage, type Mmkv } from '@sluice/react-native';
${events}
export const start = (mmkv: Mmkv) =>
  createClient<Events>({
    android: ${credentials},
    ios: ${credentials},
    apiHost: 'https://sluice.example',
    storage: mmkvStorage(mmkv),
  }).track('order_completed', { total: 49.9 });
`;

/** A shop on Express. It sends an event to a service of its own, and prints what the service got. */
const shopBody = `
const service = createServer((request, answer) => {
  let body = '';
  request.on('data', (part) => (body += String(part)));
  request.on('end', () => {
    const { list } = JSON.parse(body) as { list: { event: string; userId: string; properties: { total: number } }[] };
    for (const { event, userId, properties } of list) console.log(event, userId, properties.total);
    answer.end('{"status":"QUEUED"}');
  });
});
service.listen(0, '127.0.0.1', () => void sell());

async function sell(): Promise<void> {
  const { port } = service.address() as AddressInfo;
  const sluice = createClient<Events>({
    credentials: ${credentials},
    apiHost: \`http://127.0.0.1:\${port}\`,
    storage: { directory: mkdtempSync(join(tmpdir(), 'sluice-shop-')) },
    errorHandler: (error) => console.log(error),
  });
  const shop = express();
  shop.use((request, _, next) => sluice.withContext({ userId: String(request.query.user) }, next));
  shop.get('/buy', (_, answer) => {
    answer.json(sluice.track('order_completed', { total: 49.9 }));
  });
  const server = shop.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: shopPort } = server.address() as AddressInfo;
  const answer = await fetch(\`http://127.0.0.1:\${shopPort}/buy?user=u-1\`);
  console.log(await answer.text());
  await sluice.close();
  server.close();
  service.close();
}
`;

const parts = {
  'node:events': ['once'],
  'node:fs': ['mkdtempSync'],
  'node:http': ['createServer'],
  'node:os': ['tmpdir'],
  'node:path': ['join'],
};
const imports = Object.entries(parts).map(([from, names]) => `import { ${names.join(', ')} } from '${from}';`);
const head = `${imports.join('\n')}\nimport { type AddressInfo } from 'node:net';\n${events}\n`;

/** Output of the shop. */
export const shopOutput = 'true\norder_completed u-1 49.9\n';

/** Shops as ES module and as CommonJS module. */
export const shops: ProjectFiles = {
  'esm.mts': `import { createClient } from '@sluice/node';\nimport express from 'express';\n${head}${shopBody}`,
  'cjs.cts': `import { createClient } from '@sluice/node';\nimport express = require('express');\n${head}${shopBody}`,
};

/** Compiler options of a strict project. */
export const tsconfig = (options: object, files: readonly string[]): string =>
  JSON.stringify({ compilerOptions: { strict: true, target: 'es2022', ...options }, files });
