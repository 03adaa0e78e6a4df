import { expect, it } from 'vitest';
import { recordOfSource } from './records.js';
import { SourceRegistry } from './registry.js';
import { RegistrySink } from './registry-sink.js';

const aRecord = (sourceIdentifier: string) =>
  recordOfSource({ sourceIdentifier, name: 'Shop', type: 'web-sdk', status: 'enabled', createdAt: '2026-01-01' });

function knowing(...identifiers: string[]) {
  const known = new SourceRegistry();
  for (const identifier of identifiers) {
    const { key, value } = aRecord(identifier);
    known.apply(key, value);
  }
  let changes = 0;
  const sink = new RegistrySink(known, () => changes++);
  return { sink, identifiers: () => known.list().map((one) => one.sourceIdentifier), changes: () => changes };
}

it('replaces the known sources once it has read the whole topic, and not before', () => {
  const { sink, identifiers, changes } = knowing('old');
  sink.take(aRecord('new'));
  expect([identifiers(), changes()]).toEqual([['old'], 0]);
  sink.caughtUp();
  expect([identifiers(), changes()]).toEqual([['new'], 1]);
  sink.take(aRecord('newer'));
  expect([identifiers(), changes()]).toEqual([['new', 'newer'], 2]);
});

it('keeps the known sources when the topic is empty, and adds new ones', () => {
  const { sink, identifiers, changes } = knowing('old');
  sink.caughtUp();
  expect([identifiers(), changes()]).toEqual([['old'], 0]);
  sink.take(aRecord('new'));
  expect([identifiers(), changes()]).toEqual([['old', 'new'], 1]);
});

it('is complete without sources when the topic is empty and none were known', () => {
  const { sink, identifiers, changes } = knowing();
  sink.caughtUp();
  expect([identifiers(), changes()]).toEqual([[], 1]);
});
