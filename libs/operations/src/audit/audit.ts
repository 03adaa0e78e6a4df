import { randomUUID } from 'node:crypto';
import { auditTopic, header } from '@sluice/contracts';
import { type Kafka, Sender } from '@sluice/kafka';
import { reasonOf, ServerUnreachableError } from '../operation-error.js';

/** A deed that is written down before it is done. */
export interface Action {
  actor: string;
  role: string;
  face: 'console' | 'operator';
  /** Address of the browser, or name of the machine. */
  origin: string;
  /** Such as `sources.create`. */
  operation: string;
  object: string;
  /** Never a secret. */
  details?: Record<string, unknown>;
}

/** Writes deeds to `audit.v1`: the intent is acknowledged before the deed, the outcome after. */
export class Audit {
  private readonly sender: Sender;
  private starting: Promise<void> | undefined;

  constructor(kafka: Kafka) {
    this.sender = new Sender(kafka, [auditTopic.name]);
  }

  /**
   * Does the deed between both records.
   * @throws ServerUnreachableError when the intent could not be written: nothing was done then; or what the deed throws.
   */
  async record<T>(deed: Action, work: () => Promise<T>): Promise<T> {
    const id = randomUUID();
    await this.writeIntent(id, deed);
    try {
      const result = await work();
      await this.writeOutcome(id, deed, 'done', '');
      return result;
    } catch (error) {
      await this.writeOutcome(id, deed, 'failed', error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Writes down what changes nothing, such as a look at what is secret. @throws when Kafka does not take it. */
  async note(deed: Action): Promise<void> {
    await this.write(randomUUID(), deed, 'done', '');
  }

  async stop(): Promise<void> {
    if (this.starting) await this.sender.stop();
  }

  private async writeIntent(id: string, deed: Action): Promise<void> {
    try {
      await this.write(id, deed, 'intended', '');
    } catch (cause) {
      const message = `Kafka does not take the audit record, so nothing was done: ${reasonOf(cause)}`;
      throw new ServerUnreachableError('kafka', message, { cause });
    }
  }

  /** The deed is done: a missing outcome must not hide its result. It shows as `intended` then. */
  private async writeOutcome(id: string, deed: Action, outcome: 'done' | 'failed', error: string): Promise<void> {
    await this.write(id, deed, outcome, error.slice(0, 500)).catch(() => undefined);
  }

  private async write(id: string, deed: Action, outcome: 'intended' | 'done' | 'failed', error: string): Promise<void> {
    await this.started();
    const { actor, role, face, origin, operation, object, details = {} } = deed;
    const row = {
      message_id: randomUUID(),
      action_id: id,
      received_at: new Date().toISOString(),
      actor,
      role,
      face,
      origin,
      operation,
      object,
      details: JSON.stringify(details),
      outcome,
      error,
    };
    const headers = { [header.contract]: auditTopic.contract };
    await this.sender.send([{ topic: auditTopic.name, key: id, value: JSON.stringify(row), headers }]);
  }

  private started(): Promise<void> {
    this.starting ??= this.sender.start().catch((error: unknown) => {
      this.starting = undefined;
      throw error;
    });
    return this.starting;
  }
}
