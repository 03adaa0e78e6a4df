import { expect, it } from 'vitest';
import { explainCode } from './reasons';

const [api = ''] = Object.values(
  import.meta.glob<string>('../../../../../docs/api.md', { query: '?raw', import: 'default', eager: true }),
);

/** Codes of requests that no sender of events makes. */
const others = ['prefetch', 'bundle.notBuilt', 'expectationFailed', 'headersTooLarge'];

it('says what each code of the gateway means', () => {
  const errors = api.split('## Errors')[1] ?? '';
  const codes = [...errors.matchAll(/\| `(error\.[\w.]+)`/g)].flatMap(([, code]) => code ?? []);
  expect(codes).toHaveLength(18);
  expect(codes.filter((code) => explainCode(code) === undefined && !others.some((one) => code.endsWith(one)))).toEqual(
    [],
  );
});
