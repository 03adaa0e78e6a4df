import { createHash } from 'node:crypto';
import { type HttpRequest } from '@sluice/sdk-core';

/** Stores messages like Sluice: once for each source, key, position and bytes of the message. */
export class ModelServer {
  private readonly ids = new Set<string>();
  /** Messages in the order in which they were first stored. */
  readonly stored: Record<string, unknown>[] = [];

  take({ url, headers, body = '' }: HttpRequest): void {
    const source = /\/api\/tracker\/sdk\/([^/]+)\//.exec(url)?.[1] ?? '';
    const { list } = JSON.parse(body) as { list: Record<string, unknown>[] };
    for (const [index, message] of list.entries()) {
      const id = createHash('sha256')
        .update(JSON.stringify([source, headers['Idempotency-Key'], index, message]))
        .digest('base64');
      if (!this.ids.has(id)) this.stored.push(message);
      this.ids.add(id);
    }
  }
}

/** Name of a message in vectors: its event, else its userId or anonymousId. */
export const messageName = (message: Record<string, unknown>): string =>
  String(message['event'] ?? message['userId'] ?? message['anonymousId']);
