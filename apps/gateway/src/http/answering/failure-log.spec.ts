import { expect, it } from 'vitest';
import { FailureLog } from './failure-log.js';

function aLog() {
  const lines: unknown[] = [];
  const write = (line: unknown) => lines.push(line);
  return { lines, log: new FailureLog({ warn: write, error: write }) };
}
const aFailure = (change = {}) => ({ requestId: 'id', route: '/track', status: 503, error: new Error('x'), ...change });

it('logs which request failed and where in the code, and nothing that the request contained', () => {
  const { lines, log } = aLog();

  log.write(aFailure({ status: 500, error: new TypeError('cannot read secret') }));

  expect(lines).toMatchObject([{ msg: 'a request failed', requestId: 'id', route: '/track', error: 'TypeError' }]);
  expect(JSON.stringify(lines)).toContain('failure-log.spec.ts');
  expect(JSON.stringify(lines)).not.toContain('secret');
});

it('writes a few lines a second, then the number of lines it left out', () => {
  const { lines, log } = aLog();

  for (let i = 0; i < 25; i++) log.write(aFailure(), 5_000 + i);
  log.write(aFailure(), 6_000);

  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toMatchObject({ msg: 'a request was not taken', leftOut: 15 });
});
