// Takes the place of kafkajs/src/protocol/requests/syncGroup/index.js.
import { type createRequire } from 'node:module';
import { replaceModule } from './replace-module.js';

/** Time that a group waits for a member's JoinGroup or SyncGroup; at least as long as the longest session. */
export const rebalanceTimeoutMs = 30_000;
/** Added to the time-out of the group, as kafkajs adds it for JoinGroup. */
const networkDelayMs = 5_000;

type Version = (args: object) => { request: object; response: object; requestTimeout?: number };
export interface SyncGroup {
  readonly versions: readonly string[];
  protocol: (request: { version: number }) => Version;
}

/**
 * Kafka answers a follower's SyncGroup when the leader has sent its own; when the leader is dead, at the end of the
 * leader's session. kafkajs gives up at its ordinary time-out, joins as a new member and leaves a dead one behind,
 * which may be the next leader: a group that lost two members shortly after each other could be without an assignment
 * for minutes. The replacement waits as long as JoinGroup does.
 */
export function replaceSyncGroup(require: ReturnType<typeof createRequire>): void {
  replaceModule(require, 'kafkajs/src/protocol/requests/syncGroup', syncGroupWith);
}

export function syncGroupWith({ versions, protocol }: SyncGroup): SyncGroup {
  return {
    versions,
    protocol: (request) => {
      const version = protocol(request);
      return (args) => ({ ...version(args), requestTimeout: rebalanceTimeoutMs + networkDelayMs });
    },
  };
}
