import { randomUUID } from 'node:crypto';
import { auditTopic, header } from '@sluice/contracts';
import { type Kafka, Sender } from '@sluice/kafka';
import { describeFailure, ServerUnreachableError } from '../operation-error.js';

/** An action that is recorded before it runs. */
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

/** Writes actions to `audit.v1`: the intent is acknowledged before the action runs, the outcome after. */
export class Audit {
  private readonly sender: Sender;
  private starting: Promise<void> | undefined;

  constructor(kafka: Kafka) {
    this.sender = new Sender(kafka, [auditTopic.name]);
  }

  /**
   * Runs the action between the records of its intent and of its outcome.
   * @param describeResult details that the record of a success has besides those of the action
   * @throws ServerUnreachableError if the intent could not be written: nothing was done; else what the action throws.
   */
  async record<T>(
    action: Action,
    work: () => Promise<T>,
    describeResult: (result: T) => Record<string, unknown> = () => ({}),
  ): Promise<T> {
    const id = randomUUID();
    await this.writeIntent(id, action);
    try {
      const result = await work();
      const details = { ...action.details, ...describeResult(result) };
      await this.writeOutcome(id, { ...action, details }, 'done', '');
      return result;
    } catch (error) {
      await this.writeOutcome(id, action, 'failed', error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Records an action that changes nothing, such as reading a secret. @throws when Kafka does not take the record. */
  async note(action: Action): Promise<void> {
    await this.write(randomUUID(), action, 'done', '');
  }

  async stop(): Promise<void> {
    if (this.starting) await this.sender.stop();
  }

  private async writeIntent(id: string, action: Action): Promise<void> {
    try {
      await this.write(id, action, 'intended', '');
    } catch (cause) {
      const message = `Kafka does not take the audit record, so nothing was done: ${describeFailure(cause)}`;
      throw new ServerUnreachableError('kafka', message, { cause });
    }
  }

  /** The action has run, so a failure here must not hide its result: the action then stays `intended`. */
  private async writeOutcome(id: string, action: Action, outcome: 'done' | 'failed', error: string): Promise<void> {
    await this.write(id, action, outcome, error.slice(0, 500)).catch(() => undefined);
  }

  private async write(
    id: string,
    action: Action,
    outcome: 'intended' | 'done' | 'failed',
    error: string,
  ): Promise<void> {
    await this.ensureStarted();
    const { actor, role, face, origin, operation, object, details = {} } = action;
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

  private ensureStarted(): Promise<void> {
    this.starting ??= this.sender.start().catch((error: unknown) => {
      this.starting = undefined;
      throw error;
    });
    return this.starting;
  }
}
