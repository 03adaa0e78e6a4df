import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';

describe('readOptions', () => {
  it('runs by default only the parts that need not be named', () => {
    const parts = ['requests', 'rows', 'repeats', 'freshness'];
    expect(readOptions([])).toMatchObject({ parts, json: false, load: { connections: [32] } });
  });

  it('runs only the named parts', () =>
    expect(readOptions(['freshness', 'rows', '--json'])).toMatchObject({
      parts: ['rows', 'repeats', 'freshness'],
      json: true,
    }));

  it('adds 128 connections with --full', () => expect(readOptions(['--full']).load.connections).toEqual([32, 128]));

  it('queries 20 million events by default, 100 million with --full, or the number of --stored', () => {
    expect(readOptions(['queries'])).toMatchObject({ parts: ['queries'], load: { storedEvents: 20_000_000 } });
    expect(readOptions(['queries', '--full']).load.storedEvents).toBe(100_000_000);
    expect(readOptions(['queries', '--stored', '5000']).load.storedEvents).toBe(5_000);
  });

  it('looks up repeats in 3 million rows by default, 100 million with --full, or the number of --held', () => {
    expect(readOptions(['repeats']).load.heldRows).toBe(3_000_000);
    expect(readOptions(['repeats', '--full']).load.heldRows).toBe(100_000_000);
    expect(readOptions(['repeats', '--held', '5000']).load.heldRows).toBe(5_000);
  });

  it('measures all of the console, or the pieces of --only', () => {
    expect(readOptions(['console']).only).toEqual(['rows', 'viewers', 'pages']);
    expect(readOptions(['console', '--only', 'pages']).only).toEqual(['pages']);
    expect(() => readOptions(['console', '--only', 'page'])).toThrow("no piece 'page'");
  });

  it('refuses unknown parts, unknown options and invalid numbers', () => {
    expect(() => readOptions(['queries', '--stored', 'all'])).toThrow("'all' is not a number of rows");
    expect(() => readOptions(['request'])).toThrow("There is no part 'request'");
    expect(() => readOptions(['--fast'])).toThrow(TypeError);
  });
});
