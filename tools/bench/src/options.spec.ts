import { describe, expect, it } from 'vitest';
import { readBenchOptions } from './options.js';

describe('readOptions', () => {
  it('runs by default only the parts that need not be named', () => {
    const parts = ['requests', 'rows', 'repeats', 'freshness'];
    expect(readBenchOptions([])).toMatchObject({ parts, json: false, load: { connections: [32] } });
  });

  it('runs only the named parts', () =>
    expect(readBenchOptions(['freshness', 'rows', '--json'])).toMatchObject({
      parts: ['rows', 'repeats', 'freshness'],
      json: true,
    }));

  it('adds 128 connections with --full', () =>
    expect(readBenchOptions(['--full']).load.connections).toEqual([32, 128]));

  it('queries 20 million events by default, 100 million with --full, or the number of --stored', () => {
    expect(readBenchOptions(['queries'])).toMatchObject({ parts: ['queries'], load: { storedEvents: 20_000_000 } });
    expect(readBenchOptions(['queries', '--full']).load.storedEvents).toBe(100_000_000);
    expect(readBenchOptions(['queries', '--stored', '5000']).load.storedEvents).toBe(5_000);
  });

  it('looks up repeats in 3 million rows by default, 100 million with --full, or the number of --held', () => {
    expect(readBenchOptions(['repeats']).load.heldRows).toBe(3_000_000);
    expect(readBenchOptions(['repeats', '--full']).load.heldRows).toBe(100_000_000);
    expect(readBenchOptions(['repeats', '--held', '5000']).load.heldRows).toBe(5_000);
  });

  it('measures all of the console, or the pieces of --only', () => {
    expect(readBenchOptions(['console']).only).toEqual(['rows', 'viewers', 'pages']);
    expect(readBenchOptions(['console', '--only', 'thousands']).only).toEqual(['thousands']);
    expect(readBenchOptions(['console', '--only', 'pages']).only).toEqual(['pages']);
    expect(() => readBenchOptions(['console', '--only', 'page'])).toThrow("no piece 'page'");
  });

  it('refuses unknown parts, unknown options and invalid numbers', () => {
    expect(() => readBenchOptions(['queries', '--stored', 'all'])).toThrow("'all' is not a number of events");
    expect(() => readBenchOptions(['repeats', '--held', 'all'])).toThrow("'all' is not a number of rows");
    expect(() => readBenchOptions(['request'])).toThrow("There is no part 'request'");
    expect(() => readBenchOptions(['--fast'])).toThrow(TypeError);
  });
});
