import { type ProvidedContext } from 'vitest';

declare module 'vitest' {
  /** Values of `inject('kafkaBrokers')` and `inject('clickhouseUrl')` in a test. */
  interface ProvidedContext {
    kafkaBrokers: string[];
    clickhouseUrl: string;
  }
}

/** A Kafka and a ClickHouse for tests. */
export interface RunningServers extends Pick<ProvidedContext, 'kafkaBrokers' | 'clickhouseUrl'> {
  /** Stops both and removes their data. */
  stop(): Promise<void>;
}
