import { describe, expect, it } from 'vitest';
import { pathAliases, resolveAliases } from './path-aliases.js';

const read = (text: string) => pathAliases()._parse(text);

describe('a request under an alias', () => {
  const rewrite = resolveAliases(read('/a=/api/tracker/sdk,/shop/s=/sdk,/app.js=/sdk/0/sluice.js'));
  it.each([
    ['/a/AbCdEf123456/trackBatch?validate=only', '/api/tracker/sdk/AbCdEf123456/trackBatch?validate=only'],
    ['/a/AbCdEf123456/tb?validate=only', '/api/tracker/sdk/AbCdEf123456/trackBatch?validate=only'],
    ['/a/AbCdEf123456/ib', '/api/tracker/sdk/AbCdEf123456/identifyBatch'],
    ['/a/AbCdEf123456/t', '/api/tracker/sdk/AbCdEf123456/track'],
    ['/a/AbCdEf123456/i', '/api/tracker/sdk/AbCdEf123456/identify'],
    ['/a/AbCdEf123456/tbx', '/api/tracker/sdk/AbCdEf123456/tbx'],
    ['/shop/s/0/t', '/sdk/0/t'],
    ['/api/tracker/sdk/AbCdEf123456/tb', '/api/tracker/sdk/AbCdEf123456/tb'],
    ['/a', '/api/tracker/sdk'],
    ['/shop/s/0/sluice.js', '/sdk/0/sluice.js'],
    ['/app.js', '/sdk/0/sluice.js'],
    ['/app.js?v=1', '/sdk/0/sluice.js?v=1'],
    ['/api/tracker/sdk/AbCdEf123456/track', '/api/tracker/sdk/AbCdEf123456/track'],
    ['/api/tracker/general/click?token=t', '/api/tracker/general/click?token=t'],
    ['/ab/AbCdEf123456/track', '/ab/AbCdEf123456/track'],
    ['/shop', '/shop'],
    ['/%61/AbCdEf123456/track', '/%61/AbCdEf123456/track'],
    ['', '/'],
  ])('to %s goes to %s', (url, real) => expect(rewrite({ url: url || undefined })).toBe(real));
});

describe('the configuration', () => {
  it('names every bad alias', () => {
    const bad = [
      'a=/api/tracker/sdk',
      '/=/sdk',
      '/b',
      '/c=/api/tracker/general',
      '/d=/api/tracker/catalog',
      '/e=/sdk/../api',
      '/api/x=/sdk',
      '/health=/sdk',
      '/ok/deeper=/sdk',
      '/..=/sdk',
    ];
    let message = '';
    try {
      read(['/ok=/sdk', ...bad].join(','));
    } catch (error) {
      message = (error as Error).message;
    }
    for (const entry of bad) expect(message).toContain(`"${entry}"`);
    expect(message).not.toContain('"/ok=/sdk"');
  });

  it('takes several aliases of one path, with spaces between them', () => {
    expect([...read('/a=/api/tracker/sdk, /b=/api/tracker/sdk')]).toHaveLength(2);
  });
});
