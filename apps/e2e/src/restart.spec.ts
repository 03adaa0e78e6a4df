import { expect, it, vi } from 'vitest';
import { local, post, select } from './stack.js';

const patience = { timeout: 30_000, interval: 200 };

it('a killed tracking service comes back by itself, and events sent meanwhile are stored', async () => {
  const { pid } = local().tracking;
  const userId = `restart-${pid}`;
  process.kill(pid, 'SIGKILL');
  for (let i = 0; i < 20; i++) expect((await post('track', { userId, event: 'e' })).status).toBe(200);

  await vi.waitFor(async () => {
    const [row] = await select('SELECT uniqExact(message_id) AS n FROM events WHERE user_id = {userId:String}', {
      userId,
    });
    expect(Number(row?.['n'])).toBe(20);
  }, patience);
  await vi.waitFor(() => {
    expect(local().tracking.pid).not.toBe(pid);
  }, patience);
  const response = await fetch(`${local().tracking.url}/health/ready`);
  expect(response.status).toBe(200);
});
