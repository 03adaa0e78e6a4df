import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';

describe('readOptions', () => {
  it('runs every part by default but the long one', () => {
    const parts = ['requests', 'rows', 'repeats', 'freshness'];
    expect(readOptions([])).toMatchObject({ parts, json: false, load: { connections: [32] } });
  });

  it('runs the named parts only', () => {
    expect(readOptions(['freshness', 'rows', '--json'])).toMatchObject({
      parts: ['rows', 'repeats', 'freshness'],
      json: true,
    });
  });

  it('adds 128 connections with --full', () => {
    expect(readOptions(['--full']).load.connections).toEqual([32, 128]);
  });

  it('asks of 20 million events, of 100 million or as many as is said', () => {
    expect(readOptions(['queries'])).toMatchObject({ parts: ['queries'], load: { storedEvents: 20_000_000 } });
    expect(readOptions(['queries', '--full']).load.storedEvents).toBe(100_000_000);
    expect(readOptions(['queries', '--stored', '5000']).load.storedEvents).toBe(5_000);
  });

  it('looks repeats up in 3 million rows, in 100 million or as many as is said', () => {
    expect(readOptions(['repeats']).load.heldRows).toBe(3_000_000);
    expect(readOptions(['repeats', '--full']).load.heldRows).toBe(100_000_000);
    expect(readOptions(['repeats', '--held', '5000']).load.heldRows).toBe(5_000);
  });

  it('refuses what it does not know', () => {
    expect(() => readOptions(['queries', '--stored', 'all'])).toThrow("'all' is not a number of rows");
    expect(() => readOptions(['request'])).toThrow("There is no part 'request'");
    expect(() => readOptions(['--fast'])).toThrow(TypeError);
  });
});
