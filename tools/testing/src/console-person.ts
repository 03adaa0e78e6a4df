import { randomUUID } from 'node:crypto';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The address of a console; a `Local` has it. */
interface ConsoleHost {
  console: { url: string };
}

interface RequestParts {
  body?: object | undefined;
  signal?: AbortSignal;
}

/** A person who is signed in to the console, and asks its API as its page does. */
export class ConsolePerson {
  private constructor(
    private readonly url: string,
    readonly cookie: string,
  ) {}

  /** Signs in with a one-time link. */
  static async enter({ console: { url } }: ConsoleHost, link: string): Promise<ConsolePerson> {
    const token = link.slice(link.indexOf('#') + 1);
    const answer = await new ConsolePerson(url, '').send('POST', '/api/session/link', { body: { token } });
    if (!answer.ok) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`);
    return new ConsolePerson(url, answer.headers.getSetCookie().join().split(';', 1).join());
  }

  /** Creates a viewer, and signs in as them. */
  async another(host: ConsoleHost): Promise<ConsolePerson> {
    const user = { id: `viewer-${randomUUID().slice(0, 8)}`, role: 'viewer' };
    const { link } = await this.ask<{ link: string }>('POST', '/api/users', user);
    return ConsolePerson.enter(host, link);
  }

  /** @throws Error with the answer when it is not a success. */
  async ask<T>(method: Method, path: string, body?: object): Promise<T> {
    const answer = await this.send(method, path, { body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  send(method: Method, path: string, { body, signal }: RequestParts = {}): Promise<Response> {
    const json = body && { 'content-type': 'application/json' };
    return fetch(`${this.url}${path}`, {
      method,
      headers: { cookie: this.cookie, 'sec-fetch-site': 'same-origin', ...json },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }
}
