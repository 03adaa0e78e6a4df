// Sends single events at a fixed rate through the Service, in a pod; prints what was answered as one JSON line at its end.
//   node load.mjs URL SOURCE KEY RATE SECONDS     ends early on SIGTERM
import { Agent, request } from 'node:http';

const [url, source, key, rate, seconds] = process.argv.slice(-5);
const { hostname, port } = new URL(url);
const tickMs = 50;
const endAt = Date.now() + Number(seconds) * 1_000;
/** Requests per agent. The connections of the next agent may reach another gateway. */
const perAgent = 200;
let agent = new Agent({ keepAlive: true, maxSockets: 32 });
let isStopped = false;
let sent = 0;
let open = 0;
const answers = {};
/** The first requests that failed, with their time and answer. */
const failures = [];
const times = [];
process.on('SIGTERM', () => (isStopped = true));

const count = (what, text = '') => {
  open--;
  answers[what] = (answers[what] ?? 0) + 1;
  if (what !== 200 && failures.length < 5) failures.push(`${new Date().toISOString()} ${what} ${text}`.trim());
};

function send(i) {
  const body = JSON.stringify({ userId: `load-${i}`, event: 'load', properties: { i } });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const begunAt = performance.now();
  open++;
  const path = `/api/tracker/sdk/${source}/track`;
  const sending = request({ hostname, port: port || 80, path, method: 'POST', agent, headers, timeout: 20_000 });
  sending.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    response.on('end', () => {
      times.push(performance.now() - begunAt);
      count(response.statusCode, `Retry-After ${response.headers['retry-after']} ${text}`);
    });
  });
  sending.on('timeout', () => sending.destroy(Object.assign(new Error('timeout'), { code: 'TIMEOUT' })));
  sending.on('error', (/** @type {NodeJS.ErrnoException} */ { code }) => count(code));
  sending.end(body);
}

const timer = setInterval(() => {
  if (isStopped || Date.now() > endAt) {
    clearInterval(timer);
    return void finish();
  }
  for (let i = 0; i < (Number(rate) * tickMs) / 1_000; i++) {
    if (sent % perAgent === 0) agent = new Agent({ keepAlive: true, maxSockets: 32 });
    send(sent++);
  }
}, tickMs);

async function finish() {
  while (open > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  times.sort((a, b) => a - b);
  const at = (share) => Math.round(times[Math.floor(times.length * share)] ?? 0);
  const slowest = Math.round(times.at(-1) ?? 0);
  console.log(JSON.stringify({ sent, answers, failures, p50: at(0.5), p99: at(0.99), slowest }));
  process.exit(0);
}
