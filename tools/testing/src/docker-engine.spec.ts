import { expect, test } from 'vitest';
import { dockerAnswers, engineAddress } from './docker-engine.js';
import { freePort } from './free-port.js';

test('DOCKER_HOST determines the address of the engine', () => {
  expect(engineAddress()).toEqual({ socketPath: '/var/run/docker.sock' });
  expect(engineAddress('unix:///run/user/1000/docker.sock')).toEqual({ socketPath: '/run/user/1000/docker.sock' });
  expect(engineAddress('tcp://127.0.0.1:2376')).toEqual({ host: '127.0.0.1', port: '2376' });
  expect(engineAddress('ssh://somewhere')).toBeUndefined();
});

test('an address at which nothing listens is not an engine', async () => {
  expect(await dockerAnswers(`tcp://127.0.0.1:${await freePort()}`)).toBe(false);
  expect(await dockerAnswers('unix:///no/such/socket')).toBe(false);
});
