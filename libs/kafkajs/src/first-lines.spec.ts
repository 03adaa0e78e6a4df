import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const kafkajs = dirname(createRequire(import.meta.url).resolve('kafkajs/package.json'));
const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.includes('.spec.'));

it.each(sources)('%s names in its first line a part of kafkajs that exists', (name) => {
  const [first = ''] = readFileSync(join(import.meta.dirname, name), 'utf8').split('\n');
  const [, part] = /^\/\/ .*\bkafkajs\/((?:src|index\.js)[\w/.-]*?)[,.:;]?(?: |$)/.exec(first) ?? [];
  expect(part, first).toBeDefined();
  expect(existsSync(join(kafkajs, part ?? '')), part).toBe(true);
});
