import { type NativeParts } from './native/native-parts.js';

type Listener = (value: never) => void;

/** Fakes of React Native's modules, for a phone that a test controls. */
export class Phone implements NativeParts {
  readonly opened: string[] = [];
  readonly Platform: NativeParts['Platform'];
  state = 'active';
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(
    os: string,
    private readonly launchUrl: string | null = null,
  ) {
    const android = { Release: '15', Manufacturer: 'Fairphone', Model: 'FP5' };
    const ios = { osVersion: '18.1', systemName: 'iOS', interfaceIdiom: 'phone' };
    this.Platform = { OS: os, Version: 35, constants: os === 'ios' ? ios : android };
  }

  get AppState(): NativeParts['AppState'] {
    return { currentState: this.state, addEventListener: (_, listener) => this.listen('state', listener) };
  }

  readonly Dimensions: NativeParts['Dimensions'] = { get: () => ({ width: 392, height: 850, scale: 2.75 }) };

  readonly Linking: NativeParts['Linking'] = {
    getInitialURL: () => Promise.resolve(this.launchUrl),
    addEventListener: (_, listener) => this.listen('url', listener),
    openURL: (url) => Promise.resolve(this.opened.push(url)),
  };

  readonly network = {
    addEventListener: (listener: (state: { isConnected: boolean | null }) => void) => {
      const subscription = this.listen('network', listener);
      return () => subscription.remove();
    },
  };

  moveTo(state: string): void {
    this.state = state;
    this.emit('state', state);
  }

  connect(isConnected: boolean): void {
    this.emit('network', { isConnected });
  }

  follow(url: string): void {
    this.emit('url', { url });
  }

  /** Number of listeners that are left. */
  get listening(): number {
    return [...this.listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  private emit(name: string, value: unknown): void {
    for (const listener of this.listeners.get(name) ?? []) listener(value as never);
  }

  private listen(name: string, listener: Listener): { remove(): void } {
    const all = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, all.add(listener));
    return { remove: () => void all.delete(listener) };
  }
}

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly list: readonly Readonly<Record<string, unknown>>[];
}

/** A service behind `fetch`, which answers 200 until `status` says otherwise; with 0 it does not answer. */
export class Service {
  readonly sent: Sent[] = [];
  status = 200;
  /** Number of requests before it began to answer. */
  refused = 0;

  /** Ends an outage. */
  end(): void {
    this.status = 200;
    this.refused = this.sent.length;
  }

  readonly fetch = (
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Response> => {
    const { method, headers, body } = init;
    const { list } = JSON.parse(body ?? '{"list":[]}') as Pick<Sent, 'list'>;
    this.sent.push({ method, url, headers, list });
    if (this.status === 0) return Promise.reject(new TypeError('Network request failed'));
    const answer = this.status === 200 ? { status: 'QUEUED' } : [{ field: '', message: 'error' }];
    return Promise.resolve(Response.json(answer, { status: this.status }));
  };

  get events(): Sent['list'] {
    return this.sent.flatMap(({ list }) => list);
  }

  get callbacks(): string[] {
    return this.sent
      .filter(({ method }) => method === 'GET')
      .map(({ url }) => new URL(url).pathname + new URL(url).search);
  }
}
