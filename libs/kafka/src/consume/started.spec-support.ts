import { type Health } from '@sluice/service';
import { vi } from 'vitest';
import { type BlockConsumer } from './block-consumer.js';

/** Starts a consumer and waits until its group has given it partitions. @throws Error when it does not start. */
export async function started(
  consumer: BlockConsumer,
  health: Health,
  timeout: { timeout: number; interval: number },
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    void consumer.listen((error) => {
      if (error === undefined) resolve();
      else reject(new Error('the consumer did not start', { cause: error }));
    });
  });
  await vi.waitFor(() => health.ready.get('consumer')?.(), timeout);
}
