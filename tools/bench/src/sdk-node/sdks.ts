import { createRequire } from 'node:module';

/** A Node SDK under measurement, as its users call it. */
export interface MeasuredSdk {
  track(event: string, properties: object): Promise<void> | void;
  /** Resolves when everything was sent. */
  close(): Promise<unknown>;
}

export interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly sourceIdentifier: string;
  /** Folder of the directory store. */
  readonly folder: string;
}

/** All SDKs send batches of as many events, and as often. */
const flushAt = 100;
const flushInterval = 1_000;
const userId = 'user-1';

async function sluice(
  { url, apiKey, sourceIdentifier }: Target,
  storage: 'memory' | { directory: string },
): Promise<MeasuredSdk> {
  const { createClient } = await import('@sluice/node');
  const client = createClient({
    credentials: { apiKey, sourceIdentifier },
    apiHost: url,
    storage,
    flushAt,
    flushInterval,
    errorHandler: ({ code, message, count }) => {
      throw new Error(`${code} ${message} ${count ?? ''}`);
    },
  });
  return {
    async track(event, properties) {
      if (client.needsDrain) await client.drained();
      client.track(event, { ...properties }, { userId });
    },
    async close() {
      while ((await client.flush()).left > 0);
      await client.close();
    },
  };
}

interface PostHog {
  capture(message: { distinctId: string; event: string; properties: object }): void;
  shutdown(ms: number): Promise<void>;
}
interface Segment {
  track(message: { userId: string; event: string; properties: object }): void;
  closeAndFlush(options: { timeout: number }): Promise<void>;
}
type Published = Readonly<Record<string, new (...args: unknown[]) => unknown>>;

const published = createRequire(new URL('../../published/package.json', import.meta.url)) as (
  name: string,
) => Published;

/** Longer than any of them takes. */
const closeMs = 300_000;

/** The SDKs by their names in the report. */
export const sdks: Readonly<Record<string, (target: Target) => Promise<MeasuredSdk> | MeasuredSdk>> = {
  'sluice, memory': (target) => sluice(target, 'memory'),
  'sluice, directory': (target) => sluice(target, { directory: target.folder }),
  'posthog-node'({ url, apiKey }) {
    const { PostHog } = published('posthog-node');
    // Without a larger queue, PostHog drops all but the last 1,000 events of a loop.
    const options = { host: url, flushAt, flushInterval, maxBatchSize: flushAt, maxQueueSize: 1_000_000 };
    const client = new (PostHog as new (key: string, options: object) => PostHog)(apiKey, options);
    return {
      track: (event, properties) => client.capture({ distinctId: userId, event, properties }),
      close: () => client.shutdown(closeMs),
    };
  },
  '@segment/analytics-node'({ url, apiKey }) {
    const { Analytics } = published('@segment/analytics-node');
    const options = { writeKey: apiKey, host: url, flushAt, flushInterval };
    const client = new (Analytics as new (options: object) => Segment)(options);
    return {
      track: (event, properties) => client.track({ userId, event, properties }),
      close: () => client.closeAndFlush({ timeout: closeMs }),
    };
  },
};
