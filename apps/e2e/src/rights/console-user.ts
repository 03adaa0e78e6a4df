import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, ServerProcess } from '@sluice/testing';

const program = fileURLToPath(new URL('../../../console/dist/main.js', import.meta.url));

/** A built console as a process of its own, and an admin who asks it. */
export class ConsoleUser {
  private cookie = '';

  private constructor(
    private readonly server: ServerProcess,
    readonly url: string,
  ) {}

  static async start(folder: string, settings: Record<string, string>): Promise<ConsoleUser> {
    const [port = 0, managementPort = 0] = await freePorts(2);
    const url = `http://127.0.0.1:${port}`;
    const server = await ServerProcess.spawn({
      name: 'console',
      command: process.execPath,
      args: [program],
      env: {
        CONSOLE_HOST: '127.0.0.1',
        CONSOLE_PORT: String(port),
        CONSOLE_URL: url,
        CONSOLE_SECRET: 'a secret of more than thirty-two characters',
        MANAGEMENT_HOST: '127.0.0.1',
        MANAGEMENT_PORT: String(managementPort),
        ...settings,
      },
      port: managementPort,
      logFile: join(folder, 'console.log'),
      isReady: () =>
        fetch(`http://127.0.0.1:${managementPort}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
    });
    await server.untilReady(90_000);
    return new ConsoleUser(server, url);
  }

  async signIn(link: string): Promise<void> {
    const answer = await this.send('POST', '/api/session/link', { token: link.slice(link.indexOf('#') + 1) });
    this.cookie = answer.headers.getSetCookie().join().split(';', 1).join();
  }

  /** @throws Error with the answer when it is no 200. */
  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    return (await (await this.send(method, path, body)).json()) as T;
  }

  /** The first bytes of the live stream. */
  async watch(): Promise<string> {
    const stop = new AbortController();
    const answer = await this.send('GET', '/api/live', undefined, stop.signal);
    const read = await answer.body?.getReader().read();
    stop.abort();
    return Buffer.from(read?.value ?? []).toString();
  }

  stop(): Promise<void> {
    return this.server.stop(0);
  }

  private async send(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...{ cookie: this.cookie, 'sec-fetch-site': 'same-origin' },
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}
