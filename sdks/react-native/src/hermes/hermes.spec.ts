import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { bundleOf, lowered } = (await import(new URL('../../hermes.mjs', import.meta.url).href)) as {
  readonly bundleOf: (entry: string) => Promise<string>;
  readonly lowered: (code: string) => string;
};
const require = createRequire(import.meta.url);
const programOf = (name: string, path: string): string => join(dirname(require.resolve(`${name}/package.json`)), path);

/** Hermes 0.12 of 2022 runs programs; the compiler of React Native 0.88 only compiles them. */
const hermes = programOf('hermes-engine-cli', 'linux64-bin/hermes');
const hermesc = programOf('hermes-compiler', 'hermesc/linux64-bin/hermesc');

interface Message {
  readonly context: { readonly sdk: { readonly seq: number } };
  readonly properties?: object;
}

// The packages have programs for other machines too; CI and developers have this one.
describe.runIf(process.platform === 'linux' && process.arch === 'x64')('Hermes', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-hermes-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The lines that a program prints. */
  async function linesOf(entry: string, prelude = ''): Promise<string[]> {
    const file = join(folder, 'program.js');
    writeFileSync(file, prelude + lowered(await bundleOf(at(entry))));
    return execFileSync(hermes, ['-w', file], { encoding: 'utf8', timeout: 60_000 }).trim().split('\n');
  }

  it('runs the vectors on a synchronous and an asynchronous store', { timeout: 90_000 }, async () => {
    const lines = await linesOf('run-vectors.ts', readFileSync(at('prelude.js'), 'utf8'));
    expect(lines.pop()).toBe('done');
    expect(lines.filter((line) => line !== 'ok')).toEqual([]);
    expect(lines.length).toBeGreaterThan(400);
  });

  it('runs a client with nothing but timers and fetch', { timeout: 90_000 }, async () => {
    const lines = await linesOf('run-client.ts', readFileSync(at('timers.js'), 'utf8'));
    const said = lines.filter((line) => !/^(POST|GET) /.test(line));
    expect(said.slice(0, -2)).toEqual(['SAVED true', 'HANDLED shown', 'LEFT 0', 'STORAGE ']);
    const [ids, end] = said.slice(-2);
    expect(ids).toMatch(/^IDS 1000 [\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(end).toBe('done');
    const calls = lines.filter((line) => line.startsWith('GET '));
    expect(calls).toEqual(['GET https://sluice.test/api/tracker/general/delivered?token=token%2F1%21 ']);
    const messages = lines.flatMap((line) => {
      const body = /^POST \S+ (.*)$/.exec(line)?.[1];
      return body === undefined ? [] : (JSON.parse(body) as { list: Message[] }).list;
    });
    messages.sort((one, other) => one.context.sdk.seq - other.context.sdk.seq);
    expect(messages).toMatchObject([
      { userId: 'user-1', traits: { name: 'Zoë \u{1f600} سلام' } },
      { event: 'viewed', properties: { total: 49.9, text: 'Zoë \u{1f600} سلام' } },
      { event: 'bb_notification_registered', properties: { package_name: 'com.example.shop', sdk: 'ANDROID' } },
      { event: 'deep_link_opened', context: { campaign: { source: 'mail', name: 'Frühling' } } },
      { event: 'bb_notification_delivered', properties: { id: 'token/1!' } },
    ]);
    expect(messages[1]?.properties).not.toHaveProperty('broken');
    expect(messages[1]?.context).toMatchObject({ os: { version: '11' }, device: { model: 'Pixel' } });
  });

  it(
    'of today compiles the package as it is, which uses a global that an app may lack only after a check',
    { timeout: 60_000 },
    async () => {
      const file = join(folder, 'package.js');
      writeFileSync(file, await bundleOf(at('../without-native.ts')));
      // With `-strict` it names the globals that are used without `typeof`.
      const options = ['-strict', '-O', '-emit-binary', '-out', `${file}.hbc`, file];
      const { status, stderr } = spawnSync(hermesc, options, { encoding: 'utf8' });
      expect([status, stderr.includes(' error: ')]).toEqual([0, false]);
      const globals = [...stderr.matchAll(/the variable "(\w+)" was not declared/g)].map(([, name]) => name);
      expect([...new Set(globals)].sort()).toEqual(['Promise', 'clearTimeout', 'console', 'fetch', 'setTimeout']);
    },
  );
});
