import { join } from 'node:path';
import { createKafka, type Kafka } from '@sluice/kafka';
import {
  type ClickHouseUser,
  freePort,
  type RunningClickHouse,
  type RunningKafka,
  startClickHouse,
  startKafka,
} from '@sluice/testing';
import { type Acl, acls, readGrants, kafkaUsers } from './rights-page.js';

/** The entries of docs/rights.md as kafkajs types them: by enums, which only libs/kafkajs may import. */
type AclEntries = Parameters<ReturnType<Kafka['admin']>['createAcls']>[0]['acl'];

const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
const database = 'sluice';
const password = 'secret-of-a-test';

/** A Kafka with an authorizer and a ClickHouse, with the users and rights of docs/rights.md. */
export interface GuardedServers {
  /** A client that may do everything. */
  readonly admin: Kafka;
  readonly clickhouseUrl: string;
  /** Environment of a process that signs in as this user. */
  userEnvironment(user: string): Record<string, string>;
  stop(): Promise<void>;
}

export async function startGuardedServers(folder: string): Promise<GuardedServers> {
  const port = await freePort();
  const [kafka, clickhouse] = await Promise.all([
    startGuardedKafka(join(folder, 'kafka'), port),
    startGuardedClickHouse(folder),
  ]);
  const admin = createKafka({ KAFKA_BROKERS: kafka.brokers }, 'test');
  await allow(admin, acls());
  return {
    admin,
    clickhouseUrl: clickhouse.url,
    userEnvironment: (user) => ({ ...signedIn(user, port), TOPIC_PARTITIONS: '2', CLICKHOUSE_URL: clickhouse.url }),
    stop: async () => {
      await Promise.all([kafka.stop(), clickhouse.stop()]);
    },
  };
}

/** Environment in which a process signs in as this user, to a Kafka at this port and to ClickHouse. */
export const signedIn = (user: string, port: number): Record<string, string> => ({
  KAFKA_BROKERS: `127.0.0.1:${port}`,
  KAFKA_SASL_MECHANISM: 'plain',
  KAFKA_SASL_USERNAME: user,
  KAFKA_SASL_PASSWORD: password,
  CLICKHOUSE_DATABASE: database,
  CLICKHOUSE_USER: user.replaceAll('-', '_'),
  CLICKHOUSE_PASSWORD: password,
});

export async function allow(kafka: Kafka, rights: readonly Acl[]): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  const entries: unknown = rights;
  await admin.createAcls({ acl: entries as AclEntries });
  await admin.disconnect();
}

/** A Kafka where the users of docs/rights.md sign in at this port. At `brokers`, nobody signs in and all is allowed. */
export function startGuardedKafka(dataDir: string, port: number): Promise<RunningKafka> {
  const users = kafkaUsers.map((user) => `user_${user}="${password}"`).join(' ');
  return startKafka({
    dataDir,
    heapMb: 384,
    listeners: [
      {
        protocol: 'SASL_PLAINTEXT',
        port,
        properties: { 'sasl.enabled.mechanisms': 'PLAIN', 'plain.sasl.jaas.config': `${login} ${users};` },
      },
    ],
    properties: {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      // The broker itself and the test, which do not sign in and use another address.
      'super.users': 'User:ANONYMOUS',
    },
  });
}

const startGuardedClickHouse = (folder: string): Promise<RunningClickHouse> =>
  startClickHouse({ dataDir: join(folder, 'clickhouse'), users: usersWith(readGrants()) });

/** Users of ClickHouse with their grants. */
export const usersWith = (grantsByUser: ReadonlyMap<string, readonly string[]>): ClickHouseUser[] =>
  [...grantsByUser].map(([name, statements]) => ({
    name,
    password,
    grants: statements,
    isReader: name === 'console',
  }));
