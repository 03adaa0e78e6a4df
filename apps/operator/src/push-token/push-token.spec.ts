import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runCommandLine } from '../run-command-line.js';

const key = (kid: string): string => `${kid}:${randomBytes(32).toString('base64url')}`;
const keys = [key('new'), key('old')];

beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('PUSH_TOKEN_KEYS', keys.join(','));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Runs a command line in this process; resolves with its exit code and its output. */
async function operator(...args: string[]) {
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      output[stream] += String(chunk);
      return true;
    });
  }
  return { exitCode: await runCommandLine(args), ...output };
}

const attribution = ['--campaign', 'spring', '--variation', 'b', '--profile', 'p', '--channel', 'web-push'];
const mint = (...options: string[]) =>
  operator(
    'push-token',
    'mint',
    '--source',
    'AbCdEf123456',
    ...attribution,
    '--provider',
    'fcm',
    '--force',
    ...options,
  );

it('mints a token that it opens, also after a rotation of keys, and never with another key', async () => {
  const minted = JSON.parse((await mint('--json')).stdout) as { token: string; notificationId: string };
  expect(Object.keys(minted)).toEqual(['token', 'notificationId']);
  const { stdout } = await operator('push-token', 'open', minted.token, '--json');
  expect(JSON.parse(stdout)).toEqual({
    notificationId: minted.notificationId,
    source: 'AbCdEf123456',
    campaign: 'spring',
    variation: 'b',
    profile: 'p',
    channel: 'web-push',
    provider: 'fcm',
    issuedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/) as string,
  });

  vi.stubEnv('PUSH_TOKEN_KEYS', [...keys].reverse().join(','));
  expect(await operator('push-token', 'open', minted.token)).toMatchObject({ exitCode: 0 });
  vi.stubEnv('PUSH_TOKEN_KEYS', key('new'));
  expect(await operator('push-token', 'open', minted.token)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'error: the token does not open with any key of PUSH_TOKEN_KEYS\n',
  });
});

it('uses the given notification id, and prints only the token as text', async () => {
  const { stdout } = await mint('--notification', 'n-7');
  const opened = await operator('push-token', 'open', stdout.trim());
  expect(opened.stdout).toContain('notificationId  n-7\n');
});

it.each([
  ['a bad source', ['--source', 'short'], 'source must be a sourceIdentifier'],
  ['a campaign that is too long', ['--campaign', 'c'.repeat(65)], 'campaign must be 1 to 64'],
  ['an unknown option', ['--colour', 'red'], "unknown option '--colour'"],
])('refuses %s with a message', async (_, options, message) => {
  const { exitCode, stdout, stderr } = await mint(...options);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});

it('says that there is no key, and never shows a malformed key', async () => {
  vi.stubEnv('PUSH_TOKEN_KEYS', '');
  expect((await mint()).stderr).toContain('PUSH_TOKEN_KEYS');
  vi.stubEnv('PUSH_TOKEN_KEYS', `${String(keys[0])}xyz`);
  const { stderr } = await mint();
  expect(stderr).toContain('entry 1 must be <kid>');
  expect(stderr).not.toContain(keys[0]?.slice(4));
});
