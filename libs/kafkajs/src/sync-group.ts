import { type createRequire } from 'node:module';

/** How long a group waits for a member that owes it a JoinGroup or SyncGroup; no less than a session may last. */
export const rebalanceTimeoutMs = 30_000;
const networkDelayMs = 5_000; // as kafkajs grants JoinGroup

type Version = (args: object) => { request: object; response: object; requestTimeout?: number };
interface Protocol {
  protocol: (asked: { version: number }) => Version;
}

/**
 * A follower's SyncGroup is answered when the leader has sent its own; when the leader is dead, at the end of the
 * leader's session. kafkajs gives up at the time-out of any request, joins as a new member and leaves a dead one behind,
 * which may be the next leader: a group that lost two members shortly after each other could be without an assignment
 * for minutes. It waits as long as JoinGroup does.
 */
export function patientSyncGroup(require: ReturnType<typeof createRequire>): void {
  const requests = require('kafkajs/src/protocol/requests/syncGroup') as Protocol;
  const original = requests.protocol;
  requests.protocol = (asked) => {
    const version = original(asked);
    return (args) => ({ ...version(args), requestTimeout: rebalanceTimeoutMs + networkDelayMs });
  };
}
