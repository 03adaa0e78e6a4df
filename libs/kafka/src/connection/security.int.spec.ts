import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@sluice/service';
import { freePort, freePorts, makeTlsFiles, type RunningKafka, startKafka, type TlsFiles } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withAdmin } from './admin.js';
import { untilBrokerAnswers } from './broker-answers.js';
import { createKafka } from './client.js';
import { kafkaVariables } from './config.js';
import { Publisher } from '../publish/publisher.js';
import { Sender } from '../publish/sender.js';
import { ensureTopics } from '../topics/topics.js';

const user = 'sluice';
const password = 'with = and ; and spaces';
const plainLogin = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
const scramLogin = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';

let folder: string;
let files: TlsFiles;
let kafka: RunningKafka;
let saslBroker: string;
let tlsBroker: string;

// A separate Kafka with one address for passwords and one for client certificates.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-kafka-tls-'));
  files = await makeTlsFiles(folder);
  await writeFile(join(folder, 'password'), `${password}\n`);
  const [saslPort = 0, tlsPort = 0] = await freePorts(2);
  [saslBroker, tlsBroker] = [`127.0.0.1:${saslPort}`, `127.0.0.1:${tlsPort}`];
  const stores = {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': files.server,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': files.ca,
  };
  kafka = await startKafka({
    dataDir: join(folder, 'kafka'),
    heapMb: 384,
    listeners: [
      {
        protocol: 'SASL_SSL',
        port: saslPort,
        properties: {
          ...stores,
          'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
          'plain.sasl.jaas.config': `${plainLogin} user_${user}="${password}";`,
          'scram-sha-256.sasl.jaas.config': scramLogin,
          'scram-sha-512.sasl.jaas.config': scramLogin,
        },
      },
      { protocol: 'SSL', port: tlsPort, properties: { ...stores, 'ssl.client.auth': 'required' } },
    ],
    scramUsers: ['SCRAM-SHA-256', 'SCRAM-SHA-512'].map(
      (mechanism) => `${mechanism}=[name=${user},password="${password}"]`,
    ),
  });
});
afterAll(async () => {
  await (kafka as RunningKafka | undefined)?.stop();
  await rm(folder, { recursive: true, force: true });
});

const readSecurityConfig = (environment: NodeJS.ProcessEnv) =>
  readConfig(kafkaVariables, {
    KAFKA_BROKERS: saslBroker,
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: files.ca,
    ...environment,
  });

/** Does what a start does: creates a topic and publishes a message. */
async function publishTo(topic: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readSecurityConfig({ TOPIC_PARTITIONS: '1', ...environment });
  const client = createKafka(config, 'test');
  await ensureTopics(client, config, [{ name: topic, contract: 'test.v1' }]);
  const publisher = new Publisher(new Sender(client, [topic]));
  await publisher.start();
  await publisher.publish([{ topic, key: 'k', value: '{}', headers: {} }]);
  await publisher.stop();
  const [end] = await withAdmin(client, (admin) => admin.fetchTopicOffsets(topic));
  expect(end?.high).toBe('1');
}

it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('signs in by %s, encrypted', async (mechanism) => {
  await publishTo(`signed-in-${mechanism}`, {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD_FILE: join(folder, 'password'),
  });
});

it('presents its own certificate to brokers that ask for one', async () => {
  await publishTo('by-certificate', {
    KAFKA_BROKERS: tlsBroker,
    KAFKA_TLS_CERT_FILE: files.clientCert,
    KAFKA_TLS_KEY_FILE: files.clientKey,
  });
});

it('follows certificates that are renewed under the same names, without a restart', async () => {
  const stranger = await makeTlsFiles(await mkdtemp(join(folder, 'stranger-')));
  const [cert, key] = [join(folder, 'followed-cert'), join(folder, 'followed-key')];
  const mount = async ({ clientCert, clientKey }: TlsFiles): Promise<void> => {
    await copyFile(clientCert, cert);
    await copyFile(clientKey, key);
  };
  await mount(stranger);
  const environment = { KAFKA_BROKERS: tlsBroker, KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key };
  const client = createKafka(readSecurityConfig(environment), 'test');
  const ask = () => withAdmin(client, (admin) => admin.describeCluster());
  await expect(ask()).rejects.toThrow();

  await mount(files);
  expect((await ask()).brokers).toHaveLength(1);
});

const connect = (environment: NodeJS.ProcessEnv) =>
  withAdmin(createKafka(readSecurityConfig(environment), 'test'), (admin) => admin.listTopics());

it('knows whether a broker answers before any sign-in', async () => {
  const nobody = `127.0.0.1:${await freePort()}`;
  await untilBrokerAnswers(readSecurityConfig({ KAFKA_BROKERS: `${nobody},${saslBroker}` }), 5_000);
  await expect(untilBrokerAnswers(readSecurityConfig({ KAFKA_BROKERS: nobody }), 200)).rejects.toThrow(
    /ECONNREFUSED|no answer/,
  );
});

it('is refused with a wrong password', async () => {
  const signIn = { KAFKA_SASL_MECHANISM: 'scram-sha-256', KAFKA_SASL_USERNAME: user, KAFKA_SASL_PASSWORD: 'wrong' };
  await expect(connect(signIn)).rejects.toThrow(/[Aa]uthentication failed/);
});

it('refuses brokers whose certificate it cannot verify', async () => {
  const otherFolder = join(folder, 'other');
  await writeFile(otherFolder, '');
  const signIn = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: user, KAFKA_SASL_PASSWORD: password };
  await expect(connect({ ...signIn, KAFKA_TLS_CA_FILE: otherFolder })).rejects.toThrow(/certificate/);
});
