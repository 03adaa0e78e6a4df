import { type ServerResponse } from 'node:http';
import { type Servers } from '@sluice/console-api';
import { afterEach, expect, it, vi } from 'vitest';
import { type ConsoleConfig } from '../config.js';
import { defaultMasks } from '../payload/default-masks.js';
import { PayloadMasks } from '../payload/masks.js';
import { type Payloads } from '../payload/payloads.js';
import { type ServerWatch } from '../servers/servers.js';
import { type CurrentUser } from '../session/current-user.js';
import { type Sessions } from '../session/sessions.js';
import { NowStreams } from './now-streams.js';
import { emptyReport, StatusCache } from './status-cache.js';

const here = { isUnreachable: false, since: null, reason: null };
const down = { isUnreachable: true, since: '2026-11-24T10:00:00.000Z', reason: 'no answer' };

/** A watch whose servers the test decides about. */
class ScriptedWatch {
  current: Servers = { kafka: here, clickhouse: here };
  private listener: ((servers: Servers) => void) | undefined;

  onChange(listener: (servers: Servers) => void): () => void {
    this.listener = listener;
    return () => undefined;
  }

  backAt(): number {
    return -Infinity;
  }

  untilKnown(): Promise<void> {
    return Promise.resolve();
  }

  become(servers: Servers): void {
    this.current = servers;
    this.listener?.(servers);
  }
}

afterEach(() => vi.restoreAllMocks());

it('sends the new verdicts before the outage itself, so that no old OK is shown below it', async () => {
  const watch = new ScriptedWatch();
  const config = { GATEWAY_METRICS_URLS: 'http://g', CONSUMER_METRICS_URLS: 'http://c' } as ConsoleConfig;
  const status = new StatusCache(config, watch as unknown as ServerWatch);
  const report = emptyReport({ verdict: 'ok', summary: 'as read' });
  Object.assign(status, { lastReport: report, readAt: performance.now() });
  const streams = new NowStreams({} as Sessions, watch as unknown as ServerWatch, status, {
    masked: new PayloadMasks(defaultMasks, 'secret').masked,
  } as Payloads);
  const written: string[] = [];
  const answer = {
    writableLength: 0,
    destroyed: false,
    on: () => answer,
    write: (text: string) => written.push(text),
    end: () => undefined,
  } as unknown as ServerResponse;
  streams.onModuleInit();
  await streams.add({ id: 'ann' } as CurrentUser, answer);
  const verdicts = (text: string): unknown => {
    const { clickhouse, migrations, data } = JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '{}') as ReturnType<
      typeof emptyReport
    >;
    return [clickhouse.verdict, migrations.verdict, data.verdict];
  };
  expect(written.filter((text) => text.startsWith('event: status')).map(verdicts)).toEqual([['ok', 'ok', 'ok']]);

  written.splice(0);
  watch.become({ kafka: here, clickhouse: down });
  expect(written.map((text) => /event: (\w+)/.exec(text)?.[1])).toEqual(['status', 'servers']);
  expect(verdicts(written[0] ?? '')).toEqual(['unreachable', 'unknown', 'attention']);
  streams.onApplicationShutdown();
});
