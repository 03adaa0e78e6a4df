import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { adRequestTopic, interactionTopic, trackTopic } from '@sluice/contracts';
import { Random } from '@sluice/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { frameBytes } from './frame.js';
import { findHolder } from './holder.js';
import { Holdings } from './holdings.js';
import { SpoolFolder, type SpoolState } from './spool-folder.js';
import { SpoolParts } from './spool-parts.js';
import { type MessageToSpool } from './spooled-message.js';

beforeEach(() => void vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined));

const row = (source: string, rest: object = {}): string => JSON.stringify({ source_id: source, ...rest });

it.each([
  [trackTopic.name, row('shop', { properties: { text: '"source_id":"other"' } }), 'shop'],
  [trackTopic.name, Buffer.from(row('shop')), 'shop'],
  [trackTopic.name, '', ''],
  [interactionTopic.name, row('shop', { reported_by: ['event'], url: '"reported_by":["callback"]' }), 'shop'],
  [interactionTopic.name, row('shop', { reported_by: ['callback'] }), 'push callbacks'],
  [adRequestTopic.name, row('shop'), 'ad requests'],
])('a message of %s with %s is held by "%s"', (topic, value, holder) => expect(findHolder(topic, value)).toBe(holder));

describe('parts of a spool of 1,000', () => {
  const capacity = 1_000;

  /** Clients that each write pieces in turn until none of them may; returns what each one holds. */
  function fill(clients: readonly string[], parts = new SpoolParts(), piece = 1): number[] {
    const state = (): SpoolState => {
      const bytes = all.reduce((sum, client) => sum + parts.held.heldBy(client), 0);
      return { bytes, roomBytes: capacity - bytes } as SpoolState;
    };
    const write = (client: string): boolean => {
      if (parts.areExceededBy(new Map([[client, piece]]), state(), 0)) return false;
      parts.held.add(client, piece);
      return true;
    };
    for (const client of clients) all.push(client);
    while (clients.map(write).some(Boolean));
    return clients.map((client) => parts.held.heldBy(client));
  }
  const all: string[] = [];
  beforeEach(() => void all.splice(0));

  it('a source that is alone holds half', () => expect(fill(['greedy'])).toEqual([500]));

  it('a source that comes later gets its part, and several share what is left', () => {
    const parts = new SpoolParts();
    fill(['greedy'], parts);
    expect(fill(['a', 'b'], parts)).toEqual([125, 125]);
    // The source that holds more than its part gets nothing more.
    expect(fill(['greedy'], parts)).toEqual([500]);
  });

  it.each([5, 20])('%i greedy sources leave as much as two of them hold, of which a newcomer gets a third', (count) => {
    const parts = new SpoolParts();
    const held = fill(
      Array.from({ length: count }, (_, i) => `greedy ${i}`),
      parts,
    );
    const part = Math.floor(capacity / (count + 2));
    for (const bytes of held) expect(Math.abs(bytes - part)).toBeLessThanOrEqual(1);
    const [newcomer = 0] = fill(['newcomer'], parts);
    expect(newcomer).toBeGreaterThanOrEqual(Math.floor((part * 2) / 3) - 2);
    expect(parts.refused.get('greedy 0')).toBeGreaterThan(0);
  });
});

describe('what is held', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sluice-parts-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('is known by source through appends, deliveries, restarts and adopted queues', () => {
    const random = new Random(57);
    const limits = { messages: 40, bytes: 1_000_000 };
    const start = (name: string): SpoolFolder =>
      new SpoolFolder({
        folder: join(root, 'spool'),
        refusedFolder: join(root, 'refused'),
        newName: name,
        maxBytes: 2_000_000,
      });
    let folder = start('first');
    let held = new Holdings();
    const waiting: MessageToSpool[] = [];
    const sumsOf = (messages: readonly MessageToSpool[]): Record<string, number> => {
      const sums = new Holdings();
      for (const message of messages) sums.add(findHolder(message.topic, message.value), frameBytes(message));
      return Object.fromEntries(sources.map((source) => [source, sums.heldBy(source)]));
    };
    const sources = ['a', 'b', 'c'];
    let taken = folder.take(undefined, limits);
    for (let step = 0; step < 60; step++) {
      const messages = Array.from({ length: random.below(60) }, (): MessageToSpool => {
        const value = row(random.pick(sources), { text: 'x'.repeat(random.below(2_000)) });
        return {
          topic: 'tracking.track.v1',
          key: 'k',
          value: random.chance(0.1) ? Buffer.from(value) : value,
          headers: '{}',
        };
      });
      folder.append(messages);
      waiting.push(...messages);
      if (random.chance(0.7)) {
        taken = folder.take(taken.place, limits);
        // The messages that were delivered with the place are gone.
        waiting.splice(0, waiting.length - folder.state.rows);
      }
      if (random.chance(0.2)) {
        folder.close();
        folder = start(`next ${step}`);
        folder.look(false);
        held = new Holdings();
        taken = { messages: [], place: undefined };
        while (folder.countHeld());
      }
      held.addAll(folder.takeChanges());
      expect(Object.fromEntries(sources.map((source) => [source, held.heldBy(source)]))).toEqual(sumsOf(waiting));
    }
    folder.close();
  });
});
