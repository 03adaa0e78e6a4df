import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { DocumentText } from './document-text';
import { readBlocks } from './markdown';

const render = (page: string): string =>
  renderToStaticMarkup(createElement(DocumentText, { blocks: readBlocks(page) }));

it('leaves HTML out, and shows what looks like it in code', () => {
  expect(render('a <b onclick="x()">c</b> `<d>`\n\n<script>alert(1)</script>\n')).toBe(
    '<div class="document"><p>a c <code>&lt;d&gt;</code></p></div>',
  );
});

it('shows lists with code in them, tables with escaped bars, and links to other pages by their path', () => {
  const html = render('1. Run:\n\n   ```sh\n   a | b\n   ```\n\n2. See [x](y.md).\n\n| a |\n| - |\n| `b\\|c` |\n');
  expect(html).toContain('<ol><li>');
  expect(html).toContain('a | b</pre>');
  expect(html).toContain('x (<code>docs/y.md</code>)');
  expect(html).toContain('<td><code>b|c</code></td>');
});

it('does not make a link of a script', () => {
  expect(render('[x](javascript:alert(1))')).not.toContain('href');
});
