import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../errors/api-error.js';
import { Admission } from './admission.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const anAnswer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
const anAdmission = (): Admission =>
  new Admission({
    GATEWAY_MAX_REQUESTS_IN_WORK: 10,
    KEYLESS_MAX_REQUESTS_IN_WORK: 3,
    GATEWAY_MAX_BODY_BYTES_IN_WORK: 1_000_000,
  });

let sources = 0;

function begun(admission: Admission, hasKey: boolean): ServerResponse {
  const answer = anAnswer();
  admission.begin(answer);
  admission.takePlace(answer, hasKey ? `source-${sources++}` : undefined);
  return answer;
}

it('requests without a key have a few places of their own, and requests with a key have all the others', () => {
  const admission = anAdmission();
  const keyless = Array.from({ length: 3 }, () => begun(admission, false));
  expect(() => begun(admission, false)).toThrow(ApiError);
  for (let i = 0; i < 7; i++) begun(admission, true);
  expect(() => begun(admission, true)).toThrow(ApiError);
  expect(admission.inWork).toBe(10);
  keyless[0]?.emit('close');
  expect(admission.inWork).toBe(9);
  begun(admission, false);
  expect(() => begun(admission, false)).toThrow(ApiError);
});

it('asks clients to retry later, the more requests are refused', () => {
  const admission = anAdmission();
  const secondsAfter = (times: number): number => {
    for (let i = 1; i < times; i++) admission.reject(true, false);
    return Number(admission.reject(true, false).headers['retry-after']);
  };
  expect(secondsAfter(1)).toBeLessThanOrEqual(2);
  expect(secondsAfter(20)).toBeGreaterThanOrEqual(20);
});

it('a gateway that refuses only requests without a key is not overloaded', () => {
  const admission = anAdmission();
  const secondsOf = (hasKey: boolean): void => {
    for (let second = 0; second < 40; second++) {
      for (let i = 0; i < 10; i++) admission.reject(hasKey, false);
      vi.advanceTimersByTime(1_000);
    }
  };
  secondsOf(false);
  expect(admission.load.isOverloadedForLong).toBe(false);
  secondsOf(true);
  expect(admission.load.isOverloadedForLong).toBe(true);
});

it('a source that is alone takes half of the places, and leaves the rest to other sources', () => {
  const admission = anAdmission();
  const take = (source: string): void => admission.takePlace(anAnswer(), source);
  for (let i = 0; i < 5; i++) take('greedy');
  expect(() => take('greedy')).toThrow(ApiError);
  for (let i = 0; i < 2; i++) take('ordinary');
  expect(() => take('ordinary')).toThrow(ApiError);
  take('other');
  expect(admission.inWork).toBe(8);
  expect([admission.isSpentBy('greedy'), admission.isSpentBy('new')]).toEqual([true, false]);
});

it('a gateway that refuses only a source that has its part already is not overloaded', () => {
  const admission = anAdmission();
  for (let second = 0; second < 40; second++) {
    for (let i = 0; i < 10; i++) admission.reject(true, true);
    vi.advanceTimersByTime(1_000);
  }
  expect(admission.load.isOverloadedForLong).toBe(false);
});
