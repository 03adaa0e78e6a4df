import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Analytics } from '@segment/analytics-node';

const { HOST, WRITE_KEY, COUNT, USER_ID } = process.env;
const analytics = new Analytics({ writeKey: WRITE_KEY, host: HOST });
const failures = [];
analytics.on('error', ({ reason }) => failures.push(String(reason)));

analytics.identify({ userId: USER_ID, traits: { plan: 'pro' } });
analytics.page({ userId: USER_ID, name: 'Home' });
analytics.screen({ userId: USER_ID, name: 'Cart' });
analytics.group({ userId: USER_ID, groupId: 'g-1', traits: { seats: 3 } });
analytics.alias({ userId: USER_ID, previousId: `${USER_ID}-before` });
for (let n = 0; n < Number(COUNT); n++) {
  analytics.track({ userId: USER_ID, event: 'Order Completed', properties: { n } });
  await sleep(10);
}
// The faults are over when stdin ends; a client that is closed gives up what it could not send.
await once(process.stdin.resume(), 'end');
await analytics.closeAndFlush({ timeout: 120_000 });
if (failures.length > 0) throw new Error(failures.join('\n'));
