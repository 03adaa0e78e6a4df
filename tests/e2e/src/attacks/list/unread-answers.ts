import { type Attack, besiege, keyed, requestLine, pour, buildRequest, type AttackTarget } from '../attack.js';

const times = (request: Buffer, bytes: number): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(bytes / request.length) }, () => request));

/** The path of the largest file of the Web SDK, or of a missing file if no bundle was built. */
async function largestOfSdk({ url }: AttackTarget): Promise<string> {
  const manifest = (await (await fetch(`${url}/sdk/manifest.json`)).json()) as {
    files?: Record<string, { file: string; bytes: number }>;
  };
  const files = Object.values(manifest.files ?? {}).sort((a, b) => b.bytes - a.bytes);
  return `/sdk/${files[0]?.file ?? 'sluice.js'}`;
}

/** Clients that send many requests at once and never read an answer. */
export const unreadAnswers: Attack[] = [
  {
    name: 'unread answers to pipelined 404s',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 20 }, (socket) => pour(socket, times(buildRequest('GET /'), 65_536))),
  },
  {
    name: 'unread answers to pipelined /openapi.json',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 50 }, (socket) =>
        pour(socket, times(buildRequest('GET /openapi.json'), 65_536)),
      ),
  },
  {
    name: 'unread files of /docs on many connections',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 1_500 }, (socket) => {
        socket.write(buildRequest('GET /docs/swagger-ui-bundle.js'));
      }),
  },
  {
    name: 'unread files of /sdk on many connections',
    run: async (target, seconds) => {
      const path = await largestOfSdk(target);
      await besiege(target, { seconds, connections: 1_500 }, (socket) => {
        // Paused, because Node would otherwise read the whole small file from the kernel at once.
        socket.pause();
        socket.write(buildRequest(`GET ${path}`));
      });
    },
  },
  {
    name: 'unread answers to pipelined HEAD and OPTIONS on many connections',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 1_500 }, (socket, index) =>
        pour(socket, times(buildRequest(index % 2 === 0 ? 'HEAD /health/ready' : 'OPTIONS /api/x'), 16_384), 8),
      ),
  },
  {
    name: 'a few unread 404s at a time on many connections',
    run: (target, seconds) =>
      besiege(target, { seconds, connections: 500 }, (socket) => {
        const fewRequests = times(buildRequest('GET /'), 300);
        const timer = setInterval(() => socket.write(fewRequests), 250);
        socket.once('close', () => clearInterval(timer));
      }),
  },
  {
    name: 'unread long lists of dropped fields',
    run: (target, seconds) => {
      const unknown = Array.from({ length: 1_000 }, (_, i) => `"${'x'.repeat(700)}${i}":1`).join(',');
      const body = `{"list":[{"userId":"u","event":"e",${unknown}}]}`;
      const request = buildRequest(`${requestLine(target, 'trackBatch')}?validate=only`, keyed(target), body);
      return besiege(target, { seconds, connections: 60 }, (socket) => pour(socket, request));
    },
  },
];
