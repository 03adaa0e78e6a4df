import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A website whose origin differs from the gateway's, with a page and a service worker like those of the Web SDK. */
export interface TestShop {
  url: string;
  close(): void;
}

/** The answer as the page sees it; `error` if the browser blocked it. */
export interface Seen {
  status?: number;
  requestId?: string | null;
  body?: unknown;
  error?: string;
}

// Functions of the page below.
declare global {
  interface Window {
    call(request: object): Promise<Seen>;
    callInWorker(request: object): Promise<Seen>;
    prefetch(url: string): Promise<'loaded' | 'failed'>;
  }
}

/** Source text for page and worker: fetches as asked and returns the part of the answer that a script can see. */
const call = `async function call({ url, ...init }) {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    return { status: response.status, requestId: response.headers.get('x-request-id'), body: text && JSON.parse(text) };
  } catch (error) {
    return { error: String(error) };
  }
}`;

const page = `<!doctype html><title>Shop</title><script>
${call}
async function callInWorker(request) {
  await navigator.serviceWorker.register('/worker.js');
  const { active } = await navigator.serviceWorker.ready;
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = ({ data }) => resolve(data);
    active.postMessage(request, [channel.port2]);
  });
}
function prefetch(url) {
  return new Promise((resolve) => {
    const link = Object.assign(document.createElement('link'), { rel: 'prefetch', href: url });
    link.onload = () => resolve('loaded');
    link.onerror = () => resolve('failed');
    document.head.append(link);
  });
}
</script>`;

const worker = `${call}
self.addEventListener('message', (event) => {
  event.waitUntil(call(event.data).then((answer) => event.ports[0].postMessage(answer)));
});`;

export async function openShop(): Promise<TestShop> {
  const server = createServer((request, response) => {
    const [type, body] = request.url === '/worker.js' ? ['text/javascript', worker] : ['text/html', page];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
