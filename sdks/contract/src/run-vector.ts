import { strict as assert } from 'node:assert';
import { type HttpRequest, type PushNotification, readPush, reportInteraction, buildReport } from '@sluice/sdk-core';
import { type Device } from './device.js';
import { parseDuration } from './duration.js';
import { expand } from './expand.js';
import { plainReport } from './plain-report.js';
import { messageName } from './model-server.js';
import { type ExpectedRequest, type Expectation, type Step, type Vector } from './vector.js';
import { type VectorSource, VectorWorld } from './vector-world.js';

export interface Filling extends VectorSource {
  /** Returns the push token of this source with this name in the vector. */
  token(name: string): string;
}

/** A request that a vector expected, and the status that the gateway must answer. */
export interface SeenRequest {
  readonly request: HttpRequest;
  readonly gateway: number;
}

/**
 * Runs a vector on the core, with the store of a platform or with one in memory.
 * @throws at the first deviation, and at the end if a request or report was not expected.
 */
export async function runVector(unexpanded: Vector, filling: Filling, device?: Device): Promise<SeenRequest[]> {
  const fill = (name: string): string => {
    if (name === 'apiKey' || name === 'sourceIdentifier') return filling[name];
    return filling.token(name.replace(/^token:/, ''));
  };
  const vector = expand(unexpanded, fill) as Vector;
  const run = new VectorRun(vector, filling, device);
  for (const [index, step] of vector.steps.entries()) {
    try {
      await run.step(step);
    } catch (error) {
      throw new Error(`${unexpanded.name}, step ${index} ${JSON.stringify(unexpanded.steps[index]).slice(0, 200)}`, {
        cause: error,
      });
    }
  }
  run.expectNothingMore();
  return run.seen;
}

class VectorRun {
  readonly seen: SeenRequest[] = [];
  private readonly world: VectorWorld;
  private requestsSeen = 0;
  private reportsSeen = 0;
  private logSeen = 0;
  private result: unknown;
  private notification: PushNotification | null = null;

  constructor(
    private readonly vector: Vector,
    source: VectorSource,
    device: Device | undefined,
  ) {
    const { apiKey, sourceIdentifier } = source;
    this.world = new VectorWorld(vector, { apiKey, sourceIdentifier }, device);
    this.world.start('a', vector.config ?? {});
  }

  async step(step: Step): Promise<void> {
    const { on = 'a' } = step;
    const { world } = this;
    if (step.call !== undefined) this.calls(on, step);
    if (step.advance !== undefined) await world.clock.advance(parseDuration(step.advance));
    if (step.clock !== undefined) world.clock.set(Date.parse(step.clock));
    if (step.server) world.answers.push(...step.server);
    if (step.store) await this.store(on, step);
    if (step.start) world.start(on, { ...this.vector.config, ...step.start });
    if (step.lifecycle) world.signal(on, step.lifecycle);
    if (step.push !== undefined) this.notification = readPush(step.push, this.isWeb ? 2 : 3);
    if (step.interact && this.notification) {
      const report = buildReport(this.notification, step.interact, this.isWeb);
      void reportInteraction(world.client(on), world.ports(on), { ...report, host: 'https://sluice.test' });
    }
    await world.device.settle();
    if (step.expect) await this.expect(on, step.expect);
  }

  expectNothingMore(): void {
    const { requests, reports } = this.world;
    assert.deepEqual(requests.slice(this.requestsSeen).map(formatRequest), [], 'requests that were not expected');
    assert.deepEqual(reports.slice(this.reportsSeen).map(plainReport), [], 'reports that were not expected');
  }

  private get isWeb(): boolean {
    return this.vector.config?.platform !== 'native';
  }

  private calls(on: string, step: Step): void {
    const { times, args = [] } = step;
    if (times === undefined) this.call(on, step);
    for (let number = 0; number < (times ?? 0); number++)
      this.call(on, { ...step, args: [`${String(args[0])}${number}`, ...args.slice(1)] });
  }

  private call(on: string, { call = '', args = [], returns }: Step): void {
    const client = this.world.client(on) as unknown as Record<string, (...args: unknown[]) => unknown>;
    const result = client[call]?.(...args);
    if (returns !== undefined) assert.equal(result, returns, 'what the call returns');
    if (result instanceof Promise) void result.then((value: unknown) => (this.result = value));
  }

  private async store(on: string, { store }: Step): Promise<void> {
    const { world } = this;
    const { device } = world;
    if (store === 'full' || store === 'works') device.isFull = store === 'full';
    if (store === 'lost') await device.loseQueue();
    if (store === 'lost' || store === 'values-lost') device.loseValues();
    if (store === 'crash') {
      world.drop(on);
      world.start(on, this.vector.config ?? {});
    }
  }

  private async expect(on: string, expected: Expectation): Promise<void> {
    const { world } = this;
    if (expected.requests) this.expectRequests(expected.requests);
    if (expected.reports) {
      const reports = world.reports.slice(this.reportsSeen).map(plainReport);
      this.reportsSeen = world.reports.length;
      assert.deepEqual(reports, expected.reports, 'reports');
    }
    if (expected.stored) assert.deepEqual(world.server.stored.map(messageName), expected.stored, 'messages stored');
    if (expected.queue) await this.expectQueue(expected.queue);
    for (const [name, value] of Object.entries(expected.values ?? {})) {
      assert.equal(world.device.value(name), value, `value ${name}`);
    }
    const client = world.client(on) as unknown as Record<string, unknown>;
    for (const [name, value] of Object.entries(expected.identity ?? {}))
      assert.equal(client[name] ?? null, value, name);
    if (expected.result !== undefined) assert.deepEqual(this.result, expected.result, 'result');
    if ('notification' in expected) {
      const notification: unknown = JSON.parse(JSON.stringify(this.notification));
      assert.deepEqual(notification, expected.notification, 'notification');
    }
    if (expected.leftOut) this.expectLeftOut(expected.leftOut);
  }

  private expectRequests(expected: readonly ExpectedRequest[]): void {
    const requests = this.world.requests.slice(this.requestsSeen);
    this.requestsSeen = this.world.requests.length;
    assert.equal(requests.length, expected.length, `number of requests: ${requests.map(formatRequest).join('\n')}`);
    for (const [index, request] of requests.entries()) {
      const expectedRequest = expected[index] ?? {};
      assert.deepEqual(
        observedMembers(request, expectedRequest, this.world.requests),
        requiredMembers(expectedRequest),
        `request ${index}`,
      );
      this.seen.push({ request, gateway: expectedRequest.gateway ?? 200 });
    }
  }

  private async expectQueue(expected: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    const batches = await this.world.device.batches();
    const queue = batches.map(({ batch, texts }, index) => {
      const names = texts.map((text) => messageName(JSON.parse(text) as Record<string, unknown>));
      const members: Record<string, unknown> = { ...batch, messages: names };
      return Object.fromEntries(Object.keys(expected[index] ?? { key: '' }).map((name) => [name, members[name]]));
    });
    assert.deepEqual(queue, expected, 'queue');
  }

  private expectLeftOut(paths: readonly string[]): void {
    const lines = this.world.log.slice(this.logSeen);
    this.logSeen = this.world.log.length;
    const leftOutPaths = lines.flatMap((line) =>
      line.includes(' is left out') ? [line.replace(/ is left out.*/, '')] : [],
    );
    assert.deepEqual(leftOutPaths, paths, 'values left out');
  }
}

const formatRequest = ({ method, url, body }: HttpRequest): string => `${method} ${url} ${body ?? ''}`;

const requiredMembers = (expected: ExpectedRequest): Record<string, unknown> => {
  const members = Object.entries(expected).filter(([name]) => name !== 'gateway');
  return Object.fromEntries(members.map(([name, value]) => [name, name === 'repeats' ? true : (value as unknown)]));
};

/** The members of a request that the expectation names. */
function observedMembers(request: HttpRequest, expected: ExpectedRequest, requests: readonly HttpRequest[]): object {
  const { method, url, headers, body = '', keepalive } = request;
  const { host, pathname, search } = new URL(url);
  const list = body === '' ? [] : (JSON.parse(body) as { list: Record<string, unknown>[] }).list;
  const earlier = expected.repeats === undefined ? undefined : requests[expected.repeats];
  const members: Required<Omit<ExpectedRequest, 'gateway' | 'repeats'>> & { repeats: boolean } = {
    method,
    host,
    path: pathname + search,
    headers,
    body: body === '' ? undefined : JSON.parse(body),
    key: headers['Idempotency-Key'] ?? '',
    kind: pathname.endsWith('/identifyBatch') ? 'identify' : 'track',
    messages: list.map(messageName),
    keepalive,
    bytes: Buffer.byteLength(body),
    repeats:
      earlier?.url === url &&
      earlier.body === body &&
      earlier.headers['Idempotency-Key'] === headers['Idempotency-Key'],
  };
  return Object.fromEntries(
    Object.keys(requiredMembers(expected)).map((name) => [name, members[name as keyof typeof members]]),
  );
}
