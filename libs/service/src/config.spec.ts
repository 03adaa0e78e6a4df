import { str } from 'envalid';
import { expect, it } from 'vitest';
import { ConfigError, list, positiveInteger, readConfig, serviceVariables } from './config.js';

const variables = {
  ...serviceVariables,
  BROKERS: list({ desc: 'Brokers' }),
  ROWS: positiveInteger({ default: 5, desc: 'Rows' }),
};

it('reads typed values and fills in the defaults', () => {
  const config = readConfig(variables, { BROKERS: 'a:1, b:2', MANAGEMENT_PORT: '9100' });

  expect(config).toMatchObject({ BROKERS: ['a:1', 'b:2'], ROWS: 5, MANAGEMENT_PORT: 9100, LOG_LEVEL: 'info' });
});

it('names every missing or bad variable at once', () => {
  const read = () => readConfig(variables, { ROWS: '0.5', MANAGEMENT_PORT: 'http', LOG_LEVEL: 'loud' });

  expect(read).toThrow(ConfigError);
  expect(read).toThrow('BROKERS: is required');
  for (const name of ['BROKERS', 'ROWS', 'MANAGEMENT_PORT', 'LOG_LEVEL']) expect(read).toThrow(name);
});

it('treats an empty variable as one that is not set', () => {
  const variables = { A: str({ desc: 'a' }), B: str({ default: 'usual', desc: 'b' }) };
  expect(readConfig(variables, { A: 'a', B: '' })).toEqual({ A: 'a', B: 'usual' });
  expect(() => readConfig(variables, { A: '' })).toThrow('A: is required');
});
