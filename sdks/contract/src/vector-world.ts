import {
  type Client,
  createCore,
  type HttpAnswer,
  type HttpRequest,
  type LifecycleEvent,
  type Message,
  type Plugin,
  type Ports,
  registersPush,
  type SluiceError,
} from '@sluice/sdk-core';
import { FakeClock } from './fake-clock.js';
import { type Device, MemoryDevice } from './device.js';
import { ModelServer } from './model-server.js';
import { type Answer, type Vector, type VectorConfig } from './vector.js';

export interface VectorSource {
  readonly apiKey: string;
  readonly sourceIdentifier: string;
}

const never = new Promise<never>(() => undefined);

/** Environment of the clients of one vector: device, network and service. */
export class VectorWorld {
  readonly clock: FakeClock;
  readonly server = new ModelServer();
  readonly requests: HttpRequest[] = [];
  readonly reports: SluiceError[] = [];
  readonly log: string[] = [];
  readonly answers: Answer[] = [];
  private readonly clients = new Map<
    string,
    { client: Client; ports: Ports; signal: (event: LifecycleEvent) => void; end: () => void }
  >();
  private readonly uuids: Record<string, string[]>;
  private readonly counts = new Map<string, number>();
  private readonly fractions: number[];

  constructor(
    { clock = '2026-01-31T12:00:00.000Z', random = [], uuids = {} }: Vector,
    private readonly source: VectorSource,
    readonly device: Device = new MemoryDevice(),
  ) {
    this.clock = new FakeClock(Date.parse(clock), () => this.device.settle());
    this.fractions = [...random];
    this.uuids = Object.fromEntries(Object.entries(uuids).map(([purpose, ids]) => [purpose, [...(ids ?? [])]]));
  }

  client(name: string): Client {
    const running = this.clients.get(name);
    if (!running) throw new Error(`no client ${name}`);
    return running.client;
  }

  ports(name: string): Ports {
    const running = this.clients.get(name);
    if (!running) throw new Error(`no client ${name}`);
    return running.ports;
  }

  signal(name: string, event: LifecycleEvent): void {
    this.clients.get(name)?.signal(event);
  }

  /** Drops a client like a crash: none of its work continues. */
  drop(name: string): void {
    this.clients.get(name)?.end();
  }

  /** Starts a client, in place of an earlier one of this name, which ends like a crash. */
  start(name: string, { isSender = true, context, plugins = [], ...config }: VectorConfig): void {
    this.drop(name);
    const life = { isAlive: true };
    const listeners = new Set<(event: LifecycleEvent) => void>();
    const ports: Ports = {
      ...this.surroundings(life, config.credentials?.sourceIdentifier ?? this.source.sourceIdentifier),
      lifecycle: {
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        isSender: () => isSender,
      },
      ...(context && { context: () => context }),
    };
    const client = createCore(
      {
        credentials: this.source,
        host: 'https://sluice.test',
        debug: true,
        errorHandler: (error) => void this.reports.push(error),
        ...config,
        plugins: plugins.map((text) =>
          text === 'push' ? registersPush(() => this.client(name).deviceId) : makePlugin(text),
        ),
      },
      ports,
    );
    const signal = (event: LifecycleEvent): void => {
      for (const listener of listeners) listener(event);
    };
    const end = (): void => {
      life.isAlive = false;
    };
    this.clients.set(name, { client, ports, signal, end });
  }

  private surroundings(life: { isAlive: boolean }, sourceIdentifier: string): Omit<Ports, 'lifecycle'> {
    const { clock, device } = this;
    return {
      sdk: { name: 'sluice-test', version: '1.2.3' },
      clock: {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        later: (ms, work) =>
          clock.later(ms, () => {
            if (life.isAlive) work();
          }),
      },
      random: { fraction: () => this.fractions.shift() ?? 0.5, uuid: (purpose) => this.uuid(purpose) },
      values: device.values(),
      queue: device.queue(sourceIdentifier),
      transport: {
        send: (request) => ({
          answer: this.exchange(request).then((answer) => (life.isAlive ? answer : never)),
          abort: () => undefined,
        }),
      },
      log: (text) => this.log.push(text),
    };
  }

  private uuid(purpose: string): string {
    const nextUuid = this.uuids[purpose]?.shift();
    if (nextUuid !== undefined) return nextUuid;
    const count = (this.counts.get(purpose) ?? 0) + 1;
    this.counts.set(purpose, count);
    return `${purpose}-${count}`;
  }

  private async exchange(request: HttpRequest): Promise<HttpAnswer> {
    this.requests.push(request);
    const answer = this.answers.shift() ?? 'queued';
    if (answer === 'queued') return this.respond(request, { status: 200 });
    if (answer === 'hang') return never;
    if (answer === 'cut-after' && request.method === 'POST') this.server.take(request);
    if (typeof answer === 'string') throw new TypeError('no answer');
    return this.respond(request, answer);
  }

  private respond(request: HttpRequest, answer: Exclude<Answer, string>): Promise<HttpAnswer> {
    const { status, headers = {}, stores = status === 200 } = answer;
    if (stores && request.method === 'POST') this.server.take(request);
    const standard = status === 200 ? { status: 'QUEUED' } : [{ field: '', message: 'error.of.the.vector' }];
    const { body = standard } = answer;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return Promise.resolve({ status, body: text, header: (name) => headers[name] ?? null });
  }
}

/** Makes the plugin that a vector names in short form, `behaviour:name:newName` (README.md, "Short forms"). */
function makePlugin(text: string): Plugin {
  const [behaviour = '', name = '', newName = ''] = text.split(':');
  const apply = (message: Message): Message | null => {
    if (behaviour === 'context') return { ...message, context: { ...message.context, [name]: true } };
    if (message.event !== name) return message;
    if (behaviour === 'throw') throw new Error('the plugin fails');
    if (behaviour === 'async') return Promise.resolve(message) as unknown as Message;
    if (behaviour === 'type') return { ...message, type: 'page' as Message['type'] };
    return behaviour === 'drop' ? null : { ...message, event: newName };
  };
  return apply;
}
