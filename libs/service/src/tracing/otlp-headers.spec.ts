import { expect, it } from 'vitest';
import { parseHeaders } from './otlp-headers.js';

it('reads one header a line, with everything after the first "=" as its value', () => {
  const text = 'Authorization=Basic dXNlcjpwYXNz==\r\n\n# a remark=1\nx-scope = tenant-1,tenant-2\nnonsense\n';

  expect(parseHeaders(text)).toEqual({ Authorization: 'Basic dXNlcjpwYXNz==', 'x-scope': 'tenant-1,tenant-2' });
});
