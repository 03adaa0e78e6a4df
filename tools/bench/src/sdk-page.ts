import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

interface Manifest {
  files: Record<string, { file: string; gzip: number }>;
}

/** Length of a message, as the SDK stores it. */
const messageBytes = 1_000;
/** Length of the loop that shows how often something else has the processor. */
const loopMs = 0.1;

// Runs in the page.
const script = `
const client = sluice.createClient({
  credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' },
  errorHandler: ({ code, count = 0 }) => reports.push(code + ' ' + count),
});
const reports = [];
const longTasks = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) longTasks.push({ startTime, duration });
}).observe({ type: 'longtask' });

/** Lets the browser call the function. Resolves in a later task. */
const inTask = (work) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = work;
  port2.postMessage(0);
  port2.onmessage = () => { port1.close(); resolve(); };
  port1.postMessage(0);
});

let text = '';
const track = () => client.track('bench', { text });

/** Gives messages their length. The first message shows the length without text. */
async function begin() {
  track();
  const name = Object.keys(localStorage).find((one) => one.startsWith('sluice.m.'));
  text = 'x'.repeat(${messageBytes} - localStorage.getItem(name).length);
}

/** Queues events a few in a task, about a thousand in a second. */
async function queue(count) {
  for (let done = 0; done < count; done++) {
    if (!track()) throw new Error('not taken');
    if (done % 5 === 4) await new Promise((resolve) => setTimeout(resolve, 4));
  }
}

/** The control: allocates as much as a call does, keeps the processor busy for as long, and stores nothing. */
let kept;
function loop() {
  for (const end = performance.now() + ${loopMs}; performance.now() < end; ) kept ??= JSON.stringify({ text, end });
  kept = undefined;
}

/** Calls track now and then for a second: a new page compiles functions when they are first called. */
async function warmUp() {
  for (const end = performance.now() + 1000; performance.now() < end; ) {
    await inTask(track);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const bareText = 'x'.repeat(${messageBytes});
const bareNames = [];
function bare() {
  const name = 'bare.' + Math.random();
  bareNames.push(name);
  localStorage.setItem(name, bareText);
}

/** Calls track, a bare write of as many bytes and a loop, in turn, each in a task of its own: the trace has its times. */
async function measure(count) {
  const works = [track, bare, loop];
  for (let done = 0; done < count; done++) {
    for (const work of works) await inTask(work);
    if (bareNames.length >= 100) for (const name of bareNames.splice(0)) localStorage.removeItem(name);
  }
}`;

/** Functions of the page whose calls are measured. */
export const measured = ['track', 'bare', 'loop'] as const;

export interface SdkPage {
  readonly url: string;
  /** Bytes of the bundles with gzip, by name. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Messages that the service has taken. */
  readonly takenEvents: () => number;
  /** While true, POST requests have no answer. */
  isOffline: boolean;
  close(): void;
}

/**
 * A page with the bundle, and a service that takes everything. The page is isolated from other origins: without that,
 * browsers give times in steps of 0.1 ms.
 */
export async function openSdkPage(): Promise<SdkPage> {
  const bundles = new URL('../../../sdks/web/dist/bundle/', import.meta.url);
  const { files } = JSON.parse(readFileSync(new URL('manifest.json', bundles), 'utf8')) as Manifest;
  const bundle = readFileSync(new URL(files['sluice.js']?.file ?? '', bundles));
  const html = `<!doctype html><title>Bench</title><script src="/sluice.js"></script><script>${script}</script>`;
  let eventCount = 0;
  const isolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
  const server = createServer((request, response) => {
    const [type, content] = request.url === '/sluice.js' ? ['text/javascript', bundle] : ['text/html', html];
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': type, ...isolated }).end(content);
      return;
    }
    if (page.isOffline) {
      request.socket.destroy();
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      eventCount += (JSON.parse(text.toString()) as { list: unknown[] }).list.length;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"QUEUED"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page: SdkPage = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sizes: new Map(Object.entries(files).map(([name, { gzip }]) => [name, gzip])),
    takenEvents: () => eventCount,
    isOffline: false,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return page;
}
