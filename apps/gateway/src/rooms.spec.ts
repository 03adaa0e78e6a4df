import { Rooms } from '@sluice/testing';
import { expect, it } from 'vitest';

const rooms = new Rooms(import.meta.dirname);

it.each(rooms.names)('%s imports no room that imports it', (room) =>
  expect(rooms.reachedFrom(room)).not.toContain(room),
);
