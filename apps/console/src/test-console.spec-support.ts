import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import { createKafka } from '@sluice/kafka';
import { ConsoleReader, ConsoleWriter, createLink, createUser, type Role } from '@sluice/operations';
import { Health, readConfig, Registry } from '@sluice/service';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { expect, inject } from 'vitest';
import { consoleVariables } from './config.js';
import { createConsole } from './server.js';

export const consoleUrl = 'http://localhost:8070';
export const sameOrigin = { 'sec-fetch-site': 'same-origin' };

const silent = { log: () => undefined, error: () => undefined, warn: () => undefined };

/** A console on the servers of the test run, with users that only this run has. */
export class TestConsole {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly reader: ConsoleReader,
    readonly writer: ConsoleWriter,
  ) {}

  static async start(environment: NodeJS.ProcessEnv = {}): Promise<TestConsole> {
    const config = readConfig(consoleVariables, {
      KAFKA_BROKERS: inject('kafkaBrokers').join(','),
      CLICKHOUSE_URL: inject('clickhouseUrl'),
      CLICKHOUSE_DATABASE: 'default',
      CONSOLE_URL: consoleUrl,
      CONSOLE_SECRET: 'a secret of more than thirty-two characters',
      GATEWAY_URL: 'http://localhost:8080',
      ...environment,
    });
    const health = new Health();
    const app = await createConsole({
      config,
      health,
      metrics: new Registry(),
      logger: silent,
      stopping: new AbortController().signal,
    });
    await eventually(async () => health.ready.get('users')?.());
    const reader = app.get(ConsoleReader);
    return new TestConsole(app, reader, new ConsoleWriter(createKafka(config, 'test'), reader.state));
  }

  async stop(): Promise<void> {
    await this.writer.stop();
    await this.app.close();
  }

  /** Creates a user, and signs in with a link. Returns the cookie. */
  async signIn(role: Role, payloads = false, privacy = false): Promise<{ id: string; cookie: string }> {
    const id = `${role}-${randomUUID()}`;
    await createUser(this.reader.state, this.writer, { id, name: id, role, payloads, privacy });
    const cookie = await this.useLink(await createLink(this.writer, id, consoleUrl));
    return { id, cookie };
  }

  async useLink(link: string): Promise<string> {
    const token = link.slice(link.indexOf('#') + 1);
    const answer = await this.ask('POST', '/api/session/link', { body: { token } });
    expect(answer.statusCode, answer.body).toBe(200);
    return cookieIn(answer.headers['set-cookie']);
  }

  ask(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    {
      cookie = '',
      body,
      headers = sameOrigin,
    }: { cookie?: string; body?: object; headers?: Record<string, string> } = {},
  ) {
    const sent = { host: new URL(consoleUrl).host, ...headers, ...(cookie !== '' && { cookie }) };
    return this.app.inject({ method, url, headers: sent, ...(body && { payload: body }) });
  }
}

export const cookieIn = (header: string | string[] | undefined): string =>
  [header ?? ''].flat().join('; ').split(';', 1).join();
