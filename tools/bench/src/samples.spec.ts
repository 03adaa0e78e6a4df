import { describe, expect, it } from 'vitest';
import { finishedRow, trackBatch, trackMessage } from './samples.js';

describe('samples', () => {
  it('have about 400 bytes', () => {
    expect(JSON.stringify(trackMessage(1234)).length).toSatisfy((size: number) => size > 350 && size < 450);
    expect(JSON.stringify(finishedRow(1234, '2026-01-31T12:00:00.000Z')).length).toSatisfy(
      (size: number) => size > 350 && size < 450,
    );
  });

  it('belong to different people, across batches too', () => {
    const people = [0, 1, 2].flatMap((n) => trackBatch(n, 100).list.map(({ userId }) => userId));
    expect(new Set(people).size).toBe(300);
  });

  it('have unique UUIDs as ids', () => {
    const ids = Array.from({ length: 1000 }, (_, n) => finishedRow(n, '2026-01-31T12:00:00.000Z').message_id);
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
