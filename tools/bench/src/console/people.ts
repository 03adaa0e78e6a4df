import { randomUUID } from 'node:crypto';
import { type Local } from '@sluice/testing';

type Method = 'GET' | 'POST';

/** Somebody who is signed in to the console. */
export class Person {
  private constructor(
    private readonly url: string,
    readonly cookie: string,
  ) {}

  static async enter({ console: { url } }: Local, link: string): Promise<Person> {
    const answer = await new Person(url, '').send('POST', '/api/session/link', { token: link.split('#')[1] });
    return new Person(url, answer.headers.getSetCookie().join().split(';', 1).join());
  }

  /** Makes a viewer, and signs in as them. */
  async another(local: Local): Promise<Person> {
    const asked = { id: `bench-${randomUUID().slice(0, 8)}`, role: 'viewer' };
    const { link } = await this.ask<{ link: string }>('POST', '/api/users', asked);
    return Person.enter(local, link);
  }

  async ask<T>(method: Method, path: string, body?: object): Promise<T> {
    return (await (await this.send(method, path, body)).json()) as T;
  }

  /** @throws Error when the answer is no success. */
  async send(method: Method, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const json = body && { 'content-type': 'application/json' };
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { cookie: this.cookie, 'sec-fetch-site': 'same-origin', ...json },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer;
  }
}

interface Seen {
  rows: { requestId: string }[];
  refused: { requestId: string }[];
}

/** One open live view. A stuck one reads nothing. */
export class View {
  /** Time at which a request was seen first, by its id. */
  readonly seen = new Map<string, number>();
  private readonly stop = new AbortController();

  static async open(person: Person, isStuck = false, query = ''): Promise<View> {
    const view = new View();
    const answer = await person.send('GET', `/api/live${query}`, undefined, view.stop.signal);
    if (!isStuck) void view.read(answer).catch(() => undefined);
    return view;
  }

  close(): void {
    this.stop.abort();
  }

  private async read({ body }: Response): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) if (event.startsWith('event: frame')) this.take(event);
    }
  }

  private take(event: string): void {
    const { rows, refused } = JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Seen;
    const now = performance.now();
    for (const { requestId } of [...rows, ...refused]) if (!this.seen.has(requestId)) this.seen.set(requestId, now);
  }
}
