import { describe, expect, it } from 'vitest';
import { ConsoleState } from './console-state.js';
import { toConsoleRecord, type UserRecord } from './records.js';

const aUser = (id: string, notBefore = 0): UserRecord => ({
  id,
  name: id,
  role: 'viewer',
  payloads: false,
  origin: 'local',
  isDisabled: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  notBefore,
});
const userRecord = (id: string, notBefore?: number) => toConsoleRecord('user', id, aUser(id, notBefore));

/** A state whose reading has taken one user, at offset 0. */
function aState(): ConsoleState {
  const state = new ConsoleState();
  const reading = state.startReading();
  reading.take(userRecord('ada'), 0n);
  reading.caughtUp(0n);
  return state;
}

describe('ConsoleState', () => {
  it('serves what it knows while the topic is read again', () => {
    const state = aState();
    const reading = state.startReading();
    expect(state.get('user', 'ada')).toBeDefined();
    reading.take(userRecord('bob'), 1n);
    expect(state.get('user', 'bob')).toBeUndefined();
    reading.caughtUp(1n);
    expect(state.list('user').map(({ id }) => id)).toEqual(['bob']);
  });

  it('keeps what was written while the topic was read again, and beyond the end of that reading', () => {
    const state = aState();
    const reading = state.startReading();
    reading.take(userRecord('ada'), 0n);
    state.takeWritten(userRecord('bob'), 1n);
    state.takeWritten(toConsoleRecord('user', 'ada', null), 2n);
    reading.caughtUp(0n);
    expect(state.list('user').map(({ id }) => id)).toEqual(['bob']);

    reading.take(userRecord('bob'), 1n);
    reading.take(toConsoleRecord('user', 'ada', null), 2n);
    expect(state.list('user').map(({ id }) => id)).toEqual(['bob']);
  });

  it('never goes back to an older record of the reading', () => {
    const state = new ConsoleState();
    const reading = state.startReading();
    reading.caughtUp(-1n);
    state.takeWritten(userRecord('ada'), 0n);
    state.takeWritten(userRecord('ada', 17), 1n);
    reading.take(userRecord('ada'), 0n);
    expect(state.get('user', 'ada')?.notBefore).toBe(17);

    state.takeWritten(toConsoleRecord('user', 'ada', null), 2n);
    reading.take(userRecord('ada', 17), 1n);
    expect(state.get('user', 'ada')).toBeUndefined();
  });

  it('takes a newer record of another console, though its own was acknowledged later', () => {
    const state = aState();
    const reading = state.startReading();
    reading.take(userRecord('ada', 1), 1n);
    reading.take(userRecord('ada', 2), 2n);
    reading.caughtUp(2n);
    state.takeWritten(userRecord('ada', 1), 1n);
    expect(state.get('user', 'ada')?.notBefore).toBe(2);
  });

  it('forgets what it wrote when the topic was recreated', () => {
    const state = aState();
    state.takeWritten(userRecord('bob'), 1n);
    const first = state.startReading();
    first.take(userRecord('ada'), 0n);
    first.take(userRecord('bob'), 1n);
    first.caughtUp(1n);
    const secondReading = state.startReading();
    secondReading.take(userRecord('eve'), 0n);
    secondReading.caughtUp(0n);
    expect(state.list('user').map(({ id }) => id)).toEqual(['eve']);
  });
});
