import { Registry } from '@sluice/service';
import { fastify } from 'fastify';
import { AggregatorRegistry } from 'prom-client';
import { expect, it } from 'vitest';
import { invalidFields, httpError } from '../../errors/api-error.js';
import { RequestMetrics } from './request-metrics.js';

async function measured() {
  const registry = new Registry();
  const metrics = new RequestMetrics(registry);
  const server = fastify();
  metrics.observe(() => 2);
  metrics.follow(server);
  server.post('/sdk/:source/track', (_request, reply) => reply.send('ok'));
  server.get('/gone', (_request, reply) => reply.code(410).send());
  await server.ready();
  return { registry, metrics, server };
}

it('counts requests by the template of their route, and requests without a route together', async () => {
  const { registry, server } = await measured();
  await server.inject({ method: 'POST', url: '/sdk/AAAAAAAAAAAA/track' });
  await server.inject({ method: 'POST', url: '/sdk/BBBBBBBBBBBB/track' });
  await server.inject({ method: 'GET', url: '/gone' });
  await server.inject({ method: 'GET', url: '/x/<script>' });
  await server.inject({ method: 'GET', url: '/y' });

  const text = await registry.metrics();

  expect(text).toContain('sluice_gateway_requests_total{method="POST",route="/sdk/:source/track",status="200"} 2');
  expect(text).toContain('sluice_gateway_requests_total{method="GET",route="/gone",status="410"} 1');
  expect(text).toContain('sluice_gateway_requests_total{method="any",route="unknown",status="404"} 2');
  expect(text).not.toMatch(/AAAA|script/);
  expect(text).toContain('sluice_gateway_requests_in_work 2');
});

it('has a histogram of durations whose last bucket counts all requests', async () => {
  const { registry, server } = await measured();
  await server.inject({ method: 'GET', url: '/gone' });

  const text = await registry.metrics();

  const labels = 'method="GET",route="/gone"';
  expect(text).toContain(`sluice_gateway_request_duration_seconds_bucket{le="+Inf",${labels}} 1`);
  expect(text).toContain(`sluice_gateway_request_duration_seconds_count{${labels}} 1`);
  expect(text).toMatch(/sluice_gateway_request_duration_seconds_sum\{[^}]*\} 0\.0\d+/);
});

it('adds up over the processes of a gateway', async () => {
  const both = [await measured(), await measured()];
  for (const { server } of both) await server.inject({ method: 'GET', url: '/gone' });

  const sum = AggregatorRegistry.aggregate(await Promise.all(both.map(({ registry }) => registry.getMetricsAsJSON())));

  const text = await sum.metrics();
  const labels = 'method="GET",route="/gone"';
  expect(text).toContain(`sluice_gateway_requests_total{${labels},status="410"} 2`);
  expect(text).toContain(`sluice_gateway_request_duration_seconds_count{${labels}} 2`);
  expect(text).toContain('sluice_gateway_requests_in_work 4');
});

it("counts refusals by their reason, without a client's words", async () => {
  const { registry, metrics } = await measured();
  metrics.countRefused(httpError.authorizationFailed());
  metrics.countRefused(
    invalidFields([
      { field: 'list[3].userId', message: 'must be an id' },
      { field: 'properties.their <name>', message: 'must be a name' },
      { field: 'traits[7].x', message: 'must be a name' },
    ]),
  );

  const text = await registry.metrics();

  expect(text).toContain('sluice_gateway_refused_total{reason="error.sdk.authorization.failed"} 1');
  expect(text).toContain('sluice_gateway_refused_total{reason="invalid_fields"} 1');
  expect(text).toContain('sluice_gateway_invalid_fields_total{field="userId",rule="must be an id"} 1');
  expect(text).toContain('sluice_gateway_invalid_fields_total{field="properties",rule="must be a name"} 1');
  expect(text).toContain('sluice_gateway_invalid_fields_total{field="traits",rule="must be a name"} 1');
  expect(text).not.toContain('<name>');
});

it('has a bounded number of rules, whatever clients send', async () => {
  const { registry, metrics } = await measured();
  for (let i = 0; i < 1_000; i++)
    metrics.countRefused(invalidFields([{ field: `name ${i}`, message: 'is not valid' }]));

  const text = await registry.metrics();

  expect(text.match(/invalid_fields_total\{/g)?.length).toBeLessThan(400);
  expect(text).toContain('sluice_gateway_invalid_fields_total{field="other",rule="other"} 700');
});
