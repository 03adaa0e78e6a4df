import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, signalGroup } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { summarizeAnswers } from './http-generator.js';
import { KafkaDown } from './kafka-down.js';

// A short version of kafka-down.faults.ts. Runs the built services (npm run build).

let down: KafkaDown;
beforeAll(async () => {
  down = await KafkaDown.start(inject('clickhouseUrl'));
}, 240_000);
afterAll(() => down.stop(), 60_000);

it('answers 200 while Kafka is paused, and stores everything once when Kafka is back', async () => {
  const generator = down.load('paused', 100);
  await sleep(1_000);

  signalGroup(down.kafka.pid, 'SIGSTOP');
  await eventually(async () => {
    expect(await down.gateway.metric('sluice_spool_breaker_open')).toBe(1);
  });
  const opened = Date.now();
  expect(await down.gateway.isReady()).toBe(true);
  await sleep(4_000);
  const back = Date.now();
  signalGroup(down.kafka.pid, 'SIGCONT');

  await eventually(async () => {
    expect(await down.gateway.metric('sluice_spool_breaker_open')).toBe(0);
  });
  await generator.stop();
  const all = summarizeAnswers(generator.sent);
  console.log('Kafka paused:', JSON.stringify({ all, whileOpen: summarizeAnswers(generator.sent, opened, back) }));
  expect(Object.keys(all.byStatus)).toEqual(['200']);
  expect(all.maxMs).toBeLessThan(5_000);
  expect(await down.balance(60_000)).toMatchObject({ lost: 0, doubled: 0, sent: generator.acknowledged.size });
}, 120_000);

it('a gateway killed with a full spool delivers everything it had accepted when it restarts', async () => {
  const generator = down.load('killed', 100);
  signalGroup(down.kafka.pid, 'SIGSTOP');
  await eventually(async () => {
    expect(await down.gateway.metric('sluice_spool_messages')).toBeGreaterThan(200);
  });
  const killed = down.gateway.kill();
  await generator.stop();
  await killed;
  signalGroup(down.kafka.pid, 'SIGCONT');

  await down.gateway.restart();
  await down.gateway.untilDrained(30_000);
  expect(await down.balance(60_000)).toMatchObject({ lost: 0, doubled: 0 });
}, 120_000);
