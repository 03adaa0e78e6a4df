import { join } from 'node:path';
import { createKafka, type Kafka } from '@sluice/kafka';
import { freePort, type RunningClickHouse, type RunningKafka, startClickHouse, startKafka } from '@sluice/testing';
import { acls, grants, kafkaUsers } from './rights-page.js';

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
  environmentOf(user: string): Record<string, string>;
  stop(): Promise<void>;
}

export async function startGuardedServers(folder: string): Promise<GuardedServers> {
  const port = await freePort();
  const [kafka, clickhouse] = await Promise.all([
    startGuardedKafka(join(folder, 'kafka'), port),
    startGuardedClickHouse(folder),
  ]);
  const admin = createKafka({ KAFKA_BROKERS: kafka.brokers }, 'test');
  const connection = admin.admin();
  await connection.connect();
  const entries: unknown = acls();
  await connection.createAcls({ acl: entries as AclEntries });
  await connection.disconnect();
  return {
    admin,
    clickhouseUrl: clickhouse.url,
    environmentOf: (user) => ({
      KAFKA_BROKERS: `127.0.0.1:${port}`,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD: password,
      TOPIC_PARTITIONS: '2',
      CLICKHOUSE_URL: clickhouse.url,
      CLICKHOUSE_DATABASE: database,
      CLICKHOUSE_USER: user.replaceAll('-', '_'),
      CLICKHOUSE_PASSWORD: password,
    }),
    stop: async () => {
      await Promise.all([kafka.stop(), clickhouse.stop()]);
    },
  };
}

function startGuardedKafka(dataDir: string, port: number): Promise<RunningKafka> {
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
      // Whoever does not sign in: the broker itself and the test, on an address of their own.
      'super.users': 'User:ANONYMOUS',
    },
  });
}

const startGuardedClickHouse = (folder: string): Promise<RunningClickHouse> =>
  startClickHouse({
    dataDir: join(folder, 'clickhouse'),
    users: [...grants()].map(([name, statements]) => ({
      ...{ name, password, grants: statements },
      isReader: name === 'console',
    })),
  });
