import { expect, it } from 'vitest';
import { type PipelinedRequest } from '../../request/pipelined-request.js';
import { isValidHead } from './request-head.js';

const isValid = (httpVersion: string, ...lines: [name: string, value: string][]): boolean =>
  isValidHead({
    httpVersion,
    headers: Object.fromEntries(lines.toReversed().map(([name, value]) => [name.toLowerCase(), value])),
    rawHeaders: lines.flat(),
  } as unknown as PipelinedRequest);

it.each(['a', 'a.example:8080', '127.0.0.1:1', '[::1]:80', 'a:', ''])('takes the host "%s"', (host) =>
  expect(isValid('1.1', ['Host', host])).toBe(true),
);

it.each(['a b', 'a/', 'a@b', 'a:b', '[::1', 'a,b c', 'a\\b', 'a#'])('refuses the host "%s"', (host) => {
  expect(isValid('1.1', ['Host', host])).toBe(false);
  expect(isValid('1.0', ['Host', host])).toBe(false);
});

it('wants one host, which only HTTP/1.0 may leave out', () => {
  expect(isValid('1.1', ['Accept', '*/*'])).toBe(false);
  expect(isValid('1.0', ['Accept', '*/*'])).toBe(true);
  expect(isValid('1.1', ['Host', 'a'], ['hOST', 'a'])).toBe(false);
});

it.each(['0.9', '2.0', '1.2'])('refuses version %s', (version) => expect(isValid(version, ['Host', 'a'])).toBe(false));

it.each([
  ['1.1', 'chunked', true],
  ['1.1', 'Chunked', true],
  ['1.1', 'gzip, chunked', false],
  ['1.1', 'identity, chunked', false],
  ['1.1', 'chunked, chunked', false],
  ['1.1', '', false],
  ['1.0', 'chunked', false],
])('with HTTP/%s, a transfer coding "%s" is taken: %s', (version, coding, isTaken) =>
  expect(isValid(version, ['Host', 'a'], ['Transfer-Encoding', coding])).toBe(isTaken),
);
