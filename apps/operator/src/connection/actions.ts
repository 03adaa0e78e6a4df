import { hostname, userInfo } from 'node:os';
import { Injectable } from '@nestjs/common';
import { auditTopic } from '@sluice/contracts';
import { ensureTopics, kafkaVariables } from '@sluice/kafka';
import { Audit, type Action, withKafka } from '@sluice/operations';
import { Connection } from './connection.js';

/** Time to create the topic, which waits for its leader. `Audit` has limits of its own. */
const topicLimitMs = 20_000;

export type ShellAction = Pick<Action, 'operation' | 'object' | 'details'>;

/** Writes down what is done at the command line, before it is done. */
@Injectable()
export class Actions {
  constructor(private readonly connection: Connection) {}

  /** @throws ServerUnreachableError when the action cannot be written down: it is not done then; or what the action throws. */
  async record<T>(action: ShellAction, work: () => Promise<T>): Promise<T> {
    const config = this.connection.read(kafkaVariables);
    const audit = await withKafka(config, topicLimitMs, async (kafka) => {
      await ensureTopics(kafka, config, [auditTopic]);
      return new Audit(kafka);
    });
    try {
      return await audit.record(
        { actor: userName(), role: 'shell', face: 'operator', origin: hostname(), ...action },
        work,
      );
    } finally {
      await audit.stop();
    }
  }
}

/** The name of the user of this process, or its id: a container may run as a user whom its system does not know. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.())}`;
  }
}
