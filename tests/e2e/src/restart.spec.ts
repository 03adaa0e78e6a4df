import { eventually } from '@sluice/testing';
import { expect, it } from 'vitest';
import { local, post, select } from './stack.js';

it('a killed tracking service comes back by itself, and events sent while it is down are stored', async () => {
  const { pid } = local().tracking;
  const userId = `restart-${pid}`;
  process.kill(pid, 'SIGKILL');
  for (let i = 0; i < 20; i++) expect((await post('track', { userId, event: 'e' })).status).toBe(200);

  await eventually(async () => {
    const [row] = await select('SELECT uniqExact(message_id) AS n FROM events WHERE user_id = {userId:String}', {
      userId,
    });
    expect(Number(row?.['n'])).toBe(20);
  });
  await eventually(() => expect(local().tracking.pid).not.toBe(pid));
  const response = await fetch(`${local().tracking.url}/health/ready`);
  expect(response.status).toBe(200);
});
