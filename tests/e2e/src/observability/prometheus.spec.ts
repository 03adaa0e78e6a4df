import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { local, post } from '../stack.js';
import { panelQueries, recordings } from './monitored.js';
import { PrometheusServer } from './prometheus-server.js';

/** Panels that stay empty while nothing fails, is refused or waits. */
const emptyWhenWell =
  /refused|Failed|Retried|dropped|Ignored|Dead letters|Invalid|Partitions with lag|by partition|replayed|retention|5xx/;

// Runs only where Prometheus is installed, as in the workflow that builds the images.
describe.runIf(PrometheusServer.isInstalled())('a Prometheus that scrapes the running stack', () => {
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    const { gateway, tracking, catalog, pushInteraction } = local();
    prometheus = await PrometheusServer.start({
      gateway: gateway.managementUrl,
      tracking: tracking.url,
      catalog: catalog.url,
      'push-interaction': pushInteraction.url,
    });
    await prometheus.until('count(up == 1) == 4');
    const stored = 'sluice_clickhouse_inserted_rows_total{table="events"}';
    await prometheus.until(`${stored} or vector(0)`);
    const { status } = await post('track', { userId: randomUUID(), event: 'prometheus' });
    expect(status).toBe(200);
    await prometheus.until(`increase(${stored}[10s]) > 0 or (${stored} unless ${stored} offset 5s)`);
    await prometheus.until('sluice:data_late:bool');
  }, 90_000);
  afterAll(() => prometheus.stop());

  it('answers every query of the dashboard, with data where a well system has some', async () => {
    const queries = panelQueries();
    // A rate needs two scrapes, which a busy machine delays.
    await eventually(async () => {
      const results = await Promise.all(queries.map(({ expression }) => prometheus.query(expression)));
      const empty = queries.filter((_, i) => results[i]?.length === 0).map(({ where }) => where);
      expect(empty.filter((where) => !emptyWhenWell.test(where))).toEqual([]);
      expect(queries.length - empty.length).toBeGreaterThan(25);
    }, 90_000);
  });

  it('records that nothing is late, with the scope of this release', async () => {
    expect(recordings().length).toBeGreaterThan(8);
    await prometheus.until('sluice:data_late:bool{namespace="local",release="sluice"} == 0');
    await prometheus.until('sluice:requests:rate5m{namespace="local",release="sluice"} >= 0');
    expect(await prometheus.query('ALERTS{alertstate="firing",severity="page"}')).toEqual([]);
  });
});
