import { randomUUID } from 'node:crypto';
import { type DeadLetter } from '@sluice/kafka';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ReplayMarks } from './dead-letters/replay-marks.js';
import { type CurrentUser } from './session/current-user.js';
import { TestConsole } from './test-console.spec-support.js';

// Own users: a spec that demotes all other admins would end the sessions of other specs.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `severalinstances${process.pid}.`;
});

let [one, two]: TestConsole[] = [];

beforeAll(async () => {
  [one, two] = await Promise.all([TestConsole.start(), TestConsole.start()]);
});
afterAll(() => Promise.all([one?.stop(), two?.stop()]));

const instances = (): [TestConsole, TestConsole] => {
  if (!one || !two) throw new Error('the consoles are not there');
  return [one, two];
};

it('keeps one of two admins who demote each other at the same time in two instances', async () => {
  const [site, other] = instances();
  const rest = site.reader.state.list('user').filter(({ role, isDisabled }) => role === 'admin' && !isDisabled);
  try {
    for (const record of rest) await site.writer.put('user', record.id, { ...record, role: 'editor' });
    for (let round = 0; round < 6; round++) {
      const [ann, bob] = [await site.signIn('admin'), await other.signIn('admin')];
      const role = { role: 'viewer' };
      const answers = await Promise.all([
        site.ask('PATCH', `/api/users/${ann.id}`, { cookie: bob.cookie, body: role }),
        other.ask('PATCH', `/api/users/${bob.id}`, { cookie: ann.cookie, body: role }),
      ]);
      expect(answers.map(({ statusCode }) => statusCode).toSorted(), answers.map(({ body }) => body).join()).toEqual([
        200, 409,
      ]);
      const left = site.reader.state.list('user').filter(({ role: now, isDisabled }) => now === 'admin' && !isDisabled);
      expect(left).toHaveLength(1);
      for (const { id } of left) {
        const record = site.reader.state.get('user', id);
        if (record) await site.writer.put('user', id, { ...record, role: 'viewer' });
      }
    }
  } finally {
    for (const record of rest) await site.writer.put('user', record.id, record);
  }
});

it('creates only one user when two instances invite them at the same time', async () => {
  const [site, other] = instances();
  const { cookie } = await site.signIn('admin');
  const id = `invited-${randomUUID()}`;
  const answers = await Promise.all([
    site.ask('POST', '/api/users', { cookie, body: { id, role: 'admin' } }),
    other.ask('POST', '/api/users', { cookie, body: { id, role: 'viewer' } }),
  ]);
  expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400]);
});

it.each([false, true])(
  'sends a letter once when two instances replay it at the same time; again: %s',
  async (isAgain) => {
    const marks = instances().map(({ app }) => app.get(ReplayMarks));
    const people = ['ann', 'bob'].map((id) => ({ id }) as CurrentUser);
    const refusedAt = Date.now() - 60_000;
    for (let round = 0; round < 6; round++) {
      const letter = { id: `t:0:${round}@${refusedAt}-${randomUUID()}`, refusedAt, timestamp: refusedAt } as DeadLetter;
      const whole = {
        ...letter,
        topic: 't',
        reason: 'bad',
        key: null,
        value: null,
        headers: {},
      } as unknown as DeadLetter;
      let sent = 0;
      const replay = (at: 0 | 1): ReturnType<ReplayMarks['around']> => {
        const [mine, user] = [marks[at], people[at]];
        if (!mine || !user) throw new Error('no instance');
        return mine.around(user, [whole], { expectedMarks: mine.readMarks([whole]), isEdited: false }, (letters) => {
          sent += letters.length;
          return Promise.resolve({ replayed: [...letters], refused: [] });
        });
      };
      if (isAgain) {
        await replay(0);
        // The other instance knows of it within a second.
        await expect.poll(() => marks[1]?.of(whole)?.by).toBe('ann');
        sent = 0;
      }
      const results = await Promise.all([replay(0), replay(1)]);
      expect(sent).toBe(1);
      expect(results.map(({ replayed }) => replayed.length).toSorted()).toEqual([0, 1]);
      const [kept] = results.flatMap(({ notReplayed }) => notReplayed);
      expect(kept?.why).toMatch(/^it was replayed at 20\S+ by (ann|bob)$/);
    }
  },
);
