import { type Health, Registry, type Service } from '@sluice/service';
import { expect, it, vi } from 'vitest';
import { type gatewayVariables } from '../config.js';
import { WorkerFleet } from './fleet.js';

it('is ready at first when all workers are, and later while one is', async () => {
  const health: Health = { live: new Map(), ready: new Map() };
  const fleet = new WorkerFleet();
  const answers = vi.spyOn(fleet, 'ask');
  // No process is forked: only the primary's questions are tested.
  const config = {
    GATEWAY_WORKERS: 0,
    STOP_TIMEOUT_MS: 1_000,
    GATEWAY_HOST: '::',
    CANARY_INTERVAL_MS: 0,
    CANARY_KEY: 'k',
  };
  await fleet.start({ config, health, metrics: new Registry() } as unknown as Service<typeof gatewayVariables>);
  config.GATEWAY_WORKERS = 2;
  const ask = (topic: keyof Health): unknown => health[topic].get('workers')?.();
  const says = (...ok: boolean[]): void => void answers.mockResolvedValue(ok.map((one) => ({ ok: one })));

  says(true, false);
  await expect(ask('ready')).rejects.toThrow('1 of 2 workers are ready');
  expect(await ask('live')).toEqual({ live: 1, of: 2 });
  says(true, true);
  expect(await ask('ready')).toEqual({ ready: 2, of: 2 });
  says(true, false);
  expect(await ask('ready')).toEqual({ ready: 1, of: 2 });
  says(false, false);
  await expect(ask('ready')).rejects.toThrow('0 of 2 workers are ready');
});
