import { tryExamples } from '@sluice/console-api';
import { expect, it } from 'vitest';
import { post, sync } from '../stack.js';

it.each(Object.entries(tryExamples))('the gateway takes the example of %s whole', async (route, body) => {
  const send = /^(track|identify)/.test(route) ? post : sync;
  const { status, body: answer } = await send(`${route}?validate=only`, body);
  expect([status, answer]).toEqual([200, { status: 'QUEUED' }]);
});
