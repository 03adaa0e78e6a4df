import { describe, expect, it } from 'vitest';
import { partNames, readOptions } from './options.js';

describe('readOptions', () => {
  it('runs every part by default', () => {
    expect(readOptions([])).toMatchObject({ parts: partNames, json: false, load: { connections: [32] } });
  });

  it('runs the named parts only', () => {
    expect(readOptions(['freshness', 'rows', '--json'])).toMatchObject({ parts: ['rows', 'freshness'], json: true });
  });

  it('adds 128 connections with --full', () => {
    expect(readOptions(['--full']).load.connections).toEqual([32, 128]);
  });

  it('refuses what it does not know', () => {
    expect(() => readOptions(['request'])).toThrow("There is no part 'request'");
    expect(() => readOptions(['--fast'])).toThrow(TypeError);
  });
});
