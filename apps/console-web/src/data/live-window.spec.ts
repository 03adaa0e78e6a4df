import { type LiveFrame, type LiveRow } from '@sluice/console-api';
import { describe, expect, it } from 'vitest';
import { emptyWindow, paceText, resumed, judgeState, withFrame } from './live-window';

const aRow = (offset: number): LiveRow => ({
  topic: 'tracking.track.v1',
  partition: 0,
  offset: String(offset),
  at: new Date(offset).toISOString(),
  receivedAt: new Date(offset).toISOString(),
  requestId: 'r',
  sourceIdentifier: 's',
  sourceName: 'Shop',
  user: 'u',
  event: 'e',
  payload: { json: '{}', isCut: false, isMasked: false },
});

const aFrame = (change: Partial<LiveFrame>): LiveFrame => ({
  rows: [],
  refused: [],
  seen: 0,
  skipped: 0,
  dropped: 0,
  lagMs: null,
  confirmed: {},
  ...change,
});

describe('the window of live rows', () => {
  it('keeps the newest 500, newest first', () => {
    const rows = Array.from({ length: 600 }, (_, i) => aRow(i));
    const { items } = withFrame(emptyWindow, aFrame({ rows }), false, 0);
    expect(items).toHaveLength(500);
    expect(items[0]?.key).toBe('tracking.track.v1:0:599');
  });

  it('holds what comes while it is paused, and shows it afterwards', () => {
    const paused = withFrame(emptyWindow, aFrame({ rows: [aRow(1)] }), true, 0);
    expect([paused.items.length, paused.held.length]).toEqual([0, 1]);
    expect(resumed(paused).items).toHaveLength(1);
  });

  it('calls a row stored once a higher offset is confirmed, also beyond 2^53', () => {
    const [item] = withFrame(
      emptyWindow,
      aFrame({ rows: [{ ...aRow(1), offset: '9007199254740993' }] }),
      false,
      0,
    ).items;
    if (!item) throw new Error('no item');
    expect(judgeState(item, { 'tracking.track.v1:0': '9007199254740993' })).toBe('in-kafka');
    expect(judgeState(item, { 'tracking.track.v1:0': '9007199254740994' })).toBe('stored');
  });

  it('says exactly how much is left out', () => {
    const one = withFrame(emptyWindow, aFrame({ seen: 1 }), false, 0);
    const textAfter = (frame: Partial<LiveFrame>) => paceText(withFrame(one, aFrame(frame), false, 1000), 1100);
    expect(textAfter({ seen: 7690, skipped: 92_322 })).toBe('Shows 1 in 13 (7,690 of 100,012 a second)');
    expect(textAfter({ seen: 312 })).toBe('Shows every message: 312 a second');
    expect(textAfter({})).toBe('Nothing arrives right now');
  });

  it('says so when nothing came for a while, but says nothing from one frame alone', () => {
    const one = withFrame(emptyWindow, aFrame({ seen: 1 }), false, 0);
    expect(paceText(emptyWindow, 0)).toBe('Nothing arrives right now');
    expect(paceText(one, 100)).toBe('');
    expect(paceText(one, 10_000)).toBe('Nothing arrives right now');
  });
});
