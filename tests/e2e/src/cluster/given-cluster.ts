import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A cluster of ClickHouse that someone else started: replicas of each shard, with a Keeper that can be paused. */
export interface GivenCluster {
  /** Name in `remote_servers`. */
  readonly name: string;
  /** HTTP addresses of the replicas, by shard. */
  readonly shards: ReadonlyMap<string, readonly string[]>;
  /** Shell commands. */
  readonly pauseKeeper: string;
  readonly resumeKeeper: string;
}

export const missingCluster =
  'there is no cluster: set CLUSTER_SHARDS, CLUSTER_PAUSE_KEEPER and CLUSTER_RESUME_KEEPER (deploy/cluster/README.md)';

/** Reads `CLUSTER_SHARDS=a=http://a1:8123|http://a2:8123,b=…` and others; undefined if a required one is missing. */
export function givenCluster(env: NodeJS.ProcessEnv = process.env): GivenCluster | undefined {
  const { CLUSTER_SHARDS, CLUSTER_NAME = 'sluice', CLUSTER_PAUSE_KEEPER, CLUSTER_RESUME_KEEPER } = env;
  if (!CLUSTER_SHARDS || !CLUSTER_PAUSE_KEEPER || !CLUSTER_RESUME_KEEPER) return undefined;
  const shards = CLUSTER_SHARDS.split(',').map((entry): [string, string[]] => {
    const [shard = '', urls = ''] = entry.split(/=(.*)/s);
    return [shard.trim(), urls.split('|').map((url) => url.trim())];
  });
  if (shards.length < 2 || shards.some(([, urls]) => urls.length < 2)) {
    throw new Error('CLUSTER_SHARDS: two shards of two replicas at least');
  }
  return {
    name: CLUSTER_NAME,
    shards: new Map(shards),
    pauseKeeper: CLUSTER_PAUSE_KEEPER,
    resumeKeeper: CLUSTER_RESUME_KEEPER,
  };
}

export async function shell(command: string): Promise<void> {
  await promisify(execFile)('/bin/sh', ['-c', command]);
}
