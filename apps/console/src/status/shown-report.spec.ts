import { expect, it } from 'vitest';
import { defaultMasks } from '../payload/default-masks.js';
import { PayloadMasks } from '../payload/masks.js';
import { type Payloads } from '../payload/payloads.js';
import { shownReport } from './shown-report.js';
import { emptyReport } from './status-cache.js';

it('masks what reasons of dead letters quote', () => {
  const report = emptyReport({ verdict: 'ok', summary: 'as read' });
  const reasons = [{ reason: 'user_id ann@shop.example is too long', letters: 2 }];
  report.deadLetters.topics = [{ topic: 'tracking.track.v1', letters: 2, newest: null, reasons }];
  const { masked } = new PayloadMasks(defaultMasks, 'secret');
  const [topic] = shownReport(report, { masked } as Payloads).deadLetters.topics;
  expect(topic?.reasons[0]?.reason).toMatch(/^user_id ‹email, 16, [0-9a-f]{4}› is too long$/);
});
