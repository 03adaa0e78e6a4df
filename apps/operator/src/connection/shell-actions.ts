import { hostname, userInfo } from 'node:os';
import { Injectable } from '@nestjs/common';
import { auditTopic } from '@sluice/contracts';
import { ensureTopics, kafkaVariables } from '@sluice/kafka';
import { Audit, type Action, withKafka } from '@sluice/operations';
import { Connection } from './connection.js';

/** Limit for creating the topic, with the wait for its leader. `Audit` has its own limits. */
const topicLimitMs = 20_000;

export type ShellAction = Pick<Action, 'operation' | 'object' | 'details'>;

/** Records each action of the command line before it is done. */
@Injectable()
export class ShellActions {
  constructor(private readonly connection: Connection) {}

  /**
   * @param describeResult details that the record of a success has besides those of the action
   * @throws ServerUnreachableError if the action cannot be recorded, and is not done; else what the action throws.
   */
  async record<T>(
    action: ShellAction,
    work: () => Promise<T>,
    describeResult?: (result: T) => Record<string, unknown>,
  ): Promise<T> {
    const config = this.connection.read(kafkaVariables);
    const audit = await withKafka(config, topicLimitMs, async (kafka) => {
      await ensureTopics(kafka, config, [auditTopic]);
      return new Audit(kafka);
    });
    try {
      return await audit.record(
        { actor: userName(), role: 'shell', face: 'operator', origin: hostname(), ...action },
        work,
        describeResult,
      );
    } finally {
      await audit.stop();
    }
  }
}

/** The name of this process's user, or the id: a container may run as a user that has no name there. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.())}`;
  }
}
