import { type Operation } from '@sluice/console-api';
import { operations } from '@sluice/console-api/document';
import { describe, expect, it } from 'vitest';
import { type ConsoleError } from './console-error.js';
import { RequestCheck } from './request-check.js';

function checkOf(operation: Operation): RequestCheck {
  const described = operations.get(operation);
  if (!described) throw new Error(`there is no ${operation}`);
  return new RequestCheck(described);
}

const sentenceOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    expect((error as ConsoleError).status).toBe(400);
    return (error as Error).message;
  }
  return 'passes';
};

describe('a query', () => {
  const events = checkOf('GET /api/events');

  it('has numbers from text, and of its members only those that are declared and not blank', () => {
    const given = {
      limit: '20',
      user: '',
      event: 'bought',
      constructor: 'x',
      other: '1',
      from: '2026-01-31T12:00:00Z',
    };
    expect(events.query(given)).toEqual({ limit: 20, event: 'bought', from: '2026-01-31T12:00:00Z' });
  });

  it.each([
    [{ limit: '0' }, 'limit must be 1 to 500.'],
    [{ limit: '501' }, 'limit must be 1 to 500.'],
    [{ limit: '1.5' }, 'limit must be a whole number.'],
    [{ limit: 'many' }, 'limit must be a whole number.'],
    [{ text: 'x'.repeat(201) }, 'text must be text of at most 200 characters.'],
    [{ text: ['a', 'b'] }, 'text must be text.'],
    [{ from: 'yesterday' }, 'from must be a time like 2026-01-31T12:00:00Z.'],
    [{ from: `2026-01-31T12:00:00${'0'.repeat(60)}Z` }, 'from must be a time like 2026-01-31T12:00:00Z.'],
  ])('%o: %s', (given, sentence) => {
    expect(sentenceOf(() => events.query(given))).toBe(sentence);
  });

  it('needs what is required', () => {
    const search = checkOf('GET /api/search');
    expect(sentenceOf(() => search.query({}))).toBe('q is required.');
    expect(sentenceOf(() => search.query({ q: '' }))).toBe('q is required.');
    expect(sentenceOf(() => search.query({ q: '  ' }))).toBe('q is required.');
    expect(checkOf('GET /api/requests/:id').query({ search: 'tables' })).toEqual({ search: 'tables' });
    expect(sentenceOf(() => checkOf('GET /api/requests/:id').query({ search: 'some' }))).toBe(
      'search must be one of tables, all.',
    );
  });
});

describe('a body', () => {
  it.each<[Operation, unknown, string]>([
    ['POST /api/users', { id: 'ann', role: 'viewer' }, 'passes'],
    ['POST /api/users', undefined, 'id is required.'],
    ['POST /api/users', [], 'The body must be an object.'],
    ['POST /api/users', 'text', 'The body must be an object.'],
    ['POST /api/users', { id: ' ', role: 'viewer' }, 'id is required.'],
    ['POST /api/users', { id: 'ann', role: 'owner' }, 'role must be one of viewer, editor, admin.'],
    ['POST /api/users', { id: 7, role: 'viewer' }, 'id must be text.'],
    ['POST /api/users', { id: 'ann', role: 'viewer', payloads: 'yes' }, 'payloads must be true or false.'],
    ['PUT /api/masks', { paths: 'a' }, 'paths must be a list.'],
    ['PUT /api/masks', { paths: Array(201).fill('a') }, 'paths must be a list of at most 200.'],
    ['PUT /api/masks', { paths: [1] }, 'paths.0 must be text.'],
    ['PUT /api/masks', { paths: ['x'.repeat(129)] }, 'paths.0 must be text of at most 128 characters.'],
    ['PUT /api/masks', { paths: [], values: ['name'] }, 'values.0 must be one of token, email, iban, card, ip, phone.'],
    ['PUT /api/sources/:id/limits', { burst: null, dailyQuota: 0 }, 'passes'],
    ['PUT /api/sources/:id/limits', { burst: 0 }, 'burst must be at least 1.'],
    ['PUT /api/sources/:id/limits', { burst: '5' }, 'burst must be null or a number.'],
    ['PUT /api/sources/:id/origins', { origins: null }, 'passes'],
    ['PUT /api/sources/:id/origins', {}, 'origins is required.'],
    ['PUT /api/sources/:id/origins', { origins: 'https://a.example' }, 'origins must be null or a list.'],
  ])('%s %j: %s', (operation, given, sentence) => {
    expect(sentenceOf(() => checkOf(operation).body(given))).toBe(sentence);
  });

  it('has the declared members only, and none where the operation takes no body', () => {
    const given = JSON.parse('{"id":"ann","role":"viewer","isDisabled":true,"__proto__":{"role":"admin"}}') as unknown;
    expect(checkOf('POST /api/users').body(given)).toEqual({ id: 'ann', role: 'viewer' });
    expect(checkOf('POST /api/users/:id/link').body({ id: 'x' })).toBeUndefined();
  });
});
