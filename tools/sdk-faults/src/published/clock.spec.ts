import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { beforeEach, expect, it } from 'vitest';

const script = readFileSync(new URL('../../published/pages/clock.js', import.meta.url), 'utf8');

let realNow = 0;
let timers: [what: string, ms: number][] = [];
let page: ReturnType<typeof createContext>;

/** Evaluates code in a page that has the clock. */
const evaluate = (code: string): unknown => runInContext(code, page);

beforeEach(() => {
  [realNow, timers] = [1_000, []];
  page = createContext({
    performance: { now: () => realNow },
    setTimeout: (_: unknown, ms: number) => timers.push(['timeout', ms]),
    setInterval: (_: unknown, ms: number) => timers.push(['interval', ms]),
    AbortSignal: { timeout: (ms: number) => timers.push(['abort', ms]) },
  });
  evaluate(`
    globalThis.XMLHttpRequest = class { get timeout() { return this.ms; } set timeout(ms) { this.ms = ms; } };
  `);
  // A browser's functions refuse another `this` than the window.
  evaluate(`
    globalThis.window = globalThis;
    for (const name of ['setTimeout', 'setInterval']) {
      const inner = globalThis[name];
      globalThis[name] = function (...args) {
        if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation');
        return inner(...args);
      };
    }
  `);
  evaluate(script);
});

it('makes dates and monotonic time pass faster', () => {
  evaluate('clock.set(5_000_000, 10)');
  realNow += 100;
  expect(evaluate('Date.now()')).toBe(5_001_000);
  expect(evaluate('new Date().getTime()')).toBe(5_001_000);
  expect(evaluate('performance.now()')).toBe(1_000);
  expect(evaluate('new Date(7) instanceof Date && new Date(7).getTime()')).toBe(7);
});

it('sets the date without a step of monotonic time', () => {
  evaluate('clock.set(5_000_000, 10)');
  realNow += 100;
  evaluate('clock.set(1_000, 2)');
  expect(evaluate('Date.now()')).toBe(1_000);
  expect(evaluate('performance.now()')).toBe(1_000);
  realNow += 100;
  expect(evaluate('Date.now()')).toBe(1_200);
  expect(evaluate('performance.now()')).toBe(1_200);
});

it('shortens timers and time limits', () => {
  evaluate('clock.set(0, 10); setTimeout(() => 0, 500); setInterval(() => 0, 100); AbortSignal.timeout(1_000)');
  expect(timers).toEqual([
    ['timeout', 50],
    ['interval', 10],
    ['abort', 100],
  ]);
  evaluate('globalThis.request = new XMLHttpRequest(); request.timeout = 30_000');
  expect(evaluate('[request.ms, request.timeout].join()')).toBe('3000,30000');
});
