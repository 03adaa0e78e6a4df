import { freePort } from '@sluice/testing';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { choosePorts } from './ports.js';
import { readLocalSettings } from './settings.js';

test('port 0 means any free port', async () => {
  const settings = readLocalSettings({ GATEWAY_PORT: '0', KAFKA_PORT: '0', CLICKHOUSE_PORT: '0' });
  const { gateway, kafka, clickhouse, management } = await choosePorts(settings, 4);

  expect(new Set([gateway, kafka, clickhouse, ...management, 0]).size).toBe(8);
});

test('the error about a taken port names the variable that changes it', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const takenPorts = { GATEWAY_PORT: String(port), KAFKA_PORT: String(port), CLICKHOUSE_PORT: '0' };

  await expect(choosePorts(readLocalSettings(takenPorts), 4)).rejects.toThrow(
    `Port ${port} is taken: set GATEWAY_PORT to another one, or to 0 for any free one.\n` +
      `Port ${port} is taken: set KAFKA_PORT`,
  );
  const embedded = await choosePorts(
    readLocalSettings({ ...takenPorts, GATEWAY_PORT: '0', KAFKA_BROKERS: 'one:9092' }),
    4,
  );
  expect(embedded.kafka).not.toBe(port);
  server.close();
});
