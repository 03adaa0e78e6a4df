import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = `
  import { JsonLogger } from '../logger.js';
  import { startExporting } from './otlp.js';
  import { errorTrace, headerTrace, withinSpan } from './spans.js';
  const logger = new JsonLogger('app', 'info');
  startExporting('app', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_SAMPLER_ARG: 1 });
  const parent = '00-' + 'a'.repeat(32) + '-' + 'b'.repeat(16) + '-01';
  const work = async () => {
    logger.log('inside', 'App');
    throw new Error('no answer');
  };
  await withinSpan('work', () => ({ parent }), work).catch((error) => {
    logger.log({ msg: 'afterwards', ...errorTrace(error) }, 'App');
  });
  logger.log('outside', 'App');
  logger.log({ msg: 'of a header', ...headerTrace(parent) }, 'App');
  logger.log({ msg: 'of no header', ...headerTrace('secret') }, 'App');
  process.exit();`;

it('log lines name the trace and span that they belong to, or those of an error that they report later', async () => {
  const args = [...process.execArgv, '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

  const byMessage = new Map(lines.map(({ msg, trace_id, span_id }) => [msg, [trace_id, span_id]]));
  const [, spanId] = byMessage.get('inside') ?? [];

  expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(spanId).not.toBe('b'.repeat(16));
  expect(Object.fromEntries(byMessage)).toEqual({
    inside: ['a'.repeat(32), spanId],
    afterwards: ['a'.repeat(32), spanId],
    outside: [undefined, undefined],
    'of a header': ['a'.repeat(32), 'b'.repeat(16)],
    'of no header': [undefined, undefined],
  });
}, 60_000);
