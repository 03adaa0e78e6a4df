import { randomUUID } from 'node:crypto';
import { createKafka } from '@sluice/kafka';
import { ensureSourcesTopic, SourceReader, SourceWriter } from '@sluice/sources';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';

const kafkaConfig = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
const kafka = createKafka(kafkaConfig, 'test');
const gateway = new SourceReader(kafka);
let site: TestConsole;
let id: string;
let editor: string;
let viewer: string;

beforeAll(async () => {
  await ensureSourcesTopic(kafka, kafkaConfig);
  await gateway.start();
  const { source } = await new SourceWriter(kafka, gateway.registry).create({
    name: `shop-${randomUUID()}`,
    type: 'web-sdk',
  });
  id = source.sourceIdentifier;
  site = await TestConsole.start({ PRIVACY_KEY: 'a secret of the settings, long enough' });
  ({ cookie: editor } = await site.signIn('editor'));
  ({ cookie: viewer } = await site.signIn('viewer'));
  await eventually(async () => expect((await ask('GET', '')).statusCode).toBe(200));
}, 60_000);
afterAll(async () => {
  await site.stop();
  await gateway.stop();
});

const ask = (method: 'GET' | 'PUT', path: string, body?: object, cookie = editor) =>
  site.ask(method, `/api/sources/${id}${path}`, { cookie, ...(body && { body }) });

describe('rules of fields and consent', () => {
  const privacy = {
    rules: [
      { path: 'context.ip', rule: 'truncate' },
      { path: 'properties.card.number', rule: 'drop' },
    ],
    requireConsent: ' Analytics ',
  };

  it('are replaced as a whole, and gateways know them', async () => {
    const saved = await ask('PUT', '/privacy', privacy);
    const pii = { 'context.ip': 'truncate', 'properties.card.number': 'drop' };
    expect(saved.json()).toMatchObject({ sourceIdentifier: id, pii, requireConsent: 'Analytics' });
    await eventually(() => expect(gateway.registry.find(id)).toMatchObject({ pii, requireConsent: 'Analytics' }));
    const none = await ask('PUT', '/privacy', { rules: [], requireConsent: null });
    expect(none.json()).not.toHaveProperty('pii');
    await eventually(() => expect(gateway.registry.find(id)).not.toHaveProperty('requireConsent'));
  });

  it('hash with the key of the console, and not without one', async () => {
    const rules = [{ path: 'traits.email', rule: 'hash' }];
    expect((await ask('PUT', '/privacy', { rules, requireConsent: null })).statusCode).toBe(200);
    await eventually(() => expect(gateway.registry.find(id)?.piiKeyId).toMatch(/^\S+$/));
    await ask('PUT', '/privacy', { rules: [], requireConsent: null });
    await eventually(() => expect(gateway.registry.find(id)).not.toHaveProperty('piiKeyId'));

    const keyless = await TestConsole.start();
    const { cookie } = await keyless.signIn('editor');
    const body = { rules, requireConsent: null };
    const { statusCode, body: text } = await keyless.ask('PUT', `/api/sources/${id}/privacy`, { cookie, body });
    await keyless.stop();
    expect([statusCode, text]).toEqual([400, expect.stringContaining('PRIVACY_KEY')]);
    expect(gateway.registry.find(id)).not.toHaveProperty('pii');
  });

  it.each([
    ['a path that is not a field', [{ path: 'userId', rule: 'drop' }], null],
    ['a rule that nobody knows', [{ path: 'context.ip', rule: 'mask' }], null],
    ['two rules of a field', [privacy.rules[0], { path: 'context.ip', rule: 'drop' }], null],
    ['a blank purpose', [], '  '],
  ])('refuse %s', async (_, rules, requireConsent) => {
    const { statusCode } = await ask('PUT', '/privacy', { rules, requireConsent });
    expect(statusCode).toBe(400);
    expect(gateway.registry.find(id)).not.toHaveProperty('pii');
  });

  it('are for editors', async () => {
    expect((await ask('PUT', '/privacy', privacy, viewer)).statusCode).toBe(403);
    expect((await ask('PUT', '/segment', { segment: 'on' }, viewer)).statusCode).toBe(403);
  });
});

it('clients of Segment are let in and kept out', async () => {
  expect((await ask('PUT', '/segment', { segment: 'on' })).json()).toMatchObject({ segment: 'on' });
  await eventually(() => expect(gateway.registry.find(id)?.segment).toBe('on'));
  expect((await ask('PUT', '/segment', { segment: 'off' })).json()).not.toHaveProperty('segment');
  expect((await ask('PUT', '/segment', { segment: 'maybe' })).statusCode).toBe(400);
  await eventually(() => expect(gateway.registry.find(id)).not.toHaveProperty('segment'));
});
