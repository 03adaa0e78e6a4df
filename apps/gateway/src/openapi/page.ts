import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A document that is the same for all requests. */
export interface StaticDocument {
  type: string;
  bytes: Buffer;
}

const html = 'text/html; charset=utf-8';
const javaScript = 'text/javascript; charset=utf-8';
const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const read = (name: string, type: string) => (): StaticDocument => ({ type, bytes: readFileSync(join(folder, name)) });
const text = (type: string, content: string) => (): StaticDocument => ({ type, bytes: Buffer.from(content) });

/** Makes the page with relative addresses: a proxy may serve the gateway below a path of its own. */
const page = (files: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Sluice API</title>
    <link rel="stylesheet" href="${files}swagger-ui.css">
    <link rel="icon" type="image/png" href="${files}favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${files}swagger-ui-bundle.js"></script>
    <script src="${files}page.js"></script>
  </body>
</html>
`;
const script = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
});
`;

/** The page that shows the OpenAPI document, and its files; each is read at its first request. */
export const pageFiles: Readonly<Record<string, () => StaticDocument>> = {
  '/docs': text(html, page('docs/')),
  '/docs/': text(html, page('')),
  '/docs/page.js': text(javaScript, script),
  '/docs/swagger-ui-bundle.js': read('swagger-ui-bundle.js', javaScript),
  '/docs/swagger-ui.css': read('swagger-ui.css', 'text/css; charset=utf-8'),
  '/docs/favicon-32x32.png': read('favicon-32x32.png', 'image/png'),
};
