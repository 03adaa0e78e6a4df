import { eventually } from '@sluice/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { local } from '../stack.js';
import { startOtlpReceiver } from './otlp-receiver.js';
import { startTrackingProcess } from './tracking-process.js';

const traceId = randomBytes(16).toString('hex');
const clientSpan = randomBytes(8).toString('hex');
const secret = `secret-${randomUUID()}`;

let collector: Awaited<ReturnType<typeof startOtlpReceiver>>;
let folder: string;
let headers: string;
let gateway: GatewayProcess;
let tracking: Awaited<ReturnType<typeof startTrackingProcess>>;
beforeAll(async () => {
  collector = await startOtlpReceiver();
  folder = await mkdtemp(join(tmpdir(), 'sluice-traces-'));
  headers = join(folder, 'headers');
  await writeFile(headers, 'Authorization=Bearer of-the-start\n');
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS_FILE: headers };
  // This consumer shares the partitions with the stack's own, which is not traced.
  tracking = await startTrackingProcess(settings, folder);
  gateway = await startGatewayProcess(settings);
});
afterAll(async () => {
  await gateway.stop();
  await tracking.server.stop();
  collector.stop();
  await rm(folder, { recursive: true });
});

const send = (userId: string, sent: Record<string, string>): Promise<Response> =>
  fetch(`${gateway.url}/api/tracker/sdk/${local().source.sourceIdentifier}/track`, {
    method: 'POST',
    headers: { authorization: `Bearer ${local().source.apiKey}`, 'content-type': 'application/json', ...sent },
    body: JSON.stringify({ userId, event: 'traced', properties: { secret } }),
  });

it('follows a request from HTTP through Kafka to the INSERT', async () => {
  const traceparent = `00-${traceId}-${clientSpan}-01`;
  for (let i = 0; i < 40; i++) expect((await send(`user-${i}`, { traceparent })).status).toBe(200);

  await eventually(() => expect(collector.spans.map(({ name }) => name)).toContain('insert events'));

  const spansNamed = (name: string) => collector.spans.filter((span) => span.name === name);
  const requests = spansNamed('POST /api/tracker/sdk/:sourceIdentifier/track');
  expect(requests[0]).toMatchObject({ service: 'sluice-gateway', traceId, parentSpanId: clientSpan });
  const ids = new Set(requests.map(({ spanId }) => spanId));
  expect(spansNamed('publish')[0]).toMatchObject({ traceId });
  expect(ids).toContain(spansNamed('publish')[0]?.parentSpanId);

  const [stored] = spansNamed('stored tracking.track.v1');
  expect(stored).toMatchObject({ service: 'sluice-tracking', traceId });
  expect(ids).toContain(stored?.parentSpanId);
  expect(spansNamed('store tracking.track.v1').map(({ spanId }) => spanId)).toContain(stored?.links?.[0]?.spanId);

  const [block] = spansNamed('store tracking.track.v1');
  expect(block?.service).toBe('sluice-tracking');
  expect(block?.links?.length).toBeGreaterThan(0);
  for (const link of block?.links ?? []) expect(link.traceId).toBe(traceId);
  const blocks = new Set(spansNamed('store tracking.track.v1').map(({ spanId }) => spanId));
  expect(blocks).toContain(spansNamed('insert events')[0]?.parentSpanId);
});

it('sends headers of a file, and its new content after the file has changed', async () => {
  expect(collector.authorizations).toContain('Bearer of-the-start');
  await writeFile(headers, 'Authorization=Bearer of-later\n');
  await send('user-1', { traceparent: `00-${traceId}-${clientSpan}-01` });

  await eventually(() => expect(collector.authorizations).toContain('Bearer of-later'));
});

it('does not trace a request that its client did not sample', async () => {
  const unsampled = randomBytes(16).toString('hex');
  await send('user-1', { traceparent: `00-${unsampled}-${clientSpan}-00` });
  const later = randomBytes(16).toString('hex');
  await send('user-1', { traceparent: `00-${later}-${clientSpan}-01` });

  await eventually(() => expect(collector.spans.map((span) => span.traceId)).toContain(later));
  expect(collector.spans.map((span) => span.traceId)).not.toContain(unsampled);
});

it('spans contain no bodies and no keys', () => {
  const text = JSON.stringify(collector.spans);

  expect(text).not.toContain(secret);
  expect(text).not.toContain(local().source.apiKey);
  expect(text).not.toContain(local().source.sourceIdentifier);
});
