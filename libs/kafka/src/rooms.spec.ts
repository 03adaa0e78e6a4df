import { Rooms } from '@sluice/testing';
import { expect, it } from 'vitest';

const rooms = new Rooms(import.meta.dirname);

it('the block protocol imports no other room, so that it can be read alone', () =>
  expect([...rooms.importedBy('protocol')]).toEqual([]));

it.each(rooms.names)('%s imports no room that imports it', (room) =>
  expect(rooms.reachedFrom(room)).not.toContain(room),
);
