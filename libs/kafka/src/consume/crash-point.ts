import { readConfig, str } from '@sluice/service';
import { type BlockPoint } from '../protocol/block-storage.js';

/**
 * Used by fault tests only: with SLUICE_CRASH_POINT=after-insert:3 the process kills itself when a block passes that
 * point for the third time. Undefined without the variable, so that blocks pay nothing.
 */
export function crashPoint(): ((point: BlockPoint) => void) | undefined {
  const { SLUICE_CRASH_POINT } = readConfig({
    SLUICE_CRASH_POINT: str({ default: '', desc: 'Where the process kills itself in a test: <point>:<times>' }),
  });
  const [point, times] = SLUICE_CRASH_POINT.split(':');
  if (point === '') return undefined;
  let left = Number(times ?? 1);
  return (passed) => {
    if (passed === point && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
