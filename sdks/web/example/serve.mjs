// `npm run example:web`: serves the shop page, with the source that `npm start` made.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const port = Number(process.env.EXAMPLE_PORT ?? 8090);
const dataDir = process.env.SLUICE_DATA_DIR ?? '.data';
const { gateway, source } = JSON.parse(readFileSync(`${dataDir}/local.json`, 'utf8'));
const fileOf = (path) => readFileSync(new URL(path, import.meta.url));
const { files } = JSON.parse(fileOf('../dist/bundle/manifest.json'));

const values = { apiKey: source.apiKey, sourceIdentifier: source.sourceIdentifier, apiPath: gateway.url };
const page = fileOf('index.html')
  .toString()
  .replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);

function contentOf(path) {
  if (path === '/') return ['text/html', page];
  if (path === '/shop.js') return ['text/javascript', fileOf('shop.js')];
  if (path === '/snippet.js') return ['text/javascript', fileOf(`../dist/bundle/${files['snippet.js'].file}`)];
  const { file } = Object.values(files).find((known) => path === `/bundle/${known.file}`) ?? {};
  return file === undefined ? undefined : ['text/javascript', fileOf(`../dist/bundle/${file}`)];
}

createServer((request, response) => {
  const content = contentOf(new URL(request.url, 'http://example').pathname);
  if (content === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': content[0] }).end(content[1]);
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/`));
